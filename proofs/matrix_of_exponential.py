"""The matrix of exp(B) on vectors is the exponential of 2 M, M = b G.

Statement.  V real quadratic space, any signature, B = Σ_{i<j} b_ij e_i e_j ∈ Λ²V, M = b G.  Then

    exp(B) x exp(−B) = exp(2M) x for every x ∈ V,    ~exp(B) = exp(−B) = exp(B)⁻¹,

so column j of exp(2M) is the image exp(B) e_j ~exp(B).

Hypotheses
  H1  B has grade 2.  Dropped: A = e1 has A e2 − e2 A = 2 e12, which is no vector, so
      exp(tA) e2 exp(−tA) has grade 2 for small t.

Conventions: exp(B) literally, R x ~R; with exp(−B/2) instead the matrix is exp(−M).

Derivation, for every order m.  Let X_m = Σ_{i+j=m} B^i/i! x (−B)^j/j!.
  1.  B x − x B = 2 M x ∈ V.                                                            [H1]
  2.  (m + 1) X_(m+1) = B X_m − X_m B: the coefficient of B^i x (−B)^j, i + j = m + 1, is
      1/((i−1)! j!) + 1/(i! (j−1)!) = (m + 1)/(i! j!) on the right.
  3.  So X_m = (2M)^m x/m!, by induction from X_0 = x, and the sum over m is exp(2M) x.  [1, 2]
      The machine checks m ≤ 3, for n ≤ 4 m ≤ 4, with generic b and symbolic metric squares.
  4.  ~(B^m) = (−B)^m, so ~exp(B) = exp(−B), and exp(B) exp(−B) = 1 by commuting_exponentials.
  5.  exp(2M) is an isometry with det = exp(tr 2M) = 1: M^T G + G M = 0 and tr M = 0.

Remarks.  e_j null is no exception: G is then singular and exp(2M) fixes e_j.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, columns, identity, metric_matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def orders(n: int) -> int:
    """Orders that are expanded: fewer in the large dimensions, where the terms are many."""
    return 5 if n <= 4 else 4


def part_of_order(b: Element, x: Element, m: int) -> Element:
    """X_m = Σ_{i+j=m} B^i/i! x (−B)^j/j!."""
    left, right = [b.space.scalar(1)], [b.space.scalar(1)]
    for k in range(1, m + 1):
        left.append(left[-1] * b * fmpq(1, k))
        right.append(right[-1] * b * fmpq(-1, k))
    return sum((left[i] * x * right[m - i] for i in range(m + 1)), b.space.scalar(0))


def step_1_commutator(n: int) -> Iterator[Equation]:
    """B e_j − e_j B = 2 M e_j."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    for e, image in zip(space.vectors(), columns(space, action_matrix(b)), strict=True):
        yield Equation(b * e - e * b, image * 2, space)


def step_2_recurrence(n: int) -> Iterator[Equation]:
    """(m + 1) X_(m+1) = B X_m − X_m B for x = e1."""
    space = SymbolicMetric(n, b=2)
    b, x = space.generic("b"), space.blade("e1")
    for m in range(orders(n) - 1):
        before = part_of_order(b, x, m)
        yield Equation(part_of_order(b, x, m + 1) * (m + 1), b * before - before * b, space)


def step_3_powers(n: int) -> Iterator[Equation]:
    """X_m = (2M)^m e_j / m! for j = 1, n."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    step, power = 2 * action_matrix(b), identity(space)
    for m in range(orders(n)):
        images = columns(space, power)
        for j in (0, n - 1):
            x = space.vectors()[j]
            yield Equation(part_of_order(b, x, m) * factorial(m), images[j], space)
        power = step @ power


def step_4_reverse(n: int) -> Iterator[Equation]:
    """~(B^m) = (−B)^m for m = 1, 2, 3."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    yield Equation(~b, -b, space)
    yield Equation(~(b * b), b * b, space)
    yield Equation(~(b * b * b), -(b * b * b), space)


def step_5_isometry(n: int) -> Iterator[Equation]:
    """M^T G + G M = 0 and tr M = 0."""
    space = SymbolicMetric(n, b=2)
    m, g = action_matrix(space.generic("b")), metric_matrix(space)
    yield Equation(m.transpose @ g + g @ m, 0 * m, space)
    yield Equation(m.trace, space.constant(0), space)


def twin_without_the_factor(n: int) -> Equation:
    """False: exp(B) has the matrix exp(M); the terms of order 1 differ."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    image = columns(space, action_matrix(b))[0]
    return Equation(part_of_order(b, space.blade("e1"), 1), image, space, {"B": b})


def twin_not_a_bivector(n: int) -> Equation:
    """False: exp(A) x exp(−A) is a vector for A = a e1; the term of order 1 is A x − x A."""
    space = SymbolicMetric(n, a=0)
    a, x = space.blade("e1") * space.symbol("a"), space.blade("e2")
    moved = part_of_order(a, x, 1)
    return Equation(moved, moved.grade(1), space, {"A": a, "x": x})


THEOREM = Theorem(
    name="matrix_of_exponential",
    statement="exp(B) x exp(−B) = exp(2M) x with M = bG, so the matrix of exp(B) is expm(2 b G)",
    hypotheses=("B has grade 2",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("B x − x B = 2 M x", step_1_commutator),
        Step("(m + 1) X_(m+1) = B X_m − X_m B", step_2_recurrence, order=3),
        Step("m! X_m = (2M)^m x", step_3_powers, order=3),
        Step("~(B^m) = (−B)^m", step_4_reverse, order=3),
        Step("M^T G + G M = 0, tr M = 0", step_5_isometry),
    ),
    twins=(
        Twin("exp(M) instead of exp(2M)", twin_without_the_factor, 2),
        Twin("without grade 2: exp(A) x exp(−A) for a vector A", twin_not_a_bivector, 2, drops=1),
    ),
)
