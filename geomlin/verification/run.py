"""The verification run: identity x signature x engine, theorems, and cases."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from os import PathLike
from time import perf_counter
from typing import Any, Protocol
from zlib import crc32

import numpy as np

from ..errors import GeomlinError, LayoutError
from ..identities import registry
from ..identities.statement import Identity
from ..signature import Signature, signature
from ..verdict import Strength, Verdict
from ..witnesses.records import Disagreement, WitnessAccuracy
from .report import Cell, Report

# Two and three dimensions, space-time, neutral, projective, doubly degenerate, conformal, six.
DEFAULT_SIGNATURES: tuple[tuple[int, int, int], ...] = (
    (2, 0, 0),
    (1, 1, 0),
    (3, 0, 0),
    (0, 3, 0),
    (1, 0, 2),
    (1, 3, 0),
    (2, 2, 0),
    (3, 0, 1),
    (4, 1, 0),
    (6, 0, 0),
)

_ENGINES = {
    "fractions": ("engines.rational", "RationalEngine"),
    "flint": ("engines.polynomial", "PolynomialEngine"),
    "sympy": ("engines.symbolic", "SymbolicEngine"),
    "numpy": ("engines.floating", "FloatEngine"),
    "clifford": ("engines.witnesses", "clifford"),
    "galgebra": ("engines.witnesses", "galgebra"),
}
ENGINES = tuple(_ENGINES)

_SLOWEST_FIRST = ("galgebra", "sympy", "clifford", "fractions", "flint", "numpy")

Progress = Callable[[str, int, int], None]  # (what was finished, done, total)


class Engine(Protocol):
    """Checks one identity in one signature."""

    name: str

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """The strongest verdict this engine can give.  Law: a false identity is never upheld."""
        ...


@dataclass(frozen=True)
class Chunk:
    """Work for one process: an engine in one signature, or one theorem."""

    engine: str
    signature: tuple[int, ...]
    names: tuple[str, ...]
    twins: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.engine} {self.signature}" if self.signature else f"theorem {self.names[0]}"


@dataclass
class Findings:
    """What a chunk found."""

    cells: list[Cell] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    accuracies: list[WitnessAccuracy] = field(default_factory=list)


def verify(
    *,
    engines: Iterable[str] | None = None,
    signatures: Iterable[Sequence[int]] | None = None,
    identities: Iterable[str] | None = None,
    seed: int = 0,
    cases: str | PathLike[str] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Check the registered identities on several engines, and the theorems behind them.

    For every identity lhs = rhs, signature and engine: one verdict, and for every false twin a
    refutation.

    Parameters
    ----------
    engines : some of "fractions", "flint", "sympy", "numpy", "clifford", "galgebra"; all by
        default.  Theorems belong to "flint".
    signatures : (p, q, r) triples; a default selection of ten.
    identities : names from geomlin.identities.registry; all by default.  Theorems are proved only
        when no names are given.
    seed : of the random arguments; the same seed gives the same run.
    cases : JSON file of inputs with certified answers, checked in addition.
    processes : 1 runs here; more start worker processes (guard the calling script's main module).
    progress : called after each piece of work.

    Returns
    -------
    Report with cells, disagreements and exit_status.

    Raises
    ------
    LayoutError for unknown engines, identities or bad signatures.

    Error bound: each identity states its own.  Gradient: none.

    Examples
    --------
    >>> from geomlin import verify
    >>> report = verify(engines=["fractions"], signatures=[(2, 0, 0)],
    ...                 identities=["reverse_of_a_product"])
    >>> print(report.engine_line("fractions"))
    ENGINE fractions: 1 MULTILINEAR, 0 REFUTED, 0 NOT_RUN
    """
    start = perf_counter()
    chosen = _known(engines, ENGINES, "engine")
    names = _known(identities, tuple(registry), "identity")
    spaces = [signature(*s) for s in (DEFAULT_SIGNATURES if signatures is None else signatures)]
    chunks = list(_chunks(chosen, spaces, names, seed, theorems=identities is None))
    report = Report(seed=seed)
    for findings in _run(chunks, processes, progress):
        report.cells += findings.cells
        report.disagreements += findings.disagreements
        report.accuracies += findings.accuracies
    if cases is not None:
        from .cases import check_cases

        report.cells += check_cases(cases)
    order = {name: i for i, name in enumerate((*ENGINES, "cases"))}
    report.cells.sort(key=lambda cell: order[cell.engine])
    report.seconds = perf_counter() - start
    return report


def _known(wanted: Iterable[str] | None, all_names: tuple[str, ...], what: str) -> list[str]:
    if wanted is None:
        return list(all_names)
    found = list(dict.fromkeys(wanted))
    unknown = [name for name in found if name not in all_names]
    if unknown:
        raise LayoutError(f"unknown {what} {unknown}: expected some of {', '.join(all_names)}")
    return [name for name in all_names if name in found]


