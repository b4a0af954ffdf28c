"""geomlin on torch as a backend of the kit, every function through torch.compile."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ...algebra import Algebra
from ..operations import Signature
from .own import Function, TorchBackend


class CompiledTorchBackend(TorchBackend):
    """geomlin on torch, through torch.compile: whole graphs, forward and backward.

    Code is not generated ("aot_eager"), which would take a minute for each function; what can go
    wrong in tracing does.  A graph that ends early, one compilation too many, and a function that
    was not compiled are errors: nothing is answered by eager torch.
    """

    name = "geomlin torch compiled"
    compiler = "aot_eager"

    def __init__(self) -> None:
        super().__init__()
        self.graphs = 0
        self._algebra: Algebra | None = None
        self._compiled: dict[str, Function] = {}

    def rotor_layer(self, signature: Signature, r: Any, s: Any, x: Any) -> Any:
        """r x ~s by products, compiled like everything here."""
        return self.apply("rotor_layer", self.algebra(signature), r, s, x)

    def prepared(self, name: str, algebra: Algebra) -> Function:
        """One compiled function for each operation; those of the last algebra are forgotten."""
        if algebra != self._algebra:
            self.torch.compiler.reset()
            self._algebra, self._compiled = algebra, {}
        if name not in self._compiled:
            function = _apart(super().prepared(name, algebra), name)
            self._compiled[name] = self._whole(function, name)
        return self._compiled[name]

    def _whole(self, function: Function, name: str) -> Function:
        """The function compiled, which has to make a graph at its first call."""
        dynamo = self.torch._dynamo
        generate = dynamo.lookup_backend(self.compiler)

        def counted(graph: Any, inputs: Any) -> Any:
            self.graphs += 1
            return generate(graph, inputs)

        compiled = self.torch.compile(function, fullgraph=True, backend=counted)
        before = self.graphs

        def call(*tensors: Any) -> Any:
            with dynamo.config.patch(fail_on_recompile_limit_hit=True):
                found = compiled(*tensors)
            if self.graphs == before:
                raise RuntimeError(f"{name} was expected to be compiled, and made no graph")
            return found

        return call


def _apart(function: Any, name: str) -> Function:
    """The function with code of its own: torch counts recompilations for each code object."""
    code = function.__code__.replace(co_name=name)
    return FunctionType(code, function.__globals__, name, None, function.__closure__)
