"""geomlin's public operations on symbolic multivectors.

Each is built from products and signs by grade, or refused with the reason: functoriality holds
for these operations and for no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt
from typing import Any

import numpy as np
from flint import fmpq

from ..blades import reorder_sign
from ..errors import LayoutError
from .gram import left_contracted, outer, right_contracted, scalar
from .record import DimensionBound, MoreRoots, OutOfScope
from .symbolic import SymbolicAlgebra, SymbolicMultivector, lifted

Multivector = SymbolicMultivector


def answer(
    algebra: SymbolicAlgebra, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """One call of a public function of geomlin."""
    if keywords:
        raise OutOfScope(f"{name} with the option {', '.join(keywords)}")
    if name == "grade":
        if len(arguments) != 2:
            raise LayoutError(f"grade takes a multivector and one grade, got {len(arguments)}")
        return grade(lifted(algebra, arguments[0]), arguments[1])
    if name in _OPERATIONS:
        return _OPERATIONS[name](*(lifted(algebra, a) for a in arguments))
    if name in _OF_A_DIMENSION:
        if not algebra.has_basis:
            raise DimensionBound(name)
        return _OF_A_DIMENSION[name](*(lifted(algebra, a) for a in arguments))
    raise OutOfScope(_REFUSED.get(name, f"{name} is no polynomial or rational operation"))


_TRANSCENDENTAL = (
    "{} is transcendental: write exp(b) = C + S b with scalars C, S and the hypothesis "
    "C^2 - S^2 b^2 = 1 for simple b"
)
_REFUSED = {
    name: _TRANSCENDENTAL.format(name)
    for name in ("exp", "log", "sqrt", "power", "slerp", "rotor_in_plane", "rotor_from_plane")
}
_REFUSED["invariant_decomposition"] = (
    "invariant_decomposition needs the roots of a polynomial: proofs/ treats it per dimension"
)


def grade(a: Multivector, k: Any) -> Multivector:
    """<A>_k; k is one of the fixed numbers of the proof."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
        raise LayoutError(f"expected a grade, a nonnegative integer, got {k!r}")
    a.algebra.record.grades.add(int(k))
    return a.select(lambda grade: grade == k)


