"""A product of an even number of vectors acts on V by R x ~R, an isometry up to (R ~R)².

Statement.  V real quadratic space, any signature, R = u_1 u_2 .. u_2m with u_i ∈ V.  Then
R ~R = u_1² .. u_2m² ∈ ℝ, and for x, y ∈ V

    R x ~R ∈ V,    (R x ~R)·(R y ~R) = (R ~R)² x·y,    (R S) x ~(R S) = R (S x ~S) ~R.

So for R ~R = 1 the map x ↦ R x ~R is an isometry, and R ↦ (x ↦ R x ~R) is a homomorphism.

Hypotheses
  H1  R is a product of vectors.  Dropped: R = 3 + 4 e123456 in Cl(6) is even with R ~R = 25, but
      R e1 ~R has grade 5: (R ~R scalar) is not enough for n ≥ 6.

Conventions: e_i² = g_i, x·y = ⟨xy⟩_0, ~ reverses products.

Derivation.
  1.  (A B) e_i = A (B e_i) for all A, B and every i.  By induction on the length of C = C' e_i,
      (A B) C = A (B C): the product is associative.  Also ~(A B) = ~B ~A.
  2.  u x u = 2 (u·x) u − u² x, a vector.
  3.  (u x u)·(u y u) = (u²)² x·y.
  4.  R = u v: R ~R = u² v² and R x ~R = u (v x v) u.  Apply steps 2 and 3 twice; by induction
      on m, with step 1, to every even product of vectors.                             [1, 2, 3; H1]
  5.  (R S) x ~(R S) = R S x ~S ~R = R (S x ~S) ~R for even R, S.                      [1]

Remarks.  Odd products act by x ↦ −V x V⁻¹; the sign is absent from the literal sandwich.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).  M. Riesz,
Clifford Numbers and Spinors (lectures 1957-58; Kluwer 1993).
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_associative(n: int) -> Iterator[Equation]:
    """(A B) e_i = A (B e_i) and ~(A B) = ~B ~A for generic multivectors."""
    space = SymbolicMetric(n, a=range(n + 1), b=range(n + 1))
    a, b = space.generic("a"), space.generic("b")
    product = a * b
    for e in space.vectors():
        yield Equation(product * e, a * (b * e), space)
    yield Equation(~product, ~b * ~a, space)


def step_2_reflection(n: int) -> Equation:
    """u x u = 2 (u·x) u − u² x."""
    space = SymbolicMetric(n, u=1, x=1)
    u, x = space.generic("u"), space.generic("x")
    expected = u * (2 * (u * x).scalar_part) - x * (u * u).scalar_part
    return Equation(u * x * u, expected, space)


def step_3_reflection_is_isometry(n: int) -> Equation:
    """(u x u)·(u y u) = (u²)² x·y."""
    space = SymbolicMetric(n, u=1, x=1, y=1)
    u, x, y = (space.generic(letter) for letter in "uxy")
    dot = ((u * x * u).grade(1) * (u * y * u).grade(1)).scalar_part
    return Equation(dot, (u * u).scalar_part ** 2 * (x * y).scalar_part, space)


def step_4_two_reflections(n: int) -> Iterator[Equation]:
    """R ~R = u² v², R x ~R = u (v x v) u and its vector part, for R = u v."""
    space = SymbolicMetric(n, u=1, v=1, x=1)
    u, v, x = (space.generic(letter) for letter in "uvx")
    rotor = u * v
    norm = (u * u).scalar_part * (v * v).scalar_part
    yield Equation(rotor * ~rotor, space.scalar(norm), space)
    image = rotor * x * ~rotor
    yield Equation(image, u * (v * x * v) * u, space)
    yield Equation(image, image.grade(1), space)


def step_5_homomorphism(n: int) -> Equation:
    """(R S) x ~(R S) = R (S x ~S) ~R for products of two vectors: four reflections."""
    space = SymbolicMetric(n, u=1, v=1, w=1, z=1)
    u, v, w, z = (space.generic(letter) for letter in "uvwz")
    rotor, other, x = u * v, w * z, space.blade("e1")
    action = rotor * (other * x * ~other) * ~rotor
    return Equation((rotor * other) * x * ~(rotor * other), action, space)


def twin_even_with_scalar_norm(n: int) -> Equation:
    """False: an even R with scalar R ~R maps vectors to vectors."""
    space = SymbolicMetric(n, metric=(1,) * n)
    rotor = 3 + space.blade("e123456") * 4
    image = rotor * space.blade("e1") * ~rotor
    return Equation(image, image.grade(1), space, {"R": rotor, "R ~R": rotor * ~rotor})


def twin_norm_forgotten(n: int) -> Equation:
    """False: (R x ~R)² = x² without R ~R = 1."""
    space = SymbolicMetric(n, x=1)
    x, rotor = space.generic("x"), (space.blade("e1") + space.blade("e2")) * space.blade("e1")
    image = rotor * x * ~rotor
    return Equation(image * image, x * x, space, {"R": rotor, "R ~R": rotor * ~rotor, "x": x})


def twin_order_of_factors(n: int) -> Equation:
    """False: R S acts as R first, then S."""
    space = SymbolicMetric(n, u=1, v=1, w=1, z=1)
    u, v, w, z = (space.generic(letter) for letter in "uvwz")
    rotor, other, x = u * v, w * z, space.blade("e1")
    product, swapped = rotor * other, other * rotor
    shown = {"R": rotor, "S": other, "x": x}
    return Equation(product * x * ~product, swapped * x * ~swapped, space, shown)


THEOREM = Theorem(
    name="rotor_action",
    statement="R x ~R is a vector, isometric up to (R ~R)², and (RS) x ~(RS) = R (S x ~S) ~R",
    hypotheses=("R is a product of an even number of vectors",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("(A B) e_i = A (B e_i), ~(A B) = ~B ~A", step_1_associative),
        Step("u x u = 2 (u·x) u − u² x", step_2_reflection),
        Step("(u x u)·(u y u) = (u²)² x·y", step_3_reflection_is_isometry),
        Step("(u v) x ~(u v) = u (v x v) u is a vector", step_4_two_reflections),
        Step("(R S) x ~(R S) = R (S x ~S) ~R", step_5_homomorphism),
    ),
    twins=(
        Twin("without H1: 3 + 4 e123456 preserves vectors", twin_even_with_scalar_norm, 6, drops=1),
        Twin("without R ~R = 1: isometry", twin_norm_forgotten, 2),
        Twin("the action reverses the order of factors", twin_order_of_factors, 3),
    ),
)
