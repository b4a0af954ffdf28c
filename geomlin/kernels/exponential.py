"""exp of a bivector in float64, every signature, batched.

Up to n = 5 a closed form answers.  Above, the rotor is found from its action on vectors in the
form rho outer_exponential(t) E_P, which leaves its sign open.  With R = r^2, r = exp(B/2), the
sign is that of the coefficient of E_P in r^2, where the sign of r does not matter; and no half is
needed when |B| < pi/2, for then R_0 >= cos |B| > 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..errors import RapidityOverflow
from .bits import (
    Floats,
    Integers,
    Metric,
    coefficient_of_square,
    even_masks,
    in_chunks,
    non_null,
    product_signs,
)
from .closed_form import exponential_in_closed_form
from .doubling import (
    Action,
    exponential_by_doubling,
    half_and_full,
    radius,
    spectral_half_and_full,
)
from .eigenvalues import action_eigenvalues
from .fixed_point import (
    bits_for,
    exponential_in_numbers,
    spectral_radius,
    to_floats,
    to_numbers,
)
from .null_basis import in_original_basis, null_basis
from .pfaffian import assemble, outer_exponential, pivoted_cayley, with_null_vectors
from .spinor_exponential import exponential_by_spinors, is_small

LARGEST_CLOSED = 5  # dimension up to which B^2 = s + W with W^2 a number
POSITIVE_SCALAR = 1.2  # |B| in definite metrics up to which R_0 >= cos |B| > 0.36
LARGEST_SQUARED = 2.0**20  # |B| in definite metrics up to which plain squaring is used
LARGEST_DOUBLED = 2.0**52  # |B| in indefinite metrics; beyond, angles have no digits left
LARGEST_LOSS = 256.0  # |R|^2 / |R^2| of the last squaring up to which its rounding is harmless
LARGEST_RADIUS = 1024.0  # of the action: beyond it exp(B) is not finite
DIGITS = 128  # of the sum that replaces it, beside those of the smallest coefficient


def exponential(b: Floats, g: Metric) -> Floats:
    """exp(B), B = sum_(i<j) b_ij e_i e_j, for antisymmetric b (..., n, n), in compact order.

    Raises RapidityOverflow when a coefficient exceeds the range of float64.
    """
    result = exponential_or_infinite(b, g)
    finite = np.asarray(np.isfinite(result).all(axis=-1))
    if not finite.all():
        raise_overflow(b, ~finite, g)
    return result


def exponential_or_infinite(b: Floats, g: Metric) -> Floats:
    """exp(B) as above, not finite where a coefficient exceeds the range of float64."""
    n = len(g)
    size = 1 << n >> 1
    batch = b.shape[:-2]
    flat = np.asarray(b, dtype=np.float64).reshape(math.prod(batch), n, n)
    with np.errstate(all="ignore"):
        result: Floats = in_chunks(lambda part: _exponential(part, g), flat, size)
    return result.reshape(*batch, size)


def _exponential(b: Floats, g: Metric) -> Floats:
    """The route for one signature; b (batch, n, n)."""
    if len(g) <= LARGEST_CLOSED:
        return exponential_in_closed_form(b, g)
    size = radius(b, g)
    if is_small(size, g):
        return exponential_by_spinors(b, g)
    m = len(non_null(g))
    if len(g) - m > 1:
        return _with_null_vectors(b, g)
    return _by_action(b, size, g)


def _by_action(b: Floats, size: Floats, g: Metric) -> Floats:
    """exp(B), |B| = size, from its action on vectors."""
    if len(set(non_null(g))) > 1:
        result = _by_doubling(b, g, normalised=False)
        result[size > LARGEST_DOUBLED] = np.inf
        return result
    large = size > LARGEST_SQUARED
    if not large.any():
        return _from_actions(*half_and_full(b, g), size, g)
    result = np.empty((len(b), 1 << len(g) >> 1))
    result[~large] = _from_actions(*half_and_full(b[~large], g), size[~large], g)
    if len(non_null(g)) == len(g):
        actions = spectral_half_and_full(b[large], g)
        result[large] = _from_actions(*actions, size[large], g)
    else:
        result[large] = _by_doubling(b[large], g, normalised=True)
    return result


def _with_null_vectors(b: Floats, g: Metric) -> Floats:
    """exp(B) = exp(B - N) exp(N), N the part of B in the products of null vectors: it is central.

    exp(B - N) is found in a basis of the null vectors in which its couplings have one size.  It
    has at most as many null vectors in a term as there are others.  Set to zero here, those terms
    are not left to cancel, and do not hide what a small N contributes.
    """
    n, m = len(g), len(non_null(g))
    masks = even_masks(n)
    basis = null_basis(b[:, :m, m:])
    rest = np.zeros_like(b)
    rest[:, :m, :m] = b[:, :m, :m]
    rest[:, :m, m:] = basis.left
    rest[:, m:, :m] = -basis.left.swapaxes(1, 2)
    factor = in_original_basis(_by_action(rest, radius(rest, g), g), basis, g)
    factor = np.where(np.bitwise_count(masks >> m) > m, 0.0, factor)
    null_factor = outer_exponential(b[:, m:, m:])
    result = np.zeros_like(factor)
    for position, null in enumerate(even_masks(n - m) << m):
        left = np.flatnonzero((masks & null) == 0)
        signs = product_signs(masks[left], np.full_like(left, null), g)
        terms = factor[:, left] * null_factor[:, position : position + 1] * signs
        result[:, (masks[left] ^ null) >> 1] += terms
    return result


def _from_actions(half: Action, full: Action, size: Floats, g: Metric) -> Floats:
    """R of a definite metric, null vectors allowed, from the actions of exp(B/2) and exp(B)."""
    m = full.y.shape[1]
    whole = pivoted_cayley(full.y, g[:m])
    t = whole.t
    if m < len(g):
        t = with_null_vectors(t, whole.pivot, full.null_rows, full.twist, g)
    rotor = assemble(whole.pivot, t, g)
    sign = np.where(rotor[:, 0] < 0, -1.0, 1.0)
    far = size > POSITIVE_SCALAR
    if far.any():
        root = pivoted_cayley(half.y[far], g[:m], improve=False)
        sign[far] = _sign(assemble(root.pivot, root.t, g[:m]), whole.pivot[far], g[:m])
    return rotor * sign[:, None]


def _by_doubling(b: Floats, g: Metric, *, normalised: bool) -> Floats:
    """R in any metric; normalised on its null-free coefficients if these are a definite rotor's."""
    m = len(non_null(g))
    half, whole = exponential_by_doubling(b, g)
    rotor = assemble(whole.pivot, whole.t, g, None if normalised else whole.scale)
    root = assemble(half.pivot, half.t[:, :m, :m], g[:m], None if normalised else half.scale)
    rotor = rotor * _sign(root, whole.pivot, g[:m])[:, None]
    kept = (half.scale**2 <= LARGEST_LOSS * whole.scale) & np.isfinite(rotor).all(axis=1)
    for index in np.flatnonzero(~kept & np.isfinite(b).all(axis=(1, 2))).tolist():
        rotor[index] = _without_loss(b[index], rotor[index], g)
    return rotor


