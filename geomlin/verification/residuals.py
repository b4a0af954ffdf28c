"""How well returned parts decompose a bivector: residuals in exact arithmetic, in units of eps.

For B = sum_i b_i with simple commuting b_i the residuals are the largest coefficients of

    sum:        sum_i b_i - B                                   in units of size
    simple:     b_i ^ b_i                                       in units of size^2
    commute:    (b_i b_j - b_j b_i) / 2                         in units of size^2
    square:     <b_i^2> minus the square that was reported      in units of size^2

where size is the largest coefficient of B and of its parts.  With null basis vectors everything is
taken for each null-degree, a product of two bivectors having the products of the sizes of
complementary degrees; for null-degree 2, which parts with translations have even where B has none,
size is at least size_1^2 / size_0, to which it goes with the scale of the null vectors.  Complex
pairs and defective blocks, being no planes, need not be simple.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..plane_kind import PlaneKind
from ..signature import Signature
from .reference import as_integers
from .representation import FloatArray

Integers = NDArray[np.object_]
Graded = Iterator[tuple[int, int]]  # (null-degree, coefficient times 2^exponent)

NILPOTENT = 1e-6  # parts with |b_i^2| below this fraction of |b_i|^2 get no allowance
BLOCKS = (PlaneKind.COMPLEX_PAIR, PlaneKind.DEFECTIVE)


@dataclass(frozen=True, eq=False)
class Parts:
    """A returned decomposition: parts (k, n, n) antisymmetric, squares and kinds (k,)."""

    parts: NDArray[np.floating]
    squares: NDArray[np.complexfloating]
    kinds: NDArray[np.integer]


def residuals(b: NDArray[np.floating], found: Parts, signature: Signature) -> dict[str, float]:
    """The four residuals, eps being that of the dtype of the parts; infinite when not finite."""
    names = ("sum", "simple", "commute", "square")
    if not np.isfinite(found.parts).all():
        return dict.fromkeys(names, np.inf)
    null = [int(g == 0) for g in signature.metric]
    stacked, exponent = as_integers(np.concatenate([b[None], found.parts]))
    whole, parts = stacked[0], stacked[1:]
    unit = _Unit(stacked, null, exponent, np.finfo(found.parts.dtype))
    simple = [k for k, kind in enumerate(found.kinds) if kind not in BLOCKS]
    g = np.array(signature.metric, dtype=object)
    pairs = combinations(range(len(parts)), 2)
    return {
        "sum": unit.linear(_entries(parts.sum(axis=0) - whole, null)),
        "simple": max((unit.quadratic(_wedge_square(parts[k], null)) for k in simple), default=0.0),
        "commute": max(
            (unit.quadratic(_entries(_commutator(parts[i], parts[j], g), null)) for i, j in pairs),
            default=0.0,
        ),
        "square": max(
            (unit.scalar(_square(parts[k], g), found.squares[k]) for k in simple), default=0.0
        ),
    }


def _entries(matrix: Integers, null: list[int]) -> Graded:
    """Coefficients of a bivector with their null-degrees."""
    for i, j in combinations(range(len(null)), 2):
        yield null[i] + null[j], matrix[i, j]


def _wedge_square(b: Integers, null: list[int]) -> Graded:
    """Coefficients 2 (b_ij b_kl - b_ik b_jl + b_il b_jk) of b ^ b."""
    for i, j, k, m in combinations(range(len(null)), 4):
        pfaffian = b[i, j] * b[k, m] - b[i, k] * b[j, m] + b[i, m] * b[j, k]
        yield null[i] + null[j] + null[k] + null[m], 2 * pfaffian


def _commutator(a: Integers, b: Integers, g: Integers) -> Integers:
    """(AB - BA) / 2 = a G b - b G a as a matrix."""
    return np.asarray((a * g).dot(b) - (b * g).dot(a))


def _square(b: Integers, g: Integers) -> int:
    """<b^2> = -sum_{i<j} g_i g_j b_ij^2."""
    pairs = combinations(range(len(g)), 2)
    return -sum((int(g[i] * g[j]) * int(b[i, j]) ** 2 for i, j in pairs), 0)


def _float(ratio: Fraction) -> float:
    """The nearest float, infinity beyond the range."""
    try:
        return float(ratio)
    except OverflowError:
        return np.inf


class _Unit:
    """Largest coefficients of each null-degree, and residuals in units of them."""

    def __init__(
        self, stacked: Integers, null: list[int], exponent: int, info: np.finfo[np.floating]
    ) -> None:
        self.exponent = exponent
        self.eps = Fraction(float(info.eps))
        self.overflow = Fraction(float(info.max))
        self.smallest = Fraction(float(info.smallest_subnormal)) * 2**exponent
        self.size = {0: 0, 1: 0, 2: 0}
        for matrix in stacked:
            for degree, entry in _entries(matrix, null):
                self.size[degree] = max(self.size[degree], abs(entry))
        if self.size[0]:
            self.size[2] = max(self.size[2], self.size[1] ** 2 // self.size[0])

    def linear(self, entries: Graded) -> float:
        """max |entry_d| / (eps size_d), never in units below the smallest float."""
        return max(
            (_float(abs(e) / max(self.eps * self.size[d], self.smallest)) for d, e in entries),
            default=0.0,
        )

    def quadratic(self, entries: Graded) -> float:
        """max |entry_d| / (eps max over c of size_c size_(d-c)), as for products of bivectors."""
        return max((_float(abs(e) / self._product(d)) for d, e in entries), default=0.0)

    def scalar(self, square: int, reported: complex) -> float:
        """|square - reported| / (eps size_0^2); beyond the float range infinity is right."""
        if not np.isfinite(reported):
            exact = Fraction(square, 4**self.exponent) * (1 if reported.real > 0 else -1)
            return 0.0 if exact > self.overflow else np.inf
        gap = abs(square - Fraction(float(reported.real)) * 4**self.exponent)
        imaginary = abs(Fraction(float(reported.imag))) * 4**self.exponent
        unit = max(self._product(0), self.smallest * 2**self.exponent)
        return _float(max(gap, imaginary) / unit)

    def _product(self, degree: int) -> Fraction:
        """The unit of null-degree `degree` of a product of two bivectors of this size."""
        products: list[Fraction] = [
            max(self.eps * self.size[c], self.smallest) * max(Fraction(self.size[d]), self.smallest)
            for c in self.size
            for d in self.size
            if c + d == degree
        ]
        return max(products, default=self.smallest**2)


def tie_width(b: FloatArray) -> float:
    """|b| / max|b|, |b| the largest Euclidean angle: ties are 8 eps |b| wide, and may be dropped.

    In a definite metric |b| is the largest of the |b_i|.
    """
    largest = float(np.abs(b).max(initial=0.0))
    return float(np.linalg.norm(b / largest, 2)) if largest else 0.0


def projector_size(found: Parts, signature: Signature) -> float:
    """max |entry| of the spectral projectors that the parts belong to, at least 1.

    With X = (b_i G)^2 and its eigenvalue x = b_i^2 (or x and its conjugate) on the part, 0 beside
    it, the projector is 1 - ((X - x)(X - x*) / |x|^2)^k for any k that makes (X - x)^k vanish; only
    defective blocks need k > 1.  Orthogonal, hence at most 1, in a definite metric; in others
    b_i = P B P~ shows that rounding is amplified by up to its square.  Null and nearly nilpotent
    parts count as 1.
    """
    m = signature.p + signature.q
    if signature.p == 0 or signature.q == 0 or not np.isfinite(found.parts).all():
        return 1.0
    g = np.array(signature.metric[:m], dtype=float)
    worst = 1.0
    parts = found.parts[:, :m, :m].astype(np.float64)
    for part, square, kind in zip(parts, found.squares, found.kinds, strict=True):
        scale = np.abs(part).max()
        x = complex(square) / scale / scale if scale else 0j
        if kind in (PlaneKind.ZERO, PlaneKind.NULL) or abs(x) < NILPOTENT:
            continue
        generator = (part / scale) * g
        power = generator @ generator
        vanishing = (power @ power - 2 * x.real * power) / abs(x) ** 2 + np.eye(m)
        order = m // 2 if kind == PlaneKind.DEFECTIVE else 1
        projector = np.eye(m) - np.linalg.matrix_power(vanishing, order)
        worst = max(worst, float(np.abs(projector).max()))
    return worst
