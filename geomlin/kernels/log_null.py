"""log of a rotor when some basis vectors are null.

The coefficients without null vectors are a rotor R' of the rest, with logarithm B'.  Those with one
null vector e_0 are linear in the vector c of c e_0, the part of B with e_0:

    R^(1) = sum_j c_j (int_0^1 e^(s B') e_j e^((1-s) B') ds) e_0,                     (1)

which is solved by least squares: every column has the size of R', at any rapidity.  It is singular
exactly where a plane makes a full turn; near it, c = [B', w] of that plane comes from

    R^(1) = (R' w - w R') e_0,                                                        (2)

where the small coefficients of R' keep their digits.  Products of two null vectors are central:

    R = exp(B) (1 + N + ..),    N_00' R_P = the coefficient of E_P e_0 e_0' in R - exp(B).    (3)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import (
    Booleans,
    Floats,
    Integers,
    Metric,
    even_masks,
    non_null,
    odd_masks,
    product_signs,
    times_blade,
)
from .eigenvalues import action_eigenvalues, invariant_subspace
from .exponential import exponential
from .lift import rotor_matrix
from .monomial import blocks_from_coefficients, coefficients_from_blocks

LARGEST_EXPONENT = 1000  # beyond it the highest null-degree has underflowed in R already
FULL_TURN = 2.0**-46  # singular values of (1), relative to the largest, that belong to full turns
NEARLY_FULL = 0.5  # pi - beta below which a plane takes equation (2)
ROUNDING = 8 * 2.0**-52  # of R^(1): a residual that is none
UPRIGHT = 1e-6  # |Re mu| of the eigenvalues mu = +-i beta of a rotation plane


@cache
def null_degrees(g: Metric) -> Integers:
    """Number of null vectors in the blade of each compact position."""
    high = even_masks(len(g)) >> len(non_null(g))
    return np.array([int(mask).bit_count() for mask in high], dtype=np.int64)


def null_exponents(rotor: Floats, g: Metric) -> Integers:
    """Exponents k (batch,) such that e_0 -> e_0 / 2^k makes every null-degree at most about R'."""
    degrees = null_degrees(g)
    size = np.abs(rotor[:, degrees == 0]).max(axis=1)
    exponents = np.full(len(rotor), np.iinfo(np.int32).min, dtype=np.int64)
    for degree in range(1, int(degrees.max(initial=0)) + 1):
        part = np.abs(rotor[:, degrees == degree]).max(axis=1, initial=0.0)
        difference = np.frexp(part)[1].astype(np.int64) - np.frexp(size)[1]
        exponents = np.where(part > 0, np.maximum(exponents, -(-difference // degree)), exponents)
    lowest = -LARGEST_EXPONENT // max(1, int(degrees.max(initial=0)))
    return np.where(exponents == np.iinfo(np.int32).min, 0, np.maximum(exponents, lowest))


def scaled_rotor(rotor: Floats, exponents: Integers, g: Metric) -> Floats:
    """The automorphism e_0 -> e_0 / 2^k for every null vector."""
    powers = -exponents[:, None] * null_degrees(g)
    return np.asarray(np.ldexp(rotor, powers.astype(np.int32)))


def scaled_bivector(b: Floats, exponents: Integers, g: Metric) -> Floats:
    """The same automorphism on bivectors."""
    m = len(non_null(g))
    null = np.arange(len(g)) >= m
    powers = -exponents[:, None, None] * (null[:, None].astype(np.int64) + null)
    return np.asarray(np.ldexp(b, powers.astype(np.int32)))


def translation_forms(rotor: Floats, g: Metric) -> Floats:
    """Linear forms (batch, r, m) that vanish on the vectors of R' that R moves by no null vector.

    They are the null rows of the action, up to a positive factor.
    """
    m = len(non_null(g))
    size = np.abs(rotor).max(axis=1)[:, None]
    return rotor_matrix(rotor / size, g)[:, m:, :m]


def with_null_part(inner: Floats, rotor: Floats, g: Metric, on_cut: Booleans) -> Floats:
    """b of the whole space from b' (batch, m, m), by equations (1), (2) and (3).

    R' in (2) is that of R, which makes b accurate; on the cut it is exp(B'), which makes exp(B)
    reproduce R: rounding of B' alone changes the sine of a full turn by all of its digits.
    """
    m, n = len(non_null(g)), len(g)
    b = np.zeros((len(rotor), n, n))
    b[:, :m, :m] = inner
    if m:
        odd = odd_masks(m)
        parts = rotor[:, [(odd | 1 << i) >> 1 for i in range(m, n)]].swapaxes(1, 2)
        columns = coupling_columns(inner, g[:m])
        c = _least_squares(columns, parts)
        for index in np.flatnonzero(_turns_fully(inner, g[:m])).tolist():
            one = inner[index, None]
            source = exponential(one, g[:m]) if on_cut[index] else rotor[index, None, : 1 << m >> 1]
            c[index] = _beside_a_full_turn(one, source, columns[index], parts[index], g[:m])
        b[:, :m, m:] = c
        b[:, m:, :m] = -c.swapaxes(1, 2)
    if n - m >= 2:
        _add_null_null(b, rotor, g)
    return b


def _is_nearly_full(values: Any) -> Any:
    """Which eigenvalues of M = b G belong to planes that nearly make a full turn."""
    upright = np.abs(np.real(values)) < UPRIGHT
    return upright & (np.abs(np.abs(np.imag(values)) - np.pi) < NEARLY_FULL)


def _turns_fully(b: Floats, g: Metric) -> Booleans:
    """Which b (batch, m, m) have such planes."""
    return np.asarray(_is_nearly_full(action_eigenvalues(b, g)).any(axis=1))


def _beside_a_full_turn(
    b: Floats, rotor: Floats, columns: Floats, parts: Floats, g: Metric
) -> Floats:
    """c (m, r) of one element, by equation (2) in the planes V of a full turn and (1) beside V."""
    m = len(g)
    generator = b[0] * np.array(g, dtype=float)
    vectors, count = invariant_subspace(generator, _is_nearly_full)
    axes = 1 << np.arange(m)
    contains = (even_masks(m) & axes[:, None]) != 0  # E_S e_j - e_j E_S = 2 E_S e_j if S has j
    moved = 2.0 * times_blade(rotor * contains, axes, g).T  # columns R' e_j - e_j R'
    inside, beside = moved @ vectors[:, :count], columns @ vectors[:, count:]
    system = np.concatenate([inside, beside], axis=1)
    largest = np.abs(system).max(initial=0.0) or 1.0  # beside large boosts squares would overflow
    length = largest * np.linalg.norm(system / largest, axis=0)
    length = np.where(length > 0, length, 1.0)
    found = _least_squares((system / length)[None], parts[None])[0] / length[:, None]
    if beside.shape[1]:  # where V is not needed, tiny sines would turn rounding into translations
        alone = _least_squares(beside[None], parts[None])[0]
        enough = np.abs(parts - beside @ alone).max(axis=0) <= ROUNDING * np.abs(parts).max(axis=0)
        found[:, enough] = np.concatenate([np.zeros((count, len(enough))), alone])[:, enough]
    own = 2.0 * generator @ vectors[:, :count] @ found[:count]
    return np.asarray(own + vectors[:, count:] @ found[count:])


def _least_squares(columns: Floats, right: Floats) -> Floats:
    """The solution by Q R, or the shortest one where a full turn makes R singular; NaN where a
    column has overflowed."""
    finite = np.isfinite(columns).all(axis=(1, 2))
    if not finite.all():
        solved = np.full((len(columns), columns.shape[2], right.shape[2]), np.nan)
        solved[finite] = _least_squares(columns[finite], right[finite])
        return solved
    q, r = np.linalg.qr(columns)
    projected = q.swapaxes(1, 2) @ right
    u, singular, adjoint = np.linalg.svd(r)
    good = singular > FULL_TURN * singular[:, :1]
    regular = good.all(axis=1)
    result = np.empty_like(projected)
    q, r, columns = q[regular].swapaxes(1, 2), r[regular], columns[regular]
    first = np.linalg.solve(r, projected[regular])
    # One step of refinement: small components get digits of their own.
    result[regular] = first + np.linalg.solve(r, q @ (right[regular] - columns @ first))
    rest = ~regular
    if rest.any():
        inverse = np.where(good, 1.0 / np.where(good, singular, 1.0), 0.0)[rest, :, None]
        turned = inverse * (u[rest].swapaxes(1, 2) @ projected[rest])
        result[rest] = adjoint[rest].swapaxes(1, 2) @ turned
    return result


def coupling_columns(b: Floats, g: Metric) -> Floats:
    """int_0^1 e^(s B) e_j e^((1-s) B) ds as odd elements, (batch, 2^(m-1), m): blocks of the
    exponentials of ((B, e_j), (0, B))."""
    from scipy.linalg import expm

    m = len(g)
    elements = np.zeros((len(b), 1 << m))
    rows, columns = np.triu_indices(m, 1)
    elements[:, (1 << rows) | (1 << columns)] = b[:, rows, columns]
    vectors = np.zeros((m, 1 << m))
    vectors[np.arange(m), 1 << np.arange(m)] = 1.0
    inner: NDArray[np.complex128] = blocks_from_coefficients(elements, g)[:, None]
    units: NDArray[np.complex128] = blocks_from_coefficients(vectors, g)
    size = inner.shape[-1]
    doubled = np.zeros((len(b), *units.shape[:-2], 2 * size, 2 * size), dtype=complex)
    doubled[..., :size, :size] = doubled[..., size:, size:] = inner
    doubled[..., :size, size:] = units
    found = coefficients_from_blocks(expm(doubled)[..., :size, size:], g)
    return np.asarray(found[..., odd_masks(m)].swapaxes(1, 2))


def _add_null_null(b: Floats, rotor: Floats, g: Metric) -> None:
    """Equation (3), in place."""
    m, n = len(non_null(g)), len(g)
    missing = rotor - exponential(b, g)
    inner = rotor[:, : max(1, 1 << m >> 1)]
    pivot = np.argmax(np.abs(inner), axis=1)
    masks = even_masks(n)[pivot]
    value = np.take_along_axis(inner, pivot[:, None], axis=1)[:, 0]
    for i in range(m, n):
        for j in range(i + 1, n):
            pair = np.full(len(b), 1 << i | 1 << j)
            position = (masks | pair) >> 1
            found = np.take_along_axis(missing, position[:, None], axis=1)[:, 0]
            found = found * product_signs(masks, pair, g) / value
            b[:, i, j] += found
            b[:, j, i] -= found
