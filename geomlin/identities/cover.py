"""The double cover in matrices: rotor to matrix, matrix to rotor."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import commutator, exp, reverse, rotor_from_matrix, rotor_to_matrix, sandwich
from ..errors import NotSupported
from ..signature import Signature
from .statement import identity, size

Pair = tuple[Any, Any]


def _gram(a: Any) -> Any:
    return np.diag(np.array(a.algebra.metric))


def _generator(b: Any) -> Any:
    """b G as a matrix, for B = sum_{i<j} b_ij e_i e_j."""
    n = b.algebra.n
    coeffs = b.grade(2).coeffs
    rows, columns = np.triu_indices(n, 1)
    matrix = np.zeros((*coeffs.shape[:-1], n, n), dtype=coeffs.dtype)
    matrix[..., rows, columns] = coeffs
    matrix[..., columns, rows] = -coeffs
    return matrix * b.algebra.backend_object.array(list(b.algebra.metric))


def _apply(matrix: Any, x: Any) -> Any:
    """Matrix times the coefficients of a vector."""
    return (matrix * x.grade(1).coeffs[..., None, :]).sum(axis=-1)


def _acts(s: Signature) -> bool:
    return s.n >= 2


def _turns(s: Signature) -> bool:
    """Some rotor matrix is not symmetric: all of them are in Cl(1,1)."""
    return s.n >= 2 and (max(s.p, s.q) >= 2 or (s.r >= 1 and s.p + s.q >= 1))


@identity(
    "double cover",
    R="rotor",
    x="vector",
    bound=256,
    degrees={"R": 2},
    twin=lambda R, x: (
        _apply(np.swapaxes(rotor_to_matrix(R), -1, -2), x),
        sandwich(R, x).grade(1).coeffs,
    ),
    twin_from=_turns,
)
def matrix_acts_as_the_rotor(R: Any, x: Any) -> Pair:
    """M x = R x ~R for M = rotor_to_matrix(R)"""
    return _apply(rotor_to_matrix(R), x), sandwich(R, x).grade(1).coeffs


@identity(
    "double cover",
    R="rotor",
    S="rotor",
    bound=1024,
    degrees={"R": 2, "S": 2},
    twin=lambda R, S: (rotor_to_matrix(R * S), rotor_to_matrix(S) @ rotor_to_matrix(R)),
    twin_from=lambda s: s.n >= 3 and s.p + s.q >= 2,
)
def matrix_of_a_product(R: Any, S: Any) -> Pair:
    """matrix(R S) = matrix(R) matrix(S)"""
    return rotor_to_matrix(R * S), rotor_to_matrix(R) @ rotor_to_matrix(S)


@identity(
    "double cover",
    R="rotor",
    bound=1024,
    degrees={"R": 4},
    twin=lambda R: (rotor_to_matrix(R) @ rotor_to_matrix(R), np.eye(R.algebra.n, dtype=int)),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def matrix_of_the_reverse(R: Any) -> Pair:
    """matrix(R) matrix(~R) = 1"""
    return rotor_to_matrix(R) @ rotor_to_matrix(reverse(R)), np.eye(R.algebra.n, dtype=int)


@identity(
    "double cover",
    R="rotor",
    bound=1024,
    degrees={"R": 4},
    twin=lambda R: (
        np.swapaxes(rotor_to_matrix(R), -1, -2) @ rotor_to_matrix(R),
        np.eye(R.algebra.n, dtype=int),
    ),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1 and not s.is_definite,
)
def matrix_preserves_the_metric(R: Any) -> Pair:
    """M^T G M = G for M = rotor_to_matrix(R)"""
    matrix = rotor_to_matrix(R)
    return np.swapaxes(matrix, -1, -2) @ _gram(R) @ matrix, _gram(R)


@identity(
    "double cover",
    R="rotor",
    bound=1024,
    degrees={"R": 4},
    twin=lambda R: (
        rotor_to_matrix(rotor_from_matrix(rotor_to_matrix(R), R.algebra)),
        np.swapaxes(rotor_to_matrix(R), -1, -2),
    ),
    twin_from=_turns,
)
def matrix_of_the_lift(R: Any) -> Pair:
    """matrix(rotor_from_matrix(M)) = M"""
    matrix = rotor_to_matrix(R)
    return rotor_to_matrix(rotor_from_matrix(matrix, R.algebra)), matrix


@identity(
    "double cover",
    R="rotor",
    A="multivector",
    bound=4096,
    degrees={"R": 6},
    applies=lambda s: s.r <= 1,  # for r >= 2 the matrix does not show all of R
    twin=lambda R, A: (
        sandwich(rotor_from_matrix(rotor_to_matrix(R), R.algebra), A),
        sandwich(reverse(R), A),
    ),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def lift_of_the_matrix(R: Any, A: Any) -> Pair:
    """S A ~S = R A ~R for S = rotor_from_matrix(matrix(R)), since S = R or S = -R"""
    lifted = rotor_from_matrix(rotor_to_matrix(R), R.algebra)
    return sandwich(lifted, A), sandwich(R, A)


def _expm(matrix: Any) -> Any:
    from scipy.linalg import expm

    if matrix.dtype == object:
        raise NotSupported("scipy.linalg.expm is an oracle for floats only")
    return expm(matrix)


@identity(
    "double cover",
    B="bivector",
    applies=_acts,
    bound=4096,  # scipy's side: its rational approximation amplifies rounding up to norm 4
    scale=lambda B: (1 + size(B)) * size(exp(B)) ** 2,
    twin=lambda B: (rotor_to_matrix(exp(B)), _expm(_generator(B))),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def matrix_of_the_exponential(B: Any) -> Pair:
    """matrix(exp(B)) = expm(2 b G)"""
    return rotor_to_matrix(exp(B)), _expm(2 * _generator(B))


@identity(
    "double cover",
    B="bivector",
    x="vector",
    applies=_acts,
    bound=32,
    twin=lambda B, x: (commutator(B, x).grade(1).coeffs, -_apply(_generator(B), x)),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def differential_of_the_cover(B: Any, x: Any) -> Pair:
    """[B, x] = b G x, half the generator 2 b G of the rotation"""
    return commutator(B, x).grade(1).coeffs, _apply(_generator(B), x)
