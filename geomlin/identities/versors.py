"""Versors and rotors acting on multivectors; the double cover as a homomorphism."""

from __future__ import annotations

from typing import Any

from .. import (
    commutator,
    grade,
    inverse,
    norm_squared,
    outer_exp,
    reflect,
    reverse,
    sandwich,
    scalar_product,
    versor_action,
)
from .statement import identity, size

Pair = tuple[Any, Any]


def _reach(v: Any) -> Any:
    """|V|_1 |V^-1|_1: how far rounding can be amplified by a versor and its inverse."""
    return size(v) * size(inverse(v))


@identity(
    "versors",
    V="versor",
    x="vector",
    bound=128,
    degrees={"V": 2},
    twin=lambda V, x: (sandwich(V, x), grade(sandwich(V, x), 1)),
    twin_kinds={"V": "multivector", "x": "vector"},
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def versors_keep_vectors(V: Any, x: Any) -> Pair:
    """V x ~V = <V x ~V>_1 for versors V"""
    return sandwich(V, x), grade(sandwich(V, x), 1)


@identity(
    "versors",
    V="versor",
    x="vector",
    y="vector",
    bound=256,
    degrees={"V": 4},
    twin=lambda V, x, y: (
        scalar_product(sandwich(V, x), sandwich(V, y)),
        norm_squared(V) * scalar_product(x, y),
    ),
)
def versors_scale_the_metric(V: Any, x: Any, y: Any) -> Pair:
    """<(V x ~V)(V y ~V)>_0 = (V ~V)^2 <x y>_0"""
    factor = norm_squared(V)
    return scalar_product(sandwich(V, x), sandwich(V, y)), factor * factor * scalar_product(x, y)


@identity(
    "versors",
    V="versor",
    x="vector",
    y="vector",
    bound=256,
    degrees={"V": 4},
    twin=lambda V, x, y: (sandwich(V, x ^ y), sandwich(V, x) ^ sandwich(V, y)),
    twin_from=lambda s: s.n >= 2,
)
def versors_respect_the_wedge(V: Any, x: Any, y: Any) -> Pair:
    """(V ~V) V (x ^ y) ~V = (V x ~V) ^ (V y ~V)"""
    return norm_squared(V) * sandwich(V, x ^ y), sandwich(V, x) ^ sandwich(V, y)


@identity(
    "versors",
    R="rotor",
    A="multivector",
    B="multivector",
    bound=1024,
    degrees={"R": 4},
    hypotheses=("R ~R = 1",),
    twin=lambda R, A, B: (sandwich(R, A) * sandwich(R, B), sandwich(R, B * A)),
    twin_from=lambda s: s.n >= 2,
)
def rotors_respect_products(R: Any, A: Any, B: Any) -> Pair:
    """(R A ~R)(R B ~R) = R (A B) ~R"""
    return sandwich(R, A) * sandwich(R, B), sandwich(R, A * B)


@identity(
    "versors",
    R="rotor",
    S="rotor",
    x="vector",
    bound=1024,
    degrees={"R": 2, "S": 2},
    twin=lambda R, S, x: (sandwich(R * S, x), sandwich(S, sandwich(R, x))),
    twin_from=lambda s: s.n >= 3 and s.p + s.q >= 2,
)
def composition_of_rotors(R: Any, S: Any, x: Any) -> Pair:
    """(R S) x ~(R S) = R (S x ~S) ~R"""
    return sandwich(R * S, x), sandwich(R, sandwich(S, x))


@identity(
    "versors",
    R="rotor",
    x="vector",
    bound=1,
    degrees={"R": 2},
    twin=lambda R, x: (sandwich(-R, x), -sandwich(R, x)),
)
def both_lifts_act_alike(R: Any, x: Any) -> Pair:
    """(-R) x ~(-R) = R x ~R"""
    return sandwich(-R, x), sandwich(R, x)


@identity(
    "versors",
    V="versor",
    x="vector",
    bound=512,
    scale=lambda V, x: _reach(V) * size(x),
    twin=lambda V, x: (versor_action(2 * V, x), sandwich(V, x)),
)
def versor_action_ignores_scale(V: Any, x: Any) -> Pair:
    """versor_action(2 V, x) = versor_action(V, x)"""
    return versor_action(2 * V, x), versor_action(V, x)


@identity(
    "versors",
    V="versor",
    x="vector",
    bound=512,
    scale=lambda V, x: size(V) ** 2 * size(x) * _reach(V),
    twin=lambda V, x: (versor_action(V, x), sandwich(V, x)),
)
def versor_action_is_the_scaled_sandwich(V: Any, x: Any) -> Pair:
    """(V ~V) versor_action(V, x) = V x ~V for even versors"""
    return norm_squared(V) * versor_action(V, x), sandwich(V, x)


@identity(
    "versors",
    x="vector",
    a="invertible_vector",
    bound=256,
    scale=lambda x, a: size(x) * _reach(a),
    twin=lambda x, a: (reflect(x, a), x + 2 * scalar_product(x, a) * inverse(a)),
)
def reflection_in_a_hyperplane(x: Any, a: Any) -> Pair:
    """reflect(x, a) = x - 2 <x a>_0 a^-1"""
    return reflect(x, a), x - 2 * scalar_product(x, a) * inverse(a)


@identity(
    "versors",
    A="multivector",
    a="invertible_vector",
    bound=512,
    scale=lambda A, a: size(A) * _reach(a) ** 2,
    twin=lambda A, a: (reflect(A, a), A),
)
def reflecting_twice(A: Any, a: Any) -> Pair:
    """reflect(reflect(A, a), a) = A"""
    return reflect(reflect(A, a), a), A


@identity(
    "versors",
    x="vector",
    a="invertible_vector",
    b="invertible_vector",
    bound=512,
    scale=lambda x, a, b: size(x) * _reach(a) * _reach(b),
    twin=lambda x, a, b: (reflect(reflect(x, a), b), versor_action(a * b, x)),
    twin_from=lambda s: s.p + s.q >= 2,
)
def two_reflections_are_a_rotation(x: Any, a: Any, b: Any) -> Pair:
    """reflect(reflect(x, a), b) = versor_action(b a, x)"""
    return reflect(reflect(x, a), b), versor_action(b * a, x)


@identity(
    "versors",
    A="multivector",
    B="multivector",
    a="invertible_vector",
    bound=512,
    scale=lambda A, B, a: size(A) * size(B) * _reach(a) ** 2,
    twin=lambda A, B, a: (reflect(A * B, a), reflect(B, a) * reflect(A, a)),
    twin_from=lambda s: s.n >= 2,
)
def reflections_respect_products(A: Any, B: Any, a: Any) -> Pair:
    """reflect(A B, a) = reflect(A, a) reflect(B, a)"""
    return reflect(A * B, a), reflect(A, a) * reflect(B, a)


@identity(
    "versors",
    B="bivector",
    x="vector",
    bound=256,
    scale=lambda B, x: size(x) * (1 + size(B)) ** (B.algebra.n // 2 + 1),
    twin=lambda B, x: (
        outer_exp(B) * (x + commutator(B, x)),
        (x - commutator(B, x)) * outer_exp(B),
    ),
    twin_from=lambda s: s.n >= 2 and s.p + s.q >= 1,
)
def outer_exponential_acts_by_cayley(B: Any, x: Any) -> Pair:
    """E (x - [B, x]) = (x + [B, x]) E for E = outer_exp(B)"""
    e = outer_exp(B)
    return e * (x - commutator(B, x)), (x + commutator(B, x)) * e


@identity(
    "versors",
    R="rotor",
    S="rotor",
    bound=256,
    degrees={"R": 2, "S": 2},
    twin=lambda R, S: (R * S * reverse(R * S), R * S),
    twin_from=lambda s: s.n >= 2,
)
def rotors_form_a_group(R: Any, S: Any) -> Pair:
    """(R S) ~(R S) = 1"""
    product = R * S
    return product * reverse(product), 1 + 0 * R
