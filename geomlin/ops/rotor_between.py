"""The rotor that turns one vector into the direction of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotInImage, NotInvertible
from ..layout import even_layout, grade_layout
from ..operation import operation
from .bivectors import require_floats, vector_part
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import check_operands, with_layout
from .lift import canonical_sign
from .products import geometric_product, outer_product
from .scaling import power_of_two

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 8  # eps of the sum of |terms| below which a square counts as zero
_SPLIT = 2.0**27 + 1  # Veltkamp's constant: halves of 26 bits, whose products are exact
_PIVOT_SLACK = 1e-6  # axes this close to the best one count as equal: the first is taken


@operation
def rotor_between(a: Multivector, b: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Rotor that turns the direction of one vector into that of another, in their plane.

    R a ~R = |a| / |b| b.  With u = a/|a|, v = b/|b|, s = u^2 = v^2 and c = s u.v:
    R = R_0 + s v ^ u / (2 R_0), R_0 = sqrt((1 + c)/2), and 1 + c = -(v ^ u)^2 / (1 - c) if c < 0.

    If u and v are antiparallel, or no rotor of their plane will do (c <= -1), the half turn from u
    to -u comes first, in the plane of u and x: x is the first axis e_i with g_i = s whose
    coefficient |u_i| is smallest up to 1e-6, made orthogonal to u within the axes of that sign.

    Parameters
    ----------
    a, b : vectors, coeffs (..., n), a^2 b^2 > 0; batches broadcast.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)); the scalar part is >= 0, and where it is
    0 the first of the largest coefficients is positive.

    Units: none; lengths do not matter, only directions.

    Raises
    ------
    NotInvertible if a or b is zero or null, as far as rounding can tell.  NotInImage with reason
    "square" if a^2 b^2 < 0, and "component" if b lies opposite to a and only one axis has the sign
    of a^2 (opposite light cones).  Undecided over balls that straddle
    one of these cases; NotSupported on fractions and flint: the entries are square roots.

    Error bound: 8 eps of each coefficient at every angle in definite metrics, at rotations by 1e-9
    and pi - 1e-9 too, because the minors a_i b_j - a_j b_i are exact to two roundings; times
    |a|^2 / |a^2| in others.  Gradient: smooth for c > -1.

    References
    ----------
    [1] T. J. Dekker, "A floating-point technique for extending the available precision",
        Numer. Math. 18 (1971) 224-242.

    Examples
    --------
    >>> from geomlin import Algebra, rotor_between
    >>> alg = Algebra(3)
    >>> e1, e2, e3 = alg.basis_vectors
    >>> print(rotor_between(e1, alg.vector([1, 1e-9, 0])))   # acos would lose eight digits
    1.0 − 5e-10 e₁₂
    >>> print(rotor_between(e1, -e1))
    e₁₂
    """
    check_on_error(on_error)
    check_operands(a, b)
    if a.algebra.backend in ("arb", "sympy"):
        from .rotor_between_exact import rotor_between_exactly

        return rotor_between_exactly(vector_part(a), vector_part(b), on_error)
    require_floats(a, "rotor_between")
    metric = np.array(a.algebra.metric, dtype=float)
    x, y = np.broadcast_arrays(_scaled(a), _scaled(b))
    squares = (_square(x, metric), _square(y, metric))
    failed = _check_squares(*squares, on_error)
    x, y = (np.where(failed[..., None], _invertible(metric), z) for z in (x, y))
    values, opposite = _in_plane(x, y, metric)
    alone = opposite & (_axes_of_sign(x, metric).sum(axis=-1) < 2)
    failed = failed | _check_cones(alone, on_error)
    dtype = np.result_type(a.dtype, b.dtype)
    redo = opposite & ~failed
    if np.any(redo):
        values[redo] = _through_half_turn(a, x[redo], y[redo])
    values[failed] = np.nan
    return a.replace(even_layout(a.algebra.n), rounded_or_nan(values + 0.0, dtype, on_error))


def _scaled(a: Multivector) -> Any:
    """Coefficients of a vector in float64, times the power of two that brings them near one."""
    coeffs = vector_part(a).coeffs.astype(np.float64)
    check_finite(coeffs, "coefficients")
    return coeffs / power_of_two(coeffs)[..., None]


def _square(x: Any, metric: Any) -> Any:
    """x^2, exactly zero where rounding cannot tell it from zero."""
    square = (metric * x * x).sum(axis=-1)
    limit = _ROUNDINGS * np.finfo(np.float64).eps * (np.abs(metric) * x * x).sum(axis=-1)
    return np.where(np.abs(square) <= limit, 0.0, square)


def _invertible(metric: Any) -> Any:
    """A stand-in for vectors that have failed: the first axis, whatever its square."""
    return np.eye(len(metric))[0]


