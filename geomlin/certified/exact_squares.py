"""Multiplicities of the squares b_i^2 of an exact bivector, decided by rational arithmetic.

The characteristic polynomial chi is factored over the rationals.  All roots of an irreducible
factor share their multiplicity and their Jordan structure: M^2 is semisimple there exactly if
f(M^2) (chi / f^m)(M^2) b = 0.  What belongs to the root 0 is itself rational.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from .elements import Metric

_LONGEST = 2**16  # bits of a numerator or denominator


@dataclass(frozen=True)
class Factor:
    """One irreducible factor of chi."""

    polynomial: tuple[int, ...]  # integer coefficients, power 0 first
    multiplicity: int
    semisimple: bool
    roots: tuple[Any, ...]  # acb, imaginary part exactly 0 where real

    @property
    def is_zero(self) -> bool:
        """Whether its root is 0."""
        return self.polynomial == (0, 1)


@dataclass(frozen=True)
class ExactSquares:
    """The factors of chi, and the rational block of the root 0 (None when 0 is no root)."""

    factors: tuple[Factor, ...]
    null_block: Any  # fmpq_mat or None


def rational_matrix(b: list[list[Any]]) -> Any:
    """The matrix of exact balls as an fmpq_mat; None if one of them is not exact, or too long."""
    n = len(b)
    if not all(x.is_exact() and abs(int(x.man_exp()[1])) < _LONGEST for row in b for x in row):
        return None
    return fmpq_mat(n, n, [rational(x) for row in b for x in row])


def rational(x: Any) -> Any:
    """A ball of radius 0 as an fmpq."""
    mantissa, power = x.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(power)


def exact_squares(b: Any, metric: Metric) -> ExactSquares:
    """Factor chi, at the working precision for its roots."""
    n, m = len(metric), sum(1 for g in metric if g)
    generator = fmpq_mat(n, n, [b[i, j] * metric[j] for i in range(n) for j in range(n)])
    inner = fmpq_mat(m, m, [generator[i, j] for i in range(m) for j in range(m)])
    coefficients = inner.charpoly().coeffs() if m else [fmpq(1)]
    zeros = [fmpq(0)] * (n // 2 - m // 2)
    chi = fmpq_poly(zeros + [coefficients[m % 2 + 2 * k] for k in range(m // 2 + 1)])
    square = generator * generator
    factors, null_block = [], None
    for f, multiplicity in chi.numer().factor()[1]:
        rest = chi // fmpq_poly(f) ** multiplicity
        is_zero = [int(x) for x in f.coeffs()] == [0, 1]
        if is_zero:
            null_block = _null_block(rest, multiplicity, square, b)
        semisimple = multiplicity == 1 or _annihilates(fmpq_poly(f) * rest, square, b)
        roots = tuple(root for root, _ in f.complex_roots())
        integers = tuple(int(x) for x in f.coeffs())
        factors.append(Factor(integers, multiplicity, semisimple or is_zero, roots))
    return ExactSquares(tuple(factors), null_block)


def _null_block(rest: Any, multiplicity: int, square: Any, b: Any) -> Any:
    """e(M^2) b with e = 1 mod x^multiplicity and e = 0 mod the rest."""
    power = fmpq_poly([0] * multiplicity + [1])
    _, _, inverse = power.xgcd(rest)
    return _applied(rest * inverse, square, b)


def _applied(polynomial: Any, square: Any, b: Any) -> Any:
    """p(M^2) b by Horner's rule."""
    total = b * fmpq(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = square * total + b * coefficient
    return total


def _annihilates(polynomial: Any, square: Any, b: Any) -> bool:
    """Whether p(M^2) b = 0."""
    return bool(_applied(polynomial, square, b) == b * fmpq(0))
