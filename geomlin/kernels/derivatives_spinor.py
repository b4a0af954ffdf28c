"""Derivatives of exp through spinor matrices, for metrics with both signs.

There Omega = d exp(B) exp(-B) grows like e^(2 rapidity) beyond d exp(B), so Omega exp(B) would
cancel.  Doubling does not:

    exp(2 X) = exp(X)^2,        D exp(2 X) 2 E = exp(X) D exp(X) E + D exp(X) E exp(X).    (1)

The transpose is of the same kind.  For a metric without null vectors, A -> E_S A and
A -> E_S^(-1) A are transposes of each other in the coefficient product, and with the
anti-automorphism e_i -> g_i e_i, B -> B' (b' = -G b G),

    <C, D exp(B) E> = <D exp(B') C, E>.

Null vectors are represented by e_0 -> e_+ + e_-, scaled so that their products with the others
are at most 1; products of two null vectors are central among even elements and split off:
exp(B + N) = exp(B) exp(N).  The derivative is linear, and the parts of its argument with different
numbers of null vectors (null degrees), which may differ widely in size, are treated one by one; it
never lowers the null degree, its transpose never raises it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..errors import RapidityOverflow
from .bits import Floats, Integers, Metric, even_masks, non_null
from .derivatives_products import left_pairing, left_product, left_product_transposed
from .monomial import (
    Complexes,
    bivector_blocks,
    embedded_metric,
    even_blocks,
    even_coefficients,
)

_SERIES_RADIUS = 0.5
_SERIES_TERMS = 18
_FREE_POWER = 256


def exp_jvp_by_spinors(b: Floats, db: Floats, g: Metric) -> Floats:
    """D exp(B) dB in compact order; b and db (batch, n, n)."""
    scaled, central, power = _straightened(b, g)
    direction, central_change = _without_central(db, g)
    pairs, blades = _null_degrees(g)
    embedding, metric = _embedding(g), embedded_metric(g)
    blocks = bivector_blocks(embedding @ scaled @ embedding.T, metric)
    rotor = tangent = np.zeros((len(b), len(blades)))
    for degree in range(min(2, 1 + _null_count(g))):
        part, shift = _unit(np.where(pairs == degree, direction, 0.0))
        found = bivector_blocks(embedding @ part @ embedding.T, metric)
        rotor, term = _derivative(blocks, found, metric)
        powers = (degree - blades) * power[:, None] + shift[:, None]
        term = np.where(blades >= degree, term[:, : len(blades)], 0.0)
        tangent = tangent + np.ldexp(term, powers)
    if _null_count(g) > 1:
        rotor = np.ldexp(rotor[:, : len(blades)], -blades * power[:, None])
        tangent = tangent + left_product(central_change, rotor, g)
        tangent = _times_central(central, tangent, g, transposed=False)
    return _finite(tangent)


def exp_vjp_by_spinors(b: Floats, cotangent: Floats, g: Metric) -> Floats:
    """The transpose of D exp(B), applied to a cotangent (batch, 2^(n-1)); (batch, n, n)."""
    scaled, central, power = _straightened(b, g)
    cotangent = _times_central(central, cotangent, g, transposed=True)
    pairs, blades = _null_degrees(g)
    embedding, metric = _embedding(g), embedded_metric(g)
    signs = np.array(metric, dtype=np.float64)
    extended = embedding @ scaled @ embedding.T
    blocks = bivector_blocks(-signs[:, None] * extended * signs, metric)
    result = np.zeros_like(b)
    for degree in range(1 + _null_count(g)):
        padded = np.zeros((len(b), 1 << len(metric) >> 1))
        part, shift = _unit(np.where(blades == degree, cotangent, 0.0))
        padded[:, : len(blades)] = part
        _, term = _derivative(blocks, even_blocks(padded, metric), metric)
        found = embedding.T @ _bivector(term, len(metric)) @ embedding
        powers = (pairs - degree) * power[:, None, None] + shift[:, None, None]
        result += np.ldexp(np.where(pairs <= degree, found, 0.0), powers)
    if _null_count(g) > 1:
        blocks = bivector_blocks(extended, metric)
        rotor, _ = _derivative(blocks, np.zeros_like(blocks), metric)
        rotor = np.ldexp(rotor[:, : len(blades)], -blades * power[:, None])
        result = np.where(pairs == 2, left_pairing(cotangent, rotor, g), result)
    return _finite(result)


def _derivative(x: Complexes, e: Complexes, metric: Metric) -> tuple[Floats, Floats]:
    """Coefficients of e^X and D exp(X) E: (1) from a series of X / 2^s, s for each element."""
    radius = np.abs(x).sum(axis=-1).max(axis=(1, 2), initial=0.0)
    doublings = np.maximum(0, np.frexp(radius / _SERIES_RADIUS)[1])
    step = np.ldexp(1.0, -doublings)[:, None, None, None]
    x, e = x * step, e * step
    power = np.broadcast_to(np.eye(x.shape[-1], dtype=np.complex128), x.shape)
    value, slope, change = power.copy(), np.zeros_like(x), np.zeros_like(x)
    for k in range(1, _SERIES_TERMS):
        slope = (slope @ x + power @ e) / k
        power = power @ x / k
        value += power
        change += slope
    for k in range(int(doublings.max(initial=0))):
        active = doublings > k
        r, d = value[active], change[active]
        value[active], change[active] = r @ r, r @ d + d @ r
    return even_coefficients(value, metric), even_coefficients(change, metric)


def _without_central(b: Floats, g: Metric) -> tuple[Floats, Floats]:
    """B without products of two null vectors, and those products."""
    pairs, _ = _null_degrees(g)
    return np.where(pairs == 2, 0.0, b), np.where(pairs == 2, b, 0.0)


def _straightened(b: Floats, g: Metric) -> tuple[Floats, Floats, Integers]:
    """B with all null vectors scaled by 2^power, its central part, and the powers (batch,).

    Without products of null vectors with others any power would do; a large one keeps rounding
    of null-degree 0 out of the higher ones.
    """
    pairs, _ = _null_degrees(g)
    rest, central = _without_central(b, g)
    largest = np.abs(np.where(pairs == 1, b, 0.0)).max(axis=(1, 2), initial=0.0)
    power = np.where(largest > 0, -np.frexp(largest)[1].astype(np.int64), _FREE_POWER)
    return np.ldexp(rest, pairs * power[:, None, None]), central, power


def _unit(values: Floats) -> tuple[Floats, Integers]:
    """values / 2^shift of size about 1, and the shift of each element."""
    axes = tuple(range(1, values.ndim))
    shift = np.frexp(np.abs(values).max(axis=axes, initial=0.0))[1].astype(np.int64)
    return np.ldexp(values, -np.expand_dims(shift, axes)), shift


def _null_count(g: Metric) -> int:
    return len(g) - len(non_null(g))


@cache
def _null_degrees(g: Metric) -> tuple[Integers, Integers]:
    """Number of null vectors in each e_i e_j, (n, n), and in each even blade, (2^(n-1),)."""
    m = len(non_null(g))
    null = (np.arange(len(g)) >= m).astype(np.int64)
    return null[:, None] + null, np.bitwise_count(even_masks(len(g)) >> m).astype(np.int64)


@cache
def _embedding(g: Metric) -> Floats:
    """The matrix of e_0 -> e_+ + e_- on vectors, (n + r, n)."""
    identity = np.eye(len(g))
    return np.concatenate([identity, identity[len(non_null(g)) :]])


def _bivector(coefficients: Floats, n: int) -> Floats:
    """The bivector part of an even element, as antisymmetric matrices."""
    rows, columns = np.triu_indices(n, 1)
    matrix = np.zeros((len(coefficients), n, n))
    matrix[:, rows, columns] = coefficients[:, ((1 << rows) | (1 << columns)) >> 1]
    return matrix - matrix.swapaxes(1, 2)


def _times_central(n: Floats, x: Floats, g: Metric, *, transposed: bool) -> Floats:
    """X exp(N) of a bivector N of null vectors, a polynomial in N; or the transpose of that."""
    product = left_product_transposed if transposed else left_product
    total, term = x, x
    for k in range(1, _null_count(g) // 2 + 1):
        term = product(n, term, g) / k
        total = total + term
    return total


def _finite(values: Floats) -> Floats:
    """The values, or RapidityOverflow."""
    if not np.isfinite(values).all():
        raise RapidityOverflow(
            "the derivative of exp exceeds the range of float64: expected a total rapidity below "
            "about 709; split B into several smaller rotors"
        )
    return values
