"""The turn J, J^3 = -J, of the rotation plane that goes over to beta - pi.

log R = A0 - pi J keeps the digits of A0 only if J commutes with A0 to rounding.  The plane of a
small angle is known to eps / beta, but the space V of all planes with angles near it is known to
eps, and inside V such an error does no harm: there A0 itself is as small as the difference of the
angles.  So J is a metric-orthonormal plane inside V.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..plane_kind import PlaneKind
from .bits import Floats
from .definite import rotation_frame, wedge
from .eigenvalues import eigenvalues, invariant_subspace
from .indefinite import Piece
from .ordering import Parts
from .planes import decompose

SEPARATED = 2.0**-7  # gap, in units of the largest eigenvalue, that keeps V apart from the rest
LOST = 2.0**-20  # error of [J, B] and of J^3 from which the plane is none
STRETCH = 2.0**13  # norm of the metric projector on V from which V has lost half of its digits


def scaled_parts(b: Floats, signs: Floats) -> tuple[Parts, int]:
    """The decomposition of B / 2^k, and k: squares of small planes underflow."""
    exponent = int(np.frexp(np.abs(b).max(initial=0.0))[1])
    return decompose(np.ldexp(b, -exponent), tuple(int(s) for s in signs)), exponent


def turn_of_largest_rotation(b: Floats, signs: Floats) -> tuple[Floats, float] | None:
    """J and beta of the first part with the largest rotation angle; None if no part rotates, or
    if the planes of all that do are lost in rounding."""
    found, exponent = scaled_parts(b, signs)
    for k in np.flatnonzero(found.kinds == PlaneKind.ROTATION).tolist():
        scaled = float(np.sqrt(-found.squares[k].real))
        plane, beta = found.parts[k] / scaled, float(np.ldexp(scaled, exponent))
        turned = _cleaned(b, plane, beta, signs)
        if _is_turn(turned[0], b, signs):
            return turned
    return None


def _cleaned(b: Floats, plane: Floats, beta: float, signs: Floats) -> tuple[Floats, float]:
    """J inside the space V of planes with angles near beta, or `plane` itself if V is all."""
    piece = _space_of(b, beta, signs)
    if piece is None:
        return plane, beta
    if len(set(piece.signs.tolist())) == 1:
        return piece.embedded(_unit_plane(piece.coordinates(plane, signs))), beta
    inner = turn_of_largest_rotation(piece.coordinates(b, signs), piece.signs)
    return (plane, beta) if inner is None else (piece.embedded(inner[0]), inner[1])


def _is_turn(turn: Floats, b: Floats, signs: Floats) -> bool:
    """J^3 = -J and [J, B] = 0, with digits to spare: their errors count |J| times in exp."""
    m, size = turn * signs, max(1.0, float(np.abs(turn).max()))
    commutator = np.abs(m @ b - (b * signs) @ turn).max()
    cube = np.abs(m @ m @ turn + turn).max()
    return bool(max(commutator / max(1.0, np.abs(b).max()), cube) * size <= LOST)


def _unit_plane(b: Floats) -> Floats:
    """The orthonormal u ^ v nearest to a bivector of a definite space."""
    frame = rotation_frame(b)[1]
    return wedge(frame[:, 0], frame[:, 1])


def _space_of(b: Floats, beta: float, signs: Floats) -> Piece | None:
    """The smallest proper space V that is kept apart; None if there is none."""
    m = b * signs
    values = eigenvalues(m)
    distances = np.sort(_distance(values, beta))
    gaps = np.diff(distances)
    for last in np.flatnonzero(gaps >= SEPARATED * np.abs(values).max()).tolist():
        radius = 0.5 * (distances[last] + distances[last + 1])
        vectors, count = invariant_subspace(m, _within(radius, beta))
        basis = vectors[:, :count]
        form = np.abs(np.linalg.eigvalsh(basis.T @ (signs[:, None] * basis)))
        if count == last + 1 and form.min(initial=1.0) > 1.0 / STRETCH:
            return Piece(np.eye(len(b)), signs).subspace(basis, signs)
    return None


def _within(radius: float, beta: float) -> Callable[[complex], bool]:
    """Which values are nearer to i beta than the radius."""
    return lambda value: bool(_distance(value, beta) < radius)


def _distance(values: Any, beta: float) -> Floats:
    """Distance from i beta, of eigenvalues moved to the closed upper right quadrant."""
    return np.asarray(np.hypot(np.real(values), np.abs(np.imag(values)) - beta))
