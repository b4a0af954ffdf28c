"""Inverses, and the action of versors, for torch and jax."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotInvertible
from ..kernels.bits import Metric, non_null
from ..layout import Layout, even_layout, full_layout, grades_layout, layout_of, parity_layout
from ..ops.failures import check_on_error
from ..ops.grades import check_operands, even, grade, odd, with_layout
from ..ops.involutions import involute, reverse
from ..ops.products import geometric_product, left_contraction, outer_product, scalar_product
from . import spinors
from .predicates import size_of, versor_flags
from .support import backend_of, closed, opened, power_of_two, single_grade, without

if TYPE_CHECKING:
    from ..multivector import Multivector

_PARITY_TOLERANCE = 1e-6  # relative size below which the part of the other parity is rounding


@cache
def _has_scalar_square(layout: Layout, g: Metric) -> bool:
    """Whether A ~A is a number for all A of the layout, as for vectors, and rotors of n <= 3.

    E_S ~E_T + E_T ~E_S vanishes unless it is of grade 0 or 1 modulo 4.
    """
    null = sum(1 << i for i, square in enumerate(g) if square == 0)
    masks = layout.mask_array
    left, right = masks[:, None], masks[None, :]
    grades = np.bitwise_count(left ^ right) % 4
    mixed = (left != right) & (grades < 2) & (left & right & null == 0)
    return not bool(mixed.any())


def inverse(
    A: Multivector, *, tolerance: float | None = None, on_error: str = "raise"
) -> Multivector:
    """See geomlin.inverse; ~A / (A ~A) by the layout, not by the numbers."""
    check_on_error(on_error)
    xp, g = backend_of(A), A.algebra.metric
    values = opened(A)
    limit = 2.0 ** len(g) * xp.epsilon(values.dtype) if tolerance is None else tolerance
    regular_blades = [mask for mask in A.layout.masks if mask >> len(non_null(g)) == 0]
    regular = layout_of(len(g), regular_blades)
    inner = with_layout(A.replace(A.layout, values), regular).coeffs
    scale = power_of_two(xp, size_of(xp, inner))[..., None]
    scaled = A.replace(A.layout, values / scale)
    if _has_scalar_square(A.layout, g):
        found, singular = _by_square(scaled, limit)
    else:
        found, singular = _by_matrices(scaled, regular, limit)

    def error(indices: list[tuple[int, ...]], count: int) -> NotInvertible:
        return NotInvertible(
            f"expected an invertible multivector, got {count} whose reciprocal condition number "
            f"is at most {limit:.2g}: it is zero, null or a zero divisor",
            indices=indices,
            count=count,
        )

    values = without(xp, singular, found.coeffs / scale, error, on_error)
    return closed(A, found.layout, values, on_error=on_error)


def _by_square(a: Multivector, limit: float) -> tuple[Multivector, Any]:
    """~A / (A ~A), and where the square is zero to rounding."""
    xp = backend_of(a)
    square = scalar_product(a, reverse(a)).coeffs
    singular = xp.lib.abs(square) <= limit * (a.coeffs * a.coeffs).sum(-1)[..., None]
    found = reverse(a).coeffs / xp.where(singular, 1.0, square)
    return a.replace(a.layout, found), singular[..., 0]


def _by_matrices(a: Multivector, regular: Layout, limit: float) -> tuple[Multivector, Any]:
    """Inverse of the spinor matrices of the null-free part, then Newton's X <- X (2 - A X)."""
    xp, g = backend_of(a), a.algebra.metric
    n, metric = len(g), non_null(g)
    result = parity_layout(a.layout)
    is_even = result is even_layout(n)
    whole = even_layout(n) if is_even else full_layout(n)
    free = layout_of(n, [mask for mask in whole.masks if mask >> len(metric) == 0])
    inner = even_layout(len(metric)) if is_even else full_layout(len(metric))
    how = spinors.plan(metric, inner, is_even)  # the same blades, in the algebra of the others
    blocks = spinors.blocks(xp, with_layout(a, free).coeffs, how)
    values = xp.singular_values(xp.detach(blocks))
    spread = values.reshape(*values.shape[:-2], values.shape[-1] * values.shape[-2])
    largest, smallest = xp.largest(spread), -xp.largest(-spread)
    singular = ~(smallest > limit * largest)
    identity = xp.constant(np.eye(blocks.shape[-1]), blocks)
    safe = xp.where(singular[..., None, None, None], identity, blocks)
    found = spinors.coefficients(xp, xp.solve(safe, xp.lib.broadcast_to(identity, safe.shape)), how)
    x = with_layout(a.replace(free, found), whole)
    for _ in range(a.algebra.signature.r.bit_length()):
        x = with_layout(x * (2 - a * x), whole)
    return with_layout(x, result), singular


