"""What a verification run found: cells, theorems, cases, disagreements, and the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..report import Report as BaseReport
from ..verdict import Strength, Verdict
from ..witnesses.records import Disagreement, WitnessAccuracy


@dataclass(frozen=True)
class Cell:
    """One identity (or theorem, or case) in one signature on one engine."""

    name: str
    group: str
    engine: str
    signature: tuple[int, ...]  # () for theorems, which are about many
    verdict: Verdict
    seconds: float
    equation: str = ""
    twin: bool = False

    @property
    def failed(self) -> bool:
        """A refuted claim, or a false twin that was checked and not refuted."""
        return self.verdict.holds if self.twin else self.verdict.refuted

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        v = self.verdict
        return {
            "name": self.name,
            "group": self.group,
            "engine": self.engine,
            "signature": list(self.signature),
            "word": v.word.value,
            "verdict": str(v),
            "error": v.error,
            "bound": v.bound,
            "witness": v.witness,
            "reason": v.reason,
            "seconds": round(self.seconds, 6),
            "equation": self.equation,
            "twin": self.twin,
        }


@dataclass
class Report(BaseReport):
    """Everything a run found; `exit_status` is 0 when nothing is refuted."""

    seed: int
    cells: list[Cell] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    accuracies: list[WitnessAccuracy] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def claims(self) -> list[Cell]:
        """Cells that claim something (no twins)."""
        return [cell for cell in self.cells if not cell.twin]

    @property
    def failures(self) -> list[Cell]:
        """Refuted claims and false twins that were not refuted."""
        return [cell for cell in self.cells if cell.failed]

    def worst_disagreements(self) -> list[Disagreement]:
        """The largest disagreement about each operation."""
        found: dict[tuple[str, str], Disagreement] = {}
        for item in self.disagreements:
            key = item.engine, item.operation
            if key not in found or item.their_error > found[key].their_error:
                found[key] = item
        return list(found.values())

    def counts(self, engine: str) -> Counter[str]:
        """How often each strength word came from an engine."""
        return Counter(cell.verdict.word.value for cell in self.claims if cell.engine == engine)

    def engines(self) -> list[str]:
        """Engines in the order in which they first appear."""
        return list(dict.fromkeys(cell.engine for cell in self.cells))

    def engine_line(self, engine: str) -> str:
        """ENGINE numpy: 412 AGREES, 0 REFUTED, 3 NOT_RUN."""
        found = self.counts(engine)
        order = [word.value for word in Strength if word.value in found]
        words = list(dict.fromkeys([*order, "REFUTED", "NOT_RUN"]))
        words.sort(key=[word.value for word in Strength].index)
        return f"ENGINE {engine}: " + ", ".join(f"{found[word]} {word}" for word in words)

    def summary_line(self) -> str:
        """One line that says how it went."""
        twins = [cell for cell in self.cells if cell.twin and cell.verdict.word != "NOT_RUN"]
        refuted = sum(cell.verdict.refuted for cell in twins)
        holds = sum(cell.verdict.holds for cell in self.claims)
        wrong = sum(cell.verdict.refuted for cell in self.claims)
        left = len(self.claims) - holds - wrong
        word = "FAILED" if self.failures else "OK"
        return (
            f"{word}: {holds} hold, {wrong} refuted, {left} not run; "
            f"false twins refuted {refuted} of {len(twins)}; {self.seconds:.1f} s, seed {self.seed}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "format": "geomlin verification 1",
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "exit_status": self.exit_status,
            "engines": {engine: dict(self.counts(engine)) for engine in self.engines()},
            "cells": [cell.as_dict() for cell in self.cells],
            "disagreements": [vars(d) | {"text": str(d)} for d in self.disagreements],
            "witness_accuracy": [vars(a) for a in self.accuracies],
        }


def worst(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The verdict that says least: REFUTED first, then NOT_RUN, then the weakest strength."""
    order = [Strength.REFUTED, Strength.NOT_RUN, Strength.AGREES, Strength.ENCLOSED]
    order += [Strength.SERIES, Strength.MULTILINEAR, Strength.POLYNOMIAL, Strength.ALL_DIMENSIONS]
    found = list(verdicts)
    if not found:
        return None
    return min(found, key=lambda v: (order.index(v.word), -(v.error or 0.0)))
