"""Functions of the roots of a cubic, named instead of written by radicals.

chi(x) = x^3 + a x^2 + b x + c has the roots x_1, x_2, x_3.  With C(z) = cosh sqrt z and
S(z) = sinh(sqrt z) / sqrt z, C_i = C(x_i), S_i = S(x_i), {i, j, k} = {1, 2, 3}:

    CubicRoot(i, a, b, c) = x_(i+1), by real part;
    CubicExponential(g, m, ..) = C_1 C_2 C_3 (g = 0), S_1 S_2 S_3 (g = 6), and for g = 2, 4 the
    coefficient of x^m in the polynomial with the value S_i C_j C_k (C_i S_j S_k) at x_i;
    CubicLogarithm(m, ..) = the same for the value artanh(sqrt x_i) / sqrt x_i, all x_i < 1.

They are analytic in (a, b, c): equal roots are no exception.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from .symbolic_functions import Family
from .symbolic_numbers import stumpff_number

_ROOM = 30  # spare bits


def _cubic_roots(a: Any, b: Any, c: Any) -> list[Any]:
    """The roots by real part, then imaginary part, of x^3 + a x^2 + b x + c, a, b, c real.

    Three real roots by t = 2 rho cos(phi / 3 - 2 pi k / 3), x = t - a / 3; otherwise Cardano's.
    """
    p, q = b - a**2 / 3, 2 * a**3 / 27 - a * b / 3 + c
    discriminant = (q / 2) ** 2 + (p / 3) ** 3
    if discriminant > 0:
        step = mpmath.sqrt(discriminant)
        cube = -q / 2 - step if q > 0 else -q / 2 + step
        u = mpmath.sign(cube) * mpmath.cbrt(abs(cube))
        v = -p / (3 * u)
        pair = mpmath.mpc(-(u + v) / 2, mpmath.sqrt(3) * abs(u - v) / 2)
        roots = [u + v, mpmath.conj(pair), pair]
    elif p == 0:
        roots = [mpmath.mpf(0)] * 3
    else:
        rho = mpmath.sqrt(-p / 3)
        phi = mpmath.acos(max(-1, min(1, -q / (2 * rho**3))))
        shifts = [2 * mpmath.pi * k / 3 for k in range(3)]
        roots = [2 * rho * mpmath.cos(phi / 3 - shift) for shift in shifts]
    return sorted((t - a / 3 for t in roots), key=lambda x: (mpmath.re(x), mpmath.im(x)))


def cubic_root_number(index: Any, *coefficients: Any) -> Any:
    """Root number 0, 1 or 2."""
    with mpmath.extraprec(2 * mpmath.mp.prec + _ROOM):
        root = _cubic_roots(*(mpmath.mpf(x) for x in coefficients))[int(index)]
    return +root


def cubic_exponential_number(grade: Any, power: Any, *arguments: Any) -> Any:
    """A derivative of the coefficient: arguments are its three orders, then a, b, c."""
    orders = tuple(int(order) for order in arguments[:3])
    point = tuple(mpmath.mpf(x) for x in arguments[3:])

    def value(a: Any, b: Any, c: Any) -> Any:
        return _interpolated(lambda x: _values(int(grade), x), int(power), a, b, c)

    return mpmath.diff(value, point, orders) if any(orders) else value(*point)


def cubic_logarithm_number(power: Any, *arguments: Any) -> Any:
    """A derivative of the coefficient: arguments are its three orders, then a, b, c."""
    orders = tuple(int(order) for order in arguments[:3])
    point = tuple(mpmath.mpf(x) for x in arguments[3:])

    def value(a: Any, b: Any, c: Any) -> Any:
        return _interpolated(lambda x: [_artanh_ratio(root) for root in x], int(power), a, b, c)

    return mpmath.diff(value, point, orders) if any(orders) else value(*point)


def _artanh_ratio(x: Any) -> Any:
    """artanh(sqrt x) / sqrt x, NaN from x = 1 on."""
    if mpmath.im(x) == 0 and mpmath.re(x) >= 1:
        return mpmath.nan
    return mpmath.atanh(mpmath.sqrt(x)) / mpmath.sqrt(x) if x else mpmath.mpf(1)


def _values(grade: int, x: list[Any]) -> list[Any]:
    """S_i C_j C_k or C_i S_j S_k; C_1 C_2 C_3 or S_1 S_2 S_3 three times."""
    even = [stumpff_number(0, root) for root in x]
    odd = [stumpff_number(1, root) for root in x]
    if grade in (0, 6):
        return [mpmath.fprod(odd if grade else even)] * 3
    one, two = (odd, even) if grade == 2 else (even, odd)
    return [one[i] * two[i - 1] * two[i - 2] for i in range(3)]


def _interpolated(values: Callable[[list[Any]], list[Any]], power: int, *point: Any) -> Any:
    """By Newton's interpolation; roots that meet are moved apart by less than the precision."""
    gap = mpmath.ldexp(1, -mpmath.mp.prec - _ROOM)
    with mpmath.extraprec(4 * mpmath.mp.prec + 4 * _ROOM):
        x = _cubic_roots(*point)
        size = 1 + max(abs(root) for root in x)
        if min(abs(x[i] - x[i - 1]) for i in range(3)) < 4 * gap * size:
            x = [root + k * gap * size for k, root in enumerate(x)]
        f = values(x)
        d1 = (f[1] - f[0]) / (x[1] - x[0])
        d2 = ((f[2] - f[1]) / (x[2] - x[1]) - d1) / (x[2] - x[0])
        coefficients = (f[0] - d1 * x[0] + d2 * x[0] * x[1], d1 - d2 * (x[0] + x[1]), d2)
        value = mpmath.re(coefficients[power])
    return +value


