"""Arguments and inputs of layers that do not fit, said in words."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ..errors import LayoutError


def require_positive(**sizes: int) -> None:
    """LayoutError unless every size is a positive integer."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise LayoutError(f"expected {name} to be a positive integer, got {value!r}")


def check_width(layer: Any, x: Tensor) -> None:
    """LayoutError unless the last axis of an input has in_features numbers."""
    if x.shape[-1:] != (layer.in_features,):
        raise LayoutError(
            f"expected input (..., {layer.in_features}), got {tuple(x.shape)}: this is {layer!r}"
        )
