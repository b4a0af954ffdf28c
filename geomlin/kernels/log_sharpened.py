"""log of a rotor where rounding in float64 would hide the answer: beside null vectors and the cut.

The part N of B in the products of two null vectors is what is left of

    R_00' = (exp(B - N))_00' + N_00' R'_0 + ..,                                           (1)

when the first term has cancelled, a sum of products of two couplings with a coefficient of B'.
Errors of eps in any of them may exceed N by far.  The same happens to B' and its couplings close
to the cut, where two angles add up to nearly pi.  There B is corrected by Newton's steps

    B <- B + (d exp_B)^-1 (R - exp(B))                                                     (2)

with R - exp(B) in fixed-point numbers; B has these digits too, until it is rounded at the end.
Each null-degree is solved by itself from the coefficients of R of that degree: the larger ones of
the next degree would disturb it.  So the first step settles B', the second the couplings, the third
N.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bits import Booleans, Floats, Integers, Metric, even_masks, non_null, odd_masks, product_signs
from .eigenvalues import action_eigenvalues
from .fixed_point import (
    Numbers,
    bits_for,
    exponential_in_numbers,
    spectral_radius,
    to_floats,
    to_numbers,
)
from .log_null import coupling_columns, null_degrees
from .log_polish import tangents

HIDDEN = 0.25  # N in terms of the largest coefficient of R with two null vectors
NEARLY_CUT = 0.125  # pi minus two angles: errors of B' are multiplied by its inverse
AT_CUT = 2.0**-22  # the same: what R differs from a rotor, times its inverse, is a step too long
SINGULAR = 2.0**-46  # singular values, relative to the largest, of directions that are on the cut
LARGEST_STEP = 2.0**-16  # correction relative to 1 + |B|: what exceeds it is none
LARGEST_RADIUS = 1024.0  # of the action: beyond it exp(B) is not finite
DIGITS = 128  # beside those of the smallest coefficient


def sharpened(b: Floats, rotor: Floats, g: Metric, on_cut: Booleans) -> Floats:
    """b (batch, n, n) with equation (2) applied to the elements that need it.

    Those on the cut stay as they are: there a rule chooses B, and (2) is singular.
    """
    chosen = (_null_part_is_hidden(b, rotor, g) | _is_nearly_cut(b, g)) & ~on_cut
    chosen &= np.isfinite(b).all(axis=(1, 2))
    result = b.copy()
    for index in np.flatnonzero(chosen).tolist():
        result[index] = _sharpened_one(b[index], rotor[index], g)
    return result


def _null_part_is_hidden(b: Floats, rotor: Floats, g: Metric) -> Booleans:
    """Whether N is small beside the coefficients of R that hold it, if there are couplings."""
    m = len(non_null(g))
    if m == 0 or len(g) - m < 2:
        return np.zeros(len(b), dtype=bool)
    part = np.abs(b[:, m:, m:]).max(axis=(1, 2))
    beside = np.abs(rotor[:, null_degrees(g) == 2]).max(axis=1)
    return np.asarray((part < HIDDEN * beside) & b[:, :m, m:].any(axis=(1, 2)))


def _is_nearly_cut(b: Floats, g: Metric) -> Booleans:
    """Whether the two largest angles of B' add up to nearly pi."""
    m = len(non_null(g))
    if m < 4:
        return np.zeros(len(b), dtype=bool)
    values = action_eigenvalues(b[:, :m, :m], g[:m])
    angles = -np.sort(-np.abs(values.imag), axis=1)[:, ::2]
    distance = np.abs(angles[:, :2].sum(axis=1) - np.pi)
    if m < len(g):
        return np.asarray(distance < NEARLY_CUT)
    # No couplings are multiplied too.
    return np.asarray((distance < NEARLY_CUT / 2) & (distance > AT_CUT))


class _Inverse(NamedTuple):
    """(d exp_B)^-1 on each null-degree: from the coefficients of R' to those of B' above the
    diagonal; from those beside one null vector to its couplings; and R' / |R'|^2."""

    inner: Floats
    coupling: Floats
    central: Floats


def _sharpened_one(b: Floats, rotor: Floats, g: Metric) -> Floats:
    """Equation (2) for one element, or b where that leads away from it."""
    radius = spectral_radius(b, g)
    if radius > LARGEST_RADIUS:
        return b
    bits = bits_for(DIGITS, b, rotor)
    wanted, current = to_numbers(rotor, bits), to_numbers(b, bits)
    inverse = _inverse(b, rotor, g)
    if not all(np.isfinite(part).all() for part in inverse):
        return b
    degrees = null_degrees(g)
    for degree in range(min(degrees.max(), 2) + 1):
        value = exponential_in_numbers(current, g, bits, radius, most_null=degree)
        missing = np.where(degrees <= degree, to_floats(wanted - value, bits), 0.0)
        step = _step(missing, inverse, g) if np.isfinite(missing).all() else np.full_like(b, np.inf)
        if not np.abs(step).max() <= LARGEST_STEP * (1.0 + np.abs(b).max()):
            return b
        current = current + _antisymmetric(to_numbers(step, bits))
    return to_floats(current, bits)


def _inverse(b: Floats, rotor: Floats, g: Metric) -> _Inverse:
    """The pseudo-inverses at b (n, n)."""
    m = len(non_null(g))
    inner = rotor[: 1 << m >> 1]
    columns = tangents(b[:m, :m], g[:m]) if m > 1 else np.zeros((1, 0))
    return _Inverse(
        _pseudo_inverse(columns),
        _pseudo_inverse(coupling_columns(b[None, :m, :m], g[:m])[0]),
        inner / np.abs(inner).max() / ((inner / np.abs(inner).max()) @ inner),
    )


def _pseudo_inverse(columns: Floats) -> Floats:
    """The pseudo-inverse, zero in directions on the cut."""
    largest = np.abs(columns).max(initial=0.0) or 1.0  # large boosts: squares would overflow
    if not np.isfinite(largest):
        return np.full(columns.shape[::-1], np.inf)
    found = np.linalg.pinv(columns / largest, rcond=SINGULAR) / largest
    return np.asarray(found, dtype=np.float64)


def _step(missing: Floats, inverse: _Inverse, g: Metric) -> Floats:
    """The correction (n, n), above the diagonal, for what R has and exp(B) has not."""
    m, n = len(non_null(g)), len(g)
    odd, even = odd_masks(m), even_masks(m)
    step = np.zeros((n, n))
    step[np.triu_indices(m, 1)] = inverse.inner @ missing[: len(even)]
    for i in range(m, n):
        step[:m, i] = inverse.coupling @ missing[(odd | 1 << i) >> 1]
        for j in range(i + 1, n):
            pair: Integers = np.full_like(even, 1 << i | 1 << j)
            signs = product_signs(even, pair, g)
            step[i, j] = (signs * inverse.central) @ missing[(even | pair) >> 1]
    return step


def _antisymmetric(upper: Numbers) -> Numbers:
    """What is above the diagonal, and its negative below."""
    return np.asarray(upper - upper.T)
