"""The three involutions: reverse, grade involution, Clifford conjugation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..operation import operation
from ..tables import grade_signs

if TYPE_CHECKING:
    from ..multivector import Multivector


def _signed(a: Multivector, rule: str) -> Multivector:
    signs = grade_signs(a.layout, rule)
    return a.replace(a.layout, a.coeffs * signs.astype(a.coeffs.dtype))


@operation
def reverse(A: Multivector) -> Multivector:
    """Reverse of a multivector, written ~A: the order of every product of vectors is turned round.

    ~(a1 a2 .. ak) = ak .. a2 a1;  <~A>_k = (-1)^(k(k-1)/2) <A>_k.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector with the layout of A.

    Error bound: exact.  Gradient: the same sign change.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 3.7.

    Examples
    --------
    >>> from geomlin import Algebra, reverse
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> reverse(e1 * e2 * e3) == e3 * e2 * e1
    True
    """
    return _signed(A, "reverse")


@operation
def involute(A: Multivector) -> Multivector:
    """Grade involution of a multivector: every vector changes sign.

    <involute(A)>_k = (-1)^k <A>_k.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector with the layout of A.

    Error bound: exact.  Gradient: the same sign change.

    Examples
    --------
    >>> from geomlin import Algebra, involute
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> involute(1 + e1 + e1 * e2) == 1 - e1 + e1 * e2
    True
    """
    return _signed(A, "involute")


@operation
def conjugate(A: Multivector) -> Multivector:
    """Clifford conjugate of a multivector: reverse and grade involution together.

    <conjugate(A)>_k = (-1)^(k(k+1)/2) <A>_k.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector with the layout of A.

    Error bound: exact.  Gradient: the same sign change.

    Examples
    --------
    >>> from geomlin import Algebra, conjugate
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> conjugate(e1 * e2 * e3) == e1 * e2 * e3     # reverse alone gives -e123
    True
    """
    return _signed(A, "conjugate")
