"""torch and jax behind one set of names, for tests that say each thing once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from geomlin import Algebra, Multivector

FRAMEWORKS = ("torch", "jax")
TORCH_JIT = "ignore:.torch.jit:DeprecationWarning"  # torch warns of its own forward mode


@contextmanager
def double_precision() -> Iterator[None]:
    """float64 in jax; torch has it anyway.  Not jax.enable_x64, which callbacks do not see."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


def array(name: str, values: Any, dtype: str = "float64") -> Any:
    """An array of the framework."""
    if name == "torch":
        return torch.tensor(np.array(values), dtype=getattr(torch, dtype))
    return jnp.asarray(values, dtype=dtype)


def numbers(values: Any) -> Any:
    """Any array, or the coefficients of a multivector, as numpy."""
    if isinstance(values, Multivector):
        values = values.coeffs
    return values.detach().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)


def on(name: str, a: Multivector) -> Multivector:
    """The multivector on a framework."""
    return a.to(backend=name)


def algebra_on(name: str, signature: tuple[int, ...]) -> Algebra:
    p, q, r = (*signature, 0, 0)[:3]
    return Algebra(p, q, r, backend=name)


def at_once(name: str, functions: Sequence[Callable[..., Any]], *arguments: Any) -> list[Any]:
    """Results of several functions: one after the other in torch, one compiled function in jax."""
    if name == "torch":
        return [function(*arguments) for function in functions]
    return list(jax.jit(lambda *args: [function(*args) for function in functions])(*arguments))


def both(
    name: str, function: Callable[[Any], Any], x: Any, dx: Any, cotangent: Any
) -> tuple[Any, Any, Any]:
    """Value, directional derivative, and gradient of <cotangent, f(x)>, compiled at once in jax."""
    if name == "torch":
        return *jvp(name, function, x, dx), vjp(name, function, x, cotangent)

    def run(a: Any, b: Any, c: Any) -> Any:
        value, tangent = jax.jvp(function, (a,), (b,))
        return value, tangent, jax.vjp(function, a)[1](c)[0]

    found = jax.jit(run)(*(array(name, values) for values in (x, dx, cotangent)))
    return numbers(found[0]), numbers(found[1]), numbers(found[2])


def jvp(name: str, function: Callable[[Any], Any], x: Any, dx: Any) -> tuple[Any, Any]:
    """Value and directional derivative; traced in jax, through torch.func in torch."""
    x, dx = array(name, x), array(name, dx)
    if name == "torch":
        value, tangent = torch.func.jvp(function, (x,), (dx,))
    else:
        value, tangent = jax.jit(lambda a, b: jax.jvp(function, (a,), (b,)))(x, dx)
    return numbers(value), numbers(tangent)


def vjp(name: str, function: Callable[[Any], Any], x: Any, cotangent: Any) -> Any:
    """Gradient of <cotangent, f(x)>: autograd in torch, reverse mode in jax."""
    x, cotangent = array(name, x), array(name, cotangent)
    if name == "torch":
        x.requires_grad_()
        (found,) = torch.autograd.grad((function(x) * cotangent).sum(), x)
    else:
        found = jax.jit(jax.grad(lambda a: (function(a) * cotangent).sum()))(x)
    return numbers(found)


def hessian(name: str, function: Callable[[Any], Any], x: Any) -> Any:
    """Second derivatives of a scalar function: reverse mode twice in torch, both in jax."""
    x = array(name, x)
    if name == "torch":
        x.requires_grad_()
        (gradient,) = torch.autograd.grad(function(x), x, create_graph=True)
        rows = [torch.autograd.grad(g, x, retain_graph=True)[0] for g in gradient]
        return numbers(torch.stack(rows))
    return numbers(jax.jit(jax.hessian(function))(x))


def traced(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function under a transformation that hides the numbers."""
    if name == "jax":
        return jax.jit(function)
    return lambda x: torch.func.vmap(function)(x[None])[0]


def vmapped(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of one element, mapped over the first axis."""
    return torch.func.vmap(function) if name == "torch" else jax.jit(jax.vmap(function))
