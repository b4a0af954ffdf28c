"""Index maps of the plain torch action, as tensors, and its real matrices."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..kernels.bits import Floats, Integers
from ..spinor_even import CONJUGATION, UNIT_SIGNS, even_tables
from .tables import gather, left_matrix, right_matrix


class ActionTables(NamedTuple):
    """Feature-major arrays have rows = places in the blocks and one column for each sample.

    Orders of the rows: coefficients by (c, q, u, w, v), transformed by (c, q, u, t, j), blocks X by
    (c, t, q, i, j) with i = u xor j, products Y by (c, t, i, q, j).

    source, target : coefficient of each row (c, q, u, w, v), and the inverse.
    walsh : (d / L, L, L), signed Walsh-Hadamard matrices, L = tau N.
    to_blocks : rows (c, q, u, t, j) in the order (c, t, q, i, j); from_products the other way
        round, from (c, t, i, q, j).
    products_as_blocks : rows of products in the order of blocks, for the moments.
    left, right : index and sign of the real matrices of the factors.
    """

    n: int
    kappa: int
    tau: int
    size: int
    source: Tensor
    target: Tensor
    walsh: Tensor
    to_blocks: Tensor
    from_products: Tensor
    products_as_blocks: Tensor
    left: tuple[Tensor, Tensor]
    right: tuple[Tensor, Tensor]
    left_moment: tuple[Tensor, Tensor]
    right_moment: tuple[Tensor, Tensor]


@cache
def action_tables(n: int, dtype: torch.dtype, device: torch.device) -> ActionTables:
    """The tables of one dimension; see ActionTables."""
    even = even_tables(n)
    _, tau, kappa, size, _ = even.shape
    length = tau * size
    source = even.source.transpose(0, 2, 3, 1, 4).reshape(-1)  # (c, w, q, u, v) -> (c, q, u, w, v)
    sign = even.sign.transpose(0, 2, 3, 1, 4).reshape(-1, length)
    walsh = _walsh(length)[None] * sign[:, None, :].astype(np.float64)
    target = np.empty_like(source)
    target[source] = np.arange(len(source))
    to_blocks, from_products, as_blocks = _reorderings(tau, kappa, size)

    def tensor(values: object, kind: torch.dtype | None = None) -> Tensor:
        return torch.tensor(np.ascontiguousarray(values), dtype=kind, device=device)

    def table(pair: tuple[Integers, Integers]) -> tuple[Tensor, Tensor]:
        return tensor(pair[0].reshape(-1)), tensor(pair[1].reshape(-1), dtype)

    blocks = np.arange(tau * kappa * size * size).reshape(tau, kappa, size, size)
    return ActionTables(
        n=n,
        kappa=kappa,
        tau=tau,
        size=size,
        source=tensor(source),
        target=tensor(target),
        walsh=tensor(walsh, dtype),
        to_blocks=tensor(to_blocks),
        from_products=tensor(from_products),
        products_as_blocks=tensor(as_blocks),
        left=table(_left(blocks)),
        right=table(_right(blocks)),
        left_moment=table(_moment(kappa, size, "left")),
        right_moment=table(_moment(kappa, size, "right")),
    )


def _walsh(length: int) -> Floats:
    rows = np.arange(length)
    return np.where(np.bitwise_count(rows[:, None] & rows) % 2 == 1, -1.0, 1.0)


def _reorderings(tau: int, kappa: int, size: int) -> tuple[Integers, Integers, Integers]:
    """to_blocks, from_products and products_as_blocks of ActionTables."""
    transformed = np.arange(2 * tau * kappa * size * size).reshape(2, kappa, size, tau, size)
    products = np.arange(transformed.size).reshape(2, tau, size, kappa, size)
    c, t, q, i, j = np.ogrid[:2, :tau, :kappa, :size, :size]
    to_blocks = transformed[c, q, i ^ j, t, j]
    as_blocks = products[c, t, i, q, j]
    c, q, u, t, j = np.ogrid[:2, :kappa, :size, :tau, :size]
    from_products = products[c, t, j ^ u, q, j]
    return to_blocks.reshape(-1), from_products.reshape(-1), as_blocks.reshape(-1)


def _left(blocks: Integers) -> tuple[Integers, Integers]:
    """Real left matrices with rows (row, unit), so that the right factor finds (unit, column)
    together and nothing is moved in between."""
    _, kappa, size, _ = blocks.shape
    rows = np.arange(kappa * size).reshape(kappa, size).T.reshape(-1)
    index, sign = left_matrix(blocks)
    return index[:, rows], sign[:, rows]


def _right(blocks: Integers) -> tuple[Integers, Integers]:
    """Real right matrices, transposed: they act on columns with rows (unit, column)."""
    index, sign = right_matrix(blocks)
    return index.swapaxes(-1, -2), sign.swapaxes(-1, -2)


def _moment(kappa: int, size: int, side: str) -> tuple[Integers, Integers]:
    """Places and signs in a Gram matrix (q, i, q', k) of the terms (p, i, k, q) of a moment.

    left: sum_q unit_q conj(unit_q') at q' = p xor q; right: sum_q conj(unit_q) unit_q'.
    """
    gram = np.arange((kappa * size) ** 2).reshape(kappa, size, kappa, size)
    p, i, k, q = np.ogrid[:kappa, :size, :size, :kappa]
    other = p ^ q
    sign = UNIT_SIGNS[q, other] * CONJUGATION[other if side == "left" else q]
    return gram[q, i, other, k], np.broadcast_to(sign, (kappa, size, size, kappa))


def left_matrices(a: Tensor, tables: ActionTables) -> Tensor:
    """Real matrices (..., tau, D, D) of left factors (..., tau, kappa, N, N)."""
    width = tables.kappa * tables.size
    return gather(a, tables.left, 4).view(*a.shape[:-4], tables.tau, width, width)


def right_matrices(s: Tensor, tables: ActionTables) -> Tensor:
    """Transposed real matrices (..., 2, tau, D, D) of right factors (..., 2, tau, kappa, N, N)."""
    width = tables.kappa * tables.size
    return gather(s, tables.right, 4).view(*s.shape[:-4], tables.tau, width, width)


def moment(gram: Tensor, table: tuple[Tensor, Tensor], tables: ActionTables) -> Tensor:
    """Blocks (..., kappa, N, N) from Gram matrices (..., D, D) of real components."""
    kappa, size = tables.kappa, tables.size
    terms = gather(gram, table, 2).view(*gram.shape[:-2], kappa, size, size, kappa)
    return terms.sum(-1)
