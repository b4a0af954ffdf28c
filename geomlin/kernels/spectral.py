"""Invariant subspaces of a matrix for clusters of its eigenvalues.

The metric projector of a cluster with orthonormal basis V is V (V^T G V)^-1 V^T G, of norm
1 / min |eig(V^T G V)|.  Cutting along it loses eps times the square of that norm, so the cluster
with the smallest norm is cut off.  This keeps the eigenvalues of a Jordan block together, which
rounding scatters by eps^(1/m): their separate projectors have norms of eps^(1/m - 1).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .definite import FloatArray

Members = frozenset[int]


def best_cluster(m: FloatArray, g: FloatArray, tau: float) -> tuple[FloatArray, float]:
    """Orthonormal basis of the cluster of M with the smallest projector norm, and that norm.

    Clusters are the nodes of the tree that joins the nearest eigenvalues first, from ties up to
    tau to all but the whole; mu, -mu and their conjugates are always together.
    """
    basis_of, folded = _subspaces(m)
    clusters = _ties(folded, tau)
    best, smallest = np.eye(len(g)), np.inf
    candidates = list(clusters)
    while len(clusters) > 1:
        for basis in (basis_of(members) for members in candidates):
            norm = _projector_norm(basis, g)
            if basis is not None and norm < smallest:
                best, smallest = basis, norm
        first, second = _nearest(clusters, folded)
        candidates = [first | second]
        clusters = [c for c in clusters if c not in (first, second)] + candidates
    return best, smallest


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
    return 1 / smallest if smallest > 1e-300 else np.inf


def _nearest(clusters: list[Members], folded: NDArray[np.complex128]) -> tuple[Members, Members]:
    """The two clusters with the nearest eigenvalues."""

    def distance(pair: tuple[Members, Members]) -> float:
        first, second = (folded[list(members)] for members in pair)
        return float(np.abs(first[:, None] - second).min())

    return min(combinations(clusters, 2), key=distance)
