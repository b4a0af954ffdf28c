"""The `galgebra` package as a backend, through geomlin.interop: symbolic products, simple exp."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from ...interop import from_galgebra, to_galgebra
from ...multivector import Multivector
from ..operations import Signature
from . import version_of
from .converted import Converted, Floats

_LARGEST = 5  # its products of full symbolic multivectors take minutes above


class GalgebraBackend(Converted):
    """Each method is one call of the library; coefficients are sympy floats."""

    name = "galgebra"

    def __init__(self) -> None:
        from ...algebra import Algebra

        to_galgebra(Algebra(2).scalar(1.0))  # BackendMissing where it is not installed
        self.version = version_of("galgebra")
        self._spaces: dict[Signature, Any] = {}

    def enter(self, a: Multivector) -> Any:
        p, q, r = a.algebra.signature
        key = p, q, r
        if a.algebra.n > _LARGEST:
            raise NotImplementedError(f"symbolic multivectors of n = {a.algebra.n} take too long")
        if key not in self._spaces:
            with redirect_stdout(StringIO()):
                self._spaces[key] = to_galgebra(a.algebra.scalar(1.0)).Ga
        return to_galgebra(a, self._spaces[key])

    def leave(self, value: Any) -> Multivector:
        return from_galgebra(value).to(backend="numpy")

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a * b."""
        return self.both(lambda x, y: x * y, signature, a, b)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a ^ b."""
        return self.both(lambda x, y: x ^ y, signature, a, b)

    def left_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a < b."""
        return self.both(lambda x, y: x < y, signature, a, b)

    def right_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a > b."""
        return self.both(lambda x, y: x > y, signature, a, b)

    def commutator(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """a >> b, with the half."""
        return self.both(lambda x, y: x >> y, signature, a, b)

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """a.rev()."""
        return self.full(self.taken(signature, a).rev())

    def dual(self, signature: Signature, a: Floats) -> Floats:
        """a.dual(), in the mode that the process starts with."""
        return self.full(self.taken(signature, a).dual())

    def inverse(self, signature: Signature, a: Floats) -> Floats:
        """a.inv(), of versors."""
        return self.full(self.taken(signature, a).inv())

    def sandwich(self, signature: Signature, v: Floats, x: Floats) -> Floats:
        """v * x * v.rev()."""
        return self.both(lambda a, b: a * b * a.rev(), signature, v, x)

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """b.exp(hint), the hint says the sign of the square."""
        element = self.taken(signature, b, "bivector")
        square = (element * element).scalar()
        return self.even(element.exp("+" if square > 0 else "-"))

    def rotor_to_matrix(self, signature: Signature, r: Floats) -> Floats:
        """Columns r e_j r.rev()."""
        return self.columns(lambda rotor, e: rotor * e * rotor.rev(), signature, r)
