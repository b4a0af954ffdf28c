"""The proof that a logarithm of a rotor lies near a given bivector.

Given a point B~ near the logarithm, E = R exp(-B~) = exp(D) is a rotor near one.  In the norm
|x| = sum_S |x_S|, for which |x y| <= |x| |y|, let h = |E - 1| over all grades, h < 1/4.  Then

    D = log E = (E - 1) - (E - 1)^2 / 2 + .. ,    |D - (E - 1)| <= h^2 / (2 (1 - h)),

and D is a bivector, because E is a rotor; so D is the grade-2 part of E - 1 within that bound.
The curve exp(B(t)) = exp(t D) exp(B~) has B' = phi(ad_B)^-1 D.  If K bounds phi(ad_B)^-1 for all B
within r of B~, and K |D| < r, the curve stays there up to t = 1, where exp(B(1)) = R.  With a point
matrix C and q = |1 - C phi(ad_B)|, all B within r, B(1) is within q |C| |D| / (1 - q) of B~ + C D:
of second order in the error of B~, so that B~ need have only half of the digits.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from flint import arb, arb_mat

from ..errors import NotARotor, Undecided
from ..layout import even_layout
from ..precision import working_precision
from .adjoint import approximate_inverse, enclosed_derivative
from .branch import CUT
from .elements import Coefficients, Metric, upper_sum
from .representation import Representation, representation
from .starting_point import bivector_coefficients

Bivector = list[list[Any]]  # b_ij, antisymmetric

DERIVATIVE_BITS = 96
NO_PROOF = (
    "no logarithm is proved, and not that there is none: the rotor is too near the cut, or its "
    "balls are too wide; raise the precision"
)


def zeros(n: int) -> Bivector:
    """The bivector 0."""
    return [[arb(0)] * n for _ in range(n)]


class Proof:
    """The a-posteriori proof for one rotor."""

    def __init__(self, rotor: Coefficients, metric: Metric) -> None:
        self.metric = metric
        self.basis: Representation = representation(metric, even=True)
        self.rotor = self.basis.matrices(rotor)
        self.pairs = list(combinations(range(len(metric)), 2))
        self.bivectors = [1 << i | 1 << j for i, j in self.pairs]

    def quotient(self, b: Bivector, masks: list[int]) -> list[Any]:
        """Coefficients of E = R exp(-B)."""
        minus = {mask: -value for mask, value in bivector_coefficients(b).items()}
        inverse = [matrix.exp() for matrix in self.basis.matrices(minus)]
        product = [x * y for x, y in zip(self.rotor, inverse, strict=True)]
        return self.basis.coefficients(product, masks)

    def with_central_part(self, b: Bivector) -> Bivector:
        """B + N, N the products of two null vectors in R exp(-B): no matrix shows them."""
        null = [i for i, g in enumerate(self.metric) if g == 0]
        moved = [row[:] for row in b]
        pairs = list(combinations(null, 2))
        found = self.quotient(b, [1 << i | 1 << j for i, j in pairs]) if pairs else []
        for (i, j), value in zip(pairs, found, strict=True):
            moved[i][j] = (b[i][j] + value).mid()
            moved[j][i] = -moved[i][j]
        return moved

    def _inverse_near(self, b: Bivector) -> Any:
        """C, a point matrix near phi(ad_B)^-1."""
        try:
            with working_precision(_derivative_bits(b)):
                return approximate_inverse(b, self.metric)
        except ZeroDivisionError as error:
            raise Undecided(CUT) from error

    def enclose(self, b: Bivector) -> Bivector:
        """Balls around B~ that contain the logarithm."""
        delta = self._delta(b)
        size = upper_sum(delta)
        approximate = self._inverse_near(b)
        norm = _column_norm(approximate)
        radius = (4 * norm * size).upper()
        for _ in range(4):
            defect = self._defect(b, radius, approximate)
            if defect < 1:
                bound = (norm / (1 - defect)).upper()
                if bound * size < radius or size.is_zero():
                    spread = (norm * defect / (1 - defect) * size).upper()
                    return self._moved(b, approximate, delta, spread)
                radius = (2 * bound * size).upper()
            else:
                radius = radius / 4
        raise Undecided(NO_PROOF)

    def _delta(self, b: Bivector) -> list[Any]:
        """The bivector D with exp(D) = R exp(-B), all grades of R exp(-B) - 1 bounded."""
        masks = list(even_layout(len(self.metric)).masks)
        found = self.quotient(b, masks)
        found[0] = found[0] - 1
        size = upper_sum(found)
        if not size < 0.25:
            raise Undecided(
                f"no logarithm was found: |R exp(-B) - 1| <= {size} for the B proposed; raise "
                "the precision, or the rotor has none"
            )
        tail = (size * size / (2 * (1 - size))).upper()
        by_mask = dict(zip(masks, found, strict=True))
        delta = [by_mask[mask] + arb(0, tail) for mask in self.bivectors]
        _refuse_other_grades(by_mask, upper_sum(delta))
        return delta

    def _defect(self, b: Bivector, radius: Any, approximate: Any) -> Any:
        """An upper bound of |1 - C phi(ad_B)| over all B within the radius."""
        with working_precision(_derivative_bits(b)):
            widened = [
                [x + arb(0, radius) if i != j else arb(0) for j, x in enumerate(row)]
                for i, row in enumerate(b)
            ]
            product = approximate * enclosed_derivative(widened, self.metric)
            for k in range(len(self.pairs)):
                product[k, k] = product[k, k] - 1
            return _column_norm(product)

    def _moved(self, b: Bivector, approximate: Any, delta: list[Any], spread: Any) -> Bivector:
        """B~ + C D, each coefficient within `spread`."""
        moved = zeros(len(b))
        column = approximate * arb_mat(len(delta), 1, delta)
        for k, (i, j) in enumerate(self.pairs):
            moved[i][j] = b[i][j] + column[k, 0] + arb(0, spread)
            moved[j][i] = -moved[i][j]
        return moved


def _derivative_bits(b: Bivector) -> int:
    """phi(ad_B) need not be narrow, but it may have entries up to e^(4 |b|) that cancel."""
    return DERIVATIVE_BITS + 6 * int(max(float(upper_sum(row)) for row in b))


def _refuse_other_grades(found: Coefficients, size: Any) -> None:
    """Raise NotARotor if grades 4, 6, .. of E exceed those of any exp(D), e^|D| - 1 - |D|."""
    higher = sum((x.abs_lower() for mask, x in found.items() if mask.bit_count() > 2), arb(0))
    if higher > size.expm1() - size:
        raise NotARotor(
            "expected a rotor, got an even element whose parts of grade 4 and above belong to no "
            "rotor near it"
        )


def _column_norm(matrix: Any) -> Any:
    """An upper bound of the largest column sum, the norm that belongs to sum |x|."""
    columns = [
        upper_sum([matrix[i, j] for i in range(matrix.nrows())]) for j in range(matrix.ncols())
    ]
    return max(columns, default=arb(0))
