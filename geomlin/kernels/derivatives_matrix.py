"""Derivatives of Spin -> SO and of its local inverse, and their transposes, batched.

The matrix O_ij = <R e_j ~R>_(e_i) is quadratic in R: O = P(R) Q(R)^T with two signed gathers P and
Q of the coefficients.  R e_j ~dR is the reverse of dR e_j ~R and has the same vector part, hence
dO = 2 P(dR) Q(R)^T.  Along rotors dR = Omega R and dO O^-1 = 2 omega G, which gives the inverse.
"""

from __future__ import annotations

import numpy as np

from .bits import Floats, Metric, non_null, reverse_signs
from .derivatives_products import left_pairing, left_product
from .lift import _action_tables, rotor_matrix


def rotor_matrix_jvp(rotor: Floats, tangent: Floats, g: Metric) -> Floats:
    """dO, column j that of dR e_j ~R + R e_j ~dR; (batch, 2^(n-1)) -> (batch, n, n)."""
    positions, right, left = _action_tables(g)
    gathered = rotor[:, positions] * right
    change: Floats = 2.0 * (tangent[:, positions] * left) @ gathered.swapaxes(1, 2)
    return change


def rotor_matrix_vjp(rotor: Floats, cotangent: Floats, g: Metric) -> Floats:
    """The transpose of `rotor_matrix_jvp`, applied to a cotangent (batch, n, n) of O."""
    positions, right, left = _action_tables(g)
    spread = 2.0 * left * (cotangent @ (rotor[:, positions] * right))
    result = np.zeros_like(rotor)
    for i, position in enumerate(positions):
        result[:, position] += spread[:, i]
    return result


def matrix_rotor_jvp(rotor: Floats, change: Floats, g: Metric) -> Floats:
    """dR = Omega R for a change dO of the matrix of R, projected on the tangents; r <= 1.

    omega_ij = (W_ij g_j - W_ji g_i) / 4 for non-null i, j and W_ij g_j / 2 for null i, with
    W = dO O^-1.
    """
    square = np.array(g, dtype=np.float64)
    weighted = change @ rotor_matrix(rotor * reverse_signs(len(g)), g) * square * _shares(g)
    return left_product(weighted - weighted.swapaxes(1, 2), rotor, g)


def matrix_rotor_vjp(rotor: Floats, cotangent: Floats, g: Metric) -> Floats:
    """The transpose of `matrix_rotor_jvp`, applied to a cotangent of R."""
    square = np.array(g, dtype=np.float64)
    weighted = left_pairing(cotangent, rotor, g) * square * _shares(g)
    inverse = rotor_matrix(rotor * reverse_signs(len(g)), g)
    result: Floats = weighted @ inverse.swapaxes(1, 2)
    return result


def _shares(g: Metric) -> Floats:
    """1/4 where both W_ij and W_ji show omega_ij, 1/2 where only W_ij does."""
    shares = np.full((len(g), len(g)), 0.25)
    shares[len(non_null(g)) :] = 0.5
    return shares
