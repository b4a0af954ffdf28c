"""scipy.spatial.transform.Rotation, for n = 3.

=====================  ==============================  ==============================
                       geomlin, Cl(3)                  Rotation
=====================  ==============================  ==============================
what it is             a rotor; R and -R differ        a rotation; the sign is not kept
composition            R S                             r * s, the same order
action                 sandwich(R, x)                  r.apply(x), the same
matrix                 rotor_to_matrix(R)              r.as_matrix(), the same
rotation vector v      log R = -v3/2 e12 + v2/2 e13    r.as_rotvec()
                       - v1/2 e23
quaternion             to_quaternion                   as_quat(): scalar last
half turns             kept apart from their inverse   one rotation
=====================  ==============================  ==============================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import LayoutError, NotARotor
from ..multivector import Multivector
from .quaternion import from_quaternion, to_quaternion
from .relabel import library

_TOLERANCE = 1e-6  # of |q|^2 from 1, as for the logarithm


def to_scipy_rotation(R: Multivector) -> Any:
    """Rotors of Cl(3) as a Rotation: x -> R x ~R is r.apply(x).

    R = w - x e23 + y e13 - z e12 is the rotation of the quaternion (x, y, z, w).

    Parameters
    ----------
    R : rotor of Cl(3), or a batch with one axis.

    Returns
    -------
    scipy.spatial.transform.Rotation.

    Raises: NotARotor unless |R ~R - 1| <= 1e-6; LayoutError for other algebras and batches.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra, exp
    >>> from geomlin.interop import to_scipy_rotation
    >>> R = exp(Algebra(3).bivector({"e12": -np.pi / 4}))        # a quarter turn about e3
    >>> to_scipy_rotation(R).as_rotvec().round(6) + 0.0
    array([0.      , 0.      , 1.570796])
    """
    transform = library("scipy.spatial.transform")
    values = to_quaternion(R, scalar_first=False).astype(np.float64)
    if values.ndim > 2:
        raise LayoutError(f"expected at most one batch axis, got {values.shape[:-1]}")
    defect = np.abs((values * values).sum(axis=-1) - 1.0).max(initial=0.0)
    if not defect <= _TOLERANCE:
        raise NotARotor(
            f"expected a rotor with R ~R = 1, got |R ~R - 1| = {defect:.2g}: use normalize(R)"
        )
    return transform.Rotation.from_quat(values)


def from_scipy_rotation(rotation: Any) -> Multivector:
    """A Rotation as rotors of Cl(3), with the sign that rotor_from_matrix gives.

    R x ~R = r.apply(x).

    Parameters
    ----------
    rotation : scipy.spatial.transform.Rotation, one or several.

    Returns
    -------
    Multivector in the even layout; of R and -R the one with R_0 > 0 if |R_0| > 2^-26 max |R|, else
    the one whose first coefficient with |R_S| >= (1 - 1e-6) max |R| is positive.

    Raises: LayoutError for anything else.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from geomlin.interop import from_scipy_rotation
    >>> from_scipy_rotation(Rotation.from_euler("z", 180, degrees=True)).coeffs.round(9) + 0.0
    array([0., 1., 0., 0.])
    """
    if not hasattr(rotation, "as_quat"):
        raise LayoutError(f"expected a scipy Rotation, got {type(rotation).__name__}")
    rotor = from_quaternion(rotation.as_quat(), scalar_first=False)
    sizes = np.abs(rotor.coeffs)
    largest = sizes.max(axis=-1, keepdims=True)
    leads = sizes >= (1 - 1e-6) * largest
    leads[..., 0] = sizes[..., 0] > 2.0**-26 * largest[..., 0]
    first = np.take_along_axis(rotor.coeffs, leads.argmax(axis=-1)[..., None], axis=-1)
    return rotor.replace(rotor.layout, rotor.coeffs * np.where(first < 0, -1.0, 1.0))
