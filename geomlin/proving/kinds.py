"""Kinds of arguments in words, and the arguments they stand for, built from vectors and scalars.

`blade(3)` is a ^ b ^ c, `versor(4)` a b c d, `rotor(2)` a b with (a b) ~(a b) = 1; without a
number blade, versor and rotor have two vectors.  `bivector` and `trivector` are general: in the
generic algebra a sum of as many blades as the statement has degree in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import mul, xor
from typing import Protocol

from ..errors import LayoutError
from .record import DimensionBound
from .symbolic import SymbolicAlgebra, SymbolicMultivector


class Source(Protocol):
    """Where the vectors and scalars of the arguments come from."""

    algebra: SymbolicAlgebra

    def scalar(self, label: str) -> SymbolicMultivector:
        """A scalar indeterminate."""
        ...

    def vector(self, label: str) -> SymbolicMultivector:
        """A vector."""
        ...

    def general(self, label: str, grade: int) -> SymbolicMultivector:
        """A general multivector of one grade."""
        ...

    def everything(self, label: str) -> SymbolicMultivector:
        """A general multivector of all grades; DimensionBound in the generic algebra."""
        ...


@dataclass(frozen=True)
class Kind:
    """A family of arguments and its size: the vectors in a blade or versor, or the grade."""

    word: str
    family: str
    size: int


@dataclass(frozen=True)
class Argument:
    """A value with what its kind says: polynomials that vanish, and some that do not."""

    value: SymbolicMultivector
    zero: tuple[SymbolicMultivector, ...] = ()
    nonzero: tuple[SymbolicMultivector, ...] = ()


_PLAIN = {
    "scalar": ("scalar", 0),
    "vector": ("vector", 1),
    "invertible vector": ("invertible vector", 1),
    "bivector": ("general", 2),
    "trivector": ("general", 3),
    "blade": ("blade", 2),
    "simple bivector": ("blade", 2),
    "definite plane": ("regular blade", 2),
    "null bivector": ("null blade", 2),
    "versor": ("versor", 2),
    "rotor": ("rotor", 2),
    "multivector": ("multivector", 0),
    "invertible multivector": ("multivector", 0),
    "pseudoscalar": ("pseudoscalar", 0),
}
_SIZED = {"blade": 1, "versor": 1, "rotor": 2, "multivector": 0}  # smallest size
LARGEST = 12  # vectors in one argument
WORDS = (*_PLAIN, "blade(k)", "versor(k)", "rotor(k)", "multivector(k)")


def parse_kind(word: str) -> Kind:
    """The kind of a word such as "vector", "blade(3)" or "rotor4"; LayoutError for others."""
    spelled = word.replace("_", " ").strip() if isinstance(word, str) else ""
    if spelled in _PLAIN:
        family, size = _PLAIN[spelled]
        return Kind(f"{spelled}({size})" if spelled in _SIZED and size else spelled, family, size)
    found = re.fullmatch(r"(blade|versor|rotor|multivector) ?\(?(\d+)\)?", spelled)
    if found is None:
        raise LayoutError(f"unknown kind {word!r}: expected one of {', '.join(WORDS)}")
    family, size = found[1], int(found[2])
    if not _SIZED[family] <= size <= LARGEST:
        raise LayoutError(
            f"expected from {_SIZED[family]} to {LARGEST} vectors, got the kind {word!r}"
        )
    if family == "rotor" and size % 2:
        raise LayoutError(f"a rotor is a product of evenly many vectors, got {word!r}")
    if family == "multivector":
        return Kind(f"multivector({size})", *_graded(size))
    return Kind(f"{family}({size})", family, size)


def _graded(grade: int) -> tuple[str, int]:
    """A general multivector of one grade."""
    return ("scalar", 0) if grade == 0 else ("vector", 1) if grade == 1 else ("general", grade)


def vector_labels(name: str, kind: Kind) -> list[str]:
    """Names of the vectors that an argument is made of; none for general ones."""
    if kind.family in ("vector", "invertible vector") or (
        kind.family == "blade" and kind.size == 1
    ):
        return [name]
    if kind.family in ("blade", "regular blade", "null blade", "versor", "rotor"):
        return [f"{name}{i}" for i in range(1, kind.size + 1)]
    return []


def build(name: str, kind: Kind, source: Source) -> Argument:
    """The argument of that name and kind."""
    if kind.family == "scalar":
        return Argument(source.scalar(name))
    if kind.family == "general":
        return Argument(source.general(name, kind.size))
    if kind.family == "multivector":
        return Argument(source.everything(name))
    if kind.family == "pseudoscalar":
        return Argument(source.algebra.pseudoscalar)
    vectors = [source.vector(label) for label in vector_labels(name, kind)]
    return _RULES[kind.family](vectors)


def _product(vectors: list[SymbolicMultivector]) -> SymbolicMultivector:
    return reduce(mul, vectors)


def _squares(vectors: list[SymbolicMultivector]) -> tuple[SymbolicMultivector, ...]:
    return tuple(v * v for v in vectors)


def _rotor(vectors: list[SymbolicMultivector]) -> Argument:
    """R = u_1 .. u_2m with u_1^2 .. u_2m^2 = 1."""
    return Argument(_product(vectors), zero=(_product(list(_squares(vectors))) - 1,))


def _regular_blade(vectors: list[SymbolicMultivector]) -> Argument:
    blade = reduce(xor, vectors)
    return Argument(blade, nonzero=(blade * ~blade,))


def _null_blade(vectors: list[SymbolicMultivector]) -> Argument:
    """b^2 = 0 gives b ^ b = 0, so that b is simple: u ^ v covers all null bivectors."""
    blade = reduce(xor, vectors)
    return Argument(blade, zero=(blade * ~blade,))


_RULES: dict[str, Callable[[list[SymbolicMultivector]], Argument]] = {
    "vector": lambda vectors: Argument(vectors[0]),
    "invertible vector": lambda vectors: Argument(vectors[0], nonzero=_squares(vectors)),
    "blade": lambda vectors: Argument(reduce(xor, vectors)),
    "regular blade": _regular_blade,
    "null blade": _null_blade,
    "versor": lambda vectors: Argument(_product(vectors), nonzero=_squares(vectors)),
    "rotor": _rotor,
}


def refuse_everything(label: str) -> SymbolicMultivector:
    """A general multivector has 2^n coefficients."""
    raise DimensionBound(f"the general multivector {label}")
