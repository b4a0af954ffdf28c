"""What an evaluation fixes and assumes, and the reasons for which it stops."""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq_mpoly

from ..errors import GeomlinError, NotSupported
from .ring import Symbol


class OutOfScope(NotSupported):
    """The statement uses something that the prover does not decide; the message says what."""


class DimensionBound(NotSupported):
    """The statement uses something that depends on the dimension of the space."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs a dimension: prove it with dimension=n")


class Disagreement(GeomlinError, ArithmeticError):
    """A statement gives symbols one value and multivectors another; nothing is claimed then."""


class MoreRoots(Exception):
    """One more square root is taken than the ring has symbols for."""


@dataclass
class Record:
    """What an evaluation fixed and assumed: it ends up in the verdict and its hypotheses."""

    grades: set[int] = field(default_factory=set)
    exponents: set[int] = field(default_factory=set)
    denominators: list[fmpq_mpoly] = field(default_factory=list)  # irreducible, none zero
    roots: list[tuple[Symbol, fmpq_mpoly]] = field(default_factory=list)  # root of |value|
    relations: list[fmpq_mpoly] = field(default_factory=list)  # what defines the roots

    def assume_nonzero(self, polynomial: fmpq_mpoly) -> None:
        """Record the irreducible factors of a denominator, in the order of the ring's symbols."""
        factors = [factor for factor, _ in polynomial.factor()[1]]
        for factor in sorted(factors, key=lambda p: p.monoms(), reverse=True):
            if factor not in self.denominators:
                self.denominators.append(factor)
