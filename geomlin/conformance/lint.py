"""The suite testing itself: what must hold of every file of vectors."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from .flags import FLAGS
from .operations import OPERATIONS, shape_of
from .schema import violations
from .vectors import Vector

NARROW = 2.0**-60  # of the unit: what the radius may be
_CHECKS = {
    "value": True,
    "value up to sign": True,
    "parts in any order": True,
    "tangent": True,
    "decomposition": False,
    "logarithm": False,
    "refusal": False,
}


def fingerprint(test: Mapping[str, Any]) -> str:
    """What identifies the input of a test."""
    parts = [test[key] for key in ("operation", "signature", "dtypes", "input")]
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def lint(documents: Mapping[str, Any], ids: Mapping[str, str]) -> list[str]:
    """Everything that is wrong with the documents (by group) and their register of ids."""
    found = [f"{group}: {text}" for group, d in documents.items() for text in violations(d)]
    if found:
        return found  # the rest assumes that the documents are well formed
    for group, document in documents.items():
        found += [f"{group}: {text}" for text in _document(group, document)]
    found += list(_whole(documents, ids))
    return found


def _document(group: str, document: Mapping[str, Any]) -> Iterator[str]:
    """One file."""
    if document["group"] != group:
        yield f"the file says that it is {document['group']}"
    used = {flag for test in document["tests"] for flag in test["flags"]}
    for flag in used ^ set(document["flags"]):
        yield f"flag {flag} is used and not explained, or the reverse"
    for test in document["tests"]:
        operation = OPERATIONS.get(test["operation"])
        if operation is None or operation.group != group:
            yield f"test {test['id']}: operation {test['operation']!r} is not of this group"
            continue
        yield from (f"test {test['id']}: {text}" for text in _test(test))


def _test(test: Mapping[str, Any]) -> Iterator[str]:
    """One test."""
    vector = Vector(test)
    if not 1 <= sum(vector.signature) <= 12:
        yield f"signature {vector.signature} is out of range"
        return
    operation = vector.operation
    if set(test["input"]) != set(operation.arguments):
        yield f"expected inputs {list(operation.arguments)}, got {list(test['input'])}"
        return
    for name, shape in operation.shapes(vector.signature).items():
        if len(test["input"][name]) != prod(shape):
            yield f"{name} has {len(test['input'][name])} numbers, expected {prod(shape)}"
    yield from (f"flag {flag} is unknown" for flag in test["flags"] if flag not in FLAGS)
    if len(set(test["flags"])) != len(test["flags"]):
        yield "a flag is repeated"
    if any(word in test["comment"].lower() for word in ("should", "test that")):
        yield "a comment states a fact: no 'should', no 'test that'"
    yield from _output(test, vector)


def _output(test: Mapping[str, Any], vector: Vector) -> Iterator[str]:
    """The answer fits the check and is narrow."""
    output, refused = test.get("output", {}), vector.check == "refusal"
    if (vector.result == "invalid") != refused:
        yield f"result {vector.result!r} does not go with check {vector.check!r}"
    if refused:
        if output:
            yield "a refusal has no output"
        return
    if "unit" not in output:
        yield "the output has no unit"
        return
    if _CHECKS[vector.check] != ("mid" in output):
        yield f"check {vector.check!r} and the output do not fit"
        return
    units = output["unit"] if isinstance(output["unit"], list) else [output["unit"]]
    if not min(float(u) for u in units) > 0:
        yield "a unit is not positive"
    if "mid" not in output:
        return
    kind = "bivector" if vector.check == "tangent" else vector.operation.result
    size = prod(shape_of(kind, vector.signature))
    lengths = {len(output["mid"]), *(len(m) for m in test.get("mistakes", {}).values())}
    if lengths != {size} or len(units) not in (1, size):
        yield f"expected {size} numbers, got {sorted(lengths)} and {len(units)} units"
    if not float(output["rad"]) <= NARROW * min(float(u) for u in units):
        yield f"radius {output['rad']} is not narrow"
    for flag, mid in test.get("mistakes", {}).items():
        if flag not in test["flags"]:
            yield f"mistake {flag} is no flag of the test"
        if mid == output["mid"]:
            yield f"mistake {flag} is the right answer"


def _whole(documents: Mapping[str, Any], ids: Mapping[str, str]) -> Iterator[str]:
    """Across files: ids, repetitions, and that every flag is earned."""
    tests = [test for document in documents.values() for test in document["tests"]]
    for number, count in Counter(test["id"] for test in tests).items():
        if count > 1:
            yield f"id {number} is used {count} times"
    for prints, count in Counter(fingerprint(test) for test in tests).items():
        if count > 1:
            yield f"the same input occurs {count} times ({prints})"
    for test in tests:
        if ids.get(str(test["id"])) != fingerprint(test):
            yield f"id {test['id']} belongs to another input: an id is never reused"
    if len(set(ids.values())) != len(ids):
        yield "two ids belong to one input"
    unused = set(FLAGS) - {flag for test in tests for flag in test["flags"]} - {"BATCH"}
    if unused:
        yield f"no test bears the flags {sorted(unused)}"
