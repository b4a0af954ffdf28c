"""Rotors of matrices: the lift SO -> Spin of the double cover, with a deterministic sign."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotInImage, NotOrthogonal, NotSupported
from ..layout import even_layout
from ..operation import check_tolerance, leaf
from .bivectors import from_compact
from .failures import OnError, check_on_error, rounded_or_nan
from .lift_checks import (
    Failures,
    check_isometry,
    check_null_block,
    finite_or_identity,
    size_of_matrix,
)

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..kernels.lift import Lift
    from ..multivector import Multivector

_NOISE = 1e-10  # relative defect of an isometry up to which it counts as rounding
_GARBAGE = 0.5  # relative error at which rounding alone has eaten every digit
_FAR = 2.0**-26  # relative distance from M beyond which a lift is sought by its boosts
_FAR_IN_EPS = 1024.0  # the same in units of the rounding of M, if that is more
_ROUNDING = 2.0**-46  # of |R|^2, the terms that cancel in the matrix of R: 64 eps
_MOVED = 256.0  # in units of the noise: the polar factor beyond is not the nearest isometry
_PLAIN = 2.0**-10  # asymmetry of the Cayley parameter up to which signs of determinants are known


@leaf
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
        maximum over the rows with g_i != 0.  Below that the nearest group element is taken: the
        polar factor; in indefinite metrics one within sqrt(tolerance) max |M|, beside the rounding
        eps |R|^2 of the matrix of R.  Rounding to the dtype of M, n eps, is always allowed.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).  Symbolic matrices (sympy, r = 0, n <= 5)
    get a sign that is continuous where it can be.  For r >= 2 the part in the exterior
    square of the radical, which no matrix shows, is zero.

    Raises
    ------
    NotOrthogonal above the tolerance, or if no group element is that near; NotInImage with reason
    "det", "component" (both p and q flipped an odd number of times) or "null block" (the radical is
    not fixed pointwise).

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
    foreign = getattr(type(algebra), "__geomlin_operation__", None)
    if foreign is not None:  # see geomlin.operation: here the algebra, not M, is another library's
        found: Multivector = foreign(algebra, "rotor_from_matrix", (M, algebra), {})
        return found
    check_on_error(on_error)
    check_tolerance(tolerance)
    if not hasattr(algebra, "backend_object"):
        raise LayoutError(
            f"expected an Algebra as second argument, got {type(algebra).__name__}: write "
            "rotor_from_matrix(M, algebra)"
        )
    answers = getattr(algebra.backend_object, "answers", None)
    if answers is not None:
        lifted: Multivector = answers["rotor_from_matrix"](
            M, algebra, tolerance=tolerance, on_error=on_error
        )
        return lifted
    if algebra.backend == "arb":
        from ..certified.cover import certified_lift

        return certified_lift(M, algebra)
    if algebra.backend == "sympy":
        from .symbolic_lift import matrix_rotor

        return matrix_rotor(M, algebra)
    if algebra.backend_object.exact:
        raise NotSupported(
            f"rotor_from_matrix needs float matrices, got backend {algebra.backend!r}: the entries "
            "of the rotor are square roots; use an algebra with backend='numpy'"
        )
    n = algebra.n
    backend: Any = algebra.backend_object
    given = backend.floats(M)
    matrix, dtype = given.astype(np.float64), given.dtype
    if matrix.ndim < 2 or matrix.shape[-2:] != (n, n):
        raise LayoutError(
            f"expected matrices (..., {n}, {n}) for {algebra}, got shape {matrix.shape}"
        )
    failures = Failures(matrix.shape[:-2], on_error)
    matrix = finite_or_identity(matrix, failures)
    metric = _metric_array(algebra.metric)
    tolerance = max(float(tolerance), n * float(np.finfo(dtype).eps))  # rounding is allowed
    noise = check_isometry(matrix, metric, tolerance, failures)
    matrix = failures.replaced(matrix)
    if 0 in algebra.metric:
        check_null_block(matrix, metric == 0, tolerance, failures)
    noisy = (noise > max(_NOISE, 64 * np.finfo(dtype).eps)) & ~failures.mask
    isometry, scaled = matrix, False
    if noisy.any():
        isometry, scaled = _projected(matrix, metric, noise, noisy)
    versors = _lifted(isometry, algebra, failures)
    if 1 in algebra.metric and -1 in algebra.metric:
        allowed = np.where(noisy, np.sqrt(tolerance), _GARBAGE)
        far = max(_FAR, _FAR_IN_EPS * float(np.finfo(dtype).eps))
        versors = _near(matrix, isometry, versors, scaled, algebra, allowed, far, failures)
    _refuse_outside(versors, failures)
    values = versors.coefficients
    values = canonical_sign(from_compact(values, n))
    values[failures.mask] = np.nan
    return algebra.scalar(0.0).replace(even_layout(n), rounded_or_nan(values, dtype, on_error))


@cache
def _metric_array(metric: tuple[int, ...]) -> Any:
    """Squares of e1..en as floats."""
    return np.array(metric, dtype=np.float64)


def _projected(matrix: Any, metric: Any, noise: Any, noisy: Any) -> tuple[Any, Any]:
    """M with its block of the vectors with g_i != 0 replaced by the polar factor O, M = O S with
    G S symmetric; and where this failed, or left M for a matrix further than others in the group.

    Only for defects above rounding.  The lift itself answers to second order in definite metrics,
    and in indefinite ones it stays closer to M: there the polar factor moves by |M|^2 times the
    noise.
    """
    m = np.count_nonzero(metric)
    g = metric[:m]
    block = matrix[..., :m, :m]
    failed = np.zeros_like(noisy)
    if len(set(g)) == 1:
        left, _, right = np.linalg.svd(block)
        polar = left @ right
    else:
        from ..kernels.nearest_isometry import newton_isometry

        polar, failed = newton_isometry(block, g)
        moved = np.abs(polar - block).max(axis=(-1, -2))
        failed = failed | ~(moved <= _MOVED * noise * size_of_matrix(block, g))
    result = matrix.copy()
    result[..., :m, :m] = np.where((noisy & ~failed)[..., None, None], polar, block)
    return result, noisy & failed


def _lifted(matrix: Any, algebra: Algebra, failures: Failures) -> Lift:
    """Versors in kernel order that act by the matrices."""
    from ..kernels.lift import lift

    found = lift(failures.replaced(matrix), algebra.metric)
    failures.add(
        ~np.isfinite(found.asymmetry),
        NotOrthogonal,
        "expected an isometry, got a matrix so large that its rotor has no digits left",
    )
    return found


def _refuse_outside(found: Lift, failures: Failures) -> None:
    """Only even versors with R ~R = 1 are rotors."""
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


def _near(
    matrix: Any,
    isometry: Any,
    found: Lift,
    scaled: Any,
    algebra: Algebra,
    allowed: Any,
    far: float,
    failures: Failures,
) -> Lift:
    """Lifts in an indefinite metric; refused where they miss M by more than `allowed` max |M|.

    A matrix of several large boosts that is no isometry to rounding has a Cayley parameter that is
    not antisymmetric, and the lift of its antisymmetric part acts by a matrix far from M; the same
    where `scaled` says that Newton's iteration has not converged.  There, and where the answer is
    `far` from the isometry in units of max |M|, the boosts are split off one by one.
    """
    from ..kernels.lift import matrix_or_infinite
    from ..kernels.nearest_isometry import nearest_isometry

    m = np.count_nonzero(algebra.metric)
    size = size_of_matrix(matrix, np.array(algebra.metric))
    fields: Any = map(np.array, found[:3])
    values, odd, spinor_norm = fields
    acting = matrix_or_infinite(values, algebra.metric)[..., :m, :m]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        rounding = _ROUNDING * np.abs(values).max(axis=-1) ** 2
        missed = np.abs(acting - isometry[..., :m, :m]).max(axis=(-1, -2))
        outside = (odd | (spinor_norm < 0)) & (found.asymmetry <= _PLAIN)
        poor = (scaled | ~(missed <= far * size + rounding)) & ~outside & ~failures.mask
        for index in map(tuple, np.argwhere(poor)):
            nearby = nearest_isometry(matrix[index], algebra.metric)
            values[index], odd[index], spinor_norm[index], acting[index] = nearby
        distance = np.abs(acting - matrix[..., :m, :m]).max(axis=(-1, -2))
        known = distance + np.finfo(float).eps * size <= _GARBAGE  # the relative error of R
        near = np.where(poor, known, True) & (
            distance <= allowed * size + np.where(poor, 0.0, rounding)
        )
    failures.add(
        ~(near | outside),
        NotOrthogonal,
        "expected a matrix near an isometry, found none within "
        f"{np.min(allowed, initial=_GARBAGE):.2g} max |M| and {_GARBAGE}, the relative error of R: "
        "the matrix has too few digits for its size",
    )
    return found._replace(coefficients=values, odd=odd, spinor_norm=spinor_norm)


def canonical_sign(values: Any) -> Any:
    """The representative of +-R with the sign that rotor_from_matrix documents."""
    size = np.abs(values)
    largest = size.max(axis=-1, keepdims=True, initial=0)
    if values.ndim == 1 and size[0] > 2.0**-26 * largest[0]:
        return -values if values[0] < 0 else values
    first = np.argmax(size >= (1 - 1e-6) * largest, axis=-1, keepdims=True)
    position = np.where(size[..., :1] > 2.0**-26 * largest, 0, first)
    leading = np.take_along_axis(values, position, axis=-1)
    return np.where(leading < 0, -values, values)
