"""The `clifra` package as a backend: batched products and exponentials on torch.

Its blades are in the order of their bitmasks: 1, e1, e2, e12, e3, ..; 1, e12, e13, e23, e14, ...
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ...layout import even_layout, full_layout, grade_layout
from ..operations import Signature
from . import require, version_of

Floats = np.ndarray[Any, np.dtype[np.float64]]


def _bitmask_order(masks: tuple[int, ...]) -> list[int]:
    """For each blade of the kit, its place in the library."""
    ordered = sorted(masks)
    place = {mask: k for k, mask in enumerate(ordered)}
    return [place[mask] for mask in masks]


class ClifraBackend:
    """Each method is one call of the library, with its default options."""

    name = "clifra"

    def __init__(self) -> None:
        self.core = require("clifra.core", "clifra")
        self.torch = require("torch")
        self.version = version_of("clifra")
        self._algebras: dict[Any, Any] = {}

    def _algebra(self, signature: Signature, like: Floats) -> Any:
        key = signature, like.dtype.name
        if key not in self._algebras:
            dtype = getattr(self.torch, like.dtype.name)
            self._algebras[key] = self.core.make_algebra(*signature, device="cpu", dtype=dtype)
        return self._algebras[key]

    def _tensor(self, values: Floats, masks: tuple[int, ...]) -> Any:
        inverse = np.argsort(_bitmask_order(masks))
        return self.torch.from_numpy(np.ascontiguousarray(values[..., inverse]))

    def _array(self, tensor: Any, masks: tuple[int, ...]) -> Floats:
        return np.asarray(tensor.detach().numpy())[..., _bitmask_order(masks)]

    def _two(self, name: str, signature: Signature, a: Floats, b: Floats) -> Floats:
        masks = full_layout(sum(signature)).masks
        function = getattr(self._algebra(signature, a), name)
        return self._array(function(self._tensor(a, masks), self._tensor(b, masks)), masks)

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """geometric_product."""
        return self._two("geometric_product", signature, a, b)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """wedge."""
        return self._two("wedge", signature, a, b)

    def left_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """left_contraction."""
        return self._two("left_contraction", signature, a, b)

    def right_contraction(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """right_contraction."""
        return self._two("right_contraction", signature, a, b)

    def commutator(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """Half of commutator_product."""
        return self._two("commutator_product", signature, a, b) / 2

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """reverse."""
        masks = full_layout(sum(signature)).masks
        return self._array(self._algebra(signature, a).reverse(self._tensor(a, masks)), masks)

    def _exp(self, signature: Signature, like: Floats, tensor: Any) -> Any:
        """bivector_exp, whose options have other names since version 2."""
        algebra, n = self._algebra(signature, like), sum(signature)
        layouts = algebra.layout((2,)), algebra.layout(tuple(range(0, n + 1, 2)))
        new = "input" in inspect.signature(algebra.bivector_exp).parameters
        names = ("input", "output") if new else ("input_layout", "output_layout")
        return algebra.bivector_exp(tensor, **dict(zip(names, layouts, strict=True)))

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """bivector_exp on compact layouts."""
        n = sum(signature)
        found = self._exp(signature, b, self._tensor(b, grade_layout(n, 2).masks))
        return self._array(found, even_layout(n).masks)

    def exp_vjp(self, signature: Signature, b: Floats, r_bar: Floats) -> Floats:
        """autograd through bivector_exp."""
        n = sum(signature)
        masks, evens = grade_layout(n, 2).masks, even_layout(n).masks
        point = self._tensor(b, masks).requires_grad_()
        weights = self._tensor(r_bar, evens)
        total = (weights * self._exp(signature, b, point)).sum()
        (found,) = self.torch.autograd.grad(total, point)
        return self._array(found, masks)
