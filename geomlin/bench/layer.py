"""Time and memory of RotorLinear beside torch.nn.Linear and other layers of the same widths.

Everything is measured in one run, contenders in turn, so that every ratio compares two medians of
the same minutes.  Each number of threads has a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import torch
from torch import Tensor, nn

from ..nn import BlockHadamardLinear, LowRankLinear, RotorLinear
from .layer_memory import peak_of

WIDTHS = (256, 512, 1024, 2048, 4096)
BATCHES = (1, 16, 256, 1024)
CONTENDERS = ("rotor", "rotor, plain torch", "low rank 4", "block-Hadamard 1", "block-Hadamard 2")
SLOW_CONTENDERS = ("published route", "dense, compiled")
DENSE = "dense"
_LARGEST_PUBLISHED = 2048  # beyond, the matrices of the published route take gigabytes
_COLD_BYTES = 1 << 27  # weights that are cycled through, so that they come from memory
_ROUNDS = 9
_LONG = 0.5  # seconds of one call of all contenders, from which on three rounds must do
_SECONDS = 0.02


@dataclass(frozen=True)
class Row:
    """Microseconds of one call, beside those of torch.nn.Linear in the same rounds; processor time
    with one thread, time on the clock with more.

    work : "forward", "forward, cold", or "step", forward and backward for input and parameters.
    memory : MiB of resident memory that a step takes beyond what was there; None if not measured.
    """

    contender: str
    work: str
    width: int
    batch: int
    threads: int
    microseconds: float
    dense: float
    memory: float | None = None
    dense_memory: float | None = None

    @property
    def ratio(self) -> float:
        """How many times faster than torch.nn.Linear."""
        return self.dense / self.microseconds


def make(contender: str, width: int) -> nn.Module:
    """A layer width -> width without bias."""
    if contender in ("rotor", "rotor, plain torch"):
        return RotorLinear(width, width)
    if contender == "published route":
        return RotorLinear(width, width, reference="published")
    if contender == "low rank 4":
        return LowRankLinear(width, width, 4)
    if contender.startswith("block-Hadamard"):
        depth = int(contender[-1])
        return BlockHadamardLinear(width, width, depth=depth, blocks=min(128, width // 16))
    dense = nn.Linear(width, width, bias=False)
    if contender == "dense, compiled":
        dense.compile(dynamic=True)
    return dense


@contextmanager
def _environment(contender: str) -> Iterator[None]:
    """The plain route where it is asked for by name."""
    before = os.environ.get("GEOMLIN_NATIVE")
    if contender == "rotor, plain torch":
        os.environ["GEOMLIN_NATIVE"] = "0"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("GEOMLIN_NATIVE", None)
        else:
            os.environ["GEOMLIN_NATIVE"] = before


def _forward(layers: Sequence[nn.Module], x: Tensor) -> Callable[[], Any]:
    """A call of the next layer each time; with one layer everything stays warm."""
    place = 0

    def call() -> Any:
        nonlocal place
        place = (place + 1) % len(layers)
        with torch.no_grad():
            return layers[place](x)

    return call


def _forget(layer: nn.Module, call: Callable[[], Any]) -> Callable[[], Any]:
    """The call after a change of the parameters, so that no table can be kept."""

    def changed() -> Any:
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.add_(1e-6)
        return call()

    return changed


def _step(layer: nn.Module, x: Tensor, grad: Tensor) -> Callable[[], Any]:
    """Forward and backward for the input and the parameters, without an optimiser."""

    def call() -> None:
        x.grad = None
        for parameter in layer.parameters():
            parameter.grad = None
        layer(x).backward(grad)

    return call


def _calls(contender: str, width: int, batch: int, work: str) -> Callable[[], Any]:
    """One measured call of a contender."""
    x = torch.randn(batch, width)
    if work == "step":
        return _step(make(contender, width), x.requires_grad_(), torch.randn(batch, width))
    if work == "forward":
        return _forward([make(contender, width)], x)
    if contender == DENSE:
        count = max(2, _COLD_BYTES // (4 * width**2))
        return _forward([make(contender, width) for _ in range(count)], x)
    layer = make(contender, width)
    return _forget(layer, _forward([layer], x))


def compare(
    width: int,
    batch: int,
    work: str,
    contenders: Sequence[str],
    *,
    rounds: int = _ROUNDS,
    seconds: float = _SECONDS,
) -> Iterator[Row]:
    """Rows of one width, batch and kind of work: all contenders in turn, several rounds."""
    names = [DENSE, *contenders]
    calls = {name: _calls(name, width, batch, work) for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    start = perf_counter()
    for name in names:
        with _environment(name):
            calls[name]()
    if perf_counter() - start > _LONG:
        rounds = min(rounds, 3)
    for _ in range(rounds):
        for name in names:
            with _environment(name):
                times[name].append(_once(calls[name], seconds))
    memory: dict[str, float | None] = dict.fromkeys(names)
    if work == "step":
        for name in names:
            with _environment(name):
                memory[name] = peak_of(calls[name])
    threads = torch.get_num_threads()
    for name in contenders:
        yield Row(
            name,
            work,
            width,
            batch,
            threads,
            median(times[name]) * 1e6,
            median(times[DENSE]) * 1e6,
            memory[name],
            memory[DENSE],
        )


def _once(call: Callable[[], Any], seconds: float) -> float:
    """Seconds of one call, averaged over enough of them to be seen by the clock.

    With one thread it is processor time, which another job on the machine changes least.
    """
    clock = process_time if torch.get_num_threads() == 1 else perf_counter
    count, start = 0, clock()
    while True:
        call()
        count += 1
        elapsed = clock() - start
        if elapsed >= seconds:
            return elapsed / count


def rows(
    widths: Sequence[int] = WIDTHS,
    batches: Sequence[int] = BATCHES,
    *,
    slow: bool = False,
    rounds: int = _ROUNDS,
    seconds: float = _SECONDS,
) -> Iterator[Row]:
    """Every comparison of this process; `slow` adds the published route and a compiled layer."""
    measure = partial(compare, rounds=rounds, seconds=seconds)
    for width in widths:
        for batch in batches:
            yield from measure(width, batch, "forward", CONTENDERS)
            yield from measure(width, batch, "forward, cold", CONTENDERS[:2])
            if batch > 1:
                yield from measure(width, batch, "step", CONTENDERS)
            if slow and batch == 256:
                chosen = [c for c in SLOW_CONTENDERS if width <= _LARGEST_PUBLISHED]
                for work in ("forward", "step"):
                    yield from compare(width, batch, work, chosen, rounds=3, seconds=seconds)


def describe() -> str:
    """Which implementation runs here and how to get the other one."""
    from ..native import describe as describe_native

    return f"RotorLinear runs: {describe_native()}"


def run(*, threads: Sequence[int] = (1, 2), quick: bool = False, slow: bool = False) -> list[Row]:
    """All rows, each number of threads in a process of its own."""
    found: list[Row] = []
    for count in threads:
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        options = [*(["--quick"] if quick else []), *(["--slow"] if slow else [])]
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(count), *options],
            env={**os.environ, **dict.fromkeys(names, str(count))},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        found += [Row(**item) for item in json.loads(done.stdout)]
    return found


def _main(arguments: list[str]) -> None:
    torch.set_num_threads(int(arguments[0]))
    torch.manual_seed(0)
    quick = "--quick" in arguments
    batches, rounds = ((1, 256), 5) if quick else (BATCHES, _ROUNDS)
    found = rows(WIDTHS, batches, slow="--slow" in arguments, rounds=rounds)
    print(json.dumps([asdict(row) for row in found]))


if __name__ == "__main__":
    _main(sys.argv[1:])
