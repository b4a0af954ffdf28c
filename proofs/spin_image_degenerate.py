"""With null directions rotors reach the isometries that fix the radical pointwise.

Statement.  V = U ⊕ N, N = rad V of dimension r ≥ 1, U of signature (p, q), p + q ≥ 1.  The maps
x ↦ R x ~R of rotors are exactly the linear maps with

    N fixed pointwise,    u ↦ A u + L(u),    A ∈ SO⁺(p, q),  L: U → N any linear map.

Hypotheses
  H1  R is a versor.  Dropped: R = 2 + e1 in Cl(1,0,2), invertible, moves e1 to 4 + 5 e1.

Conventions: x ↦ R x ~R, null vectors last.

Derivation.
  1.  n ∈ N: a n = −n a for every vector a, so R n ~R = (R ~R) n = n for even products R.
  2.  Modulo N the map is that of R modulo N, in SO⁺(p, q) by spin_image: A.           [H1]
  3.  T = 1 + n a/2 with n ∈ N, a ∈ U has T ~T = 1 and T x ~T = x + (x·a) n.
  4.  a² T = (a + (a²/2) n) a, so T is a versor for a² ≠ 0; null a are sums of two others.
  5.  Such maps compose to x ↦ x + Σ (x·a_i) n_i, which is every L: U → N, U having no null
      directions.  With step 2: exactly the stated maps.                            [1, 2, 3, 4]

Remarks.  Isometries may also act on N by GL(r); rotors never do.  The kernel is in kernel.py.
References.  C. Gunn, Geometric Algebras for Euclidean Geometry, Adv. Appl. Clifford Algebras 27
(2017).
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def degenerate(n: int, **symbols: int) -> SymbolicMetric:
    """Cl(1, n−3, 2) for n ≥ 3, with vector symbols."""
    return SymbolicMetric(n, metric=(1,) + (-1,) * (n - 3) + (0, 0), **symbols)


def split(x: Element) -> tuple[Element, Element]:
    """The parts in U and in N."""
    null = x.space.element({s: c for s, c in x.terms.items() if x.space.square(s) == 0})
    return x - null, null


def translator(a: Element, null: Element) -> Element:
    """T = 1 + n a / 2."""
    return 1 + null * a * fmpq(1, 2)


def step_1_radical_is_fixed(n: int) -> Iterator[Equation]:
    """a n = −n a, and (a b) n ~(a b) = a² b² n."""
    space = degenerate(n, a=1, b=1, m=1)
    a, b = space.generic("a"), space.generic("b")
    _, null = split(space.generic("m"))
    yield Equation(a * null, -(null * a), space)
    r = a * b
    yield Equation(r * null * ~r, null * (r * ~r).scalar_part, space)


def step_2_modulo_radical(n: int) -> Equation:
    """The part in U of (a b) x ~(a b) does not depend on the parts of a, b, x in N."""
    space = degenerate(n, a=1, b=1, x=1)
    vectors = [space.generic(letter) for letter in "abx"]
    (a, b, x), (a0, b0, x0) = vectors, [split(v)[0] for v in vectors]
    found, expected = a * b * x * b * a, a0 * b0 * x0 * b0 * a0
    return Equation(split(found)[0], split(expected)[0], space)


def step_3_translator(n: int) -> Iterator[Equation]:
    """T ~T = 1 and T x ~T = x + (x·a) n."""
    space = degenerate(n, a=1, m=1, x=1)
    a, x = split(space.generic("a"))[0], space.generic("x")
    null = split(space.generic("m"))[1]
    t = translator(a, null)
    yield Equation(t * ~t, space.scalar(1), space)
    yield Equation(t * x * ~t, x + null * (x * a).scalar_part, space)


def step_4_versor(n: int) -> Equation:
    """a² T = (a + (a²/2) n) a."""
    space = degenerate(n, a=1, m=1)
    a, null = split(space.generic("a"))[0], split(space.generic("m"))[1]
    square = (a * a).scalar_part
    return Equation(translator(a, null) * square, (a + null * square * fmpq(1, 2)) * a, space)


def step_5_composition(n: int) -> Equation:
    """Translators compose: T(a, m) T(b, m') maps x to x + (x·a) m + (x·b) m'."""
    space = degenerate(n, a=1, b=1, m=1, k=1, x=1)
    a, b = (split(space.generic(letter))[0] for letter in "ab")
    first, second = (split(space.generic(letter))[1] for letter in "mk")
    r, x = translator(a, first) * translator(b, second), space.generic("x")
    moved = x + first * (x * a).scalar_part + second * (x * b).scalar_part
    return Equation(r * x * ~r, moved, space)


def twin_no_versor(n: int) -> Equation:
    """False: R e1 ~R is a vector for R = 2 + e1 in Cl(1,0,2), of inverse (2 − e1)/3."""
    space = SymbolicMetric(n, metric=(1, 0, 0))
    r = 2 + space.blade("e1")
    image = r * space.blade("e1") * ~r
    return Equation(image, image.grade(1), space, {"R": r, "R ~R": r * ~r})


def twin_sign(n: int) -> Equation:
    """False: T moves x by −(x·a) n."""
    space = SymbolicMetric(n, metric=(1, 1, 0))
    a, null = space.blade("e1"), space.blade("e3")
    t = translator(a, null)
    return Equation(t * a * ~t, a - null, space, {"T": t})


THEOREM = Theorem(
    name="spin_image_degenerate",
    statement="r > 0: rotors reach N fixed pointwise, u ↦ A u + L(u), A ∈ SO⁺(p,q), any L: U → N",
    hypotheses=("R is a versor",),
    strength=Strength.POLYNOMIAL,
    dimensions=(3, 4, 5, 6),
    steps=(
        Step("(a b) n ~(a b) = a² b² n", step_1_radical_is_fixed),
        Step("modulo N the radical does not act", step_2_modulo_radical),
        Step("T x ~T = x + (x·a) n", step_3_translator),
        Step("a² T = (a + a²/2 n) a", step_4_versor),
        Step("translators compose", step_5_composition),
    ),
    twins=(
        Twin("without versor: 2 + e1 in Cl(1,0,2)", twin_no_versor, 3, drops=1),
        Twin("the opposite direction of T", twin_sign, 3),
    ),
)
