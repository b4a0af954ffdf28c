"""Theorems as data: steps that are checked, and false twins that must be refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter

from ..verdict import Strength, Verdict
from .equation import Equation

Check = Callable[[int], Equation | Iterable[Equation]]


def _to_order(order: int) -> str:
    return f", {Verdict(Strength.SERIES, numbers=(order,))}" if order else ""


@dataclass(frozen=True)
class Step:
    """One line of a derivation; `check(n)` states its equations in dimension n.

    Where it is about a series, `order` is the last order that is compared in every dimension.
    """

    name: str
    check: Check
    order: int = 0

    @property
    def limit(self) -> str:
        """The word that limits what is checked of a series: ", SERIES(N=9)", or nothing."""
        return _to_order(self.order)


@dataclass(frozen=True)
class Twin:
    """A false variant of the theorem, stated in one dimension, that must be refuted.

    Each twin drops a hypothesis or plants an error, so that a checker that accepts everything
    is found out.  `drops` is the number of the hypothesis that it drops, 0 for a planted error.
    """

    name: str
    check: Check
    dimension: int
    drops: int = 0


@dataclass(frozen=True)
class Theorem:
    """A statement with its hypotheses, its derivation and its false twins.

    A `slow` theorem, and the `slow_dimensions` of any, are checked on request only.
    """

    name: str
    statement: str
    hypotheses: tuple[str, ...]
    strength: Strength
    dimensions: tuple[int, ...]
    steps: tuple[Step, ...]
    twins: tuple[Twin, ...]
    slow_dimensions: tuple[int, ...] = ()
    slow: bool = False

    def __post_init__(self) -> None:
        """A theorem without a step or without a twin shows nothing."""
        if self.strength not in (Strength.POLYNOMIAL, Strength.MULTILINEAR):
            raise ValueError(f"{self.name}: steps in fixed dimensions cannot show {self.strength}")
        if not (self.steps and self.twins and self.dimensions):
            raise ValueError(f"{self.name}: expected steps, twins and dimensions")
        if any(not 0 <= twin.drops <= len(self.hypotheses) for twin in self.twins):
            raise ValueError(f"{self.name}: a twin drops a hypothesis that there is not")

    @property
    def limit(self) -> str:
        """The lowest order of its steps that are about a series, in words."""
        return _to_order(min((step.order for step in self.steps if step.order), default=0))

    @property
    def labels(self) -> tuple[str, ...]:
        """NEEDED for each hypothesis that a twin drops; else METHOD.

        METHOD: the derivation uses it, and nothing is claimed about the statement without it.
        """
        dropped = {twin.drops for twin in self.twins}
        numbers = range(1, len(self.hypotheses) + 1)
        return tuple("NEEDED" if k in dropped else "METHOD" for k in numbers)


@dataclass(frozen=True)
class StepResult:
    """What one step (or twin) concluded in one dimension."""

    step: Step | Twin
    dimension: int
    verdict: Verdict
    equations: int
    seconds: float


def prove_theorem(theorem: Theorem, *, slow: bool = False) -> list[StepResult]:
    """Check every step in every dimension; `slow` adds the theorem's slow dimensions."""
    dimensions = theorem.dimensions + (theorem.slow_dimensions if slow else ())
    return [_run(step, n, theorem) for n in dimensions for step in theorem.steps]


def refute_twins(theorem: Theorem) -> list[StepResult]:
    """Check every false twin: each verdict must be REFUTED."""
    return [_run(twin, twin.dimension, theorem) for twin in theorem.twins]


def overall(theorem: Theorem, results: Iterable[StepResult]) -> Verdict:
    """The first verdict that does not hold, or the theorem's word for the dimensions checked."""
    results = list(results)
    for result in results:
        if not result.verdict.holds:
            return result.verdict
    complete = [
        n
        for n in dict.fromkeys(result.dimension for result in results)
        if {r.step.name for r in results if r.dimension == n} >= {s.name for s in theorem.steps}
    ]
    if not complete:
        return Verdict(Strength.NOT_RUN, reason="no dimension was checked in every step")
    return Verdict(theorem.strength, numbers=tuple(complete))


def _run(step: Step | Twin, dimension: int, theorem: Theorem) -> StepResult:
    """Decide the equations of a step until one is false."""
    start = perf_counter()
    count, verdict = 0, Verdict(theorem.strength, numbers=(dimension,))
    try:
        for equation in _equations(step, dimension):
            count += 1
            witness = equation.witness()
            if witness is not None:
                verdict = Verdict(Strength.REFUTED, witness=witness)
                break
    except (Exception, SystemExit) as error:
        error.add_note(f"in step {step.name!r} of theorem {theorem.name!r}, n = {dimension}")
        raise
    if count == 0:
        raise ValueError(f"{theorem.name}, {step.name!r}, n = {dimension}: no equation stated")
    return StepResult(step, dimension, verdict, count, perf_counter() - start)


def _equations(step: Step | Twin, dimension: int) -> Iterable[Equation]:
    stated = step.check(dimension)
    return (stated,) if isinstance(stated, Equation) else stated
