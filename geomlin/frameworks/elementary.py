"""Involutions, complements, norms: signs and permutations of coefficients, and square roots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..blades import reorder_sign
from ..errors import NotInvertible
from ..layout import grade_layout, layout_of
from ..ops.failures import check_on_error
from ..ops.grades import check_operands
from ..ops.products import geometric_product, outer_product
from ..tables import grade_signs
from .support import backend_of, closed, opened, power_of_two, without

if TYPE_CHECKING:
    from ..multivector import Multivector


def _times_signs(a: Multivector, signs: NDArray[Any]) -> Multivector:
    constants = backend_of(a).constant(signs.astype(np.float64), a.coeffs)
    return a.replace(a.layout, a.coeffs * constants)


def reverse(A: Multivector) -> Multivector:
    """See geomlin.reverse."""
    return _times_signs(A, grade_signs(A.layout, "reverse"))


def involute(A: Multivector) -> Multivector:
    """See geomlin.involute."""
    return _times_signs(A, grade_signs(A.layout, "involute"))


def conjugate(A: Multivector) -> Multivector:
    """See geomlin.conjugate."""
    return _times_signs(A, grade_signs(A.layout, "conjugate"))


def _complement(a: Multivector, side: str) -> Multivector:
    """Right: e_S ^ e_S' = e_(1..n); left: e_S' ^ e_S = e_(1..n)."""
    everything = (1 << a.algebra.n) - 1
    layout = layout_of(a.algebra.n, [everything ^ mask for mask in a.layout.masks])
    source = [a.layout.position[everything ^ mask] for mask in layout.masks]
    pairs = [(everything ^ mask, mask) for mask in layout.masks]
    ordered = pairs if side == "right" else [(second, first) for first, second in pairs]
    signs = np.array([reorder_sign(*pair) for pair in ordered])
    moved = a.replace(layout, backend_of(a).select(a.coeffs, tuple(source)))
    return _times_signs(moved, signs)


def complement(A: Multivector) -> Multivector:
    """See geomlin.complement."""
    return _complement(A, "right")


def regressive_product(A: Multivector, B: Multivector) -> Multivector:
    """See geomlin.regressive_product."""
    check_operands(A, B)
    return _complement(outer_product(_complement(A, "right"), _complement(B, "right")), "left")


def _pseudoscalar(a: Multivector, sign: float) -> Multivector:
    """sign * I; NotInvertible where I^2 = 0."""
    if a.algebra.signature.r:
        raise NotInvertible(
            f"the dual needs an invertible pseudoscalar, and I^2 = 0 in {a.algebra}: "
            "use complement(A), which needs no metric"
        )
    layout = grade_layout(a.algebra.n, a.algebra.n)
    return a.replace(layout, backend_of(a).constant(np.array([sign]), a.coeffs))


def undual(A: Multivector) -> Multivector:
    """See geomlin.undual."""
    return geometric_product(A, _pseudoscalar(A, 1.0))


def dual(A: Multivector) -> Multivector:
    """See geomlin.dual; I^-1 = I I^2."""
    n, q = A.algebra.n, A.algebra.signature.q
    square = (-1.0) ** (n * (n - 1) // 2 + q)
    return geometric_product(A, _pseudoscalar(A, square))


def _squares(a: Multivector) -> NDArray[np.float64]:
    """E_S ~E_S = prod_{i in S} g_i for the blades of the layout."""
    metric = np.array(a.algebra.metric, dtype=float)
    members = (a.layout.mask_array[:, None] >> np.arange(a.algebra.n)) & 1
    result: NDArray[np.float64] = np.where(members == 1, metric, 1.0).prod(axis=1)
    return result


def _scaled_square(a: Multivector) -> tuple[Any, Any, Any]:
    """Coefficients over a power of two, that power, and <A ~A>_0 of the quotient."""
    xp, values = backend_of(a), opened(a)
    scale = power_of_two(xp, xp.largest(xp.lib.abs(values)))
    scaled = values / scale[..., None]
    return scaled, scale, (scaled * scaled * xp.constant(_squares(a), scaled)).sum(-1)


def _root(xp: Any, square: Any) -> Any:
    """sqrt|x|, with derivative zero at zero."""
    zero = square == 0
    return xp.where(zero, 0.0, xp.lib.sqrt(xp.lib.abs(xp.where(zero, 1.0, square))))


def norm(A: Multivector) -> Multivector:
    """See geomlin.norm; where it is zero its gradient is zero."""
    xp = backend_of(A)
    _, scale, square = _scaled_square(A)
    return closed(A, grade_layout(A.algebra.n, 0), (_root(xp, square) * scale)[..., None])


def normalize(
    A: Multivector, *, tolerance: float | None = None, on_error: str = "raise"
) -> Multivector:
    """See geomlin.normalize."""
    check_on_error(on_error)
    xp = backend_of(A)
    scaled, _, square = _scaled_square(A)
    if tolerance is None:
        precision = max(xp.epsilon(scaled.dtype), 2.0**-A.algebra.n * 2 * xp.epsilon(A.dtype))
        tolerance = 2.0**A.algebra.n * precision
    null = xp.lib.abs(square) <= tolerance * (scaled * scaled).sum(-1)

    def error(indices: list[tuple[int, ...]], count: int) -> NotInvertible:
        return NotInvertible(
            f"expected <A ~A>_0 != 0, got {count} zero or null element(s): "
            "a null multivector has no unit multiple",
            indices=indices,
            count=count,
        )

    size = _root(xp, xp.where(null, 1.0, square))
    values = without(xp, null, scaled / size[..., None], error, on_error)
    return closed(A, A.layout, values)
