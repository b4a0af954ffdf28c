"""The outer product."""

from __future__ import annotations

from typing import Any

from .. import grade, involute, outer_exp, scalar_product
from .statement import identity, size

Pair = tuple[Any, Any]


@identity(
    "outer product",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: ((A ^ B) ^ C, (B ^ A) ^ C),
    twin_from=lambda s: s.n >= 2,
)
def wedge_is_associative(A: Any, B: Any, C: Any) -> Pair:
    """(A ^ B) ^ C = A ^ (B ^ C)"""
    return (A ^ B) ^ C, A ^ (B ^ C)


@identity(
    "outer product",
    u="vector",
    v="vector",
    bound=16,
    twin=lambda u, v: (u ^ v, v ^ u),
    twin_from=lambda s: s.n >= 2,
)
def wedge_of_vectors_anticommutes(u: Any, v: Any) -> Pair:
    """u ^ v = -v ^ u"""
    return u ^ v, -(v ^ u)


@identity(
    "outer product",
    v="vector",
    A="multivector",
    bound=32,
    twin=lambda v, A: (v ^ A, A ^ v),
    twin_from=lambda s: s.n >= 2,
)
def vector_wedges_past(v: Any, A: Any) -> Pair:
    """v ^ A = involute(A) ^ v"""
    return v ^ A, involute(A) ^ v


@identity(
    "outer product",
    B="bivector",
    A="multivector",
    bound=32,
    twin=lambda B, A: (B ^ A, -(A ^ B)),
    twin_from=lambda s: s.n >= 2,
)
def bivectors_are_central_in_the_wedge(B: Any, A: Any) -> Pair:
    """B ^ A = A ^ B"""
    return B ^ A, A ^ B


@identity(
    "outer product",
    u="vector",
    v="vector",
    w="vector",
    bound=32,
    applies=lambda s: s.n >= 3,
    twin=lambda u, v, w: (u ^ v ^ w, u * v * w),
    twin_from=lambda s: s.p + s.q >= 1,
)
def wedge_is_the_top_grade(u: Any, v: Any, w: Any) -> Pair:
    """u ^ v ^ w = <u v w>_3"""
    return u ^ v ^ w, grade(u * v * w, 3)


@identity(
    "outer product",
    u="vector",
    v="vector",
    w="vector",
    bound=32,
    twin=lambda u, v, w: (6 * (u ^ v ^ w), u * v * w + v * w * u + w * u * v),
    twin_from=lambda s: s.p + s.q >= 1,
)
def wedge_by_reversal(u: Any, v: Any, w: Any) -> Pair:
    """2 u ^ v ^ w = u v w - w v u"""
    return 2 * (u ^ v ^ w), u * v * w - w * v * u


@identity(
    "outer product",
    A="multivector",
    v="vector",
    bound=32,
    twin=lambda A, v: (2 * (A ^ v), A * v + v * A),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def wedge_from_the_product(A: Any, v: Any) -> Pair:
    """2 A ^ v = A v + v involute(A)"""
    return 2 * (A ^ v), A * v + v * involute(A)


@identity(
    "outer product",
    u="vector",
    v="vector",
    bound=32,
    degrees={"u": 2, "v": 2},
    twin=lambda u, v: (
        scalar_product(u ^ v, v ^ u),
        scalar_product(u, u) * scalar_product(v, v) + scalar_product(u, v) * scalar_product(u, v),
    ),
    twin_from=lambda s: s.p + s.q >= 1,
)
def lagrange(u: Any, v: Any) -> Pair:
    """<(u ^ v)(v ^ u)>_0 = u^2 v^2 - <u v>^2"""
    dot = scalar_product(u, v)
    return scalar_product(u ^ v, v ^ u), scalar_product(u, u) * scalar_product(v, v) - dot * dot


@identity(
    "outer product",
    A="bivector",
    B="bivector",
    bound=256,
    scale=lambda A, B: (1 + size(A) + size(B)) ** (A.algebra.n // 2),
    twin=lambda A, B: (outer_exp(A + B), outer_exp(A) * outer_exp(B)),
    twin_from=lambda s: s.p + s.q >= 2,
)
def outer_exponential_of_a_sum(A: Any, B: Any) -> Pair:
    """outer_exp(A + B) = outer_exp(A) ^ outer_exp(B)"""
    return outer_exp(A + B), outer_exp(A) ^ outer_exp(B)
