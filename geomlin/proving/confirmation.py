"""What was proved of symbols is confirmed at multivectors of exact rational numbers.

A statement is a Python function: one that catches errors or looks at types may show the prover
another formula than it shows its users.  So both are compared.  With the homomorphism

    phi(a_i) = v_i,   phi(a_i . a_j) = v_i . v_j   (in coordinates: the values of the symbols)

f(phi(arguments)) = phi(f(arguments)) at random rational v_i, for the statement and each of its
hypotheses; and lhs = rhs at points of the hypotheses.  This finds a statement that behaves
differently; it adds nothing to the proof of one that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from flint import fmpq, fmpq_mpoly

from ..algebra import Algebra
from ..blades import blade_name
from ..errors import GeomlinError
from ..signature import LARGEST_DIMENSION, Signature
from .claim import Claim, Evaluation, Statement, call
from .counterexample import find_witness
from .outcome import Witness, exact
from .record import Disagreement
from .symbolic import SymbolicMultivector

DRAWS = 4  # random points tried in each space, until one avoids every zero denominator
SEARCHED = 3  # dimension up to which points of the hypotheses are looked for


@dataclass(frozen=True)
class Instance:
    """Values of the indeterminates, and the multivector that each basis blade stands for."""

    algebra: Algebra
    point: dict[str, fmpq]  # by the names of the ring; 0 for others
    blade: Callable[[int], Any]

    def value(self, polynomial: fmpq_mpoly) -> fmpq:
        """The polynomial at the point."""
        names = polynomial.context().names()
        return polynomial(*(self.point.get(name, fmpq(0)) for name in names))

    def image(self, x: SymbolicMultivector) -> Any:
        """phi(x) = sum_S c_S(point) phi(a_S) / d(point)."""
        below = self.value(x.denominator)
        total = self.algebra.scalar(0)
        for mask, coefficient in x.terms.items():
            number = self.value(coefficient) / below
            total = total + Fraction(int(number.p), int(number.q)) * self.blade(mask)
        return total


def confirm(claim: Claim, evaluation: Evaluation, spaces: Sequence[Signature]) -> None:
    """Disagreement, with the arguments, unless multivectors do what the symbols did."""
    record = evaluation.algebra.record
    defined = [s for s in spaces if s.n >= max(record.grades, default=0)]
    rng = Random(0)
    confirmed = 0
    if not record.roots:
        for space in defined:
            instance = _random_instance(evaluation, space, rng)
            if instance is not None:
                _same_formula(claim, evaluation, instance)
                confirmed += 1
    if claim.constrained or record.roots:
        confirmed += _same_sides(claim, [s for s in defined if s.n <= SEARCHED])
    if defined and not confirmed:
        raise Disagreement(
            "both sides agree for the prover's symbols, but no exact arguments were found at which "
            "the statement is defined, so that nothing confirms that it means the same for them"
        )


def confirm_in_all_dimensions(claim: Claim, evaluation: Evaluation) -> None:
    """The same in the plane and in a dimension in which every <A>_k of the statement exists."""
    largest = max(evaluation.algebra.record.grades, default=0)
    if largest > LARGEST_DIMENSION:
        raise Disagreement(
            f"the statement takes the part of grade {largest}: it cannot be confirmed at "
            f"multivectors, which have at most {LARGEST_DIMENSION} dimensions"
        )
    spaces = [space for n in (2, max(3, largest)) for space in spaces_to_confirm(n)]
    confirm(claim, evaluation, spaces)


def spaces_to_confirm(n: int) -> list[Signature]:
    """A definite, an indefinite, a degenerate and a mixed space of dimension n."""
    squares = [(n, 0, 0), (n - 1, 1, 0), (n - 1, 0, 1), (n - 2, 1, 1)]
    return [Signature(*s) for s in squares if min(s) >= 0]


def _random_instance(evaluation: Evaluation, space: Signature, rng: Random) -> Instance | None:
    """Random rational arguments at which no denominator vanishes; None if none was drawn."""
    make = _in_coordinates if evaluation.algebra.has_basis else _of_vectors
    for _ in range(DRAWS):
        instance = make(evaluation, space, rng)
        nonzero = (*evaluation.algebra.record.denominators, *evaluation.nonzero)
        if all(instance.value(p) != 0 for p in nonzero):
            return instance
    return None


def _number(rng: Random) -> fmpq:
    return fmpq(rng.randint(-7, 7), rng.randint(1, 2))


def _in_coordinates(evaluation: Evaluation, space: Signature, rng: Random) -> Instance:
    """phi(e_i) = e_i; the metric squares are those of the space."""
    ring = evaluation.algebra.ring
    algebra = Algebra(*space, backend="fractions")
    point = {name: _number(rng) for name in ring.with_role("scalar", "coordinate").values()}
    squares = dict(zip((f"g{i}" for i in range(1, space.n + 1)), space.metric, strict=True))
    point |= {name: fmpq(squares[g.text]) for g, name in ring.with_role("metric").items()}
    return Instance(algebra, point, lambda mask: algebra.blade(blade_name(mask, space.n)))


def _of_vectors(evaluation: Evaluation, space: Signature, rng: Random) -> Instance:
    """phi(a_i) = v_i, a random vector for each generator."""
    ring, algebra = evaluation.algebra.ring, Algebra(*space, backend="fractions")
    vectors = [
        algebra.vector([Fraction(rng.randint(-7, 7), rng.randint(1, 2)) for _ in range(space.n)])
        for _ in range(evaluation.algebra.gram.size)
    ]
    inner = ((u * v)["1"] for i, u in enumerate(vectors) for v in vectors[i:])
    grams = zip(ring.with_role("gram").values(), inner, strict=True)
    point = {name: fmpq(g.numerator, g.denominator) for name, g in grams}
    point |= {name: _number(rng) for name in ring.with_role("scalar").values()}

    def blade(mask: int) -> Any:
        wedge = algebra.scalar(1)
        for i, v in enumerate(vectors):
            wedge = wedge ^ v if mask >> i & 1 else wedge
        return wedge

    return Instance(algebra, point, blade)


def _same_formula(claim: Claim, evaluation: Evaluation, instance: Instance) -> None:
    """f(phi(arguments)) = phi(f(arguments)) for the statement and its hypotheses."""
    arguments = {name: instance.image(x) for name, x in evaluation.arguments.items()}
    lhs, rhs = _sides(claim.statement, arguments, instance.algebra)
    witness = Witness(instance.algebra.signature, arguments, lhs, rhs)
    expected = instance.image(evaluation.lhs), instance.image(evaluation.rhs)
    if (lhs, rhs) != expected:
        values = ", ".join(exact(side) for side in expected)
        raise _disagreement(f"at {witness}, while the formula that was proved has {values} there")
    for hypothesis, difference in zip(claim.given, evaluation.given, strict=True):
        left, right = _sides(hypothesis, arguments, instance.algebra)
        if left - right != instance.image(difference):
            raise _disagreement(f"in a hypothesis, at {witness}")


def _same_sides(claim: Claim, spaces: Sequence[Signature]) -> int:
    """lhs = rhs at a point of the hypotheses of each space that has one; how many have."""
    found = [find_witness(claim, [space], refuting=False) for space in spaces]
    witnesses = [witness for witness in found if witness is not None]
    for witness in witnesses:
        if witness.lhs != witness.rhs:
            raise _disagreement(f"which satisfy the hypotheses, but not the claim, at {witness}")
    return len(witnesses)


def _sides(function: Statement, arguments: dict[str, Any], algebra: Algebra) -> tuple[Any, Any]:
    """Both sides as multivectors; Disagreement if the function is not defined there."""
    given = ", ".join(f"{name} = {exact(x)}" for name, x in arguments.items())
    try:
        found = call(function, arguments)
        lhs, rhs = (x if hasattr(x, "coeffs") else algebra.scalar(x) for x in found)
    except GeomlinError as error:
        raise _disagreement(
            f"where it raises {type(error).__name__}, in {algebra.signature} at {given}: {error}"
        ) from error
    if lhs.shape or rhs.shape:
        raise _disagreement(f"where it returns a batch, in {algebra.signature} at {given}")
    return lhs, rhs


def _disagreement(where: str) -> Disagreement:
    return Disagreement(
        "the sides agree for the prover's symbols, but the statement does something else with "
        f"multivectors, {where}.  It may catch errors or look at types; else one of the two "
        "evaluations is wrong.  State one formula, the same for all arguments"
    )
