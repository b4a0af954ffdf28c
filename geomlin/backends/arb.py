"""Balls from python-flint: midpoint and radius, so that every result encloses the true number.

A coefficient is a flint.arb.  Floats enter exactly, rationals as the ball of the working precision
around them.  Balls decide less than numbers: 0.1 +- 0.2 is neither zero nor not zero, and a test
of it raises Undecided.  Balls are never hashed, and compared with `==` only where it decides.
"""

from __future__ import annotations

import copyreg
import operator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ..errors import DtypeError, NonFiniteInput, NotInvertible, NotSupported, Undecided
from ..precision import working_precision
from ..tables import ProductTable
from .objects import Array, ObjectBackend, exact_rational


def _ball(midpoint: tuple[int, int], radius: tuple[int, int]) -> Any:
    """A ball of exact midpoint and radius, each a mantissa and a power of two."""
    with working_precision(max(2, midpoint[0].bit_length())):
        return arb(arb(midpoint), arb(radius))


def _parts(x: Any) -> tuple[Any, tuple[tuple[int, int], tuple[int, int]]]:
    """How to rebuild a ball."""
    (m, e), (r, k) = x.mid().man_exp(), x.rad().mid().man_exp()
    return _ball, ((int(m), int(e)), (int(r), int(k)))


copyreg.pickle(arb, _parts)  # flint does not say how a ball is pickled

DEFAULT_BITS = 128
FEWEST_BITS, MOST_BITS = 32, 2**20


class ArbBackend(ObjectBackend):
    """Coefficients are flint.arb, computed with at `bits` bits."""

    name = "arb"

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def arithmetic(self) -> AbstractContextManager[None]:
        """Where arithmetic on these coefficients takes place: at the precision of the algebra."""
        return working_precision(self.bits)

    def element(self, value: Any) -> Any:
        if isinstance(value, arb):
            if not value.is_finite():
                raise NonFiniteInput(f"expected a finite ball, got {value}")
            return value
        rational = exact_rational(value)
        if rational.denominator & (rational.denominator - 1):
            with self.arithmetic():
                return arb(fmpq(rational.numerator, rational.denominator))
        return arb((rational.numerator, 1 - rational.denominator.bit_length()))

    def contract(self, table: ProductTable, a: Array, b: Array) -> Array:
        with self.arithmetic():
            return super().contract(table, a, b)

    def divide(self, a: Array, b: Array) -> Array:
        with self.arithmetic():
            return super().divide(a, b)

    def sqrt(self, a: Array) -> Array:
        with self.arithmetic():
            return super().sqrt(a)

    def absolute(self, a: Array) -> Array:
        with self.arithmetic():
            return super().absolute(a)

    def quotient(self, x: Any, y: Any) -> Any:
        if y.is_zero():
            raise NotInvertible("expected a nonzero divisor, got zero")
        if y.contains(0):
            raise Undecided(f"the divisor {y} may be zero: raise the precision, or narrow the ball")
        return x / y

    def root(self, x: Any) -> Any:
        """Square root of a number known to be nonnegative, whose ball may reach below zero."""
        if x < 0:
            raise DtypeError(f"expected a nonnegative number, got {x}")
        return x.nonnegative_part().sqrt()

    def _vanishes(self, value: Any) -> bool:
        return bool(value.is_zero())

    def is_zero(self, a: Array) -> NDArray[np.bool_]:
        """Elementwise, where it can be decided; Undecided for a ball around zero."""
        zero = self.known_zero(a)
        unknown = [x for x in np.asarray(a).reshape(-1) if x.contains(0) and not x.is_zero()]
        if unknown:
            raise Undecided(
                f"{len(unknown)} coefficient(s) may or may not be zero, such as {unknown[0]}: "
                "raise the precision, or compare midpoints and radii yourself"
            )
        return zero

    def known_zero(self, a: Array) -> NDArray[np.bool_]:
        """Elementwise: whether the ball is exactly the number zero."""
        return super().is_zero(a)

    def all_zero(self, a: Array) -> bool:
        """Whether all are zero: one ball that excludes zero decides against it."""
        if any(not x.contains(0) for x in a.reshape(-1)):
            return False
        return bool(self.is_zero(a).all())

    def to_exact(self, a: Array) -> Array:
        return self._map(self._dyadic, a)

    @staticmethod
    def _dyadic(x: Any) -> Fraction:
        if not x.is_exact():
            raise NotSupported(
                f"{x} is a ball, not one rational number: use A.to(backend='numpy') for the "
                "rounded midpoint, or start from exact numbers"
            )
        mantissa, exponent = x.man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

    def midpoints(self, a: Array) -> NDArray[np.float64]:
        """The midpoints as float64: a rounding that forgets the radius."""
        result = np.array([float(x.mid()) for x in a.reshape(-1)], dtype=np.float64)
        return result.reshape(a.shape)

    def literal(self, value: Any) -> str:
        return repr(str(self._dyadic(value)))


@cache
def backend(bits: int) -> ArbBackend:
    """The backend of one precision."""
    return ArbBackend(bits)


def checked_bits(precision: Any) -> int:
    """The precision in bits that a user asked for."""
    try:
        if isinstance(precision, bool):
            raise TypeError
        bits = operator.index(precision)
    except (TypeError, ValueError):  # ValueError: a masked number
        raise DtypeError(f"precision counts bits: expected an integer, got {precision!r}") from None
    if not FEWEST_BITS <= bits <= MOST_BITS:
        raise NotSupported(f"expected {FEWEST_BITS} <= precision <= {MOST_BITS}, got {bits}")
    return bits
