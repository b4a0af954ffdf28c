"""Roots, powers and interpolation of rotors, all on the branch of the logarithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotARotor
from ..layout import even_layout
from ..operation import operation
from .bivectors import require_floats
from .exponential import exp
from .failures import OnError, check_on_error, failing_indices, rounded
from .grades import check_operands, with_layout
from .involutions import reverse
from .norms import norm_squared
from .predicates import allowance, is_rotor, scaled_double
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_TOLERANCE = 1e-6  # |R ~R - 1| / max |R|^2 that is still a rotor
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

    Error bound: 12 eps kappa max(1, |t|), kappa the condition number of the logarithm.
    Gradient: through log and exp; d/dt power(R, t) = log(R) power(R, t).

    Examples
    --------
    >>> from geomlin import Algebra, power
    >>> print(power(Algebra(3).even({"1": 1}), 0.5))            # the identity, not 0/0
    1.0
    """
    check_on_error(on_error)
    if R.algebra.backend != "numpy":
        from .logarithm import log

        return exp(log(R, on_error=on_error) * t)
    exponent = _exponent(R, t)
    return _rounded(_exp_scaled(working_logarithm(R, R.dtype, on_error), exponent), R.dtype)


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
    rotor, or for boosts so far apart that the product keeps no digits; NotSupported where log is;
    SignatureMismatch if the algebras differ.

    Error bound: 12 eps kappa max(1, |t|) in definite metrics, times max |R0| max |R1| in others.
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
    require_floats(R0, "slerp")
    check_operands(R0, R1)
    first, second = _double(R0), _double(R1)
    foreign = _check_rotors(R0, R1, on_error)
    quotient = with_layout(geometric_product(reverse(first), second), even_layout(R0.algebra.n))
    exponent = _exponent(quotient, t)
    nearer = np.where(quotient.coeffs[..., :1] < 0, -_unit(quotient), _unit(quotient))
    nearer[foreign] = 0.0  # of which log gives NaN
    dtype = np.result_type(R0.dtype, R1.dtype)
    shortest = _either_logarithm(quotient.replace(quotient.layout, nearer), dtype, on_error)
    step = _exp_scaled(shortest, exponent)
    found = with_layout(geometric_product(first, step), step.layout)
    return _rounded(_with_digits(found, foreign, dtype, on_error), dtype)


def _double(a: Multivector) -> Multivector:
    """The same element in float64."""
    return a.replace(a.layout, a.coeffs.astype(np.float64))


def _rounded(a: Multivector, dtype: Any) -> Multivector:
    """The same element, rounded once."""
    return a.replace(a.layout, rounded(a.coeffs, dtype))


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


def _exponent(r: Multivector, t: Any) -> Any:
    """t as float64 of shape (..., 1), of a batch shape that broadcasts with that of R."""
    exponent = r.algebra.scalar(t)
    check_operands(r, exponent)
    return exponent.coeffs.astype(np.float64)


def _exp_scaled(b: Multivector, exponent: Any) -> Multivector:
    """exp(t B), NaN where B is."""
    values = b.coeffs * exponent
    missing = np.isnan(values).any(axis=-1, keepdims=True)
    result = exp(b.replace(b.layout, np.where(missing, 0.0, values)))
    return result.replace(result.layout, np.where(missing, np.nan, result.coeffs))


def _check_rotors(first: Multivector, second: Multivector, on_error: OnError) -> Any:
    """Where one of the two is no rotor; raises there unless NaN is wanted.

    Only the length of the second is looked at: if it is no versor, neither is the quotient.
    """
    scaled, scale = scaled_double(second)
    with np.errstate(over="ignore", divide="ignore"):
        defect = np.abs(norm_squared(scaled).coeffs[..., 0] - 1 / scale**2)
    foreign = ~np.asarray(is_rotor(first)) | (defect > allowance(scaled, _TOLERANCE, second.dtype))
    if on_error == "raise" and np.any(foreign):
        indices, count = failing_indices(foreign)
        raise NotARotor(
            f"expected even versors with R ~R = 1, got {count} pair(s) with another element: use "
            "normalize(R) if only the length is wrong",
            indices=indices,
            count=count,
        )
    return foreign


def _with_digits(found: Multivector, foreign: Any, dtype: Any, on_error: OnError) -> Multivector:
    """The interpolated rotors, but NaN or an error where cancellation of boosts left no digits."""
    finite = found.replace(found.layout, np.nan_to_num(found.coeffs))
    tolerance = max(_TOLERANCE, 64 * float(np.finfo(dtype).eps))
    lost = ~np.asarray(is_rotor(finite, tolerance=tolerance))
    lost = lost & ~foreign & np.isfinite(found.coeffs).all(axis=-1)
    if on_error == "raise" and np.any(lost):
        indices, count = failing_indices(lost)
        raise NotARotor(
            "expected boosts whose product R0 exp(t log(~R0 R1)) keeps digits, got "
            f"{count} pair(s) so far apart that it is no rotor: interpolate in smaller steps, or "
            "in a frame between",
            indices=indices,
            count=count,
        )
    return found.replace(found.layout, np.where(lost[..., None], np.nan, found.coeffs))


def _unit(r: Multivector) -> Any:
    """Coefficients of R / sqrt(R ~R), of R where R ~R = 1 as far as it can be computed.

    ~R0 R1 may be small where R0 and R1 are large, and then shows their rounding.
    """
    values = r.coeffs
    square = norm_squared(r).coeffs
    rounding = _ROUNDINGS * np.finfo(np.float64).eps * (values**2).sum(axis=-1, keepdims=True)
    known = (square > 0) & (np.abs(square - 1) > rounding)
    return values / np.sqrt(np.where(known, square, 1.0))


def _either_logarithm(r: Multivector, dtype: Any, on_error: OnError) -> Multivector:
    """log(R), or log(-R) where R has none."""
    found = working_logarithm(r, dtype, "nan")
    missing = np.isnan(found.coeffs).any(axis=-1, keepdims=True)
    if not np.any(missing):
        return found
    values = np.where(missing, -r.coeffs, r.coeffs)
    return working_logarithm(r.replace(r.layout, values), dtype, on_error)
