"""What a run of the kit found: outcomes, what fails, the worst errors, and which flags."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..report import Report as BaseReport
from .flags import FLAGS, KINDS
from .operations import OPERATIONS
from .words import FAILURES, NOT_RUN, PASS


@dataclass(frozen=True)
class Outcome:
    """One vector (or batch) in one dtype.

    error and bound are in eps of the dtype times the unit; `mistake` is the flag of a well-known
    mistake that gives the very answer that came.
    """

    id: int  # 0 for batches
    operation: str
    signature: tuple[int, int, int]
    dtype: str
    status: str
    flags: tuple[str, ...]
    comment: str
    error: float = 0.0
    bound: float = 0.0
    mistake: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Neither PASS nor NOT_RUN."""
        return self.status in FAILURES

    def __str__(self) -> str:
        p, q, r = self.signature
        name = f"vector {self.id}" if self.id else "batch"
        told = f", error {self.error:.3g} of {self.bound:g} eps" if self.status == "WRONG" else ""
        guess = f", the answer of {self.mistake}" if self.mistake else ""
        more = f" ({self.detail})" if self.detail else ""
        where = f"{self.operation} in Cl({p},{q},{r}), {self.dtype}, {name}"
        return f"{self.status} {where}: {self.comment}{told}{guess}{more}"


@dataclass(frozen=True)
class Row:
    """One operation: how many passed, failed, were not run, and the worst error of what ran."""

    operation: str
    passed: int
    failed: int
    not_run: int
    worst_passing: float
    worst: float
    bound: float


@dataclass(frozen=True)
class Report(BaseReport):
    """Everything a run found about one backend."""

    backend: str
    version: str
    outcomes: tuple[Outcome, ...]
    seconds: float
    vectors: str = ""

    @property
    def failures(self) -> list[Outcome]:
        """What failed."""
        return [outcome for outcome in self.outcomes if outcome.failed]

    @property
    def passed(self) -> bool:
        """Nothing failed, and something ran."""
        return not self.failures and any(o.status == PASS for o in self.outcomes)

    def counts(self) -> dict[str, int]:
        """How often each status came."""
        found = Counter(outcome.status for outcome in self.outcomes)
        return {status: found[status] for status in (PASS, *FAILURES, NOT_RUN) if found[status]}

    def rows(self) -> list[Row]:
        """One row for each operation of the kit that has vectors."""
        return [
            _row(name, [o for o in self.outcomes if o.operation == name])
            for name in OPERATIONS
            if any(o.operation == name for o in self.outcomes)
        ]

    def flags(self) -> dict[str, tuple[int, int]]:
        """For each flag that ran, how many of its outcomes failed, and of how many."""
        total: Counter[str] = Counter()
        failed: Counter[str] = Counter()
        for outcome in self.outcomes:
            if outcome.status != NOT_RUN:
                total.update(outcome.flags)
                failed.update(outcome.flags if outcome.failed else ())
        return {flag: (failed[flag], total[flag]) for flag in total}

    def mistakes(self) -> dict[str, int]:
        """How often the very answer of a well-known mistake came, by flag."""
        return dict(Counter(o.mistake for o in self.outcomes if o.mistake).most_common())

    def failing_flags(self) -> list[str]:
        """Flags with failures: recognised mistakes first, then by the share that failed.

        A convention that fails wherever it is asked about comes before numbers.
        """
        known = self.mistakes()
        found = [
            (-known.get(flag, 0), -failed / total, KINDS.index(FLAGS[flag].kind), flag)
            for flag, (failed, total) in self.flags().items()
            if failed
        ]
        return [flag for *_, flag in sorted(found)]

    def worst_of(self, flag: str) -> float:
        """The largest error of a wrong answer among the outcomes of a flag; 0 if there is none."""
        wrong = (o.error for o in self.outcomes if flag in o.flags and o.status == "WRONG")
        return max(wrong, default=0.0)

    def summary_line(self) -> str:
        """One line that says how it went."""
        word = "FAILED" if self.failures else "OK"
        counts = ", ".join(f"{number} {status}" for status, number in self.counts().items())
        name = f"{self.backend} {self.version}".strip()
        return f"{word} {name}: {counts or 'nothing ran'}; {self.seconds:.1f} s"

    def markdown(self) -> str:
        """The report as Markdown."""
        from .render import markdown

        return markdown(self)

    def html(self) -> str:
        """The report as one HTML page that needs nothing else."""
        from .render import html

        return html(self)

    def json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict(), indent=1)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "format": "geomlin conformance report 1",
            "backend": self.backend,
            "version": self.version,
            "vectors": self.vectors,
            "seconds": round(self.seconds, 3),
            "exit_status": self.exit_status,
            "counts": self.counts(),
            "operations": [_finite(asdict(row)) for row in self.rows()],
            "flags": {f: {"failed": n, "of": m} for f, (n, m) in self.flags().items()},
            "mistakes": self.mistakes(),
            "failing_flags": self.failing_flags(),
            "outcomes": [_finite(asdict(outcome)) for outcome in self.outcomes],
        }


def _finite(data: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: it is written as text."""
    return {k: str(x) if isinstance(x, float) and x == float("inf") else x for k, x in data.items()}


def _row(name: str, outcomes: Sequence[Outcome]) -> Row:
    passing = [o.error for o in outcomes if o.status == PASS]
    wrong = [o.error for o in outcomes if o.status == "WRONG"]
    return Row(
        operation=name,
        passed=len(passing),
        failed=sum(o.failed for o in outcomes),
        not_run=sum(o.status == NOT_RUN for o in outcomes),
        worst_passing=max(passing, default=0.0),
        worst=max([*passing, *wrong], default=0.0),
        bound=OPERATIONS[name].bound,
    )
