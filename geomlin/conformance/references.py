"""Certified answers: mid +- rad from ball arithmetic, and the unit in which errors are counted.

Two routes that share no code meet in every transcendental answer: the verification reference (a
matrix representation of the even algebra) and the arb backend (`geomlin.certified`).  Where they do
not overlap, no vector is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, log10
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ..algebra import Algebra
from ..layout import full_layout
from ..precision import working_precision
from ..signature import Signature
from ..tables import product_table
from ..verification.reference import as_ball

DIGITS = 24
BITS = 320
Values = Sequence[arb] | Sequence[Fraction]
Units = float | list[float]


@dataclass(frozen=True)
class Answer:
    """Exact or enclosed numbers, flat, with their unit: one number, or one for each of them."""

    values: Values
    unit: Units

    def data(self) -> dict[str, Any]:
        """{"mid": [..], "rad": "..", "unit": ..}; integers are written exactly."""
        smallest = min(self.unit) if isinstance(self.unit, list) else self.unit
        mid, rad = texts(self.values, smallest)
        return {"mid": mid, "rad": rad, "unit": unit_text(self.unit)}


def texts(values: Values, smallest: float) -> tuple[list[str], str]:
    """Decimals of one common spacing, and that spacing as the radius; "0" for integers.

    The spacing is 10^-DIGITS of the smallest unit, or of the largest number if that is less.
    """
    if all(isinstance(x, Fraction) and x.denominator == 1 for x in values):
        return [str(int(x)) for x in values], "0"
    with working_precision(4 * BITS):
        balls = [as_ball(x) for x in values]
        sizes = [float(abs(x).mid()) for x in balls]
        size = min(smallest, max((s for s in sizes if s > 0), default=1.0))
        exponent = ceil(log10(size)) - DIGITS
        scale = Fraction(10) ** exponent
        mids = []
        for ball in balls:
            if not float(ball.rad()) < float(scale) / 4:
                raise ArithmeticError(
                    f"radius {ball.rad()} is too large for a spacing of 1e{exponent}"
                )
            mids.append(_decimal(floor(_rational(ball.mid()) / scale + Fraction(1, 2)), exponent))
    return mids, f"1e{exponent}"


def _rational(point: Any) -> Fraction:
    """A ball of radius zero as the number that it is."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _decimal(steps: int, exponent: int) -> str:
    """steps 10^exponent without trailing zeros."""
    if steps == 0:
        return "0"
    text = str(abs(steps)).rstrip("0")
    exponent += len(str(abs(steps))) - len(text)
    sign = "-" if steps < 0 else ""
    if exponent >= 0:
        return sign + text + (f"e{exponent}" if exponent else "")
    point = len(text) + exponent
    if point > 0:
        return f"{sign}{text[:point]}.{text[point:]}"
    if point > -4:
        return f"{sign}0.{'0' * -point}{text}"
    return f"{sign}{text[0]}{'.' + text[1:] if text[1:] else ''}e{point - 1}"


def unit_text(unit: Units) -> Any:
    """Three digits, rounded up."""
    if isinstance(unit, list):
        return unit_text(unit[0]) if len(set(unit)) == 1 else [unit_text(u) for u in unit]
    if not 0 < unit < inf:
        raise ArithmeticError(f"a unit must be positive and finite, got {unit}")
    return _decimal(*_rounded_up(unit))


def _rounded_up(unit: float) -> tuple[int, int]:
    exponent = ceil(log10(unit)) - 3
    return ceil(Fraction(unit) / Fraction(10) ** exponent), exponent


def by_degree(size: Mapping[int, float], degrees: Sequence[int]) -> Units:
    """The unit of each coefficient from that of its null-degree.

    A degree that vanishes has the unit of degree 0 and lower ones: leakage into it is rounding.
    """
    filled = dict(size)
    for degree in sorted(filled):
        if filled[degree] == 0.0:
            lower = [filled[d] for d in filled if d < degree and filled[d] > 0]
            filled[degree] = max(lower, default=1.0)
    return [filled[d] for d in degrees]


def check_overlap(one: Values, other: Sequence[arb], what: str) -> None:
    """Refuse to go on where two enclosures of the same numbers exclude each other."""
    with working_precision(BITS):
        for k, (x, y) in enumerate(zip(one, other, strict=True)):
            if not as_ball(x).overlaps(y):
                raise ArithmeticError(f"{what}: the two references differ at {k}: {x}, {y}")


def balls(algebra: Algebra, values: Sequence[Any], kind: str) -> Any:
    """A multivector of balls around exact numbers."""
    numbers = np.empty(len(values), dtype=object)
    numbers[:] = list(values)
    return getattr(algebra, kind)(numbers)


def arb_algebra(signature: Signature) -> Algebra:
    """The algebra over balls in which the second route computes."""
    return Algebra(*signature, backend="arb", precision=BITS)


def exact_product(
    name: str, signature: Signature, function: Callable[..., Any], operands: Sequence[Sequence[Any]]
) -> list[Fraction]:
    """An operation on rational multivectors."""
    algebra = Algebra(*signature, backend="fractions")
    arguments = [algebra.multivector([Fraction(x) for x in values]) for values in operands]
    found: list[Fraction] = list(function(*arguments).to_dense())
    return [Fraction(x) for x in found]


def product_unit(
    signature: Signature, left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """sum |a_S b_T| over the pairs that meet in each blade; full layouts."""
    layout = full_layout(signature.n)
    table = product_table("geometric_product", signature.metric, layout, layout)
    terms = np.abs(left[table.left.astype(int)] * right[table.right.astype(int)])
    total = np.zeros(layout.size)
    np.add.at(total, table.out.astype(int), terms)
    return total
