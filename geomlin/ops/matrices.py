"""Matrices of rotors: the double cover Spin -> SO."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotARotor
from ..kernels.bits import even_masks, product_signs, reverse_signs
from ..layout import even_layout, grade_layout
from ..operation import operation
from .bivectors import to_compact
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import odd, with_layout
from .norms import norm_squared
from .predicates import (
    allowance,
    is_rotor,
    largest,
    parity_allowance,
    scaled_double,
    unit_defect,
)
from .products import geometric_product
from .versors import sandwich

if TYPE_CHECKING:
    from ..multivector import Multivector
    from ..signature import Signature

_LARGEST_QUICK = 8  # dimension up to which R ~R of one rotor is cheap as one matrix product
_LARGEST_SQUARED = 1e100  # coefficient whose square is far from overflow


@operation
def rotor_to_matrix(R: Multivector, *, tolerance: float = 1e-6, on_error: OnError = "raise") -> Any:
    """Matrix of the rotation of a rotor on vectors.

    R e_j ~R = sum_i M_ij e_i: column j is the image of e_j; exp(B) gives exp(2 b G).

    Parameters
    ----------
    R : rotor, coeffs (..., size).
    tolerance : R counts as a rotor while |R ~R - 1| <= tolerance max |R|^2; the rounding of R to
        its dtype, 8 eps sum_S R_S^2, is always allowed.
    on_error : "raise", or "nan" to get NaN in the failing matrices (float backends).

    Returns
    -------
    Array (..., n, n) with the dtype of R; not divided by R ~R.

    Units: exp(b e12) turns e1 towards -e2 by the rotation angle 2 b.

    Raises
    ------
    NotARotor for odd parts, |R ~R - 1| above the tolerance, or images that are no vectors;
    RapidityOverflow if an entry exceeds the range of the dtype.

    Error bound: 4 eps kappa.  Gradient: dM e_j = dR e_j ~R + R e_j ~dR.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 17.2.

    Examples
    --------
    >>> from math import pi
    >>> from geomlin import Algebra, exp, rotor_to_matrix
    >>> R = exp(Algebra(2).bivector([pi / 4]))
    >>> rotor_to_matrix(R).round(12) + 0.0          # e1 goes to -e2: R = exp(B), not exp(-B/2)
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    check_on_error(on_error)
    if R.algebra.backend == "arb":
        from ..certified.cover import certified_matrix

        return certified_matrix(R)
    if R.algebra.backend == "sympy" and any(c.free_symbols for c in R.coeffs.flat):
        from .symbolic_matrix import rotor_matrix as symbolic_matrix

        return symbolic_matrix(R)
    if R.algebra.backend_object.exact:
        return _exact_matrix(R)
    from ..kernels.lift import matrix_or_infinite, rotor_matrix

    check_finite(R.coeffs, "coefficients")
    failed = _no_rotor(R, tolerance, on_error)
    kernel = rotor_matrix if on_error == "raise" else matrix_or_infinite
    matrix = kernel(to_compact(R), R.algebra.metric)
    if R.algebra.n >= 6:
        failed = failed | ~np.isfinite(matrix).all(axis=(-1, -2))
        checked, images = (R, matrix) if not np.any(failed) else _with_unit(R, matrix, failed)
        failed = failed | _no_vectors(checked, images, tolerance, on_error)
    if np.any(failed):
        matrix[failed] = np.nan
    return rounded_or_nan(matrix, R.dtype, on_error, axes=2)


def _no_rotor(r: Multivector, tolerance: float, on_error: OnError) -> Any:
    """Where R has an odd part or R ~R is not 1; raises NotARotor there unless NaN is wanted."""
    if r.ndim == 0 and r.layout is even_layout(r.algebra.n) and _is_plainly_unit(r, tolerance):
        return np.False_
    scaled, scale = scaled_double(r)
    limit = allowance(scaled, tolerance, r.dtype)
    odd_size = largest(odd(scaled).coeffs)
    defect = largest(unit_defect(scaled, scale))
    bad = (odd_size > parity_allowance(scaled, limit)) | (defect > limit)
    if on_error == "raise" and np.any(bad):
        indices, count = failing_indices(bad)
        raise NotARotor(
            f"expected an even versor with R ~R = 1, got {count} element(s) with |R ~R - 1| up to "
            f"{np.max(defect):.3g} |R|^2 and odd part up to {np.max(odd_size):.3g} |R|: "
            "use normalize(R), or versor_action(V, x) for other versors",
            indices=indices,
            count=count,
        )
    return bad


