"""The Cayley transform between bivectors and rotors, and its inverse."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotARotor, NotInImage, NotInvertible
from ..layout import even_layout, grade_layout
from ..operation import operation
from .bivectors import antisymmetric, bivector_part, from_compact
from .exponential import outer_exp
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import odd, with_layout
from .norms import norm_squared
from .predicates import is_rotor, is_versor, largest, scaled_double

if TYPE_CHECKING:
    from ..multivector import Multivector

_SMALLEST_SCALAR = 2.0**-900  # R_0 with all its digits, also times small coefficients
_PARITY_TOLERANCE = 1e-6  # relative size of an odd part that is rounding
_NO_DIGITS = 4.0  # in eps max |R|: a scalar part below it has no correct digit


@operation
def cayley(B: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Cayley transform of a bivector: the rotor with matrix (I + bG)(I - bG)^-1.

    cayley(B) = outer_exp(B) / sqrt(det(I - bG)), B = sum_(i<j) b_ij e_i e_j, G the metric; for a
    simple B it is (1 + B) / sqrt(1 - B^2).  Inverse: B = <R>_2 / <R>_0.

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2), any size.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)), with positive scalar part.

    Units: the plane part tan(beta) e12 turns by 2 beta, tanh(beta) e12 in a mixed plane boosts.

    Raises
    ------
    NotInvertible if det(I - bG) = 0, or for floats if its rounding error may reach its size: B is
    at the light cone of a boost plane.  NotInImage with reason "component" if det(I - bG) < 0: the
    matrix is an isometry, but outside the identity component, and R ~R would be -1.  Both need
    p, q >= 1.  RapidityOverflow if a coefficient with null vectors exceeds the range of the dtype.
    NotSupported if the root is irrational on an exact backend; symbolic determinants are taken as
    positive.

    Error bound: 4 eps kappa, kappa the componentwise condition number, at each number of null
    vectors relative to its own largest coefficient; R_0 and <R>_2 = R_0 B have relative accuracy.
    Gradient: smooth where defined.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 17.3.

    Examples
    --------
    >>> from geomlin import Algebra, cayley
    >>> R = cayley(Algebra(6).bivector({"e12": 1, "e34": 1, "e56": 1}))
    >>> print(round(R["e123456"] / R["1"], 12))     # (1 + B)(1 - B)^-1 would be no rotor here
    1.0
    """
    check_on_error(on_error)
    part = bivector_part(B)
    if part.algebra.backend_object.exact:
        return _exact_cayley(part)
    check_finite(part.coeffs, "coefficients")
    n, batch = part.algebra.n, part.shape
    b = antisymmetric(part.coeffs.astype(np.float64), n).reshape(prod(batch), n, n)
    values, error_size, sign = _float_cayley(b, part.algebra.metric)
    singular = (error_size >= 1.0).reshape(batch)
    values = from_compact(values, n).reshape(*batch, 1 << n >> 1)
    failed = _check_determinant(singular, (sign < 0).reshape(batch), on_error)
    values[failed] = np.nan
    return part.replace(even_layout(n), rounded_or_nan(values, part.dtype, on_error))


