"""exp of a bivector by repeated squaring of its action on vectors, for n >= 6.

The action of exp(B) on vectors is e^(2M) = I + y G with y = int_0^2 e^(sM) b ds, M = b G.  Working
with y keeps small bivectors exact.  Squaring a rotor doubles B and maps

    y -> 2 y + y G y.                                                               (1)

For boosts (1) loses digits like e^(2 phi).  There the rotor is squared in the pivoted form
rho outer_exponential(t) E_P, whose entries stay bounded at every rapidity.  With
D = diag(-1 on P, +1 elsewhere), M1 = t G, M2 = D M1 D, N_i = I - M_i and a new pivot Q,

    W = (I + M1)(I + M2) + N1 D_Q N2,       rho' = rho^2 sqrt(|det W| / 2^n),
    t' = (I - 2 D_Q N2 W^-1 N1) G^-1.                                               (2)

Null vectors e_0 change nothing of this; they follow.  Their rows y_0 of y, the antisymmetric part
a of y_00, and the entries t_0, t_00 obey

    y_0 -> 2 y_0 + y_0 G y,        a -> 2 a - y_0 G [y] G y_0^T,                      (3)
    t_0 -> t_0 (D_Q D + D_Q N2 W^-1 F)^T,    t_00 -> 2 t_00 + t_0 [H W^-1 F] t_0^T / 2,
    F = 2 + ((I - D_Q) + M1 (I + D_Q)) D,    H = G ((I - D_Q) + (I + D_Q) M2) + 2 D G, (4)

where [x] = (x - x^T)/2: (4) is the limit of (2) as the squares of the null vectors go to zero.

What (2) loses: |det W| / 2^n = (rho' / rho^2)^2, so that W has a condition of about |R|^2 / |R^2|.
That is 1 for rotations and boosts, whose sizes multiply.  For a null B it is |B|/2: R = 1 + B only
doubles, while a rounding error of R, which is not null, multiplies.  The last squarings then err by
eps |B| in t, |B| times what kappa allows, with a small factor: n ^ y in Cl(4,2) has 24 eps kappa at
|B| = 1e4, a Jordan block of size 5 has 400 at 1e3.  (1) and the spinor matrices lose more; so where
the ratio is large, `exponential` sums the series in fixed-point numbers instead.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np

from .bits import Booleans, Floats, Integers, Metric, non_null
from .pfaffian import (
    LARGEST_ENTRY,
    antisymmetric,
    largest_pair,
    pivoted_cayley,
    signs_of,
    solve,
    with_null_vectors,
)

SERIES_RADIUS = 0.5  # norm up to which the series of degree 15 is exact to rounding
GROWTH = 1.0  # largest |y_ij| up to which squaring (1) is as accurate as squaring (2)
STARTS = (np.sqrt(2.0) - 1.0, np.sqrt(3.0) - 1.0)  # see _choose_signs

_FIRST_SERIES = np.array([1.0 / factorial(k + 1) for k in range(16)]).reshape(4, 4)
_SECOND_SERIES = np.array([1.0 / factorial(k + 2) for k in range(16)]).reshape(4, 4)


class Action(NamedTuple):
    """y on the non-null vectors, its null rows, and the antisymmetric part of its null block."""

    y: Floats
    null_rows: Floats
    twist: Floats


class Rotor(NamedTuple):
    """Rotors rho outer_exponential(t) E_P, up to sign; t is of the whole space."""

    pivot: Integers
    t: Floats
    scale: Floats


def radius(b: Floats, g: Metric) -> Floats:
    """sqrt(sum of b_ij^2, i < j) over non-null i, j: bounds the operator norm of b and of M."""
    m = len(non_null(g))
    block = b[:, :m, :m].reshape(len(b), m * m)
    largest = np.abs(block).max(axis=1, initial=1e-300)
    block = block / largest[:, None]
    size: Floats = largest * np.sqrt(0.5 * np.einsum("bi,bi->b", block, block))
    return size


def squarings(size: Floats) -> Integers:
    """Number of halvings that bring 2 B, |B| <= size, into the radius of the series; at least 1."""
    exponent = np.frexp(size * (2.0 / SERIES_RADIUS))[1]
    return np.maximum(exponent, 1).astype(np.int64)


def series(b: Floats, g: Metric, halvings: Integers) -> Action:
    """The action of exp(B / 2^halvings), with X = h b G, h = 2^(1 - halvings), and c = b_0^T:

    y = f(X) h b,  y_0 = -h c^T G f(X) G,  a = h b_00 - h^2 c^T [G f2(X)] c,
    f = sum_k X^k / (k+1)!,  f2 = sum_k X^k / (k+2)!.
    """
    m = len(non_null(g))
    batch = len(b)
    metric = np.array(g[:m], dtype=float)
    small = np.ldexp(b, (1 - halvings)[:, None, None])
    x = small[:, :m, :m] * metric
    powers = np.empty((batch, 4, m, m))
    powers[:, 0] = np.eye(m)
    powers[:, 1] = x
    powers[:, 2] = x @ x
    powers[:, 3] = powers[:, 2] @ x
    fourth = powers[:, 2] @ powers[:, 2]
    first = _polynomial(_FIRST_SERIES, powers, fourth)
    y = first @ small[:, :m, :m]
    if m == len(g):
        return Action(y, np.empty((batch, 0, m)), np.empty((batch, 0, 0)))
    rows = small[:, m:, :m] * metric
    second = antisymmetric(metric[:, None] * _polynomial(_SECOND_SERIES, powers, fourth))
    columns = small[:, :m, m:]
    twist = small[:, m:, m:] - columns.swapaxes(1, 2) @ second @ columns
    return Action(y, (rows @ first) * metric, twist)


def _polynomial(coefficients: Floats, powers: Floats, fourth: Floats) -> Floats:
    """sum_k c_k X^k, k < 16, from the powers below 4 and the fourth (Paterson and Stockmeyer)."""
    batch, _, m, _ = powers.shape
    blocks = (coefficients @ powers.reshape(batch, 4, m * m)).reshape(batch, 4, m, m)
    total = blocks[:, 3]
    for k in (2, 1, 0):
        total = blocks[:, k] + fourth @ total
    return total


def squared(action: Action, g: Metric) -> Action:
    """Equations (1) and (3)."""
    y, rows, twist = action
    metric = np.array(g[: y.shape[1]], dtype=float)
    right = y * metric
    if not rows.shape[1]:
        return Action(2.0 * y + right @ y, rows, twist)
    rows_metric = rows * metric
    return Action(
        2.0 * y + right @ y,
        2.0 * rows + rows_metric @ y,
        2.0 * twist - rows_metric @ antisymmetric(y) @ rows_metric.swapaxes(1, 2),
    )


def _advance(action: Action, active: Booleans, g: Metric) -> Action:
    """Square the active elements of a batch of actions."""
    if active.all():
        return squared(action, g)
    for whole, part in zip(action, squared(Action(*(x[active] for x in action)), g), strict=True):
        whole[active] = part
    return action


def half_and_full(b: Floats, g: Metric) -> tuple[Action, Action]:
    """The actions of exp(B/2) and of exp(B), by (1) and (3) alone."""
    halvings = squarings(radius(b, g))
    action = series(b, g, halvings)
    for done in range(1, int(halvings.max(initial=1))):
        action = _advance(action, halvings > done, g)
    return action, squared(action, g)


def spectral_half_and_full(b: Floats, g: Metric) -> tuple[Action, Action]:
    """The same in a definite metric from b z = -i w z, for angles w of any size."""
    w, z = np.linalg.eigh(1j * b)
    square = float(g[0])
    adjoint = z.conj().swapaxes(1, 2)
    none = np.empty((len(b), 0, len(g))), np.empty((len(b), 0, 0))
    half = np.exp(-1j * square * w)[:, None, :] - 1.0
    full = np.exp(-2j * square * w)[:, None, :] - 1.0
    return (
        Action(square * ((z * half) @ adjoint).real, *none),
        Action(square * ((z * full) @ adjoint).real, *none),
    )


def lifted(action: Action, g: Metric) -> Rotor:
    """The rotors with a given action, with rho from the determinant."""
    m = action.y.shape[1]
    found = pivoted_cayley(action.y, g[:m])
    t = found.t
    if m < len(g):
        t = with_null_vectors(t, found.pivot, action.null_rows, action.twist, g)
    return Rotor(found.pivot, t, np.sqrt(np.abs(np.linalg.det(0.5 * found.system))))


def exponential_by_doubling(b: Floats, g: Metric) -> tuple[Rotor, Rotor]:
    """exp(B/2) and exp(B) up to sign: (1) while the action is moderate, then (2)."""
    left = squarings(radius(b, g)) - 1
    action = series(b, g, left + 1)
    while True:
        active = (left > 0) & (np.abs(action.y).max(axis=(1, 2), initial=0.0) < GROWTH)
        if not active.any():
            break
        action = _advance(action, active, g)
        left[active] -= 1
    half = lifted(action, g)
    while left.any():
        active = left > 0
        part = Rotor(half.pivot[active], half.t[active], half.scale[active])
        for whole, new in zip(half, doubled(part, g), strict=True):
            whole[active] = new
        left[active] -= 1
    return half, doubled(half, g)


class _Factors(NamedTuple):
    """What equation (2) needs of the rotor to be squared."""

    m1: Floats
    m2: Floats
    n1: Floats
    n2: Floats
    product: Floats  # (I + M1)(I + M2)


def doubled(rotor: Rotor, g: Metric) -> Rotor:
    """The square of a rotor, up to sign: equations (2) and (4)."""
    m = len(non_null(g))
    metric = np.array(g[:m], dtype=float)
    identity = np.eye(m)
    signs = signs_of(rotor.pivot, m)
    m1 = rotor.t[:, :m, :m] * metric
    m2 = signs[:, :, None] * m1 * signs[:, None, :]
    factors = _Factors(m1, m2, identity - m1, identity - m2, (identity + m1) @ (identity + m2))
    pivot = _choose_signs(factors)
    matrix, block = _squared_block(factors, pivot, metric)
    active = np.arange(len(pivot))
    for _ in range(4 * m if m > 1 else 0):
        size, pair = largest_pair(block[active])
        exchange = size > LARGEST_ENTRY
        if not exchange.any():
            break
        active = active[exchange]
        pivot[active] ^= pair[exchange]
        part = _Factors(*(x[active] for x in factors))
        matrix[active], block[active] = _squared_block(part, pivot[active], metric)
    scale = rotor.scale**2 * np.sqrt(np.abs(np.linalg.det(0.5 * matrix)))
    t = antisymmetric(block)
    if m < len(g):
        t = _squared_null_part(rotor, t, matrix, factors, pivot, metric)
    return Rotor(pivot, t, scale)


def _squared_block(factors: _Factors, pivot: Integers, metric: Floats) -> tuple[Floats, Floats]:
    """W and t' of equation (2)."""
    signs = signs_of(pivot, len(metric))
    matrix = factors.product + (factors.n1 * signs[:, None, :]) @ factors.n2
    image = factors.n2 @ solve(matrix, factors.n1)
    return matrix, (np.eye(len(metric)) - 2.0 * signs[:, :, None] * image) * metric


