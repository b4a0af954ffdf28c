"""The output projection, fitted again to what the replacements put before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor, nn

from .llm_fit import Rows, learn
from .run_folder import Progress, RunFolder

RIDGE = 1e-2  # of the mean square of the inputs, towards the original output projection
PUBLISHED_RATE, PUBLISHED_EPOCHS = 1e-4, 15  # AdamW, from a new random layer

Refit = Callable[[RunFolder, str, Tensor, Tensor, Tensor, int, Progress | None], Tensor]


def least_squares(
    run: RunFolder, key: str, weight: Tensor, x: Tensor, y: Tensor, seed: int,
    progress: Progress | None = None,
) -> Tensor:  # fmt: skip
    """The weight W with the least |x W^T - y|^2 + ridge |W - weight|^2, kept in the folder."""
    found: Tensor | None = run.load(key)
    if found is None:
        found = ridge(weight, x, y)
        run.save(key, found)
    return found


def ridge(weight: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """W = weight + (y - x weight^T)^T x (x^T x + ridge 1)^-1."""
    square = (x.T @ x).double()
    size = RIDGE * square.diagonal().mean()
    if size == 0.0:  # values of zero leave nothing to fit
        return weight
    identity = torch.eye(len(square), dtype=torch.float64)
    rest = (y - x @ weight.T).double()
    change = torch.linalg.solve(square + size * identity, x.T.double() @ rest)
    found: Tensor = weight + change.T.to(weight.dtype)
    return found


def published(
    run: RunFolder, key: str, weight: Tensor, x: Tensor, y: Tensor, seed: int,
    progress: Progress | None = None,
) -> Tensor:  # fmt: skip
    """As in the published code: a new random layer, AdamW on the mean square error.

    It forgets the original weight, and so has to learn what was already there.
    """
    torch.manual_seed(seed)
    layer = nn.Linear(x.shape[1], y.shape[1], bias=False)
    learn(
        run, key, layer, Rows(x, y), rate=PUBLISHED_RATE, recipe="constant",
        epochs=PUBLISHED_EPOCHS, seed=seed, kind=torch.optim.AdamW, progress=progress,
    )  # fmt: skip
    return layer.weight.detach()


OUTPUTS: Mapping[str, Refit] = MappingProxyType(
    {"least-squares": least_squares, "published": published}
)
