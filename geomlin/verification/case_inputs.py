"""Inputs of a case file: decimal strings as the nearest numbers of a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Multivector
from ..algebra import Algebra


def floats(values: Any, dtype: str) -> Any:
    """An array of a list, or a list of lists, of decimal strings."""
    kind = np.int64 if dtype.startswith("int") else dtype
    rows = [[float(x) for x in v] if isinstance(v, list) else float(v) for v in values]
    return np.array(rows, kind)


def multivector(algebra: Algebra, data: Any, dtype: str) -> Multivector:
    """A multivector from its coefficients by blade name."""
    if "multivector" in data:
        data = data["multivector"]
    values = {name: np.asarray(float(x), dtype) for name, x in data.items()}
    return algebra.multivector(values)
