"""One differentiable action for every implementation: y_o = sum_i scale_io r_io x_i ~s_io.

The layouts of all arrays, and what an implementation has to do, are in
`geomlin.nn.implementations`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .differentiable import act_differentiably
from .implementations import Implementation as Implementation
from .implementations import run_backward, run_forward, run_transposed


def act(x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int) -> Tensor:
    """y (batch, O, 2^n) from x (batch, I, 2^n), bivectors (sides, I, O, P) and scale (I, O).

    Differentiable in all three, to any order; the first derivative is fast.
    """
    if torch.compiler.is_compiling() or x.is_meta:
        from .compiled import compiled_action

        return compiled_action(x, bivectors, scale, n)
    if transforms_are_active():
        return act_differentiably(x, bivectors, scale, n)
    found: Tensor = RotorAction.apply(x, bivectors, scale, n)  # type: ignore[no-untyped-call]
    return found


def transforms_are_active() -> bool:
    """Whether torch.func transforms or forward-mode derivatives are in progress."""
    return torch._C._are_functorch_transforms_active() or (
        torch.autograd.forward_ad._current_level >= 0
    )


class RotorAction(torch.autograd.Function):
    """The action with its gradient by moments; see the module."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int) -> Tensor:
        """y, keeping the inputs and the factors."""
        y, *saved = run_forward(x, bivectors, scale, n)
        ctx.save_for_backward(x, bivectors, scale, *saved)
        ctx.n = n
        return y

    @staticmethod
    def backward(ctx: Any, grad_y: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of x, bivectors and scale."""
        x, bivectors, scale, *saved = ctx.saved_tensors
        if torch.is_grad_enabled():
            return (*_differentiable_gradients(grad_y, x, bivectors, scale, ctx), None)
        needs = ctx.needs_input_grad
        with torch.autocast(x.device.type, enabled=False):
            if not needs[1] and not needs[2]:
                return run_transposed(grad_y, scale, *saved[:2]), None, None, None
            grad_x, grad_b, grad_scale = run_backward(grad_y, x, scale, *saved)
        return (
            grad_x,
            grad_b.to(bivectors.dtype) if needs[1] else None,
            grad_scale.to(scale.dtype) if needs[2] else None,
            None,
        )


def _differentiable_gradients(
    grad_y: Tensor, x: Tensor, bivectors: Tensor, scale: Tensor | None, ctx: Any
) -> list[Tensor | None]:
    """The same gradients by the slow route, which can be differentiated again."""
    inputs = [x, bivectors] if scale is None else [x, bivectors, scale]
    wanted = [v for v, need in zip(inputs, ctx.needs_input_grad, strict=False) if need]
    with torch.enable_grad():
        y = act_differentiably(x, bivectors, scale, ctx.n)
    found = iter(torch.autograd.grad(y, wanted, grad_y, create_graph=True))
    return [next(found) if need else None for need in ctx.needs_input_grad[:3]]
