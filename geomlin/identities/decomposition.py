"""The invariant decomposition of bivectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import exp, invariant_decomposition, sandwich, scalar_product
from ..signature import Signature
from .statement import identity, size

Pair = tuple[Any, Any]


def _splits(s: Signature) -> bool:
    """Signatures where every bivector has a real split."""
    definite, lorentzian = min(s.p, s.q) == 0, s.r == 0 and min(s.p, s.q) == 1
    return s.n >= 2 and (s.n <= 3 or definite or lorentzian or s.p == s.q == 1)


def _two_planes(s: Signature) -> bool:
    return _splits(s) and s.n >= 4 and s.p + s.q >= 3


def _reach(b: Any) -> Any:
    """|B|_1 times the squared size of the parts relative to B: large only in boosted frames."""
    total = size(b)
    parts = invariant_decomposition(b).parts
    spread = np.abs(parts.coeffs).sum(axis=(-1, -2)) / np.where(total > 0, total, 1)
    return total * np.maximum(1, spread) ** 2


def _planes(b: Any) -> list[Any]:
    parts = invariant_decomposition(b).parts
    return [parts[..., k] for k in range(parts.shape[-1])]


def _sum(planes: list[Any], b: Any) -> Any:
    return sum(planes, start=0 * b)


@identity(
    "decomposition",
    B="bivector",
    bound=128,
    scale=_reach,
    applies=_splits,
    twin=lambda B: (_sum(_planes(B)[:-1], B), B),
    twin_from=lambda s: True,
)
def parts_sum_to_the_bivector(B: Any) -> Pair:
    """sum_i b_i = B"""
    return _sum(_planes(B), B), B


@identity(
    "decomposition",
    B="bivector",
    bound=128,
    scale=lambda B: _reach(B) ** 2,
    applies=_splits,
    twin=lambda B: (B ^ B, 0 * B),
    twin_from=_two_planes,
)
def parts_are_simple(B: Any) -> Pair:
    """b_i ^ b_i = 0"""
    parts = invariant_decomposition(B).parts
    return parts ^ parts, 0 * parts


@identity(
    "decomposition",
    B="bivector",
    bound=128,
    scale=lambda B: _reach(B) ** 2,
    applies=lambda s: _splits(s) and s.n >= 4,
    twin=lambda B: (_planes(B)[0] * _planes(B)[0], _planes(B)[0] ^ _planes(B)[0]),
    twin_from=lambda s: s.p + s.q >= 2,
)
def parts_multiply_as_they_wedge(B: Any) -> Pair:
    """b_i b_j = b_i ^ b_j for i != j"""
    first, second = _planes(B)[:2]
    return first * second, first ^ second


@identity(
    "decomposition",
    B="bivector",
    bound=128,
    scale=lambda B: _reach(B) ** 2,
    applies=_splits,
    twin=lambda B: (
        scalar_product(p := invariant_decomposition(B).parts, p).coeffs[..., 0],
        -invariant_decomposition(B).squares,
    ),
    twin_from=lambda s: s.p + s.q >= 2,
)
def squares_of_the_parts(B: Any) -> Pair:
    """b_i^2 = the returned square"""
    parts, squares, _ = invariant_decomposition(B)
    return scalar_product(parts, parts).coeffs[..., 0], squares


@identity(
    "decomposition",
    B="bivector",
    bound=128,
    scale=lambda B: _reach(B) ** 2,
    applies=_splits,
    twin=lambda B: (
        invariant_decomposition(B).squares[..., 0],
        scalar_product(B, B).coeffs[..., 0],
    ),
    twin_from=lambda s: _splits(s) and s.p + s.q >= 4,
)
def squares_add_up(B: Any) -> Pair:
    """sum_i b_i^2 = <B B>_0"""
    return invariant_decomposition(B).squares.sum(axis=-1), scalar_product(B, B).coeffs[..., 0]


@identity(
    "decomposition",
    B="bivector",
    bound=1024,
    scale=lambda B: (1 + _reach(B)) ** 2 * size(exp(B)) ** 2,
    applies=_splits,
    twin=lambda B: (exp(B), exp(_planes(B)[0])),
    twin_from=_two_planes,
)
def exponential_is_the_product_over_the_parts(B: Any) -> Pair:
    """exp(B) = prod_i exp(b_i)"""
    product: Any = 1 + 0 * B
    for plane in _planes(B):
        product = product * exp(plane)
    return exp(B), product


@identity(
    "decomposition",
    R="rotor",
    B="bivector",
    bound=1024,
    scale=lambda R, B: (1 + size(B)) ** 2 * size(R) ** 8,
    applies=lambda s: _splits(s) and s.r == 0,
    twin=lambda R, B: (
        invariant_decomposition(sandwich(R, B).grade(2)).squares,
        2 * invariant_decomposition(B).squares,
    ),
    twin_from=lambda s: True,
)
def squares_are_invariant(R: Any, B: Any) -> Pair:
    """squares(R B ~R) = squares(B)"""
    rotated = sandwich(R, B).grade(2)
    return invariant_decomposition(rotated).squares, invariant_decomposition(B).squares
