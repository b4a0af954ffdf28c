"""Masked arrays, whose missing entries have numbers that mean nothing."""

from __future__ import annotations

import sys
from typing import Any

from .errors import DtypeError


def refuse_masked(values: Any) -> None:
    """Raise for a masked array with a masked entry: numpy would use the number underneath."""
    masked = sys.modules.get("numpy.ma")  # loaded by whoever made one
    if masked is not None and isinstance(values, masked.MaskedArray) and masked.is_masked(values):
        raise DtypeError(
            f"expected numbers, got a masked array with {values.mask.sum()} masked entries: fill "
            "them with values.filled(0), or select the others with values.compressed()"
        )
