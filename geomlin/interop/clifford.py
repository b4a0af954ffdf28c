"""The `clifford` package.

=====================  ==============================  ==============================
                       geomlin                         clifford 1.5
=====================  ==============================  ==============================
basis vectors          positive, negative, null        any order, the sig of the layout
blade order            grade, then lexicographic       the same for ascending ids
product, reverse       a * b, ~a                       the same
left contraction       left_contraction(a, b)          a.lc(b); a | b is Hestenes' product
dual                   a I^-1, r = 0 only              a.dual(); the complement for r > 0
regressive product     C^-1(C a ^ C b), C right        a.vee(b), the same
a ** -1                inverse                         returns a (a.inv() is the inverse)
batches                yes                             no
=====================  ==============================  ==============================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..multivector import Multivector
from .relabel import as_numpy, check_squares, from_places, library, one, places, vector_order


def to_clifford(A: Multivector, layout: Any = None) -> Any:
    """One multivector as one of `clifford`.

    Parameters
    ----------
    A : multivector, no batch.
    layout : clifford.Layout of the same signature in any order of its basis vectors; a new one
        with geomlin's order by default.

    Returns
    -------
    clifford.MultiVector.

    Raises: BackendMissing, LayoutError for batches and for another signature.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.interop import to_clifford
    >>> to_clifford(Algebra(1, 1).blade("e12")).value
    array([0., 0., 0., 1.])
    """
    clifford = library("clifford")
    element = one(as_numpy(A), "clifford")
    if layout is None:
        layout = clifford.Layout(list(element.algebra.metric))
    squares = [int(s) for s in layout.sig]
    check_squares(element, squares, "a layout")
    found, signs = _places(layout, squares)
    return layout.MultiVector(element.to_dense()[found] * signs)


def from_clifford(value: Any) -> Multivector:
    """One multivector of `clifford`, in the algebra Cl(p,q,r) of its layout.

    Parameters
    ----------
    value : clifford.MultiVector.

    Returns
    -------
    Multivector on all blades, with basis vectors ordered positive, negative, null.

    Raises: BackendMissing, NotSupported unless all e_i e_i are 1, -1 or 0.

    Examples
    --------
    >>> import clifford
    >>> from geomlin.interop import from_clifford
    >>> layout = clifford.Layout([-1, 1])            # its e1 is geomlin's e2
    >>> print(from_clifford(layout.blades["e12"]))
    −e₁₂
    """
    library("clifford")
    squares = [int(s) for s in value.layout.sig]
    found, signs = _places(value.layout, squares)
    return from_places(np.array(value.value), found, signs, squares)


def _places(layout: Any, squares: list[int]) -> Any:
    """Where clifford's blades sit: its tuples name the ids of the basis vectors."""
    ids = [blade[0] for blade in layout.bladeTupList if len(blade) == 1]
    blades = [[ids.index(i) for i in blade] for blade in layout.bladeTupList]
    return places(blades, vector_order(squares))
