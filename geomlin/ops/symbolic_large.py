"""exp, log and decomposition of a symbolic bivector on six or seven basis vectors, by a cubic.

M = b G satisfies chi(M^2) M = 0, chi(x) = x^3 + a_1 x^2 + a_2 x + a_3.  With B_m = M^(2m) b and the
simple parts b_i of squares x_i, the roots of chi, B_m = sum x_i^m b_i.  So for any values F_i

    sum_i F_i b_i = sum_m p_m B_m,    sum_k F_k b_i b_j = sum_m p_m E_m,  {i, j, k} = {1, 2, 3},

with the polynomial p of p(x_i) = F_i and E_m = sum_k x_k^m b_i b_j, which are B ^ B / 2,
-a_1 E_0 - B ^ B_1 and B_1 ^ B_1 / 2 - a_2 E_0 - a_1 E_1.  In exp(B) = prod (C_i + S_i b_i) the p_m
are entire in the a_m: equal roots are no exception.  The parts themselves need distinct roots,

    b_i = (B_2 + (x_i + a_1) B_1 + (x_i^2 + a_1 x_i + a_2) B_0) / chi'(x_i).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..symbolic_roots import CubicExponential, CubicLogarithm, CubicRoot
from .bivectors import antisymmetric, upper_triangle
from .products import outer_product
from .symbolic_tools import combined, mapped

if TYPE_CHECKING:
    from ..multivector import Multivector


def exp_by_cubic(b: Multivector) -> Multivector:
    """C_1 C_2 C_3 + sum p_m B_m + sum q_m E_m + S_1 S_2 S_3 B ^ B ^ B / 6."""
    (_, b1, b2), (a1, a2, a3) = _powers_and_invariants(b)
    zero = sympy.Integer(0)

    def value(grade: int, power: int = 0) -> Any:
        return CubicExponential(grade, power, zero, zero, zero, a1, a2, a3)

    q0, q1, q2 = (value(4, m) for m in range(3))
    return combined(
        (value(0), b.algebra.scalar(1)),
        *((value(2, m), power) for m, power in enumerate((b, b1, b2))),
        ((q0 - a1 * q1 + (a1**2 - a2) * q2) / 2, _outer(b, b)),
        (a1 * q2 - q1, _outer(b, b1)),
        (q2 / 2, _outer(b1, b1)),
        (value(6) / 6, _outer(outer_product(b, b), b)),
    )


def log_by_cubic(r: Multivector) -> Multivector:
    """sum artanh(t_i) / t_i times the parts of T = R_2 / R_0, t_i^2 < 1 their squares, R_0 > 0.

    Then every rotation part is below pi / 2; where R_0 <= 0 the coefficients are NaN.
    """
    scalar = r["1"]
    powers, (a1, a2, a3) = _powers_and_invariants(mapped(r.grade(2), lambda c: c / scalar))
    zero = sympy.Integer(0)
    terms = (
        (CubicLogarithm(m, zero, zero, zero, a1, a2, a3), power) for m, power in enumerate(powers)
    )
    found = combined(*terms).grade(2)
    if scalar.is_positive:
        return found
    return mapped(found, lambda c: sympy.Piecewise((c, scalar > 0), (sympy.nan, True)))


def planes_by_cubic(b: Multivector) -> list[tuple[Multivector, Any]]:
    """The three simple parts with their squares."""
    powers, (a1, a2, a3) = _powers_and_invariants(b)
    planes = []
    for x in (CubicRoot(i, a1, a2, a3) for i in range(3)):
        derivative = 3 * x**2 + 2 * a1 * x + a2
        weights = (x**2 + a1 * x + a2, x + a1, sympy.Integer(1))
        terms = zip((w / derivative for w in weights), powers, strict=True)
        planes.append((combined(*terms).grade(2), x))
    return planes


def _powers_and_invariants(b: Multivector) -> tuple[list[Multivector], list[Any]]:
    """B_0, B_1, B_2, and a_m = (-1)^m <W_m^2>_0 with W_m = B ^ .. ^ B / m!."""
    matrix = sympy.Matrix(antisymmetric(b.coeffs, b.algebra.n))
    square = (matrix * sympy.diag(*b.algebra.metric)) ** 2
    powers, power = [b], matrix
    for _ in range(2):
        power = square * power
        entries = np.array(power.tolist(), dtype=object)
        powers.append(b.replace(b.layout, upper_triangle(entries)))
    invariants, w = [], b
    for m in (1, 2, 3):
        if m > 1:
            w = outer_product(w, b) / m
        blades = [w.algebra.blade(name) for name in w.layout.names]
        signs = [(e * e)["1"] * (-1) ** m for e in blades]
        terms = (sign * sympy.factor_terms(c) ** 2 for sign, c in zip(signs, w.coeffs, strict=True))
        invariants.append(sympy.Add(*terms))
    return powers, invariants


def _outer(a: Multivector, b: Multivector) -> Multivector:
    """A ^ B without expanding the coefficients."""
    values: dict[Any, Any] = {}

    def named(x: Any) -> Any:
        if x.is_Number:
            return x
        name = sympy.Dummy()
        values[name] = x
        return name

    first, second = mapped(a, named), mapped(b, named)
    return mapped(outer_product(first, second), lambda c: c.xreplace(values))
