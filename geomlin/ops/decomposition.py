"""Invariant decomposition of a bivector into commuting simple bivectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NotDecomposable, NotSupported
from ..operation import operation, returns
from ..plane_kind import PlaneKind
from .bivectors import antisymmetric, bivector_part, require_floats, upper_triangle
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan

if TYPE_CHECKING:
    from ..multivector import Multivector


class Decomposition(NamedTuple):
    """Commuting parts of a bivector.

    parts : Multivector in the bivector layout, batch shape (..., n//2).
    squares : array (..., n//2), the scalars b_i^2; complex only where blocks or complex parts were
        asked for.
    kinds : int8 array (..., n//2) of PlaneKind.  Where parts are NaN they say why; -1 where B is
        NaN in a traced graph.
    """

    parts: Multivector
    squares: Any
    kinds: Any


class ComplexDecomposition(Decomposition):
    """Commuting parts over the complex numbers, b_i = parts[i] + sqrt(-1) imaginary[i].

    parts, imaginary : Multivectors in the bivector layout, batch shape (..., n//2); `parts` adds up
        to B, and `imaginary` to zero.
    squares, kinds : as in Decomposition; COMPLEX_PAIR marks b and its conjugate, one after the
        other, the one with Im b^2 > 0 first.
    """

    imaginary: Multivector


@operation
@returns(Decomposition)
def invariant_decomposition(
    B: Multivector, *, blocks: bool = False, complex: bool = False, on_error: OnError = "raise"
) -> Decomposition:
    """Split of a bivector into commuting simple bivectors.

    B = sum_i b_i,  b_i^2 scalar,  b_i b_j = b_j b_i = b_i ^ b_j.

    Sorted by |b_i^2| descending and padded with zeros to n//2 slots.  Magnitudes within
    8 eps max |b_i| are one cluster (rotations before boosts before null parts); inside a cluster
    of equal squares the planes are not unique, and the canonical ones, pivoted on the coordinate
    axes, are returned, stable under rounding of the input.

    A real split exists if and only if x -> [B, [B, x]] is diagonalisable over the reals on the
    image of B: for every B where q = 0 or p = 0, where p = q = 1, and where r = 0 with p = 1 or
    q = 1; the smallest algebras where it may not are Cl(2,2), Cl(2,1,1) and Cl(1,2,1).

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2).
    blocks : also answer where no real split exists: a complex pair or defective block fills one
        slot, the next is ZERO, and squares are complex.
    complex : split each complex pair into b and its complex conjugate, which are simple: their real
        parts are in `parts`, their imaginary parts in `imaginary`, and squares are complex.
        Defective blocks have no split over the complex numbers either.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Decomposition(parts, squares, kinds); squares beyond the range of the dtype are infinite.
    With complex=True a ComplexDecomposition, a Decomposition that also has `imaginary`.

    Units: |b_i| is a half-angle (rotation) or half-rapidity (boost).

    Raises
    ------
    NotDecomposable with kind "complex pair" (unless complex=True or blocks=True) or "defective"
    (unless blocks=True).  NotSupported on exact backends.

    Error bound: sum, simplicity and commutation within 40 eps max |B| in definite metrics, times
    the squared size of the spectral projectors in others; each plane within 5 eps max |b| / gap.
    With null basis vectors this holds for each number of them in a blade, and max is over the parts
    too: screws of small angle have large translations.  A bivector too near one without a split is
    reported as having none: kernels/planes.py says how near.
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
    check_on_error(on_error)
    if B.algebra.backend == "arb":
        return _certified(B, blocks, complex)
    if B.algebra.backend == "sympy":
        from .symbolic_planes import planes

        if complex:
            raise NotSupported("complex=True needs floats or balls: use A.to(backend='arb')")
        if blocks or complex:
            raise NotSupported("the symbolic decomposition has no blocks and no complex parts")
        return Decomposition(*planes(bivector_part(B)))
    require_floats(B, "invariant_decomposition")
    check_finite(B.coeffs, "coefficients")
    part = bivector_part(B)
    found, imaginary = _found(part, complex)
    refused = [PlaneKind.DEFECTIVE] if complex else [PlaneKind.COMPLEX_PAIR, PlaneKind.DEFECTIVE]
    failed = np.asarray(np.isin(found.kinds, refused).any(axis=-1)) & (not blocks)
    if on_error == "raise" and np.any(failed):
        _raise_not_decomposable(found.kinds, failed)
    values, imaginary = (
        rounded_or_nan(np.where(failed[..., None, None], np.nan, x), B.dtype, on_error, axes=2)
        for x in (upper_triangle(found.parts), upper_triangle(imaginary))
    )
    squares = np.where(failed[..., None], np.nan, found.squares)
    with np.errstate(over="ignore", under="ignore"):
        if blocks or complex:
            squares = squares.astype(np.result_type(B.dtype, np.complex64))
        else:
            squares = squares.real.astype(B.dtype)
    answer = part.replace(part.layout, values), squares, found.kinds
    if not complex:
        return Decomposition(*answer)
    return _complex_decomposition(*answer, part.replace(part.layout, imaginary))


def _complex_decomposition(
    parts: Multivector, squares: Any, kinds: Any, imaginary: Multivector
) -> ComplexDecomposition:
    """The result with its fourth member."""
    result = ComplexDecomposition(parts, squares, kinds)
    result.imaginary = imaginary
    return result


def _certified(B: Multivector, blocks: bool, complex: bool) -> Decomposition:
    """The decomposition in balls."""
    from ..certified.decomposition import certified_decomposition

    parts, squares, kinds, imaginary = certified_decomposition(B, blocks=blocks, complex=complex)
    if not complex:
        return Decomposition(parts, squares, kinds)
    return _complex_decomposition(parts, squares, kinds, imaginary)


def _found(part: Multivector, complex: bool) -> tuple[Any, Any]:
    """Parts as matrices, and their imaginary parts."""
    from ..kernels.complex_parts import split_pairs
    from ..kernels.planes import decompose

    n = part.algebra.n
    found = decompose(antisymmetric(part.coeffs.astype(np.float64), n), part.algebra.metric)
    if not complex:
        return found, np.zeros_like(found.parts)
    return split_pairs(found, np.array(part.algebra.metric, dtype=float))


def _raise_not_decomposable(kinds: Any, failed: Any) -> None:
    defective = np.any(kinds == PlaneKind.DEFECTIVE)
    kind = "defective" if defective else "complex pair"
    remedy = "" if defective else ", or complex=True to split it over the complex numbers"
    indices, count = failing_indices(failed)
    raise NotDecomposable(
        f"expected a sum of commuting real simple bivectors, got {count} bivector(s) with a {kind} "
        "block, which has no real split: pass blocks=True to get the commuting blocks"
        f"{remedy}",
        kind=kind,
        indices=indices,
        count=count,
    )
