"""Which rotors have a real logarithm for n ≤ 3.

Statement.  V of signature (p, q, r), n ≤ 3, R = R_0 + R_2 with R ~R = 1.  Then R = exp(B) for some
B ∈ Λ²V if and only if

    R_0 > −1,   or   R = −1 and some bivector has a negative square.

Hypotheses
  H1  R ~R = 1.  Dropped: R = e12 in Cl(1,1), R_0 = 0, R ~R = −1; exp(B) ~exp(B) = 1 always.
  H2  n ≤ 3.  Dropped: R = −(cosh + sinh e34) in Cl(3,1) is exp(π e12) exp(β e34), with R_0 < −1.
  H3  R_0 > −1 or R = −1.  Dropped: R = −5/4 − 3/4 e13 in Cl(2,1), and −1 − e13 in Cl(2,0,1).

Conventions: exp(B) literally; C(z) = cosh √z, S(z) = sinh √z/√z.

Derivation.
  1.  n ≤ 3: B² = s is a scalar, exp(B) = C(s) + S(s) B, and R_2² = R_0² − 1.           [H1, H2]
  2.  With c = C(s/4), h = S(s/4)/2: C(s) + 1 = 2 c² ≥ 0 and S(s) = 2 c h, so C(s) = −1 only where
      S(s) = 0.  So R_0 ≥ −1, and R_0 = −1 forces R_2 = 0.                        [1]
  3.  −1 < R_0 < 1: s = −acos(R_0)² and B = R_2/S(s); R_0 = 1: B = R_2; R_0 > 1:
      s = acosh(R_0)².  In each case S(s)² s = R_0² − 1 = R_2², so B² = s and exp(B) = R.  [1, H3]
  4.  R = −1 = exp(π b) if b² = −1; otherwise no bivector has a negative square, s ≥ 0 and
      C(s) ≥ 1.
  5.  (−R)² = R², so R² = exp(2B) has a logarithm for R = −exp(B), which may have none.

Remarks.  −R is then the rotor of the same rotation with a logarithm (`up_to_sign`).  For n = 4 see
lorentz_logarithm.
References.  M. Riesz, Clifford Numbers and Spinors (1957-58), chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.linear_algebra import signatures
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_square(n: int) -> Iterator[Equation]:
    """B² is a scalar and R_0² − R_2² = R ~R."""
    space = SymbolicMetric(n, b=2, r=(0, 2))
    b, r = space.generic("b"), space.generic("r")
    yield Equation(b * b, (b * b).grade(0), space)
    two = r.grade(2)
    yield Equation(r.scalar_part * r.scalar_part - two * two, r * ~r, space)


def step_2_range(n: int) -> Iterator[Equation]:
    """C(s) + 1 = 2 c² ≥ 0 and S(s) = 2 c h, for c = C(s/4), h = S(s/4)/2, c² − s h² = 1."""
    space = SymbolicMetric(n, c=0, h=0, s=0)
    c, h, s = (space.symbol(name) for name in "chs")
    half = c * c - s * h * h - 1
    cosine, sine = c * c + s * h * h, 2 * c * h
    yield Equation((cosine + 1) % half, (2 * c * c) % half, space)
    yield Equation((cosine**2 - s * sine**2) % half, space.constant(1), space)


def step_3_solution(n: int) -> Equation:
    """(x R_2)² = x² (R_0² − R ~R): with x = 1/S(s), R ~R = 1 and S² s = R_0² − 1, B² = s."""
    space = SymbolicMetric(n, x=0, r=(0, 2))
    x, r = space.symbol("x"), space.generic("r")
    b = r.grade(2) * x
    norm = r.scalar_part * r.scalar_part - (r * ~r).scalar_part
    return Equation(b * b, space.scalar(norm * x * x), space)


def step_4_negative_squares(n: int) -> Iterator[Equation]:
    """e_i e_j squares to −g_i g_j: all ≥ 0, for every B, iff no two g have the same sign ≠ 0."""
    for p, q, r in signatures(n):
        space = SymbolicMetric(n, metric=(1,) * p + (-1,) * q + (0,) * r, b=2)
        b = space.generic("b")
        planes = b.terms.items()
        total = sum((c * c * space.square(s) for s, c in planes), space.constant(0))
        yield Equation((b * b).scalar_part, -total, space)
        negative = [space.square(s) for s, _ in planes if space.square(s) == 1]
        yield Equation(int(bool(negative)), int(p >= 2 or q >= 2), space)


def step_5_square_of_rotor(n: int) -> Equation:
    """(−R)² = R²."""
    space = SymbolicMetric(n, r=(0, 2))
    r = space.generic("r")
    return Equation((-r) * (-r), r * r, space)


def minimum(space: SymbolicMetric, r: Element) -> Equation:
    """False: the scalar part of this rotor is ≥ −1, or R_2 = 0 where it is −1."""
    shown = {"R": r, "R ~R": r * ~r}
    if r.scalar_part == -1:
        return Equation(r.grade(2), space.scalar(0), space, shown)
    bound = r.scalar_part if r.scalar_part.leading_coefficient() >= -1 else space.constant(-1)
    return Equation(r.scalar_part, bound, space, shown)


def twin_boost(n: int) -> Equation:
    """False: −5/4 − 3/4 e13 in Cl(2,1) is an exponential."""
    space = SymbolicMetric(n, metric=(1, 1, -1))
    return minimum(space, space.scalar(fmpq(-5, 4)) - space.blade("e13") * fmpq(3, 4))


def twin_translator(n: int) -> Equation:
    """False: −1 − e13 in Cl(2,0,1) is an exponential."""
    space = SymbolicMetric(n, metric=(1, 1, 0))
    return minimum(space, -1 - space.blade("e13"))


def twin_norm(n: int) -> Equation:
    """False: e12 in Cl(1,1), with R_0 = 0 > −1, has R ~R = 1 as an exponential has."""
    space = SymbolicMetric(n, metric=(1, -1))
    r = space.blade("e12")
    return Equation(r * ~r, space.scalar(1), space, {"R": r})


def twin_fourth_dimension(n: int) -> Equation:
    """False: exponentials have R_0 ≥ −1 in Cl(3,1); exp(π e12) exp(β e34), cosh β = 5/4."""
    space = SymbolicMetric(n, metric=(1, 1, 1, -1))
    half_turn = space.scalar(-1)
    boost = space.scalar(fmpq(5, 4)) + space.blade("e34") * fmpq(3, 4)
    return minimum(space, half_turn * boost)


THEOREM = Theorem(
    name="no_logarithm",
    statement="n ≤ 3: R = exp(B) iff R_0 > −1, or R = −1 and some bivector has a negative square",
    hypotheses=("R ~R = 1", "n ≤ 3", "R_0 > −1 or R = −1"),
    strength=Strength.POLYNOMIAL,
    dimensions=(1, 2, 3),
    steps=(
        Step("B² scalar, R_0² − R_2² = R ~R", step_1_square),
        Step("C(s) + 1 = 2 C(s/4)²", step_2_range),
        Step("B = R_2/S solves B² = s", step_3_solution),
        Step("where negative squares are", step_4_negative_squares),
        Step("(−R)² = R²", step_5_square_of_rotor),
    ),
    twins=(
        Twin("without R ~R = 1: e12 in Cl(1,1)", twin_norm, 2, drops=1),
        Twin("without n ≤ 3: Cl(3,1)", twin_fourth_dimension, 4, drops=2),
        Twin("−boost in Cl(2,1)", twin_boost, 3, drops=3),
        Twin("−translator in Cl(2,0,1)", twin_translator, 3, drops=3),
    ),
)
