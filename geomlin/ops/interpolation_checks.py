"""What slerp refuses: ends that are no rotors, and results without digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotARotor
from .failures import OnError, failing_indices
from .norms import norm_squared
from .predicates import allowance, is_rotor, scaled_double

if TYPE_CHECKING:
    from ..multivector import Multivector

_TOLERANCE = 1e-6  # |R ~R - 1| / max |R|^2 that is still a rotor


def check_rotors(first: Multivector, second: Multivector, on_error: OnError) -> Any:
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


def with_digits(found: Multivector, foreign: Any, dtype: Any, on_error: OnError) -> Multivector:
    """The interpolated rotors, but NaN or an error where cancellation of boosts left no digits."""
    finite = found.replace(found.layout, np.nan_to_num(found.coeffs))
    tolerance = max(_TOLERANCE, 64 * float(np.finfo(dtype).eps))
    lost = ~np.asarray(is_rotor(finite, tolerance=tolerance))
    lost = lost & ~foreign & np.isfinite(found.coeffs).all(axis=-1)
    if on_error == "raise" and np.any(lost):
        indices, count = failing_indices(lost)
        raise NotARotor(
            f"expected R0 and R1 whose quotient ~R0 R1 keeps digits, got {count} pair(s) of boosts "
            "so large that the interpolated element is no rotor: interpolate in a frame near them",
            indices=indices,
            count=count,
        )
    return found.replace(found.layout, np.where(lost[..., None], np.nan, found.coeffs))
