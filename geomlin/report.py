"""What every run of geomlin that judges something returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class Report(ABC):
    """What a run of `verify`, or of `geomlin.conformance.run`, found.

    seconds : what it took.
    failures : what was refuted: cells of a verification, outcomes of the kit.

    Examples
    --------
    >>> from geomlin import Report
    >>> from geomlin.conformance import load_vectors, run
    >>> class Forgetful:
    ...     def reverse(self, signature, a): return a       # and no sign
    >>> report = run(Forgetful(), load_vectors())
    >>> isinstance(report, Report), report.exit_status, report.failures[0].status
    (True, 1, 'WRONG')
    """

    seconds: float

    @property
    @abstractmethod
    def failures(self) -> Sequence[Any]:
        """What was refuted; empty if nothing was."""

    @property
    def exit_status(self) -> int:
        """0 when nothing is refuted, 1 when something is."""
        return 1 if self.failures else 0

    @abstractmethod
    def summary_line(self) -> str:
        """One line that says how it went."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
