"""exp of a few bivectors at a time through their spinor matrices, for n >= 6.

The matrices have size about 2^(n/2) and a compiled matrix exponential, so a single bivector costs
a tenth of the time that the routes for large batches spend in calling numpy.  It is also an
independent check of them.  Not for null vectors: as e_+ + e_- their matrices mix null-degrees, and
a small translation drowns in the rounding of the rotation.
"""

from __future__ import annotations

from .bits import Floats, Metric
from .monomial import bivector_blocks, even_coefficients

LARGEST_BATCH = 16
LARGEST_DIMENSION = 9  # with more vectors the matrices win only for one or two bivectors
LARGEST_SIZE = 8.0  # |B| up to which this is as accurate as the other routes in every metric,
LARGEST_DEFINITE_SIZE = 32.0  # and in definite ones


def is_small(size: Floats, g: Metric) -> bool:
    """Whether a batch with these |B| is served better here."""
    if 0 in g or (len(g) > LARGEST_DIMENSION and len(size) > 2):
        return False
    limit = LARGEST_DEFINITE_SIZE if len(set(g)) == 1 else LARGEST_SIZE
    return 0 < len(size) <= LARGEST_BATCH and bool(size.max() <= limit)


def exponential_by_spinors(b: Floats, g: Metric) -> Floats:
    """exp(B) in compact order, for metrics without null vectors.

    In definite metrics rho(R) is unitary: the step X (3 - X* X) / 2 to the nearest unitary matrix
    makes R ~R = 1 to rounding.
    """
    from scipy.linalg import expm

    blocks = expm(bivector_blocks(b, g))
    if len(set(g)) == 1:
        blocks = 1.5 * blocks - 0.5 * (blocks @ (blocks.conj().swapaxes(-1, -2) @ blocks))
    return even_coefficients(blocks, g)
