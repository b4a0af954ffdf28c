"""exp of a bivector is the product of the exponentials of its commuting simple parts.

Statement.  V real quadratic space, any signature, B = b_1 + .. + b_k ∈ Λ²V with b_i² = λ_i ∈ ℝ
and b_i b_j = b_j b_i.  With the entire functions C(z) = Σ z^j/(2j)!, S(z) = Σ z^j/(2j+1)!

    exp(B) = Π_i (C(λ_i) + S(λ_i) b_i),    exp(B) ~exp(B) = Π_i (C(λ_i)² − λ_i S(λ_i)²) = 1.

Hypotheses
  H1  b_i b_j = b_j b_i.  Dropped: e12 and e13 in Cl(1,0,2), see commuting_exponentials.
  H2  b_i² ∈ ℝ.  Dropped: b = e12 + e34 in Cl(4) with s = ⟨b²⟩_0 = −2: d/dt of C(t²s) + tS(t²s) b
      is not b times it, but off by t S(t²s) (b² − s) = 2 t S(t²s) e1234.

Conventions: exp(B) literally; c_i(t) = C(t²λ_i), s_i(t) = t S(t²λ_i).

Derivation, for every k.  R(t) = Π_i (c_i + s_i b_i).
  1.  c_i' = λ_i s_i and s_i' = c_i, term by term in the series.
  2.  (c_i + s_i b_i)' = λ_i s_i + c_i b_i = b_i (c_i + s_i b_i).                      [1, H2]
  3.  R' = Σ_i b_i R = B R, R(0) = 1, so R(t) = exp(tB): a linear equation has one solution. [2, H1]
  4.  (c_i + s_i b_i)(c_i − s_i b_i) = c_i² − λ_i s_i², of derivative 0, and 1 at t = 0.
  5.  Grade 2m of R collects m of the parts: for k = 2,
      R = c_1 c_2 + (s_1 c_2 b_1 + c_1 s_2 b_2) + s_1 s_2 b_1 b_2.

Remarks.  n ≤ 3 needs one part, n = 4, 5 two, n = 6, 7 three.  Equal λ_i are no exception.
References.  M. Roelfs and S. De Keninck, Graded Symmetry Groups: Plane and Simple, Adv. Appl.
Clifford Algebras 33 (2023), arXiv:2107.03771.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import factorial
from operator import mul

from flint import fmpq, fmpq_mpoly

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

ORDERS = 8


def ring(k: int) -> SymbolicMetric:
    """Commuting indeterminates b1, l1, c1, s1, ..: reduced modulo b_i² = λ_i."""
    letters = {f"{letter}{i}": 0 for letter in "blcs" for i in range(1, k + 1)}
    return SymbolicMetric(2, **letters)


def reduced(space: SymbolicMetric, p: fmpq_mpoly, k: int) -> fmpq_mpoly:
    """Normal form modulo b_i² = λ_i."""
    for i in range(1, k + 1):
        p = p % (space.symbol(f"b{i}") ** 2 - space.symbol(f"l{i}"))
    return p


def derivative(space: SymbolicMetric, p: fmpq_mpoly, k: int) -> fmpq_mpoly:
    """d/dt with c_i' = λ_i s_i, s_i' = c_i."""
    total = p * 0
    for i in range(1, k + 1):
        c, s, root = (space.symbol(f"{letter}{i}") for letter in "csl")
        total = total + p.derivative(f"c{i}") * root * s + p.derivative(f"s{i}") * c
    return total


def step_1_series(n: int) -> Iterator[Equation]:
    """c' = λ s and s' = c for the terms λ^j t^(2j)/(2j)! and λ^j t^(2j+1)/(2j+1)!."""
    space = SymbolicMetric(n, t=0, l=0)
    t, root = space.symbol("t"), space.symbol("l")
    for j in range(ORDERS):
        odd = root**j * t ** (2 * j + 1) * fmpq(1, factorial(2 * j + 1))
        even = root**j * t ** (2 * j) * fmpq(1, factorial(2 * j))
        after = root ** (j + 1) * t ** (2 * j + 2) * fmpq(1, factorial(2 * j + 2))
        yield Equation(odd.derivative("t"), even, space)
        yield Equation(after.derivative("t"), root * odd, space)


def step_2_derivative_of_product(n: int) -> Iterator[Equation]:
    """R' = (Σ b_i) R for k = 1..⌊n/2⌋ parts, modulo b_i² = λ_i."""
    for k in range(1, n // 2 + 1):
        space = ring(k)
        b, c, s = ([space.symbol(f"{x}{i}") for i in range(1, k + 1)] for x in "bcs")
        r = reduce(mul, (x + y * z for x, y, z in zip(c, s, b, strict=True)))
        difference = derivative(space, r, k) - sum(b, r * 0) * r
        yield Equation(reduced(space, difference, k), space.constant(0), space)


def step_4_norm(n: int) -> Iterator[Equation]:
    """N = c² − λ s²: N' = 0 and N(0) = 1."""
    space = ring(1)
    b, root, c, s = (space.symbol(f"{x}1") for x in "blcs")
    norm = c * c - root * s * s
    yield Equation(reduced(space, (c + s * b) * (c - s * b), 1), norm, space)
    yield Equation(derivative(space, norm, 1), space.constant(0), space)
    yield Equation(norm.subs({"c1": 1, "s1": 0}), space.constant(1), space)


def step_5_in_the_algebra(n: int) -> Equation:
    """The product of two planes without a common vector, in Cl(V) with symbolic metric."""
    space = SymbolicMetric(max(n, 4), c=0, s=0, C=0, S=0, x=0, y=0)
    c, s, cc, ss, x, y = (space.symbol(name) for name in "csCSxy")
    first, second = space.blade("e12") * x, space.blade("e34") * y
    r = (c + first * s) * (cc + second * ss)
    parts = first * (s * cc) + second * (c * ss) + (first ^ second) * (s * ss)
    return Equation(r, parts + c * cc, space)


def twin_not_commuting(n: int) -> Equation:
    """False: exp(A) exp(B) = 1 + A + B = exp(A + B) for A = e12, B = e13 in Cl(1,0,2)."""
    space = SymbolicMetric(n, metric=(1, 0, 0))
    a, b = space.blade("e12"), space.blade("e13")
    return Equation((1 + a) * (1 + b), 1 + a + b, space, {"A²": a * a, "B²": b * b})


def twin_square_not_scalar(n: int) -> Equation:
    """False: (c + s b)' = s₀ s + c b equals b (c + s b) for b = e12 + e34, s₀ = −2."""
    space = SymbolicMetric(n, metric=(1,) * n, c=0, s=0)
    c, s, b = space.symbol("c"), space.symbol("s"), space.blade("e12") + space.blade("e34")
    return Equation(b * c - 2 * s, b * (c + b * s), space, {"b²": b * b})


THEOREM = Theorem(
    name="product_of_exponentials",
    statement="exp(Σ b_i) = Π (C(λ_i) + S(λ_i) b_i) for commuting b_i with b_i² = λ_i",
    hypotheses=("b_i b_j = b_j b_i", "b_i² is a scalar"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6, 7),
    steps=(
        Step("c' = λ s, s' = c", step_1_series, order=2 * ORDERS - 1),
        Step("R' = B R modulo b_i² = λ_i", step_2_derivative_of_product),
        Step("c² − λ s² = 1", step_4_norm),
        Step("grades of the product of two", step_5_in_the_algebra),
    ),
    twins=(
        Twin("without b_i b_j = b_j b_i: Cl(1,0,2)", twin_not_commuting, 3, drops=1),
        Twin("without b² scalar: e12 + e34 in Cl(4)", twin_square_not_scalar, 4, drops=2),
    ),
)
