"""Outer exponentials and the pivoted Cayley transform.

In every metric, null vectors included, outer_exponential(t) = sum_S Pf(t_S) E_S is a rotor up to
scale, and

    R = rho outer_exponential(t) E_P                                              (1)

holds for every rotor R and every null-free blade E_P with coefficient R_P != 0.  E_P acts on
vectors as D = diag(-1 on P, +1 elsewhere).  If R acts by the matrix O = I + y G, then

    K = (I + D) + y G D,    t = K^-1 (y D + (D - I) G^-1),    rho^2 = |det K| / 2^n.   (2)

`choose_signs` finds D with |det K| >= 1 for any real matrix whatsoever.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np

from .bits import (
    Floats,
    Integers,
    Metric,
    even_masks,
    non_null,
    product_signs,
    times_blade,
)

SMALL_BATCH = 16  # below it one large gather is cheaper than a loop over the terms
LARGEST_ENTRY = 1.0 + 1e-9  # |t_ij| above it means that another pivot has a larger coefficient


class Pivoted(NamedTuple):
    """Rotors rho outer_exponential(t) E_P of a metric without null vectors."""

    pivot: Integers
    t: Floats
    asymmetry: Floats  # largest |t + t^T| before antisymmetrisation
    system: Floats  # K of equation (2)


@cache
def _expansion_tables(n: int) -> tuple[tuple[Integers, Integers, Integers], ...]:
    """For each grade 2, 4, ..: positions; then, for each term, the entry of t and the cofactor.

    Pf(t_S) = sum_j +-t_jh Pf(t_(S - j - h)) along the last index h of S; the sign is absorbed by
    reading t_hj = -t_jh.
    """
    masks = even_masks(n)
    tables = []
    for grade in range(2, n + 1, 2):
        targets, entries, cofactors = [], [], []
        for position, mask in enumerate(masks.tolist()):
            if mask.bit_count() != grade:
                continue
            *others, last = (i for i in range(n) if mask >> i & 1)
            targets.append(position)
            entries.append(
                [
                    j * n + last if (grade - k) % 2 == 0 else last * n + j
                    for k, j in enumerate(others)
                ]
            )
            cofactors.append([(mask ^ (1 << j) ^ (1 << last)) >> 1 for j in others])
        tables.append((np.array(targets), np.array(entries).T, np.array(cofactors).T))
    return tuple(tables)


def outer_exponential(t: Floats) -> Floats:
    """Pfaffians of all even principal submatrices of t (batch, n, n), in compact order."""
    batch, n = t.shape[:2]
    entries = np.ascontiguousarray(t.reshape(batch, n * n).T)
    result = np.empty((1 << n >> 1, batch))  # coefficients first: each term is one long row
    result[0] = 1.0
    for targets, entry, cofactor in _expansion_tables(n):
        if batch <= SMALL_BATCH:
            products = entries.take(entry, axis=0)
            products *= result.take(cofactor, axis=0)
            result[targets] = products.sum(axis=0)
            continue
        total = entries[entry[0]] * result[cofactor[0]]
        for one_entry, one_cofactor in zip(entry[1:], cofactor[1:], strict=True):
            total += entries[one_entry] * result[one_cofactor]
        result[targets] = total
    return np.ascontiguousarray(result.T)


def choose_signs(matrix: Floats) -> Integers:
    """Mask of the columns to negate so that |det(I + O D)| >= 1, for real matrices O (batch, m, m).

    Gaussian elimination of I + O D without row exchanges, in which the sign d_k of column k is
    still free when its pivot 1 + d_k s appears: the better choice makes it 1 + |s| >= 1.
    """
    m = matrix.shape[-1]
    schur = matrix.transpose(1, 2, 0).copy()
    mask = np.zeros(len(matrix), dtype=np.int64)
    for k in range(m):
        corner = schur[k, k]
        negative = corner < 0
        mask |= negative.astype(np.int64) << k
        if k + 1 < m:
            size = 1.0 + np.abs(corner)
            factor = schur[k + 1 :, k] / np.where(negative, -size, size)
            schur[k + 1 :, k + 1 :] -= factor[:, None] * schur[k, k + 1 :]
    return mask


def signs_of(masks: Integers, n: int) -> Floats:
    """Diagonals of D: -1 for the members of each mask, +1 elsewhere."""
    members = (masks[:, None] >> np.arange(n)) & 1
    return np.where(members == 1, -1.0, 1.0)


def solve(matrix: Floats, right: Floats) -> Floats:
    """Batched linear solve; an exactly singular element gives NaN instead of an exception."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for k in range(len(matrix)):
            with suppress(np.linalg.LinAlgError):
                result[k] = np.linalg.solve(matrix[k], right[k])
        return result


def antisymmetric(t: Floats) -> Floats:
    """(t - t^T) / 2."""
    return 0.5 * (t - t.swapaxes(-1, -2))


def _cayley(y: Floats, pivot: Integers, g: Metric) -> tuple[Floats, Floats]:
    """Equation (2): t before antisymmetrisation, and K."""
    n = len(g)
    metric = np.array(g, dtype=float)
    signs = signs_of(pivot, n)
    matrix = y * (metric * signs)[:, None, :]
    right = y * signs[:, None, :]
    diagonal = np.arange(n)
    matrix[:, diagonal, diagonal] += 1.0 + signs
    right[:, diagonal, diagonal] += (signs - 1.0) * metric  # the inverse of +-1 is itself
    return solve(matrix, right), matrix


