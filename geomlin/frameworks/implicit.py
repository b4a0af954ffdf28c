"""Derivatives of values that the host computes: formulas in what was found.

Each rule maps a tangent dx at x to the tangent dy at y = f(x), linearly, by operations that are
differentiated again; so derivatives of every order follow from the first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NotSupported
from ..kernels.bits import Metric, non_null
from ..layout import even_layout, grade_layout
from ..signature import Signature
from ..tables import product_table
from .matrix_exponential import exponential_minus_one


def exp_tangent(xp: Any, rotor: Any, b: Any, tangent: Any, signature: Any) -> Any:
    """dR = Omega R, Omega = phi(ad_B) dB; NaN where the angles are too large for phi."""
    g = Signature(*signature).metric
    omega = xp.matmul(phi_of_adjoint(xp, b, g), tangent[..., None])[..., 0]
    return _bivector_times_even(xp, omega, rotor, g)


def exp_cotangent(xp: Any, rotor: Any, b: Any, cotangent: Any, signature: Any) -> Any:
    """The transpose of exp_tangent: B_bar = phi(ad_B)^T l, l_ij = <R_bar, e_i e_j R>."""
    g = Signature(*signature).metric
    pairs = grade_layout(len(g), 2)
    unit = xp.constant(np.eye(pairs.size), rotor)
    images = _bivector_times_even(xp, unit, rotor[..., None, :], g)  # e_i e_j R
    pulled = (images * cotangent[..., None, :]).sum(-1)
    return xp.matmul(pulled[..., None, :], phi_of_adjoint(xp, b, g))[..., 0, :]


def log_tangent(xp: Any, found: Any, rotor: Any, tangent: Any, signature: Any, *_: Any) -> Any:
    """dB = phi(ad_B)^-1 <dR ~R>_2, phi(z) = (e^z - 1) / z; in definite metrics of R / |R|."""
    g = Signature(*signature).metric
    b = found[..., :-1]
    moved = _bivector_of_quotient(xp, tangent, rotor, g)
    if len(set(g)) == 1:  # definite, without null vectors
        moved = moved / (rotor * rotor).sum(-1)[..., None]
    if not moved.shape[-1]:
        return xp.lib.zeros_like(found)  # n = 1
    db = xp.solve(phi_of_adjoint(xp, b, g), moved[..., None])[..., 0]
    return xp.concatenate([db, xp.lib.zeros_like(db[..., :1])], -1)


def log_cotangent(xp: Any, found: Any, rotor: Any, cotangent: Any, signature: Any, *_: Any) -> Any:
    """The transpose of log_tangent: <R_bar, dR> = <phi(ad_B)^-T B_bar, <dR ~R>_2>."""
    g = Signature(*signature).metric
    if found.shape[-1] < 2:
        return xp.lib.zeros_like(rotor)
    transposed = xp.lib.swapaxes(phi_of_adjoint(xp, found[..., :-1], g), -1, -2)
    pulled = xp.solve(transposed, cotangent[..., :-1, None])[..., 0]
    positions, signs = _quotient_tables(g)
    gathered = xp.take(rotor, positions) * xp.constant(signs, rotor)
    result = xp.matmul(pulled[..., None, :], gathered)[..., 0, :]
    if len(set(g)) == 1:
        result = result / (rotor * rotor).sum(-1)[..., None]
    return result


def _bivector_of_quotient(xp: Any, a: Any, b: Any, g: Metric) -> Any:
    """<A ~B>_2 of even elements."""
    positions, signs = _quotient_tables(g)
    gathered = xp.take(b, positions) * xp.constant(signs, b)
    return xp.matmul(gathered, a[..., None])[..., 0]


@cache
def _quotient_tables(g: Metric) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each pair P and even S: where S xor P is, and the sign of E_S ~E_(S xor P)."""
    n = len(g)
    layout, pairs = even_layout(n), grade_layout(n, 2)
    table = product_table("geometric_product", g, layout, layout)
    grades = layout.grade_array
    reverse = np.where(grades % 4 == 2, -1.0, 1.0)
    positions = np.zeros((pairs.size, layout.size), dtype=np.int64)
    signs = np.zeros((pairs.size, layout.size))
    row = np.full(table.layout.size, -1)
    for mask, place in pairs.position.items():
        row[table.layout.position[mask]] = place
    chosen = row[table.out] >= 0
    rows, left, right = row[table.out][chosen], table.left[chosen], table.right[chosen]
    positions[rows, left] = right
    signs[rows, left] = table.sign[chosen] * reverse[right]
    return positions, signs


