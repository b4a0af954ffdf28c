"""Soak: random and adversarial inputs through every partial function, batch after batch.

    python -m geomlin.bench.soak --calls 1000000 --seed 0 --minutes 60 --checkpoint soak.json

Counts calls and documented errors by class; anything else (an undocumented exception, NaN, an
answer that misses its defining equation) is a failure, printed with a line that repeats it.
Round k draws from the generator seeded by (seed, k), so an interrupted run that continues from its
checkpoint does what the uninterrupted one would have done.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import Algebra
from ..errors import GeomlinError, LayoutError
from ..layout import even_layout, full_layout, grade_layout
from ..multivector import Multivector
from ..verification.regimes import bivectors
from .soak_operations import OPERATIONS, Arguments, Floats, Operation

BATCH = 64
LARGEST = 8  # dimension
SECONDS = 3.0  # between two checkpoints
REPORTED = 4  # failures of each operation kept with their reproducer; all are counted


@dataclass
class Tally:
    """What has been done so far: everything a checkpoint holds."""

    seed: int
    rounds: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)  # "operation: class"
    failures: Counter[str] = field(default_factory=Counter)  # by operation
    reproducers: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)  # seconds of the slowest batch

    def fail(self, operation: str, what: str, reproducer: str) -> None:
        """Count a failure, and keep the first ones."""
        self.failures[operation] += 1
        if self.failures[operation] <= REPORTED:
            self.reproducers.append(f"{operation}: {what}\n    {reproducer}")


def soak(
    calls: int,
    seed: int,
    *,
    minutes: float = np.inf,
    checkpoint: Path | None = None,
    operations: Mapping[str, Operation] = OPERATIONS,
    batch: int = BATCH,
    largest: int = LARGEST,
) -> Tally:
    """Rounds of one operation in one signature each, until `calls` inputs or `minutes` are over."""
    tally = _resumed(checkpoint, seed)
    began = saved = time.monotonic()
    names = list(operations)
    while tally.calls.total() < calls and time.monotonic() - began < 60 * minutes:
        rng = np.random.default_rng([seed, tally.rounds])
        name = names[tally.rounds % len(names)]
        most = min(batch, calls - tally.calls.total())
        started = time.monotonic()
        _round(tally, name, operations[name], _random_algebra(rng, largest), most, rng)
        seconds = time.monotonic() - started
        tally.slowest[name] = max(tally.slowest.get(name, 0.0), round(seconds, 3))
        tally.rounds += 1
        if checkpoint is not None and time.monotonic() - saved > SECONDS:
            _save(tally, checkpoint)
            saved = time.monotonic()
    if checkpoint is not None:
        _save(tally, checkpoint)
    return tally


def _resumed(checkpoint: Path | None, seed: int) -> Tally:
    """The tally of the checkpoint, or a new one."""
    if checkpoint is None or not checkpoint.exists():
        return Tally(seed)
    saved = json.loads(checkpoint.read_text())
    if saved["seed"] != seed:
        raise LayoutError(f"expected a checkpoint of seed {seed}, got one of {saved['seed']}")
    counters = {key: Counter(saved[key]) for key in ("calls", "errors", "failures")}
    return Tally(**{**saved, **counters})


def _save(tally: Tally, checkpoint: Path) -> None:
    """Write the whole file, then rename it: an interruption leaves the old or the new one."""
    partial = checkpoint.with_name(checkpoint.name + ".partial")
    partial.write_text(json.dumps(vars(tally)))
    os.replace(partial, checkpoint)


def _round(
    tally: Tally,
    name: str,
    operation: Operation,
    algebra: Algebra,
    most: int,
    rng: np.random.Generator,
) -> None:
    """One batch; if it raises, its elements one at a time."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        arguments = operation.arguments(algebra, _bivectors(algebra, most, rng), rng)
        count = len(_coefficients(arguments[0]))
        tally.calls[name] += count
        left = _left(operation, algebra, arguments) if count else ()
        right = [
            index
            for index in left
            if _attempt(tally, name, operation, algebra, _element(arguments, index))
        ]
        if left and len(right) == len(left):  # whatever stopped the batch is in no element of it
            one = _reproducer(name, algebra, _element(arguments, left[0]))
            tally.fail(name, "wrong in a batch, right alone", one)


def _left(operation: Operation, algebra: Algebra, arguments: Arguments) -> Sequence[int]:
    """The elements to be called one at a time: those refused or wrong in the batch, or all."""
    count = len(_coefficients(arguments[0]))
    options = {"on_error": "nan"} if operation.marks else {}
    try:
        result = operation.call(*arguments, **options)
    except Exception:
        return range(count)
    good: NDArray[np.bool_] = np.ones(count, dtype=np.bool_)
    if operation.marks:
        good[:] = np.isfinite(_coefficients(result)).reshape(count, -1).all(axis=1)
        if not good.all():
            result, arguments = result[good], _element(arguments, good)
    good[good] = _excess(operation, algebra, result, arguments) <= 1.0
    return np.flatnonzero(~good).tolist()


