"""slerp over balls, symbols and rational numbers, one element at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NoRealLogarithm, NotARotor
from ..layout import even_layout
from ..missing import one_by_one
from .decisions import sign_of
from .grades import check_operands, even, with_layout
from .involutions import reverse
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector
    from .failures import OnError


def slerp_by_log(first: Multivector, last: Multivector, t: Any, on_error: OnError) -> Multivector:
    """R0 exp(t log(s ~R0 R1)), s = -1 where <~R0 R1>_0 < 0, or -s where that has no logarithm."""
    algebra, layout = first.algebra, even_layout(first.algebra.n)
    exponent = algebra.scalar(t)
    check_operands(geometric_product(first, last), exponent)
    shape = np.broadcast_shapes(first.shape, last.shape, exponent.shape)
    operands = [_broadcast(x, shape) for x in (first, last, exponent)]
    answers = one_by_one(
        shape,
        lambda index: _slerp(*(x.replace(x.layout, x.coeffs[index]) for x in operands)),
        (NotARotor, NoRealLogarithm),
        on_error if algebra.backend in ("arb", "sympy") else "raise",  # rationals know no NaN
    )
    result = np.empty((*shape, layout.size), dtype=object)
    for index, found in zip(np.ndindex(shape), answers, strict=True):
        if found is None:
            result[index] = algebra.scalar(0).coeffs[0] * float("nan")
        else:
            result[index] = with_layout(found, layout).coeffs
    return first.replace(layout, result)


def _broadcast(a: Multivector, shape: tuple[int, ...]) -> Multivector:
    return a.replace(a.layout, np.broadcast_to(a.coeffs, (*shape, a.layout.size)))


def _slerp(first: Multivector, last: Multivector, t: Multivector) -> Multivector:
    """One element."""
    from .exponential import exp
    from .logarithm import log

    for rotor in (first, last):
        _check_rotor(rotor)
    quotient = even(geometric_product(reverse(first), last))
    sign = -1 if sign_of(quotient["1"], "<~R0 R1>_0") < 0 else 1
    try:
        way = log(quotient * sign)
    except NoRealLogarithm:
        way = log(quotient * -sign)
    return even(geometric_product(first, exp(geometric_product(way, t).grade(2))))


def _check_rotor(r: Multivector) -> None:
    """NotARotor where R ~R = 1 is refuted."""
    backend = r.algebra.backend
    if backend == "arb":
        from ..certified.cover import check_rotor
        from ..certified.elements import coefficients_of

        check_rotor(coefficients_of(r, ()), r.algebra.metric, ())
    elif backend == "sympy":
        from .symbolic_tools import clearly_not_zero

        excess = geometric_product(r, reverse(r)) - 1
        if not any(c.free_symbols for c in r.coeffs) and any(map(clearly_not_zero, excess.coeffs)):
            raise NotARotor(f"expected R ~R = 1, got a difference of {excess}")
    elif geometric_product(r, reverse(r)) != r.algebra.scalar(1):
        raise NotARotor("expected R ~R = 1 exactly: divide R by its length")
