"""Factors of rotors from the spectrum of their bivectors, and the way back, by the C kernel.

The same maps as `factors` and `pull_back` of geomlin.nn.rotors, without the fixed cost of their
many small tensor operations.  Values are in float64; nothing here is differentiable.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..spinor_even import even_tables
from .native_action import NativeAction, plan_of


def native_factors(action: NativeAction, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """A (..., tau, kappa, N, N) and S (..., 2, tau, kappa, N, N) of x -> r x ~s.

    values (sides, ..., n) and vectors (sides, ..., n, n) are those of i b: r from the first side,
    s from the last.
    """
    sides, *batch, n = values.shape
    shape = even_tables(n).shape
    values, vectors = values.contiguous(), vectors.contiguous()
    A = torch.empty((*batch, *shape[1:]), dtype=torch.float64)
    S = torch.empty((*batch, *shape), dtype=torch.float64)
    action.module.factors(
        plan_of(action.module, n),
        action.level,
        sides,
        values[0].numel() // n,
        values.data_ptr(),
        vectors.data_ptr(),
        A.data_ptr(),
        S.data_ptr(),
    )
    return A, S


def native_pull_back(
    action: NativeAction, moment_r: Tensor, moment_s: Tensor, values: Tensor, vectors: Tensor
) -> Tensor:
    """Gradient of the bivectors, (sides, ..., n (n - 1) / 2) in float64, from the moments."""
    sides, *batch, n = values.shape
    values, vectors = values.contiguous(), vectors.contiguous()
    moment_r, moment_s = moment_r.contiguous(), moment_s.contiguous()
    grad = torch.empty((sides, *batch, n * (n - 1) // 2), dtype=torch.float64)
    action.module.pull_back(
        plan_of(action.module, n),
        moment_r.dtype == torch.float64,
        sides,
        values[0].numel() // n,
        values.data_ptr(),
        vectors.data_ptr(),
        moment_r.data_ptr(),
        moment_s.data_ptr(),
        grad.data_ptr(),
    )
    return grad
