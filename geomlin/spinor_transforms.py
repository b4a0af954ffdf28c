"""Multivectors of positive metrics to blocks and back, and products of blocks, for any numbers.

Everything is exact on integers and fractions; the tables are those of `geomlin.spinor_even`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels.bits import parity_signs
from .spinor_even import CONJUGATION, UNIT_SIGNS, EvenTables, even_tables, hat_string


def coefficients_to_even_blocks(x: NDArray[Any], n: int) -> NDArray[Any]:
    """Blocks (..., 2, tau, kappa, N, N) of multivectors (..., 2^n) in blade order.

        X[c,t,q, j xor u, j] = sum_(w,v) (-1)^(t w + |v & j|) sign[c,w,q,u,v] x[source[c,w,q,u,v]],

    a signed gather and a Walsh-Hadamard transform; integers stay exact.
    """
    tables = even_tables(n)
    words = x[..., tables.source] * tables.sign.astype(x.dtype)
    return _skewed(_walsh(words, tables), tables)


def even_blocks_to_coefficients(blocks: NDArray[Any], n: int) -> NDArray[Any]:
    """Inverse of coefficients_to_even_blocks; integers and fractions are divided exactly."""
    tables = even_tables(n)
    words = _walsh(_skewed(blocks, tables), tables) * tables.sign.astype(blocks.dtype)
    norm = tables.tau * tables.size
    kind = blocks.dtype.kind
    if kind == "i":
        divided = words // norm
    else:
        divided = words * (Fraction(1, norm) if kind == "O" else 1 / norm)
    result = np.empty((*blocks.shape[:-5], 1 << n), dtype=divided.dtype)
    result[..., tables.source] = divided
    return result


def _walsh(values: NDArray[Any], tables: EvenTables) -> NDArray[Any]:
    """Walsh-Hadamard transform over the last axis and over the blocks."""
    rows = np.arange(tables.size)
    qubits = tables.size.bit_length() - 1
    hadamard = parity_signs(qubits)[rows[:, None] & rows].astype(np.int64).astype(values.dtype)
    values = values @ hadamard
    if tables.tau == 2:
        first, second = values[..., 0, :, :, :], values[..., 1, :, :, :]
        values = np.stack([first + second, first - second], axis=-4)
    return values


def _skewed(values: NDArray[Any], tables: EvenTables) -> NDArray[Any]:
    """Row i xor j of column j in the place of row i: an involution."""
    rows = np.arange(tables.size)
    return values[..., rows[:, None] ^ rows, rows]


def block_product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Product of matrices over R, C or H given by components (..., kappa, N, N).

    (A B)_q = sum_p sign(p, p xor q) A_p B_(p xor q).
    """
    kappa = a.shape[-3]
    return np.stack(
        [
            sum(
                int(UNIT_SIGNS[p, p ^ q]) * (a[..., p, :, :] @ b[..., p ^ q, :, :])
                for p in range(kappa)
            )
            for q in range(kappa)
        ],
        axis=-3,
    )


def adjoint_blocks(a: NDArray[Any]) -> NDArray[Any]:
    """Conjugate transpose over R, C or H; of a rotor, the blocks of its reverse."""
    signs = CONJUGATION[: a.shape[-3]].astype(a.dtype)
    result: NDArray[Any] = a.swapaxes(-1, -2) * signs[:, None, None]
    return result


def odd_right_factor(s: NDArray[Any], n: int) -> NDArray[Any]:
    """Right factor of the odd half, rho(e_n s e_n) for even n and rho(s) for odd n, from rho(s).

    n = 0 mod 4: the two blocks change places.  n = 2 mod 4: conjugation with a string Q that
    anticommutes with every E_i after the units are conjugated.
    """
    if n % 2:
        return s
    if n % 4 == 0:
        return np.flip(s, axis=-4)
    rows, signs = hat_string(n)
    moved = s[..., rows[:, None], rows] * (signs[:, None] * signs).astype(s.dtype)
    result: NDArray[Any] = moved * CONJUGATION[:2].astype(s.dtype)[:, None, None]
    return result
