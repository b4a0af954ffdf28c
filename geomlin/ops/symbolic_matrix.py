"""The matrix of a symbolic rotor on vectors: column j is R e_j ~R."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import NotARotor
from ..layout import grade_layout
from .grades import even, odd, with_layout
from .involutions import reverse
from .products import geometric_product
from .symbolic_tools import sample_points, vanishes
from .versors import sandwich

if TYPE_CHECKING:
    from ..multivector import Multivector

_DIGITS = 40
_SHORT = 60  # operations up to which trigsimp takes fractions of a second


def rotor_matrix(r: Multivector) -> Any:
    """Entries as quadratic forms of the coefficients, which are not expanded.

    At rational points R ~R - 1 and the parts of R e_j ~R that are no vectors must vanish to 40
    digits: this refuses what is no rotor, and is no proof that R is one.
    """
    if r.shape:
        return np.stack([rotor_matrix(r[i]) for i in range(len(r))])
    if not vanishes(odd(r)):
        raise NotARotor(f"expected an even versor, got odd parts {odd(r)}")
    r = even(r)
    names = [sympy.Dummy() for _ in r.coeffs]
    values = dict(zip(names, r.coeffs, strict=True))
    named = r.replace(r.layout, np.array(names, dtype=object))
    square = geometric_product(named, reverse(named)) - 1
    images = [sandwich(named, e) for e in r.algebra.basis_vectors]
    others = [c for image in images for c in image.coeffs[image.layout.grade_array != 1]]
    _check(r, values, [*square.coeffs, *others])
    vectors = grade_layout(r.algebra.n, 1)
    columns = [with_layout(image, vectors).coeffs for image in images]
    matrix = np.empty((r.algebra.n, r.algebra.n), dtype=object)
    for i, j in np.ndindex(matrix.shape):
        matrix[i, j] = _short(columns[j][i].xreplace(values))
    return matrix


def _check(r: Multivector, values: dict[Any, Any], zeros: list[Any]) -> None:
    """Raise NotARotor where an expression in the named coefficients is not zero at a point."""
    for point in sample_points(values.values()):
        numbers = {name: c.xreplace(point).evalf(_DIGITS) for name, c in values.items()}
        if not all(x.is_Number and x.is_finite for x in numbers.values()):
            continue
        size = max(abs(x) for x in numbers.values()) ** 2
        worst = max(abs(zero.xreplace(numbers)) for zero in zeros)
        if worst > size * sympy.Float(10) ** (10 - _DIGITS):
            raise NotARotor(
                f"expected an even versor with R ~R = 1 for all values of the symbols, got {r} "
                f"with a defect of {sympy.N(worst, 3)} at {point}: use normalize(R), or "
                "versor_action(V, x) for other versors"
            )
        return
    raise NotARotor(
        f"expected an even versor, got one without real values at any sample point: {r}"
    )


def _short(x: Any) -> Any:
    return sympy.trigsimp(x) if x.count_ops() < _SHORT else x
