"""Arguments of a statement: generators of the generic algebra, or coordinates in dimension n."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..blades import all_blades, blade_name, blades_of_grade
from ..errors import LayoutError
from .gram import GramAlgebra
from .kinds import Kind, refuse_everything, vector_labels
from .ring import Ring, Symbol
from .symbolic import SymbolicAlgebra, SymbolicMultivector

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Plan:
    """How many blades stand for each general multivector, and how many roots are taken."""

    blades: Mapping[str, int] = field(default_factory=dict)
    roots: int = 0


def latex_name(label: str) -> str:
    """A name with its trailing digits as a subscript."""
    stem = label.rstrip("0123456789")
    return f"{stem}_{{{label[len(stem) :]}}}" if stem and stem != label else label


def _root_symbols(count: int) -> list[Symbol]:
    roots = [Symbol("root", f"s{i}".translate(_SUBSCRIPTS), f"s_{i}") for i in range(1, count + 1)]
    signs = [
        Symbol("sign", f"σ{i}".translate(_SUBSCRIPTS), rf"\sigma_{i}") for i in range(1, count + 1)
    ]
    return roots + signs


def _scalar_symbols(kinds: Mapping[str, Kind]) -> dict[str, Symbol]:
    names = [name for name, kind in kinds.items() if kind.family == "scalar"]
    return {name: Symbol("scalar", name, latex_name(name)) for name in names}


class GenericSource:
    """Vectors are generators; their k(k+1)/2 inner products are indeterminates."""

    def __init__(self, kinds: Mapping[str, Kind], plan: Plan) -> None:
        self._plan = plan
        self.labels = list(_generators(kinds, plan))
        self._general = [name for name, kind in kinds.items() if kind.family == "general"]
        self._scalars = _scalar_symbols(kinds)
        k = len(self.labels)
        self._entries = {(i, j): self._inner(i, j) for i in range(k) for j in range(i, k)}
        entries = self._entries.values()
        ring = Ring([*_root_symbols(plan.roots), *self._scalars.values(), *entries])
        rows = [[ring[self._entries[min(i, j), max(i, j)]] for j in range(k)] for i in range(k)]
        gram = GramAlgebra(ring.context, rows)
        self.algebra = SymbolicAlgebra(ring, gram, _blade_text(self.labels))

    def blades_of_general(self) -> dict[str, int]:
        """How many blades stand for each general multivector."""
        return {name: self._plan.blades.get(name, 1) for name in self._general}

    def degree_in(self, name: str, grade: int, value: SymbolicMultivector) -> int:
        """The degree of a value in a general multivector: its vectors in a term, over the grade.

        The part of degree e vanishes for all multivectors if it does for sums of e blades, so
        with enough blades this is the degree of the value as a polynomial.
        """
        own = {self.labels.index(v) for b in _blade_vectors(name, grade, self._plan) for v in b}
        symbols = self.algebra.ring.symbols
        pairs = {symbol: pair for pair, symbol in self._entries.items()}
        weight = [sum(i in own for i in pairs.get(symbol, ())) for symbol in symbols]
        blade = {mask: sum(mask >> i & 1 for i in own) for mask in value.terms}
        degrees = (
            blade[mask] + sum(w * k for w, k in zip(weight, powers, strict=True) if k)
            for mask, coefficient in value.terms.items()
            for powers in coefficient.monoms()
        )
        return max(degrees, default=0) // grade

    def _inner(self, i: int, j: int) -> Symbol:
        """The symbol of a_i . a_j."""
        a, b = self.labels[i], self.labels[j]
        if i == j:
            return Symbol("gram", f"{a}²", f"{latex_name(a)}^2")
        return Symbol("gram", f"({a}·{b})", rf"({latex_name(a)} \cdot {latex_name(b)})")

    def scalar(self, label: str) -> SymbolicMultivector:
        """The indeterminate."""
        return self.algebra.element({0: self.algebra.ring[self._scalars[label]]})

    def vector(self, label: str) -> SymbolicMultivector:
        """The generator."""
        return self.algebra.element({1 << self.labels.index(label): self.algebra.ring.one})

    def general(self, label: str, grade: int) -> SymbolicMultivector:
        """A sum of as many blades as the plan says; of degree one in itself."""
        total: Any = self.algebra.scalar(0)
        for blade in _blade_vectors(label, grade, self._plan):
            product: Any = self.algebra.scalar(1)
            for name in blade:
                product = product ^ self.vector(name)
            total = total + product
        return self.algebra.element(total.terms, degrees={label: 1})

    def everything(self, label: str) -> SymbolicMultivector:
        """Refused: it depends on the dimension."""
        return refuse_everything(label)


def _blade_vectors(label: str, grade: int, plan: Plan) -> list[list[str]]:
    """Names of the vectors of each blade of a general multivector."""
    count = plan.blades.get(label, 1)
    return [[f"{label}{j * grade + i}" for i in range(1, grade + 1)] for j in range(count)]


def _generators(kinds: Mapping[str, Kind], plan: Plan) -> list[str]:
    """Names of all vectors."""
    labels: list[str] = []
    for name, kind in kinds.items():
        if kind.family == "general":
            labels += [v for blade in _blade_vectors(name, kind.size, plan) for v in blade]
        else:
            labels += vector_labels(name, kind)
    return labels


def _blade_text(names: Sequence[str]) -> Callable[[int], tuple[str, str]]:
    """How the blade of some generators reads: a∧b."""

    def text(mask: int) -> tuple[str, str]:
        chosen = [name for i, name in enumerate(names) if mask >> i & 1]
        return "∧".join(chosen), r" \wedge ".join(map(latex_name, chosen))

    return text


class CoordinateSource:
    """Coordinates in an orthogonal basis e_1..e_n; the squares g_i are symbols unless given.

    With `triangular` the i-th vector lies in the span of e_1..e_i.  In Euclidean space every list
    of vectors can be rotated so.
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        n: int,
        metric: Sequence[int] | None,
        *,
        roots: int = 0,
        triangular: bool = False,
    ) -> None:
        self.n = n
        self._symbols = _coordinate_symbols(kinds, n, triangular=triangular)
        self._scalars = _scalar_symbols(kinds)
        squares = [Symbol("metric", f"g{i}", f"g_{i}") for i in range(1, n + 1)]
        coordinates = [symbol for row in self._symbols.values() for symbol in row.values()]
        used = squares if metric is None else []
        self.ring = Ring([*_root_symbols(roots), *self._scalars.values(), *coordinates, *used])
        constants = metric if metric is not None else ()
        given = tuple(self.ring.context.constant(g) for g in constants)
        self.algebra = SymbolicAlgebra.of_metric(
            self.ring, given or tuple(self.ring[g] for g in squares)
        )

    def scalar(self, label: str) -> SymbolicMultivector:
        """The indeterminate."""
        return self.algebra.element({0: self.ring[self._scalars[label]]})

    def vector(self, label: str) -> SymbolicMultivector:
        """sum_i a_i e_i."""
        return self._element(label)

    def general(self, label: str, grade: int) -> SymbolicMultivector:
        """sum over the blades of one grade."""
        return self._element(label)

    def everything(self, label: str) -> SymbolicMultivector:
        """sum over all blades."""
        return self._element(label)

    def _element(self, label: str) -> SymbolicMultivector:
        symbols = self._symbols[label]
        return self.algebra.element({mask: self.ring[s] for mask, s in symbols.items()})


