"""Signs and maxima of balls and of symbolic or rational numbers: decided, or refused."""

from __future__ import annotations

from functools import reduce
from typing import Any

from ..errors import NotSupported, Undecided


def sign_of(x: Any, what: str) -> int:
    """-1, 0 or 1, proved; Undecided for a ball that straddles zero, NotSupported for a symbol."""
    if hasattr(x, "is_exact"):  # a ball
        if x.is_zero():
            return 0
        if not x.contains(0):
            return 1 if x > 0 else -1
        raise Undecided(
            f"the sign of {what} is not decided by {x}: raise the precision, or narrow the balls"
        )
    if hasattr(x, "free_symbols"):
        if x.is_zero:
            return 0
        if x.is_positive or x.is_negative:
            return 1 if x.is_positive else -1
        raise NotSupported(
            f"the sign of {what} is not decided by {x}: give the symbols assumptions, or "
            "substitute numbers"
        )
    if hasattr(x, "is_constant"):  # a polynomial
        if not x.is_constant():
            raise NotSupported(f"the sign of {what} is not decided by {x}: substitute numbers")
        x = x.leading_coefficient() if x != 0 else 0
    return int(x > 0) - int(x < 0)


def first_largest(values: list[Any], what: str, *, slack: Any) -> int:
    """The first position of the largest value, up to `slack`."""
    top = _largest(values, what)
    return next(k for k, x in enumerate(values) if sign_of(top - slack - x, what) <= 0)


def _largest(values: list[Any], what: str) -> Any:
    """The maximum, or a ball around it."""
    if hasattr(values[0], "is_exact"):
        return reduce(lambda x, y: x.max(y), values)
    return reduce(lambda x, y: x if sign_of(x - y, what) >= 0 else y, values)
