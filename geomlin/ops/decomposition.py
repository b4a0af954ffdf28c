"""Invariant decomposition of a bivector into commuting simple bivectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NotDecomposable
from ..operation import operation
from ..plane_kind import PlaneKind
from .bivectors import antisymmetric, bivector_part, require_floats, upper_triangle
from .failures import OnError, check_finite, check_on_error, failing_indices

if TYPE_CHECKING:
    from ..multivector import Multivector


class Decomposition(NamedTuple):
    """Commuting parts of a bivector.

    parts : Multivector in the bivector layout, batch shape (..., n//2).
    squares : array (..., n//2), the scalars b_i^2; complex only where blocks were asked for.
    kinds : int8 array (..., n//2) of PlaneKind.
    """

    parts: Multivector
    squares: Any
    kinds: Any


@operation
def invariant_decomposition(
    B: Multivector, *, blocks: bool = False, on_error: OnError = "raise"
) -> Decomposition:
    """Split of a bivector into commuting simple bivectors.

    B = sum_i b_i,  b_i^2 scalar,  b_i b_j = b_j b_i = b_i ^ b_j.

    Sorted by |b_i^2| descending and padded with zeros to n//2 slots.  Magnitudes within
    8 eps max |b_i| are one cluster (rotations before boosts before null parts); inside a cluster
    of equal squares the planes are not unique, and the canonical ones, pivoted on the coordinate
    axes, are returned, stable under rounding of the input.

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2); n <= 3, r = 0, or r = 1 with q = 0 or p = 0.
    blocks : also answer where no real split exists: a complex pair or defective block fills one
        slot, the next is ZERO, and squares are complex.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Decomposition(parts, squares, kinds); squares beyond the range of the dtype are infinite.

    Units: |b_i| is a half-angle (rotation) or half-rapidity (boost).

    Raises
    ------
    NotDecomposable with kind "complex pair" or "defective", unless blocks=True: possible only if
    p, q >= 2.  NotSupported for n >= 4 with r >= 2, or with p, q, r > 0.

    Error bound: sum, simplicity and commutation within 40 eps max |B| in definite metrics, times
    the squared size of the spectral projectors in others; each plane within 5 eps max |b| / gap.
    Gradient: exists where the squares are distinct, and grows as 1 / gap.

    References
    ----------
    [1] M. Riesz, "Clifford Numbers and Spinors" (1958), chapter 4.
    [2] M. Roelfs and S. De Keninck, "Graded symmetry groups: plane and simple",
        Adv. Appl. Clifford Algebras 33 (2023) 30, section 6.

    Examples
    --------
    >>> from geomlin import Algebra, invariant_decomposition
    >>> B = Algebra(4).bivector({"e12": 1, "e34": 1})     # equal angles: infinitely many splits
    >>> parts, squares, kinds = invariant_decomposition(B)
    >>> print(parts[0], "and", parts[1], squares)
    e₁₂ and e₃₄ [-1. -1.]
    """
    from ..kernels.planes import decompose

    check_on_error(on_error)
    if B.algebra.backend == "arb":
        from ..certified.decomposition import certified_decomposition

        return Decomposition(*certified_decomposition(B, blocks=blocks))
    require_floats(B, "invariant_decomposition")
    check_finite(B.coeffs, "coefficients")
    part = bivector_part(B)
    b = antisymmetric(part.coeffs.astype(np.float64), B.algebra.n)
    found = decompose(b, B.algebra.metric)
    values = upper_triangle(found.parts)
    squares = found.squares if blocks else found.squares.real
    kinds = found.kinds
    blocked = np.isin(kinds, (PlaneKind.COMPLEX_PAIR, PlaneKind.DEFECTIVE))
    failed = np.asarray(blocked.any(axis=-1))
    if not blocks and np.any(failed):
        if on_error == "raise":
            _raise_not_decomposable(kinds, failed)
        values = np.where(failed[..., None, None], np.nan, values)
        squares = np.where(failed[..., None], np.nan, squares)
    dtype = B.dtype
    with np.errstate(over="ignore", under="ignore"):
        squares = squares.astype(np.result_type(dtype, np.complex64) if blocks else dtype)
    return Decomposition(part.replace(part.layout, values.astype(dtype)), squares, kinds)


def _raise_not_decomposable(kinds: Any, failed: Any) -> None:
    defective = np.any(kinds == PlaneKind.DEFECTIVE)
    kind = "defective" if defective else "complex pair"
    indices, count = failing_indices(failed)
    raise NotDecomposable(
        f"expected a sum of commuting real simple bivectors, got {count} bivector(s) with a {kind} "
        "block, which has no real split: pass blocks=True to get the commuting blocks",
        kind=kind,
        indices=indices,
        count=count,
    )
