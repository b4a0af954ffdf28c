"""Canonical planes inside a cluster of equal squares, pivoted on the coordinate axes.

If every invariant part of C has the same square, then for any covector u, a = C u, the bivector

    (M a) ^ a / (a . a),   M x = C . x,

is an invariant part of C.  Taking u = e_i, with the first i for which |a . a| is largest up to
PIVOT_SLACK, and repeating on the rest gives planes that rounding of C changes by a few eps only
(unless an axis is on the edge of the slack).  The columns a = C e_i, and not M e_i, also see the
couplings to null basis vectors; without those they differ in sign only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .definite import FloatArray, rotation_frame, rotation_parts, wedge

TIE = 8 * 2.0**-52  # relative width of a tie between magnitudes, and of zero
PIVOT_SLACK = 1e-6  # axes this close to the best one count as equal: the first is taken
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def tie_groups(magnitudes: FloatArray, widths: FloatArray) -> IntArray:
    """Number of the tie each of the descending magnitudes (..., k) belongs to.

    A gap larger than both neighbouring widths (..., k) separates two ties.
    """
    gaps = magnitudes[..., :-1] - magnitudes[..., 1:]
    apart = gaps > np.maximum(widths[..., :-1], widths[..., 1:])
    first = np.zeros((*magnitudes.shape[:-1], 1), dtype=np.int64)
    return np.concatenate([first, np.cumsum(apart, axis=-1)], axis=-1)


def axis_part(b: FloatArray, g: FloatArray) -> tuple[FloatArray, IntArray]:
    """The part (M a ^ a) / (a . a) of the column a on the pivot axis i, and i, batched."""
    lengths = np.abs((b * g[:, None] * b).sum(axis=-2))
    best = lengths.max(axis=-1, keepdims=True)
    pivot = np.argmax(lengths >= (1 - PIVOT_SLACK) * best, axis=-1)
    image = np.take_along_axis(b, pivot[..., None, None], axis=-1)[..., 0]
    return _part(b * g, g, image), pivot


def _part(m: FloatArray, g: FloatArray, image: FloatArray) -> FloatArray:
    """(M a ^ a) / (a . a) for a = C u; zero when a is null."""
    square = (image * g * image).sum(axis=-1)[..., None]
    second = (m @ image[..., None])[..., 0] / np.where(square == 0, np.inf, square)
    return wedge(second, image)


def same_cluster(cluster: IntArray) -> BoolArray:
    """Which slots (m, k, k) belong together: equal non-negative numbers, and each to itself."""
    same = (cluster[:, :, None] == cluster[:, None, :]) & (cluster >= 0)[:, :, None]
    return np.asarray(same | np.eye(cluster.shape[1], dtype=bool))


def canonical_parts(
    parts: FloatArray, cluster: IntArray, g: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Replace the parts (m, k, n, n) of each cluster by its axis parts; the pivot of each.

    `cluster` numbers the slots (m, k); equal numbers are adjacent.  Clusters of one part, and
    slots with a negative number, stay as they are.
    """
    same = same_cluster(cluster)
    several = same.sum(axis=-1) > 1
    sums = np.einsum("mij,mjab->miab", same.astype(float), parts)
    parts, pivots = parts.copy(), np.zeros(cluster.shape, dtype=np.int64)
    rest = sums[:, 0]
    for slot in range(cluster.shape[1]):
        if slot > 0:
            starts = cluster[:, slot] != cluster[:, slot - 1]
            rest = np.where(starts[:, None, None], sums[:, slot], rest)
        found, pivot = axis_part(rest, g)
        rest = rest - found
        parts[:, slot] = np.where(several[:, slot, None, None], found, parts[:, slot])
        pivots[:, slot] = np.where(several[:, slot], pivot, 0)
    return parts, pivots


def euclidean_parts(b: FloatArray) -> FloatArray:
    """Simple parts (n//2, n, n) of one bivector in the Euclidean metric, equal angles canonical."""
    angles, frame = rotation_frame(b)
    tau = TIE * angles.max(initial=0.0)
    cluster = np.where(angles > tau, tie_groups(angles, np.full_like(angles, tau)), -1)
    parts = rotation_parts(angles, frame)[None]
    return np.asarray(canonical_parts(parts, cluster[None], np.ones(b.shape[-1]))[0][0])


def metric_form(b: FloatArray, g: FloatArray) -> FloatArray:
    """The symmetric matrix b^T G b of the products of the columns of b."""
    return np.asarray(b.T @ (g[:, None] * b))


def pivot_part(b: FloatArray, g: FloatArray) -> FloatArray:
    """`axis_part` of one bivector, pivoted on e_i +- e_j where no axis will do."""
    form = metric_form(b, g)
    i, j = np.unravel_index(np.argmax(np.abs(form)), form.shape)
    if abs(form[i, j]) <= 2 * np.abs(np.diag(form)).max():
        return axis_part(b, g)[0]
    return _part(b * g, g, b[:, i] + np.sign(form[i, j]) * b[:, j])


def without_null_blocks(
    b: FloatArray, g: FloatArray, floor: float
) -> tuple[list[FloatArray], FloatArray]:
    """Parts (M a ^ a) / (a . a) of one bivector with M^2 b = 0, and the rest, where b^T G b = 0.

    Products of columns up to `floor` count as zero.
    """
    parts = []
    for _ in range(b.shape[-1] // 2):
        if np.abs(metric_form(b, g)).max() <= floor:
            break
        parts.append(pivot_part(b, g))
        b = b - parts[-1]
    return parts, b


def null_parts(b: FloatArray, g: FloatArray, tau: float) -> list[FloatArray]:
    """Canonical simple parts of one bivector with M^2 b = 0; `tau` bounds the errors of b.

    What remains without the Jordan blocks of size 3 has a totally null image, so that any Euclidean
    planes of it are invariant.
    """
    parts, rest = without_null_blocks(b, g, 8 * tau * np.abs(b).max(initial=0.0))
    return [part for part in (*parts, *euclidean_parts(rest)) if np.abs(part).max() > tau]
