"""Null planes of an exact bivector with M^2 b = 0, by rational arithmetic.

While two columns x, y of b have x . y != 0, a = x or a = x +- y has a . a != 0, and
(M a) ^ a / (a . a) is a null part.  The image of what remains is totally null: symplectic planes of
it commute, and those of the same matrix in a Euclidean metric, null vectors kept, are such planes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq

from .elements import Metric

_SLACK = Fraction(999_999, 10**6)  # as for the canonical planes of floats


def without_null_blocks(block: Any, metric: Metric) -> tuple[list[Any], Any]:
    """Parts (M a) ^ a / (a . a), and the rest, whose columns are orthogonal null vectors."""
    parts = []
    while (column := _pivot(block, metric)) is not None:
        parts.append(_part(block, metric, column))
        block = block - parts[-1]
    return parts, block


def _pivot(b: Any, metric: Metric) -> list[Any] | None:
    """A column, or the sum or difference of two, that is not null; None if there is none."""
    n = b.nrows()
    columns = [[b[i, j] for i in range(n)] for j in range(n)]
    form = [[_dot(x, y, metric) for y in columns] for x in columns]
    best = max(abs(form[i][i]) for i in range(n))
    largest, i, j = max(
        ((abs(form[i][j]), i, j) for i in range(n) for j in range(n)),
        key=lambda entry: (entry[0], -entry[1], -entry[2]),
    )
    if largest == 0:
        return None
    if largest <= 2 * best:
        slack = fmpq(_SLACK.numerator, _SLACK.denominator) * best
        return next(column for k, column in enumerate(columns) if abs(form[k][k]) >= slack)
    sign = 1 if form[i][j] > 0 else -1
    return [x + sign * y for x, y in zip(columns[i], columns[j], strict=True)]


def _dot(x: list[Any], y: list[Any], metric: Metric) -> Any:
    """x . y."""
    return sum((g * a * b for g, a, b in zip(metric, x, y, strict=True)), fmpq(0))


def _part(b: Any, metric: Metric, a: list[Any]) -> Any:
    """(M a) ^ a / (a . a)."""
    n = b.nrows()
    image = [sum((b[i, j] * metric[j] * a[j] for j in range(n)), fmpq(0)) for i in range(n)]
    square = _dot(a, a, metric)
    entries = [(image[i] * a[j] - a[i] * image[j]) / square for i in range(n) for j in range(n)]
    return type(b)(n, n, entries)


def euclidean(rest: Any, metric: Metric) -> Metric:
    """1 for each vector; null vectors stay null unless only they occur in the rest."""
    n = len(metric)
    only_null = all(rest[i, j] == 0 for i in range(n) if metric[i] for j in range(n))
    return tuple(1 if only_null or g else 0 for g in metric)
