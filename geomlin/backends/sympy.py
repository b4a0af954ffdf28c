"""Symbolic coefficients: sympy expressions, expanded so that zero is recognised."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from ..errors import DtypeError, NonFiniteInput, NotSupported
from .objects import ObjectBackend, exact_rational
from .sympy_text import parse, write

_NOT_FINITE = (sympy.nan, sympy.oo, -sympy.oo, sympy.zoo)


class SympyBackend(ObjectBackend):
    """Coefficients are sympy expressions over the reals; floats are taken as exact rationals.

    Symbols without assumptions stand for real numbers too.
    """

    name = "sympy"

    def element(self, value: Any) -> sympy.Expr:
        if isinstance(value, str):
            value = parse(value)
        if isinstance(value, sympy.Expr) and not value.is_Matrix:
            if value.is_finite is False or value.has(*_NOT_FINITE):
                raise NonFiniteInput(f"expected a finite expression, got {value}")
            if value.is_real is False or value.has(sympy.I):
                raise DtypeError(f"expected a real expression, got {value}")
            return value.replace(lambda part: part.is_Float, sympy.Rational)
        rational = exact_rational(value)
        return sympy.Rational(rational.numerator, rational.denominator)

    def tidy(self, value: Any) -> sympy.Expr:
        return sympy.expand(value)

    def quotient(self, x: Any, y: Any) -> sympy.Expr:
        return sympy.cancel(x / y)

    def root(self, x: Any) -> sympy.Expr:
        return sympy.sqrt(sympy.factor(x))

    def _vanishes(self, value: Any) -> bool:
        return bool(value == 0) or value.is_zero is True

    def is_zero(self, a: Any) -> Any:
        return self._map(self._simplifies_to_zero, a).astype(bool)

    def _simplifies_to_zero(self, value: Any) -> bool:
        """Exponentials as symbols decide most cases at once; simplify takes the rest."""
        if self._vanishes(value):
            return True
        point = {x: sympy.Rational(3 + 2 * i, 7) for i, x in enumerate(_sorted(value))}
        number = value.subs(point).evalf(30, maxn=200)
        if number.is_finite and number.is_number and abs(number) > sympy.Float("1e-15"):
            return False
        if not value.free_symbols:
            return bool(value.equals(0))
        numerator, _ = sympy.together(value.rewrite(sympy.exp)).as_numer_denom()
        return bool(sympy.expand(numerator) == 0 or sympy.simplify(value) == 0)

    def to_exact(self, a: Any) -> Any:
        return self._map(self._rational, a)

    def literal(self, value: Any) -> str:
        return repr(write(value))

    @staticmethod
    def _rational(x: Any) -> Fraction:
        if not getattr(x, "is_Rational", False):
            raise NotSupported(
                f"{x} is not a rational number: evaluate it with sympy.N and pass the float"
            )
        return Fraction(int(x.p), int(x.q))


def _sorted(value: sympy.Expr) -> list[sympy.Symbol]:
    return sorted(value.free_symbols, key=str)


BACKEND = SympyBackend()
