"""Symbolic multivectors: what a statement is applied to when it is proved.

They answer geomlin's operators and, through `geomlin.operation`, its public functions, so that an
identity is an ordinary Python function.  A value is a sum of blades with polynomial coefficients
over one common denominator; every denominator is recorded as a hypothesis of the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from flint import fmpq_mpoly

from ..blades import blade_mask, blade_name
from ..errors import DtypeError, LayoutError, NotInvertible
from .gram import GramAlgebra, Terms, geometric, outer
from .record import DimensionBound, OutOfScope, Record
from .ring import Ring, element_text, rational

LARGEST_EXPONENT = 64  # a larger one takes minutes even where every product is short


class SymbolicAlgebra:
    """A Gram algebra with the ring it is over; `metric` is None in the generic algebra.

    In a fixed dimension the generators are the orthogonal basis e_1..e_n.  `answer` computes the
    public operations; `operations`, which is built on this module, puts it here.
    """

    answer: ClassVar[Callable[..., Any]]

    def __init__(
        self, ring: Ring, gram: GramAlgebra, blade_text: Callable[[int], tuple[str, str]]
    ) -> None:
        self.ring = ring
        self.gram = gram
        self.blade_text = blade_text  # how a basis blade reads, in text and in LaTeX
        self.record = Record()
        self._metric: tuple[fmpq_mpoly, ...] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OutOfScope(
            f"the prover's algebra has no {name!r}; a multivector with coordinates fixes another "
            "algebra: write A.algebra.blade(name), with dimension=n"
        )

    @property
    def has_basis(self) -> bool:
        """Whether the dimension is fixed and the generators are e_1..e_n."""
        return self._metric is not None

    @classmethod
    def of_metric(cls, ring: Ring, metric: tuple[fmpq_mpoly, ...]) -> SymbolicAlgebra:
        """The algebra of an orthogonal basis with these squares."""
        n = len(metric)
        rows = [[metric[i] if i == j else ring.zero for j in range(n)] for i in range(n)]

        def blade_text(mask: int) -> tuple[str, str]:
            name = blade_name(mask, n)
            return (name, f"e_{{{name[1:]}}}") if mask else ("", "")

        algebra = cls(ring, GramAlgebra(ring.context, rows), blade_text)
        algebra._metric = metric
        return algebra

    @property
    def metric(self) -> tuple[fmpq_mpoly, ...]:
        """Squares of e1..en; DimensionBound in the generic algebra."""
        if self._metric is None:
            raise DimensionBound("the metric of a basis")
        return self._metric

    @property
    def n(self) -> int:
        """Dimension; DimensionBound in the generic algebra."""
        if self._metric is None:
            raise DimensionBound("the dimension n")
        return len(self._metric)

    @property
    def pseudoscalar(self) -> SymbolicMultivector:
        """e_(1..n)."""
        return self.element({(1 << self.n) - 1: self.ring.one})

    @property
    def basis_vectors(self) -> tuple[SymbolicMultivector, ...]:
        """e_1, .., e_n."""
        return tuple(self.element({1 << i: self.ring.one}) for i in range(self.n))

    def blade(self, name: str) -> SymbolicMultivector:
        """The basis blade of that name."""
        return self.element({blade_mask(name, self.n): self.ring.one})

    def scalar(self, value: Any) -> SymbolicMultivector:
        """A number as an element."""
        number = rational(value)
        return self.element({0: self.ring.context.constant(number)} if number else {})

    def element(
        self,
        terms: Terms,
        denominator: fmpq_mpoly | None = None,
        degrees: Mapping[str, int] | None = None,
    ) -> SymbolicMultivector:
        """A value of this algebra."""
        denominator = self.ring.one if denominator is None else denominator
        return SymbolicMultivector(self, terms, denominator, degrees or {})


@dataclass(frozen=True, eq=False)
class SymbolicMultivector:
    """sum_S c_S a_S / denominator.

    `degrees` bounds the degree in each general bivector: the most factors of it in any product.
    """

    algebra: SymbolicAlgebra
    terms: Terms
    denominator: fmpq_mpoly
    degrees: Mapping[str, int]

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    shape = ()

    def __geomlin_operation__(
        self, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        return self.algebra.answer(self.algebra, name, arguments, keywords)

    def grade(self, k: int) -> Any:
        """Part of grade k."""
        return self.__geomlin_operation__("grade", (self, k), {})

    def __getitem__(self, name: str) -> SymbolicMultivector:
        """The coefficient of a basis blade, as a scalar element."""
        mask = blade_mask(name, self.algebra.n)
        return self.with_terms({0: self.terms[mask]} if mask in self.terms else {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OutOfScope(f"the prover's multivectors have no {name!r}")

    def __add__(self, other: Any) -> SymbolicMultivector:
        other = lifted(self.algebra, other)
        left, right, denominator = _over_one_denominator(self, other)
        total = dict(left)
        for s, c in right.items():
            total[s] = total[s] + c if s in total else c
        degrees = {
            name: max(self.degrees.get(name, 0), other.degrees.get(name, 0))
            for name in {**self.degrees, **other.degrees}
        }
        kept = {s: c for s, c in total.items() if c != 0}
        return self.algebra.element(kept, denominator, degrees)

    __radd__ = __add__

    def __str__(self) -> str:
        return self.text()

    def text(self, *, latex: bool = False) -> str:
        """Readable blades and coefficients, over the denominator."""
        ring = self.algebra.ring
        value = element_text(ring, self.terms, self.algebra.blade_text, latex=latex)
        if self.denominator.is_one():
            return value
        below = ring.text(self.denominator, latex=latex)
        return rf"\frac{{{value}}}{{{below}}}" if latex else f"({value}) / ({below})"

    def __neg__(self) -> SymbolicMultivector:
        return self.with_terms({s: -c for s, c in self.terms.items()})

    def __pos__(self) -> SymbolicMultivector:
        return self

    def __sub__(self, other: Any) -> SymbolicMultivector:
        return self + -lifted(self.algebra, other)

    def __rsub__(self, other: Any) -> SymbolicMultivector:
        return lifted(self.algebra, other) - self

    def __mul__(self, other: Any) -> SymbolicMultivector:
        return self.product(lifted(self.algebra, other), geometric)

    def __rmul__(self, other: Any) -> SymbolicMultivector:
        return lifted(self.algebra, other) * self

    def __xor__(self, other: Any) -> SymbolicMultivector:
        return self.product(lifted(self.algebra, other), outer)

    def __rxor__(self, other: Any) -> SymbolicMultivector:
        return lifted(self.algebra, other) ^ self

    def __invert__(self) -> Any:
        return self.__geomlin_operation__("reverse", (self,), {})

    def __truediv__(self, other: Any) -> SymbolicMultivector:
        if isinstance(other, SymbolicMultivector):
            raise DtypeError("A / B is ambiguous for multivectors: write A * inverse(B)")
        divisor = rational(other)
        if divisor == 0:
            raise NotInvertible("expected a nonzero scalar divisor, got 0")
        return self.with_terms({s: c / divisor for s, c in self.terms.items()})

    def __pow__(self, exponent: Any) -> SymbolicMultivector:
        if isinstance(exponent, bool) or not hasattr(exponent, "__index__"):
            raise OutOfScope(f"a power with the exponent {exponent!r}: only integers are fixed")
        k = int(exponent)
        if abs(k) > LARGEST_EXPONENT:
            raise OutOfScope(f"a power with the exponent {k}: at most {LARGEST_EXPONENT} factors")
        self.algebra.record.exponents.add(k)
        base = self.__geomlin_operation__("inverse", (self,), {}) if k < 0 else self
        result: SymbolicMultivector = self.algebra.scalar(1)
        for _ in range(abs(k)):
            result = result * base
        return result

    def __eq__(self, other: object) -> bool:
        raise OutOfScope("a statement cannot compare its arguments: return (lhs, rhs)")

    def __bool__(self) -> bool:
        raise OutOfScope(
            "a statement cannot branch on its arguments: state one claim for each case"
        )

    def product(self, other: SymbolicMultivector, kept: Any) -> SymbolicMultivector:
        """The part of the geometric product that `kept` selects."""
        terms = self.algebra.gram.product(self.terms, other.terms, kept)
        degrees = {
            name: self.degrees.get(name, 0) + other.degrees.get(name, 0)
            for name in {**self.degrees, **other.degrees}
        }
        return self.algebra.element(terms, self.denominator * other.denominator, degrees)

    def with_terms(self, terms: Terms) -> SymbolicMultivector:
        """Other terms over the same denominator, of the same degrees."""
        return self.algebra.element(terms, self.denominator, self.degrees)

    def select(self, wanted: Any) -> SymbolicMultivector:
        """The terms whose grade is wanted."""
        return self.with_terms({s: c for s, c in self.terms.items() if wanted(s.bit_count())})

    def with_signs(self, sign: Any) -> SymbolicMultivector:
        """Each grade k times sign(k)."""
        return self.with_terms({s: c * sign(s.bit_count()) for s, c in self.terms.items()})

    def scaled(self, factor: fmpq_mpoly, divisor: fmpq_mpoly) -> SymbolicMultivector:
        """Times factor / divisor; the divisor becomes a hypothesis."""
        self.algebra.record.assume_nonzero(divisor)
        terms = {s: c * factor for s, c in self.terms.items()}
        return self.algebra.element(terms, self.denominator * divisor, self.degrees)


def lifted(algebra: SymbolicAlgebra, value: Any) -> SymbolicMultivector:
    """A number as an element; other multivectors are refused, because they fix a signature."""
    if isinstance(value, SymbolicMultivector):
        if value.algebra is not algebra:
            raise LayoutError("expected arguments of one proof, got symbols of another")
        return value
    if isinstance(value, fmpq_mpoly):  # a metric square
        return algebra.element({0: value} if value != 0 else {})
    if hasattr(value, "coeffs"):
        raise OutOfScope(
            "a multivector with coordinates fixes one algebra: write A.algebra.blade(name), with "
            "dimension=n"
        )
    return algebra.scalar(value)


def _over_one_denominator(
    a: SymbolicMultivector, b: SymbolicMultivector
) -> tuple[Mapping[int, fmpq_mpoly], Mapping[int, fmpq_mpoly], fmpq_mpoly]:
    """Numerators of both over their least common denominator."""
    if a.denominator == b.denominator:
        return a.terms, b.terms, a.denominator
    common = a.denominator.gcd(b.denominator)
    ours, theirs = b.denominator / common, a.denominator / common
    left = {s: c * ours for s, c in a.terms.items()}
    right = {s: c * theirs for s, c in b.terms.items()}
    return left, right, a.denominator * ours