def _coordinate_symbols(
    kinds: Mapping[str, Kind], n: int, *, triangular: bool
) -> dict[str, dict[int, Symbol]]:
    """For each vector or general argument the symbols of its blades.

    The last blade comes first, so that a search which prefers zeros finds e1 rather than e3.
    """
    found: dict[str, dict[int, Symbol]] = {}
    vectors = 0
    for name, kind in kinds.items():
        for label, masks in _coordinates(name, kind, n):
            if vector_labels(name, kind):
                vectors += 1
                masks = masks[:vectors] if triangular else masks
            if label in found:
                raise LayoutError(f"two arguments have a vector {label}: rename one")
            found[label] = {mask: _coordinate(label, mask, n) for mask in reversed(masks)}
    return found


def _coordinate(label: str, mask: int, n: int) -> Symbol:
    """The coordinate of an argument along a blade: a12."""
    suffix = blade_name(mask, n)[1:] if mask else ""
    text = f"{label}_{suffix}" if label[-1].isdigit() and suffix else label + suffix
    return Symbol("coordinate", text, f"{label}_{{{suffix}}}" if suffix else label)


def _coordinates(name: str, kind: Kind, n: int) -> list[tuple[str, tuple[int, ...]]]:
    """(label, blades) of the free coordinates of an argument."""
    if kind.family == "general":
        return [(name, blades_of_grade(n, kind.size))]
    if kind.family == "multivector":
        return [(name, all_blades(n))]
    return [(label, blades_of_grade(n, 1)) for label in vector_labels(name, kind)]
