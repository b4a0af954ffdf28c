"""The characteristic polynomial of x ↦ Bx − xB, from the outer powers of B.

Statement.  V real quadratic space of dimension n, any signature, B = Σ_{i<j} b_ij e_i e_j,
M = b G the matrix of x ↦ (Bx − xB)/2, k = ⌊n/2⌋, W_m = B ∧ .. ∧ B / m! (m factors).  Then

    det(μ − M) = μ^(n−2k) χ(μ²),    χ(λ) = Σ_m a_m λ^(k−m),
    a_m = (−1)^m ⟨W_m²⟩_0 = Σ_{|S|=2m} Pf(b_S)² Π_{i∈S} g_i.

Hypotheses
  H1  b is antisymmetric.  Dropped: b = I has det(μ − b G) = Π (μ − g_i), with odd powers.

Conventions: e_i² = g_i, G = diag(g), Pf(b_S) is the Pfaffian of the rows and columns in S.

Derivation.
  1.  W_m = Σ_{|S|=2m} Pf(b_S) e_S: definition of the Pfaffian by its expansion.
  2.  e_S² = (−1)^m Π_{i∈S} g_i for |S| = 2m gives the two forms of a_m.                 [1]
  3.  The coefficient of μ^(n−j) is (−1)^j times the sum of the principal minors
      det(b_S) Π_{i∈S} g_i, |S| = j: zero for odd j, Pf(b_S)² Π g_i for j = 2m.          [H1]
      The machine does not use minors: it runs Faddeev-LeVerrier on M and compares.
  4.  χ(M²) M^(n−2k) = 0 (Cayley-Hamilton): the last Faddeev-LeVerrier matrix.          [3]

Remarks.  Step 3 needs division by j = 1..n, hence characteristic 0.
References.  M. Roelfs and S. De Keninck, Graded Symmetry Groups: Plane and Simple, Adv. Appl.
Clifford Algebras 33 (2023), arXiv:2107.03771.  D. Eelbode, M. Roelfs and S. De Keninck, Outer
and Eigen: Tangent Concepts, arXiv:2412.20566.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from geomlin.proving.characteristic import (
    faddeev_leverrier,
    invariants,
    outer_powers,
    pfaffian,
)
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, coefficient_matrix, identity, metric_matrix
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_outer_powers_are_pfaffians(n: int) -> Iterator[Equation]:
    """W_m = Σ Pf(b_S) e_S."""
    space = SymbolicMetric(n, b=2)
    b = coefficient_matrix(space.generic("b"))
    for m, power in enumerate(outer_powers(space.generic("b"))):
        expected = {
            sum(1 << i for i in subset): pfaffian(b, subset, space.constant(1))
            for subset in combinations(range(n), 2 * m)
        }
        yield Equation(power, space.element(expected), space)


def step_2_two_forms_of_invariants(n: int) -> Iterator[Equation]:
    """(−1)^m ⟨W_m²⟩_0 = Σ Pf(b_S)² Π g_i."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    for m, (power, a) in enumerate(zip(outer_powers(b), invariants(b), strict=True)):
        yield Equation((power * power).scalar_part * (-1) ** m, a, space)


def step_3_determinant(n: int) -> Iterator[Equation]:
    """c_2m = a_m and c_(2m+1) = 0 for det(μ − M) = Σ c_j μ^(n−j)."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    a, (coefficients, _) = invariants(b), faddeev_leverrier(space, action_matrix(b))
    for j, coefficient in enumerate(coefficients):
        yield Equation(coefficient, space.constant(0) if j % 2 else a[j // 2], space)


def step_4_cayley_hamilton(n: int) -> Equation:
    """Σ a_m M^(n−2m) = 0, by Horner's rule in M²."""
    space = SymbolicMetric(n, b=2)
    m = action_matrix(space.generic("b"))
    value = 0 * m
    for a in invariants(space.generic("b")):
        value = value @ m @ m + a * identity(space)
    return Equation(value @ m if n % 2 else value, 0 * m, space)


def twin_sign_of_second_invariant(n: int) -> Equation:
    """False: the coefficient of μ^(n−4) is ⟨W_2²⟩_0 with the opposite sign."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    coefficients, _ = faddeev_leverrier(space, action_matrix(b))
    power = outer_powers(b)[2]
    return Equation(coefficients[4], -(power * power).scalar_part, space, {"B": b})


def twin_without_antisymmetry(n: int) -> Equation:
    """False: det(μ − h G) has no odd coefficient for a matrix h that is not antisymmetric."""
    space = SymbolicMetric(n, h=0, b=2)
    h = coefficient_matrix(space.generic("b")) + space.symbol("h") * identity(space)
    coefficients, _ = faddeev_leverrier(space, h @ metric_matrix(space))
    return Equation(coefficients[1], space.constant(0), space, {"h": h})


THEOREM = Theorem(
    name="characteristic_polynomial",
    statement="det(μ − bG) = μ^(n−2k) Σ_m a_m μ^(2k−2m), a_m = Σ_{|S|=2m} Pf(b_S)² Π_{i∈S} g_i",
    hypotheses=("b is antisymmetric",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    slow_dimensions=(7, 8),
    steps=(
        Step("W_m = Σ Pf(b_S) e_S", step_1_outer_powers_are_pfaffians),
        Step("a_m = (−1)^m ⟨W_m²⟩_0", step_2_two_forms_of_invariants),
        Step("det(μ − M) has the coefficients a_m", step_3_determinant),
        Step("χ(M²) M^(n−2k) = 0", step_4_cayley_hamilton),
    ),
    twins=(
        Twin("wrong sign of a_2", twin_sign_of_second_invariant, 4),
        Twin("without antisymmetry: no odd coefficient", twin_without_antisymmetry, 2, drops=1),
    ),
)
