"""Time of exp, the double cover and products beside other libraries: medians of alternating runs.

One thread.
Machines drift, so every ratio compares two medians of the same run, taken in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ..algebra import Algebra
from ..ops.bivectors import antisymmetric
from ..ops.exponential import exp
from ..ops.lift import rotor_from_matrix
from ..ops.matrices import rotor_to_matrix
from ..ops.versors import sandwich

SIGNATURES = ((3, 0, 0), (4, 0, 0), (3, 0, 1), (1, 3, 0), (4, 1, 0), (6, 0, 0), (8, 0, 0))
BATCH = 1000
_ROUNDS = 7  # medians are over this many alternating rounds
_SECONDS = 0.02  # each timing repeats its call for at least this long


@dataclass(frozen=True)
class Row:
    """Microseconds of one answer, and how many times faster geomlin is."""

    operation: str
    peer: str
    signature: tuple[int, int, int]
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """Their time over ours."""
        return self.theirs / self.ours


def rows(
    signatures: Sequence[tuple[int, int, int]] = SIGNATURES, seconds: float = _SECONDS
) -> Iterator[Row]:
    """Every comparison; peers that are not installed are left out.

    Each timing repeats its call for at least `seconds`.
    """
    rng = np.random.default_rng(0)
    for signature in signatures:
        algebra = Algebra(*signature)
        batch = algebra.random.bivector(rng, (BATCH,), scale=1 / algebra.n)
        yield from _exp_rows(signature, batch, seconds)
        yield from _cover_rows(signature, exp(batch[0]), seconds)
        pair = [algebra.random.multivector(rng) for _ in range(2)]
        vector = algebra.random.vector(rng)
        yield from _product_rows(signature, pair, exp(batch[0]), vector, seconds)


def _exp_rows(signature: tuple[int, int, int], batch: Any, seconds: float) -> Iterator[Row]:
    """exp of one bivector, and of a batch against a loop."""
    single = batch[0]
    peers = {"scipy expm n x n": _scipy_expm(single)}
    clifford = _clifford_exp(signature, single)
    if clifford is not None:
        peers["clifford"] = clifford
    for peer, call in peers.items():
        ours, theirs = alternate(lambda: exp(single), call, seconds)
        yield Row("exp, single", peer, signature, ours, theirs)
        ours, theirs = alternate(lambda: exp(batch), call, seconds)
        yield Row(f"exp, batch {BATCH} against a loop", peer, signature, ours / BATCH, theirs)


def _cover_rows(signature: tuple[int, int, int], rotor: Any, seconds: float) -> Iterator[Row]:
    """The matrix of one rotor, and the rotor of one matrix."""
    matrix = rotor_to_matrix(rotor)
    there, back = _clifford_cover(signature, rotor, matrix)
    ours_back = partial(rotor_from_matrix, matrix, rotor.algebra)
    for name, ours, theirs in (
        ("rotor_to_matrix, single", partial(rotor_to_matrix, rotor), there),
        ("rotor_from_matrix, single", ours_back, back),
    ):
        if theirs is not None:
            yield Row(name, "clifford", signature, *alternate(ours, theirs, seconds))


def _product_rows(
    signature: tuple[int, int, int], pair: list[Any], rotor: Any, vector: Any, seconds: float
) -> Iterator[Row]:
    """One product of two dense multivectors, and one rotor acting on one vector."""
    theirs = [_clifford_value(signature, element) for element in (*pair, rotor, vector)]
    if any(value is None for value in theirs):
        return
    a, b, r, x = theirs
    (first, second), name = pair, "clifford"
    times = alternate(lambda: first * second, lambda: a * b, seconds)
    yield Row("geometric product, single", name, signature, *times)
    times = alternate(lambda: sandwich(rotor, vector), lambda: r * x * ~r, seconds)
    yield Row("sandwich, single", name, signature, *times)


def alternate(
    first: Callable[[], Any], second: Callable[[], Any], seconds: float = _SECONDS
) -> tuple[float, float]:
    """Median microseconds of two calls, measured in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for call in (first, second):
        call()
    for _ in range(_ROUNDS):
        for call, found in zip((first, second), times, strict=True):
            found.append(_once(call, seconds))
    return median(times[0]) * 1e6, median(times[1]) * 1e6


def _once(call: Callable[[], Any], seconds: float) -> float:
    """Seconds of one call, averaged over enough repetitions to be seen by the clock."""
    count, start = 0, perf_counter()
    while True:
        call()
        count += 1
        elapsed = perf_counter() - start
        if elapsed >= seconds:
            return elapsed / count


def _scipy_expm(single: Any) -> Callable[[], Any]:
    from scipy.linalg import expm

    generator = 2 * antisymmetric(single.coeffs, single.algebra.n) * np.array(single.algebra.metric)
    return lambda: expm(generator)


def _clifford_value(signature: tuple[int, int, int], element: Any) -> Any:
    """The same multivector in the package clifford; None if that is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package's own imports
            import clifford
    except ImportError:
        return None
    p, q, r = signature
    layout, _ = clifford.Cl(sig=[1] * p + [-1] * q + [0] * r, firstIdx=1)
    return layout.MultiVector(value=element.to_dense())


def _clifford_exp(signature: tuple[int, int, int], single: Any) -> Callable[[], Any] | None:
    value = _clifford_value(signature, single)
    return None if value is None else lambda: value.exp()


def _clifford_cover(
    signature: tuple[int, int, int], rotor: Any, matrix: Any
) -> tuple[Callable[[], Any] | None, Callable[[], Any] | None]:
    """LinearMatrix.from_rotor, and orthoMat2Versor where it answers (mostly not with nulls)."""
    value = _clifford_value(signature, rotor)
    if value is None:
        return None, None
    from clifford.tools import orthoMat2Versor
    from clifford.transformations import LinearMatrix

    def back() -> Any:
        return orthoMat2Versor(matrix, layout=value.layout)

    try:
        back()
    except ValueError:
        return lambda: LinearMatrix.from_rotor(value), None
    return lambda: LinearMatrix.from_rotor(value), back


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
