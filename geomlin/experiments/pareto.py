"""Several layers replaced and learned together: what each method gets from a number and a second.

Every configuration of the ladder gets the same processor time, tuning included: a share for the
fit of each projection alone, the rest for learning all of them together.  How many steps that buys
is measured once, written down, and not measured again when a run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .llm import Settings, States, prepare, states
from .llm_distill import RATES, TRIAL, Lesson, distill, held_out, hidden_error
from .llm_evaluate import evaluate
from .llm_fit import BATCH, fit
from .llm_fit import RATES as FIT_RATES
from .llm_fit import TRIAL as FIT_TRIAL
from .llm_layer import install, originals, projection_rows
from .llm_methods import KNOWN, LADDER, learned, start
from .llm_model import DEFAULT, PROJECTIONS, Model, check_layers, load_model
from .llm_record import leave, record, rows
from .run_folder import Progress, RunFolder

FIT_SHARE = 0.25  # of the time, for the projections alone
MOST_EPOCHS = 4.0  # of that fit; the time that is left over is not used
TRIVIAL = ("zero", "mean")


def pareto_settings(layers: tuple[int, ...], **changes: Any) -> Settings:
    """Settings of the language-model experiment with the methods of the ladder."""
    given: dict[str, Any] = {"model": DEFAULT, "methods": (*TRIVIAL, *LADDER), "layers": layers}
    return Settings(**(given | changes))


def run_pareto(
    output: Path,
    settings: Settings,
    *,
    seconds: float,
    model: Model | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All methods and seeds; results that are in `output` already are not computed again."""
    run = RunFolder(output, {"experiment": "pareto", "seconds": seconds, **asdict(settings)})
    model = load_model(settings.model) if model is None else model
    network = model.network
    check_layers(network, settings.layers)
    first, last = min(settings.layers), max(settings.layers) + 1
    data = states(run, network, prepare(model, settings), first, progress)
    train = Lesson(data.train, leave(run, "train-after", network, last, data.train, progress))
    held = Lesson(data.validation, leave(run, "validation-after", network, last, data.validation))
    inputs = {
        (split, layer): record(run, f"{split}-{layer}", network, layer, entering, progress)
        for split, entering in (("train", data.train), ("validation", data.validation))
        for layer in settings.layers
    }
    evaluate(run, "original", network, data.test, settings.scored, progress)
    for method in settings.methods:
        for seed in settings.seeds if KNOWN[method].build is not None else settings.seeds[:1]:
            if f"{method}-{seed}" in run.results():
                continue
            with originals(network, settings.layers):
                replacement = _Replacement(run, network, settings, method, seed, progress)
                replacement.fit_alone(inputs, seconds)
                replacement.learn_together(train, held, seconds)
                replacement.finish(data, held)
    return run.results()


class _Replacement:
    """One method with one seed, in all layers."""

    def __init__(
        self,
        run: RunFolder,
        network: Any,
        settings: Settings,
        method: str,
        seed: int,
        progress: Progress | None,
    ) -> None:
        self.run, self.network, self.settings = run, network, settings
        self.method, self.seed, self.progress = method, seed, progress
        self.key = f"{method}-{seed}"
        self.modules = nn.ModuleDict()
        self.trivial = KNOWN[method].build is None
        self.found: dict[str, Any] = {}

    def fit_alone(self, inputs: Any, seconds: float) -> None:
        """Each projection alone, on the rows that the original layers give it."""
        cost = 0.0 if self.trivial else self._cost("fit", lambda: self._one_fit(inputs))
        per_epoch = max(1, self.settings.train_windows * self.settings.length // BATCH)
        tried = 1.0 + len(FIT_RATES) * FIT_TRIAL
        epochs = min(MOST_EPOCHS, FIT_SHARE * seconds / tried / cost / per_epoch) if cost else 0.0
        for layer in self.settings.layers:
            x, held = (rows(inputs[split, layer]) for split in ("train", "validation"))
            for name in PROJECTIONS:
                found = fit(
                    self.run, f"fit-{self.key}-{layer}-{name}", self.method, "tuned",
                    projection_rows(self.network, layer, name, x),
                    projection_rows(self.network, layer, name, held),
                    epochs=epochs, seed=self.seed, progress=self.progress,
                )  # fmt: skip
                self.modules[f"{layer}-{name}"] = found.module
        for layer in self.settings.layers:
            names = {name: self.modules[f"{layer}-{name}"] for name in PROJECTIONS}
            install(self.network, layer, names)
        self.found["epochs"] = epochs

    def _one_fit(self, inputs: Any) -> Callable[[], object]:
        """A step of the fit of q, k and v of every layer, to be timed."""
        layer = self.settings.layers[0]
        x = rows(inputs["train", layer])[:BATCH]
        pairs = []
        for name in PROJECTIONS:
            train = projection_rows(self.network, layer, name, x)
            module = start(self.method, "tuned", train.x, train.y, self.seed)
            if any(p.requires_grad for p in module.parameters()):
                pairs.append((module, train))

        def step() -> None:
            for module, train in pairs * len(self.settings.layers):
                nn.functional.mse_loss(module(train.x), train.y).backward()

        return step

    def learn_together(self, train: Lesson, held: Lesson, seconds: float) -> None:
        """All of them together."""
        self.found["error fitted"] = held_out(self.network, held)
        if self.trivial:
            return
        for parameter in self.modules.parameters():
            parameter.requires_grad_(True)

        def step() -> None:
            hidden_error(self.network, train, torch.tensor([0])).backward()

        cost = self._cost("distill", lambda: step)
        tried = 1.0 + len(RATES) * TRIAL
        steps = max(1, round((1.0 - FIT_SHARE) * seconds / tried / cost))
        rate = distill(
            self.run, f"distill-{self.key}", self.network, self.modules, train, held,
            steps=steps, seed=self.seed, progress=self.progress,
        )  # fmt: skip
        self.found |= {"steps": steps, "seconds per step": cost, "rate": rate}

    def finish(self, data: States, held: Lesson) -> None:
        """Losses on the test windows, and everything that is known in the results."""
        evaluate(self.run, self.key, self.network, data.test, self.settings.scored, self.progress)
        self.run.record(
            self.key,
            {
                "method": self.method,
                "seed": self.seed,
                "parameters": sum(learned(module) for module in self.modules.values()),
                **self.found,
                "error": held_out(self.network, held),
            },
        )

    def _cost(self, what: str, prepared: Callable[[], Callable[[], object]]) -> float:
        """Processor seconds of a step, the median of five; kept, so that a rerun takes as many."""
        name = f"{self.key}-{what}-cost"
        known = self.run.results().get(name)
        if known is None:
            step = prepared()
            step()
            found = []
            for _ in range(5):
                begin = time.process_time()
                step()
                found.append(time.process_time() - begin)
            known = {"seconds": sorted(found)[2]}
            self.run.record(name, known)
        for parameter in self.modules.parameters():
            parameter.grad = None
        return float(known["seconds"])
