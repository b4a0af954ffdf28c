"""Commuting simple parts over the complex numbers.

A block C of a complex pair, on which (M^2 - s)(M^2 - s*) = 0, is b + b* with

    b = (M^2 - s*) C / (s - s*) = C/2 + i (Re(s) C - M^2 C) / (2 Im s),    b^2 = s,

and b is simple unless the pair is repeated; then it has canonical planes like any cluster of equal
squares, with the same formula in complex numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..plane_kind import PlaneKind
from .canonical import axis_part
from .definite import FloatArray
from .ordering import Parts


def split_pairs(found: Parts, g: FloatArray) -> tuple[Parts, FloatArray]:
    """Parts (..., k, n, n) in which b and b* follow each other, and their imaginary parts.

    found : parts with each complex pair whole in one slot, and ZERO in the slots it leaves.
    """
    real, squares, kinds = found.parts.copy(), found.squares.copy(), found.kinds.copy()
    imaginary = np.zeros_like(real)
    for *index, slot in np.argwhere(found.kinds == PlaneKind.COMPLEX_PAIR).tolist():
        block, square = found.parts[(*index, slot)], found.squares[(*index, slot)]
        for count, plane in enumerate(_conjugate_planes(block, square, g)):
            first = (*index, slot + 2 * count)
            second = (*index, slot + 2 * count + 1)
            kinds[first] = kinds[second] = PlaneKind.COMPLEX_PAIR
            real[first] = real[second] = plane.real
            imaginary[first], imaginary[second] = plane.imag, -plane.imag
            squares[first], squares[second] = square, square.conjugate()
    return Parts(real, squares, kinds), imaginary


def _conjugate_planes(
    block: FloatArray, square: np.complex128, g: FloatArray
) -> list[NDArray[np.complex128]]:
    """The simple parts of square s, Im s > 0, of one block of complex pairs."""
    exponent = int(np.frexp(np.abs(block).max())[1])
    c = np.ldexp(block, -exponent)
    s = complex(*np.ldexp([square.real, square.imag], -2 * exponent))
    m = c * g
    turned = s.real * c - m @ m @ c
    rest = c / 2 + 0.5j * (turned - turned.T) / (2 * s.imag)
    planes: list[NDArray[np.complex128]] = []
    for _ in range(_pairs(c) - 1):
        planes.append(np.asarray(axis_part(rest, g)[0], dtype=np.complex128))
        rest = rest - planes[-1]
    scale = np.complex128(2.0**exponent)
    return [np.asarray(scale * plane) for plane in [*planes, rest]]


def _pairs(c: FloatArray) -> int:
    """How many complex pairs a block holds: a quarter of its rank."""
    sizes = np.linalg.svd(c, compute_uv=False)
    return max(1, int((sizes > 1e-10 * sizes[0]).sum()) // 4)
