"""
Checking an identity of your own
================================

Is the grade-4 part of B² always B ∧ B? And is the *norm* of a product the product of the norms?
Both look true on paper; the second is true of versors only. A statement is a function that returns
two sides, and exact arithmetic decides.
"""

import numpy as np

from geomlin import Algebra, geometric_product, grade, norm_squared, outer_product
from geomlin.plot import BLUE, ORANGE, figure


def square_of_a_bivector(B, C):
    """<B B>_4 = B ^ B."""
    return grade(geometric_product(B, B), 4), outer_product(B, B)


def norm_of_a_product(B, C):
    """|B C|^2 = |B|^2 |C|^2."""
    return norm_squared(geometric_product(B, C)), norm_squared(B) * norm_squared(C)


exact = Algebra(4, backend="fractions")
B = exact.bivector([1, 2, 0, -1, 3, 1])
C = exact.bivector([2, 0, 1, 1, -1, 2])
for statement in (square_of_a_bivector, norm_of_a_product):
    left, right = statement(B, C)
    print(statement.__doc__, "holds" if left == right else f"fails: {left} and {right}")

floats = Algebra(4)
rng = np.random.default_rng(0)
many, others = floats.random.bivector(rng, (400,)), floats.random.bivector(rng, (400,))
picture, ax = figure(1, width=5.5)
for statement, colour in ((square_of_a_bivector, BLUE), (norm_of_a_product, ORANGE)):
    left, right = (side.coeffs[:, -1] for side in statement(many, others))
    ax.plot(left, right, ".", color=colour, markersize=4, label=statement.__doc__)
limits = ax.get_xlim()
ax.plot(limits, limits, color="black", linewidth=0.8, linestyle=":")
ax.set(xlabel="left side", ylabel="right side", title="400 random pairs of bivectors of Cl(4)")
ax.legend()
