"""Clifford algebra of vectors whose inner products are indeterminates, in the wedge basis.

The generators a_1..a_k need not be orthogonal: a_i a_j + a_j a_i = 2 g_ij.  The blades
a_S = a_(s1) ^ .. ^ a_(sm) are a basis, and one formula gives every product:

    a_S a_T = sum over S = S1 + S2, T = T1 + T2, |S2| = |T1| = m  of
              sign(S1, S2) sign(T1, T2) (-1)^(m(m-1)/2) det g[S2, T1]  a_S1 ^ a_T2.

Its terms with m = 0 are the outer product, with S2 = S the left contraction, with T1 = T the
right contraction, with both the scalar product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from flint import fmpq_mpoly, fmpq_mpoly_ctx

from ..blades import reorder_sign
from ..errors import NotSupported

Terms = dict[int, fmpq_mpoly]
Kept = Callable[[int, int, int], bool]  # (|S|, |T|, m) -> is the term part of this product?

LARGEST_WORK = 150_000_000  # operations on eight exponents in one evaluation: seconds


class TooLarge(NotSupported):
    """The symbolic evaluation needs more work than its limit."""


def geometric(left: int, right: int, contracted: int) -> bool:
    """A B: every term."""
    return True


def outer(left: int, right: int, contracted: int) -> bool:
    """A ^ B: nothing is contracted."""
    return contracted == 0


def left_contracted(left: int, right: int, contracted: int) -> bool:
    """All of A is contracted into B."""
    return contracted == left


def right_contracted(left: int, right: int, contracted: int) -> bool:
    """All of B is contracted into A."""
    return contracted == right


def scalar(left: int, right: int, contracted: int) -> bool:
    """<A B>_0: all of both is contracted."""
    return contracted == left == right


class GramAlgebra:
    """The algebra over the polynomial ring `context` with the Gram matrix `gram`."""

    def __init__(self, context: fmpq_mpoly_ctx, gram: Sequence[Sequence[fmpq_mpoly]]) -> None:
        self.context = context
        self.gram = gram
        self.size = len(gram)
        self.one = context.constant(1)
        self.work = 0
        self._cost = 1 + context.nvars() // 8  # a monomial is as long as there are indeterminates
        self._orthogonal = all(gram[i][j] == 0 for i in range(self.size) for j in range(i))
        self._minors: dict[tuple[int, int], fmpq_mpoly] = {}
        self._products: dict[tuple[int, int], list[tuple[int, int, fmpq_mpoly]]] = {}

    def minor(self, rows: int, columns: int) -> fmpq_mpoly:
        """det g[rows, columns], the sets as bit masks of equal size, expanded along a row."""
        if rows == 0:
            return self.one
        key = rows, columns
        if key not in self._minors:
            first = rows & -rows
            total, sign = self.one * 0, 1
            for j in _bits(columns):
                entry = self.gram[first.bit_length() - 1][j.bit_length() - 1]
                if entry != 0:
                    smaller = self.minor(rows ^ first, columns ^ j)
                    self.spend(4 * len(smaller))  # all are kept: k! monomials for k rows
                    total += sign * entry * smaller
                sign = -sign
            self._minors[key] = total
        return self._minors[key]

    def blade_product(self, left: int, right: int) -> list[tuple[int, int, fmpq_mpoly]]:
        """The terms (blade, number of contracted vectors, coefficient) of a_S a_T."""
        key = left, right
        if key not in self._products:
            self._products[key] = list(self._contractions(left, right))
        return self._products[key]

    def _contractions(self, left: int, right: int) -> Iterator[tuple[int, int, fmpq_mpoly]]:
        for inner in _subsets(left):
            rest_left, m = left ^ inner, inner.bit_count()
            for matched in self._matches(inner, right, m):
                rest_right = right ^ matched
                minor = self.minor(inner, matched)
                if rest_left & rest_right or minor == 0:
                    continue
                sign = contraction_sign(rest_left, inner, matched, rest_right)
                yield rest_left | rest_right, m, sign * minor

    def _matches(self, inner: int, right: int, m: int) -> Iterator[int]:
        """Subsets of `right` with m vectors; for an orthogonal basis only the equal one counts."""
        if self._orthogonal:
            if inner & right == inner:
                yield inner
            return
        for chosen in combinations(_bits(right), m):
            yield sum(chosen)

    def product(
        self, x: Mapping[int, fmpq_mpoly], y: Mapping[int, fmpq_mpoly], kept: Kept
    ) -> Terms:
        """The terms of the geometric product of x and y that are kept."""
        total: Terms = {}
        for s, a in x.items():
            for t, b in y.items():
                factor = None
                for blade, m, coefficient in self.blade_product(s, t):
                    if not kept(s.bit_count(), t.bit_count(), m):
                        continue
                    if factor is None:
                        self.spend(len(a) * len(b))  # before: one product can take minutes
                        factor = a * b
                    self.spend(len(factor) * len(coefficient))
                    term = factor * coefficient
                    if blade in total:
                        self.spend(len(total[blade]) // 4)  # an addition costs a quarter
                        term = total[blade] + term
                    total[blade] = term
        return {blade: c for blade, c in total.items() if c != 0}

    def spend(self, work: int) -> None:
        """Count operations on monomials; TooLarge beyond the limit, so that nothing hangs."""
        self.work += work * self._cost
        if self.work > LARGEST_WORK:
            raise TooLarge(
                f"the symbolic evaluation exceeds its limit of {LARGEST_WORK} operations: "
                "use fewer vectors or a smaller dimension"
            )


def contraction_sign(rest_left: int, inner: int, matched: int, rest_right: int) -> int:
    """sign(S1, S2) sign(T1, T2) (-1)^(m(m-1)/2) sign(S1, T2): see the formula above."""
    m = inner.bit_count()
    reversal = -1 if m * (m - 1) // 2 % 2 else 1
    split = reorder_sign(rest_left, inner) * reorder_sign(matched, rest_right)
    return reversal * split * reorder_sign(rest_left, rest_right)


def _bits(mask: int) -> list[int]:
    """The single bits of a mask, ascending."""
    return [1 << i for i in range(mask.bit_length()) if mask >> i & 1]


def _subsets(mask: int) -> Iterator[int]:
    """All subsets of a mask, the empty one last."""
    subset = mask
    while True:
        yield subset
        if subset == 0:
            return
        subset = (subset - 1) & mask
