"""exp of a bivector for n <= 5, without branches on numbers.

With s = <B^2>_0, W = B ^ B, W^2 = delta and the entire functions C(z) = cosh sqrt z and
S(z) = sinh sqrt z / sqrt z,

    exp(B) = C(s + W) + S(s + W) B,    f(s + W) = f_e + f_o W,                        (1)

as in geomlin.kernels.closed_form.  Here every element takes all evaluations, each with harmless
arguments where another one is wanted.  C and S are power series near zero, where the square root
has no derivative; so the derivatives of every order are right at zero, at equal angles and null
bivectors.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.bits import Metric, product_signs
from .support import power_of_two

SERIES_RADIUS = 0.5  # |s| and sqrt|delta| below it: power series in the ring
RING_TERMS = 11  # (2 * radius)^k / (2k)! is below 2^-58 beyond it
SERIES_TERMS = 11  # 1 / (2k)! is below 2^-66 beyond it


class _Tables(NamedTuple):
    """Index tables of one algebra, in blade order."""

    squares: NDArray[np.float64]  # (e_i e_j)^2 = -g_i g_j
    quad_squares: NDArray[np.float64]
    factors: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
    dual: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@cache
def tables(g: Metric) -> _Tables:
    """W_ijkl = 2 (b_ij b_kl - b_ik b_jl + b_il b_jk), and (W B)_ij over quads and pairs."""
    n = len(g)
    pairs = list(combinations(range(n), 2))
    quads = list(combinations(range(n), 4))
    place = {pair: k for k, pair in enumerate(pairs)}
    first = [[place[i, j], place[i, k], place[i, m]] for i, j, k, m in quads]
    second = [[place[k, m], place[j, m], place[j, k]] for i, j, k, m in quads]
    terms = []
    for pair in pairs:
        for q, quad in enumerate(quads):
            if set(pair) <= set(quad):
                i, j = (x for x in quad if x not in pair)
                left, right = np.array([sum(1 << x for x in quad)]), np.array([1 << i | 1 << j])
                terms.append((q, place[i, j], float(product_signs(left, right, g)[0])))
    table = np.array(terms, dtype=float).reshape(len(pairs), -1, 3)
    metric = np.array(g, dtype=float)
    return _Tables(
        squares=np.array([-metric[i] * metric[j] for i, j in pairs]),
        quad_squares=np.array([float(np.prod(metric[list(q)])) for q in quads]),
        factors=(
            np.array(first, dtype=np.int64).reshape(-1, 3),
            np.array(second, dtype=np.int64).reshape(-1, 3),
            np.array([2.0, -2.0, 2.0]),
        ),
        dual=(table[..., 0].astype(np.int64), table[..., 1].astype(np.int64), table[..., 2]),
    )


def wedge_square(xp: Any, v: Any, g: Metric) -> Any:
    """W = B ^ B."""
    first, second, signs = tables(g).factors
    return (xp.take(v, first) * xp.take(v, second) * xp.constant(signs, v)).sum(-1)


def by_four_vector(xp: Any, w: Any, v: Any, g: Metric) -> Any:
    """Grade-2 part of W B."""
    quad, pair, signs = tables(g).dual
    return (xp.take(w, quad) * xp.take(v, pair) * xp.constant(signs, v)).sum(-1)


def weighted_square(xp: Any, v: Any, weights: NDArray[np.float64]) -> Any:
    """sum_k weight_k v_k^2."""
    return (v * v * xp.constant(weights, v)).sum(-1)


def cosh_sinhc(xp: Any, z: Any, unit: Any) -> tuple[Any, Any]:
    """C(unit^2 z) and unit S(unit^2 z), with derivatives of every order."""
    true_z = z * unit * unit
    near = xp.lib.abs(xp.detach(true_z)) < 1.0
    small = xp.where(near, true_z, 0.0)
    cosh, sinhc = xp.lib.zeros_like(small), xp.lib.zeros_like(small)
    for k in range(SERIES_TERMS - 1, -1, -1):
        cosh = cosh * small + 1.0 / factorial(2 * k)
        sinhc = sinhc * small + 1.0 / factorial(2 * k + 1)
    growing = ~near & (z > 0)
    turning = ~near & (z <= 0)
    root = xp.lib.sqrt(xp.where(near, 1.0, xp.lib.abs(z)))
    angle = root * unit
    turn, rapidity = xp.where(turning, angle, 1.0), xp.where(growing, angle, 1.0)
    far_cosh = xp.where(growing, xp.lib.cosh(rapidity), xp.lib.cos(turn))
    far_sinh = xp.where(growing, xp.lib.sinh(rapidity), xp.lib.sin(turn))
    return xp.where(near, cosh, far_cosh), xp.where(near, sinhc * unit, far_sinh / root)


def exponential_in_closed_form(xp: Any, v: Any, g: Metric) -> Any:
    """Even coefficients (..., 2^(n-1)) of exp(B), in blade order, from those of B (..., pairs)."""
    n = len(g)
    table = tables(g)
    regular = np.nonzero(table.squares)[0]
    size = xp.largest(xp.lib.abs(xp.take(xp.detach(v), regular)))
    unit = xp.where(size > 1.0, 2.0 * power_of_two(xp, size), 1.0)
    v = v / unit[..., None]
    if n <= 3:
        cosh, sinhc = cosh_sinhc(xp, weighted_square(xp, v, table.squares), unit)
        return xp.concatenate([cosh[..., None], sinhc[..., None] * v], -1)
    if n == 4 and table.quad_squares[0] > 0:
        return _two_halves(xp, v, unit, g)
    result = _general(xp, v, unit, g)
    return _nearest_rotor(xp, result) if abs(sum(g)) == 5 else result


def _two_halves(xp: Any, v: Any, unit: Any, g: Metric) -> Any:
    """n = 4 and e_1234^2 = +1: exp(B) is the sum over both signs of p C(z) + S(z) p B, where
    p = (1 +- e_1234) / 2 is idempotent and central, and (p B)^2 = z p, z = 2 <(p B)^2>_0."""
    dual = by_four_vector(xp, xp.lib.ones_like(v[..., :1]), v, g)
    halves = xp.stack([v + dual, v - dual], 0) * 0.5
    cosh, sinhc = cosh_sinhc(xp, 2.0 * weighted_square(xp, halves, tables(g).squares), unit)
    plane = sinhc[0][..., None] * halves[0] + sinhc[1][..., None] * halves[1]
    scalar, four = 0.5 * cosh[0] + 0.5 * cosh[1], 0.5 * (cosh[0] - cosh[1])
    return xp.concatenate([scalar[..., None], plane, four[..., None]], -1)


def _general(xp: Any, v: Any, unit: Any, g: Metric) -> Any:
    """Equation (1) with C_e, C_o, S_e, S_o from whichever numbers are well separated."""
    w = wedge_square(xp, v, g)
    product = by_four_vector(xp, w, v, g)
    s = weighted_square(xp, v, tables(g).squares)
    delta = weighted_square(xp, w, tables(g).quad_squares)
    known_s, known_delta = xp.detach(s), xp.detach(delta)
    area = unit * unit
    near = (xp.lib.abs(known_s * area) < SERIES_RADIUS) & (
        xp.lib.abs(known_delta * area * area) < SERIES_RADIUS**2
    )
    apart = (4.0 * known_delta > known_s * known_s) & ~near
    series = _ring_series(xp, xp.where(near, s, 0.0), xp.where(near, delta, 0.0), unit)
    far = _separated(xp, (s, delta, v, product), unit, (near, apart), g)
    even_cosh, odd_cosh, even_sinhc, odd_sinhc = (
        xp.where(near, a, b)[..., None] for a, b in zip(series, far, strict=True)
    )
    return xp.concatenate([even_cosh, even_sinhc * v + odd_sinhc * product, odd_cosh * w], -1)


def _ring_series(xp: Any, s: Any, delta: Any, unit: Any) -> tuple[Any, Any, Any, Any]:
    """C_e, C_o, S_e, S_o by Horner's rule in the ring R[W] / (W^2 - delta)."""
    area = unit * unit
    s, delta = s * area, delta * area * area
    found = []
    for shift in (0, 1):
        even, odd = xp.lib.zeros_like(s), xp.lib.zeros_like(s)
        for k in range(RING_TERMS - 1, -1, -1):
            even, odd = s * even + delta * odd, even + s * odd
            even = even + 1.0 / factorial(2 * k + shift)
        found += [even, odd]
    return found[0], found[1] * area, found[2] * unit, found[3] * area * unit


