"""Arguments and inputs of layers that do not fit, said in words."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..errors import DtypeError, LayoutError, NotSupported

_DENSE = torch.strided


def require_positive(**sizes: int) -> None:
    """LayoutError unless every size is a positive integer."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise LayoutError(f"expected {name} to be a positive integer, got {value!r}")


def check_width(layer: Any, x: Tensor) -> None:
    """DtypeError unless an input is a tensor, LayoutError unless its last axis fits the layer."""
    if not isinstance(x, Tensor):
        raise _no_tensor(x)
    if x.shape[-1:] != (layer.in_features,):
        raise LayoutError(
            f"expected input (..., {layer.in_features}), got {tuple(x.shape)}: this is {layer!r}"
        )


def check_input(layer: Any, x: Tensor) -> None:
    """The same for rotor layers, which take dense tensors only, and no recording by TorchScript."""
    if isinstance(x, Tensor):
        if x.layout is not _DENSE:
            raise LayoutError(
                f"expected a dense tensor, got one of layout {x.layout}: pass x.to_dense(), or "
                "x.to_padded_tensor(0.0) if it is nested"
            )
        shape = x.shape  # of tensors while torch.jit.trace records; asking it costs more
        if shape and type(shape[-1]) is not int and torch._C._is_tracing():
            raise _not_recorded("torch.jit.trace")
    check_width(layer, x)


def refuse_script() -> None:
    """NotSupported for torch.jit.script."""
    raise _not_recorded("torch.jit.script")


def _no_tensor(x: object) -> Exception:
    """What to say about an input that is no tensor."""
    kind = f"{type(x).__module__}.{type(x).__name__}"
    if kind == "torch.fx.proxy.Proxy":
        return _not_recorded("torch.fx.symbolic_trace")
    return DtypeError(f"expected a torch tensor, got {kind}: pass torch.as_tensor(x)")


def _not_recorded(what: str) -> NotSupported:
    return NotSupported(
        f"expected a call with numbers, got one from {what}, which cannot record what depends on "
        "shapes and on the values of parameters: use torch.compile(layer), or "
        "torch.export.export(layer, (x,)) for a graph that can be saved"
    )
