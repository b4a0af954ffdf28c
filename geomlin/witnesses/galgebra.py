"""The `galgebra` package as a witness: symbolic products, contractions, inverses, simple exp.

Its multivectors are sympy expressions, so that results are exact.  Its blade order is geomlin's.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cached_property
from io import StringIO
from typing import Any

import numpy as np

from ..errors import NotInvertible, NotSupported
from ..signature import Signature
from .foreign import Library


class GalgebraLibrary(Library):
    """An algebra of `galgebra`, with its own functions wherever it has them.

    Missing, and not rebuilt from others: complement, regressive_product, outer_exp,
    rotor_from_matrix, invariant_decomposition.
    """

    name = "galgebra"
    backend = "sympy"

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature)
        self.load()
        from galgebra.ga import Ga

        names = " ".join(f"e_{i + 1}" for i in range(signature.n))
        with redirect_stdout(StringIO()):  # it prints an exclamation when I^2 = 0
            self.space: Any = Ga(names, g=list(signature.metric))

    @classmethod
    def load(cls) -> None:
        """Import it, and undo what its import does to the process: print, and sympy's repr."""
        import sympy

        owner = next(kind for kind in sympy.Basic.__mro__ if "__repr__" in vars(kind))
        before = builtins.print, owner.__repr__
        try:
            super().load()
        finally:
            builtins.print, owner.__repr__ = before

    def from_dense(self, coefficients: Any) -> Any:
        import sympy

        terms = zip(coefficients, self.space.blades.flat, strict=True)
        return self.space.mv(sympy.Add(*(c * blade for c, blade in terms if c != 0)))

    def to_dense(self, value: Any) -> Any:
        found = value.blade_coefs()
        dense = np.empty(len(found), dtype=object)
        dense[:] = found
        return dense

    @cached_property
    def operations(self) -> Mapping[str, Callable[..., Any]]:
        """geomlin's names; where the conventions differ, the difference is said."""
        return {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "geometric_product": lambda a, b: a * b,
            "outer_product": lambda a, b: a ^ b,
            "left_contraction": lambda a, b: a < b,
            "right_contraction": lambda a, b: a > b,
            "scalar_product": lambda a, b: self.space.mv(a.sp(b)),  # sp gives a sympy number
            "commutator": lambda a, b: a >> b,  # with the factor 1/2
            "anticommutator": lambda a, b: a << b,  # with the factor 1/2
            "reverse": lambda a: a.rev(),
            "involute": lambda a: a.g_invol(),
            "conjugate": lambda a: a.ccon(),
            "grade": lambda a, k: a.get_grade(k),
            "even": lambda a: a.even(),
            "odd": lambda a: a.odd(),
            "dual": lambda a: self._regular(a) * self.space.i_inv,
            "undual": lambda a: self._regular(a) * self.space.I(),
            "norm_squared": lambda a: self.space.mv(a.qform()),  # its norm2 is |<~A A>_0|
            "norm": lambda a: self.space.mv(a.norm()),
            "normalize": lambda a: a / a.norm(),
            "inverse": self._inverse,
            "sandwich": lambda v, x: v * x * v.rev(),  # its rotate_multivector takes a bivector
            "versor_action": lambda v, x: v.g_invol() * x * self._inverse(v),
            "project": lambda a, b: a.project_in_blade(b),
            "reject": lambda a, b: (a ^ b) * self._inverse(b),
            # its mirror is the line of a, not the hyperplane: involute first
            "reflect": lambda x, a: x.g_invol().reflect_in_blade(a),
            "exp": self._exp,
            "rotor_to_matrix": self._to_matrix,
        }

    def _regular(self, a: Any) -> Any:
        """A itself when I is invertible.

        galgebra's own dual() and undual() depend on a mode that any code in the process may set:
        the product that the mode Iinv+ stands for, A I^-1, is taken instead.
        """
        if self.signature.r:
            raise NotSupported("galgebra's dual needs an invertible pseudoscalar")
        return a

    def _inverse(self, a: Any) -> Any:
        """Hitzer's formula for n <= 5; its inv() covers versors only."""
        if self.signature.n > 5:
            raise NotSupported("galgebra's general inverse covers n <= 5")
        try:
            return a.hitzer_inverse()
        except ValueError as error:
            raise NotInvertible(f"galgebra finds no inverse: {error}") from error

    def _exp(self, a: Any) -> Any:
        """Its exponential, of elements whose square is a scalar; the hint says of which sign."""
        square = a * a
        if not square.is_scalar() and not square.is_zero():
            raise NotSupported("galgebra's exp takes only elements with a scalar square")
        value = square.scalar()
        return a.exp("+" if value.subs(dict.fromkeys(value.free_symbols, 1)) > 0 else "-")

    def _to_matrix(self, rotor: Any) -> Any:
        """Its linear transformation of a versor, involute(R) x R^-1: R x ~R for rotors."""
        return np.array(self.space.lt(rotor).matrix().tolist(), dtype=object)
