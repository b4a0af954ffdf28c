"""Rotors as products of commuting simple rotors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NotDecomposable
from ..layout import even_layout
from ..operation import operation, returns
from .bivectors import require_floats
from .decomposition import invariant_decomposition
from .exponential import exp
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import with_layout
from .interpolation import working_logarithm
from .involutions import reverse
from .products import geometric_product, scalar_product

if TYPE_CHECKING:
    from ..multivector import Multivector


class RotorDecomposition(NamedTuple):
    """Commuting simple rotors whose product is a rotor.

    rotors : Multivector in the even layout, batch shape (..., n//2).
    squares : array (..., n//2), b_k^2 where R_k = exp(b_k), up to the sign of R_1.
    kinds : int8 array (..., n//2) of PlaneKind; -1 where R has no logarithm, and where it is NaN in
        a traced graph.
    """

    rotors: Multivector
    squares: Any
    kinds: Any


@operation
@returns(RotorDecomposition)
def rotor_decomposition(R: Multivector, *, on_error: OnError = "raise") -> RotorDecomposition:
    """Split of a rotor into commuting simple rotors, one for each invariant plane.

    R = R_1 R_2 .. R_k,  R_i R_j = R_j R_i,  R_i = c_i + s_i with a number c_i and a simple s_i.

    The planes are those of log(R, up_to_sign=True): R_i = exp(b_i) turns by a half-angle of pi/2 at
    most.  If the product is -R, the sign goes into R_1.  So half turns, and rotors near the cut of
    the logarithm, have a split that is as accurate as any.  Order, and the canonical planes of
    equal angles, are those of invariant_decomposition; missing planes have the rotor 1.

    Parameters
    ----------
    R : rotor, coeffs (..., size).
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    RotorDecomposition(rotors, squares, kinds).

    Units: |b_i| is a half-angle (rotation) or half-rapidity (boost).

    Raises
    ------
    NoRealLogarithm if neither R nor -R is an exponential; NotDecomposable with kind "complex pair"
    or "defective" as invariant_decomposition, and with kind "no plane" for R = -1 in Cl(1), where
    the sign has no place; NotARotor if R is no rotor; NotSupported on exact backends.

    Error bound: product and commutation within 40 eps in definite metrics, times the squared size
    of the spectral projectors in others.
    Gradient: exists where the squares are distinct, and grows as 1 / gap.

    References
    ----------
    [1] M. Roelfs and S. De Keninck, "Graded symmetry groups: plane and simple",
        Adv. Appl. Clifford Algebras 33 (2023) 30, section 8.

    Examples
    --------
    >>> from geomlin import Algebra, rotor_decomposition
    >>> half_turns = Algebra(4).even({"e1234": -1})     # no scalar part and no bivector part
    >>> rotors, squares, kinds = rotor_decomposition(half_turns)
    >>> (rotors[0] * rotors[1])["e1234"].round(12)
    np.float64(-1.0)
    """
    check_on_error(on_error)
    require_floats(R, "rotor_decomposition")
    check_finite(R.coeffs, "coefficients")
    generator = working_logarithm(R, R.dtype, on_error, up_to_sign=True)
    missing = np.isnan(generator.coeffs).any(axis=-1)
    values = np.where(missing[..., None], 0.0, generator.coeffs)
    parts, squares, kinds = invariant_decomposition(
        generator.replace(generator.layout, values), on_error=on_error
    )
    broken = np.isnan(parts.coeffs).any(axis=(-1, -2))
    clean = np.where(broken[..., None, None], 0.0, parts.coeffs)
    rotors = _simple(exp(parts.replace(parts.layout, clean)))
    signed, homeless = _signed(rotors, R)
    failed = missing | broken | _check_homeless(homeless & ~missing & ~broken, on_error)
    signed[failed] = np.nan
    with np.errstate(over="ignore", under="ignore"):
        squares = np.where(failed[..., None], np.nan, squares).astype(R.dtype)
    found = rotors.replace(rotors.layout, rounded_or_nan(signed, R.dtype, on_error))
    known = np.where(missing[..., None], np.int8(-1), kinds)
    return RotorDecomposition(found, squares, known)


def _simple(rotors: Multivector) -> Multivector:
    """Without grades above 2: parts that are simple up to rounding give exactly simple rotors."""
    kept = rotors.layout.grade_array <= 2
    return rotors.replace(rotors.layout, np.where(kept, rotors.coeffs, 0.0))


def _signed(rotors: Multivector, r: Multivector) -> tuple[Any, Any]:
    """Coefficients of the rotors with the sign of R in the first, and where there is no first."""
    n, count = r.algebra.n, rotors.shape[-1]
    product = r.algebra.scalar(np.ones(r.shape))
    for k in range(count):
        factor = rotors.replace(rotors.layout, rotors.coeffs[..., k, :])
        product = with_layout(geometric_product(product, factor), even_layout(n))
    opposite = scalar_product(product, reverse(r)).coeffs[..., 0] < 0
    values = np.array(rotors.coeffs)
    if count == 0:
        return values, opposite
    values[..., 0, :] = np.where(opposite[..., None], -values[..., 0, :], values[..., 0, :])
    return values, np.zeros(r.shape, dtype=bool)


def _check_homeless(homeless: Any, on_error: OnError) -> Any:
    """Rotors -1 of an algebra without planes; raises for them unless NaN is wanted."""
    if on_error == "raise" and np.any(homeless):
        indices, count = failing_indices(homeless)
        raise NotDecomposable(
            f"expected a product of rotors of planes, got {count} times -1 in an algebra that has "
            "no plane: only 1 is such a product there",
            kind="no plane",
            indices=indices,
            count=count,
        )
    return homeless
