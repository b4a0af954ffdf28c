"""What stands in for a projection: constants, low rank, block-Hadamard, rotors.

Recipe "tuned": every method sees centred inputs and learns centred outputs, so the same offset is
free for all; a rotor network has a gain for each output, started by least squares.  Recipe
"published": no offsets, and the published learning rates, whose schedule alternates between the
rate and zero, because a cosine of one epoch is advanced with every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..nn import BlockHadamardLinear, LowRankLinear, RotorLinear, RotorNetwork

CALIBRATION_ROWS = 4096
SMALL_START = 0.3  # deviation of the bivectors at first; published: 1
RECIPES = ("tuned", "published")


class Constant(nn.Module):
    """y = c whatever x is: the rows "zero" and "mean", which cost nothing."""

    value: Tensor

    def __init__(self, value: Tensor) -> None:
        super().__init__()
        self.register_buffer("value", value)

    def forward(self, x: Tensor) -> Tensor:
        """The constant for every row of x."""
        return self.value.expand(*x.shape[:-1], len(self.value))


class Centred(nn.Module):
    """y = gain * map(x - mean of x) + mean of y; the means are data, not learned."""

    input_mean: Tensor
    output_mean: Tensor

    def __init__(self, inner: nn.Module, x: Tensor, y: Tensor, *, gain: bool) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("input_mean", x.mean(dim=0))
        self.register_buffer("output_mean", y.mean(dim=0))
        self.gain = nn.Parameter(y.std(dim=0)) if gain else None
        if self.gain is not None:
            self._calibrate(x[:CALIBRATION_ROWS], y[:CALIBRATION_ROWS])

    @torch.no_grad()
    def _calibrate(self, x: Tensor, y: Tensor) -> None:
        """gain_j = cov(map_j, y_j) / var(map_j): least squares for each output."""
        z = self.inner(x - self.input_mean)
        z = z - z.mean(dim=0)
        assert self.gain is not None
        covariance = (z * (y - y.mean(dim=0))).mean(dim=0)
        self.gain.copy_(covariance / z.square().mean(dim=0).clamp_min(1e-12))

    def forward(self, x: Tensor) -> Tensor:
        """The map between the means."""
        y: Tensor = self.inner(x - self.input_mean)
        return (y if self.gain is None else y * self.gain) + self.output_mean


class Method(NamedTuple):
    """How a replacement is built and, if it is learned, at which rate."""

    build: Callable[[int, int], nn.Module] | None
    learning_rate: float
    gain: bool


def _blocks(in_features: int, out_features: int) -> int:
    """Most blocks, a power of two up to 128, that divide both widths."""
    blocks = 128
    while in_features % blocks or out_features % blocks:
        blocks //= 2
    return blocks


def block_hadamard(in_features: int, out_features: int) -> nn.Module:
    """BH1 with 128 blocks as published, or with the most that divide both widths."""
    blocks = _blocks(in_features, out_features)
    return BlockHadamardLinear(in_features, out_features, depth=1, block_size=64, blocks=blocks)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "zero": Method(None, 0.0, False),
        "mean": Method(None, 0.0, False),
        "LR1": Method(lambda i, o: LowRankLinear(i, o, 1), 0.05, False),
        "LR4": Method(lambda i, o: LowRankLinear(i, o, 4), 0.05, False),
        "BH1": Method(block_hadamard, 0.01, False),
        "rotor": Method(lambda i, o: RotorNetwork(i, o), 0.05, True),
    }
)


def start(method: str, recipe: str, x: Tensor, y: Tensor, seed: int) -> nn.Module:
    """The replacement before it learns, on inputs x and outputs y of the projection."""
    chosen = METHODS[method]
    if chosen.build is None:
        mean = y.mean(dim=0)
        return Constant(mean if method == "mean" else torch.zeros_like(mean))
    torch.manual_seed(seed)
    inner = chosen.build(x.shape[1], y.shape[1])
    for module in inner.modules():
        if isinstance(module, RotorLinear):
            module.reset_parameters(SMALL_START if recipe == "tuned" else 1.0)
    if recipe == "published":
        return inner
    return Centred(inner, x, y, gain=chosen.gain)


def learned(module: nn.Module) -> int:
    """Learned numbers, offsets of the outputs included where there are any."""
    offsets = len(module.output_mean) if isinstance(module, Centred) else 0
    return offsets + sum(p.numel() for p in module.parameters())


def factor(recipe: str, step: int, steps: int) -> float:
    """What the learning rate is multiplied by."""
    if recipe == "published":
        return float(step % 2 == 0)
    return 0.5 * (1.0 + torch.cos(torch.tensor(torch.pi * step / steps)).item())
