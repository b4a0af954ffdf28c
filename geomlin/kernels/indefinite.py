"""Planes of bivectors in metrics with two or more directions of each sign.

M^2 is self-adjoint for the metric, so V and its metric complement are both invariant when V belongs
to a set of eigenvalues of M closed under sign and conjugation.  Cutting along well-conditioned sets
leaves definite, Lorentzian or neutral four-dimensional pieces, which have their own solvers, and
single clusters of eigenvalues, which are planes with equal squares, or have no real split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..plane_kind import PlaneKind
from .canonical import TIE, metric_form, pivot_part
from .definite import FloatArray, rotation_frame, rotation_parts
from .lorentz import lorentz_parts
from .neutral import neutral_parts
from .ordering import SIMPLE, Parts, unclassified
from .spectral import best_cluster

LARGEST_PROJECTOR = 2.0**13  # a cut along projectors of norm x loses eps x^2: half of the digits


class Block(NamedTuple):
    """One commuting part: its matrix, its kind (SIMPLE until classified) and its square."""

    part: FloatArray
    kind: int = SIMPLE
    square: complex = 0.0


class Piece(NamedTuple):
    """An invariant subspace: columns W of a frame with W^T G W = S, and the diagonal of S."""

    frame: FloatArray
    signs: FloatArray

    @property
    def stretch(self) -> float:
        """|W|^2, the norm of the metric projector W S W^T G."""
        return float(np.linalg.norm(self.frame, 2) ** 2)

    def coordinates(self, b: FloatArray, g: FloatArray) -> FloatArray:
        """b' with b = W b' W^T on the subspace: b' = S W^T G b G W S."""
        dual = g[:, None] * self.frame * self.signs
        inner = dual.T @ b @ dual
        return np.asarray(inner - inner.T) / 2

    def embedded(self, part: FloatArray) -> FloatArray:
        """W b' W^T."""
        outer = self.frame @ part @ self.frame.T
        return np.asarray(outer - outer.T) / 2

    def subspace(self, basis: FloatArray, g: FloatArray) -> Piece:
        """The span of W times orthonormal columns, made metric-orthonormal."""
        values, vectors = np.linalg.eigh(basis.T @ (self.signs[:, None] * basis))
        signs = np.sign(values)
        frame = self.frame @ (basis @ vectors / np.sqrt(np.abs(values)))
        # One Newton step for W^T G W = S removes the errors that nested frames accumulate.
        defect = signs[:, None] * (frame.T @ (g[:, None] * frame))
        return Piece(frame @ (3 * np.eye(len(signs)) - defect) / 2, signs)


