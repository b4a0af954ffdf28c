"""Derivatives of the invariant decomposition, and their transposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError
from .decomposition import invariant_decomposition
from .failures import real_floats, rounded
from .grades import check_operands, check_same_algebra
from .tangents import as_bivector, batched, bivector_cotangent, bivector_matrix

if TYPE_CHECKING:
    from ..multivector import Multivector


def decomposition_jvp(B: Multivector, dB: Multivector) -> tuple[Multivector, Any]:
    """Derivative of the invariant decomposition: tangents of its parts and of their squares.

    db_i = f_i'(M)[dB] with f_i(z) = z at z^2 = b_i^2 and 0 at the other squares;
    d(b_i^2) = 2 <b_i dB>_0.  It grows as 1 / |b_i^2 - b_j^2|.

    Where squares are tied (within 16 eps of the largest, parts of square zero included) the parts
    have no derivative.  There the terms of the tie are left out, and parts of square zero share
    the rest evenly: the answer is finite and sum_i db_i = dB holds, but nothing more.

    Parameters
    ----------
    B, dB : bivectors, coeffs (..., n(n-1)/2).

    Returns
    -------
    (bivectors of batch shape (..., n//2), array (..., n//2)) in the order of
    `invariant_decomposition(B)`.

    Raises: as `invariant_decomposition`.
    Error bound: 32 eps max |b| / gap, relative, where squares are distinct.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import decomposition_jvp
    >>> alg = Algebra(4)
    >>> B, dB = alg.bivector({"e12": 2, "e34": 0}), alg.bivector({"e13": 1})
    >>> parts, squares = decomposition_jvp(B, dB)       # simple B: all of dB
    >>> print(parts[0], "and", parts[1], squares + 0.0)
    e₁₃ and 0 [0. 0.]
    """
    from ..kernels import derivatives_decomposition as splitting

    check_operands(B, dB)
    parts, squares, exponent = _parts(B)
    metric = B.algebra.metric
    db = bivector_matrix(dB)
    found = batched(
        lambda p, s, y: splitting.parts_jvp(p, s, y, metric), parts, squares, db, cores=(3, 1, 2)
    )
    change = batched(lambda p, y: splitting.squares_jvp(p, y, metric), parts, db, cores=(3, 2))
    dtype = np.result_type(B.dtype, dB.dtype)
    return (
        as_bivector(found, B.algebra, dtype),
        rounded(np.ldexp(change, exponent[..., None]), dtype),
    )


def decomposition_vjp(
    B: Multivector, parts_bar: Multivector, squares_bar: Any = 0.0
) -> Multivector:
    """Transpose of `decomposition_jvp` at B, applied to cotangents of the parts and the squares.

    <B_bar, dB> = sum_i <C_i, db_i> + sum_i c_i d(b_i^2) for every dB.

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2).
    parts_bar : multivectors C_i of batch shape (..., n//2), in any layout, of which only the
        bivector coefficients matter.
    squares_bar : array (..., n//2) of the c_i.

    Returns
    -------
    Bivector B_bar; at ties of the squares the transpose of what `decomposition_jvp` gives there.

    Raises and error bound: as `decomposition_jvp`.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.derivatives import decomposition_vjp
    >>> alg = Algebra(4)
    >>> B = alg.bivector({"e12": 2, "e34": 0})
    >>> print(decomposition_vjp(B, alg.bivector([[0.0] * 6] * 2), [1.0, 0.0]))   # of -|b_1|^2
    −4.0 e₁₂
    """
    from ..kernels import derivatives_decomposition as splitting

    parts, squares, exponent = _parts(B)
    n, metric = B.algebra.n, B.algebra.metric
    check_same_algebra(B, parts_bar)
    cotangents = bivector_cotangent(parts_bar)
    weights, dtype = real_floats(squares_bar, "cotangents of the squares")
    _check_slots(parts_bar.shape, n // 2, "parts_bar of batch shape")
    if weights.ndim:
        _check_slots(weights.shape, n // 2, "squares_bar")
    weights = np.broadcast_to(weights, (*weights.shape[:-1], n // 2))
    try:
        weights = np.ldexp(weights, exponent[..., None])
    except ValueError as error:
        raise LayoutError(
            f"expected batch shapes that broadcast, got {B.shape} for B and {weights.shape[:-1]} "
            "for squares_bar"
        ) from error
    found = batched(
        lambda p, s, c, w: (
            splitting.parts_vjp(p, s, c, metric) + splitting.squares_vjp(p, w, metric)
        ),
        *(parts, squares, cotangents, weights),
        cores=(3, 1, 3, 1),
    )
    return as_bivector(found, B.algebra, np.result_type(B.dtype, parts_bar.dtype, dtype))


def _check_slots(shape: tuple[int, ...], slots: int, what: str) -> None:
    """LayoutError unless the last batch axis has an entry for each part."""
    if not shape or shape[-1] != slots:
        raise LayoutError(
            f"expected {what} (..., {slots}), one entry for each part of the decomposition, got "
            f"shape {shape}"
        )


def _parts(b: Multivector) -> tuple[Any, Any, Any]:
    """Parts and squares of B / 2^k, |B| about 2^k, in float64, and k."""
    bivector_matrix(b)
    coeffs = b.coeffs.astype(np.float64)
    exponent = np.frexp(np.abs(coeffs).max(axis=-1, initial=0.0))[1]
    scaled = b.replace(b.layout, np.ldexp(coeffs, -exponent[..., None]))
    parts, squares, _ = invariant_decomposition(scaled)
    return bivector_matrix(parts), squares, exponent
