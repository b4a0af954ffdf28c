"""The `torch_ga` package as a backend: products and the exponential of simple bivectors.

Plain `exp` fails in float64, because it holds float32 constants: only float32 is claimed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...layout import even_layout, full_layout, grade_layout
from ..operations import Signature
from . import require, version_of

Floats = np.ndarray[Any, np.dtype[np.float32]]
_LARGEST = 6  # it stores tables of 8^n numbers


class TorchGaBackend:
    """Each method is one call of the library; its blade order is the kit's."""

    name = "torch_ga"
    dtypes = ("float32",)

    def __init__(self) -> None:
        self.package = require("torch_ga")
        self.torch = require("torch")
        self.version = version_of("torch_ga")
        self._algebras: dict[Signature, Any] = {}

    def _algebra(self, signature: Signature) -> Any:
        p, q, r = signature
        if p + q + r > _LARGEST:
            raise NotImplementedError("its tables of 8^n numbers do not fit")
        if signature not in self._algebras:
            metric = [1.0] * p + [-1.0] * q + [0.0] * r
            self._algebras[signature] = self.package.GeometricAlgebra(metric)
        return self._algebras[signature]

    def _full(self, signature: Signature, values: Floats, masks: tuple[int, ...] = ()) -> Any:
        layout = full_layout(sum(signature))
        full = np.zeros((*values.shape[:-1], layout.size), dtype=np.float32)
        chosen = masks or layout.masks
        full[..., [layout.position[mask] for mask in chosen]] = values
        return self.torch.from_numpy(full)

    def _two(self, name: str, signature: Signature, a: Floats, b: Floats) -> Floats:
        function = getattr(self._algebra(signature), name)
        return np.asarray(function(self._full(signature, a), self._full(signature, b)))

    def geometric_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """geom_prod."""
        return self._two("geom_prod", signature, a, b)

    def outer_product(self, signature: Signature, a: Floats, b: Floats) -> Floats:
        """ext_prod."""
        return self._two("ext_prod", signature, a, b)

    def reverse(self, signature: Signature, a: Floats) -> Floats:
        """reversion."""
        return np.asarray(self._algebra(signature).reversion(self._full(signature, a)))

    def exp(self, signature: Signature, b: Floats) -> Floats:
        """exp; it asserts that the square is a scalar, up to an absolute 1e-4."""
        layout, n = full_layout(sum(signature)), sum(signature)
        algebra = self._algebra(signature)
        found = algebra.exp(self._full(signature, b, grade_layout(n, 2).masks))
        return np.asarray(found)[..., [layout.position[m] for m in even_layout(n).masks]]

    def exp_vjp(self, signature: Signature, b: Floats, r_bar: Floats) -> Floats:
        """autograd through exp."""
        layout, n = full_layout(sum(signature)), sum(signature)
        point = self._full(signature, b, grade_layout(n, 2).masks).requires_grad_()
        weights = self._full(signature, r_bar, even_layout(n).masks)
        total = (weights * self._algebra(signature).exp(point)).sum()
        (found,) = self.torch.autograd.grad(total, point)
        return np.asarray(found)[..., [layout.position[m] for m in grade_layout(n, 2).masks]]
