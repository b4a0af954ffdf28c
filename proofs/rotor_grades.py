"""A product of evenly many vectors keeps grades, and has the determinant (R ~R)^n on V.

Statement.  V real quadratic space of dimension n, any signature, R = u_1 u_2 .. u_2m, u_i ∈ V.
For x_1, .., x_k ∈ V

    (R x_1 ~R) ∧ .. ∧ (R x_k ~R) = (R ~R)^(k−1) R (x_1 ∧ .. ∧ x_k) ~R,
    R A ~R ∈ Λ^k(V) for A ∈ Λ^k(V),    det(x ↦ R x ~R) = (R ~R)^n.

So for R ~R = 1 the map A ↦ R A ~R keeps grades and wedges, and its determinant on V is 1.

Hypotheses
  H1  R is a product of vectors.  Dropped: R = 2 + e1234 in Cl(5), R e5 ~R = 5 e5 + 4 e12345.
  H2  (for the determinant) Their number is even.  Dropped: R = e1 in Cl(2), R ~R = 1, and
      x ↦ e1 x e1 is a reflection, of determinant −1.

Conventions: e_i² = g_i, R x ~R literally.

Derivation.
  1.  u x u ∈ V, and (u x u)(u y u) = u² u x y u.  So (u x_1 u) .. (u x_k u) =
      (u²)^(k−1) u x_1 .. x_k u, for every k.                                             [H1]
  2.  The antisymmetric part over x_1, .., x_k of both sides of step 1 is
      (u x_1 u) ∧ .. ∧ (u x_k u) = (u²)^(k−1) u (x_1 ∧ .. ∧ x_k) u.                       [1]
  3.  u A u has the grade k of A.  By functoriality u² may be an indeterminate, which is no zero
      divisor: step 2 says so for (u²)^(k−1) u A u.                                       [2]
  4.  det(x ↦ u x u) = −(−u²)^n: it maps u to u² u, and x to −u² x for x orthogonal to u.
  5.  For R = u_1 .. u_2m the maps compose.  In step 2 the factors are Π (u_i²)^(k−1), and in
      step 4 they are Π (−(−u_i²)^n) = (R ~R)^n, the number of signs being even.       [2, 3, 4, H2]

Remarks.  With rotor_action: for R ~R = 1 an isometry of determinant 1.  spin_image says which.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001), chapter 17.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import xor

from flint import fmpq_mpoly

from geomlin.proving.characteristic import faddeev_leverrier
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import Matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def determinant(space: SymbolicMetric, versor: Element) -> fmpq_mpoly:
    """det(x ↦ V x ~V), (−1)^n times the last coefficient of the characteristic polynomial."""
    images = [versor * e * ~versor for e in space.vectors()]
    rows = (tuple(image.coefficient(1 << i) for image in images) for i in range(space.n))
    coefficients, _ = faddeev_leverrier(space, Matrix(tuple(rows)))
    return coefficients[-1] * (-1) ** space.n


def step_1_products(n: int) -> Equation:
    """(u x u)(u y u) = u² u x y u."""
    space = SymbolicMetric(n, u=1, x=1, y=1)
    u, x, y = (space.generic(letter) for letter in "uxy")
    return Equation((u * x * u) * (u * y * u), u * x * y * u * (u * u).scalar_part, space)


def step_2_wedges(n: int) -> Iterator[Equation]:
    """(u e1 u) ∧ .. ∧ (u ek u) = (u²)^(k−1) u e_(1..k) u for k = 1..n."""
    space = SymbolicMetric(n, u=1)
    u, square = space.generic("u"), (space.generic("u") * space.generic("u")).scalar_part
    for k in range(1, n + 1):
        vectors = space.vectors()[:k]
        left = reduce(xor, (u * e * u for e in vectors))
        yield Equation(left, u * reduce(xor, vectors) * u * square ** (k - 1), space)


def step_3_grades(n: int) -> Iterator[Equation]:
    """u A u is its part of grade k, for A = e_(1..k), k = 0..n."""
    space = SymbolicMetric(n, u=1)
    u = space.generic("u")
    for k in range(n + 1):
        image = u * space.element({(1 << k) - 1: 1}) * u
        yield Equation(image, image.grade(k), space)


def step_4_determinant(n: int) -> Equation:
    """det(x ↦ u x u) = −(−u²)^n."""
    space = SymbolicMetric(n, u=1)
    u = space.generic("u")
    return Equation(determinant(space, u), -((-(u * u).scalar_part) ** n), space)


def step_5_two_reflections(n: int) -> Iterator[Equation]:
    """For R = u v: wedge and grade of e1 ∧ e2, and the signs of step 4 cancel."""
    space = SymbolicMetric(n, u=1, v=1)
    u, v = space.generic("u"), space.generic("v")
    rotor, (x, y, *_) = u * v, space.vectors()
    norm = (rotor * ~rotor).scalar_part
    image = rotor * (x ^ y) * ~rotor
    yield Equation((rotor * x * ~rotor) ^ (rotor * y * ~rotor), image * norm, space)
    yield Equation(image, image.grade(2), space)
    signs = [-((-(a * a).scalar_part) ** n) for a in (u, v)]
    yield Equation(signs[0] * signs[1], norm**n, space)


def twin_no_product(n: int) -> Equation:
    """False: R = 2 + e1234 in Cl(5) keeps grades."""
    space = SymbolicMetric(n, metric=(1,) * n)
    rotor, x = 2 + space.blade("e1234"), space.blade("e5")
    image = rotor * x * ~rotor
    return Equation(image, image.grade(1), space, {"R": rotor})


def twin_one_vector(n: int) -> Equation:
    """False: det(x ↦ u x ~u) = (u ~u)^n for one vector; u = e1."""
    space = SymbolicMetric(n, metric=(1,) * n)
    u = space.blade("e1")
    return Equation(determinant(space, u), (u * u).scalar_part ** n, space, {"R": u})


def twin_wedge_without_norm(n: int) -> Equation:
    """False: (R x ~R) ∧ (R y ~R) = R (x ∧ y) ~R without R ~R = 1."""
    space = SymbolicMetric(n, metric=(1,) * n)
    x, y, rotor = space.blade("e1"), space.blade("e2"), (1 + space.blade("e12"))
    left = (rotor * x * ~rotor) ^ (rotor * y * ~rotor)
    return Equation(left, rotor * (x ^ y) * ~rotor, space, {"R": rotor})


THEOREM = Theorem(
    name="rotor_grades",
    statement="R A ~R has the grade of A, respects ∧ up to R ~R, and det(x ↦ R x ~R) = (R ~R)^n",
    hypotheses=("R is a product of vectors", "for the determinant: of evenly many"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("(u x u)(u y u) = u² u x y u", step_1_products),
        Step("(u x_1 u) ∧ .. ∧ (u x_k u) = (u²)^(k−1) u (x_1 ∧ .. ∧ x_k) u", step_2_wedges),
        Step("u A u has the grade of A", step_3_grades),
        Step("det(x ↦ u x u) = −(−u²)^n", step_4_determinant),
        Step("R = u v: wedge, grade, signs", step_5_two_reflections),
    ),
    twins=(
        Twin("without a product of vectors: 2 + e1234 in Cl(5)", twin_no_product, 5, drops=1),
        Twin("one vector in Cl(2)", twin_one_vector, 2, drops=2),
        Twin("wedges without R ~R = 1", twin_wedge_without_norm, 2),
    ),
)
