"""Rotors of matrices: the lift SO -> Spin of the double cover, with a deterministic sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotInImage, NotOrthogonal, NotSupported
from ..layout import even_layout
from .bivectors import from_compact
from .failures import OnError, check_on_error, failing_indices, real_floats, rounded

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector

_EPS = float(np.finfo(np.float64).eps)
_CONVERGES = 0.5  # Frobenius norm of the defect below which Newton's iteration converges


def rotor_from_matrix(
    M: Any, algebra: Algebra, *, tolerance: float = 1e-4, on_error: OnError = "raise"
) -> Multivector:
    """Rotor of an isometry matrix, with a deterministic sign.

    R e_j ~R = sum_i M_ij e_i.  R and -R give the same M: the scalar part is positive when
    |R_0| > 2^-26 max |R|, else the first coefficient in blade order within 1e-6 of the largest is.

    Parameters
    ----------
    M : array (..., n, n), column j the image of e_j.
    algebra : the Algebra whose rotor is wanted.
    tolerance : M counts as an isometry while max |M^T G M - G| <= tolerance max(1, max |M|)^2, the
        maximum over the rows with g_i != 0; below that the nearest group element is taken.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).  For r >= 2 the part in the exterior
    square of the radical, which no matrix shows, is zero.

    Raises
    ------
    NotOrthogonal above the tolerance; NotInImage with reason "det", "component" (both p and q
    flipped an odd number of times) or "null block" (the radical is not fixed pointwise).

    Error bound: 4 eps (Euclid), 4 eps max |M| (indefinite); never fails at half turns, because
    |det(I + M D)| >= 1 for the chosen signs D.  Gradient: defined by the local inverse.

    References
    ----------
    [1] E. O'Dorney, "Minimizing the Cayley transform of an orthogonal matrix by multiplying by
        signature matrices", Linear Algebra Appl. 448 (2014) 97-103.

    Examples
    --------
    >>> from geomlin import Algebra, rotor_from_matrix
    >>> print(rotor_from_matrix([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], Algebra(3)))   # a half turn
    e₁₂
    """
    check_on_error(on_error)
    if algebra.backend_object.exact:
        raise NotSupported(
            f"rotor_from_matrix needs float matrices, got backend {algebra.backend!r}: the entries "
            "of the rotor are square roots; use an algebra with backend='numpy'"
        )
    n = algebra.n
    matrix, dtype = real_floats(M, "a matrix")
    if matrix.ndim < 2 or matrix.shape[-2:] != (n, n):
        raise LayoutError(
            f"expected matrices (..., {n}, {n}) for {algebra}, got shape {matrix.shape}"
        )
    failures = _Failures(matrix.shape[:-2], on_error)
    metric = np.array(algebra.metric, dtype=np.float64)
    isometry = _isometry(matrix, metric, tolerance, failures)
    _check_null_block(isometry, metric == 0, tolerance, failures)
    values = _lifted(isometry, algebra, failures)
    _check_far(isometry, values, algebra, tolerance, failures)
    values = canonical_sign(from_compact(values, n))
    values[failures.mask] = np.nan
    return algebra.scalar(0.0).replace(even_layout(n), rounded(values, dtype))


class _Failures:
    """Batch elements that have no answer; raises at once unless NaN is wanted."""

    def __init__(self, shape: tuple[int, ...], on_error: OnError) -> None:
        self.mask = np.zeros(shape, dtype=bool)
        self.on_error = on_error

    def add(self, bad: Any, error: type[Exception], message: str, **details: str) -> None:
        bad = bad & ~self.mask
        if np.any(bad) and self.on_error == "raise":
            indices, count = failing_indices(bad)
            raise error(message, indices=indices, count=count, **details)
        self.mask = self.mask | bad


def _size(matrix: Any, metric: Any) -> Any:
    """max(1, max |M|) over the rows that enter M^T G M."""
    rows = matrix[..., metric != 0, :]
    return np.maximum(1.0, np.abs(rows).max(axis=(-1, -2), initial=0))


def _defect(matrix: Any, metric: Any, size: Any) -> Any:
    """(M^T G M - G) / size^2, without overflow."""
    scaled = np.where(metric[:, None] != 0, matrix, 0.0) / size[..., None, None]
    unit = np.diag(metric) / (size**2)[..., None, None]
    return np.swapaxes(scaled, -1, -2) * metric @ scaled - unit


def _isometry(matrix: Any, metric: Any, tolerance: float, failures: _Failures) -> Any:
    """The nearest isometry: Newton's iteration M <- M - M G (M^T G M - G) / 2 on the block of the
    vectors with g_i != 0, where this gains digits.

    The lift answers to second order in the defect by itself, and a step costs |M|^2 roundings.
    So steps pay while defect^2 > eps |M|^2, and converge while the defect is below one half.
    """
    size = _size(matrix, metric)
    with np.errstate(over="ignore", under="ignore"):
        defect = np.abs(_defect(matrix, metric, size)).max(axis=(-1, -2), initial=0)
    bad = ~(defect <= tolerance)
    failures.add(
        bad,
        NotOrthogonal,
        f"expected max |M^T G M - G| <= {tolerance:g} max(1, max |M|)^2, got a defect of "
        f"{np.max(np.where(bad, defect, 0), initial=0):.3g} max(1, max |M|)^2: project the "
        "matrix first, or raise `tolerance` if the nearest isometry is meant",
    )
    result = np.where(failures.mask[..., None, None], np.eye(len(metric)), matrix)
    size = np.where(failures.mask, 1.0, size)
    g = metric[metric != 0]
    m = len(g)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for _ in range(7):  # quadratic: 0.5 becomes 1e-16 in six or seven steps
            block = result[..., :m, :m]
            defect = _defect(block, g, size) * (size**2)[..., None, None]
            total = np.sqrt((defect**2).sum(axis=(-1, -2)))
            pays = (total > 2 * np.sqrt(_EPS) * size) & (total < _CONVERGES)
            if not pays.any():
                break
            step = block * g @ defect / 2
            result[..., :m, :m] = np.where(pays[..., None, None], block - step, block)
    return result


def _check_null_block(matrix: Any, null: Any, tolerance: float, failures: _Failures) -> None:
    """Rotors fix the radical pointwise: column j of a null e_j is e_j."""
    moved = matrix[..., :, null] - np.eye(len(null))[:, null]
    failures.add(
        np.abs(moved).max(axis=(-1, -2), initial=0) > tolerance,
        NotInImage,
        "expected every null basis vector to be fixed, as all rotors do, got a matrix that moves "
        "one: it is no product of reflections in invertible vectors",
        reason="null block",
    )


def _lifted(matrix: Any, algebra: Algebra, failures: _Failures) -> Any:
    """Even coefficients in kernel order of the rotors that act by the matrices."""
    from ..kernels.lift import lift

    matrix = np.where(failures.mask[..., None, None], np.eye(algebra.n), matrix)
    found = lift(matrix, algebra.metric)
    failures.add(
        ~np.isfinite(found.asymmetry),
        NotOrthogonal,
        "expected an isometry, got a matrix so large that its rotor has no digits left",
    )
    failures.add(
        found.odd,
        NotInImage,
        "expected determinant +1, got -1: the matrix is the image of an odd versor, a product of "
        "an odd number of reflections; compose with one reflection first",
        reason="det",
    )
    failures.add(
        found.spinor_norm < 0,
        NotInImage,
        "expected the identity component, got a matrix that reverses both the positive and the "
        "negative orientation: only an even versor with R ~R = -1 maps to it",
        reason="component",
    )
    return found.coefficients


def _check_far(
    matrix: Any, values: Any, algebra: Algebra, tolerance: float, failures: _Failures
) -> None:
    """Where no step could be made, the rotor must act by M within tolerance max |M|."""
    from ..kernels.lift import rotor_matrix

    g = np.array([x for x in algebra.metric if x], dtype=np.float64)
    m = len(g)
    block = matrix[..., :m, :m]
    size = _size(block, g)
    defect = _defect(block, g, size)
    with np.errstate(over="ignore", under="ignore"):
        far = np.sqrt((defect**2).sum(axis=(-1, -2))) * size**2 >= _CONVERGES
    far = far & ~failures.mask
    if not far.any():
        return
    difference = rotor_matrix(values[far], algebra.metric)[..., :m, :m] - block[far]
    bad = np.zeros(far.shape, dtype=bool)
    bad[far] = ~(np.abs(difference).max(axis=(-1, -2)) <= tolerance * size[far])
    failures.add(
        bad,
        NotOrthogonal,
        f"expected a matrix within {tolerance:g} max |M| of an isometry, got none that near: "
        "the matrix has too few digits for its size",
    )


def canonical_sign(values: Any) -> Any:
    """The representative of +-R with the sign that rotor_from_matrix documents."""
    size = np.abs(values)
    largest = size.max(axis=-1, keepdims=True, initial=0)
    first = np.argmax(size >= (1 - 1e-6) * largest, axis=-1, keepdims=True)
    position = np.where(size[..., :1] > 2.0**-26 * largest, 0, first)
    leading = np.take_along_axis(values, position, axis=-1)
    return np.where(leading < 0, -values, values)
