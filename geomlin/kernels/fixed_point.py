"""exp of one bivector in integers times 2^-bits, to any number of digits.

Some coefficients of exp(B) and log(R) are what is left of products that cancel.  No arrangement of
float64 keeps them all; here the sum itself is computed,

    exp(B) = (sum_k (B / 2^h)^k / k!)^(2^h),                                              (1)

with all terms until they vanish in their rounding.  The halvings h come from the eigenvalues of
the action, not from its size: the terms of a nilpotent bivector end by themselves, however large it
is.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Floats, Integers, Metric, bivector_positions, even_masks, non_null, product_signs
from .eigenvalues import action_eigenvalues

Numbers = NDArray[np.object_]  # Python integers
LARGEST_RADIUS = 2.0  # |eigenvalue| of the action up to which the series is not halved
CHUNK = 32  # factors multiplied at once
GROWTH = 4


def to_numbers(values: Floats, bits: int) -> Numbers:
    """Finite floats in units of 2^-bits, rounded down."""
    found = np.empty(values.size, dtype=object)
    for k, value in enumerate(values.ravel().tolist()):
        numerator, denominator = value.as_integer_ratio()
        found[k] = (numerator << bits) // denominator
    return found.reshape(values.shape)


def to_floats(values: Numbers, bits: int) -> Floats:
    """The nearest floats, infinite beyond their range."""
    nearest = [_nearest(value, 1 << bits) for value in values.ravel().tolist()]
    return np.array(nearest, dtype=np.float64).reshape(values.shape)


def _nearest(value: int, unit: int) -> float:
    try:
        return value / unit
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def bits_for(digits: int, *values: Floats) -> int:
    """Bits behind the point for that many binary digits of the smallest number, and for products of
    GROWTH of the largest one, by which rounding may grow."""
    sizes = np.abs(np.concatenate([value.ravel() for value in values]))
    exponents = np.frexp(sizes[sizes > 0])[1]
    return digits - int(exponents.min(initial=0)) + GROWTH * int(exponents.max(initial=0))


def spectral_radius(b: Floats, g: Metric) -> float:
    """The largest |eigenvalue| of the action of b (n, n)."""
    m = len(non_null(g))
    values = action_eigenvalues(b[:m, :m], g[:m])
    return float(np.abs(values).max(initial=0.0))


def exponential_in_numbers(
    b: Numbers, g: Metric, bits: int, radius: float, *, most_null: int | None = None
) -> Numbers:
    """Equation (1) for b (n, n), in compact order; `radius` is about the spectral radius of b.

    Blades with more than `most_null` null vectors are left out.
    """
    n = len(g)
    most_null = n if most_null is None else most_null
    rows, columns, positions = bivector_positions(n)
    halvings = max(0, int(np.frexp(radius / LARGEST_RADIUS)[1]))
    precision = bits + halvings  # in these units b is b / 2^halvings
    factors = b[rows, columns]
    term = np.zeros(1 << n >> 1, dtype=object)
    term[0] = 1 << precision
    rounding = sum(abs(factor) for factor in factors.tolist()) >> precision  # of B times a term
    total, k = term, 0
    while np.abs(term).max() > rounding:
        k += 1
        term = _product(factors, positions, term, g, most_null)
        term = _quotient(term, k << precision)
        total = total + term
    for _ in range(halvings):
        total = _product(total, np.arange(len(total)), total, g, most_null)
        total = _quotient(total, 1 << precision)
    return _quotient(total, 1 << halvings)


def _quotient(values: Numbers, divisor: int) -> Numbers:
    """values / divisor, to the nearest integer."""
    rounded: Numbers = (values + divisor // 2) // divisor
    return rounded


def _product(
    left: Numbers, positions: Integers, right: Numbers, g: Metric, most_null: int
) -> Numbers:
    """The sum of left_k E_k times an even element, E_k at the given compact positions."""
    kept = _kept(g, most_null)
    signed = np.concatenate([right, -right, np.zeros(1, dtype=object)])
    total: Any = np.zeros(len(kept), dtype=object)
    used = np.flatnonzero(left)
    for start in range(0, len(used), CHUNK):
        chosen = used[start : start + CHUNK]
        sources = np.stack([_sources(g, most_null, k) for k in positions[chosen].tolist()])
        total = total + (left[chosen, None] * signed[sources]).sum(axis=0)
    result = np.zeros(len(right), dtype=object)
    result[kept] = total
    return result


@cache
def _kept(g: Metric, most_null: int) -> Integers:
    """Positions of the blades with at most so many null vectors."""
    return np.flatnonzero(np.bitwise_count(even_masks(len(g)) >> len(non_null(g))) <= most_null)


@cache
def _sources(g: Metric, most_null: int, position: int) -> Integers:
    """For each E_t that is kept the k with E E_k = E_t, E at `position`, in the list of all E_k,
    all -E_k, and 0."""
    masks, kept = even_masks(len(g)), _kept(g, most_null)
    sources = kept ^ position
    signs = product_signs(np.full_like(kept, masks[position]), masks[sources], g)
    zero = 2 * len(masks)
    return np.where(signs == 0, zero, np.where(signs > 0, sources, sources + len(masks)))
