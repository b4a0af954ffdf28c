"""exp of a bivector in closed form, for n <= 5 and every signature.

Let s = <B^2>_0 and W = B ^ B.  For n <= 5, B^2 = s + W, W^2 = delta is a number and W B is a
bivector, so every power of B lives in the commutative ring R[W] / (W^2 - delta), times 1 or B.
With the entire functions C(z) = cosh sqrt z and S(z) = sinh sqrt z / sqrt z,

    exp(B) = C(s + W) + S(s + W) B,    f(s + W) = f_e + f_o W,                        (1)

where f_e and f_o are entire in (s, delta).  They are computed from whichever numbers are well
separated: the roots s +- sqrt(delta) of B^2, or the squares (s +- sqrt(s^2 - delta)) / 2 of two
commuting planes, or, near zero, from the power series.  No case is degenerate.

Arrays here have coefficients first and batch last.  A bivector is divided by `unit`, a power of
two, before anything is squared; angles are multiplied by it again inside C and S.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import factorial
from typing import NamedTuple

import numpy as np

from .bits import Floats, Integers, Metric, bivector_positions, non_null, product_signs
from .nearest_rotor import nearest_rotor

Unit = Floats | float

LARGEST_PLAIN = 1e60  # sum of squares below which neither W^2 nor the products overflow
SERIES_RADIUS = 0.5  # |s| and sqrt|delta| below it: power series in the ring
LARGEST_UNPOLISHED = 2.0  # |B| up to which rounding of W B does not show in R ~R
SERIES_TERMS = 11  # (2 * radius)^k / (2k)! is below 2^-58 beyond it


class _Tables(NamedTuple):
    """Index tables of one algebra; bivectors in the order of bivector_positions."""

    entries: Integers  # positions of b_ij in the flattened matrix
    positions: Integers  # compact positions of the bivectors
    squares: Floats  # (e_i e_j)^2 = -g_i g_j
    quads: Integers  # compact positions of the grade-4 blades
    quad_squares: Floats
    factors: Integers  # (2, 3, quads): W_q = 2 sum of signed products of two bivector entries
    factor_signs: Floats  # (3, 1)
    weights: tuple[Integers, Integers, Floats]  # (W B)_ij as sum of signs * W_q * b_kl


class _Separated(NamedTuple):
    """What the evaluations of C_e, .. need, for the batch elements that one of them serves."""

    s: Floats
    delta: Floats
    unit: Floats
    v: Floats
    product: Floats  # W B


@cache
def _tables(g: Metric) -> _Tables:
    """W_ijkl = 2 (b_ij b_kl - b_ik b_jl + b_il b_jk), and E_ijkl e_kl = +-e_ij."""
    n = len(g)
    rows, columns, positions = bivector_positions(n)
    index = {(int(i), int(j)): k for k, (i, j) in enumerate(zip(rows, columns, strict=True))}
    quads = list(combinations(range(n), 4))
    masks = np.array([sum(1 << i for i in q) for q in quads], dtype=np.int64)
    first = [[index[i, j], index[i, k], index[i, m]] for i, j, k, m in quads]
    second = [[index[k, m], index[j, m], index[j, k]] for i, j, k, m in quads]
    sources: list[list[tuple[int, int, float]]] = []
    for i, j in index:
        sources.append([])
        for q, quad in enumerate(quads):
            if i in quad and j in quad:
                k, m = (x for x in quad if x not in (i, j))
                pair = np.array([1 << k | 1 << m])
                sign = float(product_signs(masks[q : q + 1], pair, g)[0])
                sources[-1].append((q, index[k, m], sign))
    terms = (n - 2) * (n - 3) // 2 if n >= 4 else 0
    table = np.array(sources, dtype=float).reshape(len(index), terms, 3).transpose(2, 1, 0)
    metric = np.array(g, dtype=float)
    return _Tables(
        entries=rows * n + columns,
        positions=positions,
        squares=-metric[rows] * metric[columns],
        quads=masks >> 1,
        quad_squares=np.array([float(np.prod(metric[list(q)])) for q in quads]),
        factors=np.array([first, second], dtype=np.int64).reshape(2, -1, 3).transpose(0, 2, 1),
        factor_signs=np.array([[2.0], [-2.0], [2.0]])[:, :, None],
        weights=(table[0].astype(np.int64), table[1].astype(np.int64), table[2][:, :, None]),
    )


def exponential_in_closed_form(b: Floats, g: Metric) -> Floats:
    """exp(B) in compact order for antisymmetric b (batch, n, n), n <= 5; overflow gives inf."""
    n = len(g)
    tables = _tables(g)
    v = b.reshape(len(b), n * n).T[tables.entries]
    unit = _unit(v, tables)
    if not isinstance(unit, float):
        v = v / unit
    result = np.zeros((1 << n >> 1, len(b)))
    m = len(non_null(g))
    if n <= 3:
        result[0], sinhc = _cosh_sinhc(tables.squares @ (v * v), unit)
        result[tables.positions] = sinhc * v
    elif m <= 3:
        _nilpotent(v, unit, tables, result)
    elif n == 4 and tables.quad_squares[0] > 0:
        _two_halves(v, _by_four_vector(np.ones((1, 1)), v, tables), unit, tables, result)
    elif n == 5 and abs(sum(g)) == 5:
        _definite_five(v, unit, tables, result)
    else:
        _general(v, unit, tables, result)
    return np.ascontiguousarray(result.T)


def _unit(v: Floats, tables: _Tables) -> Unit:
    """Power of two at least as large as 1 and the non-null entries; 1.0 when nothing is large."""
    if np.einsum("ib,ib->", v, v) < LARGEST_PLAIN:
        return 1.0
    largest = np.abs(v[tables.squares != 0]).max(axis=0, initial=0.0)
    unit: Floats = np.ldexp(1.0, np.maximum(np.frexp(largest)[1], 0))
    return unit


def _cosh_sinhc(z: Floats, unit: Unit) -> tuple[Floats, Floats]:
    """C(unit^2 z) and unit S(unit^2 z)."""
    root = np.sqrt(np.abs(z))
    angle = root * unit
    cosine, sine = np.cos(angle), np.sin(angle)
    positive = z > 0
    if positive.any():
        cosine = np.where(positive, np.cosh(angle), cosine)
        sine = np.where(positive, np.sinh(angle), sine)
    vanishing = root == 0
    if vanishing.any():
        return cosine, np.where(vanishing, unit, sine / np.where(vanishing, 1.0, root))
    return cosine, sine / root


def _wedge_square(v: Floats, tables: _Tables) -> Floats:
    """W = B ^ B."""
    products = v[tables.factors[0]] * v[tables.factors[1]] * tables.factor_signs
    total: Floats = products.sum(axis=0)
    return total


def _by_four_vector(w: Floats, v: Floats, tables: _Tables) -> Floats:
    """Grade-2 part of W B."""
    quad, pair, sign = tables.weights
    total: Floats = (w[quad] * v[pair] * sign).sum(axis=0)
    return total


def _nilpotent(v: Floats, unit: Unit, tables: _Tables, result: Floats) -> None:
    """(1) where W contains null vectors only, so delta = 0: f_e = f(s), f_o = f'(s).

    C' = S / 2 and S' = (C - S) / (2 s) = sum_k (k+1) s^k / (2k+3)!.
    """
    s = tables.squares @ (v * v)
    cosh, sinhc = _cosh_sinhc(s, unit)
    true_s = (s * unit) * unit
    near = np.abs(true_s) < SERIES_RADIUS
    slope = (cosh * unit - sinhc) / np.where(near, 1.0, 2.0 * s)
    if near.any():
        series = np.zeros_like(s)
        for k in range(8, -1, -1):
            series = series * true_s + (k + 1) / factorial(2 * k + 3)
        slope = np.where(near, series * unit * unit * unit, slope)
    w = _wedge_square(v, tables)
    result[0] = cosh
    result[tables.quads] = (0.5 * unit) * sinhc * w
    result[tables.positions] = sinhc * v + slope * _by_four_vector(w, v, tables)


def _two_halves(v: Floats, dual: Floats, unit: Unit, tables: _Tables, result: Floats) -> None:
    """n = 4 and e_1234^2 = +1: exp(B) is the sum over both signs of p C(z) + S(z) p B, where
    p = (1 +- e_1234) / 2 is idempotent and central, and (p B)^2 = z p, z = 2 <(p B)^2>_0.

    In definite metrics no squares cancel in z.
    """
    halves = np.stack([v + dual, v - dual]) * 0.5
    cosh, sinhc = _cosh_sinhc((2.0 * tables.squares) @ (halves * halves), unit)
    result[0] = 0.5 * cosh[0] + 0.5 * cosh[1]
    result[tables.quads] = 0.5 * (cosh[0] - cosh[1])
    result[tables.positions] = sinhc[0] * halves[0] + sinhc[1] * halves[1]


def _definite_five(v: Floats, unit: Unit, tables: _Tables, result: Floats) -> None:
    """n = 5, definite: as for n = 4 with omega = W / |W| in place of e_1234.

    For a nearly simple B the direction of W is mostly rounding; there the roots are s +- |W|.
    """
    w = _wedge_square(v, tables)
    size = np.sqrt(np.einsum("ib,ib->b", w, w))
    omega = w / np.where(size == 0, 1.0, size)
    dual = _by_four_vector(omega, v, tables)
    halves = np.stack([v + dual, v - dual]) * 0.5
    s = tables.squares @ (v * v)
    roots = np.where(
        2.0 * size > np.abs(s),
        (2.0 * tables.squares) @ (halves * halves),
        np.stack([s + size, s - size]),
    )
    cosh, sinhc = _cosh_sinhc(roots, unit)
    result[0] = 0.5 * cosh[0] + 0.5 * cosh[1]
    result[tables.quads] = 0.5 * (cosh[0] - cosh[1]) * omega
    result[tables.positions] = sinhc[0] * halves[0] + sinhc[1] * halves[1]
    large = (s * unit) * unit < -(LARGEST_UNPOLISHED**2)
    if large.any():
        result[:, large] = nearest_rotor(result[:, large])


def _general(v: Floats, unit: Unit, tables: _Tables, result: Floats) -> None:
    """Equation (1) with C_e, C_o, S_e, S_o, each batch element by the evaluation that suits it."""
    w = _wedge_square(v, tables)
    product = _by_four_vector(w, v, tables)
    s = tables.squares @ (v * v)
    delta = tables.quad_squares @ (w * w)
    units = np.broadcast_to(unit, s.shape)
    near = np.maximum(np.abs(s), np.sqrt(np.abs(delta))) * units * units < SERIES_RADIUS
    apart = (4.0 * delta > s * s) & ~near
    whole = _Separated(s, delta, units, v, product)
    pairs = np.empty((4, *s.shape))
    for chosen, function in ((near, _series), (apart, _roots), (~(near | apart), _planes)):
        if chosen.all():
            pairs = function(whole, tables.squares)
        elif chosen.any():
            part = _Separated(*(x[..., chosen] for x in whole))
            pairs[:, chosen] = function(part, tables.squares)
    even_cosh, odd_cosh, even_sinhc, odd_sinhc = pairs
    result[0] = even_cosh
    result[tables.quads] = odd_cosh * w
    result[tables.positions] = even_sinhc * v + odd_sinhc * product


def _series(part: _Separated, squares: Floats) -> Floats:
    """C_e, C_o, S_e, S_o by Horner's rule in the ring R[W] / (W^2 - delta)."""
    s, delta, unit, _, _ = part
    true_s, true_delta = s * unit * unit, delta * unit**4
    even, odd = np.zeros((2, 2, len(s)))
    for k in range(SERIES_TERMS - 1, -1, -1):
        even, odd = true_s * even + true_delta * odd, even + true_s * odd
        even += np.array([[1.0 / factorial(2 * k)], [1.0 / factorial(2 * k + 1)]])
    return np.stack([even[0], odd[0] * unit**2, even[1] * unit, odd[1] * unit**3])


