"""
A rotor of six dimensions from fifteen numbers
===============================================

Up to scale, a rotor whose scalar part is not zero is the outer exponential of a bivector, and the
coefficient of every blade is the Pfaffian of a submatrix. That is how ``exp`` is computed from six
dimensions on: 32 coefficients from 15.
"""

import numpy as np

from geomlin import Algebra, exp, grade, isclose, outer_exp
from geomlin.plot import COLOURS, figure

alg = Algebra(6)
R = exp(alg.random.bivector(np.random.default_rng(8), scale=0.4))
t = grade(R, 2) / R["1"]  # fifteen numbers
assert isclose(R["1"] * outer_exp(t), R, absolute=1e-14)

picture, ax = figure(1, width=9.0)
names = R.layout.names
grades = np.array([0 if name == "1" else len(name) - 1 for name in names])
for k, colour in zip((0, 2, 4, 6), COLOURS, strict=False):
    places = np.flatnonzero(grades == k)
    ax.bar(places, R.coeffs[places], color=colour, label=f"grade {k}: {len(places)}")
ax.axhline(0.0, color="black", linewidth=0.8)
ax.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
ax.set(ylabel="coefficient", title="every bar is a Pfaffian of the fifteen numbers of grade 2")
ax.legend(fontsize=8)
