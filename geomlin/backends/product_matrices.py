"""Product tables as gathers: one operand of a bilinear product becomes a matrix for the other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..tables import ProductTable


class TableKey:
    """A product table as a key: tables are cached, so one object stands for one table."""

    def __init__(self, table: ProductTable, by_left: bool) -> None:
        self.table, self.by_left = table, by_left

    def __hash__(self) -> int:
        return hash((id(self.table), self.by_left))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableKey):
            return NotImplemented
        return self.table is other.table and self.by_left == other.by_left


@lru_cache(maxsize=256)
def matrix_tables(key: TableKey, columns: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions and signs that turn the left operand into the matrix of x -> left * x, or the
    right one into that of x -> x * right."""
    table = key.table
    positions = np.zeros((table.layout.size, columns), dtype=np.int64)
    signs = np.zeros((table.layout.size, columns))
    free, fixed = (table.right, table.left) if key.by_left else (table.left, table.right)
    positions[table.out, free] = fixed
    signs[table.out, free] = table.sign
    return positions, signs
