"""Sums, grade projections and changes of layout."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, SignatureMismatch
from ..layout import Layout, common_places, even_layout, grade_layout, odd_layout
from ..operation import at_working_precision, operation

if TYPE_CHECKING:
    from ..multivector import Multivector


def with_layout(a: Multivector, layout: Layout) -> Multivector:
    """The same element stored on more blades (or fewer: then the others are dropped)."""
    if a.layout is layout:
        return a
    backend = a.algebra.backend_object
    select = getattr(backend, "select", None)  # where arrays cannot be written to
    if select is not None:
        here = a.layout.position
        return a.replace(layout, select(a.coeffs, tuple(here.get(m, -1) for m in layout.masks)))
    out = backend.zeros((*a.coeffs.shape[:-1], layout.size), a.coeffs)
    target, source = common_places(a.layout, layout)
    out[..., target] = a.coeffs if source is None else a.coeffs[..., source]
    return a.replace(layout, out)


def check_same_algebra(a: Any, b: Any) -> None:
    """Raise SignatureMismatch unless both are multivectors of one algebra."""
    first, second = getattr(a, "algebra", None), getattr(b, "algebra", None)
    if first is None or second is None:
        found = b if second is None else a
        raise LayoutError(
            f"expected a Multivector, got {type(found).__name__}: build one with "
            "Algebra(p, q, r).multivector(...)"
        )
    if first is not second and first != second:
        same = first.signature == second.signature
        raise SignatureMismatch(
            f"expected two multivectors of one algebra, got {first} and {second}: "
            + (f"convert one with A.to(backend={second.backend!r})" if same else "no automatic map")
        )


def check_operands(a: Any, b: Any) -> None:
    """Raise unless both are multivectors of one algebra whose batch shapes broadcast."""
    check_same_algebra(a, b)
    if a.coeffs.shape[:-1] == b.coeffs.shape[:-1]:
        return  # equal shapes broadcast
    pairs = zip(reversed(a.shape), reversed(b.shape), strict=False)
    if any(x not in (1, y) and y != 1 for x, y in pairs):  # sizes may be symbols
        raise LayoutError(
            f"expected batch shapes that broadcast, got {a.shape} and {b.shape}: insert axes with "
            "A[:, None], or reshape the coefficients"
        )


def _together(a: Multivector, b: Multivector) -> tuple[Multivector, Multivector]:
    check_operands(a, b)
    union = a.layout | b.layout
    return with_layout(a, union), with_layout(b, union)


@at_working_precision
def add(a: Multivector, b: Multivector) -> Multivector:
    """A + B on the union of the layouts; batches broadcast."""
    return _in_range(operator.add, *_together(a, b))


@at_working_precision
def subtract(a: Multivector, b: Multivector) -> Multivector:
    """A - B on the union of the layouts; batches broadcast."""
    return _in_range(operator.sub, *_together(a, b))


def _in_range(combine: Callable[[Any, Any], Any], a: Multivector, b: Multivector) -> Multivector:
    """Coefficients combined; where floats have a limited range, a result beyond it raises."""
    in_range = getattr(a.algebra.backend_object, "in_range", None)
    coeffs = (combine if in_range is None else partial(in_range, combine))(a.coeffs, b.coeffs)
    return a.replace(a.layout, coeffs)


@operation
def grade(A: Multivector, k: int) -> Multivector:
    """Part of grade k of a multivector.

    <A>_k = sum over blades S with |S| = k of A_S e_S.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    k : integer, 0 <= k <= n.

    Returns
    -------
    Multivector of grade k, coeffs (..., binomial(n, k)).

    Raises
    ------
    LayoutError if k is no grade of the algebra.

    Error bound: exact.  Gradient: the projection itself.

    Examples
    --------
    >>> from geomlin import Algebra, grade
    >>> e1, e2, e3 = Algebra(3).basis_vectors
    >>> print(grade((e1 + e2) * (e1 + e3), 2))      # grade 2 of a product of vectors
    −e₁₂ + e₁₃ + e₂₃
    """
    n = A.algebra.n
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k <= n:
        raise LayoutError(f"expected a grade from 0 to {n} in {A.algebra}, got {k!r}")
    return with_layout(A, grade_layout(n, int(k)))


@operation
def even(A: Multivector) -> Multivector:
    """Even part of a multivector.

    even(A) = sum over even k of <A>_k = (A + involute(A)) / 2.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Error bound: exact.  Gradient: the projection itself.

    Examples
    --------
    >>> from geomlin import Algebra, even
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> print(even(e1 + 3 * e1 * e2 + 2))
    2.0 + 3.0 e₁₂
    """
    return with_layout(A, even_layout(A.algebra.n))


@operation
def odd(A: Multivector) -> Multivector:
    """Odd part of a multivector.

    odd(A) = sum over odd k of <A>_k = (A - involute(A)) / 2.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector on all odd blades, coeffs (..., 2^(n-1)).

    Error bound: exact.  Gradient: the projection itself.

    Examples
    --------
    >>> from geomlin import Algebra, odd
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> print(odd(e1 + 3 * e1 * e2 + 2))
    e₁
    """
    return with_layout(A, odd_layout(A.algebra.n))
