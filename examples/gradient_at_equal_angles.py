"""
Gradients at equal angles
=========================

The exponential is smooth everywhere, and so is its derivative. Who differentiates the split into
planes instead divides by the gap between two angles: the error grows as the gap closes, until the
numbers mean nothing.
"""

import numpy as np

from geomlin import Algebra, exp
from geomlin.derivatives import exp_jvp
from geomlin.plot import BLUE, ORANGE, figure

alg = Algebra(4)
direction = np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.6])
metric_free = np.triu_indices(4, 1)
gaps = np.logspace(-15, -1, 29)


def planewise_derivative(b, db):
    """d exp(B) as a sum over planes, with 1 / (difference of eigenvalues) where they mix."""
    matrix, change = np.zeros((4, 4)), np.zeros((4, 4))
    matrix[metric_free], change[metric_free] = b, db
    w, z = np.linalg.eigh(1j * (matrix - matrix.T))
    inner = z.conj().T @ (1j * (change - change.T)) @ z
    gap = w[None, :] - w[:, None] + np.eye(4)
    with np.errstate(all="ignore"):
        dz = z @ (inner * (1 - np.eye(4)) / gap)
    dw = np.diag(inner).real
    parts = z[:, :, None] * z.conj().T[None, :, :]  # one projector for each eigenvalue
    turned = np.zeros((4, 4), complex)
    for k in range(4):
        projector = np.outer(dz[:, k], z[:, k].conj()) + np.outer(z[:, k], dz[:, k].conj())
        turned += np.exp(-2j * w[k]) * (projector - 2j * dw[k] * parts[:, k, :])
    return turned.real


def true_derivative(b, db):
    """d(R x ~R) from the derivative of the rotor: dO = 2 <dR ~R>_2 acting on O."""
    B, dB = alg.bivector(b), alg.bivector(db)
    R = exp(B)
    omega = (exp_jvp(B, dB) * ~R).grade(2).coeffs
    generator = np.zeros((4, 4))
    generator[metric_free] = omega
    rotation = np.stack([(R * e * ~R).grade(1).coeffs for e in alg.basis_vectors], axis=1)
    return 2 * (generator - generator.T) @ rotation


def difference(b, db, step=1e-5):
    """A central difference, whose error does not depend on the gap."""
    sides = [
        np.stack([(R * e * ~R).grade(1).coeffs for e in alg.basis_vectors], axis=1)
        for R in (exp(alg.bivector(b + step * db)), exp(alg.bivector(b - step * db)))
    ]
    return (sides[0] - sides[1]) / (2 * step)


frame = exp(alg.bivector([0.3, 0.1, -0.4, 0.8, 0.2, 0.5]))
errors = {"through eigenvectors": [], "geomlin.derivatives": []}
for gap in gaps:
    B = (frame * alg.bivector({"e12": 1.0, "e34": 1.0 + gap}) * ~frame).grade(2).coeffs
    expected = difference(B, direction)
    for name, rule in zip(errors, (planewise_derivative, true_derivative), strict=True):
        errors[name].append(np.abs(rule(B, direction) - expected).max())

picture, ax = figure(1, width=6.0)
for (name, values), colour in zip(errors.items(), (ORANGE, BLUE), strict=True):
    ax.loglog(gaps, values, ".-", color=colour, label=name)
ax.axhline(1e-10, color="black", linewidth=0.8, linestyle=":")
ax.annotate("accuracy of the difference quotient", (1e-14, 1.3e-10), fontsize=8)
ax.set(
    xlabel="gap between the angles", ylabel="error of the derivative", title="d(R x ~R) in Cl(4)"
)
ax.legend()
assert max(errors["geomlin.derivatives"]) < 1e-8
