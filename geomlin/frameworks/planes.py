"""Rotors from planes, and between vectors, for torch and jax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotDecomposable, NotInImage, NotInvertible, NotSupported
from ..layout import even_layout
from ..ops.exponential import exp
from ..ops.failures import OnError, check_on_error
from ..ops.grades import check_operands
from ..ops.products import outer_product
from .closed_form import weighted_square
from .predicates import is_simple, size_of
from .support import backend_of, closed, opened, power_of_two, single_grade, without

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 64  # eps below which a difference of products counts as zero


def _nothing(expected: str) -> Any:
    """The error for elements that are zero up to rounding where something else is needed."""

    def error(indices: list[tuple[int, ...]], count: int) -> NotInvertible:
        return NotInvertible(
            f"expected {expected}, got {count} without, up to rounding: no angle is defined there",
            indices=indices,
            count=count,
        )

    return error


def _scaled(a: Multivector) -> Any:
    """Coefficients over a power of two: only the direction matters here."""
    xp, values = backend_of(a), opened(a)
    return values / power_of_two(xp, size_of(xp, values))[..., None]


def _metric(xp: Any, a: Multivector, like: Any) -> Any:
    return xp.constant(np.array(a.algebra.metric, dtype=float), like)


def rotor_in_plane(
    a: Multivector, b: Multivector, rotation_angle: Any, *, on_error: OnError = "raise"
) -> Multivector:
    """See geomlin.rotor_in_plane."""
    check_on_error(on_error)
    check_operands(a, b)
    xp = backend_of(a)
    u, v = (_vector(x) for x in (a, b))
    plane = outer_product(u, v)
    square = (u.coeffs * u.coeffs * _metric(xp, a, u.coeffs)).sum(-1)
    limit = _ROUNDINGS * xp.epsilon(u.dtype)
    values = plane.coeffs
    flat = size_of(xp, plane.coeffs) <= limit * size_of(xp, u.coeffs) * size_of(xp, v.coeffs)
    null = (xp.lib.abs(square) <= limit * size_of(xp, u.coeffs) ** 2) | xp.lib.zeros_like(flat)
    values = without(xp, null, values, _nothing("a vector with a^2 != 0"), on_error)
    values = without(xp, flat, values, _nothing("vectors that span a plane"), on_error)
    sign = xp.where(square < 0, -1.0, xp.lib.ones_like(square))
    turned = plane.replace(plane.layout, values)
    return _turned(a, turned, -0.5 * sign, rotation_angle, on_error)


def _vector(a: Multivector) -> Multivector:
    part = single_grade(a, 1)
    return part.replace(part.layout, _scaled(part))


def rotor_from_plane(
    B: Multivector, rotation_angle: Any, *, on_error: OnError = "raise"
) -> Multivector:
    """See geomlin.rotor_from_plane."""
    check_on_error(on_error)
    xp, n = backend_of(B), B.algebra.n
    part = single_grade(B, 2)
    flags = is_simple(part)
    simple = flags if hasattr(flags, "ndim") else xp.constant(np.array(flags), part.coeffs)

    def error(indices: list[tuple[int, ...]], count: int) -> NotDecomposable:
        return NotDecomposable(
            f"expected a simple bivector u ^ v, got {count} compound one(s): a compound bivector "
            "has several planes; split it with invariant_decomposition(B)",
            kind="not simple",
            indices=indices,
            count=count,
        )

    values = without(xp, ~simple, _scaled(part), error, on_error)
    rows, columns = np.triu_indices(n, 1)
    g = np.array(B.algebra.metric, dtype=float)
    trace = weighted_square(xp, values, g[rows] + g[columns])
    elliptic = weighted_square(xp, values, -g[rows] * g[columns]) < 0
    sign = xp.where(elliptic & (trace < 0), -1.0, xp.lib.ones_like(trace))
    turned = part.replace(part.layout, values)
    return _turned(B, turned, -0.5 * sign, rotation_angle, on_error)


def _turned(
    like: Multivector, plane: Multivector, factor: Any, rotation_angle: Any, on_error: OnError
) -> Multivector:
    """exp(factor * rotation_angle * B / sqrt|B^2|), NaN where B is."""
    xp, n = backend_of(plane), plane.algebra.n
    rows, columns = np.triu_indices(n, 1)
    g = np.array(plane.algebra.metric, dtype=float)
    values = plane.coeffs
    size = size_of(xp, xp.detach(values))
    values = values / xp.where(size == 0, 1.0, size)[..., None]
    square = weighted_square(xp, values, -g[rows] * g[columns])
    null = xp.lib.abs(xp.detach(square)) <= _ROUNDINGS * xp.epsilon(values.dtype)
    expected = "a plane with B^2 != 0, not a null plane"
    values = without(xp, null, values, _nothing(expected), on_error)
    given = plane.algebra.scalar(rotation_angle, like=plane)
    check_operands(plane, given)
    angle = given.coeffs[..., 0]
    root = xp.lib.sqrt(xp.lib.abs(xp.where(null, 1.0, square)))
    generator = plane.replace(plane.layout, (factor * angle / root)[..., None] * values)
    turned = exp(generator, on_error=on_error)
    missing = xp.lib.isnan(xp.detach(values)).any(-1)[..., None]
    nan = xp.where(missing, float("nan"), xp.lib.zeros_like(turned.coeffs))
    return closed(like, turned.layout, turned.coeffs + nan, on_error=on_error)


def rotor_between(a: Multivector, b: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """See geomlin.rotor_between; opposite vectors, where no derivative exists, are NotSupported."""
    check_on_error(on_error)
    check_operands(a, b)
    xp, n = backend_of(a), a.algebra.n
    x, y = _vector(a).coeffs, _vector(b).coeffs
    metric = _metric(xp, a, x)
    squares = [(z * z * metric).sum(-1) for z in (x, y)]
    limit = _ROUNDINGS * xp.epsilon(x.dtype)
    nulls = [
        xp.lib.abs(square) <= limit * (z * z).sum(-1)
        for square, z in zip(squares, (x, y), strict=True)
    ]
    null = nulls[0] | nulls[1]
    unequal = ~null & ((squares[0] < 0) != (squares[1] < 0))
    good = ~null & ~unequal
    sign = xp.where(squares[0] < 0, -1.0, xp.lib.ones_like(squares[0]))
    size = xp.lib.sqrt(xp.lib.abs(xp.where(good, squares[0] * squares[1], 1.0)))
    rows, columns = np.triu_indices(n, 1)
    wedge = xp.take(x, rows) * xp.take(y, columns) - xp.take(x, columns) * xp.take(y, rows)
    plane = -(sign / size)[..., None] * wedge
    g = np.array(a.algebra.metric, dtype=float)
    plane_square = weighted_square(xp, plane, -g[rows] * g[columns])
    cosine = sign * (x * y * metric).sum(-1) / size
    opposite = good & (cosine < 0) & ~(plane_square < -limit)
    obtuse = good & (cosine < 0) & ~opposite
    far = xp.where(obtuse, cosine, 0.0)
    near = 1.0 + xp.where(cosine > 0, cosine, 0.0)
    scalar = xp.lib.sqrt(0.5 * xp.where(obtuse, -plane_square / (1.0 - far), near))
    found = xp.concatenate([scalar[..., None], plane / (2.0 * scalar)[..., None]], -1)
    pairs, whole = 1 + len(rows), even_layout(n)
    values = xp.select(found, tuple(k if k < pairs else -1 for k in range(whole.size)))
    values = without(xp, null, values, _nothing("vectors with a^2 != 0"), on_error)
    values = without(xp, unequal, values, _unequal, on_error)
    if on_error == "raise" and xp.known_any(opposite):
        raise NotSupported(
            "rotor_between of opposite vectors is offered on backend='numpy' only: use "
            "A.to(backend='numpy'), which takes a canonical half turn"
        )
    unknown = xp.lib.isnan(xp.detach(cosine))  # traced NaN compares with nothing
    values = without(xp, opposite | unknown, values, _unequal, "nan")
    return closed(a, whole, values, xp.result_dtype(a.coeffs, b.coeffs), on_error)


def _unequal(indices: list[tuple[int, ...]], count: int) -> NotInImage:
    return NotInImage(
        f"expected a^2 b^2 > 0, got {count} pair(s) with squares of opposite sign: rotors preserve "
        "the square of a vector",
        reason="square",
        indices=indices,
        count=count,
    )
