"""Versors acting on multivectors: sandwich, versor action, reflection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError
from ..layout import grades_layout, parity_layout
from ..operation import operation
from .bivectors import vector_part
from .failures import OnError, check_on_error, failing_indices, in_range_or_nan
from .grades import check_operands, check_same_algebra, even, odd, with_layout
from .inverse import inverse
from .involutions import involute, reverse
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector

_PARITY_TOLERANCE = 1e-6  # relative size below which the part of the other parity is rounding


@operation
def sandwich(V: Multivector, x: Multivector) -> Multivector:
    """Sandwich of x by V, with the reverse and nothing else: neither checked nor normalised.

    sandwich(V, x) = V x ~V.  For a rotor this is the rotation; 2 R acts as four times R.

    Parameters
    ----------
    V, x : multivectors of one algebra, coeffs (..., size); batches broadcast.

    Returns
    -------
    Multivector on all blades that occur, coeffs (..., size).

    Units: exp(b e12) turns e1 towards -e2 by the rotation angle 2 b; b is a half-angle.

    Raises
    ------
    SignatureMismatch if the algebras differ.

    Error bound: 2^(n+1) eps sum |V_S x_T V_U|; exact on exact backends.
    Gradient: dV x ~V + V dx ~V + V x ~dV.

    Examples
    --------
    >>> from geomlin import Algebra, sandwich
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> print(sandwich(2 * e1, e1))                 # V is not divided out
    4.0 e₁
    """
    check_operands(V, x)
    return geometric_product(geometric_product(V, x), reverse(V))


@operation
def versor_action(V: Multivector, x: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Action of a versor of either parity on x, free of the scale of V.

    versor_action(V, x) = V x V^-1 for even V, involute(V) x V^-1 = -V x V^-1 for odd V.

    Parameters
    ----------
    V : invertible multivector, even or odd, coeffs (..., size).
    x : multivector, coeffs (..., size); batches broadcast.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector, coeffs (..., size), of the parity of x.

    Raises
    ------
    NotInvertible if V has no inverse; LayoutError if V has an even and an odd part, beyond
    rounding; SignatureMismatch if the algebras differ.

    Error bound: 2^(n+1) eps times the condition number of V; exact on exact backends.
    Gradient: through the product and the inverse.

    Examples
    --------
    >>> from geomlin import Algebra, versor_action
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> print(versor_action(2 * e1, e1))            # a reflection, whatever the length
    −e₁
    """
    check_on_error(on_error)
    check_operands(V, x)
    twisted, inverted = _twisted(V, on_error), inverse(V, on_error=on_error)
    found = in_range_or_nan(
        lambda: geometric_product(geometric_product(twisted, x), inverted), on_error
    )
    return with_layout(found, parity_layout(x.layout) & found.layout)


def _twisted(v: Multivector, on_error: OnError) -> Multivector:
    """involute^|V|(V): an odd V changes sign, an even one does not; rounding is no parity."""
    backend = v.algebra.backend_object
    parts = even(v).coeffs, odd(v).coeffs
    if backend.exact:
        is_odd, mixed = (~backend.is_zero(part).all(axis=-1) for part in reversed(parts))
        mixed = mixed & is_odd
    else:
        sizes = [np.abs(part).max(axis=-1, initial=0) for part in parts]
        is_odd = sizes[1] > sizes[0]
        mixed = np.minimum(*sizes) > _PARITY_TOLERANCE * np.maximum(*sizes)
    if np.any(mixed) and (on_error == "raise" or backend.exact):
        indices, count = failing_indices(mixed)
        raise LayoutError(
            f"expected an even or an odd multivector, got {count} with both parts (first at batch "
            f"position {indices[0]}): take even(V) or odd(V), or write V * x * inverse(V)",
            indices=indices,
            count=count,
        )
    signs: Any = np.where(is_odd, -1, 1)
    if not backend.exact:
        signs = np.where(mixed, np.nan, signs)
    return v.replace(v.layout, v.coeffs * signs.astype(v.coeffs.dtype)[..., None])


@operation
def reflect(A: Multivector, a: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """Reflection of A in the hyperplane orthogonal to an invertible vector a.

    reflect(A, a) = a involute(A) a^-1, which is -a x a^-1 on vectors x and respects products.

    Parameters
    ----------
    A : multivector, coeffs (..., size).
    a : invertible vector, coeffs (..., n); batches broadcast.
    on_error : "raise", or "nan" to get NaN in the failing batch elements (float backends).

    Returns
    -------
    Multivector, coeffs (..., size), on all blades of the grades of A.

    Raises
    ------
    NotInvertible for null vectors; LayoutError if `a` is no vector; SignatureMismatch if the
    algebras differ.

    Error bound: 2^n eps times |a|^2 / |a^2|; exact on exact backends.
    Gradient: through the products and the inverse.

    Examples
    --------
    >>> from geomlin import Algebra, reflect
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> print(reflect(e1, e1), reflect(e2, e1), reflect(e1 * e2, e1))
    −e₁ e₂ −e₁₂
    """
    check_on_error(on_error)
    check_same_algebra(A, a)
    a = vector_part(a)
    inverted = inverse(a, on_error=on_error)
    found = in_range_or_nan(
        lambda: geometric_product(geometric_product(a, involute(A)), inverted), on_error
    )
    return with_layout(found, grades_layout(A.algebra.n, A.layout.grades))
