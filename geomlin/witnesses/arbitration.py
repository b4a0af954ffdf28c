"""Who is right when a witness computes by approximation: a certified value decides.

Each approximate operation has an accuracy that was stated before any run.  Every call is compared
with an enclosure or an exact rational value, and so is geomlin's own result on the same input.
Within the stated accuracy, times the condition number, the witness may speak; beyond it
WitnessFault is raised, with both errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from ..errors import GeomlinError, NotInImage, NotInvertible, NotOrthogonal, NotSupported
from ..layout import even_layout, full_layout
from ..multivector import Multivector
from ..signature import Signature
from .records import Disagreement, WitnessAccuracy

Exact = Sequence[Any]  # arb balls or fractions
_PROBE = 64.0  # eps


class WitnessFault(GeomlinError):
    """The witness is wrong by more than its stated accuracy, as a certified value shows."""

    def __init__(self, message: str, *, geomlin_is_right: bool) -> None:
        super().__init__(message)
        self.geomlin_is_right = geomlin_is_right


@dataclass
class Accuracy:
    """How well an approximate operation did, in eps of the largest coefficient."""

    calls: int = 0
    worst: float = 0.0
    where: str = ""
    ours: float = 0.0  # geomlin's worst error on the same inputs
    faults: int = 0  # calls beyond the stated accuracy, refusals included


@dataclass(frozen=True)
class _Fault:
    operation: str
    where: str
    theirs: float
    ours: float
    why: str


class Arbiter:
    """Judges the approximate operations of one library in one signature."""

    def __init__(
        self,
        library: str,
        signature: Signature,
        stated: Mapping[str, float],
        reasons: Mapping[str, str],
    ) -> None:
        self.accuracy: dict[str, Accuracy] = {}
        self.allowance = 0.0  # sum of the stated accuracies of the calls since `restart`
        self._library = library
        self._signature = signature
        self._stated = stated
        self._reasons = reasons
        self._faults: dict[tuple[str, bool], _Fault] = {}

    def restart(self) -> None:
        """Begin a new statement: nothing has been allowed yet."""
        self.allowance = 0.0

    def judge(
        self,
        operation: str,
        attempt: Callable[[], Any],
        read: Callable[[Any], Any],
        ours: Callable[[], Any],
        exact: Exact,
        *,
        where: str,
        condition: Callable[[], float] = lambda: 1.0,
        up_to_sign: bool = False,
    ) -> Any:
        """The library's result, if its error is at most the stated one times the condition number.

        `condition` is asked only when an error exceeds the stated one.
        """
        limit = self._stated[operation]
        our_error = _error(ours(), exact, up_to_sign)
        try:
            result = attempt()
        except Exception as error:  # a library may raise anything: it is a refusal
            why = f"It raised {type(error).__name__}: {error}."
            self._record(operation, inf, our_error, where, refused=True)
            if not our_error <= limit:
                limit *= max(1.0, condition())
            raise self._fault(_Fault(operation, where, inf, our_error, why), limit) from error
        their_error = _error(read(result), exact, up_to_sign)
        self._record(operation, their_error, our_error, where, refused=False)
        if not their_error <= limit:
            limit *= max(1.0, condition())
        if not their_error <= limit:
            why = self._reasons.get(operation, "")
            raise self._fault(_Fault(operation, where, their_error, our_error, why), limit)
        self.allowance += limit
        return result

    def _record(
        self, operation: str, theirs: float, ours: float, where: str, *, refused: bool
    ) -> None:
        record = self.accuracy.setdefault(operation, Accuracy())
        record.calls += 1
        record.ours = max(record.ours, ours)
        if not refused and not theirs <= record.worst:
            record.worst, record.where = theirs, where

    def _fault(self, fault: _Fault, limit: float) -> WitnessFault:
        """Keep the worst fault of each kind, and say what happened."""
        self.accuracy[fault.operation].faults += 1
        key = (fault.operation, fault.theirs == inf)
        known = self._faults.get(key)
        if known is None or fault.theirs > known.theirs:
            self._faults[key] = fault
        right = fault.ours <= limit
        theirs = "gives no result" if fault.theirs == inf else f"is off by {fault.theirs:.3g} eps"
        return WitnessFault(
            f"{self._library}'s {fault.operation} {theirs}, more than the {limit:.3g} eps stated; "
            f"geomlin is off by {fault.ours:.3g} eps: {'geomlin is' if right else 'neither is'} "
            f"right at {fault.where}. {fault.why}",
            geomlin_is_right=right,
        )

    def probe(
        self, operation: str, theirs: Any, ours: Any, exact: Exact, *, where: str, why: str
    ) -> Disagreement | None:
        """A disagreement outside the judged operations; None if both are right to _PROBE eps."""
        their_error, our_error = _error(theirs, exact, False), _error(ours, exact, False)
        if max(their_error, our_error) <= _PROBE:
            return None
        return self._disagreement(_Fault(operation, where, their_error, our_error, why))

    def accuracies(self) -> list[WitnessAccuracy]:
        """How each approximate operation that was called did in this signature."""
        return [
            WitnessAccuracy(
                engine=self._library,
                operation=operation,
                signature=str(self._signature),
                calls=record.calls,
                worst=record.worst,
                ours=record.ours,
                beyond=record.faults,
                stated=self._stated[operation],
            )
            for operation, record in self.accuracy.items()
        ]

    def disagreements(self) -> list[Disagreement]:
        """The worst fault of each operation, refusals apart."""
        return [self._disagreement(fault) for fault in self._faults.values()]

    def _disagreement(self, fault: _Fault) -> Disagreement:
        return Disagreement(
            engine=self._library,
            operation=fault.operation,
            where=f"{self._signature}, {fault.where}",
            their_error=fault.theirs,
            our_error=fault.ours,
            why=fault.why,
        )


def _error(computed: Any, exact: Exact, up_to_sign: bool) -> float:
    """Largest error in eps of the largest coefficient; NaN counts as infinite."""
    from ..verification.reference import error

    values = np.asarray(computed, dtype=np.float64)
    found = error(values, exact)
    return min(found, error(-values, exact)) if up_to_sign else found


def exact_exponential(bivector: Multivector) -> Exact:
    """exp(B) as balls, on all blades."""
    from ..ops.bivectors import antisymmetric
    from ..verification.reference import exact_exp

    n = bivector.algebra.n
    return _on_all_blades(
        exact_exp(antisymmetric(bivector.coeffs, n), bivector.algebra.signature), n
    )


def condition_of_exponential(bivector: Multivector, exact: Exact) -> float:
    """Amplification of the input's rounding, relative to the largest coefficient of all."""
    from ..ops.bivectors import antisymmetric
    from ..verification.condition import condition_exp
    from ..verification.reference import null_degrees, sizes

    n, signature = bivector.algebra.n, bivector.algebra.signature
    rotor = tuple(exact[full_layout(n).position[mask]] for mask in even_layout(n).masks)
    size = sizes(rotor, null_degrees(signature))
    kappa = condition_exp(antisymmetric(bivector.coeffs, n), signature, rotor)
    return max(kappa[degree] * size[degree] for degree in kappa) / max(size.values())


