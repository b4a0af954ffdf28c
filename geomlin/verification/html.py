"""A report as one HTML file that needs nothing else: verdict matrix and error heat map."""

from __future__ import annotations

from html import escape
from math import log10

from ..signature import Signature
from .render import details, entry, rows
from .report import Cell, Report

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:110rem;padding:0 1rem}
body{color:#1b1f24}
h1{font-size:1.5rem} h2{font-size:1.15rem;margin-top:2rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:12.5px}
th,td{padding:.2rem .5rem;text-align:left;white-space:nowrap;border-bottom:1px solid #e5e8eb}
th{position:sticky;top:0;background:#fff}
td.eq{font-family:ui-monospace,monospace;white-space:normal;min-width:17rem}
.ok{background:#e6f4ea}.refuted{background:#f8d0cd;font-weight:600}.notrun{background:#fdf3d0}
.heat td{text-align:right;min-width:3.2rem} pre{white-space:pre-wrap;font-size:12.5px}
.note{color:#57606a}
"""


def html_report(report: Report) -> str:
    """The whole page."""
    title = "geomlin verification report"
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width,initial-scale=1'>",
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{title}</h1><p><strong>{escape(report.summary_line())}</strong></p>",
        "<h2>Verdicts</h2>",
        _verdicts(report),
        "<h2>Rounding errors of the numpy engine</h2>",
        "<p class='note'>Worst error as a share of the bound that the identity states beforehand; "
        "darker is nearer to the bound.</p>",
        _heat_map(report),
        "<h2>Details</h2><pre>" + escape("\n".join(details(report))) + "</pre>",
        "</body></html>",
    ]
    return "\n".join(parts)


def _verdicts(report: Report) -> str:
    engines = report.engines()
    head = "".join(f"<th>{escape(e)}</th>" for e in engines)
    body = []
    for group, name, by_engine in rows(report):
        cells = [c for found in by_engine.values() for c in found]
        entries = "".join(_entry(by_engine.get(engine, [])) for engine in engines)
        body.append(
            f"<tr><td>{escape(group)}</td><td>{escape(name)}</td>"
            f"<td class='eq'>{escape(cells[0].equation)}</td>{entries}</tr>"
        )
    return (
        "<div class='scroll'><table><tr><th>group</th><th>name</th><th>statement</th>"
        f"{head}</tr>{''.join(body)}</table></div>"
    )


def _entry(cells: list[Cell]) -> str:
    text, verdict = entry(cells)
    if verdict is None:
        return "<td></td>"
    kind = "refuted" if verdict.refuted else "ok" if verdict.holds else "notrun"
    title = escape("; ".join(f"Cl{c.signature}: {c.verdict}" for c in cells)[:2000], quote=True)
    return f"<td class='{kind}' title=\"{title}\">{escape(text)}</td>"


def _heat_map(report: Report) -> str:
    cells = [c for c in report.claims if c.engine == "numpy"]
    spaces = list(dict.fromkeys(c.signature for c in cells))
    table: dict[str, dict[tuple[int, ...], Cell]] = {}
    for cell in cells:
        table.setdefault(cell.name, {})[cell.signature] = cell
    head = "".join(f"<th>{Signature(*s)}</th>" for s in spaces)
    body = "".join(
        f"<tr><td style='text-align:left'>{escape(name)}</td>"
        + "".join(_heat(found.get(s)) for s in spaces)
        + "</tr>"
        for name, found in table.items()
    )
    table_head = f"<tr><th>identity</th>{head}</tr>"
    return f"<div class='scroll'><table class='heat'>{table_head}{body}</table></div>"


def _heat(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    v = cell.verdict
    if v.error is None or not v.bound:
        return f"<td class='{'refuted' if v.refuted else 'notrun'}'>{v.word.value}</td>"
    share = v.error / v.bound
    depth = 0.0 if share <= 0 else max(0.0, min(1.0, 1 + log10(share) / 6))
    colour = f"hsl({210 - 190 * depth:.0f} 75% {96 - 34 * depth:.0f}%)"
    title = escape(str(v), quote=True)
    return f"<td style='background:{colour}' title=\"{title}\">{share:.0e}</td>"
