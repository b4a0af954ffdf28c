"""Componentwise relative condition numbers of exp, log, powers and Spin -> SO, from Jacobians.

    kappa = max(1, max_S sum_j |x_j dy_S/dx_j| / size of y)

is the amplification of relative perturbations of every input number x_j: an algorithm that commits
errors of eps in its inputs alone cannot do better than eps kappa.  With null basis vectors kappa is
taken for each null-degree, with the partition and the sizes that `reference.errors` uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from ..signature import Signature
from .reference import (
    TIGHT,
    Exact,
    as_ball,
    exact_exp,
    exact_sandwich,
    matrix_null_degrees,
    null_degrees,
    product_sign,
    sandwich_tables,
    sizes,
    working_precision,
)
from .representation import FloatArray, even_blades

JACOBIAN_BITS = (128, 256, 512, 1024)  # tried in turn
NORMAL = 2.0**-1022  # sizes below it carry no relative accuracy
MOST_TURNS = 1e6  # the largest non-null |b_ij| for which the Jacobian of exp is worth its cost


def condition_exp(
    b: FloatArray, signature: Signature, rotor: Exact | None = None
) -> dict[int, float]:
    """kappa of B -> exp(B) for each null-degree; `rotor` is exact_exp(b) where it is known already.

    The Jacobian is dR/db_ij = Omega_ij R with the bivector Omega_ij = phi(ad_B) e_ij and
    phi(z) = (e^z - 1) / z.  Beyond MOST_TURNS the lower bound |B R| / |R| is returned: by it,
    an error is judged more severely than by kappa.
    """
    rotor = exact_exp(b, signature) if rotor is None else rotor
    m = signature.p + signature.q
    if np.abs(b[:m, :m]).max(initial=0.0) > MOST_TURNS:
        return _condition_along_the_ray(b, signature, rotor)
    degrees, bits = null_degrees(signature), 64
    size = sizes(rotor, degrees)
    while True:
        with working_precision(bits):
            amplified = _weighted_jacobian(b, signature, rotor)
            doubts = [max(float(x.mid()), size[d]) for x, d in zip(amplified, degrees, strict=True)]
            if all(
                64 * float(x.rad()) <= max(y, NORMAL)
                for x, y in zip(amplified, doubts, strict=True)
            ):
                return _relative(amplified, rotor, degrees)
        bits *= 2


def condition_to_matrix(
    coefficients: NDArray[np.floating], signature: Signature
) -> dict[int, float]:
    """kappa of R -> (R e_j ~R)_i for each null-degree, for float coefficients of R.

    The entry (i, j) is sum_S s_S R_S R_T with T = S xor i xor j, so the terms R_S d/dR_S are
    (s_S + s_T) R_S R_T.
    """
    partner, sign = sandwich_tables(signature)
    both = sign + np.take_along_axis(sign, partner, axis=-1)
    values = coefficients.astype(np.float64)
    amplified = np.abs(both * values * values[partner]).sum(axis=-1).ravel()
    with working_precision(128):
        matrix = [as_ball(entry) for entry in exact_sandwich(coefficients, signature)]
    balls = [arb(value) for value in amplified.tolist()]
    return _relative(balls, matrix, matrix_null_degrees(signature))


def condition_log(b: FloatArray, signature: Signature, rotor: Exact) -> dict[int, float]:
    """kappa of R -> log R = B for each null-degree, R = exp(B) given as balls.

    Infinite where phi(ad_B) is singular: beta_j +- beta_k is a multiple of pi.
    """
    pairs = list(combinations(range(signature.n), 2))
    degrees = bivector_null_degrees(signature)
    if not pairs:
        return {}
    for bits in JACOBIAN_BITS:
        with working_precision(bits):
            jacobian = _log_jacobian(b, signature, rotor)
            if jacobian is not None:
                exact = [arb(float(b[pair])) for pair in pairs]
                return _relative(_row_sums(jacobian), exact, degrees)
    return dict.fromkeys(degrees, np.inf)


def condition_power(
    b: FloatArray, t: float, signature: Signature, rotor: Exact, power: Exact
) -> dict[int, float]:
    """kappa of R -> exp(t log R) for each null-degree, for R = exp(B) and its power as balls; t b
    must be exact in floats.

    dR^t = phi(ad_(tB)) (t dB) R^t with dB as for `condition_log`.
    """
    degrees = null_degrees(signature)
    pairs = list(combinations(range(signature.n), 2))
    if not pairs:
        return dict.fromkeys(degrees, 1.0)
    for bits in JACOBIAN_BITS:
        with working_precision(bits):
            jacobian = _log_jacobian(b, signature, rotor)
            if jacobian is not None:
                omega = arb(t) * (_phi(t * b, signature, pairs) * jacobian)
                tangents = _left_products(signature, power).transpose() * omega
                return _relative(_row_sums(tangents), power, degrees)
    return dict.fromkeys(degrees, np.inf)


def _log_jacobian(b: FloatArray, signature: Signature, rotor: Exact) -> arb_mat | None:
    """Entry (ij, S): dB_ij = (phi(ad_B)^-1 <dR ~R>_2)_ij with dR = R_S E_S; None if it is singular
    as far as can be told."""
    phi = _phi(b, signature, list(combinations(range(signature.n), 2)))
    try:
        return phi.solve(_right_logarithmic_products(signature, rotor))
    except ZeroDivisionError:
        return None


def _phi(b: FloatArray, signature: Signature, pairs: list[tuple[int, int]]) -> arb_mat:
    """phi(ad_B) on the bivectors e_i e_j."""
    size = len(pairs)
    exponential = _augmented_adjoint(b, signature, pairs).exp()
    return arb_mat([[exponential[row, size + k] for k in range(size)] for row in range(size)])


def _row_sums(matrix: arb_mat) -> list[arb]:
    """sum_j |m_ij| for each i."""
    columns = range(matrix.ncols())
    return [sum((abs(matrix[i, j]) for j in columns), arb(0)) for i in range(matrix.nrows())]


def bivector_null_degrees(signature: Signature) -> tuple[int, ...]:
    """Null-degree of each e_i e_j, i < j."""
    null = [int(g == 0) for g in signature.metric]
    return tuple(null[i] + null[j] for i, j in combinations(range(signature.n), 2))


def _right_logarithmic_products(signature: Signature, rotor: Exact) -> arb_mat:
    """Entry (ij, S): the coefficient of e_i e_j in R_S E_S ~R."""
    masks = even_blades(signature.n)
    return arb_mat(
        [
            [sign * rotor[k] * rotor[other] for k, (sign, other) in enumerate(row)]
            for row in _reverse_tables(signature, masks)
        ]
    )


@cache
def _reverse_tables(
    signature: Signature, masks: tuple[int, ...]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """(sign, other) with <E_S ~R>_ij = sign R_other, for all pairs i < j and even blades S."""
    position = {mask: k for k, mask in enumerate(masks)}
    table = []
    for pair in (1 << i | 1 << j for i, j in combinations(range(signature.n), 2)):
        row = []
        for mask in masks:
            other = mask ^ pair
            reverse = -1 if other.bit_count() % 4 >= 2 else 1
            row.append((reverse * product_sign(mask, other, signature), position[other]))
        table.append(tuple(row))
    return tuple(table)


def _relative(
    amplified: Sequence[arb], values: Sequence[arb], degrees: Sequence[int]
) -> dict[int, float]:
    """max(1, max amplified / size) for each degree.

    A degree that vanishes identically is a sum of products of lower degrees that cancel: it has
    their sizes, and by the product rule their amplifications.
    """
    size = sizes(values, degrees)
    kappa = dict.fromkeys(size, 1.0)
    for value, degree in zip(amplified, degrees, strict=True):
        ratio = float(value.mid()) / max(size[degree], NORMAL)
        kappa[degree] = max(kappa[degree], ratio)
    for d in size:
        top = max(float(abs(x).mid()) for x, e in zip(values, degrees, strict=True) if e == d)
        if top < 2.0**-TIGHT * size[d]:
            products = [
                kappa[c] * size[c] * size[d - c] for c in size if c > 0 and d - c in size and d > c
            ]
            kappa[d] = max(kappa[d], *(product / size[d] for product in products))
    return kappa


def _condition_along_the_ray(b: FloatArray, signature: Signature, rotor: Exact) -> dict[int, float]:
    """|B R| / |R|: B R is the derivative of exp(t B), a sum of the terms b_ij dR/db_ij."""
    with working_precision(256):
        pairs = list(combinations(range(signature.n), 2))
        left = _left_products(signature, rotor)
        row = arb_mat([[arb(float(b[i, j])) for i, j in pairs]])
        derivative = (row * left).entries()
        return _relative([abs(value) for value in derivative], rotor, null_degrees(signature))


def _weighted_jacobian(b: FloatArray, signature: Signature, rotor: Exact) -> list[arb]:
    """sum_ij |b_ij dR_S/db_ij| for each even blade S."""
    pairs = list(combinations(range(signature.n), 2))
    weights = [arb(abs(float(b[i, j]))) for i, j in pairs]
    size = len(pairs)
    if size == 0:
        return [arb(0)] * len(rotor)
    generator = _augmented_adjoint(b, signature, pairs).exp()
    used = [k for k in range(size) if b[pairs[k]] != 0.0]
    if not used:
        return [arb(0)] * len(rotor)
    phi = arb_mat([[weights[k] * generator[row, size + k] for row in range(size)] for k in used])
    jacobian = phi * _left_products(signature, rotor)
    columns = range(len(rotor))
    return [sum((abs(jacobian[k, s]) for k in range(len(used))), arb(0)) for s in columns]


def _augmented_adjoint(
    b: FloatArray, signature: Signature, pairs: list[tuple[int, int]]
) -> arb_mat:
    """The matrix ((A, 1), (0, 0)), A that of Y -> [B, Y] on bivectors; its exp holds phi(A).

    As matrices [B, Y] = 2 (b G y - y G b).
    """
    size, n, g = len(pairs), signature.n, np.array(signature.metric, dtype=float)
    augmented = arb_mat(2 * size, 2 * size)
    for column, (i, j) in enumerate(pairs):
        y = np.zeros((n, n))
        y[i, j], y[j, i] = 1.0, -1.0
        commutator = (b * g) @ y - (y * g) @ b
        for row, pair in enumerate(pairs):
            if commutator[pair] != 0.0:
                augmented[row, column] = 2 * arb(float(commutator[pair]))
        augmented[column, size + column] = arb(1)
    return augmented


def _left_products(signature: Signature, rotor: Exact) -> arb_mat:
    """Rows e_i e_j R for all pairs i < j, coefficients in even blade order."""
    return arb_mat(
        [[sign * rotor[source] for sign, source in row] for row in _left_tables(signature)]
    )


@cache
def _left_tables(signature: Signature) -> tuple[tuple[tuple[int, int], ...], ...]:
    """(sign, source) with (e_i e_j R)_S = sign R_source, for all pairs i < j and even blades S."""
    masks = even_blades(signature.n)
    position = {mask: k for k, mask in enumerate(masks)}
    return tuple(
        tuple((product_sign(left, mask ^ left, signature), position[mask ^ left]) for mask in masks)
        for left in (1 << i | 1 << j for i, j in combinations(range(signature.n), 2))
    )