def _is_plainly_unit(r: Multivector, tolerance: float) -> bool:
    """Whether one even R has |R ~R - 1| <= tolerance max |R|^2 / 2, without any allowance.

    A quick yes for what the general test accepts; its no decides nothing.
    """
    if r.algebra.n > _LARGEST_QUICK:
        return False
    values = to_compact(r)
    size = float(np.abs(values).max())
    if size > _LARGEST_SQUARED:
        return False
    positions, signs = _norm_tables(r.algebra.signature)
    defect = (values[positions] * signs) @ values
    defect[0] -= 1.0
    return bool(np.abs(defect).max() <= 0.5 * tolerance * size * size)


@cache
def _norm_tables(signature: Signature) -> tuple[Any, Any]:
    """(R ~R)_K = sum_S sign R_(S xor K) R_S for the masks K of grade 0, 4, 8; K = 0 is first."""
    n = signature.n
    masks = even_masks(n)
    targets = masks[np.bitwise_count(masks) % 4 == 0][:, None]
    left = targets ^ masks
    right = np.broadcast_to(masks, left.shape)
    return left >> 1, product_signs(left, right, signature.metric) * reverse_signs(n)


def _with_unit(r: Multivector, matrix: Any, failed: Any) -> tuple[Multivector, Any]:
    """R and its matrix, with the rotor 1 in the elements that have failed already."""
    one = np.array(r.layout.mask_array == 0, dtype=r.dtype)
    rotors = r.replace(r.layout, np.where(failed[..., None], one, r.coeffs))
    return rotors, np.where(failed[..., None, None], np.eye(r.algebra.n), matrix)


def _no_vectors(r: Multivector, matrix: Any, tolerance: float, on_error: OnError) -> Any:
    """For n >= 6, R ~R = 1 does not make R e_j ~R a vector v_j: where (R ~R) R e_j != v_j R.

    Rounding of R moves R ~R and v_j by eps |R|^2, which is more than |v_j| for several boosts.
    """
    scaled, scale = scaled_double(r)
    factor = norm_squared(scaled).coeffs * np.expand_dims(scale, -1) ** 2
    columns = np.swapaxes(matrix, -1, -2)
    size = np.maximum(scale**2, np.abs(matrix).max(axis=(-1, -2), initial=1.0))
    limit = r.algebra.n * size * allowance(scaled, tolerance, r.dtype)
    bad = np.zeros(r.shape, dtype=bool)
    for j, e in enumerate(r.algebra.basis_vectors):
        image = e.replace(e.layout, columns[..., j, :] + 0.0)
        moved = geometric_product(scaled, e)
        moved = moved.replace(moved.layout, moved.coeffs * factor)
        difference = moved - geometric_product(image, scaled)
        bad = bad | (largest(difference.coeffs) > limit)
    if on_error == "raise" and np.any(bad):
        indices, count = failing_indices(bad)
        raise NotARotor(
            f"expected a versor, got {count} even element(s) with R ~R = 1 whose R e_j ~R is not "
            "a vector, such as (3 + 4 e123456)/5: no rotation corresponds to them",
            indices=indices,
            count=count,
        )
    return bad


def _exact_matrix(r: Multivector) -> Any:
    """Columns R e_j ~R, with the rotor property decided exactly."""
    bad = ~np.asarray(is_rotor(r))
    if np.any(bad):
        indices, count = failing_indices(bad)
        raise NotARotor(
            f"expected an even versor with R ~R = 1 exactly, got {count} other element(s): divide "
            "by the norm, or use versor_action(V, x) for other versors",
            indices=indices,
            count=count,
        )
    vectors = grade_layout(r.algebra.n, 1)
    columns = []
    for e in r.algebra.basis_vectors:
        columns.append(with_layout(sandwich(r, e), vectors).coeffs)
    return np.stack(columns, axis=-1)
