"""Principal logarithm of the isometry of a rotor in an indefinite metric, one rotor at a time.

R ~ outer_exponential(t) E_P acts by O = K_+ K_-^-1, K_+ = I + tG, K_- = D (I - tG).  The pencil
K_+ y = lambda K_- y has bounded entries at every rapidity, so its deflating subspaces are accurate
where O itself has lost its small eigenvalues.  Large and small eigenvalues belong to totally null
spaces V, V' in duality; with bases W, W', W'^T G W = 1, and O = exp(2 L) on V they add

    W L W'^T - W' L^T W^T                                                        (1)

to b.  The rest of the space carries an isometry of moderate size.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Booleans, Floats, Metric
from .eigenvalues import eigenvalues
from .log_definite import cayley_of
from .log_half_turns import (
    NoLogarithm,
    half_logarithm,
    half_logarithm_of_inverse,
    half_turned_part,
)
from .log_matrix import hyperbolic_arctangent, logarithms_by_cosh
from .log_verified import deviation
from .pfaffian import antisymmetric, signs_of

LARGE = 2.5  # log |lambda| from which eigenvalues go to null spaces: O stays below e^6 or so
GAP = 1.0  # in log |lambda|, between eigenvalues that are separated
SATURATED = 28.0  # log |lambda| beyond which the pencil knows no digit of it
CLIPPED = 32.0  # log |lambda| at which nothing but rounding is left
NEGATIVE = 1e-5  # |Im lambda| / |lambda| below which Re lambda < 0 counts as the negative axis
ROTATIONS = ((1.0, 0.0), (0.8, 0.6), (0.6, 0.8), (0.8, -0.6))  # tried in turn: QZ may stall
UNCERTAIN = 128.0  # times noise: size of -O - 1 up to which eigenvalues may be -1
ROUNDING = 2.0**-50  # max |R| times it: errors of the coefficients of a rotor in float64
SMALL = 0.3  # size of tG below which atanh is a short series
REPRODUCED = 1e-6  # |R - exp(B)| / max |R|


class Pencil(NamedTuple):
    """K_+, K_- and log |lambda| of the generalised eigenvalues."""

    plus: Floats
    minus: Floats
    logs: Floats


class Principal(NamedTuple):
    """b with exp(B) = +-R; whether to rounding, or only up to a few digits."""

    b: Floats
    accurate: bool


def principal_isometry(rotor: Floats, g: Metric, noise: float = ROUNDING) -> Principal:
    """A0 of one rotor, whose coefficients are known to noise max |R|; NoLogarithm with the reason
    if O has no real logarithm."""
    known, found = principal_in_closed_form(rotor[None], g)
    if found[0]:
        return Principal(known[0], True)
    pivot, tangents = cayley_of(rotor[None], g)
    t, n = tangents[0], len(g)
    metric = np.array(g, dtype=float)
    matrix, identity = t * metric, np.eye(n)
    signs = signs_of(pivot, n)[0]
    plus, minus = identity + matrix, signs[:, None] * (identity - matrix)
    pencil = Pencil(plus, minus, _logs(plus, minus))
    b = np.zeros((n, n))
    bounds = _null_groups(pencil.logs)
    for low, high in bounds:
        b += _null_pair_part(pencil, low, high, rotor, g, noise)
    limit = bounds[-1][0] if bounds else np.inf
    return Principal(antisymmetric(b + _moderate_part(pencil, limit, metric, noise)), False)


def principal_in_closed_form(rotor: Floats, g: Metric) -> tuple[Floats, Booleans]:
    """A0 (batch, n, n) to rounding, and for which rotors it is: atanh(t) near 1, else acosh C.

    With several half turns the square roots of the cosh route can choose branches that no single B
    belongs to; so each must reproduce R or -R to half of the digits.
    """
    pivot, tangents = cayley_of(rotor, g)
    metric = np.array(g, dtype=float)
    matrix = tangents * metric
    with np.errstate(over="ignore"):
        small = (pivot == 0) & ((matrix**2).sum(axis=(1, 2)) < SMALL**2)
    b, found = np.zeros_like(matrix), small.copy()
    b[small] = antisymmetric(hyperbolic_arctangent(matrix[small]) * metric)
    if not small.all():
        b[~small], found[~small] = logarithms_by_cosh(rotor[~small], g)
    found[found] = deviation(b[found], rotor[found], g, True) <= REPRODUCED
    return b, found


def _logs(plus: Floats, minus: Floats) -> Floats:
    """log |lambda| of the generalised eigenvalues."""
    from scipy.linalg import LinAlgError, eigvals

    for cos, sin in ROTATIONS:
        with suppress(LinAlgError):
            turned = _rotated(plus, minus, cos, sin)
            alpha, beta = eigvals(*turned, homogeneous_eigvals=True)
            return _log_sizes(*_rotated(alpha, beta, cos, -sin))
    raise NoLogarithm("undecided: the eigenvalues of the action were not found")


def _rotated(plus: NDArray[Any], minus: NDArray[Any], cos: float, sin: float) -> Any:
    """Another pencil with the same deflating subspaces: its pairs (alpha, beta) are rotated too."""
    return cos * plus + sin * minus, cos * minus - sin * plus


def _log_sizes(alpha: NDArray[Any], beta: NDArray[Any]) -> Floats:
    """log |alpha / beta|, clipped where rounding decides it."""
    tiny = np.finfo(float).tiny
    large, small = np.maximum(np.abs(alpha), tiny), np.maximum(np.abs(beta), tiny)
    return np.asarray(np.clip(np.log(large) - np.log(small), -CLIPPED, CLIPPED))


def _null_groups(logs: Floats) -> list[tuple[float, float]]:
    """Intervals of log |lambda|, descending, each a separated group beyond LARGE."""
    positive = np.sort(logs[logs > 0])[::-1]
    bounds, high, k = [], np.inf, 0
    while k < len(positive):
        last = k
        while last + 1 < len(positive) and positive[last] - positive[last + 1] <= GAP:
            last += 1
        following = positive[last + 1] if last + 1 < len(positive) else 0.0
        if positive[last] < LARGE:
            break
        low = 0.5 * (positive[last] + following)
        bounds.append((low, high))
        high, k = low, last + 1
    return bounds


def _deflating(pencil: Pencil, chosen: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Orthonormal basis of the right deflating subspace of the eigenvalues with chosen logs."""
    from scipy.linalg import LinAlgError, ordqz

    count = int(chosen(pencil.logs).sum())
    for cos, sin in ROTATIONS:

        def select(
            alpha: NDArray[Any], beta: NDArray[Any], cos: float = cos, sin: float = sin
        ) -> NDArray[np.bool_]:
            return chosen(_log_sizes(*_rotated(alpha, beta, cos, -sin)))

        with suppress(LinAlgError, ValueError):
            turned = _rotated(pencil.plus, pencil.minus, cos, sin)
            *_, vectors = ordqz(*turned, sort=select, output="real")
            return np.asarray(vectors[:, :count])
    raise NoLogarithm("undecided: the eigenvalues of the action were not found")


