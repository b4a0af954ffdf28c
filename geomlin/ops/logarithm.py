"""log of rotors: the bivector B with exp(B) = R, in every signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from ..errors import NoRealLogarithm, NotARotor, NotSupported
from ..layout import grade_layout
from ..operation import operation, returns
from .bivectors import require_floats, to_compact, upper_triangle
from .failures import (
    OnError,
    check_finite,
    check_on_error,
    failing_indices,
    real_floats,
    rounded_or_nan,
)

if TYPE_CHECKING:
    from ..multivector import Multivector

_TOLERANCE = 1e-6  # |R ~R - 1| / max |R|^2 that is still a rotor
_ROUNDINGS = 8  # eps of the dtype, times sum_S R_S^2: rounding of the coefficients is no violation


class Logarithm(NamedTuple):
    """log of rotors with its flags.

    bivector : Multivector in the bivector layout.
    on_cut : bool array of the batch shape, True where a rule or rounding decides the branch; False
        where the bivector is NaN.
    """

    bivector: Multivector
    on_cut: Any


@overload
def log(
    R: Multivector,
    *,
    up_to_sign: bool = ...,
    normalize: bool = ...,
    on_error: OnError = ...,
    flags: Literal[False] = ...,
) -> Multivector: ...
@overload
def log(
    R: Multivector,
    *,
    up_to_sign: bool = ...,
    normalize: bool = ...,
    on_error: OnError = ...,
    flags: Literal[True],
) -> Logarithm: ...
@operation
@returns(Logarithm)
def log(
    R: Multivector,
    *,
    up_to_sign: bool = False,
    normalize: bool = False,
    on_error: OnError = "raise",
    flags: bool = False,
) -> Multivector | Logarithm:
    """Logarithm of a rotor: the bivector whose exponential is R, sign included.

    exp(B) = R.  B is unique when its rotation parts satisfy beta_1 + beta_2 < pi (beta_1 < pi for
    one part), boost, null and complex parts being principal; in definite metrics it is the
    shortest.  Where no such B exists, the largest invariant rotation plane of the principal
    logarithm of the rotation, or else the first canonical plane that it fixes, turns by -pi or pi
    more; it is orthogonal to the translation of -(1 + v e_0).  log(-1) = pi e_ij, the first i < j
    with g_i = g_j != 0.

    Parameters
    ----------
    R : rotor, coeffs (..., size) of even grades, with max |R ~R - 1| <= 1e-6 max |R|^2.  Definite
        metrics use R / |R|; others do not divide by a computed R ~R.
    up_to_sign : exp(B) = +-R with all beta_k <= pi/2: the generator of the rotation, the same for
        R and -R.  Half turns are +pi/2 in canonical planes.
    normalize : take R / sqrt(R ~R) for any R ~R > 0.
    on_error : "raise", or "nan" to get NaN in the failing batch elements.
    flags : return Logarithm(bivector, on_cut); on_cut is True where beta_1 + beta_2 (2 beta_1 with
        up_to_sign) is within 2^-30 of pi, or a verdict of existence within rounding of its
        boundary.

    Returns
    -------
    Multivector in the bivector layout, coeffs (..., n(n-1)/2), or Logarithm.

    Units: half-angles and half-rapidities, as for exp.

    Raises
    ------
    NotARotor if R has odd parts, is no versor, or is not normalised; NoRealLogarithm with the
    reason, e.g. for -exp(boost) in Cl(2,1); NotSupported on fractions and flint unless R - 1 is
    nilpotent, where log R is rational.  Symbols of sympy are taken to satisfy R ~R = 1 and occur
    with at most seven basis vectors, with six and seven for R_0 > 0 and rotations below pi/2 only.
    Rotors of sympy numbers off the principal branch need planes of the basis; NotSupported for
    others, and for symbols with up_to_sign.

    Error bound: 12 eps kappa.  With several boosts it is large, because the rounding of R hides the
    smaller ones: eps e^(2 s) |B| was never exceeded, s the sum of all rapidities but the largest.
    Null-degrees are each bounded by themselves, the second beside products of the first.
    exp(log R) = R is verified for every answer.  Within 2^-30 of the cut translations are those
    with which exp(log R) = R holds to rounding, so that log itself loses eps / distance there.
    Gradient: dB = phi(ad_B)^-1 <dR ~R>_2, singular where beta_j +- beta_k is a multiple of pi.

    References
    ----------
    [1] M. Roelfs and S. De Keninck, "Graded symmetry groups: plane and simple",
        Adv. Appl. Clifford Algebras 33 (2023) 30, section 6.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.ops.logarithm import log
    >>> R = Algebra(3).even({"1": -0.6, "e12": 0.8})
    >>> log(R).coeffs, log(R, up_to_sign=True).coeffs   # R and -R are the same rotation
    (array([2.21429744, 0.        , 0.        ]), array([-0.92729522,  0.        ,  0.        ]))
    """
    check_on_error(on_error)
    if R.algebra.backend == "arb":
        from ..certified.logarithm import certified_log

        enclosed = certified_log(R, up_to_sign=up_to_sign, normalize=normalize, on_error=on_error)
        return Logarithm(enclosed, np.zeros(R.shape, dtype=bool)) if flags else enclosed
    if R.algebra.backend == "sympy":
        from .symbolic_log import rotor_log

        if flags:
            raise NotSupported("log of symbolic rotors knows no flags: use A.to(backend='numpy')")
        return rotor_log(R, log, up_to_sign=up_to_sign, normalize=normalize, on_error=on_error)
    if R.algebra.backend_object.exact:
        from .unipotent import unipotent_log

        found_exactly = unipotent_log(R, normalize=normalize)
        return Logarithm(found_exactly, np.zeros(R.shape, dtype=bool)) if flags else found_exactly
    require_floats(R, "log")
    check_finite(R.coeffs, "coefficients")
    _, dtype = real_floats(R.coeffs, "coefficients")
    eps = float(np.finfo(dtype).eps)
    wide, on_cut = logarithm_of_rounded(R, eps, up_to_sign, normalize, on_error)
    bivector = wide.replace(wide.layout, rounded_or_nan(wide.coeffs, dtype, on_error))
    return Logarithm(bivector, on_cut) if flags else bivector


def logarithm_of_rounded(
    R: Multivector, eps: float, up_to_sign: bool, normalize: bool, on_error: OnError
) -> Logarithm:
    """log, in float64, of a rotor of finite floats whose coefficients were rounded with eps.

    They may have been so in a dtype that numpy does not have.
    """
    from ..kernels.logarithm import logarithm

    n, metric = R.algebra.n, R.algebra.metric
    flat = to_compact(R).reshape(-1, 1 << n >> 1)
    odd = _odd_part(R)
    unit, allowance, valid = _checked(flat, odd, metric, eps, normalize)
    found = logarithm(unit[valid], metric, allowance[valid], up_to_sign=up_to_sign, eps=eps)
    b = np.full((len(flat), n, n), np.nan)
    reasons = np.full(len(flat), "", dtype=object)
    on_cut = np.zeros(len(flat), dtype=bool)
    b[valid], on_cut[valid], reasons[valid] = found
    failed = np.array([reason != "" for reason in reasons], dtype=bool)
    b[failed] = np.nan
    if on_error == "raise":
        _raise_not_a_rotor(~valid.reshape(R.shape), flat, metric)
        _raise_no_logarithm(failed.reshape(R.shape), reasons)
    coefficients = upper_triangle(b).reshape(*R.shape, n * (n - 1) // 2) + 0.0
    return Logarithm(R.replace(grade_layout(n, 2), coefficients), on_cut.reshape(R.shape))


def _odd_part(a: Multivector) -> Any:
    """Largest coefficient of odd grade of each element (batch,)."""
    odd = a.coeffs[..., a.layout.grade_array % 2 == 1].astype(np.float64)
    return np.abs(odd).max(axis=-1, initial=0.0).reshape(-1)


def _checked(
    element: Any, odd: Any, metric: tuple[int, ...], eps: float, normalize: bool
) -> tuple[Any, Any, Any]:
    """Rotors to take the logarithm of, what they may deviate from one, and which are valid."""
    from ..kernels.bits import non_null
    from ..kernels.log_defect import norm_square, versor_defect
    from ..kernels.log_single import TRUST

    scale = np.abs(element).max(axis=1, initial=0.0)
    power = np.ldexp(1.0, np.frexp(np.where(scale > 0, scale, 1.0))[1])
    scaled = element / power[:, None]
    inner = norm_square(np.abs(scaled), tuple(abs(g) for g in metric))
    rounding = _ROUNDINGS * eps * inner
    limit = np.maximum(_TOLERANCE * (scale / power) ** 2, rounding)
    square = norm_square(scaled, metric)
    defect = versor_defect(scaled, metric)
    with np.errstate(over="ignore", under="ignore"):
        norm_defect = np.abs(square - power**-2.0)
    valid = (defect <= np.sqrt(len(metric) + 1.0) * limit) & (scale > 0)
    valid &= odd / power <= limit
    valid &= square > 0 if normalize else norm_defect <= limit
    definite = len(set(metric) - {0}) <= 1
    if definite or normalize:
        divisor = np.sqrt(np.where(square > 0, square, 1.0))
        norm_defect = np.zeros_like(norm_defect)
        unit = scaled / divisor[:, None]
    else:
        unit = element
    inner_size = np.abs(scaled[:, : max(1, 1 << len(non_null(metric)) >> 1)]).max(axis=1)
    # R ~R has no null coefficients: beside large ones its defect is to be measured without them
    divisor = np.where(valid & (inner_size > 0), np.minimum(inner_size, 1), 1)
    with np.errstate(over="ignore", under="ignore"):
        norm_defect = norm_defect / divisor / divisor  # the square of 1e-300 would be zero
    allowance = TRUST * (np.where(valid, defect, 0.0) + np.where(valid, norm_defect, 0.0))
    return unit, allowance, valid


def _raise_not_a_rotor(bad: Any, element: Any, metric: tuple[int, ...]) -> None:
    from ..kernels.log_defect import norm_square

    if bad.any():
        indices, count = failing_indices(bad)
        with np.errstate(all="ignore"):
            square = norm_square(element[np.ravel(bad)][:1], metric)[0]
        raise NotARotor(
            f"expected even versors with |R ~R - 1| <= {_TOLERANCE:g} max |R|^2, got {count} other "
            f"element(s), the first with scalar part {square:.7g} of R ~R: pass normalize=True if "
            "only R ~R is not 1, and see is_rotor(R) for the rest",
            indices=indices,
            count=count,
        )


def _raise_no_logarithm(failed: Any, reasons: Any) -> None:
    if failed.any():
        indices, count = failing_indices(failed)
        reason = next(reason for reason in reasons if reason)
        raise NoRealLogarithm(
            f"expected rotors exp(B) with real B, got {count} without: {reason}; "
            "log(R, up_to_sign=True) gives the generator of the rotation where that exists",
            reason=reason,
            indices=indices,
            count=count,
        )
