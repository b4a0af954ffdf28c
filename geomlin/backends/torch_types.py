"""What torch is told about the classes of geomlin, once, when the backend is loaded.

A Multivector is a pytree with one tensor.  For torch.compile an Algebra and a Layout are constants,
and every operation is one node of the graph, whose inside is traced with fake tensors: product
tables need no compiling.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..operation import compile_leaves

_CONSTRUCTORS = ("scalar", "vector", "bivector", "even", "multivector", "blade")
_FACTS = ("n", "signature", "metric", "backend", "blades", "bivector_blades")


@cache
def register(multivector: Any, algebra: type, layout: type) -> None:
    """Once in a process: torch keeps one registry."""

    def flatten(a: Any) -> tuple[list[Any], Any]:
        return [a.coeffs], (a.algebra, a.layout)

    def unflatten(leaves: Any, structure: Any) -> Any:
        (coeffs,) = leaves
        return multivector(structure[0], structure[1], coeffs)

    pytree.register_pytree_node(
        multivector, flatten, unflatten, serialized_type_name="geomlin.Multivector"
    )
    _register_constants(algebra, layout)


def _register_constants(algebra: type, layout: type) -> None:
    """For torch.compile, in versions of torch that know constants of any class."""
    try:
        from torch._library.opaque_object import MemberType, register_opaque_type

        node = torch._dynamo.nonstrict_trace
    except (ImportError, AttributeError):
        return  # older: compiled code breaks its graph at every operation
    inlined = dict.fromkeys(_CONSTRUCTORS, MemberType.INLINED)
    facts = dict.fromkeys(_FACTS, MemberType.USE_REAL)
    register_opaque_type(algebra, typ="value", members={**inlined, **facts})
    register_opaque_type(layout, typ="value")
    compile_leaves(torch.compiler.is_compiling, node)
