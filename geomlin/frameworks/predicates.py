"""Predicates on torch and jax: bools, or arrays for batches and under traces."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.bits import Metric, product_signs
from ..layout import even_layout, layout_of
from ..ops.grades import check_operands, even, odd, with_layout
from ..ops.involutions import reverse
from ..ops.products import geometric_product, outer_product, scalar_product
from .support import backend_of, opened, power_of_two, single_grade

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 8  # size of the rounding, in eps, that no tolerance counts as a violation


class ActionTables:
    """For each e_i and odd blade K: the even blade K xor e_i, and the signs of three products."""

    def __init__(self, g: Metric) -> None:
        """Signs of R e_i, of <. ~R>_(e_i) and of e_i R."""
        n = len(g)
        layout = even_layout(n)
        vectors = (1 << np.arange(n))[:, None]
        odd_masks = np.array([mask for mask in range(1 << n) if mask.bit_count() % 2])[None, :]
        masks = odd_masks ^ vectors
        place = np.zeros(1 << n, dtype=np.int64)
        place[layout.mask_array] = np.arange(layout.size)
        self.positions: NDArray[np.int64] = place[masks]
        wide = np.broadcast_to(odd_masks, masks.shape)
        unit = np.broadcast_to(vectors, masks.shape)
        reversed_sign = np.where(np.bitwise_count(masks) % 4 == 2, -1.0, 1.0)
        self.after = product_signs(masks, unit, g)
        self.closing = product_signs(wide, masks, g) * reversed_sign
        self.before = product_signs(unit, masks, g)


@cache
def action_tables(g: Metric) -> ActionTables:
    """The tables of a metric, built once."""
    return ActionTables(g)


def matrix_of(xp: Any, rotor: Any, g: Metric) -> Any:
    """M_ij = coefficient of e_i in R e_j ~R, from even coefficients in blade order."""
    t = action_tables(g)
    gathered = xp.take(rotor, t.positions)
    left = gathered * xp.constant(t.closing, rotor)
    right = gathered * xp.constant(t.after, rotor)
    return xp.matmul(left, xp.lib.swapaxes(right, -1, -2))


def vector_defect(xp: Any, rotor: Any, g: Metric) -> Any:
    """max |s R e_j - v_j R|, s = <R ~R>_0, v_j = <R e_j ~R>_1: zero for even versors."""
    t = action_tables(g)
    gathered = xp.take(rotor, t.positions)
    matrix = matrix_of(xp, rotor, g)
    image = xp.matmul(xp.lib.swapaxes(matrix, -1, -2), gathered * xp.constant(t.before, rotor))
    square = (rotor * rotor * xp.constant(_unit_squares(g), rotor)).sum(-1)
    moved = square[..., None, None] * gathered * xp.constant(t.after, rotor)
    difference = xp.lib.abs(image - moved)
    rows, columns = difference.shape[-2:]
    return xp.largest(difference.reshape(*difference.shape[:-2], rows * columns))


@cache
def _unit_squares(g: Metric) -> NDArray[np.float64]:
    """E_S ~E_S of the even blades."""
    members = (even_layout(len(g)).mask_array[:, None] >> np.arange(len(g))) & 1
    result: NDArray[np.float64] = np.where(members == 1, np.array(g, dtype=float), 1.0).prod(axis=1)
    return result


def size_of(xp: Any, values: Any) -> Any:
    """Largest absolute coefficient."""
    return xp.largest(xp.lib.abs(values))


def _scaled(a: Multivector) -> tuple[Multivector, Any]:
    """A = element * power of two, without derivative, in the dtype to compute in."""
    xp = backend_of(a)
    values = xp.detach(opened(a))
    scale = power_of_two(xp, size_of(xp, values))
    return a.replace(a.layout, values / scale[..., None]), scale


def _allowance(a: Multivector, tolerance: float, dtype: Any) -> Any:
    """max(tolerance max |A|^2, (8 eps + sqrt(m) u) sum_S A_S^2), eps of the dtype that the
    coefficients had.

    The second term is that of A ~A itself, computed with rounding u: sums of m products [1].  It
    matters where there is no longer dtype to compute in.

    [1] N. Higham and T. Mary, "A new approach to probabilistic rounding error analysis", SIAM J.
        Sci. Comput. 41 (2019) A2815-A2835, section 3.
    """
    xp = backend_of(a)
    terms = float(a.layout.size) ** 0.5
    rounding = _ROUNDINGS * xp.epsilon(dtype) + terms * xp.epsilon(a.dtype)
    return xp.lib.maximum(
        tolerance * size_of(xp, a.coeffs) ** 2, rounding * (a.coeffs * a.coeffs).sum(-1)
    )


def _parity_allowance(a: Multivector, limit: Any) -> Any:
    """The allowance for coefficients instead of squares: divided by max |A|."""
    size = size_of(backend_of(a), a.coeffs)
    return limit / backend_of(a).where(size > 0, size, 1.0)


def _as_bool(xp: Any, flags: Any) -> Any:
    """A plain bool for one multivector with known numbers."""
    return flags if flags.ndim or xp.traced(flags) else bool(flags)


def is_simple(B: Multivector, *, tolerance: float = 1e-12) -> Any:
    """See geomlin.is_simple."""
    xp = backend_of(B)
    part, _ = _scaled(single_grade(B, 2))
    limit = _allowance(part, tolerance, B.dtype)
    return _as_bool(xp, size_of(xp, outer_product(part, part).coeffs) <= limit)


def rotor_flags(R: Multivector, tolerance: float) -> Any:
    """Where R is a rotor, as an array."""
    xp, n = backend_of(R), R.algebra.n
    r, scale = _scaled(R)
    limit = _allowance(r, tolerance, R.dtype)
    inner = with_layout(r, even_layout(n))
    is_even = size_of(xp, odd(r).coeffs) <= _parity_allowance(r, limit)
    product = geometric_product(r, reverse(r))
    scalar = np.array(product.layout.mask_array == 0, dtype=float)
    bounded = xp.where(scale > 1e-15, scale, 1e-15)  # below, R ~R is as far from 1
    one = xp.constant(scalar, product.coeffs) / (bounded * bounded)[..., None]
    unit = size_of(xp, product.coeffs - one) <= limit
    found = is_even & unit
    if n >= 6:  # below, every even R with R ~R = 1 is a versor
        flags = vector_defect(xp, inner.coeffs, R.algebra.metric) <= _image_allowance(inner, limit)
        found = found & flags
    return found


def _image_allowance(r: Multivector, limit: Any) -> Any:
    """What the cubic expression of vector_defect may deviate: the images are as large as R^2."""
    xp = backend_of(r)
    size = size_of(xp, r.coeffs)
    return r.algebra.n * limit * xp.where(size > 1.0, size, 1.0)


def is_rotor(R: Multivector, *, tolerance: float = 1e-6) -> Any:
    """See geomlin.is_rotor."""
    return _as_bool(backend_of(R), rotor_flags(R, tolerance))


def scaled_rotor_flags(R: Multivector, tolerance: float) -> Any:
    """Where R is a number times a rotor, as an array."""
    xp = backend_of(R)
    r, _ = _scaled(R)
    square = scalar_product(r, reverse(r)).coeffs[..., 0]
    is_even = size_of(xp, odd(r).coeffs) <= tolerance * size_of(xp, r.coeffs)
    versor = versor_flags(R, tolerance)
    return rotor_flags(R, tolerance) | (versor & is_even & (square > 0))


def is_versor(V: Multivector, *, tolerance: float = 1e-6) -> Any:
    """See geomlin.is_versor."""
    return _as_bool(backend_of(V), versor_flags(V, tolerance))


def versor_flags(V: Multivector, tolerance: float) -> Any:
    """Where V is a versor, as an array; an odd V is one if V e_1 is."""
    xp, g = backend_of(V), V.algebra.metric
    v, _ = _scaled(V)
    limit = _allowance(v, tolerance, V.dtype)
    rest = _parity_allowance(v, limit)
    even_size, odd_size = size_of(xp, even(v).coeffs), size_of(xp, odd(v).coeffs)
    one_parity = (even_size <= rest) | (odd_size <= rest)
    product = geometric_product(v, reverse(v))
    scalar = product.layout.mask_array == 0
    others = tuple(int(k) for k in np.flatnonzero(~scalar))
    here = tuple(int(k) for k in np.flatnonzero(scalar))
    is_scalar = size_of(xp, xp.select(product.coeffs, others)) <= limit
    nonzero = size_of(xp, xp.select(product.coeffs, here)) > limit
    if not any(g):
        return one_parity & is_scalar & nonzero
    axis = v.replace(layout_of(len(g), [1]), xp.constant(np.ones(1), v.coeffs))
    turned = with_layout(geometric_product(odd(v), axis), even_layout(len(g))).coeffs
    is_odd = (odd_size > even_size)[..., None]
    inner = even(v)
    inner = inner.replace(inner.layout, xp.where(is_odd, turned, inner.coeffs))
    flags = vector_defect(xp, inner.coeffs, g) <= _image_allowance(inner, limit)
    return one_parity & is_scalar & nonzero & flags


def isclose(A: Multivector, B: Multivector, *, relative: float = 0.0, absolute: float = 0.0) -> Any:
    """See geomlin.isclose."""
    check_operands(A, B)
    xp = backend_of(A)
    sizes = [size_of(xp, x) for x in ((A - B).coeffs, A.coeffs, B.coeffs)]
    scale = xp.lib.maximum(sizes[1], sizes[2])
    return _as_bool(xp, sizes[0] <= absolute + relative * scale)