def largest_pair(t: Floats) -> tuple[Floats, Integers]:
    """Largest |t_ij| and the mask of the pair {i, j}."""
    batch, m = t.shape[:2]
    sizes = np.abs(t).reshape(batch, m * m)
    place = sizes.argmax(axis=1)
    one = np.int64(1)
    pair = (one << place // m) ^ (one << place % m)
    return np.take_along_axis(sizes, place[:, None], 1)[:, 0], pair


def pivoted_cayley(y: Floats, g: Metric, *, improve: bool = True) -> Pivoted:
    """The pivoted form (1) of the rotors (up to sign) acting by I + y G, no null vectors.

    With `improve`, pairs i, j with |t_ij| > 1 join or leave P; each exchange multiplies the
    coefficient of the pivot by |t_ij|, so the exchanges end, and one or two are typical.
    """
    m = len(g)
    pivot = choose_signs(y * np.array(g, dtype=float) + np.eye(m))
    raw, system = _cayley(y, pivot, g)
    active = np.arange(len(y))
    for _ in range(4 * m if improve and m > 1 else 0):
        size, pair = largest_pair(raw[active])
        exchange = size > LARGEST_ENTRY
        if not exchange.any():
            break
        active = active[exchange]
        pivot[active] ^= pair[exchange]
        raw[active], system[active] = _cayley(y[active], pivot[active], g)
    asymmetry = np.abs(raw + raw.swapaxes(1, 2)).max(axis=(1, 2), initial=0.0)
    return Pivoted(pivot, antisymmetric(raw), asymmetry, system)


def pivoted_parameter(b: Floats, g: Metric) -> tuple[Integers, Floats, Floats, Integers]:
    """P, t and c = mantissa 2^exponent of outer_exponential(b) = c outer_exponential(t) E_P.

    The entries of t between non-null vectors are at most 1, so that nothing cancels in its
    Pfaffians.  Equation (2) with y = 2 (I - bG)^-1 b, both sides multiplied by (I - bG) / 2:

        ((I + D) - b G (I - D)) / 2  t = (b (I + D) + (D - I) G^-1) / 2,

    a principal pivot transform, exact where P is empty.  Each exchange of a pair multiplies the
    coefficient of the pivot by t_ij, of size above 1, and by the sign of E_ij E_P.
    """
    batch, m = len(b), len(non_null(g))
    pivot, t = np.zeros(batch, dtype=np.int64), b.copy()
    mantissa, exponent = np.ones(batch), np.zeros(batch, dtype=np.int64)
    active = np.arange(batch)
    for _ in range(4 * m if m > 1 else 0):
        block = t[active, :m, :m]
        size, pair = largest_pair(block)
        exchange = size > LARGEST_ENTRY
        if not exchange.any():
            break
        active, pair = active[exchange], pair[exchange]
        high = np.frexp(pair.astype(float))[1] - 1
        low = np.frexp((pair ^ (1 << high)).astype(float))[1] - 1
        factor = t[active, low, high] * product_signs(pair, pivot[active], g)
        factor, shift = np.frexp(factor)
        mantissa[active], again = np.frexp(mantissa[active] * factor)
        exponent[active] += shift + again
        pivot[active] ^= pair
        t[active] = _principal_pivot(b[active], pivot[active], g)
    return pivot, t, mantissa, exponent


def _principal_pivot(b: Floats, pivot: Integers, g: Metric) -> Floats:
    """t of `pivoted_parameter` for given pivots: columns of I outside P, of -b G inside.

    b is scaled by a power of two, and back again in the rows inside P and the columns outside.
    """
    n = len(g)
    metric = np.array(g, dtype=float)
    members = signs_of(pivot, n) < 0
    inside, identity = members[:, None, :], np.eye(n)
    exponent = np.frexp(np.abs(b).max(axis=(1, 2)))[1][:, None]
    small = np.ldexp(b, -exponent[:, :, None])
    solved = solve(
        np.where(inside, -small * metric, identity), np.where(inside, -identity * metric, small)
    )
    rows, columns = np.where(members, -exponent, 0), np.where(members, 0, exponent)
    with np.errstate(over="ignore", invalid="ignore"):  # entries of null vectors may be too large
        half = np.ldexp(0.5 * solved, rows[:, :, None] + columns[:, None, :])
        return np.asarray(half - half.swapaxes(-1, -2))


def with_null_vectors(
    t: Floats, pivot: Integers, null_rows: Floats, twist: Floats, g: Metric
) -> Floats:
    """t of the whole space from its non-null block, the null rows of y, and the antisymmetric
    part a of the null block of y:  u = y_0 D G, t_0 = u (G - t) / 2, t_00 = a/2 + u t u^T / 4.

    These are equation (2) with the symmetric parts, which cancel, left out by construction.
    """
    batch, m = t.shape[:2]
    n = len(g)
    metric = np.array(g[:m], dtype=float)
    u = null_rows * (signs_of(pivot, m) * metric)[:, None, :]
    rows = 0.5 * (u * metric - u @ t)
    result = np.empty((batch, n, n))
    result[:, :m, :m] = t
    result[:, m:, :m] = rows
    result[:, :m, m:] = -rows.swapaxes(1, 2)
    result[:, m:, m:] = 0.5 * twist + 0.25 * (u @ t @ u.swapaxes(1, 2))
    return result


def assemble(pivot: Integers, t: Floats, g: Metric, scale: Floats | None = None) -> Floats:
    """rho outer_exponential(t) E_P; without rho, normalised on its null-free coefficients."""
    rotor = outer_exponential(t)
    if scale is None:
        squares = rotor[:, : max(1, 1 << len(non_null(g)) >> 1)] ** 2
        while squares.shape[1] > 1:  # by halves, so that rounding grows with log 2^n only
            half = squares.shape[1] // 2
            squares = squares[:, :half] + squares[:, half:]
        scale = 1.0 / np.sqrt(squares[:, 0])
    return times_blade(rotor * scale[:, None], pivot, g)
