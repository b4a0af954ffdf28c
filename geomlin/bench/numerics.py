"""Time of exp against other libraries: medians of alternating runs, one thread.

Machines drift, so every ratio compares two medians of the same run, taken in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ..algebra import Algebra
from ..ops.bivectors import antisymmetric
from ..ops.exponential import exp

SIGNATURES = ((3, 0, 0), (4, 0, 0), (3, 0, 1), (1, 3, 0), (4, 1, 0), (6, 0, 0), (8, 0, 0))
BATCH = 1000
_ROUNDS = 7  # medians are over this many alternating rounds
_SECONDS = 0.02  # each timing repeats its call for at least this long


@dataclass(frozen=True)
class Row:
    """Microseconds of one exp, and how many times faster geomlin is."""

    operation: str
    peer: str
    signature: tuple[int, int, int]
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """Their time over ours."""
        return self.theirs / self.ours


def rows() -> Iterator[Row]:
    """Every comparison; peers that are not installed are left out."""
    rng = np.random.default_rng(0)
    for signature in SIGNATURES:
        algebra = Algebra(*signature)
        batch = algebra.random.bivector(rng, (BATCH,), scale=1 / algebra.n)
        single = batch[0]
        peers = {"scipy expm n x n": _scipy_expm(single)}
        clifford = _clifford_exp(signature, single)
        if clifford is not None:
            peers["clifford"] = clifford
        for peer, call in peers.items():
            ours, theirs = alternate(lambda: exp(single), call)  # noqa: B023
            yield Row("exp, single", peer, signature, ours, theirs)
            ours, theirs = alternate(lambda: exp(batch), call)  # noqa: B023
            yield Row(f"exp, batch {BATCH} against a loop", peer, signature, ours / BATCH, theirs)


def alternate(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    """Median microseconds of two calls, measured in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for call in (first, second):
        call()
    for _ in range(_ROUNDS):
        for call, found in zip((first, second), times, strict=True):
            found.append(_once(call))
    return median(times[0]) * 1e6, median(times[1]) * 1e6


def _once(call: Callable[[], Any]) -> float:
    """Seconds of one call, averaged over enough repetitions to be seen by the clock."""
    count, start = 0, perf_counter()
    while True:
        call()
        count += 1
        elapsed = perf_counter() - start
        if elapsed >= _SECONDS:
            return elapsed / count


def _scipy_expm(single: Any) -> Callable[[], Any]:
    from scipy.linalg import expm

    generator = 2 * antisymmetric(single.coeffs, single.algebra.n) * np.array(single.algebra.metric)
    return lambda: expm(generator)


def _clifford_exp(signature: tuple[int, int, int], single: Any) -> Callable[[], Any] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package's own imports
            import clifford
    except ImportError:
        return None
    p, q, r = signature
    layout, _ = clifford.Cl(sig=[1] * p + [-1] * q + [0] * r, firstIdx=1)
    value = layout.MultiVector(value=single.to_dense())
    return lambda: value.exp()


def run() -> list[Row]:
    """All rows, measured in a process of its own with one thread."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        env={**os.environ, **dict.fromkeys(names, "1")},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return [
        Row(**{**item, "signature": tuple(item["signature"])}) for item in json.loads(done.stdout)
    ]


def table(found: list[Row]) -> str:
    """Markdown."""
    lines = [
        f"Medians of {_ROUNDS} alternating rounds, one thread; a ratio above 1 means geomlin is "
        "faster.",
        "",
        "| operation | against | signature | geomlin, us | peer, us | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        p, q, r = row.signature
        lines.append(
            f"| {row.operation} | {row.peer} | ({p},{q},{r}) | {row.ours:.3g} | {row.theirs:.3g} "
            f"| {row.ratio:.3g} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps([asdict(row) for row in rows()]))
