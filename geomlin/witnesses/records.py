"""What is kept about witnesses: disagreements, and how accurate they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Disagreement:
    """A witness and geomlin differ, and a certified reference says who is right."""

    engine: str
    operation: str
    where: str
    their_error: float
    our_error: float
    why: str

    def __str__(self) -> str:
        right = "geomlin" if self.our_error < self.their_error else self.engine
        return (
            f"{self.engine} {self.operation}, {self.where}: {self.engine} is off by "
            f"{self.their_error:.3g} eps, geomlin by {self.our_error:.3g} eps of the certified "
            f"value; {right} is right. {self.why}"
        )


@dataclass(frozen=True)
class WitnessAccuracy:
    """How an approximate operation of a witness did in one signature, by a certified reference.

    Errors are in eps of the largest coefficient; `stated` was claimed before the run, per unit of
    condition number, and `beyond` counts the calls that missed it.
    """

    engine: str
    operation: str
    signature: str
    calls: int
    worst: float
    ours: float
    beyond: int
    stated: float


def summarised(accuracies: Iterable[WitnessAccuracy]) -> Iterator[str]:
    """One line for each operation of each witness, over all signatures."""
    groups: dict[tuple[str, str], list[WitnessAccuracy]] = {}
    for item in accuracies:
        groups.setdefault((item.engine, item.operation), []).append(item)
    for (engine, operation), group in groups.items():
        worst = max(group, key=lambda item: item.worst)
        calls, beyond = sum(i.calls for i in group), sum(i.beyond for i in group)
        yield (
            f"{engine} {operation}: {calls} calls in {len(group)} signatures, {beyond} beyond the "
            f"stated {worst.stated:.2g} eps times the condition number; worst {worst.worst:.3g} "
            f"eps in {worst.signature}, where geomlin's worst is {worst.ours:.3g} eps"
        )
