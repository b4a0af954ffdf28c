"""Float tensors of torch: autograd, torch.func, torch.compile and devices.

Tensors are shared, not copied, so that derivatives pass; float32 and shorter are computed in
float64 where the device has it, and rounded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import DtypeError, NotSupported
from .framework import FrameworkBackend
from .rule import Rule
from .torch_rules import implicit
from .torch_types import register

_DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
_UNROLLED = 12  # steps of a loop in compiled code: each becomes code of its own
_PLAIN = (torch.Tensor, torch.nn.Parameter)


class TorchBackend(FrameworkBackend):
    """Coefficients are torch.Tensor."""

    name = "torch"
    lib: Any = torch  # sqrt, cos, .. have the same names in both frameworks

    def register(self, multivector: type, algebra: type, layout: type) -> None:
        """Make multivectors pytrees, and algebras and layouts constants of compiled graphs."""
        register(multivector, algebra, layout)

    def is_array(self, values: Any) -> bool:
        return isinstance(values, torch.Tensor)

    def traced(self, *arrays: Any) -> bool:
        """Under torch.compile, torch.func transforms, and for any subclass of Tensor."""
        if torch.compiler.is_compiling():
            return True
        wrapped = torch._C._functorch.is_functorch_wrapped_tensor
        return any(type(x) not in _PLAIN or wrapped(x) for x in arrays)

    def check_dense(self, values: torch.Tensor) -> None:
        kind = ""
        if torch.nn.parameter.is_lazy(values):
            kind = "a parameter without values"
        elif values.is_nested:
            kind = "a nested tensor"
        elif values.is_quantized:
            kind = "a quantised tensor"
        elif values.layout is not torch.strided:
            kind = f"a tensor of layout {values.layout}"
        elif values.device.type == "meta":
            kind = "a tensor on the device meta, which has no numbers"
        if kind:
            raise DtypeError(
                f"expected a dense tensor of numbers, got {kind}: use values.to_dense() or "
                "values.dequantize(), or give it numbers first"
            )

    def converted(self, values: Any, dtype: Any) -> torch.Tensor:
        return torch.as_tensor(values).to(dtype)

    def dtype_of(self, name: Any) -> torch.dtype:
        if isinstance(name, torch.dtype):
            name = str(name).removeprefix("torch.")
        try:
            text = name if isinstance(name, str) else np.dtype(name).name
        except TypeError:
            text = repr(name)
        if text not in _DTYPES:
            raise DtypeError(f"expected one of the dtypes {tuple(_DTYPES)}, got {text}")
        return _DTYPES[text]

    def default_dtype(self) -> torch.dtype:
        return torch.get_default_dtype()

    def kind(self, dtype: torch.dtype) -> str:
        if dtype.is_complex:
            return "c"
        if dtype.is_floating_point:
            return "f" if dtype in _DTYPES.values() else "other"
        return "i"

    def work_dtype(self, values: torch.Tensor) -> torch.dtype:
        return torch.float32 if values.device.type == "mps" else torch.float64

    def constant(self, values: NDArray[Any], like: torch.Tensor) -> torch.Tensor:
        found = torch.as_tensor(values, device=like.device)
        return found.to(like.dtype) if found.is_floating_point() else found

    def astype(self, values: torch.Tensor, dtype: Any) -> torch.Tensor:
        return values.to(dtype)

    def moved(self, values: torch.Tensor, device: Any) -> torch.Tensor:
        try:
            return values.to(torch.device(device))
        except (RuntimeError, AssertionError, TypeError) as error:
            raise NotSupported(f"torch cannot use the device {device!r}: {error}") from error

    def to_numpy(self, values: torch.Tensor) -> NDArray[Any]:
        if self.traced(values):
            raise NotSupported("the numbers of a traced tensor are unknown: convert outside")
        found = values.detach().cpu()
        return (found.float() if found.dtype == torch.bfloat16 else found).numpy()

    def detach(self, values: torch.Tensor) -> torch.Tensor:
        return values.detach()

    def zeros(self, shape: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        return torch.zeros(tuple(shape), dtype=like.dtype, device=like.device)

    def isfinite(self, values: torch.Tensor) -> torch.Tensor:
        return torch.isfinite(values)

    def take(self, values: torch.Tensor, positions: NDArray[np.int64]) -> torch.Tensor:
        flat = torch.as_tensor(positions.reshape(-1), device=values.device)
        return values.index_select(-1, flat).reshape(*values.shape[:-1], *positions.shape)

    def matmul(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)

    def implicit(self, rule: Rule, values: torch.Tensor, *static: Any) -> torch.Tensor:
        return implicit(self, rule, values, static)

    def result_dtype(self, a: torch.Tensor, b: torch.Tensor) -> torch.dtype:
        return torch.promote_types(a.dtype, b.dtype)

    def sqrt(self, a: torch.Tensor) -> torch.Tensor:
        return torch.sqrt(a)

    def absolute(self, a: torch.Tensor) -> torch.Tensor:
        return torch.abs(a)

    def where(self, condition: Any, a: Any, b: Any) -> torch.Tensor:
        return torch.where(condition, a, b)

    def stack(self, arrays: Sequence[torch.Tensor], axis: int) -> torch.Tensor:
        return torch.stack(tuple(arrays), axis)

    def concatenate(self, arrays: Sequence[torch.Tensor], axis: int) -> torch.Tensor:
        return torch.cat(tuple(arrays), axis)

    def largest(self, values: torch.Tensor) -> torch.Tensor:
        """Maximum over the last axis; 0 where that is empty."""
        if not values.shape[-1]:
            return self.zeros(values.shape[:-1], values)
        return values.amax(-1)

    def mantissa(self, values: torch.Tensor) -> torch.Tensor:
        """m with values = m 2^e, 1/2 <= |m| < 1."""
        return torch.frexp(values)[0]

    def epsilon(self, dtype: Any) -> float:
        """Spacing of the dtype at one."""
        return torch.finfo(dtype).eps

    def solve(self, matrix: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """matrix^-1 right; NaN or infinite where the matrix is singular."""
        found: torch.Tensor = torch.linalg.solve_ex(matrix, right)[0]
        return found

    def singular_values(self, matrix: torch.Tensor) -> torch.Tensor:
        """Singular values, descending; NaN for matrices that are not finite."""
        bad = ~torch.isfinite(matrix).all(-1, keepdim=True).all(-2, keepdim=True)
        values = torch.linalg.svdvals(torch.where(bad, 0.0, matrix))
        return torch.where(bad[..., 0], torch.nan, values)

    def call(self, function: Any, values: torch.Tensor, *static: Any) -> Any:
        """function(xp, values, *static) for a function of known structure."""
        return function(self, values, *static)

    def loop_length(self, most: int) -> int:
        """How many steps a traced loop gets that needs `most` for every input."""
        return min(most, _UNROLLED)

    def small_integers(self, values: torch.Tensor) -> torch.Tensor:
        """As int8; what is not finite becomes -1."""
        return torch.where(torch.isfinite(values), values, -1.0).to(torch.int8)

    def repeat(self, step: Any, count: int, state: Any) -> Any:
        """step(state, k) for k = 0 .. count - 1, one after the other."""
        for k in range(count):
            state = step(state, k)
        return state


BACKEND = TorchBackend()
