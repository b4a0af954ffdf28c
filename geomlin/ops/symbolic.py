"""Closed form of the exponential of a symbolic bivector.

Parts without a common basis vector commute, so exp(B) is the product of their exponentials.  A
part of at most five basis vectors has B^2 = s + W with s scalar, W = B ^ B, and W^2 = d scalar.
So for an entire function f

    f(B^2) = Split_0[f](s, d) + W Split_1[f](s, d),

applied to C(z) = cosh(sqrt z) and S(z) = sinh(sqrt z) / sqrt z in exp(B) = C(B^2) + B S(B^2).
Nothing is divided by, so equal angles, null and zero bivectors are no exceptions.  Where it is
shorter, the same value is written by commuting planes b_1 + b_2 = B or by the halves (1 +- I) / 2.
Parts of six or seven basis vectors: symbolic_large.py.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy

from ..errors import NotSupported
from ..symbolic_functions import Stumpff, StumpffSplit, square_root_or_none
from .grades import even
from .products import geometric_product
from .symbolic_large import exp_by_cubic
from .symbolic_tools import (
    LARGEST_PART,
    combined,
    each,
    mapped,
    parts_without_common_vectors,
    ring,
    vanishes,
)

if TYPE_CHECKING:
    from ..multivector import Multivector


def bivector_exp(b: Multivector) -> Multivector:
    """exp(B) for sympy coefficients."""
    return each(
        _exp, b, b.replace(b.layout, b.algebra.backend_object.zeros((len(b.layout),), b.coeffs))
    )


def _exp(b: Multivector) -> Multivector:
    factors = [_exp_of_part(part, size) for part, size in parts_without_common_vectors(b)]
    if not factors:
        return even(b.algebra.scalar(1))
    return even(reduce(geometric_product, factors))


def _exp_of_part(b: Multivector, size: int) -> Multivector:
    if size > LARGEST_PART:
        raise NotSupported(
            f"a symbolic exponential needs parts of at most {LARGEST_PART} basis vectors, got "
            f"{size}: substitute numbers and use A.to(backend='arb') or 'numpy'"
        )
    if size > 5:
        return exp_by_cubic(b)
    w, s, wb, d = ring(b)
    one = b.algebra.scalar(1)
    if vanishes(w):
        return mapped(combined((Stumpff(0, s), one), (Stumpff(1, s), b)), _elementary)
    by_planes = _exp_by_planes(b, s, d, wb)
    if by_planes is not None:
        return by_planes
    rho = square_root_or_none(d)
    if rho is not None and size == 4 and d != 0:
        i = mapped(w, lambda c: sympy.cancel(c / rho))
        return mapped(_exp_by_halves(b, i, s, rho), _elementary)
    (ce, co), (se, so) = ([StumpffSplit(k, m, s, d) for m in (0, 1)] for k in (0, 1))
    return combined((ce, one), (co, w), (se, b), (so, wb))


def plane_squares(s: Any, d: Any) -> tuple[Any, Any] | None:
    """x, y with x + y = s and 4 x y = d, if they are distinct and without roots of symbols."""
    rho = square_root_or_none(s**2 - d)
    if rho is None or rho == 0:
        return None
    return sympy.expand((s + rho) / 2), sympy.expand((s - rho) / 2)


def planes_of(b: Multivector, x: Any, y: Any, wb: Multivector) -> tuple[Multivector, Multivector]:
    """Commuting b_1 = (x B - W B / 2) / (x - y) and b_2 = B - b_1 with b_1^2 = x, b_2^2 = y."""
    first = mapped(x * b - wb / 2, lambda c: sympy.cancel(c / (x - y)))
    return first, mapped(b - first, sympy.cancel)


def _exp_by_planes(b: Multivector, s: Any, d: Any, wb: Multivector) -> Multivector | None:
    """exp(b_1) exp(b_2) for planes with polynomial coefficients, otherwise None."""
    squares = plane_squares(s, d)
    if squares is None:
        return None
    planes = planes_of(b, *squares, wb)
    if any(sympy.fraction(c)[1].free_symbols for plane in planes for c in plane.coeffs):
        return None
    one = b.algebra.scalar(1)
    first, second = (
        mapped(combined((Stumpff(0, z), one), (Stumpff(1, z), plane)), _elementary)
        for z, plane in zip(squares, planes, strict=True)
    )
    return even(geometric_product(first, second))


def _exp_by_halves(b: Multivector, i: Multivector, s: Any, rho: Any) -> Multivector:
    """W = rho I with I^2 = 1: f(B^2) = f(s + rho) (1 + I) / 2 + f(s - rho) (1 - I) / 2."""
    ib = mapped(geometric_product(i, b).grade(2), sympy.expand)
    (ce, co), (se, so) = (_mean_and_half_difference(k, s, rho) for k in (0, 1))
    return combined((ce, b.algebra.scalar(1)), (co, i), (se, b), (so, ib))


def _mean_and_half_difference(k: int, s: Any, rho: Any) -> tuple[Any, Any]:
    plus, minus = (Stumpff(k, sympy.expand(s + x)) for x in (rho, -rho))
    return (plus + minus) / 2, (plus - minus) / 2


def _elementary(x: Any) -> Any:
    """The same value with sin(a) for a S(-a^2), wherever this leaves no division by a symbol."""
    functions = [f for f in x.atoms(Stumpff) if _is_square(f.args[1]) or _is_square(-f.args[1])]
    if not functions:
        return x
    found = sympy.cancel(sympy.expand(x.xreplace({f: f.elementary() for f in functions})))
    return x if sympy.fraction(found)[1].free_symbols else found


def _is_square(z: Any) -> bool:
    return square_root_or_none(z) is not None
