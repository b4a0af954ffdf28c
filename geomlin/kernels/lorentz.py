"""Planes of a bivector in a Lorentzian metric (p = 1 or q = 1), of any dimension.

Let t be the basis vector of the odd sign and b_s the block of the others.  Turn the rotation planes
of b_s so that the electric vector E = b t has no component along any v_j.  Then b maps C, spanned
by the u_j (and the kernel of b_s), to A, spanned by t and the v_j, and back:

    B = sum_j a_j ^ c_j   with a_j = b c_j in A, for every orthonormal basis c_j of C.

C is definite, so M^2 restricted to C is an ordinary symmetric matrix.  In its orthonormal
eigenvectors the a_j are orthogonal to each other, and the a_j ^ c_j are the invariant parts: boost,
null or rotation by the sign of a_j^2.  Nothing is divided by, so null and nearly null bivectors are
as accurate as any other.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .definite import FloatArray, rotation_frame, wedge

EPS = 2.0**-52
SMALLEST_FIELD = 1e-150  # beside coefficients of size 1; quotients of denormals are no cosines
SWEEPS = 30  # Jacobi converges quadratically; six vectors need about six


def lorentz_parts(b: FloatArray, g: FloatArray) -> FloatArray:
    """Simple commuting parts (..., n//2, n, n) of B, n >= 3, one entry of g differing in sign."""
    n = b.shape[-1]
    time = int(np.argmax(g == -np.sign(g.sum())))
    space = [i for i in range(n) if i != time]
    angles, frame = rotation_frame(b[..., space, :][..., space])
    turned, electric = _aligned(frame, b[..., space, time])
    k = angles.shape[-1]
    images = np.zeros((*b.shape[:-2], n // 2, k + 1))  # a_j over t, v_1, .., v_k
    images[..., 0] = -electric
    images[..., np.arange(k), np.arange(1, k + 1)] = -angles
    c = np.zeros((*b.shape[:-2], n // 2, n))
    c[..., space] = turned[..., 0::2, :]
    images, c = _orthogonalised(images, c)
    basis = np.zeros((*b.shape[:-2], k + 1, n))
    basis[..., 0, time] = 1.0
    basis[..., 1:, space] = turned[..., 1::2, :]
    return wedge(images @ basis, c)


def _aligned(frame: FloatArray, field: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows u_1, v_1, u_2, v_2, .. with field . v_j = 0, and the components field . u_j >= 0."""
    rows = np.swapaxes(frame, -1, -2)
    components = (rows @ field[..., None])[..., 0]
    k = frame.shape[-1] // 2
    x, y = components[..., 0 : 2 * k : 2], components[..., 1 : 2 * k : 2]
    length = np.hypot(x, y)
    present = length > SMALLEST_FIELD
    divisor = np.where(present, length, 1.0)
    cos = np.where(present, x / divisor, 1.0)[..., None]
    sin = np.where(present, y / divisor, 0.0)[..., None]
    u, v = rows[..., 0 : 2 * k : 2, :], rows[..., 1 : 2 * k : 2, :]
    turned = np.array(rows)
    turned[..., 0 : 2 * k : 2, :] = cos * u + sin * v
    turned[..., 1 : 2 * k : 2, :] = cos * v - sin * u
    return turned, np.concatenate([length, components[..., 2 * k :]], axis=-1)


def _orthogonalised(a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turn rows of a and c together until a_i . a_j = 0, by one-sided Jacobi rotations.

    The products a_i . a_j = -a_i0 a_j0 + sum_l a_il a_jl form a symmetric matrix, which is never
    squared into rounding errors: small parts beside large ones keep their digits.
    """
    metric = np.ones(a.shape[-1])
    metric[0] = -1.0
    lengths = np.linalg.norm(a, axis=-1)
    floor = 2 * EPS * np.linalg.norm(lengths, axis=-1)  # rounding of b itself
    for _ in range(SWEEPS):
        moved = False
        for i, j in combinations(range(a.shape[-2]), 2):
            x, y = a[..., i, :], a[..., j, :]
            overlap = (x * metric * y).sum(axis=-1)
            longer = np.maximum(np.linalg.norm(x, axis=-1), np.linalg.norm(y, axis=-1))
            active = np.abs(overlap) > floor * longer
            if not active.any():
                continue
            moved = True
            difference = (y * metric * y).sum(axis=-1) - (x * metric * x).sum(axis=-1)
            zeta = difference / np.where(active, 2 * overlap, 1.0)
            tan = np.where(active, np.copysign(1.0, zeta) / (np.abs(zeta) + np.hypot(1, zeta)), 0.0)
            _rotate(a, i, j, tan)
            _rotate(c, i, j, tan)
        if not moved:
            break
    return a, c


def _rotate(rows: FloatArray, i: int, j: int, tan: FloatArray) -> None:
    """Rotate rows i and j in place by the angle of the given tangent."""
    cos = (1 / np.hypot(1, tan))[..., None]
    sin = tan[..., None] * cos
    x, y = rows[..., i, :].copy(), rows[..., j, :].copy()
    rows[..., i, :] = cos * x - sin * y
    rows[..., j, :] = sin * x + cos * y
