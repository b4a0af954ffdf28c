"""The generic algebra of k vectors by itself, and its images in spaces with coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq_mpoly

from .equation import Equation
from .kinds import parse_kind
from .sources import GenericSource, Plan
from .symbolic import SymbolicMultivector
from .symbolic_metric import Element, SymbolicMetric


def generators(k: int) -> list[SymbolicMultivector]:
    """a_1, .., a_k with indeterminate inner products."""
    source = GenericSource({f"a{i}": parse_kind("vector") for i in range(1, k + 1)}, Plan())
    return [source.vector(label) for label in source.labels]


def basis(vectors: Sequence[SymbolicMultivector]) -> list[SymbolicMultivector]:
    """The blades a_S, by bit mask of S."""
    algebra = vectors[0].algebra
    return [algebra.element({mask: algebra.ring.one}) for mask in range(1 << len(vectors))]


def equal(x: SymbolicMultivector, y: SymbolicMultivector) -> Equation:
    """x = y, coefficient by coefficient."""
    zero, masks = x.algebra.ring.zero, range(1 << x.algebra.gram.size)
    left, right = ([element.terms.get(mask, zero) for mask in masks] for element in (x, y))
    return Equation(left, right)


class Homomorphism:
    """a_i -> v_i and a_i . a_j -> v_i . v_j, for vectors v_i with coordinates."""

    def __init__(self, space: SymbolicMetric, vectors: Sequence[Element]) -> None:
        self.space = space
        self._inner = [(u * v).scalar_part for i, u in enumerate(vectors) for v in vectors[i:]]
        self.blades = [space.scalar(1)]  # the images v_S of a_S, by bit mask
        for mask in range(1, 1 << len(vectors)):
            last = mask.bit_length() - 1
            self.blades.append(self.blades[mask ^ 1 << last] ^ vectors[last])

    def coefficient(self, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """p(v_i . v_j); the first indeterminate of the generic ring is auxiliary."""
        zero = self.space.constant(0)
        return polynomial.compose(zero, *self._inner, ctx=self.space.context)

    def __call__(self, x: SymbolicMultivector) -> Element:
        """sum_S c_S a_S -> sum_S c_S(v_i . v_j) v_S."""
        total = self.space.scalar(0)
        for mask, coefficient in x.terms.items():
            total = total + self.blades[mask] * self.coefficient(coefficient)
        return total