def _null_pair_part(
    pencil: Pencil, low: float, high: float, rotor: Floats, g: Metric, noise: float
) -> Floats:
    """Equation (1) for the eigenvalues with low < log |lambda| < high and their inverses."""
    metric = np.array(g, dtype=float)
    large = _deflating(pencil, lambda logs: (logs > low) & (logs < high))
    small = _deflating(pencil, lambda logs: (logs < -low) & (logs > -high))
    if large.shape != small.shape:
        raise NoLogarithm("undecided: the eigenvalues of the action cannot be separated")
    w, upper = np.linalg.qr(pencil.plus @ large)
    dual = np.linalg.qr(pencil.minus @ small)[0]
    dual = dual @ np.linalg.inv(dual.T @ (metric[:, None] * w)).T
    inverse = np.linalg.solve(upper.T, (w.T @ pencil.minus @ large).T).T
    inside = (pencil.logs > low) & (pencil.logs < high)
    if pencil.logs[inside].max() > SATURATED:
        return _saturated(w, dual, rotor)
    rounding = noise * float(np.linalg.norm(dual, 2) * np.linalg.norm(w, 2)) ** 2
    part = w @ half_logarithm_of_inverse(inverse, rounding) @ dual.T
    return np.asarray(part - part.T)


def _saturated(w: Floats, dual: Floats, rotor: Floats) -> Floats:
    """One boost so large that R ~ e^beta (1 + b)/2 R_0: beta from the size of R."""
    if w.shape[1] != 1:
        raise NoLogarithm("undecided: several boosts beyond all digits of the rotor")
    sizes = np.abs(rotor)
    plane = np.outer(w[:, 0], dual[:, 0])
    return np.asarray((plane - plane.T) * max(1.0, np.log(2.0 * sizes.max())))


def _moderate_part(pencil: Pencil, limit: float, metric: Floats, noise: float) -> Floats:
    """b on the complement of the null spaces, where log |lambda| is within +-limit."""
    n = len(metric)
    if np.isinf(limit):
        basis, image = pencil.minus, pencil.plus
    else:
        middle = _deflating(pencil, lambda logs: np.abs(logs) < limit)
        basis, image = pencil.minus @ middle, pencil.plus @ middle
    if basis.shape[1] == 0:
        return np.zeros((n, n))
    sizes, vectors = np.linalg.eigh(basis.T @ (metric[:, None] * basis))
    if np.abs(sizes).min() < 1e-12 * np.abs(sizes).max():
        raise NoLogarithm("undecided: the eigenvalues of the action cannot be separated")
    scale = vectors / np.sqrt(np.abs(sizes))
    frame, signs = basis @ scale, np.sign(sizes)
    action = signs[:, None] * (frame.T @ (metric[:, None] * (image @ scale)))
    values = eigenvalues(action)
    turned = (values.real < 0) & (np.abs(values.imag) < NEGATIVE * np.abs(values))
    if turned.any():
        size = float(np.linalg.norm(frame, 2) ** 2 * np.linalg.norm(action, 2))
        inner = half_turned_part(action, signs, NEGATIVE, UNCERTAIN * noise * size)
    else:
        inner = half_logarithm(action) * signs
    return np.asarray(frame @ antisymmetric(inner) @ frame.T)
