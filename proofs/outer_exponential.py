"""The outer exponential of a bivector is an unnormalised rotor: the Cayley transform.

Statement.  T ∈ Λ²V, any signature, null directions included, M = t G, and
E = Σ_m T ∧ .. ∧ T / m! = Σ_S Pf(t_S) e_S.  Then for every x ∈ V

    E ((I − M) x) = ((I + M) x) E,
    E ~E = ~E E = det(I − M) = Σ_S Pf(t_S)² Π_{i∈S} g_i ∈ ℝ.

If det(I − M) > 0, E/√det(I − M) is a rotor with the matrix (I + M)(I − M)⁻¹.  For r = 0 every
rotor R of matrix O is c E e_P, for a set P of evenly many basis vectors with det(I + O D) ≠ 0,
D = −1 on P and 1 elsewhere, and a number c; P = ∅ and c = R_0 if R_0 ≠ 0.

Hypotheses
  H1  det(I − M) ≠ 0.  Dropped: T = e12 in Cl(1,1) has E ~E = 0, E = 1 + e12 is no rotor.
  H2  (for "every rotor") r = 0.  METHOD: nothing is claimed for r > 0.

Conventions: e_i² = g_i, action x ↦ R x ~R, column j of a matrix is the image of e_j.

Derivation.
  1.  E ((I − M) e_j) = ((I + M) e_j) E for j = 1..n; both sides are linear in x.
  2.  E ~E and ~E E are scalars.
  3.  E ~E = Σ_m a_m, the a_m of characteristic_polynomial; its statement at μ = 1 makes this
      det(I − M).
  4.  So E x ~E = det(I − M) (I + M)(I − M)⁻¹ x: put (I − M)⁻¹ x into step 1.          [H1]
  5.  e_P x = (D x) e_P for even |P|, so E e_P (D (I − M) x) = ((I + M) x) E e_P.        [1]
  6.  By cayley_lift some D has det(I + O D) ≠ 0.  An isometry A = O D without the eigenvalue −1
      has det A = 1 = det O, so |P| is even; and M = (A − I)(A + I)⁻¹ has M^T G + G M = 0, from
      A^T G A = G.  So M = t G, and R and E e_P have the matrix O: E e_P R⁻¹ is even and commutes
      with every vector, hence a number (kernel, r = 0).                                [5, H2]
  7.  P = ∅: E_0 = 1, so c = R_0; and R_0² = 1/det(I − M) = det(I + O)/2^n.            [3, 6]

Remarks.  1 + T alone, without the higher outer powers, fails from n = 4 on.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).  D. Eelbode,
M. Roelfs and S. De Keninck, Outer and Eigen: Tangent Concepts, arXiv:2412.20566.
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.characteristic import faddeev_leverrier, invariants, outer_powers
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, columns, diagonal, identity
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def outer_exponential(t: Element) -> Element:
    """E = Σ_m T^m/m! with outer powers."""
    return sum(outer_powers(t), t.space.scalar(0))


def intertwining(space: SymbolicMetric, e: Element) -> Iterator[Equation]:
    """E ((I − M) e_j) = ((I + M) e_j) E for every j."""
    m, one = action_matrix(space.generic("t")), identity(space)
    for before, after in zip(columns(space, one - m), columns(space, one + m), strict=True):
        yield Equation(e * before, after * e, space, {"T": space.generic("t"), "E": e})


def step_1_intertwines(n: int) -> Iterator[Equation]:
    """E ((I − M) e_j) = ((I + M) e_j) E."""
    space = SymbolicMetric(n, t=2)
    yield from intertwining(space, outer_exponential(space.generic("t")))


def step_2_norm_is_scalar(n: int) -> Iterator[Equation]:
    """E ~E = ~E E = ⟨E ~E⟩_0."""
    space = SymbolicMetric(n, t=2)
    e = outer_exponential(space.generic("t"))
    norm = e * ~e
    yield Equation(norm, norm.grade(0), space)
    yield Equation(~e * e, norm.grade(0), space)


def step_3_norm_is_determinant(n: int) -> Iterator[Equation]:
    """E ~E = Σ_m a_m = det(1 − M)."""
    space = SymbolicMetric(n, t=2)
    t = space.generic("t")
    e = outer_exponential(t)
    norm, zero = (e * ~e).scalar_part, space.constant(0)
    yield Equation(norm, sum(invariants(t), zero), space)
    coefficients, _ = faddeev_leverrier(space, action_matrix(t))
    yield Equation(norm, sum(coefficients, zero), space)


def step_5_pivot(n: int) -> Iterator[Equation]:
    """e_P e_j = (D e_j) e_P and E e_P D (I − M) e_j = ((I + M) e_j) E e_P, for P = e_(1..2k)."""
    space = SymbolicMetric(n, t=2)
    e, m = outer_exponential(space.generic("t")), action_matrix(space.generic("t"))
    for k in range(2, n + 1, 2):
        pivot = space.element({(1 << k) - 1: 1})
        turn = diagonal(space, *(-1 if i < k else 1 for i in range(n)))
        before, after = turn @ (identity(space) - m), identity(space) + m
        for x, turned in zip(space.vectors(), columns(space, turn), strict=True):
            yield Equation(pivot * x, turned * pivot, space)
        for x, y in zip(columns(space, before), columns(space, after), strict=True):
            yield Equation(e * pivot * x, y * e * pivot, space)


def twin_without_higher_powers(n: int) -> Iterator[Equation]:
    """False: 1 + T intertwines."""
    space = SymbolicMetric(n, t=2)
    yield from intertwining(space, 1 + space.generic("t"))


def twin_never_null(n: int) -> Equation:
    """False: E ~E = 0 only for E = 0, at T = e12 in Cl(1,1)."""
    space = SymbolicMetric(n, metric=(1, -1))
    e = outer_exponential(space.blade("e12"))
    return Equation(e, space.scalar(0), space, {"E": e, "E ~E": e * ~e})


def twin_determinant_of_square(n: int) -> Equation:
    """False: E ~E = det(I − M)²."""
    space = SymbolicMetric(n, t=2)
    t = space.generic("t")
    e = outer_exponential(t)
    determinant = sum(faddeev_leverrier(space, action_matrix(t))[0], space.constant(0))
    return Equation((e * ~e).scalar_part, determinant * determinant, space, {"T": t})


THEOREM = Theorem(
    name="outer_exponential",
    statement="E ((I − M)x) = ((I + M)x) E and E ~E = det(I − M) for E = Σ T^∧m/m!, M = tG",
    hypotheses=("det(I − M) ≠ 0", "for every rotor: r = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    slow_dimensions=(7, 8),
    steps=(
        Step("E ((I − M)x) = ((I + M)x) E", step_1_intertwines),
        Step("E ~E is a scalar", step_2_norm_is_scalar),
        Step("E ~E = det(I − M)", step_3_norm_is_determinant),
        Step("E e_P (D (I − M) x) = ((I + M) x) E e_P", step_5_pivot),
    ),
    twins=(
        Twin("1 + T intertwines", twin_without_higher_powers, 4),
        Twin("without H1: E ~E = 0 only for E = 0", twin_never_null, 2, drops=1),
        Twin("E ~E = det(I − M)²", twin_determinant_of_square, 2),
    ),
)
