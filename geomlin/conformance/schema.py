"""The JSON schema of the vectors, and a validator for the part of JSON Schema that it uses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from ..errors import NotSupported

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}
_KNOWN = {
    "$schema",
    "$defs",
    "$ref",
    "title",
    "type",
    "const",
    "enum",
    "anyOf",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "minItems",
    "maxItems",
    "items",
    "required",
    "properties",
    "additionalProperties",
}


def schema() -> Any:
    """The schema as it is shipped."""
    text = files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    return json.loads(text)


def violations(document: Any, rule: Any = None) -> Iterator[str]:
    """Where a document breaks the schema, as "path: what was expected".

    Examples
    --------
    >>> list(violations({"id": "7"}, {"properties": {"id": {"type": "integer"}}}))
    ["/id: expected integer, got '7'"]
    """
    root = schema() if rule is None else rule
    yield from _check(document, root, root, "")


def _check(value: Any, rule: Any, root: Any, path: str) -> Iterator[str]:
    if unknown := set(rule) - _KNOWN:
        raise NotSupported(f"the validator does not know {sorted(unknown)} at {path or '/'}")
    if "$ref" in rule:
        target = root
        for step in rule["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        yield from _check(value, target, root, path)
        return
    kinds = _TYPES[rule["type"]] if "type" in rule else ()
    if kinds and (not isinstance(value, kinds) or isinstance(value, bool)):
        yield f"{path}: expected {rule['type']}, got {value!r}"[:200]
        return
    if "anyOf" in rule and all(list(_check(value, r, root, path)) for r in rule["anyOf"]):
        yield f"{path}: fits none of {len(rule['anyOf'])} alternatives: {value!r}"[:200]
    yield from _scalars(value, rule, path)
    if isinstance(value, list):
        for k, item in enumerate(value):
            yield from _check(item, rule.get("items", {}), root, f"{path}/{k}")
    if isinstance(value, dict):
        yield from _members(value, rule, root, path)


def _scalars(value: Any, rule: Any, path: str) -> Iterator[str]:
    """Limits on one value."""
    if "const" in rule and value != rule["const"]:
        yield f"{path}: expected {rule['const']!r}, got {value!r}"
    if "enum" in rule and value not in rule["enum"]:
        yield f"{path}: expected one of {rule['enum']}, got {value!r}"
    if "pattern" in rule and not re.search(rule["pattern"], value):
        yield f"{path}: {value!r} does not match {rule['pattern']}"
    size = len(value) if isinstance(value, (str, list)) else 0
    for least in ("minLength", "minItems"):
        if size < rule.get(least, 0):
            yield f"{path}: expected at least {rule[least]}, got {size}"
    for most in ("maxLength", "maxItems"):
        if size > rule.get(most, size):
            yield f"{path}: expected at most {rule[most]}, got {size}"
    if "minimum" in rule and value < rule["minimum"]:
        yield f"{path}: expected at least {rule['minimum']}, got {value}"


def _members(value: dict[str, Any], rule: Any, root: Any, path: str) -> Iterator[str]:
    """Properties of an object."""
    for name in rule.get("required", ()):
        if name not in value:
            yield f"{path}: {name!r} is missing"
    known = rule.get("properties", {})
    other = rule.get("additionalProperties", {})
    for name, item in value.items():
        if name in known:
            yield from _check(item, known[name], root, f"{path}/{name}")
        elif other is False:
            yield f"{path}: {name!r} is not allowed"
        else:
            yield from _check(item, other, root, f"{path}/{name}")
