"""Calling numpy from compiled jax code, without a wait inside the call.

`jax.pure_callback` puts the arguments back on the device inside the callback, and reading them
there waits for a thread of the same pool that runs the callbacks.  A program with two of them was
seen to stop for ever on two processors.  This primitive hands the numbers over as they come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

_HOST = Primitive("geomlin_host")


def call_on_host(function: Callable[[Any], Any], x: Any, shape: tuple[int, ...]) -> Any:
    """function(x) for a traced x, computed by numpy; (..., *core) of the same dtype as x.

    `shape` is that of the result; batch axes come first in x and in the result.
    """
    return _HOST.bind(x, function=function, shape=shape)


def _evaluate(x: Any, *, function: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    return jnp.asarray(function(np.asarray(x)), dtype=x.dtype).reshape(shape)


def _shape(x: Any, *, function: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    return jax.core.ShapedArray(shape, x.dtype)


def _batched(
    arguments: tuple[Any], axes: tuple[int], *, function: Any, shape: tuple[int, ...]
) -> tuple[Any, int]:
    """One call for the whole batch: the function takes any batch axes in front."""
    x = jnp.moveaxis(arguments[0], axes[0], 0)
    return _HOST.bind(x, function=function, shape=(x.shape[0], *shape)), 0


def _lowered(ctx: Any, x: Any, *, function: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """The call in compiled code."""

    def call(values: Any) -> tuple[Any]:
        array = np.asarray(values)
        return (np.asarray(function(array), dtype=array.dtype).reshape(shape),)

    results, _, _ = mlir.emit_python_callback(
        ctx, call, None, [x], ctx.avals_in, ctx.avals_out, has_side_effect=False
    )
    return results


_HOST.def_impl(_evaluate)
_HOST.def_abstract_eval(_shape)
batching.primitive_batchers[_HOST] = _batched
mlir.register_lowering(_HOST, _lowered)
