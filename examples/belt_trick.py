"""
The double cover: once around is not back
=========================================

A plane turns through 4π. The matrix is back after 2π; the rotor has only reached −1 and needs the
second turn. A rule that picks the sign of each rotor from its matrix alone must jump somewhere;
``lift_path`` follows the path.
"""

import numpy as np

from geomlin import Algebra, exp, lift_path, rotor_from_matrix, rotor_to_matrix
from geomlin.plot import BLUE, GREEN, ORANGE, figure

alg = Algebra(3)
angle = np.linspace(0.0, 4 * np.pi, 241)
matrices = rotor_to_matrix(exp(alg.bivector({"e12": angle / 2})))
followed = lift_path(matrices, alg)
alone = rotor_from_matrix(matrices, alg)

picture, (left, right) = figure(2, width=5.0)
turns = angle / (2 * np.pi)
left.plot(turns, matrices[:, 0, 0], color=GREEN, label="matrix entry (1, 1)")
left.plot(turns, followed["1"], color=BLUE, label="scalar part, followed")
left.plot(turns, alone["1"], color=ORANGE, linestyle="--", label="scalar part, one by one")
left.set(xlabel="turns", title="one loop of matrices, half a loop of rotors")
left.axvline(1.0, color="black", linewidth=0.8, linestyle=":")
left.legend(loc="lower left", fontsize=8)
right.plot(followed["1"], followed["e12"], color=BLUE)
right.plot([1, -1], [0, 0], "o", color="black")
for x, text in ((1.0, "0 and 2 turns: 1"), (-1.0, "1 turn: −1")):
    right.annotate(text, (x, 0), (0.55 * x, 0.15 * x), ha="center", fontsize=9)
right.set(xlabel="coefficient of 1", ylabel="coefficient of e₁₂", aspect="equal")
right.set_title("the path of the rotor")
