"""The `clifford` package as a witness: dense float products, a Taylor exponential, a matrix lift.

Its blade order is geomlin's: by grade, then lexicographic.  It compiles each function for each
algebra with numba, 0.3 s to 3 s at the first call; with NUMBA_DISABLE_JIT=1 in the environment of
the process it computes the same numbers without that wait.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotSupported
from ..ops.bivectors import bivector_part, is_bivector
from ..signature import Signature
from .arbitration import (
    condition_of_exponential,
    exact_exponential,
    exact_inverse,
    exact_projection,
    exact_rotor,
)
from .foreign import Library

if TYPE_CHECKING:
    from .records import Disagreement

_EPS = float(np.finfo(np.float64).eps)
_ENDLESS = 2.0**62  # exp scales by shifting an int64 that wraps around from here on


# of the largest coefficient, times the condition number
_STATED: Mapping[str, float] = {
    "exp": 1e-9 / _EPS,
    "inverse": 1e-9 / _EPS,
    "project": 1e-9 / _EPS,
    "rotor_from_matrix": 1e-13 / _EPS,
}
_REASONS: Mapping[str, str] = {
    "exp": "Its Taylor series has 14 terms after scaling by the largest coefficient; the norm of a "
    "dense or compound bivector is larger.",
    "inverse": "It decides by an absolute threshold of 1e-12 whether ~A A is a scalar.",
    "rotor_from_matrix": "It tells reflections from rotations by fixed thresholds, made for "
    "Euclidean frames.",
}


class CliffordLibrary(Library):
    """An algebra of `clifford`, with its own functions wherever it has them.

    Missing, and not rebuilt from others: right_contraction, outer_exp, invariant_decomposition.
    """

    name = "clifford"
    stated = _STATED
    reasons = _REASONS

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature)
        from clifford import Layout

        self.layout: Any = Layout(list(signature.metric))

    def from_dense(self, coefficients: Any) -> Any:
        return self.layout.MultiVector(np.asarray(coefficients, dtype=np.float64))

    def to_dense(self, value: Any) -> Any:
        return np.asarray(value.value, dtype=np.float64)

    def _scalar(self, number: Any) -> Any:
        return float(number) + 0.0 * self.layout.scalar

    @cached_property
    def operations(self) -> Mapping[str, Callable[..., Any]]:
        """geomlin's names; where the conventions differ, the difference is said."""
        return {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "geometric_product": lambda a, b: a * b,
            "outer_product": lambda a, b: a ^ b,
            "left_contraction": lambda a, b: a.lc(b),
            "scalar_product": lambda a, b: (a * b)(0),  # no function of that name
            "commutator": lambda a, b: a.commutator(b),  # with the factor 1/2
            "anticommutator": lambda a, b: a.anticommutator(b),  # with the factor 1/2
            "reverse": lambda a: ~a,
            "involute": lambda a: a.gradeInvol(),
            "conjugate": lambda a: a.conjugate(),
            "grade": lambda a, k: a(k),
            "even": lambda a: a.even,
            "odd": lambda a: a.odd,
            "complement": lambda a: a.right_complement(),
            "regressive_product": lambda a, b: a.vee(b),  # by complements, as geomlin's
            "dual": self._dual,
            "undual": self._undual,
            "norm_squared": lambda a: self._scalar(a.mag2()),  # <~A A>_0, of any sign
            "norm": lambda a: self._scalar(abs(a)),
            "normalize": lambda a: a.normal(),
            "inverse": self._inverse,
            "sandwich": lambda v, x: v * x * ~v,  # no function of that name
            "versor_action": lambda v, x: v.gradeInvol() * x * self._inverse(v),
            "project": self._project,
            "reject": lambda a, b: (a ^ b) * self._inverse(b),
            "reflect": lambda x, a: a * x.gradeInvol() * self._inverse(a),
            "exp": self._exp,
            "rotor_to_matrix": self._to_matrix,
            "rotor_from_matrix": lambda matrix, _: self._from_matrix(matrix),
        }

    # --- duality --------------------------------------------------------------------------

    def _require_regular(self) -> None:
        """clifford's dual silently becomes the complement when r > 0; geomlin's is not defined."""
        if self.signature.r:
            raise NotSupported("clifford's dual is the complement in degenerate metrics")

    def _dual(self, a: Any) -> Any:
        self._require_regular()
        return a.dual()  # A I^-1, as geomlin's

    def _undual(self, a: Any) -> Any:
        self._require_regular()
        return a * self.layout.pseudoScalar  # it has no undual; A I by definition

    # --- operations that are judged -------------------------------------------------------

    def _inverse(self, a: Any) -> Any:
        """Its own choice among ~A / (~A A), Hitzer's formulas, and linear algebra."""
        from .. import inverse

        ours = self.unwrap(a)
        return self.arbiter.judge(
            "inverse",
            lambda: a.inv(),
            self.to_dense,
            lambda: inverse(ours).to_dense(),
            exact_inverse(ours),
            where=_text(ours),
        )

    def _project(self, a: Any, b: Any) -> Any:
        """B.project(A): the subspace comes first.  It refuses what it does not take for a blade."""
        from .. import project

        x, blade = self.unwrap(a), self.unwrap(b)
        exact, inverse_blade = exact_projection(x, blade)
        largest = max(abs(float(value)) for value in exact)
        amplified = float(np.abs(x.coeffs).sum() * np.abs(blade.coeffs).sum() * inverse_blade)
        return self.arbiter.judge(
            "project",
            lambda: b.project(a),
            self.to_dense,
            lambda: project(x, blade).to_dense(),
            exact,
            where=f"{_text(x)} onto {_text(blade)}",
            condition=lambda: amplified / largest if largest else 1.0,
        )

    def _exp(self, a: Any) -> Any:
        """Its Taylor series, for bivectors: of nothing else is there a certified exponential."""
        from .. import exp

        argument = self.unwrap(a)
        if not is_bivector(argument):
            raise NotSupported("no certified value of exp is known for what is no bivector")
        if not np.abs(argument.coeffs).max(initial=0.0) < _ENDLESS:
            raise NotSupported("clifford's exp does not return for coefficients of 2^62 and more")
        bivector = bivector_part(argument)
        exact = exact_exponential(bivector)
        return self.arbiter.judge(
            "exp",
            lambda: a.exp(),
            self.to_dense,
            lambda: exp(bivector).to_dense(),
            exact,
            where=_text(bivector),
            condition=lambda: condition_of_exponential(bivector, exact),
        )

    def _to_matrix(self, rotor: Any) -> Any:
        """Columns R e_j ~R; its LinearMatrix.from_rotor is not used, see `probes`."""
        columns = [
            self.to_dense(rotor * e * ~rotor)[1 : 1 + self.signature.n]
            for e in self.layout.basis_vectors_lst
        ]
        return np.array(columns).T

    def _from_matrix(self, matrix: Any) -> Any:
        """orthoMat2Versor: column j is the image of e_j, x -> R x ~R; the sign is its own."""
        from clifford.tools import orthoMat2Versor

        from .. import rotor_from_matrix

        def lift() -> Any:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                # the result is judged anyway, whatever it warns about
                warnings.filterwarnings("ignore", r"abs\(R\)<eps", UserWarning)
                return orthoMat2Versor(matrix, layout=self.layout)[0]

        regular = self.signature.p + self.signature.q
        boosted = float(np.abs(matrix[:regular, :regular]).max(initial=1.0))
        return self.arbiter.judge(
            "rotor_from_matrix",
            lift,
            self.to_dense,
            lambda: rotor_from_matrix(matrix, self.algebra).to_dense(),
            exact_rotor(matrix, self.signature),
            where=f"M = {matrix.tolist()}",
            condition=lambda: boosted**2,  # how far the matrix may be from the group
            up_to_sign=True,
        )

    # --- other disagreements --------------------------------------------------------------

    def probes(self) -> list[Disagreement]:
        """Two functions that no identity uses, at one small argument each."""
        regular = self.signature.p + self.signature.q
        found = [self._negative_power() if regular >= 1 else None]
        found += [self._map_of_a_rotor() if regular >= 2 else None]
        return [probe for probe in found if probe is not None]

    def _negative_power(self) -> Disagreement | None:
        vector = 2 * self.algebra.basis_vectors[0]
        return self.arbiter.probe(
            "A ** -1",
            self.to_dense(self.from_dense(vector.to_dense()) ** -1),
            (vector**-1).to_dense(),
            exact_inverse(vector),
            where="A = 2 e1",
            why="Its power loop is empty for negative exponents and returns A.",
        )

    def _map_of_a_rotor(self) -> Disagreement | None:
        from clifford.transformations import LinearMatrix

        from .. import versor_action

        e1 = self.algebra.basis_vectors[0]
        rotor = self.algebra.even({"1": 3, "e12": 4})
        exact = versor_action(rotor.to(backend="fractions"), e1.to(backend="fractions"))
        linear_map = LinearMatrix.from_rotor(self.from_dense(rotor.to_dense()))
        return self.arbiter.probe(
            "LinearMatrix.from_rotor(R)(e1)",
            self.to_dense(linear_map(self.from_dense(e1.to_dense()))),
            versor_action(rotor, e1).to_dense(),
            list(exact.to_dense()),
            where="R = 3 + 4 e12",
            why="It stores the images as rows and applies them as columns: ~R x R, not R x ~R.",
        )


def _text(a: Any) -> str:
    from ..verification.arguments import exact_text

    return exact_text(a)
