"""Invariant decomposition of a symbolic bivector, one part without common vectors after another.

Up to five basis vectors, with s, W and d as in symbolic.py, B = b_1 + b_2 has the squares
x, y = (s -+ sqrt(s^2 - d)) / 2 and

    b_1 = (x B - W B / 2) / (x - y),    b_2 = B - b_1,

undefined where x = y, as the planes are; B with x = y for all values of the symbols gets its
canonical planes.  Six and seven basis vectors: symbolic_large.py.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import NotDecomposable, NotSupported
from ..plane_kind import PlaneKind
from ..symbolic_functions import square_root_or_none
from .collections import stack
from .products import geometric_product, left_contraction, outer_product
from .symbolic_large import planes_by_cubic
from .symbolic_tools import (
    LARGEST_PART,
    combined,
    mapped,
    parts_without_common_vectors,
    ring,
    vanishes,
)

if TYPE_CHECKING:
    from ..multivector import Multivector


def planes(b: Multivector) -> tuple[Multivector, Any, Any]:
    """Parts, squares and kinds; numbers are sorted by |b_i^2|, symbols stay in a fixed order.

    kinds is an object array, with a Piecewise for each kind that the symbols decide.
    """
    if 0 in b.shape:
        shape = (*b.shape, b.algebra.n // 2)
        empty = b.replace(b.layout, np.empty((*shape, b.layout.size), dtype=object))
        return empty, np.empty(shape, dtype=object), np.empty(shape, dtype=np.int8)
    if b.shape:
        found = [planes(b[i]) for i in range(len(b))]
        parts, squares, kinds = zip(*found, strict=True)
        return stack(parts), np.stack(squares), np.stack(kinds)
    pairs: list[tuple[Multivector, Any]] = []
    for part, size in parts_without_common_vectors(b):
        pairs += _planes_of_part(part, size)
    missing = b.algebra.n // 2 - len(pairs)
    pairs += [(0 * b, sympy.Integer(0))] * missing
    rows = [(part, x, _kind(part, x)) for part, x in pairs]
    if all(x.is_number for _, x, _ in rows):
        rows.sort(key=lambda row: (-abs(row[1]), row[2]))
    decided = all(isinstance(kind, PlaneKind) for *_, kind in rows)
    values = np.empty(len(rows), dtype=object)
    values[:] = [x for _, x, _ in rows]
    split = stack([part for part, *_ in rows]) if rows else b.replace(b.layout, b.coeffs[None][:0])
    return split, values, np.array([row[2] for row in rows], dtype=np.int8 if decided else object)


def _planes_of_part(b: Multivector, size: int) -> list[tuple[Multivector, Any]]:
    if size > LARGEST_PART:
        raise NotSupported(
            f"a symbolic decomposition needs parts of at most {LARGEST_PART} basis vectors, got "
            f"{size}: substitute numbers and use A.to(backend='arb') or 'numpy'"
        )
    if size > 5:
        return planes_by_cubic(b)
    w, s, wb, d = ring(b)
    if vanishes(w):
        return [(b, sympy.sympify(s))]
    return _two_planes(b, size, s, d, wb)


def _two_planes(
    b: Multivector, size: int, s: Any, d: Any, wb: Multivector
) -> list[tuple[Multivector, Any]]:
    discriminant = s**2 - d
    if b.algebra.backend_object.is_zero(discriminant).all():
        return _isoclinic(b, size, s)
    if discriminant.is_negative:
        raise NotDecomposable(
            f"expected a sum of commuting real simple bivectors, got {b} with complex squares",
            kind="complex pair",
        )
    rho = square_root_or_none(discriminant)
    root = sympy.sqrt(discriminant) if rho is None else rho
    if root.could_extract_minus_sign():
        root = -root
    x, y = ((s + sign * root) / 2 for sign in (-1, 1))
    if rho is not None:
        x, y = sympy.expand(x), sympy.expand(y)
    tidy = sympy.factor_terms if rho is None else sympy.cancel
    first = mapped(combined((-x / root, b), (1 / (2 * root), wb)).grade(2), tidy)
    second = mapped(combined((y / root, b), (-1 / (2 * root), wb)).grade(2), tidy)
    return [(first, x), (second, y)]


def _isoclinic(b: Multivector, size: int, s: Any) -> list[tuple[Multivector, Any]]:
    """Equal squares x: the canonical plane of the first axis, b_1 = e ^ (e . B) / e^2."""
    algebra = b.algebra
    used = reduce(or_, (m for m, c in zip(b.layout.masks, b.coeffs, strict=True) if c != 0))
    axes = [i for i in range(algebra.n) if used >> i & 1]
    x, e, square = s / 2, algebra.basis_vectors[axes[0]], algebra.metric[axes[0]]
    if size > 4 or any(algebra.metric[i] == 0 for i in axes):
        raise NotSupported(
            "expected squares that differ for some values of the symbols, or four basis vectors "
            f"that are not null, got {b}: use A.to(backend='arb') with numbers"
        )
    first = outer_product(e, left_contraction(e, b)) * square
    second = b - first
    commute = geometric_product(first, second) - geometric_product(second, first)
    if not (vanishes(commute) and vanishes(outer_product(second, second))):
        raise NotDecomposable(
            f"expected a sum of commuting real simple bivectors, got a defective {b}",
            kind="defective",
        )
    return [(first, x), (second, x)]


def _kind(part: Multivector, x: Any) -> Any:
    """PlaneKind from the sign of the square, symbols being real."""
    x = sympy.sympify(x)
    if vanishes(part):
        return PlaneKind.ZERO
    if x == 0:
        return PlaneKind.NULL
    metric = set(part.algebra.metric)
    if metric in ({1}, {-1}) or _sign(x) < 0:
        return PlaneKind.ROTATION
    if _sign(x) > 0:
        return PlaneKind.BOOST
    choices = ((int(PlaneKind.ROTATION), x < 0), (int(PlaneKind.BOOST), x > 0))
    return sympy.Piecewise(*choices, (int(PlaneKind.NULL), True))


def _sign(x: Any) -> int:
    """-1 or 1 where sympy knows it for real symbols, zeros at special values apart; otherwise 0."""
    real = x.xreplace({symbol: sympy.Dummy(real=True) for symbol in x.free_symbols})
    return -1 if real.is_nonpositive else int(bool(real.is_nonnegative))
