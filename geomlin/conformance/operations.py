"""What a backend may implement: names, arguments, results, and the accuracy asked for.

A backend is an object or a module with any of these functions.  Each takes the signature (p, q, r)
first and then plain arrays, batch axes first:

    geometric_product(signature, a, b)    exp(signature, b)    rotor_to_matrix(signature, r)  ..

`result` and the kinds of the arguments are names of shapes, see `shape_of`.  A bound is in eps of
the dtype times the `unit` of a vector, which holds the size of the answer and its condition number.
The bounds were set before any backend was run: sixteen times what geomlin allows itself, and for
gradients geomlin's own 1e-13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Signature = tuple[int, int, int]

_SHAPES: Mapping[str, Callable[[int], tuple[int, ...]]] = MappingProxyType(
    {
        "multivector": lambda n: (2**n,),
        "even": lambda n: (2 ** (n - 1),),
        "vector": lambda n: (n,),
        "bivector": lambda n: (n * (n - 1) // 2,),
        "matrix": lambda n: (n, n),
        "parts": lambda n: (n // 2, n * (n - 1) // 2),
    }
)


@dataclass(frozen=True)
class Operation:
    """One operation of the kit; `needs` are the functions of the backend that it calls."""

    name: str
    group: str
    arguments: Mapping[str, str]
    result: str
    bound: float
    equation: str
    needs: tuple[str, ...]

    def shapes(self, signature: Signature) -> dict[str, tuple[int, ...]]:
        """Shape of each argument without batch axes."""
        return {name: shape_of(kind, signature) for name, kind in self.arguments.items()}


def shape_of(kind: str, signature: Signature) -> tuple[int, ...]:
    """Shape of one value of a kind.

    Examples
    --------
    >>> shape_of("even", (3, 0, 1)), shape_of("parts", (4, 1, 0))
    ((8,), (2, 10))
    """
    return _SHAPES[kind](sum(signature))


def _operation(
    name: str,
    group: str,
    arguments: Mapping[str, str],
    result: str,
    bound: float,
    equation: str,
    needs: tuple[str, ...] = (),
) -> Operation:
    return Operation(
        name, group, MappingProxyType(dict(arguments)), result, bound, equation, needs or (name,)
    )


_PAIR = {"a": "multivector", "b": "multivector"}
_ONE = {"a": "multivector"}
_ALL = (
    _operation("geometric_product", "product", _PAIR, "multivector", 16, "a b"),
    _operation("outer_product", "product", _PAIR, "multivector", 16, "a ^ b"),
    _operation("left_contraction", "product", _PAIR, "multivector", 16, "sum <<a>_r <b>_s>_(s-r)"),
    _operation("right_contraction", "product", _PAIR, "multivector", 16, "sum <<a>_r <b>_s>_(r-s)"),
    _operation("commutator", "product", _PAIR, "multivector", 16, "(a b - b a) / 2"),
    _operation(
        "regressive_product",
        "product",
        _PAIR,
        "multivector",
        16,
        "C^-1(C a ^ C b), C the right complement",
    ),
    _operation("reverse", "product", _ONE, "multivector", 1, "~a"),
    _operation("dual", "product", _ONE, "multivector", 1, "a I^-1"),
    _operation("inverse", "product", _ONE, "multivector", 64, "a^-1, a a^-1 = 1"),
    _operation(
        "sandwich",
        "sandwich",
        {"v": "multivector", "x": "multivector"},
        "multivector",
        16,
        "v x ~v",
    ),
    _operation("exp", "exp", {"b": "bivector"}, "even", 64, "exp(b) = 1 + b + b b / 2 + .."),
    _operation("log", "log", {"r": "even"}, "bivector", 192, "exp(log r) = r, principal"),
    _operation("sqrt", "sqrt", {"r": "even"}, "even", 192, "exp(log(r) / 2)"),
    _operation(
        "invariant_decomposition",
        "decomposition",
        {"b": "bivector"},
        "parts",
        512,
        "b = sum b_i, b_i b_i scalar, b_i b_j = b_j b_i",
    ),
    _operation("rotor_to_matrix", "matrix", {"r": "even"}, "matrix", 64, "column j is r e_j ~r"),
    _operation("rotor_from_matrix", "lift", {"m": "matrix"}, "even", 64, "r e_j ~r = column j"),
    _operation(
        "exp_vjp",
        "gradient",
        {"b": "bivector", "r_bar": "even"},
        "bivector",
        512,
        "d <r_bar, exp(b)> / d b_ij",
    ),
    _operation(
        "log_vjp",
        "gradient",
        {"r": "even", "b_bar": "bivector"},
        "even",
        512,
        "r_bar with <r_bar, dr> = <b_bar, d log(r)>, compared by its products <r_bar, e_ij r>",
    ),
    _operation(
        "rotor_to_matrix_vjp",
        "gradient",
        {"r": "even", "m_bar": "matrix"},
        "even",
        512,
        "r_bar with <r_bar, dr> = <m_bar, dm>, compared by its products <r_bar, e_ij r>",
    ),
    _operation(
        "spinor_product",
        "spinor",
        _PAIR,
        "multivector",
        64,
        "from_blocks(to_blocks(a) @ to_blocks(b)) = a b",
        ("to_blocks", "from_blocks"),
    ),
    _operation(
        "rotor_layer",
        "layer",
        {"r": "even", "s": "even", "x": "multivector"},
        "multivector",
        16,
        "r x ~s, x a chunk of 2^n numbers",
    ),
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType({op.name: op for op in _ALL})
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(op.group for op in _ALL))


def perform(backend: Any, operation: Operation, signature: Signature, arguments: list[Any]) -> Any:
    """Call the backend; a spinor product is put together from its two functions."""
    if operation.name == "spinor_product":
        left, right = (backend.to_blocks(signature, a) for a in arguments)
        return backend.from_blocks(signature, left @ right)
    return getattr(backend, operation.name)(signature, *arguments)


def implements(backend: Any, operation: Operation) -> bool:
    """Whether the backend has what the operation needs."""
    return all(callable(getattr(backend, name, None)) for name in operation.needs)
