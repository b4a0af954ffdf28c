"""What batched partial functions do about the elements they cannot answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import DtypeError, LayoutError, NonFiniteInput, RapidityOverflow
from ..masked import as_numpy

if TYPE_CHECKING:
    from ..multivector import Multivector

OnError = Literal["raise", "nan"]


def failing_indices(failed: Any) -> tuple[list[tuple[int, ...]], int]:
    """The first sixteen failing batch positions, and how many fail; () for one multivector."""
    positions = np.argwhere(np.atleast_1d(failed))
    indices = [tuple(int(i) for i in row) if np.ndim(failed) else () for row in positions[:16]]
    return indices, len(positions)


def check_on_error(on_error: str) -> None:
    """Accept "raise" and "nan" only."""
    if not isinstance(on_error, str) or on_error not in ("raise", "nan"):
        raise LayoutError(f'expected on_error="raise" or "nan", got {on_error!r}')


def check_finite(values: Any, what: str, axes: int = 1) -> None:
    """Raise NonFiniteInput if an array holds NaN or infinity; its elements have `axes` axes."""
    finite = np.isfinite(values)
    if not finite.all():
        indices, count = failing_indices(_some(~finite, axes))
        raise NonFiniteInput(
            f"expected finite {what}, got {np.count_nonzero(~finite)} NaN or infinite "
            "coefficient(s): remove or mask them first",
            indices=indices,
            count=count,
        )


def _some(flags: Any, axes: int) -> Any:
    """Which elements have a flag, each of `axes` last axes."""
    return flags.any(axis=tuple(range(-min(axes, flags.ndim), 0)))


def real_floats(values: Any, what: str, axes: int = 1) -> Any:
    """A real array as float64, with the dtype the result is to have; elements have `axes` axes."""
    array = as_numpy(values)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise DtypeError(
            f"expected {what} of float64, float32, float16 or integers, got {array.dtype}: "
            "convert with numpy.asarray(values, dtype=float)"
        )
    check_finite(array, what, axes)
    return array.astype(np.float64), array.dtype.newbyteorder("=")


def rounded(values: Any, dtype: Any, axes: int = 1) -> Any:
    """One rounding to the dtype; a finite value beyond its range is an error, never infinity."""
    with np.errstate(over="ignore", under="ignore"):
        result = values.astype(dtype)
    lost = np.isinf(result)
    if lost.any():
        indices, count = failing_indices(_some(lost, axes))
        raise RapidityOverflow(
            f"expected a result within the range of {np.dtype(dtype)}, got one of size "
            f"{np.abs(values[lost]).max():.3g}: use float64, or scale the rapidity down",
            indices=indices,
            count=count,
        )
    return result


def in_range_or_nan(compute: Callable[[], Multivector], on_error: OnError) -> Multivector:
    """A product, which raises beyond the range of floats; NaN for those elements if wanted."""
    if on_error == "raise":
        return compute()
    with np.errstate(over="ignore", invalid="ignore"):
        found = compute()
    if getattr(found.dtype, "kind", "") != "f" or not isinstance(found.coeffs, np.ndarray):
        return found
    lost = ~np.isfinite(found.coeffs).all(axis=-1, keepdims=True)
    return found.replace(found.layout, np.where(lost, found.dtype.type(np.nan), found.coeffs))


def rounded_or_nan(values: Any, dtype: Any, on_error: OnError, axes: int = 1) -> Any:
    """`rounded`; if NaN is wanted, elements with a number beyond the range become NaN."""
    if on_error == "raise":
        return rounded(values, dtype, axes)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = values.astype(dtype)
    lost = np.expand_dims(_some(~np.isfinite(result), axes), tuple(range(-axes, 0)))
    return np.where(lost, result.dtype.type(np.nan), result)