def _float_cayley(b: Any, metric: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """outer_exp(B) / sqrt|det(I - bG)| in kernel order, for a flat batch (m, n, n); the relative
    error of the determinant, and its sign.

    outer_exp(B) = c outer_exp(t) E_P with entries of t up to 1, where its Pfaffians do not cancel.
    R_P has the sign of c and R_0 = R_P / c, from which R_0 and <R>_2 = R_0 B get relative accuracy.
    """
    from ..kernels.bits import even_masks
    from ..kernels.pfaffian import assemble, pivoted_parameter

    n, m = len(metric), sum(1 for g in metric if g)
    pivot, t, mantissa, exponent = pivoted_parameter(b, metric)
    lost = ~np.isfinite(t).all(axis=(-1, -2))
    t[lost] = 0.0
    t, shifts = _with_small_null_entries(t, m)
    scale, error_size, sign = None, np.zeros(len(b)), np.ones(len(b))
    if len({g for g in metric if g}) > 1:
        g = np.array(metric[:m], dtype=float)
        sign, error_size = _determinant(b[:, :m, :m], g)
        unit = np.abs(np.linalg.det(np.eye(m) - t[:, :m, :m] * g))
        scale = 1.0 / np.sqrt(np.where((error_size < 1.0) & (unit > 0), unit, 1.0))
    values = assemble(pivot, t, metric, scale)
    largest = np.take_along_axis(values, pivot[:, None] >> 1, axis=1)[:, 0]
    with np.errstate(over="ignore", under="ignore"):
        nulls = np.bitwise_count(even_masks(n) >> m).astype(int)
        values = np.ldexp(values * np.sign(mantissa)[:, None], shifts[:, None] * nulls)
        scalar = np.ldexp(largest / np.abs(mantissa), -exponent)
        known = scalar > _SMALLEST_SCALAR
        planes = np.flatnonzero(np.bitwise_count(even_masks(n)) == 2)
        low, high = _axes(even_masks(n)[planes])
        values[known, 0] = scalar[known]
        values[np.ix_(known, planes)] = scalar[known, None] * b[known][:, low, high]
    values[lost] = np.inf
    return values, error_size, sign


def _axes(pairs: Any) -> tuple[Any, Any]:
    """The two axes of masks with two members."""
    high = np.frexp(pairs.astype(float))[1] - 1
    return np.frexp((pairs ^ (1 << high)).astype(float))[1] - 1, high


def _with_small_null_entries(t: Any, m: int) -> tuple[Any, Any]:
    """t with its null vectors scaled by 2^-k so that their entries are below 1, and k."""
    mixed, null = (
        np.frexp(np.abs(x).max(axis=(-1, -2), initial=0.0))[1] for x in (t[:, :m, m:], t[:, m:, m:])
    )
    shifts = np.maximum(mixed, (null + 1) // 2)
    degrees = (np.arange(t.shape[-1]) >= m).astype(int)
    return np.ldexp(t, -shifts[:, None, None] * (degrees[:, None] + degrees)), shifts


def _determinant(b: Any, g: Any) -> tuple[Any, Any]:
    """Sign of det K, K = I - bG, and n eps sum_ij |M_ij (K^-1)_ji|, M = bG.

    The sum is the condition number of det K with respect to the coefficients of B.
    """
    from ..kernels.pfaffian import solve

    n = len(g)
    matrix = b * g
    system = np.eye(n) - matrix
    sign, _ = np.linalg.slogdet(system)
    inverse = solve(system, np.broadcast_to(np.eye(n), system.shape))
    with np.errstate(invalid="ignore", over="ignore"):
        condition = np.abs(matrix * np.swapaxes(inverse, -1, -2)).sum(axis=(-1, -2))
    unknown = (sign == 0) | ~np.isfinite(condition)
    return sign, np.where(unknown, np.inf, n * np.finfo(np.float64).eps * condition)


def _check_determinant(singular: Any, negative: Any, on_error: OnError) -> Any:
    """Elements without an answer; raises for them unless NaN is wanted."""
    negative = negative & ~singular
    if on_error == "raise" and np.any(singular):
        indices, count = failing_indices(singular)
        raise NotInvertible(
            f"expected det(I - bG) != 0, got {count} bivector(s) where it is zero or lost in "
            "rounding: a boost plane with |B| = 1 is an infinite boost; scale B down",
            indices=indices,
            count=count,
        )
    if on_error == "raise" and np.any(negative):
        indices, count = failing_indices(negative)
        raise NotInImage(
            f"expected det(I - bG) > 0, got {count} bivector(s) with a negative one: the isometry "
            "(I + bG)(I - bG)^-1 reverses both orientations, and no rotor maps to it; a boost "
            "plane needs |B| < 1",
            reason="component",
            indices=indices,
            count=count,
        )
    return singular | negative


def _exact_cayley(part: Multivector) -> Multivector:
    """outer_exp(B) over the exact root of its norm; signs are decided where numbers have one."""
    backend = part.algebra.backend_object
    rotor = outer_exp(part)
    square = norm_squared(rotor).coeffs
    zero = backend.is_zero(square[..., 0])
    negative = np.frompyfunc(_is_negative, 1, 1)(square[..., 0])
    _check_determinant(np.asarray(zero), np.asarray(negative, dtype=bool), "raise")
    return rotor.replace(rotor.layout, backend.divide(rotor.coeffs, backend.sqrt(square)))


def _is_negative(x: Any) -> bool:
    """Whether an exact number is known to be negative; symbols and polynomials are not."""
    try:
        return bool(x < 0)
    except TypeError:  # the order of symbols is not known, and polynomials have none
        return False


@operation
def cayley_inverse(R: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Cayley parameter of a rotor: the bivector whose Cayley transform it is, up to sign.

    cayley_inverse(R) = <R>_2 / <R>_0; all multiples of R, one rotation, have the same parameter, so
    that outer_exp(B) = 1 + B + .. has B.

    Parameters
    ----------
    R : rotor or a multiple of one (even versor, R ~R > 0), coeffs (..., size), with R_0 != 0.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector in the bivector layout, coeffs (..., n(n-1)/2).

    Units: exp(beta e12) has the parameter tan(beta) e12, beta the half-angle.

    Raises
    ------
    NotInvertible if R_0 = 0, or |R_0| <= 4 eps max |R| where no digit would be right: the rotation
    has the eigenvalue -1, as half turns have, and is outside the Cayley chart.
    NotARotor if R is no multiple of a rotor; RapidityOverflow beyond the range of the dtype.

    Error bound: 2 eps of each coefficient for the stored R; the parameter of a rotor with rounded
    coefficients is conditioned as max |R| / |R_0|.  Gradient: (<dR>_2 - B <dR>_0) / R_0.

    Examples
    --------
    >>> from geomlin import Algebra, cayley_inverse
    >>> alg = Algebra(2)
    >>> cayley_inverse(alg.even({"1": 0.6, "e12": 0.8})).coeffs.round(12)
    array([1.33333333])
    >>> print(cayley_inverse(alg.even({"1": 0, "e12": 1}), on_error="nan")["e12"])  # a half turn
    nan
    """
    check_on_error(on_error)
    backend = R.algebra.backend_object
    if not backend.exact:
        check_finite(R.coeffs, "coefficients")
    foreign = ~_is_scaled_rotor(R)
    strict = on_error == "raise" or backend.exact  # exact numbers have no NaN
    if strict and np.any(foreign):
        indices, count = failing_indices(foreign)
        raise NotARotor(
            f"expected even versors with R ~R > 0, got {count} other element(s): no rotation "
            "corresponds to them; see is_versor(R)",
            indices=indices,
            count=count,
        )
    scalar = with_layout(R, grade_layout(R.algebra.n, 0)).coeffs
    outside = _outside_chart(R, scalar)
    if strict and np.any(outside):
        indices, count = failing_indices(outside)
        raise NotInvertible(
            f"expected a rotor with scalar part != 0, got {count} without: the rotation has the "
            "eigenvalue -1 (a half turn) and no Cayley parameter; use log(R)",
            indices=indices,
            count=count,
        )
    plane = with_layout(R, grade_layout(R.algebra.n, 2))
    if backend.exact:
        return plane.replace(plane.layout, backend.divide(plane.coeffs, scalar))
    failed = outside | foreign
    with np.errstate(over="ignore", under="ignore"):
        values = plane.coeffs.astype(np.float64) / np.where(failed[..., None], 1.0, scalar)
    values[failed] = np.nan
    return plane.replace(plane.layout, rounded_or_nan(values, R.dtype, on_error))


def _is_scaled_rotor(r: Multivector) -> Any:
    """Where R is a number times a rotor; of symbols R ~R is taken as positive."""
    found = np.asarray(is_rotor(r))
    if found.all():
        return found
    scaled, _ = scaled_double(r)
    square = norm_squared(scaled).coeffs[..., 0]
    odd_part = odd(scaled).coeffs
    if r.algebra.backend_object.exact:
        negative = np.asarray(np.frompyfunc(_is_negative, 1, 1)(square), dtype=bool)
        is_even = r.algebra.backend_object.is_zero(odd_part).all(axis=-1)
    else:
        negative = square < 0
        is_even = largest(odd_part) <= _PARITY_TOLERANCE * largest(scaled.coeffs)
    return found | (np.asarray(is_versor(r)) & is_even & ~negative)


def _outside_chart(r: Multivector, scalar: Any) -> Any:
    """Where R_0 is zero, as far as rounding can tell."""
    if r.algebra.backend_object.exact:
        return np.asarray(r.algebra.backend_object.is_zero(scalar[..., 0]))
    limit = _NO_DIGITS * np.finfo(r.dtype).eps * largest(r.coeffs.astype(np.float64))
    return np.asarray(np.abs(scalar[..., 0].astype(np.float64)) <= limit)
