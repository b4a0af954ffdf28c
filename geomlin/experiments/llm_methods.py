"""What stands in for a projection: constants, low rank, block-Hadamard, rotors.

Recipe "tuned": every method sees centred inputs and learns centred outputs, so the same offset is
free for all; a rotor network has a gain for each output, started by least squares.  Recipe
"published": no offsets, and the published learning rates, whose schedule alternates between the
rate and zero, because a cosine of one epoch is advanced with every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd
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
    """y = gain * map(x - mean of x) + offset; the mean is data, and so is the offset at first."""

    input_mean: Tensor

    def __init__(self, inner: nn.Module, x: Tensor, y: Tensor, *, gain: bool) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("input_mean", x.mean(dim=0))
        self.offset = nn.Parameter(y.mean(dim=0), requires_grad=False)
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
        return (y if self.gain is None else y * self.gain) + self.offset


class Nothing(nn.Module):
    """y = 0 of the right width; with a learned offset, a learned constant."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.out_features = out_features

    def forward(self, x: Tensor) -> Tensor:
        """Zeros for every row of x."""
        return x.new_zeros(*x.shape[:-1], self.out_features)


class Sum(nn.ModuleList):
    """The sum of several maps: the way to a larger network of rotors, as rank is to low rank."""

    def forward(self, x: Tensor) -> Tensor:
        """All of them applied to x, and added."""
        return torch.stack([module(x) for module in self]).sum(dim=0)


class Method(NamedTuple):
    """How a replacement is built and, if it is learned, at which rate."""

    build: Callable[[int, int], nn.Module] | None
    learning_rate: float
    gain: bool


def block_hadamard(in_features: int, out_features: int, blocks: int = 128) -> nn.Module:
    """BH1 with 128 blocks as published, or with the largest divisor that both widths share."""
    blocks = gcd(in_features, out_features, blocks)
    return BlockHadamardLinear(in_features, out_features, depth=1, block_size=64, blocks=blocks)


def rotor_chunks(in_features: int, out_features: int, size: int) -> nn.Module:
    """One linear layer of many pairs of small chunks: learned numbers grow as the chunks shrink."""
    largest = 1 << (min(in_features, out_features).bit_length() - 1)
    return RotorLinear(in_features, out_features, chunk_size=min(size, largest), scale=True)


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

# The same families, smaller and larger: rank, number of blocks, number of networks, size of chunks.
LADDER: Mapping[str, Method] = MappingProxyType(
    {
        "constant": Method(Nothing, 0.05, False),
        "LR1": METHODS["LR1"],
        "LR2": Method(lambda i, o: LowRankLinear(i, o, 2), 0.05, False),
        "LR4": METHODS["LR4"],
        "LR8": Method(lambda i, o: LowRankLinear(i, o, 8), 0.05, False),
        "BH-192": Method(lambda i, o: block_hadamard(i, o, 192), 0.01, False),
        "BH-64": Method(lambda i, o: block_hadamard(i, o, 64), 0.01, False),
        "BH-32": Method(lambda i, o: block_hadamard(i, o, 32), 0.01, False),
        "rotor": METHODS["rotor"],
        "rotor-sum-4": Method(lambda i, o: Sum(RotorNetwork(i, o) for _ in range(4)), 0.05, True),
        "rotor-64": Method(lambda i, o: rotor_chunks(i, o, 64), 0.05, True),
        "rotor-32": Method(lambda i, o: rotor_chunks(i, o, 32), 0.05, True),
        "rotor-16": Method(lambda i, o: rotor_chunks(i, o, 16), 0.05, True),
    }
)
KNOWN: Mapping[str, Method] = MappingProxyType({**METHODS, **LADDER})


def start(method: str, recipe: str, x: Tensor, y: Tensor, seed: int) -> nn.Module:
    """The replacement before it learns, on inputs x and outputs y of the projection."""
    chosen = KNOWN[method]
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
    return sum(p.numel() for p in module.parameters())


def factor(recipe: str, step: int, steps: int) -> float:
    """What the learning rate is multiplied by: 1, or 1 and 0 in turn, or half a cosine."""
    if recipe == "constant":
        return 1.0
    if recipe == "published":
        return float(step % 2 == 0)
    return 0.5 * (1.0 + torch.cos(torch.tensor(torch.pi * step / steps)).item())
