"""Functions of small dense matrices that the logarithm needs, real or complex.

log A = 2^k log A^(1/2^k), with square roots by the iteration of Denman and Beavers and, near 1,
log A = 2 atanh((A - 1)(A + 1)^-1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Floats, Metric, bivector_positions, reverse_signs
from .log_closed import as_matrix
from .monomial import even_blocks, even_coefficients

NEAR = 0.25  # |A - 1| from which the series converge fast
SERIES_TERMS = 26  # 0.25^26 is below 1e-15, with coefficients below 1/4
ROOTS = 60
ITERATIONS = 80  # an eigenvalue at an angle d from the negative axis takes log2(1/d) + 6
BLUNT = 0.25  # |c + 1| for eigenvalues c of cosh B, below which f(c) loses digits
ON_AXIS = 2.0**-26  # |Im c| / |c| beyond c = -1, where rounding would choose the branch of f
PURE = 2.0**-36  # relative size of other grades that a logarithm may show

Matrix = NDArray[Any]


class NoConvergence(Exception):
    """An eigenvalue lies on the negative axis, or so near that its square root is lost."""


def hyperbolic_arctangent(matrix: Floats) -> Floats:
    """atanh X = sum_k X^(2k+1) / (2k+1), for |X| below 0.3."""
    square, total = matrix @ matrix, np.zeros_like(matrix)
    for k in range(SERIES_TERMS // 2, -1, -1):
        total = total @ square + np.eye(len(matrix)) / (2 * k + 1)
    return np.asarray(matrix @ total)


def real_logarithm(matrix: Floats) -> Floats:
    """log A; NoConvergence unless A has a real principal logarithm."""
    identity = np.eye(len(matrix))
    roots = 0
    while not _is_near(matrix, identity):
        if roots == ROOTS:
            raise NoConvergence
        matrix = square_root(matrix)
        roots += 1
    quotient: Matrix = np.linalg.solve((matrix + identity).T, (matrix - identity).T).T
    return np.asarray(2.0 ** (roots + 1) * hyperbolic_arctangent(quotient))


def _is_near(matrix: Matrix, identity: Floats) -> bool:
    return bool(np.abs(matrix - identity).sum(axis=-1).max(initial=0.0) < NEAR)


def square_root(matrix: Matrix) -> Matrix:
    """Principal square root: Y <- (Y + Z^-1) / 2, Z <- (Z + Y^-1) / 2 from Y = A / 4^k, Z = 1."""
    halvings = int(np.frexp(np.abs(matrix).max())[1]) // 2
    y = np.multiply(matrix, 0.25**halvings)
    z = np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape)
    change = np.inf
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            try:
                new, z = 0.5 * (y + np.linalg.inv(z)), 0.5 * (z + np.linalg.inv(y))
            except np.linalg.LinAlgError as error:
                raise NoConvergence from error
            change = np.abs(new - y).max() / np.abs(new).max()
            y = new
            if not change > 1e-14:
                break
    if not change <= 1e-6:
        raise NoConvergence
    return np.multiply(y, 2.0**halvings)


def logarithm_by_cosh(rotor: Floats, g: Metric) -> Floats:
    """b = f(C) S of one rotor, C = (R + ~R) / 2, S = (R - ~R) / 2, as spinor matrices.

    f(C) S is unchanged by C -> C' = ((1 + C) / 2)^(1/2), S -> C'^-1 S, which leads to C near 1.
    It is a logarithm while no sum of angles +-beta_1 +-beta_2 .. reaches pi; otherwise it has other
    grades, or an eigenvalue of C is near -1: NoConvergence.
    """
    n = len(g)
    signs = reverse_signs(n)
    cosh: Matrix = even_blocks(0.5 * (rotor + signs * rotor), g)
    sinh: Matrix = even_blocks(0.5 * (rotor - signs * rotor), g)
    values = np.linalg.eigvals(cosh)
    cut = (values.real < -1.0) & (np.abs(values.imag) < ON_AXIS * np.abs(values))
    if cut.any() or np.abs(values + 1.0).min() < BLUNT:
        raise NoConvergence
    identity = np.eye(cosh.shape[-1])
    roots = 0
    while not _is_near(cosh, identity):
        if roots == ROOTS:
            raise NoConvergence
        cosh = square_root(0.5 * (identity + cosh))
        sinh = np.linalg.solve(cosh, sinh)
        roots += 1
    coefficients = [1.0]
    for k in range(1, SERIES_TERMS):
        coefficients.append(-coefficients[-1] * k / (2 * k + 1))
    total = np.zeros_like(cosh)
    for coefficient in reversed(coefficients):
        total = total @ (cosh - identity) + coefficient * identity
    found = even_coefficients(total @ sinh, g)
    positions = bivector_positions(n)[2]
    size = np.abs(found[positions]).max(initial=0.0)
    if not np.abs(np.delete(found, positions)).max() <= PURE * max(size, PURE):
        raise NoConvergence
    return np.asarray(as_matrix(found[None, positions], n)[0])
