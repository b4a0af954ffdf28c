"""Functions of symbolic exp and log that have no 0/0: sympy functions closed under derivatives.

Base functions, each a family with an integer k that derivatives stay in:

    Stumpff(k, z) = sum_j z^j / (2j + k)!,      c_k' = (c_(k+1) - k c_(k+2)) / 2,
    ArcRatio(k, c) = f^(k)(c),                  f(c) = acosh(c) / sqrt(c^2 - 1) = acos(c) / ..,

so Stumpff(0, z) = cosh sqrt z, Stumpff(1, z) = sinh(sqrt z) / sqrt z, ArcRatio(0, 1) = 1.  With a
base function f, and r^2 = d of either sign,

    Split_m[f](s, d) = sum_j f^(2j+m)(s) d^j / (2j + m)!,

so Split_0 = (f(s+r) + f(s-r)) / 2 and Split_1 = (f(s+r) - f(s-r)) / (2 r), without a fault at
d = 0; d/ds Split_m[f] = Split_m[f'], d/dd Split_m[f] = (Split_(m+1)[f'] - m Split_(m+2)[f]) / 2.

All of them differentiate, evaluate to any precision, pass through sympy.lambdify, and turn into
cos, sin, cosh, sinh and acos under simplify and rewrite(sympy.exp).
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import Any

import sympy

from . import symbolic_numbers as numbers

_LONGEST_SERIES = 8  # order up to which a leading term is looked for


@lru_cache(maxsize=1024)
def square_root_or_none(z: Any) -> Any:
    """A root without fractional powers of symbols, or None; real symbols, either sign."""
    if z.has(sympy.Float) or _is_visibly_no_square(z):
        return None
    try:
        constant, factors = sympy.factor_list(z)
    except sympy.PolynomialError:
        return None
    root = sympy.sqrt(constant)
    if constant < 0 or any(power % 2 for _, power in factors):
        return None
    return sympy.Mul(root, *(factor ** (power // 2) for factor, power in factors))


def _is_visibly_no_square(z: Any) -> bool:
    """Whether the values at two points disprove z = c rho^2 for a polynomial, before factoring."""
    symbols = sorted(z.free_symbols, key=str)
    if not symbols or not z.is_polynomial(*symbols):
        return False
    first, second = (
        z.xreplace({x: sympy.Integer(start + step * i) for i, x in enumerate(symbols)})
        for start, step in ((3, 5), (7, 11))
    )
    product = first * second
    return bool(product.is_Rational and not sympy.sqrt(product).is_Rational)


class Family(sympy.Function):  # type: ignore[misc]
    """Shared behaviour: evaluation by mpmath, elementary form on request."""

    number: Any

    def elementary(self) -> Any:
        """The same value in elementary functions; undefined where this divides by zero."""
        raise NotImplementedError

    def normal(self) -> Any:
        """sympy.simplify calls this on every part of an expression."""
        return self.elementary()

    def _eval_expand_func(self, **hints: Any) -> Any:
        return self.elementary()

    def _eval_rewrite_as_exp(self, *args: Any, **hints: Any) -> Any:
        return self.elementary().rewrite(sympy.exp)

    def _eval_evalf(self, prec: int) -> Any:
        arguments = [argument.evalf(_digits(prec)) for argument in self.args]
        if not all(argument.is_number for argument in arguments):
            return None
        import mpmath

        with mpmath.workprec(prec + 10):
            value = type(self).number(*(argument._to_mpmath(prec + 10) for argument in arguments))
            return sympy.sympify(value) if mpmath.isfinite(value) else sympy.nan

    def _eval_nseries(self, x: Any, n: int, logx: Any, cdir: Any = 0) -> Any:
        """Taylor's series: these functions are analytic."""
        total, derivative = sympy.Integer(0), self
        for order in range(n):
            total += derivative.subs(x, 0) * x**order / factorial(order)
            derivative = derivative.diff(x)
        return total + sympy.Order(x**n, x)

    def _eval_as_leading_term(self, x: Any, logx: Any = None, cdir: Any = 0) -> Any:
        """The first term of Taylor's series that is not zero."""
        derivative = self
        for order in range(_LONGEST_SERIES):
            value = derivative.subs(x, 0)
            if value.equals(0) is not True:
                return value * x**order / factorial(order)
            derivative = derivative.diff(x)
        raise NotImplementedError(f"no leading term of {self} up to order {_LONGEST_SERIES}")

    @classmethod
    def _of_floats(cls, *arguments: Any) -> Any:
        """The number, if one argument is a float and all are numbers; otherwise None."""
        if any(x.is_Float for x in arguments) and all(x.is_number for x in arguments):
            bits = min(x._prec for x in arguments if x.is_Float)
            return cls(*arguments, evaluate=False)._eval_evalf(bits)
        return None


