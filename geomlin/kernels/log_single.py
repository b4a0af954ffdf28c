"""log of one rotor in an indefinite metric without null vectors.

The principal logarithm A0 of the action, exp(A0) = +-R; the branch that fits the sign of R; and
Newton's correction.  Where rounding (of the input dtype) has made R no exact rotor, A0 comes from
an exact one beside it, and the correction ends at the nearest.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from .bits import Floats, Metric
from .log_branch import other_branch
from .log_defect import norm_square
from .log_definite import cayley_of
from .log_half_turns import NoLogarithm
from .log_polish import polished
from .log_principal import ROUNDING, principal_isometry
from .log_refine import has_several_wide_planes, refined
from .log_verified import accepted, deviation, overlap, worth_correcting
from .pfaffian import assemble

NOISY = 2.0**-40  # allowance from which R is no exact rotor in float64 and is replaced by one
TRUST = 16.0  # allowance for exp(log R), in terms of what R differs from a rotor
LOOSENED = 2.0**10  # digits, as a factor, that a second attempt may ignore
LARGEST_CLOSED = 5  # dimension up to which a closed form answers


class Element(NamedTuple):
    """One rotor and what is asked: rows as in `other_branch`; allowance, what exp(log R) may
    differ from R relative to max |R|, because R is no exact rotor; eps, that of its dtype."""

    rotor: Floats
    g: Metric
    up_to_sign: bool
    rows: Floats
    allowance: float
    eps: float


def logarithm_of_one(element: Element, principal: Floats | None = None) -> tuple[Floats, bool]:
    """b of one element, and whether its existence is within rounding; `principal` is A0 where it
    is known to rounding.  Raises NoLogarithm.

    Where no answer is found, R is taken to be known to LOOSENED times fewer digits: rounding can
    turn half turns into boosts.  What is found then must reproduce R to these digits.
    """
    noise = max(element.allowance / TRUST, ROUNDING)
    try:
        b = _attempt(element, noise, principal)
        if _error(b, element) <= accepted(b[None])[0] + element.allowance:
            return b, False
        reason = NoLogarithm("undecided: no branch reproduces R within rounding")
    except NoLogarithm as none:
        reason = none
    with suppress(NoLogarithm):
        wider = max(LOOSENED * noise, TRUST * element.eps)
        b = _attempt(element, wider, None, second=True)
        rounding = max(LOOSENED * ROUNDING, TRUST * element.eps) * (1.0 + float((b**2).sum()))
        if _error(b, element) <= rounding + element.allowance:
            return b, True
    raise reason


def _error(b: Floats, element: Element) -> float:
    """max |exp(B) - R| / max |R|."""
    return float(deviation(b[None], element.rotor[None], element.g, element.up_to_sign)[0])


def _attempt(
    element: Element, noise: float, principal: Floats | None, *, second: bool = False
) -> Floats:
    """b, for a rotor whose coefficients are known to noise max |R|; planes that are fixed only up
    to noise are for the `second` attempt."""
    rotor, g = element.rotor, element.g
    noisy = element.allowance > NOISY
    accurate = principal is not None and not noisy
    if principal is None or noisy:
        start = exact_rotor(rotor, g) if noisy else rotor
        principal, accurate = principal_isometry(start, g, noise)
        accurate = accurate and not noisy
    sign = 1.0 if overlap(principal, rotor, g) >= 0 else -1.0
    b = principal if accurate else polished(principal, sign * rotor, g)[0]
    if sign < 0 and not element.up_to_sign:
        size = float(np.abs(rotor).max())
        b = other_branch(b, g, element.rows, noise * size * size if second else 0.0)
        if not accurate or worth_correcting(b[None], np.array([_error(b, element)]))[0]:
            b = polished(b, rotor, g)[0]
    if (len(g) > LARGEST_CLOSED or noisy) and has_several_wide_planes(b[None], g)[0]:
        b = refined(b, sign * rotor if element.up_to_sign else rotor, g)
    return b


def exact_rotor(rotor: Floats, g: Metric) -> Floats:
    """A rotor with the quotients of R that `cayley_of` reads off: exact where R is so nearly."""
    pivot, t = cayley_of(rotor[None], g)
    leading = np.take_along_axis(rotor[None], (pivot >> 1)[:, None], axis=1)
    found = assemble(pivot, t, g, np.ones(1))
    found = found * (leading / np.take_along_axis(found, (pivot >> 1)[:, None], axis=1))
    square = float(norm_square(found, g)[0])
    return np.asarray(found[0] / np.sqrt(square) if square > 0 else found[0])
