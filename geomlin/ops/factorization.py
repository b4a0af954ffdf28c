"""Versors as products of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotDecomposable, NotInvertible, NotSupported
from ..layout import grade_layout
from ..operation import operation
from .failures import OnError, check_finite, check_on_error, failing_indices, rounded_or_nan
from .grades import even, odd
from .involutions import reverse
from .predicates import allowance, is_versor, largest, scaled_double
from .products import geometric_product
from .scaling import power_of_two
from .versor_steps import best_detour, best_step, structured, top_grade

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector
_DROPPED = 4  # in eps max |V|: top grades up to that are taken for rounding in the first attempt
_GOOD = 64  # in eps max |V|: distance of the product from V that needs no second attempt
_FARTHEST = 300  # binary exponent up to which null axes are rescaled: no products overflow


@operation
def versor_factorization(
    V: Multivector, *, tolerance: float = 1e-6, on_error: OnError = "raise"
) -> tuple[Multivector, tuple[Multivector, ...]]:
    """Factors of a versor: a scale and invertible vectors whose product it is.

    V = scale v_1 v_2 .. v_k, with v_i^2 = +-1 for floats.  The factors are not unique: vectors near
    the coordinate axes come first, as far as they are not nearly null.

    k is the top grade of V, or k + 2 if the space of the top grade is totally null.  So k <= n
    for r = 0, and for r = 1 with q = 0 or p = 0; otherwise k <= n + 2, where there are factors.

    Parameters
    ----------
    V : versor, even or odd, of any length, coeffs (..., size).
    tolerance : relative to max |V|: V counts as a versor while its distance from the product is not
        above this; rounding to its dtype is always allowed; exact backends decide exactly.
    on_error : "raise", or "nan" to get NaN in scale and vectors of the failing batch elements
        (float backends).

    Returns
    -------
    scale : Multivector of grade 0, coeffs (..., 1).
    vectors : tuple of k vectors, coeffs (..., n) each.  In a batch of unequal k the shorter
        products end in pairs u u^-1 of a basis vector.

    Raises
    ------
    LayoutError if V, or the batch, has even and odd parts.  NotInvertible if V ~V = 0, as far as
    rounding can tell.  NotDecomposable with kind "not a versor".  NotSupported if V acts as a
    versor but no product of vectors was found: there is none for 1 + e12 in Cl(0,0,2); and for
    symbols.

    Error bound: 8 n eps max |V| for the product in definite metrics.  In others each nearly null
    factor multiplies it by |v|^2 / |v^2|, and for n >= 6 small planes beside large ones may lose up
    to half of the digits; the product is compared with V in every case.
    Gradient: none, because the factors are a choice.

    References
    ----------
    [1] P. Scherk, "On the decomposition of orthogonalities into symmetries",
        Proc. Amer. Math. Soc. 1 (1950) 481-491.
    [2] D. Fontijne, "Efficient Implementation of Geometric Algebra", PhD thesis, University of
        Amsterdam (2007).

    Examples
    --------
    >>> from geomlin import Algebra, versor_factorization
    >>> scale, (u, v) = versor_factorization(Algebra(2, 0, 1).even({"1": 2, "e13": 3}))
    >>> print(scale * u * v)                        # a translator: two parallel mirrors
    2.0 + 3.0 e₁₃
    """
    check_on_error(on_error)
    exact = V.algebra.backend_object.exact
    if not exact:
        check_finite(V.coeffs, "coefficients")
    versor = _of_one_parity(V, tolerance)
    work = versor.to(backend="fractions" if exact else None, dtype=None if exact else np.float64)
    failed = np.zeros(V.shape, dtype=bool)
    products = {}
    for index in np.ndindex(V.shape):
        element = work.replace(work.layout, work.coeffs[index])
        products[index] = _factors(element, None if exact else V.dtype, tolerance)
        failed[index] = products[index] is None
    if np.any(failed) and (exact or on_error == "raise"):
        _raise(V, failed, tolerance)
    return _collected(V, products, on_error)


def _of_one_parity(v: Multivector, tolerance: float) -> Multivector:
    """The even or the odd part of V, where the other one is rounding in all of the batch."""
    parts = even(v), odd(v)
    if v.algebra.backend_object.exact:
        zero = [bool(np.all(v.algebra.backend_object.is_zero(part.coeffs))) for part in parts]
    else:
        limit = tolerance * largest(v.coeffs.astype(np.float64))
        zero = [bool(np.all(largest(part.coeffs) <= limit)) for part in parts]
    if not any(zero):
        raise LayoutError(
            "expected even versors or odd versors, got even and odd parts: a product of vectors "
            "has one parity; take even(V) or odd(V), and split the batch if it has both kinds"
        )
    return parts[0] if zero[1] else parts[1]


def _factors(v: Multivector, dtype: Any, tolerance: float) -> tuple[Any, list[Any]] | None:
    """Scale and coefficients of the vectors of one versor; None if they could not be found.

    `dtype` is what the coefficients were given in, None if they are exact.  Floats are first tried
    without the grades that look like rounding, and if this misses V with all grades.
    """
    if dtype is None:
        steps = _divide(v, None)
        exact = steps is not None and np.all(v.algebra.backend_object.is_zero(_missing(v, *steps)))
        return steps if exact else None
    eps, unit = float(np.finfo(dtype).eps), power_of_two(v.coeffs)
    scaled = v.replace(v.layout, v.coeffs / unit)
    weights = _null_weights(scaled)
    start = structured(scaled.replace(scaled.layout, scaled.coeffs * _of_blades(scaled, weights)))
    best, distance = None, np.inf
    for drop in (_DROPPED * eps, 0.0):
        steps = _divide(start, drop)
        if steps is not None:
            scale, vectors = steps[0], [vector / weights for vector in steps[1]]
            missing = largest(_missing(scaled, scale, vectors))
            if missing < distance:
                with np.errstate(over="ignore"):  # which _collected reports
                    best, distance = (scale * unit, vectors), missing
        if distance <= _GOOD * eps:
            break
    return best if distance <= allowance(scaled, tolerance, dtype) else None


def _divide(v: Multivector, drop: float | None) -> tuple[Any, list[Any]] | None:
    """Divide vectors off V until a number remains; None if that does not come to an end."""
    rest, vectors = v, list[Any]()
    for _ in range(2 * v.algebra.n + 2):
        k = top_grade(rest, drop)
        if k <= 0:
            break
        step = best_step(rest, k, drop)
        if step is None and k > 1:
            step = best_detour(rest, k, drop)
        if step is None:
            return None
        vectors.insert(0, step.vector.coeffs)
        rest = step.rest
    return (rest["1"], vectors) if top_grade(rest, drop) == 0 else None


def _missing(v: Multivector, scale: Any, vectors: list[Any]) -> Any:
    """Coefficients of V - scale v_1 v_2 .. v_k."""
    product = v.algebra.scalar(scale)
    for vector in vectors:
        product = geometric_product(product, v.replace(grade_layout(v.algebra.n, 1), vector))
    return (product - v).coeffs


def _null_weights(v: Multivector) -> Any:
    """Powers of two c_j, 1 on the non-null axes, such that V has no large coefficient with a null
    e_j after e_j -> e_j / c_j, which is an automorphism: translations may be of any size.

    c_j <= 1, so that rounding is not enlarged.
    """
    weights = np.ones(v.algebra.n)
    for axis in (i for i, square in enumerate(v.algebra.metric) if square == 0):
        sizes = np.abs(v.coeffs * _of_blades(v, weights))
        member = v.layout.mask_array >> axis & 1 == 1
        inside, outside = (sizes[part].max(initial=0.0) for part in (member, ~member))
        if inside > 0 and outside > 0:
            exponent = np.frexp(outside)[1] - np.frexp(inside)[1]
            weights[axis] = np.ldexp(1.0, np.clip(exponent, -_FARTHEST, 0))
    return weights


def _of_blades(v: Multivector, weights: Any) -> Any:
    """The product of the weights of the axes of each blade."""
    members = v.layout.mask_array[:, None] >> np.arange(v.algebra.n) & 1
    return np.where(members == 1, weights, 1).prod(axis=-1)


def _raise(v: Multivector, failed: Any, tolerance: float) -> None:
    """Say why the failing elements have no factors."""
    scaled, _ = scaled_double(v)
    square = geometric_product(scaled, reverse(scaled)).coeffs
    if v.algebra.backend_object.exact:
        null = failed & v.algebra.backend_object.is_zero(square).all(axis=-1)
    else:
        null = failed & (largest(square) <= allowance(scaled, 0.0, v.dtype))
    foreign = failed & ~np.asarray(is_versor(v, tolerance=tolerance))
    worst = next(bad for bad in (null, foreign, failed) if np.any(bad))
    indices, count = failing_indices(worst)
    if np.any(null):
        raise NotInvertible(
            f"expected V ~V != 0, got {count} zero or null element(s), as far as rounding can "
            "tell: a product of invertible vectors is invertible",
            indices=indices,
            count=count,
        )
    if np.any(foreign):
        raise NotDecomposable(
            f"expected a versor, got {count} other element(s): V x V^-1 is not a vector for every "
            "vector x, so V is no product of vectors",
            kind="not a versor",
            indices=indices,
            count=count,
        )
    raise NotSupported(
        f"no product of invertible vectors was found for {count} versor(s) of {v.algebra}, first "
        f"at batch position {indices[0]}: with too few axes of square +-1, as for 1 + e12 in "
        "Cl(0,0,2), there is none"
    )


def _unit_pair(algebra: Algebra) -> list[Any]:
    """Coefficients of the first axis u with u^2 = +-1, and of u^-1."""
    for axis, square in zip(algebra.basis_vectors, algebra.metric, strict=True):
        if square:
            return [axis.coeffs, square * axis.coeffs]
    return []  # without such an axis all products have no factor


def _collected(
    v: Multivector, products: Any, on_error: OnError
) -> tuple[Multivector, tuple[Multivector, ...]]:
    """Scale and vectors of a batch, shorter products continued by pairs u u^-1."""
    algebra, exact = v.algebra, v.algebra.backend_object.exact
    kind = object if exact else np.float64
    longest = max((len(p[1]) for p in products.values() if p), default=0)
    scale = np.full((*v.shape, 1), np.nan, dtype=kind)
    vectors = np.full((longest, *v.shape, algebra.n), np.nan, dtype=kind)
    pair = _unit_pair(algebra)
    for index, product in products.items():
        if product is not None:
            scale[index] = product[0]
            padding = (longest - len(product[1])) // 2 * pair
            for place, vector in enumerate(product[1] + padding):
                vectors[(place, *index)] = vector

    def finished(values: Any, k: int) -> Multivector:
        if exact:
            return v.replace(grade_layout(algebra.n, k), algebra.backend_object.array(values))
        array = rounded_or_nan(values + 0.0, v.dtype, on_error)
        return v.replace(grade_layout(algebra.n, k), array)

    return finished(scale, 0), tuple(finished(vector, 1) for vector in vectors)
