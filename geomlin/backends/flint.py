"""Exact rationals and rational polynomials from python-flint: fmpq and fmpq_mpoly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint

from ..errors import NotSupported
from .objects import ObjectBackend, exact_rational


class FlintBackend(ObjectBackend):
    """Coefficients are flint.fmpq, or flint.fmpq_mpoly of one polynomial ring."""

    name = "flint"

    def element(self, value: Any) -> Any:
        if isinstance(value, (flint.fmpq_mpoly, flint.fmpq)):
            return value
        rational = exact_rational(value)
        return flint.fmpq(rational.numerator, rational.denominator)

    def quotient(self, x: Any, y: Any) -> Any:
        """Polynomials divide only when the quotient is a polynomial."""
        if isinstance(x, flint.fmpq_mpoly) and isinstance(y, flint.fmpq_mpoly):
            quotient, rest = divmod(x, y)
            if rest != 0:
                raise NotSupported(
                    f"({x}) / ({y}) is not a polynomial: use backend='sympy' for rational functions"
                )
            return quotient
        if isinstance(y, flint.fmpq_mpoly):
            return self.quotient(y.context().constant(x), y)
        return x / y

    def magnitude(self, x: Any) -> Any:
        if isinstance(x, flint.fmpq_mpoly) and not x.is_constant():
            raise NotSupported(f"|{x}| is no polynomial: use backend='sympy'")
        return abs(self.element(self._rational(x)))

    def root(self, x: Any) -> Any:
        if isinstance(x, flint.fmpq_mpoly) and not x.is_constant():
            raise NotSupported(f"sqrt({x}) is no polynomial: use backend='sympy'")
        return super().root(x)

    def to_exact(self, a: Any) -> Any:
        return self._map(self._rational, a)

    def literal(self, value: Any) -> str:
        """Of numbers only: text does not say which ring a polynomial belongs to."""
        return repr(str(self._rational(value)))

    @staticmethod
    def _rational(x: Any) -> Fraction:
        if isinstance(x, flint.fmpq_mpoly):
            if not x.is_constant():
                raise NotSupported(f"{x} is a polynomial, not a number: substitute values first")
            x = x.leading_coefficient() if x != 0 else flint.fmpq(0)
        return exact_rational(x)


BACKEND = FlintBackend()
