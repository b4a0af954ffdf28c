"""Norms built on <A ~A>_0, which may have any sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotInvertible
from ..operation import operation
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded
from .involutions import reverse
from .products import scalar_product
from .scaling import power_of_two

if TYPE_CHECKING:
    from ..multivector import Multivector


@operation
def norm_squared(A: Multivector) -> Multivector:
    """Scalar part of A ~A, of any sign.

    norm_squared(A) = <A ~A>_0 = sum_S A_S^2 prod_{i in S} g_i.

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector of grade 0, coeffs (..., 1).

    Error bound: 2^n eps sum A_S^2; exact on exact backends.  Gradient: 2 <dA ~A>_0.

    Examples
    --------
    >>> from geomlin import Algebra, norm_squared
    >>> e1, e2 = Algebra(1, 1).basis_vectors
    >>> print(norm_squared(2 * e2))                 # negative in this metric
    −4.0
    """
    return scalar_product(A, reverse(A))


@operation
def norm(A: Multivector) -> Multivector:
    """Norm of a multivector; zero for null multivectors, which need not be zero.

    norm(A) = sqrt(|<A ~A>_0|).

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Multivector of grade 0, coeffs (..., 1).

    Raises
    ------
    RapidityOverflow beyond the range of the dtype; NotSupported if the root is irrational on an
    exact backend.

    Error bound: 2^n eps in definite metrics; in others the error of norm_squared, halved and
    divided by the norm.  Gradient: <dA ~A>_0 / norm(A), undefined where the norm is zero.

    Examples
    --------
    >>> from geomlin import Algebra, norm
    >>> e1, e2 = Algebra(1, 1).basis_vectors
    >>> print(norm(e1 + e2), norm(3 * e2))          # a null vector; never the root of -9
    0 3.0
    """
    if A.algebra.backend_object.exact:
        return _root(norm_squared(A))
    scaled, scale = _scaled(A)
    size = _root(norm_squared(scaled))
    with np.errstate(over="ignore"):  # which is reported
        found = size.coeffs * scale[..., None].astype(np.float64)
    return size.replace(size.layout, rounded(found, A.dtype))


def _root(squared: Multivector) -> Multivector:
    backend = squared.algebra.backend_object
    return squared.replace(squared.layout, backend.sqrt(backend.absolute(squared.coeffs)))


def _scaled(a: Multivector) -> tuple[Multivector, Any]:
    """A = element * power of two, so that squares of the element neither overflow nor underflow.

    float16 becomes float32, where the sum of the squares can be told from zero.
    """
    coeffs = a.coeffs.astype(np.result_type(a.dtype, np.float32))
    check_finite(coeffs, "coefficients")
    scale = power_of_two(coeffs)
    return a.replace(a.layout, coeffs / scale[..., None]), scale


def _rounding(n: int, dtype: Any) -> float:
    """What rounding can make of a zero <A ~A>_0, relative to sum_S A_S^2."""
    work = np.finfo(np.result_type(dtype, np.float32))
    return max(2.0**n * float(work.eps), 2.0 * float(np.finfo(dtype).eps))


@operation
def normalize(
    A: Multivector, *, tolerance: float | None = None, on_error: OnError = "raise"
) -> Multivector:
    """A multivector scaled to norm one, each batch element by its own norm.

    normalize(A) = A / norm(A).

    Parameters
    ----------
    A : multivector, coeffs (..., size), with <A ~A>_0 not zero.
    tolerance : A counts as null when |<A ~A>_0| <= tolerance * sum_S A_S^2; default 2^n eps,
        the rounding of the sum (float16, summed in float32: at least 2 eps, that of its own
        coefficients), and 0 on exact backends.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector with the layout of A and norm_squared +1 or -1.

    Raises
    ------
    NotInvertible for zero and null elements; NotSupported if the root is irrational on an exact
    backend.

    Error bound: 2^n eps in definite metrics.  Gradient: (dA - A <dA ~A>_0 / <A ~A>_0) / norm(A).

    Examples
    --------
    >>> from geomlin import Algebra, normalize
    >>> print(normalize(Algebra(3).multivector({"1": 3, "e12": 4})))
    0.6 + 0.8 e₁₂
    """
    check_on_error(on_error)
    backend = A.algebra.backend_object
    if backend.exact:
        scaled, square = A, norm_squared(A)
        null = backend.is_zero(square.coeffs[..., 0])
    else:
        scaled, _ = _scaled(A)
        square = norm_squared(scaled)
        limit = _rounding(A.algebra.n, A.dtype) if tolerance is None else tolerance
        null = np.abs(square.coeffs[..., 0]) <= limit * (scaled.coeffs**2).sum(axis=-1)
    if np.any(null) and (on_error == "raise" or backend.exact):
        indices, count = failing_indices(null)
        raise NotInvertible(
            f"expected <A ~A>_0 != 0, got {count} zero or null element(s): "
            "a null multivector has no unit multiple",
            indices=indices,
            count=count,
        )
    if backend.exact:
        return A.replace(A.layout, backend.divide(A.coeffs, _root(square).coeffs))
    size = np.where(null[..., None], np.nan, _root(square).coeffs)
    return A.replace(A.layout, (scaled.coeffs / size).astype(A.dtype))
