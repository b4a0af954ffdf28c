"""The kernel of the rotor action: {1, −1} when the radical has dimension at most 1.

Statement.  V real quadratic space of signature (p, q, r), rad V its radical, R even with
R ~R = 1.  Then R x ~R = x for every x ∈ V if and only if

    R = ±exp(N),    N ∈ Λ²(rad V) ⊕ Λ⁶(rad V) ⊕ Λ¹⁰(rad V) ⊕ ..

So the kernel is {1, −1} for r ≤ 1 and ±exp(Λ² rad V) for 2 ≤ r ≤ 5.

Hypotheses
  H1  R is even.  Dropped: e123 in Cl(3) commutes with every vector, e123 ~e123 = 1.
  H2  (for {1, −1}) r ≤ 1.  Dropped: R = 1 + e23 in Cl(1,0,2).
  H3  (for ±exp(Λ² rad V)) r ≤ 5.  Dropped: R = 1 + e123456 in Cl(0,0,6), no outer exponential.

Conventions: e_i² = g_i, R x ~R literally, null vectors last.

Derivation, for every n.
  1.  R ~R = 1 turns R x ~R = x into R x = x R.  R e_i − e_i R = 2 Σ_{S∋i} r_S e_S e_i, with
      the coefficients ±2 g_i r_S on the distinct blades e_(S∖i).                        [H1]
  2.  So R commutes with V iff R ∈ Λ^even(rad V), of dimension 2^(r−1), or 1 for r = 0.    [1]
  3.  On Λ(rad V) the product is ∧.  ~N = −N on grades 2 mod 4, so exp(N) ~exp(N) = 1.
  4.  R ~R = 1 has the scalar part r_∅² = 1.  For R = 1 + Z, L = log R = Σ_j (−1)^(j+1) Z^j/j
      is a finite sum with exp L = R and log(R ~R) = L + ~L.  So R ~R = 1 forces ~L = −L, and
      L has the grades 2 mod 4.
  5.  If u² = ±1 and a, b ∈ rad V: (u+a) u (u+b) u (u−a−b) u = u² − a b.  So for p + q ≥ 1 the
      elements exp(Λ² rad V) are products of vectors, up to sign.

Remarks.  Step 2 counts ranks in every signature.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001), for r = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.linear_algebra import coordinates, rank, signatures
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def power_series(z: Element, weights: list[fmpq]) -> Element:
    """w_1 z + w_2 z² + .., exact when z is nilpotent and there are n/2 weights."""
    total, power = z.space.scalar(0), z.space.scalar(1)
    for weight in weights:
        power = power * z
        total = total + power * weight
    return total


def exponential(z: Element) -> Element:
    """exp z for z in the even exterior algebra without scalar part."""
    return 1 + power_series(z, [fmpq(1, factorial(j)) for j in range(1, z.space.n // 2 + 1)])


def logarithm(r: Element) -> Element:
    """log r for r in the even exterior algebra with scalar part 1."""
    weights = [fmpq((-1) ** (j + 1), j) for j in range(1, r.space.n // 2 + 1)]
    return power_series(r - 1, weights)


def step_1_commutator_with_vectors(n: int) -> Iterator[Equation]:
    """R e_i − e_i R = 2 Σ_{S∋i} r_S e_S e_i."""
    space = SymbolicMetric(n, r=range(0, n + 1, 2))
    r = space.generic("r")
    for i, e in enumerate(space.vectors()):
        containing = space.element({s: c for s, c in r.terms.items() if s >> i & 1})
        yield Equation(r * e - e * r, containing * e * 2, space)


def step_2_dimension_of_centraliser(n: int) -> Iterator[Equation]:
    """2^(n−1) − rank(R ↦ (R e_i − e_i R)_i) = dim Λ^even(rad V), in every signature."""
    for p, q, r in signatures(n):
        space = SymbolicMetric(n, metric=(1,) * p + (-1,) * q + (0,) * r)
        blades = [space.element({s: 1}) for s in range(1 << n) if s.bit_count() % 2 == 0]
        rows = [coordinates(b * e - e * b for e in space.vectors()) for b in blades]
        expected = 2 ** (r - 1) if r else 1
        yield Equation(len(blades) - rank(rows), expected, space)


def step_3_exponentials_are_unitary(n: int) -> Equation:
    """exp(N) ~exp(N) = 1 for N of the grades 2 mod 4 over a null space."""
    space = SymbolicMetric(n, metric=(0,) * n, a=range(2, n + 1, 4))
    e = exponential(space.generic("a"))
    return Equation(e * ~e, space.scalar(1), space)


def step_4_logarithm(n: int) -> Iterator[Equation]:
    """exp(log R) = R and log(R ~R) = log R + ~log R for R = 1 + Z over a null space."""
    space = SymbolicMetric(n, metric=(0,) * n, z=range(2, n + 1, 2))
    r = 1 + space.generic("z")
    yield Equation(exponential(logarithm(r)), r, space)
    yield Equation(logarithm(r * ~r), logarithm(r) + ~logarithm(r), space)


def step_5_product_of_six_vectors(n: int) -> Iterator[Equation]:
    """(u+a) u (u+b) u (u−a−b) u = u² − a b for u = e1, u² = ±1 and null a, b orthogonal to u."""
    for square in (1, -1):
        space = SymbolicMetric(n, metric=(square,) + (0,) * (n - 1), a=1, b=1)
        u = space.blade("e1")
        a, b = (x - u * x.coefficient(1) for x in (space.generic("a"), space.generic("b")))
        yield Equation((u + a) * u * (u + b) * u * (u - a - b) * u, square - a * b, space)


def twin_two_null_vectors(n: int) -> Equation:
    """False: in Cl(1,0,2) the kernel is {1, −1}, for R = 1 + t e23."""
    space = SymbolicMetric(n, metric=(1, 0, 0), t=0)
    r = 1 + space.blade("e23") * space.symbol("t")
    images = [r * e * ~r for e in space.vectors()]
    return Equation(r, space.scalar(1), space, {"R": r, "R ~R": r * ~r, "R e_i ~R": images})


def twin_odd_elements(n: int) -> Equation:
    """False: in Cl(3) the elements that commute with all vectors are scalars."""
    space = SymbolicMetric(n, metric=(1, 1, 1), t=0)
    r = space.blade("e123") * space.symbol("t")
    commutators = [r * e - e * r for e in space.vectors()]
    return Equation(r, r.grade(0), space, {"R": r, "R e_i − e_i R": commutators})


def twin_six_null_vectors(n: int) -> Equation:
    """False: in Cl(0,0,6) R is the exponential of its bivector part, for R = 1 + t e123456."""
    space = SymbolicMetric(n, metric=(0,) * n, t=0)
    r = 1 + space.blade("e123456") * space.symbol("t")
    return Equation(r, exponential(r.grade(2)), space, {"R": r, "R ~R": r * ~r})


THEOREM = Theorem(
    name="kernel",
    statement="R x ~R = x for all x iff R = ±exp(N), N of grades 2 mod 4 over the radical",
    hypotheses=("R is even, R ~R = 1", "for {1, −1}: r ≤ 1", "for ±exp(Λ² rad V): r ≤ 5"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("R e_i − e_i R = 2 Σ_{S∋i} r_S e_S e_i", step_1_commutator_with_vectors),
        Step("the centraliser is Λ^even(rad V)", step_2_dimension_of_centraliser),
        Step("exp(N) ~exp(N) = 1", step_3_exponentials_are_unitary),
        Step("exp(log R) = R, log(R ~R) = L + ~L", step_4_logarithm),
        Step("u² − a b is a product of six vectors", step_5_product_of_six_vectors),
    ),
    twins=(
        Twin("without r ≤ 1: kernel {1, −1} in Cl(1,0,2)", twin_two_null_vectors, 3, drops=2),
        Twin("without evenness: kernel of scalars in Cl(3)", twin_odd_elements, 3, drops=1),
        Twin("without r ≤ 5: ±exp(Λ² rad V) in Cl(0,0,6)", twin_six_null_vectors, 6, drops=3),
    ),
)
