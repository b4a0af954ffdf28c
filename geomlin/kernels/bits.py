"""Signs and positions of even elements in compact order.

An even element of Cl(p,q,r) is stored as 2^(n-1) numbers.  Position k belongs to the even mask S
with S >> 1 == k: the lowest bit of S is the parity of the others, so nothing is lost.  Odd
elements are stored the same way.  All signs below come from one fact: E_S E_P differs from
E_(S xor P) by (-1)^|S & L(P)| times the squares of the common vectors, where L(P) holds every i
with an odd number of members of P below it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]
Metric = tuple[int, ...]

CHUNK = 1 << 16  # coefficients worked on at once: with their temporaries they stay in the cache


def parity(masks: Integers) -> Integers:
    """Number of set bits modulo 2, for masks below 2^32."""
    for shift in (16, 8, 4, 2, 1):
        masks = masks ^ (masks >> shift)
    return masks & 1


def odd_below(masks: Integers) -> Integers:
    """L(P): every i with an odd number of members of P strictly below i (bits above n are junk)."""
    below = masks << 1
    for shift in (1, 2, 4, 8, 16):
        below = below ^ (below << shift)
    return below


@cache
def parity_signs(n: int) -> Floats:
    """(-1)^|S| for every mask S < 2^n."""
    return np.where(parity(np.arange(1 << n)), -1.0, 1.0)


@cache
def even_masks(n: int) -> Integers:
    """The even mask of each compact position."""
    positions = np.arange(1 << n >> 1)
    return (positions << 1) | parity(positions)


@cache
def odd_masks(n: int) -> Integers:
    """The odd mask of each compact position."""
    return even_masks(n) ^ 1


@cache
def reverse_signs(n: int) -> Floats:
    """(-1)^(k(k-1)/2), k = |S|: the sign of reversion, in even compact order."""
    masks = even_masks(n)
    return np.where(parity(masks & odd_below(masks)), -1.0, 1.0)


@cache
def negative_mask(g: Metric) -> int:
    """Mask of the basis vectors with square -1."""
    return sum(1 << i for i, square in enumerate(g) if square < 0)


@cache
def null_mask(g: Metric) -> int:
    """Mask of the basis vectors with square 0."""
    return sum(1 << i for i, square in enumerate(g) if square == 0)


def non_null(g: Metric) -> Metric:
    """The metric without its null vectors (which come last)."""
    return tuple(square for square in g if square)


@cache
def bivector_positions(n: int) -> tuple[Integers, Integers, Integers]:
    """Rows i, columns j (i < j) and compact positions of the bivectors e_i e_j, row by row."""
    pairs = list(combinations(range(n), 2))
    rows = np.array([i for i, _ in pairs], dtype=np.int64)
    columns = np.array([j for _, j in pairs], dtype=np.int64)
    return rows, columns, ((1 << rows) | (1 << columns)) >> 1


def product_signs(left: Integers, right: Integers, g: Metric) -> Floats:
    """The number c in E_left E_right = c E_(left xor right), for arrays of masks."""
    common = left & right
    flips = parity(left & odd_below(right)) ^ parity(common & negative_mask(g))
    return np.where(common & null_mask(g), 0.0, 1.0 - 2.0 * flips)


def times_blade(coefficients: Floats, blades: Integers, g: Metric) -> Floats:
    """Even elements (batch, 2^(n-1)) times E_P, one null-free mask P each.

    An odd P gives an odd element in compact order.
    """
    if not blades.any():
        return coefficients
    return _exchanged(_signed(coefficients, blades, g), blades)


def coefficient_of_square(coefficients: Floats, blades: Integers, g: Metric) -> Floats:
    """The coefficient of E_P in R^2, one even null-free mask P per R, in a metric without nulls.

    sum_S s(S, S xor P) R_S R_(S xor P), where the sign s splits into the square of E_S and the
    sign of E_S E_P.
    """
    n = len(g)
    squares = reverse_signs(n) * parity_signs(n)[even_masks(n) & negative_mask(g)]
    signed = _signed(coefficients * squares, blades, g)
    total: Floats = np.einsum("bs,bs->b", signed, _exchanged(coefficients, blades))
    return total


def _exchanged(coefficients: Floats, blades: Integers) -> Floats:
    """Coefficient of S xor P in the place of S."""
    batch, size = coefficients.shape
    source = np.arange(size) ^ (blades >> 1)[:, None]
    source += (size * np.arange(batch))[:, None]
    return coefficients.ravel().take(source)


def _signed(coefficients: Floats, blades: Integers, g: Metric) -> Floats:
    """Coefficients times the sign (-1)^|S & s| of E_S E_P, s = L(P) xor (P & negative vectors).

    In terms of positions k it is the Walsh function (-1)^|k & w|, a product of one factor for
    the high and one for the low half of k.
    """
    n = len(g)
    selector = odd_below(blades) ^ (blades & negative_mask(g))
    walsh = (selector >> 1) ^ -(selector & 1)
    low = (n - 1) // 2
    high = n - 1 - low
    table = _walsh_functions(high)
    split = coefficients.reshape(len(blades), 1 << high, 1 << low)
    signed: Floats = split * table[(walsh >> low) & ((1 << high) - 1)][:, :, None]
    signed *= table[walsh & ((1 << low) - 1), : 1 << low][:, None, :]
    return signed.reshape(coefficients.shape)


@cache
def _walsh_functions(bits: int) -> Floats:
    """(-1)^|k & w| for all w, k < 2^bits."""
    numbers = np.arange(1 << bits)
    table: Floats = parity_signs(bits)[numbers[:, None] & numbers]
    return table


def in_chunks(
    function: Callable[[Any], Any], values: NDArray[Any], numbers_per_element: int
) -> Any:
    """Apply a batched function to slices that fit the cache, and join the (tuples of) arrays."""
    size = max(1, CHUNK // numbers_per_element)
    if len(values) <= size:
        return function(values)
    parts = [function(values[k : k + size]) for k in range(0, len(values), size)]
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    return np.concatenate(parts)
