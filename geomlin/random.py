"""Random multivectors; every sampler takes the numpy Generator it draws from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
        Haar on SO(n) [1]; a fair coin chooses the lift.  `scale` matters only otherwise.

        References
        ----------
        [1] F. Mezzadri, "How to generate random matrices from the classical compact groups",
            Notices AMS 54 (2007), section 5.
        """
        from .ops.exponential import exp
        from .ops.lift import rotor_from_matrix

        algebra = self._algebra
        if not algebra.signature.is_definite:
            return exp(self.bivector(rng, shape, scale))
        n = algebra.n
        q, upper = np.linalg.qr(rng.normal(size=(*shape, n, n)))
        q = q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]
        q[..., 0] *= np.sign(np.linalg.det(q))[..., None]
        coin = rng.choice([-1.0, 1.0], size=shape)
        lifted = rotor_from_matrix(q, algebra)
        found: Multivector = lifted * algebra.scalar(np.asarray(coin), like=lifted)
        return found

    def _normal(
        self, layout: Layout, rng: np.random.Generator, shape: Shape, scale: float
    ) -> Multivector:
        from .multivector import Multivector

        algebra = self._algebra
        values = scale * rng.normal(size=(*shape, layout.size))
        if algebra.backend_object.exact:
            values = np.round(values * 64) / 64
        return Multivector(algebra, layout, algebra.backend_object.array(values))
