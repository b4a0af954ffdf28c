"""Multivectors as flat batches of plain arrays, and back: the seam between the derivatives and
their kernels.  Batches broadcast; everything in between is float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError
from ..layout import even_layout, grade_layout
from .bivectors import (
    antisymmetric,
    bivector_part,
    from_compact,
    require_floats,
    to_compact,
    upper_triangle,
)
from .failures import check_finite, real_floats, rounded
from .grades import with_layout

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector

_NUMBERS_AT_ONCE = 1 << 17  # of the arguments; the kernels need some dozens of times as much


def bivector_matrix(a: Multivector) -> Any:
    """b_ij of a bivector, float64 (..., n, n); LayoutError if it has other grades."""
    _check(a)
    return antisymmetric(bivector_part(a).coeffs.astype(np.float64), a.algebra.n)


def bivector_cotangent(a: Multivector) -> Any:
    """b_ij of the bivector coefficients of any multivector, float64 (..., n, n)."""
    _check(a)
    return bivector_matrix(with_layout(a, grade_layout(a.algebra.n, 2)))


def even_coefficients(a: Multivector) -> Any:
    """Even coefficients of any multivector in kernel order, float64."""
    _check(a)
    return to_compact(a)


def square_matrices(values: Any, n: int, what: str) -> tuple[Any, Any]:
    """An array (..., n, n) as float64, and its dtype."""
    matrix, dtype = real_floats(values, what, axes=2)
    if matrix.ndim < 2 or matrix.shape[-2:] != (n, n):
        raise LayoutError(f"expected {what} (..., {n}, {n}), got shape {matrix.shape}")
    return matrix, dtype


def as_even(values: Any, algebra: Algebra, dtype: Any) -> Multivector:
    """Multivector in the even layout from coefficients in kernel order."""
    coeffs = rounded(from_compact(values, algebra.n), dtype)
    return algebra.scalar(0.0).replace(even_layout(algebra.n), coeffs)


def as_bivector(matrix: Any, algebra: Algebra, dtype: Any) -> Multivector:
    """Multivector in the bivector layout from antisymmetric matrices."""
    coeffs = rounded(upper_triangle(matrix), dtype)
    return algebra.scalar(0.0).replace(grade_layout(algebra.n, 2), coeffs)


def batched(function: Callable[..., Any], *arrays: Any, cores: Sequence[int]) -> Any:
    """Apply a function of flat batches to arrays whose batch axes broadcast.

    cores : how many last axes of each array are no batch axes.  The function returns an array, or
    a tuple of them, with one batch axis first.  Large batches are cut, which bounds the memory.
    """
    leading = [a.shape[: a.ndim - k] for a, k in zip(arrays, cores, strict=True)]
    try:
        batch = np.broadcast_shapes(*leading)
    except ValueError as error:
        raise LayoutError(
            f"expected batch shapes that broadcast, got {leading}: insert axes with A[:, None]"
        ) from error
    shapes = [a.shape[a.ndim - k :] for a, k in zip(arrays, cores, strict=True)]
    flat = [
        np.broadcast_to(a, (*batch, *shape)).reshape(prod(batch), *shape)
        for a, shape in zip(arrays, shapes, strict=True)
    ]
    rows = max(1, _NUMBERS_AT_ONCE // max(1, sum(prod(shape) for shape in shapes)))
    starts = range(0, max(1, prod(batch)), rows)
    found = [function(*(a[start : start + rows] for a in flat)) for start in starts]
    if isinstance(found[0], tuple):
        return tuple(_joined(column, batch) for column in zip(*found, strict=True))
    return _joined(found, batch)


def _joined(parts: Sequence[Any], batch: tuple[int, ...]) -> Any:
    """Flat parts as one array with the batch axes."""
    values = np.concatenate(parts)
    return values.reshape((*batch, *values.shape[1:]))


def _check(a: Multivector) -> None:
    if not hasattr(a, "coeffs"):
        raise LayoutError(f"expected a Multivector, got {type(a).__name__}")
    require_floats(a, "a derivative")
    check_finite(a.coeffs, "coefficients")
