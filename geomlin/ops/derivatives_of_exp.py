"""Derivatives of exp and log between bivectors and rotors, and their transposes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError
from .grades import check_operands, odd
from .tangents import (
    as_bivector,
    as_even,
    batched,
    bivector_cotangent,
    bivector_matrix,
    even_coefficients,
)

if TYPE_CHECKING:
    from ..multivector import Multivector


def exp_jvp(B: Multivector, dB: Multivector) -> Multivector:
    """Derivative of exp at a bivector along a bivector.

    dR = int_0^1 e^(s B) dB e^((1 - s) B) ds = Omega R,  Omega = phi(ad_B) dB,
    phi(z) = (e^z - 1) / z: defined everywhere, equal angles, null and defective B included.

    Parameters
    ----------
    B, dB : bivectors, coeffs (..., n(n-1)/2).

    Returns
    -------
    Multivector in the even layout: the tangent of R = exp(B).

    Raises: RapidityOverflow beyond the range of the dtype.
    Error bound: 1e-13 max(1, kappa), kappa the condition number of exp at B.

    References
    ----------
    [1] W. Rossmann, "Lie Groups: An Introduction through Linear Groups" (2002), section 1.2.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import exp_jvp
    >>> alg = Algebra(3)
    >>> print(exp_jvp(alg.bivector([0, 0, 0]), alg.bivector([1, 2, 3])))   # finite at zero
    e₁₂ + 2.0 e₁₃ + 3.0 e₂₃
    """
    from ..kernels.derivatives import exp_jvp as kernel

    b, db = bivector_matrix(B), bivector_matrix(dB)
    check_operands(B, dB)
    metric = B.algebra.metric
    found = batched(lambda x, y: kernel(x, y, metric), b, db, cores=(2, 2))
    return as_even(found, B.algebra, np.result_type(B.dtype, dB.dtype))


def exp_vjp(B: Multivector, R_bar: Multivector) -> Multivector:
    """Transpose of `exp_jvp` at B, applied to a cotangent of R = exp(B).

    B_bar = phi(ad_B)^T l,  l_ij = <R_bar, e_i e_j R>: the gradient in the coordinates b_ij, not in
    those of the Lie algebra at R.

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2).
    R_bar : multivector in any layout; only its even coefficients matter.

    Returns
    -------
    Bivector: B_bar_ij = d <R_bar, exp(B)> / d b_ij.

    Raises and error bound: as `exp_jvp`.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import exp_vjp
    >>> alg = Algebra(4)                                    # equal angles: no eigenvector gradient
    >>> print(exp_vjp(alg.bivector({"e12": 1, "e34": 1}), alg.scalar(1)).coeffs.round(6) + 0.0)
    [-0.454649  0.        0.        0.        0.       -0.454649]
    """
    from ..kernels.derivatives import exp_vjp as kernel

    b, cotangent = bivector_matrix(B), even_coefficients(R_bar)
    check_operands(B, R_bar)
    metric = B.algebra.metric
    found = batched(lambda x, y: kernel(x, y, metric), b, cotangent, cores=(2, 1))
    return as_bivector(found, B.algebra, np.result_type(B.dtype, R_bar.dtype))


def log_jvp(
    R: Multivector,
    dR: Multivector,
    *,
    B: Multivector | None = None,
    normalize: bool = False,
    flags: bool = False,
) -> Any:
    """Derivative of log at a rotor along a tangent.

    dB = phi(ad_B)^-1 <dR ~R>_2,  B = log R,  phi(z) = (e^z - 1) / z.

    Components of dR that are no tangents of rotors are ignored, except for what they contribute to
    <dR ~R>_2.  With a definite null-free metric, and with normalize=True, it is the derivative of
    log(R / |R|).

    Parameters
    ----------
    R : rotor; dR : even multivector.
    B : the logarithm of R, if it is known already (any branch); else log(R).
    normalize : as in log: R counts as R / |R|.
    flags : also return where the derivative is singular.

    Returns
    -------
    Bivector dB; with flags=True also a bool array: True where half of the digits or all are lost.
    That is where beta_j +- beta_k = m pi, m != 0, to eight digits, so that log has no derivative;
    its singular directions are dropped, and dB is finite.  In other than definite metrics it is
    where phi(ad_B) has a singular value below 1.5e-8, absolutely or of the largest: by boosts of
    total rapidity beta > 9 too.

    Raises: as log; LayoutError if dR has odd coefficients.
    Error bound: 1e-13 max(1, kappa), kappa the condition number of dR -> dB.  It grows as the
    reciprocal distance to beta_j +- beta_k = m pi, and as e^(2 beta) with boosts beta.

    Examples
    --------
    >>> from geomlin import Algebra, exp
    >>> from geomlin.derivatives import log_jvp
    >>> alg = Algebra(3)
    >>> B = alg.bivector([0, 0, -1.5707963267948966])                # half turn: scalar part zero
    >>> print(log_jvp(exp(B), alg.even([1, 0, 0, 0]), B=B).coeffs.round(12) + 0.0)
    [0. 0. 1.]
    """
    check_operands(R, dR)
    if np.any(odd(dR).coeffs):
        raise LayoutError(
            "expected an even tangent, got odd coefficients: take even(dR) if they are to be "
            "dropped"
        )
    from ..kernels.derivatives import log_jvp as kernel

    found, singular = _log_derivative(kernel, R, even_coefficients(dR), 1, B, normalize)
    result = as_bivector(found, R.algebra, np.result_type(R.dtype, dR.dtype))
    return (result, singular) if flags else result


def log_vjp(
    R: Multivector,
    B_bar: Multivector,
    *,
    B: Multivector | None = None,
    normalize: bool = False,
    flags: bool = False,
) -> Any:
    """Transpose of `log_jvp` at R, applied to a cotangent of B = log R.

    <R_bar, dR> = <phi(ad_B)^-T B_bar, <dR ~R>_2> for every even dR.

    Parameters
    ----------
    R : rotor; B_bar : multivector in any layout, of which only the bivector coefficients matter.
    B, normalize, flags : as in `log_jvp`.

    Returns
    -------
    R_bar in the even layout; with flags=True also the bool array of `log_jvp`.

    Raises and error bound: as `log_jvp`.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import log_vjp
    >>> alg = Algebra(3)
    >>> print(log_vjp(alg.scalar(1.0), alg.bivector([1, 2, 3]), B=alg.bivector([0, 0, 0])))
    e₁₂ + 2.0 e₁₃ + 3.0 e₂₃
    """
    from ..kernels.derivatives import log_vjp as kernel

    check_operands(R, B_bar)
    found, singular = _log_derivative(kernel, R, bivector_cotangent(B_bar), 2, B, normalize)
    result = as_even(found, R.algebra, np.result_type(R.dtype, B_bar.dtype))
    return (result, singular) if flags else result


def _log_derivative(
    kernel: Callable[..., Any],
    r: Multivector,
    direction: Any,
    core: int,
    known: Multivector | None,
    normalize: bool,
) -> Any:
    """The kernel at R, log R and a direction with `core` axes that are no batch axes.

    Definite metrics are homogeneous even without normalize: log is a function of R / |R| there.
    """
    if known is None:
        from .logarithm import log

        known = log(r, normalize=normalize)
    check_operands(r, known)
    metric = r.algebra.metric
    homogeneous = normalize or len(set(metric) - {0}) <= 1
    return batched(
        lambda b, x, y: kernel(b, x, y, metric, homogeneous=homogeneous),
        bivector_matrix(known),
        even_coefficients(r),
        direction,
        cores=(2, 1, core),
    )
