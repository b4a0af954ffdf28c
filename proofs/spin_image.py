"""What rotors, even versors and all versors reach on a space without null directions.

Statement.  V real quadratic space of signature (p, q), r = 0.  The maps x ↦ R x R⁻¹ of

    even versors with R ~R = 1 (rotors)       form SO⁺(p, q), orientation kept on both signs,
    even versors with R ~R = −1               form the rest of SO(p, q) (p, q ≥ 1),
    odd versors, by x ↦ −V x V⁻¹              form the isometries of determinant −1.

Hypotheses
  H1  r = 0.  Dropped: diag(1, 1, 2) is an isometry of Cl(2,0,1); every rotor fixes e3.
  H2  (for SO⁺) R ~R = 1.  Dropped: R = e1 e2 in Cl(1,1) has R ~R = −1 and x ↦ −x, which turns
      both orientations round.

Conventions: V^+ and V^- the spans of the positive and negative e_i; a = a^+ + a^-.

Derivation.
  1.  x ↦ −a x a⁻¹ is the reflection x − 2 (a·x)/a² a: −a x a = a² x − 2 (a·x) a.
  2.  It has determinant −1, and on V^+ (projected) the determinant −|a|²/a² with
      |a|² = (a^+)² − (a^-)² > 0: it turns V^+ round if a² > 0, and V^- if a² < 0.
  3.  A product of vectors turns V^+ round iff the number of positive vectors is odd.  Even, with
      R ~R = Π a_i² > 0: both numbers are even; R ~R < 0: both are odd.                 [2, H2]
  4.  If a² = b², reflection in a − b exchanges a and b: (a−b) a (a−b) = −(a−b)² b, and
      (a−b)² + (a+b)² = 4 a²: one of a − b, a + b is not null if a² ≠ 0.
  5.  So every isometry is a product of at most 2n reflections: bring the image of e_1 back to
      ±e_1, a reflection in e_1 repairs the sign, go on in the complement (Cartan).     [4, H1]
  6.  With steps 1 to 3 and 5 the three sets are as stated.  SO⁺ is the component of 1: rotors in
      planes connect a positive pair of vectors to another, and products of two to 1.

Remarks.  n reflections suffice.  For R ~R = −1 the sandwich R x ~R is minus the map R x R⁻¹.
References.  J. Gallier, Geometric Methods and Applications (Springer 2011), chapters 8, 9.
P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001), chapter 17.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq_mpoly

from geomlin.proving.characteristic import faddeev_leverrier
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import Matrix, diagonal, identity, metric_matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_reflection(n: int) -> Equation:
    """−a x a = a² x − 2 (a·x) a."""
    space = SymbolicMetric(n, a=1, x=1)
    a, x = space.generic("a"), space.generic("x")
    return Equation(-(a * x * a), x * (a * a).scalar_part - a * (a * x).scalar_part * 2, space)


def scaled_reflection(space: SymbolicMetric, a: Element) -> Matrix:
    """a² I − 2 a a^T G, the matrix of x ↦ −a x a."""
    entries = [a.coefficient(1 << i) for i in range(space.n)]
    outer = Matrix(tuple(tuple(x * y for y in entries) for x in entries))
    return (a * a).scalar_part * identity(space) - 2 * (outer @ metric_matrix(space))


def determinant(space: SymbolicMetric, m: Matrix) -> fmpq_mpoly:
    """(−1)^n times the last coefficient of the characteristic polynomial."""
    coefficients, _ = faddeev_leverrier(space, m)
    return coefficients[-1] * (-1) ** space.n


def step_2_determinants(n: int) -> Iterator[Equation]:
    """det = −(a²)^n, and −|a|² (a²)^(p−1) on V^+, for p = 1..n−1."""
    for p in range(1, n):
        space = SymbolicMetric(n, metric=(1,) * p + (-1,) * (n - p), a=1)
        a = space.generic("a")
        square, reflection = (a * a).scalar_part, scaled_reflection(space, a)
        size = sum((c * c for c in a.terms.values()), space.constant(0))
        yield Equation(determinant(space, reflection), -(square**n), space)
        kept = diagonal(space, *(int(i < p) for i in range(n)))
        block = kept @ reflection @ kept + identity(space) - kept
        yield Equation(determinant(space, block), -(square ** (p - 1)) * size, space)


def step_3_norm_of_product(n: int) -> Equation:
    """R ~R = a² b² for R = a b."""
    space = SymbolicMetric(n, a=1, b=1)
    a, b = space.generic("a"), space.generic("b")
    product = (a * a).scalar_part * (b * b).scalar_part
    return Equation((a * b) * ~(a * b), space.scalar(product), space)


def step_4_exchange(n: int) -> Iterator[Equation]:
    """(a−b) a (a−b) = −(a−b)² b + (a² − b²)(a − b), (a−b)² + (a+b)² = 2 a² + 2 b²."""
    space = SymbolicMetric(n, a=1, b=1)
    a, b = space.generic("a"), space.generic("b")
    difference, defect = a - b, (a * a).scalar_part - (b * b).scalar_part
    moved = -(b * (difference * difference).scalar_part) + difference * defect
    yield Equation(difference * a * difference, moved, space)
    yield Equation((a - b) * (a - b) + (a + b) * (a + b), a * a * 2 + b * b * 2, space)


def twin_null_direction(n: int) -> Equation:
    """False: for r > 0 rotors reach every isometry; (a b) e3 ~(a b) = a² b² e3 in Cl(2,0,1)."""
    space = SymbolicMetric(n, metric=(1, 1, 0), a=1, b=1)
    r = space.generic("a") * space.generic("b")
    stretched = space.blade("e3") * (r * ~r).scalar_part * 2
    return Equation(r * space.blade("e3") * ~r, stretched, space, {"R": r, "R ~R": r * ~r})


def twin_negative_norm(n: int) -> Equation:
    """False: an even versor keeps the orientation of V^+; R = e1 e2 in Cl(1,1) does not."""
    space = SymbolicMetric(n, metric=(1, -1))
    r = space.blade("e12")
    image = r * space.blade("e1") * ~r * (r * ~r).scalar_part  # R⁻¹ = ~R / (R ~R), (R ~R)² = 1
    return Equation(image, space.blade("e1"), space, {"R": r, "R ~R": r * ~r})


THEOREM = Theorem(
    name="spin_image",
    statement="r = 0: rotors reach SO⁺(p,q), R ~R = −1 the rest of SO(p,q), odd versors det −1",
    hypotheses=("r = 0", "for SO⁺: R ~R = 1"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("−a x a = a² x − 2 (a·x) a", step_1_reflection),
        Step("determinants of a reflection", step_2_determinants),
        Step("R ~R is the product of the squares", step_3_norm_of_product),
        Step("a − b exchanges a and b", step_4_exchange),
    ),
    twins=(
        Twin("without r = 0: an isometry that stretches e3", twin_null_direction, 3, drops=1),
        Twin("without R ~R = 1: e1 e2 in Cl(1,1)", twin_negative_norm, 2, drops=2),
    ),
)
