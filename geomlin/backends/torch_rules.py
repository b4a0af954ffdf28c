"""Functions that numpy computes, as operators of torch with derivatives of their own."""

from __future__ import annotations

import json
from typing import Any

import torch

from .rule import Rule

_RULES: dict[str, tuple[Any, Rule]] = {}  # backend and rule by name: operators take strings only


def implicit(xp: Any, rule: Rule, values: torch.Tensor, static: tuple[Any, ...]) -> torch.Tensor:
    """f(values) for a rule."""
    _RULES[rule.name] = xp, rule
    apply: Any = _Implicit.apply
    found: torch.Tensor = apply(values, rule.name, json.dumps(static))
    return found


def _constants(text: str) -> tuple[Any, ...]:
    """What was written as JSON, lists as tuples."""
    return tuple(tuple(x) if isinstance(x, list) else x for x in json.loads(text))


@torch.library.custom_op("geomlin::host", mutates_args=())
def _host(values: torch.Tensor, name: str, static: str) -> torch.Tensor:
    """The value of a rule, computed by numpy on the host."""
    rule = _RULES[name][1]
    found = rule.value(values.detach().cpu().numpy(), _constants(static))
    return torch.as_tensor(found, device=values.device)


@_host.register_fake
def _(values: torch.Tensor, name: str, static: str) -> torch.Tensor:
    rule = _RULES[name][1]
    batch = values.shape[: values.ndim - rule.core]
    core = rule.shape(tuple(values.shape[values.ndim - rule.core :]), _constants(static))
    return values.new_empty((*batch, *core))


@_host.register_vmap
def _(info: Any, axes: Any, values: torch.Tensor, name: str, static: str) -> tuple[Any, int]:
    return _host(values.movedim(axes[0], 0), name, static), 0


class _Implicit(torch.autograd.Function):
    """f, whose derivative the rule states in operations that are differentiated again."""

    generate_vmap_rule = True

    @staticmethod
    def forward(values: torch.Tensor, name: str, static: str) -> torch.Tensor:
        """y = f(x)."""
        found: torch.Tensor = _host(values, name, static)
        return found

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep x and y."""
        values, ctx.name, ctx.static = inputs
        ctx.save_for_backward(values, output)
        ctx.save_for_forward(values, output)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """The transpose of dx -> dy."""
        values, found = ctx.saved_tensors
        xp, rule = _RULES[ctx.name]
        pull = _by_matrix if rule.cotangent is None else _by_rule
        return pull(xp, rule, (found, values, cotangents[0]), ctx.static), None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """dy along the tangent of x."""
        values, found = ctx.saved_tensors
        xp, rule = _RULES[ctx.name]
        return rule.tangent(xp, found, values, tangents[0], *_constants(ctx.static))


def _by_rule(xp: Any, rule: Rule, arrays: Any, static: str) -> Any:
    """x_bar as the rule states it."""
    found, values, cotangent = arrays
    assert rule.cotangent is not None
    return rule.cotangent(xp, found, values, cotangent, *_constants(static))


def _by_matrix(xp: Any, rule: Rule, arrays: Any, static: str) -> Any:
    """x_bar = J^T y_bar, the rows of J^T being the tangents of the unit vectors."""
    found, values, cotangent = arrays
    core = values.shape[values.ndim - rule.core :]
    size = core.numel()
    units = torch.eye(size, dtype=values.dtype, device=values.device).reshape(size, *core)
    width = len(rule.shape(tuple(core), _constants(static)))
    many = found.unsqueeze(-1 - width), values.unsqueeze(-1 - rule.core)
    rows = rule.tangent(xp, *many, units, *_constants(static))
    pulled = rows * cotangent.unsqueeze(-1 - width)
    return pulled.flatten(-width).sum(-1).reshape(values.shape)
