"""A faithful matrix representation of the even algebra of Cl(p,q,r), for the reference only.

It acts on (spinors of Cl(p,q)) tensor (exterior algebra of the r null vectors).  States are bit
strings s: one bit for each pair of non-null basis vectors, one bit for each null one.  By the
Jordan-Wigner construction e_j flips one bit, with a sign that counts the lower bits set:

    e_(2k+1), e_(2k+2): Pauli X and Y on bit k, times i when the square is -1
    null e_j:           sets its bit, and kills the states in which it is set already

so e_j |s> = i^phase |s ^ bit>, or 0.  Even elements keep the parity of s.  One parity suffices
when p + q is odd (both are faithful) or zero; else the two chiralities are both needed.
Coefficients come back from the states whose null bits are clear: the phases of distinct blades
that flip the same bits are orthogonal there, hence for x = sum_S x_S E_S

    x_S = (1/N) sum_s conj(i^phase(S,s)) <s ^ flip(S)| x |s>.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import NDArray

from ..blades import blades_of_grade, indices_of
from ..signature import Signature

FloatArray = NDArray[np.float64]
Action = tuple[int, int] | None  # (new state, phase mod 4) of a basis state, None when killed


def even_blades(n: int) -> tuple[int, ...]:
    """Masks of the even layout: by grade, then lexicographic."""
    return tuple(mask for k in range(0, n + 1, 2) for mask in blades_of_grade(n, k))


def _act_with_vector(signature: Signature, j: int, state: int) -> Action:
    """e_(j+1) |state>."""
    p, q, _ = signature
    if j < p + q:
        bit = j // 2
        phase = (1 + 2 * (state >> bit & 1)) if j % 2 else 0  # Y|0> = i|1>, Y|1> = -i|0>
        phase += 1 if j >= p else 0
    else:
        bit = (p + q + 1) // 2 + j - p - q
        if state >> bit & 1:
            return None
        phase = 0
    below = state & ((1 << bit) - 1)
    return state ^ (1 << bit), (phase + 2 * below.bit_count()) % 4


def _act_with_blade(signature: Signature, mask: int, state: int) -> Action:
    """E_S |state>: the last vector of the ascending product acts first."""
    phase = 0
    for index in reversed(indices_of(mask)):
        image = _act_with_vector(signature, index - 1, state)
        if image is None:
            return None
        state, phase = image[0], (phase + image[1]) % 4
    return state, phase


@dataclass(frozen=True)
class Representation:
    """Index tables of the representation; entries are (row, column, phase)."""

    sizes: tuple[int, ...]
    bivector_entries: tuple[tuple[tuple[int, int, int, int], ...], ...]  # per bivector, with block
    coefficient_entries: tuple[tuple[tuple[int, int, int, int], ...], ...]  # per even blade
    columns: int

    def blocks(self, b: FloatArray) -> list[acb_mat]:
        """The matrices of sum_{i<j} b_ij e_i e_j, one for each parity of states."""
        powers = (acb(1), acb(0, 1), acb(-1), acb(0, -1))
        matrices = [acb_mat(size, size) for size in self.sizes]
        pairs = combinations(range(len(b)), 2)
        for (i, j), entries in zip(pairs, self.bivector_entries, strict=True):
            if b[i, j] != 0.0:
                values = [power * float(b[i, j]) for power in powers]
                for block, row, column, phase in entries:
                    matrices[block][row, column] += values[phase]
        return matrices

    def coefficients(self, blocks: list[acb_mat]) -> tuple[arb, ...]:
        """The coefficients, in even blade order, of the even element with these matrices."""
        return tuple(
            sum(
                (_real_part(blocks[m][row, column], phase) for m, row, column, phase in entries),
                arb(0),
            )
            / self.columns
            for entries in self.coefficient_entries
        )


def _real_part(value: acb, phase: int) -> arb:
    """Real part of i^(-phase) value."""
    part = value.imag if phase % 2 else value.real
    return -part if phase >= 2 else part


@cache
def representation(signature: Signature) -> Representation:
    """The tables of one signature."""
    n, spinor_bits = signature.n, (signature.p + signature.q + 1) // 2
    parities = (0, 1) if (signature.p + signature.q) % 2 == 0 and spinor_bits else (0,)
    states = range(2 ** (spinor_bits + signature.r))
    blocks = [[s for s in states if s.bit_count() % 2 == parity] for parity in parities]
    position = {s: (m, k) for m, block in enumerate(blocks) for k, s in enumerate(block)}
    vacuum = [s for s in position if s < 2**spinor_bits]

    def entries(mask: int, columns: list[int]) -> tuple[tuple[int, int, int, int], ...]:
        images = [(s, _act_with_blade(signature, mask, s)) for s in columns]
        return tuple(
            (*position[image[0]], position[s][1], image[1]) for s, image in images if image
        )

    return Representation(
        sizes=tuple(len(block) for block in blocks),
        bivector_entries=tuple(entries(mask, list(position)) for mask in blades_of_grade(n, 2)),
        coefficient_entries=tuple(entries(mask, vacuum) for mask in even_blades(n)),
        columns=len(vacuum),
    )
