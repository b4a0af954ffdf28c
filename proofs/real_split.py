"""Which metrics let every bivector split into commuting simple bivectors over the reals.

Statement.  V real quadratic space of signature (p, q, r).  Every B ∈ Λ²V is a sum of simple
bivectors b_i with b_i b_j = b_j b_i = b_i ∧ b_j and b_i² ∈ ℝ if

    q = 0 or p = 0, and r ≤ 1 (every n);    or r = 0, n = 4, and p ≤ 1 or q ≤ 1.

Hypotheses
  H1  The signature is one of these.  Dropped: bivectors without a split in Cl(2,2), Cl(2,1,1) and
      Cl(1,2,1), the smallest others.

Conventions: s = ⟨B²⟩_0, W = B ∧ B, d = W² ∈ ℝ for n = 4, M = b G, null vectors last.

Derivation.
  1.  r = 0, G = ±1: M^T = −M, so B = Σ β_i u_i ∧ v_i by the spectral theorem.          [H1]
  2.  r = 1: B = Σ β_i u_i ∧ v_i + e_0 ∧ w by step 1 on V/e_0.  β (β u ∧ v + e_0 ∧ (a u + c v)) =
      (β u + c e_0) ∧ (β v − a e_0): each plane takes its part of e_0 ∧ w, e_0 ∧ w' is left.
  3.  These parts commute: vectors of different parts are orthogonal.                   [2]
  4.  r = 0, n = 4, p = 1 or q = 1: d = −4 Pf² and s² − d = s² + 4 Pf² ≥ 0.  If it is positive,
      χ has two real roots and simple_parts splits B; if zero, s = Pf = 0: B is simple.   [H1]
  5.  For n = 4, any split has x + y = s, 4 x y = d, hence s² − d = (x − y)² ≥ 0.
  6.  Parts u ∧ v, w ∧ z with W ≠ 0 are orthogonal planes: ⟨b_1 b_2⟩_2 = 0 has the inner products
      as coefficients.  So rank V is the sum of their ranks, and (u ∧ v)² = (u·v)² − u² v² = 0
      means rank ≤ 1: s = d = 0 ≠ W forces rank V ≤ 2.

Remarks.  Cl(2,2): s² − d = −16 < 0, against step 5; the others: s = d = 0 ≠ W in rank 3, against
step 6.  lorentz_split: r = 0, p ≤ 1 or q ≤ 1 for every n.
References.  M. Riesz, Clifford Numbers and Spinors (1957-58).
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.characteristic import pfaffian
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, coefficient_matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_antisymmetric(n: int) -> Iterator[Equation]:
    """M^T = −M for G = 1 and G = −1."""
    for space in (SymbolicMetric(n, metric=(sign,) * n, b=2) for sign in (1, -1)):
        m = action_matrix(space.generic("b"))
        yield Equation(m.transpose, -m, space)


def screw(space: SymbolicMetric, i: int) -> Element:
    """(β u + c e_0) ∧ (β v − a e_0) for u = e_i, v = e_(i+1), e_0 = e_n."""
    beta, a, c = (space.symbol(f"{letter}{i}") for letter in "bac")
    e = space.vectors()
    return (e[i - 1] * beta + e[-1] * c) ^ (e[i] * beta - e[-1] * a)


def screw_space(n: int, g: int) -> SymbolicMetric:
    """Cl(n−1, 0, 1) or Cl(0, n−1, 1)."""
    symbols = {f"{letter}{i}": 0 for letter in "bac" for i in (1, 3)}
    return SymbolicMetric(n, metric=(g,) * (n - 1) + (0,), **symbols)


def step_2_screws(n: int) -> Iterator[Equation]:
    """(β u + c e_0) ∧ (β v − a e_0) = β (β u ∧ v + e_0 ∧ (a u + c v)), of square −β⁴."""
    for space in (screw_space(n, square) for square in (1, -1)):
        beta, a, c = (space.symbol(f"{letter}1") for letter in "bac")
        e, found = space.vectors(), screw(space, 1)
        wanted = (e[0] ^ e[1]) * beta + (e[-1] ^ (e[0] * a + e[1] * c))
        yield Equation(found, wanted * beta, space)
        yield Equation(found * found, space.scalar(-(beta**4)), space)


def step_3_commute(n: int) -> Iterator[Equation]:
    """Two screws, and a screw with e_0 ∧ w', commute and multiply by ∧ (n = 5, 6)."""
    space = screw_space(max(n, 5), 1)
    first = screw(space, 1)
    for other in (screw(space, 3), space.vectors()[-1] ^ space.vectors()[2]):
        yield Equation(first * other, first ^ other, space)
        yield Equation(other * first, first ^ other, space)


