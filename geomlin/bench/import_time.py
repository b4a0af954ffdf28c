"""Time of `import geomlin` beyond `import numpy`, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from ..verification.budgets import SPEED

ROUNDS = 9  # fresh processes; medians are over these
BUDGET = SPEED["import geomlin beyond numpy"]

# The files are read once before, so that what is measured is the import and not the disk.
_CODE = """
from time import perf_counter
start = perf_counter()
import numpy
middle = perf_counter()
import geomlin
print(middle - start, perf_counter() - middle)
"""


class ImportTime(NamedTuple):
    """Seconds of each fresh process."""

    numpy: Sequence[float]
    geomlin: Sequence[float]

    @property
    def within_budget(self) -> bool:
        """Whether the median of geomlin is."""
        return median(self.geomlin) <= BUDGET.limit


def run(rounds: int = ROUNDS) -> ImportTime:
    """Import numpy, then geomlin, in so many processes, after one that is not counted."""
    found = [_once() for _ in range(rounds + 1)][1:]
    return ImportTime([numpy for numpy, _ in found], [geomlin for _, geomlin in found])


def _once() -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], stdout=subprocess.PIPE, check=True, text=True
    )
    numpy, geomlin = map(float, done.stdout.split())
    return numpy, geomlin


def table(found: ImportTime) -> str:
    """Markdown, and whether the budget is met."""
    lines = [
        f"Medians of {len(found.geomlin)} fresh processes, seconds.",
        "",
        "| import | median | fastest | slowest |",
        "|---|---|---|---|",
    ]
    for name, times in (("numpy", found.numpy), ("geomlin, beyond numpy", found.geomlin)):
        numbers = (median(times), min(times), max(times))
        lines.append(f"| {name} | " + " | ".join(f"{x:.4f}" for x in numbers) + " |")
    verdict = "met" if found.within_budget else "missed"
    return "\n".join([*lines, "", f"Budget of {BUDGET.limit:g} s beyond numpy: {verdict}."])
