"""
Splitting a bivector
====================

A bivector of six dimensions is the sum of three simple ones that commute. As antisymmetric
matrices: the whole has rank six, each part has rank two, and the product of any two parts is zero.
"""

import numpy as np

from geomlin import Algebra, invariant_decomposition, isclose
from geomlin.plot import figure, matrix

alg = Algebra(6)
B = alg.random.bivector(np.random.default_rng(3))
parts, squares, kinds = invariant_decomposition(B)


def antisymmetric(b):
    """The matrix of the coefficients."""
    values = np.zeros((6, 6))
    values[np.triu_indices(6, 1)] = b.coeffs
    return values - values.T


assert isclose(parts[0] + parts[1] + parts[2], B, absolute=1e-13)
picture, axes = figure(4, width=3.0, height=3.2)
limit = np.abs(B.coeffs).max()
matrix(axes[0], antisymmetric(B), "B", limit=limit)
for k in range(3):
    title = f"b{'₁₂₃'[k]}, square {squares[k]:.3f}"
    image = matrix(axes[k + 1], antisymmetric(parts[k]), title, limit=limit)
picture.colorbar(image, ax=axes, shrink=0.8, label="coefficient")
