"""Logarithms of isometries with eigenvalues on the negative axis.

-U, U without eigenvalues on the negative axis, has a real logarithm log U + pi J exactly if some
J commutes with U, preserves the metric infinitesimally, and J^2 = -1.  For eigenvalues off the unit
circle such a J exists if every Jordan block occurs twice.  Near -1, with U = exp(2N), N small:
J = -N (-N^2)^(-1/2) where the eigenvalues of N are not real, Jordan blocks included; on the kernel
of N the form must have an even number of positive and of negative directions; two equal blocks of
size two have a J; Jordan blocks of odd size must pair with equal sign.

What counts as zero or equal is rounding: `rounding` is how far the action may be from that of the
rotor, which is itself known to so many digits only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..plane_kind import PlaneKind
from .bits import Floats, Metric
from .definite import rotation_frame, wedge
from .eigenvalues import eigenvalues, invariant_subspace
from .log_definite import AT_HALF_TURN, canonical_pairs, principal_rotation
from .log_jordan import turn_of_null_pair
from .log_matrix import NoConvergence, real_logarithm, square_root
from .pfaffian import antisymmetric
from .planes import decompose

EQUAL = 1e-6  # relative difference below which two negative eigenvalues form a pair
UNIT = 1e-4  # |log |lambda|| below which a negative eigenvalue counts as -1
DEGENERATE = 1e-10  # size of the form on unit vectors of a subspace that cannot be split off
SEMISIMPLE = 1e-9  # size of a form or of a plane, beside its largest, that counts as zero
UNSURE = 2.0**-30  # size of N up to which it could be rounding: the verdict is flagged
PAIRED = 64.0  # in units of rounding: difference of two negative eigenvalues that form a pair


class NoLogarithm(Exception):
    """An isometry or rotor has no real logarithm; the text says why.

    near : whether a change of the rotor within the tolerances used here could alter the verdict.
    """

    def __init__(self, reason: str, *, near: bool = False) -> None:
        super().__init__(reason)
        self.near = near or reason.startswith("undecided")


def half_logarithm(matrix: Floats) -> Floats:
    """L with exp(2 L) = A, principal."""
    try:
        return 0.5 * real_logarithm(matrix)
    except NoConvergence as error:
        raise NoLogarithm("undecided: an eigenvalue too near to the negative axis") from error


def half_logarithm_of_inverse(inverse: Floats, rounding: float) -> Floats:
    """Real L with exp(-2 L) = A for the inverse A of the action on a null space."""
    values = eigenvalues(inverse)
    equal = max(EQUAL, PAIRED * rounding)
    negative = (values.real < 0) & (np.abs(values.imag) < equal * np.abs(values))
    if not negative.any():
        return -half_logarithm(inverse)
    k = len(inverse)
    size = float(np.abs(values[negative]).mean())
    scalar = np.abs(inverse + size * np.eye(k)).max() <= equal * size
    if k % 2 or not scalar:
        raise NoLogarithm("a negative eigenvalue of the action is not paired")
    turn = np.zeros((k, k))
    turn[np.arange(0, k, 2), np.arange(1, k, 2)] = 0.5 * np.pi
    return np.asarray(turn - turn.T - 0.5 * np.log(size) * np.eye(k))


def half_turned_part(action: Floats, signs: Floats, width: float, rounding: float) -> Floats:
    """b on a space of moderate action with eigenvalues on the negative axis, up to `width`."""
    turned, rest = _split(
        action, signs, lambda value: value.real < 0 and abs(value.imag) < width * abs(value)
    )
    inside = turned.restricted(action)
    result = turned.embedded(_negative_logarithm(inside, turned.signs, rounding * turned.stretch))
    if len(rest.signs):
        inner = half_logarithm(rest.restricted(action)) * rest.signs
        result = result + rest.embedded(antisymmetric(inner))
    return np.asarray(result)


def _split(
    action: Floats, signs: Floats, chosen: Callable[[complex], bool]
) -> tuple[_Space, _Space]:
    """The invariant subspace of the chosen eigenvalues, a set closed under inversion, and its
    metric complement."""
    vectors, count = invariant_subspace(action, chosen)
    if count != sum(chosen(complex(value)) for value in eigenvalues(action)):
        raise NoLogarithm("undecided: the eigenvalues of the action cannot be separated")
    rest = np.linalg.qr(signs[:, None] * vectors[:, :count], mode="complete")[0][:, count:]
    return _Space(vectors[:, :count], signs), _Space(rest, signs)


class _Space:
    """An invariant non-degenerate subspace with a metric-orthonormal frame."""

    def __init__(self, basis: Floats, signs: Floats) -> None:
        values, vectors = np.linalg.eigh(basis.T @ (signs[:, None] * basis))
        if np.abs(values).min(initial=1.0) < DEGENERATE:
            raise NoLogarithm("undecided: the eigenvalues of the action cannot be separated")
        self.frame = basis @ (vectors / np.sqrt(np.abs(values)))
        self.signs = np.sign(values)
        self.outer = signs
        self.stretch = float(np.linalg.norm(self.frame, 2) ** 2)

    def restricted(self, action: Floats) -> Floats:
        """The action in the coordinates of the frame."""
        dual = self.signs[:, None] * self.frame.T * self.outer
        return np.asarray(dual @ action @ self.frame)

    def embedded(self, b: Floats) -> Floats:
        """A bivector of the subspace as one of the whole space."""
        return np.asarray(self.frame @ b @ self.frame.T)


def _negative_logarithm(action: Floats, signs: Floats, rounding: float) -> Floats:
    """b with exp(2 b G) = action, whose eigenvalues are all near the negative axis."""
    if len(set(signs.tolist())) == 1:
        if len(signs) % 2:
            raise NoLogarithm("the eigenvalue -1 of the action has odd multiplicity")
        return principal_rotation(action, float(signs[0]))
    wide = np.abs(np.log(np.abs(eigenvalues(action)))) > UNIT
    if wide.all():
        return _negative_pairs(action, signs, rounding)
    if wide.any():
        parts = _split(action, signs, lambda value: abs(np.log(abs(value))) > UNIT)
        return _sum_of(parts, action, rounding, _negative_logarithm)
    small = antisymmetric(half_logarithm(-action) * signs)
    values = eigenvalues(small * signs)
    resolved = np.sqrt(rounding * max(rounding, float(np.abs(small).max())))  # that of N^2
    turning = np.abs(values.imag) > resolved
    if turning.all():
        return small + _turn_against(small, signs)
    if turning.any():
        limit = 0.5 * (np.abs(values.imag[turning]).min() + np.abs(values.imag[~turning]).max())
        parts = _split(small * signs, signs, lambda value: abs(value.imag) > limit)
        return _sum_of(parts, action, rounding, _negative_logarithm)
    if np.abs(small).max() <= rounding:
        return _definite_half_turns(np.eye(len(signs)), signs)
    return small + _half_turns_along(small, signs)


def _sum_of(
    parts: tuple[_Space, _Space],
    action: Floats,
    rounding: float,
    logarithm: Callable[[Floats, Floats, float], Floats],
) -> Floats:
    """The logarithms on two spaces, as one bivector."""
    pieces = [
        part.embedded(logarithm(part.restricted(action), part.signs, rounding * part.stretch))
        for part in parts
    ]
    return np.asarray(pieces[0] + pieces[1])


def _turn_against(small: Floats, signs: Floats) -> Floats:
    """-pi/2 M (-M^2)^(-1/2), M = N G without real eigenvalues: every angle moves by pi/2."""
    m = small * signs / np.abs(small).max()
    try:
        turn = np.linalg.solve(square_root(-m @ m), m) * signs
    except NoConvergence as error:
        raise NoLogarithm("undecided: eigenvalues too near to -1 and to each other") from error
    return np.asarray(-0.5 * np.pi * antisymmetric(turn))


def _definite_half_turns(basis: Floats, signs: Floats) -> Floats:
    """pi/2 in canonical planes of the positive and of the negative directions of span(basis)."""
    form = basis.T @ (signs[:, None] * basis)
    values, vectors = np.linalg.eigh(form)
    total = np.zeros((len(signs), len(signs)))
    if np.abs(values).min(initial=1.0) < SEMISIMPLE:
        raise NoLogarithm("the eigenvalue -1 of the action has a Jordan block that is not paired")
    for sign in (1.0, -1.0):
        part = basis @ vectors[:, values * sign > 0]
        if part.shape[1] % 2:
            raise NoLogarithm("the eigenvalue -1 of the action has an odd signature")
        orthonormal = np.linalg.qr(part)[0]
        earlier: list[Floats] = []  # metric-orthonormal: canonical pairs are only Euclidean
        for pair in canonical_pairs(orthonormal):
            for vector in pair:
                for other in earlier:
                    vector = vector - other * (sign * (vector @ (signs * other)))
                earlier.append(vector / np.sqrt(abs(vector @ (signs * vector))))
        for u, v in zip(earlier[0::2], earlier[1::2], strict=True):
            total += 0.5 * np.pi * wedge(u, v)
    return total


def canonical_half_turns(b: Floats, g: Metric) -> Floats:
    """b (n, n) with its half turns within rounding of pi/2 made +pi/2 in canonical planes.

    Their rotation stays: one plane beta J with J against the canonical orientation becomes
    (beta - pi) J; several planes are replaced by the canonical planes of their span.
    """
    signs = np.array(g, dtype=float)
    found = decompose(b, g)
    angles = np.sqrt(np.maximum(-found.squares.real, 0.0))
    rounding = AT_HALF_TURN * np.maximum(1.0, np.abs(found.parts).max(axis=(1, 2)) ** 2)
    chosen = (found.kinds == PlaneKind.ROTATION) & (np.abs(angles - np.pi / 2) <= rounding)
    if not chosen.any():
        return b
    parts, count = found.parts[chosen], int(chosen.sum())
    vectors = np.linalg.svd(parts.sum(axis=0))[0]
    canonical = _definite_half_turns(vectors[:, : 2 * count], signs)
    if count > 1:
        return np.asarray(b - parts.sum(axis=0) + canonical)
    if np.sum(parts[0] * canonical) >= 0:
        return b
    alone = np.abs(b - parts[0]).max() <= AT_HALF_TURN * np.abs(b).max()
    plane = b if alone else parts[0]
    return np.asarray(b - plane * (np.pi / angles[chosen][0]))


def unit_wedge(u: Floats, v: Floats, signs: Floats) -> Floats:
    """u ^ v, made metric-orthonormal in their definite plane."""
    u = u / np.sqrt(abs(u @ (signs * u)))
    v = v - u * (v @ (signs * u)) / (u @ (signs * u))
    v = v / np.sqrt(abs(v @ (signs * v)))
    return np.asarray(wedge(u, v))


def _half_turns_along(small: Floats, signs: Floats) -> Floats:
    """pi/2 J for a J that commutes with the bivector N = `small` near zero."""
    found = decompose(small, tuple(int(s) for s in signs))
    kinds = found.kinds
    total = np.zeros_like(small)
    if len(signs) == 4 and (kinds >= PlaneKind.NULL).any() and _is_totally_null(small, signs):
        return _turn_of_null_plane(small, signs)
    if (kinds == PlaneKind.NULL).sum() == 2 and len(signs) == 6:
        turn = turn_of_null_pair(found.parts[kinds == PlaneKind.NULL], signs)
        if turn is not None:
            return 0.5 * np.pi * turn
    if not np.isin(kinds, (PlaneKind.ROTATION, PlaneKind.ZERO)).all():
        raise NoLogarithm(
            "the eigenvalue -1 of the action has a Jordan block that is not paired",
            near=bool(np.abs(small).max() <= UNSURE),
        )
    for part, square, kind in zip(found.parts, found.squares.real, kinds, strict=True):
        if kind == PlaneKind.ROTATION:
            total -= part * (0.5 * np.pi / np.sqrt(-square))
    angles, frame = rotation_frame(small)
    rank = 2 * int((angles > SEMISIMPLE * angles.max()).sum())
    if rank < len(signs):
        total += _definite_half_turns(signs[:, None] * frame[:, rank:], signs)
    return total


def _is_totally_null(b: Floats, signs: Floats) -> bool:
    """Whether b = beta u ^ v with u, v null and orthogonal."""
    angles, frame = rotation_frame(b)
    plane = frame[:, :2]
    null = np.abs(plane.T @ (signs[:, None] * plane)).max() < SEMISIMPLE
    return bool(null and (angles[1:] <= SEMISIMPLE * angles[0]).all())


def _turn_of_null_plane(b: Floats, signs: Floats) -> Floats:
    """pi/2 (u ^ Gv - v ^ Gu): it turns the null plane u, v of b and its dual, and commutes."""
    _, frame = rotation_frame(b)
    u, v = frame[:, 0], frame[:, 1]
    return np.asarray(0.5 * np.pi * (wedge(u, signs * v) - wedge(v, signs * u)))


def _negative_pairs(action: Floats, signs: Floats, rounding: float) -> Floats:
    """The action with real eigenvalues -e^(+-2x), x != 0, in dual null spaces."""
    half = len(signs) // 2
    large, found = invariant_subspace(action, lambda value: abs(value) > 1)
    small, other = invariant_subspace(action, lambda value: abs(value) < 1)
    if found != half or other != half or 2 * half != len(signs):
        raise NoLogarithm("undecided: the eigenvalues of the action cannot be separated")
    w, dual = large[:, :half], small[:, :half]
    dual = np.asarray(dual @ np.linalg.inv(dual.T @ (signs[:, None] * w)).T, dtype=np.float64)
    inverse: Floats = np.asarray(np.linalg.inv(w.T @ action @ w), dtype=np.float64)
    part = w @ half_logarithm_of_inverse(inverse, rounding) @ dual.T
    return np.asarray(part - part.T)
