"""The rotor of an isometry near a matrix of several large boosts that has few digits left.

Every matrix in the group of an indefinite metric is

    O = U (cosh A, sinh A; sinh A, cosh A) V^T,    U and V orthogonal on both signs,        (1)

A diagonal: the singular values of its blocks.  A matrix M within d of the group gives back its
factors one boost at a time, the largest first, so that O is within a few d of M, and U, V and A
make a rotor with all its digits.  Newton's iteration does not converge from such an M, and the
antisymmetric part of its Cayley parameter acts by a matrix up to |M|^2 d away from M.

References
----------
[1] N. J. Higham, "J-orthogonal matrices: properties and generation", SIAM Rev. 45 (2003) 504-519.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .bits import Booleans, Floats, Metric, bivector_positions, non_null, times_blade
from .lift import lift
from .log_definite import cayley_of
from .pfaffian import assemble, with_null_vectors

STRONG = 2.0**0.5  # cosh of the rapidity from which a boost is split off before Newton's iteration
STEPS = 7  # of Newton's iteration: quadratic, 0.5 becomes 1e-16 in six or seven steps
CONVERGES = 0.5  # Frobenius norm of the defect from which it converges


class Nearby(NamedTuple):
    """A versor, and the isometry by which it acts; NaN where none was found."""

    coefficients: Floats  # compact order
    odd: bool
    spinor_norm: float  # V ~V, +1 or -1
    isometry: Floats  # of the non-null vectors


class _Factors(NamedTuple):
    """O = Q exp(boosts), the boosts in orthogonal planes v_k w_k of either sign."""

    isometry: Floats
    moderate: Floats  # Q, without large entries
    rapidities: Floats
    first: Floats  # v_k as rows, of the signs that are fewer
    second: Floats  # w_k as rows, of the other signs


def nearest_isometry(matrix: Floats, g: Metric) -> Nearby:
    """The versor of an isometry within a few times the distance of M (n, n) from the group."""
    metric = non_null(g)
    m = len(metric)
    with np.errstate(all="ignore"):
        found = _factors(matrix[:m, :m], np.array(metric, dtype=float))
        if found is None:
            size = 1 << len(g) >> 1
            return Nearby(np.full(size, np.nan), False, 1.0, np.full((m, m), np.nan))
        turn = lift(found.moderate, metric)
        rotor = turn.coefficients[None]
        for rapidity, v, w in zip(found.rapidities, found.first, found.second, strict=True):
            rotor = _boosted(rotor, rapidity, v, w, metric)
        if m < len(g):
            rotor = _translated(rotor, matrix[m:, :m], g)
    return Nearby(rotor[0], bool(turn.odd), float(turn.spinor_norm), found.isometry)


def _factors(matrix: Floats, metric: Floats) -> _Factors | None:
    """The factors of equation (1): large boosts by their singular vectors, the rest by Newton.

    The pairs of smaller boosts are orthogonalised against those of larger ones, which are known
    better: the errors then stay of the size of those of M.
    """
    m = len(metric)
    fewer = 1.0 if 2 * np.count_nonzero(metric > 0) <= m else -1.0
    order = np.argsort(metric != fewer, kind="stable")
    k = int(np.count_nonzero(metric == fewer))
    sorted_matrix = matrix[np.ix_(order, order)]
    try:
        u, cosh, vt = np.linalg.svd(sorted_matrix[:k, :k])
    except np.linalg.LinAlgError:
        return None
    s = int(np.count_nonzero(cosh >= STRONG))
    left, right = np.zeros((m, m)), np.zeros((m, m))
    left[:k, :k], right[:k, :k] = u, vt.T
    right[k:, k:], upper = _graded_frame((u.T @ sorted_matrix[:k, k:])[:s].T)
    left[k:, k:], lower = _graded_frame((sorted_matrix[k:, :k] @ vt.T)[:, :s])
    weak = np.r_[s:k, k + s : m]
    block = (left.T @ sorted_matrix @ right)[np.ix_(weak, weak)]
    rest, failed = newton_isometry(block, metric[order][weak])
    if failed:
        return None
    core = np.eye(m)
    core[np.ix_(weak, weak)] = rest
    rapidities = np.arcsinh(0.5 * (upper + lower))
    stretched, strong = core.copy(), np.arange(s)
    stretched[strong, strong] = stretched[k + strong, k + strong] = np.cosh(rapidities)
    stretched[strong, k + strong] = stretched[k + strong, strong] = np.sinh(rapidities)
    back = np.argsort(order)
    planes = right[back].T
    return _Factors(
        (left @ stretched @ right.T)[np.ix_(back, back)],
        (left @ core @ right.T)[np.ix_(back, back)],
        rapidities * fewer,
        planes[:s],
        planes[k : k + s],
    )


def _graded_frame(columns: Floats) -> tuple[Floats, Floats]:
    """An orthogonal matrix whose first columns are along the given ones, and their lengths."""
    q, r = np.linalg.qr(columns, mode="complete")
    lengths = np.diagonal(r)
    frame = q.copy()
    frame[:, : len(lengths)] *= np.where(lengths < 0, -1.0, 1.0)
    return frame, np.abs(lengths)


def newton_isometry(matrices: Floats, metric: Floats) -> tuple[Floats, Booleans]:
    """M <- M - M G (M^T G M - G) / 2 until M^T G M = G, for matrices (.., m, m) and G diagonal; and
    where the iteration has no reason to converge."""
    failed: Booleans = np.zeros(matrices.shape[:-2], dtype=bool)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for _ in range(STEPS):
            defect = matrices.swapaxes(-1, -2) * metric @ matrices - np.diag(metric)
            failed = failed | ~(np.sqrt((defect**2).sum(axis=(-1, -2))) < CONVERGES)
            step = matrices * metric @ defect / 2
            matrices = matrices - np.where(failed[..., None, None], 0.0, step)
    return matrices, failed


def _boosted(rotor: Floats, rapidity: float, v: Floats, w: Floats, g: Metric) -> Floats:
    """R (cosh a/2 - sinh a/2 v w), v and w orthogonal, with the squares +1 and -1 for a > 0."""
    rows, columns, positions = bivector_positions(len(g))
    plane = v[rows] * w[columns] - v[columns] * w[rows]
    masks = (np.int64(1) << rows) | (np.int64(1) << columns)
    images = times_blade(np.repeat(rotor, len(positions), axis=0), masks, g)
    half: Any = 0.5 * rapidity
    return np.asarray(np.cosh(half) * rotor - np.sinh(half) * (plane @ images))


def _translated(rotor: Floats, rows: Floats, g: Metric) -> Floats:
    """The rotor of the whole space, from that of the non-null vectors and the null rows of M."""
    metric = non_null(g)
    m = len(metric)
    pivot, t = cayley_of(rotor, metric)
    null = len(g) - m
    whole = with_null_vectors(
        t, pivot, (rows * np.array(metric, dtype=float))[None], np.zeros((1, null, null)), g
    )
    return assemble(pivot, whole, g, np.abs(rotor).max(axis=1))
