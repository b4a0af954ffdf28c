"""What rotor_from_matrix refuses: matrices that are no isometries, or move a null vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotInImage, NotOrthogonal
from .failures import OnError, check_finite, failing_indices


class Failures:
    """Batch elements that have no answer; raises at once unless NaN is wanted."""

    def __init__(self, shape: tuple[int, ...], on_error: OnError) -> None:
        self.mask = np.zeros(shape, dtype=bool)
        self.on_error = on_error

    def add(
        self,
        bad: Any,
        error: type[NotInImage] | type[NotOrthogonal],
        message: str,
        **details: str,
    ) -> None:
        if not bad.any():
            return
        bad = bad & ~self.mask
        if bad.any() and self.on_error == "raise":
            indices, count = failing_indices(bad)
            raise error(message, indices=indices, count=count, **details)
        self.mask = self.mask | bad

    def replaced(self, matrix: Any) -> Any:
        """The matrices, with the identity for those that have failed."""
        if not self.mask.any():
            return matrix
        return np.where(self.mask[..., None, None], np.eye(matrix.shape[-1]), matrix)


def finite_or_identity(matrix: Any, failures: Failures) -> Any:
    """The matrices, with the identity for those that hold NaN or infinity."""
    if failures.on_error == "raise":
        check_finite(matrix, "coefficients", axes=2)
        return matrix
    failures.mask = ~np.isfinite(matrix).all(axis=(-1, -2))
    return failures.replaced(matrix)


def size_of_matrix(matrix: Any, metric: Any) -> Any:
    """max(1, max |M|) over the rows that enter M^T G M."""
    rows = matrix if metric.all() else matrix[..., metric != 0, :]
    return np.maximum(1.0, np.abs(rows).max(axis=(-1, -2), initial=0))


def metric_defect(matrix: Any, metric: Any, size: Any) -> Any:
    """(M^T G M - G) / size^2, without overflow."""
    rows = matrix if metric.all() else np.where(metric[:, None] != 0, matrix, 0.0)
    scaled = rows / size[..., None, None]
    unit = np.diag(metric) / (size**2)[..., None, None]
    return scaled.swapaxes(-1, -2) * metric @ scaled - unit


def check_isometry(matrix: Any, metric: Any, tolerance: float, failures: Failures) -> Any:
    """Refuse what is no isometry; returns max |M^T G M - G| / max(1, max |M|)^2."""
    with np.errstate(over="ignore", under="ignore"):
        scaled = metric_defect(matrix, metric, size_of_matrix(matrix, metric))
        defect = np.abs(scaled).max(axis=(-1, -2), initial=0)
    bad = ~(defect <= tolerance)
    if not bad.any():
        return defect
    failures.add(
        bad,
        NotOrthogonal,
        f"expected max |M^T G M - G| <= {tolerance:g} max(1, max |M|)^2, got a defect of "
        f"{np.max(np.where(bad, defect, 0), initial=0):.3g} max(1, max |M|)^2: project the "
        "matrix first, or raise `tolerance` if the nearest isometry is meant",
    )
    return defect


def check_null_block(matrix: Any, null: Any, tolerance: float, failures: Failures) -> None:
    """Rotors fix the radical pointwise: column j of a null e_j is e_j."""
    moved = matrix[..., :, null] - np.eye(len(null))[:, null]
    failures.add(
        np.abs(moved).max(axis=(-1, -2), initial=0) > tolerance,
        NotInImage,
        "expected every null basis vector to be fixed, as all rotors do, got a matrix that moves "
        "one: it is no product of reflections in invertible vectors",
        reason="null block",
    )