def _check_squares(first: Any, second: Any, on_error: OnError) -> Any:
    """Null vectors and vectors of unequal sign; raises for them unless NaN is wanted."""
    null = (first == 0) | (second == 0)
    unequal = ~null & ((first < 0) != (second < 0))
    if on_error == "raise" and np.any(null):
        indices, count = failing_indices(null)
        raise NotInvertible(
            f"expected vectors with a^2 != 0, got {count} pair(s) with a zero or null one: a null "
            "vector has no unit multiple, and no rotor is singled out",
            indices=indices,
            count=count,
        )
    if on_error == "raise" and np.any(unequal):
        indices, count = failing_indices(unequal)
        raise NotInImage(
            f"expected a^2 b^2 > 0, got {count} pair(s) with squares of opposite sign: rotors "
            "preserve the square of a vector",
            reason="square",
            indices=indices,
            count=count,
        )
    return np.asarray(null | unequal)


def _check_cones(alone: Any, on_error: OnError) -> Any:
    """Opposite vectors with no second axis of their sign; raises for them unless NaN is wanted."""
    if on_error == "raise" and np.any(alone):
        indices, count = failing_indices(alone)
        raise NotInImage(
            f"expected vectors in one light cone, got {count} pair(s) in opposite ones: no rotor "
            "exchanges them; turn b around",
            reason="component",
            indices=indices,
            count=count,
        )
    return np.asarray(alone)


def _axes_of_sign(x: Any, metric: Any) -> Any:
    """The axes e_i whose square has the sign of x^2."""
    square = (metric * x * x).sum(axis=-1)
    return metric == np.where(square < 0, -1.0, 1.0)[..., None]


def _exact_product(x: Any, y: Any) -> tuple[Any, Any]:
    """Dekker's x y = product + error, exactly, for sizes far from overflow and underflow."""
    product = x * y
    big_x, big_y = _SPLIT * x, _SPLIT * y
    high_x, high_y = big_x - (big_x - x), big_y - (big_y - y)
    low_x, low_y = x - high_x, y - high_y
    error = ((high_x * high_y - product) + high_x * low_y + low_x * high_y) + low_x * low_y
    return product, error


def _wedge(x: Any, y: Any) -> Any:
    """Coefficients x_i y_j - x_j y_i, i < j, of x ^ y, each to two roundings of itself."""
    rows, columns = np.triu_indices(x.shape[-1], 1)
    first, first_error = _exact_product(x[..., rows], y[..., columns])
    second, second_error = _exact_product(x[..., columns], y[..., rows])
    return (first - second) + (first_error - second_error)


def _in_plane(x: Any, y: Any, metric: Any) -> tuple[Any, Any]:
    """Even coefficients of R in the plane of x and y, and where there is none."""
    n = x.shape[-1]
    rows, columns = np.triu_indices(n, 1)
    squares = [(metric * z * z).sum(axis=-1) for z in (x, y)]
    sign = np.where(squares[0] < 0, -1.0, 1.0)
    size = np.sqrt(np.abs(squares[0])) * np.sqrt(np.abs(squares[1]))
    size = np.where(size > 0, size, 1.0)
    plane = -sign[..., None] * _wedge(x, y) / size[..., None]
    plane_square = -(metric[rows] * metric[columns] * plane * plane).sum(axis=-1)
    cosine = sign * (metric * x * y).sum(axis=-1) / size
    opposite = (cosine < 0) & (plane_square >= 0)
    obtuse = (cosine < 0) & ~opposite
    far = np.where(obtuse, cosine, 0.0)
    one_more = np.where(obtuse, -plane_square / (1.0 - far), 1.0 + np.maximum(cosine, 0.0))
    scalar = np.sqrt(0.5 * one_more)
    values = np.zeros((*scalar.shape, even_layout(n).size))
    values[..., 0] = scalar
    values[..., 1 : 1 + len(rows)] = plane / (2.0 * scalar)[..., None]
    return values, opposite


def _through_half_turn(like: Multivector, x: Any, y: Any) -> Any:
    """Coefficients of the half turn from x to -x followed by the rotor from -x to y, of the sign
    that makes the scalar part positive, or zero and then the largest coefficient."""
    n, metric = like.algebra.n, np.array(like.algebra.metric, dtype=float)
    vectors = grade_layout(n, 1)
    axes = _axes_of_sign(x, metric)
    inner = np.where(axes, x, 0.0)
    length = np.sqrt((inner * inner).sum(axis=-1, keepdims=True))
    unit = inner / length
    sizes = np.where(axes, np.abs(unit), np.inf)
    pivot = np.argmax(sizes <= sizes.min(axis=-1, keepdims=True) + _PIVOT_SLACK, axis=-1)
    orthogonal = np.eye(n)[pivot] - np.take_along_axis(unit, pivot[..., None], axis=-1) * unit
    orthogonal = orthogonal / np.sqrt((orthogonal * orthogonal).sum(axis=-1, keepdims=True))
    direction = x / np.sqrt(np.abs((metric * x * x).sum(axis=-1, keepdims=True)))
    half_turn = outer_product(like.replace(vectors, direction), like.replace(vectors, orthogonal))
    onwards = like.replace(even_layout(n), _in_plane(-x, y, metric)[0])
    product = with_layout(geometric_product(onwards, half_turn), even_layout(n)).coeffs
    scalar = product[..., :1]
    return np.where(scalar == 0, canonical_sign(product), np.where(scalar < 0, -product, product))
