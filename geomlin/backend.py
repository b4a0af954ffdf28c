"""The backend protocol: what a kind of number must offer so that multivectors can be built on it.

Laws are stated with each method; tests/test_backends.py runs them on every backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from .errors import BackendMissing, NotSupported
from .tables import ProductTable


class Backend(Protocol):
    """Coefficient arrays of one kind: batch axes first, the blade axis last."""

    name: str
    exact: bool  # arithmetic is exact: equality decides

    def array(self, values: Any, dtype: Any = None) -> Any:
        """Take user input.  Law: no value changes but by one rounding to the dtype; else an error
        says what does not fit."""
        ...

    def scalar_array(self, values: Any, like: Any) -> Any:
        """Take a scalar operand.  Law: a Python number never changes the dtype of `like`."""
        ...

    def zeros(self, shape: Sequence[int], like: Any) -> Any:
        """Zeros of the dtype of `like`.  Law: x + zeros = x."""
        ...

    def contract(self, table: ProductTable, a: Any, b: Any) -> Any:
        """out[..., k] = sum value * a[..., i] * b[..., j].  Law: bilinear, batches broadcast."""
        ...

    def divide(self, a: Any, b: Any) -> Any:
        """Elementwise a / b, b nowhere zero.  Law: divide(a, b) * b = a, rounding apart."""
        ...

    def sqrt(self, a: Any) -> Any:
        """Square root of nonnegative numbers.  Law: sqrt(a)^2 = a; NotSupported if not exact."""
        ...

    def absolute(self, a: Any) -> Any:
        """|a|.  Law: absolute(a)^2 = a^2 and absolute(a) >= 0."""
        ...

    def is_zero(self, a: Any) -> Any:
        """Elementwise test for zero, as a boolean array.  Law: decides when `exact`."""
        ...

    def to_exact(self, a: Any) -> Any:
        """Object array of fractions.Fraction with the same values, if they are rational."""
        ...

    def literal(self, value: Any) -> str:
        """Code for one coefficient.  Law: array(eval(literal(x))) = x, else NotSupported."""
        ...


_EXTRA = {"torch": "torch", "jax": "jax"}
NAMES = ("numpy", "torch", "jax", "fractions", "flint", "sympy")


def get_backend(name: str, precision: int | None = None) -> Backend:
    """Import a backend by name; BackendMissing names the extra that brings a missing package.

    `precision` in bits is for "arb" only, whose numbers are balls and decide less than the others.
    """
    if isinstance(name, str) and name == "arb":
        return _balls(precision)
    if precision is not None:
        raise NotSupported(
            f"only backend 'arb' takes a precision in bits, got precision={precision!r} for "
            f"{name!r}"
        )
    if not isinstance(name, str) or name not in NAMES:
        raise NotSupported(f"backend {name!r} is unknown: expected one of {(*NAMES, 'arb')}")
    return _imported(name)


def _balls(precision: int | None) -> Backend:
    """The backend "arb" at a precision."""
    try:
        module: Any = import_module(".backends.arb", package=__package__)
    except ImportError as error:
        raise BackendMissing(
            "backend 'arb' needs the package 'flint': pip install python-flint", extra="arb"
        ) from error
    bits = module.DEFAULT_BITS if precision is None else module.checked_bits(precision)
    found: Backend = module.backend(bits)
    return found


@cache
def _imported(name: str) -> Backend:
    try:
        module = import_module(f".backends.{name}", package=__package__)
    except ImportError as error:
        raise BackendMissing(
            f"backend {name!r} needs the package {error.name!r}: pip install {error.name}",
            extra=_EXTRA.get(name, name),
        ) from error
    backend: Backend = module.BACKEND
    return backend
