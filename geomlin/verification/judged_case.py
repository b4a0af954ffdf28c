"""One bivector in one dtype, its references computed once, and the judgement of float results.

A judgement is (measured, budget) in the units of the budget: an error over eps kappa, a norm
defect over eps, a residual over eps size.  Infinite means NaN, infinity or an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import acb_mat, arb
from numpy.typing import NDArray

from ..signature import Signature
from .budgets import ACCURACY, exp_budget, lift_budget
from .condition import (
    bivector_null_degrees,
    condition_exp,
    condition_log,
    condition_power,
    condition_to_matrix,
)
from .lift_reference import exact_lift, exact_lift_of_exp
from .reference import (
    BITS,
    SMALLEST,
    Exact,
    errors,
    exact_exp,
    exact_matrix,
    exact_norm_defect,
    exact_sandwich,
    matrix_null_degrees,
    null_degrees,
    sizes,
    working_precision,
)
from .regimes import Case
from .representation import FloatArray
from .residuals import Parts, projector_size, residuals, tie_width

Floats = NDArray[np.floating]
Judgement = tuple[float, float]  # measured, budget
CUT = 1e-9  # distance of beta_1 + beta_2 from pi at which the branch of log is left open
ZERO = 1e-30  # angles below it are rounding of zero at 256 bits
LARGE_BOOST = 2.0  # two boosts beyond it hide each other's planes in the rounding of R


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """A case whose coefficients are floats of `dtype`; references are those of the rounded b."""

    case: Case
    signature: Signature
    dtype: np.dtype[np.floating]

    @cached_property
    def b(self) -> FloatArray:
        """The bivector as the dtype stores it."""
        with np.errstate(over="ignore", under="ignore"):
            return self.case.b.astype(self.dtype).astype(np.float64)

    @cached_property
    def eps(self) -> float:
        """Spacing of the dtype at 1."""
        return float(np.finfo(self.dtype).eps)

    @cached_property
    def exists(self) -> bool:
        """False when b or exp(B) exceeds the range of the dtype."""
        largest = float(np.finfo(self.dtype).max)
        if not np.isfinite(self.b).all():
            return False
        return not self.has_digits or float(max(abs(x.mid()) for x in self.rotor)) < largest

    @cached_property
    def has_digits(self) -> bool:
        """False when rounding b turns the rotor by more than a radian: exp has no correct digit."""
        m = self.signature.p + self.signature.q
        return bool(np.abs(self.b[:m, :m]).max(initial=0.0) * self.eps < 1.0)

    @cached_property
    def rotor(self) -> Exact:
        """exp(B), with bits for the digits of the smallest b_ij beside R_0 = 1."""
        smallest = np.abs(self.b[self.b != 0.0]).min(initial=1.0)
        return exact_exp(self.b, self.signature, bits=BITS - int(np.frexp(smallest)[1]))

    @cached_property
    def kappa(self) -> dict[int, float]:
        """Condition number of exp at B for each null-degree."""
        return condition_exp(self.b, self.signature, self.rotor)

    @cached_property
    def rounded_rotor(self) -> Floats:
        """exp(B) rounded to the dtype: the input of Spin -> SO."""
        return np.array([float(x) for x in self.rotor]).astype(self.dtype)

    @cached_property
    def rounded_matrix(self) -> Floats:
        """exp(2 b G) rounded to the dtype: the input of the lift."""
        n = self.signature.n
        flat = [float(x) for x in exact_matrix(self.b, self.signature)]
        return np.array(flat).reshape(n, n).astype(self.dtype)

    @cached_property
    def matrix_size(self) -> float:
        """max|O| of the non-null block, at least 1."""
        m = self.signature.p + self.signature.q
        return max(1.0, float(np.abs(self.rounded_matrix[:m, :m]).max(initial=0.0)))

    @cached_property
    def is_liftable(self) -> bool:
        """False when the rounded matrix has lost the rotor: eps max|O| is no longer small."""
        return self.has_digits and self.matrix_size * self.eps < 1 / 64

    @cached_property
    def lifted(self) -> Exact:
        """The rotor of the matrix: of its nearest group element, or, where that is ill conditioned
        (indefinite metrics), of the unrounded matrix."""
        if self.signature.p and self.signature.q:
            return exact_lift_of_exp(self.b, self.signature)
        return exact_lift(self.rounded_matrix, self.signature)

    @cached_property
    def exponents(self) -> list[tuple[float, float]]:
        """(boost, angle) of each eigenvalue of b G in the closed upper right quadrant, from 256
        bits, because eigenvalues of Jordan blocks keep only a part of the digits."""
        m = self.signature.p + self.signature.q
        if m == 0:
            return []
        metric = np.array(self.signature.metric[:m], dtype=float)
        with working_precision(BITS):
            flat = (self.b[:m, :m] * metric).ravel().tolist()
            values = acb_mat(m, m, flat).eig(algorithm="approx")
            found = [(float(value.real.mid()), float(value.imag.mid())) for value in values]
        return found

    @cached_property
    def log_quantity(self) -> str | None:
        """Which row log R belongs to; None where log of the rounded rotor need not be B.

        B is principal if every two elliptic angles have beta_1 + beta_2 < pi - 1e-9.  Where
        eps kappa >= 1, rounding of R leaves no digit of B.
        """
        angles = sorted((angle for _, angle in self.exponents if angle > ZERO), reverse=True)
        if not self.has_digits or sum(angles[:2]) >= np.pi - CUT:
            return None
        if max(self.log_kappa.values(), default=1.0) * self.eps >= 1.0:
            return None
        boosts = sum(boost > LARGE_BOOST for boost, _ in self.exponents)
        return "log, several boosts" if boosts >= 2 else "log"

    @cached_property
    def log_kappa(self) -> dict[int, float]:
        """Condition number of log at R = exp(B) for each null-degree."""
        return condition_log(self.b, self.signature, self.rotor)

    def judge_log(self, computed: Floats) -> Judgement:
        """Error of log over eps kappa, the worst null-degree; computed (n, n)."""
        budget = ACCURACY[self.log_quantity or "log"].limit
        upper = np.triu_indices(self.signature.n, 1)
        with working_precision(BITS):
            exact = [arb(value) for value in self.b[upper].tolist()]
        found = errors(computed[upper], exact, bivector_null_degrees(self.signature))
        return max((found[d] / self.log_kappa[d] for d in found), default=0.0), budget

    def power(self, t: float) -> Exact:
        """exp(t B), for t with t b exact in floats."""
        return exact_exp(t * self.b, self.signature)

    def judge_power(self, computed: Floats, t: float) -> Judgement:
        """Error of exp(t log R) over eps kappa, R the rounded rotor, the worst null-degree.

        kappa is the larger of those of the power and of exp at t B: B is rounded in between, which
        shows where t B makes a full turn.
        """
        exact = self.power(t)
        found = errors(computed, exact, null_degrees(self.signature))
        whole = condition_power(self.b, t, self.signature, self.rotor, exact)
        second = condition_exp(t * self.b, self.signature, exact)
        measured = max(found[d] / max(whole[d], second[d]) for d in found)
        return measured, ACCURACY["power"].limit * max(1.0, abs(t))

    def judge_exp(self, computed: Floats) -> Judgement:
        """Error of exp over eps kappa, the worst null-degree."""
        budget = exp_budget(self.signature).limit
        if not self.has_digits:
            return (0.0 if np.isfinite(computed).all() else np.inf), budget
        found = errors(computed, self.rotor, null_degrees(self.signature))
        return max(found[d] / self.kappa[d] for d in found), budget

    def judge_norm(self, computed: Floats) -> Judgement:
        """Largest coefficient of R ~R - 1 over eps, from the returned floats exactly."""
        if not np.isfinite(computed).all():
            return np.inf, ACCURACY["exp, unit norm"].limit
        defect = exact_norm_defect(computed, self.signature)
        measured = float(max(abs(x) for x in defect)) / self.eps
        return measured, ACCURACY["exp, unit norm"].limit

    def judge_to_matrix(self, computed: Floats) -> Judgement:
        """Error of R e_j ~R over eps kappa, R the rounded rotor, the worst null-degree."""
        exact = exact_sandwich(self.rounded_rotor, self.signature)
        found = errors(computed, exact, matrix_null_degrees(self.signature))
        kappa = condition_to_matrix(self.rounded_rotor, self.signature)
        return max(found[d] / kappa[d] for d in found), ACCURACY["to_matrix"].limit

    def judge_from_matrix(self, computed: Floats) -> Judgement:
        """Error of the lift over eps (times max|O| when indefinite), for the better sign."""
        degrees, kappa = null_degrees(self.signature), self._kappa_of_translations()
        found = [errors(sign * computed, self.lifted, degrees) for sign in (1, -1)]
        measured = min(max(one[d] / kappa[d] for d in one) for one in found)
        scale = self.matrix_size if self.signature.q else 1.0
        return measured / scale, lift_budget(self.signature).limit

    def _kappa_of_translations(self) -> dict[int, float]:
        """Condition number of the null-degrees d >= 1 of the lift R = R0 exp(T): at most
        |R0| |T|^d over the size of R0 T^d / d!.  Without it, where R0 is orthogonal and d = 1.
        """
        m = self.signature.p + self.signature.q
        translation = float(np.abs(self.rounded_matrix[m:, :m]).max(initial=0.0)) / 2
        with working_precision(BITS):
            size = sizes(self.lifted, null_degrees(self.signature))
        kappa = dict.fromkeys(size, 1.0)
        for degree in size:
            if degree >= 2 or (degree == 1 and self.signature.q):
                product = size[0] * translation**degree
                kappa[degree] = max(1.0, product / max(size[degree], SMALLEST))
        return kappa

    def judge_decomposition(self, found: Parts) -> dict[str, Judgement]:
        """Residuals over eps size; the budget allows for ties and for skew projectors."""
        width = ACCURACY["decomposition, ties"].limit * tie_width(self.b)
        skew = projector_size(found, self.signature) ** 2
        budget = (ACCURACY["decomposition"].limit + width) * skew
        measured = residuals(self.b.astype(self.dtype), found, self.signature)
        return {name: (value, budget) for name, value in measured.items()}
