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
from .torch_tracing import answer_tensors, trace_invert, trace_members

_CONSTRUCTORS = ("scalar", "vector", "bivector", "even", "multivector", "blade")
_PROPERTIES = ("basis_vectors", "pseudoscalar")
_FACTS = ("n", "signature", "metric", "backend", "blades", "bivector_blades")
_LAYOUT_FACTS = ("size", "names", "position", "grades", "kind")


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
    answer_tensors(multivector)
    _register_constants(algebra, layout)
    try:
        trace_invert(multivector)
        trace_members(algebra, (*_CONSTRUCTORS, *_PROPERTIES))
    except (ImportError, AttributeError):
        return  # other insides than those of torch 2.13


def _register_constants(algebra: type, layout: type) -> None:
    """For torch.compile, in versions of torch that know constants of any class."""
    try:
        from torch._library.opaque_object import MemberType, register_opaque_type

        node = torch._dynamo.nonstrict_trace
    except (ImportError, AttributeError):
        return  # older: compiled code breaks its graph at every operation
    inlined = dict.fromkeys((*_CONSTRUCTORS, *_PROPERTIES), MemberType.INLINED)
    facts = dict.fromkeys(_FACTS, MemberType.USE_REAL)
    register_opaque_type(algebra, typ="value", members={**inlined, **facts})
    members = dict.fromkeys(_LAYOUT_FACTS, MemberType.USE_REAL)
    register_opaque_type(layout, typ="value", members=members)
    compile_leaves(torch.compiler.is_compiling, node)
