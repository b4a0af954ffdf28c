"""ad_B on bivectors, and phi(ad_B) with phi(z) = (e^z - 1) / z: the derivative of exp.

d exp(B) = Omega exp(B), Omega = phi(ad_B) dB, ad_B y = [B, y].
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from flint import arb, arb_mat

from .elements import Metric


def adjoint(b: Any, metric: Metric, zero: Any) -> list[list[Any]]:
    """The matrix of ad_B on the bivectors e_p e_q, p < q, for b indexed [i][j]."""
    n = len(metric)
    pairs = list(combinations(range(n), 2))
    position = {pair: k for k, pair in enumerate(pairs)}
    rows = [[zero] * len(pairs) for _ in pairs]

    def add(i: int, j: int, column: int, value: Any) -> None:
        if i != j:
            row, sign = (position[i, j], 1) if i < j else (position[j, i], -1)
            rows[row][column] = rows[row][column] + sign * value

    for column, (p, q) in enumerate(pairs):
        for i in range(n):  # [e_i e_p b_ip, e_p e_q] = 2 b_ip g_p e_i e_q, and the like for q
            add(i, q, column, 2 * metric[p] * b[i][p])
            add(p, i, column, 2 * metric[q] * b[i][q])
    return rows


def enclosed_derivative(b: list[list[Any]], metric: Metric) -> Any:
    """phi(ad_B) as an arb_mat, for all B in the balls."""
    a = adjoint(b, metric, arb(0))
    size = len(a)
    augmented = arb_mat(2 * size, 2 * size)
    for i in range(size):
        for j in range(size):
            augmented[i, j] = a[i][j]
        augmented[i, size + i] = arb(1)
    exponential = augmented.exp()
    return arb_mat(size, size, [exponential[i, size + j] for i in range(size) for j in range(size)])


def approximate_inverse(b: list[list[Any]], metric: Metric) -> Any:
    """A point matrix near phi(ad_B)^-1; ZeroDivisionError where floats of this precision see none.

    B is a point.  Nothing is proved about it here.
    """
    return enclosed_derivative(b, metric).inv().mid()