def _squared_null_part(
    rotor: Rotor,
    block: Floats,
    matrix: Floats,
    factors: _Factors,
    pivot: Integers,
    metric: Floats,
) -> Floats:
    """t' of the whole space by equation (4), given its non-null block."""
    m = len(metric)
    old = signs_of(rotor.pivot, m)[:, None, :]
    new = signs_of(pivot, m)[:, :, None]
    diagonal = np.eye(m) * (1.0 - new)
    right = 2.0 * np.eye(m) + (diagonal + factors.m1 * (1.0 + new.swapaxes(1, 2))) * old
    left = metric[:, None] * (diagonal + (1.0 + new) * factors.m2 + 2.0 * np.eye(m) * old)
    solved = solve(matrix, right)
    rows = rotor.t[:, m:, :m]
    moved = np.eye(m) * old * new + new * (factors.n2 @ solved)
    turned = antisymmetric(left @ solved)
    result = np.empty_like(rotor.t)
    result[:, :m, :m] = block
    result[:, m:, :m] = rows @ moved.swapaxes(1, 2)
    result[:, :m, m:] = -result[:, m:, :m].swapaxes(1, 2)
    result[:, m:, m:] = 2.0 * rotor.t[:, m:, m:] + 0.5 * (rows @ turned @ rows.swapaxes(1, 2))
    return result


