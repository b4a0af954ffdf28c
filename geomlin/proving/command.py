"""`geomlin prove`: theorems, registered identities and files of claims, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ..errors import GeomlinError, LayoutError
from ..identities import registry
from ..identities.statement import Identity
from ..verdict import Strength, Verdict, compact_range
from .catalogue import theorems
from .claims_file import StatedClaim, read_file
from .index import write_index
from .outcome import Outcome
from .prover import prove
from .theorem import StepResult, Theorem, overall, prove_theorem, refute_twins

Target = Theorem | Identity | StatedClaim


@dataclass
class Tally:
    """What the run concluded."""

    proved: int = 0
    refuted: int = 0
    not_run: int = 0
    twins: int = 0
    survivors: int = 0

    @property
    def exit_status(self) -> int:
        """1 if a claim is refuted or a false twin is not, else 0."""
        return 1 if self.refuted or self.survivors else 0

    def count(self, verdict: Verdict) -> None:
        """Add the verdict of a claim."""
        self.proved += verdict.holds
        self.refuted += verdict.refuted
        self.not_run += verdict.word is Strength.NOT_RUN

    def count_twin(self, verdict: Verdict) -> None:
        """Add the verdict of something false."""
        self.twins += 1
        self.survivors += not verdict.refuted

    def summary(self, seconds: float) -> str:
        """The last line."""
        word = "FAILED" if self.exit_status else "OK"
        return (
            f"{word}: {self.proved} proved, {self.refuted} refuted, {self.not_run} not run; false "
            f"twins refuted {self.twins - self.survivors} of {self.twins}; {seconds:.1f} s"
        )


def targets_of(names: Sequence[str], *, identities: bool = False) -> list[Target]:
    """What the names stand for, then the registry if asked for; all theorems if nothing is."""
    found: list[Target] = []
    if not names and not identities:
        return list(theorems().values())
    for name in names:
        path = Path(name)
        if name in theorems():
            found.append(theorems()[name])
        elif name in registry:
            found.append(registry[name])
        elif path.suffix == ".py" and path.is_file():
            claims, theorem = read_file(path)
            found += [*claims, *([theorem] if theorem else [])]
        else:
            raise LayoutError(
                f"expected a theorem, an identity of the registry or a Python file, got {name!r}: "
                f"the theorems are {', '.join(theorems())}"
            )
    return found + (list(registry.values()) if identities else [])


def lines_of(target: Target, tally: Tally, *, slow: bool = False) -> Iterator[str]:
    """Run one target and describe what it showed."""
    if isinstance(target, Theorem):
        yield from _theorem(target, tally, slow=slow)
    elif isinstance(target, Identity):
        yield from _identity(target, tally)
    else:
        yield from _stated(target, tally)


def _theorem(theorem: Theorem, tally: Tally, *, slow: bool) -> Iterator[str]:
    if theorem.slow and not slow:
        tally.count(Verdict(Strength.NOT_RUN, reason="slow"))
        yield f"THEOREM {theorem.name}: NOT_RUN(slow: run it with --slow)  {theorem.statement}"
        return
    start = perf_counter()
    steps, twins = _results(theorem, slow=slow)
    verdict, seconds = overall(theorem, steps), perf_counter() - start
    tally.count(verdict)
    more = f"  (--slow: n={compact_range(theorem.slow_dimensions)})"
    limit = theorem.limit if verdict.holds else ""
    yield f"THEOREM {theorem.name}: {verdict}{limit}  {seconds:.2f} s" + (
        more if theorem.slow_dimensions and not slow else ""
    )
    yield f"    {theorem.statement}"
    for step in theorem.steps:
        yield _step_line(theorem, [r for r in steps if r.step is step])
    for number, (text, label) in enumerate(
        zip(theorem.hypotheses, theorem.labels, strict=True), start=1
    ):
        yield f"    H{number} {label}  {text}"
        yield from (_twin_line(r, tally) for r in twins if _dropped(r) == number)
    yield from (_twin_line(r, tally) for r in twins if _dropped(r) == 0)


def _results(theorem: Theorem, *, slow: bool) -> tuple[list[StepResult], list[StepResult]]:
    """What the steps and the twins showed; LayoutError if one of them cannot be checked."""
    try:
        return prove_theorem(theorem, slow=slow), refute_twins(theorem)
    except (Exception, SystemExit) as error:
        where = "; ".join(getattr(error, "__notes__", [theorem.name]))
        raise LayoutError(f"cannot be checked: {type(error).__name__}: {error}, {where}") from error


def _dropped(result: StepResult) -> int:
    return int(getattr(result.step, "drops", 0))


def _step_line(theorem: Theorem, results: Sequence[StepResult]) -> str:
    """The word of one step over all its dimensions, and the time it took."""
    failed = [r.verdict for r in results if not r.verdict.holds]
    numbers = tuple(r.dimension for r in results)
    verdict = failed[0] if failed else Verdict(theorem.strength, numbers=numbers)
    seconds, step = sum(r.seconds for r in results), results[0].step
    limit = "" if failed else getattr(step, "limit", "")
    return f"    {verdict}{limit}  {seconds:.2f} s  {step.name}"


def _twin_line(result: StepResult, tally: Tally) -> str:
    tally.count_twin(result.verdict)
    word = "dropped" if _dropped(result) else "false twin"
    outcome = str(result.verdict) if result.verdict.refuted else "NOT REFUTED"
    return f"      {word}: {result.step.name}: {outcome}"


def _identity(identity: Identity, tally: Tally) -> Iterator[str]:
    outcome, seconds = _timed(prove, identity)
    tally.count(outcome.verdict)
    yield f"IDENTITY {identity.name}: {_word(outcome)}  {seconds:.2f} s  {identity.equation}"


def _stated(claim: StatedClaim, tally: Tally) -> Iterator[str]:
    kind = "FALSE TWIN" if claim.is_false else "CLAIM"
    try:
        outcome, seconds = _timed(prove, claim.function, **claim.options, **claim.kinds)
    except (GeomlinError, ArithmeticError) as error:
        yield f"{kind} {claim.name}: {type(error).__name__}"
        raise
    if claim.is_false:
        tally.count_twin(outcome.verdict)
    else:
        tally.count(outcome.verdict)
    text = f"  {claim.text}" if claim.text else ""
    yield f"{kind} {claim.name}: {_word(outcome)}  {seconds:.2f} s{text}"
    yield from (f"    {line.strip()}" for line in str(outcome).splitlines()[1:])
    if claim.is_false and not outcome.refuted:
        yield "    NOT REFUTED, although it is stated to be false"


def _word(outcome: Outcome) -> str:
    """The strength word with its numbers, or the witness, or the reason."""
    return str(getattr(outcome, "claim", outcome.verdict))


def _timed(function: Any, *arguments: Any, **options: Any) -> tuple[Outcome, float]:
    start = perf_counter()
    outcome = function(*arguments, **options)
    return outcome, perf_counter() - start


def run_prove(
    names: Sequence[str],
    *,
    slow: bool,
    identities: bool,
    index: bool,
    write: Callable[[str], object],
    progress: Callable[[str, int, int], None],
) -> int:
    """Run the targets, write a line for each result as it comes, and return the exit status."""
    start, tally = perf_counter(), Tally()
    if index and names:
        raise LayoutError(f"--index is about all theorems, got {' '.join(names)}")
    targets = targets_of(names, identities=identities) if not index else targets_of(())
    for done, target in enumerate(targets):
        progress(target.name, done, len(targets))
        for line in lines_of(target, tally, slow=slow):
            write(line)
    if index and not tally.exit_status:
        write(f"wrote {write_index(theorems(), Path('proofs'))}")
    write(tally.summary(perf_counter() - start))
    return tally.exit_status
