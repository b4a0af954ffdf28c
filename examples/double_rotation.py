"""
Two planes at once: double rotations of four dimensions
========================================================

A bivector of four dimensions turns two orthogonal planes at once. The orbit of a point winds around
a torus, and closes only if the two angles are commensurable. When they are equal, the rotation is
*isoclinic*: every orbit is a circle, and the circles are linked (the Hopf fibration).
"""

import numpy as np

from geomlin import Algebra, exp, sandwich
from geomlin.plot import COLOURS, figure

alg = Algebra(4)


def orbit(start, beta1, beta2, turns):
    """The path of a point under exp(t B), drawn in three dimensions."""
    t = np.linspace(0.0, 2 * np.pi * turns, 2000)
    R = exp(alg.bivector({"e12": beta1 * t / 2, "e34": beta2 * t / 2}))
    x1, x2, x3, x4 = sandwich(R, alg.vector(start)).grade(1).coeffs.T
    return x1 / (1 - x4), x2 / (1 - x4), x3 / (1 - x4)  # stereographic projection


cases = (
    ("2 : 5, one closed orbit", 2, 5, 1, 1),
    ("1 : √2, one orbit that never closes", 1, np.sqrt(2), 12, 1),
    ("1 : 1, isoclinic: linked circles", 1, 1, 1, 6),
)
picture, axes = figure(3, projection="3d", height=4.0)
for ax, (title, beta1, beta2, turns, orbits) in zip(axes, cases, strict=True):
    for k in range(orbits):
        phase = 2 * np.pi * k / orbits
        start = np.array([np.cos(phase), np.sin(phase), 1.0, 0.0]) / np.sqrt(2)
        curve = orbit(start, beta1, beta2, turns)
        ax.plot(*curve, color=COLOURS[k], linewidth=1.2)
    ax.set(title=title, xlabel="x", ylabel="y", zlabel="z")
    ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), zlim=(-1, 1), zticks=(-1, 0, 1))
    ax.set_box_aspect((5, 5, 2), zoom=0.85)  # equal scales: circles look like circles
