"""geomlin's public functions, in the form the accuracy table tests them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .. import (
    Algebra,
    exp,
    invariant_decomposition,
    log,
    power,
    rotor_from_matrix,
    rotor_to_matrix,
    sqrt,
)
from ..multivector import Multivector
from ..signature import Signature
from .judged_case import Floats
from .residuals import Parts


def _bivector(b: Floats, signature: Signature) -> Multivector:
    """The bivector of an antisymmetric matrix (..., n, n)."""
    rows, columns = np.triu_indices(signature.n, 1)
    return Algebra(*signature).bivector(b[..., rows, columns])


def _matrices(coefficients: Floats, signature: Signature) -> Floats:
    """Antisymmetric matrices (..., n, n) of bivector coefficients."""
    matrices = np.zeros((*coefficients.shape[:-1], signature.n, signature.n), coefficients.dtype)
    for k, (i, j) in enumerate(combinations(range(signature.n), 2)):
        matrices[..., i, j] = coefficients[..., k]
        matrices[..., j, i] = -coefficients[..., k]
    return matrices


class PublicSubject:
    """exp, log, roots, powers, conversions and invariant_decomposition in numpy."""

    def exp(self, b: Floats, signature: Signature) -> Floats:
        """Rotors of a batch of bivectors."""
        return np.asarray(exp(_bivector(b, signature)).coeffs)

    def to_matrix(self, rotors: Floats, signature: Signature) -> Floats:
        """Matrices of a batch of rotors."""
        return np.asarray(rotor_to_matrix(Algebra(*signature).even(rotors)))

    def from_matrix(self, matrices: Floats, signature: Signature) -> Floats:
        """Rotors of a batch of matrices."""
        return np.asarray(rotor_from_matrix(matrices, Algebra(*signature)).coeffs)

    def log(self, rotors: Floats, signature: Signature) -> Floats:
        """Logarithms of a batch of rotors."""
        return _matrices(np.asarray(log(Algebra(*signature).even(rotors)).coeffs), signature)

    def power(self, rotors: Floats, t: float, signature: Signature) -> Floats:
        """exp(t log R) of a batch of rotors; sqrt for t = 1/2."""
        rotor = Algebra(*signature).even(rotors)
        return np.asarray((sqrt(rotor) if t == 0.5 else power(rotor, t)).coeffs)

    def decompose(self, b: Floats, signature: Signature) -> list[Parts]:
        """Decompositions of a batch of bivectors."""
        found = invariant_decomposition(_bivector(b, signature), blocks=True)
        matrices = _matrices(np.asarray(found.parts.coeffs), signature)
        squares, kinds = np.asarray(found.squares), np.asarray(found.kinds)
        return [Parts(*one) for one in zip(matrices, squares, kinds, strict=True)]
