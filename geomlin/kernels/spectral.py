"""Invariant subspaces of a matrix for clusters of its eigenvalues.

The metric projector of a cluster with orthonormal basis V is V (V^T G V)^-1 V^T G, of norm
1 / min |eig(V^T G V)|; a change e of M moves the eigenvalues of the cluster by up to e times that
norm.  Clusters that a change of size tau could make meet are merged: this joins equal eigenvalues,
and eigenvalues of a Jordan block, which rounding scatters by tau^(1/m).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .definite import FloatArray

QR_MARGIN = 16  # in eps |M|, an ample bound of the backward error of the QR algorithm over tau / 8

Members = frozenset[int]


def best_cluster(
    m: FloatArray, g: FloatArray, tau: float, is_sound: Callable[[FloatArray], bool]
) -> FloatArray:
    """Orthonormal basis of the best conditioned cluster of M; all of space if there is only one.

    Eigenvalues mu, -mu and their conjugates always stay together.  Clusters are merged, nearest
    first, while two of them overlap or the basis of the best one is not sound.
    """
    basis_of, folded = _subspaces(m)
    clusters = {members: _projector_norm(basis_of(members), g) for members in _ties(folded, tau)}
    while len(clusters) > 1:
        pair, overlap = _nearest(clusters, folded, tau)
        best = basis_of(min(clusters, key=lambda members: (clusters[members], min(members))))
        if not overlap and best is not None and is_sound(best):
            return best
        merged = pair[0] | pair[1]
        clusters = {key: norm for key, norm in clusters.items() if key not in pair}
        clusters[merged] = _projector_norm(basis_of(merged), g)
    return np.eye(len(g))


def _subspaces(
    m: FloatArray,
) -> tuple[Callable[[Members], FloatArray | None], NDArray[np.complex128]]:
    """A function from sets of eigenvalues to bases, and the eigenvalues |Re mu| + i |Im mu|."""
    from scipy.linalg import lapack

    triangular, _, real, imaginary, vectors, _, failed = lapack.dgees(lambda x, y: False, m)

    def basis_of(members: Members) -> FloatArray | None:
        """Orthonormal basis of the invariant subspace; None if LAPACK cannot separate it."""
        selected = [int(index in members) for index in range(len(m))]
        found = lapack.dtrsen(selected, triangular, vectors, job="N")
        return None if failed or found[-1] != 0 else np.asarray(found[1][:, : len(members)])

    return basis_of, np.abs(real) + 1j * np.abs(imaginary)


def _ties(folded: NDArray[np.complex128], tau: float) -> list[Members]:
    """Sets of eigenvalues connected by distances up to tau."""
    clusters: list[Members] = []
    for index, value in enumerate(folded):
        near = [c for c in clusters if min(abs(folded[list(c)] - value)) <= tau]
        clusters = [c for c in clusters if c not in near]
        clusters.append(frozenset({index}).union(*near))
    return clusters


def _projector_norm(basis: FloatArray | None, g: FloatArray) -> float:
    """Norm of the metric projector on the span of an orthonormal basis; infinite if none."""
    if basis is None:
        return np.inf
    smallest = float(np.abs(np.linalg.eigvalsh(basis.T @ (g[:, None] * basis))).min())
    return 1 / smallest if smallest > 0 else np.inf


def _nearest(
    clusters: dict[Members, float], folded: NDArray[np.complex128], tau: float
) -> tuple[tuple[Members, Members], bool]:
    """The nearest two clusters of uncertain eigenvalues that overlap, or else the nearest two."""
    radius = {c: tau / 2 * norm * min(norm, QR_MARGIN) for c, norm in clusters.items()}
    candidates: list[tuple[bool, float, int, tuple[Members, Members]]] = []
    for first, second in combinations(clusters, 2):
        distance = np.abs(folded[list(first)][:, None] - folded[list(second)]).min()
        apart = bool(distance > radius[first] + radius[second])
        candidates.append((apart, float(distance), len(candidates), (first, second)))
    apart, _, _, pair = min(candidates)
    return pair, not apart
