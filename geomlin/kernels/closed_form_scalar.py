"""exp of one bivector in Python floats, n <= 5: the closed form without the cost of arrays.

The formulas and the choices between them are those of `closed_form`; here W = B ^ B acts on
bivectors through the products E_S e_kl = +-e_ij written out.  Only moderate bivectors are served,
where neither overflow nor lost digits of s = <B^2>_0 are in question; for all others the answer is
None, and the batched kernel has to be asked.
"""

from __future__ import annotations

import cmath
from functools import cache
from itertools import combinations
from math import copysign, cos, cosh, factorial, prod, sin, sinh, sqrt

from .bits import Metric, non_null
from .closed_form import LARGEST_UNPOLISHED, SERIES_RADIUS, SERIES_TERMS

LARGEST_DIMENSION = 5
LARGEST_TOTAL = 10.0  # sum of b_ij^2 served: half-angles and half-rapidities to pi
LARGEST_ROUGH_TOTAL = LARGEST_UNPOLISHED**2  # the same where larger ones show rounding of W B
LARGEST_CANCELLING = 1.0  # the same where squares of both signs may cancel in s
LARGEST_CANCELLATION = 4.0  # sum of b_ij^2 over |s| from which they count as cancelling

Pair = tuple[float, float]
Ring = tuple[float, float, float, float]  # C_e, C_o, S_e, S_o of C(s + W) + S(s + W) B

# Coefficients of C and S, and of S' = (C - S) / (2 z), the highest first.
_SERIES = tuple(
    (1.0 / factorial(2 * k), 1.0 / factorial(2 * k + 1)) for k in reversed(range(SERIES_TERMS))
)
_SLOPE_SERIES = tuple((k + 1) / factorial(2 * k + 3) for k in reversed(range(9)))


def exponential_of_one(v: list[float], g: Metric) -> list[float] | None:
    """exp(B) in blade order from b_12, b_13, .., or None where the batched kernel has to answer."""
    squares, quad_squares, definite, largest_total = _squares(g)
    total = s = 0.0
    for square, x in zip(squares, v, strict=True):
        x *= x
        total += x
        s += square * x
    if not total <= largest_total:  # NaN is not
        return None
    if not definite and total > LARGEST_CANCELLING and total > LARGEST_CANCELLATION * abs(s):
        return None
    n = len(g)
    if n <= 3:
        cosh_s, sinhc_s = _cosh_sinhc(s)
        return [cosh_s, *[sinhc_s * x for x in v]]
    if n == 4:
        return _four(v, s, squares, quad_squares[0])
    return _five(v, s, squares, quad_squares)


@cache
def _squares(g: Metric) -> tuple[tuple[float, ...], tuple[float, ...], bool, float]:
    """(e_i e_j)^2, the squares of the grade-4 blades, whether s has no terms of both signs, and
    the largest sum of b_ij^2 that is served.
    """
    pairs = tuple(float(-x * y) for x, y in combinations(g, 2))
    quads = tuple(float(prod(quad)) for quad in combinations(g, 4))
    definite = not (1.0 in pairs and -1.0 in pairs)
    smooth = len(non_null(g)) <= 3 or (len(g) == 4 and definite)
    return pairs, quads, definite, LARGEST_TOTAL if smooth else LARGEST_ROUGH_TOTAL


def _cosh_sinhc(z: float) -> Pair:
    """C(z) = cosh sqrt z and S(z) = sinh sqrt z / sqrt z."""
    if z < 0.0:
        root = sqrt(-z)
        return cos(root), sin(root) / root
    if z > 0.0:
        root = sqrt(z)
        return cosh(root), sinh(root) / root
    return 1.0, 1.0


