"""log of a rotor by one function: B = f(C) S where every spinor eigenvalue has |Im| < π.

Statement.  V real quadratic space, any signature, B ∈ Λ²V, R = exp(B), C = (R + ~R)/2,
S = (R − ~R)/2, f(c) = acosh(c)/√(c² − 1), analytic off (−∞, −1].  If every eigenvalue z of B in the
spinor representation has |Im z| < π, then

    C = cosh B,    S = sinh B,    B = f(C) S.

Hypotheses
  H1  |Im z| < π.  Dropped: B = β (e12 + e34 + e56) in Cl(6) with cos β = 5/13, sin β = 12/13,
      so π < 3β < 2π.  z = 3iβ is an eigenvalue, f > 0, but sin 3β = −828/2197 < 0: f(C) S has the
      eigenvalue −i(2π − 3β) there.

Conventions: exp(B) literally; for B = Σ β_k u_k v_k the eigenvalues are Σ ±iβ_k.

Derivation.
  1.  ~R = exp(−B), so C = cosh B, S = sinh B, and C² − S² = 1, CS = SC.
  2.  f' (c² − 1) + c f = 1, f(1) = 1: acosh' = 1/√(c² − 1).
  3.  h(t) = f(cosh tz) sinh tz has h(0) = 0 and
      h' = z (f' sinh² tz + f cosh tz) = z ((c² − 1) f' + c f) = z.  So f(cosh z) sinh z = z as
      long as cosh tz stays off (−∞, −1] for 0 ≤ t ≤ 1; cosh tz is there iff tz = iπm, m odd, or
      tz = ξ + iπm: excluded by |Im z| < π.                                         [2, H1]
  4.  f(C) is defined by the power series at each eigenvalue, so f(C) S = B as functions of B, also
      where B is not diagonal.                                                      [1, 3]
  5.  n ≤ 5: C = R_0 + R_4 with C_4² scalar: the eigenvalues of C are R_0 ± √(R_4²), and f(C) S is
      a combination of R_2 and R_4 R_2, a bivector.

Remarks.  For two rotation planes H1 is β_1 + β_2 < π.  For n ≥ 6 log takes the planes of R instead.
References.  N. Higham, Functions of Matrices (SIAM 2008).
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def product_rotor(n: int) -> tuple[SymbolicMetric, Element]:
    """R = (c + s e12)(C + S e34): any two commuting planes of squares g, up to the basis."""
    space = SymbolicMetric(max(n, 4), c=0, C=0, s=0, S=0)
    first = space.blade("e12") * space.symbol("s") + space.symbol("c")
    return space, first * (space.blade("e34") * space.symbol("S") + space.symbol("C"))


def step_1_cosh_and_sinh(n: int) -> Iterator[Equation]:
    """C² − S² = R ~R and C S = S C for even R with R ~R = ~R R, here a product of two rotors."""
    space, r = product_rotor(n)
    c, s = (r + ~r) * fmpq(1, 2), (r - ~r) * fmpq(1, 2)
    yield Equation(c * c - s * s, r * ~r, space)
    yield Equation(c * s, s * c, space)


def step_2_differential_equation(n: int) -> Equation:
    """f = A/w, w² = c² − 1, A' = 1/w, w' = c/w: w³ ((c² − 1) f' + c f − 1) = 0."""
    space = SymbolicMetric(n, w=0, c=0, A=0)
    w, c, a = (space.symbol(name) for name in "wcA")
    scaled_derivative = w - a * c  # w³ f' = w² A' − A w w'
    value = w**2 * scaled_derivative + c * a * w**2 - w**3
    return Equation(value % (w * w - c * c + 1), space.constant(0), space)


def step_3_derivative_is_z(n: int) -> Equation:
    """z (f' s² + f c) = z modulo c² − s² = 1 and (c² − 1) f' = 1 − c f, times c² − 1 = s²."""
    space = SymbolicMetric(n, s=0, c=0, f=0, z=0)
    s, c, f, z = (space.symbol(name) for name in "scfz")
    scaled = z * ((1 - c * f) * s**2 + f * c * s**2)
    circle = s * s - c * c + 1
    return Equation(scaled % circle, (z * s**2) % circle, space)


def step_5_small_dimensions(n: int) -> Iterator[Equation]:
    """(R_4)² is a scalar and R_4 R_2 a bivector for products of two commuting planes, n ≤ 5."""
    space, r = product_rotor(min(n, 5))
    four, two = r.grade(4), r.grade(2)
    yield Equation(four * four, (four * four).grade(0), space)
    yield Equation(four * two, (four * two).grade(2), space)
    yield Equation((r + ~r) * fmpq(1, 2), r.grade(0, 4), space)


def twin_three_planes(n: int) -> Equation:
    """False: sin 3β = |sin 3β| at cos β = 5/13, although each β and β + β' is below π."""
    space = SymbolicMetric(n, metric=(1,) * n)
    c, s = fmpq(5, 13), fmpq(12, 13)
    r, triple = space.scalar(1), 3 * s - 4 * s**3
    for plane in ("e12", "e34", "e56"):
        r = r * (space.blade(plane) * s + c)
    shown = {"R ~R": r * ~r, "R_0": r.scalar_part, "cos 3β": 4 * c**3 - 3 * c}
    return Equation(space.constant(triple), space.constant(abs(triple)), space, shown)


def twin_wrong_function(n: int) -> Equation:
    """False: f' (c² − 1) − c f = 1, the sign of c f reversed."""
    space = SymbolicMetric(n, w=0, c=0, A=0)
    w, c, a = (space.symbol(name) for name in "wcA")
    return Equation(w**2 * (w - a * c) - c * a * w**2, w**3, space)


THEOREM = Theorem(
    name="log_formula",
    statement="B = f(C) S with C = cosh B, S = sinh B, f(c) = acosh(c)/√(c²−1), if all |Im z| < π",
    hypotheses=("every spinor eigenvalue z of B has |Im z| < π",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("C² − S² = R ~R, C S = S C", step_1_cosh_and_sinh),
        Step("(c² − 1) f' + c f = 1", step_2_differential_equation),
        Step("d/dt f(cosh tz) sinh tz = z", step_3_derivative_is_z),
        Step("n ≤ 5: R_4² scalar, R_4 R_2 a bivector", step_5_small_dimensions),
    ),
    twins=(
        Twin("without |Im z| < π: three planes in Cl(6)", twin_three_planes, 6, drops=1),
        Twin("the sign of c f reversed", twin_wrong_function, 2),
    ),
)
