"""The action y = r x ~s in plain torch operations, on any device, without temporaries.

A sample becomes a column: signed gather and Walsh-Hadamard transform, a matrix product with the
left factor, one with the right factor, and back.  All samples share the matrices, so every step is
one large operation.  Samples are taken in groups that fit the cache, in work buffers that are
allocated once for each thread: fresh memory for each step costs as much as the arithmetic.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import torch
from torch import Tensor

from .action_tables import ActionTables, action_tables, left_matrices, moment, right_matrices

_NUMBERS_AT_ONCE = 1 << 18  # of one buffer: 128 samples for d = 2048


class Matrices(NamedTuple):
    """Real matrices of the factors, (I, O, 2 tau, D, D) each: both halves, then the blocks."""

    left: Tensor
    right: Tensor


class _Buffers(threading.local):
    """Work space of one thread: grown when needed, reused by every layer, never a result."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, torch.dtype, torch.device], Tensor] = {}

    def get(self, name: str, rows: int, columns: int, like: Tensor) -> Tensor:
        """An uninitialised (rows, columns) array of the dtype and device of `like`."""
        key = (name, like.dtype, like.device)
        count = rows * columns
        found = self.kept.get(key)
        if found is None or found.numel() < count:
            found = self.kept[key] = torch.empty(count, dtype=like.dtype, device=like.device)
        return found[:count].view(rows, columns)

    def like(self, name: str, other: Tensor) -> Tensor:
        """An uninitialised array of the shape of another one."""
        rows, columns = other.shape
        return self.get(name, rows, columns, other)


_buffers = _Buffers()


