"""Losses of a model on held-out text, and differences of two models with their errors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .llm_model import through, token_losses
from .llm_record import WINDOWS_AT_ONCE, Entering
from .run_folder import Progress, RunFolder


class Difference(NamedTuple):
    """Mean of a paired difference and its standard error, from the means of the windows."""

    mean: float
    error: float

    @property
    def significant(self) -> bool:
        """Beyond twice its standard error."""
        return abs(self.mean) > 2.0 * self.error


def evaluate(
    run: RunFolder,
    key: str,
    network: Any,
    entering: Entering,
    scored: int,
    progress: Progress | None = None,
) -> Tensor:
    """Losses of every scored token, (windows, scored); window after window, and kept."""
    tokens = entering.tokens
    losses: Tensor | None = run.load(f"losses-{key}")
    done = 0 if losses is None else len(losses)
    while done < len(tokens):
        if progress is not None:
            progress(f"evaluate {key}", done, len(tokens))
        with torch.no_grad():
            hidden = through(network, entering.part(done), entering.layer)
        new = token_losses(network, hidden, tokens[done : done + WINDOWS_AT_ONCE], scored)
        losses = new if losses is None else torch.cat([losses, new])
        run.save(f"losses-{key}", losses)
        done = len(losses)
    assert losses is not None
    return losses


def paired(losses: Tensor, others: Tensor) -> Difference:
    """losses - others on the same tokens; windows, not tokens, count as independent."""
    means = (losses.double() - others.double()).mean(dim=1)
    error = means.std().item() / math.sqrt(len(means)) if len(means) > 1 else math.inf
    return Difference(means.mean().item(), error)
