"""Inputs that are the same on every machine: exact rational arithmetic, rounded once at the end.

Frames are turned by products of reflections in integer vectors, and random numbers come from
`random.Random(seed).random()`, whose sequence Python promises to keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from ..signature import Signature

Number = int | float | Fraction
Matrix = list[list[Fraction]]


class Draw:
    """Numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._stream = Random(seed)

    def integers(self, count: int, largest: int = 3) -> list[Fraction]:
        """Integers from -largest to largest, not all zero."""
        width = 2 * largest + 1
        found = [Fraction(int(self._stream.random() * width) - largest) for _ in range(count)]
        return found if any(found) else self.integers(count, largest)

    def numbers(self, count: int, size: float = 1.0) -> list[Fraction]:
        """Numbers between -size and size."""
        return [Fraction((2 * self._stream.random() - 1) * size) for _ in range(count)]

    def bivector(self, n: int, size: float = 1.0) -> Matrix:
        """A bivector with coefficients between -size and size."""
        return from_coefficients(self.numbers(n * (n - 1) // 2, size), n)

    def axes(self, signature: Signature, count: int = 2) -> list[list[Fraction]]:
        """Integer vectors whose square is neither zero nor small beside their size.

        Reflections in them leave the null vectors where they are.
        """
        m = signature.p + signature.q
        found: list[list[Fraction]] = []
        while len(found) < count:
            v = self.integers(m) + [Fraction(0)] * signature.r
            square = sum((g * x * x for g, x in zip(signature.metric, v, strict=True)), Fraction(0))
            size = sum((x * x for x in v), Fraction(0))
            if size and abs(square) * 2 >= size:
                found.append(v)
        return found


def from_coefficients(values: Sequence[Number], n: int) -> Matrix:
    """b_ij, antisymmetric, from e12, e13, .., e23, .."""
    b = [[Fraction(0)] * n for _ in range(n)]
    for (i, j), value in zip(combinations(range(n), 2), values, strict=True):
        b[i][j], b[j][i] = Fraction(value), -Fraction(value)
    return b


def planes(n: int, *entries: tuple[int, int, Number]) -> Matrix:
    """sum of size e_i e_j over entries (i, j, size), counted from 1."""
    b = [[Fraction(0)] * n for _ in range(n)]
    for i, j, size in entries:
        b[i - 1][j - 1] += Fraction(size)
        b[j - 1][i - 1] -= Fraction(size)
    return b


def angles(n: int, sizes: Iterable[Number]) -> Matrix:
    """sizes[0] e12 + sizes[1] e34 + .."""
    return planes(n, *((2 * k + 1, 2 * k + 2, size) for k, size in enumerate(sizes)))


def added(a: Matrix, b: Matrix) -> Matrix:
    """a + b."""
    return [[x + y for x, y in zip(s, t, strict=True)] for s, t in zip(a, b, strict=True)]


def wedge(a: Sequence[Number], b: Sequence[Number]) -> Matrix:
    """a ^ b."""
    n = len(a)
    x, y = [Fraction(c) for c in a], [Fraction(c) for c in b]
    return [[x[i] * y[j] - x[j] * y[i] for j in range(n)] for i in range(n)]


def turned(b: Matrix, signature: Signature, axes: Iterable[Sequence[Fraction]]) -> Matrix:
    """H b H^T for the reflections H = 1 - 2 v (G v)^T / (v^T G v) in each of the axes."""
    n, metric = signature.n, signature.metric
    for v in axes:
        dual = [Fraction(g) * x for g, x in zip(metric, v, strict=True)]
        square = sum((x * y for x, y in zip(v, dual, strict=True)), Fraction(0))
        h = [[Fraction(i == j) - 2 * v[i] * dual[j] / square for j in range(n)] for i in range(n)]
        b = _product(_product(h, b), [list(column) for column in zip(*h, strict=True)])
    return b


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [
        [sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns]
        for row in a
    ]


def rounded(b: Matrix, dtype: str = "float64") -> NDArray[np.float64]:
    """The antisymmetric matrix of the nearest floats."""
    n = len(b)
    result = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        value = float(np.dtype(dtype).type(float(b[i][j])))
        result[i, j], result[j, i] = value, -value
    return result


def rounded_list(values: Iterable[Number], dtype: str = "float64") -> list[float]:
    """The nearest floats."""
    return [float(np.dtype(dtype).type(float(value))) for value in values]


def upper(b: NDArray[np.float64]) -> list[float]:
    """Coefficients e12, e13, .., e23, .."""
    return [float(b[i, j]) for i, j in combinations(range(len(b)), 2)]


def fits(values: Iterable[float], dtype: str) -> bool:
    """Whether the dtype holds all values exactly; NaN and infinity count as held."""
    kind = np.dtype(dtype).type
    with np.errstate(over="ignore", under="ignore"):
        return all(value != value or float(kind(value)) == value for value in values)
