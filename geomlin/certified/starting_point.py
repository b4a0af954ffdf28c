"""An approximate logarithm of a rotor, where the proof of `logarithm` starts; nothing is proved.

The rotor is first turned by a tiny generic rotor, exp(c) R, so that the eigenvalues of its matrix
O are distinct: half turns, equal angles and Jordan blocks then need no case of their own.  With
O = V diag(x) V^-1 the generator is M = V diag(log x / 2) V^-1; where exp gives -R, the largest
angle is moved by pi.

With null vectors this is done for the coefficients without them, B'.  The couplings c of B follow
from the null rows of O, which are those of exp(2M):

    o = -c^T G int_0^2 e^(sM') ds,   M' = b' G.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import flint
from flint import acb, acb_mat, arb, arb_mat

from ..errors import Undecided
from ..precision import working_precision
from .cover import matrix_rows
from .elements import Coefficients, Metric
from .exponential import exp_coefficients

_COMPARED_BITS = 64


def approximate_log(
    rotor: Coefficients, metric: Metric, turned_bits: int, *, up_to_sign: bool
) -> tuple[list[list[Any]], int]:
    """A bivector b_ij of points with exp(B) nearly s R, and the sign s; |c| = 2^-turned_bits."""
    inner = tuple(g for g in metric if g)
    if not metric:
        return _of_number(rotor, up_to_sign=up_to_sign)
    if len(inner) < len(metric):
        return _with_couplings(rotor, metric, inner, turned_bits, up_to_sign=up_to_sign)
    bits = flint.ctx.prec
    with working_precision(4 * bits):
        matrix = _turned(matrix_rows(rotor, metric), metric, turned_bits)
        values, right = acb_mat(matrix).eig(right=True, algorithm="approx")
        angles = [_half_log(value) for value in values]
        try:
            left = right.inv()
        except ZeroDivisionError as error:
            raise Undecided("no logarithm was found: raise the precision") from error
        b = _bivector(right, angles, left, metric)
        sign = _sign(b, rotor, metric)
        if sign < 0 and not up_to_sign:
            b, sign = _bivector(right, _moved(values, angles), left, metric), 1
    return b, sign


def _of_number(rotor: Coefficients, *, up_to_sign: bool) -> tuple[list[list[Any]], int]:
    """log of a number near 1, or of one near -1 up to its sign."""
    if rotor.get(0, arb(0)).mid() > 0:
        return [], 1
    if not up_to_sign:
        raise Undecided("no logarithm was found: the rotor may have none")
    return [], -1


def _with_couplings(
    rotor: Coefficients, metric: Metric, inner: Metric, turned_bits: int, *, up_to_sign: bool
) -> tuple[list[list[Any]], int]:
    """The same with null vectors, but for products of two of them."""
    m, n = len(inner), len(metric)
    regular = {mask: x for mask, x in rotor.items() if mask < 1 << m}
    first, sign = approximate_log(regular, inner, turned_bits, up_to_sign=up_to_sign)
    b = [[first[i][j] if max(i, j) < m else arb(0) for j in range(n)] for i in range(n)]
    if not m:
        return b, sign
    with working_precision(4 * flint.ctx.prec):
        rows = arb_mat([row[:m] for row in matrix_rows(rotor, metric)[m:]]).mid()
        doubled = arb_mat(2 * m, 2 * m)
        for i in range(m):
            doubled[i, m + i] = arb(2)
            for j in range(m):
                doubled[i, j] = 2 * first[i][j] * inner[j]
        whole = doubled.exp()
        integral = arb_mat([[whole[i, m + j] for j in range(m)] for i in range(m)]).mid()
        try:
            solved = integral.transpose().solve(rows.transpose())  # -(G c), one column for each row
        except ZeroDivisionError as error:
            raise Undecided("no logarithm was found beside a full turn") from error
    for i in range(m):
        for k in range(n - m):
            b[i][m + k] = (-inner[i] * solved[i, k]).mid()
            b[m + k][i] = -b[i][m + k]
    return b, sign


def _turned(rows: list[list[Any]], metric: Metric, turned_bits: int) -> Any:
    """exp(2 c G) O of points, for a fixed bivector c of size 2^-turned_bits."""
    n = len(metric)
    c = arb_mat(n, n)
    for k, (i, j) in enumerate(combinations(range(n), 2)):
        irregular = arb((k * k * 7919 + k * 104729 + 1299709) % 1021 - 510) / 510
        step = irregular * arb(2) ** -turned_bits
        c[i, j], c[j, i] = step * metric[j], -step * metric[i]
    return (c.exp() * arb_mat(rows)).mid()


def _half_log(value: Any) -> Any:
    """log(x) / 2, principal, of an eigenvalue; 0 for what is no number at all."""
    return (value.log() / 2).mid() if not value.contains(0) else acb(0)


def _bivector(right: Any, angles: list[Any], left: Any, metric: Metric) -> list[list[Any]]:
    """b_ij with b G = V diag(angles) V^-1, from its non-null columns."""
    n = len(metric)
    diagonal = acb_mat(n, n)
    for i, angle in enumerate(angles):
        diagonal[i, i] = angle
    m = (right * diagonal * left).mid()
    b = [[arb(0)] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        first = m[i, j].real * metric[j]
        second = m[j, i].real * metric[i]
        entry = (first - second) / (abs(metric[i]) + abs(metric[j]) or 1)  # null columns are 0
        b[i][j], b[j][i] = entry.mid(), -entry.mid()
    return b


def _sign(b: list[list[Any]], rotor: Coefficients, metric: Metric) -> int:
    """The s for which exp(B) is nearer to s R."""
    masks = tuple(rotor)
    found = exp_coefficients(bivector_coefficients(b), metric, masks, _COMPARED_BITS)
    same = sum((abs(x - rotor[m]).mid() for x, m in zip(found, masks, strict=True)), arb(0))
    opposite = sum((abs(x + rotor[m]).mid() for x, m in zip(found, masks, strict=True)), arb(0))
    return -1 if opposite.mid() < same.mid() else 1


def bivector_coefficients(b: list[list[Any]]) -> dict[int, Any]:
    """b_ij by mask, those that are not zero."""
    return {
        1 << i | 1 << j: b[i][j] for i, j in combinations(range(len(b)), 2) if not b[i][j].is_zero()
    }


def _moved(values: list[Any], angles: list[Any]) -> list[Any]:
    """The angles with the largest elliptic pair +-i beta replaced by +-i (beta - pi)."""
    near = arb(2) ** -(flint.ctx.prec // 16)
    elliptic = [i for i, x in enumerate(values) if abs(abs(x) - 1) < near]
    if len(elliptic) < 2:
        raise Undecided("no logarithm was found: the rotor may have none")
    highest = max(elliptic, key=lambda i: float(angles[i].imag.mid()))
    mirrored = values[highest].conjugate()
    others = [i for i in elliptic if i != highest]
    lowest = min(others, key=lambda i: float(abs(values[i] - mirrored).mid()))
    moved = list(angles)
    moved[highest] = acb(angles[highest].real, angles[highest].imag - arb.pi()).mid()
    moved[lowest] = acb(angles[lowest].real, angles[lowest].imag + arb.pi()).mid()
    return moved
