"""Vectors of the gradients of exp, log and the matrix of a rotor.

With phi(z) = (e^z - 1) / z and l_ij = <r_bar, e_i e_j R>, R = exp(B):

    exp_vjp:    b_bar = phi(ad_B)^T l
    log_vjp:    <r_bar, e_ij R> = (phi(ad_B)^-T b_bar)_ij
    rotor_to_matrix_vjp:    <r_bar, e_ij R> = <m_bar, 2 (e_ij G) M>

A gradient with respect to a rotor is defined on the tangents e_ij R only.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat

from ..certified.adjoint import enclosed_derivative
from ..precision import working_precision
from ..signature import Signature
from ..verification.reference import BITS, as_ball, exact_exp, exact_sandwich, product_sign
from ..verification.representation import even_blades
from .drafts import DTYPES, Draft, draft
from .families import GAP, euclidean
from .inputs import Draw, Matrix, angles, fits, planes, rounded, rounded_list, turned, upper, wedge
from .references import Answer


class Point(NamedTuple):
    """Where a gradient is taken, and why there."""

    signature: Signature
    b: Matrix
    flags: list[str]
    comment: str


def points() -> Iterator[Point]:
    """The table of cases: zero, one plane, equal and nearly equal angles, null, half turn."""
    for n in (3, 4, 6, 8, 10):
        yield from _euclidean(n)
    yield Point(Signature(2, 1, 0), wedge([1, 0, 1], [0, 1, 0]), ["GRADIENT_NULL"], "null rotation")
    sta = Signature(1, 3, 0)
    yield Point(sta, wedge([1, 1, 0, 0], [0, 0, 1, 0]), ["GRADIENT_NULL"], "null rotation")
    space = Signature(3, 0, 1)
    shift = planes(4, (1, 4, 0.5), (2, 4, -2.0), (3, 4, 1.0))
    yield Point(space, shift, ["GRADIENT_NULL"], "a translation")


def _euclidean(n: int) -> Iterator[Point]:
    signature, count = euclidean(n), n // 2
    yield Point(signature, planes(n), ["GRADIENT_AT_ZERO"], "zero")
    yield Point(signature, Draw(900 + n).bivector(n, 0.3), ["GRADIENT"], "random")
    flags = ["GRADIENT_EQUAL_ANGLES"]
    yield Point(signature, angles(n, [0.6875]), flags if n > 3 else ["GRADIENT"], "0.6875 e12")
    frame = Draw(910 + n).axes(signature)
    half = turned(angles(n, [pi / 2]), signature, frame)
    yield Point(signature, half, ["GRADIENT_HALF_TURN"], "a half turn")
    if n == 3:
        return
    equal = angles(n, [0.6875] * count)
    yield Point(signature, equal, flags, "equal angles 0.6875")
    yield Point(signature, turned(equal, signature, frame), flags, "equal angles, turned")
    for gap in (2.0**-23, GAP):
        near = angles(n, [0.6875 + k * gap for k in range(count)])
        comment = f"angles a gap {gap:.0e} apart, turned"
        yield Point(signature, turned(near, signature, frame), ["GRADIENT_NEAR_EQUAL"], comment)


def gradient_drafts() -> Iterator[Draft]:
    """Group gradient."""
    for k, point in enumerate(points()):
        yield _exp_draft(point, k)
        yield _log_draft(point, k)
        if point.signature.n <= 6:
            for dtype in DTYPES if _dtype(point) == "float32" else DTYPES[:1]:
                yield _matrix_draft(point, k, dtype)


def _dtype(point: Point) -> str:
    return (
        "float64" if {"GRADIENT_NEAR_EQUAL", "GRADIENT_HALF_TURN"} & {*point.flags} else "float32"
    )


def _phi(b: Any, signature: Signature) -> Any:
    """phi(ad_B) as balls, columns dB."""
    return enclosed_derivative([[arb(x) for x in row] for row in b.tolist()], signature.metric)


def _turning(b: Any) -> float:
    """How many times the size of a perturbation dB the answer can change: at least 1."""
    return max(1.0, 2 * float(np.abs(b).sum(axis=0).max(initial=0.0)))


def _cotangent(seed: int, size: int) -> list[float]:
    """A dense cotangent, of a few entries where there are many."""
    values = rounded_list(Draw(seed).numbers(size), "float32")
    step = max(1, size // 64)
    return [x if k % step == 0 else 0.0 for k, x in enumerate(values)]


def _exp_draft(point: Point, k: int) -> Draft:
    signature, b = point.signature, rounded(point.b, _dtype(point))
    masks = even_blades(signature.n)
    position = {mask: k for k, mask in enumerate(masks)}
    r_bar = _cotangent(5000 + k, len(masks))
    with working_precision(BITS):
        rotor, phi = exact_exp(b, signature), _phi(b, signature)
        pairs = _pairs(signature.n)
        terms = [
            [
                product_sign(pair, mask ^ pair, signature) * rotor[position[mask ^ pair]] * arb(x)
                for mask, x in zip(masks, r_bar, strict=True)
                if x
            ]
            for pair in pairs
        ]
        covector = arb_mat([[sum(row, arb(0))] for row in terms])
        sizes = arb_mat([[sum((abs(x) for x in row), arb(0))] for row in terms])
        answer = (phi.transpose() * covector).entries()
        size = max(float(x.mid()) for x in (_absolute(phi).transpose() * sizes).entries())
    return draft(
        "exp_vjp",
        signature,
        {"b": upper(b), "r_bar": r_bar},
        point.flags,
        point.comment,
        answer=Answer(answer, size * _turning(b)),
    )


def _log_draft(point: Point, k: int) -> Draft:
    signature, dtype = point.signature, _dtype(point)
    b = rounded(point.b, dtype)
    b_bar = rounded_list(Draw(6000 + k).numbers(len(upper(b))), "float32")
    with working_precision(BITS):
        rotor = [float(x) for x in exact_exp(b, signature)]
        phi = _phi(b, signature)
        inverse = phi.inv()
        covector = arb_mat([[arb(x)] for x in b_bar])
        answer = (inverse.transpose() * covector).entries()
        absolute = _absolute(inverse).transpose()
        size = max(float(x.mid()) for x in (absolute * _absolute(covector)).entries())
        condition = float((_row_sum(phi) * _row_sum(inverse)).mid())
    dtypes = None if fits(rotor, "float32") else ["float64"]
    return draft(
        "log_vjp",
        signature,
        {"r": rotor, "b_bar": b_bar},
        point.flags,
        f"exp of: {point.comment}",
        answer=Answer(answer, size * _turning(b) * max(1.0, condition)),
        check="tangent",
        dtypes=dtypes,
    )


def _matrix_draft(point: Point, k: int, dtype: str) -> Draft:
    """<m_bar, 2 (e_ij G) M> with the exact M of the rounded rotor."""
    signature = point.signature
    n, g = signature.n, signature.metric
    rotor = np.array([float(x) for x in exact_exp(rounded(point.b, dtype), signature)])
    rotor = rotor.astype(dtype).astype(float)
    m_bar = rounded_list(Draw(7000 + k).numbers(n * n), "float32")
    with working_precision(BITS):
        entries = [as_ball(x) for x in exact_sandwich(rotor, signature)]
        m = [entries[i * n : (i + 1) * n] for i in range(n)]
        bars = [[arb(x) for x in m_bar[i * n : (i + 1) * n]] for i in range(n)]
        answer, sizes = [], []
        for i in range(n):
            for j in range(i + 1, n):  # rows of (e_i e_j^T - e_j e_i^T) G M
                terms = [2 * g[j] * m[j][c] * bars[i][c] for c in range(n)]
                terms += [-2 * g[i] * m[i][c] * bars[j][c] for c in range(n)]
                answer.append(sum(terms, arb(0)))
                sizes.append(float(sum((abs(t) for t in terms), arb(0)).mid()))
    size = max(sizes) * float(np.abs(rotor).sum()) ** 2
    return draft(
        "rotor_to_matrix_vjp",
        signature,
        {"r": rotor.tolist(), "m_bar": m_bar},
        point.flags,
        f"exp of: {point.comment}",
        answer=Answer(answer, size),
        check="tangent",
        dtypes=[dtype],
    )


def _pairs(n: int) -> list[int]:
    return [1 << i | 1 << j for i in range(n) for j in range(i + 1, n)]


def _absolute(matrix: Any) -> Any:
    """Entrywise absolute values."""
    return arb_mat(matrix.nrows(), matrix.ncols(), [abs(x) for x in matrix.entries()])


def _row_sum(matrix: Any) -> Any:
    """The largest sum of absolute values in a row."""
    rows = [sum((abs(x) for x in row), arb(0)) for row in matrix.tolist()]
    return max(rows, key=lambda x: float(x.mid()))
