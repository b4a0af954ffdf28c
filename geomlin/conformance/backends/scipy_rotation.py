"""scipy's Rotation as a backend for Cl(3): rotations, so every rotor is meant up to sign.

A rotor and its negative are one Rotation, so log and sqrt of a rotor are not offered: they depend
on the sign.  exp is, because the sign of from_rotvec(v).as_quat() is that of cos(|v| / 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...interop import from_quaternion, to_quaternion
from ..operations import Signature
from . import require, version_of

Floats = np.ndarray[Any, np.dtype[np.float64]]


class ScipyRotationBackend:
    """exp, the matrix of a rotor and its lift, for n = 3."""

    name = "scipy Rotation"
    dtypes = ("float64",)

    def __init__(self) -> None:
        self.rotation = require("scipy.spatial.transform", "scipy").Rotation
        self.version = version_of("scipy")

    def _only(self, signature: Signature) -> None:
        if signature != (3, 0, 0):
            raise NotImplementedError("Rotation knows three dimensions only")

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """from_rotvec: e12, e13, e23 are -v3/2, v2/2, -v1/2."""
        self._only(signature)
        flat = b.reshape(-1, 3)
        vectors = 2 * np.stack([-flat[:, 2], flat[:, 1], -flat[:, 0]], axis=-1)
        found = self.rotation.from_rotvec(vectors).as_quat()
        return np.asarray(from_quaternion(found, scalar_first=False).coeffs).reshape(
            *b.shape[:-1], 4
        )

    def rotor_to_matrix(self, signature: Signature, r: Floats) -> Floats:
        """as_matrix; from_quat normalises."""
        self._only(signature)
        from ...algebra import Algebra

        q = to_quaternion(Algebra(3).even(r.reshape(-1, 4)), scalar_first=False)
        found = np.asarray(self.rotation.from_quat(q).as_matrix())
        return found.reshape(*r.shape[:-1], 3, 3)

    def rotor_from_matrix(self, signature: Signature, m: Floats) -> Floats:
        """from_matrix, which orthogonalises."""
        self._only(signature)
        found = self.rotation.from_matrix(m.reshape(-1, 3, 3)).as_quat()
        values = np.asarray(from_quaternion(found, scalar_first=False).coeffs)
        return values.reshape(*m.shape[:-2], 4)
