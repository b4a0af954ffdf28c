"""
A screw motion
==============

In the projective algebra Cl(3, 0, 1) one exponential turns about an axis and moves along it. The
split into commuting parts finds the axis: the rotation part takes up the translation in its plane,
and what is left moves along the axis.
"""

import numpy as np

from geomlin import Algebra, exp, invariant_decomposition, sandwich
from geomlin.plot import BLUE, ORANGE, RED, figure

alg = Algebra(3, 0, 1)
B = alg.bivector({"e12": 2.0, "e14": -0.9, "e24": 1.4, "e34": 0.35})
t = np.linspace(0.0, 3.0, 400)


def point(x, y, z):
    """A point of space as a trivector: where the planes x = .., y = .., z = .. meet."""
    return alg.multivector({"e123": 1.0, "e234": -x, "e134": y, "e124": -z})


def coordinates(P):
    """The inverse of `point`."""
    w = P["e123"]
    return -P["e234"] / w, P["e134"] / w, -P["e124"] / w


def path(generator, start):
    """exp(t B) P ~exp(t B) for all t."""
    rotors = exp(alg.bivector(t[:, None] * generator.coeffs))
    return coordinates(sandwich(rotors, start).grade(3))


parts, squares, kinds = invariant_decomposition(B)
turning, sliding = parts[0], parts[1]

picture, axes = figure(2, projection="3d", width=4.6, height=4.4)
start = point(1.5, 0.5, 0.0)
axes[0].plot(*path(B, start), color=BLUE, label="exp(tB)")
axes[0].set_title("the screw of B")
axes[1].plot(*path(turning, start), color=ORANGE, label="exp(t b₁): a circle")
axes[1].plot(*path(sliding, start), color=RED, label="exp(t b₂): a line")
axes[1].set_title("its two commuting parts")
for ax in axes:
    ax.set(xlabel="x", ylabel="y", zlabel="z")
    ax.legend(fontsize=8)
