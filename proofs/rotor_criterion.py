"""For n ≤ 5 an even element with scalar ~R R maps vectors to vectors; for n = 6 it need not.

Statement.  V real quadratic space of dimension n ≤ 5, any signature, R even, x ∈ V.  Then

    R x ~R = ⟨R x ~R⟩_1 + x ∧ ⟨~R R⟩_4    and    ~R R = ⟨~R R⟩_0 + ⟨~R R⟩_4,

so R x ~R ∈ V whenever ~R R is a scalar.  If ~R R = 1, then ~R = R⁻¹ and R is a rotor.

Hypotheses
  H1  n ≤ 5.  Dropped: R = α + β e123456 in Cl(6) has ~R R = α² + β², and R e1 ~R has grade 5.
  H2  R is even.  Dropped: R = 1 + e123 in Cl(4) has ~R R = 2, but R e4 ~R = 2 e1234.
  H3  ~R R is a scalar.  Dropped: R = 1 + e1234 in Cl(5), R e5 ~R has grade 5.

Conventions: e_i² = g_i, x ↦ R x ~R literally.

Derivation.
  1.  ~R R is even and its own reverse: grades 0 and 4.                                [H2]
  2.  R x ~R is odd and its own reverse: grades 1 and 5.  For n = 5 the pseudoscalar I is
      central, so ⟨R x ~R I⟩_0 = ⟨x ~R R I⟩_0: the part of grade 5 is x ∧ ⟨~R R⟩_4; for
      n ≤ 4 both are 0.                                                                [H1, H2]
  3.  If ~R R = 1, then R is invertible with R⁻¹ = ~R (finite dimension), so
      (R x ~R)² = R x ~R R x ~R = x², and R x ~R is a vector by step 2.                [H3]

Remarks.  `is_rotor` checks R e_i ~R in every dimension, because of H1.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_grades_of_norm(n: int) -> Equation:
    """~R R has grades 0 and 4."""
    rotor = SymbolicMetric(n, r=range(0, n + 1, 2)).generic("r")
    norm = ~rotor * rotor
    return Equation(norm, norm.grade(0, 4), rotor.space)


def step_2_image_of_vector(n: int) -> Equation:
    """R x ~R = ⟨R x ~R⟩_1 + x ∧ ⟨~R R⟩_4."""
    space = SymbolicMetric(n, r=range(0, n + 1, 2), x=1)
    rotor, x = space.generic("r"), space.generic("x")
    image = rotor * x * ~rotor
    return Equation(image, image.grade(1) + (x ^ (~rotor * rotor).grade(4)), space)


def step_3_isometry(n: int) -> Equation:
    """(R x ~R)(R x ~R) = R x (~R R) x ~R, which is x² for ~R R = 1 = R ~R; R = u v here."""
    space = SymbolicMetric(n, u=1, v=1, x=1)
    u, v, x = (space.generic(letter) for letter in "uvx")
    rotor = u * v
    image = rotor * x * ~rotor
    return Equation(image * image, rotor * x * (~rotor * rotor) * x * ~rotor, space)


def twin_six_dimensions(n: int) -> Equation:
    """False: for n = 6 an even R with scalar ~R R maps vectors to vectors."""
    space = SymbolicMetric(n, metric=(1,) * n, alpha=0, beta=0)
    rotor = space.symbol("alpha") + space.blade("e123456") * space.symbol("beta")
    image = rotor * space.blade("e1") * ~rotor
    return Equation(image, image.grade(1), space, {"R": rotor, "~R R": ~rotor * rotor})


def twin_not_even(n: int) -> Equation:
    """False: R = 1 + e123 with ~R R = 2 maps e4 to a vector."""
    space = SymbolicMetric(n, metric=(1,) * n)
    rotor = 1 + space.blade("e123")
    image = rotor * space.blade("e4") * ~rotor
    return Equation(image, image.grade(1), space, {"R": rotor, "~R R": ~rotor * rotor})


def twin_norm_not_scalar(n: int) -> Equation:
    """False: R = 1 + e1234 maps e5 to a vector."""
    space = SymbolicMetric(n, metric=(1,) * n)
    rotor = 1 + space.blade("e1234")
    image = rotor * space.blade("e5") * ~rotor
    return Equation(image, image.grade(1), space, {"R": rotor, "~R R": ~rotor * rotor})


THEOREM = Theorem(
    name="rotor_criterion",
    statement="R x ~R = ⟨R x ~R⟩_1 + x ∧ ⟨~R R⟩_4 for even R and n ≤ 5",
    hypotheses=("n ≤ 5", "R is even", "~R R is a scalar"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5),
    steps=(
        Step("~R R has grades 0 and 4", step_1_grades_of_norm),
        Step("R x ~R = ⟨R x ~R⟩_1 + x ∧ ⟨~R R⟩_4", step_2_image_of_vector),
        Step("(R x ~R)² = R x (~R R) x ~R", step_3_isometry),
    ),
    twins=(
        Twin("without n ≤ 5: α + β e123456 preserves vectors", twin_six_dimensions, 6, drops=1),
        Twin("without evenness: 1 + e123 preserves vectors", twin_not_even, 4, drops=2),
        Twin("without scalar ~R R: 1 + e1234 preserves vectors", twin_norm_not_scalar, 5, drops=3),
    ),
)
