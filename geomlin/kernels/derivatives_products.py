"""Products of bivectors with even elements, as linear maps that can be transposed.

With S' = S xor {i, j}, two families of signs serve every derivative of exp and log:

    (e_i e_j R)_S   = l_ij,S R_S',        <A ~R>_ij = sum_S q_ij,S A_S R_S'.

Bivectors are antisymmetric matrices (batch, n, n), even elements compact (batch, 2^(n-1)).  The
inner product is that of the coefficients, of bivectors e_i e_j with i < j.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .bits import (
    Floats,
    Integers,
    Metric,
    bivector_positions,
    even_masks,
    product_signs,
    reverse_signs,
)


class _Tables(NamedTuple):
    """Position of S' and the signs l and q, each (number of bivectors, 2^(n-1))."""

    partners: Integers
    left: Floats
    quotient: Floats


@cache
def _tables(g: Metric) -> _Tables:
    n = len(g)
    masks = even_masks(n)
    blades = masks[bivector_positions(n)[2]][:, None]
    partners = masks ^ blades
    left = product_signs(blades, partners, g)
    right = product_signs(masks, partners, g)
    return _Tables(partners >> 1, left, right * reverse_signs(n)[partners >> 1])


def antisymmetric(values: Floats, n: int) -> Floats:
    """The matrices whose entries above the diagonal, row by row, are the given (..., n(n-1)/2)."""
    rows, columns, _ = bivector_positions(n)
    matrix = np.zeros((*values.shape[:-1], n, n))
    matrix[..., rows, columns] = values
    matrix[..., columns, rows] = -values
    return matrix


def upper(matrix: Floats) -> Floats:
    """Entries above the diagonal, row by row."""
    rows, columns, _ = bivector_positions(matrix.shape[-1])
    entries: Floats = matrix[..., rows, columns]
    return entries


def left_product(y: Floats, rotor: Floats, g: Metric) -> Floats:
    """Y R for a bivector Y = sum_(i<j) y_ij e_i e_j."""
    tables = _tables(g)
    return _combined(y, rotor, tables.left, tables.partners)


def left_product_transposed(y: Floats, cotangent: Floats, g: Metric) -> Floats:
    """The transpose of R -> Y R, applied to a cotangent of Y R."""
    tables = _tables(g)
    values = upper(y)
    total = np.zeros(np.broadcast_shapes(cotangent.shape, (len(y), 1)))
    for k, (partner, sign) in enumerate(zip(tables.partners, tables.left, strict=True)):
        total += values[:, k, None] * (sign * cotangent)[:, partner]
    return total


def left_pairing(cotangent: Floats, rotor: Floats, g: Metric) -> Floats:
    """l_ij = <C, e_i e_j R>: the transpose of Y -> Y R, applied to a cotangent C of Y R."""
    tables = _tables(g)
    return _paired(cotangent, rotor, tables.left, tables.partners, g)


def bivector_quotient(tangent: Floats, rotor: Floats, g: Metric) -> Floats:
    """<A ~R>_2."""
    tables = _tables(g)
    return _paired(tangent, rotor, tables.quotient, tables.partners, g)


def bivector_quotient_transposed(y: Floats, rotor: Floats, g: Metric) -> Floats:
    """The transpose of A -> <A ~R>_2, applied to a cotangent Y."""
    tables = _tables(g)
    return _combined(y, rotor, tables.quotient, tables.partners)


def _combined(y: Floats, rotor: Floats, signs: Floats, partners: Integers) -> Floats:
    """sum_ij y_ij sign_ij,S R_S'."""
    values = upper(y)
    total = np.zeros(np.broadcast_shapes(rotor.shape, (len(y), 1)))
    for k, (partner, sign) in enumerate(zip(partners, signs, strict=True)):
        total += values[:, k, None] * (sign * rotor[:, partner])
    return total


def _paired(a: Floats, rotor: Floats, signs: Floats, partners: Integers, g: Metric) -> Floats:
    """sum_S sign_ij,S A_S R_S' for each i < j, as an antisymmetric matrix."""
    values = np.zeros((len(a), len(partners)))
    for k, (partner, sign) in enumerate(zip(partners, signs, strict=True)):
        values[:, k] = np.einsum("bs,bs->b", a * sign, rotor[:, partner])
    return antisymmetric(values, len(g))
