"""The proof in fixed dimensions: coordinates, and metric squares that are indeterminates."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq_mpoly

from ..errors import UnknownBlade, VacuousHypotheses
from ..signature import Signature
from ..verdict import Strength
from .claim import Claim, Evaluation
from .confirmation import confirm, spaces_to_confirm
from .counterexample import evaluate_in, find_witness, ordered_signatures
from .decision import decide
from .gram import TooLarge
from .ideal import Ideal
from .outcome import Counterexample, NotRun, Outcome, Proof, Witness
from .record import OutOfScope
from .report import hypotheses_of, proof_of, together


def prove_in_dimensions(
    claim: Claim, dimensions: Sequence[int], signature: Signature | None, *, chosen: bool
) -> Outcome:
    """POLYNOMIAL in the dimensions that were decided; `chosen` ones must all be."""
    proofs: dict[int, Proof] = {}
    skipped: list[str] = []
    vacuous: VacuousHypotheses | None = None
    for n in dimensions:
        try:
            evaluation = evaluate_in(claim, n, None if signature is None else signature.metric)
            spaces = ordered_signatures(n) if signature is None else [signature]
            decision = decide(_ideal(evaluation), evaluation, claim, spaces)
        except (TooLarge, OutOfScope, UnknownBlade) as error:
            if chosen:
                return NotRun(f"n = {n}: {error}", claim.texts[0])
            skipped.append(f"n = {n} is not claimed: {error}")
            continue
        except VacuousHypotheses as error:  # such as a regular plane on a line
            vacuous = error
            skipped.append(f"n = {n} is not claimed: no arguments satisfy the hypotheses")
            continue
        if not decision.method:
            witness = find_witness(claim, spaces, refuting=True)
            if witness is not None:
                return _counterexample(claim, evaluation, witness)
            reason = f"{decision.reason}, and no exact witness was found"
            if chosen:
                return NotRun(f"n = {n}: {reason}", claim.texts[0])
            skipped.append(f"n = {n} is not claimed: {reason}")
            continue
        confirm(claim, evaluation, spaces_to_confirm(n) if signature is None else spaces)
        fixed = {"n": (n,)} | ({} if signature is None else {"signature": tuple(signature)})
        proofs[n] = proof_of(claim, evaluation, Strength.POLYNOMIAL, fixed, decision)
    if proofs:
        return together(proofs).with_remarks(skipped)
    if vacuous is not None:
        raise vacuous
    return NotRun("; ".join(skipped) or "no dimension was given", claim.texts[0])


def _ideal(evaluation: Evaluation) -> Ideal:
    """The relations of the metric squares and of the roots, and the hypotheses.

    A square that the statement divides by is not 0, so that g^2 = 1; any other has g^3 = g.
    """
    record = evaluation.algebra.record
    squares = [g for g in evaluation.algebra.metric if not g.is_constant()]
    base: list[fmpq_mpoly] = [g**2 - 1 if g in record.denominators else g**3 - g for g in squares]
    relations = [*evaluation.given_relations, *evaluation.zero]
    inequations = [*record.denominators, *evaluation.nonzero]
    return Ideal(evaluation.algebra.ring, [*base, *record.relations], relations, inequations)


def _counterexample(claim: Claim, evaluation: Evaluation, witness: Witness) -> Counterexample:
    text, latex = claim.texts
    searched = (
        f"dimension {witness.signature.n}, Euclidean signature first, values of growing height"
    )
    return Counterexample(
        witness, claim.arguments, text, latex, hypotheses_of(claim, evaluation), searched
    )
