"""Rotors for people: from a plane and a rotation angle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotDecomposable, NotInvertible
from ..operation import operation
from .bivectors import antisymmetric, bivector_part, require_floats, vector_part
from .exponential import exp
from .failures import OnError, check_on_error, failing_indices
from .grades import check_operands
from .predicates import is_simple, largest
from .products import outer_product, scalar_product
from .scaling import power_of_two

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 64  # eps below which a difference of products counts as zero


@operation
def rotor_in_plane(
    a: Multivector, b: Multivector, rotation_angle: Any, *, on_error: OnError = "raise"
) -> Multivector:
    """Rotor that turns a towards b by a rotation angle, in the plane of a and b.

    R = exp(-s t/2 B/|B|), B = a ^ b, s = sign(a^2); for a plane with B^2 > 0 it is the boost by
    the rapidity t.

    Parameters
    ----------
    a, b : vectors, coeffs (..., n), a^2 != 0, spanning a plane with (a ^ b)^2 != 0.
    rotation_angle : t in radians, array of the batch shape or one number.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Units: t is the rotation angle, not the half-angle.

    Raises
    ------
    NotInvertible for parallel vectors, null a, or null planes, as far as rounding can tell;
    LayoutError if a or b is no vector.

    Error bound: 8 eps |t|, times |a||b|/|a ^ b|.  Gradient: smooth where defined.

    Examples
    --------
    >>> from math import pi
    >>> from geomlin import Algebra, rotor_in_plane, sandwich
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> image = sandwich(rotor_in_plane(e1, e1 + e2, pi / 2), e1)   # to e2, a quarter turn
    >>> image.grade(1).coeffs.round(12) + 0.0
    array([0., 1., 0.])
    """
    check_on_error(on_error)
    require_floats(a, "rotor_in_plane")
    check_operands(a, b)
    u, v = _near_one(vector_part(a)), _near_one(vector_part(b))
    plane = outer_product(u, v)
    square = scalar_product(u, u).coeffs[..., 0]
    failed = _zero(square, largest(u.coeffs) ** 2, "a vector with a^2 != 0", on_error)
    size = largest(u.coeffs) * largest(v.coeffs)
    failed = failed | _zero(largest(plane.coeffs), size, "vectors that span a plane", on_error)
    return _turned(plane, failed, -0.5 * np.sign(square), rotation_angle, on_error)


@operation
def rotor_from_plane(
    B: Multivector, rotation_angle: Any, *, on_error: OnError = "raise"
) -> Multivector:
    """Rotor that turns by a rotation angle in the oriented plane of a simple bivector.

    R = exp(-s t/2 B/|B|); for B = u ^ v it turns u towards v.  s is the sign of the metric in the
    plane, +1 if the plane is not definite.

    Parameters
    ----------
    B : simple bivector, coeffs (..., n(n-1)/2), B^2 != 0.
    rotation_angle : t in radians (a rapidity if B^2 > 0), of the batch shape or one number.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Units: t is the rotation angle, not the half-angle.

    Raises
    ------
    NotDecomposable if B is not simple; NotInvertible if B^2 = 0.

    Error bound: 8 eps |t|.  Gradient: smooth where defined.

    Examples
    --------
    >>> from math import pi
    >>> from geomlin import Algebra, rotor_from_plane, sandwich
    >>> alg = Algebra(2)
    >>> R = rotor_from_plane(3 * alg.blade("e12"), pi / 2)
    >>> sandwich(R, alg.blade("e1")).coeffs.round(12) + 0.0         # e1 goes to +e2
    array([0., 1.])
    """
    check_on_error(on_error)
    require_floats(B, "rotor_from_plane")
    part = _near_one(bivector_part(B))
    simple = np.asarray(is_simple(part))
    if on_error == "raise" and not simple.all():
        indices, count = failing_indices(~simple)
        raise NotDecomposable(
            f"expected a simple bivector u ^ v, got {count} compound one(s): a compound bivector "
            "has several planes; split it with invariant_decomposition(B)",
            kind="not simple",
            indices=indices,
            count=count,
        )
    return _turned(part, ~simple, -0.5 * _plane_sign(part), rotation_angle, on_error)


def _near_one(a: Multivector) -> Multivector:
    """Scaled by a power of two to coefficients near one: only the direction matters here."""
    return a.replace(a.layout, a.coeffs / power_of_two(a.coeffs)[..., None])


def _zero(values: Any, scale: Any, expected: str, on_error: OnError) -> Any:
    """Where |values| is zero or rounding of terms of size `scale`; NotInvertible unless NaN is
    wanted."""
    zero = np.abs(values) <= _ROUNDINGS * np.finfo(values.dtype).eps * scale
    if on_error == "raise" and np.any(zero):
        indices, count = failing_indices(zero)
        raise NotInvertible(
            f"expected {expected}, got {count} without, up to rounding: no angle is defined there",
            indices=indices,
            count=count,
        )
    return zero


def _turned(
    plane: Multivector, failed: Any, factor: Any, rotation_angle: Any, on_error: OnError
) -> Multivector:
    """exp(factor * rotation_angle * B / sqrt|B^2|) in the dtype of B; NaN where it has failed."""
    scale = largest(plane.coeffs)
    failed = failed | _zero(scale, 0.0 * scale, "a plane", on_error)
    plane = plane.replace(plane.layout, plane.coeffs / np.where(scale > 0, scale, 1)[..., None])
    square = scalar_product(plane, plane).coeffs[..., 0]
    expected = "a plane with B^2 != 0, not a null plane"
    failed = failed | _zero(square, np.ones_like(square), expected, on_error)
    angle = plane.algebra.scalar(rotation_angle, like=plane)
    check_operands(plane, angle)
    length = np.sqrt(np.abs(np.where(failed, 1.0, square)))
    size = (factor * angle.coeffs[..., 0] / length).astype(plane.dtype)
    turned = exp(plane.replace(plane.layout, plane.coeffs * size[..., None]), on_error=on_error)
    if not np.any(failed):
        return turned
    failed = np.broadcast_to(failed, turned.shape)[..., None]
    return turned.replace(turned.layout, np.where(failed, turned.dtype.type(np.nan), turned.coeffs))


def _plane_sign(plane: Multivector) -> Any:
    """Sign of the metric in a definite plane, from the trace of b G b^T; +1 otherwise."""
    b = antisymmetric(plane.coeffs.astype(np.float64), plane.algebra.n)
    g = np.array(plane.algebra.metric, dtype=np.float64)
    trace = np.einsum("...ij,j,...ij->...", b, g, b)
    elliptic = scalar_product(plane, plane).coeffs[..., 0] < 0
    return np.where(elliptic & (trace < 0), -1.0, 1.0)
