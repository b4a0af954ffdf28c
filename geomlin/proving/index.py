"""The index of the theorems, proofs/README.md: written by `geomlin prove --index`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import LayoutError
from ..identities import registry
from ..verdict import Strength, Verdict
from .outcome import Proof
from .prover import prove
from .theorem import Theorem

COMMAND = "geomlin prove --index"
NAME = "README.md"


def index_text(theorems: Mapping[str, Theorem]) -> str:
    """Statement, strength word and labelled hypotheses of every theorem, and what is generic."""
    return "\n".join([*_introduction(), *_theorems(theorems), *_identities()]) + "\n"


def write_index(theorems: Mapping[str, Theorem], folder: Path) -> Path:
    """Write the index beside the theorems; LayoutError where they are not."""
    missing = [name for name in theorems if not (folder / f"{name}.py").is_file()]
    if missing:
        raise LayoutError(
            f"expected the theorem files in {folder}, got none for {', '.join(missing)}: run "
            f"{COMMAND!r} in a source checkout"
        )
    path = folder / NAME
    path.write_text(index_text(theorems), encoding="utf-8")
    return path


def _introduction() -> Iterator[str]:
    yield f"<!-- Written by `{COMMAND}` after every theorem below was proved; do not edit. -->"
    yield "# Theorems"
    yield ""
    yield (
        "One theorem a file: statement, hypotheses, derivation, a machine check for every step, "
        "false twins that must be refuted. `geomlin prove` runs them all, `geomlin prove NAME` "
        "one of them; [docs/proving.md](../docs/proving.md) explains the words."
    )
    yield ""
    yield (
        "`POLYNOMIAL(n)`: every step is an identity of polynomials in the coefficients and the "
        "metric squares, for the listed dimensions. `SERIES(N)`: a step is about a series, and is "
        "checked to order N; all orders are those of the derivation. A hypothesis is NEEDED if "
        "the file refutes the statement without it by an exact witness; METHOD if the derivation "
        "uses it and nothing is claimed without it."
    )
    yield ""


def _theorems(theorems: Mapping[str, Theorem]) -> Iterator[str]:
    for name, theorem in sorted(theorems.items()):
        verdict = Verdict(theorem.strength, numbers=theorem.dimensions)
        slow = f", on request n={','.join(map(str, theorem.slow_dimensions))}"
        yield f"## [{name}]({name}.py)"
        yield ""
        yield f"{theorem.statement}."
        yield ""
        yield (
            f"`{verdict}{theorem.limit}`{slow if theorem.slow_dimensions else ''}"
            f"{', run with --slow' if theorem.slow else ''}; {len(theorem.steps)} steps, "
            f"{len(theorem.twins)} false twins refuted."
        )
        yield ""
        for number, (text, label) in enumerate(
            zip(theorem.hypotheses, theorem.labels, strict=True), start=1
        ):
            yield f"- H{number} {label}: {text}"
        yield ""


def _identities() -> Iterator[str]:
    """The registered identities that hold in all dimensions by the generic prover."""
    yield "## Identities of the registry proved in all dimensions"
    yield ""
    yield "By `geomlin prove --identities`: vectors with indeterminate inner products."
    yield ""
    yield "| identity | equation | for | strength |"
    yield "|---|---|---|---|"
    for name, identity in sorted(registry.items()):
        outcome = prove(identity)
        if isinstance(outcome, Proof) and outcome.strength is Strength.ALL_DIMENSIONS:
            equation = identity.equation.replace("|", r"\|")
            yield f"| `{name}` | {equation} | {outcome.arguments} | `{outcome.claim}` |"
