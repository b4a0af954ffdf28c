"""Exponentials: exp of any multivector, and the outer exponential."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import NotSupported, RapidityOverflow
from ..kernels.closed_form_scalar import LARGEST_DIMENSION, exponential_of_one
from ..layout import Layout, even_layout, full_layout, grade_layout
from ..operation import operation
from .bivectors import antisymmetric, bivector_part, from_compact, is_bivector
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import even, with_layout
from .products import geometric_product, outer_product
from .unipotent import largest_order

if TYPE_CHECKING:
    from ..multivector import Multivector
    from ..signature import Signature


@operation
def exp(A: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Exponential of a multivector; of a bivector it is a rotor, and literally so.

    exp(A) = sum_k A^k / k!, with no factor -1/2.  For simple b with b^2 = s:
    exp(b) = C(s) + S(s) b, C(s) = cosh(sqrt s), S(s) = sinh(sqrt s) / sqrt s, both entire.

    Bivectors: n <= 5 a closed form in one entire function of two variables; n >= 6 the pivoted
    Cayley lift of exp(2 b G), or T-level doubling in indefinite metrics, or the spinor matrix
    exponential when q > 0 and r > 0.  Other multivectors: the spinor matrix exponential.

    Parameters
    ----------
    A : multivector, coeffs (..., size), any signature, n <= 12.
    on_error : "raise", or "nan" to get NaN in the batch elements that overflow (float backends).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)), if A is a bivector or stores even blades
    only; else on all blades.

    Units: half-angles and half-rapidities; exp(b e12) turns e1 towards -e2 by 2 b.

    Raises
    ------
    RapidityOverflow if a coefficient exceeds the range of the dtype; NotSupported on exact
    backends, except for nilpotent elements, and on sympy for bivectors whose parts without common
    basis vectors have at most seven.

    Error bound: 4 eps kappa for q = 0, r <= 1, else 10 eps kappa, relative to the largest
    coefficient, kappa the condition number of the input; |R ~R - 1| <= 4 eps at any size in
    Euclidean metrics.  Null-degree parts are each bounded by themselves.
    Gradient: dR = Omega R with Omega = phi(ad_B) dB, phi(z) = (e^z - 1)/z; finite everywhere.

    References
    ----------
    [1] M. Roelfs and S. De Keninck, "Graded symmetry groups: plane and simple",
        Adv. Appl. Clifford Algebras 33 (2023) 30, section 6.
    [2] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 6.5.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra, exp
    >>> R = exp(Algebra(4).bivector({"e12": 1.0, "e34": 1.0}))  # cos + sin B/|B| would be wrong
    >>> bool(np.allclose(R["e1234"], np.sin(1.0) ** 2))
    True
    """
    check_on_error(on_error)
    backend = A.algebra.backend_object
    if backend.name == "arb":
        from ..certified.exponential import certified_exp

        return certified_exp(A)
    if backend.exact:
        return _exact_exp(A)
    single = _exp_of_one(A, on_error)
    if single is not None:
        return single
    check_finite(A.coeffs, "coefficients")
    if is_bivector(A):
        return _bivector_exp(A, on_error)
    return _matrix_exp(A, on_error)


def _exp_of_one(a: Multivector, on_error: OnError) -> Multivector | None:
    """exp of one moderate bivector in Python floats; None where arrays have to answer."""
    coeffs = a.coeffs
    if coeffs.ndim != 1 or coeffs.dtype.itemsize < 4:
        return None
    bivectors, evens, metric = _layouts(a.algebra.signature)
    if a.layout is not bivectors:
        return None
    found = exponential_of_one(coeffs.tolist(), metric)
    if found is None:
        return None
    values = np.array(found)
    if coeffs.dtype != np.float64:
        values = rounded_or_nan(values, coeffs.dtype, on_error)
    return a.replace(evens, values)


@cache
def _layouts(signature: Signature) -> tuple[Layout | None, Layout, tuple[int, ...]]:
    """Layouts of bivectors (None above n = 5) and of their exponentials, and the metric."""
    n = signature.n
    bivectors = grade_layout(n, 2) if n <= LARGEST_DIMENSION else None
    return bivectors, even_layout(n), signature.metric


