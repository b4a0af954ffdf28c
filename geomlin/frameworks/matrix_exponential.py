"""exp of square matrices minus one, by a power series and repeated squaring.

    D(X) = e^X - 1 = X sum_k X^k / (k+1)!,    D(2 X) = 2 D(X) + D(X)^2,                 (1)

which keeps small matrices exact.  Each element of a batch is halved as often as its size asks for;
only polynomials are differentiated, so derivatives of every order are finite and right.
"""

from __future__ import annotations

from math import factorial, log2
from typing import Any

import numpy as np

from .support import power_of_two

MOST_SQUARINGS = 20  # sizes up to 2^20
_TERMS = 20  # 1/21! is 2e-20
_BLOCK = 4


def exponential_minus_one(xp: Any, x: Any, size: Any) -> Any:
    """e^X - 1 for X (..., N, N), |X| <= size (...); NaN for sizes that need too many squarings.

    Traced loops have a fixed length, which is shorter where every step becomes code.
    """
    size = xp.detach(size)
    unit = xp.where(size > 1.0, 2.0 * power_of_two(xp, size), 1.0)
    count = xp.loop_length(MOST_SQUARINGS)
    if not xp.traced(unit):
        largest = float(unit.max()) if 0 not in unit.shape else 1.0
        count = int(log2(largest)) if largest < 2.0**MOST_SQUARINGS else MOST_SQUARINGS
    unit = xp.where(unit <= 2.0**count, unit, float("nan"))
    column = _unit_column(x, size, unit)

    def doubled(state: Any, k: Any) -> Any:
        """Equation (1) for the elements that are not there yet."""
        d, left = state
        active = left > 1.0
        safe = xp.where(active, d, 0.0)
        squared = xp.where(active, 2.0 * d + xp.matmul(safe, safe), d)
        return squared, xp.where(active, left / 2, left)

    found, _ = xp.repeat(doubled, count, (_series(xp, x / column), column))
    return found


def too_large(size: Any) -> Any:
    """Where more squarings would be needed than there are."""
    return ~(size <= 2.0**MOST_SQUARINGS)


def _unit_column(x: Any, size: Any, unit: Any) -> Any:
    """The unit of each matrix, broadcast over the axes that X has beside the batch."""
    return unit.reshape(*unit.shape, *[1] * (x.ndim - size.ndim))


def _series(xp: Any, x: Any) -> Any:
    """X sum_k X^k / (k+1)! (Paterson and Stockmeyer)."""
    powers = [xp.constant(np.eye(x.shape[-1]), x), x]
    for _ in range(_BLOCK - 1):
        powers.append(xp.matmul(powers[-1], x))
    total = xp.lib.zeros_like(x)
    for start in range(_TERMS - _BLOCK, -1, -_BLOCK):
        part = sum(powers[k] * (1.0 / factorial(start + k + 1)) for k in range(_BLOCK))
        total = part if start == _TERMS - _BLOCK else xp.matmul(powers[_BLOCK], total) + part
    return xp.matmul(x, total)
