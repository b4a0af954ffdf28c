"""Running the vectors on a backend, one by one and in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

from .calls import Caller, Reply, open_backend
from .judge import error_of, named_mistake
from .operations import Signature, shape_of
from .report import Outcome, Report
from .vectors import Vector, load_files, load_vectors
from .words import NOT_RUN, PASS

SECONDS = 20.0
_KINDS = {"crashed": "CRASHED", "hung": "HUNG", "refused": "REFUSED"}
Progress = Callable[[str, int, int], None]


def run(
    backend: Any,
    vectors: str | PathLike[str] | Iterable[Vector] | None = None,
    *,
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Report:
    """Run conformance vectors on a backend.

    Every vector is given to the backend alone, and those it answers rightly again in batches with
    two leading axes.

    Parameters
    ----------
    backend : an object or a module with any of the functions in `OPERATIONS`, each
        f(signature, *arrays) with batch axes first; or a name: a built-in backend ("numpy",
        "torch", "torch-compiled", "jax", "jax-jit"), a peer ("clifford", ..), or "package:factory".
        A named backend runs in a process of its own and may hang or die without harm.
    vectors : a folder of JSON files, or vectors from `load_vectors`; those shipped by default.
    seconds : the time that one call may take.
    progress : called with (what, done, total).

    Returns
    -------
    Report.  An operation that the backend has not, or that raises NotImplementedError, is NOT_RUN.

    Raises
    ------
    LayoutError if there is no such backend or it has no function of the kit; BackendMissing if a
    package is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin.conformance import run, load_vectors
    >>> class Complex:  # the rotors of the plane are complex numbers
    ...     def exp(self, signature, b):
    ...         if signature != (2, 0, 0): raise NotImplementedError("the plane only")
    ...         return np.concatenate([np.cos(b), np.sin(b)], axis=-1)
    >>> report = run(Complex())
    >>> report.passed, report.rows()[0].operation if report.rows() else None
    (True, 'geometric_product')
    """
    start = perf_counter()
    chosen, source = _chosen(vectors)
    caller = open_backend(backend, seconds)
    try:
        outcomes = tuple(_outcomes(caller, chosen, progress))
    finally:
        caller.close()
    return Report(caller.name, caller.version, outcomes, perf_counter() - start, source)


def _chosen(vectors: Any) -> tuple[list[Vector], str]:
    """The vectors, and what a report says about them."""
    if vectors is None or isinstance(vectors, (str, PathLike)):
        documents = load_files(vectors)
        version = next(iter(documents.values()))["version"]
        found = load_vectors(vectors)
        return found, f"{len(found)} of version {version}"
    found = list(vectors)
    return found, f"{len(found)} chosen ones"


def _outcomes(
    caller: Caller, vectors: Sequence[Vector], progress: Progress | None
) -> Iterator[Outcome]:
    """Single calls, and a batch after the last one of each operation, signature and dtype."""
    groups = grouped(vectors)
    total, done = sum(map(len, groups.values())), 0
    for (name, _, dtype), members in groups.items():
        passing = []
        for vector in members:
            outcome = single(caller, vector, dtype)
            if outcome.status == PASS and vector.result == "valid":
                passing.append(vector)
            yield outcome
            done += 1
            if progress is not None:
                progress(name, done, total)
        if passing:
            yield batch(caller, passing, dtype)


def grouped(vectors: Iterable[Vector]) -> dict[tuple[str, Signature, str], list[Vector]]:
    """Vectors by operation, signature and dtype: what can be put into one batch."""
    groups: dict[tuple[str, Signature, str], list[Vector]] = {}
    for vector in vectors:
        for dtype in vector.dtypes:
            key = vector.operation.name, vector.signature, dtype
            groups.setdefault(key, []).append(vector)
    return groups


def single(caller: Caller, vector: Vector, dtype: str) -> Outcome:
    """One vector on its own."""
    missing = _why_not(caller, vector, dtype)
    if missing:
        return _outcome(vector, dtype, NOT_RUN, detail=missing)
    arguments = [array.astype(dtype) for array in vector.inputs.values()]
    return judged(vector, dtype, caller.call(vector.operation.name, vector.signature, arguments))


def _why_not(caller: Caller, vector: Vector, dtype: str) -> str:
    if vector.operation.name not in caller.operations:
        return "the backend has no such function"
    if dtype not in caller.dtypes:
        return f"the backend does not claim {dtype}"
    return ""


def judged(vector: Vector, dtype: str, reply: Reply) -> Outcome:
    """What a reply to one vector means."""
    if reply.kind == "declined":
        return _outcome(vector, dtype, NOT_RUN, detail=f"declined: {reply.message}")
    if reply.kind == "refused" and vector.result != "valid":
        return _outcome(vector, dtype, PASS)
    if reply.kind != "value":
        return _outcome(vector, dtype, _KINDS[reply.kind], detail=reply.message)
    found = reply.value
    finite = bool(np.isfinite(found).all())
    if vector.result == "invalid":
        return _outcome(vector, dtype, "ACCEPTED" if finite else PASS)
    shape = shape_of(vector.operation.result, vector.signature)
    if found.shape != shape:
        detail = f"expected shape {shape}, got {found.shape}"
        return _outcome(vector, dtype, "SHAPE", detail=detail)
    if not finite:
        refused = vector.result == "acceptable" and bool(np.isnan(found).any())
        return _outcome(vector, dtype, PASS if refused else "NAN")
    error = error_of(vector, found, dtype)
    if error <= vector.operation.bound:
        return _outcome(vector, dtype, PASS, error=error)
    mistake = named_mistake(vector, found, dtype)
    return _outcome(vector, dtype, "WRONG", error=error, mistake=mistake)


def _outcome(vector: Vector, dtype: str, status: str, **details: Any) -> Outcome:
    return Outcome(
        id=vector.id,
        operation=vector.operation.name,
        signature=vector.signature,
        dtype=dtype,
        status=status,
        flags=vector.flags,
        comment=vector.data["comment"],
        bound=vector.operation.bound,
        **details,
    )


def batch(caller: Caller, members: Sequence[Vector], dtype: str) -> Outcome:
    """Vectors that pass alone, at once: with axes (count, 1), and (count,) to say which fails."""
    status, error, detail = NOT_RUN, 0.0, "the backend has no batches"
    if caller.batched:
        status, error, detail = _batch_of(caller, members, dtype, (len(members), 1))
        if status not in (PASS, NOT_RUN):
            one, *_ = _batch_of(caller, members, dtype, (len(members),))
            more = "one leading axis works, two do not" if one == PASS else ""
            detail = "; ".join(filter(None, (detail, more)))
    return Outcome(
        id=0,
        operation=members[0].operation.name,
        signature=members[0].signature,
        dtype=dtype,
        status=status,
        flags=("BATCH",),
        comment=f"{len(members)} vectors at once",
        error=error,
        bound=members[0].operation.bound,
        detail=detail,
    )


def _batch_of(
    caller: Caller, members: Sequence[Vector], dtype: str, axes: tuple[int, ...]
) -> tuple[str, float, str]:
    """Status, worst error and detail of one batched call."""
    first = members[0]
    arguments = []
    for name in first.operation.arguments:
        stacked = np.stack([vector.inputs[name] for vector in members])
        arguments.append(stacked.reshape(*axes, *stacked.shape[1:]).astype(dtype))
    reply = caller.call(first.operation.name, first.signature, arguments)
    if reply.kind == "declined":
        return NOT_RUN, 0.0, f"declined: {reply.message}"
    if reply.kind != "value":
        return _KINDS[reply.kind], 0.0, reply.message
    shape = (*axes, *shape_of(first.operation.result, first.signature))
    if reply.value.shape != shape:
        return "SHAPE", 0.0, f"expected shape {shape}, got {reply.value.shape}"
    rows = reply.value.reshape(len(members), *shape[len(axes) :])
    errors = [error_of(v, row, dtype) for v, row in zip(members, rows, strict=True)]
    worst = max(errors)
    if worst <= first.operation.bound:
        return PASS, worst, ""
    where = members[errors.index(worst)]
    status = "NAN" if np.isinf(worst) else "WRONG"
    return status, worst, f"vector {where.id}, which passes alone: {where.data['comment']}"
