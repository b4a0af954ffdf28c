"""What batched partial functions do about the elements they cannot answer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..errors import DtypeError, LayoutError, NonFiniteInput, RapidityOverflow
from ..masked import refuse_masked

OnError = Literal["raise", "nan"]


def failing_indices(failed: Any) -> tuple[list[tuple[int, ...]], int]:
    """The first sixteen failing batch positions, and how many fail; () for one multivector."""
    positions = np.argwhere(np.atleast_1d(failed))
    indices = [tuple(int(i) for i in row) if np.ndim(failed) else () for row in positions[:16]]
    return indices, len(positions)


def check_on_error(on_error: str) -> None:
    """Accept "raise" and "nan" only."""
    if on_error not in ("raise", "nan"):
        raise LayoutError(f'expected on_error="raise" or "nan", got {on_error!r}')


def check_finite(values: Any, what: str) -> None:
    """Raise NonFiniteInput if a float array holds NaN or infinity."""
    finite = np.isfinite(values)
    if not finite.all():
        raise NonFiniteInput(
            f"expected finite {what}, got {np.count_nonzero(~finite)} NaN or infinite "
            "coefficient(s): remove or mask them first"
        )


def real_floats(values: Any, what: str) -> Any:
    """A real array as float64, with the dtype the result is to have."""
    refuse_masked(values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise LayoutError(
            f"expected a rectangular array for {what}, got lists of unequal length: {error}"
        ) from error
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise DtypeError(
            f"expected {what} of float64, float32, float16 or integers, got {array.dtype}: "
            "convert with numpy.asarray(values, dtype=float)"
        )
    check_finite(array, what)
    return array.astype(np.float64), array.dtype.newbyteorder("=")


def rounded(values: Any, dtype: Any) -> Any:
    """One rounding to the dtype; a finite value beyond its range is an error, never infinity."""
    with np.errstate(over="ignore", under="ignore"):
        result = values.astype(dtype)
    lost = np.isinf(result)
    if lost.any():
        raise RapidityOverflow(
            f"expected a result within the range of {np.dtype(dtype)}, got one of size "
            f"{np.abs(values[lost]).max():.3g}: use float64, or scale the rapidity down"
        )
    return result


def rounded_or_nan(values: Any, dtype: Any, on_error: OnError) -> Any:
    """`rounded`; if NaN is wanted, rows with a number beyond the range become NaN."""
    if on_error == "raise":
        return rounded(values, dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = values.astype(dtype)
    lost = ~np.isfinite(result).all(axis=-1, keepdims=True)
    return np.where(lost, result.dtype.type(np.nan), result)
