"""Multivectors as real matrix blocks, and back: gathers and Walsh-Hadamard transforms.

The complex spinor blocks P + i Q of geomlin.kernels.monomial are stored as [[P, -Q], [Q, P]], so
that compilers meet real matrix products only.  Even elements of n generators are represented as
the whole algebra of f_i = e_i e_n, i < n; null vectors as e_0 -> e_+ + e_-.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import NotSupported
from ..kernels.bits import Metric, non_null, parity, parity_signs
from ..kernels.monomial import block_shape, embedded_metric, word_masks, words
from ..layout import Layout

LARGEST = 14  # generators of the embedded algebra

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Plan(NamedTuple):
    """How the blades of a layout become the blades of the represented algebra, by mask."""

    metric: Metric  # of the represented algebra, without null vectors
    sources: tuple[int, ...]  # for each of its blades: position in the layout, -1 for none
    source_signs: Floats
    positions: Integers  # for each blade of the layout: mask in the represented algebra
    position_signs: Floats


def _embedded(mask: int, m: int, r: int) -> tuple[int, float]:
    """Blade of Cl(p,q,r) that a blade of Cl(p+r,q+r) comes from, and the sign; -1 for none."""
    null = (1 << r) - 1
    plus, minus = mask >> m & null, mask >> (m + r)
    if plus & minus:
        return -1, 0.0
    passed = sum((plus >> (i + 1)).bit_count() for i in range(r) if minus >> i & 1)
    return (mask & ((1 << m) - 1)) | (plus | minus) << m, (-1.0) ** passed


@cache
def plan(g: Metric, layout: Layout, even: bool) -> Plan:
    """The representation of a layout; `even` for layouts of even blades only, which need blocks of
    half the size."""
    m, wide = len(non_null(g)), embedded_metric(g)
    n = len(wide)
    if n > LARGEST:
        raise NotSupported(
            f"metric {g}: the matrices of {n} generators, two for each null vector, are too "
            "large; use A.to(backend='numpy')"
        )
    masks = np.arange(1 << n)
    signs = np.ones(1 << n)
    metric = wide
    if even:
        sub = np.arange(1 << n >> 1)
        masks = sub | parity(sub) << (n - 1)
        half_grades = np.array([int(mask).bit_count() // 2 for mask in sub])
        signs = np.where(half_grades % 2 == 1, -float(wide[-1]), 1.0)
        metric = tuple(-x * wide[-1] for x in wide[:-1])
    place = {int(mask): k for k, mask in enumerate(masks)}
    sources, source_signs = [], []
    for mask, sign in zip(masks.tolist(), signs, strict=True):
        blade, moved = _embedded(mask, m, len(g) - m)
        sources.append(layout.position.get(blade, -1))
        source_signs.append(sign * moved)
    positions = np.array([place[mask] for mask in layout.masks], dtype=np.int64)
    return Plan(metric, tuple(sources), np.array(source_signs), positions, signs[positions])


class _Tables(NamedTuple):
    """The words of the paired generators by flips f and signs z, as in kernels.monomial."""

    masks: Integers  # (N, N): mask of the word (f, z)
    real: Floats  # (N, N): real part of its phase
    imaginary: Floats
    hadamard: Floats  # (N, N): (-1)^|z & row|
    gather: Integers  # (N, N): flat position (row xor column, row)
    back: Integers  # (N, N): flat position (row, row xor f)
    last: tuple[Floats, bool] | None  # unpaired last generator: signs, and whether times i


@cache
def _tables(g: Metric) -> _Tables:
    count, size = block_shape(g)
    paired = g[: len(g) - len(g) % 2]
    table = words(paired)
    masks = word_masks(paired, size)
    phases = np.array([1, 1j, -1, -1j])[table.quarters[masks]]
    rows = np.arange(size)
    last = None
    if count == 2:  # Z on every qubit, times i for a negative square
        last = (parity_signs(len(g) // 2)[rows], g[-1] < 0)
    return _Tables(
        masks=masks,
        real=np.ascontiguousarray(phases.real),
        imaginary=np.ascontiguousarray(phases.imag),
        hadamard=parity_signs(len(g) // 2)[rows[:, None] & rows],
        gather=(rows[:, None] ^ rows) * size + rows[:, None],
        back=rows * size + (rows[:, None] ^ rows),
        last=last,
    )


def _flat(xp: Any, matrices: Any, positions: Integers) -> Any:
    """Entries of matrices (..., N, N) at flat positions."""
    return xp.take(matrices.reshape(*matrices.shape[:-2], positions.size), positions)


def blocks(xp: Any, coefficients: Any, how: Plan) -> Any:
    """Real blocks (..., count, 2N, 2N) of coefficients in the layout of the plan."""
    by_mask = xp.select(coefficients, how.sources) * xp.constant(how.source_signs, coefficients)
    t = _tables(how.metric)
    count, size = block_shape(how.metric)
    parts = by_mask.reshape(*by_mask.shape[:-1], count, size * size)
    words_of = xp.take(parts, t.masks)
    hadamard = xp.constant(t.hadamard, parts)
    p, q = (
        _flat(xp, xp.matmul(words_of * xp.constant(phase, parts), hadamard), t.gather)
        for phase in (t.real, t.imaginary)
    )
    if t.last is not None:
        p, q = _with_last(xp, p, q, t.last)
    top = xp.concatenate([p, -q], -1)
    return xp.concatenate([top, xp.concatenate([q, p], -1)], -2)


def _with_last(xp: Any, p: Any, q: Any, last: tuple[Floats, bool]) -> tuple[Any, Any]:
    """A + B L and A - B L from A and B, L the diagonal of the last generator."""
    signs, imaginary = xp.constant(last[0], p), last[1]
    first, second = [(x[..., 0, :, :], x[..., 1, :, :] * signs) for x in (p, q)]
    a, b = first[0], second[0]
    c, d = (-second[1], first[1]) if imaginary else (first[1], second[1])
    return xp.stack([a + c, a - c], -3), xp.stack([b + d, b - d], -3)


def coefficients(xp: Any, matrices: Any, how: Plan) -> Any:
    """Coefficients in the layout of the plan of the element with the given real blocks."""
    t = _tables(how.metric)
    count, size = block_shape(how.metric)
    p, q = matrices[..., :size, :size], matrices[..., size:, :size]
    if t.last is not None:
        signs, imaginary = xp.constant(t.last[0], p), t.last[1]
        sums = [x[..., 0, :, :] + x[..., 1, :, :] for x in (p, q)]
        p_last, q_last = ((x[..., 0, :, :] - x[..., 1, :, :]) * signs for x in (p, q))
        if imaginary:
            p_last, q_last = q_last, -p_last
        p, q = xp.stack([sums[0], p_last], -3), xp.stack([sums[1], q_last], -3)
    hadamard = xp.constant(t.hadamard, p)
    real, imag = (xp.matmul(_flat(xp, x, t.back), hadamard) for x in (p, q))
    by_word = real * xp.constant(t.real, p) + imag * xp.constant(t.imaginary, p)
    order = np.argsort(t.masks.reshape(-1))
    by_mask = xp.take(by_word.reshape(*by_word.shape[:-2], size * size), order)
    whole = by_mask.reshape(*by_mask.shape[:-2], count * size * size)
    signs_of = xp.constant(how.position_signs / (count * size), whole)
    return xp.take(whole, how.positions) * signs_of
