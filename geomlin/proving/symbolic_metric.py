"""Clifford algebra over Q[g1..gn, symbols] whose metric squares e_i^2 = g_i are indeterminates.

An identity that holds here holds in every signature of dimension n: put g_i = 1, -1 or 0.
Conversely a nonzero difference that is reduced modulo g_i^3 = g_i is nonzero at some such g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from ..blades import all_blades, blade_mask, blade_name, blades_of_grade, grade_of, reorder_sign

Scalar: TypeAlias = int | fmpq | fmpq_mpoly


class SymbolicMetric:
    """Polynomial ring and Clifford algebra of dimension n; each keyword declares symbols.

    `SymbolicMetric(4, root=0, b=2, r=(0, 2, 4))` has the scalar symbol `root`, the symbols b12,
    b13, .. of a generic bivector and r, r12, .., r1234 of a generic even element.  Scalar symbols
    come first in the lexicographic order, so that `p % chi` divides by a polynomial that is
    monic in the first of them.  Symbols in `kept` stay indeterminate in a witness.  A `metric`
    of numbers replaces the indeterminates g_i.
    """

    def __init__(
        self,
        n: int,
        *,
        metric: Sequence[int] | None = None,
        nondegenerate: bool = False,
        kept: Sequence[str] = (),
        **grades: int | Iterable[int],
    ) -> None:
        self.n = n
        self.nondegenerate = nondegenerate
        self.kept = tuple(kept)
        self._names: dict[str, dict[int, str]] = {
            letter: {
                mask: letter + (blade_name(mask, n)[1:] if mask else "")
                for grade in ((spec,) if isinstance(spec, int) else spec)
                for mask in blades_of_grade(n, grade)
            }
            for letter, spec in grades.items()
        }
        scalars = [letter for letter, names in self._names.items() if tuple(names) == (0,)]
        rest = [s for a, names in self._names.items() if a not in scalars for s in names.values()]
        self.metric_names = tuple(f"g{i}" for i in range(1, n + 1)) if metric is None else ()
        self.names = (*scalars, *self.metric_names, *rest)
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"symbols coincide in {self.names}: choose other letters")
        self.context = fmpq_mpoly_ctx.get(self.names, Ordering.lex)
        self._symbols = dict(zip(self.names, self.context.gens(), strict=True))
        symbolic = (self._symbols[name] for name in self.metric_names)
        self.metric = tuple(symbolic if metric is None else map(self.constant, metric))
        self._squares: dict[int, fmpq_mpoly] = {}

    def symbol(self, name: str) -> fmpq_mpoly:
        """The indeterminate of that name."""
        return self._symbols[name]

    def constant(self, value: Scalar) -> fmpq_mpoly:
        """A number, or a polynomial as it is, as a polynomial."""
        return value if isinstance(value, fmpq_mpoly) else self.context.constant(value)

    def square(self, mask: int) -> fmpq_mpoly:
        """prod g_i over the blade: the factor that repeated basis vectors leave behind."""
        if mask not in self._squares:
            factors = (g for i, g in enumerate(self.metric) if mask >> i & 1)
            self._squares[mask] = reduce(mul, factors, self.constant(1))
        return self._squares[mask]

    def element(self, terms: Mapping[int, Scalar]) -> Element:
        """sum_S c_S e_S from blade masks and coefficients."""
        return Element(self, {s: self.constant(c) for s, c in terms.items() if c != 0})

    def scalar(self, value: Scalar) -> Element:
        """A scalar as an element."""
        return self.element({0: value})

    def blade(self, name: str) -> Element:
        """The basis blade of that name: 1, e1, e12."""
        return self.element({blade_mask(name, self.n): 1})

    def vectors(self) -> list[Element]:
        """e1, .., en."""
        return [self.element({1 << i: 1}) for i in range(self.n)]

    def generic(self, letter: str) -> Element:
        """sum_S c_S e_S over the declared grades, with one symbol for each coefficient."""
        return self.element({s: self.symbol(name) for s, name in self._names[letter].items()})

    def reduce(self, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """Normal form modulo g_i^3 = g_i, or modulo g_i^2 = 1 when nondegenerate."""
        first = self.names.index(self.metric_names[0]) if self.metric_names else 0
        last = first + len(self.metric_names)
        reduced: dict[tuple[int, ...], fmpq] = {}
        for powers, coefficient in polynomial.to_dict().items():
            metric = (self._reduced_power(k) for k in powers[first:last])
            key = (*powers[:first], *metric, *powers[last:])
            reduced[key] = reduced.get(key, fmpq(0)) + coefficient
        return self.context.from_dict(reduced)

    def _reduced_power(self, k: int) -> int:
        if self.nondegenerate or k == 0:
            return k % 2
        return 2 - k % 2

    def candidates(self, name: str, degree: int) -> Sequence[int]:
        """Values for a witness, simplest first.

        A nonzero reduced polynomial of that degree in the symbol survives one of them: degree + 1
        values for a coefficient, and all the values that the relations allow for a g_i.
        """
        if name in self.metric_names:
            return (1, -1) if self.nondegenerate else (1, -1, 0)
        return tuple((k + 1) // 2 * (1 if k % 2 else -1) for k in range(degree + 1))


@dataclass(frozen=True, eq=False)
class Element:
    """sum_S c_S e_S as a mapping from blade masks to nonzero polynomials."""

    space: SymbolicMetric
    terms: Mapping[int, fmpq_mpoly]

    def coefficient(self, mask: int) -> fmpq_mpoly:
        """The polynomial c_S."""
        return self.terms.get(mask, self.space.constant(0))

    @property
    def scalar_part(self) -> fmpq_mpoly:
        """<A>_0 as a polynomial."""
        return self.coefficient(0)

    def grade(self, *grades: int) -> Element:
        """The sum of the parts <A>_k of these grades."""
        return Element(self.space, {s: c for s, c in self.terms.items() if grade_of(s) in grades})

    def map(self, function: Callable[[fmpq_mpoly], fmpq_mpoly]) -> Element:
        """Apply a function to each coefficient."""
        return self.space.element({s: function(c) for s, c in self.terms.items()})

    def __add__(self, other: Element | Scalar) -> Element:
        total = dict(self.terms)
        for s, c in self._lift(other).terms.items():
            total[s] = total[s] + c if s in total else c
        return self.space.element(total)

    __radd__ = __add__

    def __neg__(self) -> Element:
        return Element(self.space, {s: -c for s, c in self.terms.items()})

    def __sub__(self, other: Element | Scalar) -> Element:
        return self + -self._lift(other)

    def __rsub__(self, other: Scalar) -> Element:
        return -self + other

    def __mul__(self, other: Element | Scalar) -> Element:
        """Geometric product."""
        return self._product(self._lift(other), lambda a, b: True)

    def __rmul__(self, other: Scalar) -> Element:
        return self * other

    def __xor__(self, other: Element) -> Element:
        """Outer product: the terms of the geometric product without a repeated vector."""
        return self._product(other, lambda a, b: not a & b)

    def __invert__(self) -> Element:
        """Reverse: (-1)^(k(k-1)/2) on grade k."""
        return Element(self.space, {s: -c if grade_of(s) & 2 else c for s, c in self.terms.items()})

    def __str__(self) -> str:
        parts = [
            _term(self.terms[s], blade_name(s, self.space.n))
            for s in all_blades(self.space.n)
            if s in self.terms
        ]
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def _lift(self, other: Element | Scalar) -> Element:
        return other if isinstance(other, Element) else self.space.scalar(other)

    def _product(self, other: Element, wanted: Callable[[int, int], bool]) -> Element:
        space = self.space
        total: dict[int, fmpq_mpoly] = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                if not wanted(a, b):
                    continue
                term = x * y * space.square(a & b) if a & b else x * y
                if reorder_sign(a, b) < 0:
                    term = -term
                s = a ^ b
                total[s] = total[s] + term if s in total else term
        return space.element(total)


def _term(coefficient: fmpq_mpoly, blade: str) -> str:
    """One summand, with brackets around a coefficient of several terms."""
    text = str(coefficient)
    if blade == "1":
        return text
    if text in ("1", "-1"):
        return text[:-1] + blade
    return f"({text}) {blade}" if len(coefficient) > 1 else f"{text} {blade}"
