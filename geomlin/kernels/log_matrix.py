"""Functions of small dense matrices that the logarithm needs, real or complex.

log A = 2^k log A^(1/2^k), with square roots by the iteration of Denman and Beavers and, near 1,
log A = 2 atanh((A - 1)(A + 1)^-1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Booleans, Floats, Metric, bivector_positions, reverse_signs
from .eigenvalues import eigenvalues
from .log_closed import as_matrix
from .monomial import even_blocks, even_coefficients

NEAR = 0.25  # |A - 1| from which the series converge fast
SERIES_TERMS = 26  # 0.25^26 is below 1e-15, with coefficients below 1/4
ROOTS = 60
CONVERGED = 1e-6  # relative change at which an iteration has found the square root
SETTLED = 1e-14  # at which it ends
ITERATIONS = 80  # an eigenvalue at an angle d from the negative axis takes log2(1/d) + 6
BLUNT = 0.25  # |c + 1| for eigenvalues c of cosh B, below which f(c) loses digits
ON_AXIS = 2.0**-26  # |Im c| / |c| beyond c = -1, where rounding would choose the branch of f
PURE = 2.0**-36  # relative size of other grades that a logarithm may show

Matrix = NDArray[Any]


class NoConvergence(Exception):
    """An eigenvalue lies on the negative axis, or so near that its square root is lost."""


def hyperbolic_arctangent(matrix: Floats) -> Floats:
    """For matrices (.., n, n), atanh X = sum_k X^(2k+1) / (2k+1), for |X| below 0.3."""
    square, total = matrix @ matrix, np.zeros_like(matrix)
    for k in range(SERIES_TERMS // 2, -1, -1):
        total = total @ square + np.eye(matrix.shape[-1]) / (2 * k + 1)
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
    return bool(_are_near(matrix[None], identity)[0])


def _are_near(matrices: Matrix, identity: Floats) -> Booleans:
    """Which elements of the batch have rows of |A - 1| below NEAR."""
    rows = np.abs(matrices - identity).sum(axis=-1)
    return np.asarray(rows.max(axis=tuple(range(1, rows.ndim)), initial=0.0) < NEAR)


def square_root(matrix: Matrix) -> Matrix:
    """The principal square root of a matrix, or of the blocks of one; NoConvergence."""
    roots, found = square_roots(matrix[None])
    if not found[0]:
        raise NoConvergence
    return np.asarray(roots[0])


def square_roots(matrices: Matrix) -> tuple[Matrix, Booleans]:
    """Principal square roots of a batch (batch, .., N, N), and which of them exist.

    Y <- (Y + Z^-1) / 2, Z <- (Z + Y^-1) / 2 from Y = A / 4^k, Z = 1.
    """
    halvings = np.frexp(_largest(matrices))[1] // 2
    scale = np.ldexp(1.0, halvings).reshape(-1, *[1] * (matrices.ndim - 1))
    y = matrices / scale / scale
    z = np.broadcast_to(np.eye(matrices.shape[-1], dtype=y.dtype), matrices.shape).copy()
    found = np.zeros(len(matrices), dtype=bool)
    active = np.arange(len(matrices))
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            old = y[active]
            new, z[active] = 0.5 * (old + _inverse(z[active])), 0.5 * (z[active] + _inverse(old))
            change = _largest(new - old) / _largest(new)
            y[active], found[active] = new, change <= CONVERGED
            active = active[change > SETTLED]
            if not len(active):
                break
    return y * scale, found


def _largest(matrices: Matrix) -> Floats:
    """max |A| of each element of the batch."""
    return np.asarray(np.abs(matrices).max(axis=tuple(range(1, matrices.ndim))))


def _inverse(matrices: Matrix) -> Matrix:
    """The inverses; NaN for singular matrices."""
    try:
        return np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        if matrices.ndim == 2:
            return np.full_like(matrices, np.nan)
        return np.stack([_inverse(matrix) for matrix in matrices])


def logarithms_by_cosh(rotor: Floats, g: Metric) -> tuple[Floats, Booleans]:
    """b (batch, n, n) = f(C) S, C = (R + ~R) / 2, S = (R - ~R) / 2, as spinor matrices, and which
    of them are logarithms.

    f(C) S is unchanged by C -> C' = ((1 + C) / 2)^(1/2), S -> C'^-1 S, which leads to C near 1.
    It is a logarithm while no sum of angles +-beta_1 +-beta_2 .. reaches pi; otherwise it has other
    grades, or an eigenvalue of C is near -1.
    """
    n, signs = len(g), reverse_signs(len(g))
    cosh: Matrix = even_blocks(0.5 * (rotor + signs * rotor), g)
    sinh: Matrix = even_blocks(0.5 * (rotor - signs * rotor), g)
    values = eigenvalues(cosh).reshape(len(rotor), -1)  # of all blocks
    cut = (values.real < -1.0) & (np.abs(values.imag) < ON_AXIS * np.abs(values))
    found = ~cut.any(axis=1) & (np.abs(values + 1.0).min(axis=1) >= BLUNT)
    b = np.zeros((len(rotor), n, n))
    chosen = np.flatnonzero(found)
    with np.errstate(all="ignore"):
        product, known = _inverse_cosh_times_sinh(cosh[chosen], sinh[chosen])
        coefficients = even_coefficients(product, g)
    positions = bivector_positions(n)[2]
    size = np.abs(coefficients[:, positions]).max(axis=1, initial=0.0)
    rest = np.abs(np.delete(coefficients, positions, axis=1)).max(axis=1)
    found[chosen] = known & (rest <= PURE * np.maximum(size, PURE))
    b[chosen] = as_matrix(coefficients[:, positions], n)
    b[~found] = 0.0
    return b, found


def _inverse_cosh_times_sinh(cosh: Matrix, sinh: Matrix) -> tuple[Matrix, Booleans]:
    """acosh(C) / (C^2 - 1)^(1/2) S by roots until C is near 1, then by the series."""
    identity = np.eye(cosh.shape[-1])
    found = np.ones(len(cosh), dtype=bool)
    cosh, sinh = cosh.copy(), sinh.copy()
    for _ in range(ROOTS):
        far = found & ~_are_near(cosh, identity)
        if not far.any():
            break
        cosh[far], found[far] = square_roots(0.5 * (identity + cosh[far]))
        far &= found
        sinh[far] = np.linalg.solve(cosh[far], sinh[far])
    found &= _are_near(cosh, identity)
    coefficients = [1.0]
    for k in range(1, SERIES_TERMS):
        coefficients.append(-coefficients[-1] * k / (2 * k + 1))
    total = np.zeros_like(cosh)
    for coefficient in reversed(coefficients):
        total = total @ (cosh - identity) + coefficient * identity
    return total @ sinh, found
