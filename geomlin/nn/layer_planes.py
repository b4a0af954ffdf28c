"""The invariant planes of the rotors of a layer."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class LayerPlanes(NamedTuple):
    """Invariant planes of the rotors exp(b): b = sum_m angles_m bivectors_m.

    angles : (sides, I, O, n // 2), half-angles in radians, descending; side 0 is r, side 1 is s.
    bivectors : (sides, I, O, n // 2, P), commuting unit simple bivectors; zero where the angle is.
    """

    angles: Tensor
    bivectors: Tensor


def planes_of(bivectors: Tensor, n: int) -> LayerPlanes:
    """Planes of bivectors (..., P) of Cl(n), canonical at equal angles; see
    geomlin.invariant_decomposition."""
    from ..algebra import Algebra
    from ..ops.decomposition import invariant_decomposition

    values = bivectors.detach().to("cpu", torch.float64).numpy()
    found = invariant_decomposition(Algebra(n).bivector(values))
    angles = torch.from_numpy((-found.squares).clip(min=0.0) ** 0.5)
    parts = torch.from_numpy(found.parts.coeffs.copy())
    units = parts / torch.where(angles > 0, angles, 1.0)[..., None]
    return LayerPlanes(angles.to(bivectors), units.to(bivectors))
