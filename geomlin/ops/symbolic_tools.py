"""Multivectors with sympy coefficients: maps, sums, independent parts, and the ring of B^2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from ..errors import NoRealLogarithm, NotARotor
from ..missing import one_by_one
from .collections import stack
from .grades import even
from .products import geometric_product, outer_product, scalar_product

if TYPE_CHECKING:
    from ..multivector import Multivector
    from .failures import OnError

_SHORT = 200  # operations up to which trigsimp takes fractions of a second
_CLEARLY = sympy.Float(10) ** -20  # size of a number, known to 30 digits, that is not zero
LARGEST_PART = 7  # basis vectors that one part may contain
_POINTS = ((1, 7), (2, 11), (1, 23))  # the symbols get a/b, (a+1)/b, ..


def each(
    function: Callable[[Multivector], Multivector],
    a: Multivector,
    sample: Multivector,
    on_error: OnError = "raise",
) -> Multivector:
    """A function of one multivector, on each element of a batch; of `sample` if there is none.

    With on_error="nan" elements without an answer are NaN; else the error names all of them.
    """
    refused = (NotARotor, NoRealLogarithm)
    answers = one_by_one(a.shape, lambda k: function(a[k] if k else a), refused, on_error)
    like = next((x for x in answers if x is not None), None)
    like = function(sample) if like is None else like
    if not answers:
        return like.replace(like.layout, np.empty((*a.shape, like.layout.size), dtype=object))
    missing = mapped(like, lambda c: sympy.nan)
    found = stack([missing if x is None else x for x in answers])
    return found.replace(found.layout, found.coeffs.reshape(*a.shape, -1))


def parts_without_common_vectors(b: Multivector) -> list[tuple[Multivector, int]]:
    """B as a sum over the connected sets of basis vectors, with the sizes of the sets."""
    zero = b.algebra.backend_object.is_zero(b.coeffs)
    sets: list[int] = []
    for mask, absent in zip(b.layout.masks, zero, strict=True):
        if not absent:
            touching = [other for other in sets if other & mask]
            sets = [other for other in sets if not other & mask]
            sets.append(reduce(or_, touching, mask))
    masks = b.layout.mask_array
    return [
        (
            b.replace(b.layout, np.where(masks & ~chosen, sympy.Integer(0), b.coeffs)),
            chosen.bit_count(),
        )
        for chosen in sets
    ]


def ring(b: Multivector) -> tuple[Multivector, Any, Multivector, Any]:
    """W = B ^ B, s = <B^2>_0, the bivector W B, and d = W^2, which is scalar for n <= 5."""
    w = mapped(outer_product(b, b), sympy.factor_terms)
    names = {c: sympy.Dummy() for c in w.coeffs if not c.is_Number}
    named = mapped(w, lambda c: names.get(c, c))
    values = {name: c for c, name in names.items()}
    wb = mapped(geometric_product(named, b).grade(2), lambda c: c.xreplace(values))
    s = _without_trigonometric_squares(scalar_product(b, b)["1"])
    d = _without_trigonometric_squares(geometric_product(named, named)["1"].xreplace(values))
    return w, s, wb, sympy.Integer(0) if sympy.expand(d) == 0 else d


def _without_trigonometric_squares(x: Any) -> Any:
    """cos^2 + sin^2 = 1, where sympy can see that quickly."""
    x = sympy.sympify(x)
    quick = x.has(TrigonometricFunction, HyperbolicFunction) and x.count_ops() < _SHORT
    return sympy.expand(sympy.trigsimp(x)) if quick else x


def combined(*terms: tuple[Any, Multivector]) -> Multivector:
    """sum c A as an even element, without expanding the products."""
    first, *others = (_multiplied(c, a) for c, a in terms)
    return even(sum(others, start=first))


def _multiplied(c: Any, a: Multivector) -> Multivector:
    return mapped(a, lambda x: c * x)


def mapped(a: Multivector, function: Callable[[Any], Any]) -> Multivector:
    """A function of each coefficient, without a batch axis."""
    values = np.empty(len(a.coeffs), dtype=object)
    values[:] = [function(c) for c in a.coeffs]
    return a.replace(a.layout, values)


def sample_points(values: Iterable[Any]) -> Iterator[dict[Any, Any]]:
    """A few rational points of the symbols in these expressions."""
    symbols = sorted(set().union(*(x.free_symbols for x in values)), key=str)
    for start, below in _POINTS:
        yield {x: sympy.Rational(start + i, below) for i, x in enumerate(symbols)}


def clearly_not_zero(x: Any) -> bool:
    """Whether the first digits of a number show that it is not zero; symbols show nothing."""
    x = sympy.sympify(x)
    if x.free_symbols:
        return False
    value = x.evalf(30)
    return bool(value.is_Number and abs(value) > _CLEARLY)


def vanishes(a: Multivector) -> bool:
    """Whether every coefficient is zero for all values of the symbols."""
    if any(clearly_not_zero(c) for c in a.coeffs.flat):
        return False
    return bool(np.all(a.algebra.backend_object.is_zero(a.coeffs)))
