"""The operations that are stated for frameworks, by the name that geomlin gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from . import (
    cayley,
    cover,
    decomposition,
    elementary,
    exponential,
    inverse,
    logarithm,
    planes,
    predicates,
)
from .support import not_supported

# Operations that take another way by their numbers, where these are known.
NUMBERS_DECIDE: Mapping[str, Callable[..., bool]] = MappingProxyType(
    {"exp": exponential.numbers_decide}
)
ANSWERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "cayley": cayley.cayley,
        "cayley_inverse": cayley.cayley_inverse,
        "complement": elementary.complement,
        "conjugate": elementary.conjugate,
        "dual": elementary.dual,
        "exp": exponential.exp,
        "invariant_decomposition": decomposition.invariant_decomposition,
        "inverse": inverse.inverse,
        "involute": elementary.involute,
        "is_rotor": predicates.is_rotor,
        "is_simple": predicates.is_simple,
        "is_versor": predicates.is_versor,
        "isclose": predicates.isclose,
        "lift_path": cover.lift_path,
        "log": logarithm.log,
        "norm": elementary.norm,
        "normalize": elementary.normalize,
        "outer_exp": exponential.outer_exp,
        "regressive_product": elementary.regressive_product,
        "reverse": elementary.reverse,
        "power": logarithm.power,
        "power_iteration_decomposition": not_supported("power_iteration_decomposition"),
        "project": inverse.project,
        "reflect": inverse.reflect,
        "reject": inverse.reject,
        "rotor_between": planes.rotor_between,
        "rotor_decomposition": decomposition.rotor_decomposition,
        "rotor_from_plane": planes.rotor_from_plane,
        "rotor_from_matrix": cover.rotor_from_matrix,
        "rotor_in_plane": planes.rotor_in_plane,
        "rotor_to_matrix": cover.rotor_to_matrix,
        "slerp": logarithm.slerp,
        "sqrt": logarithm.sqrt,
        "undual": elementary.undual,
        "versor_action": inverse.versor_action,
        "versor_factorization": not_supported("versor_factorization"),
    }
)
