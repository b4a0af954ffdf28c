"""log of a rotor in closed form, for n <= 5 without null vectors.

C = (R + ~R) / 2 = cosh B and S = (R - ~R) / 2 = sinh B commute, hence

    B = f(C) S,    f(c) = acosh(c) / sqrt(c^2 - 1),    (c^2 - 1) f' + c f = 1,           (1)

with f analytic off (-inf, -1] and f(1) = 1.  For n <= 5, C = R_0 + W with W of grade 4 and
W^2 = delta a number, so f(C) = f_e + f_o W, where f_e +- f_o sqrt(delta) = f(R_0 +- sqrt(delta)).
The eigenvalues of C are cosh of sums and differences of the squares' roots: f principal is
exactly the branch beta_1 + beta_2 < pi.

In definite metrics the same is done with angles, atan2(sin, cos), which needs no R ~R = 1.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from .bits import Booleans, Floats, Integers, Metric, bivector_positions, product_signs

NEAR_DOUBLE = 0.12  # sqrt|delta| / (1 + R_0) below which f_e, f_o come from the Taylor series
ROUNDING = 8 * 2.0**-52  # of the largest coefficient: what C = -1 may be off
CANCELLED = 1e-3  # part of |v|^2 that <v^2> must be for its square root to have digits
SMALLEST = 1e-290  # a sine that still has an inverse
TURNED = -0.5  # eigenvalue of C below which its angle is taken from the sine
NEAR_ONE = 0.5  # |R_0 - 1| below which the derivatives of f come from its series at 1
DERIVATIVES = 20  # 0.12^20 is below 1e-18
SERIES_TERMS = 60


@cache
def _tables(g: Metric) -> tuple[Integers, Floats, Integers, Integers, Floats]:
    """Compact positions and squares of the 4-blades; for (W X)_ij: 4-blades, pairs and signs."""
    n = len(g)
    quads = [sum(1 << i for i in q) for q in combinations(range(n), 4)]
    masks = np.array(quads, dtype=np.int64)
    squares = product_signs(masks, masks, g)
    pairs = [1 << i | 1 << j for i, j in combinations(range(n), 2)]
    terms = []
    for pair in pairs:
        inside = [(k, pairs.index(q ^ pair)) for k, q in enumerate(quads) if q & pair == pair]
        terms.append(
            [(k, p, product_signs(masks[k : k + 1], np.array([pairs[p]]), g)[0]) for k, p in inside]
        )
    table = np.array(terms, dtype=float).reshape(len(pairs), -1, 3)
    which, other = table[..., 0].astype(np.int64), table[..., 1].astype(np.int64)
    return masks >> 1, squares, which, other, table[..., 2]


def _dual(w: Floats, v: Floats, g: Metric) -> Floats:
    """Grade-2 part of W X, for w (batch, quads) and bivector coefficients v (batch, pairs)."""
    _, _, which, other, signs = _tables(g)
    total: Floats = (w[:, which] * v[:, other] * signs).sum(axis=-1)
    return total


def as_matrix(v: Floats, n: int) -> Floats:
    """Antisymmetric b (batch, n, n) from the coefficients e12, e13, .."""
    rows, columns, _ = bivector_positions(n)
    b = np.zeros((len(v), n, n))
    b[:, rows, columns] = v
    b[:, columns, rows] = -v
    return b


def definite_closed(rotor: Floats, g: Metric) -> tuple[Floats, Booleans]:
    """log R for n = 2, 3, 4 in a definite metric: b, and where the branch is sharp.

    n <= 3: B = atan2(|R_2|, R_0) R_2 / |R_2|.  n = 4: R is a pair of quaternions
    q = s + v, v = (R_2 +- e_1234 R_2) / 2, whose angles are beta_1 +- beta_2.
    """
    n = len(g)
    positions = bivector_positions(n)[2]
    v, scalar = rotor[:, positions], rotor[:, 0]
    if n <= 3:
        coefficients, sharp = _angle(scalar, v, v, np.zeros(len(rotor)))
        return as_matrix(coefficients, n), sharp
    dual = _dual(np.ones((len(rotor), 1)), v, g)
    four = rotor[:, -1]
    noise = ROUNDING * np.maximum(np.abs(rotor).max(axis=1), 4 * np.abs(v).max(axis=1))
    first, first_sharp = _angle(scalar + four, v + dual, (v + dual) / np.sqrt(2.0), noise)
    second, second_sharp = _angle(scalar - four, v - dual, (v - dual) / np.sqrt(2.0), noise)
    return as_matrix(0.5 * (first + second), n), first_sharp & second_sharp


def _angle(
    cosine: Floats, direction: Floats, sine: Floats, noise: Floats
) -> tuple[Floats, Booleans]:
    """atan2(|sine|, cosine) direction / |sine|; not sharp where the angle is pi up to noise."""
    unit = np.abs(sine).max(axis=1, initial=0.0)
    unit = np.where(unit > 0, unit, 1.0)[:, None]
    size = np.sqrt(((sine / unit) ** 2).sum(axis=1))
    size_true = size * unit[:, 0]
    angle = np.arctan2(size_true, cosine)
    factor = angle / np.where(size > 0, size, 1.0)
    sharp = (cosine > 0) | (size_true > noise)
    return factor[:, None] * (direction / unit), sharp


def closed_logarithm(rotor: Floats, g: Metric) -> tuple[Floats, Booleans, Floats]:
    """Equation (1) for 2 <= n <= 5: b, where it is known, and the smallest real eigenvalue of C
    (infinite where they are complex).

    Where that is -1 or less there is no principal logarithm; nor is b known, but zero, where it is
    near -1 and its sine has no digits.
    """
    n = len(g)
    positions = bivector_positions(n)[2]
    v, scalar = rotor[:, positions], rotor[:, 0]
    if n <= 3:
        good = scalar > -1.0
        factor = _f(np.where(good, scalar, 1.0))
        turned = (scalar < TURNED) & (scalar >= -1.0 - ROUNDING)
        factor[turned], good[turned] = _turned_factor(scalar[turned], v[turned], 1.0, g)
        b = as_matrix(factor[:, None] * v, n)
        return np.where(good[:, None, None], b, 0.0), good, scalar
    quads, squares, *_ = _tables(g)
    unit = np.maximum(np.abs(rotor).max(axis=1, initial=1.0), 1.0)
    w = rotor[:, quads] / unit[:, None]
    delta = w * w @ squares
    root = np.sqrt(np.abs(delta)) * unit
    lowest = np.where(delta >= 0, scalar - root, np.where(root == 0, scalar, np.inf))
    good = lowest > -1.0
    even, odd = _even_odd(scalar, root, delta >= 0, good, unit)
    dual = _dual(w, v / unit[:, None], g) * unit[:, None]
    good &= (delta >= 0) | (scalar > TURNED) | (root > -TURNED)
    with np.errstate(over="ignore", invalid="ignore"):  # beside 1e300, or where it is not known
        coefficients = even[:, None] * v + odd[:, None] * dual
    good &= np.isfinite(coefficients).all(axis=1)
    turned = (lowest < TURNED) & (lowest >= -1.0 - ROUNDING * unit)
    double = root < NEAR_DOUBLE * np.maximum(1.0 + scalar, 0.0)
    good &= ~(turned & double)
    turned &= ~double & (root > 0)
    if turned.any():
        direction = w[turned] * (unit / np.where(root > 0, root, 1.0))[turned, None]
        coefficients[turned], good[turned] = _by_halves(
            scalar[turned], v[turned], direction, root[turned], g
        )
    return as_matrix(np.where(good[:, None], coefficients, 0.0), n), good, lowest


def _by_halves(
    scalar: Floats, v: Floats, omega: Floats, root: Floats, g: Metric
) -> tuple[Floats, Booleans]:
    """f(c+) v+ + f(c-) v-, v+- = (R_2 +- omega R_2) / 2, omega = W / root, with
    f(c-) = atan2(s, c-) / s from s^2 = -2 <v-^2>: near c = -1 the sine has the digits.

    Also, where s^2 is positive and v- is more than rounding.
    """
    dual = _dual(omega, v, g)
    high, low = 0.5 * (v + dual), 0.5 * (v - dual)
    turned = -_dual(omega, low, g)  # rounding put into a small v- what omega v- = -v- excludes
    low = 0.5 * (turned - _dual(omega, turned, g))
    factor, known = _turned_factor(scalar - root, low, 2.0, g)
    noise = ROUNDING * np.maximum(np.abs(scalar) + root, 4 * np.abs(v).max(axis=1))
    beyond = scalar + root >= TURNED  # else root, and so omega, may be rounding
    known &= beyond & (np.abs(low).max(axis=1) > noise)
    other = _f(np.maximum(scalar + root, TURNED))
    return other[:, None] * high + factor[:, None] * low, known


def _turned_factor(
    cosine: Floats, v: Floats, multiple: float, g: Metric
) -> tuple[Floats, Booleans]:
    """atan2(s, c) / s for s^2 = -multiple <v^2>, and where s^2 is positive beyond rounding."""
    rows, columns, _ = bivector_positions(len(g))
    metric = np.array(g, dtype=float)
    size = np.abs(v).max(axis=1, initial=0.0)
    scaled = v / np.where(size > 0, size, 1.0)[:, None]
    square = multiple * (scaled * scaled) @ (metric[rows] * metric[columns])
    known = (square > CANCELLED) & (size > SMALLEST)
    sine = np.sqrt(np.where(known, square, 1.0)) * np.where(known, size, 1.0)
    return np.arctan2(sine, cosine) / sine, known


def _even_odd(
    c: Floats, root: Floats, real: Booleans, good: Booleans, unit: Floats
) -> tuple[Floats, Floats]:
    """f_e and f_o * unit of f(c +- root) or, where not `real`, of f(c +- i root)."""
    c = np.where(good, c, 1.0)
    root = np.where(good, root, 0.0)
    near = root < NEAR_DOUBLE * np.maximum(1.0 + c, 0.0)
    divisor = np.where(near, 1.0, root) / unit
    high = _f(np.where(real & ~near, c + root, 1.0))
    low = _f(np.where(real & ~near, c - root, 1.0))
    pair = _complex_f(np.where(real | near, 1.0, c + 1j * root))
    even = np.where(real, 0.5 * (high + low), pair.real)
    odd = np.where(real, 0.5 * (high - low), pair.imag) / divisor
    if near.any():
        even[near], odd[near] = _taylor(c[near], root[near], real[near], unit[near])
    return even, odd


def _f(c: Floats) -> Floats:
    """f(c) for real c > -1."""
    turning = np.minimum(c, 1.0)
    half = np.sqrt(0.5 * (1.0 - turning))
    angle = 2.0 * np.arctan2(half, np.sqrt(0.5 * (1.0 + turning)))
    sine = np.sqrt((1.0 - turning) * (1.0 + turning))
    growing = np.maximum(c - 1.0, 0.0)
    rapidity = 2.0 * np.arcsinh(np.sqrt(0.5 * growing))
    sinh = np.sqrt(growing) * np.sqrt(growing + 2.0)
    numerator, denominator = np.where(c > 1.0, rapidity, angle), np.where(c > 1.0, sinh, sine)
    one = denominator == 0
    return np.where(one, 1.0, numerator / np.where(one, 1.0, denominator))


def _complex_f(
    c: np.ndarray[tuple[int, ...], np.dtype[np.complex128]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """f(c) off the cut, principal."""
    growing = c - 1.0
    rapidity = 2.0 * np.arcsinh(np.sqrt(0.5 * growing))
    sinh = np.sqrt(growing) * np.sqrt(c + 1.0)
    one = sinh == 0
    return np.where(one, 1.0, rapidity / np.where(one, 1.0, sinh))


def _taylor(c: Floats, root: Floats, real: Booleans, unit: Floats) -> tuple[Floats, Floats]:
    """f_e and f_o * unit from the scaled derivatives F_k = f^(k)(c) h^k / k!, h = 1 + c the
    distance to the singularity: sum over even and odd k of F_k (+-root^2 / h^2)^(k//2)."""
    h = 1.0 + c
    scaled = _scaled_derivatives(c, h)
    ratio = np.where(h > 0, root / np.where(h > 0, h, 1.0), 0.0)
    z = np.where(real, ratio * ratio, -ratio * ratio)
    even, odd = np.zeros_like(c), np.zeros_like(c)
    for k in range(DERIVATIVES - 2, -1, -2):
        even, odd = even * z + scaled[k], odd * z + scaled[k + 1]
    return even, odd / (np.where(h > 0, h, 1.0) / unit)


def _scaled_derivatives(c: Floats, h: Floats) -> Floats:
    """F_0, F_1, .. from (c^2-1) f^(k+1) + (2k+1) c f^(k) + k^2 f^(k-1) = 0, or near c = 1 from
    the series sum_k a_k (c-1)^k."""
    near = np.abs(c - 1.0) < NEAR_ONE
    gap = np.where(near, 1.0, c - 1.0)
    value = _f(c)
    forward = [value, (1.0 - c * value) / gap]
    center, distance = c / gap, h / gap  # near 1 for large c, of which multiples would overflow
    for k in range(1, DERIVATIVES - 1):
        total = (2 * k + 1) * center * forward[k] + k * distance * forward[k - 1]
        forward.append(-total / (k + 1))
    result = np.stack(forward)
    if near.any():
        v, power = c[near] - 1.0, h[near] ** np.arange(DERIVATIVES)[:, None]
        series = np.zeros((DERIVATIVES, len(v)))
        for coefficients in reversed(_coefficients_at_one()):
            series = series * v + coefficients
        result[:, near] = series * power
    return result


@cache
def _coefficients_at_one() -> list[Floats]:
    """For each power of c - 1 its coefficients (DERIVATIVES, 1) in f^(k) / k!, k = 0, 1, ..:
    a_(j+k) binomial(j + k, k), a_k = -k/(2k+1) a_(k-1)."""
    a = [1.0]
    for k in range(1, SERIES_TERMS + DERIVATIVES):
        a.append(-a[-1] * k / (2 * k + 1))
    rows = [[a[j + k] * comb(j + k, k) for k in range(DERIVATIVES)] for j in range(SERIES_TERMS)]
    return [np.array(row)[:, None] for row in rows]
