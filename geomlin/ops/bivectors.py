"""Bivectors as antisymmetric matrices: B = sum_{i<j} b_ij e_i e_j."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotSupported
from ..layout import even_layout, grade_layout
from .grades import with_layout

if TYPE_CHECKING:
    from ..multivector import Multivector


def has_only(a: Multivector, k: int) -> bool:
    """Whether only grade k is stored, or everything else stored is exactly zero."""
    if a.layout.grades in ((k,), ()):
        return True
    others = a.layout.grade_array != k
    coeffs = a.coeffs[..., np.flatnonzero(others)]
    return bool(a.algebra.backend_object.is_zero(coeffs).all())


def is_bivector(a: Multivector) -> bool:
    """Whether only grade 2 is stored, or everything else stored is exactly zero."""
    return has_only(a, 2)


def bivector_part(a: Multivector) -> Multivector:
    """The same element in the bivector layout; LayoutError if it has other grades."""
    return _part(a, 2, "bivector")


def vector_part(a: Multivector) -> Multivector:
    """The same element in the vector layout; LayoutError if it has other grades."""
    return _part(a, 1, "vector")


def _part(a: Multivector, k: int, kind: str) -> Multivector:
    if not has_only(a, k):
        raise LayoutError(
            f"expected a {kind}, got grades {a.layout.grades} with nonzero coefficients: "
            f"take A.grade({k}) if the rest is to be dropped"
        )
    return with_layout(a, grade_layout(a.algebra.n, k))


def antisymmetric(coeffs: Any, n: int) -> Any:
    """b_ij from the coefficients e12, e13, .., e23, ..: b_ji = -b_ij."""
    rows, columns = _upper_indices(n)
    matrix = np.zeros((*coeffs.shape[:-1], n, n), dtype=coeffs.dtype)
    matrix[..., rows, columns] = coeffs
    matrix[..., columns, rows] = -coeffs
    return matrix


def upper_triangle(matrix: Any) -> Any:
    """Coefficients e12, e13, .. of an antisymmetric matrix."""
    rows, columns = _upper_indices(matrix.shape[-1])
    return matrix[..., rows, columns]


@cache
def _upper_indices(n: int) -> tuple[Any, Any]:
    """Rows and columns of the entries above the diagonal, row by row."""
    return np.triu_indices(n, 1)


def from_compact(values: Any, n: int) -> Any:
    """Even coefficients from kernel order (index = mask >> 1) to blade order."""
    return values[..., _compact_positions(n)]


def to_compact(a: Multivector) -> Any:
    """Even coefficients of a float multivector in kernel order, as float64."""
    n = a.algebra.n
    coeffs = with_layout(a, even_layout(n)).coeffs
    values = np.empty(coeffs.shape, dtype=np.float64)
    values[..., _compact_positions(n)] = coeffs
    return values


@cache
def _compact_positions(n: int) -> Any:
    """Kernel position of each even blade in blade order."""
    return even_layout(n).mask_array >> 1


def require_floats(a: Multivector, operation: str) -> None:
    """NotSupported unless the multivector has float coefficients."""
    if a.algebra.backend != "numpy":
        raise NotSupported(
            f"{operation} needs float coefficients, got backend {a.algebra.backend!r}: "
            "use A.to(backend='numpy')"
        )
