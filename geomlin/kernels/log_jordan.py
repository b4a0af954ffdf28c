"""Turns J, J^3 = -J, that commute with Jordan blocks.

A null part n ^ e with e^2 = s acts on span(n, e, m), m . n = 1, as one Jordan block of size three.
Two such blocks with equal s have a turn

    J = n_1 m_2 + m_1 n_2 + s e_1 e_2   (as a bivector with ^ in each term)

through three planes.  An elliptic block of an odd number of planes has J = M (-M^2)^(-1/2).
"""

from __future__ import annotations

import numpy as np

from .bits import Floats
from .definite import rotation_frame, wedge
from .eigenvalues import eigenvalues

DISTINCT = 2.0**-30  # relative size of squares and products that are not rounding


def turn_of_null_pair(parts: Floats, metric: Floats) -> Floats | None:
    """J of the first two of the null parts (k, n, n) whose blocks have size three and one sign."""
    blocks = [block for block in (_block(part, metric) for part in parts) if block is not None]
    for i, (n1, e1, s1) in enumerate(blocks):
        for n2, e2, s2 in blocks[i + 1 :]:
            if s1 == s2:
                m1 = _dual(n1, [e1, n2, e2], metric)
                m2 = _dual(n2, [e2, n1, e1, m1], metric)
                return np.asarray(wedge(n2, m1) + wedge(m2, n1) + s1 * wedge(e2, e1))
    return None


def _block(part: Floats, metric: Floats) -> tuple[Floats, Floats, float] | None:
    """n, e and s = e^2 = +-1 with part = n ^ e, n null; None if all of its plane is null."""
    plane = rotation_frame(part)[1][:, :2]
    values, vectors = np.linalg.eigh(plane.T @ (metric[:, None] * plane))
    largest = int(np.argmax(np.abs(values)))
    if abs(values[largest]) < DISTINCT:
        return None
    e = plane @ vectors[:, largest] / np.sqrt(abs(values[largest]))
    sign = float(np.sign(values[largest]))
    return part @ (metric * e) * sign, e, sign


def _dual(n: Floats, others: list[Floats], metric: Floats) -> Floats:
    """The shortest null m with m . n = 1, orthogonal to the others (which are orthogonal to n)."""
    rows = np.array([n, *others]) * metric
    right = np.zeros(len(rows))
    right[0] = 1.0
    m = np.linalg.lstsq(rows, right, rcond=None)[0]
    return np.asarray(m - 0.5 * (m @ (metric * m)) * n)


def turn_of_elliptic_block(part: Floats, metric: Floats) -> Floats | None:
    """J of a defective block of an odd number of planes with one angle; None for other blocks."""
    from scipy.linalg import sqrtm

    support = _support(part)
    if support.shape[1] % 4 != 2:
        return None
    action = support.T @ (part * metric) @ support
    form = support.T @ (metric[:, None] * support)
    negative = -action @ action
    if np.abs(np.linalg.det(action)) < DISTINCT or eigenvalues(negative).real.min() <= 0:
        return None
    turn = np.linalg.solve(np.real(sqrtm(negative)), action)
    return np.asarray(support @ turn @ np.linalg.inv(form) @ support.T)


def has_hidden_blocks(part: Floats) -> bool:
    """Whether a defective block is so large that it may contain blocks of odd size in pairs."""
    return bool(_support(part).shape[1] >= 8)


def _support(part: Floats) -> Floats:
    """Orthonormal basis of the image of a bivector."""
    angles, frame = rotation_frame(part)
    rank = 2 * int((angles > DISTINCT * angles.max(initial=0.0)).sum())
    return np.asarray(frame[:, :rank])
