"""Every public function that a traced graph can call, with good operands: one table for the tests.

Operands are written in letters: s scalar, v vector, b bivector, u simple bivector, e rotor, r rotor
on all blades, m any multivector, t number, M matrix of a rotor, P path of two matrices, X
spinor blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import geomlin as G
from geomlin import Algebra, spinor
from geomlin.kernels.monomial import block_shape, embedded_metric

Function = Callable[..., Any]


class Call(NamedTuple):
    """A public function of operands.

    separate : numbers of the result that do not depend on a coefficient of the operand may remain
        when that is NaN, as in sums and products; of all others nothing may.
    needs_metric : it is not defined where there are null vectors.
    """

    operands: str
    function: Function
    separate: bool = False
    needs_metric: bool = False


CALLS: dict[str, Call] = {
    "geometric_product": Call("mm", G.geometric_product, True),
    "outer_product": Call("mm", G.outer_product, True),
    "left_contraction": Call("mm", G.left_contraction, True),
    "right_contraction": Call("mm", G.right_contraction, True),
    "scalar_product": Call("mm", G.scalar_product, True),
    "commutator": Call("mm", G.commutator, True),
    "anticommutator": Call("mm", G.anticommutator, True),
    "regressive_product": Call("mm", G.regressive_product, True),
    "reverse": Call("m", G.reverse, True),
    "involute": Call("m", G.involute, True),
    "conjugate": Call("m", G.conjugate, True),
    "grade": Call("m", lambda a: G.grade(a, 2), True),
    "even": Call("m", G.even, True),
    "odd": Call("m", G.odd, True),
    "complement": Call("m", G.complement, True),
    "dual": Call("m", G.dual, True, True),
    "undual": Call("m", G.undual, True, True),
    "stack": Call("mm", lambda a, b: G.stack([a, b], -1), True),
    "concatenate": Call("mm", lambda a, b: G.concatenate([G.stack([a, b], -1)] * 2, -1), True),
    "A + B": Call("mm", lambda a, b: a + b, True),
    "A - B": Call("mm", lambda a, b: a - b, True),
    "-A": Call("m", lambda a: -a, True),
    "A * s": Call("ms", lambda a, s: a * s, True),
    "A ** 2": Call("m", lambda a: a**2, True),
    "to_blocks": Call("m", spinor.to_blocks, True),
    "from_blocks": Call("X", lambda x: spinor.from_blocks(*x), True),
    "norm_squared": Call("m", G.norm_squared, True),
    "sandwich": Call("ev", G.sandwich, True),
    "versor_action": Call("ev", G.versor_action, True),
    "project": Call("mv", G.project, True),
    "reject": Call("mv", G.reject, True),
    "reflect": Call("mv", G.reflect, True),
    "rotor_to_matrix": Call("e", G.rotor_to_matrix),
    "inverse": Call("m", G.inverse),
    "inverse of a vector": Call("v", G.inverse),
    "A ** -1": Call("v", lambda a: a**-1),
    "norm": Call("m", G.norm),
    "normalize": Call("m", G.normalize),
    "exp": Call("b", G.exp),
    "exp of a multivector": Call("m", G.exp),
    "outer_exp": Call("b", G.outer_exp),
    "log": Call("e", lambda r: G.log(r, flags=True)),
    "sqrt": Call("e", G.sqrt),
    "power": Call("et", G.power),
    "slerp": Call("eet", G.slerp),
    "cayley": Call("b", G.cayley),
    "cayley_inverse": Call("e", G.cayley_inverse),
    "rotor_between": Call("vv", G.rotor_between),
    "rotor_in_plane": Call("vvt", G.rotor_in_plane),
    "rotor_from_plane": Call("ut", G.rotor_from_plane),
    "invariant_decomposition": Call("b", G.invariant_decomposition),
    "rotor_decomposition": Call("e", G.rotor_decomposition),
    "rotor_from_matrix": Call("M", lambda m: G.rotor_from_matrix(*m)),
    "lift_path": Call("P", lambda m: G.lift_path(*m), True),
    "rotor_blocks": Call("b", spinor.rotor_blocks, True),
    "is_simple": Call("u", G.is_simple),
    "is_rotor": Call("e", G.is_rotor),
    "is_versor": Call("r", G.is_versor),
    "isclose": Call("mm", lambda a, b: G.isclose(a, b, absolute=10.0)),
}


def calls_of(algebra: Algebra) -> list[str]:
    """The names of the calls that the algebra has."""
    null = bool(algebra.signature.r)
    return [name for name, call in CALLS.items() if not (call.needs_metric and null)]


def coefficients(kind: str, algebra: Algebra, rng: np.random.Generator) -> Any:
    """Good coefficients of an operand of numpy's, one axis."""
    n = algebra.n
    pairs = n * (n - 1) // 2
    vector = 0.1 * rng.normal(size=n) + 1.5 * np.eye(n)[0]
    rotor = G.exp(algebra.bivector(0.3 * rng.normal(size=pairs)))
    other = algebra.vector(0.1 * rng.normal(size=n) + np.eye(n)[1])
    return {
        "s": lambda: np.array([0.6]),
        "t": lambda: np.array([0.6]),
        "v": lambda: vector,
        "b": lambda: 0.3 * rng.normal(size=pairs),
        "u": lambda: G.outer_product(algebra.vector(vector), other).coeffs,
        "e": lambda: rotor.coeffs,
        "r": rotor.to_dense,
        "m": lambda: 0.1 * rng.normal(size=1 << n) + 2.0 * np.eye(1 << n)[0],
        "M": lambda: G.rotor_to_matrix(rotor).reshape(-1),
        "X": lambda: spinor.to_blocks(rotor).real.reshape(-1),
        "P": lambda: np.stack([np.eye(n), G.rotor_to_matrix(rotor)]).reshape(-1),
    }[kind]()


def operand(kind: str, algebra: Algebra, coeffs: Any) -> Any:
    """An operand of a framework from its coefficients (..., size)."""
    n, batch = algebra.n, tuple(coeffs.shape[:-1])
    if kind in "t":
        return coeffs[..., 0]
    if kind == "s":
        return algebra.scalar(coeffs[..., 0])
    if kind in "MPX":
        shape = (2, n, n) if kind == "P" else (n, n)
        if kind == "X":
            count, size = block_shape(embedded_metric(algebra.metric))
            shape = count, size, size
        return coeffs.reshape(*batch, *shape), algebra
    build = {"v": algebra.vector, "b": algebra.bivector, "u": algebra.bivector, "e": algebra.even}
    return build.get(kind, algebra.multivector)(coeffs)


def function_of(name: str, algebra: Algebra) -> Function:
    """A call as a function of the coefficients of its operands."""
    call = CALLS[name]

    def function(*arrays: Any) -> Any:
        pairs = zip(call.operands, arrays, strict=True)
        return call.function(*(operand(kind, algebra, array) for kind, array in pairs))

    return function