def _digits(prec: int) -> int:
    """Decimal digits that carry `prec` bits, and some more."""
    return int(prec * 0.30103) + 12


class Stumpff(Family):
    """sum_j z^j / (2j + k)!: cosh sqrt z for k = 0, sinh(sqrt z) / sqrt z for k = 1."""

    nargs = 2
    number = staticmethod(numbers.stumpff_number)
    _imp_ = staticmethod(numbers.on_arrays(numbers.stumpff_number, numbers.quick_stumpff))

    @classmethod
    def eval(cls, k: Any, z: Any) -> Any:
        """Numbers and squares at once, where nothing is divided by a symbol."""
        if z.is_zero:
            return sympy.Rational(1, factorial(int(k)))
        if z.is_Rational:
            return _stumpff_by_roots(int(k), z)
        if k == 0 and not z.has(sympy.Float):
            return _cosine_of_square(z)
        return cls._of_floats(k, z)

    def fdiff(self, argindex: int = 2) -> Any:
        """c_k' = (c_(k+1) - k c_(k+2)) / 2."""
        k, z = self.args
        return (Stumpff(k + 1, z) - k * Stumpff(k + 2, z)) / 2

    @staticmethod
    def derivative(k: Any, weight: Any) -> list[tuple[Any, Any]]:
        """The derivative of weight c_k as weighted members of the family."""
        return [(k + 1, weight / 2), (k + 2, -k * weight / 2)]

    def elementary(self) -> Any:
        """In cos and sin of sqrt(-z) where -z is a square or looks positive, else cosh, sinh."""
        return _stumpff_by_roots(int(self.args[0]), self.args[1])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        k, z = (printer.doprint(argument) for argument in self.args)
        text = rf"c_{{{k}}}\left({z}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"


def _cosine_of_square(z: Any) -> Any:
    """cos(rho) for z = -rho^2, cosh(rho) for z = rho^2, None for other z."""
    for sign, function in ((-1, sympy.cos), (1, sympy.cosh)):
        rho = square_root_or_none(sign * z)
        if rho is not None:
            return function(rho)
    return None


def _stumpff_by_roots(k: int, z: Any) -> Any:
    """c_(k+2) = (c_k - 1/k!) / z, from c_0 = cosh sqrt z and c_1 = sinh(sqrt z) / sqrt z."""
    if k >= 2:
        return (_stumpff_by_roots(k - 2, z) - sympy.Rational(1, factorial(k - 2))) / z
    rho, circular = _root_and_kind(z)
    if k == 0:
        return sympy.cos(rho) if circular else sympy.cosh(rho)
    return (sympy.sin(rho) if circular else sympy.sinh(rho)) / rho


def _root_and_kind(z: Any) -> tuple[Any, bool]:
    """rho with z = -rho^2 (True) or z = rho^2 (False)."""
    for circular in (True, False):
        square = -z if circular else z
        rho = square_root_or_none(square)
        if rho is not None:
            return rho, circular
    real = {x: sympy.Dummy(real=True) for x in z.free_symbols}
    circular = bool(sympy.expand(-z).xreplace(real).is_nonnegative)
    return sympy.sqrt(-z if circular else z), circular


class ArcRatio(Family):
    """The k-th derivative of acos(c) / sqrt(1 - c^2), analytic for c > -1 and one at c = 1."""

    nargs = 2
    number = staticmethod(numbers.arc_ratio_number)
    _imp_ = staticmethod(numbers.on_arrays(numbers.arc_ratio_number, numbers.quick_arc_ratio))

    @classmethod
    def eval(cls, k: Any, c: Any) -> Any:
        """(2k + 1) f^(k) = -k^2 f^(k-1) at c = 1; no real value for c <= -1."""
        if (c - 1).is_zero:
            return sympy.prod(sympy.Rational(-(j**2), 2 * j + 1) for j in range(1, int(k) + 1))
        if c.is_number and (c + 1).is_nonpositive:
            return sympy.nan
        return _arc_by_roots(int(k), c) if c.is_Rational else cls._of_floats(k, c)

    def fdiff(self, argindex: int = 2) -> Any:
        """The next derivative."""
        return ArcRatio(self.args[0] + 1, self.args[1])

    @staticmethod
    def derivative(k: Any, weight: Any) -> list[tuple[Any, Any]]:
        """The derivative of weight f^(k) as weighted members of the family."""
        return [(k + 1, weight)]

    def elementary(self) -> Any:
        """By f' = (1 - c f) / (c^2 - 1) and its derivatives."""
        return _arc_by_roots(int(self.args[0]), self.args[1])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        k, c = (printer.doprint(argument) for argument in self.args)
        text = rf"f^{{({k})}}\left({c}\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


