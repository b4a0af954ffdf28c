"""Sparse tables of the bilinear products: which blade pairs meet, where, and with which sign.

Every product here selects terms of the geometric product
    E_S E_T = sign(S, T) * prod_{i in S & T} g_i * E_(S ^ T),
so one table generator with a selection rule serves them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import Layout, layout_of

Masks = NDArray[np.int64]


def parity(masks: Masks) -> Masks:
    """Number of set bits modulo 2."""
    return (np.bitwise_count(masks) & 1).astype(np.int64)


def odd_below(masks: Masks, n: int) -> Masks:
    """For each mask the set of positions i with an odd number of its bits strictly below i."""
    result = np.zeros_like(masks)
    running = np.zeros_like(masks)
    for i in range(n):
        result |= running << i
        running ^= masks >> i & 1
    return result


def commutes(left: Masks, right: Masks) -> NDArray[np.bool_]:
    """Whether E_S E_T = E_T E_S: |S| |T| - |S & T| is even."""
    sizes = np.bitwise_count(left).astype(np.int64) * np.bitwise_count(right)
    result: NDArray[np.bool_] = (sizes - np.bitwise_count(left & right)) % 2 == 0
    return result


# Which pairs (S, T) of the geometric product each product keeps.
SELECTION: dict[str, Callable[[Masks, Masks], NDArray[np.bool_]]] = {
    "geometric_product": lambda s, t: np.ones(np.broadcast(s, t).shape, dtype=bool),
    "outer_product": lambda s, t: s & t == 0,
    "left_contraction": lambda s, t: s & t == s,
    "right_contraction": lambda s, t: s & t == t,
    "scalar_product": lambda s, t: s == t,
    "commutator": lambda s, t: ~commutes(s, t),
    "anticommutator": lambda s, t: commutes(s, t),
}


@dataclass(frozen=True)
class ProductTable:
    """out[k] = sum over entries of value * left[i] * right[j], entries sorted by k."""

    layout: Layout
    out: NDArray[np.int16]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    sign: NDArray[np.int8]  # reordering sign times the metric, never zero
    common: NDArray[np.int16]  # S & T, for metrics that are not numbers

    @cached_property
    def weights(self) -> list[Any]:
        """The signs as Python numbers; a table over another metric has its own."""
        signs: list[Any] = self.sign.tolist()
        return signs

    @cached_property
    def factors(self) -> tuple[Masks, Masks, NDArray[np.float64]]:
        """Left and right positions as index integers, and the signs as floats."""
        return self.left.astype(np.intp), self.right.astype(np.intp), self.sign.astype(np.float64)

    @cached_property
    def fills(self) -> bool:
        """Whether every coefficient of the result receives an entry."""
        return 0 < len(self.segments[0]) == self.layout.size

    @cached_property
    def segments(self) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Positions k that receive entries, and where each one's entries start."""
        return np.unique(self.out, return_index=True)


def _entries(product: str, left: Layout, right: Layout, n: int) -> list[tuple[Any, ...]]:
    """(S position, T position, S ^ T, sign, S & T) of the selected pairs, one chunk per S.

    Two full layouts of dimension 12 have 2^24 pairs, so the integers are kept as short as fit.
    """
    select = SELECTION[product]
    t = right.mask_array
    below = odd_below(t, n)
    chunks = []
    for i, mask in enumerate(left.masks):
        s = np.full_like(t, mask)
        j = np.nonzero(select(s, t))[0]
        sign = (1 - 2 * parity(s[j] & below[j])).astype(np.int8)
        columns = (np.full_like(j, i), j, s[j] ^ t[j], s[j] & t[j])
        i_short, j_short, target, common = (column.astype(np.int16) for column in columns)
        chunks.append((i_short, j_short, target, sign, common))
    return chunks


@lru_cache(maxsize=512)
def product_table(
    product: str, metric: tuple[int, ...] | None, left: Layout, right: Layout
) -> ProductTable:
    """Table of a product of two layouts.

    With metric None no square is applied and no entry dropped: the caller multiplies by its own
    metric through `common`.  The result layout does not depend on the metric.
    """
    n = left.n
    chunks = _entries(product, left, right, n)
    columns = [np.concatenate(c) for c in zip(*chunks, strict=True)]
    i, j, target, sign, common = columns or [np.zeros(0, np.int16)] * 5
    layout = layout_of(n, np.unique(target).tolist())
    if metric is not None:
        sign = sign * _metric_factor(common, metric)
    position = np.zeros(1 << n, dtype=np.int16)
    position[layout.mask_array] = np.arange(layout.size)
    k = position[target]
    keep = np.nonzero(sign)[0]
    order = keep[np.argsort(k[keep], kind="stable")]
    return ProductTable(layout, k[order], i[order], j[order], sign[order], common[order])


def _metric_factor(common: Masks, metric: tuple[int, ...]) -> Masks:
    """prod_{i in common} g_i."""
    negative = sum(1 << i for i, g in enumerate(metric) if g < 0)
    null = sum(1 << i for i, g in enumerate(metric) if g == 0)
    return np.where(common & null, 0, 1 - 2 * parity(common & negative)).astype(np.int8)


@cache
def grade_signs(layout: Layout, rule: str) -> NDArray[np.int64]:
    """Signs of an involution: reverse (-1)^(k(k-1)/2), involute (-1)^k, conjugate their product."""
    k = layout.grade_array
    exponent = {"reverse": k * (k - 1) // 2, "involute": k, "conjugate": k * (k + 1) // 2}[rule]
    signs: NDArray[np.int64] = 1 - 2 * (exponent % 2)
    signs.flags.writeable = False
    return signs
