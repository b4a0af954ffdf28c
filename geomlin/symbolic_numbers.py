"""Numbers for the functions of symbolic exp and log, at the working precision of mpmath.

Divided differences cancel where their points meet; the precision is raised by what is lost there,
so every value is good to about the working precision.  Arrays take float formulas where nothing
cancels, and mpmath elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import mpmath
import numpy as np

_MOST_BITS = 20_000  # below 2^-5000 a difference of two points counts as zero
_ROOM = 30  # spare bits
_SERIES_RADIUS = 4.0  # |z| below which c_2, c_3 lose digits in closed form
_SERIES_TERMS = 20  # 4^20 / 42! is below 2^-130
_APART = 0.25  # |d| above which a difference over 2 sqrt(d) loses at most two bits

Number = Callable[..., Any]


def stumpff_number(k: Any, z: Any) -> Any:
    """c_k(z) = sum_j z^j / (2j + k)!, z real or complex."""
    k = int(k)
    if k >= 2:
        value = mpmath.hyp1f2(1, mpmath.mpf(k + 1) / 2, mpmath.mpf(k) / 2 + 1, z / 4)
        value = value / mpmath.factorial(k)
    else:
        root = mpmath.sqrt(z)
        value = mpmath.cosh(root) if k == 0 else mpmath.sinh(root) / root if z else mpmath.mpf(1)
    return _real_if(mpmath.im(z) == 0, value)


def arc_ratio_number(k: Any, c: Any) -> Any:
    """The k-th derivative of acos(c) / sqrt(1 - c^2); NaN on the cut c <= -1."""
    k = int(k)
    if mpmath.im(c) == 0 and mpmath.re(c) <= -1:
        return mpmath.nan
    distance = abs(c - 1)
    if distance == 0 or mpmath.log(distance, 2) * max(k, 1) < -_MOST_BITS:
        return mpmath.fprod(mpmath.mpf(-(j**2)) / (2 * j + 1) for j in range(1, k + 1))
    lost = int(max(0, -mpmath.log(distance, 2)) * (k + 1)) + _ROOM
    with mpmath.extraprec(lost):
        square = (c - 1) * (c + 1)
        values = [mpmath.acos(c) / mpmath.sqrt(-square)]
        values.append((1 - c * values[0]) / square)
        for j in range(1, k):
            values.append(-((2 * j + 1) * c * values[j] + j**2 * values[j - 1]) / square)
    return _real_if(mpmath.im(c) == 0, +values[k])


def stumpff_derivative(k: int, order: int, z: Any) -> Any:
    """The derivative of that order of c_k, through c_k' = (c_(k+1) - k c_(k+2)) / 2."""
    weights = {k: mpmath.mpf(1)}
    for _ in range(order):
        new: dict[int, Any] = {}
        for j, w in weights.items():
            new[j + 1] = new.get(j + 1, 0) + w / 2
            new[j + 2] = new.get(j + 2, 0) - j * w / 2
        weights = new
    return mpmath.fsum(w * stumpff_number(j, z) for j, w in weights.items() if w)


def split_number(function: Number, derivative: Callable[[int, int, Any], Any]) -> Number:
    """sum_j f^(2j+m)(s) d^j / (2j + m)! by the roots s +- sqrt(d)."""

    def number(k: Any, m: Any, s: Any, d: Any) -> Any:
        k, m = int(k), int(m)
        size = mpmath.log(abs(d), 2) / 2 if d else -mpmath.inf
        if (m + 1) * size < -_MOST_BITS:
            return derivative(k, m, s) / mpmath.factorial(m)
        with mpmath.extraprec(int(max(0, -size) * (m + 1)) + _ROOM):
            r = mpmath.sqrt(d)
            plus, minus = function(k, s + r), function(k, s - r)
            value = (plus - minus) / (2 * r) if m % 2 else (plus + minus) / 2
            for j in range(m % 2, m, 2):
                value = (value - derivative(k, j, s) / mpmath.factorial(j)) / d
        return mpmath.re(value) if mpmath.im(s) == 0 and mpmath.im(d) == 0 else +value

    return number


