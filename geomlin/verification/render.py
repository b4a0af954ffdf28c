"""A report as text for terminals and files."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..verdict import Verdict
from ..witnesses.records import summarised
from .report import Cell, Report, worst

_COLOURS = {"REFUTED": "bold red", "NOT_RUN": "yellow", "AGREES": "green"}
_SHORT = {"POLYNOMIAL": "POLY", "MULTILINEAR": "MULTI", "NOT_RUN": "NOT_RUN"}


def rows(report: Report) -> Iterator[tuple[str, str, dict[str, list[Cell]]]]:
    """(group, name, cells by engine) of every claim, in the order in which names appear."""
    names: dict[str, list[Cell]] = {}
    for cell in report.claims:
        names.setdefault(cell.name, []).append(cell)
    for name, cells in sorted(names.items(), key=lambda item: item[1][0].group):
        by_engine: dict[str, list[Cell]] = {}
        for cell in cells:
            by_engine.setdefault(cell.engine, []).append(cell)
        yield cells[0].group, name, by_engine


def entry(cells: list[Cell]) -> tuple[str, Verdict | None]:
    """Weakest word over the signatures, how many ran, and the worst error over its bound."""
    ran = [cell for cell in cells if cell.verdict.word != "NOT_RUN"]
    verdict = worst(cell.verdict for cell in (ran or cells))
    if verdict is None:
        return "", None
    text = str(_SHORT.get(verdict.word.value, verdict.word.value))
    if verdict.error and verdict.bound:
        relative = max((c.verdict.error or 0) / (c.verdict.bound or 1) for c in ran)
        text += f" {max(c.verdict.error or 0 for c in ran):.1g}eps {100 * relative:.0f}%"
    return f"{text} {len(ran)}/{len(cells)}", verdict


def _matrix(report: Report) -> tuple[list[str], list[tuple[list[str], list[Verdict | None]]]]:
    engines = report.engines()
    header = ["identity", *engines, "ms"]
    lines = []
    for _, name, by_engine in rows(report):
        shown, verdicts = [name], []
        for engine in engines:
            text, verdict = entry(by_engine.get(engine, []))
            shown.append(text)
            verdicts.append(verdict)
        milliseconds = 1000 * sum(c.seconds for cells in by_engine.values() for c in cells)
        lines.append(([*shown, f"{milliseconds:.0f}"], verdicts))
    return header, lines


def print_report(report: Report, console: Console) -> None:
    """The matrix, what failed, disagreements, a line for each engine, and the summary line."""
    header, lines = _matrix(report)
    if console.is_terminal:
        table = Table(*header, box=None, header_style="bold", pad_edge=False)
        for shown, verdicts in lines:
            middle = [
                Text(text, style=_COLOURS.get(v.word.value, "green") if v else "")
                for text, v in zip(shown[1:-1], verdicts, strict=True)
            ]
            table.add_row(shown[0], *middle, shown[-1])
        console.print(table)
    else:
        for line in plain_table([header, *(shown for shown, _ in lines)]):
            _plain(console, line)
    for line in details(report):
        _plain(console, line)


def plain_table(table: list[list[str]]) -> Iterator[str]:
    """Columns padded to their widest entry."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        yield "  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip()


def details(report: Report) -> Iterator[str]:
    """Lines below the matrix; the last ones count."""
    yield ""
    yield (
        "Each entry: weakest strength word over the signatures, worst error in eps and its share "
        "of the bound, signatures that ran."
    )
    for cell in report.failures:
        what = "FALSE TWIN NOT REFUTED" if cell.twin else "REFUTED"
        yield f"{what} {cell.name} in Cl{cell.signature} on {cell.engine}: {cell.equation}"
        yield f"    {cell.verdict}"
    for reason, count in _reasons(report).items():
        yield f"NOT_RUN {count} x {reason}"
    for line in summarised(report.accuracies):
        yield f"WITNESS {line}"
    for disagreement in report.worst_disagreements():
        yield f"DISAGREEMENT {disagreement}"
    for engine in report.engines():
        yield report.engine_line(engine)
    yield report.summary_line()


def _reasons(report: Report) -> dict[str, int]:
    """How often each reason for not running was given."""
    counts: dict[str, int] = {}
    for cell in report.claims:
        if cell.verdict.word == "NOT_RUN":
            key = f"{cell.engine}: {cell.verdict.reason.split(': ')[0]}"
            counts[key] = counts.get(key, 0) + 1
    return counts


def _plain(console: Console, line: str) -> None:
    """Never wrapped, never cut, never read as markup."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)
