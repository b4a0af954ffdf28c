"""
A plane turns
=============

``exp(b e12)`` turns e₁ towards −e₂, by twice the coefficient: the angle inside a bivector is half
of the rotation angle.
"""

import numpy as np

from geomlin import Algebra, exp, sandwich
from geomlin.plot import BLUE, ORANGE, figure

alg = Algebra(2)
flag = alg.vector([[0.2, 0.0], [1.0, 0.0], [1.0, 0.35], [0.6, 0.2], [0.2, 0.2], [0.2, 0.0]])

picture, axes = figure(3, height=3.4)
titles = ("b = π/12 turns by π/6", "b = π/4 turns by π/2", "b = π/2 turns by π")
for ax, b, title in zip(axes, (np.pi / 12, np.pi / 4, np.pi / 2), titles, strict=True):
    R = exp(alg.bivector({"e12": b}))
    turned = sandwich(R, flag).grade(1).coeffs
    arc = -np.linspace(0.0, 2 * b, 60)
    ax.fill(*flag.coeffs.T, color=BLUE, alpha=0.5, label="x")
    ax.fill(*turned.T, color=ORANGE, alpha=0.8, label="R x ~R")
    ax.plot(1.1 * np.cos(arc), 1.1 * np.sin(arc), color="black", linewidth=1)
    ax.set(
        title=title,
        xlabel="e₁",
        ylabel="e₂",
        xlim=(-1.3, 1.3),
        ylim=(-1.3, 1.3),
        aspect="equal",
    )
axes[0].legend(loc="lower left")
