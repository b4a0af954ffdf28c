"""Enclosures of exponentials, through a matrix representation.

exp(A) = rho^-1(exp(rho(A))) with flint's rigorous matrix exponential.  Null vectors are first
scaled by a power of two, so that a large translation costs no digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flint import arb

from ..blades import reorder_sign
from ..errors import NotSupported
from ..layout import even_layout, full_layout
from ..precision import working_precision
from .elements import (
    Coefficients,
    Metric,
    elementwise,
    exponent,
    null_degree,
    null_exponent,
    scaled,
)
from .representation import representation

if TYPE_CHECKING:
    from ..multivector import Multivector

GUARD_BITS = 24
MOST_BITS_BEFORE_THE_POINT = 2**14


def certified_exp(a: Multivector) -> Multivector:
    """Enclosure of exp(A); in the even layout if A is a bivector, else on all blades.

    exp(A) = sum_k A^k / k!.
    """
    backend: Any = a.algebra.backend_object
    metric = a.algebra.metric
    other = [k for k, grade in enumerate(a.layout.grade_array) if grade != 2]
    only_bivector = bool(backend.known_zero(a.coeffs[..., other]).all())
    layout = even_layout(a.algebra.n) if only_bivector else full_layout(a.algebra.n)
    bits = backend.bits
    return elementwise(
        a, layout, lambda values: exp_coefficients(values, metric, layout.masks, bits)
    )


def exp_coefficients(
    coefficients: Coefficients, metric: Metric, masks: tuple[int, ...], bits: int
) -> list[Any]:
    """The coefficients of exp(A) on the given blades, all even or all there are."""
    central = {m: x for m, x in coefficients.items() if null_degree(m, metric) == 2}
    if central and all(mask.bit_count() == 2 for mask in coefficients):
        rest = {mask: x for mask, x in coefficients.items() if mask not in central}
        rotor = exp_coefficients(rest, metric, masks, bits + GUARD_BITS)
        with working_precision(bits):
            return _times_central(dict(zip(masks, rotor, strict=True)), central)
    even = all(mask.bit_count() % 2 == 0 for mask in masks)
    basis = representation(metric, even=even)
    shift = null_exponent(coefficients, metric)
    with working_precision(bits):
        sizes = [exponent(value) for value in scaled(coefficients, -shift, metric).values()]
        size = guarded_size(sizes)
    with working_precision(bits + GUARD_BITS + 2 * size):
        small = scaled(coefficients, -shift, metric)
        matrices = [matrix.exp() for matrix in basis.matrices(small)]
        found = dict.fromkeys(masks, arb(0))
        wanted = [mask for mask in masks if mask & _span(coefficients, metric) == mask]
        found |= zip(wanted, basis.coefficients(matrices, wanted), strict=True)
        by_mask = scaled(found, shift, metric)
    with working_precision(bits):
        return [+by_mask[mask] for mask in masks]


def guarded_size(exponents: Iterable[int]) -> int:
    """The bits before the point of numbers below 2^exponent; NotSupported where they are absurd."""
    size = max(exponents, default=0)
    if size > MOST_BITS_BEFORE_THE_POINT:
        raise NotSupported(
            f"expected numbers below 2^{MOST_BITS_BEFORE_THE_POINT}, got one of 2^{size}: the "
            "working precision would exceed all bounds; scale the input down"
        )
    return max(0, size)


def _times_central(rotor: dict[int, Any], central: Coefficients) -> list[Any]:
    """R exp(N) for N made of products of two null vectors, which commute with all of them.

    Apart, because N may be of another size than what makes its null-degree in R.
    """
    power, factor = {0: arb(1)}, {0: arb(1)}
    order = 0
    while power:
        order += 1
        power = _disjoint_product(power, {mask: x / order for mask, x in central.items()})
        factor |= power
    product = _disjoint_product(rotor, factor)
    return [product[mask] for mask in rotor]


def _disjoint_product(a: Coefficients, b: Coefficients) -> dict[int, Any]:
    """The geometric product, where common vectors are null."""
    result: dict[int, Any] = {}
    for left, x in a.items():
        for right, y in b.items():
            if left & right == 0:
                term = reorder_sign(left, right) * x * y
                result[left | right] = result.get(left | right, arb(0)) + term
    return result


def _span(coefficients: Coefficients, metric: Metric) -> int:
    """The basis vectors whose subalgebra holds exp(A): without the null vectors not in A."""
    used = (1 << sum(1 for g in metric if g)) - 1
    for mask in coefficients:
        used |= mask
    return used
