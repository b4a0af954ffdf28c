"""Single steps in the factorization of a versor into vectors.

Let V be a versor with top-grade part A, of grade k.  A is a blade, and V lies in the algebra of its
space W.  For an invertible v in W, A ^ v = 0, so V v^-1 has top grade k - 1 at most: every such
step takes one vector off.  If W is totally null no such v exists; then V x, with an invertible
vector x outside of W, has a space that is not.

Multivectors here are unbatched, with coefficients that are float64 near one, or Fractions.  `drop`
is the size, relative to max |V|, up to which a top grade counts as rounding; None for Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..blades import reorder_sign
from ..kernels.lift import rotor_matrix
from ..layout import Layout, grade_layout, layout_of
from .bivectors import to_compact
from .exponential import outer_exp
from .grades import with_layout
from .involutions import reverse
from .norms import norm_squared
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_NULL = 2.0**-20  # |v^2| / sum v_i^2 up to which floats do not divide by v: it is as good as null
_GOOD = 0.5  # |v^2| / sum v_i^2 from which no better v is looked for
_EPS = float(np.finfo(np.float64).eps)
_NOISE = 2.0**-46  # of sum_S V_S^2: a displacement up to that is rounding
_ROUNDINGS = 4  # eps of the sum of |terms| up to which the square of the last vector is zero


class Step(NamedTuple):
    """A vector that V is divided by, what remains, and how far both are from null."""

    quality: Any
    vector: Multivector
    rest: Multivector


def top_grade(v: Multivector, drop: float | None) -> int:
    """The highest grade with a coefficient above rounding; -1 for zero."""
    sizes = np.abs(v.coeffs)
    if not len(sizes) or max(sizes) == 0:
        return -1
    large = np.array(sizes > (drop or 0) * max(sizes), dtype=bool)
    return int(v.layout.grade_array[large].max())


def structured(v: Multivector) -> Multivector:
    """V_P outer_exp(T) E_P, where P is the null-free blade with the largest coefficient of V, and T
    the part of grade 2 of V E_P^-1 / V_P.  This is V itself if V is a versor.

    For V near E_P it restores the small coefficients, whose products span W: rounding of V at the
    size of V_P hides them.
    """
    n, metric = v.algebra.n, v.algebra.metric
    null = sum(1 << i for i, square in enumerate(metric) if square == 0)
    sizes = np.where(v.layout.mask_array & null == 0, np.abs(v.coeffs), 0.0)
    if n < 2 or sizes.max(initial=0.0) == 0.0:
        return v
    place = int(sizes.argmax())
    blade = v.replace(layout_of(n, [v.layout.masks[place]]), np.ones(1))
    quotient = geometric_product(v, reverse(blade)) * norm_squared(blade)["1"]
    plane = quotient.grade(2) / v.coeffs[place]
    found: Multivector = geometric_product(outer_exp(plane), blade) * v.coeffs[place]
    return found


@cache
def _lower_layout(n: int, k: int) -> Layout:
    """The blades of grades k - 1, k - 3, .."""
    return layout_of(n, [m for m in range(1 << n) if m.bit_count() in range(k - 1, -1, -2)])


def _space(v: Multivector, k: int) -> Any:
    """Basis (k, n) of the space of the top-grade blade A, in echelon form.

    For the largest coefficient A_S, and i in S: f_i = e_i + sum_j +-A_(S - i + j) / A_S e_j, j not
    in S; no entry is larger than one.
    """
    n = v.algebra.n
    blade = with_layout(v, grade_layout(n, k))
    pivot = int(np.argmax(np.abs(blade.coeffs)))
    mask = blade.layout.masks[pivot]
    basis = []
    for i in (i for i in range(n) if mask >> i & 1):
        others = mask ^ 1 << i
        row = np.zeros_like(blade.coeffs, shape=n)
        for j in (j for j in range(n) if not others >> j & 1):
            position = blade.layout.position[others | 1 << j]
            sign = reorder_sign(others, 1 << j) * reorder_sign(others, 1 << i)
            row[j] = sign * blade.coeffs[position] / blade.coeffs[pivot]
        basis.append(row)
    return basis


def _displacements(v: Multivector) -> list[Any]:
    """The large ones among the vectors f(e_j) - e_j, f(x) = +-V x V^-1, in a definite metric.

    They lie in W, and are known to eps over their length; large planes come before small ones.
    """
    metric, signs, rotor = v.algebra.metric, np.ones(v.algebra.n), v
    if v.layout.grade_array[int(np.abs(v.coeffs).argmax())] % 2:
        signs[0], rotor = -1.0, geometric_product(v, v.algebra.basis_vectors[0])
    compact = to_compact(rotor)
    square = (compact**2).sum()
    rows = (rotor_matrix(compact, metric) * signs - square * np.eye(v.algebra.n)).T
    sizes = np.sqrt((rows * rows).sum(axis=-1))
    limit = max(0.5 * sizes.max(), _NOISE * square)
    return [row / size for row, size in zip(rows, sizes, strict=True) if size > limit]


def _candidates(v: Multivector, k: int, drop: float | None) -> list[tuple[Any, Any]]:
    """Vectors of W, and how far each is from null.

    The basis f_i of the top grade, and f_i + f_j, f_i - f_j: unless W is totally null, one of these
    is not.  In a definite metric none is, and displacements come first: rounding may tilt the f_i,
    if the top grade is small beside the others.
    """
    basis = _space(v, k)
    if v.algebra.signature.is_definite:
        found = basis if drop is None or k == 1 else _displacements(v) + basis
    else:
        pairs = [(x, y) for i, x in enumerate(basis) for y in basis[:i]]
        found = basis + [z for x, y in pairs for z in (x + y, x - y)]
    return [(_quality(x, v.algebra.metric, k), x) for x in found]


def _quality(x: Any, metric: tuple[int, ...], k: int) -> Any:
    """|v^2| / sum v_i^2, which bounds the growth of rounding in a division by v.

    For the last vector, which nothing is divided by, 1 unless its square is zero or rounding.
    """
    g = np.array(metric)
    square, regular = abs((g * x * x).sum()), (abs(g) * x * x).sum()
    if k > 1:
        return square / (x * x).sum()
    return int(square > (0 if x.dtype == object else _ROUNDINGS * _EPS) * regular)


def _divided(v: Multivector, x: Any, k: int, drop: float | None) -> tuple[Multivector, Multivector]:
    """The vector, of square +-1 for floats, and V v^-1 without grades k and more.

    A rounded square would lose |v|^2 / |v^2| of the digits of the product, and so would a product
    in place of the ratio of two parallel vectors.
    """
    metric = v.algebra.metric
    if drop is not None:
        x = x / np.sqrt(abs(_square(x, metric)))
    vector = v.replace(grade_layout(v.algebra.n, 1), x)
    if k == 1:
        place = int(np.argmax(np.abs(x)))
        return vector, v.algebra.scalar(with_layout(v, vector.layout).coeffs[place] / x[place])
    inverse = v.replace(vector.layout, x / _square(x, metric))
    return vector, with_layout(geometric_product(v, inverse), _lower_layout(v.algebra.n, k))


def _square(x: Any, metric: tuple[int, ...]) -> Any:
    """v^2, from exact products rounded once."""
    square = sum(g * Fraction(value) ** 2 for g, value in zip(metric, x.tolist(), strict=True))
    return square if x.dtype == object else float(square)


def best_step(v: Multivector, k: int, drop: float | None) -> Step | None:
    """The division by a vector of W after which neither the vector nor what is left is null."""
    best = None
    for quality, x in _candidates(v, k, drop):
        if quality <= (_NULL if drop is not None else 0):
            continue
        vector, rest = _divided(v, x, k, drop)
        left = top_grade(rest, drop)
        if left > 0 and not v.algebra.signature.is_definite:
            quality = min(quality, max(found for found, _ in _candidates(rest, left, drop)))
        if best is None or quality > best.quality:
            best = Step(quality, vector, rest)
        if best.quality >= _GOOD:
            break
    return best


def best_detour(v: Multivector, k: int, drop: float | None) -> Step | None:
    """V = (V x) x^-1 with an axis x outside of W, such that V x can be divided well."""
    best = None
    for axis, square in zip(v.algebra.basis_vectors, v.algebra.metric, strict=True):
        if square == 0:
            continue
        longer = geometric_product(v, axis)
        if top_grade(longer, drop) != k + 1:
            continue
        step = best_step(longer, k + 1, drop)
        if step is not None and (best is None or step.quality > best.quality):
            best = Step(step.quality, axis * square, longer)
    return best
