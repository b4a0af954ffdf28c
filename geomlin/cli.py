"""The command line: `geomlin verify`, `geomlin bench`; also `python -m geomlin`."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from . import __version__
from .errors import GeomlinError, LayoutError

app = typer.Typer(
    help="Clifford algebra that checks itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"geomlin {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Clifford algebra that checks itself."""


def _signature(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(x) for x in text.split(","))
        if not 1 <= len(found) <= 3:
            raise ValueError
    except ValueError:
        raise LayoutError(f"expected a signature p,q,r such as 3,0,1, got {text!r}") from None
    return found + (0,) * (3 - len(found))


@app.command()
def verify(
    engine: Annotated[
        list[str] | None, typer.Option(help="Engine to run; repeat for several. Default: all.")
    ] = None,
    signature: Annotated[
        list[str] | None, typer.Option(help="Signature p,q,r; repeat for several.")
    ] = None,
    identity: Annotated[
        list[str] | None, typer.Option(help="Identity to check; repeat for several.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random arguments.")] = 0,
    cases: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="JSON file of cases.")
    ] = None,
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="Print errors against the certified reference.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="With --accuracy: every signature with n <= 8, 10, 12.")
    ] = False,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the report here.")] = None,
    html_path: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
    processes: Annotated[
        int, typer.Option(min=1, help="Worker processes.", show_default="cores, at most 4")
    ] = min(4, os.cpu_count() or 1),
) -> None:
    """Check every identity on every engine; exit 0 if nothing is refuted, 1 if something is."""
    from .verification.run import verify as run

    signatures = [_signature(s) for s in signature] if signature else None
    if accuracy:
        raise typer.Exit(_accuracy(signatures, seed, full=full))
    console = Console()
    with _progress() as progress:
        task = progress.add_task("verify", total=None)

        def advance(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        report = run(
            engines=engine,
            signatures=signatures,
            identities=identity,
            seed=seed,
            cases=cases,
            processes=processes,
            progress=advance,
        )
    _write(json_path, lambda: json.dumps(report.as_dict(), indent=1, default=str))
    if html_path is not None:
        from .verification.html import html_report

        _write(html_path, lambda: html_report(report))
    from .verification.render import print_report

    print_report(report, console)
    raise typer.Exit(report.exit_status)


def _progress() -> Progress:
    """A live bar on a terminal's error stream, nothing elsewhere."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _write(path: Path | None, text: Any) -> None:
    if path is None:
        return
    try:
        path.write_text(text(), encoding="utf-8")
    except OSError as error:
        raise LayoutError(f"cannot write {path}: {error.strerror}") from error


def _accuracy(signatures: list[tuple[int, ...]] | None, seed: int, *, full: bool) -> int:
    """Print the accuracy table; 1 if a budget is missed."""
    import numpy as np

    from .signature import signature
    from .verification.accuracy import FULL, QUICK, accuracy_table, render, worst_by_dimension

    chosen = [signature(*s) for s in signatures] if signatures else FULL if full else QUICK
    rows = accuracy_table(chosen, rng=np.random.default_rng(seed))
    typer.echo(render(worst_by_dimension(rows) if full else rows))
    return 0 if all(row.passed for row in rows) else 1


@app.command()
def bench(
    what: Annotated[str, typer.Argument(help="numerics: exp against scipy and clifford.")],
) -> None:
    """Measure speed as ratios against other libraries, side by side in one run."""
    if what != "numerics":
        raise LayoutError(f"expected 'numerics', got {what!r}")
    from .bench.numerics import run, table

    typer.echo(table(run()))


def main() -> None:
    """Entry point: usage and library errors exit with 2 and one clear message."""
    try:
        app()
    except GeomlinError as error:
        typer.echo(f"geomlin: {type(error).__name__}: {error}", err=True)
        sys.exit(2)
    except Exception:
        traceback.print_exc()
        typer.echo("geomlin: internal error: please report the lines above", err=True)
        sys.exit(2)  # 1 is for a refuted claim only


if __name__ == "__main__":
    main()
