"""Complement, dual, pseudoscalar and the regressive product."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import (
    complement,
    dual,
    involute,
    left_contraction,
    regressive_product,
    reverse,
    undual,
)
from ..signature import Signature
from .statement import identity

Pair = tuple[Any, Any]


def _swapped(pseudoscalar: Any, a: Any, *, odd: bool) -> Any:
    """A I or involute(A) I, by the parity of the dimension."""
    return a * pseudoscalar if a.algebra.n % 2 != odd else involute(a) * pseudoscalar


def _determinant(pseudoscalar: Any) -> Any:
    """g1 g2 .. gn as a multivector."""
    return 0 * pseudoscalar + prod(pseudoscalar.algebra.metric)


def _regular(s: Signature) -> bool:
    return s.r == 0


@identity(
    "duality",
    A="multivector",
    B="multivector",
    bound=64,
    applies=_regular,
    twin=lambda A, B: (dual(A ^ B), left_contraction(B, dual(A))),
    twin_from=lambda s: s.n >= 2,
)
def dual_of_a_wedge(A: Any, B: Any) -> Pair:
    """dual(A ^ B) = left_contraction(A, dual(B))"""
    return dual(A ^ B), left_contraction(A, dual(B))


@identity(
    "duality",
    A="multivector",
    B="multivector",
    bound=64,
    applies=_regular,
    twin=lambda A, B: (dual(left_contraction(A, B)), dual(A) ^ B),
    twin_from=lambda s: s.n >= 2,
)
def dual_of_a_contraction(A: Any, B: Any) -> Pair:
    """dual(left_contraction(A, B)) = A ^ dual(B)"""
    return dual(left_contraction(A, B)), A ^ dual(B)


@identity(
    "duality",
    A="multivector",
    bound=4,
    applies=_regular,
    twin=lambda A: (undual(undual(A)), A),
    twin_from=lambda s: (s.n * (s.n - 1) // 2 + s.q) % 2 == 1,
)
def undual_undoes_dual(A: Any) -> Pair:
    """undual(dual(A)) = A"""
    return undual(dual(A)), A


@identity(
    "duality",
    A="multivector",
    bound=1,
    twin=lambda A: (
        complement(complement(A)),
        involute(A) if A.algebra.n % 2 else A,
    ),
)
def complement_twice(A: Any) -> Pair:
    """complement(complement(A)) = A for odd n, involute(A) for even n"""
    return complement(complement(A)), A if A.algebra.n % 2 else involute(A)


@identity(
    "duality",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (complement(A ^ B), complement(A) ^ complement(B)),
)
def complement_of_a_wedge(A: Any, B: Any) -> Pair:
    """complement(A ^ B) = regressive_product(complement(A), complement(B))"""
    return complement(A ^ B), regressive_product(complement(A), complement(B))


@identity(
    "duality",
    A="multivector",
    B="multivector",
    C="multivector",
    bound=64,
    twin=lambda A, B, C: (
        regressive_product(regressive_product(A, B), C),
        regressive_product(regressive_product(B, A), C),
    ),
    twin_from=lambda s: s.n >= 2,
)
def regressive_product_is_associative(A: Any, B: Any, C: Any) -> Pair:
    """(A v B) v C = A v (B v C), v the regressive product"""
    return (
        regressive_product(regressive_product(A, B), C),
        regressive_product(A, regressive_product(B, C)),
    )


@identity(
    "duality",
    pseudoscalar="pseudoscalar",
    A="multivector",
    bound=4,
    twin=lambda pseudoscalar, A: (regressive_product(pseudoscalar, A), pseudoscalar * A),
)
def pseudoscalar_is_the_regressive_unit(pseudoscalar: Any, A: Any) -> Pair:
    """regressive_product(I, A) = A"""
    return regressive_product(pseudoscalar, A), A


@identity(
    "duality",
    pseudoscalar="pseudoscalar",
    A="multivector",
    bound=4,
    applies=lambda s: s.q == s.r == 0,
    twin=lambda pseudoscalar, A: (complement(A), A * pseudoscalar),
    twin_from=lambda s: s.n >= 2,
)
def complement_in_euclidean_space(pseudoscalar: Any, A: Any) -> Pair:
    """complement(A) = ~A I in Euclidean space"""
    return complement(A), reverse(A) * pseudoscalar


@identity(
    "duality",
    pseudoscalar="pseudoscalar",
    A="multivector",
    bound=4,
    twin=lambda pseudoscalar, A: (pseudoscalar * A, _swapped(pseudoscalar, A, odd=True)),
    twin_from=lambda s: s.p + s.q >= 1,
)
def pseudoscalar_commutes_by_dimension(pseudoscalar: Any, A: Any) -> Pair:
    """I A = A I for odd n, involute(A) I for even n"""
    return pseudoscalar * A, _swapped(pseudoscalar, A, odd=False)


@identity(
    "duality",
    pseudoscalar="pseudoscalar",
    bound=4,
    degrees={"pseudoscalar": 2},
    twin=lambda pseudoscalar: (pseudoscalar * pseudoscalar, _determinant(pseudoscalar)),
    twin_from=lambda s: s.r == 0 and (s.n * (s.n - 1) // 2) % 2 == 1,
)
def pseudoscalar_times_its_reverse(pseudoscalar: Any) -> Pair:
    """I ~I = g1 g2 .. gn"""
    return pseudoscalar * reverse(pseudoscalar), _determinant(pseudoscalar)
