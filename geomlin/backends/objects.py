"""Shared base of the exact backends: numpy object arrays over a ring with Python operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DtypeError, LayoutError, NonFiniteInput, NotSupported
from ..masked import refuse_masked
from ..tables import ProductTable

Array = NDArray[Any]


def object_array(values: Any, convert: Callable[[Any], Any]) -> Array:
    """Nested lists, arrays or one number, as an object array whose elements `convert` made.

    numpy must not look inside symbolic numbers (polynomials have a length), so lists are walked
    by hand.
    """
    shape, leaves = _shape_and_leaves(values)
    result = np.empty(len(leaves), dtype=object)
    for i, leaf in enumerate(leaves):
        result[i] = convert(leaf)
    return result.reshape(shape)


def _shape_and_leaves(values: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape of a nested list and its numbers in order; lists of unequal shapes raise."""
    refuse_masked(values)
    if isinstance(values, np.ndarray):
        flat = values.reshape(-1)
        return values.shape, list(flat) if values.dtype == object else flat.tolist()
    if not isinstance(values, (list, tuple)):
        return (), [values]
    parts = [_shape_and_leaves(item) for item in values]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise LayoutError(
            f"expected a rectangular nested list, got parts of unequal shapes {sorted(shapes)}"
        )
    inner = shapes.pop() if shapes else ()
    return (len(values), *inner), [leaf for _, leaves in parts for leaf in leaves]


def _wrapped(value: Any) -> Array:
    """One element as an object array of shape (); numpy must not look inside it."""
    if isinstance(value, np.ndarray):
        return value
    result = np.empty((), dtype=object)
    result[()] = value
    return result


def exact_rational(value: Any) -> Fraction:
    """An integer, Fraction, 'p/q' string or finite float as a Fraction, without rounding."""
    if isinstance(value, (complex, np.complexfloating)):
        raise DtypeError(f"expected a real number, got {value!r}: geomlin works over the reals")
    try:
        if isinstance(value, np.floating):
            return Fraction(*value.as_integer_ratio())
        if hasattr(value, "numerator") and hasattr(value, "denominator"):
            return Fraction(int(value.numerator), int(value.denominator))
        if hasattr(value, "p") and hasattr(value, "q"):  # flint.fmpq, sympy.Rational
            return Fraction(int(value.p), int(value.q))
        return Fraction(value)
    except (OverflowError, ValueError, ZeroDivisionError) as error:
        if isinstance(value, str):
            raise DtypeError(f"expected a rational such as '3/4', got {value!r}") from error
        raise NonFiniteInput(f"expected a finite number, got {value!r}") from error
    except TypeError as error:
        raise DtypeError(
            f"expected an integer, a Fraction, a 'p/q' string or a float, got {value!r} "
            f"of type {type(value).__name__}"
        ) from error


def rational_sqrt(value: Fraction, backend: str) -> Fraction:
    """Exact square root, or NotSupported when it is irrational."""
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    root = Fraction(top, bottom)
    if root * root != value:
        raise NotSupported(
            f"an irrational square root is not exact on backend {backend!r}: sqrt({value}); use "
            "A.to(backend='sympy') for a symbolic root or backend='numpy' for a rounded one"
        )
    return root


class ObjectBackend:
    """Exact arithmetic element by element; subclasses say what an element is."""

    name = "objects"
    exact = True

    def element(self, value: Any) -> Any:
        """One coefficient from user input."""
        raise NotImplementedError

    def tidy(self, value: Any) -> Any:
        """Bring a computed coefficient to normal form, so that zero is recognised."""
        return value

    def array(self, values: Any, dtype: Any = None) -> Array:
        if dtype is not None:
            raise DtypeError(f"the {self.name!r} backend has no dtype, got {dtype!r}")
        return object_array(values, self.element)

    def scalar_array(self, values: Any, like: Array) -> Array:
        return self.array(values)

    def zeros(self, shape: Sequence[int], like: Array) -> Array:
        result = np.empty(tuple(shape), dtype=object)
        result.fill(self.element(0))
        return result

    def contract(self, table: ProductTable, a: Array, b: Array) -> Array:
        """Sum the nonzero terms one by one."""
        batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        out = self.zeros((*batch, table.layout.size), a)
        count = int(np.prod(batch, dtype=np.int64))
        a = np.broadcast_to(a, (*batch, a.shape[-1])).reshape(count, a.shape[-1])
        b = np.broadcast_to(b, (*batch, b.shape[-1])).reshape(count, b.shape[-1])
        rows = out.reshape(count, table.layout.size)
        entries = list(
            zip(
                table.out.tolist(),
                table.left.tolist(),
                table.right.tolist(),
                table.weights,
                strict=True,
            )
        )
        for row in range(rows.shape[0]):
            self._contract_one(entries, a[row], b[row], rows[row])
        return out

    def _contract_one(self, entries: list[Any], a: Array, b: Array, out: Array) -> None:
        left = [None if self._vanishes(x) else x for x in a]
        right = [None if self._vanishes(x) else x for x in b]
        for k, i, j, value in entries:
            x, y = left[i], right[j]
            if x is not None and y is not None:
                out[k] = out[k] + value * (x * y)
        for k in range(out.shape[0]):
            out[k] = self.tidy(out[k])

    def _vanishes(self, value: Any) -> bool:
        return bool(value == 0)

    def divide(self, a: Array, b: Array) -> Array:
        return self._map(lambda x, y: self.tidy(self.quotient(x, y)), a, b)

    def quotient(self, x: Any, y: Any) -> Any:
        """x / y of two elements."""
        return x / y

    def sqrt(self, a: Array) -> Array:
        return self._map(lambda x: self.root(x), a)

    def root(self, x: Any) -> Any:
        """Square root of one element."""
        return self.element(rational_sqrt(exact_rational(x), self.name))

    def magnitude(self, x: Any) -> Any:
        """|x| of one element."""
        return abs(x)

    def absolute(self, a: Array) -> Array:
        return self._map(self.magnitude, a)

    def is_zero(self, a: Array) -> NDArray[np.bool_]:
        a = _wrapped(a)
        return np.array([self._vanishes(x) for x in a.reshape(-1)], dtype=bool).reshape(a.shape)

    def to_exact(self, a: Array) -> Array:
        return self._map(exact_rational, a)

    def literal(self, value: Any) -> str:
        return repr(str(value))

    @staticmethod
    def _map(function: Callable[..., Any], *arrays: Any) -> Array:
        broadcast = np.broadcast_arrays(*(_wrapped(x) for x in arrays))
        result = np.empty(broadcast[0].shape, dtype=object)
        flat = result.reshape(-1)
        for i, items in enumerate(zip(*(x.reshape(-1) for x in broadcast), strict=True)):
            flat[i] = function(*items)
        return result