@cache
def _adjoint_tables(g: Metric) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """[B, e_k e_l] as a matrix gathered from the coefficients of B."""
    pairs = grade_layout(len(g), 2)
    table = product_table("commutator", g, pairs, pairs)
    positions = np.zeros((pairs.size, pairs.size), dtype=np.int64)
    signs = np.zeros((pairs.size, pairs.size))
    places = [pairs.position.get(mask, -1) for mask in table.layout.masks]
    rows = np.array(places, dtype=np.int64)[table.out]  # none at all in two dimensions
    positions[rows, table.right] = table.left
    signs[rows, table.right] = 2.0 * table.sign
    return positions, signs


def phi_of_adjoint(xp: Any, b: Any, g: Metric) -> Any:
    """phi(ad_B): the corner of the exponential of [[ad_B, 1], [0, 0]]."""
    positions, signs = _adjoint_tables(g)
    size = positions.shape[0]
    adjoint = xp.take(b, positions) * xp.constant(signs, b)
    one = xp.lib.broadcast_to(xp.constant(np.eye(size), b), adjoint.shape)
    top = xp.concatenate([adjoint, one], -1)
    whole = xp.concatenate([top, xp.lib.zeros_like(top)], -2)
    bound = xp.largest(xp.lib.abs(xp.detach(whole)).sum(-1))
    bound = xp.where(xp.isfinite(bound), bound, 1.0)
    return exponential_minus_one(xp, whole, bound)[..., :size, size:]


def lift_tangent(xp: Any, rotor: Any, matrix: Any, tangent: Any, signature: Any, *_: Any) -> Any:
    """dR = Omega R, Omega_ij = (dM M^-1)_ij g_j / 2 for g_j != 0, antisymmetric."""
    g = Signature(*signature).metric
    n, m = len(g), len(non_null(g))
    if n - m > 1:
        raise NotSupported(
            "the derivative of rotor_from_matrix is offered for r <= 1 on this backend: use "
            "geomlin.derivatives on backend='numpy'"
        )
    metric = xp.constant(np.array(g[:m], dtype=float), matrix)
    block = matrix[..., :m, :m]
    inverse = metric[:, None] * xp.lib.swapaxes(block, -1, -2) * metric
    half = 0.5 * xp.matmul(tangent[..., :, :m], inverse) * metric
    omega = xp.concatenate([half, xp.zeros((*half.shape[:-1], n - m), half)], -1)
    rows, columns = np.triu_indices(n, 1)
    flat = omega.reshape(*omega.shape[:-2], n * n)
    upper, lower = xp.take(flat, rows * n + columns), xp.take(flat, columns * n + rows)
    weight = xp.constant(np.where(columns >= m, 1.0, 0.5), omega)
    return _bivector_times_even(xp, weight * (upper - lower), rotor, g)


def _bivector_times_even(xp: Any, v: Any, rotor: Any, g: Metric) -> Any:
    layout = even_layout(len(g))
    table = product_table("geometric_product", g, grade_layout(len(g), 2), layout)
    found = xp.contract(table, v, rotor)
    here = table.layout.position
    return xp.select(found, tuple(here.get(mask, -1) for mask in layout.masks))


