"""Derivatives of the double cover Spin -> SO and of its lift, and their transposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotSupported
from .failures import rounded
from .grades import check_operands, check_same_algebra
from .lift import rotor_from_matrix
from .matrices import rotor_to_matrix
from .tangents import as_even, batched, even_coefficients, square_matrices

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector


def rotor_to_matrix_jvp(R: Multivector, dR: Multivector) -> Any:
    """Derivative of rotor_to_matrix at a rotor along a tangent.

    dM_ij = <dR e_j ~R + R e_j ~dR>_(e_i) = 2 <dR e_j ~R>_(e_i): M is quadratic in R.

    Parameters
    ----------
    R : rotor; dR : multivector in any layout, of which only the even coefficients matter.

    Returns
    -------
    Array (..., n, n).

    Raises: NotARotor and RapidityOverflow as rotor_to_matrix.
    Error bound: 8 eps sum |dR_S| sum |R_S|.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import rotor_to_matrix_jvp
    >>> alg = Algebra(2)
    >>> rotor_to_matrix_jvp(alg.scalar(1.0), alg.blade("e12")) + 0.0    # twice the half-angle
    array([[ 0.,  2.],
           [-2.,  0.]])
    """
    from ..kernels.derivatives_matrix import rotor_matrix_jvp

    rotor_to_matrix(R)
    values, tangent = even_coefficients(R), even_coefficients(dR)
    check_operands(R, dR)
    metric = R.algebra.metric
    found = batched(lambda x, y: rotor_matrix_jvp(x, y, metric), values, tangent, cores=(1, 1))
    return rounded(found, np.result_type(R.dtype, dR.dtype))


def rotor_to_matrix_vjp(R: Multivector, M_bar: Any) -> Multivector:
    """Transpose of `rotor_to_matrix_jvp` at R, applied to a cotangent of the matrix.

    <R_bar, dR> = sum_ij M_bar_ij dM_ij for every even dR.

    Parameters
    ----------
    R : rotor; M_bar : array (..., n, n).

    Returns
    -------
    R_bar in the even layout.  Only its products <R_bar, e_i e_j R> concern rotors; the rest of it
    continues the polynomial R e_j ~R beyond them.

    Raises and error bound: as `rotor_to_matrix_jvp`.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import rotor_to_matrix_vjp
    >>> print(rotor_to_matrix_vjp(Algebra(2).scalar(1.0), [[0, 1], [0, 0]]))
    2.0 e₁₂
    """
    from ..kernels.derivatives_matrix import rotor_matrix_vjp

    rotor_to_matrix(R)
    values, metric = even_coefficients(R), R.algebra.metric
    cotangent, dtype = square_matrices(M_bar, R.algebra.n, "a cotangent")
    found = batched(lambda x, y: rotor_matrix_vjp(x, y, metric), values, cotangent, cores=(1, 2))
    return as_even(found, R.algebra, np.result_type(R.dtype, dtype))


def rotor_from_matrix_jvp(
    M: Any, dM: Any, algebra: Algebra, *, tolerance: float = 1e-4
) -> Multivector:
    """Derivative of rotor_from_matrix at a matrix along a tangent.

    dR = Omega R,  omega G = dM M^-1 / 2, on the sheet of the sign that rotor_from_matrix returns.
    Only the antisymmetric part of dM M^-1 G enters: what leaves the group is projected away.

    Parameters
    ----------
    M, dM : arrays (..., n, n).
    algebra, tolerance : as in rotor_from_matrix; r <= 1.

    Returns
    -------
    Multivector in the even layout: the tangent of R.

    Raises: as rotor_from_matrix; NotSupported for r >= 2.
    Error bound: 16 eps max |M|^2 max |dM| max |R|, half turns included; where the sign of R
    changes, R itself jumps.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import rotor_from_matrix_jvp
    >>> dM = np.array([[0, 0.5], [-0.5, 0]])
    >>> print(rotor_from_matrix_jvp(np.eye(2), dM, Algebra(2)))    # half of the rotation angle
    0.25 e₁₂
    """
    from ..kernels.derivatives_matrix import matrix_rotor_jvp

    values, dtype = _lifted(M, algebra, tolerance)
    change, other = square_matrices(dM, algebra.n, "a tangent")
    metric = algebra.metric
    found = batched(lambda x, y: matrix_rotor_jvp(x, y, metric), values, change, cores=(1, 2))
    return as_even(found, algebra, np.result_type(dtype, other))


def rotor_from_matrix_vjp(
    M: Any, R_bar: Multivector, algebra: Algebra, *, tolerance: float = 1e-4
) -> Any:
    """Transpose of `rotor_from_matrix_jvp` at M, applied to a cotangent of the rotor.

    <R_bar, dR> = sum_ij M_bar_ij dM_ij for every matrix dM.

    Parameters
    ----------
    M : array (..., n, n); R_bar : multivector in any layout.
    algebra, tolerance : as in rotor_from_matrix; r <= 1.

    Returns
    -------
    M_bar, array (..., n, n).

    Raises and error bound: as `rotor_from_matrix_jvp`.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import rotor_from_matrix_vjp
    >>> rotor_from_matrix_vjp(np.eye(2), Algebra(2).blade("e12"), Algebra(2)) + 0.0
    array([[ 0.  ,  0.25],
           [-0.25,  0.  ]])
    """
    from ..kernels.derivatives_matrix import matrix_rotor_vjp

    values, dtype = _lifted(M, algebra, tolerance)
    check_same_algebra(algebra.scalar(0.0), R_bar)
    cotangent, metric = even_coefficients(R_bar), algebra.metric
    found = batched(lambda x, y: matrix_rotor_vjp(x, y, metric), values, cotangent, cores=(1, 1))
    return rounded(found, np.result_type(dtype, R_bar.dtype))


def _lifted(matrix: Any, algebra: Algebra, tolerance: float) -> tuple[Any, Any]:
    """The rotor in kernel order, computed from the float64 matrix, and the dtype given."""
    if not hasattr(algebra, "backend_object"):
        raise LayoutError(
            f"expected an Algebra after the matrix and its tangent, got {type(algebra).__name__}: "
            "pass Algebra(p, q, r)"
        )
    if algebra.signature.r > 1:
        raise NotSupported(
            f"expected at most one null vector, got {algebra}: products of two null vectors do "
            "not show in the matrix, and rotor_from_matrix fixes them by a convention"
        )
    values, dtype = square_matrices(matrix, algebra.n, "a matrix")
    return even_coefficients(rotor_from_matrix(values, algebra, tolerance=tolerance)), dtype