def _four(v: list[float], s: float, squares: tuple[float, ...], square: float) -> list[float]:
    """n = 4: B^2 = s + w E in the ring of E = e_1234, E^2 = square in {+1, -1, 0}."""
    a, b, c, d, e, f = v
    p, q, r, t, u, x = squares
    w = 2.0 * (a * f - b * e + c * d)
    dual = (x * f, -u * e, t * d, r * c, -q * b, p * a)  # E B
    if square > 0.0:
        # E B = B on one half: s + w is a sum of three squares, without cancellation if definite
        plus = _cosh_sinhc(p * (a + p * f) ** 2 + q * (b - q * e) ** 2 + r * (c + r * d) ** 2)
        minus = _cosh_sinhc(p * (a - p * f) ** 2 + q * (b + q * e) ** 2 + r * (c - r * d) ** 2)
        first, second = 0.5 * plus[1], 0.5 * minus[1]
        return [
            0.5 * plus[0] + 0.5 * minus[0],
            *[first * (y + z) + second * (y - z) for y, z in zip(v, dual, strict=True)],
            0.5 * (plus[0] - minus[0]),
        ]
    if square < 0.0:
        cosh_even, cosh_odd, even, odd = _complex_numbers(complex(s, w))
    else:
        cosh_even, half, even, slope = _dual_numbers(s)
        cosh_odd, odd = half * w, slope * w
    return [cosh_even, *[even * y + odd * z for y, z in zip(v, dual, strict=True)], cosh_odd]


def _complex_numbers(z: complex) -> Ring:
    """C(z) and S(z) for E^2 = -1, z = s + w E; the series rounds less often near zero."""
    if abs(z.real) < SERIES_RADIUS and abs(z.imag) < SERIES_RADIUS:
        whole = sinhc = 0.0j
        for of_cosh, of_sinhc in _SERIES:
            whole = whole * z + of_cosh
            sinhc = sinhc * z + of_sinhc
    else:
        root = cmath.sqrt(z)
        whole = cmath.cosh(root)
        sinhc = cmath.sinh(root) / root
    return whole.real, whole.imag, sinhc.real, sinhc.imag


def _dual_numbers(s: float) -> Ring:
    """C(s), C'(s) = S(s) / 2, S(s) and S'(s) = (C - S) / (2 s), for W^2 = 0."""
    cosh_s, sinhc_s = _cosh_sinhc(s)
    if abs(s) >= SERIES_RADIUS:
        return cosh_s, 0.5 * sinhc_s, sinhc_s, (cosh_s - sinhc_s) / (2.0 * s)
    slope = 0.0
    for coefficient in _SLOPE_SERIES:
        slope = slope * s + coefficient
    return cosh_s, 0.5 * sinhc_s, sinhc_s, slope


def _five(
    v: list[float], s: float, squares: tuple[float, ...], quad_squares: tuple[float, ...]
) -> list[float] | None:
    """n = 5: W^2 = delta, and W B is a bivector."""
    w = _wedge_square(v)
    if not any(w):
        cosh_s, sinhc_s = _cosh_sinhc(s)
        return [cosh_s, *[sinhc_s * x for x in v], *w]
    product = _by_four_vector(w, [square * x for square, x in zip(squares, v, strict=True)])
    delta = sum(square * x * x for square, x in zip(quad_squares, w, strict=True))
    if quad_squares.count(0.0) == len(quad_squares):
        ring: Ring | None = _dual_numbers(s)
    elif max(abs(s), sqrt(abs(delta))) < SERIES_RADIUS:
        ring = _series(s, delta)
    elif 4.0 * delta > s * s:
        ring = _roots(s, sqrt(delta), v, product, squares)
    elif squares.count(-1.0) == len(squares):
        ring = _nearly_simple(s, sqrt(delta))
    else:
        ring = _planes(s, delta)
    if ring is None:
        return None
    cosh_even, cosh_odd, even, odd = ring
    bivectors = [even * x + odd * y for x, y in zip(v, product, strict=True)]
    return [cosh_even, *bivectors, *[cosh_odd * x for x in w]]


