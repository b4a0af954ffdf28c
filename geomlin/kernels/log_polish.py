"""Newton's correction of an approximate logarithm, and its verification.

With dR = d exp(B) = Omega R, the least-squares solution of  d exp_B [dB] = R - exp(B)  improves
B.  The derivative is a block of the exponential of a matrix of twice the size,

    exp ((rho(B), rho(e_ij)), (0, rho(B))) = ((rho(R), rho(dR)), (0, rho(R))),            (1)

whose entries have the size of R: at a large boost nothing is multiplied by e^(2 beta) and cancelled
again, and one boost of any rapidity costs no digits.  With several boosts the second largest, beta,
costs e^(2 beta): the tangents of length e^(-2 beta) |R| have drowned in the rounding of R itself.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..errors import RapidityOverflow
from .bits import Floats, Metric, bivector_positions
from .exponential import exponential
from .monomial import bivector_blocks, even_coefficients

TERMS = 14  # of the exponential series; 2^-15 / 15! is below rounding
STEPS = 16  # from 1e-2 five steps suffice; further ones are for slow starts
HALVINGS = 4  # of a step that leads away
SETTLED = 2.0**-26  # error below which Newton's steps are right, or at the limit of rounding
SMALLEST_SINGULAR = 2.0**-46  # of the largest: tangents shorter than that are on the cut
LONGEST_STEP = 2.0  # in |B|: the exponential is no longer linear beyond it

Blocks = NDArray[np.complex128]


def residual(b: Floats, rotor: Floats, g: Metric) -> tuple[Floats, float]:
    """(R - exp(B)) / max |R| for one element, and its size; infinite where exp overflows."""
    size = np.abs(rotor).max()
    try:
        found = exponential(b[None], g)[0]
    except RapidityOverflow:
        return np.full_like(rotor, np.inf), float(np.inf)
    difference = rotor / size - found / size
    return difference, float(np.abs(difference).max())


@cache
def _unit_blocks(g: Metric) -> Blocks:
    """rho(e_i e_j) for all i < j."""
    n = len(g)
    rows, columns, _ = bivector_positions(n)
    units = np.zeros((len(rows), n, n))
    units[np.arange(len(rows)), rows, columns] = 1.0
    units[np.arange(len(rows)), columns, rows] = -1.0
    return bivector_blocks(units, g)


def tangents(b: Floats, g: Metric) -> Floats:
    """The columns d exp_B [e_ij], (2^(n-1), n(n-1)/2), by equation (1); metric without nulls."""
    units = _unit_blocks(g)
    with np.errstate(all="ignore"):
        derivative = _derivatives_of_exponential(bivector_blocks(b, g), units)
    return even_coefficients(derivative, g).T


def _derivatives_of_exponential(block: Blocks, units: Blocks) -> Blocks:
    """The upper right blocks of (1) for every unit (.., N, N) at once: Taylor series of
    exp(A / 2^s), of order 14 for |A| / 2^s < 1/2, and s squarings."""
    size = float(np.abs(block).sum(axis=-1).max())
    if not np.isfinite(size):
        return np.full_like(units, np.nan)
    halvings = max(0, int(np.frexp(size)[1]) + 1)
    block, units = block / 2.0**halvings, units / 2.0**halvings
    identity = np.eye(block.shape[-1])
    value: Blocks = np.broadcast_to(identity.astype(block.dtype), block.shape)
    derivative = np.zeros_like(units)
    for k in range(TERMS, 0, -1):
        derivative = (units @ value + block @ derivative) / k
        value = identity + block @ value / k
    for _ in range(halvings):
        derivative = value @ derivative + derivative @ value
        value = value @ value
    return derivative


def polished(b: Floats, rotor: Floats, g: Metric) -> tuple[Floats, float]:
    """The best of the Newton iterates from b (n, n), and max |R - exp(B)| / max |R| there.

    Steps that do not improve are halved up to HALVINGS times; where that does not help the limit
    is reached, or far from it the next iterate is tried all the same.
    """
    size = np.abs(rotor).max()
    best, (difference, error) = b, residual(b, rotor, g)
    current = b
    for _ in range(STEPS):
        jacobian = tangents(current, g) / size
        if not (np.isfinite(jacobian).all() and np.isfinite(difference).all()):
            break
        step = np.linalg.lstsq(jacobian, difference, rcond=SMALLEST_SINGULAR)[0]
        longest = max(LONGEST_STEP, 0.1 * float(np.abs(current).max()))
        step *= min(1.0, longest / max(np.abs(step).max(initial=0.0), 1e-300))
        current, difference, new = _moved(current, step, rotor, g, error)
        if new < 0.5 * error:
            best, error = current, new
        elif error < 2.0**-10:
            break
    return best, error


def _moved(
    b: Floats, step: Floats, rotor: Floats, g: Metric, error: float
) -> tuple[Floats, Floats, float]:
    """B + step, (R - exp(B + step)) / max |R| and its size; less of the step if that is larger
    than the error now."""
    rows, columns, _ = bivector_positions(len(g))

    def after(part: float) -> tuple[Floats, Floats, float]:
        moved = b.copy()
        moved[rows, columns] += part * step
        moved[columns, rows] -= part * step
        return moved, *residual(moved, rotor, g)

    first = after(1.0)
    if error < SETTLED or first[2] < error:
        return first
    for halving in range(1, HALVINGS + 1):
        shorter = after(0.5**halving)
        if shorter[2] < error:
            return shorter
    return first
