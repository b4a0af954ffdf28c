"""Projection onto the subspace of a blade, and rejection from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import LayoutError
from ..layout import grades_layout
from ..operation import operation
from .failures import OnError, check_on_error, failing_indices, in_range_or_nan
from .grades import check_operands, with_layout
from .inverse import inverse
from .predicates import is_versor
from .products import geometric_product, left_contraction, outer_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_GRADE_TOLERANCE = 1e-6  # relative size below which the part of another grade is rounding


@operation
def project(A: Multivector, B: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Projection of A onto the subspace of an invertible blade B.

    project(A, B) = (A left-contracted onto B) B^-1.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    B : invertible blade, coeffs (..., size); batches broadcast.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector, coeffs (..., size), on all blades of the grades of A.

    Raises
    ------
    NotInvertible for null blades; LayoutError if B is no blade, a multiple of a product of
    orthogonal vectors; SignatureMismatch if the algebras differ.

    Error bound: 2^n eps times the condition number of B; exact on exact backends.
    Gradient: through the contraction and the inverse.

    Examples
    --------
    >>> from geomlin import Algebra, project
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> print(project(e1 + e2 + e3, 5 * e1 ^ e2))
    e₁ + e₂
    """
    check_on_error(on_error)
    check_operands(A, B)
    inverted = _blade_inverse(B, on_error)
    found = in_range_or_nan(lambda: geometric_product(left_contraction(A, B), inverted), on_error)
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))


@operation
def reject(A: Multivector, B: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Rejection of A from the subspace of an invertible blade B; for vectors A - project(A, B).

    reject(A, B) = (A ^ B) B^-1.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    B : invertible blade, coeffs (..., size); batches broadcast.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector, coeffs (..., size), on all blades of the grades of A.

    Raises
    ------
    NotInvertible for null blades; LayoutError if B is no blade, a multiple of a product of
    orthogonal vectors; SignatureMismatch if the algebras differ.

    Error bound: 2^n eps times the condition number of B; exact on exact backends.
    Gradient: through the wedge and the inverse.

    Examples
    --------
    >>> from geomlin import Algebra, reject
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> print(reject(e1 + e2 + e3, 5 * e1 ^ e2))
    e₃
    """
    check_on_error(on_error)
    check_operands(A, B)
    inverted = _blade_inverse(B, on_error)
    found = in_range_or_nan(lambda: geometric_product(outer_product(A, B), inverted), on_error)
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))


def _blade_inverse(b: Multivector, on_error: OnError) -> Multivector:
    """B^-1 of an invertible blade; an error, or NaN, for anything else."""
    result = inverse(b, on_error=on_error)
    if not b.layout.grades:  # and no element, as zero has no inverse
        return result
    backend = b.algebra.backend_object
    grades = b.layout.grade_array
    parts = [b.coeffs[..., grades == k] for k in b.layout.grades]
    if backend.exact:
        several = sum((~backend.is_zero(part)).any(axis=-1).astype(int) for part in parts) > 1
    else:
        sizes = np.sort([np.abs(part).max(axis=-1, initial=0) for part in parts], axis=0)
        several = sizes[:-1].max(axis=0, initial=0) > _GRADE_TOLERANCE * sizes[-1:].max(axis=0)
    between = any(1 < k < b.algebra.n - 1 for k in b.layout.grades)  # others are always blades
    failed = several | ~np.asarray(is_versor(b)) if between else np.asarray(several)
    if np.any(failed) and (on_error == "raise" or backend.exact):
        indices, count = failing_indices(failed)
        raise LayoutError(
            f"expected a blade, a multiple of a product of orthogonal vectors, got {count} other "
            f"element(s) (first at batch position {indices[0]}): wedge the vectors that span the "
            "subspace",
            indices=indices,
            count=count,
        )
    if np.any(failed):
        return result.replace(
            result.layout, np.where(failed[..., None], np.nan, result.coeffs).astype(result.dtype)
        )
    return result