def _without_loss(b: Floats, rotor: Floats, g: Metric) -> Floats:
    """exp(B) of one large and nearly nilpotent b (n, n); `rotor` itself if B is not that."""
    radius = spectral_radius(b, g)
    if radius > LARGEST_RADIUS:
        return rotor
    bits = bits_for(DIGITS, b)
    found = exponential_in_numbers(to_numbers(b, bits), g, bits, radius)
    return to_floats(found, bits)


def _sign(root: Floats, pivot: Integers, g: Metric) -> Floats:
    """Sign of the coefficient R_P of R = r^2; assembled rotors have R_P > 0."""
    return np.where(coefficient_of_square(root, pivot, g) < 0, -1.0, 1.0)


def raise_overflow(b: Floats, lost: NDArray[np.bool_], g: Metric) -> None:
    """Raise RapidityOverflow if any of the bivectors `lost`, whose exp is not finite, is finite."""
    lost = lost & np.isfinite(b).all(axis=(-1, -2))
    if not lost.any():
        return
    first = b[lost][0]
    largest = np.abs(first).max()
    m = len(non_null(g))
    values = action_eigenvalues(first[:m, :m] / largest, g[:m])
    rapidity = 0.5 * np.abs(values.real).sum() * largest
    raise RapidityOverflow(
        "exp(B) exceeds the range of float64: expected a total rapidity below about 709 (and "
        f"|B| < 2^52 in indefinite metrics), got a total rapidity of about {rapidity:.3g} and a "
        f"largest coefficient {largest:.3g} ({lost.sum()} such bivectors in the batch); "
        "split B into several smaller rotors, or use the arb backend",
        indices=[tuple(map(int, index)) for index in np.argwhere(lost)[:16]],
        count=int(lost.sum()),
    )
