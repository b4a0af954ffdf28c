"""A faithful matrix representation over balls.

Monomial matrices: every blade of an algebra without null vectors has one entry in each row,

    Gamma_S[row, row xor f] = i^a (-1)^|row & z|,      (f, z, a) = words(S),

and a null vector becomes e_+ + e_-.  Elements of even grade preserve the parity of the row when the
number of generators is even; when it is odd, one block is already faithful on them, and the other
elements need a second one with the last generator negated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import acb, acb_mat, arb

from ..blades import reorder_sign
from ..kernels.monomial import embedded_metric, words

Metric = tuple[int, ...]
Coefficients = Mapping[int, Any]  # the arb of each mask; masks that are missing are zero


@dataclass(frozen=True)
class Block:
    """Rows on which a block acts, where each sits in it, and the sign of the last generator."""

    rows: tuple[int, ...]
    place: dict[int, int]
    last: int


@dataclass(frozen=True)
class Representation:
    """Matrices of the elements of Cl(p,q,r), or of its even part only."""

    metric: Metric
    flips: list[int]
    signs: list[int]
    quarters: list[int]
    blocks: tuple[Block, ...]

    def matrices(self, coefficients: Coefficients) -> list[Any]:
        """One acb_mat for each block."""
        found = [acb_mat(len(block.rows), len(block.rows)) for block in self.blocks]
        for mask, value in coefficients.items():
            if value.is_zero():
                continue
            powers = (acb(value), acb(0, value), acb(-value), acb(0, -value))
            for word, sign in embedded_terms(mask, self.metric):
                for block, matrix in zip(self.blocks, found, strict=True):
                    for row, column, quarter in self._entries(word, block):
                        entry = powers[(quarter + 1 - sign) % 4]
                        matrix[row, column] = matrix[row, column] + entry
        return found

    def coefficients(self, matrices: list[Any], masks: Iterable[int]) -> list[Any]:
        """x_S = Re tr(Gamma_S^-1 X) / N of the given blades, for X in the image."""
        size = sum(len(block.rows) for block in self.blocks)
        result = []
        for mask in masks:
            total = arb(0)
            for block, matrix in zip(self.blocks, matrices, strict=True):
                for row, column, quarter in self._entries(mask, block):
                    entry = matrix[row, column]
                    part = entry.imag if quarter % 2 else entry.real
                    total = total - part if quarter >= 2 else total + part
            result.append(total / size)
        return result

    def _entries(self, word: int, block: Block) -> Iterable[tuple[int, int, int]]:
        """Row, column and power of i of each entry of the matrix of a blade."""
        flips, signs, quarters = self.flips[word], self.signs[word], self.quarters[word]
        if block.last < 0 and word.bit_length() == len(embedded_metric(self.metric)):
            quarters += 2
        for row in block.rows:
            turn = 2 * ((row & signs).bit_count() % 2)
            yield block.place[row], block.place[row ^ flips], (quarters + turn) % 4


@cache
def representation(metric: Metric, *, even: bool) -> Representation:
    """The representation of one algebra, or of its even part."""
    embedded = embedded_metric(metric)
    generators = len(embedded)
    table = words(embedded)
    rows = range(1 << generators // 2)
    if generators % 2:
        groups = [(tuple(rows), 1)] if even else [(tuple(rows), 1), (tuple(rows), -1)]
    elif even and generators:
        groups = [(tuple(r for r in rows if r.bit_count() % 2 == k), 1) for k in (0, 1)]
    else:
        groups = [(tuple(rows), 1)]
    blocks = tuple(
        Block(chosen, {row: k for k, row in enumerate(chosen)}, last) for chosen, last in groups
    )
    return Representation(
        metric, table.flips.tolist(), table.signs.tolist(), table.quarters.tolist(), blocks
    )


@cache
def embedded_terms(mask: int, metric: Metric) -> tuple[tuple[int, int], ...]:
    """Blades and signs of E_S when each null vector is replaced by e_+ + e_-."""
    n, m = len(metric), sum(1 for g in metric if g)
    terms = [(mask & ((1 << m) - 1), 1)]
    for k in range(m, n):
        if mask >> k & 1:
            pair = (1 << k, 1 << (k + n - m))
            terms = [(t ^ bit, s * reorder_sign(t, bit)) for t, s in terms for bit in pair]
    return tuple(terms)
