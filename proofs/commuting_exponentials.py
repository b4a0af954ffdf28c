"""Commuting exponentials multiply: exp(A + B) = exp(A) exp(B) if AB = BA.

Statement.  V real quadratic space, any signature, A, B ∈ Cl(V) with AB = BA.  Then

    exp(A + B) = exp(A) exp(B),    exp(A) = Σ_m A^m/m!.

Hypotheses
  H1  AB = BA.  Dropped: A = e12, B = e13 in Cl(1,0,2) have A² = B² = 0 and AB = −e23 = −BA, so
      exp(A + B) = 1 + A + B, but exp(A) exp(B) = 1 + A + B − e23.

Conventions: exp(B) literally; the series converge absolutely, Cl(V) being of finite dimension.

Derivation, for all A, B and every order.  Let T_m = Σ_{i+j=m} A^i/i! B^j/j!, the part of order m
of exp(A) exp(B) by Cauchy's product.
  1.  (A + B) T_m = (m + 1) T_(m+1).  The coefficient of A^i B^j, i + j = m + 1, is
      1/((i−1)! j!) + 1/(i! (j−1)!) = (i + j)/(i! j!) = (m + 1)/(i! j!) on the left.    [H1]
      This line is for every m; the machine checks m = 0..9 in ℚ[A, B].
  2.  So T_m = (A + B)^m/m!, by induction from T_0 = 1.                                 [1]
  3.  Bivectors over one plane, and over planes without a common vector, commute.
  4.  The two sides differ in order 2 by (BA − AB)/2, whatever A and B.

Remarks.  The converse is false: A = 3π e12 and B = 4π e13 in Cl(3) do not commute, yet
|A + B| = 5π, and exp(A + B) = −1 = exp(A) exp(B).
References.  R. Bhatia, Matrix Analysis (Springer 1997).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

ORDERS = 10


def part_of_order(space: SymbolicMetric, m: int) -> Element:
    """T_m with commuting indeterminates A, B."""
    a, b = space.symbol("A"), space.symbol("B")
    weights = (fmpq(1, factorial(i) * factorial(m - i)) for i in range(m + 1))
    return space.scalar(sum((w * a**i * b ** (m - i) for i, w in enumerate(weights)), a * 0))


def step_1_recurrence(n: int) -> Iterator[Equation]:
    """(A + B) T_m = (m + 1) T_(m+1) for m = 0..9 in ℚ[A, B]."""
    space = SymbolicMetric(n, A=0, B=0)
    total = space.symbol("A") + space.symbol("B")
    for m in range(ORDERS):
        yield Equation(
            total * part_of_order(space, m), part_of_order(space, m + 1) * (m + 1), space
        )


def step_2_powers(n: int) -> Iterator[Equation]:
    """m! T_m = (A + B)^m for m = 0..9."""
    space = SymbolicMetric(n, A=0, B=0)
    total = space.symbol("A") + space.symbol("B")
    for m in range(ORDERS):
        yield Equation(part_of_order(space, m) * factorial(m), space.scalar(total**m), space)


def step_3_commuting_bivectors(n: int) -> Iterator[Equation]:
    """s b and t b commute; so do s e12 and bivectors of e3, .., en."""
    space = SymbolicMetric(n, s=0, t=0, b=2)
    b, s, t = space.generic("b"), space.symbol("s"), space.symbol("t")
    yield Equation((b * s) * (b * t), (b * t) * (b * s), space)
    first = space.blade("e12") * s
    rest = space.element({mask: c for mask, c in b.terms.items() if not mask & 3})
    yield Equation(first * rest, rest * first, space)


def step_4_second_order(n: int) -> Equation:
    """(A + B)²/2 − (A²/2 + AB + B²/2) = (BA − AB)/2 for generic bivectors."""
    space = SymbolicMetric(n, a=2, b=2)
    a, b = space.generic("a"), space.generic("b")
    product = (a * a + a * b * 2 + b * b) * fmpq(1, 2)
    return Equation((a + b) * (a + b) * fmpq(1, 2) - product, (b * a - a * b) * fmpq(1, 2), space)


def nilpotent_pair(n: int) -> tuple[SymbolicMetric, Element, Element]:
    """A = e12 and B = e13 in Cl(1,0,2), whose exponentials end after the linear term."""
    space = SymbolicMetric(n, metric=(1, 0, 0))
    return space, space.blade("e12"), space.blade("e13")


def twin_without_commuting(n: int) -> Equation:
    """False: (1 + A)(1 + B) = 1 + A + B for A² = B² = 0 = (A + B)²."""
    space, a, b = nilpotent_pair(n)
    shown = {"A²": a * a, "B²": b * b, "(A + B)²": (a + b) * (a + b), "AB": a * b}
    return Equation((1 + a) * (1 + b), 1 + a + b, space, shown)


def twin_wrong_factorial(n: int) -> Equation:
    """False: (A + B) T_1 = T_2, without the factor m + 1."""
    space = SymbolicMetric(n, A=0, B=0)
    total = space.symbol("A") + space.symbol("B")
    return Equation(total * part_of_order(space, 1), part_of_order(space, 2), space)


THEOREM = Theorem(
    name="commuting_exponentials",
    statement="AB = BA implies exp(A + B) = exp(A) exp(B)",
    hypotheses=("AB = BA",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("(A + B) T_m = (m + 1) T_(m+1)", step_1_recurrence, order=ORDERS - 1),
        Step("m! T_m = (A + B)^m", step_2_powers, order=ORDERS - 1),
        Step("bivectors without a common vector commute", step_3_commuting_bivectors),
        Step("the difference of order 2 is (BA − AB)/2", step_4_second_order),
    ),
    twins=(
        Twin("without AB = BA: e12 and e13 in Cl(1,0,2)", twin_without_commuting, 3, drops=1),
        Twin("(A + B) T_m = T_(m+1)", twin_wrong_factorial, 2),
    ),
)
