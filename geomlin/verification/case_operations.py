"""What a case file can ask for: operations on inputs given as decimal strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import (
    Multivector,
    cayley_inverse,
    exp,
    geometric_product,
    invariant_decomposition,
    inverse,
    log,
    normalize,
    power,
    rotor_between,
    rotor_from_matrix,
    rotor_to_matrix,
    sandwich,
    slerp,
    sqrt,
    versor_action,
)
from ..algebra import Algebra
from ..errors import LayoutError
from .case_gradients import gradient
from .case_inputs import floats as floats
from .case_inputs import multivector

Operation = Callable[[Algebra, Mapping[str, Any], str], Any]


def _rotor(algebra: Algebra, data: Mapping[str, Any], dtype: str) -> Multivector:
    if "exp_of_bivector" in data:
        return exp(algebra.bivector(floats(data["exp_of_bivector"], dtype)))
    return multivector(algebra, data, dtype)


def ends(algebra: Algebra, data: Mapping[str, Any], dtype: str) -> list[Multivector]:
    """The vectors that a rotor is to connect."""
    return [algebra.vector(floats(data[end]["vector"], dtype)) for end in ("from", "to")]


def _vector_part(a: Multivector) -> Any:
    """Vector coefficients; a remainder in other grades is an answer of the wrong kind."""
    rest = a - a.grade(1)
    if np.abs(rest.coeffs).max(initial=0) > 1e-12 * np.abs(a.coeffs).max(initial=1):
        raise LayoutError(f"expected a vector, got {a}")
    return a.grade(1).coeffs


def _antisymmetric_exponential(algebra: Algebra, data: Mapping[str, Any], dtype: str) -> Any:
    """expm(A) = matrix(exp(B)) with b = A G / 2."""
    matrix = floats(data["matrix"], dtype)
    rows, columns = np.triu_indices(algebra.n, 1)
    squares = np.array(algebra.metric)[columns]
    return rotor_to_matrix(exp(algebra.bivector(matrix[rows, columns] * squares / 2)))


def _symbolic(algebra: Algebra, data: Mapping[str, Any], dtype: str) -> Any:
    """exp, the action of an unnormalised rotor, or the matrix, with sympy coefficients."""
    import sympy

    def parsed(text: str) -> Any:
        free = sympy.sympify(text)
        return free.subs({x: sympy.Symbol(x.name, real=True) for x in free.free_symbols})

    exact = Algebra(*algebra.signature, backend="sympy")
    if "exp_of" in data:
        return exp(exact.bivector({k: parsed(v) for k, v in data["exp_of"].items()}))
    if "matrix_exp_of" in data:
        rows = [[parsed(x) for x in row] for row in data["matrix_exp_of"]]
        upper = {(i, j): rows[i][j] for i in range(exact.n) for j in range(i + 1, exact.n)}
        names = exact.bivector_blades
        halves = [x * exact.metric[j] / 2 for (_, j), x in upper.items()]
        return rotor_to_matrix(exp(exact.bivector(dict(zip(names, halves, strict=True)))))
    rotor = exact.even({k: parsed(v) for k, v in data["rotor"].items()})
    if data.get("want") == "matrix":
        return rotor_to_matrix(rotor)
    moved = versor_action(rotor, exact.vector({k: parsed(v) for k, v in data["act_on"].items()}))
    return moved.grade(1).coeffs


OPERATIONS: dict[str, Operation] = {
    "exp": lambda a, d, t: exp(a.bivector(floats(d["bivector"], t))),
    "decompose": lambda a, d, t: invariant_decomposition(a.bivector(floats(d["bivector"], t))),
    "to_matrix": lambda a, d, t: rotor_to_matrix(_rotor(a, d, t)),
    "from_matrix": lambda a, d, t: rotor_from_matrix(floats(d["matrix"], t), a),
    "product": lambda a, d, t: geometric_product(
        multivector(a, d["left"], t), multivector(a, d["right"], t)
    ),
    "sandwich": lambda a, d, t: _vector_part(
        sandwich(multivector(a, d, t), a.vector(floats(d["vector"], t)))
    ),
    "exp_then_sandwich": lambda a, d, t: _vector_part(
        sandwich(exp(a.bivector(floats(d["bivector"], t))), a.vector(floats(d["vector"], t)))
    ),
    "inverse": lambda a, d, t: inverse(multivector(a, d, t)),
    "normalize": lambda a, d, t: [normalize(multivector(a, x, t)) for x in d["batch"]],
    "expm_antisym": _antisymmetric_exponential,
    "symbolic": _symbolic,
    "log": lambda a, d, t: log(_rotor(a, d, t), normalize=True),
    "rotation_log": lambda a, d, t: log(
        rotor_from_matrix(floats(d["matrix"], t), a), up_to_sign=True
    ),
    "sqrt": lambda a, d, t: sqrt(_rotor(a, d, t)),
    "power": lambda a, d, t: power(_rotor(a, d, t), float(d["exponent"])),
    "slerp": lambda a, d, t: slerp(_rotor(a, d["from"], t), _rotor(a, d["to"], t), float(d["t"])),
    "rotor_between": lambda a, d, t: rotor_between(*ends(a, d, t)),
    "grad": gradient,
    "cayley_inverse": lambda a, d, t: cayley_inverse(rotor_from_matrix(floats(d["matrix"], t), a)),
}
