"""Enclosures of the principal logarithm of a rotor.

Given a point B~ near the logarithm, E = R exp(-B~) = exp(D) is a rotor near one.  In the norm
|x| = sum_S |x_S|, for which |x y| <= |x| |y|, let h = |E - 1| over all grades, h < 1/4.  Then

    D = log E = (E - 1) - (E - 1)^2 / 2 + .. ,    |D - (E - 1)| <= h^2 / (2 (1 - h)),

and D is a bivector, because E is a rotor; so D is the grade-2 part of E - 1 within that bound.
The curve exp(B(t)) = exp(t D) exp(B~) has B' = phi(ad_B)^-1 D.  If K bounds phi(ad_B)^-1 for all B
within r of B~, and K |D| < r, the curve stays there up to t = 1, where exp(B(1)) = R.  With a point
matrix C and q = |1 - C phi(ad_B)|, all B within r, B(1) is within q |C| |D| / (1 - q) of B~ + C D:
of second order in the error of B~, so that B~ need have only half of the digits.

This B(1) is the principal logarithm if the elliptic angles of all B within r satisfy
beta_1 + beta_2 < pi; that is proved through the roots of the characteristic polynomial.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import flint
import numpy as np
from flint import arb, arb_mat

from ..errors import NoRealLogarithm, NotARotor, Undecided
from ..layout import even_layout, grade_layout
from ..precision import working_precision
from .adjoint import approximate_inverse, enclosed_derivative
from .branch import CUT, check_principal
from .clusters import matrix_of
from .cover import check_rotor, scalar_norm
from .elements import (
    Coefficients,
    Metric,
    coefficients_of,
    exponent,
    null_degree,
    null_exponent,
    scaled,
    upper_sum,
)
from .exponential import GUARD_BITS, guarded_size
from .representation import Representation, representation
from .starting_point import approximate_log, bivector_coefficients

if TYPE_CHECKING:
    from ..multivector import Multivector

Bivector = list[list[Any]]  # b_ij, antisymmetric

_LARGEST = 1024  # row sum of |b_ij|: a larger approximation is none, and its exp takes for ever
_DERIVATIVE_BITS = 96
_NO_PROOF = (
    "no logarithm is proved: the rotor is too near the cut, or its balls are too wide, or it has "
    "none; raise the precision"
)


def certified_log(
    r: Multivector, *, up_to_sign: bool = False, normalize: bool = False
) -> Multivector:
    """Enclosure of the logarithms of all rotors in the balls of R.

    exp(B) = R, or exp(B) = +-R with all angles below pi / 2 if `up_to_sign`; of R / sqrt(R ~R) if
    `normalize`.
    """
    algebra: Any = r.algebra
    n, metric, bits = algebra.n, algebra.metric, algebra.backend_object.bits
    layout = grade_layout(n, 2)
    result = np.empty((*r.shape, layout.size), dtype=object)
    for index in np.ndindex(r.shape):
        rotor = coefficients_of(r, index)
        with working_precision(bits + GUARD_BITS):
            if normalize:
                rotor = _unit(rotor, metric)
            check_rotor(rotor, metric, index)
            even = {m: x for m, x in rotor.items() if m.bit_count() % 2 == 0}
            shift = null_exponent(even, metric)
        with working_precision(bits + GUARD_BITS + _size_bits(even, metric, shift)):
            b = _log(scaled(even, -shift, metric), metric, up_to_sign=up_to_sign)
            values = scaled(bivector_coefficients(b), shift, metric)
        with working_precision(bits):
            for k, mask in enumerate(layout.masks):
                result[(*index, k)] = +values.get(mask, arb(0))
    return r.replace(layout, result)


def _unit(element: Coefficients, metric: Metric) -> Coefficients:
    """V / sqrt(V ~V), where V ~V is proved to be positive."""
    norm = scalar_norm(element, metric)
    if norm <= 0:
        raise NotARotor(f"expected V ~V > 0, got {norm}: no multiple of V is a rotor")
    if not norm > 0:
        raise Undecided(f"V ~V = {norm} may not be positive: narrow the balls")
    return {mask: value / norm.sqrt() for mask, value in element.items()}


def _size_bits(rotor: Coefficients, metric: Metric, shift: int) -> int:
    """Bits lost to the size of the rotor: R exp(-B) cancels numbers of size max |R|^2."""
    sizes = [exponent(x) - shift * null_degree(m, metric) for m, x in rotor.items()]
    return 4 * guarded_size(sizes)


def _log(rotor: Coefficients, metric: Metric, *, up_to_sign: bool) -> Bivector:
    """Balls b_ij around the logarithm of s R, s = 1 unless `up_to_sign`."""
    if set(rotor) == {0} and rotor[0].is_exact():
        return _log_of_scalar(metric) if rotor[0] < 0 and not up_to_sign else _zeros(len(metric))
    bits, failure = flint.ctx.prec, Undecided(_NO_PROOF)
    for turned_bits in (bits, bits // 2, bits // 4):
        try:
            b, sign = approximate_log(rotor, metric, turned_bits, up_to_sign=up_to_sign)
            signed = {mask: sign * value for mask, value in rotor.items()}
            found = _proved(signed, b, metric)
            check_principal(found, metric, half=up_to_sign)
        except Undecided as error:
            failure = error
        else:
            return found
    raise failure


def _proved(rotor: Coefficients, b: Bivector, metric: Metric) -> Bivector:
    """Balls around log R, from the approximation b; null parts scaled to those of b meanwhile."""
    n, coefficients = len(metric), bivector_coefficients(b)
    shift = max(null_exponent(coefficients, metric), null_exponent(rotor, metric))
    start = matrix_of(scaled(coefficients, -shift, metric), n)
    if not max(upper_sum(row) for row in start) < _LARGEST:
        raise Undecided(_NO_PROOF)
    proof = _Proof(scaled(rotor, -shift, metric), metric)
    found = bivector_coefficients(proof.enclose(proof.with_central_part(start)))
    return matrix_of(scaled(found, shift, metric), n)


def _log_of_scalar(metric: Metric) -> Bivector:
    """log(-1) = pi e_ij by convention, the first i < j with g_i = g_j != 0."""
    b = _zeros(len(metric))
    for i, j in combinations(range(len(metric)), 2):
        if metric[i] == metric[j] != 0:
            b[i][j], b[j][i] = arb.pi(), -arb.pi()
            return b
    raise NoRealLogarithm("-1 has no logarithm: no plane is definite", reason="no definite plane")


def _zeros(n: int) -> Bivector:
    return [[arb(0)] * n for _ in range(n)]


class _Proof:
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
        raise Undecided(_NO_PROOF)

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
        moved = _zeros(len(b))
        column = approximate * arb_mat(len(delta), 1, delta)
        for k, (i, j) in enumerate(self.pairs):
            moved[i][j] = b[i][j] + column[k, 0] + arb(0, spread)
            moved[j][i] = -moved[i][j]
        return moved


def _derivative_bits(b: Bivector) -> int:
    """phi(ad_B) need not be narrow, but it may have entries up to e^(4 |b|) that cancel."""
    return _DERIVATIVE_BITS + 6 * int(max(float(upper_sum(row)) for row in b))


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
