"""Signature (p, q, r) of a real quadratic space: positive basis vectors first, null ones last."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from .errors import LayoutError

LARGEST_DIMENSION = 12  # of the full multivector API: 2^12 coefficients


class Signature(NamedTuple):
    """Numbers of basis vectors with square +1, -1 and 0; equals the plain tuple (p, q, r)."""

    p: int
    q: int = 0
    r: int = 0

    @property
    def n(self) -> int:
        """Dimension p + q + r."""
        return self.p + self.q + self.r

    @property
    def metric(self) -> tuple[int, ...]:
        """Squares of e1..en."""
        return (1,) * self.p + (-1,) * self.q + (0,) * self.r

    @property
    def is_definite(self) -> bool:
        """True when all squares have one sign: (p,0,0) or (0,q,0)."""
        return self.r == 0 and (self.p == 0 or self.q == 0)

    def __str__(self) -> str:
        inner = ",".join(str(x) for x in (self if self.r else self[:2] if self.q else self[:1]))
        return f"Cl({inner})"


def signature(p: int, q: int = 0, r: int = 0) -> Signature:
    """Check p, q, r and return the signature."""
    found = Signature(_count("p", p), _count("q", q), _count("r", r))
    if min(found) < 0:
        raise LayoutError(f"signature {tuple(found)}: expected p, q, r >= 0")
    if not 1 <= found.n <= LARGEST_DIMENSION:
        raise LayoutError(
            f"signature {tuple(found)} has dimension {found.n}: the multivector API covers "
            f"1 <= p + q + r <= {LARGEST_DIMENSION}"
        )
    return found


def _count(name: str, value: Any) -> int:
    """A number of basis vectors as an integer."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except (TypeError, ValueError):  # ValueError: a masked number
        raise LayoutError(
            f"{name} counts basis vectors: expected an integer >= 0, got {value!r}; "
            "write Algebra(p, q, r), for example Algebra(3, 0, 1)"
        ) from None