def _choose_signs(factors: _Factors) -> Integers:
    """New pivot Q with a well-conditioned W of equation (2).

    Starting from D = d I with 0 < d < 1, each d_k in turn becomes +1 or -1, a change of rank one
    that multiplies det W by 1 + (1-d) s or 1 - (1+d) s; the larger of the two is at least 1 in
    size.  The start is singular only when -d is an eigenvalue of the square of the action.
    """
    _, _, n1, n2, product = factors
    identity = np.broadcast_to(np.eye(product.shape[-1]), product.shape)
    d = np.full(len(product), STARTS[0])
    inverse = solve(product + d[:, None, None] * (n1 @ n2), identity)
    lost = ~np.isfinite(inverse).all(axis=(1, 2))
    if lost.any():
        d[lost] = STARTS[1]
        inverse[lost] = solve(product[lost] + STARTS[1] * (n1[lost] @ n2[lost]), identity[lost])
    pivot = np.zeros(len(product), dtype=np.int64)
    for k in range(product.shape[-1]):
        column = np.einsum("bij,bj->bi", inverse, n1[:, :, k])
        row = np.einsum("bi,bij->bj", n2[:, k, :], inverse)
        corner = np.einsum("bi,bi->b", n2[:, k, :], column)
        stay, leave = 1.0 + (1.0 - d) * corner, 1.0 - (1.0 + d) * corner
        negative = np.abs(leave) > np.abs(stay)
        pivot |= negative.astype(np.int64) << k
        factor = np.where(negative, -(1.0 + d), 1.0 - d) / np.where(negative, leave, stay)
        inverse -= (factor[:, None] * column)[:, :, None] * row[:, None, :]
    return pivot
