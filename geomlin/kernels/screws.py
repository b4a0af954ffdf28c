"""Screws: bivectors with one null basis vector e_0 beside a definite metric.

B = B_0 + z ^ e_0.  Each rotation plane of B_0 takes the translation in its plane,

    b_k = beta_k u_k ^ v_k + P_k z ^ e_0 = beta_k (u_k + x e_0) ^ (v_k + y e_0),

and what lies in the fixed space of B_0 is one null part w ^ e_0.  The rotations never see z.
"""

from __future__ import annotations

import numpy as np

from ..plane_kind import PlaneKind
from .canonical import TIE
from .definite import FloatArray
from .ordering import Parts


def with_translation(
    rotations: Parts, translation: FloatArray, kept: list[int], last: int
) -> Parts:
    """Parts of B_0 + z ^ e_0 from those of B_0; B_0 lives on `kept`, e_0 is the index `last`.

    The null part is ZERO when |w| <= 8 eps |z|.
    """
    n = len(kept) + 1
    batch, k = rotations.kinds.shape
    parts = np.zeros((batch, n // 2, n, n))
    squares = np.zeros((batch, n // 2), dtype=np.complex128)
    kinds = np.full((batch, n // 2), PlaneKind.ZERO, dtype=np.int8)
    inner = np.ix_(range(batch), range(k), kept, kept)
    parts[inner], squares[:, :k], kinds[:, :k] = rotations
    moved = _projections(rotations.parts, translation)
    rest = translation - moved.sum(axis=1)
    parts[:, :k, kept, last], parts[:, :k, last, kept] = moved, -moved
    count = (kinds != PlaneKind.ZERO).sum(axis=-1)
    size = np.abs(translation).max(axis=-1, initial=0.0)
    null = np.flatnonzero((np.abs(rest).max(axis=-1, initial=0.0) > TIE * size) & (count < n // 2))
    slot = count[null]
    kinds[null, slot] = PlaneKind.NULL
    for index, axis in enumerate(kept):
        parts[null, slot, axis, last] = rest[null, index]
        parts[null, slot, last, axis] = -rest[null, index]
    return Parts(parts, squares, kinds)


def _projections(planes: FloatArray, z: FloatArray) -> FloatArray:
    """P_k z = b_k b_k^T z / beta_k^2 for the plane of each b_k, zero for a zero part."""
    size = np.abs(planes).max(axis=(-1, -2), initial=0.0)
    scaled = np.ldexp(planes, -np.frexp(size)[1][..., None, None])
    square = (scaled**2).sum(axis=(-1, -2)) / 2
    images = scaled @ (np.swapaxes(scaled, -1, -2) @ z[:, None, :, None])
    return np.asarray(images[..., 0] / np.where(square == 0, 1.0, square)[..., None])
