"""From orthogonal matrices to rotors, and back.

Column j of a matrix is the image of e_j.  A rotor acts by x -> R x ~R, an odd versor V by
x -> -V x V^-1.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import RapidityOverflow
from .bits import (
    Floats,
    Metric,
    in_chunks,
    negative_mask,
    non_null,
    odd_masks,
    parity,
    product_signs,
    reverse_signs,
)
from .pfaffian import assemble, pivoted_cayley, with_null_vectors


class Lift(NamedTuple):
    """Versors (up to sign) that act by given matrices."""

    coefficients: Floats  # compact order, of the odd masks where `odd`; the pivot is positive
    odd: NDArray[np.bool_]  # determinant -1 on the non-null vectors
    spinor_norm: Floats  # V ~V, +1 or -1
    asymmetry: Floats  # about twice the distance of the matrix from the group; inf if hopeless


def lift(matrix: Floats, g: Metric) -> Lift:
    """The versors acting by the matrices (..., n, n), as far as these are orthogonal.

    With K = I + O D, |det K| >= 1 by the choice of the signs D, so every finite matrix has an
    answer; a matrix O + E that is not orthogonal gives the versor of its polar factor up to
    |E|^2.  Only the rows of the non-null columns are used.  What the matrix does not show, the
    products of two null vectors, is taken to be zero.
    """
    n = len(g)
    batch = matrix.shape[:-2]
    flat = np.asarray(matrix, dtype=np.float64).reshape(math.prod(batch), n, n)
    with np.errstate(all="ignore"):
        coefficients, odd, spinor_norm, asymmetry = in_chunks(
            lambda part: _lift(part, g), flat, 1 << n >> 1
        )
    return Lift(
        coefficients.reshape(*batch, 1 << n >> 1),
        odd.reshape(batch),
        spinor_norm.reshape(batch),
        asymmetry.reshape(batch),
    )


def _lift(matrix: Floats, g: Metric) -> tuple[Floats, NDArray[np.bool_], Floats, Floats]:
    """The fields of Lift for a flat batch; V ~V = det(K) / |det K| times the square signs of P."""
    m = len(non_null(g))
    metric = np.array(g[:m], dtype=float)
    found = pivoted_cayley((matrix[:, :m, :m] - np.eye(m)) * metric, g[:m])
    determinant = np.linalg.det(0.5 * found.system)
    t = found.t
    if m < len(g):
        rows = matrix[:, m:, :m] * metric
        t = with_null_vectors(t, found.pivot, rows, np.zeros((len(t), *[len(g) - m] * 2)), g)
    definite = len(set(g[:m])) <= 1
    scale = None if definite else np.sqrt(np.abs(determinant))
    coefficients = assemble(found.pivot, t, g, scale)
    squares = 1.0 - 2.0 * parity(found.pivot & negative_mask(g))
    spinor_norm = squares if definite else np.where(determinant < 0, -squares, squares)
    good = np.isfinite(coefficients).all(axis=1) & np.isfinite(found.asymmetry)
    return (
        np.where(good[:, None], coefficients, 0.0),
        parity(found.pivot) == 1,
        np.where(good, spinor_norm, 1.0),
        np.where(good, found.asymmetry, np.inf),
    )


@cache
def _action_tables(g: Metric) -> tuple[NDArray[np.int64], Floats, Floats]:
    """For each e_i and odd mask K: position of K xor e_i, sign of R e_i, sign of <. ~R>_(e_i)."""
    n = len(g)
    vectors = (1 << np.arange(n))[:, None]
    odd = odd_masks(n)[None, :]
    even = odd ^ vectors
    right = product_signs(even, np.broadcast_to(vectors, even.shape), g)
    left = product_signs(np.broadcast_to(odd, even.shape), even, g)
    return even >> 1, right, left * reverse_signs(n)[even >> 1]


def rotor_matrix(coefficients: Floats, g: Metric) -> Floats:
    """O_ij = coefficient of e_i in R e_j ~R, (..., 2^(n-1)) -> (..., n, n), without division.

    Raises RapidityOverflow when an entry exceeds the range of float64.
    """
    result = matrix_or_infinite(coefficients, g)
    finite = np.isfinite(result).all(axis=(-1, -2))
    lost = np.argwhere(~finite & np.isfinite(coefficients).all(axis=-1))
    if len(lost):
        size = np.abs(coefficients[~finite]).max()
        raise RapidityOverflow(
            "the matrix of a rotor exceeds the range of float64: expected a total rapidity below "
            f"about 354, got coefficients up to {size:.3g}; split the rotor",
            indices=[tuple(map(int, position)) for position in lost[:16]],
            count=len(lost),
        )
    return result


def matrix_or_infinite(coefficients: Floats, g: Metric) -> Floats:
    """The matrix as above, not finite where an entry exceeds the range of float64."""
    n = len(g)
    batch = coefficients.shape[:-1]
    flat = np.asarray(coefficients, dtype=np.float64).reshape(math.prod(batch), 1 << n >> 1)
    positions, right, left = _action_tables(g)

    def action(part: Floats) -> Floats:
        """<R e_j ~R>_(e_i) as a product of two gathered arrays."""
        gathered = part[:, positions]
        return (gathered * left) @ (gathered * right).swapaxes(1, 2)

    with np.errstate(all="ignore"):
        result: Floats = in_chunks(action, flat, 3 * positions.size)
    return result.reshape(*batch, n, n)
