"""Derivatives of the invariant decomposition, and their transpose, batched.

With M = b G, b_i is a function of B: M_i = f_i(M), f_i(z) = z where z^2 = lambda_i = b_i^2, the
eigenvalues of its plane, and 0 at the others.  With the projectors Pi_i = M_i^2 / lambda_i,
S(X, Y) = X db Y^T + Y db X^T and d_ij = 1 / (lambda_i - lambda_j), d_ii = 0, divided differences of
f_i summed over the signs of the eigenvalues give

    db_i = S(Pi_i, A_i) - S(M_i, N_i),        N_i = sum_j d_ij M_j,
    A_i = sum_j (1 + (lambda_i + lambda_j) d_ij) / 2 Pi_j.

So no eigenvector is needed, in any signature.  One part, the rest, may be null or badly conditioned
and needs no projector of its own: M_0^2 / lambda_0 is replaced by Pi_0 = 1 - sum Pi_j, it adds
Pi_0 + d_i0 M_0^2 to A_i, and db_0 = dB - sum db_i.  Parts of square zero are the rest together,
and share it evenly; if there is none, the rest is the part with the largest projector.

Where squares are tied the planes are not differentiable.  There d_ij = 0 is taken: finite, and
sum_i db_i = dB still holds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bits import Booleans, Floats, Metric
from .canonical import TIE


class _Factors(NamedTuple):
    """Pi_i, A_i, M_i, N_i of every slot (batch, k, n, n), zero for the rest; shares of the rest."""

    pi: Floats
    a: Floats
    m: Floats
    n: Floats
    shares: Floats


def parts_jvp(parts: Floats, squares: Floats, db: Floats, g: Metric) -> Floats:
    """db_i for the parts (batch, k, n, n) and squares (batch, k) of bivectors of size about 1."""
    f = _factors(parts, squares, g)
    y = db[:, None]
    found = f.pi @ y @ f.a.swapaxes(2, 3) - f.m @ y @ f.n.swapaxes(2, 3)
    found = found - found.swapaxes(2, 3)
    rest = db - found.sum(axis=1)
    result: Floats = found + f.shares[..., None, None] * rest[:, None]
    return result


def parts_vjp(parts: Floats, squares: Floats, cotangents: Floats, g: Metric) -> Floats:
    """The transpose of `parts_jvp`, applied to cotangents (batch, k, n, n) of the parts."""
    f = _factors(parts, squares, g)
    shared = np.einsum("bk,bkij->bij", f.shares, cotangents)
    y = cotangents - shared[:, None]
    found = (f.pi.swapaxes(2, 3) @ y @ f.a - f.m.swapaxes(2, 3) @ y @ f.n).sum(axis=1)
    result: Floats = shared + found - found.swapaxes(1, 2)
    return result


def squares_jvp(parts: Floats, db: Floats, g: Metric) -> Floats:
    """d(b_i^2) = 2 <b_i dB>_0, which needs no gap."""
    square = np.array(g, dtype=np.float64)
    change: Floats = -np.einsum("bkij,i,bij,j->bk", parts, square, db, square)
    return change


def squares_vjp(parts: Floats, cotangents: Floats, g: Metric) -> Floats:
    """The transpose of `squares_jvp`, applied to cotangents (batch, k)."""
    square = np.array(g, dtype=np.float64)
    result: Floats = -2 * np.einsum("bk,bkij,i,j->bij", cotangents, parts, square, square)
    return result


def _factors(parts: Floats, squares: Floats, g: Metric) -> _Factors:
    m = parts * np.array(g, dtype=np.float64)
    safe = np.where(squares != 0, squares, 1.0)[..., None, None]
    pi = np.where((squares != 0)[..., None, None], m @ m / safe, 0.0)
    rest = _rest(squares, pi)
    regular = ~rest[..., None, None]
    m_rest, pi, m = (m * ~regular).sum(axis=1)[:, None], pi * regular, m * regular
    square_rest = (squares * rest).sum(axis=1, keepdims=True)  # of one slot, or zero
    inverse = _inverse_gaps(np.concatenate([squares, square_rest], axis=1))
    inverse, to_rest = inverse[:, :-1, :-1], inverse[:, :-1, -1:]
    half = np.where(square_rest != 0, -0.5 / np.where(square_rest != 0, square_rest, 1.0), 0.0)
    corrected = np.where(to_rest != 0, to_rest, half[..., None])  # at a tie half of the rest's Pi
    weights = (1.0 + (squares[:, :, None] + squares[:, None, :]) * inverse) / 2
    kernel = np.eye(len(g)) - pi.sum(axis=1)[:, None]
    a = np.einsum("bij,bjxy->bixy", weights, pi) + kernel
    a = a + corrected[..., None] * (m_rest @ m_rest)
    n = np.einsum("bij,bjxy->bixy", inverse, m) + to_rest[..., None] * m_rest
    shares = rest / np.maximum(rest.sum(axis=1, keepdims=True), 1)
    return _Factors(pi, a, m, n, shares)


def _rest(squares: Floats, pi: Floats) -> Booleans:
    """The slots of square zero; where there is none, the slot with the largest projector."""
    zero: Booleans = squares == 0
    if zero.shape[1] == 0:
        return zero
    stretch = np.abs(pi).max(axis=(2, 3), initial=0.0)
    largest = np.arange(zero.shape[1]) == np.argmax(stretch, axis=1)[:, None]
    rest: Booleans = np.where(zero.any(axis=1, keepdims=True), zero, largest)
    return rest


def _inverse_gaps(squares: Floats) -> Floats:
    """d_ij = 1 / (lambda_i - lambda_j), and 0 where |b_i^2|^(1/2) are within a tie."""
    beta = np.sqrt(np.abs(squares))
    gap = squares[:, :, None] - squares[:, None, :]
    width = TIE * beta.max(axis=1, initial=0.0)[:, None, None]
    distinct = np.abs(gap) > width * (beta[:, :, None] + beta[:, None, :])
    return np.where(distinct, 1.0 / np.where(distinct, gap, 1.0), 0.0)
