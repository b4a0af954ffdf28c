"""How a layer of any width is put together from pairs of chunks of 2^n coefficients.

The gadget of [1]: chunk c of C starts at floor(c D / C) and wraps round at the width D; every
output coordinate is the mean of all contributions to it.

[1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles", arXiv:2507.11688.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import LayoutError
from ..spinor_even import LARGEST_DIMENSION

SMALLEST_CHUNK = 4  # Cl(2) is the first algebra with a bivector


class Chunks(NamedTuple):
    """number chunks of `size` = 2^n coefficients on `features` coordinates."""

    features: int
    size: int
    number: int

    @property
    def tile(self) -> bool:
        """Whether the chunks lie side by side, so that no coordinate is moved or repeated."""
        return self.size * self.number == self.features

    def indices(self, device: torch.device) -> Tensor:
        """Coordinates of all chunks, one after the other."""
        starts = torch.arange(self.number, device=device) * self.features // self.number
        inside = torch.arange(self.size, device=device)
        return ((starts[:, None] + inside) % self.features).flatten()

    def cover(self, device: torch.device) -> Tensor:
        """How many chunks hold each coordinate."""
        places = self.indices(device)
        return torch.zeros(self.features, device=device).index_add(
            0, places, torch.ones(places.shape, device=device)
        )


def split(x: Tensor, chunks: Chunks, indices: Tensor | None) -> Tensor:
    """(batch, number, size) from (batch, features)."""
    moved = x if indices is None else x.index_select(-1, indices)
    return moved.reshape(-1, chunks.number, chunks.size)


def pool(y: Tensor, chunks: Chunks, indices: Tensor | None, cover: Tensor | None) -> Tensor:
    """(batch, features) from (batch, number, size): the mean over the chunks at each coordinate."""
    flat = y.reshape(-1, chunks.number * chunks.size)
    if indices is None or cover is None:
        return flat
    total = flat.new_zeros(flat.shape[0], chunks.features).index_add(-1, indices, flat)
    return total / cover.to(flat.dtype)


def plan_chunks(
    in_features: int,
    out_features: int,
    chunk_size: int | None,
    in_chunks: int | None,
    out_chunks: int | None,
) -> tuple[Chunks, Chunks]:
    """The chunks of both sides, by default the fewest of the largest size that fits both."""
    for name, value in (
        ("in_features", in_features),
        ("out_features", out_features),
        ("chunk_size", chunk_size),
        ("in_chunks", in_chunks),
        ("out_chunks", out_chunks),
    ):
        if value is None and "features" not in name:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise LayoutError(f"expected {name} to be a positive integer, got {value!r}")
    smaller = min(in_features, out_features)
    if smaller < SMALLEST_CHUNK:
        raise LayoutError(
            f"expected in_features and out_features of at least {SMALLEST_CHUNK}, the coefficients "
            f"of Cl(2), the first algebra with a plane to turn in, got {in_features} and "
            f"{out_features}: pad the narrow side with zeros, or take torch.nn.Linear there"
        )
    if chunk_size is None:
        chunk_size = 1 << min(smaller.bit_length() - 1, LARGEST_DIMENSION)
    _check_size(chunk_size, in_features, out_features)
    return (
        _side("in", in_features, chunk_size, in_chunks),
        _side("out", out_features, chunk_size, out_chunks),
    )


def _check_size(size: int, in_features: int, out_features: int) -> None:
    largest = 1 << LARGEST_DIMENSION
    if size & (size - 1) or not SMALLEST_CHUNK <= size <= largest:
        raise LayoutError(
            f"expected a chunk_size that is a power of two from {SMALLEST_CHUNK} to {largest}, "
            f"the number of coefficients of a multivector, got {size}: leave it out for the "
            "largest one that fits"
        )
    if size > min(in_features, out_features):
        raise LayoutError(
            f"expected chunk_size <= {min(in_features, out_features)}, the smaller of in_features="
            f"{in_features} and out_features={out_features}, got {size}: leave it out, or pad"
        )


def _side(name: str, features: int, size: int, number: int | None) -> Chunks:
    fewest = -(-features // size)
    if number is None:
        number = fewest
    if number < fewest:
        raise LayoutError(
            f"expected {name}_chunks >= {fewest}, so that chunks of {size} cover {features} "
            f"features, got {number}"
        )
    return Chunks(features, size, number)