def exact_rotor(matrix: Any, signature: Signature) -> Exact:
    """The rotor of a matrix, up to sign, as balls, on all blades."""
    from ..verification.lift_reference import exact_lift

    try:
        return _on_all_blades(exact_lift(matrix, signature), signature.n)
    except (NotInImage, NotOrthogonal) as error:
        raise NotSupported(f"no certified rotor of the matrix is known: {error}") from error


def _on_all_blades(values: Exact, n: int) -> Exact:
    even = dict(zip(even_layout(n).masks, values, strict=True))
    return [even.get(mask, Fraction(0)) for mask in full_layout(n).masks]


def exact_inverse(a: Multivector) -> Exact:
    """A^-1 as fractions: the solution X of A X = 1, by linear algebra over the rationals."""
    from flint import fmpq_mat

    from ..verification.reference import product_sign

    masks, signature = full_layout(a.algebra.n).masks, a.algebra.signature
    size, row = len(masks), full_layout(a.algebra.n).position
    product, one = fmpq_mat(size, size), fmpq_mat(size, 1)
    one[0, 0] = 1
    for left, value in zip(masks, map(_rational, a.to_dense()), strict=True):
        for right in masks:
            if value and (sign := product_sign(left, right, signature)):
                product[row[left ^ right], row[right]] = sign * value
    try:
        solution = product.solve(one)
    except ZeroDivisionError as error:
        raise NotInvertible(f"A X = 1 has no solution in {signature}") from error
    return [Fraction(int(x.p), int(x.q)) for x in solution.entries()]


def exact_projection(a: Multivector, blade: Multivector) -> tuple[Exact, float]:
    """(A left-contracted onto B) B^-1 as fractions, and |B^-1|_1."""
    from ..ops.products import geometric_product, left_contraction

    plane = blade.to(backend="fractions")
    inverse = plane.algebra.multivector(list(exact_inverse(blade)))
    onto = left_contraction(a.to(backend="fractions"), plane)
    size = sum(abs(float(value)) for value in inverse.coeffs)
    return list(geometric_product(onto, inverse).to_dense()), size


def _rational(value: float) -> Any:
    from flint import fmpq

    return fmpq(*float(value).as_integer_ratio())
