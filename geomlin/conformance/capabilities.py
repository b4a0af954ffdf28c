"""The table of the README: what geomlin and other libraries can do, as the kit counted it.

    python -m geomlin.conformance.capabilities docs/peers.md README.md

runs geomlin on numpy, reads the other columns from docs/peers.md, and replaces the text between the
two marks of the README.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import LayoutError
from .operations import OPERATIONS
from .render import markdown_table
from .report import Report
from .runner import run

BEGIN = "<!-- python -m geomlin.conformance.capabilities docs/peers.md README.md -->"
END = "<!-- end of the table -->"
WORDS: Mapping[str, str] = {
    "product": "products, reverse, dual, inverse",
    "sandwich": "sandwich",
    "exp": "exp of a bivector",
    "log": "log of a rotor",
    "sqrt": "square root of a rotor",
    "decomposition": "invariant decomposition",
    "matrix": "rotor to matrix",
    "lift": "matrix to rotor",
    "gradient": "gradients",
    "spinor": "spinor blocks",
    "layer": "r x ~s",
}
Counts = dict[str, tuple[int, int]]


def counted(report: Report) -> Counts:
    """Right answers and failures by operation."""
    return {row.operation: (row.passed, row.failed) for row in report.rows()}


def peers_of(page: str) -> dict[str, Counts]:
    """The same from docs/peers.md, for each library in its order."""
    found: dict[str, Counts] = {}
    for section in re.split(r"^### ", page, flags=re.M)[1:]:
        rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|", section, re.M)
        counts = {name: (int(right), int(failed)) for name, right, failed in rows}
        found[section.partition("\n")[0]] = {k: v for k, v in counts.items() if k in OPERATIONS}
    if not found:
        raise LayoutError("expected the reports of docs/peers.md, each under a heading ###")
    return found


def table(own: Counts, peers: Mapping[str, Counts]) -> str:
    """A row for each group of the kit: right answers / failures, a dash without the function."""
    columns = [own, *peers.values()]
    rows = []
    for group, words in WORDS.items():
        names = [name for name, op in OPERATIONS.items() if op.group == group]
        sums = [[sum(c.get(name, (0, 0))[k] for name in names) for k in (0, 1)] for c in columns]
        rows.append([words, *(f"{a} / {b}" if a + b else "–" for a, b in sums)])
    return markdown_table(["", "geomlin", *peers], rows)


def main(arguments: Sequence[str]) -> int:
    """Write the table into the README."""
    source, target = map(Path, arguments)
    made = table(counted(run("numpy")), peers_of(source.read_text(encoding="utf-8")))
    before, begin, rest = target.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LayoutError(f"expected the marks {BEGIN!r} and {END!r} in {target}")
    target.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
