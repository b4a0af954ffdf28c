"""Matrices of polynomials, and the two matrices of a bivector: b and M = b G.

B = sum_{i<j} b_ij e_i e_j with b antisymmetric, G = diag(g_1, .., g_n), and Bx - xB = 2 M x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add

from flint import fmpq_mpoly

from .symbolic_metric import Element, Scalar, SymbolicMetric

Rows = tuple[tuple[fmpq_mpoly, ...], ...]


@dataclass(frozen=True, eq=False)
class Matrix:
    """A square matrix of polynomials."""

    rows: Rows

    def __getitem__(self, position: tuple[int, int]) -> fmpq_mpoly:
        return self.rows[position[0]][position[1]]

    @property
    def entries(self) -> list[fmpq_mpoly]:
        """The entries, row by row."""
        return [entry for row in self.rows for entry in row]

    @property
    def transpose(self) -> Matrix:
        """A^T."""
        return Matrix(tuple(zip(*self.rows, strict=True)))

    @property
    def trace(self) -> fmpq_mpoly:
        """Sum of the diagonal."""
        return reduce(add, (row[i] for i, row in enumerate(self.rows)))

    def __matmul__(self, other: Matrix) -> Matrix:
        """Matrix product."""
        columns = other.transpose.rows

        def dot(row: tuple[fmpq_mpoly, ...], column: tuple[fmpq_mpoly, ...]) -> fmpq_mpoly:
            return reduce(add, (x * y for x, y in zip(row, column, strict=True)))

        return Matrix(tuple(tuple(dot(row, column) for column in columns) for row in self.rows))

    def __add__(self, other: Matrix) -> Matrix:
        pairs = zip(self.rows, other.rows, strict=True)
        return Matrix(tuple(tuple(map(add, mine, theirs)) for mine, theirs in pairs))

    def __neg__(self) -> Matrix:
        return self * -1

    def __sub__(self, other: Matrix) -> Matrix:
        return self + -other

    def __mul__(self, scalar: Scalar) -> Matrix:
        return Matrix(tuple(tuple(entry * scalar for entry in row) for row in self.rows))

    __rmul__ = __mul__


def diagonal(space: SymbolicMetric, *entries: Scalar) -> Matrix:
    """The matrix with these entries on the diagonal."""
    size = range(len(entries))
    rows = ((space.constant(entries[i] if i == j else 0) for j in size) for i in size)
    return Matrix(tuple(map(tuple, rows)))


def identity(space: SymbolicMetric) -> Matrix:
    """I of size n."""
    return diagonal(space, *(1,) * space.n)


def unit(space: SymbolicMetric, i: int, j: int) -> Matrix:
    """The matrix whose only nonzero entry is 1 at (i, j), counted from 0."""
    size = range(space.n)
    return Matrix(tuple(tuple(space.constant(int((k, m) == (i, j))) for m in size) for k in size))


def metric_matrix(space: SymbolicMetric) -> Matrix:
    """G = diag(g_1, .., g_n)."""
    return diagonal(space, *space.metric)


def coefficient_matrix(bivector: Element) -> Matrix:
    """The antisymmetric b of B = sum_{i<j} b_ij e_i e_j."""
    size = range(bivector.space.n)

    def entry(i: int, j: int) -> fmpq_mpoly:
        if i == j:
            return bivector.space.constant(0)
        coefficient = bivector.coefficient(1 << i | 1 << j)
        return coefficient if i < j else -coefficient

    return Matrix(tuple(tuple(entry(i, j) for j in size) for i in size))


def bivector_of(space: SymbolicMetric, b: Matrix) -> Element:
    """B = sum_{i<j} b_ij e_i e_j: only the upper triangle of b is read."""
    return space.element({1 << i | 1 << j: b[i, j] for i, j in combinations(range(space.n), 2)})


def action_matrix(bivector: Element) -> Matrix:
    """M = b G."""
    return coefficient_matrix(bivector) @ metric_matrix(bivector.space)


def columns(space: SymbolicMetric, a: Matrix) -> list[Element]:
    """The images A e_1, .., A e_n as vectors."""
    return [space.element({1 << i: x for i, x in enumerate(c)}) for c in a.transpose.rows]
