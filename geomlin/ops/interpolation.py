"""Roots, powers and interpolation of rotors, all on the branch of the logarithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RapidityOverflow
from ..layout import even_layout
from ..operation import operation
from .bivectors import require_floats
from .exponential import exp
from .failures import OnError, check_on_error, failing_indices, rounded_or_nan
from .grades import check_operands, with_layout
from .interpolation_checks import check_rotors, with_digits
from .interpolation_steps import interpolated
from .involutions import reverse
from .norms import norm_squared
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 8  # in eps sum_S R_S^2: a computed R ~R - 1 up to that is rounding


@operation
def sqrt(R: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Square root of a rotor, on the branch of its logarithm.

    sqrt(R) = exp(log(R) / 2), so sqrt(R)^2 = R; the sign of R is never flipped.  It turns by half
    of the angle that log finds, which exceeds a half turn if R_0 < 0.

    Parameters
    ----------
    R : rotor, coeffs (..., size).
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Raises
    ------
    NoRealLogarithm where log(R) does not exist, though a root might by another way; NotARotor if R
    is no rotor; NotSupported where log is.

    Error bound: 12 eps kappa, kappa the condition number of the logarithm.
    Gradient: through log and exp; singular only where log is.

    Examples
    --------
    >>> from geomlin import Algebra, sqrt
    >>> alg = Algebra(2)
    >>> R = alg.even({"1": -0.6, "e12": 0.8})       # the root of R, not of -R
    >>> (sqrt(R) * sqrt(R)).coeffs.round(12)
    array([-0.6,  0.8])
    """
    check_on_error(on_error)
    if R.algebra.backend == "sympy":
        from .logarithm import log
        from .symbolic_log import rotor_sqrt

        return rotor_sqrt(R, log, on_error=on_error)
    return power(R, 0.5, on_error=on_error)


@operation
def power(R: Multivector, t: Any, *, on_error: OnError = "raise") -> Multivector:
    """Real power of a rotor, on the branch of its logarithm.

    power(R, t) = exp(t log(R)); power(R, 1) = R, and power(R, s) power(R, t) = power(R, s + t).

    Parameters
    ----------
    R : rotor, coeffs (..., size).
    t : real exponent, a number or an array that broadcasts with the batch of R.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Raises
    ------
    NoRealLogarithm where log(R) does not exist, for every t; integer powers R ** k always do.
    NotARotor if R is no rotor; NotSupported where log is; RapidityOverflow beyond the range.

    Error bound: 12 eps kappa max(1, |t|), kappa the condition number of the power, or that of exp
    at t log(R) if it is larger: the logarithm is rounded in between.
    Gradient: through log and exp; d/dt power(R, t) = log(R) power(R, t).

    Examples
    --------
    >>> from geomlin import Algebra, power
    >>> print(power(Algebra(3).even({"1": 1}), 0.5))            # the identity, not 0/0
    1.0
    """
    check_on_error(on_error)
    if R.algebra.backend == "sympy":
        from .logarithm import log
        from .symbolic_log import rotor_power

        return rotor_power(R, t, log, on_error=on_error)
    if R.algebra.backend != "numpy":
        from .logarithm import log

        found = log(R, on_error=on_error)
        return _exp_or_missing(found, t) if R.algebra.backend == "arb" else exp(found * t)
    exponent = _exponent(R, t)
    found = _exp_scaled(working_logarithm(R, R.dtype, on_error), exponent, on_error)
    return _rounded(found, R.dtype, on_error)


@operation
def slerp(R0: Multivector, R1: Multivector, t: Any, *, on_error: OnError = "raise") -> Multivector:
    """Interpolation between two rotors at constant speed, along the shorter way.

    slerp(R0, R1, t) = R0 exp(t log(s ~R0 R1)), s = -1 if <~R0 R1>_0 < 0, else 1.  It begins with R0
    and ends with s R1, the same rotation as R1.  If s ~R0 R1 has no logarithm, -s is taken.

    Parameters
    ----------
    R0, R1 : rotors of one algebra, coeffs (..., size); batches broadcast.
    t : real, a number or an array that broadcasts with the batches; not confined to [0, 1].
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Raises
    ------
    NoRealLogarithm if neither ~R0 R1 nor its negative has a logarithm; NotARotor if R0 or R1 is no
    rotor, or for several boosts so far apart that the result keeps no digits; NotSupported where
    log is; SignatureMismatch if the algebras differ; RapidityOverflow beyond the range.

    Error bound: 12 eps kappa max(1, |t|) in definite metrics.  In others eps times the size of the
    terms that are summed, which is max |R0| max |R1| / max |~R0 R1| for the largest boost of ~R0 R1
    between 0 < t < 1, and |R0| exp(t x) beside it for a second boost of rapidity x.
    Gradient: through log and exp, away from <~R0 R1>_0 = 0.

    References
    ----------
    [1] K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985, section 3.3.

    Examples
    --------
    >>> from geomlin import Algebra, slerp
    >>> R = Algebra(3).even({"1": 0.8, "e23": 0.6})
    >>> print(slerp(R, -R, 0.5))                    # one rotation: nothing to interpolate
    0.8 + 0.6 e₂₃
    """
    check_on_error(on_error)
    check_operands(R0, R1)
    if R0.algebra.backend == "arb" or R0.algebra.backend_object.exact:
        from .interpolation_exact import slerp_by_log

        return slerp_by_log(R0, R1, t, on_error)
    require_floats(R0, "slerp")
    first, second = _double(R0), _double(R1)
    foreign = check_rotors(R0, R1, on_error)
    quotient = with_layout(geometric_product(reverse(first), second), even_layout(R0.algebra.n))
    exponent = _exponent(quotient, t)
    nearer = np.where(quotient.coeffs[..., :1] < 0, -_unit(quotient), _unit(quotient))
    nearer[foreign] = 0.0  # of which log gives NaN
    dtype = np.result_type(R0.dtype, R1.dtype)
    sign = np.where(quotient.coeffs[..., :1] < 0, -1.0, 1.0)
    way, flipped = _either_logarithm(quotient.replace(quotient.layout, nearer), dtype, on_error)
    last = with_layout(second, quotient.layout)
    last = last.replace(last.layout, np.where(flipped, -sign, sign) * last.coeffs)
    found = interpolated(
        with_layout(first, quotient.layout),
        last,
        way,
        exponent,
        lambda b, x: _exp_scaled(b, x, on_error),
    )
    return _rounded(with_digits(found, foreign, dtype, on_error), dtype, on_error)


