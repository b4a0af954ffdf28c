"""Elements of a batch that have no answer, or were NaN or infinite before.

With on_error="nan" an element without an answer becomes NaN, and so is one without a value: what
one function could not answer passes through the next.  No function computes with such numbers, on
which decompositions of matrices fail or do not end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .errors import GeomlinError

T = TypeVar("T")


def one_by_one(
    shape: tuple[int, ...],
    function: Callable[[tuple[int, ...]], T],
    errors: tuple[type[GeomlinError], ...],
    on_error: str,
) -> list[T | None]:
    """function(index) of every batch position, None where it raises one of the errors.

    With on_error="raise" the first of these is raised instead, and names all such positions.
    """
    answers: list[T | None] = []
    failures: list[tuple[tuple[int, ...], GeomlinError]] = []
    for index in np.ndindex(shape):
        try:
            answers.append(function(index))
        except errors as error:
            answers.append(None)
            failures.append((index, error))
    if failures and on_error == "raise":
        first = failures[0][1]
        first.indices = tuple(index for index, _ in failures[:16])
        first.count = len(failures)
        raise first
    return answers


def around_missing(backend: Any, function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """function(*operands) with zero for elements that are not finite, whose results are NaN."""
    found = [_missing(backend, operand) for operand in operands]
    if not any(missing is not None and missing.any() for missing in found):
        return function(*operands)
    result = function(
        *(
            operand if missing is None else _zeroed(backend, operand, missing)
            for operand, missing in zip(operands, found, strict=True)
        )
    )
    masks = (missing for missing in found if missing is not None)
    return _with_nan(backend, result, np.array(np.any(np.broadcast_arrays(*masks), axis=0)))


def _missing(backend: Any, operand: Any) -> Any:
    """Which batch elements of a multivector are not finite; None where no number is known."""
    algebra = getattr(operand, "algebra", None)
    if algebra is None or algebra.backend_object is not backend:
        return None  # a number; or of another algebra, which the function refuses
    if not hasattr(backend, "traced"):
        return ~np.isfinite(operand.coeffs).all(axis=-1)
    if backend.traced(operand.coeffs):
        return None
    return ~backend.to_numpy(backend.isfinite(operand.coeffs)).all(axis=-1)


def _zeroed(backend: Any, a: Any, missing: Any) -> Any:
    """The multivector with zero in place of its missing elements."""
    return a.replace(a.layout, _chosen(backend, missing, 0.0, a.coeffs))


def _with_nan(backend: Any, result: Any, missing: Any) -> Any:
    """A result with NaN in its missing elements; flags and integers stay, as they have no NaN."""
    if hasattr(result, "coeffs"):
        return result.replace(result.layout, _chosen(backend, missing, np.nan, result.coeffs))
    if isinstance(result, tuple):
        parts = [_with_nan(backend, part, missing) for part in result]
        again = type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
        for name, part in getattr(result, "__dict__", {}).items():
            setattr(again, name, _with_nan(backend, part, missing))
        return again
    is_float = str(result.dtype).rpartition(".")[2].startswith(("float", "bfloat", "complex"))
    return _chosen(backend, missing, np.nan, result) if is_float else result


def _chosen(backend: Any, missing: Any, value: float, values: Any) -> Any:
    """`value` in the missing elements of an array, batch axes first, in its dtype."""
    mask = missing.reshape(*missing.shape, *[1] * (values.ndim - missing.ndim))
    if isinstance(values, np.ndarray):
        return np.where(mask, values.dtype.type(value), values)
    filled = backend.lib.full_like(values, value)
    return backend.where(backend.constant(mask, values), filled, values)