def _wedge_square(v: list[float]) -> list[float]:
    """B ^ B on e_1234, e_1235, e_1245, e_1345, e_2345."""
    b12, b13, b14, b15, b23, b24, b25, b34, b35, b45 = v
    return [
        2.0 * (b12 * b34 - b13 * b24 + b14 * b23),
        2.0 * (b12 * b35 - b13 * b25 + b15 * b23),
        2.0 * (b12 * b45 - b14 * b25 + b15 * b24),
        2.0 * (b13 * b45 - b14 * b35 + b15 * b34),
        2.0 * (b23 * b45 - b24 * b35 + b25 * b34),
    ]


def _by_four_vector(w: list[float], u: list[float]) -> list[float]:
    """W B from u_kl = b_kl (e_k e_l)^2: E_ijkl e_kl = (e_k e_l)^2 e_ij, and so on."""
    w5, w4, w3, w2, w1 = w  # by the vector that is missing
    u12, u13, u14, u15, u23, u24, u25, u34, u35, u45 = u
    return [
        w5 * u34 + w4 * u35 + w3 * u45,
        w2 * u45 - w5 * u24 - w4 * u25,
        w5 * u23 - w3 * u25 - w2 * u35,
        w4 * u23 + w3 * u24 + w2 * u34,
        w5 * u14 + w4 * u15 + w1 * u45,
        w3 * u15 - w5 * u13 - w1 * u35,
        w1 * u34 - w4 * u13 - w3 * u14,
        w5 * u12 + w2 * u15 + w1 * u25,
        w4 * u12 - w2 * u14 - w1 * u24,
        w3 * u12 + w2 * u13 + w1 * u23,
    ]


def _series(s: float, delta: float) -> Ring:
    """Horner's rule in the ring R[W] / (W^2 - delta)."""
    cosh_even = cosh_odd = even = odd = 0.0
    for of_cosh, of_sinhc in _SERIES:
        cosh_even, cosh_odd = s * cosh_even + delta * cosh_odd + of_cosh, cosh_even + s * cosh_odd
        even, odd = s * even + delta * odd + of_sinhc, even + s * odd
    return cosh_even, cosh_odd, even, odd


def _roots(
    s: float, r: float, v: list[float], product: list[float], squares: tuple[float, ...]
) -> Ring:
    """From the values at s +- r, r = sqrt(delta) >= |s| / 2; the smaller root is computed as
    2 <B'^2>_0, B' = (B -+ W B / r) / 2, where nothing cancels if the metric is definite.
    """
    side = 1.0 if s < 0.0 else -1.0
    factor = side / r
    small = 0.0
    for square, x, y in zip(squares, v, product, strict=True):
        small += square * (x + factor * y) ** 2
    return _divided(_cosh_sinhc(0.5 * small), _cosh_sinhc(s - side * r), 0.5 * factor)


def _nearly_simple(s: float, r: float) -> Ring | None:
    """From the values at s +- r in a definite metric, r < |s| / 2; None where r underflows."""
    return _divided(_cosh_sinhc(s + r), _cosh_sinhc(s - r), 0.5 / r) if r else None


def _divided(first: Pair, second: Pair, step: float) -> Ring:
    """Means and divided differences of C and S at two roots."""
    (cosh_x, sinhc_x), (cosh_y, sinhc_y) = first, second
    return (
        0.5 * cosh_x + 0.5 * cosh_y,
        step * (cosh_x - cosh_y),
        0.5 * sinhc_x + 0.5 * sinhc_y,
        step * (sinhc_x - sinhc_y),
    )


def _planes(s: float, delta: float) -> Ring:
    """From the squares x, y of two commuting planes: x + y = s, 4 x y = delta <= s^2 / 4."""
    x = 0.5 * (s + copysign(sqrt(s * s - delta), s))
    y = delta / (4.0 * x)
    (cosh_x, sinhc_x), (cosh_y, sinhc_y) = _cosh_sinhc(x), _cosh_sinhc(y)
    left, right = sinhc_x * cosh_y, cosh_x * sinhc_y
    gap = x - y
    return (
        cosh_x * cosh_y,
        0.5 * sinhc_x * sinhc_y,
        (x / gap) * left - (y / gap) * right,
        0.5 * (right - left) / gap,
    )
