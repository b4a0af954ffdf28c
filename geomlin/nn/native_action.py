"""The rotor action y = sum_i scale T^-1(A T(x_i) S) by the C kernel, forward and backward.

Satisfies geomlin.nn.implementations.Implementation, whose docstring fixes the layouts.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..errors import DtypeError, LayoutError
from ..native import Library, library
from ..spinor_even import even_generators, even_tables, hat_string

SMALLEST, LARGEST = 2, 12  # dimensions that the kernel has block shapes for
_PRECISIONS = {torch.float32: 0, torch.float64: 1}


class Tables(NamedTuple):
    """What a forward call reads.

    numbers : the packed factors of all pairs (input chunk, output chunk), at `address`.
    """

    numbers: Tensor
    address: int
    plan: Any
    width: int
    inputs: int
    outputs: int


@cache
def plan_of(module: Any, n: int) -> Any:
    """The index maps and generators of Cl(n) as the kernel keeps them."""
    tables = even_tables(n)
    words = [[int(part) for part in word] for word in even_generators(n)]
    last = [0, 0, 0, 0]
    if n % 4 == 2:
        rows, signs = hat_string(n)
        qubits = len(rows).bit_length() - 1
        last[1] = int(rows[0])  # rows[k] = k xor flips, signs[k] = (-1)^|phases & rows[k]|
        last[2] = sum(1 << k for k in range(qubits) if signs[(1 << k) ^ last[1]] < 0)
    return module.plan(
        n,
        np.ascontiguousarray(tables.source, dtype=np.int64),
        np.ascontiguousarray(tables.sign),
        np.array([*words, last], dtype=np.int64),
    )


def _dimension(A: Tensor, S: Tensor) -> int:
    """n from the shapes of A (I, O, tau, kappa, N, N) and S (I, O, 2, tau, kappa, N, N)."""
    if A.dim() == 6 and S.dim() == 7 and A.shape[:2] == S.shape[:2]:
        blades = 2 * A[0, 0].numel() if A.shape[0] and A.shape[1] else 0
        n = blades.bit_length() - 1
        if SMALLEST <= n <= LARGEST:
            shape = even_tables(n).shape
            if tuple(S.shape[2:]) == shape and tuple(A.shape[2:]) == shape[1:]:
                return n
    raise LayoutError(
        "expected factors (I, O, tau, kappa, N, N) and (I, O, 2, tau, kappa, N, N) of Cl(n), "
        f"{SMALLEST} <= n <= {LARGEST}, got {tuple(A.shape)} and {tuple(S.shape)}"
    )


def _require(x: Tensor, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """x as the kernel reads it: on the CPU, of this dtype, each row contiguous."""
    if x.dtype != dtype or x.device.type != "cpu":
        raise DtypeError(f"expected {name} of {dtype} on the CPU, got {x.dtype} on {x.device}")
    if tuple(x.shape) != shape:
        raise LayoutError(f"expected {name} of shape {shape}, got {tuple(x.shape)}")
    dense = x.stride(-1) == 1 and (shape[1] == 1 or x.stride(1) == shape[2])
    return x if dense else x.contiguous()


class NativeAction:
    """The implementation of geomlin.nn.implementations.Implementation in C."""

    name = "native"

    def __init__(self, found: Library) -> None:
        self.module, self.level = found.module, found.level

    def accepts(self, n: int, dtype: torch.dtype, device: torch.device) -> bool:
        """Whether the kernel can take rows of 2^n numbers of this type."""
        return SMALLEST <= n <= LARGEST and dtype in _PRECISIONS and device.type == "cpu"

    def pack(self, A: Tensor, S: Tensor, scale: Tensor | None) -> Tables:
        """The factors in the order in which the kernel reads them, with scale and 1/(tau N)."""
        n = _dimension(A, S)
        inputs, outputs = A.shape[:2]
        precision = _precision(A)
        A = _require(A, "A", tuple(A.shape), A.dtype).contiguous()
        S = _require(S, "S", tuple(S.shape), A.dtype).contiguous()
        factors = _scale(scale, (inputs, outputs))
        plan, pairs = plan_of(self.module, n), inputs * outputs
        numbers = torch.empty(self.module.table_size(plan, pairs), dtype=A.dtype)
        self.module.pack(
            plan,
            self.level,
            precision,
            pairs,
            A.data_ptr(),
            S.data_ptr(),
            0 if factors is None else factors.data_ptr(),
            numbers.data_ptr(),
        )
        return Tables(numbers, numbers.data_ptr(), plan, 1 << n, inputs, outputs)

    def forward(self, x: Tensor, tables: Tables) -> Tensor:
        """y (batch, O, 2^n) of x (batch, I, 2^n)."""
        numbers, address, plan, width, inputs, outputs = tables
        batch = x.shape[0]
        shape = (batch, inputs, width)
        if not (x.is_contiguous() and x.is_cpu and x.shape == shape and x.dtype is numbers.dtype):
            x = _require(x, "x", shape, numbers.dtype)
        y = torch.empty_like(x) if inputs == outputs else x.new_empty((batch, outputs, width))
        self.module.forward(
            plan,
            self.level,
            _PRECISIONS[numbers.dtype],
            inputs,
            outputs,
            batch,
            x.stride(0),
            outputs * width,
            torch.get_num_threads(),
            address,
            x.data_ptr(),
            y.data_ptr(),
        )
        return y

    def backward(
        self, grad_y: Tensor, x: Tensor, A: Tensor, S: Tensor, scale: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """(grad_x, moment_r, moment_s): with dX = A^H T(grad_y) S^H / (tau N),

        grad_x = T^t sum_o scale dX,  moment_r = sum dX X^H,  moment_s = sum X^H dX.
        """
        n = _dimension(A, S)
        inputs, outputs = A.shape[:2]
        batch, width = x.shape[0], 1 << n
        x = _require(x, "x", (batch, inputs, width), A.dtype)
        grad_y = _require(grad_y, "grad_y", (batch, outputs, width), A.dtype)
        A = _require(A, "A", tuple(A.shape), A.dtype).contiguous()
        S = _require(S, "S", tuple(S.shape), A.dtype).contiguous()
        factors = _scale(scale, (inputs, outputs))
        grad_x = torch.empty((batch, inputs, width), dtype=A.dtype)
        moment_r, moment_s = torch.empty_like(A), torch.empty_like(S)
        self.module.backward(
            plan_of(self.module, n),
            self.level,
            _precision(A),
            inputs,
            outputs,
            batch,
            x.stride(0),
            grad_y.stride(0),
            torch.get_num_threads(),
            A.data_ptr(),
            S.data_ptr(),
            0 if factors is None else factors.data_ptr(),
            grad_y.data_ptr(),
            x.data_ptr(),
            grad_x.data_ptr(),
            moment_r.data_ptr(),
            moment_s.data_ptr(),
        )
        return grad_x, moment_r, moment_s


def _precision(A: Tensor) -> int:
    """The number of the kernel's precision."""
    if A.dtype not in _PRECISIONS:
        raise DtypeError(f"expected float32 or float64, got {A.dtype}")
    return _PRECISIONS[A.dtype]


def _scale(scale: Tensor | None, shape: tuple[int, int]) -> Tensor | None:
    """Factors of the pairs in float64, or None."""
    if scale is None:
        return None
    if tuple(scale.shape) != shape:
        raise LayoutError(f"expected scale of shape {shape}, got {tuple(scale.shape)}")
    return scale.detach().to(torch.float64).contiguous()


def implementation() -> NativeAction | None:
    """The kernel, or None if it was not built or GEOMLIN_NATIVE=0 turned it off."""
    found = library()
    return None if found is None else _action(found)


@cache
def _action(found: Library) -> NativeAction:
    """One object for each instruction set, so that a call costs a look-up."""
    return NativeAction(found)
