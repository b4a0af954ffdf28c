"""The rotor of a symbolic isometry matrix: the pivoted Cayley transform.

For a set P of evenly many basis vectors, D = diag(-1 on P, 1 elsewhere) and K = I + O D

    R = rho outer_exp(T) e_P,    T G = I - 2 K^-1,    rho^2 = g_P det(K) / 2^n,

where det K is not zero for all values of the symbols; the first such P in blade order is taken.
Of the two signs the one is returned that has the shorter root, so it is continuous in the symbols
rather than positive; matrices of numbers get the sign of the float convention.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import LayoutError, NotInImage, NotOrthogonal, NotSupported
from ..symbolic_functions import Family, square_root_or_none
from .bivectors import upper_triangle
from .exponential import outer_exp
from .grades import even
from .products import geometric_product
from .symbolic_tools import mapped, sample_points

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector

LARGEST_DIMENSION = 5
_DIGITS = 40
_ZERO = sympy.Float(10) ** -25
_SHORT = 60  # operations up to which simplify takes fractions of a second
_NEARLY = sympy.Float(10) ** -6  # as for floats: coefficients that count as one size


def matrix_rotor(matrix: Any, algebra: Algebra) -> Multivector:
    """The rotor R with R e_j ~R = sum_i M_ij e_i and a positive coefficient at e_P."""
    given = algebra.backend_object.array(matrix)
    n = algebra.n
    if given.shape != (n, n):
        raise LayoutError(f"expected one matrix ({n}, {n}) for {algebra}, got shape {given.shape}")
    if algebra.signature.r or n > LARGEST_DIMENSION:
        raise NotSupported(
            f"rotor_from_matrix of symbolic matrices needs r = 0 and n <= {LARGEST_DIMENSION}, got "
            f"{algebra}: substitute numbers and use backend='arb' or 'numpy'"
        )
    vectors = algebra.basis_vectors
    o, g = sympy.Matrix(given.tolist()), sympy.diag(*algebra.metric)
    point = next(iter(sample_points(given.ravel())))
    numbers = o.xreplace(point).evalf(_DIGITS)
    defect = max(abs(x) for x in numbers.T * g * numbers - g)
    if not defect < _ZERO * (1 + max(abs(x) for x in numbers)) ** 2:
        raise NotOrthogonal(
            f"expected M^T G M = G for all values of the symbols, got a defect of "
            f"{sympy.N(defect, 3)} at {point}"
        )
    chosen = _pivot(numbers, n)
    determinant, inverse = _determinant_and_inverse(sympy.eye(n) + o * _signs(chosen, n))
    square = sympy.prod(algebra.metric[i] for i in chosen) * determinant / 2**n
    if square.xreplace(point).evalf(_DIGITS) < 0:
        raise NotInImage(
            "expected an isometry that keeps the orientation of both signs of the metric, got one "
            "that turns both round",
            reason="component",
        )
    t = np.array(((sympy.eye(n) - 2 * inverse) * g).tolist(), dtype=object)
    bivector = algebra.bivector([_short(x) for x in upper_triangle(t)])
    blade = reduce(geometric_product, (vectors[i] for i in chosen), algebra.scalar(1))
    product = geometric_product(outer_exp(bivector), blade)
    square = _short(square)
    root = square_root_or_none(square)
    rho = sympy.sqrt(square) if root is None else root
    return _with_sign(even(mapped(product, lambda c: _short(rho * c))))


def _pivot(numbers: Any, n: int) -> tuple[int, ...]:
    """The first even set with det(I + O D) != 0; there is one exactly if det O = 1."""
    for size in range(0, n + 1, 2):
        for chosen in combinations(range(n), size):
            if abs((sympy.eye(n) + numbers * _signs(chosen, n)).det()) > _ZERO:
                return chosen
    raise NotInImage("expected a matrix of determinant 1, got one of determinant -1", reason="det")


def _signs(chosen: tuple[int, ...], n: int) -> Any:
    """D."""
    return sympy.diag(*(-1 if i in chosen else 1 for i in range(n)))


def _determinant_and_inverse(k: Any) -> tuple[Any, Any]:
    """By minors of named entries, which never ask whether an expression is zero."""
    names = {x: sympy.Dummy() for x in k if not x.is_Number}
    values = {name: x for x, name in names.items()}
    named = k.applyfunc(lambda x: names.get(x, x))
    determinant = named.det(method="berkowitz").xreplace(values)
    return determinant, named.adjugate(method="berkowitz").xreplace(values) / determinant


def _short(x: Any) -> Any:
    """Simplified where that is quick and loses no value, as of S(z) at z = 0."""
    return sympy.simplify(x) if x.count_ops() < _SHORT and not x.has(Family) else x


def _with_sign(r: Multivector) -> Multivector:
    """Numbers get the sign of the float convention: R_0 > 0, or the first of the largest is."""
    if any(c.free_symbols for c in r.coeffs):
        return r
    values = [c.evalf(_DIGITS) for c in r.coeffs]
    largest = max(abs(x) for x in values)
    if abs(values[0]) > largest * sympy.Rational(1, 2**26):
        leading = values[0]
    else:
        leading = next(x for x in values if abs(x) >= largest * (1 - _NEARLY))
    return -r if leading < 0 else r
