"""A library as a backend through geomlin's converters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...algebra import Algebra
from ...layout import even_layout, grade_layout
from ...multivector import Multivector
from ...ops.grades import with_layout
from ..operations import Signature

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Converted:
    """Carries arguments over and answers back; `enter` and `leave` are the two converters."""

    dtypes = ("float64",)
    batched = False

    def enter(self, a: Multivector) -> Any:
        """A value of the library."""
        raise NotImplementedError

    def leave(self, value: Any) -> Multivector:
        """A multivector."""
        raise NotImplementedError

    def taken(self, signature: Signature, values: Floats, kind: str = "multivector") -> Any:
        """A value of the library from coefficients of a kind."""
        return self.enter(getattr(Algebra(*signature), kind)(values))

    def full(self, value: Any) -> Floats:
        """All coefficients."""
        return np.asarray(self.leave(value).to_dense())

    def even(self, value: Any) -> Floats:
        """The even coefficients; odd ones would be lost, so they are an error."""
        return self._part(value, even_layout(self.leave(value).algebra.n))

    def bivector(self, value: Any) -> Floats:
        """The coefficients of grade 2."""
        found = self.leave(value)
        return np.asarray(with_layout(found, grade_layout(found.algebra.n, 2)).coeffs)

    def _part(self, value: Any, layout: Any) -> Floats:
        found = self.leave(value)
        part = with_layout(found, layout)
        if np.abs((found - part).coeffs).max(initial=0.0) > 0.0:
            raise ValueError("the answer has odd coefficients")
        return np.asarray(part.coeffs)

    def both(
        self, function: Callable[..., Any], signature: Signature, a: Floats, b: Floats
    ) -> Floats:
        """A product of two full multivectors."""
        return self.full(function(self.taken(signature, a), self.taken(signature, b)))

    def columns(self, turn: Callable[[Any, Any], Any], signature: Signature, r: Floats) -> Floats:
        """The matrix whose column j is the image of e_j."""
        n = sum(signature)
        rotor = self.taken(signature, r, "even")
        images = [turn(rotor, self.taken(signature, e, "vector")) for e in np.eye(n)]
        return np.array([self.full(image)[1 : n + 1] for image in images]).T
