"""The command line: `geomlin verify`, `prove`, `bench`; also `python -m geomlin`."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from . import __version__
from .errors import GeomlinError, LayoutError
from .experiments.command import app as experiments
from .progress import live_progress

app = typer.Typer(
    help="Clifford algebra that checks itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(experiments, name="experiment")


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
    with live_progress() as live:
        report = run(
            engines=engine,
            signatures=signatures,
            identities=identity,
            seed=seed,
            cases=cases,
            processes=processes,
            progress=live.advance,
        )
    _write(json_path, lambda: json.dumps(report.as_dict(), indent=1, default=str))
    if html_path is not None:
        from .verification.html import html_report

        _write(html_path, lambda: html_report(report))
    from .verification.render import print_report

    print_report(report, console)
    raise typer.Exit(report.exit_status)


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
def prove(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Theorem, registered identity or Python file; default: all theorems."),
    ] = None,
    slow: Annotated[
        bool, typer.Option("--slow", help="Also what is flagged as slow: more dimensions.")
    ] = False,
    identities: Annotated[
        bool, typer.Option("--identities", help="Every identity of the registry.")
    ] = False,
    index: Annotated[
        bool, typer.Option("--index", help="Write proofs/README.md when all theorems hold.")
    ] = False,
) -> None:
    """Prove theorems and identities; exit 0 if nothing is refuted, 1 if something is."""
    from .proving.command import run_prove

    with live_progress() as live:
        status = run_prove(
            target or [],
            slow=slow,
            identities=identities,
            index=index,
            write=live.write,
            progress=live.advance,
        )
    raise typer.Exit(status)


@app.command()
def bench(
    what: Annotated[
        str,
        typer.Argument(
            help="numerics: exp, the cover, products; layer: rotor layers; import: time of import."
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="layer: 1 and 256 samples only.")] = False,
    slow: Annotated[
        bool, typer.Option("--slow", help="layer: also the published route, torch.compile.")
    ] = False,
    chart: Annotated[Path | None, typer.Option(help="layer: draw the chart here.")] = None,
) -> None:
    """Measure speed as ratios against other libraries, side by side in one run."""
    if what == "numerics":
        from .bench.numerics import run, table

        typer.echo(table(run()))
    elif what == "layer":
        from .bench import layer, layer_report

        typer.echo(layer.describe() + "\n")
        rows = layer.run(quick=quick, slow=slow)
        typer.echo(layer_report.summary(rows) + "\n\n" + layer_report.table(rows))
        if chart is not None:
            layer_report.chart(rows, chart)
    elif what == "import":
        from .bench import import_time

        typer.echo(import_time.table(import_time.run()))
    else:
        raise LayoutError(f"expected 'numerics', 'layer' or 'import', got {what!r}")


@app.command()
def explore(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 2718,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Serve a page on this machine to turn bivectors into rotors; stop it with Ctrl-C."""
    from .explore import command
    from .explore import explore as serve

    command(port=port)  # names what is not installed before it names an address
    typer.echo(f"geomlin explorer: http://127.0.0.1:{port}")
    raise typer.Exit(serve(port=port, browser=browser))


@app.command()
def conformance(
    backend: Annotated[
        str | None,
        typer.Option(help="numpy, torch, torch-compiled, jax, jax-jit, or package:factory."),
    ] = None,
    peer: Annotated[str | None, typer.Option(help="A library: clifford, kingdon, ..")] = None,
    vectors: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Folder of other vectors.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time that a call may take.")] = 20.0,
    json_path: Annotated[Path | None, typer.Option("--json", help="Write the report here.")] = None,
    html_path: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
) -> None:
    """Run the conformance vectors on a backend; exit 0 if nothing fails, 1 if something does."""
    from .conformance.command import conformance as run

    with live_progress() as live:
        report = run(backend, peer, vectors=vectors, seconds=seconds, progress=live.advance)
    _write(json_path, report.json)
    _write(html_path, report.html)
    typer.echo(report.markdown())
    typer.echo(report.summary_line())
    raise typer.Exit(report.exit_status)


vectors_app = typer.Typer(help="The conformance vectors.", no_args_is_help=True)
app.add_typer(vectors_app, name="vectors")


@vectors_app.callback()
def _vectors() -> None:
    """The conformance vectors."""


@vectors_app.command()
def export(
    output: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for the JSON files.")
    ] = Path("geomlin-vectors"),
) -> None:
    """Compute all conformance vectors afresh and write them as JSON."""
    from .conformance.command import export as run

    typer.echo(run(output))


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
