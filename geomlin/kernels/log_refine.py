"""Planes of two or more angles beyond pi/4, from the small coefficients of the rotor.

On the space V of such planes R is nearly the blade f_V of V.  Near half turns the action
O = -1 + small knows the planes to eps / (pi/2 - beta) only.  But on V

    R ~ outer_exponential(t) f_V,  t_ij = +- (coefficient of f_(V - ij)) / (that of f_V),

and these coefficients, of another grade, have relative precision of their own.  So have the planes
u ^ v of t = sum tau u ^ v, in which R turns by beta = atan(tau) - pi/2.  Without planes, as in
Jordan blocks and complex pairs, the same is, with T = tG without real eigenvalues,

    M = atanh T - pi/2 T (-T^2)^(-1/2).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plane_kind import PlaneKind
from .bits import Booleans, Floats, Metric, even_masks, times_blade
from .eigenvalues import action_eigenvalues, eigenvalues, invariant_subspace
from .log_closed import as_matrix
from .log_matrix import NoConvergence, hyperbolic_arctangent, real_logarithm, square_root
from .log_polish import residual
from .pfaffian import antisymmetric, outer_exponential
from .planes import decompose

NEAR = 0.5  # |beta - pi/2|, and size of the boost of a complex pair, below which V has a plane
SKEW = 1e-6  # size of the form on unit vectors from which V can be split off
SMALL = 0.3  # size of T below which atanh is a short series
EXACT = 64 * 2.0**-52  # tau up to which a plane is half-turned; its choice among others is a rule
ROUNDINGS = 8 * 2.0**-52  # of the terms in a coefficient of f_A: tau up to that may be rounding
ROUNDING = 4 * 2.0**-52  # |R - exp(B)| / max |R| that is nothing but rounding of exp
WORSE = 2.0  # factor by which the new one may exceed the old one, or rounding


def _is_near(values: Any) -> NDArray[np.bool_]:
    """Which eigenvalues of M belong to V."""
    near = np.abs(np.abs(np.imag(values)) - np.pi / 2) < NEAR
    return np.asarray(near & (np.abs(np.real(values)) < NEAR))


def has_several_wide_planes(b: Floats, g: Metric) -> Booleans:
    """Which of the b (batch, n, n) have two planes or more in V."""
    return np.asarray(_is_near(action_eigenvalues(b, g)).sum(axis=1) >= 4)


def refined(b: Floats, rotor: Floats, g: Metric) -> Floats:
    """b (n, n) with its part on V found anew from R; b itself if V is no sum of rotation planes."""
    metric = np.array(g, dtype=float)
    vectors, count = invariant_subspace(b * metric, _is_near)
    basis = vectors[:, :count]
    values, turn = np.linalg.eigh(basis.T @ (metric[:, None] * basis))
    if count < 4 or count % 2 or np.abs(values).min() < SKEW:
        return b
    frame = basis @ (turn / np.sqrt(np.abs(values)))
    signs = np.sign(values)
    dual = metric[:, None] * frame * signs
    old = dual.T @ b @ dual
    t, noise = _tangent(rotor, dual, signs)
    new = _turned(t, noise, old, signs)
    if new is None:
        return b
    change = frame @ (new - old) @ frame.T
    result = np.asarray(b + 0.5 * (change - change.T))
    before, after = (residual(x, rotor, g)[1] for x in (b, result))
    return result if after <= WORSE * max(before, ROUNDING) else b


def _turned(t: Floats, noise: float, old: Floats, signs: Floats) -> Floats | None:
    """sum_k (atan(tau_k) - pi/2) u_k ^ v_k, beside the planes with tau = 0, which stay as they are.

    If that has the sign of -R, the smallest tau gets atan(tau) + pi/2.
    """
    found = decompose(t, tuple(int(s) for s in signs))
    rotations = found.kinds == PlaneKind.ROTATION
    tau = np.sqrt(np.abs(found.squares.real))
    exact = tau <= max(EXACT, noise)
    moved = rotations & ~exact
    known = np.isin(found.kinds, (PlaneKind.ROTATION, PlaneKind.ZERO)) | exact
    if not known.all():
        return _turned_as_a_whole(t, noise, old, signs)
    if not moved.any():
        return None
    planes = found.parts[moved] / tau[moved, None, None]
    projector = -sum((plane * signs) @ (plane * signs) for plane in planes)
    rest = np.eye(len(signs)) - projector
    angles = np.arctan(tau[moved]) - np.pi / 2
    new = np.einsum("k,kij->ij", angles, planes)
    space = np.linalg.svd(projector)[0][:, : 2 * len(planes)]
    if _pfaffian(space.T @ new @ space) * _pfaffian(space.T @ old @ space) < 0:
        new = new + np.pi * planes[-1]
    return np.asarray(rest @ old @ rest.T + new)


def _turned_as_a_whole(t: Floats, noise: float, old: Floats, signs: Floats) -> Floats | None:
    """atanh T - pi/2 T (-T^2)^(-1/2); None if T is rounding, or if the sign is that of -R."""
    m = t * signs
    if np.abs(eigenvalues(m).imag).min() <= max(EXACT, noise):
        return None
    identity = np.eye(len(signs))
    try:
        turn = np.linalg.solve(square_root(-m @ m), m)
        if np.sqrt((m**2).sum()) < SMALL:
            small = hyperbolic_arctangent(m)
        else:
            small = 0.5 * real_logarithm(np.asarray(np.linalg.solve(identity - m, identity + m)))
    except NoConvergence:
        return None
    new = antisymmetric((small - 0.5 * np.pi * turn) * signs)
    return new if _pfaffian(new) * _pfaffian(old) > 0 else None


def _tangent(rotor: Floats, dual: Floats, signs: Floats) -> tuple[Floats, float]:
    """t from the coefficients R_A = sum_S R_S det dual[S, A] of f_A, A = V and V without a pair;
    and the size of its rounding."""
    n, size = dual.shape
    inner, terms = np.zeros(1 << size >> 1), 0.0
    for position, mask in enumerate(even_masks(size).tolist()):
        grade = mask.bit_count()
        if grade < size - 2:
            continue
        columns = [i for i in range(size) if mask >> i & 1]
        rows = np.array(list(combinations(range(n), grade)), dtype=np.int64)
        minors = np.linalg.det(dual[rows][:, :, columns])
        coefficients = rotor[(1 << rows).sum(axis=1) >> 1]
        inner[position] = minors @ coefficients
        terms = max(terms, float(np.abs(minors) @ np.abs(coefficients)))
    whole = np.array([(1 << size) - 1])
    turned = times_blade(inner[None], whole, tuple(int(s) for s in signs))
    pairs = [(1 << i | 1 << j) >> 1 for i, j in combinations(range(size), 2)]
    t = as_matrix(turned[:, pairs] / turned[:, :1], size)[0]
    return t, ROUNDINGS * terms / abs(float(inner[-1]))


def _pfaffian(matrix: Floats) -> float:
    return float(outer_exponential(matrix[None])[0, -1])
