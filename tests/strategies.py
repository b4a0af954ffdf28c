"""Hypothesis strategies: algebras, and multivectors with small rational coefficients.

Small numerators and denominators keep exact products short, and make zeros, equal coefficients and
null elements frequent, which continuous samples never hit.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from geomlin import Algebra, Multivector
from geomlin.layout import Layout, even_layout, full_layout, grade_layout, layout_of

BACKENDS = ("numpy", "fractions", "flint", "sympy")

SMALL_SIGNATURES = [
    (p, q, r)
    for p in range(5)
    for q in range(5 - p)
    for r in range(5 - p - q)
    if 1 <= p + q + r <= 4
]

small_rationals = st.builds(Fraction, st.integers(-3, 3), st.sampled_from([1, 1, 1, 2, 3]))


def algebras(backend: str = "fractions", largest: int = 4) -> st.SearchStrategy[Algebra]:
    """Every signature with n <= `largest`."""
    found = [s for s in SMALL_SIGNATURES if sum(s) <= largest]
    return st.sampled_from(found).map(lambda s: Algebra(*s, backend=backend))


@st.composite
def layouts(draw: st.DrawFn, n: int) -> Layout:
    """One of the named layouts, or any set of blades, the empty one included."""
    masks = st.sets(st.integers(0, 2**n - 1), max_size=2**n).map(lambda m: layout_of(n, m))
    named = [full_layout(n), even_layout(n), *(grade_layout(n, k) for k in range(n + 1))]
    return draw(st.one_of(st.sampled_from(named), masks))


@st.composite
def multivectors(draw: st.DrawFn, algebra: Algebra, layout: Layout | None = None) -> Multivector:
    """A multivector of the algebra, unbatched."""
    found = draw(layouts(algebra.n)) if layout is None else layout
    values = draw(st.lists(small_rationals, min_size=found.size, max_size=found.size))
    return algebra.multivector(values, layout=found.names)


def vectors(algebra: Algebra) -> st.SearchStrategy[Multivector]:
    """Vectors, zero and null ones included."""
    return multivectors(algebra, grade_layout(algebra.n, 1))


@st.composite
def algebra_and_multivectors(
    draw: st.DrawFn, count: int, backend: str = "fractions", largest: int = 4
) -> tuple[Multivector, ...]:
    """`count` multivectors of one algebra."""
    algebra = draw(algebras(backend, largest))
    return tuple(draw(multivectors(algebra)) for _ in range(count))


@st.composite
def algebra_and_vectors(draw: st.DrawFn, count: int, largest: int = 4) -> tuple[Multivector, ...]:
    """`count` vectors of one algebra over the rationals."""
    algebra = draw(algebras("fractions", largest))
    return tuple(draw(vectors(algebra)) for _ in range(count))
