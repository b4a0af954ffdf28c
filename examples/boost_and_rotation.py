"""
Boosts are rotations of the other kind
======================================

In Cl(1, 3) a plane that holds the time axis has bivectors of positive square: their exponentials
move along hyperbolas. A boost and a rotation in orthogonal planes commute; together they make a
loxodrome.
"""

import numpy as np

from geomlin import Algebra, exp, sandwich
from geomlin.plot import BLUE, GREEN, ORANGE, SKY, figure

alg = Algebra(1, 3)
s = np.linspace(-1.0, 1.0, 201)
boost = exp(alg.bivector({"e12": 0.8 * s}))
rotation = exp(alg.bivector({"e34": 3.0 * s}))
both = exp(alg.bivector({"e12": 0.8 * s, "e34": 3.0 * s}))

picture, (left, middle, right) = figure(3, height=3.8)
for x, colour in ((0.5, SKY), (1.0, BLUE)):
    t, position, *_ = sandwich(boost, alg.vector([x, 0, 0, 0])).grade(1).coeffs.T
    left.plot(position, t, color=colour, label=f"proper time {x}")
left.plot([-2.4, 0, 2.4], [2.4, 0, 2.4], color="black", linewidth=0.8, linestyle=":", label="light")
left.set(title="boost in e₁₂", xlabel="space e₂", ylabel="time e₁", ylim=(0, 2.6))
left.legend(fontsize=8)
_, _, y, z = sandwich(rotation, alg.vector([0, 0, 1, 0])).grade(1).coeffs.T
middle.plot(y, z, color=ORANGE)
middle.set(title="rotation in e₃₄", xlabel="e₃", ylabel="e₄", aspect="equal")
# A light ray, as a point of the sky: its direction, seen along the axis of the boost.
t, x, y, z = sandwich(both, alg.vector([1.0, 0.0, 1.0, 0.0])).grade(1).coeffs.T
scale = t + x
right.plot(y / scale, z / scale, color=GREEN)
right.plot(0, 0, "+", color="black")
right.set(
    title="both: a light ray on the sky, projected",
    xlabel="e₃ / (e₁ + e₂)",
    ylabel="e₄ / (e₁ + e₂)",
    aspect="equal",
)
