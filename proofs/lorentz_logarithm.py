"""Which rotors of Cl(3,1) and Cl(1,3) have a real logarithm: all but −1 − N, N null and not 0.

Statement.  V of signature (3, 1) or (1, 3), R = R_0 + R_2 + R_4 with R ~R = 1, C = R_0 + R_4.
Then R = exp(B) for some B ∈ Λ²V if and only if

    C ≠ −1,   or   C = −1 and R_2 = 0.

Where C = −1, R_2² = 0: so only the rotors −1 − N with N² = 0, N ≠ 0 have no logarithm.

Hypotheses
  H1  R ~R = 1.  Dropped: R = e14 in Cl(3,1), C = 0, R ~R = −1; exp(B) ~exp(B) = 1 always.
  H2  The signature is (3, 1) or (1, 3).  Dropped: R = −5/4 − 3/4 e13 in Cl(2,2) has C ≠ −1, and
      no logarithm, see step 3.
  H3  C ≠ −1 or R_2 = 0.  Dropped: R = −1 − (e1 + e4) ∧ e2 in Cl(3,1).

Conventions: I = e1234, exp(B) literally; C(z) = cosh √z, S(z) = sinh √z/√z are entire.

Derivation.
  1.  C commutes with R_2, so R ~R = C² − R_2², and R_2² = C² − 1.                      [H1]
  2.  I² = −1, I commutes with even elements, and IB is a bivector: ℝ + ℝI is a field ℂ of numbers
      over which Λ²V is a space.  B² = s ∈ ℂ, so exp(B) = C(s) + S(s) B.                [H2]
  3.  With c = C(s/4), h = S(s/4)/2 in ℂ: C(s) + 1 = 2 c² and S(s) = 2 c h, so C(s) = −1 only where
      S(s) = 0: then R_2 = 0.  In Cl(2,2), where I² = 1, a number has two real halves, and
      2 c² ≥ 0 in each: C ≥ −1 in each.                                                 [2]
  4.  C ≠ ±1: cosh w = C for some w ∈ ℂ, and sinh² w = C² − 1 ≠ 0.  With s = w² and B = R_2/S(s),
      B² = (C² − 1)/S(s)² = s, so exp(B) = R.  C = 1: R_2² = 0, B = R_2, s = 0.     [1, 2, H3]
  5.  C = −1, R_2 = 0: R = −1 = exp(π e_ij) for a plane with e_ij² = −1.

Remarks.  This is exp: sl(2, ℂ) → SL(2, ℂ).  R or −R has a logarithm, always.  no_logarithm
treats n ≤ 3; for other signatures of n ≥ 4 nothing is claimed.
References.  M. Riesz, Clifford Numbers and Spinors (1957-58), chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

METRICS = ((1, 1, 1, -1), (1, -1, -1, -1))


def step_1_norm(n: int) -> Iterator[Equation]:
    """C R_2 = R_2 C and C² − R_2² = R ~R."""
    for metric in METRICS:
        space = SymbolicMetric(n, metric=metric, r=(0, 2, 4))
        r = space.generic("r")
        number, two = r.grade(0, 4), r.grade(2)
        yield Equation(number * two, two * number, space)
        yield Equation(number * number - two * two, r * ~r, space)


def step_2_numbers(n: int) -> Iterator[Equation]:
    """I² = −1, I B = B I is a bivector, and B² has grades 0 and 4."""
    for metric in METRICS:
        space = SymbolicMetric(n, metric=metric, b=2)
        i, b = space.blade("e1234"), space.generic("b")
        yield Equation(i * i, space.scalar(-1), space)
        yield Equation(i * b, (b * i).grade(2), space)
        yield Equation(b * b, (b * b).grade(0, 4), space)


def step_3_range(n: int) -> Iterator[Equation]:
    """C(s) + 1 = 2 c² and C² − s S² = 1 for C = c² + s h², S = 2 c h, c² − s h² = 1."""
    space = SymbolicMetric(n, c=0, h=0, s=0)
    c, h, s = (space.symbol(name) for name in "chs")
    half = c * c - s * h * h - 1
    cosine, sine = c * c + s * h * h, 2 * c * h
    yield Equation((cosine + 1) % half, (2 * c * c) % half, space)
    yield Equation((cosine**2 - s * sine**2) % half, space.constant(1), space)


def step_4_solution(n: int) -> Iterator[Equation]:
    """(z R_2)² = z² (C² − R ~R) and z R_2 is a bivector, for z = x + y I: z = 1/S(s)."""
    for metric in METRICS:
        space = SymbolicMetric(n, metric=metric, x=0, y=0, r=(0, 2, 4))
        z = space.blade("e1234") * space.symbol("y") + space.symbol("x")
        r = space.generic("r")
        b, number = z * r.grade(2), r.grade(0, 4)
        yield Equation(b, b.grade(2), space)
        yield Equation(b * b, z * z * (number * number - r * ~r), space)


def step_5_half_turns(n: int) -> Iterator[Equation]:
    """e12² = −1 in Cl(3,1), e34² = −1 in Cl(1,3)."""
    for metric, name in zip(METRICS, ("e12", "e34"), strict=True):
        space = SymbolicMetric(n, metric=metric)
        yield Equation(space.blade(name) * space.blade(name), space.scalar(-1), space)


def twin_null(n: int) -> Equation:
    """False: an exponential with C = −1 has R_2 ≠ 0; R = −1 − (e1 + e4) ∧ e2 in Cl(3,1)."""
    space = SymbolicMetric(n, metric=METRICS[0])
    r = -1 - ((space.blade("e1") + space.blade("e4")) ^ space.blade("e2"))
    return Equation(r.grade(2), space.scalar(0), space, {"R": r, "R ~R": r * ~r})


def twin_norm(n: int) -> Equation:
    """False: e14 in Cl(3,1), with C = 0, has R ~R = 1 as an exponential has."""
    space = SymbolicMetric(n, metric=METRICS[0])
    r = space.blade("e14")
    return Equation(r * ~r, space.scalar(1), space, {"R": r})


def twin_two_boosts(n: int) -> Equation:
    """False: −5/4 − 3/4 e13 in Cl(2,2) has C ≥ −1 in both halves, as an exponential has."""
    space = SymbolicMetric(n, metric=(1, 1, -1, -1))
    r = space.scalar(fmpq(-5, 4)) - space.blade("e13") * fmpq(3, 4)
    least = max(r.scalar_part.leading_coefficient(), fmpq(-1))
    return Equation(r.grade(0, 4), space.scalar(least), space, {"R": r, "R ~R": r * ~r})


THEOREM = Theorem(
    name="lorentz_logarithm",
    statement="Cl(3,1), Cl(1,3): R = exp(B) iff R_0 + R_4 ≠ −1 or R = −1",
    hypotheses=("R ~R = 1", "the signature is (3, 1) or (1, 3)", "R_0 + R_4 ≠ −1 or R_2 = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(4,),
    steps=(
        Step("R ~R = C² − R_2²", step_1_norm),
        Step("I² = −1, I B = B I ∈ Λ²V, B² ∈ ℝ + ℝI", step_2_numbers),
        Step("C(s) + 1 = 2 C(s/4)²", step_3_range),
        Step("B = R_2/S solves B² = s", step_4_solution),
        Step("e_ij² = −1", step_5_half_turns),
    ),
    twins=(
        Twin("without R ~R = 1: e14 in Cl(3,1)", twin_norm, 4, drops=1),
        Twin("two boosts: −5/4 − 3/4 e13 in Cl(2,2)", twin_two_boosts, 4, drops=2),
        Twin("−1 − N in Cl(3,1)", twin_null, 4, drops=3),
    ),
)
