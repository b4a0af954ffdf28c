"""The `galgebra` package, whose multivectors are sympy expressions.

=====================  ==============================  ==============================
                       geomlin                         galgebra 0.6
=====================  ==============================  ==============================
basis                  orthonormal                     any metric; here diagonal, 1, -1, 0
basis vectors          positive, negative, null        in the order of g
coefficients           numbers, or backend "sympy"     sympy
left contraction       left_contraction(a, b)          a < b (a Python comparison chain!)
commutator             (ab - ba) / 2                   a >> b, the same
dual                   a I^-1, r = 0 only              by a mode of the process
exp                    any bivector, n <= 5 symbolic   square must be a scalar
batches                yes                             no
=====================  ==============================  ==============================
"""

from __future__ import annotations

import builtins
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from typing import Any

import numpy as np

from ..algebra import Algebra
from ..multivector import Multivector
from .relabel import check_squares, library, one, places, signature_of, vector_order


def to_galgebra(A: Multivector, ga: Any = None) -> Any:
    """One multivector as one of `galgebra`; coefficients become sympy numbers.

    Parameters
    ----------
    A : multivector of any backend, no batch.
    ga : galgebra.ga.Ga with a diagonal metric of the same signature; by default one with geomlin's
        order, the same for all elements of an algebra.

    Returns
    -------
    galgebra.mv.Mv.

    Raises: BackendMissing, LayoutError for batches and for another signature.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.interop import from_galgebra, to_galgebra
    >>> a = Algebra(2, backend="sympy").multivector({"1": 1, "e12": "x"})
    >>> from_galgebra(to_galgebra(a)) == a
    True
    """
    element = one(A, "galgebra")
    _package()
    if ga is None:
        ga = _space(element.algebra.metric)
    squares = _squares(ga)
    check_squares(element, squares, "a space")
    found, signs = _places(ga, squares)
    symbolic = element if element.algebra.backend == "sympy" else element.to(backend="sympy")
    dense = symbolic.to_dense()
    terms = [int(s) * dense[k] for k, s in zip(found, signs, strict=True)]
    blades = ga.blades.flat
    return ga.mv(sum((c * b for c, b in zip(terms, blades, strict=True) if c != 0), 0 * blades[0]))


def from_galgebra(value: Any) -> Multivector:
    """One multivector of `galgebra`, in Cl(p,q,r) with backend "sympy".

    Parameters
    ----------
    value : galgebra.mv.Mv over a diagonal metric with entries 1, -1, 0.

    Returns
    -------
    Multivector on all blades; `.to(backend="numpy")` makes floats of numbers.

    Raises: BackendMissing, NotSupported for other metrics.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.interop import from_galgebra, to_galgebra
    >>> print(from_galgebra(2 * to_galgebra(Algebra(2).blade("e1"))).to(backend="numpy"))
    2.0 e₁
    """
    _package()
    squares = _squares(value.Ga)
    found, signs = _places(value.Ga, squares)
    algebra = Algebra(*signature_of(squares), backend="sympy")
    full = np.empty(2**algebra.n, dtype=object)
    for place, sign, coefficient in zip(found, signs, value.blade_coefs(), strict=True):
        full[place] = int(sign) * coefficient
    return algebra.multivector(full)


def _package() -> Any:
    """galgebra.ga, without what its import does to the process: print, and sympy's repr."""
    sympy = library("sympy")
    owner = next(kind for kind in sympy.Basic.__mro__ if "__repr__" in vars(kind))
    before = builtins.print, owner.__repr__
    try:
        return library("galgebra.ga")
    finally:
        builtins.print, owner.__repr__ = before


@cache
def _space(metric: tuple[int, ...]) -> Any:
    """One space for each metric, because galgebra multiplies elements of one space only."""
    names = " ".join(f"e_{i + 1}" for i in range(len(metric))) + ("," if len(metric) == 1 else "")
    with redirect_stdout(StringIO()):  # it prints an exclamation when I^2 = 0
        return _package().Ga(names, g=list(metric))


def _squares(ga: Any) -> list[Any]:
    """Squares of the basis; a metric that is not diagonal is refused by `vector_order`."""
    matrix = ga.g
    diagonal = all(matrix[i, j] == 0 for i in range(ga.n) for j in range(ga.n) if i != j)
    return [matrix[i, i] if diagonal else "not diagonal" for i in range(ga.n)]


def _places(ga: Any, squares: list[Any]) -> Any:
    """Its blades are ascending, by grade and then lexicographic."""
    from ..blades import all_blades, indices_of

    blades = [[i - 1 for i in indices_of(mask)] for mask in all_blades(ga.n)]
    return places(blades, vector_order(squares))
