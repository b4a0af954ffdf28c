"""Writing the vectors: `geomlin vectors export`.

The same version of geomlin writes the same bytes.  An id belongs to an input for ever: ids.json
keeps the fingerprint of every input that ever had one, and new inputs get new numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .flags import FLAGS
from .lint import fingerprint, lint
from .operations import GROUPS, OPERATIONS
from .vectors import FORMAT, folder

VERSION = "1.0"
COMMAND = "geomlin vectors export --output geomlin/conformance/vectors"


def drafts() -> Iterator[dict[str, Any]]:
    """Every test of this version, without ids, in a fixed order."""
    from . import catalogue_exponentials as exponentials
    from . import catalogue_gradients as gradients
    from . import catalogue_products as products
    from . import catalogue_special as special

    yield from products.product_drafts()
    yield from products.sandwich_drafts()
    yield from exponentials.exp_drafts()
    yield from exponentials.log_drafts()
    yield from exponentials.sqrt_drafts()
    yield from special.exact_rotor_drafts()
    yield from special.decomposition_drafts()
    yield from exponentials.matrix_drafts()
    yield from exponentials.lift_drafts()
    yield from gradients.gradient_drafts()
    yield from products.spinor_drafts()
    yield from products.layer_drafts()
    yield from special.refusal_drafts()


def numbered(tests: Iterable[dict[str, Any]], ids: dict[str, str]) -> list[dict[str, Any]]:
    """The tests with their ids; inputs that have none get the next ones, and `ids` grows."""
    known = {prints: int(number) for number, prints in ids.items()}
    following = max(known.values(), default=0) + 1
    found = []
    for test in tests:
        prints = fingerprint(test)
        if prints not in known:
            known[prints] = following
            ids[str(following)] = prints
            following += 1
        found.append({"id": known[prints], **test})
    return found


def documents(ids: dict[str, str]) -> dict[str, Any]:
    """The JSON documents by group."""
    tests = numbered(drafts(), ids)
    found = {}
    for group in GROUPS:
        chosen = [test for test in tests if OPERATIONS[test["operation"]].group == group]
        used = {flag for test in chosen for flag in test["flags"]}
        found[group] = {
            "format": FORMAT,
            "version": VERSION,
            "command": COMMAND,
            "group": group,
            "operations": {
                op.name: {
                    "arguments": dict(op.arguments),
                    "result": op.result,
                    "bound": op.bound,
                    "equation": op.equation,
                }
                for op in OPERATIONS.values()
                if op.group == group
            },
            "flags": {name: dict(vars(flag)) for name, flag in FLAGS.items() if name in used},
            "tests": chosen,
        }
    return found


def text(document: Mapping[str, Any]) -> str:
    """JSON with one test a line."""
    head = json.dumps({**document, "tests": []}, indent=1, ensure_ascii=False)
    lines = ",\n".join("  " + json.dumps(test, ensure_ascii=False) for test in document["tests"])
    before, _, after = head.rpartition('"tests": []')
    return f'{before}"tests": [\n{lines}\n ]{after}\n'


def registered() -> dict[str, str]:
    """The ids given so far; none before the first export."""
    path = folder() / "ids.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def export(output: Path) -> int:
    """Write all vectors into a folder and return how many; LayoutError if they do not lint."""
    from ..errors import LayoutError

    ids = registered()
    found = documents(ids)
    if problems := lint(found, ids):
        raise LayoutError("the vectors do not lint: " + "; ".join(problems[:5]))
    output.mkdir(parents=True, exist_ok=True)
    for group, document in found.items():
        (output / f"{group}.json").write_text(text(document), encoding="utf-8")
    (output / "ids.json").write_text(json.dumps(ids, indent=0) + "\n", encoding="utf-8")
    return sum(len(document["tests"]) for document in found.values())
