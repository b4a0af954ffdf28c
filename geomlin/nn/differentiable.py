"""The action by operations that autograd differentiates to any order, and torch.func transforms.

Slower than the implementations and independent of them: the exponential is a power series with
squaring, the factors are matrices over R, C or H.  It serves second derivatives, jvp and vmap.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch import Tensor

from ..kernels.bits import Floats, Integers
from ..spinor_even import UNIT_SIGNS, even_tables
from .rotors import adjoint, right_factors
from .tables import gather, rotor_tables

_TERMS = 20  # of the series, for a norm of at most 1/2: the rest is below 1e-24
_SQUARINGS = 30  # bivectors beyond 2^29 give NaN: their angles have lost half of their digits


def exponential(b: Tensor, n: int) -> Tensor:
    """Blocks (..., tau, kappa, N, N) of exp(b) for bivectors (..., P)."""
    tables = rotor_tables(n, b.device)
    tau, kappa, size, _ = tables.shape
    width = kappa * size
    generator = gather(b @ tables.generators, tables.left, 1)
    generator = generator.view(*b.shape[:-1], tau, width, width)
    norm = b.detach().abs().sum(-1)
    doublings = torch.ceil(torch.log2(2 * norm.clamp(min=0.25))).clamp(min=0)
    x = generator * torch.exp2(-doublings)[..., None, None, None]
    one = torch.eye(width, dtype=b.dtype, device=b.device)
    result = one + x / _TERMS
    for k in range(_TERMS - 1, 0, -1):
        result = one + x @ result / k
    for k in range(_SQUARINGS):
        result = torch.where((k < doublings)[..., None, None, None], result @ result, result)
    lost = (doublings > _SQUARINGS)[..., None, None, None]
    column = torch.where(lost, torch.nan, result[..., :size])
    return column.reshape(*b.shape[:-1], *tables.shape)


def act_differentiably(x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int) -> Tensor:
    """y (batch, O, 2^n) from x (batch, I, 2^n), bivectors (sides, I, O, P) and scale (I, O)."""
    tables = rotor_tables(n, x.device)
    blocks = exponential(bivectors.to(torch.float64), n)
    a = blocks[0].to(x.dtype)
    s = right_factors(adjoint(blocks[-1], tables), tables).to(x.dtype)
    if scale is not None:
        a = a * scale[..., None, None, None, None].to(x.dtype)
    cube = _units(x.dtype, x.device)[: tables.shape[1], : tables.shape[1], : tables.shape[1]]
    product = torch.einsum("pqr,iotpab,...ictqbd->...ioctrad", cube, a, _transform(x, n))
    product = torch.einsum("pqr,...ioctpab,ioctqbd->...octrad", cube, product, s)
    return _transform_back(product, n)


@cache
def _units(dtype: torch.dtype, device: torch.device) -> Tensor:
    """unit_p unit_q = sum_r cube[p, q, r] unit_r."""
    cube = np.zeros((4, 4, 4))
    for p in range(4):
        for q in range(4):
            cube[p, q, p ^ q] = UNIT_SIGNS[p, q]
    return torch.tensor(cube, dtype=dtype, device=device)


@cache
def _maps(n: int, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, ...]:
    """source, target, sign, Hadamard matrices of columns and blocks, and the skewed places."""
    even = even_tables(n)
    rows = np.arange(even.size)
    blocks = np.arange(even.tau)
    target = np.empty(1 << n, dtype=np.int64)
    target[even.source.reshape(-1)] = np.arange(1 << n)
    skew = (rows[:, None] ^ rows) * even.size + rows
    found = (
        torch.tensor(even.source.reshape(-1)),
        torch.tensor(target),
        torch.tensor(even.sign.copy(), dtype=dtype),
        torch.tensor(_hadamard(rows), dtype=dtype),
        torch.tensor(_hadamard(blocks), dtype=dtype),
        torch.tensor(skew.reshape(-1)),
    )
    return tuple(values.to(device) for values in found)


def _hadamard(rows: Integers) -> Floats:
    return np.where(np.bitwise_count(rows[:, None] & rows) % 2 == 1, -1.0, 1.0)


def _transform(x: Tensor, n: int) -> Tensor:
    """Blocks (..., 2, tau, kappa, N, N) of coefficients (..., 2^n)."""
    source, _, sign, columns, blocks, skew = _maps(n, x.dtype, x.device)
    words = x.index_select(-1, source).view(*x.shape[:-1], *sign.shape) * sign
    words = torch.einsum("...wquv,tw,vj->...tquj", words, blocks, columns)
    return words.flatten(-2).index_select(-1, skew).view(words.shape)


def _transform_back(x: Tensor, n: int) -> Tensor:
    """Inverse of _transform."""
    _, target, sign, columns, blocks, skew = _maps(n, x.dtype, x.device)
    words = x.flatten(-2).index_select(-1, skew).view(x.shape)
    words = torch.einsum("...tquj,tw,vj->...wquv", words, blocks, columns) * sign
    norm = sign.shape[1] * sign.shape[-1]
    return words.flatten(-5).index_select(-1, target) / norm
