"""Enclosures of inverses, through the matrix representation: rho(A^-1) = rho(A)^-1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import NotInvertible, Undecided
from ..layout import parity_layout
from ..precision import working_precision
from .elements import Coefficients, elementwise
from .exponential import GUARD_BITS
from .representation import representation

if TYPE_CHECKING:
    from ..multivector import Multivector


def certified_inverse(a: Multivector) -> Multivector:
    """Enclosure of A^-1; Undecided where an element of the balls may be a zero divisor."""
    algebra: Any = a.algebra
    bits, metric = algebra.backend_object.bits, algebra.metric
    is_even = not any(a.layout.grade_array % 2)
    layout = parity_layout(a.layout)
    basis = representation(metric, even=is_even)

    def invert(values: Coefficients) -> list[Any]:
        if not values:
            raise NotInvertible("expected an invertible multivector, got zero")
        with working_precision(bits + GUARD_BITS):
            try:
                matrices = [matrix.inv() for matrix in basis.matrices(values)]
            except ZeroDivisionError as error:
                raise Undecided(
                    "the multivector may be a zero divisor: raise the precision, or narrow the "
                    "balls; if it is one, no precision will do"
                ) from error
            found = basis.coefficients(matrices, layout.masks)
        with working_precision(bits):
            return [+x for x in found]

    return elementwise(a, layout, invert)
