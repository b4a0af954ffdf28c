"""The published invariant decomposition: a quotient of outer powers gives the simple part.

Statement.  B ∈ Λ²V, any signature, k = ⌊n/2⌋, W_m = B ∧ .. ∧ B / m!, χ as in
characteristic_polynomial.  For a root λ of χ put

    k even:  N = Σ_i W_2i λ^(k/2−i),            D = Σ_i W_(2i+1) λ^(k/2−1−i),
    k odd:   N = Σ_i W_(2i+1) λ^((k−1)/2−i),    D = Σ_i W_2i λ^((k−1)/2−i).

Then N² = λ D², N D = D N, and with the simple part b(λ) = N(λ)/χ'(λ) of simple_parts

    N = b(λ) D,

so where D is invertible, N D⁻¹ is that simple part.

Hypotheses
  H1  D is invertible.  Dropped: B = e12 + e34 in Cl(4), λ = −1, has D = B and D (1 + e1234) = 0.
  H2  χ(λ) = 0.  Dropped: N² ≠ λ D².

Conventions: outer powers, λ in the base field or in ℝ(λ).

Derivation.  All equations are in the algebra over ℚ[g, b][λ]/χ(λ).
  1.  The W_m commute with each other, in every metric.  So N D = D N.
  2.  N² = λ D² modulo χ(λ).                                                           [H2]
  3.  χ'(λ) N = (Q(M², λ) b) D modulo χ(λ): the published quotient is the simple part of
      simple_parts, where both are defined.                                            [H1, H2]

Remarks.  Numerically D⁻¹ loses all digits as two roots approach each other; the library
decomposes by eigenvectors instead.
References.  M. Roelfs and S. De Keninck, Graded Symmetry Groups: Plane and Simple, Adv. Appl.
Clifford Algebras 33 (2023), arXiv:2107.03771.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from flint import fmpq_mpoly

from geomlin.proving.characteristic import (
    chi,
    chi_derivative,
    invariants,
    outer_powers,
    simple_part,
)
from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def numerator_and_denominator(b: Element, root: fmpq_mpoly) -> tuple[Element, Element]:
    """N and D at λ = root."""
    powers = outer_powers(b)

    def in_root(some: Sequence[Element]) -> Element:
        """Σ_i W_(2i) λ^(last−i), by Horner's rule."""
        value = b.space.scalar(0)
        for power in some:
            value = value * root + power
        return value

    even, odd = in_root(powers[0::2]), in_root(powers[1::2])
    return (even, odd) if len(powers) % 2 else (odd, even)


def step_1_outer_powers_commute(n: int) -> Iterator[Equation]:
    """W_i W_j = W_j W_i."""
    space = SymbolicMetric(n, b=2)
    for x, y in combinations(outer_powers(space.generic("b")), 2):
        yield Equation(x * y, y * x, space)


def step_2_square(n: int) -> Equation:
    """N² = λ D² modulo χ(λ)."""
    space = SymbolicMetric(n, root=0, b=2, kept=("root",))
    return square_modulo(space, invariants(space.generic("b")))


def square_modulo(space: SymbolicMetric, a: Sequence[fmpq_mpoly]) -> Equation:
    """N² − λ D² = 0 modulo the polynomial with the coefficients a."""
    b, root = space.generic("b"), space.symbol("root")
    numerator, denominator = numerator_and_denominator(b, root)
    difference = numerator * numerator - denominator * denominator * root
    remainder = difference.map(lambda p: p % chi(a, root))
    return Equation(remainder, space.scalar(0), space, {"B": b, "χ": chi(a, root)})


def step_3_is_the_simple_part(n: int) -> Equation:
    """χ'(λ) N = (Q(M², λ) b) D modulo χ(λ)."""
    space = SymbolicMetric(n, root=0, b=2, kept=("root",))
    b, root = space.generic("b"), space.symbol("root")
    a = invariants(b)
    numerator, denominator = numerator_and_denominator(b, root)
    difference = numerator * chi_derivative(a, root) - simple_part(b, a, root) * denominator
    return Equation(difference.map(lambda p: p % chi(a, root)), space.scalar(0), space)


def twin_wrong_second_invariant(n: int) -> Equation:
    """False: N² = λ D² modulo χ with the opposite a_2."""
    space = SymbolicMetric(n, root=0, b=2, kept=("root",))
    a = invariants(space.generic("b"))
    a[2] = -a[2]
    return square_modulo(space, a)


def twin_not_a_root(n: int) -> Equation:
    """False: N² = λ D² for every λ."""
    space = SymbolicMetric(n, root=0, b=2)
    b, root = space.generic("b"), space.symbol("root")
    numerator, denominator = numerator_and_denominator(b, root)
    squares = numerator * numerator, denominator * denominator * root
    return Equation(*squares, space, {"B": b, "N": numerator, "D": denominator})


def twin_equal_roots(n: int) -> Equation:
    """False: D Z = 0 only for Z = 0, at B = t (e12 + e34) and its double root −t²."""
    space = SymbolicMetric(n, metric=(1,) * n, t=0)
    t = space.symbol("t")
    b = (space.blade("e12") + space.blade("e34")) * t
    _, denominator = numerator_and_denominator(b, -t * t)
    z = (1 + space.blade("e1234")) * t
    return Equation(z, space.scalar(0), space, {"D": denominator, "D Z": denominator * z})


THEOREM = Theorem(
    name="published_split",
    statement="N² = λ D², N D = D N and N = b(λ) D for the sums N, D of outer powers",
    hypotheses=("D is invertible", "χ(λ) = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    slow_dimensions=(7,),
    steps=(
        Step("W_i W_j = W_j W_i", step_1_outer_powers_commute),
        Step("N² = λ D² mod χ", step_2_square),
        Step("χ' N = (Q(M², λ) b) D mod χ", step_3_is_the_simple_part),
    ),
    twins=(
        Twin("wrong sign of a_2 in χ", twin_wrong_second_invariant, 4),
        Twin("without χ(λ) = 0: N² = λ D²", twin_not_a_root, 4, drops=2),
        Twin("without H1: D is no zero divisor at equal angles", twin_equal_roots, 4, drops=1),
    ),
)
