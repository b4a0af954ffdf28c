"""docs/peers.md: what the kit says about other libraries.

    python -m geomlin.conformance.page docs/peers.md [--seconds 60] [PEER ..]

replaces the text between the two marks of the page by reports of the peers named (all by default);
a peer that is not installed is said to be missing.  What stands outside the marks is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from platform import python_version

from ..errors import BackendMissing, LayoutError
from .backends import PEERS, version_of
from .render import failure_lines, flags_table, markdown_table, operations_table
from .report import Outcome, Report
from .runner import run
from .words import FAILURES, NOT_RUN, PASS

BEGIN = "<!-- conformance: python -m geomlin.conformance.page docs/peers.md -->"
END = "<!-- end of conformance -->"


def page(reports: Sequence[Report], missing: dict[str, str]) -> str:
    """The text between the marks."""
    parts = [_introduction(reports), _overview(reports)]
    parts += [f"- `{name}`: not run, {reason}" for name, reason in missing.items()]
    parts += [_section(report) for report in reports]
    return "\n\n".join(parts)


def _introduction(reports: Sequence[Report]) -> str:
    words = "; ".join(f"`{word}`: {text}" for word, text in FAILURES.items())
    return (
        f"Python {python_version()}, numpy {version_of('numpy')}. Vectors: {reports[0].vectors}. "
        "Errors are in eps of the dtype times the unit of the vector, which holds the size of the "
        "answer and its condition number: 1e4 is a loss of four digits, 4e15 leaves none. The "
        "bounds were set before any library was run and are sixteen times what geomlin allows "
        "itself. Nothing is special-cased: each adapter in `geomlin/conformance/backends/` calls "
        f"the library's own functions, and what it lacks is `NOT_RUN`. {words}."
    )


def _overview(reports: Sequence[Report]) -> str:
    head = ["library", PASS, *FAILURES, NOT_RUN]
    rows = [
        [
            f"{report.backend} {report.version}",
            *(str(report.counts().get(word, 0)) for word in (PASS, *FAILURES, NOT_RUN)),
        ]
        for report in reports
    ]
    return markdown_table(head, rows)


def _section(report: Report) -> str:
    """One library: the operations it has, the flags that fail, the worst failures."""
    head, rows = operations_table(report)
    ran = [row for row in rows if row[1] != "0" or row[2] != "0"]
    flag_head, flag_rows = flags_table(report)
    short = [row[:-1] for row in flag_rows]
    parts = [f"### {report.backend} {report.version}", markdown_table(head, ran)]
    if short:
        parts += [markdown_table(flag_head[:-1], short)]
        parts += ["\n".join(f"- {line}" for line in failure_lines(report))]
    return "\n\n".join(parts)


def replaced(text: str, inner: str) -> str:
    """The page with new text between its marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LayoutError(f"expected the marks {BEGIN!r} and {END!r} in the page")
    return f"{before}{BEGIN}\n\n{inner}\n\n{END}{after}"


def from_json(text: str) -> Report:
    """A report that another environment wrote, for peers that need one of their own."""
    data = json.loads(text)
    outcomes = []
    for item in data["outcomes"]:
        item["signature"] = tuple(item["signature"])
        item["flags"] = tuple(item["flags"])
        item["error"], item["bound"] = float(item["error"]), float(item["bound"])
        outcomes.append(Outcome(**item))
    return Report(
        data["backend"], data["version"], tuple(outcomes), data["seconds"], data["vectors"]
    )


def main(arguments: Sequence[str]) -> int:
    """Run the peers and write the page."""
    parser = argparse.ArgumentParser(prog="python -m geomlin.conformance.page")
    parser.add_argument("page", type=Path)
    parser.add_argument("peers", nargs="*", help="names of peers, or JSON reports of theirs")
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args(arguments)
    try:
        text = chosen.page.read_text(encoding="utf-8")
    except OSError as error:
        raise LayoutError(f"expected a page to write into, got {chosen.page}: {error}") from error
    replaced(text, "")  # before any peer runs, which takes minutes
    reports, missing = [], {}
    for name in chosen.peers or PEERS:
        try:
            if name.endswith(".json"):
                reports.append(from_json(Path(name).read_text(encoding="utf-8")))
            else:
                reports.append(run(name, seconds=chosen.seconds))
        except BackendMissing as error:
            missing[name] = str(error).split(":")[0]
    chosen.page.write_text(replaced(text, page(reports, missing)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
