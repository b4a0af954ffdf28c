"""Blocks of bivectors of balls, whose squares may be impossible to tell apart."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import acb, arb, arb_mat

from ..layout import grade_layout
from ..precision import working_precision
from .blocks import blocks_of, from_roots
from .elements import Coefficients, Metric, coefficients_of
from .roots import RootGroup, best_grouping, generator, square_polynomial

if TYPE_CHECKING:
    from ..multivector import Multivector

GUARD_BITS = 64


def matrix_of(coefficients: Coefficients, n: int) -> list[list[Any]]:
    """b_ij of the grade-2 coefficients."""
    b = [[arb(0)] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        value = coefficients.get(1 << i | 1 << j, arb(0))
        b[i][j], b[j][i] = value, -value
    return b


def separated(b: list[list[Any]], metric: Metric) -> tuple[list[list[RootGroup]], list[Any]]:
    """Groups of squares, closed under conjugation, and the block of each."""
    n, m = len(metric), sum(1 for g in metric if g)
    inner = [row[:m] for row in b[:m]]
    groups = best_grouping(square_polynomial(generator(inner, metric[:m]))) if m else []
    forced = n // 2 - m // 2
    if forced:
        groups.append(RootGroup(acb(0), forced))
    sets: list[list[RootGroup]] = []
    for group in groups:
        own = [s for s in sets if any(_may_be_conjugate(group, other) for other in s)]
        sets = [s for s in sets if not any(s is other for other in own)]
        sets.append([group, *(other for s in own for other in s)])
    polynomials = [from_roots([g.box for g in s for _ in range(g.count)]) for s in sets]
    generated = generator(b, metric)
    return sets, blocks_of(arb_mat(b), generated * generated, polynomials)


def _may_be_conjugate(a: RootGroup, b: RootGroup) -> bool:
    return bool(a.box.overlaps(b.box.conjugate()))


def cluster_blocks(b: Multivector) -> list[tuple[Multivector, Any, int]]:
    """Commuting blocks of one bivector of balls: (block, box of its squares, number of squares).

    Where squares cannot be told apart their planes are not determined, but the block of a cluster
    of squares is, as long as the cluster is apart from the others.
    """
    algebra: Any = b.algebra
    n, bits = algebra.n, algebra.backend_object.bits
    layout = grade_layout(n, 2)
    coefficients = coefficients_of(b, ())
    with working_precision(bits + GUARD_BITS):
        sets, matrices = separated(matrix_of(coefficients, n), algebra.metric)
    result = []
    with working_precision(bits):
        for groups, matrix in zip(sets, matrices, strict=True):
            values = np.empty(layout.size, dtype=object)
            for k, (i, j) in enumerate(combinations(range(n), 2)):
                values[k] = +matrix[i, j]
            box = groups[0].box
            for other in groups[1:]:
                box = acb(box.real.union(other.box.real), box.imag.union(other.box.imag))
            count = sum(group.count for group in groups)
            result.append((b.replace(layout, values), box, count))
    return result
