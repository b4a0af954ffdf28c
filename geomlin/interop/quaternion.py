"""Quaternions w + x i + y j + z k as arrays, for n = 3.

=====================  ==============================  ==============================
                       geomlin, Cl(3)                  quaternions
=====================  ==============================  ==============================
units                  -e23, e13, -e12                 i, j, k
product                a * b                           p q, the same order
conjugate              ~a                              p*
rotation of a vector   R x ~R                          q x q*, the same rotation
angle t about e3       exp(-t/2 e12)                   cos(t/2) + sin(t/2) k
rotor of a matrix      scalar part positive, or rule   up to sign
=====================  ==============================  ==============================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra import Algebra
from ..errors import DtypeError, LayoutError
from ..layout import even_layout
from ..multivector import Multivector
from ..ops.grades import odd, with_layout
from .relabel import as_numpy

_SIGNS = np.array([1.0, -1.0, 1.0, -1.0])  # of 1, e23, e13, e12 in 1, i, j, k
_ORDER = [0, 3, 2, 1]  # where 1, e23, e13, e12 are in the even layout


def to_quaternion(A: Multivector, *, scalar_first: bool = True) -> Any:
    """Even elements of Cl(3) as quaternions: 1, e12, e13, e23 are 1, -k, j, -i.

    A = w - x e23 + y e13 - z e12.

    Parameters
    ----------
    A : even multivector of Cl(3) with numeric coefficients, normalised or not.
    scalar_first : (w, x, y, z), or (x, y, z, w).

    Returns
    -------
    Array (..., 4).

    Raises: LayoutError for other algebras and for odd parts.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.interop import to_quaternion
    >>> to_quaternion(Algebra(3).blade("e12")) + 0.0     # a half turn about e3
    array([ 0.,  0.,  0., -1.])
    """
    element = as_numpy(A)
    if tuple(element.algebra.signature) != (3, 0, 0):
        raise LayoutError(f"expected an element of Cl(3), got one of {element.algebra}")
    if np.any(odd(element).coeffs):
        raise LayoutError("expected an even element, got odd coefficients: take even(A)")
    values = with_layout(element, even_layout(3)).coeffs[..., _ORDER]
    found = values * _SIGNS.astype(values.dtype)
    return found if scalar_first else np.roll(found, -1, axis=-1)


def from_quaternion(q: Any, *, scalar_first: bool = True) -> Multivector:
    """Quaternions as even elements of Cl(3): i, j, k are -e23, e13, -e12.

    A = w - x e23 + y e13 - z e12.

    Parameters
    ----------
    q : array (..., 4), of any norm.
    scalar_first : (w, x, y, z), or (x, y, z, w).

    Returns
    -------
    Multivector in the even layout.

    Raises: LayoutError for other shapes, DtypeError for complex numbers.

    Examples
    --------
    >>> from geomlin.interop import from_quaternion
    >>> print(from_quaternion([0, 1, 0, 0]) * from_quaternion([0, 0, 1, 0]))    # i j = k
    −e₁₂
    """
    values = np.asarray(q)
    if values.dtype.kind not in "fiub":
        raise DtypeError(f"expected real numbers, got dtype {values.dtype}")
    if values.ndim == 0 or values.shape[-1] != 4:
        raise LayoutError(f"expected quaternions (..., 4), got shape {values.shape}")
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    if not scalar_first:
        values = np.roll(values, 1, axis=-1)
    return Algebra(3).even((values * _SIGNS.astype(values.dtype))[..., _ORDER])
