"""Inverse of any invertible multivector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotInvertible, NotSupported
from ..layout import free_of_null, full_layout, parity_layout
from ..operation import operation
from .failures import OnError, check_finite, check_on_error, failing_indices
from .grades import with_layout
from .involutions import reverse
from .products import geometric_product
from .scaling import power_of_two

if TYPE_CHECKING:
    from ..multivector import Multivector

_LARGEST_EXACT = {"fractions": 6, "flint": 6, "sympy": 5}


@operation
def inverse(
    A: Multivector, *, tolerance: float | None = None, on_error: OnError = "raise"
) -> Multivector:
    """Two-sided inverse of a multivector.

    A inverse(A) = inverse(A) A = 1.

    If A ~A is a nonzero scalar (blades, versors) the inverse is ~A / (A ~A), for floats where this
    shows A to be well-conditioned.  Otherwise floats go through the spinor representation, exact
    numbers through the Faddeev-LeVerrier recurrence [1].
    Terms with null vectors are nilpotent and are added by Newton's iteration X <- X (2 - A X),
    which ends exactly.

    Parameters
    ----------
    A : multivector, coeffs (..., size); n <= 12 for floats, 6 for fractions and flint, 5 for sympy.
    tolerance : the element counts as singular when the reciprocal condition number of its matrix
        is not above this; default 2^n eps.  Exact backends decide exactly.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector, coeffs (..., size), with the layout of A where A ~A is a scalar for the whole
    batch, else on all blades of the parity of A, even or odd, which the inverse shares; on all 2^n
    blades if A stores both.

    Raises
    ------
    NotInvertible if there is no inverse, or none within the range of the dtype; NotSupported beyond
    the dimensions above.

    Error bound: 2^n eps times the condition number; exact on exact backends.
    Gradient: -inverse(A) dA inverse(A).

    References
    ----------
    [1] D. S. Shirokov, "On computing the determinant, other characteristic polynomial
        coefficients, and inverse in Clifford algebras of arbitrary dimension",
        Comp. Appl. Math. 40 (2021) 173, theorem 4.

    Examples
    --------
    >>> from geomlin import Algebra, inverse
    >>> e4 = Algebra(3, 1).blade("e4")
    >>> print(inverse(2 * e4))                      # a vector of negative square
    −0.5 e₄
    """
    check_on_error(on_error)
    if A.algebra.backend == "arb":
        from ..certified.inverse import certified_inverse

        return certified_inverse(A)
    if A.algebra.backend_object.exact:
        return _exact_inverse(A)
    check_finite(A.coeffs, "coefficients")
    work = np.result_type(A.dtype, np.float32)
    limit = 2.0**A.algebra.n * np.finfo(work).eps if tolerance is None else float(tolerance)
    coeffs = A.coeffs.astype(np.float64)
    scale = power_of_two(_without_null(A.replace(A.layout, coeffs)).coeffs)[..., None]
    scaled = A.replace(A.layout, coeffs / scale)
    square = _scalar_square(scaled)
    if square is not None and _is_well_conditioned(scaled, square, limit):
        return _rounded(_from_square(scaled, square), scale, A.dtype, on_error)
    found = _float_inverse(scaled, limit, on_error)
    layout = parity_layout(A.layout) if square is None else A.layout
    return _rounded(with_layout(found, layout), scale, A.dtype, on_error)


def _scalar_square(a: Multivector) -> Any:
    """A ~A where it is exactly a scalar, in every batch element; else None."""
    backend = a.algebra.backend_object
    product = geometric_product(a, reverse(a))
    scalar = product.layout.position.get(0)
    if scalar is None:
        return None
    others = [i for i in range(product.layout.size) if i != scalar]
    if not backend.is_zero(product.coeffs[..., others]).all():
        return None
    return product.coeffs[..., scalar]


def _from_square(a: Multivector, square: Any) -> Multivector:
    """~A / (A ~A)."""
    backend = a.algebra.backend_object
    return a.replace(a.layout, backend.divide(reverse(a).coeffs, square[..., None]))


def _is_well_conditioned(a: Multivector, square: Any, limit: float) -> bool:
    """Whether ~A / (A ~A) is safe in every batch element.

    If A ~A = s, the reciprocal condition number is |s| / (|A| |~A|) with spectral norms, and
    |A|^2 <= 2^(n/2) sum_S A_S^2.  Below that bound the singular values have to decide.
    """
    total = (_without_null(a).coeffs ** 2).sum(axis=-1)
    return bool(np.all(np.abs(square) > 2.0 ** (a.algebra.n / 2) * limit * total))


def _rounded(a: Multivector, scale: Any, dtype: Any, on_error: OnError) -> Multivector:
    """A / scale in the dtype of the input; beyond its range is an error, never infinity."""
    with np.errstate(over="ignore", under="ignore"):
        values = (a.coeffs / scale).astype(dtype)
    lost = np.isinf(values).any(axis=-1)
    if np.any(lost) and on_error == "raise":
        indices, count = failing_indices(lost)
        raise NotInvertible(
            f"expected an inverse within the range of {np.dtype(dtype)}, got {count} beyond it: "
            "scale the multivector first",
            indices=indices,
            count=count,
        )
    values[lost] = np.nan
    return a.replace(a.layout, values)


def _without_null(a: Multivector) -> Multivector:
    """The part of A free of null vectors, on the blades of Cl(p,q)."""
    p, q, _ = a.algebra.signature
    return with_layout(a, free_of_null(a.algebra.n, p + q))


def _add_nilpotent(a: Multivector, x: Multivector) -> Multivector:
    """Newton's iteration from the inverse of the null-free part; the error degree doubles."""
    for _ in range(a.algebra.signature.r.bit_length()):
        x = x * (2 - a * x)
    return with_layout(x, full_layout(a.algebra.n))