def _double(a: Multivector) -> Multivector:
    """The same element in float64."""
    return a.replace(a.layout, a.coeffs.astype(np.float64))


def _rounded(a: Multivector, dtype: Any, on_error: OnError) -> Multivector:
    """The same element, rounded once."""
    return a.replace(a.layout, rounded_or_nan(a.coeffs, dtype, on_error))


def working_logarithm(
    r: Multivector, dtype: Any, on_error: OnError, *, up_to_sign: bool = False
) -> Multivector:
    """log(R) in float64 of a rotor whose coefficients were rounded to `dtype`.

    Rounding to float32 or float16 may break R ~R = 1 more than a float64 is allowed to; those
    elements take the logarithm of their own dtype.
    """
    from .logarithm import log

    wide = _double(r)
    if dtype == np.float64:
        return log(wide, up_to_sign=up_to_sign, on_error=on_error)
    found = log(wide, up_to_sign=up_to_sign, on_error="nan")
    missing = np.isnan(found.coeffs).any(axis=-1, keepdims=True)
    if not np.any(missing):
        return found
    rounded_again = r.replace(r.layout, r.coeffs.astype(dtype))
    short = log(rounded_again, up_to_sign=up_to_sign, on_error=on_error)
    return found.replace(found.layout, np.where(missing, short.coeffs, found.coeffs))


def _exp_or_missing(b: Multivector, t: Any) -> Multivector:
    """exp(t B) over balls; where B is NaN, so is the result."""
    finite = np.frompyfunc(lambda x: x.is_finite(), 1, 1)(b.coeffs).astype(bool)
    missing = ~finite.all(axis=-1, keepdims=True)
    if not np.any(missing):
        return exp(b * t)
    zero = b.algebra.scalar(0).coeffs[..., :1]
    found = exp(b.replace(b.layout, np.where(missing, zero, b.coeffs)) * t)
    nan = b.coeffs[~finite][0]
    return found.replace(found.layout, np.where(missing, nan, found.coeffs))


def _exponent(r: Multivector, t: Any) -> Any:
    """t as float64 of shape (..., 1), of a batch shape that broadcasts with that of R."""
    exponent = r.algebra.scalar(t)
    check_operands(r, exponent)
    return exponent.coeffs.astype(np.float64)


def _exp_scaled(b: Multivector, exponent: Any, on_error: OnError) -> Multivector:
    """exp(t B), NaN where B is; beyond the range of floats an error, or NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = b.coeffs * exponent
    missing = np.isnan(b.coeffs).any(axis=-1) & np.ones(values.shape[:-1], dtype=bool)
    beyond = ~np.isfinite(values).all(axis=-1) & ~missing
    if on_error == "raise" and np.any(beyond):
        indices, count = failing_indices(beyond)
        raise RapidityOverflow(
            f"expected t log(R) within the range of float64, got {count} "
            f"bivector(s) beyond it at max |t| = {np.abs(exponent).max():.3g}: reduce t",
            indices=indices,
            count=count,
        )
    lost = missing | beyond
    bivectors = b.replace(b.layout, np.where(lost[..., None], 0.0, values))
    result = exp(bivectors, on_error=on_error)
    return result.replace(result.layout, np.where(lost[..., None], np.nan, result.coeffs))


def _unit(r: Multivector) -> Any:
    """Coefficients of R / sqrt(R ~R), of R where R ~R = 1 as far as it can be computed.

    ~R0 R1 may be small where R0 and R1 are large, and then shows their rounding.
    """
    values = r.coeffs
    with np.errstate(over="ignore", invalid="ignore"):  # then no digit of R ~R is known
        square = norm_squared(r).coeffs
        rounding = _ROUNDINGS * np.finfo(np.float64).eps * (values**2).sum(axis=-1, keepdims=True)
        known = (square > 0) & (np.abs(square - 1) > rounding)
    return values / np.sqrt(np.where(known, square, 1.0))


def _either_logarithm(r: Multivector, dtype: Any, on_error: OnError) -> tuple[Multivector, Any]:
    """log(R), or log(-R) where R has none; and where that is so, (..., 1)."""
    found = working_logarithm(r, dtype, "nan")
    missing = np.isnan(found.coeffs).any(axis=-1, keepdims=True)
    if not np.any(missing):
        return found, missing
    values = np.where(missing, -r.coeffs, r.coeffs)
    return working_logarithm(r.replace(r.layout, values), dtype, on_error), missing
