"""Complement, dual and the regressive product."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..blades import reorder_sign
from ..errors import NotInvertible
from ..layout import layout_of
from ..operation import operation
from .grades import check_operands
from .inverse import inverse
from .products import geometric_product, outer_product

if TYPE_CHECKING:
    from ..multivector import Multivector


def _complement(a: Multivector, side: str) -> Multivector:
    """Right: e_S ^ e_S' = e_(1..n); left: e_S' ^ e_S = e_(1..n)."""
    n = a.algebra.n
    everything = (1 << n) - 1
    layout = layout_of(n, [everything ^ mask for mask in a.layout.masks])
    source = [a.layout.position[everything ^ mask] for mask in layout.masks]
    signs = []
    for mask in layout.masks:
        pair = (everything ^ mask, mask) if side == "right" else (mask, everything ^ mask)
        signs.append(reorder_sign(*pair))
    sign = np.array(signs, dtype=np.int64).astype(a.coeffs.dtype)
    return a.replace(layout, a.coeffs[..., source] * sign)


@operation
def complement(A: Multivector) -> Multivector:
    """Right complement of a multivector, free of the metric.

    e_S ^ complement(e_S) = e_(1..n), extended linearly.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector on the complementary blades, coeffs (..., size).

    Error bound: exact.  Gradient: the same signed permutation.

    Examples
    --------
    >>> from geomlin import Algebra, complement
    >>> pga = Algebra(2, 0, 1)                      # works in degenerate metrics, dual() does not
    >>> print(complement(pga.blade("e2")))
    −e₁₃
    """
    return _complement(A, "right")


@operation
def dual(A: Multivector) -> Multivector:
    """Dual of a multivector, for nondegenerate metrics.

    dual(A) = A I^-1, I = e_(1..n).

    Parameters
    ----------
    A : multivector of an algebra with r = 0, coeffs (..., size).

    Returns
    -------
    Multivector on the complementary blades, coeffs (..., size).

    Raises
    ------
    NotInvertible if r > 0, where I^2 = 0.

    Error bound: exact.  Gradient: the same signed permutation.

    Examples
    --------
    >>> from geomlin import Algebra, dual
    >>> print(dual(Algebra(3).blade("e1")))         # other libraries give +e23
    −e₂₃
    """
    return geometric_product(A, inverse(_invertible_pseudoscalar(A)))


@operation
def undual(A: Multivector) -> Multivector:
    """Inverse of the dual, for nondegenerate metrics.

    undual(A) = A I, I = e_(1..n).

    Parameters
    ----------
    A : multivector of an algebra with r = 0, coeffs (..., size).

    Returns
    -------
    Multivector on the complementary blades, coeffs (..., size).

    Raises
    ------
    NotInvertible if r > 0, where I^2 = 0.

    Error bound: exact.  Gradient: the same signed permutation.

    Examples
    --------
    >>> from geomlin import Algebra, dual, undual
    >>> e1 = Algebra(1, 3).blade("e1")
    >>> undual(dual(e1)) == e1
    True
    """
    return geometric_product(A, _invertible_pseudoscalar(A))


def _invertible_pseudoscalar(a: Multivector) -> Multivector:
    if a.algebra.signature.r:
        raise NotInvertible(
            f"the dual needs an invertible pseudoscalar, and I^2 = 0 in {a.algebra}: "
            "use complement(A), which needs no metric"
        )
    unit = a.algebra.pseudoscalar
    return unit.replace(unit.layout, unit.coeffs.astype(a.coeffs.dtype))


@operation
def regressive_product(A: Multivector, B: Multivector) -> Multivector:
    """Regressive (vee) product of two multivectors: the meet of subspaces that span everything.

    regressive_product(A, B) = C^-1(C(A) ^ C(B)), C = complement; free of the metric.

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
    >>> from geomlin import Algebra, regressive_product
    >>> alg = Algebra(3)
    >>> print(regressive_product(alg.blade("e12"), alg.blade("e13")))
    e₁
    """
    check_operands(A, B)
    return _complement(outer_product(_complement(A, "right"), _complement(B, "right")), "left")
