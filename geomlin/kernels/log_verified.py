"""How far exp(B) is from the rotor that B is to be the logarithm of."""

from __future__ import annotations

import numpy as np

from ..errors import RapidityOverflow
from .bits import Booleans, Floats, Metric, non_null
from .exponential import exponential
from .log_null import null_exponents, scaled_bivector, scaled_rotor

REDUCIBLE = 16 * 2.0**-52  # times 1 + |B|^2: deviation of exp(B) worth a correction
ROUNDINGS = 64 * 2.0**-52  # times 1 + |B|^2: what rounding of B may change in exp(B)
LOOSEST = 2.0**-20
VERIFIED = 2.0**-30  # |exp(B) - R| / max |R| that is accepted, besides ROUNDINGS |B|^2


def accepted(b: Floats) -> Floats:
    """max |exp(B) - R| / max |R| of an accepted answer, for an exact rotor."""
    conditioned = ROUNDINGS * (1.0 + _square(b))
    return np.asarray(np.minimum(VERIFIED + conditioned, LOOSEST))


def worth_correcting(b: Floats, error: Floats) -> Booleans:
    """Whether the deviation is more than rounding of B explains."""
    return np.asarray(error > REDUCIBLE * (1.0 + _square(b)))


def _square(b: Floats) -> Floats:
    """sum_ij b_ij^2, infinite beyond the range."""
    with np.errstate(over="ignore"):
        return np.asarray((b**2).sum(axis=(1, 2)))


def deviation(b: Floats, rotor: Floats, g: Metric, up_to_sign: bool) -> Floats:
    """max |exp(B) - R| / max |R|, null vectors scaled down if they dominate."""
    if len(non_null(g)) < len(g):
        exponents = np.maximum(null_exponents(rotor, g), 0)
        rotor, b = scaled_rotor(rotor, exponents, g), scaled_bivector(b, exponents, g)
    size = np.abs(rotor).max(axis=1)[:, None]
    found, wanted = _exponential_or_infinity(b, g) / size, rotor / size
    error = np.abs(found - wanted).max(axis=1)
    if up_to_sign:
        error = np.minimum(error, np.abs(found + wanted).max(axis=1))
    return np.asarray(error)


def overlap(b: Floats, rotor: Floats, g: Metric) -> float:
    """The sum of exp(B)_S R_S for one B and R, both scaled; zero if exp(B) overflows."""
    value = _exponential_or_infinity(b[None], g)[0]
    size = np.abs(value).max()
    if np.isinf(size):
        return 0.0
    return float((value / size) @ (rotor / np.abs(rotor).max()))


def _exponential_or_infinity(b: Floats, g: Metric) -> Floats:
    """exp(B), infinite for the elements where it overflows."""
    try:
        return exponential(b, g)
    except RapidityOverflow:
        if len(b) == 1:
            return np.full((1, 1 << len(g) >> 1), np.inf)
        return np.concatenate([_exponential_or_infinity(x[None], g) for x in b])
