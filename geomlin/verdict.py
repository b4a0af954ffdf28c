"""What a check concluded: eight strength words, taken literally and never upgraded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf


class Strength(StrEnum):
    """How much a check shows, strongest first."""

    ALL_DIMENSIONS = "ALL_DIMENSIONS"  # every dimension and signature, for these argument counts
    POLYNOMIAL = "POLYNOMIAL"  # zero polynomial: every signature of dimension n, characteristic 0
    MULTILINEAR = "MULTILINEAR"  # every tuple of basis blades: this signature, commutative rings
    SERIES = "SERIES"  # the first N + 1 coefficients of a power series, no more
    ENCLOSED = "ENCLOSED"  # balls overlap and shrink: evidence with a radius
    AGREES = "AGREES"  # floating point within a bound that was set before the run
    REFUTED = "REFUTED"  # false, and the witness shows where
    NOT_RUN = "NOT_RUN"  # nothing was checked, for the reason given


_COUNTED = (Strength.ALL_DIMENSIONS, Strength.POLYNOMIAL, Strength.SERIES)


@dataclass(frozen=True)
class Verdict:
    """A strength word with the details that it owes the reader.

    `numbers` are the dimensions (POLYNOMIAL, and MULTILINEAR if given), the order (SERIES) or
    the numbers of vector and scalar arguments (ALL_DIMENSIONS).  `error` and `bound` are
    multiples of the machine epsilon.
    """

    word: Strength
    numbers: tuple[int, ...] = ()
    error: float | None = None
    bound: float | None = None
    radius: float | None = None
    witness: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        """Refuse a word whose detail is missing or contradicts it."""
        word = self.word
        if word in _COUNTED and not self.numbers:
            raise ValueError(f"{word} needs its numbers: it claims nothing beyond them")
        if word is Strength.REFUTED and not self.witness:
            raise ValueError("REFUTED needs a witness in exact numbers")
        if word is Strength.NOT_RUN and not self.reason:
            raise ValueError("NOT_RUN needs a reason")
        if word is Strength.ENCLOSED and (self.radius is None or not 0 <= self.radius < inf):
            raise ValueError(f"ENCLOSED needs a finite radius, got {self.radius}")
        if word is Strength.AGREES:
            if self.error is None or self.bound is None:
                raise ValueError("AGREES needs an error and a bound")
            if not 0 <= self.error <= self.bound:  # false for NaN too
                raise ValueError(f"error {self.error} does not agree with bound {self.bound}")

    @property
    def holds(self) -> bool:
        """True when the claim was checked, to this strength, and stood."""
        return self.word not in (Strength.REFUTED, Strength.NOT_RUN)

    @property
    def refuted(self) -> bool:
        """True when a witness shows the claim to be false."""
        return self.word is Strength.REFUTED

    def __str__(self) -> str:
        detail = self._detail()
        return f"{self.word.value}({detail})" if detail else self.word.value

    def _detail(self) -> str:
        match self.word:
            case Strength.POLYNOMIAL | Strength.MULTILINEAR:
                return f"n={compact_range(self.numbers)}" if self.numbers else ""
            case Strength.SERIES:
                return f"N={self.numbers[0]}"
            case Strength.ALL_DIMENSIONS:
                names = ("vectors", "scalars")
                return ", ".join(f"{k}={v}" for k, v in zip(names, self.numbers, strict=False))
            case Strength.ENCLOSED:
                return f"radius {self.radius:.2g}"
            case Strength.AGREES:
                return f"{self.error:.2g} eps, bound {self.bound:g} eps"
            case Strength.REFUTED:
                return self.witness
            case Strength.NOT_RUN:
                return self.reason


def compact_range(numbers: tuple[int, ...]) -> str:
    """Three or more consecutive numbers as first..last, anything else separated by commas."""
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}..{numbers[-1]}"
    return ",".join(map(str, numbers))
