"""Operations on known arrays of jax, compiled as wholes.

Compiling one operation is faster than compiling each of its steps, and so is running it.  Compiled
code cannot raise, but marks bad input by NaN: where a NaN appears, the operation is run again step
by step, which raises the error that fits, or answers as it would have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, wraps
from typing import Any

import jax
import jax.numpy as jnp

from ..errors import LayoutError


class Compiled(Mapping[str, Callable[..., Any]]):
    """Operations by name; `get` compiles the one that is given for a missing name too."""

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        numbers_decide: Mapping[str, Callable[..., bool]],
    ) -> None:
        """`numbers_decide` says of which operands an operation must not be compiled."""
        self._functions, self._numbers_decide = functions, numbers_decide

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return _eager(self._functions[name], self._numbers_decide.get(name))

    def get(self, name: str, default: Any = None) -> Any:
        """The compiled operation of a name, or the compiled default."""
        return _eager(self._functions.get(name, default), self._numbers_decide.get(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


@cache
def _eager(
    function: Callable[..., Any], numbers_decide: Callable[..., bool] | None
) -> Callable[..., Any]:
    """The function, compiled where all its numbers are known."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        numbers = [x for x in (*args, *kwargs.values()) if _is_array(x)]
        traced = any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves(numbers))
        if (
            traced
            or any(map(_is_foreign, args))
            or (numbers_decide is not None and numbers_decide(*args))
        ):
            return function(*args, **kwargs)
        moving = [_is_array(argument) for argument in args]
        fixed = tuple((type(a), a) for a, moves in zip(args, moving, strict=True) if not moves)
        keywords = tuple((key, type(value), value) for key, value in sorted(kwargs.items()))
        try:
            compiled = _jitted(function, tuple(moving), fixed, keywords)
        except TypeError:  # not hashable
            return function(*args, **kwargs)
        try:
            found = compiled(*(a for a, moves in zip(args, moving, strict=True) if moves))
        except (LayoutError, jax.errors.ConcretizationTypeError):
            return function(*args, **kwargs)  # whether a stored part is zero has to be seen
        if bool(_has_nan(found)):
            return function(*args, **kwargs)
        return bool(found) if _is_flag(found) else found

    return call


def _is_array(argument: Any) -> bool:
    """Whether an argument holds numbers: multivectors, arrays and floats."""
    return hasattr(argument, "coeffs") or isinstance(argument, (jax.Array, float))


def _is_foreign(argument: Any) -> bool:
    """Whether a multivector has the numbers of another backend, which the function refuses."""
    return hasattr(argument, "coeffs") and not isinstance(argument.coeffs, jax.Array)


def _is_flag(found: Any) -> bool:
    return isinstance(found, jax.Array) and found.ndim == 0 and found.dtype == bool


@lru_cache(maxsize=1024)
def _jitted(
    function: Callable[..., Any],
    moving: tuple[bool, ...],
    fixed: tuple[tuple[type, Any], ...],
    keywords: tuple[tuple[str, type, Any], ...],
) -> Callable[..., Any]:
    """The jitted function of the arguments that hold numbers."""

    def inner(*arrays: Any) -> Any:
        given, constant = iter(arrays), iter(fixed)
        arguments = [next(given) if moves else next(constant)[1] for moves in moving]
        return function(*arguments, **{key: value for key, _, value in keywords})

    compiled: Callable[..., Any] = jax.jit(inner)
    return compiled


@jax.jit
def _has_nan(tree: Any) -> Any:
    """Whether a number of a pytree is NaN."""
    floats = [x for x in jax.tree.leaves(tree) if jnp.issubdtype(x.dtype, jnp.floating)]
    return jnp.array([jnp.isnan(x).any() for x in floats] or [False]).any()
