"""log of rotors in compact order, every signature, batched: the choice of the route.

No null vectors: definite metrics by angles; n <= 5 in closed form; otherwise the logarithm of the
action, the branch that fits the sign of R, and Newton's correction.  With null vectors: this for
the coefficients without them, then a linear system.  Every answer is verified by exp(B) = +-R.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Booleans, Floats, Metric, non_null
from .eigenvalues import action_eigenvalues
from .exponential import exponential
from .log_branch import NO_PLANE, other_branch
from .log_closed import closed_logarithm
from .log_definite import definite_logarithm
from .log_half_turns import NoLogarithm, canonical_half_turns
from .log_null import (
    null_exponents,
    scaled_bivector,
    scaled_rotor,
    translation_forms,
    with_null_part,
)
from .log_polish import polished
from .log_principal import principal_in_closed_form
from .log_refine import has_several_wide_planes
from .log_sharpened import sharpened
from .log_single import LARGEST_CLOSED, NOISY, TRUST, Element, logarithm_of_one
from .log_verified import accepted, deviation, worth_correcting

CUT = 2.0**-30  # distance in beta_1 + beta_2 from pi, or in an eigenvalue from its boundary
LARGEST_SHARPENED = 8  # dimension up to which fixed-point numbers take milliseconds, not seconds
ROUNDING = 4 * 2.0**-52  # relative distance from -1, or of an eigenvalue from its boundary


class Found(NamedTuple):
    """Logarithms b (batch, n, n); on_cut (batch,); reasons (batch,), "" where there is one."""

    b: Floats
    on_cut: Booleans
    reasons: NDArray[np.object_]


class Tolerated(NamedTuple):
    """What R may deviate from a rotor relative to max |R|, (batch,), and the eps of its dtype."""

    allowance: Floats
    eps: float

    def of(self, index: int) -> tuple[float, float]:
        """Those of one element."""
        return float(self.allowance[index]), self.eps


def logarithm(
    rotor: Floats,
    g: Metric,
    allowance: Floats,
    *,
    up_to_sign: bool = False,
    eps: float = 2.0**-52,
) -> Found:
    """b with exp(B) = R, or +-R, for rotors (batch, 2^(n-1)); `allowance` (batch,) is what R may
    deviate from a rotor, relative to max |R|, on top of VERIFIED; `eps` that of the dtype of R."""
    m = len(non_null(g))
    tolerated = Tolerated(allowance, eps)
    if m == len(g):
        found = _non_degenerate(rotor, g, up_to_sign, tolerated)
        if LARGEST_CLOSED < m <= LARGEST_SHARPENED and not up_to_sign:
            found = found._replace(b=sharpened(found.b, rotor, g, found.on_cut))
    else:
        found = _degenerate(rotor, g, up_to_sign, tolerated)
    b, on_cut, reasons = found
    good = np.array([reason == "" for reason in reasons], dtype=bool)
    b[~good] = 0.0
    if good.any():
        error = deviation(b[good], rotor[good], g, up_to_sign)
        wrong = ~(error <= accepted(b[good]) + np.maximum(allowance[good], TRUST * eps))
        failed = np.flatnonzero(good)[wrong]
        reasons[failed] = "undecided: no branch reproduces R within rounding"
        b[failed] = 0.0
    return Found(b, on_cut, reasons)


def _non_degenerate(
    rotor: Floats, g: Metric, up_to_sign: bool, tolerated: Tolerated, rows: Floats | None = None
) -> Found:
    """The same without null vectors; `rows` (batch, r, n) as in `other_branch`."""
    n = len(g)
    if rows is None:
        rows = np.zeros((len(rotor), 0, n))
    reasons = np.full(len(rotor), "", dtype=object)
    if up_to_sign:
        rotor = _with_canonical_sign(rotor)
    if len(set(g)) <= 1:
        if rows.shape[1]:
            found = _definite_with_rows(rotor, g, up_to_sign, rows)
        else:
            b, exists = definite_logarithm(rotor, g, up_to_sign=up_to_sign)
            reasons[~exists] = NO_PLANE
            found = Found(b, np.zeros(len(rotor), dtype=bool), reasons)
    elif n <= LARGEST_CLOSED:
        found = _indefinite_closed(rotor, g, up_to_sign, tolerated, rows)
    else:
        found = _indefinite(rotor, g, up_to_sign, tolerated, rows)
    cut = near_cut(found.b, g, up_to_sign)
    if up_to_sign and len(set(g)) > 1:
        for index in np.flatnonzero(cut).tolist():
            canonical = canonical_half_turns(found.b[index], g)[None]
            error = deviation(canonical, rotor[index, None], g, True)
            if (error <= accepted(canonical)).all():  # else its planes are out of all proportion
                found.b[index] = canonical[0]
    return found._replace(on_cut=found.on_cut | cut)


def _with_canonical_sign(rotor: Floats) -> Floats:
    """R or -R: R_0 > 0, and where R_0 = 0 the largest coefficient; R and -R give the same."""
    pivot = np.argmax(np.abs(rotor), axis=1)[:, None]
    largest = np.take_along_axis(rotor, pivot, axis=1)
    leading = np.where(rotor[:, :1] != 0, rotor[:, :1], largest)
    return np.asarray(np.where(leading < 0, -rotor, rotor))


def _definite_with_rows(rotor: Floats, g: Metric, up_to_sign: bool, rows: Floats) -> Found:
    """A definite metric beside null vectors: where R = -1, the plane must fit the translation."""
    b, exists = definite_logarithm(rotor, g, up_to_sign=up_to_sign)
    reasons = np.full(len(rotor), "", dtype=object)
    reasons[~exists] = NO_PLANE
    on_cut = np.zeros(len(rotor), dtype=bool)
    rest = np.abs(rotor[:, 1:]).max(axis=1, initial=0.0)
    minus_one = (rotor[:, 0] < 0) & (rest <= -ROUNDING * rotor[:, 0]) & exists
    if up_to_sign:
        return Found(b, on_cut, reasons)
    for index in np.flatnonzero(minus_one & rows.any(axis=(1, 2))):
        on_cut[index] = True
        try:
            b[index] = other_branch(np.zeros_like(b[index]), g, rows[index], 0.0)
        except NoLogarithm as none:
            if rest[index] == 0:  # else R turns in some plane, however little, and b holds it
                reasons[index] = str(none)
    return Found(b, on_cut, reasons)


def _indefinite_closed(
    rotor: Floats, g: Metric, up_to_sign: bool, tolerated: Tolerated, rows: Floats
) -> Found:
    """n <= 5: equation (1) of log_closed; beyond its branch, that of -R or of the action."""
    b, known, lowest = closed_logarithm(rotor, g)
    boundary = ~known & (np.abs(lowest + 1.0) <= CUT * np.abs(rotor).max(axis=1))
    found = Found(b, boundary, np.full(len(b), "", dtype=object))
    error = np.zeros(len(b))
    error[known] = deviation(b[known], rotor[known], g, False)
    for index in np.flatnonzero(known & worth_correcting(b, error)).tolist():
        b[index] = polished(b[index], rotor[index], g)[0]
    rest = np.flatnonzero(~known)
    other, other_known, _ = closed_logarithm(-rotor[rest], g)
    for position, index in enumerate(rest.tolist()):
        principal = other[position] if other_known[position] else None
        element = Element(rotor[index], g, up_to_sign, rows[index], *tolerated.of(index))
        _solve_one(found, index, element, principal)
    return found


def _indefinite(
    rotor: Floats, g: Metric, up_to_sign: bool, tolerated: Tolerated, rows: Floats
) -> Found:
    """n >= 6: the principal logarithm of all that have one with R = exp(B), the others singly."""
    b, known = principal_in_closed_form(rotor, g)
    error = deviation(b, rotor, g, up_to_sign)
    done = known & (tolerated.allowance <= NOISY)
    done &= error <= accepted(b) + tolerated.allowance
    done[done] = ~has_several_wide_planes(b[done], g)
    found = Found(b, np.zeros(len(b), dtype=bool), np.full(len(b), "", dtype=object))
    for index in np.flatnonzero(~done).tolist():
        principal = b[index].copy() if known[index] else None
        element = Element(rotor[index], g, up_to_sign, rows[index], *tolerated.of(index))
        _solve_one(found, index, element, principal)
    return found


def _solve_one(found: Found, index: int, element: Element, principal: Floats | None = None) -> None:
    """Fill in one element: its logarithm, or the reason why there is none."""
    try:
        found.b[index], near = logarithm_of_one(element, principal)
        found.on_cut[index] |= near
    except NoLogarithm as none:
        found.reasons[index] = str(none)
        found.on_cut[index] |= none.near
    except np.linalg.LinAlgError as stalled:
        found.reasons[index] = f"undecided: {stalled}"


def _degenerate(rotor: Floats, g: Metric, up_to_sign: bool, tolerated: Tolerated) -> Found:
    """Null vectors, scaled so that no null-degree exceeds the rest, and back."""
    m = len(non_null(g))
    exponents = null_exponents(rotor, g)
    scaled = scaled_rotor(rotor, exponents, g)
    inner = scaled[:, : max(1, 1 << m >> 1)]
    forms = translation_forms(scaled, g)
    found = _non_degenerate(inner, g[:m], up_to_sign, tolerated, forms)
    good = np.array([reason == "" for reason in found.reasons], dtype=bool)
    b = np.zeros((len(rotor), len(g), len(g)))
    if good.any():
        part = scaled[good]
        if up_to_sign:
            root = exponential(found.b[good], g[:m]) if m else np.ones((int(good.sum()), 1))
            overlap = (root * inner[good]).sum(axis=1)[:, None]
            part = np.where(overlap < 0, -part, part)
        solved = with_null_part(found.b[good], part, g, found.on_cut[good])
        solved = sharpened(solved, part, g, found.on_cut[good])
        b[good] = scaled_bivector(solved, -exponents[good], g)
    return Found(b, found.on_cut, found.reasons)


def near_cut(b: Floats, g: Metric, up_to_sign: bool) -> Booleans:
    """Whether two rotation angles beta_1 + beta_2, or one angle twice, come within CUT of pi."""
    n = len(g)
    if n < 2:
        return np.zeros(len(b), dtype=bool)
    values = action_eigenvalues(b, g)
    turning = np.abs(values.real) < 1e-6 * np.maximum(1.0, np.abs(values))
    spiralling = (~turning & (np.abs(values.imag) >= np.pi / 2 - CUT)).any(axis=1)
    angles = -np.sort(-np.where(turning, np.abs(values.imag), 0.0), axis=1)[:, ::2]
    extent = 2 * angles[:, 0] if up_to_sign else angles[:, :2].sum(axis=1)
    return np.asarray((extent >= np.pi - CUT) | spiralling)
