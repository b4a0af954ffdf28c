"""The gradients that a case file can ask for, by the words in which it states the function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import exp, log, rotor_from_matrix
from ..algebra import Algebra
from ..derivatives import exp_vjp, log_jvp, rotor_from_matrix_jvp, rotor_to_matrix_vjp
from ..errors import NotSupported
from .case_inputs import floats, multivector

Data = Mapping[str, Any]


def _of_coefficients(a: Algebra, d: Data, t: str) -> Any:
    """d/db_ij of sum_k w_k exp(B)_k, in the coordinates b_ij."""
    b = a.bivector(floats(d["at"]["bivector"], t))
    return exp_vjp(b, multivector(a, d["weights"], t))


def _of_matrix(a: Algebra, d: Data, t: str) -> Any:
    """d/db_ij of sum_ij W_ij matrix(exp B)_ij."""
    b = a.bivector(floats(d["at"]["bivector"], t))
    return exp_vjp(b, rotor_to_matrix_vjp(exp(b), floats(d["weights_matrix"], t)))


def _of_log(a: Algebra, d: Data, t: str) -> Any:
    """Derivative of log(R / |R|) along T."""
    rotor, tangent = multivector(a, d["at"], t), multivector(a, d["tangent"], t)
    return log_jvp(rotor, tangent, normalize=True)


def _of_rotation_log(a: Algebra, d: Data, t: str) -> Any:
    """Derivative of the shortest generator of the rotation of R along T."""
    rotor, tangent = multivector(a, d["at"], t), multivector(a, d["tangent"], t)
    generator = log(rotor, normalize=True, up_to_sign=True)
    return log_jvp(rotor, tangent, B=generator, normalize=True)


def _of_from_matrix(a: Algebra, d: Data, t: str) -> Any:
    """Derivative of the rotor of M along M A, on the sheet of the given value."""
    matrix = floats(d["at"]["matrix"], t)
    tangent = np.zeros_like(matrix)
    rows, columns = np.triu_indices(a.n, 1)
    tangent[rows, columns] = floats(d["tangent_antisym"], t)
    tangent -= tangent.T
    value = multivector(a, d["value"], t)
    overlap = (rotor_from_matrix(matrix, a) * ~value)["1"]
    return np.sign(overlap) * rotor_from_matrix_jvp(matrix, matrix @ tangent, a)


_FUNCTIONS: dict[str, Callable[[Algebra, Data, str], Any]] = {
    "f(B)=sum_k w_k*coeff_k(exp(B))": _of_coefficients,
    "f(B)=sum_ij W_ij*matrix(exp(B))_ij": _of_matrix,
    "directional derivative of log(R/|R|) at R along T": _of_log,
    "directional derivative of rotation_log(R/|R|) at R along T": _of_rotation_log,
    "directional derivative of from_matrix at M along M*A, A antisymmetric with A12,A13,A23 "
    "given": _of_from_matrix,
}


def gradient(a: Algebra, d: Data, t: str) -> Any:
    """The gradient, or the derivative along a tangent, of one of the known functions."""
    function = _FUNCTIONS.get(d["function"])
    if function is None:
        raise NotSupported(f"the gradient of {d['function']!r} is stated in words only")
    return function(a, d, t)
