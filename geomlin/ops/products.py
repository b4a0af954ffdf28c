"""The bilinear products, all selections of terms of the geometric product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..layout import grade_layout
from ..operation import operation
from .grades import check_operands, with_layout

if TYPE_CHECKING:
    from ..multivector import Multivector


def _bilinear(product: str, a: Any, b: Any) -> Multivector:
    """Contract with the sparse table of the product."""
    check_operands(a, b)
    algebra = a.algebra
    table = algebra.table(product, a.layout, b.layout)
    result: Multivector = a.replace(
        table.layout, algebra.backend_object.contract(table, a.coeffs, b.coeffs)
    )
    return result


@operation
def geometric_product(A: Multivector, B: Multivector) -> Multivector:
    """Geometric (Clifford) product of two multivectors, written A * B.

    Associative and bilinear, with v v = g(v, v) for vectors;
    e_S e_T = sign(S, T) prod_{i in S & T} g_i e_(S ^ T).

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear, dA B + A dB.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 14.1.

    Examples
    --------
    >>> from geomlin import Algebra, geometric_product
    >>> alg = Algebra(4)
    >>> B = alg.bivector({"e12": 1, "e34": 1})
    >>> print(geometric_product(B, B))              # a compound bivector squares to no scalar
    −2.0 + 2.0 e₁₂₃₄
    """
    return _bilinear("geometric_product", A, B)


@operation
def outer_product(A: Multivector, B: Multivector) -> Multivector:
    """Outer (wedge) product of two multivectors, written A ^ B.

    A ^ B = sum_{r,s} <<A>_r <B>_s>_(r+s); it does not use the metric.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear, dA ^ B + A ^ dB.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> (e1 ^ e2) == -(e2 ^ e1), (e1 ^ e1) == 0 * e1
    (True, True)
    """
    return _bilinear("outer_product", A, B)


@operation
def left_contraction(A: Multivector, B: Multivector) -> Multivector:
    """Left contraction of A onto B: what is left of B when A is removed from its left.

    left_contraction(A, B) = sum_{r,s} <<A>_r <B>_s>_(s-r), zero where r > s.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear.

    References
    ----------
    [1] L. Dorst, "The inner products of geometric algebra" (2002), section 2.2.

    Examples
    --------
    >>> from geomlin import Algebra, left_contraction
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> print(left_contraction(e1, e1 ^ e2), "and", left_contraction(e1 ^ e2, e1))
    e₂ and 0
    """
    return _bilinear("left_contraction", A, B)


@operation
def right_contraction(A: Multivector, B: Multivector) -> Multivector:
    """Right contraction of A by B: what is left of A when B is removed from its right.

    right_contraction(A, B) = sum_{r,s} <<A>_r <B>_s>_(r-s), zero where s > r.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear.

    References
    ----------
    [1] L. Dorst, "The inner products of geometric algebra" (2002), section 2.2.

    Examples
    --------
    >>> from geomlin import Algebra, right_contraction
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> print(right_contraction(e1 ^ e2, e1))
    −e₂
    """
    return _bilinear("right_contraction", A, B)


@operation
def scalar_product(A: Multivector, B: Multivector) -> Multivector:
    """Scalar product of two multivectors, without a reverse.

    scalar_product(A, B) = <A B>_0.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector of grade 0, coeffs (..., 1).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_S|; exact on exact backends.  Gradient: bilinear.

    Examples
    --------
    >>> from geomlin import Algebra, scalar_product
    >>> e12 = Algebra(2).blade("e12")
    >>> print(scalar_product(e12, e12))             # no reverse: not +1
    −1.0
    """
    return with_layout(_bilinear("scalar_product", A, B), grade_layout(A.algebra.n, 0))


@operation
def commutator(A: Multivector, B: Multivector) -> Multivector:
    """Commutator of two multivectors, with the factor one half.

    commutator(A, B) = (A B - B A) / 2.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear.

    Examples
    --------
    >>> from geomlin import Algebra, commutator
    >>> alg = Algebra(3)
    >>> print(commutator(alg.blade("e12"), alg.blade("e23")))   # not 2 e13
    e₁₃
    """
    return _bilinear("commutator", A, B)


@operation
def anticommutator(A: Multivector, B: Multivector) -> Multivector:
    """Anticommutator of two multivectors, with the factor one half.

    anticommutator(A, B) = (A B + B A) / 2.

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^n eps sum |A_S B_T| for each coefficient; exact on exact backends.
    Gradient: bilinear.

    Examples
    --------
    >>> from geomlin import Algebra, anticommutator
    >>> e1, e2 = Algebra(1, 1).basis_vectors
    >>> print(anticommutator(e2, e2))               # g(e2, e2)
    −1.0
    """
    return _bilinear("anticommutator", A, B)
