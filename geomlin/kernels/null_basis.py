"""A basis of the null vectors in which the couplings of a bivector are well conditioned.

The couplings of B = M + sum_a c_a n_a (c_a a non-null vector, n_a a null one) enter the part of
exp(B) of null-degree k through the k x k minors of the matrix c alone, because the null vectors
anticommute.  A route that first mixes the rows of c loses a minor that is small beside the
products of its entries.  So c is factored by complete pivoting,

    c = L D U,   B = M + sum_j l_j n'_j,   n'_j = d_j sum_a u_ja n_a,                     (1)

with |l_ij|, |u_ja| <= 1 and ones at the pivots: exp(B) is computed with the couplings l_j, all of
one size, and the outermorphism n'_j -> d_j sum_a u_ja n_a, an automorphism of the algebra because
the null vectors square to zero and are orthogonal to everything, brings it back.  n'_j takes the
place of its pivot column.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .bits import Floats, Integers, Metric, even_masks, non_null


class NullBasis(NamedTuple):
    """Equation (1) for a batch: left (batch, m, r) with l_j in its pivot column, zeros elsewhere;
    pivots (batch, k) in order of elimination; d (batch, k), zero where nothing was left to
    eliminate; upper (batch, k, r), zero at the pivot."""

    left: Floats
    pivots: Integers
    d: Floats
    upper: Floats


def null_basis(c: Floats) -> NullBasis:
    """Gaussian elimination with complete pivoting of the couplings c (batch, m, r)."""
    batch, m, r = c.shape
    every = np.arange(batch)
    rest = c.copy()
    steps = min(m, r)
    basis = NullBasis(
        np.zeros_like(c),
        np.zeros((batch, steps), dtype=np.int64),
        np.zeros((batch, steps)),
        np.zeros((batch, steps, r)),
    )
    for step in range(steps):
        place = np.abs(rest).reshape(batch, m * r).argmax(axis=1)
        row, column = np.divmod(place, r)
        d = rest[every, row, column]
        divisor = np.where(d == 0.0, 1.0, d)[:, None]
        left = rest[every, :, column] / divisor
        upper = rest[every, row, :] / divisor
        basis.left[every, :, column] += left
        basis.pivots[:, step], basis.d[:, step], basis.upper[:, step] = column, d, upper
        basis.upper[every, step, column] = 0.0
        rest -= left[:, :, None] * (d[:, None] * upper)[:, None, :]
        rest[every, row, :] = 0.0
        rest[every, :, column] = 0.0
    return basis


@cache
def _members(n: int, m: int) -> Floats:
    """Whether null vector a (column) is in the blade (row), in compact order."""
    return ((even_masks(n)[:, None] >> np.arange(m, n)) & 1).astype(float)


@cache
def _replacements(n: int, j: int, a: int) -> tuple[Integers, Integers, Floats]:
    """Blades with e_a and without e_j, the blades with e_j in the place of e_a, and the signs."""
    masks = even_masks(n)
    targets = np.flatnonzero((masks >> a & 1 == 1) & (masks >> j & 1 == 0))
    low, high = min(a, j), max(a, j)
    between = masks[targets] & ((1 << high) - (1 << low + 1))
    signs = np.where(np.bitwise_count(between) % 2 == 1, -1.0, 1.0)
    return targets, (masks[targets] ^ (1 << a) ^ (1 << j)) >> 1, signs


def in_original_basis(coefficients: Floats, basis: NullBasis, g: Metric) -> Floats:
    """Even elements (batch, 2^(n-1)) on the n'_j, rewritten on the n_a."""
    n, m = len(g), len(non_null(g))
    members = _members(n, m)
    result = coefficients.copy()
    for step in reversed(range(basis.pivots.shape[1])):
        for column in range(n - m):
            chosen = (basis.pivots[:, step] == column) & (basis.d[:, step] != 0.0)
            rows = np.flatnonzero(chosen)
            if not len(rows):
                continue
            part = result[rows]
            part *= np.where(members[:, column] == 1.0, basis.d[rows, step, None], 1.0)
            new = part.copy()
            for other in range(n - m):
                factor = basis.upper[rows, step, other]
                if other != column and factor.any():
                    targets, sources, signs = _replacements(n, m + column, m + other)
                    new[:, targets] += factor[:, None] * signs * part[:, sources]
            result[rows] = new
    return result
