"""The proof for all dimensions: vectors are generators, inner products are indeterminates."""

from __future__ import annotations

from collections.abc import Mapping

from ..verdict import Strength
from .claim import Claim, Evaluation, evaluate
from .confirmation import confirm_in_all_dimensions
from .counterexample import find_witness, ordered_signatures, spaces_to_search
from .decision import decide
from .gram import TooLarge
from .ideal import Ideal
from .outcome import Counterexample, NotRun, Outcome
from .record import DimensionBound, MoreRoots
from .report import fixed_numbers, hypotheses_of, proof_of
from .sources import GenericSource, Plan

LOW = [space for n in (1, 2, 3) for space in ordered_signatures(n)]
# Where a point of the hypotheses is looked for: rather in space than on a line.
EXAMPLES = sorted(LOW, key=lambda space: (space.q + space.r, -space.n))


def prove_generic(claim: Claim) -> Outcome:
    """Decide the claim in the generic algebra; DimensionBound if it needs a dimension."""
    try:
        source, evaluation = evaluate_generic(claim)
    except TooLarge as error:
        return _refuted_in_low_dimensions(claim) or NotRun(str(error), claim.texts[0])
    for difference, text in zip(evaluation.given, claim.given_texts, strict=True):
        if any(difference.degrees.values()):
            raise DimensionBound(f"the hypothesis {text} on a general bivector")
        if set(difference.terms) - {0}:
            return NotRun(_multivector_valued(text), claim.texts[0])
    ring, record = evaluation.algebra.ring, evaluation.algebra.record
    relations = [*evaluation.given_relations, *evaluation.zero]
    inequations = [*evaluation.denominators, *evaluation.nonzero]
    ideal = Ideal(ring, record.relations, relations, inequations)
    fixed = fixed_numbers(claim, evaluation, source)
    decision = decide(ideal, evaluation, claim, EXAMPLES)
    if decision.method:
        confirm_in_all_dimensions(claim, evaluation)
        return proof_of(claim, evaluation, Strength.ALL_DIMENSIONS, fixed, decision)
    # k vectors span at most k dimensions, but <A>_r is undefined below dimension r.
    largest = max(len(source.labels), 1, *record.grades)
    return _refuted_or_not_run(claim, evaluation, largest, decision.reason)


def evaluate_generic(claim: Claim) -> tuple[GenericSource, Evaluation]:
    """The claim on generators: enough roots, and as many blades as its degree.

    The number of factors in the longest product bounds the degree in a general bivector.  With so
    many blades the degree itself can be read off, and so many suffice.
    """
    source, evaluation = _evaluate_with_plan(claim, Plan())
    bounds = {
        name: max(side.degrees.get(name, 0) for side in (evaluation.lhs, evaluation.rhs))
        for name in source.blades_of_general()
    }
    if not bounds:
        return source, evaluation
    if any(bound > 1 for bound in bounds.values()):
        source, evaluation = _evaluate_with_plan(claim, Plan(_at_least_one(bounds)))
    degrees = {
        name: max(
            source.degree_in(name, claim.kinds[name].size, side)
            for side in (evaluation.lhs, evaluation.rhs)
        )
        for name in bounds
    }
    if _at_least_one(degrees) == source.blades_of_general():
        return source, evaluation
    return _evaluate_with_plan(claim, Plan(_at_least_one(degrees)))


def _at_least_one(degrees: Mapping[str, int]) -> dict[str, int]:
    return {name: max(1, degree) for name, degree in degrees.items()}


def _evaluate_with_plan(claim: Claim, plan: Plan) -> tuple[GenericSource, Evaluation]:
    """The claim on so many blades, with as many roots as it takes."""
    while True:
        source = GenericSource(claim.kinds, plan)
        try:
            return source, evaluate(claim, source)
        except MoreRoots:
            plan = Plan(plan.blades, plan.roots + 1)


def _refuted_or_not_run(
    claim: Claim, evaluation: Evaluation, largest: int, reason: str
) -> Counterexample | NotRun:
    """A counterexample, or the reason why neither is known."""
    spaces = spaces_to_search(claim, largest, euclidean=not evaluation.algebra.record.relations)
    witness = find_witness(claim, spaces, refuting=True, rotated=True)
    text, latex = claim.texts
    if witness is None:
        highest = max(space.n for space in spaces)
        return NotRun(f"{reason}, and no exact witness was found for n up to {highest}", text)
    searched = (
        "dimension by dimension, Euclidean signature first, values of growing height; "
        f"dimension {witness.signature.n} is the first with a witness"
    )
    return Counterexample(
        witness, claim.arguments, text, latex, hypotheses_of(claim, evaluation), searched
    )


def _refuted_in_low_dimensions(claim: Claim) -> Counterexample | None:
    """A counterexample to a claim that is too large for the generic algebra."""
    witness = find_witness(claim, LOW, refuting=True)
    if witness is None:
        return None
    text, latex = claim.texts
    hypotheses = (*claim.given_texts, *claim.kind_texts)
    searched = "dimensions 1, 2, 3, Euclidean signature first, values of growing height"
    return Counterexample(witness, claim.arguments, text, latex, hypotheses, searched)


def _multivector_valued(text: str) -> str:
    """The reason and the remedies for a hypothesis that is no scalar."""
    return (
        f"the hypothesis {text} is multivector-valued: parametrise it so that every case is "
        "covered (parallel vectors: b = t a with a scalar t, and the case a = 0), or prove the "
        "claim in coordinates with dimension=n"
    )
