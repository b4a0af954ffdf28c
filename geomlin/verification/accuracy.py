"""The accuracy table: worst error of each operation against its budget, over every regime.

    rows = accuracy_table(QUICK, rng=np.random.default_rng(0))
    print(render(rows))

All cases of a signature are computed in one batch of mixed sizes, and exp also one case at a time.
References and condition numbers come from `reference` and `condition`, never from the code under
test, which may be any implementation of `Subject`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ..signature import Signature
from .accuracy_scope import DTYPES as DTYPES
from .accuracy_scope import EXPONENTS
from .accuracy_scope import FULL as FULL
from .accuracy_scope import QUICK as QUICK
from .accuracy_scope import cases_per_regime as cases_per_regime
from .judged_case import Floats, JudgedCase, Judgement
from .regimes import Case, bivectors
from .residuals import Parts


class Subject(Protocol):
    """The functions under test, on batches of arrays whose dtype they keep.

    b : (batch, n, n) antisymmetric; rotors : (batch, 2^(n-1)) in even blade order.
    """

    def exp(self, b: Floats, signature: Signature) -> Floats:
        """Rotors exp(B); also called on a single b of shape (n, n)."""

    def to_matrix(self, rotors: Floats, signature: Signature) -> Floats:
        """Matrices (batch, n, n) of x -> R x ~R."""

    def from_matrix(self, matrices: Floats, signature: Signature) -> Floats:
        """Rotors of matrices (batch, n, n), up to sign."""

    def log(self, rotors: Floats, signature: Signature) -> Floats:
        """Bivectors (batch, n, n) with exp(B) = R."""

    def power(self, rotors: Floats, t: float, signature: Signature) -> Floats:
        """Rotors exp(t log R), (batch, 2^(n-1))."""

    def decompose(self, b: Floats, signature: Signature) -> Sequence[Parts]:
        """Decompositions, blocks allowed."""


@dataclass(frozen=True)
class Row:
    """The worst case of one quantity in one signature and dtype, in the units of its budget."""

    quantity: str
    signature: Signature
    dtype: str
    cases: int
    worst: float
    budget: float
    label: str
    failures: int  # cases that gave NaN, infinity or an exception

    @property
    def passed(self) -> bool:
        """Within budget and without failures."""
        return self.failures == 0 and self.worst <= self.budget


Measurement = tuple[str, JudgedCase, Judgement, str]  # quantity, case, judgement, what was raised


def _computed(
    function: Callable[[Any, Signature], Any], inputs: Iterable[Floats], signature: Signature
) -> list[Any]:
    """Results of the whole batch; if that raises, of each case alone, or what it raised."""
    inputs = list(inputs)
    try:
        return list(function(np.stack(inputs), signature))
    except Exception:
        return [_result_or_exception(function, one, signature) for one in inputs]


def _result_or_exception(
    function: Callable[[Any, Signature], Any], one: Floats, signature: Signature
) -> Any:
    """The result for a batch of one, or the exception: an exception is a failure to report."""
    try:
        return function(one[None], signature)[0]
    except Exception as raised:
        return raised


def _or_missing(result: Any, missing: Any) -> tuple[Any, str]:
    """The result and nothing to remark, or for an exception the missing value and the message."""
    if isinstance(result, Exception):
        return missing, f"; raised {type(result).__name__}: {result}"
    return result, ""


def _measure_exp(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """exp in one batch and one at a time; its norm where the metric is definite."""
    signature = cases[0].signature
    missing = np.full(2 ** (signature.n - 1), np.nan, cases[0].dtype)
    inputs = [case.b.astype(case.dtype) for case in cases]
    batched = _computed(subject.exp, inputs, signature)
    single = [
        _result_or_exception(lambda b, s: [subject.exp(b[0], s)], b, signature) for b in inputs
    ]
    for case, rotor, alone in zip(cases, batched, single, strict=True):
        value, remark = _or_missing(rotor, missing)
        yield "exp", case, case.judge_exp(value), remark
        if signature.is_definite:
            yield "exp, unit norm", case, case.judge_norm(value), remark
        value, remark = _or_missing(alone, missing)
        yield "exp, one at a time", case, case.judge_exp(value), remark


def _measure_to_matrix(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """Spin -> SO of rounded rotors."""
    cases = [case for case in cases if case.has_digits]
    signature, n = cases[0].signature, cases[0].signature.n
    missing = np.full((n, n), np.nan, cases[0].dtype)
    results = _computed(subject.to_matrix, (case.rounded_rotor for case in cases), signature)
    for case, matrix in zip(cases, results, strict=True):
        value, remark = _or_missing(matrix, missing)
        yield "to_matrix", case, case.judge_to_matrix(value), remark


def _measure_from_matrix(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """The lift of rounded matrices."""
    cases = [case for case in cases if case.is_liftable]
    signature = cases[0].signature
    missing = np.full(2 ** (signature.n - 1), np.nan, cases[0].dtype)
    results = _computed(subject.from_matrix, (case.rounded_matrix for case in cases), signature)
    for case, rotor in zip(cases, results, strict=True):
        value, remark = _or_missing(rotor, missing)
        yield "from_matrix", case, case.judge_from_matrix(value), remark


def _measure_log(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """log of rounded rotors exp(B) with B principal, several large boosts apart."""
    cases = [case for case in cases if case.log_quantity is not None]
    if not cases:
        return
    signature, n = cases[0].signature, cases[0].signature.n
    missing = np.full((n, n), np.nan, cases[0].dtype)
    results = _computed(subject.log, (case.rounded_rotor for case in cases), signature)
    for case, found in zip(cases, results, strict=True):
        value, remark = _or_missing(found, missing)
        yield str(case.log_quantity), case, case.judge_log(value), remark


def _measure_powers(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """sqrt and other powers of rounded rotors, where log is judged and they are in range."""
    cases = [case for case in cases if case.log_quantity is not None]
    if not cases:
        return
    signature = cases[0].signature
    missing = np.full(2 ** (signature.n - 1), np.nan, cases[0].dtype)
    largest = float(np.finfo(cases[0].dtype).max)
    for t in EXPONENTS:

        def compute(rotors: Floats, s: Signature, t: float = t) -> Floats:
            return subject.power(rotors, t, s)

        inside = [c for c in cases if max(float(abs(x.mid())) for x in c.power(t)) < largest]
        results = _computed(compute, (case.rounded_rotor for case in inside), signature)
        for case, found in zip(inside, results, strict=True):
            value, remark = _or_missing(found, missing)
            name = "sqrt" if t == 0.5 else "power"
            yield name, case, case.judge_power(value, t), f", t = {t:g}{remark}"


def _measure_decomposition(cases: list[JudgedCase], subject: Subject) -> Iterator[Measurement]:
    """The four residuals."""
    signature = cases[0].signature
    n, slots = signature.n, signature.n // 2
    nothing = np.full((slots, n, n), np.nan, cases[0].dtype)
    missing = Parts(nothing, np.full(slots, np.nan + 0j), np.zeros(slots, dtype=np.int8))
    inputs = [case.b.astype(case.dtype) for case in cases]
    for case, found in zip(cases, _computed(subject.decompose, inputs, signature), strict=True):
        value, remark = _or_missing(found, missing)
        for name, judgement in case.judge_decomposition(value).items():
            yield f"decomposition, {name}", case, judgement, remark


OPERATIONS: Mapping[str, Callable[[list[JudgedCase], Subject], Iterator[Measurement]]] = (
    MappingProxyType(
        {
            "exp": _measure_exp,
            "to_matrix": _measure_to_matrix,
            "from_matrix": _measure_from_matrix,
            "log": _measure_log,
            "powers": _measure_powers,
            "decomposition": _measure_decomposition,
        }
    )
)


def accuracy_table(
    signatures: Iterable[Signature],
    *,
    rng: np.random.Generator,
    subject: Subject | None = None,
    operations: Iterable[str] = tuple(OPERATIONS),
    dtypes: Iterable[str] = DTYPES,
    per_regime: Callable[[Signature], int] = cases_per_regime,
) -> list[Row]:
    """One row for each quantity, signature and dtype; geomlin's public functions by default.

    The cases of a signature depend on the state of rng alone, not on the other signatures.
    """
    if subject is None:
        from .public_subject import PublicSubject

        subject = PublicSubject()
    rows: list[Row] = []
    dtypes, operations, seed = tuple(dtypes), tuple(operations), int(rng.integers(2**63))
    for signature in signatures:
        own = np.random.default_rng([seed, *signature])
        cases = _thinned(bivectors(signature, own), per_regime(signature))
        for dtype in dtypes:
            judged = [JudgedCase(case, signature, np.dtype(dtype)) for case in cases]
            existing = [case for case in judged if case.exists]
            for operation in operations:
                rows += _rows(OPERATIONS[operation](existing, subject), signature, dtype)
    return rows


def _thinned(cases: list[Case], most: int) -> list[Case]:
    """At most `most` cases of each regime, spread over its list."""
    members: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        members[case.regime].append(case)
    return [
        group[(2 * k + 1) * len(group) // (2 * min(most, len(group)))]
        for group in members.values()
        for k in range(min(most, len(group)))
    ]


def _rows(measurements: Iterator[Measurement], signature: Signature, dtype: str) -> list[Row]:
    """The worst measurement of each quantity, relative to its budget."""
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for measurement in measurements:
        groups[measurement[0]].append(measurement)
    rows = []
    for quantity, group in groups.items():
        _, case, (worst, budget), raised = max(group, key=lambda item: item[2][0] / item[2][1])
        failures = sum(not np.isfinite(measured) for _, _, (measured, _), _ in group)
        label = f"{case.case}{raised}"
        rows.append(Row(quantity, signature, dtype, len(group), worst, budget, label, failures))
    return rows


def worst_by_dimension(rows: Iterable[Row]) -> list[Row]:
    """The worst row of each quantity, dtype and dimension, with the failures and cases of all."""
    groups: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.quantity, row.dtype, row.signature.n].append(row)
    return [
        replace(
            max(group, key=lambda row: row.worst / row.budget),
            cases=sum(row.cases for row in group),
            failures=sum(row.failures for row in group),
        )
        for group in groups.values()
    ]


def render(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| quantity | signature | dtype | cases | worst | budget | failures | | worst case |",
        "|---|---|---|---:|---:|---:|---:|---|---|",
    ]
    for row in rows:
        verdict = "pass" if row.passed else "FAIL"
        lines.append(
            f"| {row.quantity} | {row.signature} | {row.dtype} | {row.cases} | {row.worst:.3g} "
            f"| {row.budget:.3g} | {row.failures} | {verdict} | {row.label} |"
        )
    return "\n".join(lines)
