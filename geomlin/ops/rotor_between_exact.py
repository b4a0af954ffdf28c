"""rotor_between over balls and symbols, one pair of vectors at a time.

The formulas are those of `rotor_between`; which of them holds is proved, or the answer refused.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotInImage, NotInvertible
from ..layout import even_layout, grade_layout
from ..missing import one_by_one
from .decisions import first_largest, sign_of
from .grades import with_layout
from .products import geometric_product, outer_product

if TYPE_CHECKING:
    from ..multivector import Multivector
    from .failures import OnError

_SLACK = 1e-6  # axes, and coefficients, this close to the best one count as equal

Numbers = list[Any]


def rotor_between_exactly(a: Multivector, b: Multivector, on_error: OnError) -> Multivector:
    """The rotors R with R a ~R parallel to b, for vectors over arb or sympy."""
    backend = _elements(a)
    layout = even_layout(a.algebra.n)
    shape = np.broadcast_shapes(a.shape, b.shape)
    first, second = (np.broadcast_to(v.coeffs, (*shape, a.algebra.n)) for v in (a, b))

    def rotor(index: tuple[int, ...]) -> Numbers:
        with backend.arithmetic() if a.algebra.backend == "arb" else nullcontext():
            return _rotor(list(first[index]), list(second[index]), a)

    answers = one_by_one(shape, rotor, (NotInvertible, NotInImage), on_error)
    result = np.empty((*shape, layout.size), dtype=object)
    for index, values in zip(np.ndindex(shape), answers, strict=True):
        result[index] = backend.element(0) * float("nan") if values is None else values
    return a.replace(layout, result)


def _rotor(x: Numbers, y: Numbers, like: Multivector) -> Numbers:
    """Even coefficients of the rotor from x to y."""
    metric = like.algebra.metric
    signs = [sign_of(_product(v, v, metric), "the square of a vector") for v in (x, y)]
    if 0 in signs:
        raise NotInvertible(
            "expected vectors with a^2 != 0, got a zero or null one: it has no unit multiple"
        )
    if signs[0] != signs[1]:
        raise NotInImage(
            "expected a^2 b^2 > 0, got squares of opposite sign: rotors preserve the square of a "
            "vector",
            reason="square",
        )
    values = _in_plane(x, y, signs[0], like)
    return _through_half_turn(x, y, signs[0], like) if values is None else values


def _elements(like: Multivector) -> Any:
    """The backend, which makes single coefficients."""
    return like.algebra.backend_object


def _product(x: Numbers, y: Numbers, metric: tuple[int, ...]) -> Any:
    """x . y."""
    return sum(g * u * v for g, u, v in zip(metric, x, y, strict=True))


def _in_plane(x: Numbers, y: Numbers, sign: int, like: Multivector) -> Numbers | None:
    """R_0 + s v ^ u / (2 R_0); None where c <= -1."""
    algebra, backend = like.algebra, _elements(like)
    root = backend.root
    metric, pairs = algebra.metric, list(combinations(range(algebra.n), 2))
    size = root(_product(x, x, metric) * _product(y, y, metric))
    cosine = sign * _product(x, y, metric) / size
    wedge = [x[i] * y[j] - x[j] * y[i] for i, j in pairs]
    if _is_negative(cosine):
        square = -sum(metric[i] * metric[j] * w * w for (i, j), w in zip(pairs, wedge, strict=True))
        if sign_of(square, "(b ^ a)^2 of nearly antiparallel vectors") >= 0:
            return None
        more = -square / (size * size * (1 - cosine))
    else:
        more = 1 + cosine
    scalar = root(more / 2)
    values = [backend.element(0)] * even_layout(algebra.n).size
    values[0] = scalar
    values[1 : 1 + len(pairs)] = [-sign * w / (2 * scalar * size) for w in wedge]
    return values


def _is_negative(cosine: Any) -> bool:
    """Whether c < 0; a ball around zero counts as positive, where 1 + c is as good."""
    if hasattr(cosine, "is_exact"):
        return bool(cosine < 0)
    return sign_of(cosine, "a . b") < 0


def _through_half_turn(x: Numbers, y: Numbers, sign: int, like: Multivector) -> Numbers:
    """The half turn from x to -x followed by the rotor from -x to y, with the sign that makes the
    scalar part positive, or zero and then the first of the largest coefficients."""
    algebra, backend = like.algebra, _elements(like)
    root = backend.root
    metric, n = algebra.metric, algebra.n
    axes = [i for i in range(n) if metric[i] == sign]
    if len(axes) < 2:
        raise NotInImage(
            "expected vectors in one light cone, got opposite ones: no rotor exchanges them; turn "
            "b around",
            reason="component",
        )
    length = root(sum(x[i] * x[i] for i in axes))
    unit = {i: x[i] / length for i in axes}
    sizes = [-abs(unit[i]) for i in axes]
    pivot = axes[first_largest(sizes, "the difference of two coefficients of a", slack=_SLACK)]
    other = [(int(i == pivot) - unit[pivot] * unit[i]) if i in unit else 0 * x[i] for i in range(n)]
    norm = root(sum(v * v for v in other))
    scale = root(sign * _product(x, x, metric))
    vectors = [
        like.replace(grade_layout(n, 1), np.array([v / by for v in values], dtype=object))
        for values, by in ((x, scale), (other, norm))
    ]
    onwards = _in_plane([-v for v in x], y, sign, like)
    rotor = like.replace(even_layout(n), np.array(onwards, dtype=object))
    product = geometric_product(rotor, outer_product(*vectors))
    values = list(with_layout(product, even_layout(n)).coeffs)
    leading = sign_of(values[0], "the scalar part of the rotor")
    if leading == 0:
        what = "the difference of two coefficients of the rotor"
        largest = first_largest([abs(v) for v in values], what, slack=_SLACK)
        leading = sign_of(values[largest], "the largest coefficient of the rotor")
    return [leading * v for v in values]
