"""Planes of a bivector of Cl(2,2), where no eigenvalue problem is needed.

The pseudoscalar I commutes with even elements and I^2 = 1, so B = B+ + B-, B+- = B (1 +- I) / 2,
and B+-^2 = q+- (1 +- I) / 2 with numbers q+-.  With m+- = sqrt|q+-| and U+- = B+- / m+-,

    q+, q- of one sign:   b_1,2 = (m+ +- m-) / 2 (U+ +- U-),   b_1,2^2 = sign(q) (m+ +- m-)^2 / 4;
    of opposite signs:    a complex pair, squares (q+ + q- +- 2 sqrt(q+ q-)) / 4;
    q- = 0:               B- = 0 gives equal squares, B- != 0 a defective block.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np

from ..plane_kind import PlaneKind
from .canonical import canonical_parts
from .definite import FloatArray, rotation_frame, rotation_parts
from .ordering import Parts, unclassified


@cache
def _levi_civita() -> FloatArray:
    """epsilon_ijkl in four dimensions."""
    symbol = np.zeros((4, 4, 4, 4))
    for order in permutations(range(4)):
        symbol[order] = np.linalg.det(np.eye(4)[list(order)])
    symbol.flags.writeable = False
    return symbol


def halves(b: FloatArray, g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """B+ and B- stacked on a new first axis of length 2, and the numbers q+ and q-."""
    dual = -np.einsum("ijkl,k,l,...kl->...ij", _levi_civita(), g, g, b) / 2
    both = np.stack([b + dual, b - dual]) / 2
    return both, -np.einsum("...ij,i,...ij,j->...", both, g, both, g)


def neutral_parts(b: FloatArray, g: FloatArray, tau: FloatArray) -> Parts:
    """Commuting parts (m, 2, 4, 4) of a flat batch; `tau` (m,) bounds what counts as zero."""
    both, q = halves(b, g)
    size = np.sqrt((both**2).sum(axis=(-1, -2)))  # m+- where B+- is not null
    null = np.abs(q) <= np.minimum(4 * tau * size, size**2 / 2)
    one_sign = q[0] * q[1] > 0
    # Rounding makes null halves and complex pairs of size tau out of equal squares.
    present = size > np.where(null | ~one_sign, 4 * tau, tau)
    angles, frame = rotation_frame(b)
    # Simple up to rounding, or null as a whole: Euclidean planes answer.
    found = unclassified(rotation_parts(angles, frame), g)
    unsolved = (angles[:, 1] > tau) & (present & ~null).any(axis=0)
    equal = unsolved & ~present.all(axis=0)
    regular = unsolved & present.all(axis=0) & ~null.any(axis=0)
    split = regular & one_sign
    pair = regular & ~one_sign
    block = unsolved & ~equal & ~split
    found.parts[split], found.squares[split] = _split(both[:, split], q[:, split])
    cluster = np.zeros((int(equal.sum()), 2), dtype=np.int64)
    halved = np.repeat(b[equal][:, None], 2, axis=1) / 2
    found.parts[equal] = canonical_parts(halved, cluster, g)[0]
    found.squares[equal] = (q[0] + q[1])[equal, None] / 4
    found.parts[block] = np.stack([b[block], np.zeros_like(b[block])], axis=1)
    found.kinds[block, 0] = np.where(pair[block], PlaneKind.COMPLEX_PAIR, PlaneKind.DEFECTIVE)
    found.squares[block, 0] = (q[0] + q[1])[block] / 4
    found.squares[pair, 0] += 0.5j * np.sqrt(-(q[0] * q[1])[pair])
    return found


def _split(both: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """b_1, b_2 and their squares where q+ and q- have one sign."""
    roots = np.sqrt(np.abs(q))
    magnitudes = np.stack([roots[0] + roots[1], roots[0] - roots[1]], axis=-1) / 2
    unit = both / roots[..., None, None]
    planes = np.stack([unit[0] + unit[1], unit[0] - unit[1]], axis=1)
    return magnitudes[..., None, None] * planes, np.sign(q[0])[:, None] * magnitudes**2