def indefinite_parts(b: FloatArray, g: FloatArray) -> Parts:
    """Commuting parts of a flat batch (m, n, n), as many slots as n // 2."""
    tau = TIE * rotation_frame(b)[0].max(axis=-1, initial=0.0)
    if len(g) == 4:
        return neutral_parts(b, g, tau)
    found = unclassified(np.zeros((len(b), len(g) // 2, len(g), len(g))), g)
    everything = Piece(np.eye(len(g)), g)
    for index, element in enumerate(b):
        blocks = _completed(element, _blocks(element, g, float(tau[index]), everything))
        blocks.sort(key=lambda block: -np.abs(block.part).max())
        for slot, block in enumerate(blocks[: found.kinds.shape[1]]):
            found.parts[index, slot] = block.part
            found.kinds[index, slot] = block.kind
            found.squares[index, slot] = block.square
    return found


def _completed(b: FloatArray, blocks: list[Block]) -> list[Block]:
    """The blocks with what is missing from the sum in a defective one, which need not be simple."""
    kinds = [block.kind for block in blocks]
    if PlaneKind.DEFECTIVE not in kinds:
        return blocks
    chosen = kinds.index(PlaneKind.DEFECTIVE)
    missing = b - sum(block.part for block in blocks)
    completed = blocks[chosen]._replace(part=blocks[chosen].part + missing)
    return [*blocks[:chosen], completed, *blocks[chosen + 1 :]]


def _blocks(b: FloatArray, g: FloatArray, rounding: float, piece: Piece) -> list[Block]:
    """Commuting blocks of one bivector inside a piece; `rounding` bounds the errors of b."""
    inner, signs = piece.coordinates(b, g), piece.signs
    size = rotation_frame(inner)[0].max(initial=0.0)
    tau = max(TIE * size, rounding * piece.stretch)
    solved = _solved(inner, signs, tau)
    if solved is not None:
        return [block._replace(part=piece.embedded(block.part)) for block in solved]
    if _has_one_square(inner, signs, tau):
        first = _simple(pivot_part(inner, signs)[None], signs)[0]
        first = first._replace(part=piece.embedded(first.part))
        return [first, *_blocks(b - first.part, g, rounding, piece)]

    basis, norm = best_cluster(inner * signs, signs, tau)
    if norm <= LARGEST_PROJECTOR:
        halves = basis, _complement(signs[:, None] * basis)
        pieces = [piece.subspace(columns, g) for columns in halves]
        if max(half.stretch for half in pieces) <= LARGEST_PROJECTOR:
            return [block for half in pieces for block in _blocks(b, g, rounding, half)]
    return [_unsplit(inner, piece, tau)]


def _solved(b: FloatArray, g: FloatArray, tau: float) -> list[Block] | None:
    """Blocks where a direct solver exists, else None: simple, definite, Lorentzian, n = 4, M^2 = 0.

    If M^2 = 0 the image of M is totally null, and Euclidean planes of it are invariant.
    """
    angles, frame = rotation_frame(b)
    minority = min((g > 0).sum(), (g < 0).sum())
    totally_null = np.abs(metric_form(b, g)).max() <= 8 * tau * angles.max(initial=0.0)
    if (angles > tau).sum() <= 1 or minority == 0 or totally_null:
        parts = rotation_parts(angles, frame)
    elif minority == 1:
        parts = lorentz_parts(b, g)
    elif len(g) == 4:
        found = neutral_parts(b[None], g, np.array([tau]))
        return listed(Parts(*(values[0] for values in found)))
    else:
        return None
    return [x for x in _simple(parts, g) if np.abs(x.part).max() > tau / 2]


def _simple(parts: FloatArray, g: FloatArray) -> list[Block]:
    """Simple parts with their squares."""
    return listed(unclassified(parts, g))


def listed(found: Parts) -> list[Block]:
    """The slots of one bivector as blocks."""
    rows = zip(found.parts, found.kinds, found.squares, strict=True)
    return [Block(part, int(kind), complex(square)) for part, kind, square in rows]


def _complement(columns: FloatArray) -> FloatArray:
    """Orthonormal basis of the Euclidean complement of the span of independent columns."""
    return np.asarray(np.linalg.qr(columns, mode="complete").Q[:, columns.shape[1] :])


def _has_one_square(b: FloatArray, g: FloatArray, tau: float) -> bool:
    """True if M^2 is a scalar or M^3 = 0, up to rounding: then every part has the same square."""
    m = b * g
    m2 = m @ m
    size = np.abs(m).max()
    square = np.trace(m2) / len(g)
    scalar = np.abs(m2 - square * np.eye(len(g))).max() <= 8 * tau * size
    return bool(scalar or np.abs(m2 @ m).max() <= 8 * tau * size**2)


def _unsplit(b: FloatArray, piece: Piece, tau: float) -> Block:
    """One cluster of squares s +- i t without a real split.

    s = tr M^2 / n and t^2 = s^2 - tr M^4 / n; a complex pair when (M^2 - s)^2 = -t^2.
    """
    n = len(b)
    m2 = np.linalg.matrix_power(b * piece.signs, 2)
    rounding = 64 * tau * np.abs(b).max() ** 3
    real = np.trace(m2) / n
    imaginary = real**2 - np.trace(m2 @ m2) / n
    deviation = m2 - real * np.eye(n)
    semisimple = np.abs(deviation @ deviation + imaginary * np.eye(n)).max() <= rounding
    if imaginary > rounding and semisimple:
        return Block(piece.embedded(b), PlaneKind.COMPLEX_PAIR, complex(real, np.sqrt(imaginary)))
    square = complex(real, np.sqrt(imaginary) if imaginary > rounding else 0.0)
    return Block(piece.embedded(b), PlaneKind.DEFECTIVE, square)
