"""Replacing q, k and v of attention layers of a language model, and what that costs.

For each method and seed the layers are replaced one after the other, the earlier replacements
active while the next is recorded; after each, the loss is measured on held-out documents before
and after the output projection is fitted again, and questions are asked if there are any.
Everything goes through the folder of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .llm_choices import Question, answer
from .llm_evaluate import evaluate
from .llm_fit import Fit, Rows, fit
from .llm_layer import before_output, install, originals, projection_rows
from .llm_methods import KNOWN, METHODS, learned
from .llm_model import DEFAULT, PROJECTIONS, Model, attention, check_layers, load_model
from .llm_output import OUTPUTS
from .llm_record import Entering, enter, leave, record, rows
from .llm_texts import documents, split, windows
from .run_folder import Progress, RunFolder


@dataclass(frozen=True)
class Settings:
    """Everything that the numbers depend on."""

    model: str = DEFAULT
    text: str = "wiki"
    files: tuple[str, ...] = ()
    layers: tuple[int, ...] = (20,)
    methods: tuple[str, ...] = tuple(METHODS)
    recipe: str = "tuned"
    output: str = "least-squares"
    seeds: tuple[int, ...] = (0,)
    epochs: float = 1.0
    length: int = 512
    scored: int = 256
    train_windows: int = 64
    validation_windows: int = 8
    test_windows: int = 12
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True)
class Data:
    """Windows of tokens of the three splits."""

    train: Tensor
    validation: Tensor
    test: Tensor


@dataclass(frozen=True)
class States:
    """The three splits as hidden states on entering the first layer that changes."""

    train: Entering
    validation: Entering
    test: Entering


def prepare(model: Model, settings: Settings) -> Data:
    """Windows from documents: disjoint ones to learn from, overlapping ones to score."""
    texts = documents(settings.text, [Path(name) for name in settings.files])
    tokens = split(texts, model.tokenizer)
    length = settings.length
    return Data(
        windows(tokens.train, settings.train_windows, length=length, stride=length,
                purpose="training"),
        windows(tokens.validation, settings.validation_windows, length=length, stride=length,
                purpose="validation"),
        windows(tokens.test, settings.test_windows, length=length, stride=settings.scored,
                purpose="scoring"),
    )  # fmt: skip


def states(
    run: RunFolder, network: Any, data: Data, layer: int, progress: Progress | None = None
) -> States:
    """What the three splits are on entering a layer."""
    return States(
        enter(run, "train-entering", network, layer, data.train, progress),
        enter(run, "validation-entering", network, layer, data.validation, progress),
        enter(run, "test-entering", network, layer, data.test, progress),
    )


def run_llm(
    output: Path,
    settings: Settings,
    *,
    model: Model | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All methods and seeds; results that are in `output` already are not computed again."""
    run = RunFolder(output, {"experiment": "llm", **asdict(settings)})
    model = load_model(settings.model) if model is None else model
    check_layers(model.network, settings.layers)
    data = states(run, model.network, prepare(model, settings), min(settings.layers), progress)
    evaluate(run, "original", model.network, data.test, settings.scored, progress)
    answer(run, "original", model, settings.questions, progress)
    for method in settings.methods:
        for seed in settings.seeds if KNOWN[method].build is not None else settings.seeds[:1]:
            with originals(model.network, settings.layers):
                _replace_all(run, model, data, settings, method, seed, progress)
    return run.results()


def _replace_all(
    run: RunFolder,
    model: Model,
    data: States,
    settings: Settings,
    method: str,
    seed: int,
    progress: Progress | None,
) -> None:
    """One method with one seed: layer after layer."""
    numbers, network = 0, model.network
    for count, layer in enumerate(settings.layers, start=1):
        lowest = min(settings.layers[count - 1 :])  # what lies below it changes no more
        if lowest > data.test.layer:
            data = _advance(run, f"{method}-{seed}", network, lowest, data, progress)
        key = f"{method}-{seed}-{count}"
        before = "original" if count == 1 else f"{method}-{seed}"  # what is active below
        inputs = record(run, f"train-{before}-{layer}", network, layer, data.train, progress)
        held = record(run, f"validation-{before}-{layer}", network, layer, data.validation)
        target = before_output(network, layer, inputs)
        output = attention(network, layer).o_proj
        with torch.no_grad():
            wanted = torch.cat([output(part) for part in torch.split(target, 4096)])
        fits = _fit_layer(
            run, key, network, layer, rows(inputs), rows(held), settings, method, seed, progress
        )
        install(network, layer, {name: found.module for name, found in fits.items()})
        numbers += sum(learned(found.module) for found in fits.values())
        evaluate(run, f"{key}-kept", network, data.test, settings.scored, progress)
        output.weight.data.copy_(
            OUTPUTS[settings.output](
                run, f"output-{key}", output.weight.detach(),
                before_output(network, layer, inputs),
                wanted if output.bias is None else wanted - output.bias, seed, progress,
            )
        )  # fmt: skip
        evaluate(run, f"{key}-refit", network, data.test, settings.scored, progress)
        answer(run, key, model, settings.questions, progress)
        run.record(
            key,
            {
                "method": method, "seed": seed, "layers": list(settings.layers[:count]),
                "parameters": numbers,
                "mse": {name: found.mse for name, found in fits.items()},
                "fvu": {name: found.fvu for name, found in fits.items()},
                "rate": {name: found.rate for name, found in fits.items()},
            },
        )  # fmt: skip


def _advance(
    run: RunFolder, name: str, network: Any, layer: int, data: States, progress: Progress | None
) -> States:
    """The three splits on entering a later layer."""
    return States(
        *(
            leave(run, f"{split}-{name}-entering-{layer}", network, layer, entering, progress)
            for split, entering in (
                ("train", data.train), ("validation", data.validation), ("test", data.test)
            )
        )
    )  # fmt: skip


def _fit_layer(
    run: RunFolder,
    key: str,
    network: Any,
    layer: int,
    x: Tensor,
    held: Tensor,
    settings: Settings,
    method: str,
    seed: int,
    progress: Progress | None,
) -> dict[str, Fit]:
    """A replacement for each of q, k and v."""
    found = {}
    for name in PROJECTIONS:
        train: Rows = projection_rows(network, layer, name, x)
        validation = projection_rows(network, layer, name, held)
        found[name] = fit(
            run, f"fit-{key}-{name}", method, settings.recipe, train, validation,
            epochs=settings.epochs, seed=seed, progress=progress,
        )  # fmt: skip
    return found


def losses(output: Path, keys: Sequence[str]) -> dict[str, Tensor]:
    """Token losses that a run has kept."""
    return {
        key: torch.load(output / f"losses-{key}.pt", weights_only=True)
        for key in keys
        if (output / f"losses-{key}.pt").exists()
    }


def answers(output: Path, keys: Sequence[str]) -> dict[str, Tensor]:
    """Right and wrong answers that a run has kept."""
    return {
        key: torch.load(output / f"answers-{key}.pt", weights_only=True)
        for key in keys
        if (output / f"answers-{key}.pt").exists()
    }
