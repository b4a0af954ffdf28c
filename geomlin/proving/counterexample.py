"""Search for exact arguments that satisfy every hypothesis and not the statement.

Dimension after dimension, in each the Euclidean signature first: the arguments get coordinates in
e_1..e_n, and `point_search` looks for rational values.  What it finds is evaluated again with
geomlin's own multivectors of exact rationals, and counts only if the two sides differ there.

Without hypotheses the search ends in dimension k, the number of vectors: a polynomial in the
k(k+1)/2 inner products that is not zero does not vanish on all positive definite Gram matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from flint import fmpq, fmpq_mpoly

from ..algebra import Algebra
from ..blades import blade_name
from ..errors import GeomlinError, NotSupported
from ..signature import Signature
from .claim import Claim, Evaluation, call, evaluate
from .linear_algebra import signatures
from .outcome import Witness, exact
from .point_search import Point, Problem, find_point
from .record import Disagreement, MoreRoots
from .sources import CoordinateSource
from .symbolic import SymbolicMultivector

LARGEST_SEARCHED = 8  # dimension, in the Euclidean signature
LARGEST_CONSTRAINED = 4  # dimension, in every signature


def ordered_signatures(n: int) -> list[Signature]:
    """All signatures of dimension n: Euclidean first, then those with few other squares."""
    return sorted(signatures(n), key=lambda s: (s.q + s.r, s.r))


def find_witness(
    claim: Claim, spaces: Iterable[Signature], *, refuting: bool, rotated: bool = False
) -> Witness | None:
    """The first exact point of the hypotheses, at which the statement is false if refuting.

    `rotated` says that the claim does not depend on the basis: then the i-th vector may be taken
    in the span of e_1..e_i of Euclidean space, which keeps the polynomials small.
    """
    for space in spaces:
        triangular = rotated and space.q == space.r == 0
        found = _in_signature(claim, space, refuting=refuting, triangular=triangular)
        if found is not None:
            return found
    return None


def spaces_to_search(claim: Claim, largest: int, *, euclidean: bool) -> list[Signature]:
    """Signatures up to a dimension and the limits; only Euclidean ones where these decide."""
    if euclidean and not claim.constrained:
        return [Signature(n, 0, 0) for n in range(1, min(largest, LARGEST_SEARCHED) + 1)]
    dimensions = range(1, min(largest, LARGEST_CONSTRAINED) + 1)
    return [space for n in dimensions for space in ordered_signatures(n)]


def evaluate_in(
    claim: Claim, n: int, metric: Sequence[int] | None, *, triangular: bool = False
) -> Evaluation:
    """The claim in coordinates of dimension n, with as many roots as it takes."""
    roots = 0
    while True:
        source = CoordinateSource(claim.kinds, n, metric, roots=roots, triangular=triangular)
        try:
            return evaluate(claim, source)
        except MoreRoots:
            roots += 1


def _in_signature(
    claim: Claim, space: Signature, *, refuting: bool, triangular: bool
) -> Witness | None:
    try:
        evaluation = evaluate_in(claim, space.n, space.metric, triangular=triangular)
    except NotSupported:
        return None  # too large, or undefined in this dimension
    ring = evaluation.algebra.ring
    residues = tuple(evaluation.residues)
    if refuting and not residues:
        return None
    record = evaluation.algebra.record
    roles = ("scalar", "coordinate", "sign", "root")
    problem = Problem(
        names=tuple(chain.from_iterable(ring.with_role(role).values() for role in roles)),
        zero=(*evaluation.given_relations, *evaluation.zero, *record.relations),
        nonzero=(*evaluation.nonzero, *record.denominators),
        alive=residues if refuting else (),
        nonnegative=frozenset(ring.with_role("root").values()),
        thorough=space.q == space.r == 0,
        first=0 if refuting else 1,
    )
    point = find_point(problem)
    return None if point is None else _confirmed(claim, evaluation, space, point, refuting=refuting)


def _confirmed(
    claim: Claim, evaluation: Evaluation, space: Signature, point: Point, *, refuting: bool
) -> Witness | None:
    """The witness, if geomlin's exact multivectors agree that it is one."""
    algebra = Algebra(*space, backend="fractions")
    arguments = {
        name: _number(value, algebra, point) for name, value in evaluation.arguments.items()
    }
    try:
        sides = [_lift(side, algebra) for side in call(claim.statement, arguments)]
        hypotheses = [[_lift(s, algebra) for s in call(g, arguments)] for g in claim.given]
    except GeomlinError:
        return None  # such as <A>_3 in the plane: the statement is not defined here
    if not all(left == right for left, right in hypotheses):
        raise Disagreement(
            f"the hypotheses are true of symbols in {space} at {_named(arguments)}, but one is "
            "false of these multivectors: it does not treat both alike, or one of them is wrong"
        )
    if refuting and sides[0] == sides[1]:
        raise Disagreement(
            f"the sides differ for symbols in {space} at {_named(arguments)}, but are equal for "
            "these multivectors: the statement does not treat both alike, or one of them is wrong"
        )
    return Witness(space, arguments, *sides)


def _named(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {exact(value)}" for name, value in arguments.items())


def _lift(value: Any, algebra: Algebra) -> Any:
    return value if hasattr(value, "coeffs") else algebra.scalar(value)


def _number(value: SymbolicMultivector, algebra: Algebra, point: Point) -> Any:
    """The multivector of rational numbers that a symbolic one is at a point."""
    below = _constant(value.denominator.subs(point))
    n = algebra.n
    terms = {}
    for mask, coefficient in value.terms.items():
        number = _constant(coefficient.subs(point)) / below
        if number != 0:
            terms[blade_name(mask, n)] = Fraction(int(number.p), int(number.q))
    return algebra.multivector(terms)


def _constant(polynomial: fmpq_mpoly) -> fmpq:
    return polynomial.leading_coefficient() if polynomial != 0 else fmpq(0)
