"""The `kingdon` package.

=====================  ==============================  ==============================
                       geomlin                         kingdon 3.0
=====================  ==============================  ==============================
basis vectors          positive, negative, null        null first: e0 is geomlin's last
names                  e12 ascending only              e21 = -e12; custom bases have e31
sandwich               V x ~V                          x >> y assumes x ~x = 1
exp                    any multivector                 simple elements only
commutator             (ab - ba) / 2                   a.cp(b), the same
inner product          none                            a | b keeps scalars
batches                axes first, blades last         blades first: values()[k] is an array
=====================  ==============================  ==============================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..multivector import Multivector
from .relabel import as_numpy, check_squares, from_places, library, places, vector_order


def to_kingdon(A: Multivector, algebra: Any = None) -> Any:
    """A multivector, or a batch, as a multivector of `kingdon`.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    algebra : kingdon.Algebra of the same signature, with any basis; kingdon.Algebra(p, q, r) by
        default, whose null vectors come first.

    Returns
    -------
    kingdon.MultiVector with the blades of A; of a batch, each coefficient is an array.

    Raises: BackendMissing, LayoutError for another signature.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.interop import to_kingdon
    >>> to_kingdon(Algebra(2, 0, 1).bivector({"e13": 2.0})).e01      # e3 is e0: e1 e3 = -e0 e1
    -2.0
    """
    kingdon = library("kingdon")
    element = as_numpy(A)
    if algebra is None:
        algebra = kingdon.Algebra(*element.algebra.signature)
    squares = [int(s) for s in algebra.signature]
    check_squares(element, squares, "an algebra")
    keys = list(algebra.canon2bin.values())
    found, signs = places(_blades(algebra, keys), vector_order(squares))
    dense = element.to_dense()
    stored = set(element.layout.position)
    masks = element.algebra.multivector(np.zeros(2**element.algebra.n)).layout.masks
    chosen = [k for k, place in enumerate(found.tolist()) if masks[place] in stored]
    values = [signs[k] * dense[..., found[k]] for k in chosen]
    return algebra.multivector(
        keys=tuple(keys[k] for k in chosen), values=[v if v.ndim else float(v) for v in values]
    )


def from_kingdon(value: Any) -> Multivector:
    """A multivector of `kingdon` with numeric coefficients, in the algebra Cl(p,q,r).

    Parameters
    ----------
    value : kingdon.MultiVector; coefficients are numbers, or arrays of one shape for a batch.

    Returns
    -------
    Multivector on all blades, with basis vectors ordered positive, negative, null.

    Raises: BackendMissing, DtypeError for symbols.

    Examples
    --------
    >>> import kingdon
    >>> from geomlin.interop import from_kingdon
    >>> print(from_kingdon(kingdon.Algebra(2, 0, 1).multivector(e01=1.0)))
    −e₁₃
    """
    library("kingdon")
    algebra = value.algebra
    squares = [int(s) for s in algebra.signature]
    found, signs = places(_blades(algebra, value.keys()), vector_order(squares))
    columns = [np.asarray(x) for x in value.values()]
    if not columns:
        found, signs, columns = np.array([0]), np.array([1]), [np.zeros(())]
    return from_places(np.stack(np.broadcast_arrays(*columns), axis=-1), found, signs, squares)


def _blades(algebra: Any, keys: Any) -> list[list[int]]:
    """The basis vectors of each blade, in the order of its name."""
    bit = {name[1:]: key for name, key in algebra.canon2bin.items() if key.bit_count() == 1}
    return [[bit[letter].bit_length() - 1 for letter in algebra.bin2canon[key][1:]] for key in keys]
