"""Enclosures of the invariant decomposition B = sum b_i, b_i^2 scalar, b_i b_j = b_j b_i.

Exact input: multiplicities, null parts and Jordan blocks are decided over the rationals, and a
cluster of equal squares is split into its canonical planes where their pivots are certain, null
parts always (null_planes.py).  Balls:
parts whose squares are proved apart; Undecided where squares may coincide, `cluster_blocks` then
still encloses the blocks.  Unlike with floats, only exactly equal magnitudes are a tie.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cmp_to_key
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import acb, acb_mat, arb, arb_mat

from ..errors import NotDecomposable, NotSupported, Undecided
from ..layout import grade_layout
from ..plane_kind import PlaneKind
from ..precision import working_precision
from .blocks import blocks_of, from_roots
from .canonical_planes import canonical_planes
from .clusters import GUARD_BITS, matrix_of, separated
from .elements import Coefficients, Metric, coefficients_of
from .exact_squares import ExactSquares, Factor, exact_squares, rational_matrix
from .null_planes import euclidean, without_null_blocks
from .roots import generator

if TYPE_CHECKING:
    from ..multivector import Multivector

_MOST_TIMES = 16  # the precision of the algebra, for exact bivectors
_RANK = (0, 1, 2, 5, 3, 4)  # place in a tie, by PlaneKind
_APART = (
    "the squares of two parts may coincide: raise the precision, start from exact numbers, or ask "
    "cluster_blocks for the blocks"
)


@dataclass(frozen=True)
class Part:
    """One part; `planes` slots belong to it."""

    matrix: Any  # arb_mat, antisymmetric
    square: Any  # acb
    kind: PlaneKind
    planes: int = 1
    pivot: int = 0
    factor: tuple[int, ...] = ()  # the irreducible polynomial of its square, when that is exact
    imaginary: Any = None  # arb_mat, of a part that is complex

    @property
    def size(self) -> Any:
        """|b^2|."""
        return abs(self.square)


def certified_decomposition(
    b: Multivector, *, blocks: bool, complex: bool = False
) -> tuple[Multivector, Any, Any, Multivector]:
    """Parts (..., n//2), squares, kinds and imaginary parts, as invariant_decomposition does."""
    algebra: Any = b.algebra
    n, bits = algebra.n, algebra.backend_object.bits
    layout, count = grade_layout(n, 2), algebra.n // 2
    parts = np.empty((*b.shape, count, layout.size), dtype=object)
    imaginary = np.full(parts.shape, arb(0), dtype=object)
    squares = np.empty((*b.shape, count), dtype=object)
    kinds = np.full((*b.shape, count), PlaneKind.ZERO, dtype=np.int8)
    for index in np.ndindex(b.shape):
        found = _narrow_slots(coefficients_of(b, index), algebra.metric, bits)
        if complex:
            with working_precision(bits + GUARD_BITS):
                found = split_pairs(found, algebra.metric)
        if not blocks:
            _require_simple(found, index)
        with working_precision(bits):
            for slot, part in enumerate(found):
                real = not (blocks or complex)
                squares[(*index, slot)] = +part.square.real if real else +part.square
                kinds[(*index, slot)] = part.kind
                for k, (i, j) in enumerate(combinations(range(n), 2)):
                    parts[(*index, slot, k)] = +part.matrix[i, j]
                    if part.imaginary is not None:
                        imaginary[(*index, slot, k)] = +part.imaginary[i, j]
    return b.replace(layout, parts), squares, kinds, b.replace(layout, imaginary)


def split_pairs(parts: list[Part], metric: Metric) -> list[Part]:
    """Each complex pair C = b + b* in the slots of b and b*.

    b = C/2 + i (Re(s) C - M^2 C) / (2 Im s), b^2 = s; b of a repeated pair has canonical planes.
    """
    result = list(parts)
    for slot, part in enumerate(parts):
        if part.kind != PlaneKind.COMPLEX_PAIR:
            continue
        m = generator(part.matrix.tolist(), metric)
        turned = (part.matrix * part.square.real - m * m * part.matrix) / (2 * part.square.imag)
        whole = acb_mat(part.matrix / 2) + acb_mat(turned) * acb(0, 1)
        planes = [(whole, 0)]
        if part.planes > 2:
            planes = canonical_planes(whole, metric, part.planes // 2)
        for count, (plane, _) in enumerate(planes):
            own = replace(part, matrix=plane.real, planes=1, imaginary=plane.imag)
            result[slot + 2 * count] = own
            conjugate = replace(own, square=part.square.conjugate(), imaginary=-own.imaginary)
            result[slot + 2 * count + 1] = conjugate
    return result


def _narrow_slots(coefficients: Coefficients, metric: Metric, bits: int) -> list[Part]:
    """The parts in their slots; of exact bivectors as narrow as the precision promises.

    Squares that nearly coincide cost digits, which more bits give back where the input is exact.
    """
    exact = all(x.is_exact() for x in coefficients.values())
    working = bits + GUARD_BITS
    while True:
        last = not exact or working > _MOST_TIMES * bits
        try:
            with working_precision(working):
                found = _slots(parts_of(coefficients, metric), len(metric))
                size = max((x.abs_upper() for x in coefficients.values()), default=arb(0))
                limit = (size * arb(2) ** -bits).upper()
                if last or all(x.rad() <= limit for p in found for x in p.matrix.entries()):
                    return found
        except Undecided:
            if last:
                raise
        working *= 2


def _require_simple(parts: list[Part], index: tuple[int, ...]) -> None:
    for part in parts:
        if part.kind in (PlaneKind.COMPLEX_PAIR, PlaneKind.DEFECTIVE) and part.imaginary is None:
            kind = "defective" if part.kind == PlaneKind.DEFECTIVE else "complex pair"
            raise NotDecomposable(
                f"expected a sum of commuting real simple bivectors, got a {kind} block: pass "
                "blocks=True to get the commuting blocks",
                kind=kind,
                indices=[index],
            )


def _slots(parts: list[Part], n: int) -> list[Part]:
    """The parts in order, a ZERO after a block for each further plane, zeros at the end."""
    zero = Part(arb_mat(n, n), acb(0), PlaneKind.ZERO)
    result: list[Part] = []
    for part in sorted(parts, key=cmp_to_key(_compare)):
        result += [part] + [zero] * (part.planes - 1)
    return result + [zero] * (n // 2 - len(result))


def _compare(a: Part, b: Part) -> int:
    """Order by |b^2| descending; exact ties by kind, then by pivot."""
    if a.size > b.size:
        return -1
    if a.size < b.size:
        return 1
    if _equal_sizes(a, b):
        first, second = (_RANK[a.kind], a.pivot), (_RANK[b.kind], b.pivot)
        return (first > second) - (first < second)
    raise Undecided("the order of two parts is not decided: raise the precision")


def _equal_sizes(a: Part, b: Part) -> bool:
    """Whether |a^2| = |b^2| is proved: the square of a, or its negative, is that of b."""
    if a.square.is_zero() and b.square.is_zero():
        return True
    if not a.factor or not (a.square.imag.is_zero() and b.square.imag.is_zero()):
        return False
    mirrored = tuple(x * (-1) ** k for k, x in enumerate(b.factor))
    negated = tuple(-x for x in mirrored)
    return a.factor == b.factor or a.factor in (mirrored, negated)


def parts_of(coefficients: Coefficients, metric: Metric) -> list[Part]:
    """The parts that are not zero, in no order; the parts of an exact bivector, or of balls."""
    for mask, value in coefficients.items():
        if mask.bit_count() != 2 and not value.contains(0):
            raise NotSupported("the invariant decomposition is that of a bivector")
    b = matrix_of(coefficients, len(metric))
    exact = rational_matrix(b)
    if exact is None:
        return _ball_parts(b, metric)
    return _exact_parts(arb_mat(b), exact, metric)


def _exact_parts(b: Any, rational: Any, metric: Metric) -> list[Part]:
    """Parts from the irreducible factors of chi."""
    found = exact_squares(rational, metric)
    m = generator(b.tolist(), metric)
    owners: list[tuple[Factor, Any]] = []
    polynomials = []
    for factor in found.factors:
        repeated = factor.multiplicity if factor.is_zero or not factor.semisimple else 1
        for root in factor.roots:
            if root.imag.is_zero() or root.imag > 0:
                pair = [root] if root.imag.is_zero() else [root, root.conjugate()]
                owners.append((factor, root))
                polynomials.append(from_roots(pair * repeated))
    result: list[Part] = []
    for (factor, root), matrix in zip(owners, blocks_of(b, m * m, polynomials), strict=True):
        if factor.is_zero:
            result += _null_parts(found, metric)
        else:
            result += _root_parts(factor, root, matrix, metric)
    return result


def _root_parts(factor: Factor, root: Any, matrix: Any, metric: Metric) -> list[Part]:
    """What belongs to one nonzero root, or to a pair of conjugate ones."""
    polynomial, count = factor.polynomial, factor.multiplicity
    if not root.imag.is_zero():
        return [Part(matrix, root, PlaneKind.COMPLEX_PAIR, 2 * count, 0, polynomial)]
    if not factor.semisimple:
        return [Part(matrix, root, PlaneKind.DEFECTIVE, count, 0, polynomial)]
    kind = _kind(root.real)
    if count == 1:
        return [Part(matrix, root, kind, 1, 0, polynomial)]
    planes = canonical_planes(matrix, metric, count)
    return [Part(plane, root, kind, 1, pivot, polynomial) for plane, pivot in planes]


def _kind(square: Any) -> PlaneKind:
    if square < 0:
        return PlaneKind.ROTATION
    if square > 0:
        return PlaneKind.BOOST
    raise Undecided("the sign of a square is not decided: raise the precision")


def _null_parts(found: ExactSquares, metric: Metric) -> list[Part]:
    """The part of the root 0, which is rational: null planes, or a larger block."""
    block = found.null_block
    n = len(metric)
    if block == block * 0:
        return []
    m = type(block)(n, n, [block[i, j] * metric[j] for i in range(n) for j in range(n)])
    if m * m * block != block * 0:
        return [Part(arb_mat(block), acb(0), PlaneKind.DEFECTIVE, block.rank() // 2)]
    planes, rest = without_null_blocks(block, metric)
    matrices = [arb_mat(plane) for plane in planes]
    if rest != rest * 0:
        own = _exact_parts(arb_mat(rest), rest, euclidean(rest, metric))
        matrices += [part.matrix for part in sorted(own, key=cmp_to_key(_compare))]
    return [Part(x, acb(0), PlaneKind.NULL, 1, pivot) for pivot, x in enumerate(matrices)]


def _ball_parts(b: list[list[Any]], metric: Metric) -> list[Part]:
    """Parts of all bivectors in the balls, where their squares are proved apart."""
    sets, matrices = separated(b, metric)
    result = []
    for groups, matrix in zip(sets, matrices, strict=True):
        boxes = [group.box for group in groups if group.count == 1]
        if len(boxes) == len(groups) == 1:  # closed under conjugation: real
            square = acb(boxes[0].real)
            if square.is_zero():
                result += _structural_null(matrix)
            else:
                result.append(Part(matrix, square, _kind(square.real)))
        elif len(boxes) == len(groups) == 2 and all(group.is_nonreal for group in groups):
            upper = boxes[0] if boxes[0].imag > 0 else boxes[1]
            result.append(Part(matrix, upper, PlaneKind.COMPLEX_PAIR, 2))
        else:
            raise Undecided(_APART)
    return result


def _structural_null(matrix: Any) -> list[Part]:
    """The part of the single root 0 that the metric forces: a null plane or nothing."""
    entries = matrix.entries()
    if all(x.is_zero() for x in entries):
        return []
    if all(x.contains(0) for x in entries):
        raise Undecided("the null part may be zero: raise the precision, or narrow the balls")
    return [Part(matrix, acb(0), PlaneKind.NULL)]
