"""Does lhs = rhs follow from the hypotheses?  The ideal decides, and says how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import VacuousHypotheses
from ..signature import Signature
from .claim import Claim, Evaluation
from .counterexample import find_witness
from .ideal import Ideal, IdealTooLarge
from .outcome import Witness

SAME = "both sides have the same normal form"


@dataclass(frozen=True)
class Decision:
    """How lhs - rhs was shown to vanish, "" if it was not, and then why not.

    `example` is a point of the hypotheses.
    """

    method: str
    example: Witness | None = None
    reason: str = ""


def decide(
    ideal: Ideal, evaluation: Evaluation, claim: Claim, spaces: Sequence[Signature]
) -> Decision:
    """The decision; VacuousHypotheses if no arguments satisfy the hypotheses.

    A point of the hypotheses, looked for in `spaces`, shows that they are not vacuous; only where
    none is found the Groebner basis has to.
    """
    if ideal.excludes_everything():
        raise vacuous(claim)
    example = find_witness(claim, spaces, refuting=False) if claim.constrained else None
    try:
        if example is None and ideal.is_everything():
            raise vacuous(claim)
        method = _method(ideal, evaluation)
    except IdealTooLarge as error:
        method = "" if evaluation.residues else SAME
        return Decision(method, example, str(error))
    if not claim.constrained and not evaluation.algebra.record.relations:
        reason = "lhs - rhs is not zero, so that the claim is false"
    else:
        reason = (
            "lhs - rhs is not in the ideal of the hypotheses, which decides nothing for real points"
        )
    return Decision(method, example, reason)


def _method(ideal: Ideal, evaluation: Evaluation) -> str:
    residues = evaluation.residues
    if not residues:
        return SAME
    if all(ideal.by_base(p) == 0 for p in residues):
        return "lhs - rhs reduces to 0 modulo what metric squares and norms satisfy by definition"
    if not ideal.relations:
        return ""
    if all(ideal.contains(p) for p in residues):
        basis = f"a Groebner basis of {len(ideal.basis)} polynomials" if ideal.by_basis else "these"
        return f"lhs - rhs lies in the ideal of the hypotheses: it reduces to 0 modulo {basis}"
    if all(ideal.contains(p) or ideal.radical_contains(p) for p in residues):
        return "a power of lhs - rhs lies in the ideal of the hypotheses (Groebner bases)"
    return ""


def vacuous(claim: Claim) -> VacuousHypotheses:
    """No point satisfies the hypotheses, so that every statement would follow."""
    hypotheses = "; ".join([*claim.given_texts, *claim.kind_texts]) or claim.arguments
    return VacuousHypotheses(
        f"expected hypotheses that some arguments satisfy, got {hypotheses}, which with what the "
        "statement divides by no real or complex arguments satisfy: from them everything follows, "
        "so drop or correct one"
    )
