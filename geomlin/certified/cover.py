"""Enclosures of the double cover Spin -> SO and of its lift.

To the matrix: R e_j ~R, a quadratic polynomial.  To the rotor: with a pivot blade E_P that floats
propose, D = diag(-1 on P, +1 elsewhere) and K = I + O D,

    R = rho outer_exp(t) E_P,   t = (O D - I) K^-1 ..., rho^2 = |det K| / 2^n,

which holds for every isometry O for which the ball of det K excludes zero.  |P| is then even
exactly if det O = 1, so the choice made in floats is proved with it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import acb_mat, arb, arb_mat

from ..blades import reorder_sign
from ..errors import LayoutError, NotARotor, NotInImage, NotOrthogonal, Undecided
from ..kernels.bits import odd_masks, product_signs, reverse_signs
from ..kernels.pfaffian import pivoted_cayley
from ..layout import even_layout
from ..precision import working_precision
from .elements import Coefficients, Metric, coefficients_of
from .exponential import GUARD_BITS
from .representation import representation

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector


def certified_matrix(r: Multivector) -> Any:
    """Enclosure (..., n, n) of the matrices of all rotors in the balls of R.

    R e_j ~R = sum_i M_ij e_i.
    """
    n, metric = r.algebra.n, r.algebra.metric
    bits = r.algebra.backend_object.bits  # type: ignore[attr-defined]
    result = np.empty((*r.shape, n, n), dtype=object)
    for index in np.ndindex(r.shape):
        with working_precision(bits + GUARD_BITS):
            values = coefficients_of(r, index)
            check_rotor(values, metric, index)
            rows = matrix_rows(values, metric)
            if n >= 6:
                _check_vectors(values, rows, metric, index)
        with working_precision(bits):
            for i in range(n):
                for j in range(n):
                    result[(*index, i, j)] = +rows[i][j]
    return result


def check_rotor(values: Coefficients, metric: Metric, index: tuple[int, ...]) -> None:
    """Raise NotARotor where R even and <R ~R>_0 = 1 is refuted."""
    for mask, value in values.items():
        if mask.bit_count() % 2 and not value.contains(0):
            raise NotARotor(
                f"expected an even versor, got a coefficient {value} of odd grade", indices=[index]
            )
    norm = scalar_norm(values, metric)
    if not norm.contains(1):
        raise NotARotor(f"expected a rotor with R ~R = 1, got R ~R = {norm}", indices=[index])


def scalar_norm(values: Coefficients, metric: Metric) -> Any:
    """<A ~A>_0."""
    return sum((_blade_norm(mask, metric) * x * x for mask, x in values.items()), arb(0))


def _blade_norm(mask: int, metric: Metric) -> int:
    """E_S ~E_S."""
    sign = 1
    for i, g in enumerate(metric):
        if mask >> i & 1:
            sign *= g
    return sign


@cache
def _action(metric: Metric) -> tuple[Any, Any, Any]:
    """For each e_i and odd mask K: K xor e_i, the sign of R e_i there, that of <. ~R>_(e_i)."""
    n = len(metric)
    vectors = (1 << np.arange(n))[:, None]
    odd = odd_masks(n)[None, :]
    even = odd ^ vectors
    right = product_signs(even, np.broadcast_to(vectors, even.shape), metric)
    left = product_signs(np.broadcast_to(odd, even.shape), even, metric)
    return even.tolist(), right.tolist(), (left * reverse_signs(n)[even >> 1]).tolist()


def matrix_rows(values: Coefficients, metric: Metric) -> list[list[Any]]:
    """The coefficient of e_i in R e_j ~R."""
    even, right, left = _action(metric)
    n, zero = len(metric), arb(0)
    images = [
        [int(s) * values.get(mask, zero) for mask, s in zip(even[j], right[j], strict=True)]
        for j in range(n)
    ]
    partners = [
        [int(s) * values.get(mask, zero) for mask, s in zip(even[i], left[i], strict=True)]
        for i in range(n)
    ]
    product = arb_mat(partners) * arb_mat(images).transpose()
    return [[product[i, j] for j in range(n)] for i in range(n)]


def _check_vectors(
    values: Coefficients, rows: list[list[Any]], metric: Metric, index: tuple[int, ...]
) -> None:
    """Raise NotARotor where R e_j = v_j R, with v_j the vector of column j, is refuted."""
    basis = representation(metric, even=False)
    rotor = basis.matrices(values)
    for j in range(len(metric)):
        vector = basis.matrices({1 << j: arb(1)})
        image = basis.matrices({1 << i: row[j] for i, row in enumerate(rows)})
        for r, e, v in zip(rotor, vector, image, strict=True):
            difference = r * e - v * r
            if not difference.contains(acb_mat(difference.nrows(), difference.ncols())):
                raise NotARotor(
                    f"expected a versor, got an even element whose R e{j + 1} ~R is no vector",
                    indices=[index],
                )


def certified_lift(matrix: Any, algebra: Algebra) -> Multivector:
    """Enclosure of the rotors, with canonical sign, of all isometries in a matrix of balls."""
    backend: Any = algebra.backend_object
    n, layout = algebra.n, even_layout(algebra.n)
    balls = backend.array(matrix)
    if balls.ndim < 2 or balls.shape[-2:] != (n, n):
        raise LayoutError(f"expected matrices (..., {n}, {n}), got shape {balls.shape}")
    result = np.empty((*balls.shape[:-2], layout.size), dtype=object)
    for index in np.ndindex(balls.shape[:-2]):
        with working_precision(backend.bits + GUARD_BITS):
            rotor = lift_coefficients(balls[index], algebra.metric)
            sign = canonical_sign([rotor[mask] for mask in layout.masks])
        with working_precision(backend.bits):
            for k, mask in enumerate(layout.masks):
                result[(*index, k)] = sign * rotor[mask]
    return algebra.scalar(0).replace(layout, result)


def lift_coefficients(matrix: Any, metric: Metric) -> dict[int, Any]:
    """A rotor of the isometries in the balls, of either sign, by mask."""
    _check_isometry(matrix, metric)
    n, m = len(metric), sum(1 for g in metric if g)
    block = [[matrix[i, j] for j in range(m)] for i in range(m)]
    pivot = _pivot(block, metric[:m])
    t, determinant = _cayley(block, pivot, metric[:m])
    if determinant.contains(0):
        raise Undecided(f"det(I + O D) = {determinant} may vanish: narrow the balls of the matrix")
    if pivot.bit_count() % 2:
        raise NotInImage("expected determinant +1, got -1", reason="det")
    if _blade_norm(pivot, metric) * determinant < 0:
        raise NotInImage("expected the identity component: R ~R = -1", reason="component")
    scale = (abs(determinant) / 2**m).sqrt()
    rows = [[matrix[i, j] for j in range(m)] for i in range(m, n)]
    full = _with_null_rows(t, pivot, rows, metric)
    negative = sum(1 << i for i, g in enumerate(metric) if g < 0)
    rotor = {}
    for mask, value in outer_exponential(full).items():
        swaps = reorder_sign(mask, pivot) * (-1) ** (mask & pivot & negative).bit_count()
        rotor[mask ^ pivot] = swaps * scale * value
    return rotor


def _check_isometry(matrix: Any, metric: Metric) -> None:
    """Raise where M^T G M = G, or M e_0 = e_0 for a null e_0, is refuted."""
    n = len(metric)
    for i in range(n):
        if metric[i] == 0 and not all(matrix[k, i].contains(int(k == i)) for k in range(n)):
            raise NotInImage(f"expected e{i + 1}, which is null, to be fixed", reason="null block")
        for j in range(i, n):
            form = sum((metric[k] * matrix[k, i] * matrix[k, j] for k in range(n)), arb(0))
            if not form.contains(metric[i] if i == j else 0):
                raise NotOrthogonal(
                    f"no isometry lies in these balls: (M^T G M)_{i + 1},{j + 1} = {form}; a "
                    "rounded matrix has to be widened by its rounding errors first"
                )


def _pivot(block: list[list[Any]], g: Metric) -> int:
    """The mask P proposed by floats; what they say is proved afterwards."""
    m = len(g)
    if m == 0:
        return 0
    floats = np.array([[float(x.mid()) for x in row] for row in block]).reshape(1, m, m)
    return int(pivoted_cayley((floats - np.eye(m)) * np.array(g, dtype=float), g).pivot[0])


def _cayley(block: list[list[Any]], pivot: int, g: Metric) -> tuple[Any, Any]:
    """t = K^-1 (O D - I) G, antisymmetric, and det K, for K = I + O D."""
    m = len(g)
    sign = [-1 if pivot >> i & 1 else 1 for i in range(m)]
    flipped = [[block[i][j] * sign[j] for j in range(m)] for i in range(m)]
    unit = arb_mat(m, m, [arb(int(i == j)) for i in range(m) for j in range(m)])
    system = unit + arb_mat(m, m, [x for row in flipped for x in row])
    if m == 0:
        return [], arb(1)
    try:
        raw = system.solve(arb_mat(flipped) - unit)
    except ZeroDivisionError as error:
        raise Undecided("the matrix is too wide to be lifted: narrow its balls") from error
    t = [[(raw[i, j] * g[j] - raw[j, i] * g[i]) / 2 for j in range(m)] for i in range(m)]
    return t, system.det()


def _with_null_rows(t: Any, pivot: int, rows: list[list[Any]], g: Metric) -> list[list[Any]]:
    """t with the rows of the null vectors: u = O_0 D, t_0 = u (G - t) / 2, t_00 = u t u^T / 4.

    The matrix does not show the products of two null vectors: they get no part of their own.
    """
    m, n = len(t), len(g)
    full = [[arb(0)] * n for _ in range(n)]
    u = [[(-x if pivot >> j & 1 else x) for j, x in enumerate(row)] for row in rows]
    for i in range(m):
        full[i][:m] = t[i]
    turned = [[sum((v[i] * t[i][j] for i in range(m)), arb(0)) for j in range(m)] for v in u]
    for k, v in enumerate(u):
        for j in range(m):
            entry = (v[j] * g[j] - turned[k][j]) / 2
            full[m + k][j], full[j][m + k] = entry, -entry
        for other in range(len(u)):
            total = sum((turned[k][j] * u[other][j] for j in range(m)), arb(0))
            full[m + k][m + other] = total / 4 if k != other else arb(0)
    return full


def outer_exponential(t: list[list[Any]]) -> dict[int, Any]:
    """Pf(t_S) of all even S, by expansion along the last index."""
    n = len(t)
    found = {0: arb(1)}
    for last in range(1, n):
        for low in range(1, 1 << last):
            if low.bit_count() % 2 == 0:
                continue
            total, sign = arb(0), 1
            for j in range(last - 1, -1, -1):
                if low >> j & 1:
                    total += sign * t[j][last] * found[low ^ 1 << j]
                    sign = -sign
            found[low | 1 << last] = total
    return found


def canonical_sign(values: list[Any]) -> int:
    """The sign that makes R_0 positive if |R_0| > 2^-26 max |R|, else the first coefficient with
    |R_S| >= (1 - 1e-6) max |R|; Undecided where the balls allow both."""
    lower, upper = [v.abs_lower() for v in values], [v.abs_upper() for v in values]
    lowest, highest = max(lower), max(upper)
    leading, slack = [], arb(999_999) / 10**6
    if not upper[0] * 2**26 <= lowest:  # the scalar part may lead
        leading.append(values[0])
    if not lower[0] * 2**26 > highest:  # it may also not
        for value, low, high in zip(values, lower, upper, strict=True):
            if not high < slack * lowest:
                leading.append(value)
            if low >= slack * highest:
                break
    if all(value > 0 for value in leading):
        return 1
    if all(value < 0 for value in leading):
        return -1
    raise Undecided(
        "the sign of the rotor is a matter of a coefficient whose ball is too wide: narrow the "
        "matrix, or take either sign"
    )
