"""The `galaga` package as a backend; it stores the coefficients of the same blades by bitmask."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...layout import even_layout, full_layout, grade_layout
from ..operations import Signature
from . import require, version_of

Floats = np.ndarray[Any, np.dtype[np.float64]]


class GalagaBackend:
    """Each method is one call of the library."""

    name = "galaga"
    dtypes = ("float64",)
    batched = False

    def __init__(self) -> None:
        self.galaga = require("galaga")
        self.version = version_of("galaga")
        self._algebras: dict[Signature, Any] = {}

    def _take(self, signature: Signature, values: Floats, masks: tuple[int, ...] = ()) -> Any:
        p, q, r = signature
        if signature not in self._algebras:
            self._algebras[signature] = self.galaga.Algebra((1,) * p + (-1,) * q + (0,) * r)
        data = np.zeros(2 ** (p + q + r))
        data[list(masks or full_layout(p + q + r).masks)] = values
        return self.galaga.Multivector(self._algebras[signature], data)

    def _full(self, signature: Signature, value: Any) -> Floats:
        return np.array(value.data)[list(full_layout(sum(signature)).masks)]

    def _two(self, name: str, signature: Signature, a: Floats, b: Floats) -> Floats:
        function = getattr(self.galaga, name)
        return self._full(signature, function(self._take(signature, a), self._take(signature, b)))

    def _one(self, name: str, signature: Signature, a: Floats) -> Floats:
        return self._full(signature, getattr(self.galaga, name)(self._take(signature, a)))

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """geometric_product."""
        return self._two("geometric_product", signature, a, b)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """outer_product."""
        return self._two("outer_product", signature, a, b)

    def left_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """left_contraction."""
        return self._two("left_contraction", signature, a, b)

    def right_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """right_contraction."""
        return self._two("right_contraction", signature, a, b)

    def commutator(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """lie_bracket, which has the half; its commutator has not."""
        return self._two("lie_bracket", signature, a, b)

    def regressive_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """regressive_product, by complements."""
        return self._two("regressive_product", signature, a, b)

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """reverse."""
        return self._one("reverse", signature, a)

    def dual(self, signature: Signature, a: Floats) -> Floats:
        """dual: left contraction into I^-1."""
        return self._one("dual", signature, a)

    def inverse(self, signature: Signature, a: Floats) -> Floats:
        """inverse."""
        return self._one("inverse", signature, a)

    def sandwich(self, signature: Signature, v: Floats, x: Floats) -> Floats:
        """sandwich, v x ~v."""
        return self._two("sandwich", signature, v, x)

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """exp."""
        n = sum(signature)
        found = self.galaga.exp(self._take(signature, b, grade_layout(n, 2).masks))
        return np.array(found.data)[list(even_layout(n).masks)]

    def log(self, signature: Signature, r: Floats) -> Floats:
        """log; its grade-2 part."""
        n = sum(signature)
        found = self.galaga.log(self._take(signature, r, even_layout(n).masks))
        return np.array(found.data)[list(grade_layout(n, 2).masks)]

    def sqrt(self, signature: Signature, r: Floats) -> Floats:
        """sqrt, of Study numbers."""
        n = sum(signature)
        found = self.galaga.sqrt(self._take(signature, r, even_layout(n).masks))
        return np.array(found.data)[list(even_layout(n).masks)]

    def rotor_to_matrix(self, signature: Signature, r: Floats) -> Floats:
        """Columns sandwich(r, e_j)."""
        n = sum(signature)
        rotor = self._take(signature, r, even_layout(n).masks)
        images = [
            self.galaga.sandwich(rotor, self._take(signature, e, grade_layout(n, 1).masks))
            for e in np.eye(n)
        ]
        return np.array([self._full(signature, x)[1 : n + 1] for x in images]).T
