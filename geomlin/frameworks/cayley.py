"""The Cayley transform and its inverse for torch and jax."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NotARotor, NotInImage, NotInvertible
from ..kernels.bits import Metric, non_null
from ..layout import even_layout, grade_layout
from ..ops.failures import check_on_error
from ..ops.grades import with_layout
from .exponential import outer_series
from .predicates import scaled_rotor_flags, size_of
from .support import backend_of, closed, opened, power_of_two, single_grade, without

if TYPE_CHECKING:
    from ..multivector import Multivector

_NO_DIGITS = 4.0  # in eps max |R|: a scalar part below it has no correct digit


@cache
def _grades(g: Metric) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Half of the grade and the square E_S ~E_S of each even blade; places of pairs in b (n, n)."""
    n = len(g)
    layout = even_layout(n)
    members = (layout.mask_array[:, None] >> np.arange(n)) & 1
    squares = np.where(members == 1, np.array(g, dtype=float), 1.0).prod(axis=1)
    rows, columns = np.triu_indices(n, 1)
    places = np.full((n, n), -1)
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    return layout.grade_array / 2.0, squares, places


def cayley(B: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.cayley; each grade is multiplied by its power of the size of B at the end."""
    check_on_error(on_error)
    xp, g = backend_of(B), B.algebra.metric
    n = len(g)
    v = opened(single_grade(B, 2))
    half_grades, squares, _ = _grades(g)
    size = power_of_two(xp, size_of(xp, xp.detach(v)))
    size = xp.where(size > 1.0, size, 1.0)[..., None]
    pfaffians = outer_series(xp, v / size, n)
    shifts = xp.lib.log2(size) * xp.constant(half_grades, v)
    known = xp.lib.abs(xp.detach(pfaffians))
    exponents = xp.lib.log2(xp.where(known > 0, known, 1.0)) + shifts
    top = xp.lib.floor(xp.largest(xp.where(known > 0, exponents, 0.0)))[..., None]
    values = pfaffians * xp.lib.exp2(shifts - top)
    if len(set(non_null(g))) <= 1:
        norm = (values * values * xp.constant(np.abs(squares), v)).sum(-1)
        return closed(B, even_layout(n), values / xp.lib.sqrt(norm)[..., None], on_error=on_error)
    determinant, condition = _determinant(xp, v, g)
    singular = ~(n * xp.epsilon(v.dtype) * condition < 1.0)
    negative = ~singular & (xp.detach(determinant) < 0)
    values = without(xp, singular, values, _light_cone, on_error)
    values = without(xp, negative, values, _component, on_error)
    root = xp.lib.sqrt(xp.lib.abs(xp.where(singular, 1.0, determinant)))[..., None]
    return closed(B, even_layout(n), values / root * xp.lib.exp2(top), on_error=on_error)


def _determinant(xp: Any, v: Any, g: Metric) -> tuple[Any, Any]:
    """det(I - bG) of the block without null vectors, and its condition number."""
    n, m = len(g), len(non_null(g))
    places = _grades(g)[2]
    flat = xp.select(v, tuple(int(k) for k in places.reshape(-1)))
    signs = np.triu(np.ones((n, n)), 1) - np.tril(np.ones((n, n)), -1)
    b = flat.reshape(*v.shape[:-1], n, n) * xp.constant(signs, v)
    matrix = b[..., :m, :m] * xp.constant(np.array(g[:m], dtype=float), v)
    one = xp.constant(np.eye(m), v)
    system = one - matrix
    known = xp.detach(system)
    inverse = xp.solve(known, xp.lib.broadcast_to(one, known.shape))
    terms = xp.lib.abs(xp.detach(matrix) * xp.lib.swapaxes(inverse, -1, -2))
    return xp.lib.linalg.det(system), terms.sum(-1).sum(-1)


def _light_cone(indices: list[tuple[int, ...]], count: int) -> NotInvertible:
    return NotInvertible(
        f"expected det(I - bG) != 0, got {count} bivector(s) where it is zero or lost in "
        "rounding: a boost plane with |B| = 1 is an infinite boost; scale B down",
        indices=indices,
        count=count,
    )


def _component(indices: list[tuple[int, ...]], count: int) -> NotInImage:
    return NotInImage(
        f"expected det(I - bG) > 0, got {count} bivector(s) with a negative one: no rotor maps to "
        "that isometry; a boost plane needs |B| < 1",
        reason="component",
        indices=indices,
        count=count,
    )


def cayley_inverse(R: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.cayley_inverse."""
    check_on_error(on_error)
    xp, n = backend_of(R), R.algebra.n
    wide = R.replace(R.layout, opened(R))
    scalar = with_layout(wide, grade_layout(n, 0)).coeffs
    plane = with_layout(wide, grade_layout(n, 2)).coeffs
    known = xp.detach(wide.coeffs)
    outside = xp.lib.abs(xp.detach(scalar)[..., 0]) <= (
        _NO_DIGITS * xp.epsilon(R.dtype) * size_of(xp, known)
    )

    def no_rotor(indices: list[tuple[int, ...]], count: int) -> NotARotor:
        return NotARotor(
            f"expected even versors with R ~R > 0, got {count} other element(s): no rotation "
            "corresponds to them; see is_versor(R)",
            indices=indices,
            count=count,
        )

    def half_turn(indices: list[tuple[int, ...]], count: int) -> NotInvertible:
        return NotInvertible(
            f"expected a rotor with scalar part != 0, got {count} without: the rotation has the "
            "eigenvalue -1 (a half turn) and no Cayley parameter; use log(R)",
            indices=indices,
            count=count,
        )

    values = without(xp, ~scaled_rotor_flags(R, 1e-6), plane, no_rotor, on_error)
    values = without(xp, outside, values, half_turn, on_error)
    safe = xp.where(outside[..., None], 1.0, scalar)
    return closed(R, grade_layout(n, 2), values / safe, on_error=on_error)
