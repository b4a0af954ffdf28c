"""phi(ad_B), phi(z) = (e^z - 1) / z, on bivectors: the derivative of exp divided by exp.

    d exp(B) = Omega exp(B),   Omega = phi(ad_B) dB = int_0^1 e^(2 s M) db e^(2 s M)^T ds,

with M = b G.

In a definite metric M is antisymmetric and phi(ad_B) is diagonal in the eigenvectors of M: entry
(j, k) is multiplied by phi(i t) = e^(i t/2) sin(t/2) / (t/2), without any cancellation at equal
angles.  Otherwise the integral over [0, 1] is doubled from a short one,

    Y(2 h) = Y(h) + E Y(h) E^T,   E = e^(2 h M),

for any Jordan structure.  Its transpose for the coefficient product has M^T in the place of M.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
from numpy.typing import NDArray

from .bits import Booleans, Floats, Metric, non_null
from .derivatives_products import antisymmetric, upper

SINGULAR = 2.0**-26  # phi below it (but for its decay at large angles) has lost half of the digits
_SERIES_RADIUS = 0.5
_SERIES_TERMS = 18


def average(b: Floats, y: Floats, g: Metric, *, transposed: bool = False) -> Floats:
    """phi(ad_B) Y, or its transpose applied to Y; b and y antisymmetric (batch, n, n)."""
    if _is_definite(g):
        return _in_eigenvectors(b, y, g, lambda half: _phi(half), transposed)
    return _by_doubling(b, y, g, transposed)


def inverse_average(
    b: Floats, y: Floats, g: Metric, *, transposed: bool = False
) -> tuple[Floats, Booleans]:
    """phi(ad_B)^-1 Y, or its transpose applied to Y, and where half of the digits are lost.

    Singular directions of phi(ad_B) are dropped (a pseudo-inverse), so the answer stays finite.
    """
    if not _is_definite(g):
        return _by_null_degree(b, y, g, transposed)
    singular = np.zeros(len(b), dtype=bool)

    def inverse(half: Floats) -> NDArray[np.complex128]:
        lost = (np.abs(np.sin(half)) < SINGULAR) & (np.abs(half) > 1)
        # The entry of z and its conjugate, w and -w, is symmetric: no bivector has it.
        singular[:] = (lost & ~np.eye(len(g), dtype=bool)[::-1]).any(axis=(1, 2))
        return np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, _phi(half)))

    return _in_eigenvectors(b, y, g, inverse, transposed), singular


def _is_definite(g: Metric) -> bool:
    return len(set(g)) == 1 and g[0] != 0


def _phi(half: Floats) -> NDArray[np.complex128]:
    """phi(2 i half) = e^(i half) sin(half) / half."""
    values: NDArray[np.complex128] = np.exp(1j * half) * np.sinc(half / np.pi)
    return values


def _in_eigenvectors(
    b: Floats,
    y: Floats,
    g: Metric,
    function: Callable[[Floats], NDArray[np.complex128]],
    transposed: bool,
) -> Floats:
    """Z (F o (Z* y Z)) Z*, F_jk = function((w_k - w_j)), where M z = -i w z."""
    size = np.abs(b).max(axis=(1, 2), initial=0.0)[:, None, None]
    unit = b * g[0] / np.where(size > 0, size, 1.0)
    w, z = np.linalg.eigh(1j * unit)
    with np.errstate(over="ignore"):  # angles beyond 1e16 have no digits, but a finite answer
        half = np.clip(size * (w[:, None, :] - w[:, :, None]), *_RANGE)
    factor = function(half)
    adjoint = z.conj().swapaxes(1, 2)
    result = z @ ((factor.conj() if transposed else factor) * (adjoint @ y @ z)) @ adjoint
    return _antisymmetric_part(result.real)


_RANGE = (-np.finfo(np.float64).max, np.finfo(np.float64).max)


def _antisymmetric_part(matrix: Floats) -> Floats:
    part: Floats = (matrix - matrix.swapaxes(1, 2)) / 2
    return part


def _by_doubling(b: Floats, y: Floats, g: Metric, transposed: bool) -> Floats:
    """The integral over [0, 1], doubled from one over [0, 2^-s], s for each element.

    Only the non-null block of M decides s: the rows of null vectors enter at most twice.
    """
    m = len(non_null(g))
    generator = 2.0 * b * np.array(g, dtype=np.float64)
    generator = generator.swapaxes(1, 2) if transposed else generator
    radius = np.abs(generator[:, :m, :m]).sum(axis=2).max(axis=1, initial=0.0)
    doublings = np.maximum(0, np.frexp(radius / _SERIES_RADIUS)[1])
    step = np.ldexp(1.0, -doublings)[:, None, None]
    action, total = _series(generator * step, y * step)
    keeps_length = len(set(non_null(g))) <= 1
    for k in range(int(doublings.max(initial=0))):
        active = doublings > k
        e = action[active]
        total[active] += e @ total[active] @ e.swapaxes(1, 2)
        e = e @ e
        if keeps_length:  # the nearest orthogonal matrix: rounding cannot grow over many turns
            q = e[:, :m, :m]
            e[:, :m, :m] = 1.5 * q - 0.5 * q @ (q.swapaxes(1, 2) @ q)
        action[active] = e
    return _antisymmetric_part(total)


def _series(a: Floats, y: Floats) -> tuple[Floats, Floats]:
    """e^A and int_0^1 e^(s A) y e^(s A)^T ds by their power series."""
    power = np.broadcast_to(np.eye(a.shape[1]), a.shape)
    action, total, term = power.copy(), y.copy(), y
    for k in range(1, _SERIES_TERMS):
        power = a @ power
        term = a @ term + term @ a.swapaxes(1, 2)
        action += power / factorial(k)
        total += term / factorial(k + 1)
    return action, total


def _by_null_degree(b: Floats, y: Floats, g: Metric, transposed: bool) -> tuple[Floats, Booleans]:
    """phi(ad_B) never lowers the number of null vectors: solve one number after the other."""
    n = len(g)
    count = n * (n - 1) // 2
    basis = np.tile(antisymmetric(np.eye(count), n), (len(b), 1, 1))
    matrix = upper(average(np.repeat(b, count, axis=0), basis, g, transposed=transposed))
    matrix = matrix.reshape(len(b), count, count).swapaxes(1, 2)
    null = np.array(g) == 0
    degree = upper(null.astype(float)[:, None] + null) if n > 1 else np.zeros(0)
    rest, solution = upper(y).copy(), np.zeros((len(b), count))
    singular = np.zeros(len(b), dtype=bool)
    for d in (2, 1, 0) if transposed else (0, 1, 2):
        members = np.flatnonzero(degree == d)
        if members.size:
            block = matrix[:, members[:, None], members]
            solution[:, members], lost = _pseudo_solve(block, rest[:, members])
            singular |= lost
            rest -= (matrix[:, :, members] @ solution[:, members, None])[..., 0]
    return antisymmetric(solution, n), singular


def _pseudo_solve(matrix: Floats, right: Floats) -> tuple[Floats, Booleans]:
    """Least squares without the singular values that are noise, and where digits are lost."""
    u, s, v = np.linalg.svd(matrix)
    limit = np.maximum(SINGULAR, 4 * np.finfo(np.float64).eps * s[:, :1])
    lost = s < limit
    inverse = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, s))
    image = inverse * (u.swapaxes(1, 2) @ right[..., None])[..., 0]
    singular: Booleans = np.any(lost | (s < SINGULAR * s[:, :1]), axis=1)
    return (v.swapaxes(1, 2) @ image[..., None])[..., 0], singular
