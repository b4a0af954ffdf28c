"""From kinds of arguments to arguments: how a rotor, a versor, a null bivector is made.

Every kind is a function of freely chosen primitive parameters (scalars, vectors, bivectors,
multivectors), built with geomlin's operations, so that one description serves floats, rationals
and polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import exp, norm_squared, outer_product, scalar_product
from ..layout import Layout, full_layout, grade_layout
from ..multivector import Multivector
from ..signature import Signature

PRIMITIVES = ("scalar", "vector", "bivector", "multivector")


def primitive_layout(kind: str, n: int) -> Layout:
    """Where the free coefficients of a primitive parameter sit."""
    if kind == "multivector":
        return full_layout(n)
    return grade_layout(n, PRIMITIVES.index(kind))


@dataclass(frozen=True)
class Kind:
    """Parameters, how to build the element from them, where it exists, and when it is valid."""

    parameters: tuple[str, ...]
    build: Callable[..., Multivector]
    exists: Callable[[Signature], bool] = lambda s: True
    valid: Callable[[Multivector], Any] | None = None


def _null_bivector(v: Multivector) -> Multivector:
    """n ^ v with n null: e_n if the radical is not zero, else n = e1 + e_(p+1) and v orthogonal."""
    algebra = v.algebra
    p, q, r = algebra.signature
    if r:
        return outer_product(algebra.basis_vectors[-1], v)
    null = algebra.basis_vectors[0] + algebra.basis_vectors[p]
    mask = [0 if i in (0, p) else 1 for i in range(p + q)]
    orthogonal = v.replace(v.layout, v.coeffs * np.array(mask).astype(v.coeffs.dtype))
    return outer_product(null, orthogonal)


def _norm_is_regular(a: Multivector) -> Any:
    """|<A ~A>_0| not small beside the coefficients, so that dividing by it is harmless."""
    found = norm_squared(a).coeffs[..., 0]
    if a.algebra.backend_object.exact:
        return ~a.algebra.backend_object.is_zero(found)
    return np.abs(found) > 1e-2 * (np.asarray(a.coeffs) ** 2).sum(axis=-1)


def _well_conditioned(a: Multivector) -> Any:
    from ..errors import NotInvertible
    from ..ops.inverse import inverse

    if a.algebra.backend_object.exact:
        try:
            inverse(a)
        except NotInvertible:
            return np.array(False)
        return np.array(True)
    found = inverse(a, tolerance=1e-6, on_error="nan").coeffs
    return np.isfinite(found).all(axis=-1)


def _exact_rotor(u: Multivector, v: Multivector) -> Multivector:
    """V V / (V ~V) for V = u v: rational, and (V V) ~(V V) = (V ~V)^2."""
    versor = u * v
    rotor: Multivector = versor * versor / norm_squared(versor).coeffs[..., 0]
    return rotor


def _regular_dimensions(count: int) -> Callable[[Signature], bool]:
    return lambda s: s.p + s.q >= count


def _itself(a: Multivector) -> Multivector:
    return a


def _plane_is_regular(b: Multivector) -> Any:
    found = scalar_product(b, b).coeffs[..., 0]
    if b.algebra.backend_object.exact:
        return ~b.algebra.backend_object.is_zero(found)
    return np.abs(found) > 1e-2 * (np.asarray(b.coeffs) ** 2).sum(axis=-1)


KINDS: dict[str, Kind] = {
    "scalar": Kind(("scalar",), _itself),
    "vector": Kind(("vector",), _itself),
    "bivector": Kind(("bivector",), _itself),
    "multivector": Kind(("multivector",), _itself),
    "simple bivector": Kind(("vector", "vector"), outer_product, lambda s: s.n >= 2),
    "null bivector": Kind(("vector",), _null_bivector, lambda s: s.n >= 2),
    "definite plane": Kind(
        ("vector", "vector"), outer_product, _regular_dimensions(2), _plane_is_regular
    ),
    "invertible vector": Kind(("vector",), _itself, _regular_dimensions(1), _norm_is_regular),
    "invertible multivector": Kind(("multivector",), _itself, valid=_well_conditioned),
    "versor": Kind(
        ("vector", "vector"), lambda u, v: u * v, _regular_dimensions(1), _norm_is_regular
    ),
    "rotor": Kind(("bivector",), exp),
}
EXACT_ROTOR = Kind(("vector", "vector"), _exact_rotor, _regular_dimensions(1))


def kind_of(name: str, *, exact: bool) -> Kind:
    """The construction of a kind; rational rotors are built without the exponential."""
    return EXACT_ROTOR if exact and name == "rotor" else KINDS[name]


def missing_kind(kinds: Sequence[str], signature: Signature, *, exact: bool) -> str | None:
    """The first kind that has no members in the signature."""
    for name in kinds:
        if name != "pseudoscalar" and not kind_of(name, exact=exact).exists(signature):
            return name
    return None
