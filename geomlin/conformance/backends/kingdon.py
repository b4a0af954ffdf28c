"""The `kingdon` package as a backend, through geomlin.interop: products, simple exp, roots."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...interop import from_kingdon, to_kingdon
from ...multivector import Multivector
from ..operations import Signature
from . import require, version_of
from .converted import Converted, Floats


class KingdonBackend(Converted):
    """Each method is one call of the library; its algebras are kept, because it compiles for each.

    They have the kit's order of basis vectors: with its own, null vectors first, the orientation
    and so the sign of its regressive product would differ.

    It takes batches as arrays inside its coefficients, but its exp decides by one truth value.
    """

    name = "kingdon"

    def __init__(self) -> None:
        self.kingdon = require("kingdon")
        self.version = version_of("kingdon")
        self._algebras: dict[Signature, Any] = {}

    def enter(self, a: Multivector) -> Any:
        p, q, r = a.algebra.signature
        key = p, q, r
        if key not in self._algebras:
            self._algebras[key] = self.kingdon.Algebra(signature=np.array(a.algebra.metric))
        return to_kingdon(a, self._algebras[key])

    def leave(self, value: Any) -> Multivector:
        return from_kingdon(value)

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a * b."""
        return self.both(lambda x, y: x * y, signature, a, b)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a ^ b."""
        return self.both(lambda x, y: x ^ y, signature, a, b)

    def left_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.lc(b)."""
        return self.both(lambda x, y: x.lc(y), signature, a, b)

    def right_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.rc(b)."""
        return self.both(lambda x, y: x.rc(y), signature, a, b)

    def commutator(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a.cp(b), with the half."""
        return self.both(lambda x, y: x.cp(y), signature, a, b)

    def regressive_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a & b."""
        return self.both(lambda x, y: x & y, signature, a, b)

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """~a."""
        return self.full(~self.taken(signature, a))

    def dual(self, signature: Signature, a: Floats) -> Floats:
        """a.dual()."""
        return self.full(self.taken(signature, a).dual())

    def inverse(self, signature: Signature, a: Floats) -> Floats:
        """a.inv()."""
        return self.full(self.taken(signature, a).inv())

    def sandwich(self, signature: Signature, v: Floats, x: Floats) -> Floats:
        """v * x * ~v: its own sandwich assumes v ~v = 1."""
        return self.both(lambda a, b: a * b * ~a, signature, v, x)

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """b.exp()."""
        return self.even(self.taken(signature, b, "bivector").exp())

    def sqrt(self, signature: Signature, r: Floats) -> Floats:
        """r.sqrt(), of Study numbers; of any number it warns that it cannot verify that."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return self.even(self.taken(signature, r, "even").sqrt())

    def rotor_to_matrix(self, signature: Signature, r: Floats) -> Floats:
        """Columns r e_j ~r."""
        return self.columns(lambda rotor, e: rotor * e * ~rotor, signature, r)
