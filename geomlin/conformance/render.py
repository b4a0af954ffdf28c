"""A report as Markdown and as HTML, from one list of sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from .flags import FLAGS
from .words import FAILURES, NOT_RUN

if TYPE_CHECKING:
    from .report import Report

Table = tuple[list[str], list[list[str]]]
SHOWN = 20

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}
body{color:#1b1f24}
table{border-collapse:collapse;font-size:13.5px;margin:.5rem 0 1.5rem}
th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid #e5e8eb;vertical-align:top}
h1{font-size:1.5rem} h2{font-size:1.15rem;margin-top:2rem}
"""


def operations_table(report: Report) -> Table:
    """What passes and what fails, with the worst errors."""
    head = ["operation", "pass", "fail", "not run", "worst that passes", "worst", "bound"]
    rows = [
        [
            row.operation,
            str(row.passed),
            str(row.failed),
            str(row.not_run),
            f"{row.worst_passing:.3g}" if row.passed else "",
            f"{row.worst:.3g}" if row.passed + row.failed else "",
            f"{row.bound:g}",
        ]
        for row in report.rows()
    ]
    return head, rows


def flags_table(report: Report) -> Table:
    """Flags that fail, with the reason each exists."""
    found, known = report.flags(), report.mistakes()
    rows = [
        [
            flag,
            f"{found[flag][0]} of {found[flag][1]}",
            str(known.get(flag, "")),
            f"{report.worst_of(flag):.1e}" if report.worst_of(flag) else "",
            FLAGS[flag].reason,
        ]
        for flag in report.failing_flags()
    ]
    return ["flag", "failed", "recognised", "worst", "why it exists"], rows


def failure_lines(report: Report) -> list[str]:
    """The worst failure of each operation and status, and how many more there are."""
    groups: dict[tuple[str, str], list[str]] = {}
    worst: dict[tuple[str, str], float] = {}
    for outcome in report.failures:
        key = outcome.operation, outcome.status
        lines = groups.setdefault(key, [])
        if outcome.error > worst.get(key, -1.0):
            worst[key] = outcome.error
            lines.insert(0, str(outcome))
        else:
            lines.append(str(outcome))
    return [
        lines[0] + (f"; and {len(lines) - 1} more" if len(lines) > 1 else "")
        for lines in groups.values()
    ][:SHOWN]


def not_run_lines(report: Report) -> list[str]:
    """Why something did not run, counted."""
    reasons = Counter(f"{o.operation}: {o.detail}" for o in report.outcomes if o.status == NOT_RUN)
    return [f"{count} x {reason}" for reason, count in reasons.most_common(SHOWN)]


def _sections(report: Report) -> list[tuple[str, Table | list[str]]]:
    statuses = [f"{status}: {text}" for status, text in FAILURES.items() if status in _seen(report)]
    return [
        ("Operations", operations_table(report)),
        ("Flags that fail", flags_table(report)),
        ("Failures, the worst of each kind", failure_lines(report)),
        ("What the words mean", statuses),
        ("Not run", not_run_lines(report)),
    ]


def _seen(report: Report) -> set[str]:
    return {outcome.status for outcome in report.failures}


def _about(report: Report) -> str:
    return (
        f"Vectors: {report.vectors}. Errors are in eps of the dtype times the unit of the vector, "
        "which holds the size of the answer and its condition number."
    )


def markdown(report: Report) -> str:
    """Markdown."""
    name = f"{report.backend} {report.version}".strip()
    parts = [f"# Conformance of {name}", report.summary_line(), _about(report)]
    for title, content in _sections(report):
        if isinstance(content, tuple) and content[1]:
            parts += [f"## {title}", markdown_table(*content)]
        elif isinstance(content, list) and content:
            parts += [f"## {title}", "\n".join(f"- {line}" for line in content)]
    return "\n\n".join(parts) + "\n"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)


def html(report: Report) -> str:
    """One page."""
    title = escape(f"Conformance of {report.backend} {report.version}".strip())
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width,initial-scale=1'>",
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
        f"<p><strong>{escape(report.summary_line())}</strong></p><p>{escape(_about(report))}</p>",
    ]
    for heading, content in _sections(report):
        if isinstance(content, tuple) and content[1]:
            parts += [f"<h2>{heading}</h2>", _html_table(*content)]
        elif isinstance(content, list) and content:
            items = "".join(f"<li>{escape(line)}</li>" for line in content)
            parts += [f"<h2>{heading}</h2>", f"<ul>{items}</ul>"]
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
