"""The published split of a bivector, by power iteration: a record of what it does, not a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DtypeError, LayoutError, NotSupported
from ..operation import operation
from .bivectors import antisymmetric, bivector_part, require_floats, upper_triangle
from .failures import check_finite, rounded
from .scaling import power_of_two

if TYPE_CHECKING:
    from ..multivector import Multivector

PUBLISHED_TOLERANCE = 1e-5
PUBLISHED_ITERATIONS = 20
_SMALLEST = 1e-12  # length below which an iterate is not normalised: B has no further plane


class PowerIteration(NamedTuple):
    """Parts of a bivector, and how far the iterations came.

    parts : Multivector in the bivector layout, batch shape (..., n//2), adding up to B; they are
        simple, but the last, and commute, only as far as the iterations converged.
    changes : array (..., n//2 - 1), distance of the last two iterates, up to sign.
    counts : integer array (n//2 - 1,), iterations made for each part, for the whole batch.
    """

    parts: Multivector
    changes: Any
    counts: Any

    def converged(self, tolerance: float = PUBLISHED_TOLERANCE) -> Any:
        """Which iterations came to rest, (..., n//2 - 1)."""
        return self.changes < tolerance


@operation
def power_iteration_decomposition(
    B: Multivector,
    *,
    tolerance: float = PUBLISHED_TOLERANCE,
    iterations: int = PUBLISHED_ITERATIONS,
) -> PowerIteration:
    """Split of a bivector by power iteration, plane after plane, as it was published [1].

    v <- (v . B) . B / |(v . B) . B|,   b_1 = v ^ (v . B),   B <- B - b_1,

    n//2 - 1 times from v = (cos 1, .., cos n); the rest is the last part.  The error falls with the
    square of the ratio of neighbouring angles in each step, so equal or close angles do not
    converge.  It is here to be compared with: invariant_decomposition gives the split itself.

    Parameters
    ----------
    B : bivector of a Euclidean algebra, coeffs (..., n(n-1)/2).
    tolerance, iterations : stop when every iterate of a part changes by less, or after so many.

    Returns
    -------
    PowerIteration(parts, changes, counts).

    Units: half-angles, as in exp.

    Raises
    ------
    RapidityOverflow if a part exceeds the range of the dtype.
    NotSupported unless every basis vector squares to +1, and on other backends than numpy: tensors
    have geomlin.nn.power_iteration_decomposition.

    Error bound: none; `changes` and `converged()` tell.
    Gradient: geomlin.nn differentiates the iterations, as published.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, algorithms 1 and 2.

    Examples
    --------
    >>> from geomlin import Algebra, power_iteration_decomposition
    >>> B = Algebra(4).bivector({"e12": 2.0, "e34": 1.9})          # close angles
    >>> found = power_iteration_decomposition(B)
    >>> found.counts.tolist(), found.converged().tolist()
    ([20], [False])
    """
    require_floats(B, "power_iteration_decomposition")
    check_finite(B.coeffs, "coefficients")
    _check_iterations(iterations)
    part, n = bivector_part(B), B.algebra.n
    if set(B.algebra.metric) != {1}:
        raise NotSupported(
            f"power_iteration_decomposition needs a Euclidean algebra, got {B.algebra}: the "
            "iterates have no length in other metrics; use invariant_decomposition(B)"
        )
    scale = power_of_two(part.coeffs.astype(np.float64))[..., None, None]
    rest = antisymmetric(part.coeffs.astype(np.float64), n) / scale
    parts, changes, counts = [], [], []
    for _ in range(n // 2 - 1):
        v, change, count = _dominant(rest, tolerance, iterations)
        u = (v[..., None, :] @ rest)[..., 0, :]  # v . B
        plane = v[..., :, None] * u[..., None, :]
        plane = plane - plane.swapaxes(-1, -2)
        parts.append(plane * scale)
        changes.append(change)
        counts.append(count)
        rest = rest - plane
    if n >= 2:
        parts.append(rest * scale)
    return PowerIteration(
        part.replace(part.layout, _stacked(parts, (*B.shape, n, n), B.dtype)),
        np.stack(changes, axis=-1) if changes else np.zeros((*B.shape, 0)),
        np.array(counts, dtype=np.int64),
    )


def _check_iterations(iterations: Any) -> None:
    if isinstance(iterations, bool) or not isinstance(iterations, (int, np.integer)):
        raise DtypeError(f"expected an integer number of iterations, got {iterations!r}")
    if iterations < 1:
        raise LayoutError(f"expected at least one iteration, got {iterations}")


def _dominant(matrix: Any, tolerance: float, iterations: int) -> tuple[Any, Any, int]:
    """A vector of the plane of the largest angle, the last change, and the iterations made."""
    n = matrix.shape[-1]
    square = matrix @ matrix  # (v . B) . B = M M v: negative, so that the sign alternates
    v = np.broadcast_to(np.cos(np.arange(1.0, n + 1.0)), matrix.shape[:-1])
    change, count = np.full(matrix.shape[:-2], np.inf), 0
    while count < iterations:
        count += 1
        following = (square @ v[..., None])[..., 0]
        length = np.linalg.norm(following, axis=-1, keepdims=True)
        following = following / np.maximum(length, _SMALLEST)
        change = np.linalg.norm(following + v, axis=-1)
        v = following
        if (change < tolerance).all():
            break
    return v, change, count


def _stacked(parts: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """Coefficients (..., count, n(n-1)/2) of antisymmetric matrices of one shape (..., n, n)."""
    matrices = np.stack(parts, axis=-3) if parts else np.zeros((*shape[:-2], 0, *shape[-2:]))
    return rounded(upper_triangle(matrices), dtype, axes=2)
