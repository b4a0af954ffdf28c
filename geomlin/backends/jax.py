"""Float arrays of jax: grad, jit, vmap, and devices.

Whether there is float64 is the user's choice (jax.config "jax_enable_x64"), which is never
changed here; without it everything is computed, and rounded, in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from ..errors import DtypeError, NotSupported
from .framework import FrameworkBackend
from .jax_eager import Compiled
from .jax_host import call_on_host
from .rule import Rule

_NAMES = ("float64", "float32", "float16", "bfloat16")


class JaxBackend(FrameworkBackend):
    """Coefficients are jax.Array."""

    name = "jax"
    lib: Any = jnp  # sqrt, cos, .. have the same names in both frameworks

    @cached_property
    def answers(self) -> Mapping[str, Callable[..., Any]]:
        """Those of all frameworks, compiled as wholes."""
        return Compiled(super().answers, self.numbers_decide)

    def register(self, multivector: type, algebra: type, layout: type) -> None:
        """Make multivectors pytrees, with algebra and layout as their structure."""
        _register(multivector)

    def is_array(self, values: Any) -> bool:
        return isinstance(values, jax.Array)

    def traced(self, *arrays: Any) -> bool:
        """Under jit, vmap, grad and the other transformations."""
        return any(isinstance(x, jax.core.Tracer) for x in arrays)

    def converted(self, values: Any, dtype: Any) -> Any:
        return jnp.asarray(values, dtype=dtype)

    def dtype_of(self, name: Any) -> Any:
        try:
            dtype = jnp.dtype(name)
        except TypeError as error:
            raise DtypeError(f"expected one of the dtypes {_NAMES}, got {name!r}") from error
        if dtype.name not in _NAMES:
            raise DtypeError(f"expected one of the dtypes {_NAMES}, got {dtype.name}")
        if dtype.name == "float64" and self.default_dtype() != dtype:
            raise DtypeError(
                "jax has no float64 unless jax_enable_x64 is set, which geomlin never does: call "
                "jax.config.update('jax_enable_x64', True) at the start, or use float32"
            )
        return dtype

    def default_dtype(self) -> Any:
        return jnp.result_type(float)

    def natural_dtype(self, dtype: np.dtype[Any]) -> Any:
        return jax.dtypes.canonicalize_dtype(dtype)

    def kind(self, dtype: Any) -> str:
        if dtype.name in _NAMES:
            return "f"
        kind = getattr(dtype, "kind", "")  # random keys have none
        return {"c": "c", "i": "i", "u": "i", "b": "i"}.get(kind, "other")

    def work_dtype(self, values: Any) -> Any:
        return jnp.promote_types(self.default_dtype(), jnp.float32)

    def constant(self, values: NDArray[Any], like: Any) -> Any:
        return jnp.asarray(values, dtype=like.dtype if values.dtype.kind == "f" else None)

    def astype(self, values: Any, dtype: Any) -> Any:
        return values.astype(dtype)

    def moved(self, values: Any, device: Any) -> Any:
        try:
            target = jax.devices(device)[0] if isinstance(device, str) else device
            return jax.device_put(values, target)
        except (RuntimeError, TypeError, ValueError) as error:
            raise NotSupported(f"jax cannot use the device {device!r}: {error}") from error

    def to_numpy(self, values: Any) -> NDArray[Any]:
        if self.traced(values):
            raise NotSupported("the numbers of a traced array are unknown: convert outside")
        found = np.asarray(values)
        return found.astype(np.float32) if values.dtype.name == "bfloat16" else found

    def detach(self, values: Any) -> Any:
        return jax.lax.stop_gradient(values)

    def zeros(self, shape: Sequence[int], like: Any) -> Any:
        return jnp.zeros(tuple(shape), dtype=like.dtype)

    def isfinite(self, values: Any) -> Any:
        return jnp.isfinite(values)

    def take(self, values: Any, positions: NDArray[np.int64]) -> Any:
        # int32: of an int64 array jax remembers the size it had in the mode of the first call.
        return values[..., positions.astype(np.int32)]

    def matmul(self, a: Any, b: Any) -> Any:
        return jnp.matmul(a, b, precision="highest")

    def implicit(self, rule: Rule, values: Any, *static: Any) -> Any:
        return _implicit(rule, static)(values)

    def result_dtype(self, a: Any, b: Any) -> Any:
        return jnp.promote_types(a.dtype, b.dtype)

    def sqrt(self, a: Any) -> Any:
        return jnp.sqrt(a)

    def absolute(self, a: Any) -> Any:
        return jnp.abs(a)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        return jnp.where(condition, a, b)

    def stack(self, arrays: Sequence[Any], axis: int) -> Any:
        return jnp.stack(list(arrays), axis)

    def concatenate(self, arrays: Sequence[Any], axis: int) -> Any:
        return jnp.concatenate(list(arrays), axis)

    def largest(self, values: Any) -> Any:
        """Maximum over the last axis; 0 where that is empty."""
        return values.max(-1) if values.shape[-1] else self.zeros(values.shape[:-1], values)

    def mantissa(self, values: Any) -> Any:
        """m with values = m 2^e, 1/2 <= |m| < 1."""
        return jnp.frexp(values)[0]

    def epsilon(self, dtype: Any) -> float:
        """Spacing of the dtype at one."""
        information: Any = jnp.finfo
        return float(information(dtype).eps)

    def solve(self, matrix: Any, right: Any) -> Any:
        """matrix^-1 right; NaN or infinite where the matrix is singular."""
        return jnp.linalg.solve(matrix, right)

    def singular_values(self, matrix: Any) -> Any:
        """Singular values, descending; NaN for matrices that are not finite."""
        return jnp.linalg.svd(matrix, compute_uv=False)

    def call(self, function: Any, values: Any, *static: Any) -> Any:
        """function(xp, values, *static), compiled once for each shape."""
        return _compiled(function, static)(values)

    def loop_length(self, most: int) -> int:
        """How many steps a traced loop gets that needs `most` for every input."""
        return most

    def small_integers(self, values: Any) -> Any:
        """As int8; what is not finite becomes -1."""
        return jnp.where(jnp.isfinite(values), values, -1.0).astype(jnp.int8)

    def repeat(self, step: Any, count: int, state: Any) -> Any:
        """step(state, k) for k = 0 .. count - 1; one compiled step where it is traced."""
        if any(self.traced(leaf) for leaf in jax.tree.leaves(state)):
            return jax.lax.fori_loop(0, count, lambda k, x: step(x, k), state)
        for k in range(count):
            state = step(state, k)
        return state


@cache
def _register(multivector: type) -> None:
    """Once in a process: jax keeps one registry."""
    jax.tree_util.register_pytree_node(
        multivector,
        lambda a: ((a.coeffs,), (a.algebra, a.layout)),
        lambda structure, leaves: multivector(*structure, *leaves),
    )


@lru_cache(maxsize=512)
def _implicit(rule: Rule, static: tuple[Any, ...]) -> Any:
    """The function of a rule, called back from compiled code, with its derivative."""

    def value(x: Any) -> Any:
        """y, with batch axes first, as numpy computes it."""
        return rule.value(np.asarray(x), static)

    @jax.custom_jvp
    def function(x: Any) -> Any:
        if not isinstance(x, jax.core.Tracer):
            return jnp.asarray(value(x), dtype=x.dtype)
        core = rule.shape(tuple(x.shape[x.ndim - rule.core :]), static)
        shape = (*x.shape[: x.ndim - rule.core], *core)
        return call_on_host(value, x, shape)

    def tangent(primals: Any, tangents: Any) -> Any:
        """y and dy."""
        y = function(*primals)
        return y, rule.tangent(BACKEND, y, *primals, *tangents, *static)

    function.defjvp(tangent)
    return function


@lru_cache(maxsize=512)
def _compiled(function: Any, static: tuple[Any, ...]) -> Any:
    """A jitted function of arrays, one for each set of static arguments."""
    return jax.jit(lambda *arrays: function(BACKEND, *arrays, *static))


BACKEND = JaxBackend()