def decomposition_tangent(xp: Any, found: Any, b: Any, tangent: Any, signature: Any) -> Any:
    """With M = bG = sum_i M_i, lambda_i = b_i^2 distinct and P_i the projector on plane i,

    dM_i = P_i dM + sum_(j != i) (P_i dS P_j + P_j dS P_i) M / (lambda_i - lambda_j),
    dS = d(M^2).  A slot with lambda = 0, empty or null, takes what is left of dM; two such slots
    have equal squares and no derivative: NaN.
    """
    g = Signature(*signature).metric
    n = len(g)
    if n - len(non_null(g)) > 1:
        raise NotSupported(
            "the derivative of invariant_decomposition is offered for r <= 1 on this backend: use "
            "geomlin.derivatives on backend='numpy'"
        )
    metric = xp.constant(np.array(g, dtype=float), b)
    size = grade_layout(n, 2).size
    parts = [_matrix(xp, found[..., k, :size], n) * metric for k in range(n // 2)]
    squares = [found[..., k, size] for k in range(n // 2)]
    whole, dm = _matrix(xp, b, n) * metric, _matrix(xp, tangent, n) * metric
    ds = xp.matmul(dm, whole) + xp.matmul(whole, dm)
    projectors = []
    for part, square in zip(parts, squares, strict=True):
        zero = (xp.detach(square) == 0)[..., None, None]
        safe = xp.where(zero, 1.0, square[..., None, None])
        projectors.append(xp.where(zero, 0.0, xp.matmul(part, part)) / safe)
    one = xp.constant(np.eye(n), b)
    rest = one - sum(projectors, xp.lib.zeros_like(whole))
    projectors.append(rest)
    squares.append(xp.lib.zeros_like(b[..., 0]))
    planes = []
    for i in range(n // 2):
        moved = xp.matmul(projectors[i], dm)
        for j in range(n // 2 + 1):
            if j != i:
                moved = moved + _crossing(xp, projectors, squares, (i, j), ds, whole)
        planes.append(xp.where((xp.detach(squares[i]) == 0)[..., None, None], 0.0, moved))
    left = dm - sum(planes, xp.lib.zeros_like(dm))
    rows = []
    for i, moved in enumerate(planes):  # squares descend, so slots that are zero come last
        empty = (xp.detach(squares[i]) == 0)[..., None, None]
        rows.append(_row(xp, xp.where(empty, left, moved), parts[i], g))
        left = xp.where(empty, float("nan"), left)
    return xp.stack(rows, -2)


def _crossing(
    xp: Any, projectors: list[Any], squares: list[Any], pair: tuple[int, int], ds: Any, m: Any
) -> Any:
    """(P_i dS P_j + P_j dS P_i) M / (lambda_i - lambda_j); nothing for two empty slots."""
    i, j = pair
    both = (xp.detach(squares[i]) == 0) & (xp.detach(squares[j]) == 0)
    gap = xp.where(both, 1.0, squares[i] - squares[j])[..., None, None]
    first = xp.matmul(xp.matmul(projectors[i], ds), projectors[j])
    second = xp.matmul(xp.matmul(projectors[j], ds), projectors[i])
    return xp.matmul(first + second, m) / gap


def _row(xp: Any, moved: Any, part: Any, g: Metric) -> Any:
    """Coefficients of db_i, then d(b_i^2) = tr(M_i dM_i), then 0 for the kind."""
    n = len(g)
    rows, columns = np.triu_indices(n, 1)
    flat = moved.reshape(*moved.shape[:-2], n * n)
    metric = np.array(g, dtype=float)
    turned = metric[columns] == 0  # the column of a null vector is lost in bG, its row is not
    places = np.where(turned, columns * n + rows, rows * n + columns)
    signs = np.where(turned, -metric[rows], metric[columns])
    upper = xp.take(flat, places) * xp.constant(signs, flat)
    square = (part * xp.lib.swapaxes(moved, -1, -2)).sum(-1).sum(-1)[..., None]
    return xp.concatenate([upper, square, xp.lib.zeros_like(square)], -1)


def _matrix(xp: Any, v: Any, n: int) -> Any:
    """Antisymmetric b (..., n, n) from its coefficients."""
    rows, columns = np.triu_indices(n, 1)
    places = np.zeros((n, n), dtype=np.int64)
    signs = np.zeros((n, n))
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    signs[rows, columns], signs[columns, rows] = 1.0, -1.0
    return xp.take(v, places) * xp.constant(signs, v)