def _roots(part: _Separated, squares: Floats) -> Floats:
    """C_e, .. from the values at the roots s +- r, r = sqrt(delta) >= |s| / 2.

    The smaller root is taken as 2 <B'^2>_0 of the vector difference B' = (B -+ W B / r) / 2, so
    that nearly equal angles lose no digits.
    """
    s, delta, unit, v, product = part
    r = np.sqrt(delta)
    side = np.where(s < 0, 1.0, -1.0)
    difference = 0.5 * (v + (side / r) * product)
    small = 2.0 * (squares @ (difference * difference))
    cosh, sinhc = _cosh_sinhc(np.stack([small, s - side * r]), unit)
    step = 0.5 * side / r
    return np.stack(
        [
            0.5 * cosh[0] + 0.5 * cosh[1],
            step * (cosh[0] - cosh[1]),
            0.5 * sinhc[0] + 0.5 * sinhc[1],
            step * (sinhc[0] - sinhc[1]),
        ]
    )


def _planes(part: _Separated, squares: Floats) -> Floats:
    """C_e, .. from the squares x, y of two commuting planes: x + y = s, 4 x y = delta <= s^2 / 4.

    exp(B) = (C(x) + S(x) B1)(C(y) + S(y) B2), W = 2 B1 B2 and W B = 2 y B1 + 2 x B2.
    """
    s, delta, unit, _, _ = part
    x = 0.5 * (s + np.copysign(np.sqrt(s * s - delta), s))
    y = delta / (4.0 * x)
    (cosh_x, cosh_y), (sinhc_x, sinhc_y) = _cosh_sinhc(np.stack([x, y]), unit)
    left, right = sinhc_x * cosh_y, cosh_x * sinhc_y
    gap = x - y
    return np.stack(
        [
            cosh_x * cosh_y,
            0.5 * sinhc_x * sinhc_y,
            (x / gap) * left - (y / gap) * right,
            0.5 * (right - left) / gap,
        ]
    )
