"""Comparing an answer with a vector: errors are counted in eps of the dtype times the unit."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import exp
from ..algebra import Algebra
from ..tables import product_table
from .operations import shape_of
from .vectors import Output, Vector

Floats = NDArray[np.float64]


def error_of(vector: Vector, found: Any, dtype: str) -> float:
    """The error of a single answer of the right shape; infinite for NaN."""
    values = np.asarray(found, dtype=np.float64)
    if not np.isfinite(values).all():
        return float("inf")
    with np.errstate(over="ignore", invalid="ignore"):
        measured = _measured(vector, values)
    return float(measured / np.finfo(dtype).eps) if measured == measured else float("inf")


def _measured(vector: Vector, values: Floats) -> float:
    output = vector.output
    if vector.check == "decomposition":
        return _law_of_parts(vector, values) / vector.unit
    if vector.check == "logarithm":
        algebra = Algebra(*vector.signature)
        back = exp(algebra.bivector(values)).coeffs
        return float(np.abs(back - vector.inputs["r"]).max()) / vector.unit
    assert output is not None  # the linter refuses such vectors
    if vector.check == "value up to sign":
        return min(output.error(values), output.error(-values))
    if vector.check == "parts in any order":
        return min(output.error(values[list(order)]) for order in permutations(range(len(values))))
    if vector.check == "tangent":
        return output.error(tangent_products(vector, values))
    return output.error(values)


def tangent_products(vector: Vector, cotangent: Floats) -> Floats:
    """<r_bar, e_ij R> for all i < j."""
    algebra, rotor = Algebra(*vector.signature), vector.inputs["r"]
    even = algebra.even(np.zeros_like(rotor)).layout
    bivectors = algebra.bivector(np.zeros(shape_of("bivector", vector.signature))).layout
    table = product_table("geometric_product", algebra.metric, bivectors, even)
    place = {mask: k for k, mask in enumerate(even.masks)}
    out = np.array([place[mask] for mask in table.layout.masks])[table.out.astype(int)]
    terms = table.sign * rotor[table.right.astype(int)] * cotangent[out]
    found = np.zeros(bivectors.size)
    np.add.at(found, table.left.astype(int), terms)
    return found


def _law_of_parts(vector: Vector, parts: Floats) -> float:
    """Largest residual of: the parts sum to b, are simple, and commute; relative to their sizes."""
    algebra, b = Algebra(*vector.signature), vector.inputs["b"]
    elements = [algebra.bivector(part) for part in parts]
    worst = float(np.abs(parts.sum(axis=0) - b).max(initial=0.0))
    for i, x in enumerate(elements):
        for y in elements[: i + 1]:
            size = max(_size(x), _size(y)) or 1.0
            residual = x ^ x if x is y else (x * y - y * x) / 2
            worst = max(worst, _size(residual) / size)
    return worst


def _size(a: Any) -> float:
    return float(np.abs(a.coeffs).max(initial=0.0))


def named_mistake(vector: Vector, found: Any, dtype: str) -> str:
    """The flag of a well-known mistake that gives this very answer; "" if there is none."""
    values = np.asarray(found, dtype=np.float64)
    allowed = (vector.operation.bound + 1) * float(np.finfo(dtype).eps)
    for flag, wrong in vector.mistakes.items():
        if _fits(vector, wrong, values) <= allowed:
            return flag
    return ""


def _fits(vector: Vector, wrong: Output, values: Floats) -> float:
    if vector.check == "value up to sign":
        return min(wrong.error(values), wrong.error(-values))
    return wrong.error(values)
