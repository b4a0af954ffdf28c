"""The exponential of bivectors."""

from __future__ import annotations

from typing import Any

from .. import exp, grade, outer_exp, reverse, sandwich
from .statement import identity, size

Pair = tuple[Any, Any]


def _amplified(*bivectors: Any) -> Any:
    """(1 + sum |B|_1) prod |exp B|_1^2: the argument's rounding, carried through the products."""
    total: Any = 1.0
    for b in bivectors:
        total = total + size(b)
    for b in bivectors:
        total = total * size(exp(b)) ** 2
    return total


@identity(
    "exponential",
    B="bivector",
    bound=64,
    scale=lambda B: _amplified(B),
    twin=lambda B: (exp(B) * exp(B), 1 + 0 * B),
    twin_from=lambda s: s.n >= 2,
)
def exponential_of_the_negative(B: Any) -> Pair:
    """exp(B) exp(-B) = 1"""
    return exp(B) * exp(-B), 1 + 0 * B


@identity(
    "exponential",
    B="bivector",
    bound=16,
    scale=lambda B: _amplified(B),
    twin=lambda B: (reverse(exp(B)), exp(B)),
    twin_from=lambda s: s.n >= 2,
)
def reverse_of_the_exponential(B: Any) -> Pair:
    """~exp(B) = exp(-B)"""
    return reverse(exp(B)), exp(-B)


@identity(
    "exponential",
    B="bivector",
    bound=64,
    scale=lambda B: _amplified(B, 2 * B, 3 * B),
    twin=lambda B: (exp(B) * exp(2 * B), exp(4 * B)),
    twin_from=lambda s: s.n >= 2,
)
def exponential_is_additive_on_a_line(B: Any) -> Pair:
    """exp(B) exp(2 B) = exp(3 B)"""
    return exp(B) * exp(2 * B), exp(3 * B)


@identity(
    "exponential",
    B="bivector",
    bound=64,
    scale=lambda B: _amplified(B) * (1 + size(B)),
    twin=lambda B: (B * exp(B), -exp(B) * B),
    twin_from=lambda s: s.p + s.q >= 1 and s.n >= 2,
)
def exponential_commutes_with_its_bivector(B: Any) -> Pair:
    """B exp(B) = exp(B) B"""
    return B * exp(B), exp(B) * B


@identity(
    "exponential",
    R="rotor",
    B="bivector",
    bound=1024,
    applies=lambda s: s.n >= 2,
    scale=lambda R, B: _amplified(B) * size(R) ** 4,
    twin=lambda R, B: (exp(sandwich(R, B).grade(2)), sandwich(reverse(R), exp(B))),
    twin_from=lambda s: s.n >= 3 and s.p + s.q >= 2,
)
def exponential_of_a_rotated_bivector(R: Any, B: Any) -> Pair:
    """exp(R B ~R) = R exp(B) ~R"""
    return exp(sandwich(R, B).grade(2)), sandwich(R, exp(B))


@identity(
    "exponential",
    b="simple_bivector",
    bound=64,
    scale=lambda b: _amplified(b, 2 * b),
    hypotheses=("b ^ b = 0",),
    twin=lambda b: (exp(2 * b), 2 * grade(exp(b), 0) * exp(b) - 1),
    twin_kinds={"b": "bivector"},
    twin_from=lambda s: s.p + s.q >= 4,
)
def simple_exponential_doubles(b: Any) -> Pair:
    """exp(2 b) = 2 <exp(b)>_0 exp(b) - 1 for simple b"""
    return exp(2 * b), 2 * grade(exp(b), 0) * exp(b) - 1


@identity(
    "exponential",
    b="simple_bivector",
    bound=16,
    scale=lambda b: _amplified(b),
    hypotheses=("b ^ b = 0",),
    twin=lambda b: (exp(b), grade(exp(b), 0) + grade(exp(b), 2)),
    twin_kinds={"b": "bivector"},
    twin_from=lambda s: s.n >= 4,
)
def simple_exponential_has_no_fourth_grade(b: Any) -> Pair:
    """exp(b) = <exp(b)>_0 + <exp(b)>_2 for simple b"""
    return exp(b), grade(exp(b), 0) + grade(exp(b), 2)


@identity(
    "exponential",
    b="null_bivector",
    bound=16,
    scale=lambda b: (1 + size(b)) ** 3,  # b^2 is zero up to eps |b|^2
    hypotheses=("b^2 = 0",),
    applies=lambda s: s.n >= 2 and (s.r >= 1 or (s.p >= 1 and s.q >= 1 and s.n >= 3)),
    twin=lambda b: (exp(b), 1 + b),
    twin_kinds={"b": "definite plane"},
    twin_from=lambda s: s.p + s.q >= 2,
)
def null_exponential_stops(b: Any) -> Pair:
    """exp(b) = 1 + b for b^2 = 0"""
    return exp(b), 1 + b


@identity(
    "exponential",
    b="simple_bivector",
    bound=16,
    scale=lambda b: (1 + size(b)) ** 2,  # u ^ v is simple up to eps |b|^2
    hypotheses=("b ^ b = 0",),
    twin=lambda b: (outer_exp(b), 1 + b),
    twin_kinds={"b": "bivector"},
    twin_from=lambda s: s.n >= 4,
)
def outer_exponential_of_a_plane(b: Any) -> Pair:
    """outer_exp(b) = 1 + b for simple b"""
    return outer_exp(b), 1 + b