def _real_if(real: bool, value: Any) -> Any:
    """The real part where the imaginary part is rounding; NaN stays."""
    return mpmath.re(value) if real else value


stumpff_split_number = split_number(stumpff_number, stumpff_derivative)
arc_ratio_split_number = split_number(
    arc_ratio_number, lambda k, order, c: arc_ratio_number(k + order, c)
)


def on_arrays(number: Number, quick: Number) -> Number:
    """A function of integers and numbers or arrays, for sympy.lambdify with any module.

    `quick` returns float64 values and where they are good; the rest is computed by `number` at
    twice the precision of float64.
    """

    def evaluate(*arguments: Any) -> Any:
        if any(isinstance(x, (mpmath.mpf, mpmath.mpc)) for x in arguments):
            return number(*(mpmath.mpmathify(x) for x in arguments))
        half = len(arguments) // 2
        integers = [int(x) for x in arguments[:half]]
        values = np.broadcast_arrays(*(np.asarray(x, float) for x in arguments[half:]))
        with np.errstate(all="ignore"):
            found, good = quick(*integers, *values)
        found, good = np.array(found), np.asarray(good) | ~np.isfinite(sum(values))
        with mpmath.workprec(106):
            for index in np.argwhere(~good):
                point = (mpmath.mpf(float(x[tuple(index)])) for x in values)
                found[tuple(index)] = float(number(*integers, *point))
        return found if found.ndim else float(found)

    return evaluate


def quick_stumpff(k: int, z: Any) -> tuple[Any, Any]:
    """k <= 3 in closed form, by the series below |z| = 4 for k = 2, 3; z real or complex."""
    root = np.sqrt(z if np.iscomplexobj(z) else np.asarray(z, complex))
    value = np.cosh(root) if k % 2 == 0 else np.sinh(root) / np.where(root == 0, 1.0, root)
    value = np.where((k % 2 == 1) & (root == 0), 1.0, value)
    if k in (2, 3):
        series = sum(z**j / factorial(2 * j + k) for j in range(_SERIES_TERMS))
        small = np.abs(z) < _SERIES_RADIUS
        value = np.where(small, series, (value - 1.0) / np.where(small, 1.0, z))
    real = value if np.iscomplexobj(z) else value.real
    return real, np.full(np.shape(z), k <= 3)


def quick_arc_ratio(k: int, c: Any) -> tuple[Any, Any]:
    """k = 0 in closed form, NaN on the cut c <= -1; complex c is left to mpmath."""
    if np.iscomplexobj(c):
        return c, np.zeros(np.shape(c), dtype=bool)
    circular = np.arccos(np.clip(c, -1, 1)) / np.sqrt((1 - c) * (1 + c))
    hyperbolic = np.arccosh(np.maximum(c, 1)) / np.sqrt((c - 1) * (c + 1))
    value = np.where(c == 1, 1.0, np.where(c < 1, circular, hyperbolic))
    return np.where(c > -1, value, np.nan), np.full(np.shape(c), k == 0)


def quick_split(quick: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """m = 0, 1 by the roots s +- sqrt(d), complex for d < 0, that are well apart for m = 1."""

    def evaluate(k: int, m: int, s: Any, d: Any) -> tuple[Any, Any]:
        r = np.sqrt(np.maximum(d, 0))
        (plus, good), (minus, good_too) = quick(k, s + r), quick(k, s - r)
        value = (plus - minus) / np.where(r > 0, 2 * r, 1.0) if m else (plus + minus) / 2
        negative = np.asarray(d < 0)
        if negative.any():
            i = np.sqrt(np.maximum(-d, 0))
            turned, good_there = quick(k, s + 1j * i)
            part = turned.imag / np.where(i > 0, i, 1.0) if m else turned.real
            value = np.where(negative, part, value)
            good, good_too = good & (good_there | ~negative), good_too & (good_there | ~negative)
        apart = (np.abs(d) > _APART) if m else True
        return value, apart & good & good_too & (m < 2)

    return evaluate
