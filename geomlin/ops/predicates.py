"""Predicates: simple bivectors, versors, rotors, and closeness within stated tolerances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..operation import operation
from .bivectors import bivector_part
from .failures import check_finite
from .grades import check_operands, even, odd
from .involutions import reverse
from .products import geometric_product, outer_product
from .scaling import power_of_two
from .versors import sandwich

if TYPE_CHECKING:
    from ..multivector import Multivector

_ROUNDINGS = 8  # size of the rounding, in eps, that no tolerance counts as a violation


def largest(values: Any) -> Any:
    """Largest absolute value over the last axis."""
    return np.abs(values).max(axis=-1, initial=0)


def _as_bool(flags: Any) -> bool | np.ndarray[Any, Any]:
    """A plain bool for one multivector, a boolean array for a batch."""
    return np.asarray(flags, dtype=bool) if np.ndim(flags) else bool(flags)


def scaled_double(a: Multivector) -> tuple[Multivector, Any]:
    """A = element * power of two, the element in float64 with coefficients up to two.

    On exact backends A itself and one.
    """
    if a.algebra.backend_object.exact:
        return a, np.ones(a.shape, dtype=int)
    coeffs = a.coeffs.astype(np.float64)
    check_finite(coeffs, "coefficients")
    scale = power_of_two(coeffs)
    return a.replace(a.layout, coeffs / scale[..., None]), scale


def allowance(a: Multivector, tolerance: float, dtype: Any) -> Any:
    """max(tolerance max |A|^2, 8 eps sum_S A_S^2), eps of the dtype that the coefficients had.

    Rounding each coefficient to this dtype moves those of A ~A, A ^ A and A x ~A by up to
    eps sum_S A_S^2, so a violation below the second number cannot be told from rounding.
    """
    if a.algebra.backend_object.exact:
        return None
    rounding = _ROUNDINGS * np.finfo(dtype).eps * (a.coeffs**2).sum(axis=-1)
    return np.maximum(tolerance * largest(a.coeffs) ** 2, rounding)


def parity_allowance(a: Multivector, limit: Any) -> Any:
    """The allowance for coefficients instead of squares: divided by max |A|."""
    if limit is None:
        return None
    size = largest(a.coeffs)
    return limit / np.where(size > 0, size, 1)


def unit_defect(a: Multivector, scale: Any) -> Any:
    """Coefficients of A ~A - 1 / scale^2, which vanish if V = scale * A has V ~V = 1."""
    bounded = np.maximum(scale, 1e-150)  # below, V ~V is as far from 1, and 1 / scale^2 overflows
    return (geometric_product(a, reverse(a)) - (1 / bounded) ** 2).coeffs


def _within(a: Multivector, values: Any, limit: Any) -> Any:
    """All coefficients of each element at most `limit`; exactly zero on exact backends."""
    backend = a.algebra.backend_object
    if backend.exact:
        return backend.is_zero(values).all(axis=-1)
    return largest(values) <= limit


def _preserves_vectors(v: Multivector, limit: Any) -> Any:
    """Whether V x ~V is a vector for every vector x."""
    good = np.ones(v.shape, dtype=bool)
    for e in v.algebra.basis_vectors:
        image = sandwich(v, e)
        good = good & _within(v, image.coeffs[..., image.layout.grade_array != 1], limit)
    return good


@operation
def is_simple(B: Multivector, *, tolerance: float = 1e-12) -> bool | np.ndarray[Any, Any]:
    """Whether a bivector is the outer product of two vectors.

    B simple <=> B ^ B = 0; tested as max |B ^ B| <= max(tolerance max |B|^2, 8 eps sum_S B_S^2).

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2).
    tolerance : relative; rounding to the dtype of B is always allowed; exact backends decide
        exactly.

    Returns
    -------
    bool, or a boolean array of the batch shape.

    Raises
    ------
    LayoutError if B has other grades.

    Error bound: decides exactly outside the tolerance.  Gradient: none, a predicate.

    Examples
    --------
    >>> from geomlin import Algebra, is_simple
    >>> alg = Algebra(4)
    >>> is_simple(alg.bivector({"e12": 1, "e13": 2})), is_simple(alg.bivector({"e12": 1, "e34": 1}))
    (True, False)
    """
    part, _ = scaled_double(bivector_part(B))
    limit = allowance(part, tolerance, B.dtype)
    return _as_bool(_within(part, outer_product(part, part).coeffs, limit))


@operation
def is_versor(V: Multivector, *, tolerance: float = 1e-6) -> bool | np.ndarray[Any, Any]:
    """Whether an element is an invertible product of vectors, up to scale.

    V versor <=> V even or odd, V ~V = s != 0 a scalar, and V x ~V a vector for every vector x.

    Parameters
    ----------
    V : multivector, coeffs (..., size).
    tolerance : relative to max |V|^2; rounding to the dtype of V is always allowed; exact backends
        decide exactly.

    Returns
    -------
    bool, or a boolean array of the batch shape.

    Error bound: decides exactly outside the tolerance.  Gradient: none, a predicate.

    Examples
    --------
    >>> from geomlin import Algebra, is_versor
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> is_versor(e1 + 2 * e2), is_versor(1 + e1)
    (True, False)
    """
    v, _ = scaled_double(V)
    limit = allowance(v, tolerance, V.dtype)
    rest = parity_allowance(v, limit)
    one_parity = _within(v, even(v).coeffs, rest) | _within(v, odd(v).coeffs, rest)
    product = geometric_product(v, reverse(v))
    scalar = product.layout.grade_array == 0
    is_scalar = _within(v, product.coeffs[..., ~scalar], limit)
    nonzero = ~_within(v, product.coeffs[..., scalar], limit)
    return _as_bool(one_parity & is_scalar & nonzero & _preserves_vectors(v, limit))


@operation
def is_rotor(R: Multivector, *, tolerance: float = 1e-6) -> bool | np.ndarray[Any, Any]:
    """Whether an element is a rotor: an even versor with R ~R = +1.

    R rotor <=> R even, R ~R = 1, and R x ~R a vector for every vector x; for n <= 5 the third
    follows from the others, for n >= 6 it does not.

    Parameters
    ----------
    R : multivector, coeffs (..., size).
    tolerance : relative to max |R|^2; rounding to the dtype of R is always allowed; exact backends
        decide exactly.

    Returns
    -------
    bool, or a boolean array of the batch shape.

    Error bound: decides exactly outside the tolerance.  Gradient: none, a predicate.

    Examples
    --------
    >>> from geomlin import Algebra, is_rotor, norm_squared
    >>> R = Algebra(6).even({"1": 0.6, "e123456": 0.8})
    >>> print(norm_squared(R)["1"], is_rotor(R))    # even, R ~R = 1, and yet no rotor
    1.0 False
    """
    r, scale = scaled_double(R)
    limit = allowance(r, tolerance, R.dtype)
    is_even = _within(r, odd(r).coeffs, parity_allowance(r, limit))
    unit = _within(r, unit_defect(r, scale), limit)
    return _as_bool(is_even & unit & _preserves_vectors(r, limit))


@operation
def isclose(
    A: Multivector, B: Multivector, *, relative: float = 0.0, absolute: float = 0.0
) -> bool | np.ndarray[Any, Any]:
    """Whether two multivectors agree within stated tolerances; with none stated, exactly.

    A close to B <=> max_S |A_S - B_S| <= absolute + relative * max(max_S |A_S|, max_S |B_S|).

    Parameters
    ----------
    A, B : multivectors of one algebra, coeffs (..., size); batches broadcast.
    relative, absolute : nonnegative tolerances; there is no global default.

    Returns
    -------
    bool, or a boolean array of the broadcast batch shape.

    Raises
    ------
    SignatureMismatch if the algebras differ; NotSupported for tolerances on symbols.

    Error bound: one rounding of the difference.  Gradient: none, a predicate.

    Examples
    --------
    >>> from geomlin import Algebra, isclose
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> isclose(e1, e1 + 1e-9 * e2), isclose(e1, e1 + 1e-9 * e2, absolute=1e-8)
    (False, True)
    """
    check_operands(A, B)
    backend = A.algebra.backend_object
    difference = (A - B).coeffs
    if backend.exact and not (relative or absolute):
        return _as_bool(backend.is_zero(difference).all(axis=-1))
    if backend.exact:  # compare rationals: not every exact number can be ordered
        sizes = [largest(backend.to_exact(x)) for x in (difference, A.coeffs, B.coeffs)]
    else:
        sizes = [largest(x) for x in (difference, A.coeffs, B.coeffs)]
    scale = np.maximum(sizes[1], sizes[2])
    return _as_bool(sizes[0] <= absolute + relative * scale)
