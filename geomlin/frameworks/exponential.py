"""exp of bivectors and of multivectors, and the outer exponential, for torch and jax.

n <= 5: the closed form.  n >= 6: the series of the spinor matrices with repeated squaring; in
definite metrics the result is moved to the nearest orthogonal matrix, X (3 - X^T X) / 2, so that
its norm does not drift.  Null vectors are scaled to the size of the others, and what is made of
null vectors alone, N, is central and split off: exp(B) = exp(B - N) exp(N).  Known angles beyond
2^16 / n have the value of the numpy backend.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NotSupported
from ..kernels.bits import Metric, non_null
from ..layout import Layout, even_layout, full_layout, grade_layout
from ..ops.bivectors import is_bivector
from ..ops.failures import check_on_error
from ..ops.grades import even, with_layout
from ..tables import product_table
from . import spinors
from .closed_form import exponential_in_closed_form
from .matrix_exponential import MOST_SQUARINGS, exponential_minus_one, too_large
from .rules import EXPONENTIAL
from .support import backend_of, closed, nan_like_input, opened, power_of_two, single_grade

if TYPE_CHECKING:
    from ..multivector import Multivector

LARGEST_CLOSED = 5
_REACH = 2.0 ** (MOST_SQUARINGS - 4)  # n max |b_ij|; |beta| is below sqrt(n) times that
_REACH_SHORT = 2.0**8  # in float32, where squaring drifts away from the rotors by eps |B|


def exp(A: Multivector, *, on_error: str = "raise") -> Multivector:
    """See geomlin.exp; bivectors by their layout where numbers are traced."""
    check_on_error(on_error)
    xp, n = backend_of(A), A.algebra.n
    if not is_known_bivector(A):
        return _matrix_exp(A, on_error)
    part = opened(with_layout(A, grade_layout(n, 2)))
    if beyond_reach(xp, part, A.algebra.metric):
        values = xp.implicit(EXPONENTIAL, part, tuple(A.algebra.signature))
    else:
        values = xp.call(bivector_exponential, part, A.algebra.metric)
    return closed(A, even_layout(n), nan_like_input(xp, part, values), on_error=on_error)


def is_known_bivector(a: Multivector) -> bool:
    """Whether only grade 2 is stored, or everything else is known to be zero."""
    if a.layout.grades in ((2,), ()):
        return True
    return not backend_of(a).traced(a.coeffs) and is_bivector(a)


def bivector_exponential(xp: Any, v: Any, g: Metric) -> Any:
    """Even coefficients in blade order of exp(B), from the bivector coefficients of B."""
    n = len(g)
    if n < 2:
        return xp.lib.ones_like(xp.zeros((*v.shape[:-1], 1), v))
    if n <= LARGEST_CLOSED:
        return exponential_in_closed_form(xp, v, g)
    if len(non_null(g)) == n:
        return _by_spinors(xp, v, g)
    return _with_null_vectors(xp, v, g)


def beyond_reach(xp: Any, v: Any, g: Metric) -> bool:
    """Whether known bivectors need more squarings than there are, or than float32 can bear; numpy
    has other ways."""
    if len(g) <= LARGEST_CLOSED or xp.traced(v):
        return False
    size = np.abs(xp.to_numpy(v) * _regular_pairs(g)).max(initial=0.0) * len(g)
    return bool(size > (_REACH if _is_fine(xp, v) else _REACH_SHORT))


def numbers_decide(A: Multivector) -> bool:
    """Whether the way of exp hangs on known numbers: of what may be a bivector, or a large one."""
    if len(A.layout.grades) > 1:
        return True
    xp = backend_of(A)
    part = with_layout(A, grade_layout(A.algebra.n, 2))
    return beyond_reach(xp, xp.astype(part.coeffs, xp.work_dtype(part.coeffs)), A.algebra.metric)


def _by_spinors(xp: Any, v: Any, g: Metric) -> Any:
    """1 + D, D = exp(B) - 1 from the blocks of B."""
    size = _bound(xp, v, g)
    layout = even_layout(len(g))
    how = spinors.plan(g, layout, True)
    x = spinors.blocks(xp, _in_even(xp, v, len(g)), how)
    d = exponential_minus_one(xp, x, size)
    if len(set(non_null(g))) <= 1 and len(non_null(g)) == len(g):
        for step in range(1 if _is_fine(xp, d) else 2):
            if step:  # rounding has left the algebra, and projecting back costs the norm
                d = spinors.blocks(xp, spinors.coefficients(xp, d, how), how)
            transposed = xp.lib.swapaxes(d, -1, -2)
            excess = d + transposed + xp.matmul(transposed, d)
            d = d - 0.5 * (excess + xp.matmul(d, excess))
    found = spinors.coefficients(xp, d, how)
    return found + xp.constant(np.eye(1, layout.size)[0], found)


def _is_fine(xp: Any, values: Any) -> bool:
    """Whether rounding is that of float64: the drift of many squarings is seen in float32 only."""
    return bool(xp.epsilon(values.dtype) < 2.0**-40)


def _in_even(xp: Any, v: Any, n: int) -> Any:
    """Bivector coefficients among the even ones."""
    here = grade_layout(n, 2).position
    return xp.select(v, tuple(here.get(mask, -1) for mask in even_layout(n).masks))


@cache
def _regular_pairs(g: Metric) -> NDArray[np.float64]:
    """Which bivectors have no null vector: the others are scaled."""
    rows, columns = np.triu_indices(len(g), 1)
    metric = np.array(g, dtype=float)
    result: NDArray[np.float64] = np.abs(metric[rows] * metric[columns])
    return result


@cache
def _kinds_of_plane(g: Metric) -> NDArray[np.float64]:
    """Which bivectors square to a negative, which to a positive number, and which to zero; times
    the norm of their blocks for one such bivector, and that of sums in any metric."""
    rows, columns = np.triu_indices(len(g), 1)
    metric = np.array(g, dtype=float)
    squares = -metric[rows] * metric[columns]
    m = len(non_null(g))
    weights = [(m // 2) ** 0.5, (m // 2) ** 0.5, 2.0 * (len(g) - m) ** 0.5]
    kinds = [squares < 0, squares > 0, squares == 0]
    return np.array([w * kind for w, kind in zip(weights, kinds, strict=True)])


def _bound(xp: Any, v: Any, g: Metric) -> Any:
    """Bound of the norm of the blocks of B, the sum of three.

    A real antisymmetric b has |sum_k beta_k| <= sqrt(k) |b|, and the generators of another metric
    are those of Euclid, some of them times i.  The block of e_0 -> e_+ + e_- has norm 2.
    """
    v = xp.detach(v)
    unit = power_of_two(xp, xp.largest(xp.lib.abs(v)))
    scaled = v / unit[..., None]
    weighted = scaled[..., None, :] * xp.constant(_kinds_of_plane(g), v)
    return xp.lib.sqrt((weighted * weighted).sum(-1)).sum(-1) * unit


@cache
def _null_tables(g: Metric) -> tuple[Any, ...]:
    """Pairs of null vectors, pairs with one, and which even blades hold each null vector."""
    n, m = len(g), len(non_null(g))
    rows, columns = np.triu_indices(n, 1)
    both = (rows >= m).astype(float)
    mixed = [((rows < m) & (columns == i)).astype(float) for i in range(m, n)]
    pairs = [((columns == i) | (rows == i)).astype(np.int64) for i in range(m, n)]
    masks = even_layout(n).mask_array
    holds = [(masks >> i & 1).astype(np.int64) for i in range(m, n)]
    few = (np.bitwise_count(masks >> m) <= m).astype(float)
    return both, np.array(mixed), np.array(pairs), np.array(holds), few


def _with_null_vectors(xp: Any, v: Any, g: Metric) -> Any:
    """exp(B - N) exp(N), the null vectors of B - N scaled by powers of two."""
    n, m = len(g), len(non_null(g))
    both, mixed, pairs, holds, few = _null_tables(g)
    central = v * xp.constant(both, v)
    rest = v - central
    sizes = xp.largest(xp.lib.abs(xp.detach(rest))[..., None, :] * xp.constant(mixed, v))
    scale = power_of_two(xp, sizes)  # (..., r)
    one = xp.lib.ones_like(scale)
    in_pairs = xp.where(xp.constant(pairs == 1, v), scale[..., None], one[..., None])
    in_blades = xp.where(xp.constant(holds == 1, v), scale[..., None], one[..., None])
    for i in range(n - m):  # one after the other: products of scales leave the range
        rest = rest / in_pairs[..., i, :]
    found = _by_spinors(xp, rest, g) * xp.constant(few, v)
    for i in range(n - m):
        found = found * in_blades[..., i, :]
    unmoved = (sizes == 0)[..., None] & xp.constant(holds == 1, v)
    nothing = unmoved.any(-2)  # zero, but not its derivative
    found = xp.where(nothing, found - xp.detach(found), found)
    if n - m < 2:
        return found
    exponential = outer_series(xp, central, n)
    even = even_layout(n)
    return _product_of_even(xp, found, exponential, g, even)


def _product_of_even(xp: Any, a: Any, b: Any, g: Metric, layout: Layout) -> Any:
    table = product_table("geometric_product", g, layout, layout)
    found = xp.contract(table, a, b)
    here = table.layout.position
    return xp.select(found, tuple(here[mask] for mask in layout.masks))


def outer_series(xp: Any, v: Any, n: int) -> Any:
    """sum_k B ^ .. ^ B / k! in the even layout."""
    pairs, even = grade_layout(n, 2), even_layout(n)
    parts = [xp.lib.ones_like(xp.zeros((*v.shape[:-1], 1), v)), v]
    layout = pairs
    for k in range(2, n // 2 + 1):
        table = product_table("outer_product", None, layout, pairs)
        parts.append(xp.contract(table, parts[-1], v) / k)
        layout = table.layout
    del parts[1 + n // 2 :]
    joined = xp.concatenate(parts, -1)
    return joined if joined.shape[-1] == even.size else joined[..., : even.size]


def outer_exp(A: Multivector) -> Multivector:
    """See geomlin.outer_exp."""
    xp, n = backend_of(A), A.algebra.n
    part = opened(single_grade(A, 2))
    return closed(A, even_layout(n), nan_like_input(xp, part, outer_series(xp, part, n)))


def _matrix_exp(a: Multivector, on_error: str) -> Multivector:
    """exp(rho(A)) by the spinor matrices of the whole algebra."""
    xp, layout = backend_of(a), full_layout(a.algebra.n)
    values = opened(with_layout(a, layout))
    size = values.shape[-1] ** 0.5 * xp.lib.sqrt((xp.detach(values) ** 2).sum(-1))
    if xp.known_any(too_large(size)):
        raise NotSupported(
            f"exp of a multivector on this backend reaches |A| <= 2^{MOST_SQUARINGS}: use "
            "A.to(backend='numpy')"
        )
    found = xp.call(_whole_exponential, values, a.algebra.metric)
    result = closed(a, layout, nan_like_input(xp, values, found), on_error=on_error)
    return result if any(a.layout.grade_array % 2) else even(result)


def _whole_exponential(xp: Any, values: Any, g: Metric) -> Any:
    """All coefficients of exp(A), from all of A."""
    layout = full_layout(len(g))
    how = spinors.plan(g, layout, False)
    x = spinors.blocks(xp, values, how)
    sums = xp.lib.abs(xp.detach(x)).sum(-1)
    size = xp.largest(sums.reshape(*values.shape[:-1], sums.shape[-1] * sums.shape[-2]))
    found = spinors.coefficients(xp, exponential_minus_one(xp, x, size), how)
    return found + xp.constant(np.eye(1, layout.size)[0], found)