def _float_inverse(a: Multivector, limit: float, on_error: OnError) -> Multivector:
    """Pseudo-inverse of the spinor matrix of the null-free part, which is regular, then Newton."""
    from ..kernels.bits import non_null
    from ..kernels.monomial import blocks_from_coefficients, coefficients_from_blocks

    regular, metric = _without_null(a), non_null(a.algebra.metric)
    masks = regular.layout.mask_array
    by_mask = np.empty_like(regular.coeffs)
    by_mask[..., masks] = regular.coeffs
    left, values, right = np.linalg.svd(blocks_from_coefficients(by_mask, metric))
    singular = _reciprocal_condition(values) <= limit
    if np.any(singular) and on_error == "raise":
        indices, count = failing_indices(singular)
        raise NotInvertible(
            f"expected an invertible multivector, got {count} whose reciprocal condition number "
            f"is at most {limit:.2g}: it is zero, null or a zero divisor; lower `tolerance` only "
            "if you know it is not",
            indices=indices,
            count=count,
        )
    weights = 1 / np.where(singular[..., None, None], 1.0, values)
    adjoint = (left * weights[..., None, :]) @ right
    blocks = np.swapaxes(adjoint.conj(), -1, -2)
    x = regular.replace(regular.layout, coefficients_from_blocks(blocks, metric)[..., masks])
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.array(_add_nilpotent(a, x).coeffs)
    result[~np.isfinite(result).all(axis=-1)] = np.inf  # beyond the range, which _rounded reports
    result[_rounding_only(a)] = 0.0
    result[singular] = np.nan
    return a.replace(full_layout(a.algebra.n), result)


def _rounding_only(a: Multivector) -> Any:
    """Coefficients of the inverse of the parity that A does not have, (..., 2^n)."""
    stored_odd = a.layout.grade_array % 2 == 1
    has_odd = (a.coeffs[..., stored_odd] != 0).any(axis=-1, keepdims=True)
    has_even = (a.coeffs[..., ~stored_odd] != 0).any(axis=-1, keepdims=True)
    return np.where(full_layout(a.algebra.n).grade_array % 2 == 1, ~has_odd, ~has_even)


def _reciprocal_condition(values: Any) -> Any:
    """Smallest over largest of the singular values (..., blocks, size); 0 for the zero matrix."""
    largest = values.max(axis=(-1, -2))
    return np.where(largest > 0, values.min(axis=(-1, -2)) / np.where(largest > 0, largest, 1), 0.0)


def _exact_inverse(a: Multivector) -> Multivector:
    """~A / (A ~A) if this is a scalar in the whole batch, else by the recurrence."""
    square = _scalar_square(a)
    if square is None:
        return with_layout(_by_recurrence(a), parity_layout(a.layout))
    _check_determinant(a, square)
    return _from_square(a, square)


def _check_determinant(a: Multivector, determinant: Any) -> None:
    """Raise NotInvertible where the determinant is zero, or a power of it is."""
    singular = a.algebra.backend_object.is_zero(determinant)
    if np.any(singular):
        indices, count = failing_indices(singular)
        raise NotInvertible(
            f"expected an invertible multivector, got {count} with determinant 0 in {a.algebra}: "
            "it is zero, null or a zero divisor",
            indices=indices,
            count=count,
        )


def _by_recurrence(a: Multivector) -> Multivector:
    """Faddeev-LeVerrier on the null-free part: U_(k+1) = A (U_k - c_k), c_k = (N/k) <U_k>_0."""
    algebra = a.algebra
    limit = _LARGEST_EXACT[algebra.backend]
    if algebra.n > limit:
        raise NotSupported(
            f"exact inverse covers n <= {limit} on backend {algebra.backend!r}, got n = "
            f"{algebra.n}: use A.to(backend='numpy') for a rounded one"
        )
    p, q, _ = algebra.signature
    regular = _without_null(a)
    size = 2 ** ((p + q + 1) // 2)
    adjugate, power = algebra.scalar(1), regular
    for k in range(1, size):
        adjugate = power - power["1"] * _ratio(algebra, size, k)
        power = regular * adjugate
    determinant = power["1"]
    _check_determinant(a, determinant)
    return _add_nilpotent(a, adjugate / determinant)


def _ratio(algebra: Any, top: int, bottom: int) -> Any:
    from fractions import Fraction

    return algebra.backend_object.array(Fraction(top, bottom))[()]
