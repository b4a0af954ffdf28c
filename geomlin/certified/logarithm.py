"""Enclosures of the principal logarithm of a rotor, or the proof that there is none.

That some B is a logarithm is proved in `log_proof`.  It is the principal one if the elliptic angles
of all B in the enclosure satisfy beta_1 + beta_2 < pi; that is proved through the roots of the
characteristic polynomial.  Where no logarithm is found, `existence` may prove that there is none.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any

import flint
import numpy as np
from flint import arb

from ..errors import NoRealLogarithm, NotARotor, Undecided
from ..kernels.log_branch import NO_PLANE
from ..layout import grade_layout
from ..missing import one_by_one
from ..precision import working_precision
from .branch import check_principal
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
from .existence import has_one_sign, refute_logarithm
from .exponential import GUARD_BITS, guarded_size
from .log_proof import NO_PROOF, Bivector, Proof, zeros
from .starting_point import approximate_log, bivector_coefficients

if TYPE_CHECKING:
    from typing import Literal

    from ..multivector import Multivector

    OnError = Literal["raise", "nan"]

_LARGEST = 1024  # row sum of |b_ij|: a larger approximation is none, and its exp takes for ever


def certified_log(
    r: Multivector,
    *,
    up_to_sign: bool = False,
    normalize: bool = False,
    on_error: OnError = "raise",
) -> Multivector:
    """Enclosure of the logarithms of all rotors in the balls of R.

    exp(B) = R, or exp(B) = +-R with all angles below pi / 2 if `up_to_sign`; of R / sqrt(R ~R) if
    `normalize`.  With on_error="nan", elements that are proved to be no rotors, or to have no
    logarithm, give NaN; where nothing is proved, Undecided is raised all the same.
    """
    layout = grade_layout(r.algebra.n, 2)
    answers = one_by_one(
        r.shape,
        lambda index: _of_element(r, index, layout.masks, up_to_sign, normalize),
        (NotARotor, NoRealLogarithm),
        on_error,
    )
    missing = [arb("nan")] * layout.size
    result = np.empty((*r.shape, layout.size), dtype=object)
    for index, values in zip(np.ndindex(r.shape), answers, strict=True):
        result[index] = missing if values is None else values
    return r.replace(layout, result)


def _of_element(
    r: Multivector,
    index: tuple[int, ...],
    masks: tuple[int, ...],
    up_to_sign: bool,
    normalize: bool,
) -> list[Any]:
    """The coefficients of the logarithm of one element of a batch."""
    algebra: Any = r.algebra
    metric, bits = algebra.metric, algebra.backend_object.bits
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
        return [+values.get(mask, arb(0)) for mask in masks]


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
        return _log_of_scalar(metric) if rotor[0] < 0 and not up_to_sign else zeros(len(metric))
    bits, failure = flint.ctx.prec, Undecided(NO_PROOF)
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
    if not up_to_sign:
        _refuse(rotor, metric)
    raise failure


def _refuse(rotor: Coefficients, metric: Metric) -> None:
    """Raise NoRealLogarithm where it is proved that R has none."""
    refute_logarithm(rotor, metric)
    bits = flint.ctx.prec
    for turned_bits in (bits, bits // 2, bits // 4):
        with suppress(Undecided):
            b, sign = approximate_log(rotor, metric, turned_bits, up_to_sign=True)
            if sign < 0 and has_one_sign(rotor, metric):
                _proved({mask: -value for mask, value in rotor.items()}, b, metric)
                raise NoRealLogarithm(f"the rotor has no logarithm: {NO_PLANE}", reason=NO_PLANE)


def _proved(rotor: Coefficients, b: Bivector, metric: Metric) -> Bivector:
    """Balls around log R, from the approximation b; null parts scaled to those of b meanwhile."""
    n, coefficients = len(metric), bivector_coefficients(b)
    shift = max(null_exponent(coefficients, metric), null_exponent(rotor, metric))
    start = matrix_of(scaled(coefficients, -shift, metric), n)
    if not max(upper_sum(row) for row in start) < _LARGEST:
        raise Undecided(NO_PROOF)
    proof = Proof(scaled(rotor, -shift, metric), metric)
    found = bivector_coefficients(proof.enclose(proof.with_central_part(start)))
    return matrix_of(scaled(found, shift, metric), n)


def _log_of_scalar(metric: Metric) -> Bivector:
    """log(-1) = pi e_ij by convention, the first i < j with g_i = g_j != 0."""
    b = zeros(len(metric))
    for i, j in combinations(range(len(metric)), 2):
        if metric[i] == metric[j] != 0:
            b[i][j], b[j][i] = arb.pi(), -arb.pi()
            return b
    raise NoRealLogarithm("-1 has no logarithm: no plane is definite", reason="no definite plane")
