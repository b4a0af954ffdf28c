"""Invariant decomposition of bivectors given as antisymmetric matrices.

    B = sum_i b_i,   b_i^2 scalar,   b_i b_j = b_j b_i = b_i ^ b_j.

Routes: the rotation planes of a Hermitian eigenproblem where the metric is definite (definite.py),
a symmetric eigenproblem on half of the space where it is Lorentzian (lorentz.py), spectral
projectors otherwise (indefinite.py), screws where one basis vector is null beside a definite metric
(screws.py), and translations of the metric parts where there are more (degenerate.py).
"""

from __future__ import annotations

from math import prod

import numpy as np

from ..errors import LayoutError, NonFiniteInput
from ..plane_kind import PlaneKind as PlaneKind
from .canonical import TIE, IntArray
from .definite import FloatArray, rotation_frame, rotation_parts
from .degenerate import degenerate_parts
from .indefinite import indefinite_parts
from .lorentz import lorentz_parts
from .ordering import Parts as Parts
from .ordering import ordered, unclassified
from .screws import with_translation


def decompose(b: FloatArray, g: tuple[int, ...]) -> Parts:
    """Commuting parts of B = sum_{i<j} b_ij e_i e_j, e_i^2 = g_i, in any metric.

    b : antisymmetric (..., n, n); the result has k = n // 2 slots: parts (..., k, n, n),
    squares complex (..., k), kinds int8 (..., k) of PlaneKind.

    Order: |b_i^2| descending.  Magnitudes closer than tau = 8 eps |b| are one tie: rotations, then
    boosts, then null parts, each in the order of the pivot axes of their canonical planes.  |b| is
    the Euclidean size, the largest angle of the matrix b: max beta in a definite metric.  A part
    whose size |b_i| exceeds |b_i^2|^(1/2), as in a boosted frame, widens its ties in proportion, up
    to 16 tau.

    Zero and null: a part of size |b_i| <= tau cannot be told from rounding of B; it is ZERO and
    dropped, which changes the sum by at most tau.  A part with |b_i^2| <= 4 tau |b_i| is NULL.

    Blocks, only where p, q >= 2, or p q > 1 and r > 0: complex conjugate squares and defective
    blocks are returned whole in one slot, followed by a ZERO for each further plane they would have
    had; equal complex pairs are one block, and so is what has the square 0 and does not split.  A
    block is DEFECTIVE when a change of B by a few tau can make it so, or when splitting it would
    lose more than half of the digits (projectors of norm above 2^13).

    Null basis vectors: coefficients are compared with others of as many null vectors only; see
    degenerate.py for what is rounding there.

    The answer is finite for every finite B, but for the squares of parts beyond 1e154, which are
    infinite; below 1e-162 they are zero.
    """
    n = len(g)
    b = np.asarray(b, dtype=np.float64)
    if b.shape[-2:] != (n, n):
        raise LayoutError(f"expected antisymmetric matrices (..., {n}, {n}), got shape {b.shape}")
    if not np.isfinite(b).all():
        raise NonFiniteInput("expected finite coefficients, got NaN or infinity")
    flat = b.reshape(prod(b.shape[:-2]), n, n)
    found = _decompose(flat, np.array(g, dtype=np.float64))
    slots = (*b.shape[:-2], n // 2)
    return Parts(
        found.parts.reshape(*slots, n, n), found.squares.reshape(slots), found.kinds.reshape(slots)
    )


def _decompose(b: FloatArray, g: FloatArray) -> Parts:
    """`decompose` of a flat batch."""
    null = int((g == 0).sum())
    if null == 0:
        return _non_degenerate(b, g)
    if null > 1 or len({*g} - {0.0}) > 1:
        return _whole(b, g) if len(g) <= 3 else _coupled(b, g)
    return _screws(b, g)


def _screws(b: FloatArray, g: FloatArray) -> Parts:
    """Parts beside one null basis vector and a definite metric."""
    last = int(np.argmax(g == 0))
    kept = [i for i in range(len(g)) if i != last]
    inner, translation = b[:, kept][:, :, kept], b[:, kept, last]
    metric, mixed = _exponent(inner, (-1, -2)), _exponent(translation, -1)
    rotations = _scaled_parts(np.ldexp(inner, -metric[:, None, None]), g[kept])
    found = with_translation(rotations, np.ldexp(translation, -mixed[:, None]), kept, last)
    exponents = np.broadcast_to(metric[:, None, None], b.shape).copy()
    exponents[:, :, last] = exponents[:, last, :] = mixed[:, None]
    return _restored(found, exponents, metric)


def _exponent(x: FloatArray, axes: int | tuple[int, ...]) -> IntArray:
    """The power of two just above the largest |x|; 0 where all are zero."""
    return np.asarray(np.frexp(np.abs(x).max(axis=axes, initial=0.0))[1], dtype=np.int64)


def _restored(found: Parts, exponents: IntArray, common: IntArray) -> Parts:
    """Parts (m, k, n, n) times 2^exponents (m, n, n), squares times 4^common (m,)."""
    with np.errstate(over="ignore", under="ignore"):
        parts = np.ldexp(found.parts, exponents[:, None])
        squares = np.empty_like(found.squares)
        squares.real = np.ldexp(found.squares.real, 2 * common[:, None])
        squares.imag = np.ldexp(found.squares.imag, 2 * common[:, None])
    return Parts(parts, squares, found.kinds)


def _coupled(b: FloatArray, g: FloatArray) -> Parts:
    """Parts beside several null basis vectors, or one with an indefinite metric."""
    order = np.argsort(g == 0, kind="stable")  # null vectors last
    sorted_b, back = b[:, order][:, :, order], np.argsort(order)
    m = int((g != 0).sum())
    metric = sorted_b[:, :m, :m]
    exponent = _exponent(metric, (-1, -2))
    inner = _scaled_parts(np.ldexp(metric, -exponent[:, None, None]), g[order[:m]])
    found = degenerate_parts(inner, sorted_b, g[order])
    return found._replace(parts=found.parts[..., back, :][..., back])


def _whole(b: FloatArray, g: FloatArray) -> Parts:
    """n <= 3: every bivector is simple.  Its square has at most one term, so its sign is exact."""
    raw = unclassified(np.repeat(b[:, None], len(g) // 2, axis=1), g)
    some = np.abs(raw.parts).max(axis=(-1, -2), initial=0.0) > 0
    null = np.where(some, PlaneKind.NULL, PlaneKind.ZERO)
    curved = np.where(raw.squares.real < 0, PlaneKind.ROTATION, PlaneKind.BOOST)
    kinds = np.where(raw.squares.real == 0, null, curved)
    return Parts(raw.parts, raw.squares, kinds.astype(np.int8))


def _non_degenerate(b: FloatArray, g: FloatArray) -> Parts:
    """Parts for a metric without null directions, each element scaled by a power of two."""
    exponent = _exponent(b, (-1, -2))
    found = _scaled_parts(np.ldexp(b, -exponent[:, None, None]), g)
    return _restored(found, np.broadcast_to(exponent[:, None, None], b.shape), exponent)


def _scaled_parts(b: FloatArray, g: FloatArray) -> Parts:
    """Parts of bivectors whose largest coefficient is about 1."""
    minority = min((g > 0).sum(), (g < 0).sum())
    angles, frame = rotation_frame(b)
    tau = TIE * angles.max(axis=-1, initial=0.0)
    if len(g) <= 3:  # every bivector is simple
        raw = unclassified(np.repeat(b[:, None], len(g) // 2, axis=1), g)
    elif minority == 0:
        raw = _rotations(angles, frame, tau)
    elif minority == 1:
        raw = unclassified(lorentz_parts(b, g), g)
    else:
        raw = indefinite_parts(b, g)
    return ordered(raw, g, tau)


def _rotations(angles: FloatArray, frame: FloatArray, tau: FloatArray) -> Parts:
    """Parts of a definite metric, where b_i^2 = -beta_i^2 whatever its sign.

    The angles are more accurate than the sizes of the rounded parts, and so decide the ties.
    """
    present = angles > tau[:, None]
    squares = np.where(present, -(angles**2), 0.0).astype(np.complex128)
    kinds = np.where(present, PlaneKind.ROTATION, PlaneKind.ZERO).astype(np.int8)
    return Parts(rotation_parts(np.where(present, angles, 0.0), frame), squares, kinds)