def _arc_by_roots(k: int, c: Any) -> Any:
    """(c^2 - 1) f^(k) = -(2k - 1) c f^(k-1) - (k - 1)^2 f^(k-2), f' = (1 - c f) / (c^2 - 1)."""
    if k == 0:
        if c.is_number and (c - 1).is_positive:
            return sympy.acosh(c) / sympy.sqrt(c**2 - 1)
        return sympy.acos(c) / sympy.sqrt(1 - c**2)
    if k == 1:
        return (1 - c * _arc_by_roots(0, c)) / (c**2 - 1)
    last, before = _arc_by_roots(k - 1, c), _arc_by_roots(k - 2, c)
    return -((2 * k - 1) * c * last + (k - 1) ** 2 * before) / (c**2 - 1)


class _Split(Family):
    """sum_j f^(2j+m)(s) d^j / (2j + m)! for a base function f = family(k, .)."""

    nargs = 4
    family: Any

    @classmethod
    def eval(cls, k: Any, m: Any, s: Any, d: Any) -> Any:
        """f^(m)(s) / m! at d = 0; the mean of f(s + r) and f(s - r) for m = 0 and d = r^2."""
        if d.is_zero:
            terms = [(k, sympy.Integer(1))]
            for _ in range(int(m)):
                terms = [t for j, w in terms for t in cls.family.derivative(j, w)]
            return sum(w * cls.family(j, s) for j, w in terms) / factorial(int(m))
        rho = square_root_or_none(d) if m == 0 else None
        if rho is not None:
            plus, minus = (cls.family(k, sympy.expand(s + x)) for x in (rho, -rho))
            return (plus + minus) / 2
        return cls._of_floats(k, m, s, d)

    def fdiff(self, argindex: int = 3) -> Any:
        """d/ds and d/dd stay in the family."""
        k, m, s, d = self.args
        once = self.family.derivative(k, sympy.Integer(1))
        if argindex == 3:
            return sum(w * self.func(j, m, s, d) for j, w in once)
        first = sum(w * self.func(j, m + 1, s, d) for j, w in once)
        return (first - m * self.func(k, m + 2, s, d)) / 2

    def elementary(self) -> Any:
        """By the roots s +- sqrt(d), and d Split_(m+2) = Split_m - f^(m)(s) / m!."""
        k, m, s, d = self.args
        if m >= 2:
            lower = self.func(k, m - 2, s, d)
            constant = self.func(k, m - 2, s, sympy.Integer(0))
            return ((lower - constant) / d).expand(func=True)
        r = square_root_or_none(d)
        r = sympy.sqrt(d) if r is None else r
        plus, minus = (self.family(k, sympy.expand(s + x)) for x in (r, -r))
        plus, minus = (x.expand(func=True) for x in (plus, minus))
        return (plus + minus) / 2 if m == 0 else (plus - minus) / (2 * r)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        k, m, s, d = (printer.doprint(argument) for argument in self.args)
        text = rf"\mathrm{{{self.func.__name__}}}_{{{k},{m}}}\left({s}, {d}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"


class StumpffSplit(_Split):
    """Split_m of c_k: what cosh sqrt and sinh sqrt / sqrt are on scalars plus 4-vectors."""

    family = Stumpff
    number = staticmethod(numbers.stumpff_split_number)
    _imp_ = staticmethod(numbers.on_arrays(number, numbers.quick_split(numbers.quick_stumpff)))


class ArcRatioSplit(_Split):
    """Split_m of the k-th derivative of acos(c) / sqrt(1 - c^2)."""

    family = ArcRatio
    number = staticmethod(numbers.arc_ratio_split_number)
    _imp_ = staticmethod(numbers.on_arrays(number, numbers.quick_split(numbers.quick_arc_ratio)))
