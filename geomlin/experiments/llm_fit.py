"""Learning a replacement from recorded rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .llm_methods import KNOWN, factor, start
from .run_folder import Progress, RunFolder

BATCH = 256
CHECKPOINT_EVERY = 32  # steps
RATES = (1 / 3, 1.0, 3.0)  # times the published rate: the same tuning budget for every method
TRIAL = 0.25  # of an epoch, for each rate


class Rows(NamedTuple):
    """Inputs of a projection and what it makes of them."""

    x: Tensor
    y: Tensor


class Fit(NamedTuple):
    """A replacement that has learned, the rate it learned with, and its errors."""

    module: nn.Module
    rate: float
    mse: float  # on validation rows
    fvu: float  # mse over the variance of the outputs: 1 is as good as their mean


def apply(module: nn.Module, x: Tensor) -> Tensor:
    """Outputs of many rows, without gradients."""
    with torch.no_grad():
        return torch.cat([module(part) for part in torch.split(x, 4096)])


def errors(module: nn.Module, held: Rows) -> tuple[float, float]:
    """Mean square error on held-out rows, raw and over the variance of the outputs."""
    mse = F.mse_loss(apply(module, held.x), held.y).item()
    variance = held.y.var(dim=0, unbiased=False).mean().item()
    return mse, mse / variance if variance else float("inf")


def learn(
    run: RunFolder | None,
    key: str,
    module: nn.Module,
    train: Rows,
    *,
    rate: float,
    recipe: str,
    epochs: float,
    seed: int,
    kind: type[torch.optim.Adam] = torch.optim.Adam,
    progress: Progress | None = None,
) -> None:
    """Adam on the mean square error of batches of rows."""

    def loss(chosen: Tensor) -> Tensor:
        return F.mse_loss(module(train.x[chosen]), train.y[chosen])

    descend(
        run, key, module, loss, count=len(train.x), batch=BATCH,
        steps=max(1, round(epochs * max(1, len(train.x) // BATCH))), rate=rate, recipe=recipe,
        seed=seed, kind=kind, progress=progress,
    )  # fmt: skip


def descend(
    run: RunFolder | None,
    key: str,
    module: nn.Module,
    loss: Callable[[Tensor], Tensor],
    *,
    count: int,
    batch: int,
    steps: int,
    rate: float,
    recipe: str,
    seed: int,
    kind: type[torch.optim.Adam] = torch.optim.Adam,
    progress: Progress | None = None,
) -> None:
    """Adam on the loss of `batch` of `count` samples; goes on after the last checkpoint of `run`.

    The samples come in an order drawn anew for every epoch.
    """
    per_epoch = max(1, count // batch)
    optimiser = kind(module.parameters(), lr=rate)
    state = run.load(key) if run is not None else None
    first = 0
    if state is not None:
        module.load_state_dict(state["module"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    order, shuffled = torch.empty(0), -1
    for step in range(first, steps):
        epoch, place = divmod(step, per_epoch)
        if epoch != shuffled:
            generator = torch.Generator().manual_seed(1_000_003 * seed + epoch)
            order, shuffled = torch.randperm(count, generator=generator), epoch
        for group in optimiser.param_groups:
            group["lr"] = rate * factor(recipe, step, steps)
        value = loss(order[place * batch : (place + 1) * batch])
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        if run is not None and (step + 1) % CHECKPOINT_EVERY == 0:
            run.save(key, _state(module, optimiser, step + 1))
            if progress is not None:
                progress(key, step + 1, steps)
    if run is not None and first < steps:
        run.save(key, _state(module, optimiser, steps))


def _state(module: nn.Module, optimiser: torch.optim.Optimizer, step: int) -> dict[str, Any]:
    return {"module": module.state_dict(), "optimiser": optimiser.state_dict(), "step": step}


def fit(
    run: RunFolder,
    key: str,
    method: str,
    recipe: str,
    train: Rows,
    held: Rows,
    *,
    epochs: float,
    seed: int,
    progress: Progress | None = None,
) -> Fit:
    """Choose the rate on the validation rows (recipe "tuned"), then learn with it."""
    module = start(method, recipe, train.x, train.y, seed)
    rate = KNOWN[method].learning_rate
    if any(p.requires_grad for p in module.parameters()):
        if recipe == "tuned":
            rate *= _best_rate(run, key, method, train, held, epochs=epochs, seed=seed)
        learn(
            run, key, module, train, rate=rate, recipe=recipe, epochs=epochs, seed=seed,
            progress=progress,
        )  # fmt: skip
    return Fit(module, rate, *errors(module, held))


def _best_rate(
    run: RunFolder, key: str, method: str, train: Rows, held: Rows, *, epochs: float, seed: int
) -> float:
    """The factor of RATES with the smallest validation error after a short trial."""
    known = run.results().get(f"{key}-rate")
    if known is not None:
        return float(known["factor"])
    found = {}
    for times in RATES:
        module = start(method, "tuned", train.x, train.y, seed)
        rate = times * KNOWN[method].learning_rate
        trial = TRIAL * min(1.0, epochs)
        learn(None, key, module, train, rate=rate, recipe="tuned", epochs=trial, seed=seed)
        found[times] = errors(module, held)[0]
    best = min(found, key=lambda times: (found[times], times))
    run.record(f"{key}-rate", {"factor": best, "mse": {f"{t:.3g}": e for t, e in found.items()}})
    return best
