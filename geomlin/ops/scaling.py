"""Powers of two that bring coefficients near one, where their squares stay in range."""

from __future__ import annotations

from typing import Any

import numpy as np


def power_of_two(coeffs: Any) -> Any:
    """s = 2^k with s <= max |c| < 2 s over the last axis; 1 where all are zero."""
    largest = np.abs(coeffs).max(axis=-1, initial=0)
    _, exponent = np.frexp(np.where(largest > 0, largest, 1))
    return np.ldexp(np.ones_like(largest), exponent - 1)
