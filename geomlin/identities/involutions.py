"""Reverse, grade involution and Clifford conjugation."""

from __future__ import annotations

from typing import Any

from .. import conjugate, even, grade, involute, odd, reverse
from .statement import identity

Pair = tuple[Any, Any]


@identity(
    "involutions",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (reverse(A * B), reverse(A) * reverse(B)),
    twin_from=lambda s: s.n >= 2,
)
def reverse_of_a_product(A: Any, B: Any) -> Pair:
    """~(A B) = ~B ~A"""
    return reverse(A * B), reverse(B) * reverse(A)


@identity(
    "involutions",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (involute(A * B), involute(B) * involute(A)),
    twin_from=lambda s: s.n >= 2,
)
def involute_of_a_product(A: Any, B: Any) -> Pair:
    """involute(A B) = involute(A) involute(B)"""
    return involute(A * B), involute(A) * involute(B)


@identity(
    "involutions",
    A="multivector",
    bound=1,
    twin=lambda A: (conjugate(A), reverse(A)),
)
def conjugate_is_both(A: Any) -> Pair:
    """conjugate(A) = ~involute(A)"""
    return conjugate(A), reverse(involute(A))


@identity(
    "involutions",
    A="multivector",
    bound=1,
    twin=lambda A: (reverse(reverse(A)), reverse(A)),
    twin_from=lambda s: s.n >= 2,
)
def reverse_is_an_involution(A: Any) -> Pair:
    """~~A = A"""
    return reverse(reverse(A)), A


@identity(
    "involutions",
    A="multivector",
    bound=1,
    twin=lambda A: (involute(A), even(A) + odd(A)),
)
def involute_by_parity(A: Any) -> Pair:
    """involute(A) = even(A) - odd(A)"""
    return involute(A), even(A) - odd(A)


@identity(
    "involutions",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (reverse(A ^ B), reverse(A) ^ reverse(B)),
    twin_from=lambda s: s.n >= 2,
)
def reverse_of_a_wedge(A: Any, B: Any) -> Pair:
    """~(A ^ B) = ~B ^ ~A"""
    return reverse(A ^ B), reverse(B) ^ reverse(A)


@identity(
    "involutions",
    A="multivector",
    bound=4,
    twin=lambda A: (sum((grade(A, k) for k in range(A.algebra.n)), start=0 * A), A),
)
def grades_add_up(A: Any) -> Pair:
    """sum_k <A>_k = A"""
    return sum((grade(A, k) for k in range(A.algebra.n + 1)), start=0 * A), A


@identity(
    "involutions",
    A="multivector",
    B="multivector",
    bound=32,
    twin=lambda A, B: (even(A * B), even(A) * even(B)),
    twin_from=lambda s: s.n >= 2 or s.r == 0,
)
def even_part_of_a_product(A: Any, B: Any) -> Pair:
    """even(A B) = even(A) even(B) + odd(A) odd(B)"""
    return even(A * B), even(A) * even(B) + odd(A) * odd(B)


@identity(
    "involutions",
    B="bivector",
    A="multivector",
    bound=32,
    twin=lambda B, A: (reverse(B * A), B * reverse(A)),
    twin_from=lambda s: s.n >= 2,
)
def reverse_with_a_bivector(B: Any, A: Any) -> Pair:
    """~(B A) = -~A B"""
    return reverse(B * A), -(reverse(A) * B)