def versor_action(V: Multivector, x: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.versor_action; NaN where V has both parities and numbers are traced."""
    check_on_error(on_error)
    check_operands(V, x)
    xp = backend_of(V)
    even_size, odd_size = (size_of(xp, xp.detach(part(V).coeffs)) for part in (even, odd))
    is_odd = odd_size > even_size
    smaller, larger = xp.where(is_odd, even_size, odd_size), xp.where(is_odd, odd_size, even_size)

    def error(indices: list[tuple[int, ...]], count: int) -> LayoutError:
        return LayoutError(
            f"expected an even or an odd multivector, got {count} with both parts (first at batch "
            f"position {indices[0]}): take even(V) or odd(V), or write V * x * inverse(V)",
            indices=indices,
            count=count,
        )

    signed = xp.where(is_odd[..., None], -V.coeffs, V.coeffs)
    mixed = smaller > _PARITY_TOLERANCE * larger
    twisted = V.replace(V.layout, without(xp, mixed, signed, error, on_error))
    found = geometric_product(geometric_product(twisted, x), inverse(V, on_error=on_error))
    return with_layout(found, parity_layout(x.layout) & found.layout)


def reflect(A: Multivector, a: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.reflect."""
    check_on_error(on_error)
    check_operands(A, a)
    vector = single_grade(a, 1)
    turned = geometric_product(vector, involute(A))
    found = geometric_product(turned, inverse(vector, on_error=on_error))
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))


def project(A: Multivector, B: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.project."""
    inverted = _blade_inverse(A, B, on_error)
    found = geometric_product(left_contraction(A, B), inverted)
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))


def reject(A: Multivector, B: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.reject."""
    inverted = _blade_inverse(A, B, on_error)
    found = geometric_product(outer_product(A, B), inverted)
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))


def _blade_inverse(a: Multivector, b: Multivector, on_error: str) -> Multivector:
    """B^-1; an error, or NaN, where B has several grades or is no versor."""
    check_on_error(on_error)
    check_operands(a, b)
    xp, found = backend_of(b), inverse(b, on_error=on_error)
    sizes = [size_of(xp, xp.detach(grade(b, k).coeffs)) for k in b.layout.grades]
    if not sizes:
        return found
    all_sizes = xp.stack(sizes, -1)
    dominant = xp.largest(all_sizes)
    bad = (all_sizes > _PARITY_TOLERANCE * dominant[..., None]).sum(-1) > 1
    if any(1 < k < b.algebra.n - 1 for k in b.layout.grades):  # others are always blades
        bad = bad | ~versor_flags(b, _PARITY_TOLERANCE)

    def error(indices: list[tuple[int, ...]], count: int) -> LayoutError:
        return LayoutError(
            f"expected a blade, a multiple of a product of orthogonal vectors, got {count} other "
            f"element(s) (first at batch position {indices[0]}): wedge the vectors that span the "
            "subspace",
            indices=indices,
            count=count,
        )

    return found.replace(found.layout, without(xp, bad, found.coeffs, error, on_error))
