"""Float coefficients in numpy arrays: float64, float32, and float16 computed in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DtypeError, NonFiniteInput, RapidityOverflow
from ..masked import as_numpy
from ..tables import ProductTable

Array = NDArray[Any]
_DTYPES = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16))
_LARGEST_QUICK = 2.0**1000  # numbers below need no care: infinity, NaN, integers beyond floats
_ENTRIES_AT_ONCE = 1 << 22  # bounds the memory of one product


class NumpyBackend:
    """The reference float backend."""

    name = "numpy"
    exact = False

    def array(self, values: Any, dtype: Any = None) -> Array:
        """Copy to a float array: integers become float64, complex and other kinds raise."""
        found = self.floats(values)
        if not np.isfinite(found).all():
            raise NonFiniteInput(
                f"expected finite coefficients, got {np.count_nonzero(~np.isfinite(found))} "
                "NaN or infinite ones: remove or mask them first"
            )
        return found if dtype is None else _rounded(found, dtype)

    def floats(self, values: Any) -> Array:
        """A copy as `array` makes it, but NaN and infinity may stand in it."""
        return _float_array(values)

    def scalar_array(self, values: Any, like: Array) -> Array:
        """Python numbers take the dtype of `like`, arrays keep theirs."""
        if type(values) is float and like.dtype == np.float64 and isfinite(values):
            return np.array(values)
        if isinstance(values, (int, float, Fraction)) and not isinstance(values, np.generic):
            return self.array(_as_float(values), dtype=like.dtype)
        return self.array(values)

    def zeros(self, shape: Sequence[int], like: Array) -> Array:
        return np.zeros(tuple(shape), dtype=like.dtype)

    def contract(self, table: ProductTable, a: Array, b: Array) -> Array:
        """Gather, multiply and sum the segments of equal output."""
        if a.ndim == b.ndim == 1 and a.dtype == b.dtype != np.float16 and table.fills:
            return self.in_range(_contract_one, table, a, b)
        return self.in_range(_contract_batch, table, a, b)

    def in_range(self, compute: Callable[..., Array], *arguments: Any) -> Array:
        """The result of arithmetic on finite numbers; beyond the range of the dtype it raises.

        Not where the caller has told numpy to ignore overflow, and deals with infinity itself.
        """
        try:
            with np.errstate(over="raise"):
                return compute(*arguments)
        except FloatingPointError as error:
            with np.errstate(over="ignore", invalid="ignore"):
                found = compute(*arguments)
            if np.geterr()["over"] == "ignore":
                return found
            arrays = [x for x in arguments if isinstance(x, np.ndarray) and x.size]
            lost = np.argwhere(~np.isfinite(found).all(axis=-1))
            raise RapidityOverflow(
                f"expected a result within the range of {np.result_type(*arrays)}, got a larger "
                f"one from coefficients of size {max(np.abs(x).max() for x in arrays):.3g}: scale "
                "them down, or use float64 or backend='fractions'",
                indices=[tuple(map(int, position)) for position in lost[:16]],
                count=len(lost),
            ) from error

    def divide(self, a: Array, b: Array) -> Array:
        return self.in_range(np.divide, a, b)

    def with_number(
        self, combine: Callable[[Array, float], Array], a: Array, number: float
    ) -> Array | None:
        """combine(a, number) for a Python number, without making a scalar multivector of it.

        None where it takes more: rounding of the number to a short dtype, or an error.
        """
        if a.dtype != np.float64 or not -_LARGEST_QUICK < number < _LARGEST_QUICK:
            return None
        return self.in_range(combine, a, float(number))

    def sqrt(self, a: Array) -> Array:
        result: Array = np.sqrt(a)
        return result

    def absolute(self, a: Array) -> Array:
        result: Array = np.abs(a)
        return result

    def is_zero(self, a: Array) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = np.asarray(a == 0)
        return result

    def to_exact(self, a: Array) -> Array:
        """Every finite float is a rational number: no rounding."""
        exact = np.empty(a.shape, dtype=object)
        exact.reshape(-1)[:] = [Fraction(float(x)) for x in a.reshape(-1)]
        return exact

    def literal(self, value: Any) -> str:
        return repr(float(value))


def _contract_batch(table: ProductTable, a: Array, b: Array) -> Array:
    """The product of batches, in bounded memory."""
    dtype = np.result_type(a, b)
    work = np.result_type(dtype, np.float32)
    a, b = a.astype(work, copy=False), b.astype(work, copy=False)
    batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    out = np.zeros((*batch, table.layout.size), dtype=work)
    targets, starts = table.segments
    if targets.size and out.size:
        rows = max(1, _ENTRIES_AT_ONCE // max(1, int(np.prod(batch, dtype=np.int64))))
        for first, last in _blocks(starts, len(table.sign), rows):
            lo, hi = starts[first], starts[last] if last < len(starts) else len(table.sign)
            terms = a[..., table.left[lo:hi]] * table.sign[lo:hi]
            terms = terms * b[..., table.right[lo:hi]]
            sums = np.add.reduceat(terms, starts[first:last] - lo, axis=-1)
            out[..., targets[first:last]] = sums
    return out.astype(dtype, copy=False)


def _contract_one(table: ProductTable, a: Array, b: Array) -> Array:
    """The product of two multivectors: the same sums in the same order, without the bookkeeping."""
    left, right, sign = table.factors
    terms = a.take(left)
    terms *= sign
    terms *= b.take(right)
    result: Array = np.add.reduceat(terms, table.segments[1])
    return result


def _float_array(values: Any) -> Array:
    """A fresh array of one of the three dtypes, in the byte order of this machine."""
    found = np.array(as_numpy(values))
    if found.dtype.kind in "iub":
        found = found.astype(np.float64)
    found = found.astype(found.dtype.newbyteorder("="), copy=False)
    if found.dtype.kind == "c":
        raise DtypeError(
            f"expected real coefficients, got {found.dtype}: geomlin works over the reals; "
            "pass the real and imaginary parts as two multivectors"
        )
    if found.dtype not in _DTYPES:
        raise DtypeError(
            f"expected float64, float32, float16 or integers, got {found.dtype}: "
            "convert with numpy.asarray(values, dtype=float), or use backend='fractions' "
            "or 'sympy' for exact numbers"
        )
    return found


def _rounded(values: Array, dtype: Any) -> Array:
    """The values in another float dtype; those beyond its range raise."""
    if not _is_float_dtype(dtype):
        raise DtypeError(f"expected dtype float64, float32 or float16, got {dtype!r}")
    with np.errstate(over="ignore"):
        result = values.astype(dtype)
    if not np.isfinite(result).all():
        raise NonFiniteInput(
            f"expected coefficients within the range of {np.dtype(dtype)}, got one of size "
            f"{np.abs(values).max():.3g}: scale it down or keep {values.dtype}"
        )
    return result


def _is_float_dtype(dtype: Any) -> bool:
    """Whether this names one of the three dtypes; an array or another object names none."""
    try:
        return np.dtype(dtype) in _DTYPES
    except (TypeError, ValueError):
        return False


def _as_float(value: int | float | Fraction) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise NonFiniteInput(
            "expected a number within the range of float64, got a larger one: scale it down, or "
            "use backend='fractions'"
        ) from error


def _blocks(starts: Array, total: int, rows: int) -> list[tuple[int, int]]:
    """Cut the segments into runs of about `rows` entries each."""
    if total <= rows:
        return [(0, len(starts))]
    cuts = np.unique(np.searchsorted(starts, np.arange(0, total, rows)))
    bounds = [*cuts.tolist(), len(starts)]
    return [(lo, hi) for lo, hi in pairwise(bounds) if hi > lo]


BACKEND = NumpyBackend()
