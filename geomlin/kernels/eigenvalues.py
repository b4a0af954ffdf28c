"""Eigenvalues and invariant subspaces, also where LAPACK's iteration stalls.

The QR iteration has no proof of convergence, and generators whose angles are equal up to rounding
make it stall now and then.  In other coordinates, H M H with a reflection H, it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from .bits import Floats, Metric

Complex = NDArray[np.complex128]
ATTEMPTS = 4  # in other coordinates


def action_eigenvalues(b: Floats, g: Metric) -> Complex:
    """The eigenvalues (batch, n) of M = b G for antisymmetric b (batch, n, n), in no order."""
    if len(set(g)) <= 1:  # those of i b are real, and found by an iteration that converges
        return np.asarray(1j * np.linalg.eigvalsh(1j * b))
    return eigenvalues(b * np.array(g, dtype=float))


def eigenvalues(matrices: NDArray[Any]) -> Complex:
    """The eigenvalues (.., n) of finite matrices (.., n, n), in no order.

    Raises LinAlgError where no coordinates help.
    """
    try:
        return np.asarray(np.linalg.eigvals(matrices), dtype=np.complex128)
    except LinAlgError:
        if matrices.ndim > 2:
            return np.stack([eigenvalues(matrix) for matrix in matrices])
    for reflection in _reflections(len(matrices)):
        with suppress(LinAlgError):
            found = np.linalg.eigvals(reflection @ matrices @ reflection)
            return np.asarray(found, dtype=np.complex128)
    raise LinAlgError("the eigenvalues of a finite matrix were not found")


def invariant_subspace(matrix: Floats, chosen: Callable[[complex], Any]) -> tuple[Floats, int]:
    """An orthogonal matrix (n, n) and the number k of its leading columns that span the invariant
    subspace of a real matrix for the chosen eigenvalues, a set closed under conjugation.

    Raises LinAlgError where no coordinates help.
    """
    *_, vectors, count = _real_schur(
        matrix, sort=lambda real, imaginary: bool(chosen(complex(real, imaginary)))
    )
    return np.asarray(vectors, dtype=np.float64), count


def real_schur(matrix: Floats) -> tuple[Floats, Floats]:
    """T and V with M = V T V^T, V orthogonal and T of blocks 1 x 1 and 2 x 2; same errors."""
    triangular, vectors = _real_schur(matrix)
    return triangular, vectors


def _real_schur(matrix: Floats, **options: Any) -> Any:
    """scipy.linalg.schur, in other coordinates where it fails."""
    from scipy.linalg import schur

    with suppress(LinAlgError):
        return schur(matrix, output="real", **options)
    for reflection in _reflections(len(matrix)):
        with suppress(LinAlgError):
            found = schur(reflection @ matrix @ reflection, output="real", **options)
            return (found[0], reflection @ found[1], *found[2:])
    raise LinAlgError("the Schur form of a finite matrix was not found")


def _reflections(n: int) -> Iterator[Floats]:
    """I - 2 v v^T / |v|^2 for a few vectors v without a pattern."""
    for attempt in range(1, ATTEMPTS + 1):
        v = np.cos(attempt * np.arange(1.0, n + 1.0))
        yield np.eye(n) - 2.0 * np.outer(v, v) / (v @ v)