def _separated(
    xp: Any, parts: tuple[Any, Any, Any, Any], unit: Any, masks: tuple[Any, Any], g: Metric
) -> tuple[Any, Any, Any, Any]:
    """The same from two numbers: where `apart`, the roots s +- r of B^2, r = sqrt(delta), the
    smaller one as 2 <B'^2>_0 of the vector difference B' = (B -+ W B / r) / 2; else the squares
    x, y of two commuting planes, x + y = s, 4 x y = delta <= s^2 / 4."""
    s, delta, v, product = parts
    near, apart = masks
    planes = ~near & ~apart
    r = xp.lib.sqrt(xp.where(apart, delta, 1.0))
    side = xp.where(s < 0, 1.0, -xp.lib.ones_like(s))
    difference = 0.5 * (v + (side / r)[..., None] * product)
    small = 2.0 * weighted_square(xp, difference, tables(g).squares)
    plane_s, plane_delta = xp.where(planes, s, 1.0), xp.where(planes, delta, 0.0)
    root = xp.lib.sqrt(plane_s * plane_s - plane_delta)
    x = 0.5 * (plane_s + xp.where(plane_s < 0, -root, root))
    y = plane_delta / (4.0 * x)
    first = xp.where(apart, small, xp.where(planes, x, 0.0))
    second = xp.where(apart, s - side * r, xp.where(planes, y, 0.0))
    cosh, sinhc = cosh_sinhc(xp, xp.stack([first, second], 0), unit)
    step = 0.5 * side / r
    left, right = sinhc[0] * cosh[1], cosh[0] * sinhc[1]
    gap = x - y
    return (
        xp.where(apart, 0.5 * cosh[0] + 0.5 * cosh[1], cosh[0] * cosh[1]),
        xp.where(apart, step * (cosh[0] - cosh[1]), 0.5 * sinhc[0] * sinhc[1]),
        xp.where(apart, 0.5 * sinhc[0] + 0.5 * sinhc[1], (x / gap) * left - (y / gap) * right),
        xp.where(apart, step * (sinhc[0] - sinhc[1]), 0.5 * (right - left) / gap),
    )


