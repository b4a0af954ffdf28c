"""The `clifford` package as a backend: its products, exp, log_rotor and orthoMat2Versor.

Its blade order is the kit's.  It has no batches, no general logarithm beyond log_rotor, no root and
no decomposition for every signature; what it lacks is not rebuilt here.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np

from ...layout import even_layout, full_layout, grade_layout
from ..operations import Signature
from . import require, version_of

Floats = np.ndarray[Any, np.dtype[np.float64]]


def positions(n: int, masks: tuple[int, ...]) -> list[int]:
    """Where blades sit among all 2^n in blade order."""
    place = full_layout(n).position
    return [place[mask] for mask in masks]


class CliffordBackend:
    """An adapter; each method is one call of the library."""

    name = "clifford"
    dtypes = ("float64",)
    batched = False

    def __init__(self) -> None:
        self.clifford = require("clifford")
        self.version = version_of("clifford")

    @cache  # noqa: B019 - one backend lives as long as its process
    def layout(self, signature: Signature) -> Any:
        """The algebra."""
        p, q, r = signature
        return self.clifford.Layout([1] * p + [-1] * q + [0] * r)

    def _take(self, signature: Signature, values: Floats, masks: tuple[int, ...] = ()) -> Any:
        """A multivector from full coefficients, or from those of some blades."""
        layout = self.layout(signature)
        full = np.zeros(2 ** sum(signature))
        full[positions(sum(signature), masks) if masks else slice(None)] = values
        return layout.MultiVector(full)

    def _even(self, signature: Signature, values: Floats) -> Any:
        return self._take(signature, values, even_layout(sum(signature)).masks)

    def _bivector(self, signature: Signature, values: Floats) -> Any:
        return self._take(signature, values, grade_layout(sum(signature), 2).masks)

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a * b."""
        return np.array((self._take(signature, a) * self._take(signature, b)).value)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a ^ b."""
        return np.array((self._take(signature, a) ^ self._take(signature, b)).value)

    def left_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.lc(b)."""
        return np.array(self._take(signature, a).lc(self._take(signature, b)).value)

    def commutator(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.commutator(b), with the half."""
        return np.array(self._take(signature, a).commutator(self._take(signature, b)).value)

    def regressive_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.vee(b)."""
        return np.array(self._take(signature, a).vee(self._take(signature, b)).value)

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """~a."""
        return np.array((~self._take(signature, a)).value)

    def dual(self, signature: Signature, a: Floats) -> Floats:
        """a.dual(): a I^-1 where I is invertible."""
        return np.array(self._take(signature, a).dual().value)

    def inverse(self, signature: Signature, a: Floats) -> Floats:
        """a.inv()."""
        return np.array(self._take(signature, a).inv().value)

    def sandwich(self, signature: Signature, v: Floats, x: Floats) -> Floats:
        """v * x * ~v: it has no function of that name."""
        element = self._take(signature, v)
        return np.array((element * self._take(signature, x) * ~element).value)

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """b.exp()."""
        found = self._bivector(signature, b).exp()
        return np.array(found.value)[positions(sum(signature), even_layout(sum(signature)).masks)]

    def log(self, signature: Signature, r: Floats) -> Floats:
        """tools.log_rotor; its grade-2 part."""
        from clifford.tools import log_rotor

        found = log_rotor(self._even(signature, r))
        place = positions(sum(signature), grade_layout(sum(signature), 2).masks)
        return np.array(found.value)[place]

    def rotor_to_matrix(self, signature: Signature, r: Floats) -> Floats:
        """Columns r e_j ~r."""
        rotor, n = self._even(signature, r), sum(signature)
        vectors = self.layout(signature).basis_vectors_lst
        return np.array([(rotor * e * ~rotor).value[1 : n + 1] for e in vectors]).T

    def rotor_from_matrix(self, signature: Signature, m: Floats) -> Floats:
        """tools.orthoMat2Versor; an odd versor is what it gives for a reflection."""
        from clifford.tools import orthoMat2Versor

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"abs\(R\)<eps", UserWarning)
            found = np.array(orthoMat2Versor(m, layout=self.layout(signature))[0].value)
        place = positions(sum(signature), even_layout(sum(signature)).masks)
        odd = np.delete(found, place)
        if np.abs(odd).max(initial=0.0) > 1e-6 * np.abs(found).max(initial=1.0):
            raise ValueError("orthoMat2Versor answered with an odd versor")
        return found[place]

    def rotor_layer(self, signature: Signature, r: Floats, s: Floats, x: Floats) -> Floats:
        """r * x * ~s."""
        left, right = self._even(signature, r), self._even(signature, s)
        return np.array((left * self._take(signature, x) * ~right).value)
