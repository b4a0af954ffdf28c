"""Projection onto the subspace of a blade, and rejection from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import LayoutError
from ..operation import operation
from .failures import failing_indices
from .grades import check_same_algebra
from .inverse import inverse
from .predicates import is_versor
from .products import geometric_product, left_contraction, outer_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_GRADE_TOLERANCE = 1e-6  # relative size below which the part of another grade is rounding


@operation
def project(A: Multivector, B: Multivector) -> Multivector:
    """Projection of A onto the subspace of an invertible blade B.

    project(A, B) = (A left-contracted onto B) B^-1.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    B : invertible blade, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector, coeffs (..., size).

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
    check_same_algebra(A, B)
    return geometric_product(left_contraction(A, B), _blade_inverse(B))


@operation
def reject(A: Multivector, B: Multivector) -> Multivector:
    """Rejection of A from the subspace of an invertible blade B; for vectors A - project(A, B).

    reject(A, B) = (A ^ B) B^-1.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    B : invertible blade, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector, coeffs (..., size).

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
    check_same_algebra(A, B)
    return geometric_product(outer_product(A, B), _blade_inverse(B))


def _blade_inverse(b: Multivector) -> Multivector:
    """B^-1 of an invertible blade; anything else raises (in a framework's graph nothing does)."""
    result = inverse(b)
    backend = b.algebra.backend_object
    if hasattr(backend, "answers"):
        return result
    grades = b.layout.grade_array
    parts = [b.coeffs[..., grades == k] for k in b.layout.grades]
    if backend.exact:
        several = sum((~backend.is_zero(part)).any(axis=-1).astype(int) for part in parts) > 1
    else:
        sizes = np.sort([np.abs(part).max(axis=-1, initial=0) for part in parts], axis=0)
        several = sizes[:-1].max(axis=0, initial=0) > _GRADE_TOLERANCE * sizes[-1:].max(axis=0)
    between = any(1 < k < b.algebra.n - 1 for k in b.layout.grades)  # others are always blades
    failed = several | ~np.asarray(is_versor(b)) if between else np.asarray(several)
    if np.any(failed):
        indices, count = failing_indices(failed)
        raise LayoutError(
            f"expected a blade, a multiple of a product of orthogonal vectors, got {count} other "
            f"element(s) (first at batch position {indices[0]}): wedge the vectors that span the "
            "subspace"
        )
    return result
