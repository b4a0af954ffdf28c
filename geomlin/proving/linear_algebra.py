"""Exact ranks over Q, and the finite list of signatures of one dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq, fmpq_mat, fmpq_mpoly

from ..signature import Signature
from .symbolic_metric import Element


def signatures(n: int) -> list[Signature]:
    """Every (p, q, r) with p + q + r = n: by Sylvester's law, every space up to isometry."""
    return [Signature(p, q, n - p - q) for p in range(n + 1) for q in range(n + 1 - p)]


def coordinates(elements: Iterable[Element]) -> list[fmpq_mpoly]:
    """The coefficients of all blades of the elements, one element after the other."""
    return [e.coefficient(mask) for e in elements for mask in range(1 << e.space.n)]


def rank(rows: Sequence[Sequence[fmpq_mpoly]]) -> int:
    """Rank over Q of a matrix of constant polynomials."""
    numbers = [[_number(entry) for entry in row] for row in rows]
    found: int = fmpq_mat(numbers).rank()
    return found


def _number(constant: fmpq_mpoly) -> fmpq:
    if not constant.is_constant():
        raise TypeError(f"expected a number, got {constant}")
    return constant.leading_coefficient() if constant != 0 else fmpq(0)
