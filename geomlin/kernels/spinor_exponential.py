"""exp of a few bivectors at a time through their spinor matrices, for n >= 6.

The matrices have size about 2^(n/2) and a compiled matrix exponential, so a single bivector costs
a tenth of the time that the routes for large batches spend in calling numpy.  It is also an
independent check of them.
"""

from __future__ import annotations

import numpy as np

from .bits import Floats, Metric, even_masks, non_null
from .monomial import bivector_blocks, embedded_metric, even_coefficients

LARGEST_BATCH = 16
LARGEST_DIMENSION = 9  # with more vectors (an embedded null one counts twice) the matrices win
LARGEST_SIZE = 8.0  # |B| up to which this is as accurate as the other routes in every metric,
LARGEST_DEFINITE_SIZE = 32.0  # and in definite ones


def is_small(size: Floats, g: Metric) -> bool:
    """Whether a batch with these |B| is served better here; at most one null vector."""
    null = len(g) - len(non_null(g))
    if null > 1 or (len(g) + null > LARGEST_DIMENSION and len(size) > 2):
        return False
    limit = LARGEST_DEFINITE_SIZE if len(set(g)) == 1 else LARGEST_SIZE
    return 0 < len(size) <= LARGEST_BATCH and bool(size.max() <= limit)


def exponential_by_spinors(b: Floats, g: Metric) -> Floats:
    """exp(B) in compact order, with at most one null vector e_0 -> e_+ + e_-.

    The entries of b with e_0 are scaled by a power of two to at most 1, an automorphism.
    """
    n = len(g)
    m = len(non_null(g))
    if m == n:
        return _exponential(b, g)
    power = np.frexp(np.abs(b[:, m]).max(axis=1))[1]
    straight = np.ldexp(b[:, m, :], -power[:, None])
    embedded = np.zeros((len(b), n + 1, n + 1))
    embedded[:, :m, :m] = b[:, :m, :m]
    for i in (m, n):
        embedded[:, i, :n] = straight
        embedded[:, :n, i] = -straight
    result = _exponential(embedded, embedded_metric(g))[:, : 1 << n >> 1]
    unscaled: Floats = np.ldexp(result, power[:, None] * (even_masks(n) >> m & 1))
    return unscaled


def _exponential(b: Floats, g: Metric) -> Floats:
    """The same without null vectors.

    In definite metrics rho(R) is unitary: the step X (3 - X* X) / 2 to the nearest unitary matrix
    makes R ~R = 1 to rounding.
    """
    from scipy.linalg import expm

    blocks = expm(bivector_blocks(b, g))
    if len(set(g)) == 1:
        blocks = 1.5 * blocks - 0.5 * (blocks @ (blocks.conj().swapaxes(-1, -2) @ blocks))
    return even_coefficients(blocks, g)
