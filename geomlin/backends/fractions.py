"""Exact rationals from the standard library: the oracle that needs no dependency."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .objects import ObjectBackend, exact_rational


class FractionsBackend(ObjectBackend):
    """Coefficients are fractions.Fraction."""

    name = "fractions"

    def element(self, value: Any) -> Fraction:
        return exact_rational(value)


BACKEND = FractionsBackend()