def _bivector_exp(a: Multivector, on_error: OnError) -> Multivector:
    from ..kernels.exponential import exponential, exponential_or_infinite

    n = a.algebra.n
    b = antisymmetric(bivector_part(a).coeffs.astype(np.float64), n)
    kernel = exponential if on_error == "raise" else exponential_or_infinite
    values = from_compact(kernel(b, a.algebra.metric), n)
    return a.replace(even_layout(n), rounded_or_nan(values, a.dtype, on_error))


def _matrix_exp(a: Multivector, on_error: OnError) -> Multivector:
    """exp(rho(A)) with a faithful spinor representation rho, null vectors as e_+ + e_-."""
    from scipy.linalg import expm

    from ..kernels import monomial

    layout = full_layout(a.algebra.n)
    masks = layout.mask_array
    metric = monomial.embedded_metric(a.algebra.metric)
    by_mask = np.empty((*a.shape, layout.size))
    by_mask[..., masks] = with_layout(a, layout).coeffs
    embedded = monomial.embed_null_vectors(by_mask, a.algebra.metric)
    with np.errstate(all="ignore"):
        blocks = expm(monomial.blocks_from_coefficients(embedded, metric))
        found = monomial.coefficients_from_blocks(blocks, metric)
    lost = ~np.isfinite(found).all(axis=-1)
    if on_error == "raise" and np.any(lost):
        indices, count = failing_indices(lost)
        raise RapidityOverflow(
            f"expected an exponential within the range of float64, got {count} larger one(s): "
            "scale the multivector down",
            indices=indices,
            count=count,
        )
    values = monomial.restrict_to_null_vectors(found, a.algebra.metric)[..., masks]
    result = a.replace(layout, rounded_or_nan(values, a.dtype, on_error))
    return result if any(a.layout.grade_array % 2) else even(result)


def _exact_exp(a: Multivector) -> Multivector:
    """Terminating series of a nilpotent element, or the closed form on sympy."""
    backend = a.algebra.backend_object
    total, term = a.algebra.scalar(1) + a, a
    longest = largest_order(a.algebra.n, a.algebra.signature.r) + a.algebra.n
    for k in range(2, longest + 1):
        term = geometric_product(term, a) / k
        if np.all(backend.is_zero(term.coeffs)):
            return even(total) if is_bivector(a) else total
        if a.algebra.backend == "sympy" and is_bivector(a):
            from .symbolic import bivector_exp

            return bivector_exp(bivector_part(a))
        if not np.all(backend.is_zero(term.grade(0).coeffs)):
            break  # the trace of what is nilpotent is zero
        total = total + term
    raise NotSupported(
        f"exp of this element is not rational, and backend {a.algebra.backend!r} is exact: use "
        "backend='sympy' for a bivector with n <= 7, A.to(backend='arb') for an enclosure, or "
        "A.to(backend='numpy') for a rounded value"
    )


@operation
def outer_exp(A: Multivector) -> Multivector:
    """Outer exponential of a bivector: the exponential series with the outer product.

    outer_exp(B) = sum_k B^k / k! with B^k = B ^ B ^ .. ^ B; its coefficients are Pfaffians,
    outer_exp(B)_S = Pf(b_S), and it is an unnormalised rotor in every metric.

    Parameters
    ----------
    A : bivector, coeffs (..., n(n-1)/2).

    Returns
    -------
    Multivector in the even layout, coeffs (..., 2^(n-1)).

    Raises
    ------
    LayoutError if A is no bivector.

    Error bound: n eps times the same sum with absolute values; exact on exact backends.
    Gradient: outer_exp(B) ^ dB.

    References
    ----------
    [1] M. Roelfs and S. De Keninck, "Graded symmetry groups: plane and simple",
        Adv. Appl. Clifford Algebras 33 (2023) 30, section 7.

    Examples
    --------
    >>> from geomlin import Algebra, outer_exp
    >>> print(outer_exp(Algebra(4).bivector({"e12": 2, "e34": 3})))
    1.0 + 2.0 e₁₂ + 3.0 e₃₄ + 6.0 e₁₂₃₄
    """
    part = bivector_part(A)
    one = part.algebra.scalar(1, like=part)
    total, term = one + part, part
    for k in range(2, part.algebra.n // 2 + 1):
        term = outer_product(term, part) / k
        total = total + term
    return with_layout(total, even_layout(part.algebra.n))
