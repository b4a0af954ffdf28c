"""Constant tables of one dimension, dtype and device as tensors: index maps, signs, generators."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..kernels.bits import Floats, Integers
from ..spinor_even import (
    UNIT_SIGNS,
    even_tables,
    even_words,
    hat_string,
)


class RotorTables(NamedTuple):
    """What the exponential of bivectors of Cl(n) and its derivative need.

    shape : (tau, kappa, N, N), the blocks of one even element.
    generators : (P, tau kappa N N), the blocks of e_i e_j, i < j, P = n (n - 1) / 2.
    matrices : (P, tau M M), the same as real (kappa = 1) or complex matrices, the numbers of H as
        2 x 2 matrices: M = N or 2 N; real and imaginary parts in pairs.
    rows, columns : i and j of each.
    hat : (P,), the sign of e_n e_i e_j e_n, for even n; ones for odd n, where the halves are alike.
    left : index and sign of the real matrix (tau, D, D) of a left factor in its blocks.
    odd : index and sign of the right factor of the odd half in that of the even half.
    conjugate : index and sign of the conjugate transpose in the blocks.
    """

    n: int
    shape: tuple[int, int, int, int]
    generators: Tensor
    matrices: Tensor
    rows: Tensor
    columns: Tensor
    hat: Tensor
    left: tuple[Tensor, Tensor]
    odd: tuple[Tensor, Tensor] | None
    conjugate: tuple[Tensor, Tensor]

    @property
    def width(self) -> int:
        """D = kappa N: size of the real matrices."""
        return self.shape[1] * self.shape[2]


@cache
def rotor_tables(n: int, device: torch.device) -> RotorTables:
    """The tables in float64; see RotorTables."""
    even = even_tables(n)
    shape = (even.tau, even.kappa, even.size, even.size)
    pairs = list(combinations(range(n), 2))
    hat = [-1.0 if n % 2 == 0 and j == n - 1 else 1.0 for _, j in pairs]
    identity = np.arange(int(np.prod(shape))).reshape(shape)

    def tensor(values: object) -> Tensor:
        return torch.tensor(np.ascontiguousarray(values), device=device)

    def signed(index: Integers, sign: Integers) -> tuple[Tensor, Tensor]:
        sign = np.broadcast_to(sign, index.shape).astype(np.float64)
        return tensor(index.reshape(-1)), tensor(sign.reshape(-1))

    return RotorTables(
        n=n,
        shape=shape,
        generators=tensor(_generators(n)),
        matrices=tensor(_matrices(_generators(n).reshape(-1, *shape))),
        rows=tensor([i for i, _ in pairs]),
        columns=tensor([j for _, j in pairs]),
        hat=tensor(hat),
        left=signed(*left_matrix(identity)),
        odd=None if n % 2 else signed(*_odd_half(identity, n)),
        conjugate=signed(*_conjugate(identity)),
    )


def _generators(n: int) -> Floats:
    """Blocks of e_i e_j, (P, tau kappa N N): one entry of each row of one unit is +-1."""
    even, words = even_tables(n), even_words(n)
    _, tau, kappa, size, _ = even.shape
    found = np.zeros((n * (n - 1) // 2, tau, kappa, size, size))
    columns = np.arange(size)
    for p, (i, j) in enumerate(combinations(range(n), 2)):
        last = j == n - 1
        word = [int(part[1 << i | (0 if last else 1 << j)]) for part in words]
        for t in range(tau):
            odd = np.bitwise_count(columns & word[2]) + word[0] + (t if last else 0)
            found[p, t, word[3], columns ^ word[1], columns] = 1.0 - 2.0 * (odd % 2)
    return found.reshape(len(found), -1)


def _matrices(blocks: Floats) -> Floats:
    """Real or complex matrices of blocks (P, tau, kappa, N, N), flattened, complex ones as pairs.

    A quaternion is ((q_0 + i q_1, q_2 + i q_3), (-q_2 + i q_3, q_0 - i q_1)).
    """
    count, kappa = blocks.shape[0], blocks.shape[2]
    if kappa == 1:
        return blocks.reshape(count, -1)
    first = blocks[:, :, 0] + 1j * blocks[:, :, 1]
    if kappa == 4:
        second = blocks[:, :, 2] + 1j * blocks[:, :, 3]
        top = np.concatenate([first, second], axis=-1)
        bottom = np.concatenate([-second.conj(), first.conj()], axis=-1)
        first = np.concatenate([top, bottom], axis=-2)
    return np.ascontiguousarray(first).reshape(count, -1).view(np.float64)


def left_matrix(blocks: Integers) -> tuple[Integers, Integers]:
    """Blocks (.., kappa, N, N) -> real matrices (.., D, D), and signs: a left factor acting on
    columns with rows (unit, row).

    L[(q,i),(q',k)] = sign(q xor q', q') A_(q xor q')[i,k].
    """
    kappa, size = blocks.shape[-3], blocks.shape[-1]
    units = np.arange(kappa)
    which = units[:, None] ^ units
    sign = UNIT_SIGNS[which, units][:, None, :, None]
    index = blocks[..., which, :, :].swapaxes(-3, -2)  # (.., q, i, q', k)
    sign = np.broadcast_to(sign, index.shape)
    real = (*blocks.shape[:-3], kappa * size, kappa * size)
    return index.reshape(real), sign.reshape(real)


def right_matrix(blocks: Integers) -> tuple[Integers, Integers]:
    """Blocks (.., kappa, N, N) -> real matrices (.., D, D), and signs: a right factor.

    R[(q',k),(q,j)] = sign(q', q xor q') S_(q xor q')[k,j].
    """
    kappa, size = blocks.shape[-3], blocks.shape[-1]
    units = np.arange(kappa)
    which = units[:, None] ^ units
    sign = UNIT_SIGNS[units[:, None], which][:, None, :, None]
    index = blocks[..., which, :, :].swapaxes(-3, -2)  # (.., q', k, q, j)
    sign = np.broadcast_to(sign, index.shape)
    real = (*blocks.shape[:-3], kappa * size, kappa * size)
    return index.reshape(real), sign.reshape(real)


def _conjugate(blocks: Integers) -> tuple[Integers, Integers]:
    sign = np.where(np.arange(blocks.shape[-3]) == 0, 1, -1)[:, None, None]
    return blocks.swapaxes(-1, -2), sign


def _odd_half(blocks: Integers, n: int) -> tuple[Integers, Integers]:
    """Index and sign of odd_right_factor; n even."""
    if n % 4 == 0:
        return np.flip(blocks, axis=-4), np.ones(1, dtype=np.int64)
    rows, signs = hat_string(n)
    unit = np.array([1, -1])[:, None, None]
    return blocks[..., rows[:, None], rows], signs[:, None] * signs * unit


def gather(blocks: Tensor, table: tuple[Tensor, Tensor], dims: int) -> Tensor:
    """sign * blocks[index] over the last `dims` axes, flattened."""
    index, sign = table
    flat = blocks.flatten(-dims)
    places = index.expand(*flat.shape[:-1], -1)  # index_select is slow along a last axis
    return torch.gather(flat, -1, places) * sign.to(flat.dtype)
