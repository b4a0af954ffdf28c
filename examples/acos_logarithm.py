"""
Why logarithms by arccosine fail
================================

``acos`` of the scalar part is the textbook logarithm of a rotor of three dimensions. The cosine is
flat at 0 and at π: there half of the digits are gone, and below 1e-8 all of them.
"""

import numpy as np

from geomlin import Algebra, exp, log
from geomlin.plot import BLUE, ORANGE, figure

alg = Algebra(3)
eps = np.finfo(float).eps
small = np.logspace(-10, 0, 200)

picture, axes = figure(2, width=4.8)
titles = ("near the identity", "near −1")
for ax, title, angles in zip(axes, titles, (small, np.pi - small), strict=True):
    R = exp(alg.bivector({"e12": angles}))
    by_arccosine = np.arccos(np.clip(R["1"], -1.0, 1.0))
    ours = log(R)["e12"]
    for values, colour, label in ((by_arccosine, ORANGE, "acos"), (ours, BLUE, "geomlin.log")):
        error = np.abs(values - angles) / angles
        ax.loglog(small, np.maximum(error, eps / 4), ".", color=colour, label=label, markersize=4)
    ax.set(title=title, ylabel="relative error of the angle", ylim=(1e-17, 3.0))
    assert (np.abs(ours - angles) <= 4 * eps * angles).all()
axes[0].set_xlabel("angle")
axes[1].set_xlabel("π − angle")
axes[0].legend()
