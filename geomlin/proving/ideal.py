"""Does a polynomial vanish wherever some polynomials vanish and others do not?

With the relations h_i = 0 and d_1, .., d_m != 0, the answer is yes if p lies in the ideal
(h_1, .., h_r, 1 - t d_1 .. d_m), that is p (d_1 .. d_m)^N = sum q_i h_i for some N; or if a power
of p does, which holds when 1 lies in (h_1, .., h_r, 1 - t d_1 .. d_m p).  Both are decided by
Groebner bases over Q.  "No" says nothing about real points: an ideal knows no inequalities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import lcm
from operator import mul

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx, fmpz_mpoly_ctx, fmpz_mpoly_vec

from ..errors import NotSupported
from .ring import Ring

# Buchberger's algorithm stops beyond these: polynomials in the basis, monomials in one of them,
# bits of a coefficient.
LIMITS = (80, 500, 2000)


class IdealTooLarge(NotSupported):
    """The Groebner basis exceeds its limits."""


class Ideal:
    """The relations and inequations of a claim.

    `base` are relations that are a Groebner basis in the order of the ring by themselves (each is
    monic in an indeterminate of its own); `relations` are the other hypotheses.
    """

    def __init__(
        self,
        ring: Ring,
        base: Sequence[fmpq_mpoly],
        relations: Iterable[fmpq_mpoly],
        nonzero: Iterable[fmpq_mpoly],
    ) -> None:
        self.ring = ring
        self.base = list(base)
        self._given = [p for p in relations if p != 0]
        reduced = (self.by_base(p) for p in self._given)
        self.relations = [p for p in reduced if p != 0]
        self.nonzero = [self.by_base(p) for p in nonzero]
        self._basis: list[fmpq_mpoly] | None = None
        self.by_basis = False  # whether the Groebner basis was needed for what was shown

    def by_base(self, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """Normal form modulo the base."""
        return normal_form(polynomial, self.base)

    @property
    def basis(self) -> list[fmpq_mpoly]:
        """Groebner basis of all relations and of 1 - t d_1 .. d_m, in degree order."""
        if self._basis is None:
            self._basis = groebner_basis(self.ring, self._generators(self.nonzero))
        return self._basis

    def _generators(self, nonzero: Sequence[fmpq_mpoly]) -> list[fmpq_mpoly]:
        product = reduce(mul, nonzero, self.ring.one)
        rabinowitsch = [1 - self.ring.auxiliary * product] if nonzero else []
        return [*self.base, *self.relations, *rabinowitsch]

    def excludes_everything(self) -> bool:
        """Whether an inequation is 0 != 0."""
        return any(p == 0 for p in self.nonzero)

    def is_everything(self) -> bool:
        """Whether no point, real or complex, satisfies the hypotheses."""
        return self.excludes_everything() or (bool(self.relations) and _has_unit(self.basis))

    def contains(self, polynomial: fmpq_mpoly) -> bool:
        """Whether p (d_1 .. d_m)^N lies in the ideal of the relations."""
        reduced = self.by_base(polynomial)
        if reduced == 0 or not self.relations:
            return bool(reduced == 0)
        # Reduction by any generators shows membership; only a Groebner basis shows the contrary.
        if self.by_base(normal_form(polynomial, self._given)) == 0:
            return True
        if normal_form(reduced, [*self.base, *self.relations]) == 0:
            return True
        if normal_form(in_degree_order(self.ring, reduced), self.basis) != 0:
            return False
        self.by_basis = True
        return True

    def radical_contains(self, polynomial: fmpq_mpoly) -> bool:
        """Whether a power of p does."""
        if not self.relations:
            return False
        return _has_unit(groebner_basis(self.ring, self._generators([*self.nonzero, polynomial])))


def _has_unit(basis: Sequence[fmpq_mpoly]) -> bool:
    return any(p.is_constant() for p in basis)


def normal_form(polynomial: fmpq_mpoly, divisors: Sequence[fmpq_mpoly]) -> fmpq_mpoly:
    """The remainder of division by all divisors: unique if they are a Groebner basis."""
    changed = True
    while changed and polynomial != 0:
        changed = False
        for divisor in divisors:
            remainder = polynomial % divisor
            if remainder != polynomial:
                polynomial, changed = remainder, True
    return polynomial


def in_degree_order(ring: Ring, polynomial: fmpq_mpoly) -> fmpq_mpoly:
    """The same polynomial in the ring ordered by degree."""
    context = fmpq_mpoly_ctx.get(ring.names, Ordering.degrevlex)
    return context.from_dict(polynomial.to_dict())


def groebner_basis(ring: Ring, generators: Sequence[fmpq_mpoly]) -> list[fmpq_mpoly]:
    """Groebner basis in degree order; IdealTooLarge beyond the limits."""
    integers = fmpz_mpoly_ctx.get(ring.names, Ordering.degrevlex)
    cleared = [integers.from_dict(_integral(p)) for p in generators]
    found, success = fmpz_mpoly_vec(cleared, integers).buchberger_naive(limits=LIMITS)
    if not success:
        raise IdealTooLarge(
            f"the Groebner basis of the hypotheses exceeds the limits {LIMITS}: "
            "state fewer hypotheses, or build them into the arguments"
        )
    rationals = fmpq_mpoly_ctx.get(ring.names, Ordering.degrevlex)
    return [rationals.from_dict(p.to_dict()) for p in found.autoreduction()]


def _integral(polynomial: fmpq_mpoly) -> dict[tuple[int, ...], int]:
    """The terms of a polynomial times the least common denominator of its coefficients."""
    terms = polynomial.to_dict()
    common = lcm(*(int(c.q) for c in terms.values())) if terms else 1
    return {powers: int((c * common).p) for powers, c in terms.items()}
