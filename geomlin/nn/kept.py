"""Tables of a layer that are kept between calls, and never trusted.

They are used only if every value they were made from is equal to the present one, bit for bit, at
every call: whoever changes a parameter by whatever way gets new tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .implementations import Implementation


class Kept(NamedTuple):
    """Tables with copies of what they were made from.

    implementation None means that `tables` is the matrix of the whole layer.
    """

    bivectors: Tensor
    scale: Tensor | None
    dtype: torch.dtype
    implementation: Implementation | None
    tables: Any

    def serves(self, bivectors: Tensor, scale: Tensor | None, like: Tensor) -> bool:
        """Whether these are the tables of these parameters for inputs like `like`."""
        return (
            self.dtype is like.dtype
            and self.bivectors.dtype is bivectors.dtype
            and self.bivectors.device == like.device
            and torch.equal(self.bivectors, bivectors)
            and _equal(self.scale, scale)
        )


class Slot:
    """A place for one Kept that copies and pickles leave empty."""

    def __init__(self) -> None:
        self.kept: Kept | None = None

    def find(
        self,
        bivectors: Tensor,
        scale: Tensor | None,
        like: Tensor,
        make: Callable[[Tensor, Tensor | None, Tensor], tuple[Implementation | None, Any]],
    ) -> Kept:
        """Tables of these parameters, made anew unless the kept ones serve."""
        kept = self.kept
        if kept is None or not kept.serves(bivectors, scale, like):
            bivectors = bivectors.detach().clone()
            scale = None if scale is None else scale.detach().clone()
            with torch.no_grad():
                made = make(bivectors, scale, like)
            kept = self.kept = Kept(bivectors, scale, like.dtype, *made)
        return kept

    def __reduce__(self) -> tuple[type[Slot], tuple[()]]:
        return Slot, ()


def _equal(first: Tensor | None, second: Tensor | None) -> bool:
    if first is None or second is None:
        return first is second
    return torch.equal(first, second)
