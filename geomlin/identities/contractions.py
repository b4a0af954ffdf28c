"""Left and right contractions."""

from __future__ import annotations

from typing import Any

from .. import (
    commutator,
    involute,
    left_contraction,
    reverse,
    right_contraction,
    scalar_product,
)
from .statement import identity

Pair = tuple[Any, Any]


@identity(
    "contractions",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: (
        left_contraction(A, left_contraction(B, C)),
        left_contraction(B ^ A, C),
    ),
    twin_from=lambda s: s.p + s.q >= 2,
)
def contraction_by_a_wedge(A: Any, B: Any, C: Any) -> Pair:
    """left_contraction(A, left_contraction(B, C)) = left_contraction(A ^ B, C)"""
    return left_contraction(A, left_contraction(B, C)), left_contraction(A ^ B, C)


@identity(
    "contractions",
    X="multivector",
    A="multivector",
    B="multivector",
    bound=64,
    twin=lambda X, A, B: (
        scalar_product(X ^ A, B),
        scalar_product(X, right_contraction(A, B)),
    ),
    twin_from=lambda s: s.p + s.q >= 1,
)
def contraction_is_adjoint_to_the_wedge(X: Any, A: Any, B: Any) -> Pair:
    """<(X ^ A) B>_0 = <X left_contraction(A, B)>_0"""
    return scalar_product(X ^ A, B), scalar_product(X, left_contraction(A, B))


@identity(
    "contractions",
    v="vector",
    A="multivector",
    B="multivector",
    bound=64,
    twin=lambda v, A, B: (
        left_contraction(v, A * B),
        left_contraction(v, A) * B + A * left_contraction(v, B),
    ),
    twin_from=lambda s: s.p + s.q >= 1,
)
def contraction_of_a_product(v: Any, A: Any, B: Any) -> Pair:
    """left_contraction(v, A B) = left_contraction(v, A) B + involute(A) left_contraction(v, B)"""
    return (
        left_contraction(v, A * B),
        left_contraction(v, A) * B + involute(A) * left_contraction(v, B),
    )


@identity(
    "contractions",
    v="vector",
    A="multivector",
    B="multivector",
    bound=64,
    twin=lambda v, A, B: (
        left_contraction(v, A ^ B),
        (left_contraction(v, A) ^ B) + (A ^ left_contraction(v, B)),
    ),
    twin_from=lambda s: s.p + s.q >= 1,
)
def contraction_of_a_wedge(v: Any, A: Any, B: Any) -> Pair:
    """left_contraction(v, A ^ B)
    = left_contraction(v, A) ^ B + involute(A) ^ left_contraction(v, B)"""
    return (
        left_contraction(v, A ^ B),
        (left_contraction(v, A) ^ B) + (involute(A) ^ left_contraction(v, B)),
    )


@identity(
    "contractions",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (
        reverse(left_contraction(A, B)),
        left_contraction(reverse(A), reverse(B)),
    ),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 2,
)
def reverse_exchanges_the_contractions(A: Any, B: Any) -> Pair:
    """~left_contraction(A, B) = right_contraction(~B, ~A)"""
    return reverse(left_contraction(A, B)), right_contraction(reverse(B), reverse(A))


@identity(
    "contractions",
    a="vector",
    b="vector",
    c="vector",
    bound=32,
    twin=lambda a, b, c: (
        left_contraction(a, b ^ c),
        scalar_product(a, b) * c + scalar_product(a, c) * b,
    ),
    twin_from=lambda s: s.p + s.q >= 1,
)
def contraction_of_a_plane(a: Any, b: Any, c: Any) -> Pair:
    """left_contraction(a, b ^ c) = <a b> c - <a c> b"""
    return left_contraction(a, b ^ c), scalar_product(a, b) * c - scalar_product(a, c) * b


def _planes(a: Any, b: Any, c: Any, d: Any, sign: int) -> Pair:
    outer = scalar_product(a, d) * scalar_product(b, c)
    inner = scalar_product(a, c) * scalar_product(b, d)
    return scalar_product(a ^ b, c ^ d), sign * (outer - inner)


@identity(
    "contractions",
    a="vector",
    b="vector",
    c="vector",
    d="vector",
    bound=64,
    twin=lambda a, b, c, d: _planes(a, b, c, d, -1),
    twin_from=lambda s: s.p + s.q >= 2,
)
def scalar_product_of_planes(a: Any, b: Any, c: Any, d: Any) -> Pair:
    """<(a ^ b)(c ^ d)>_0 = <a d><b c> - <a c><b d>"""
    return _planes(a, b, c, d, 1)


@identity(
    "contractions",
    A="multivector",
    v="vector",
    bound=32,
    twin=lambda A, v: (right_contraction(A, v), left_contraction(v, A)),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 2,
)
def right_contraction_by_a_vector(A: Any, v: Any) -> Pair:
    """right_contraction(A, v) = -left_contraction(v, involute(A))"""
    return right_contraction(A, v), -left_contraction(v, involute(A))


@identity(
    "contractions",
    B="bivector",
    v="vector",
    bound=32,
    twin=lambda B, v: (commutator(B, v), left_contraction(v, B)),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 2,
)
def bivector_acts_on_vectors(B: Any, v: Any) -> Pair:
    """[B, v] = right_contraction(B, v)"""
    return commutator(B, v), right_contraction(B, v)


@identity(
    "contractions",
    B="bivector",
    a="vector",
    b="vector",
    bound=64,
    twin=lambda B, a, b: (commutator(B, a ^ b), (commutator(B, a) ^ b) - (a ^ commutator(B, b))),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 3,
)
def bivector_acts_on_planes(B: Any, a: Any, b: Any) -> Pair:
    """[B, a ^ b] = [B, a] ^ b + a ^ [B, b]"""
    return commutator(B, a ^ b), (commutator(B, a) ^ b) + (a ^ commutator(B, b))


@identity(
    "contractions",
    A="bivector",
    B="bivector",
    bound=32,
    twin=lambda A, B: (left_contraction(A, B), -scalar_product(A, B)),
    twin_from=lambda s: s.p + s.q >= 2,
)
def contraction_of_equal_grades(A: Any, B: Any) -> Pair:
    """left_contraction(A, B) = <A B>_0 for bivectors"""
    return left_contraction(A, B), scalar_product(A, B)