class PlainAction:
    """An implementation of `geomlin.nn.implementations.Implementation` in plain torch."""

    name = "plain"

    def accepts(self, n: int, dtype: torch.dtype, device: torch.device) -> bool:
        """Any dimension, any floating dtype with matrix products, any device."""
        return True

    def pack(self, a: Tensor, s: Tensor, scale: Tensor | None) -> Matrices:
        """Real matrices of the factors, with scale / (tau N) on the left ones."""
        tables = _tables_of(a)
        left = a / (tables.tau * tables.size)
        if scale is not None:
            left = left * scale[..., None, None, None, None]
        both = left_matrices(left, tables).unsqueeze(2).expand(-1, -1, 2, -1, -1, -1)
        return Matrices(both.flatten(2, 3), right_matrices(s, tables).flatten(2, 3))

    def forward(self, x: Tensor, matrices: Matrices) -> Tensor:
        """y (batch, O, d) from x (batch, I, d)."""
        left, right = matrices
        inputs, outputs = left.shape[:2]
        tables = action_tables(x.shape[-1].bit_length() - 1, x.dtype, x.device)
        y = x.new_empty(x.shape[0], outputs, x.shape[-1])
        for start in range(0, x.shape[0], _samples(x)):
            part = x[start : start + _samples(x)]
            blocks = [_to_blocks(part[:, i], f"X{i}", tables) for i in range(inputs)]
            for o in range(outputs):
                product = None
                for i in range(inputs):
                    _multiply(blocks[i], left[i, o], right[i, o], product is not None, tables)
                    product = _buffers.like("product", blocks[i])
                assert product is not None
                _from_products(product, y[start : start + part.shape[0], o], tables)
        return y

    def backward(
        self, grad_y: Tensor, x: Tensor, a: Tensor, s: Tensor, scale: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """grad_x and the moments of both factors; see Implementation."""
        tables = _tables_of(a)
        inputs, outputs = a.shape[:2]
        left, right = self.pack(_adjoint(a), _adjoint(s), None)
        grams = _Grams(a, tables)
        grad_x = torch.empty_like(x)
        for start in range(0, x.shape[0], _samples(x)):
            stop = min(start + _samples(x), x.shape[0])
            grads = [_to_blocks(grad_y[start:stop, o], f"G{o}", tables) for o in range(outputs)]
            for i in range(inputs):
                blocks = _to_blocks(x[start:stop, i], "X0", tables)
                total = None
                for o in range(outputs):
                    _multiply(grads[o], left[i, o], right[i, o], False, tables)
                    product = _buffers.like("product", blocks)
                    grams.add(i, o, product, blocks)
                    factor = None if scale is None else scale[i, o]
                    total = _accumulated(total, product, factor, outputs)
                assert total is not None
                _from_products(total, grad_x[start:stop, i], tables)
        return grad_x, grams.left_moment(), grams.right_moment()


def _tables_of(a: Tensor) -> ActionTables:
    """Tables for left factors (..., tau, kappa, N, N): d = 2 tau kappa N N."""
    n = (2 * a.shape[-4:].numel()).bit_length() - 1
    return action_tables(n, a.dtype, a.device)


def _samples(x: Tensor) -> int:
    """How many samples to take at once."""
    return max(32, _NUMBERS_AT_ONCE // x.shape[-1])


def _adjoint(blocks: Tensor) -> Tensor:
    """Conjugate transpose of blocks (..., kappa, N, N)."""
    signs = blocks.new_tensor([1.0, -1.0, -1.0, -1.0])[: blocks.shape[-3]]
    return blocks.mT * signs[:, None, None]


def _to_blocks(x: Tensor, name: str, tables: ActionTables) -> Tensor:
    """Columns in blocks order (d, batch) of samples x (batch, d), in the buffer `name`."""
    batch, d = x.shape
    length = tables.tau * tables.size
    blocks = _buffers.get(name, d, batch, x)
    work = _buffers.like("work", blocks)
    gathered = blocks.view(batch, d)
    _take(x, tables.source, gathered)
    columns = gathered.view(batch, d // length, length).permute(1, 2, 0)
    torch.bmm(tables.walsh, columns, out=work.view(d // length, length, batch))
    torch.index_select(work, 0, tables.to_blocks, out=blocks)
    return blocks


def _multiply(blocks: Tensor, left: Tensor, right: Tensor, add: bool, tables: ActionTables) -> None:
    """left X right^T of columns X, to or added to the buffer "product", in products order."""
    batch = blocks.shape[1]
    tau, size, width = tables.tau, tables.size, left.shape[-1]
    work, product = _buffers.like("work", blocks), _buffers.like("product", blocks)
    columns, found = (v.view(2 * tau, width, size * batch) for v in (blocks, work))
    torch.bmm(left, columns, out=found)
    found, result = (v.view(2 * tau, size, width, batch) for v in (work, product))
    if tables.n % 2:  # both halves have the same right factor: one operation for both
        found, result = (v.view(1, 2 * size, width, batch) for v in (work, product))
    for k in range(len(found)):
        matrix = right[k].expand(found.shape[1], width, width)
        if add:
            result[k].baddbmm_(matrix, found[k])
        else:
            torch.bmm(matrix, found[k], out=result[k])


def _from_products(product: Tensor, y: Tensor, tables: ActionTables) -> None:
    """Write the samples of columns in products order to y (batch, d); destroys the columns."""
    d, batch = product.shape
    length = tables.tau * tables.size
    count = d // length
    work = _buffers.like("work", product)
    torch.index_select(product, 0, tables.from_products, out=work)
    rows = product.view(count, batch, length)  # the product makes rows of columns on its way
    torch.bmm(work.view(count, length, batch).mT, tables.walsh, out=rows)
    work.view(batch, count, length).copy_(rows.transpose(0, 1))
    _take(work.view(batch, d), tables.target, y)


def _take(x: Tensor, places: Tensor, out: Tensor) -> None:
    """out = x[:, places], all (batch, d), by the operation that is faster here.

    Along this axis index_select takes one thread, and crawls from one number to the next if
    its result has gaps.
    """
    if torch.get_num_threads() == 1 and out.is_contiguous():
        torch.index_select(x, 1, places, out=out)
    else:
        torch.gather(x, 1, places.expand(x.shape), out=out)


def _accumulated(
    total: Tensor | None, product: Tensor, factor: Tensor | None, count: int
) -> Tensor:
    """total + factor * product; the product itself when it is the only term."""
    if factor is not None:
        product.mul_(factor)
    if count == 1:
        return product
    if total is None:
        return _buffers.like("total", product).copy_(product)
    return total.add_(product)


class _Grams:
    """Sums over the samples of products of real components, from which the moments follow."""

    def __init__(self, a: Tensor, tables: ActionTables) -> None:
        width = tables.kappa * tables.size
        shape = (*a.shape[:2], 2 * tables.tau, width, width)
        self.tables = tables
        self.left = a.new_zeros(shape)
        self.right = a.new_zeros(shape)

    def add(self, i: int, o: int, product: Tensor, blocks: Tensor) -> None:
        """Add dX X^T to the left and, over the other index, X^T dX to the right Gram matrix."""
        tables = self.tables
        batch = blocks.shape[1]
        tau, kappa, size = tables.tau, tables.kappa, tables.size
        shape = (2 * tau, kappa * size, size * batch)
        moved, other = _buffers.like("moved", blocks), _buffers.like("other", blocks)
        torch.index_select(product, 0, tables.products_as_blocks, out=moved)
        self.left[i, o].baddbmm_(moved.view(shape), blocks.view(shape).mT)
        by_row = (2 * tau, kappa, size, size, batch)
        for values, buffer in ((moved, other), (blocks, moved)):
            turned = values.view(by_row).transpose(2, 3)
            buffer.view(by_row).copy_(turned)
        self.right[i, o].baddbmm_(moved.view(shape), other.view(shape).mT)

    def left_moment(self) -> Tensor:
        """sum_c dX X^H, (I, O, tau, kappa, N, N)."""
        gram = self._by_half(self.left).sum(2)
        return moment(gram, self.tables.left_moment, self.tables)

    def right_moment(self) -> Tensor:
        """X^H dX, (I, O, 2, tau, kappa, N, N)."""
        return moment(self._by_half(self.right), self.tables.right_moment, self.tables)

    def _by_half(self, gram: Tensor) -> Tensor:
        """(I, O, 2, tau, D, D) from (I, O, 2 tau, D, D)."""
        return gram.view(*gram.shape[:2], 2, self.tables.tau, *gram.shape[3:])