def _attempt(
    tally: Tally, name: str, operation: Operation, algebra: Algebra, arguments: Arguments
) -> bool:
    """Whether the call and its test went well; what else happened is put into the tally."""
    what = ""
    try:
        result = operation.call(*arguments)
    except operation.documented as raised:
        undecided = str(getattr(raised, "reason", "")).startswith("undecided")
        kind = type(raised).__name__ + (" (undecided)" if undecided else "")
        tally.errors[f"{name}: {kind}"] += 1
        return False
    except Exception as raised:
        what = f"raised {type(raised).__name__}: {str(raised)[:200]}"
    else:
        excess = _excess(operation, algebra, result, arguments)
        if np.all(excess <= 1.0):
            return True
        what = f"missed its equation by {float(np.max(excess)):.3g} times the bound"
    tally.fail(name, what, _reproducer(name, algebra, arguments))
    return False


def _excess(operation: Operation, algebra: Algebra, result: Any, arguments: Arguments) -> Floats:
    """Error over bound, infinite if the result is not finite or cannot be tested."""
    try:
        return operation.excess(algebra, result, arguments)
    except GeomlinError:
        return np.array([np.inf])


def _random_algebra(rng: np.random.Generator, largest: int) -> Algebra:
    """n = 1..largest, half of the time without null vectors."""
    n = int(rng.integers(1, largest + 1))
    r = int(rng.integers(0, n + 1)) if rng.random() < 0.5 else 0
    p = int(rng.integers(0, n - r + 1))
    return Algebra(p, n - r - p, r)


def _bivectors(algebra: Algebra, count: int, rng: np.random.Generator) -> Floats:
    """Half of them from the adversarial regimes, half random of sizes 1e-9 to 10."""
    n = algebra.n
    cases = bivectors(algebra.signature, rng)
    random = rng.normal(size=(count, n, n)) * 10.0 ** rng.uniform(-9, 1, size=(count, 1, 1))
    b = np.triu(random, 1)
    b = b - b.transpose(0, 2, 1)
    for k in range(0, count if cases else 0, 2):
        b[k] = cases[int(rng.integers(len(cases)))].b
    return b


def _coefficients(argument: Any) -> Floats:
    """The array of a multivector, or the array itself."""
    return np.asarray(argument.coeffs if isinstance(argument, Multivector) else argument)


def _element(arguments: Arguments, index: int | NDArray[np.bool_]) -> Arguments:
    """The batch of one at `index`, or of the marked ones; arguments without a batch stay."""
    chosen = slice(index, index + 1) if isinstance(index, int) else index
    return tuple(a[chosen] if isinstance(a, Multivector | np.ndarray) else a for a in arguments)


def _reproducer(name: str, algebra: Algebra, arguments: Arguments) -> str:
    """A line of Python that repeats the call."""
    layouts = {
        "vector": grade_layout(algebra.n, 1),
        "bivector": grade_layout(algebra.n, 2),
        "even": even_layout(algebra.n),
        "multivector": full_layout(algebra.n),
    }
    texts = []
    for argument in arguments:
        if isinstance(argument, Algebra):
            texts.append("algebra")
        elif isinstance(argument, Multivector):
            kind = next(kind for kind, layout in layouts.items() if layout == argument.layout)
            texts.append(f"algebra.{kind}({argument.coeffs.tolist()})")
        elif isinstance(argument, np.ndarray):
            texts.append(f"np.array({argument.tolist()})")
        else:
            texts.append(repr(argument))
    numbers = ", ".join(str(number) for number in algebra.signature)
    return f"algebra = Algebra({numbers}); {name}({', '.join(texts)})"


def report(tally: Tally) -> str:
    """The figures as a Markdown table, and the failures with their reproducers."""
    lines = [
        "| operation | calls | documented errors | failures | slowest batch |",
        "|---|---:|---|---:|---:|",
    ]
    for name, count in tally.calls.items():
        errors = {
            key.split(": ")[1]: number
            for key, number in sorted(tally.errors.items())
            if key.startswith(f"{name}: ")
        }
        listed = ", ".join(f"{key} {number}" for key, number in errors.items()) or "none"
        slowest = tally.slowest.get(name, 0.0)
        lines.append(f"| {name} | {count} | {listed} | {tally.failures[name]} | {slowest:.2f} s |")
    total, failed = tally.calls.total(), tally.failures.total()
    lines.append(f"\n{total} calls, {failed} failures, seed {tally.seed}, {tally.rounds} rounds")
    return "\n".join(lines + tally.reproducers)


def main(arguments: list[str] | None = None) -> int:
    """Run, print the report, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m geomlin.bench.soak", description=soak.__doc__)
    parser.add_argument("--calls", type=int, default=10_000, help="inputs over all operations")
    parser.add_argument(
        "--operation",
        action="append",
        choices=list(OPERATIONS),
        help="only this one (may be repeated); without it, all of them",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=BATCH, help="most inputs of one call")
    parser.add_argument("--largest", type=int, default=LARGEST, help="largest dimension")
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--checkpoint", type=Path, help="JSON file to continue from and to write")
    options = parser.parse_args(arguments)
    tally = soak(
        options.calls,
        options.seed,
        minutes=options.minutes,
        checkpoint=options.checkpoint,
        operations={name: OPERATIONS[name] for name in options.operation or OPERATIONS},
        batch=options.batch,
        largest=options.largest,
    )
    print(report(tally))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
