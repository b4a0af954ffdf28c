"""Norms, inverses, projections."""

from __future__ import annotations

from typing import Any

from .. import (
    inverse,
    left_contraction,
    norm,
    norm_squared,
    normalize,
    outer_exp,
    project,
    reject,
    reverse,
    scalar_product,
)
from .statement import identity, size

Pair = tuple[Any, Any]


@identity(
    "norms",
    V="versor",
    A="multivector",
    bound=64,
    degrees={"V": 2, "A": 2},
    twin=lambda V, A: (norm_squared(V * A), norm_squared(V) * norm_squared(A)),
    twin_kinds={"V": "multivector", "A": "multivector"},
    twin_from=lambda s: s.p + s.q >= 1,
)
def norm_squared_of_a_versor_product(V: Any, A: Any) -> Pair:
    """<V A ~(V A)>_0 = <V ~V>_0 <A ~A>_0 for versors V"""
    return norm_squared(V * A), norm_squared(V) * norm_squared(A)


@identity(
    "norms",
    A="multivector",
    bound=32,
    degrees={"A": 2},
    twin=lambda A: (norm_squared(reverse(A)), scalar_product(A, A)),
    twin_from=lambda s: s.p + s.q >= 2,
)
def norm_squared_of_the_reverse(A: Any) -> Pair:
    """norm_squared(~A) = norm_squared(A)"""
    return norm_squared(reverse(A)), norm_squared(A)


@identity(
    "norms",
    A="multivector",
    B="multivector",
    bound=64,
    scale=lambda A, B: (size(A) + size(B)) ** 2,
    twin=lambda A, B: (
        norm_squared(A + B) + norm_squared(A - B),
        norm_squared(A) + norm_squared(B),
    ),
)
def parallelogram(A: Any, B: Any) -> Pair:
    """norm_squared(A + B) + norm_squared(A - B) = 2 norm_squared(A) + 2 norm_squared(B)"""
    return (
        norm_squared(A + B) + norm_squared(A - B),
        2 * norm_squared(A) + 2 * norm_squared(B),
    )


@identity(
    "norms",
    v="invertible_vector",
    bound=32,
    scale=lambda v: size(v) ** 2 / norm(v).coeffs[..., 0],
    twin=lambda v: (normalize(v) * norm_squared(v), v),
)
def normalize_times_norm(v: Any) -> Pair:
    """normalize(v) norm(v) = v"""
    return normalize(v) * norm(v), v


@identity(
    "norms",
    A="invertible_multivector",
    bound=64,
    scale=lambda A: size(A) * size(inverse(A)),
    twin=lambda A: (A * reverse(A), 1 + 0 * A),
)
def inverse_from_the_right(A: Any) -> Pair:
    """A inverse(A) = 1"""
    return A * inverse(A), 1 + 0 * A


@identity(
    "norms",
    A="invertible_multivector",
    B="invertible_multivector",
    bound=256,
    scale=lambda A, B: (size(A) * size(B)) * (size(inverse(A)) * size(inverse(B))) ** 2,
    twin=lambda A, B: (inverse(A * B), inverse(A) * inverse(B)),
    twin_from=lambda s: s.n >= 2,
)
def inverse_of_a_product(A: Any, B: Any) -> Pair:
    """inverse(A B) = inverse(B) inverse(A)"""
    return inverse(A * B), inverse(B) * inverse(A)


@identity(
    "norms",
    v="invertible_vector",
    bound=32,
    scale=lambda v: size(v) ** 3 / abs(scalar_product(v, v).coeffs[..., 0]),
    twin=lambda v: (inverse(v) * scalar_product(v, v), -v),
)
def inverse_of_a_vector(v: Any) -> Pair:
    """inverse(v) v^2 = v"""
    return inverse(v) * scalar_product(v, v), v


@identity(
    "norms",
    x="vector",
    P="definite_plane",
    bound=256,
    scale=lambda x, P: size(x) * size(P) * size(inverse(P)),
    applies=lambda s: s.p + s.q >= 2,
    twin=lambda x, P: (project(x, P) - reject(x, P), x),
    twin_from=lambda s: s.n >= 3,
)
def projection_plus_rejection(x: Any, P: Any) -> Pair:
    """project(x, P) + reject(x, P) = x"""
    return project(x, P) + reject(x, P), x


@identity(
    "norms",
    x="vector",
    P="definite_plane",
    bound=256,
    scale=lambda x, P: size(x) * (size(P) * size(inverse(P))) ** 2,
    applies=lambda s: s.p + s.q >= 2,
    twin=lambda x, P: (project(project(x, P), P), x),
    twin_from=lambda s: s.n >= 3,
)
def projection_is_idempotent(x: Any, P: Any) -> Pair:
    """project(project(x, P), P) = project(x, P)"""
    return project(project(x, P), P), project(x, P)


@identity(
    "norms",
    x="vector",
    P="definite_plane",
    bound=256,
    scale=lambda x, P: size(x) * size(P) ** 2 * size(inverse(P)),
    applies=lambda s: s.p + s.q >= 2,
    twin=lambda x, P: (left_contraction(project(x, P), P), 0 * x),
)
def rejection_is_orthogonal(x: Any, P: Any) -> Pair:
    """left_contraction(reject(x, P), P) = 0"""
    return left_contraction(reject(x, P), P), 0 * x


@identity(
    "norms",
    B="bivector",
    bound=256,
    scale=lambda B: (1 + size(B)) ** (2 * (B.algebra.n // 2)),
    twin=lambda B: (outer_exp(B) * outer_exp(B), norm_squared(outer_exp(B))),
    twin_from=lambda s: s.n >= 2,
)
def outer_exponential_is_a_versor(B: Any) -> Pair:
    """E ~E = <E ~E>_0 for E = outer_exp(B)"""
    e = outer_exp(B)
    return e * reverse(e), norm_squared(e)
