"""Multivectors of positive metrics as pairs of elements of the even algebra, in real blocks."""

from __future__ import annotations

from typing import Any

from .algebra import Algebra
from .errors import LayoutError, NotSupported
from .masked import as_numpy
from .multivector import Multivector
from .operation import operation
from .spinor_even import EvenTables, even_tables
from .spinor_transforms import coefficients_to_even_blocks, even_blocks_to_coefficients


def even_representation(n: int) -> EvenTables:
    """The real representation of Cl(n) by pairs of elements of its even algebra.

    x = x_0 + I x_1 for odd n, x_0 + x_1 e_n for even n, x_0 and x_1 in Cl0(n) = Cl(0, n-1).

    Parameters
    ----------
    n : number of basis vectors, all of square +1; at most 16.

    Returns
    -------
    EvenTables: real_type; tau blocks of size N over numbers of real dimension kappa; source and
    sign, the index maps; shape (2, tau, kappa, N, N) of the blocks of one multivector.

    Raises: NotSupported for other n.
    Error bound: exact, the entries of every blade are 0 and +-1.  Gradient: none.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 16.3.

    Examples
    --------
    >>> from geomlin.spinor import even_representation
    >>> [even_representation(n).real_type for n in (3, 8, 11)]
    ['H', 'M8(R)+M8(R)', 'M16(H)']
    """
    return even_tables(n)


@operation
def to_even_blocks(A: Multivector) -> Any:
    """Real blocks of a multivector of Cl(n) as a pair of elements of Cl0(n).

        X[c,t,q, j xor u, j] = sum_(w,v) (-1)^(t w + |v & j|) sign[c,w,q,u,v] A[source[c,w,q,u,v]],

    a signed gather and a Walsh-Hadamard transform.

    Parameters
    ----------
    A : multivector of an Algebra(n), coeffs (..., size); floats or fractions.

    Returns
    -------
    Array (..., 2, tau, kappa, N, N): half, block, component 1, i, j, k, row, column.

    Raises: NotSupported for other metrics and backends.
    Error bound: exact on integers; n eps |A|_1 / 2 for floats.  Gradient: linear.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import to_even_blocks
    >>> k = to_even_blocks(Algebra(3).blade("e12"))[0]
    >>> k.ravel().astype(int)                                    # minus a quaternion unit
    array([ 0,  0,  0, -1])
    """
    _require_positive(A.algebra)
    return coefficients_to_even_blocks(A.to_dense(), A.algebra.n)


def from_even_blocks(X: Any, algebra: Algebra) -> Multivector:
    """The multivector of Cl(n) with given real blocks.

    A = T^t X / (tau N) for the X = T A of to_even_blocks.

    Parameters
    ----------
    X : array (..., 2, tau, kappa, N, N).
    algebra : an Algebra(n).

    Returns
    -------
    Multivector on all 2^n blades.

    Raises: LayoutError if the shape does not fit; NotSupported for other metrics and backends.
    Error bound: n eps max |X|.  Gradient: linear.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import from_even_blocks, to_even_blocks
    >>> alg = Algebra(5)
    >>> from_even_blocks(to_even_blocks(alg.blade("e245")), alg) == alg.blade("e245")
    True
    """
    _require_positive(algebra)
    blocks, shape = as_numpy(X), even_tables(algebra.n).shape
    if blocks.shape[-5:] != shape:
        raise LayoutError(
            f"expected blocks (..., {', '.join(map(str, shape))}), got {blocks.shape}"
        )
    return algebra.multivector(even_blocks_to_coefficients(blocks, algebra.n))


def _require_positive(algebra: Any) -> None:
    """NotSupported unless every basis vector squares to +1 and coefficients are numpy arrays."""
    if algebra.signature.q or algebra.signature.r:
        raise NotSupported(f"expected an Algebra(n) with a positive metric, got {algebra!r}")
    if algebra.backend not in ("numpy", "fractions"):
        raise NotSupported(
            f"expected floats or fractions, got backend {algebra.backend!r}: use "
            "A.to(backend='numpy'), or geomlin.nn for tensors"
        )