def reverse(a: Multivector) -> Multivector:
    """(-1)^(k(k-1)/2) on grade k."""
    return a.with_signs(lambda k: (-1) ** (k * (k - 1) // 2))


def involute(a: Multivector) -> Multivector:
    """(-1)^k on grade k."""
    return a.with_signs(lambda k: (-1) ** k)


def even(a: Multivector) -> Multivector:
    """Even grades."""
    return a.select(lambda k: k % 2 == 0)


def odd(a: Multivector) -> Multivector:
    """Odd grades."""
    return a.select(lambda k: k % 2 == 1)


def norm_squared(a: Multivector) -> Multivector:
    """<A ~A>_0."""
    return a.product(reverse(a), scalar)


def inverse(a: Multivector) -> Multivector:
    """~A / (A ~A), where A ~A is a scalar: vectors, blades and versors.

    Where s = 0, A ~A = 0 and A is no unit; so s != 0 says exactly where the inverse exists.
    """
    _no_general_bivector(a, "the inverse")
    square = a * reverse(a)
    if set(square.terms) - {0}:
        raise OutOfScope(
            "the inverse of an element A with A ~A no scalar: only vectors, blades and versors "
            "have a rational inverse in every dimension; declare it as blade(k) or versor(k)"
        )
    if not square.terms:
        raise OutOfScope("the inverse of an element that is null or zero for all arguments")
    # A = T/d with T ~T = p, so that ~A / (A ~A) = ~T d / p.
    numerator = reverse(a)
    whole = a.algebra.element(numerator.terms)
    return whole.scaled(a.denominator, square.terms[0])


def norm(a: Multivector) -> Multivector:
    """s >= 0 with s^2 = sigma <A ~A>_0, sigma = 1 or -1: s and sigma are new indeterminates.

    Both relations are monic in their own indeterminate.  What is proved modulo them holds for
    every s and sigma that satisfy them, in particular for the norm.
    """
    _no_general_bivector(a, "the norm")
    if not a.denominator.is_constant():
        raise OutOfScope("the norm of a quotient: take the norm before dividing")
    squared = norm_squared(a)
    value = squared.terms.get(0)
    if value is None:
        return squared
    value = value / squared.denominator
    return a.algebra.element({0: _root_of_absolute(a.algebra, value)})


def _root_of_absolute(algebra: SymbolicAlgebra, value: Any) -> Any:
    """sqrt|value|, the product of the roots of its irreducible factors: sqrt|.| respects products.

    So |V W| = |V| |W| needs no further relation between the roots.
    """
    constant, factors = value.factor()
    result = _root_symbol(algebra, algebra.ring.context.constant(constant))
    for factor, multiplicity in factors:
        result = result * _root_symbol(algebra, factor) ** multiplicity
    return result


def _root_symbol(algebra: SymbolicAlgebra, value: Any) -> Any:
    """The root of |value| for an irreducible value: a number if it is rational, else a symbol."""
    record, ring = algebra.record, algebra.ring
    if value.is_constant():
        number = abs(value.leading_coefficient())
        top, bottom = isqrt(int(number.p)), isqrt(int(number.q))
        if fmpq(top**2, bottom**2) == number:
            return ring.context.constant(fmpq(top, bottom))
    for root, known in record.roots:
        if known == value:
            return ring[root]
    roots, signs = list(ring.with_role("root")), list(ring.with_role("sign"))
    count = len(record.roots)
    if count == len(roots):
        raise MoreRoots
    root, sign = roots[count], signs[count]
    record.roots.append((root, value))
    record.relations += [ring[sign] ** 2 - 1, ring[root] ** 2 - ring[sign] * value]
    return ring[root]


def normalize(a: Multivector) -> Multivector:
    """A / norm(A), where the norm is not zero."""
    length = norm(a)
    if not length.terms:
        raise OutOfScope("normalize of an element that is null or zero for all arguments")
    return a.scaled(a.algebra.ring.one, length.terms[0])


def versor_action(v: Multivector, x: Multivector) -> Multivector:
    """involute^|V|(V) x V^-1."""
    parities = {s.bit_count() % 2 for s in v.terms}
    if len(parities) > 1:
        raise OutOfScope("versor_action by an element with an even and an odd part")
    return (involute(v) if parities == {1} else v) * x * inverse(v)


def outer_exp(a: Multivector) -> Multivector:
    """sum_m A^m / m! with outer powers, for A without a scalar part."""
    if 0 in a.terms:
        raise OutOfScope("outer_exp of an element with a scalar part")
    if a.degrees:
        raise DimensionBound("outer_exp of a general bivector, whose degree grows with n")
    result = term = a.algebra.scalar(1)
    m = 1
    while (term := (term ^ a) / m).terms:
        result = result + term
        m += 1
    return result


def _no_general_bivector(a: Multivector, what: str) -> None:
    if any(a.degrees.values()):
        raise DimensionBound(
            f"{what} of an expression in a general bivector, which is no polynomial of bounded "
            "degree (for a simple one declare blade(2))"
        )


def half(a: Multivector) -> Multivector:
    """A / 2."""
    return a / 2


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "geometric_product": lambda a, b: a * b,
    "outer_product": lambda a, b: a ^ b,
    "left_contraction": lambda a, b: a.product(b, left_contracted),
    "right_contraction": lambda a, b: a.product(b, right_contracted),
    "scalar_product": lambda a, b: a.product(b, scalar),
    "commutator": lambda a, b: half(a * b - b * a),
    "anticommutator": lambda a, b: half(a * b + b * a),
    "reverse": reverse,
    "involute": involute,
    "conjugate": lambda a: reverse(involute(a)),
    "even": even,
    "odd": odd,
    "norm_squared": norm_squared,
    "norm": norm,
    "normalize": normalize,
    "inverse": inverse,
    "sandwich": lambda v, x: v * x * reverse(v),
    "versor_action": versor_action,
    "project": lambda a, b: a.product(b, left_contracted) * inverse(b),
    "reject": lambda a, b: a.product(b, outer) * inverse(b),
    "reflect": lambda x, a: a * involute(x) * inverse(a),
    "outer_exp": outer_exp,
}


def complement(a: Multivector) -> Multivector:
    """e_S ^ complement(e_S) = e_(1..n)."""
    full = (1 << a.algebra.n) - 1
    return a.with_terms({full ^ s: c * reorder_sign(s, full ^ s) for s, c in a.terms.items()})


def left_complement(a: Multivector) -> Multivector:
    """The inverse of the complement: left_complement(e_S) ^ e_S = e_(1..n)."""
    full = (1 << a.algebra.n) - 1
    return a.with_terms({full ^ s: c * reorder_sign(full ^ s, s) for s, c in a.terms.items()})


_OF_A_DIMENSION: dict[str, Callable[..., Any]] = {
    "complement": complement,
    "dual": lambda a: a * inverse(a.algebra.pseudoscalar),
    "undual": lambda a: _regular(a) * a.algebra.pseudoscalar,
    "regressive_product": lambda a, b: left_complement(complement(a) ^ complement(b)),
}


def _regular(a: Multivector) -> Multivector:
    """A, with the hypothesis that the pseudoscalar is invertible."""
    inverse(a.algebra.pseudoscalar)
    return a


SymbolicAlgebra.answer = staticmethod(answer)
