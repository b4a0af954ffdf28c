"""geomlin itself as a backend of the kit: one adapter over Algebra(p, q, r, backend=name).

numpy takes its gradients from geomlin.derivatives; torch and jax differentiate natively, eager,
compiled or jitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import (
    __version__,
    commutator,
    derivatives,
    dual,
    exp,
    geometric_product,
    invariant_decomposition,
    inverse,
    left_contraction,
    log,
    outer_product,
    regressive_product,
    reverse,
    right_contraction,
    rotor_from_matrix,
    rotor_to_matrix,
    sandwich,
    spinor,
    sqrt,
)
from ...algebra import Algebra
from ...layout import full_layout
from ...multivector import Multivector
from ...ops.grades import with_layout
from ..operations import Signature
from . import require, version_of

Function = Callable[..., Any]


def _layer(algebra: Algebra, r: Any, s: Any, x: Any) -> Multivector:
    """r x ~s."""
    left, right = algebra.even(r), algebra.even(s)
    found: Multivector = left * algebra.multivector(x) * reverse(right)
    return found


def _products(function: Function) -> Function:
    return lambda alg, a, b: function(alg.multivector(a), alg.multivector(b))


def _maps(function: Function) -> Function:
    return lambda alg, a: function(alg.multivector(a))


# On the arrays of any backend; what is a multivector has its layout filled up afterwards.
ON_ARRAYS: dict[str, Function] = {
    "geometric_product": _products(geometric_product),
    "outer_product": _products(outer_product),
    "left_contraction": _products(left_contraction),
    "right_contraction": _products(right_contraction),
    "commutator": _products(commutator),
    "regressive_product": _products(regressive_product),
    "sandwich": _products(sandwich),
    "reverse": _maps(reverse),
    "dual": _maps(dual),
    "inverse": _maps(inverse),
    "exp": lambda alg, b: exp(alg.bivector(b)).coeffs,
    "log": lambda alg, r: log(alg.even(r)).coeffs,
    "sqrt": lambda alg, r: sqrt(alg.even(r)).coeffs,
    "invariant_decomposition": lambda alg, b: invariant_decomposition(alg.bivector(b)).parts.coeffs,
    "rotor_to_matrix": lambda alg, r: rotor_to_matrix(alg.even(r)),
    "to_blocks": lambda alg, a: spinor.to_blocks(alg.multivector(a)),
    "from_blocks": lambda alg, x: spinor.from_blocks(x, alg),
    "rotor_from_matrix": lambda alg, m: rotor_from_matrix(m, alg).coeffs,
    "rotor_layer": _layer,
}


def filled(value: Any) -> Any:
    """An array as it is, a multivector on all blades."""
    if isinstance(value, Multivector):
        return with_layout(value, full_layout(value.algebra.n)).coeffs
    return value


def _one_by_one(action: Function, *arrays: Any) -> Any:
    """An action (x, r, s), with one r and one s, on a batch of the three."""
    r, s, x = arrays
    lead = np.broadcast_shapes(r.shape[:-1], s.shape[:-1], x.shape[:-1])
    flat = [np.broadcast_to(a, (*lead, a.shape[-1])).reshape(-1, a.shape[-1]) for a in (r, s, x)]
    rows = [action(part[None], left, right)[0] for left, right, part in zip(*flat, strict=True)]
    return np.stack(rows).reshape(*lead, x.shape[-1])


def _is_a_layer(signature: Signature) -> bool:
    """Whether rotor layers exist: a positive metric, and a plane to turn in."""
    return signature[0] >= 2 and signature[1:] == (0, 0)


class _Own:
    """What the adapters share: an algebra, and every function above as a method."""

    backend = "numpy"
    name = "geomlin"
    version = __version__
    dtypes: tuple[str, ...] = ("float64", "float32")

    def algebra(self, signature: Signature) -> Algebra:
        """The algebra of a call."""
        return Algebra(*signature, backend=self.backend)

    def __getattr__(self, name: str) -> Function:
        if name not in ON_ARRAYS:
            raise AttributeError(f"{type(self).__name__} has no function {name!r}")

        def function(signature: Signature, *arrays: Any) -> Any:
            return self.apply(name, self.algebra(signature), *arrays)

        return function

    def apply(self, name: str, algebra: Algebra, *arrays: Any) -> Any:
        """One function on numpy arrays."""
        return filled(ON_ARRAYS[name](algebra, *arrays))


class NumpyBackend(_Own):
    """geomlin on numpy."""

    name = "geomlin numpy"

    def exp_vjp(self, signature: Signature, b: Any, r_bar: Any) -> Any:
        """d <r_bar, exp(b)> / d b."""
        alg = self.algebra(signature)
        return derivatives.exp_vjp(alg.bivector(b), alg.even(r_bar)).coeffs

    def log_vjp(self, signature: Signature, r: Any, b_bar: Any) -> Any:
        """A cotangent of r from one of log(r)."""
        alg = self.algebra(signature)
        return derivatives.log_vjp(alg.even(r), alg.bivector(b_bar)).coeffs

    def rotor_to_matrix_vjp(self, signature: Signature, r: Any, m_bar: Any) -> Any:
        """A cotangent of r from one of its matrix."""
        alg = self.algebra(signature)
        return derivatives.rotor_to_matrix_vjp(alg.even(r), m_bar).coeffs


class _Differentiated(_Own):
    """Gradients by what the framework makes of the functions themselves."""

    def _gradient(self, name: str, signature: Signature, x: Any, cotangent: Any) -> Any:
        """d <cotangent, f(x)> / d x."""
        raise NotImplementedError

    def exp_vjp(self, signature: Signature, b: Any, r_bar: Any) -> Any:
        """d <r_bar, exp(b)> / d b."""
        return self._gradient("exp", signature, b, r_bar)

    def log_vjp(self, signature: Signature, r: Any, b_bar: Any) -> Any:
        """A cotangent of r from one of log(r)."""
        return self._gradient("log", signature, r, b_bar)

    def rotor_to_matrix_vjp(self, signature: Signature, r: Any, m_bar: Any) -> Any:
        """A cotangent of r from one of its matrix."""
        return self._gradient("rotor_to_matrix", signature, r, m_bar)


class TorchBackend(_Differentiated):
    """geomlin on torch, eager."""

    backend, name = "torch", "geomlin torch"

    def __init__(self) -> None:
        self.torch = require("torch")
        self.version = f"{__version__}, torch {version_of('torch')}"

    def prepared(self, name: str, algebra: Algebra) -> Function:
        """What is called with tensors."""
        return lambda *tensors: ON_ARRAYS[name](algebra, *tensors)

    def apply(self, name: str, algebra: Algebra, *arrays: Any) -> Any:
        found = filled(self.prepared(name, algebra)(*self._tensors(arrays)))
        return found.detach().cpu().numpy()

    def rotor_layer(self, signature: Signature, r: Any, s: Any, x: Any) -> Any:
        """r x ~s, as geomlin.nn.RotorLinear computes it."""
        if not _is_a_layer(signature):
            return self.apply("rotor_layer", self.algebra(signature), r, s, x)
        from ...nn.even_action import even_action

        def action(*arrays: Any) -> Any:
            return even_action(*self._tensors(arrays)).cpu().numpy()

        return _one_by_one(action, r, s, x)

    def _tensors(self, arrays: tuple[Any, ...]) -> list[Any]:
        return [self.torch.from_numpy(np.array(a)) for a in arrays]

    def _gradient(self, name: str, signature: Signature, x: Any, cotangent: Any) -> Any:
        """d <cotangent, f(x)> / d x by autograd."""
        point, weights = self._tensors((x, cotangent))
        point.requires_grad_()
        value = self.prepared(name, self.algebra(signature))(point)
        (found,) = self.torch.autograd.grad((weights * value).sum(), point)
        return found.detach().cpu().numpy()


class JaxBackend(_Differentiated):
    """geomlin on jax, eager; float64 where the process has x64 enabled."""

    backend, name = "jax", "geomlin jax"

    def __init__(self) -> None:
        self.jax = require("jax")
        self.version = f"{__version__}, jax {version_of('jax')}"

    def prepared(self, name: str, algebra: Algebra) -> Function:
        """What is called with jax arrays."""
        return lambda *arrays: ON_ARRAYS[name](algebra, *arrays)

    def apply(self, name: str, algebra: Algebra, *arrays: Any) -> Any:
        with self._precision():
            found = self.prepared(name, algebra)(*(self.jax.numpy.asarray(a) for a in arrays))
            return np.asarray(filled(found))

    def _precision(self) -> Any:
        """float64 for the length of a call: the library itself never sets it."""
        switch = getattr(self.jax, "enable_x64", None)
        if switch is None:
            from importlib import import_module

            switch = import_module("jax.experimental").enable_x64
        return switch(True)

    def _gradient(self, name: str, signature: Signature, x: Any, cotangent: Any) -> Any:
        """The pullback of a cotangent."""
        with self._precision():
            function = self.prepared(name, self.algebra(signature))
            _, pullback = self.jax.vjp(function, self.jax.numpy.asarray(x))
            return np.asarray(pullback(self.jax.numpy.asarray(cotangent))[0])


class JittedJaxBackend(JaxBackend):
    """geomlin on jax, through jax.jit."""

    name = "geomlin jax jitted"

    def __init__(self) -> None:
        super().__init__()
        self._jitted: dict[tuple[str, Algebra], Function] = {}

    def prepared(self, name: str, algebra: Algebra) -> Function:
        key = name, algebra
        if key not in self._jitted:
            self._jitted[key] = self.jax.jit(super().prepared(name, algebra))
        return self._jitted[key]

    def rotor_layer(self, signature: Signature, r: Any, s: Any, x: Any) -> Any:
        """r x ~s, as geomlin.spinor_jax computes it for layers."""
        if not _is_a_layer(signature):
            return self.apply("rotor_layer", self.algebra(signature), r, s, x)
        from ...spinor_jax import even_action

        action = self.jax.jit(even_action)
        with self._precision():
            return _one_by_one(lambda *arrays: np.asarray(action(*arrays)), r, s, x)
