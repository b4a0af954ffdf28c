"""Rotation planes of an antisymmetric matrix in a Euclidean metric.

Everything else in the decomposition rests on this: an antisymmetric matrix always splits over
the orthonormal frame of its rotation planes, without any condition on its angles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def rotation_frame(b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angles (..., k) and orthonormal frame (..., n, n): b = sum_j beta_j (u_j v_j^T - v_j u_j^T).

    u_j, v_j are columns 2j and 2j+1; beta_j >= 0 descends up to rounding; for odd n the last column
    spans the kernel.  From the Hermitian eigenvectors b z = -i beta z, z = (v + i u) / sqrt 2: they
    are orthonormal at equal angles too.
    """
    n = b.shape[-1]
    k = n // 2
    z = np.linalg.eigh(1j * b)[1][..., ::-1][..., :k]
    pairs = np.stack([z.imag, z.real], axis=-1).reshape(*b.shape[:-1], 2 * k)
    # z and its conjugate are orthogonal only to eps / beta: QR makes small planes orthogonal too.
    frame = np.linalg.qr(pairs, mode="complete").Q
    frame = frame / np.linalg.norm(frame, axis=-2, keepdims=True)
    u, v = frame[..., 0 : 2 * k : 2], frame[..., 1 : 2 * k : 2]
    angles = np.einsum("...ij,...ij->...j", u, b @ v)
    frame[..., 1 : 2 * k : 2] = np.where(angles[..., None, :] < 0, -v, v)
    return np.abs(angles), frame


def wedge(u: FloatArray, v: FloatArray) -> FloatArray:
    """u ^ v as the exactly antisymmetric matrix u v^T - v u^T."""
    product = u[..., :, None] * v[..., None, :]
    return np.asarray(product - np.swapaxes(product, -1, -2))


def rotation_parts(angles: FloatArray, frame: FloatArray) -> FloatArray:
    """The simple bivectors beta_j u_j ^ v_j of a rotation frame, shape (..., k, n, n)."""
    k = angles.shape[-1]
    columns = np.swapaxes(frame, -1, -2)
    u, v = columns[..., 0 : 2 * k : 2, :], columns[..., 1 : 2 * k : 2, :]
    return wedge(angles[..., None] * u, v)
