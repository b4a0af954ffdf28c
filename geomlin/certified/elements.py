"""Multivectors as the balls of single elements, and back; null degrees and their scaling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from ..layout import Layout

if TYPE_CHECKING:
    from ..multivector import Multivector

Metric = tuple[int, ...]
Coefficients = Mapping[int, Any]


def elementwise(
    a: Multivector, layout: Layout, function: Callable[[Coefficients], Sequence[Any]]
) -> Multivector:
    """A multivector of another layout, computed from the coefficients of one element at a time."""
    result = np.empty((*a.shape, layout.size), dtype=object)
    for index in np.ndindex(a.shape):
        values = function(coefficients_of(a, index))
        for k, value in enumerate(values):
            result[(*index, k)] = value
    return a.replace(layout, result)


def coefficients_of(a: Multivector, index: tuple[int, ...]) -> Coefficients:
    """The coefficients of one batch element by mask, without those that are exactly zero."""
    row = a.coeffs[index]
    return {
        mask: value for mask, value in zip(a.layout.masks, row, strict=True) if not value.is_zero()
    }


def null_degree(mask: int, metric: Metric) -> int:
    """How many null vectors a blade contains."""
    return sum(1 for i, g in enumerate(metric) if g == 0 and mask >> i & 1)


def null_exponent(coefficients: Coefficients, metric: Metric) -> int:
    """The k for which dividing each null vector by 2^k brings the null parts near one.

    Scaling the null vectors is an automorphism, so it costs nothing and loses nothing.
    """
    exponents = []
    for mask, value in coefficients.items():
        degree = null_degree(mask, metric)
        if degree and not value.is_zero():
            exponents.append(-(-exponent(value) // degree))
    return max(exponents, default=0)


def exponent(value: Any) -> int:
    """The e with |x| < 2^e for all x in the ball, less than 2 above the smallest; 0 for zero."""
    upper = value.abs_upper()
    if upper.is_zero():
        return 0
    mantissa, power = upper.mid().man_exp()
    return int(mantissa).bit_length() + int(power) + 1


def scaled(coefficients: Coefficients, k: int, metric: Metric) -> Coefficients:
    """The coefficients, times 2^k for each null vector in the blade."""
    if k == 0:
        return coefficients
    return {
        mask: value * arb(2) ** (k * null_degree(mask, metric))
        for mask, value in coefficients.items()
    }


def upper_sum(values: Sequence[Any]) -> Any:
    """An upper bound of sum |x|."""
    return sum((value.abs_upper() for value in values), arb(0)).upper()
