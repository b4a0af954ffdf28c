"""Complex spinor matrices of the whole Clifford algebra in the monomial (Jordan-Wigner) form.

Every blade becomes a matrix with one entry, a power of i, in each row:

    Gamma_S[row, row xor f] = i^a (-1)^|row & z|,      (f, z, a) = (f, z, a)(S).

An algebra without null vectors has one block of size N = 2^(n/2) for even n, and for odd n two
blocks of size N = 2^((n-1)/2), which differ in the sign of the last generator.  For even n each
pair (f, z) belongs to exactly one S, so coefficients become matrices by a gather and a
Walsh-Hadamard transform over z, and matrices become coefficients by the inverse.

Coefficients here are indexed by mask, S = 0 .. 2^n - 1; even elements by compact position.  Null
vectors are represented by e_0 -> e_+ + e_- in Cl(p+r, q+r).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import (
    Floats,
    Integers,
    Metric,
    bivector_positions,
    non_null,
    parity,
    parity_signs,
)

Complexes = NDArray[np.complex128]
LARGEST_TABULATED = 8  # dimension up to which the blocks of all even blades are a small table


class Word(NamedTuple):
    """i^quarters X^flips Z^signs: row is mapped to row xor flips, with (-1)^|row & signs|."""

    flips: Any
    signs: Any
    quarters: Any


def _product(left: Word, right: Word) -> Word:
    """Words multiply as masks; moving X^f of the left past Z^w of the right costs (-1)^|f & w|."""
    crossing = parity(np.asarray(left.flips) & right.signs)
    return Word(
        left.flips ^ right.flips,
        left.signs ^ right.signs,
        (left.quarters + right.quarters + 2 * crossing) & 3,
    )


def _generator(i: int, g: Metric) -> Word:
    """e_(2k+1) -> Z..Z X on qubit k, e_(2k+2) -> Z..Z Y, an unpaired last one -> Z..Z; times i for
    square -1."""
    k = i // 2
    lower = (1 << k) - 1
    quarters = 0 if g[i] > 0 else 1
    if i == len(g) - 1 and i % 2 == 0:
        return Word(0, lower, quarters)
    if i % 2 == 0:
        return Word(1 << k, lower, quarters)
    return Word(1 << k, lower | 1 << k, (quarters + 3) & 3)


@cache
def words(g: Metric) -> Word:
    """The words of all blades, as three integer arrays indexed by mask (metric without nulls)."""
    if 0 in g:
        raise ValueError(f"metric {g}: only metrics without null vectors have this representation")
    zero = np.zeros(1, dtype=np.int64)
    table = Word(zero, zero, zero)
    for i in range(len(g)):
        extended = _product(table, _generator(i, g))
        pairs = zip(table, extended, strict=True)
        table = Word(*(np.concatenate(pair) for pair in pairs))
    return table


def block_shape(g: Metric) -> tuple[int, int]:
    """Number and size of the blocks of the whole algebra."""
    return 1 + len(g) % 2, 1 << len(g) // 2


class _Tables(NamedTuple):
    """For the first 2 floor(n/2) generators: the mask and phase of each (f, z), and the gathers."""

    masks: Integers  # (N, N): mask of the word with flips f and signs z
    phases: Complexes  # (N, N): i^a
    hadamard: Floats  # (N, N): (-1)^|z & row|
    rows: Integers  # (N,)
    crossed: Integers  # (N, N): row xor column
    last: Complexes | None  # diagonal of the unpaired last generator


def word_masks(paired: Metric, size: int) -> Integers:
    """The blade of the word with flips f and signs z at (f, z), of the paired generators."""
    table = words(paired)
    masks = np.empty((size, size), dtype=np.int64)
    masks[table.flips, table.signs] = np.arange(1 << len(paired))
    return masks


@cache
def _tables(g: Metric) -> _Tables:
    """The words of the paired generators arranged by (f, z)."""
    count, size = block_shape(g)
    paired = g[: len(g) - len(g) % 2]
    table = words(paired)
    masks = word_masks(paired, size)
    rows = np.arange(size)
    last = None
    if count == 2:
        _, signs, quarters = _generator(len(g) - 1, g)
        last = 1j**quarters * parity_signs(len(g) // 2)[rows & signs]
    return _Tables(
        masks=masks,
        phases=np.array([1, 1j, -1, -1j])[table.quarters[masks]],
        hadamard=parity_signs(len(g) // 2)[rows[:, None] & rows],
        rows=rows,
        crossed=rows[:, None] ^ rows,
        last=last,
    )


def blocks_from_coefficients(coefficients: Floats, g: Metric) -> Complexes:
    """rho(A): coefficients (..., 2^n) by mask -> blocks (..., count, N, N)."""
    tables = _tables(g)
    count, size = block_shape(g)
    parts = coefficients.reshape(*coefficients.shape[:-1], count, size * size)
    by_flip = (parts[..., tables.masks] * tables.phases) @ tables.hadamard
    matrices: Complexes = by_flip[..., tables.crossed, tables.rows[:, None]]
    if tables.last is None:
        return matrices
    plain, with_last = matrices[..., :1, :, :], matrices[..., 1:, :, :] * tables.last
    return np.concatenate([plain + with_last, plain - with_last], axis=-3)


def coefficients_from_blocks(blocks: Complexes, g: Metric) -> Floats:
    """The real coefficients (..., 2^n), by mask, of the element with the given blocks.

    c_S = Re tr(Gamma_S^-1 X) / N, averaged over the blocks.
    """
    tables = _tables(g)
    count, size = block_shape(g)
    if tables.last is not None:
        first, second = blocks[..., :1, :, :], blocks[..., 1:, :, :]
        last = tables.last.conj()
        blocks = np.concatenate([first + second, (first - second) * last], axis=-3)
    by_flip = blocks[..., tables.rows, tables.crossed] @ tables.hadamard
    result = np.empty((*blocks.shape[:-3], count, size * size))
    result[..., tables.masks] = (by_flip * tables.phases.conj()).real / (count * size)
    return result.reshape(*blocks.shape[:-3], count * size * size)


@cache
def _even_as_whole(g: Metric) -> tuple[Metric, Integers, Floats]:
    """Cl0 of n generators as the whole algebra of f_i = e_i e_n, i < n, with squares -g_i g_n.

    The product of the f_i over a set of k is (-g_n)^floor(k/2) times a blade of Cl0.  Returns the
    metric of the f_i, and for each of their masks the compact position and the sign.
    """
    n = len(g)
    sub = np.arange(1 << n >> 1)
    masks = sub | parity(sub) << (n - 1)
    sizes = np.array([int(mask).bit_count() for mask in sub])
    signs = np.where(sizes // 2 % 2 == 1, -float(g[-1]), 1.0)
    return tuple(-x * g[-1] for x in g[:-1]), masks >> 1, signs


def even_blocks(coefficients: Floats, g: Metric) -> Complexes:
    """Blocks of even elements in compact order: two of size 2^(n/2-1) for even n (the half-spinor
    representations), one of size 2^((n-1)/2) for odd n."""
    metric, positions, signs = _even_as_whole(g)
    return blocks_from_coefficients(coefficients[..., positions] * signs, metric)


def even_coefficients(blocks: Complexes, g: Metric) -> Floats:
    """Inverse of even_blocks."""
    if len(g) <= LARGEST_TABULATED:
        table, shape = _blocks_of_blades(g)
        flat = np.ascontiguousarray(blocks, dtype=np.complex128)
        flat = flat.reshape(*blocks.shape[:-3], table.shape[1] // 2)  # of an empty batch too
        found: Floats = flat.view(np.float64) @ table.T / (shape[0] * shape[1])
        return found
    metric, positions, signs = _even_as_whole(g)
    result = np.empty((*blocks.shape[:-3], len(positions)))
    result[..., positions] = coefficients_from_blocks(blocks, metric) * signs
    return result


def bivector_blocks(b: Floats, g: Metric) -> Complexes:
    """even_blocks of B = sum_(i<j) b_ij e_i e_j."""
    rows, columns, positions = bivector_positions(len(g))
    if len(g) <= LARGEST_TABULATED:
        table, shape = _blocks_of_blades(g)
        found = np.ascontiguousarray(b[..., rows, columns] @ table[positions])
        return found.view(np.complex128).reshape(*b.shape[:-2], *shape)
    coefficients = np.zeros((*b.shape[:-2], 1 << len(g) >> 1))
    coefficients[..., positions] = b[..., rows, columns]
    return even_blocks(coefficients, g)


@cache
def _blocks_of_blades(g: Metric) -> tuple[Floats, tuple[int, ...]]:
    """even_blocks of every even blade, as one row of real and imaginary parts each, and the shape
    of the blocks.

    One product with it, instead of many small steps, serves single elements.  The matrices of
    blades are unitary, c_S = Re tr(Gamma_S^* X) / (count N), so it is its own inverse, transposed.
    """
    blocks = np.ascontiguousarray(even_blocks(np.eye(1 << len(g) >> 1), g))
    return blocks.reshape(len(blocks), -1).view(np.float64), blocks.shape[1:]


def embedded_metric(g: Metric) -> Metric:
    """Metric of Cl(p+r, q+r): the non-null vectors, then e_+ for each null one, then e_-."""
    r = len(g) - len(non_null(g))
    return non_null(g) + (1,) * r + (-1,) * r


@cache
def _embedding(g: Metric) -> tuple[Integers, Integers, Floats]:
    """Terms of e_0 -> e_+ + e_- on blades: source mask, target mask, sign."""
    n, m = len(g), len(non_null(g))
    source = target = np.arange(1 << n)
    signs = np.ones(1 << n)
    for i in reversed(range(n - m)):
        plus, minus = 1 << (m + i), 1 << (n + i)
        replaced = target[(target & plus) != 0]
        later = (1 << n) - (plus << 1)  # e_- of this vector moves past the e_+ of later ones
        moved = signs[(target & plus) != 0] * (1.0 - 2.0 * parity(replaced & later))
        source = np.concatenate([source, source[(target & plus) != 0]])
        target = np.concatenate([target, replaced ^ plus ^ minus])
        signs = np.concatenate([signs, moved])
    return source, target, signs


def embed_null_vectors(coefficients: Floats, g: Metric) -> Floats:
    """Coefficients by mask in Cl(p,q,r) -> in Cl(p+r, q+r), with metric embedded_metric(g)."""
    source, target, signs = _embedding(g)
    result = np.zeros((*coefficients.shape[:-1], 1 << len(embedded_metric(g))))
    result[..., target] = coefficients[..., source] * signs
    return result


def restrict_to_null_vectors(coefficients: Floats, g: Metric) -> Floats:
    """Inverse of embed_null_vectors on its image: blades without e_- keep their masks."""
    return coefficients[..., : 1 << len(g)]