def step_4_lorentz(n: int) -> Iterator[Equation]:
    """s² − d = s² + 4 Pf² where g_1 g_2 g_3 g_4 = −1."""
    for g in (1, -1):
        space = SymbolicMetric(4, metric=(g, g, g, -g), b=2)
        yield discriminant(space, space.generic("b"))


def discriminant(space: SymbolicMetric, b: Element) -> Equation:
    """s² − d = s² + 4 Pf², a sum of two squares."""
    s, d = (b * b).scalar_part, ((b ^ b) * (b ^ b)).scalar_part
    root = pfaffian(coefficient_matrix(b), (0, 1, 2, 3), space.constant(1))
    return Equation(s * s - d, s * s + root * root * 4, space, {"B": b, "s": s, "d": d})


def step_5_split(n: int) -> Iterator[Equation]:
    """s = x + y and d = 4 x y for b_1 = u e12, b_2 = v e34, in every metric."""
    space = SymbolicMetric(4, u=0, v=0)
    parts = [space.blade(e) * space.symbol(c) for e, c in (("e12", "u"), ("e34", "v"))]
    (x, y), b = [(part * part).scalar_part for part in parts], parts[0] + parts[1]
    yield Equation((b * b).scalar_part, x + y, space)
    yield Equation((b ^ b) * (b ^ b), space.scalar(x * y * 4), space)


def step_6_orthogonal(n: int) -> Iterator[Equation]:
    """⟨(u∧v)(w∧z)⟩_2 = (v·w) u∧z − (v·z) u∧w − (u·w) v∧z + (u·z) v∧w, and (u∧v)²."""
    space = SymbolicMetric(n, u=1, v=1, w=1, z=1)
    u, v, w, z = (space.generic(letter) for letter in "uvwz")
    terms = ((v * w, u ^ z), (v * z, w ^ u), (u * w, z ^ v), (u * z, v ^ w))
    total = sum((plane * dot.scalar_part for dot, plane in terms), space.scalar(0))
    yield Equation(((u ^ v) * (w ^ z)).grade(2), total, space)
    square = (u * v).scalar_part ** 2 - (u * u).scalar_part * (v * v).scalar_part
    yield Equation((u ^ v) * (u ^ v), space.scalar(square), space)


def twin_2_2(n: int) -> Equation:
    """False: s² − d = s² + 4 Pf² in Cl(2,2), for B = e12 − e34 + e13 + e24."""
    e1, e2, e3, e4 = (space := SymbolicMetric(n, metric=(1, 1, -1, -1))).vectors()
    return discriminant(space, (e1 ^ (e2 + e3)) + ((e2 + e3) ^ e4) - (e3 ^ e4) * 2)


def null_without_split(n: int, signs: tuple[int, int, int]) -> Equation:
    """False: s = d = 0 only if W = 0; B = (e1 + f) ∧ e + e4 ∧ (e1 − f), f² = −1, e ⊥ e1, f."""
    space = SymbolicMetric(n, metric=(*signs, 0))
    e1, e2, e3, e4 = space.vectors()
    e, f = (e2, e3) if signs[1] == 1 else (e3, e2)
    b = ((e1 + f) ^ e) + (e4 ^ (e1 - f))
    return Equation(b ^ b, space.scalar(0), space, {"B": b, "B²": b * b, "d": (b ^ b) * (b ^ b)})


THEOREM = Theorem(
    name="real_split",
    statement="every bivector splits over ℝ for q=0 or p=0 (r ≤ 1), and in Cl(1,3), Cl(3,1)",
    hypotheses=("the signature is one of these",),
    strength=Strength.POLYNOMIAL,
    dimensions=(4, 5, 6),
    steps=(
        Step("definite: M^T = −M", step_1_antisymmetric),
        Step("r = 1: screws", step_2_screws),
        Step("screws and e_0 ∧ w' commute", step_3_commute),
        Step("n = 4, one sign once: s² − d = s² + 4 Pf²", step_4_lorentz),
        Step("a split has s = x + y, d = 4xy", step_5_split),
        Step("commuting planes are orthogonal", step_6_orthogonal),
    ),
    twins=(
        Twin("Cl(2,2): s² − d is a sum of squares", twin_2_2, 4, drops=1),
        Twin("Cl(2,1,1)", lambda n: null_without_split(n, (1, 1, -1)), 4, drops=1),
        Twin("Cl(1,2,1)", lambda n: null_without_split(n, (1, -1, -1)), 4, drops=1),
    ),
)
