"""The square of a bivector is a scalar plus B ∧ B, and B is simple exactly when B ∧ B = 0.

Statement.  V real quadratic space of dimension n, any signature, B = Σ_{i<j} b_ij e_i e_j ∈ Λ²V:

    B² = ⟨B²⟩_0 + B ∧ B,    ⟨B²⟩_0 = −Σ_{i<j} b_ij² g_i g_j,

and B = u ∧ v for some u, v ∈ V if and only if B ∧ B = 0.

Hypotheses
  H1  B has grade 2 only.  Dropped: A = e3 + e12 in Cl(3) has A² = 2 e123.
  H2  (for "simple") B ∧ B = 0.  Dropped: e12 + e34 in any Cl with n ≥ 4 is no u ∧ v.

Conventions: e_i² = g_i, b antisymmetric, Pf(b_pqij) = b_pq b_ij − b_pi b_qj + b_pj b_qi.

Derivation.
  1.  ~(B²) = (−B)² = B² excludes grade 2; the parts left are grades 0 and 4, and the terms
      of grade 4 in B B are those without a common vector: B ∧ B.                      [H1]
  2.  ⟨B²⟩_0 = −Σ b_ij² g_i g_j, since e_ij² = −g_i g_j.
  3.  B ∧ B = 2 Σ_{i<j<k<l} Pf(b_ijkl) e_ijkl.
  4.  (u ∧ v) ∧ (u ∧ v) = 0.
  5.  Let a_p = Σ_i b_pi e_i be row p of b.  For every p, q (Plücker)

          b_pq B − a_p ∧ a_q = Σ_{i<j} Pf(b_pqij) e_i e_j.

      If B ∧ B = 0, all Pf vanish [3]; B = 0 is simple, and if b_pq ≠ 0 then
      B = a_p ∧ a_q / b_pq.                                                            [H2]

Remarks.  Steps 3 to 5 do not involve the metric.  For n ≤ 3 every bivector is simple.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from geomlin.proving.characteristic import pfaffian
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import coefficient_matrix
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_grades_of_square(n: int) -> Equation:
    """B² = ⟨B²⟩_0 + B ∧ B."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    return Equation(b * b, (b * b).grade(0) + (b ^ b), space)


def step_2_scalar_part(n: int) -> Equation:
    """⟨B²⟩_0 = −Σ b_ij² g_i g_j."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    total = sum((c * c * space.square(s) for s, c in b.terms.items()), space.constant(0))
    return Equation((b * b).scalar_part, -total, space)


def step_3_outer_square(n: int) -> Equation:
    """B ∧ B = 2 Σ Pf(b_ijkl) e_ijkl."""
    space = SymbolicMetric(n, b=2)
    b = coefficient_matrix(space.generic("b"))
    pfaffians = {
        sum(1 << i for i in subset): 2 * pfaffian(b, subset, space.constant(1))
        for subset in combinations(range(n), 4)
    }
    return Equation(space.generic("b") ^ space.generic("b"), space.element(pfaffians), space)


def step_4_simple_squares_to_zero(n: int) -> Equation:
    """(u ∧ v) ∧ (u ∧ v) = 0."""
    space = SymbolicMetric(n, u=1, v=1)
    b = space.generic("u") ^ space.generic("v")
    return Equation(b ^ b, space.scalar(0), space)


def step_5_plucker(n: int) -> Iterator[Equation]:
    """b_pq B − a_p ∧ a_q = Σ_{i<j} Pf(b_pqij) e_i e_j, for all p < q."""
    space = SymbolicMetric(n, b=2)
    bivector = space.generic("b")
    b = coefficient_matrix(bivector)
    rows = [space.element({1 << i: b[p, i] for i in range(n)}) for p in range(n)]
    for p, q in combinations(range(n), 2):
        pfaffians = space.element(
            {
                1 << i | 1 << j: pfaffian(b, (p, q, i, j), space.constant(1))
                for i, j in combinations(range(n), 2)
            }
        )
        yield Equation(bivector * b[p, q] - (rows[p] ^ rows[q]), pfaffians, space)


def twin_scalar_square(n: int) -> Equation:
    """False: B² is a scalar for every bivector."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    return Equation(b * b, (b * b).grade(0), space, {"B": b, "B ∧ B": b ^ b})


def twin_every_bivector_is_simple(n: int) -> Equation:
    """False: every B is simple, so that B ∧ B = 0 [4]."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    return Equation(b ^ b, space.scalar(0), space, {"B": b})


def twin_mixed_grades(n: int) -> Equation:
    """False: A = u + B has a square of grades 0 and 4."""
    space = SymbolicMetric(n, a=(1, 2))
    a = space.generic("a")
    return Equation(a * a, (a * a).grade(0, 4), space, {"A": a})


THEOREM = Theorem(
    name="square_of_bivector",
    statement="B² = ⟨B²⟩_0 + B ∧ B, and B is simple if and only if B ∧ B = 0",
    hypotheses=("B has grade 2", "for simplicity: B ∧ B = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("B² = ⟨B²⟩_0 + B ∧ B", step_1_grades_of_square),
        Step("⟨B²⟩_0 = −Σ b_ij² g_i g_j", step_2_scalar_part),
        Step("B ∧ B = 2 Σ Pf(b_ijkl) e_ijkl", step_3_outer_square),
        Step("(u ∧ v) ∧ (u ∧ v) = 0", step_4_simple_squares_to_zero),
        Step("b_pq B − a_p ∧ a_q = Σ Pf(b_pqij) e_ij", step_5_plucker),
    ),
    twins=(
        Twin("B² is a scalar in Cl(4)", twin_scalar_square, 4),
        Twin("every B in Cl(4) has B ∧ B = 0", twin_every_bivector_is_simple, 4, drops=2),
        Twin("without grade 2: A² has grades 0 and 4", twin_mixed_grades, 3, drops=1),
    ),
)
