"""Learning all replacements together, from the hidden states that the original layers end with.

A projection that is fitted alone does not know what its errors do behind it; here the gradient
comes through attention, the other layers and the other replacements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .llm_fit import descend
from .llm_model import through
from .llm_record import WINDOWS_AT_ONCE, Entering
from .run_folder import Progress, RunFolder

RATES = (0.01, 0.03, 0.1)  # the same for every method
TRIAL = 0.125  # of the steps, for each rate


class Lesson(NamedTuple):
    """Hidden states before the replaced layers, and those that the originals make of them."""

    before: Entering
    after: Entering


def hidden_error(network: Any, lesson: Lesson, chosen: Tensor) -> Tensor:
    """mean over tokens of |h - h'|^2 / |h'|^2, h' the original hidden state of the token.

    Relative, because a few tokens have hidden states that are a hundred times larger.
    """
    first, last = lesson.before.layer, lesson.after.layer
    x, wanted = (
        torch.stack([torch.from_numpy(part.hidden[k].copy()) for k in chosen.tolist()])
        for part in lesson
    )
    found = through(network, x, first, last)
    error = (found - wanted).square().sum(dim=-1) / wanted.square().sum(dim=-1)
    return error.mean()


def held_out(network: Any, lesson: Lesson) -> float:
    """The same error over all windows of a lesson, without gradients."""
    total = 0.0
    with torch.no_grad():
        for part in torch.split(torch.arange(len(lesson.before.tokens)), WINDOWS_AT_ONCE):
            total += hidden_error(network, lesson, part).item() * len(part)
    return total / len(lesson.before.tokens)


def distill(
    run: RunFolder,
    key: str,
    network: Any,
    modules: nn.ModuleDict,
    train: Lesson,
    held: Lesson,
    *,
    steps: int,
    seed: int,
    progress: Progress | None = None,
) -> float:
    """Let the installed modules learn, offsets included; the rate that was chosen.

    Every rate starts from the modules as they come; the one with the smallest error on the held-out
    windows after a trial learns to the end.
    """
    for parameter in modules.parameters():
        parameter.requires_grad_(True)
    start = {name: value.clone() for name, value in modules.state_dict().items()}

    def learn(folder: RunFolder | None, rate: float, count: int) -> None:
        modules.load_state_dict(start)
        descend(
            folder, key, modules, lambda chosen: hidden_error(network, train, chosen),
            count=len(train.before.tokens), batch=1, steps=count, rate=rate, recipe="tuned",
            seed=seed, progress=progress,
        )  # fmt: skip

    known = run.results().get(f"{key}-rate")
    if known is None:
        errors = {}
        for rate in RATES:
            learn(None, rate, max(1, round(TRIAL * steps)))
            errors[rate] = held_out(network, held)
        best = min(errors, key=lambda rate: (errors[rate], rate))
        known = {"rate": best, "errors": {f"{rate:g}": error for rate, error in errors.items()}}
        run.record(f"{key}-rate", known)
    learn(run, known["rate"], steps)
    return float(known["rate"])
