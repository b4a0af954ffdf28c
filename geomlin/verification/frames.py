"""Tools for building bivectors with known invariant planes in chosen or random frames.

A bivector B = sum_{i<j} b_ij e_i e_j is its antisymmetric matrix b.  A linear map F acts on it as
F b F^T; for F in O(p,q) the squares of its invariant parts do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..signature import Signature

FloatArray = NDArray[np.float64]
Labelled = Iterator[tuple[str, FloatArray]]
Family = Callable[[Signature, np.random.Generator], Labelled]


@dataclass(frozen=True)
class Regime:
    """A named family of bivectors: why it exists, its members, the signatures it lives in."""

    name: str
    reason: str
    generator: Family
    applies: Callable[[Signature], bool]


def regime(
    name: str, *, reason: str, applies: Callable[[Signature], bool]
) -> Callable[[Family], Regime]:
    """Decorator: turn a function yielding (label, b) into a Regime."""
    return lambda generator: Regime(name, reason, generator, applies)


def plane(n: int, i: int, j: int, value: float = 1.0) -> FloatArray:
    """value e_i e_j, indices from zero."""
    b = np.zeros((n, n))
    b[i, j], b[j, i] = value, -value
    return b


def wedge(u: FloatArray, v: FloatArray) -> FloatArray:
    """u ^ v as the matrix u v^T - v u^T."""
    return np.outer(u, v) - np.outer(v, u)


def unit(n: int, *indices: int) -> FloatArray:
    """Sum of the basis vectors with these indices, from zero."""
    vector = np.zeros(n)
    vector[list(indices)] = 1.0
    return vector


def rotation_planes(signature: Signature) -> tuple[tuple[int, int], ...]:
    """Disjoint axis planes in which exp is periodic: pairs of equal nonzero square."""
    p, q, _ = signature
    positive = tuple((i, i + 1) for i in range(0, p - 1, 2))
    return positive + tuple((i, i + 1) for i in range(p, p + q - 1, 2))


def in_rotation_planes(signature: Signature, angles: Iterable[float]) -> FloatArray:
    """sum_k angle_k e_i e_j over the axis rotation planes (i, j), as many as there are angles."""
    b = np.zeros((signature.n, signature.n))
    for (i, j), angle in zip(rotation_planes(signature), angles, strict=False):
        b += plane(signature.n, i, j, angle)
    return b


def random_antisymmetric(n: int, rng: np.random.Generator, size: float) -> FloatArray:
    """Independent normal coefficients, scaled so that |B| is about `size`."""
    upper = np.triu(rng.normal(size=(n, n)), 1) * (size / np.sqrt(n))
    return antisymmetric(upper)


def antisymmetric(matrix: FloatArray) -> FloatArray:
    """The exactly antisymmetric matrix with the same upper triangle."""
    upper = np.triu(matrix, 1)
    return np.asarray(upper - upper.T)


def turned(b: FloatArray, frame: FloatArray) -> FloatArray:
    """F b F^T, rounded and then made exactly antisymmetric."""
    return antisymmetric(frame @ b @ frame.T)


def rotated_frame(signature: Signature, rng: np.random.Generator) -> FloatArray:
    """Random element of O(p) x O(q), null vectors fixed."""
    p, q, _ = signature
    frame = np.eye(signature.n)
    for block in (slice(0, p), slice(p, p + q)):
        size = block.stop - block.start
        frame[block, block] = np.linalg.qr(rng.normal(size=(size, size)))[0]
    return frame


def boosted_frame(signature: Signature, rng: np.random.Generator, rapidity: float) -> FloatArray:
    """Random element of O(p,q) with one boost between two random rotations."""
    p = signature.p
    boost = np.eye(signature.n)
    boost[[0, p], [0, p]] = np.cosh(rapidity)
    boost[[0, p], [p, 0]] = np.sinh(rapidity)
    return np.asarray(rotated_frame(signature, rng) @ boost @ rotated_frame(signature, rng))
