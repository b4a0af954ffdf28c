"""From the logarithm of the rotation to that of the rotor.

If exp(A0) = -R, then log R = A0 - pi J for a J that commutes with A0, J^3 = -J, and turns an odd
number of planes: the plane of the largest rotation angle; an elliptic Jordan block of odd size; or
else a plane of one sign that A0 fixes, which then turns by pi and must be orthogonal to every
translation.  If there is none of these, R has no logarithm.
"""

from __future__ import annotations

import numpy as np

from ..plane_kind import PlaneKind
from .bits import Floats, Metric
from .log_definite import canonical_pairs
from .log_half_turns import NoLogarithm, unit_wedge
from .log_jordan import has_hidden_blocks, turn_of_elliptic_block, turn_of_null_pair
from .log_turn import scaled_parts, turn_of_largest_rotation
from .ordering import Parts

NO_PLANE = "-R has a logarithm but no invariant definite plane"
KERNEL = 2.0**-40  # relative size of b on vectors that it fixes
ROUNDING = 8 * 2.0**-52  # size of b up to which it may be rounding of zero
DEFINITE = 1e-8  # size of the form on unit vectors that are not null


def other_branch(b: Floats, g: Metric, rows: Floats, noise: float) -> Floats:
    """A0 - pi J for A0 = b (n, n), metric without nulls; NoLogarithm if there is no such J.

    rows (r, n): linear forms that vanish on the plane if that one is fixed by A0.
    noise : how far b may be off.
    """
    if rows.any() and np.abs(b).max(initial=0.0) <= ROUNDING:
        b = np.zeros_like(b)  # rounding of -1 has planes, but the translation must fit the plane
    metric = np.array(g, dtype=float)
    turned = turn_of_largest_rotation(b, metric) if len(g) else None
    unsure = max(ROUNDING, noise) if rows.any() else 0.0  # such a plane must fit the translation
    if turned is not None and turned[1] > unsure:
        return np.asarray(b - np.pi * turned[0])
    found, _ = scaled_parts(b, metric)
    plane = _fixed_plane(b, g, rows, 0.0)
    if plane is None and noise > 0:
        plane = _fixed_plane(b, g, rows, noise)
    turn = _turn_of_blocks(found, g) if plane is None else plane
    if turn is not None:
        return np.asarray(b + np.pi * turn)
    doubtful = (PlaneKind.ROTATION, PlaneKind.NULL, PlaneKind.DEFECTIVE)
    near = bool(np.isin(found.kinds, doubtful).any())
    if any(has_hidden_blocks(part) for part in found.parts[found.kinds == PlaneKind.DEFECTIVE]):
        raise NoLogarithm("undecided: -R has a logarithm with a large defective block")
    moved = " orthogonal to the translation" if rows.any() else ""
    raise NoLogarithm(NO_PLANE + moved, near=near)


def _turn_of_blocks(found: Parts, g: Metric) -> Floats | None:
    """J of an odd elliptic Jordan block, or of two equal nilpotent ones of size three."""
    metric = np.array(g, dtype=float)
    for part in found.parts[found.kinds == PlaneKind.DEFECTIVE]:
        turn = turn_of_elliptic_block(part, metric)
        if turn is not None:
            return -turn
    return turn_of_null_pair(found.parts[found.kinds == PlaneKind.NULL], metric)


def _fixed_plane(b: Floats, g: Metric, rows: Floats, noise: float) -> Floats | None:
    """u ^ v of the first canonical definite plane that b G and the rows send to zero, or None."""
    metric = np.array(g, dtype=float)
    if not len(g):
        return None
    largest = np.abs(rows).max(axis=1, initial=0.0)[:, None]
    forms = [rows / np.where(largest > 0, largest, 1.0)]
    size = np.abs(b).max(initial=0.0)
    if size > 0:
        forms.append(b * metric / max(size, noise / KERNEL))
    _, values, adjoint = np.linalg.svd(np.concatenate(forms))
    rank = int((values > KERNEL * max(1.0, values.max(initial=0.0))).sum())
    kernel = adjoint[rank:].T
    if kernel.shape[1] < 2:
        return None
    squares, vectors = np.linalg.eigh(kernel.T @ (metric[:, None] * kernel))
    null = max(DEFINITE, float(np.sqrt(noise)))  # noise turns null directions into others
    for sign in (1.0, -1.0):
        inside = kernel @ vectors[:, sign * squares > null]
        if inside.shape[1] >= 2:
            u, v = canonical_pairs(inside)[0]
            return unit_wedge(u, v, metric)
    return None
