"""Random multivectors; every sampler takes the numpy Generator it draws from."""

from __future__ import annotations

import operator
import sys
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import DtypeError, LayoutError, NotSupported
from .layout import even_layout, full_layout, grade_layout

if TYPE_CHECKING:
    from .algebra import Algebra
    from .layout import Layout
    from .multivector import Multivector

Shape = tuple[int, ...]


class Random:
    """Samplers of one algebra: independent normal coefficients, and rotors.

    On exact backends the normal samples are rounded to multiples of 1/64, so that numbers stay
    short.
    """

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra

    def vector(
        self, rng: np.random.Generator, shape: Shape = (), scale: float = 1.0
    ) -> Multivector:
        """Normal coefficients of standard deviation `scale`."""
        return self._normal(grade_layout(self._algebra.n, 1), rng, shape, scale)

    def bivector(
        self, rng: np.random.Generator, shape: Shape = (), scale: float = 1.0
    ) -> Multivector:
        """Normal coefficients of standard deviation `scale`."""
        return self._normal(grade_layout(self._algebra.n, 2), rng, shape, scale)

    def multivector(
        self, rng: np.random.Generator, shape: Shape = (), scale: float = 1.0
    ) -> Multivector:
        """Normal coefficients of standard deviation `scale` on all blades."""
        return self._normal(full_layout(self._algebra.n), rng, shape, scale)

    def even(self, rng: np.random.Generator, shape: Shape = (), scale: float = 1.0) -> Multivector:
        """Normal coefficients of standard deviation `scale` on the even blades."""
        return self._normal(even_layout(self._algebra.n), rng, shape, scale)

    def rotor(self, rng: np.random.Generator, shape: Shape = (), scale: float = 1.0) -> Multivector:
        """Rotor: Haar measure on Spin(n) in a definite metric, else exp of a random bivector.

        Haar: the Q factor of a Gaussian matrix with the signs of R's diagonal, made special, is
        Haar on SO(n) [1]; a fair coin chooses the lift.  `scale` matters only otherwise.  On arb
        and sympy it is +-cayley(B) with B the rounded <R>_2 / <R>_0 of such a rotor: a rotor to
        the last digit, and Haar up to that rounding.  NotSupported on
        fractions and flint, unless B is nilpotent.

        References
        ----------
        [1] F. Mezzadri, "How to generate random matrices from the classical compact groups",
            Notices AMS 54 (2007), section 5.
        """
        from .ops.exponential import exp
        from .ops.lift import rotor_from_matrix

        algebra, shape = self._algebra, _checked(rng, shape, scale)
        if not algebra.signature.is_definite:
            return exp(self.bivector(rng, shape, scale))
        if algebra.backend in ("fractions", "flint"):
            raise NotSupported(
                f"a random rotor has square roots, which backend "
                f"{algebra.backend!r} has not: use an algebra with backend='arb' or 'sympy'"
            )
        if algebra.backend in ("arb", "sympy"):
            return self._of_rational_tangents(rng, shape)
        n = algebra.n
        q, upper = np.linalg.qr(rng.normal(size=(*shape, n, n)))
        q = q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]
        q[..., 0] *= np.sign(np.linalg.det(q))[..., None]
        coin = rng.choice([-1.0, 1.0], size=shape)
        lifted = rotor_from_matrix(q, algebra)
        found: Multivector = lifted * algebra.scalar(np.asarray(coin), like=lifted)
        return found

    def _of_rational_tangents(self, rng: np.random.Generator, shape: Shape) -> Multivector:
        """Exact rotors whose matrices are, but for rounding, Haar; the coin of the floats."""
        from .multivector import Multivector
        from .ops.cayley import cayley

        algebra = self._algebra
        floats = type(algebra)(*algebra.signature).random.rotor(rng, shape).coeffs
        grades = even_layout(algebra.n).grade_array
        tangents = floats[..., grades == 2] / floats[..., :1]
        if algebra.backend_object.exact:
            tangents = np.round(tangents * 64) / 64
        values = algebra.backend_object.array(tangents)
        found = cayley(Multivector(algebra, grade_layout(algebra.n, 2), values))
        sign = np.sign(floats[..., 0])
        rotor: Multivector = found * algebra.scalar(sign, like=found)
        return rotor

    def _normal(
        self, layout: Layout, rng: np.random.Generator, shape: Shape, scale: float
    ) -> Multivector:
        from .multivector import Multivector

        algebra, shape = self._algebra, _checked(rng, shape, scale)
        values = scale * rng.normal(size=(*shape, layout.size))
        if algebra.backend_object.exact:
            values = np.round(values * 64) / 64
        return Multivector(algebra, layout, algebra.backend_object.array(values))


def _checked(rng: Any, shape: Any, scale: Any) -> Shape:
    """The batch shape as a tuple; named errors for what cannot be sampled."""
    if not isinstance(rng, np.random.Generator):
        raise DtypeError(
            f"expected a numpy.random.Generator, got {type(rng).__name__}: samplers draw from "
            "numpy.random.default_rng(seed), never from a global state"
        )
    try:
        lengths = (shape,) if hasattr(shape, "__index__") else shape
        found = tuple(operator.index(k) for k in lengths)
    except TypeError:
        raise LayoutError(f"expected a batch shape such as (3, 2), got {shape!r}") from None
    if min(found, default=0) < 0 or max(found, default=0) > sys.maxsize:
        raise LayoutError(f"expected a batch shape of lengths that arrays can have, got {shape!r}")
    is_number = isinstance(scale, Real) and not isinstance(scale, bool)
    if not (is_number and abs(scale) <= sys.float_info.max):
        raise DtypeError(f"expected a finite real number for scale, got {scale!r}")
    return found
