"""Closed form of the exponential of a symbolic bivector, n <= 5.

B^2 = s + W with s scalar, W = B ^ B, and W^2 = d scalar.  So B^2 has the eigenvalues s + r and
s - r, r^2 = d, and for an entire function f

    f(B^2) = (f(s + r) + f(s - r)) / 2 + W (f(s + r) - f(s - r)) / (2 r),

applied to C(z) = cosh(sqrt z) and S(z) = sinh(sqrt z) / sqrt z in exp(B) = C(B^2) + B S(B^2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from .grades import even
from .products import geometric_product, outer_product, scalar_product

if TYPE_CHECKING:
    from ..multivector import Multivector


_SIMPLIFIED = 100  # operations up to which simplify takes fractions of a second


def bivector_exp(b: Multivector) -> Multivector:
    """exp(B) for sympy coefficients, each batch element by itself."""
    if b.shape:
        from .collections import stack

        return stack([bivector_exp(b[i]) for i in range(len(b))])
    w = outer_product(b, b)
    wb = geometric_product(w, b).grade(2)
    s, d = scalar_product(b, b)["1"], geometric_product(w, w)["1"]
    if sympy.simplify(d) == 0:
        ce, se = _cosine(s), _sine(s)
        co, so = _sine(s) / 2, _sine_derivative(s)
    else:
        r = _root(d)
        ce, co = _even_and_odd(_cosine, s, r)
        se, so = _even_and_odd(_sine, s, r)
    result = b.algebra.scalar(ce) + se * b + so * wb
    if b.algebra.n >= 4:
        result = result + co * w
    tidy = b.algebra.backend_object.array([_short(x) for x in result.coeffs])
    return even(result.replace(result.layout, tidy))


def _short(x: Any) -> Any:
    """Simplified where sympy can do it quickly; longer closed forms stay as they are."""
    return sympy.simplify(x) if x.count_ops() < _SIMPLIFIED else x


def _even_and_odd(function: Any, s: Any, r: Any) -> tuple[Any, Any]:
    plus, minus = function(sympy.expand(s + r)), function(sympy.expand(s - r))
    return (plus + minus) / 2, (plus - minus) / (2 * r)


def _root(z: Any) -> Any:
    """A square root; the functions here are even in it, so |x| may be written x."""
    return sympy.sqrt(sympy.factor(z)).replace(sympy.Abs, lambda x: x)


def _is_minus_a_square(z: Any) -> bool:
    return not _root(-z).has(sympy.I)


def _cosine(z: Any) -> Any:
    """C(z), written with cos where -z is a square or positive."""
    return sympy.cos(_root(-z)) if _is_minus_a_square(z) else sympy.cosh(_root(z))


def _sine(z: Any) -> Any:
    """S(z), one at z = 0."""
    if sympy.simplify(z) == 0:
        return sympy.Integer(1)
    root = _root(-z) if _is_minus_a_square(z) else _root(z)
    return (sympy.sin(root) if _is_minus_a_square(z) else sympy.sinh(root)) / root


def _sine_derivative(z: Any) -> Any:
    """S'(z) = (C(z) - S(z)) / (2 z), 1/6 at z = 0."""
    if sympy.simplify(z) == 0:
        return sympy.Rational(1, 6)
    return (_cosine(z) - _sine(z)) / (2 * z)
