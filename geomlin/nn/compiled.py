"""The action as one opaque operator, for torch.compile and for tensors without values."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import implementations


@torch.library.custom_op("geomlin::rotor_action", mutates_args=())
def _forward(
    x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    *found, vectors = implementations.run_forward(x, bivectors, scale, n)
    y, a, s, values = found
    return y, a, s, values, vectors.contiguous()  # strides as promised below


@_forward.register_fake
def _(x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int) -> tuple[Tensor, ...]:
    from ..spinor_even import even_shape

    kappa, tau, qubits = even_shape(n)
    size = 1 << qubits
    sides, inputs, outputs = bivectors.shape[:3]
    pairs = (inputs, outputs)
    return (
        x.new_empty(x.shape[0], outputs, x.shape[-1]),
        x.new_empty(*pairs, tau, kappa, size, size),
        x.new_empty(*pairs, 2, tau, kappa, size, size),
        x.new_empty(sides, *pairs, n, dtype=torch.float64),
        x.new_empty(sides, *pairs, n, n, dtype=torch.complex128),
    )


@torch.library.custom_op("geomlin::rotor_action_backward", mutates_args=())
def _backward(
    grad_y: Tensor,
    x: Tensor,
    scale: Tensor | None,
    a: Tensor,
    s: Tensor,
    values: Tensor,
    vectors: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    return implementations.run_backward(grad_y, x, scale, a, s, values, vectors)


@_backward.register_fake
def _(
    grad_y: Tensor,
    x: Tensor,
    scale: Tensor | None,
    a: Tensor,
    s: Tensor,
    values: Tensor,
    vectors: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    n = values.shape[-1]
    pairs = a.shape[:2]
    grad_b = values.new_empty(values.shape[0], *pairs, n * (n - 1) // 2)
    return torch.empty_like(x), grad_b, x.new_empty(pairs)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    x, bivectors, scale, _ = inputs
    ctx.save_for_backward(x, scale, *output[1:])
    ctx.dtypes = bivectors.dtype, None if scale is None else scale.dtype


def _gradients(ctx: Any, grad_y: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
    x, scale, *saved = ctx.saved_tensors
    grad_x, grad_b, grad_scale = _backward(grad_y, x, scale, *saved)
    kind_b, kind_scale = ctx.dtypes
    return grad_x, grad_b.to(kind_b), None if scale is None else grad_scale.to(kind_scale), None


_forward.register_autograd(_gradients, setup_context=_keep)


def compiled_action(x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int) -> Tensor:
    """y of `geomlin.nn.action.act`."""
    y: Tensor = _forward(x, bivectors, scale, n)[0]
    return y
