"""
Lifting a half turn
===================

The Cayley transform of a rotation matrix divides by det(I + M), which vanishes at a half turn. With
the right signs on the columns, det(I + M D) is at least one for every matrix, and the lift has no
special case.
"""

import numpy as np

from geomlin import (
    Algebra,
    exp,
    normalize,
    outer_exp,
    rotor_from_matrix,
    rotor_to_matrix,
    sandwich,
)
from geomlin.plot import BLUE, ORANGE, figure

alg = Algebra(6)
eps = np.finfo(float).eps
distances = np.logspace(-15, 0, 46)


def unpivoted(M):
    """The textbook lift: T = (M - I)(M + I)^-1, R = outer_exp(T) / |outer_exp(T)|."""
    T = np.linalg.solve((M + np.eye(6)).T, (M - np.eye(6)).T).T
    return normalize(outer_exp(alg.bivector((0.5 * (T - T.T))[np.triu_indices(6, 1)])))


def action(R):
    """Column j is the vector part of R e_j ~R, whatever R is."""
    return np.stack([sandwich(R, e).grade(1).coeffs for e in alg.basis_vectors], axis=1)


errors = {"unpivoted": [], "sign-pivoted": []}
turn = rotor_to_matrix(exp(alg.random.bivector(np.random.default_rng(1))))  # a frame
for distance in distances:
    B = alg.bivector({"e12": np.pi / 2 - distance, "e34": 0.7, "e56": 0.2})
    M = turn @ rotor_to_matrix(exp(B)) @ turn.T
    errors["unpivoted"].append(np.abs(action(unpivoted(M)) - M).max())
    errors["sign-pivoted"].append(np.abs(action(rotor_from_matrix(M, alg)) - M).max())

picture, ax = figure(1, width=6.0)
for (name, values), colour in zip(errors.items(), (ORANGE, BLUE), strict=True):
    ax.loglog(distances, np.maximum(values, eps / 4), ".-", color=colour, label=name)
ax.set(xlabel="distance of the angle from a half turn", ylabel="max |R e_j ~R − M e_j|")
ax.set_title("error of the lift in six dimensions")
ax.legend()
assert max(errors["sign-pivoted"]) < 64 * eps