def _on_arrays(number: Any, integers: int) -> Any:
    """The function for arrays of float64 after the integers; complex only where a value is."""

    def evaluate(*arguments: Any) -> Any:
        kept, rest = arguments[:integers], arguments[integers:]
        if any(isinstance(x, mpmath.mpf) for x in rest):
            return number(*kept, *rest)
        values = np.broadcast_arrays(*(np.asarray(x, float) for x in rest))
        points = zip(*(x.ravel() for x in values), strict=True)
        with mpmath.workprec(80):
            flat = [complex(number(*kept, *point)) for point in points]
        found = np.array(flat).reshape(values[0].shape)
        return found if found.imag.any() else found.real

    return evaluate


class _OfCubic(Family):
    """Without elementary form: a name is shorter than radicals."""

    def elementary(self) -> Any:
        """Itself."""
        return self

    def _eval_rewrite_as_exp(self, *args: Any, **hints: Any) -> Any:
        return None


class CubicRoot(_OfCubic):
    """CubicRoot(i, a, b, c): the i-th root of x^3 + a x^2 + b x + c, i = 0, 1, 2 by size."""

    nargs = 4
    number = staticmethod(cubic_root_number)
    _imp_ = staticmethod(_on_arrays(cubic_root_number, 1))

    def fdiff(self, argindex: int = 2) -> Any:
        """d root / d coefficient of x^m = -x^m / chi'(x)."""
        a, b, _ = self.args[1:]
        return -(self ** (4 - argindex)) / (3 * self**2 + 2 * a * self + b)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = rf"\lambda_{{{printer.doprint(self.args[0] + 1)}}}"
        return text if exp is None else rf"{text}^{{{exp}}}"


class CubicExponential(_OfCubic):
    """CubicExponential(g, m, i, j, k, a, b, c): its derivative of the orders i, j, k."""

    nargs = 8
    number = staticmethod(cubic_exponential_number)
    _imp_ = staticmethod(_on_arrays(cubic_exponential_number, 5))

    def fdiff(self, argindex: int = 6) -> Any:
        """The order of the derivative goes up by one."""
        return _differentiated(self, argindex)


class CubicLogarithm(_OfCubic):
    """CubicLogarithm(m, i, j, k, a, b, c): its derivative of the orders i, j, k."""

    nargs = 7
    number = staticmethod(cubic_logarithm_number)
    _imp_ = staticmethod(_on_arrays(cubic_logarithm_number, 4))

    def fdiff(self, argindex: int = 5) -> Any:
        """The order of the derivative goes up by one."""
        return _differentiated(self, argindex)


def _differentiated(function: Any, argindex: int) -> Any:
    """The order of the derivative stands three places before its argument."""
    arguments = list(function.args)
    arguments[argindex - 4] += 1
    return function.func(*arguments)
