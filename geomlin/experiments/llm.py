"""Replacing q, k and v of attention layers of a language model, and what that costs.

For each method and seed the layers are replaced one after the other, the earlier replacements
active while the next is recorded; after each, the loss is measured on held-out documents before and
after the output projection is refitted.  Everything goes through the folder of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .llm_evaluate import evaluate
from .llm_fit import Fit, Rows, fit, refit_output
from .llm_layer import before_output, install, originals, projection_rows
from .llm_methods import METHODS, learned
from .llm_model import DEFAULT, PROJECTIONS, Model, attention, check_layers, load_model
from .llm_record import record, rows
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
    seeds: tuple[int, ...] = (0,)
    epochs: float = 1.0
    length: int = 512
    scored: int = 256
    train_windows: int = 64
    validation_windows: int = 8
    test_windows: int = 12


@dataclass(frozen=True)
class Data:
    """Windows of tokens of the three splits."""

    train: Tensor
    validation: Tensor
    test: Tensor


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
    data = prepare(model, settings)
    evaluate(run, "original", model.network, data.test, settings.scored, progress)
    for method in settings.methods:
        for seed in settings.seeds if METHODS[method].build is not None else settings.seeds[:1]:
            with originals(model.network, settings.layers):
                _replace_all(run, model.network, data, settings, method, seed, progress)
    return run.results()


def _replace_all(
    run: RunFolder,
    network: Any,
    data: Data,
    settings: Settings,
    method: str,
    seed: int,
    progress: Progress | None,
) -> None:
    """One method with one seed: layer after layer."""
    numbers = 0
    for count, layer in enumerate(settings.layers, start=1):
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
        _refit(run, key, network, layer, inputs, wanted)
        evaluate(run, f"{key}-refit", network, data.test, settings.scored, progress)
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


def _refit(run: RunFolder, key: str, network: Any, layer: int, inputs: Any, wanted: Tensor) -> None:
    """The output projection that makes the most of the replacements."""
    output: nn.Linear = attention(network, layer).o_proj
    weight = run.load(f"output-{key}")
    if weight is None:
        bias = 0.0 if output.bias is None else output.bias
        found = before_output(network, layer, inputs)
        weight = refit_output(output.weight.detach(), found, wanted - bias)
        run.save(f"output-{key}", weight)
    output.weight.data.copy_(weight)


def losses(output: Path, keys: Sequence[str]) -> dict[str, Tensor]:
    """Token losses that a run has kept."""
    return {
        key: torch.load(output / f"losses-{key}.pt", weights_only=True)
        for key in keys
        if (output / f"losses-{key}.pt").exists()
    }
