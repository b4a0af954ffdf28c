"""The exponential of a simple bivector is C(s) + S(s) b.

Statement.  V real quadratic space, u, v ∈ V, b = u ∧ v.  Then b² = s ∈ ℝ and

    exp(b) = C(s) + S(s) b,    C(s) = Σ_k s^k/(2k)!,    S(s) = Σ_k s^k/(2k+1)!,

with C(s)² − s S(s)² = 1.  Hence R = exp(b) has R ~R = 1, and R x ~R ∈ V for x ∈ V.

Hypotheses
  H1  b is simple.  Dropped: b = e12 + e34 in Cl(4) has b² = −2 + 2 e1234, no scalar.

Conventions: e_i² = g_i, R = exp(b) literally, action x ↦ R x ~R.  Entire series; no case
distinction between rotations (s < 0), boosts (s > 0) and null bivectors (s = 0).

Derivation.  exp(tb) = Σ_m X_m t^m is the only formal series with X_0 = 1 and

    (m+1) X_{m+1} = b X_m  for every m ≥ 0.                                            (E)

  1.  b² = s = (u·v)² − u² v².                                                         [H1]
  2.  Define C_0 = 1, S_k = C_k/(2k+1), C_{k+1} = s S_k/(2k+2) and X_{2k} = C_k,
      X_{2k+1} = S_k b.  Then (E) holds at m = 2k and at m = 2k+1, for an indeterminate k: all
      orders at once.  So C_k = s^k/(2k)!, S_k = s^k/(2k+1)! and exp(tb) = C(t) + S(t) b. [1]
  3.  The recurrences of step 2 say C' = s S and S' = C.  So (C² − s S²)' = 0, and its value
      at t = 0 is 1.                                                                   [2]
  4.  ~b = −b gives R ~R = (C + S b)(C − S b) = C² − s S².                              [1]
  5.  (C + S b) x (C − S b) is a vector, for any scalars C and S.                      [H1]

The machine checks each line as an identity of polynomials in g_i, u_i, v_i, x_i, C, S and k.

Remarks.  Convergence is that of the entire series at t = 1.  Step 3 is a statement about formal
power series, not a truncation.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).  M. Riesz,
Clifford Numbers and Spinors (lectures 1957-58; Kluwer 1993).
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_square_is_scalar(n: int) -> Equation:
    """b² = (u·v)² − u² v²."""
    space = SymbolicMetric(n, u=1, v=1)
    u, v = space.generic("u"), space.generic("v")
    b, dot = u ^ v, (u * v).scalar_part
    gram = dot * dot - (u * u).scalar_part * (v * v).scalar_part
    return Equation(b * b, space.scalar(gram), space)


def step_2_series_solves_recurrence(n: int) -> Iterator[Equation]:
    """(2k+1) S_k b = b C_k and (2k+2) C_{k+1} = b (S_k b), with C_k = (2k+1)(2k+2) d."""
    space = SymbolicMetric(n, k=0, d=0, u=1, v=1)
    b, k, d = space.generic("u") ^ space.generic("v"), space.symbol("k"), space.symbol("d")
    s = (b * b).scalar_part
    even, odd, next_even = (2 * k + 1) * (2 * k + 2) * d, (2 * k + 2) * d, s * d
    yield Equation(b * odd * (2 * k + 1), b * even, space)
    yield Equation(space.scalar(next_even * (2 * k + 2)), b * (b * odd), space)


def step_3_norm_is_constant(n: int) -> Iterator[Equation]:
    """(C² − s S²)' = 2 C C' − 2 s S S' = 0 with C' = s S, S' = C; the value at 0 is 1."""
    space = SymbolicMetric(n, C=0, S=0, s=0)
    c, sine, s = (space.symbol(name) for name in "CSs")
    norm = c * c - s * sine * sine
    derivative = norm.derivative("C") * (s * sine) + norm.derivative("S") * c
    yield Equation(derivative, space.constant(0), space)
    yield Equation(norm.subs({"C": 1, "S": 0}), space.constant(1), space)


def step_4_norm_of_rotor(n: int) -> Equation:
    """(C + S b) ~(C + S b) = C² − s S²."""
    space = SymbolicMetric(n, C=0, S=0, u=1, v=1)
    b, c, sine = space.generic("u") ^ space.generic("v"), space.symbol("C"), space.symbol("S")
    rotor = c + b * sine
    norm = c * c - (b * b).scalar_part * sine * sine
    return Equation(rotor * ~rotor, space.scalar(norm), space)


def step_5_action_on_vectors(n: int) -> Equation:
    """(C + S b) x ~(C + S b) is its own vector part."""
    space = SymbolicMetric(n, C=0, S=0, u=1, v=1, x=1)
    b, x = space.generic("u") ^ space.generic("v"), space.generic("x")
    rotor = space.symbol("C") + b * space.symbol("S")
    image = rotor * x * ~rotor
    return Equation(image, image.grade(1), space)


def twin_square_without_simplicity(n: int) -> Equation:
    """False: B² is a scalar for every bivector B."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    return Equation(b * b, (b * b).grade(0), space, {"B": b})


def twin_norm_without_simplicity(n: int) -> Equation:
    """False: (C + S B) ~(C + S B) is a scalar for every bivector B."""
    space = SymbolicMetric(n, C=0, S=0, b=2)
    b = space.generic("b")
    rotor = space.symbol("C") + b * space.symbol("S")
    return Equation(rotor * ~rotor, (rotor * ~rotor).grade(0), space, {"B": b, "C + S B": rotor})


THEOREM = Theorem(
    name="simple_exponential",
    statement="exp(u ∧ v) = C(s) + S(s) u ∧ v with s = (u ∧ v)², and C² − s S² = 1",
    hypotheses=("b = u ∧ v is simple",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("b² = (u·v)² − u²v²", step_1_square_is_scalar),
        Step("the series solves (m+1) X_(m+1) = b X_m", step_2_series_solves_recurrence),
        Step("C² − s S² is constant and 1 at 0", step_3_norm_is_constant),
        Step("R ~R = C² − s S²", step_4_norm_of_rotor),
        Step("R x ~R is a vector", step_5_action_on_vectors),
    ),
    twins=(
        Twin("without simplicity: B² is a scalar", twin_square_without_simplicity, 4, drops=1),
        Twin("without simplicity: R ~R is a scalar", twin_norm_without_simplicity, 4, drops=1),
    ),
)
