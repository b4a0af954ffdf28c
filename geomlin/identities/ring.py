"""The geometric product: ring laws and the fundamental relation of vectors."""

from __future__ import annotations

from typing import Any

from .. import (
    anticommutator,
    commutator,
    grade,
    involute,
    left_contraction,
    outer_product,
    scalar_product,
)
from .statement import identity, size

Pair = tuple[Any, Any]


@identity(
    "ring",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: ((A * B) * C, (B * A) * C),
    twin_from=lambda s: s.n >= 2,
)
def product_is_associative(A: Any, B: Any, C: Any) -> Pair:
    """(A B) C = A (B C)"""
    return (A * B) * C, A * (B * C)


@identity(
    "ring",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    scale=lambda A, B, C: size(A) * (size(B) + size(C)),
    twin=lambda A, B, C: (A * (B + C), A * B + C * A),
    twin_from=lambda s: s.n >= 2,
)
def product_is_distributive(A: Any, B: Any, C: Any) -> Pair:
    """A (B + C) = A B + A C"""
    return A * (B + C), A * B + A * C


@identity(
    "ring",
    A="multivector",
    bound=1,
    twin=lambda A: (A * 1, A * A),
)
def one_is_the_unit(A: Any) -> Pair:
    """A 1 = A"""
    return A * 1, A


@identity(
    "ring",
    s="scalar",
    A="multivector",
    bound=4,
    twin=lambda s, A: (s * A, A * A),
    twin_from=lambda s: True,
)
def scalars_commute(s: Any, A: Any) -> Pair:
    """s A = A s"""
    return s * A, A * s


@identity(
    "ring",
    v="vector",
    bound=16,
    degrees={"v": 2},
    twin=lambda v: (v * v, -scalar_product(v, v)),
    twin_from=lambda s: s.p + s.q > 0,
)
def square_of_a_vector(v: Any) -> Pair:
    """v v = <v v>_0"""
    return v * v, scalar_product(v, v)


@identity(
    "ring",
    u="vector",
    v="vector",
    bound=16,
    twin=lambda u, v: (u * v + v * u, scalar_product(u, v)),
    twin_from=lambda s: s.p + s.q > 0,
)
def polarization(u: Any, v: Any) -> Pair:
    """u v + v u = 2 <u v>_0"""
    return u * v + v * u, 2 * scalar_product(u, v)


@identity(
    "ring",
    v="vector",
    A="multivector",
    bound=32,
    twin=lambda v, A: (A * v, left_contraction(v, A) + (v ^ A)),
    twin_from=lambda s: s.n >= 2,
)
def vector_times_multivector(v: Any, A: Any) -> Pair:
    """v A = left_contraction(v, A) + v ^ A"""
    return v * A, left_contraction(v, A) + (v ^ A)


@identity(
    "ring",
    v="vector",
    A="multivector",
    bound=32,
    twin=lambda v, A: (v * A - A * v, 2 * left_contraction(v, A)),
    twin_from=lambda s: s.n >= 2,
)
def contraction_from_the_product(v: Any, A: Any) -> Pair:
    """v A - involute(A) v = 2 left_contraction(v, A)"""
    return v * A - involute(A) * v, 2 * left_contraction(v, A)


@identity(
    "ring",
    B="bivector",
    bound=32,
    degrees={"B": 2},
    twin=lambda B: (B * B, scalar_product(B, B)),
    twin_from=lambda s: s.n >= 4,
)
def square_of_a_bivector(B: Any) -> Pair:
    """B B = <B B>_0 + B ^ B"""
    return B * B, scalar_product(B, B) + (B ^ B)


@identity(
    "ring",
    u="vector",
    v="vector",
    w="vector",
    bound=32,
    twin=lambda u, v, w: (
        grade(u * v * w, 1),
        scalar_product(u, v) * w + scalar_product(u, w) * v + scalar_product(v, w) * u,
    ),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 2,
)
def vector_part_of_three_vectors(u: Any, v: Any, w: Any) -> Pair:
    """<u v w>_1 = <u v> w - <u w> v + <v w> u"""
    return (
        grade(u * v * w, 1),
        scalar_product(u, v) * w - scalar_product(u, w) * v + scalar_product(v, w) * u,
    )


def _four(a: Any, b: Any, c: Any, d: Any, sign: int) -> Pair:
    first = scalar_product(a, b) * scalar_product(c, d)
    second = scalar_product(a, c) * scalar_product(b, d)
    third = scalar_product(a, d) * scalar_product(b, c)
    return grade(a * b * c * d, 0), first - sign * second + third


@identity(
    "ring",
    a="vector",
    b="vector",
    c="vector",
    d="vector",
    bound=64,
    twin=lambda a, b, c, d: _four(a, b, c, d, -1),
    twin_from=lambda s: s.p + s.q >= 1,
)
def scalar_part_of_four_vectors(a: Any, b: Any, c: Any, d: Any) -> Pair:
    """<a b c d>_0 = <a b><c d> - <a c><b d> + <a d><b c>"""
    return _four(a, b, c, d, 1)


@identity(
    "ring",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (grade(A * B, 2), grade(B * A, 2)),
    twin_from=lambda s: s.n >= 2,
)
def scalar_part_is_cyclic(A: Any, B: Any) -> Pair:
    """<A B>_0 = <B A>_0"""
    return grade(A * B, 0), grade(B * A, 0)


@identity(
    "ring",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: (
        commutator(A, commutator(B, C)),
        commutator(commutator(A, B), C),
    ),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def jacobi(A: Any, B: Any, C: Any) -> Pair:
    """[A, [B, C]] = [[A, B], C] + [B, [A, C]]"""
    return (
        commutator(A, commutator(B, C)),
        commutator(commutator(A, B), C) + commutator(B, commutator(A, C)),
    )


@identity(
    "ring",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: (commutator(A, B * C), commutator(A, B) * C + commutator(A, C) * B),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def commutator_is_a_derivation(A: Any, B: Any, C: Any) -> Pair:
    """[A, B C] = [A, B] C + B [A, C]"""
    return commutator(A, B * C), commutator(A, B) * C + B * commutator(A, C)


@identity(
    "ring",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (A * B, anticommutator(A, B) - commutator(A, B)),
    twin_from=lambda s: s.n >= 2,
)
def product_from_both_commutators(A: Any, B: Any) -> Pair:
    """A B = anticommutator(A, B) + commutator(A, B)"""
    return A * B, anticommutator(A, B) + commutator(A, B)


@identity(
    "ring",
    u="vector",
    v="vector",
    bound=16,
    twin=lambda u, v: (commutator(u, v), u * v),
    twin_from=lambda s: s.p + s.q >= 1,
)
def commutator_of_vectors(u: Any, v: Any) -> Pair:
    """[u, v] = u ^ v"""
    return commutator(u, v), outer_product(u, v)