def _chunks(
    engines: list[str], spaces: list[Signature], names: list[str], seed: int, *, theorems: bool
) -> Iterator[Chunk]:
    """Slow work first, so that the processes finish together."""
    for engine in sorted(engines, key=_SLOWEST_FIRST.index):
        if engine == "flint" and theorems:
            from ..proving.catalogue import theorems as catalogue

            names_of_theorems = [name for name, t in catalogue().items() if not t.slow]
            yield from (Chunk("flint", (), (name,), (), seed) for name in names_of_theorems)
        first: dict[str, Signature] = {}
        for name in names:
            twin = registry[name].false_twin()
            where = [s for s in sorted(spaces, key=lambda s: s.n) if twin.applies(s)]
            if where:
                first[name] = where[0]
        for space in sorted(spaces, key=lambda s: -s.n):
            here = tuple(name for name in names if registry[name].applies(space))
            # Floats are cheap: refute every twin everywhere.  Elsewhere once an identity.
            twins = tuple(
                name
                for name in here
                if (engine == "numpy" and registry[name].false_twin().applies(space))
                or first.get(name) == space
            )
            yield Chunk(engine, tuple(space), here, twins, seed)


def _run(chunks: list[Chunk], processes: int, progress: Progress | None) -> Iterator[Findings]:
    if processes <= 1:
        engines = Engines()
        for done, chunk in enumerate(chunks, 1):
            findings = run_chunk(chunk, engines)
            if progress:
                progress(str(chunk), done, len(chunks))
            yield findings
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_prepare) as pool:
        futures = {pool.submit(run_chunk, chunk): chunk for chunk in chunks}
        for done, future in enumerate(as_completed(futures), 1):
            if progress:
                progress(str(futures[future]), done, len(chunks))
            yield future.result()


def _prepare() -> None:
    """In a worker: one thread for linear algebra, and no compilation for a few small products."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["NUMBA_DISABLE_JIT"] = "1"


class Engines:
    """The engines of one run in one process: each keeps what it has proved and built."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Engine:
        if name not in self._made:
            module, attribute = _ENGINES[name]
            self._made[name] = getattr(import_module(f".{module}", __package__), attribute)()
        found: Engine = self._made[name]
        return found


_worker = Engines()  # of a worker process, which serves one run


def run_chunk(chunk: Chunk, engines: Engines | None = None) -> Findings:
    """Run one piece of work, in a worker process unless engines are given."""
    if not chunk.signature:
        return Findings(_theorem_cells(chunk.names[0]))
    engine = (engines or _worker)[chunk.engine]
    space, findings = Signature(*chunk.signature), Findings()
    for name in chunk.names:
        identity = registry[name]
        for twin in (False, True) if name in chunk.twins else (False,):
            rng = np.random.default_rng([chunk.seed, crc32(name.encode()), twin, *space])
            start = perf_counter()
            verdict = _checked(engine, identity.false_twin() if twin else identity, space, rng)
            seconds = perf_counter() - start
            findings.cells.append(
                Cell(
                    name,
                    identity.group,
                    chunk.engine,
                    tuple(space),
                    verdict,
                    seconds,
                    identity.equation,
                    twin,
                )
            )
    collect = getattr(engine, "collect", None)
    if collect is not None:
        findings.disagreements, findings.accuracies = collect(space)
    return findings


def _checked(
    engine: Engine, identity: Identity, space: Signature, rng: np.random.Generator
) -> Verdict:
    """The engine's verdict; a witness library that breaks down says nothing."""
    try:
        return engine.check(identity, space, rng)
    except GeomlinError:
        raise
    except Exception as error:
        if not hasattr(engine, "collect"):
            raise
        reason = f"{engine.name} broke down: {type(error).__name__}: {error}"
        return Verdict(Strength.NOT_RUN, reason=reason)


def _theorem_cells(name: str) -> list[Cell]:
    from ..proving.catalogue import theorems
    from ..proving.theorem import overall, prove_theorem, refute_twins

    theorem = theorems()[name]
    start = perf_counter()
    results = prove_theorem(theorem)
    verdict = overall(theorem, results)
    title = f"theorem {name}"
    seconds = perf_counter() - start
    cells = [Cell(title, "theorems", "flint", (), verdict, seconds, theorem.statement)]
    for result in refute_twins(theorem):
        cells.append(
            Cell(
                f"{title}: {result.step.name}",
                "theorems",
                "flint",
                (),
                result.verdict,
                result.seconds,
                theorem.statement,
                twin=True,
            )
        )
    return cells
