"""From an evaluation to a Proof: fixed numbers, hypotheses in words, the common normal form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..verdict import Strength, compact_range
from .claim import Claim, Evaluation
from .decision import SAME, Decision
from .outcome import Proof
from .sources import GenericSource

LONGEST_NORMAL_FORM = 24  # monomials

Fixed = Mapping[str, tuple[int, ...]]


def fixed_numbers(claim: Claim, evaluation: Evaluation, source: GenericSource) -> Fixed:
    """What ALL_DIMENSIONS holds fixed: counts of vectors and scalars, grades, exponents."""
    scalars = sum(kind.family == "scalar" for kind in claim.kinds.values())
    fixed: dict[str, tuple[int, ...]] = {"vectors": (len(source.labels),)}
    if scalars:
        fixed["scalars"] = (scalars,)
    for name, degree in source.blades_of_general().items():
        fixed[f"degree in {name}"] = (degree,)
    record = evaluation.algebra.record
    if record.grades:
        fixed["grades"] = tuple(sorted(record.grades))
    if record.exponents:
        fixed["exponents"] = tuple(sorted(record.exponents))
    return fixed


def hypotheses_of(claim: Claim, evaluation: Evaluation) -> tuple[str, ...]:
    """The given hypotheses, those of the kinds, every denominator and every root, in words."""
    ring, record = evaluation.algebra.ring, evaluation.algebra.record
    found = list(claim.given_texts)
    found += claim.kind_texts
    found += [f"{ring.text(p)} ≠ 0" for p in record.denominators]
    for root, value in record.roots:
        found.append(f"{root.text} ≥ 0, {root.text}² = |{ring.text(value)}|")
    return tuple(found)


def proof_of(
    claim: Claim, evaluation: Evaluation, strength: Strength, fixed: Fixed, decision: Decision
) -> Proof:
    """The proof; where there are hypotheses, with a point that satisfies them."""
    text, latex = claim.texts
    monomials = sum(map(len, evaluation.rhs.terms.values())) + len(evaluation.rhs.denominator)
    short = monomials <= LONGEST_NORMAL_FORM and decision.method == SAME
    remarks = []
    if claim.constrained and decision.example is None:
        remarks.append(
            "the claim may say nothing: no rational point of the hypotheses was found for small n"
        )
    if claim.constrained and not evaluation.residues:
        remarks.append("these hypotheses are not needed: the sides are equal without them")
    return Proof(
        strength=strength,
        fixed=fixed,
        arguments=claim.arguments,
        statement=text,
        statement_latex=latex,
        hypotheses=hypotheses_of(claim, evaluation),
        normal_form=evaluation.rhs.text() if short else "",
        normal_form_latex=evaluation.rhs.text(latex=True) if short else "",
        method=decision.method,
        example=decision.example,
        remarks=tuple(remarks),
    )


def together(proofs: Mapping[int, Proof]) -> Proof:
    """One claim for several dimensions; a hypothesis of some of them says of which."""
    *_, last = proofs.values()
    if len(proofs) == 1:
        return last
    needed: dict[str, list[int]] = {}
    for n, proof in proofs.items():
        for hypothesis in proof.hypotheses:
            needed.setdefault(hypothesis, []).append(n)
    hypotheses = tuple(
        text if len(where) == len(proofs) else f"{text} (n={compact_range(tuple(where))})"
        for text, where in needed.items()
    )
    methods = dict.fromkeys(proof.method for proof in proofs.values())
    return replace(
        last,
        fixed={**last.fixed, "n": tuple(proofs)},
        hypotheses=hypotheses,
        normal_form="",
        normal_form_latex="",
        method="; or ".join(methods),
        remarks=tuple(dict.fromkeys(r for proof in proofs.values() for r in proof.remarks)),
    )
