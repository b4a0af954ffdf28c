"""
A linear layer from two bivectors
=================================

Read a vector of 32 numbers as an even or odd mixture of blades of Cl(5). Then x ↦ r x ~s, with two
rotors, is an orthogonal 32 × 32 matrix made from 20 numbers. It keeps the parity of grades apart,
which shows as a pattern once the blades are ordered by parity.
"""

import numpy as np

from geomlin import Algebra, exp, geometric_product, reverse
from geomlin.plot import figure, matrix

alg = Algebra(5)
rng = np.random.default_rng(2)
r = exp(alg.random.bivector(rng, scale=0.5))
s = exp(alg.random.bivector(rng, scale=0.5))

basis = alg.multivector(np.eye(32))  # a batch of all blades
images = geometric_product(geometric_product(r, basis), reverse(s)).to_dense()
W = images.T  # column j is the image of blade j
assert np.allclose(W @ W.T, np.eye(32), atol=1e-14)

grades = np.array([0 if name == "1" else len(name) - 1 for name in alg.blades])
by_parity = np.argsort(grades % 2, kind="stable")

picture, (left, right) = figure(2, width=4.6, height=4.4)
matrix(left, W, "W, blades in the order of their grades")
image = matrix(right, W[np.ix_(by_parity, by_parity)], "even grades first, then odd")
picture.colorbar(image, ax=[left, right], shrink=0.7, label="entry")
