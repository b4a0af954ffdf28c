"""Classification, order and canonical ties of the commuting parts of bivectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..plane_kind import PlaneKind
from .canonical import (
    BoolArray,
    IntArray,
    canonical_parts,
    null_parts,
    same_cluster,
    tie_groups,
)
from .definite import FloatArray, rotation_frame

SIMPLE = -1  # kind of a part whose square is still to be looked at
WIDEST = 16.0  # in tau, the width of ties between parts whose squares cancel
_RANK = np.array([0, 1, 2, 5, 3, 4])  # place in a tie, by PlaneKind: zero parts come last


class Parts(NamedTuple):
    """Commuting parts: parts (..., k, n, n), squares complex (..., k), kinds int8 (..., k)."""

    parts: FloatArray
    squares: NDArray[np.complex128]
    kinds: NDArray[np.int8]


def unclassified(parts: FloatArray, g: FloatArray) -> Parts:
    """Simple parts with their squares -sum_{i<j} b_ij^2 g_i g_j, kinds still to be decided."""
    squares = -np.einsum("...ij,i,...ij,j->...", parts, g, parts, g) / 2
    return Parts(parts, squares.astype(complex), np.full(squares.shape, SIMPLE, dtype=np.int8))


def ordered(raw: Parts, g: FloatArray, tau: FloatArray) -> Parts:
    """Classify, sort by |b_i^2| descending, resolve ties and make equal squares canonical.

    raw : parts of a flat batch (m, k, n, n); tau : width of a tie, (m,).
    """
    found = _classified(raw, tau)
    found = _take(found, np.argsort(-np.abs(found.squares), axis=-1, kind="stable"))
    magnitudes = np.sqrt(np.abs(found.squares))
    # A change e of b_i changes |b_i^2|^1/2 by up to e |b_i| / |b_i^2|^1/2: this widens ties.
    divisor = np.where(magnitudes > 0, magnitudes, np.inf)
    widths = tau[:, None] * np.clip(_sizes(found.parts) / divisor, 1.0, WIDEST)
    key = 8 * tie_groups(magnitudes, widths) + _RANK[found.kinds]
    second = np.argsort(key, axis=-1, kind="stable")
    found, key = _take(found, second), np.take_along_axis(key, second, axis=-1)
    tied = (key[:, 1:] == key[:, :-1]) & (found.kinds[:, 1:] <= PlaneKind.BOOST)
    _resolve(found, key, tied.any(axis=-1), g)
    if min((g > 0).sum(), (g < 0).sum()) > 1:  # otherwise there is one null part at most
        for index in np.flatnonzero((found.kinds == PlaneKind.NULL).sum(axis=-1) > 1):
            _resolve_null(found, int(index), g, tau[index])
    several = (found.kinds != PlaneKind.ZERO).sum(axis=-1) > 1
    for index in np.flatnonzero((found.kinds > PlaneKind.ZERO).any(axis=-1) & several):
        _spread(found, int(index), tau[index])
    return found


def _classified(raw: Parts, tau: FloatArray) -> Parts:
    """Kinds of the simple parts, by their Euclidean size |b_i|.

    ZERO: |b_i| <= tau, the part is set to 0.  NULL: |b_i^2| <= 4 tau |b_i|, the square is set to 0.
    """
    parts, squares, kinds = raw.parts.copy(), raw.squares.copy(), raw.kinds.copy()
    simple = kinds == SIMPLE
    size = _sizes(parts)
    square = squares.real
    zero = simple & (size <= tau[:, None])
    # A square that does not cancel is not null, however close to zero its part is.
    cancels = np.abs(square) < size**2 / 2
    null = simple & ~zero & cancels & (np.abs(square) <= 4 * tau[:, None] * size)
    sign = np.where(square < 0, PlaneKind.ROTATION, PlaneKind.BOOST)
    kinds = np.where(simple, sign, kinds)
    kinds = np.where(null, PlaneKind.NULL, np.where(zero, PlaneKind.ZERO, kinds)).astype(np.int8)
    squares[zero | null] = 0.0
    parts[zero] = 0.0
    return Parts(parts, squares, kinds)


def _sizes(parts: FloatArray) -> FloatArray:
    """Euclidean sizes |b_i| of simple parts: the angle of beta u ^ v, u and v orthonormal."""
    return np.asarray(np.sqrt((parts**2).sum(axis=(-1, -2)) / 2))


def _take(found: Parts, order: IntArray) -> Parts:
    """The slots in another order."""
    return Parts(
        np.take_along_axis(found.parts, order[..., None, None], axis=1),
        np.take_along_axis(found.squares, order, axis=1),
        np.take_along_axis(found.kinds, order, axis=1),
    )


def _resolve(found: Parts, key: IntArray, ties: BoolArray, g: FloatArray) -> None:
    """Canonical planes, common square and order by pivot in every cluster; in place."""
    if not ties.any():
        return
    kinds = found.kinds[ties]
    cluster = np.where(kinds <= PlaneKind.BOOST, key[ties], -1)
    parts, pivots = canonical_parts(found.parts[ties], cluster, g)
    same = same_cluster(cluster)
    means = (same * found.squares[ties][:, None, :]).sum(axis=-1) / same.sum(axis=-1)
    order = np.argsort(key[ties] * parts.shape[-1] + pivots, axis=-1, kind="stable")
    resolved = _take(Parts(parts, means, kinds), order)
    found.parts[ties], found.squares[ties], found.kinds[ties] = resolved


def _resolve_null(found: Parts, index: int, g: FloatArray, tau: float) -> None:
    """Canonical planes of all null parts of one bivector together; in place."""
    slots = np.flatnonzero(found.kinds[index] == PlaneKind.NULL)
    parts = null_parts(found.parts[index, slots].sum(axis=0), g, tau)
    if len(parts) <= len(slots):
        found.parts[index, slots] = 0.0
        found.kinds[index, slots] = PlaneKind.ZERO
        found.parts[index, slots[: len(parts)]] = parts
        found.kinds[index, slots[: len(parts)]] = PlaneKind.NULL


def _spread(found: Parts, index: int, tau: float) -> None:
    """Move zero slots behind each block, as many as the block has planes less one; in place."""
    kinds = found.kinds[index]
    zeros = list(np.flatnonzero(kinds == PlaneKind.ZERO))
    order: list[int] = []
    for slot in np.flatnonzero(kinds != PlaneKind.ZERO):
        order.append(int(slot))
        if kinds[slot] > PlaneKind.ZERO:
            planes = int((rotation_frame(found.parts[index, slot])[0] > tau).sum())
            while planes > 1 and zeros:
                order.append(int(zeros.pop()))
                planes -= 1
    order += [int(slot) for slot in zeros]
    for values in found:
        values[index] = values[index][order]
