"""The way from one rotor to another, with its digits where boosts lead far apart.

With L = log(~R0 R1), L = b + rest, b a boost of rapidity x that commutes with the rest,

    R0 exp(t L) = (sinh((1 - t) x) R0 exp(t rest) + sinh(t x) R1 exp((t - 1) rest)) / sinh x.   (1)

For 0 < t < 1 both terms have the size of the result, while R0 exp(t L) is a difference of numbers
of the size of |R0| exp(t x).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..layout import even_layout
from .bivectors import antisymmetric, upper_triangle
from .grades import with_layout
from .products import geometric_product

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..multivector import Multivector

FAR = 1.0  # rapidity of the largest boost from which equation (1) is taken


def interpolated(
    first: Multivector,
    last: Multivector,
    way: Multivector,
    exponent: Any,
    exponential: Callable[[Multivector, Any], Multivector],
) -> Multivector:
    """R0 exp(t L), of which R1 exp((t - 1) L) is another form; `exponential` gives exp(t L).

    last : the R1 with R0 exp(L) = R1.  exponent : t, (..., 1).
    """
    part, rapidity = _largest_boost(way)
    blended = (exponent > 0) & (exponent < 1) & (rapidity > FAR)
    from_last = exponent >= 1
    base = first.replace(first.layout, np.where(from_last, last.coeffs, first.coeffs))
    step = np.where(blended, 0.0, np.where(from_last, exponent - 1, exponent))
    plain = _product(base, exponential(way, step))
    if not np.any(blended):
        return plain
    rest = way.replace(way.layout, way.coeffs - part)
    inside = np.where(blended, exponent, 0.5)
    near = _product(first, exponential(rest, inside)).coeffs
    far = _product(last, exponential(rest, inside - 1)).coeffs
    values = _ratio(1 - inside, rapidity) * near + _ratio(inside, rapidity) * far
    return plain.replace(plain.layout, np.where(blended, values, plain.coeffs))


def _product(a: Multivector, b: Multivector) -> Multivector:
    return with_layout(geometric_product(a, b), even_layout(a.algebra.n))


def _ratio(t: Any, rapidity: Any) -> Any:
    """sinh(t x) / sinh x for 0 < t < 1 and x > 0, beyond the range of sinh too."""
    x = np.where(rapidity > 0, rapidity, 1.0)
    return np.exp((t - 1) * x) * np.expm1(-2 * t * x) / np.expm1(-2 * x)


def _largest_boost(way: Multivector) -> tuple[Any, Any]:
    """Coefficients of the first boost of the largest rapidity, and that, (..., 1); zeros where no
    part is a boost."""
    from ..kernels.planes import decompose
    from ..plane_kind import PlaneKind

    algebra = way.algebra
    if algebra.signature.p == 0 or algebra.signature.q == 0:
        return np.zeros_like(way.coeffs), np.zeros((*way.shape, 1))
    known = np.isfinite(way.coeffs).all(axis=-1, keepdims=True)
    found = decompose(antisymmetric(np.where(known, way.coeffs, 0.0), algebra.n), algebra.metric)
    squares = np.where(found.kinds == PlaneKind.BOOST, found.squares.real, 0.0)
    largest = np.argmax(squares, axis=-1)[..., None]
    rapidity = np.sqrt(np.take_along_axis(squares, largest, axis=-1))
    parts = upper_triangle(found.parts)
    part = np.take_along_axis(parts, largest[..., None], axis=-2)[..., 0, :]
    return np.where(rapidity > 0, part, 0.0), rapidity
