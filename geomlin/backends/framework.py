"""What the float backends on torch and jax share: the checks of input, and the bilinear product.

A framework differs from numpy in one way that matters: its numbers may be unknown.  Inside jit,
vmap, grad or torch.compile an array is a symbol, `traced` says so, and nothing can be raised; bad
input then gives NaN.  Everything that mathematics needs of a framework is a method of its backend,
so that geomlin.frameworks states each formula once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DtypeError, NonFiniteInput
from ..masked import as_numpy
from ..tables import ProductTable
from .product_matrices import TableKey, matrix_tables
from .rule import Rule

Array = Any  # an array of the framework

_ANSWERS = "geomlin.frameworks.answers"  # loaded by name, as backends are: of a higher level
_ENTRIES_AT_ONCE = 1 << 24  # bounds the memory of one product


class FrameworkBackend(ABC):
    """Float arrays of a framework that differentiates, compiles and runs on devices."""

    name: str
    exact = False

    @cached_property
    def answers(self) -> Mapping[str, Callable[..., Any]]:
        """The operations that are stated for frameworks, by name; see geomlin.operation."""
        found: Mapping[str, Callable[..., Any]] = import_module(_ANSWERS).ANSWERS
        return found

    @cached_property
    def numbers_decide(self) -> Mapping[str, Callable[..., bool]]:
        """Which of them take another way by their numbers, and when."""
        found: Mapping[str, Callable[..., bool]] = import_module(_ANSWERS).NUMBERS_DECIDE
        return found

    # --- what a framework has to say ------------------------------------------------------

    @abstractmethod
    def is_array(self, values: Any) -> bool:
        """Whether this is an array of the framework."""

    @abstractmethod
    def traced(self, *arrays: Array) -> bool:
        """Whether the numbers in one of the arrays are unknown, so that nothing can be raised."""

    @abstractmethod
    def converted(self, values: Any, dtype: Any) -> Array:
        """A numpy float array, or one of the framework, in a dtype of the framework."""

    @abstractmethod
    def dtype_of(self, name: Any) -> Any:
        """The dtype of the framework with a name, or of that object; DtypeError for others."""

    @abstractmethod
    def default_dtype(self) -> Any:
        """What Python numbers and integers become."""

    def natural_dtype(self, dtype: np.dtype[Any]) -> Any:
        """What a numpy dtype becomes: the same, if the framework has it."""
        return self.dtype_of(dtype.name)

    @abstractmethod
    def kind(self, dtype: Any) -> str:
        """ "f", "i" (integers and booleans), "c" or "other"."""

    @abstractmethod
    def work_dtype(self, values: Array) -> Any:
        """The dtype to compute functions of the array in: float64 where there is one."""

    @abstractmethod
    def constant(self, values: NDArray[Any], like: Array) -> Array:
        """A numpy table on the device of `like`: floats in its dtype, integers and booleans."""

    @abstractmethod
    def astype(self, values: Array, dtype: Any) -> Array:
        """The values in another dtype of the framework."""

    @abstractmethod
    def moved(self, values: Array, device: Any) -> Array:
        """The values on another device."""

    @abstractmethod
    def to_numpy(self, values: Array) -> NDArray[Any]:
        """The known numbers; NotSupported if they are traced."""

    @abstractmethod
    def detach(self, values: Array) -> Array:
        """The values without their derivative."""

    @abstractmethod
    def zeros(self, shape: Sequence[int], like: Array) -> Array:
        """Zeros of the dtype and device of `like`."""

    @abstractmethod
    def isfinite(self, values: Array) -> Array:
        """Elementwise: neither NaN nor infinite."""

    @abstractmethod
    def take(self, values: Array, positions: NDArray[np.int64]) -> Array:
        """values[..., positions] for a constant integer array."""

    @abstractmethod
    def matmul(self, a: Array, b: Array) -> Array:
        """Matrix product in full precision, batches broadcast."""

    @abstractmethod
    def implicit(self, rule: Rule, values: Array, *static: Any) -> Array:
        """The function of a rule, with derivatives of every order, traced or not."""

    @abstractmethod
    def result_dtype(self, a: Array, b: Array) -> Any:
        """The dtype that the framework promotes two arrays to."""

    # --- the number layer -----------------------------------------------------------------

    def array(self, values: Any, dtype: Any = None, *, finite: bool = True) -> Array:
        """Take user input: arrays of the framework are shared, others copied; integers become the
        default float, complex and other kinds raise, and so do NaN and infinity if `finite`."""
        wanted = None if dtype is None else self.dtype_of(dtype)
        if isinstance(values, (list, tuple)) and _contains(values, self.is_array):
            values = self._stacked(values, finite)
        if self.is_array(values):
            found = values
            self.check_dense(found)
            self._check_kind(found.dtype)
            if self.kind(found.dtype) == "i":
                found = self.astype(found, wanted or self.default_dtype())
        else:
            floats, typed = self._from_numpy(values, finite)
            natural = self.natural_dtype(floats.dtype) if typed else self.default_dtype()
            with np.errstate(over="ignore"):
                found = self.converted(floats, wanted or natural)
        if finite:
            self.check_finite(found)
        if wanted is not None and found.dtype != wanted:
            found = self.astype(found, wanted)
            if finite:
                self.check_finite(found)
        return found

    def _from_numpy(self, values: Any, finite: bool = True) -> tuple[NDArray[Any], bool]:
        """As floats of numpy, and whether the input had a float dtype of its own."""
        found = as_numpy(values)
        if found.dtype.kind == "c":
            raise DtypeError(_complex_message(found.dtype))
        if found.dtype.kind not in "fiub" or found.dtype.itemsize > 8:
            raise DtypeError(
                f"expected floats or integers, got {found.dtype}: convert to a float array, or "
                "use backend='fractions' or 'sympy' for exact numbers"
            )
        typed = isinstance(values, (np.ndarray, np.generic)) and found.dtype.kind == "f"
        if finite and not np.isfinite(found).all():
            raise NonFiniteInput(_not_finite_message(int(np.count_nonzero(~np.isfinite(found)))))
        native = found.dtype.newbyteorder("=") if typed else np.dtype(np.float64)
        return np.array(found, dtype=native), typed

    def _stacked(self, values: Any, finite: bool) -> Array:
        """Nested lists with arrays of the framework in them."""
        if not isinstance(values, (list, tuple)):
            return self.array(values, finite=finite)
        return self.stack([self._stacked(part, finite) for part in values], 0)

    def check_dense(self, values: Array) -> None:
        """Raise DtypeError for arrays of the framework that are no plain array of numbers."""
        return

    def _check_kind(self, dtype: Any) -> None:
        kind = self.kind(dtype)
        if kind == "c":
            raise DtypeError(_complex_message(dtype))
        if kind == "other":
            raise DtypeError(
                f"expected float64, float32, float16, bfloat16 or integers, got {dtype}"
            )

    def check_finite(self, values: Array) -> None:
        """Raise NonFiniteInput for NaN and infinity, where the numbers are known."""
        if self.traced(values):
            return
        finite = self.isfinite(values)
        if not bool(finite.all()):
            count = int((~finite).sum())
            raise NonFiniteInput(_not_finite_message(count))

    def scalar_array(self, values: Any, like: Array) -> Array:
        """Python numbers take the dtype and device of `like`, arrays keep theirs."""
        if isinstance(values, (int, float, Fraction)) and not isinstance(values, np.generic):
            try:
                number = float(values)
            except OverflowError as error:
                raise NonFiniteInput(
                    "expected a number within the range of float64, got a larger one"
                ) from error
            found = self.constant(np.array(self._from_numpy(number)[0]), like)
            self.check_finite(found)
            return found
        return self.array(values)

    def contract(self, table: ProductTable, a: Array, b: Array) -> Array:
        """Gather one operand into matrices, by the table, and multiply the other by them."""
        dtype = self.result_dtype(a, b)
        work = self.dtype_of("float32") if str(dtype).endswith("float16") else dtype
        a, b = self.astype(a, work), self.astype(b, work)
        size, left, right = table.layout.size, int(a.shape[-1]), int(b.shape[-1])
        if not (size and left and right):
            batch = np.broadcast_shapes(tuple(a.shape[:-1]), tuple(b.shape[:-1]))
            return self.astype(self.zeros((*batch, size), a), dtype)
        by_left = bool(right * prod(a.shape[:-1]) <= left * prod(b.shape[:-1]))
        columns = right if by_left else left
        positions, signs = matrix_tables(TableKey(table, by_left), columns)
        gathered, multiplied = (a, b) if by_left else (b, a)
        entries = prod(gathered.shape[:-1]) * positions.shape[1]  # a symbol where shapes are
        rows = size if size * entries <= _ENTRIES_AT_ONCE else max(1, _ENTRIES_AT_ONCE // entries)
        parts = []
        for first in range(0, size, rows):
            chunk = slice(first, first + rows)
            matrix = self.take(gathered, positions[chunk])
            matrix = matrix * self.constant(signs[chunk], gathered)
            parts.append(self.matmul(matrix, multiplied[..., None])[..., 0])
        found = parts[0] if len(parts) == 1 else self.concatenate(parts, -1)
        return self.astype(found, dtype)

    def select(self, values: Array, positions: tuple[int, ...]) -> Array:
        """values[..., positions], zero for -1."""
        places = np.array(positions, dtype=np.int64).reshape(-1)
        if not places.size or not values.shape[-1]:
            return self.zeros((*values.shape[:-1], places.size), values)
        found = self.take(values, np.maximum(places, 0))
        if (places >= 0).all():
            return found
        zero = self.zeros((), values)
        return self.where(self.constant(places >= 0, values), found, zero)

    def place(
        self, columns: Sequence[Array], places: Sequence[int], size: int, shape: tuple[int, ...]
    ) -> Array:
        """Columns of a batch shape put at their places on a last axis of a size, zero elsewhere."""
        zero = self.zeros(shape, columns[0])
        for column in columns:
            zero = zero + self.zeros(shape, column)
        parts = [zero] * size
        for place, column in zip(places, columns, strict=True):
            parts[place] = zero + column
        return self.stack(parts, -1)

    def divide(self, a: Array, b: Array) -> Array:
        """Elementwise a / b; NaN where b is zero."""
        zero = b == 0
        quotient = a / self.where(zero, self.constant(np.array(1.0), b), b)
        return self.where(zero, self.constant(np.array(np.nan), quotient), quotient)

    def is_zero(self, a: Array) -> Array:
        """Elementwise test for zero."""
        return a == 0

    def known_any(self, flags: Array) -> bool:
        """Whether a flag is known to be true: never, where the numbers are traced."""
        return not self.traced(flags) and bool(flags.any())

    def known_all(self, flags: Array) -> bool:
        """Whether all flags are known to be true."""
        return not self.traced(flags) and bool(flags.all())

    def to_exact(self, a: Array) -> NDArray[Any]:
        """Every finite float is a rational number: no rounding."""
        values = self.to_numpy(a)
        exact = np.empty(values.shape, dtype=object)
        exact.reshape(-1)[:] = [Fraction(float(x)) for x in values.reshape(-1)]
        return exact

    def literal(self, value: Any) -> str:
        """A float is its own code."""
        return repr(float(value))

    @abstractmethod
    def where(self, condition: Array, a: Array, b: Array) -> Array:
        """a where the condition holds, else b; both branches have to be finite."""

    @abstractmethod
    def stack(self, arrays: Sequence[Array], axis: int) -> Array:
        """Arrays of one shape along a new axis."""

    @abstractmethod
    def concatenate(self, arrays: Sequence[Array], axis: int) -> Array:
        """Arrays joined along an axis."""


def _contains(values: Any, is_array: Callable[[Any], bool]) -> bool:
    if isinstance(values, (list, tuple)):
        return any(_contains(part, is_array) for part in values)
    return is_array(values)


def _complex_message(dtype: Any) -> str:
    return (
        f"expected real coefficients, got {dtype}: geomlin works over the reals; pass the real "
        "and imaginary parts as two multivectors"
    )


def _not_finite_message(count: int) -> str:
    return (
        f"expected finite coefficients, got {count} NaN or infinite ones: remove or mask them first"
    )
