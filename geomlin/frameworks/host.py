"""Values that the numpy kernels compute for torch and jax, on the host, traced or not.

The branches of the logarithm, the sign of a lift and the order of planes are decisions about
numbers, which the kernels make with care and no formula without branches can.  Frameworks call them
for the value only; the derivative is a formula of its own (geomlin.frameworks.implicit), so nothing
is differentiated here.  Every function takes an array with batch axes first and constants, and
returns an array; what has no answer is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GeomlinError, RapidityOverflow
from ..layout import even_layout, grade_layout
from ..ops.decomposition import invariant_decomposition
from ..ops.exponential import exp
from ..ops.lift import rotor_from_matrix
from ..ops.logarithm import logarithm_of_rounded

Array = NDArray[Any]
_EPS = float(np.finfo(np.float64).eps)

# Loaded on demand elsewhere; inside a callback of compiled code nothing should be imported.
for _needed in (
    "kernels.logarithm",
    "kernels.lift",
    "kernels.nearest_isometry",
    "kernels.planes",
    "kernels.exponential",
):
    import_module(f"..{_needed}", package=__package__)
import_module("scipy.linalg")


def _algebra(p: int, q: int, r: int) -> Any:
    """The algebra on numpy; loaded by name, because it is built on the operations."""
    return import_module("geomlin.algebra").Algebra(p, q, r)


def _only_finite(values: Array, stand_in: Array, function: Callable[[Array], Array]) -> Array:
    """A function of elements (last axes like `stand_in`), NaN where these are not finite."""
    axes = tuple(range(values.ndim - stand_in.ndim, values.ndim))
    finite = np.isfinite(values).all(axis=axes)
    mask = finite.reshape(*finite.shape, *[1] * stand_in.ndim)
    found = np.array(function(np.where(mask, values, stand_in.astype(values.dtype))))
    found[~finite] = np.nan
    return found


def exponential(coeffs: Array, signature: tuple[int, ...]) -> Array:
    """Even coefficients of exp(B), infinite beyond the range."""
    algebra = _algebra(*signature)
    layout = grade_layout(algebra.n, 2)
    bivector = algebra.scalar(0.0).replace(layout, np.array(coeffs))
    found = exp(bivector, on_error="nan").coeffs
    return np.where(np.isnan(found), np.inf, found)


def logarithm(
    coeffs: Array, signature: tuple[int, ...], up_to_sign: bool, normalize: bool, eps: float
) -> Array:
    """Bivector coefficients of log R, then one number: 1 on the cut, else 0.

    R was rounded with eps, which says how far from a rotor it may be.
    """
    algebra = _algebra(*signature)
    layout = even_layout(algebra.n)

    def found(values: Array) -> Array:
        rotors = algebra.scalar(0.0).replace(layout, values.astype(np.float64))
        b, on_cut = logarithm_of_rounded(rotors, _EPS, up_to_sign, normalize, "nan")
        result = np.array(b.coeffs)
        missing = np.isnan(result).any(axis=-1)
        if missing.any() and eps > _EPS:  # rounded more than a float64 may be
            again = logarithm_of_rounded(rotors, eps, up_to_sign, normalize, "nan")
            result[missing] = again.bivector.coeffs[missing]
            on_cut = np.where(missing, again.on_cut, on_cut)
        flags = np.asarray(on_cut, dtype=np.float64)[..., None]
        return np.concatenate([result, flags], axis=-1)

    return _only_finite(coeffs, np.eye(1, layout.size)[0], found)


def lift(matrix: Array, signature: tuple[int, ...], tolerance: float, eps: float) -> Array:
    """Even coefficients of rotor_from_matrix(M), whose entries were rounded with eps."""
    algebra = _algebra(*signature)

    def found(values: Array) -> Array:
        single = eps == float(np.finfo(np.float32).eps)
        given = values.astype(np.float32 if single else np.float64)
        allowed = max(tolerance, algebra.n * eps)  # as numpy allows its own dtypes
        rotor = rotor_from_matrix(given, algebra, tolerance=allowed, on_error="nan")
        return np.asarray(rotor.coeffs, dtype=np.float64)

    return _only_finite(matrix, np.eye(algebra.n), found)


def decomposition(coeffs: Array, signature: tuple[int, ...]) -> Array:
    """For each slot (..., n//2, pairs + 2): the part, its square and its kind."""
    algebra = _algebra(*signature)
    layout = grade_layout(algebra.n, 2)

    def found(values: Array) -> Array:
        bivector = algebra.scalar(0.0).replace(layout, np.array(values))
        parts, squares, kinds = invariant_decomposition(bivector, on_error="nan")
        columns = [parts.coeffs, squares[..., None], kinds.astype(parts.dtype)[..., None]]
        return np.concatenate(columns, axis=-1)

    return _only_finite(coeffs, np.zeros(layout.size), found)


HOST: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {
        "exponential": exponential,
        "logarithm": logarithm,
        "lift": lift,
        "decomposition": decomposition,
    }
)


def computed(name: str, values: Array, static: tuple[Any, ...]) -> Array:
    """A host function of finite or other numbers; an error that is left becomes NaN by element."""
    core = 2 if name == "lift" else 1
    batch = values.shape[: values.ndim - core]
    flat = values.reshape(prod(batch), *values.shape[values.ndim - core :])
    try:
        found = HOST[name](flat, *static)
    except RapidityOverflow:
        raise
    except GeomlinError:
        found = np.stack([_one(name, element, static) for element in flat])
    return np.array(found.reshape(*batch, *found.shape[1:]), dtype=values.dtype)  # writable


def _one(name: str, element: Array, static: tuple[Any, ...]) -> Array:
    """One element, NaN where the function raises."""
    try:
        found: Array = HOST[name](element[None], *static)[0]
        return found
    except GeomlinError:
        neutral = np.eye(1, element.size)[0].reshape(element.shape)
        if name == "lift":
            neutral = np.eye(len(element))
        return np.full_like(HOST[name](neutral[None].astype(element.dtype), *static)[0], np.nan)