@cache
def _norm_tables() -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """For the grade-4 blades Q of a definite Cl(5) and the even blades S: where S xor Q is, and
    the signs of E_S ~E_(S xor Q) and of E_Q E_(S xor Q)."""
    blades = [sum(1 << i for i in s) for k in (0, 2, 4) for s in combinations(range(5), k)]
    masks = np.array(blades)
    quads = masks[-5:][:, None]
    partner = masks ^ quads
    place = {mask: k for k, mask in enumerate(blades)}
    positions = np.array([[place[int(m)] for m in row] for row in partner])
    grades = np.bitwise_count(partner)
    g = (1,) * 5  # rotors of Cl(0,5) have the coefficients of rotors of Cl(5)
    left = np.broadcast_to(masks, partner.shape)
    pairing = product_signs(left, partner, g) * np.where(grades % 4 == 2, -1.0, 1.0)
    action = product_signs(np.broadcast_to(quads, partner.shape), partner, g)
    return positions, pairing, action


def _nearest_rotor(xp: Any, rotor: Any) -> Any:
    """R - (R ~R - 1) R / 2 in a definite Cl(5): what rounding added to the norm is taken away."""
    positions, pairing, action = _norm_tables()
    others = xp.take(rotor, positions)
    excess = (rotor * rotor).sum(-1)[..., None] - 1.0
    four = (rotor[..., None, :] * others * xp.constant(pairing, rotor)).sum(-1)
    turned = (four[..., None] * others * xp.constant(action, rotor)).sum(-2)
    return rotor - 0.5 * (excess * rotor + turned)
