"""Learning a replacement from recorded rows, and the output projection that follows it."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .llm_methods import METHODS, factor, start
from .run_folder import Progress, RunFolder

BATCH = 256
CHECKPOINT_EVERY = 32  # steps
RATES = (1 / 3, 1.0, 3.0)  # times the published rate: the same tuning budget for every method
TRIAL = 0.25  # of an epoch, for each rate
RIDGE = 1e-2  # of the mean square of the inputs, towards the original output projection


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
    progress: Progress | None = None,
) -> None:
    """Adam on the mean square error; goes on after the last checkpoint of `run`."""
    per_epoch = max(1, len(train.x) // BATCH)
    steps = max(1, round(epochs * per_epoch))
    optimiser = torch.optim.Adam(module.parameters(), lr=rate)
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
            order, shuffled = torch.randperm(len(train.x), generator=generator), epoch
        for group in optimiser.param_groups:
            group["lr"] = rate * factor(recipe, step, steps)
        chosen = order[place * BATCH : (place + 1) * BATCH]
        loss = F.mse_loss(module(train.x[chosen]), train.y[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if run is not None and (step + 1) % CHECKPOINT_EVERY == 0:
            run.save(key, _state(module, optimiser, step + 1))
            if progress is not None:
                progress(key, step + 1, steps)
    if run is not None:
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
    rate = METHODS[method].learning_rate
    if METHODS[method].build is not None:
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
        rate = times * METHODS[method].learning_rate
        trial = TRIAL * min(1.0, epochs)
        learn(None, key, module, train, rate=rate, recipe="tuned", epochs=trial, seed=seed)
        found[times] = errors(module, held)[0]
    best = min(found, key=lambda times: (found[times], times))
    run.record(f"{key}-rate", {"factor": best, "mse": {f"{t:.3g}": e for t, e in found.items()}})
    return best


def refit_output(weight: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
    """The weight W of y = x W^T with the least |x W^T - y|^2 + ridge |W - weight|^2."""
    square = (inputs.T @ inputs).double()
    ridge = RIDGE * square.diagonal().mean()
    if ridge == 0.0:  # values of zero leave nothing to fit
        return weight
    identity = torch.eye(len(square), dtype=torch.float64)
    rest = (targets - inputs @ weight.T).double()
    change = torch.linalg.solve(square + ridge * identity, inputs.T.double() @ rest)
    found: Tensor = weight + change.T.to(weight.dtype)
    return found
