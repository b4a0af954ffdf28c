"""In Lorentz metrics every bivector splits into commuting simple bivectors, in every dimension.

Statement.  V of signature (1, q) or (p, 1), r = 0, any n.  Every B ∈ Λ²V is a sum of commuting
simple bivectors b_i, b_i b_j = b_i ∧ b_j, b_i² ∈ ℝ.

Hypotheses
  H1  One sign occurs once.  Dropped: B = e12 − e34 + e13 + e24 in Cl(2,2), see real_split; there
      e1 + e4 and e2 + e3 are null, orthogonal and independent.

Conventions: M x = (B x − x B)/2, x·y = ⟨xy⟩_0, the single sign is that of e1.

Derivation, by induction on n; definite subspaces split by real_split, step 1.
  1.  x·My = −Mx·y.  So the complement of an invariant subspace is invariant, and x·Mx = 0.
  2.  Null vectors v, w with v·w = 0 are parallel: |v_1 w − w_1 v|² over e_2, .., e_n is a
      combination of v², w², v·w.  So a plane is definite, or has two null directions, or touches
      the cone along one, its radical.                                                  [H1]
  3.  M has an invariant line or plane.  An invariant definite or hyperbolic plane has an invariant
      complement, Lorentz or definite: induction.  The radical of a touching plane is an
      invariant null line.                                                              [1, 2]
  4.  Invariant line ℝx.  x² ≠ 0: Mx = 0 by step 1, go on in the complement.  x² = 0, Mx = κx ≠ 0:
      −κ is an eigenvalue too (M and −M^T are similar), of a null y with x·y ≠ 0, so the plane
      of x and y is invariant and hyperbolic.                                           [1, 2]
  5.  x² = 0, Mx = 0: take a null y with x·y ≠ 0, U the definite complement of both.  Mx = 0 leaves
      no part x ∧ y or y ∧ u: B = C + x ∧ w with C ∈ Λ²U, w ∈ U.  Then as for PGA with e_0 = x:
      each plane β u ∧ v of C takes x ∧ (a u + c v), and x ∧ w' is left, w' in the fixed space. [2]

Remarks.  At most one part is a boost or null, since V has no two orthogonal such planes.
References.  M. Riesz, Clifford Numbers and Spinors (1957-58), chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq_mpoly

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def dot(x: Element, y: Element) -> fmpq_mpoly:
    """x·y = ⟨xy⟩_0."""
    return (x * y).scalar_part


def lorentz(n: int, **symbols: int) -> Iterator[SymbolicMetric]:
    """Cl(1, n−1) and the opposite metric."""
    for sign in (1, -1):
        yield SymbolicMetric(n, metric=(sign,) + (-sign,) * (n - 1), **symbols)


def step_1_antisymmetric(n: int) -> Iterator[Equation]:
    """x·(By − yB) + (Bx − xB)·y = 0 in every metric."""
    space = SymbolicMetric(n, b=2, x=1, y=1)
    b, x, y = (space.generic(letter) for letter in "bxy")
    yield Equation(dot(x, b * y - y * b) + dot(b * x - x * b, y), space.constant(0), space)
    yield Equation(dot(x, b * x - x * b), space.constant(0), space)


def step_2_null_vectors(n: int) -> Iterator[Equation]:
    """Σ (v_1 w_i − w_1 v_i)² = −g_1 (v_1² w² + w_1² v² − 2 v_1 w_1 v·w), g_1 w² = w_1² − Σ w_i²."""
    for space in lorentz(n, v=1, w=1):
        v, w = space.generic("v"), space.generic("w")
        first, second = v.coefficient(1), w.coefficient(1)
        difference = w * first - v * second
        length = sum((c * c for c in difference.terms.values()), space.constant(0))
        forms = first**2 * dot(w, w) + second**2 * dot(v, v) - first * second * dot(v, w) * 2
        yield Equation(length, -(space.metric[0] * forms), space)


def step_4_hyperbolic_plane(n: int) -> Iterator[Equation]:
    """b = k x ∧ y, x² = y² = 0: [b, x]/2 = k (x·y) x, [b, y]/2 = −k (x·y) y, b² = k² (x·y)²."""
    for space in lorentz(n, k=0):
        e, k = space.vectors(), space.symbol("k")
        x, y = e[0] + e[1], e[0] - e[1]
        b = (x ^ y) * k
        scale = dot(x, y)
        yield Equation(b * x - x * b, x * (k * scale * 2), space)
        yield Equation(b * y - y * b, y * (k * scale * -2), space)
        yield Equation(b * b, space.scalar(k * k * scale * scale), space)


def step_5_null_kernel(n: int) -> Iterator[Equation]:
    """[λ x∧y + Σ (α_u x∧u + γ_u y∧u) + C, x] = 2 (x·y)(λ x − Σ γ_u u), and the absorption by C."""
    for space in lorentz(n, s=0, a=0, c=0, b=2):
        e, generic = space.vectors(), space.generic("b")
        x, y = e[0] + e[1], e[0] - e[1]
        bivector = (x ^ y) * generic.coefficient(3)
        image = x * generic.coefficient(3)
        for mask, coefficient in generic.terms.items():
            if not mask & 3:
                bivector = bivector + space.element({mask: coefficient})
            elif mask != 3:
                u = space.element({mask & ~3: coefficient})
                bivector = bivector + ((x if mask & 1 else y) ^ u)
                image = image if mask & 1 else image - u
        yield Equation(bivector * x - x * bivector, image * dot(x, y) * 2, space)
        s, a, c = (space.symbol(name) for name in "sac")
        found = (e[2] * s + x * c) ^ (e[3] * s - x * a)
        yield Equation(found, ((e[2] ^ e[3]) * s + (x ^ (e[2] * a + e[3] * c))) * s, space)
        yield Equation(found * found, space.scalar(-(s**4)), space)


def twin_two_times(n: int) -> Equation:
    """False: null orthogonal vectors are parallel; e1 + e4 and e2 + e3 in Cl(2,2) are not."""
    space = SymbolicMetric(n, metric=(1, 1, -1, -1))
    e1, e2, e3, e4 = space.vectors()
    v, w = e1 + e4, e2 + e3
    shown = {"v": v, "w": w, "v², w², v·w": [dot(v, v), dot(w, w), dot(v, w)]}
    return Equation(v ^ w, space.scalar(0), space, shown)


def twin_split(n: int) -> Equation:
    """False: s² − d ≥ 0 for B = e12 − e34 + e13 + e24 in Cl(2,2), as for a split."""
    space = SymbolicMetric(n, metric=(1, 1, -1, -1))
    e1, e2, e3, e4 = space.vectors()
    b = (e1 ^ (e2 + e3)) + ((e2 + e3) ^ e4) - (e3 ^ e4) * 2
    s, d = dot(b, b), dot(b ^ b, b ^ b)
    return Equation(s * s - d, abs(int(str(s * s - d))), space, {"B": b, "s": s, "d": d})


THEOREM = Theorem(
    name="lorentz_split",
    statement="for r = 0 and p = 1 or q = 1 every bivector splits over ℝ, in every dimension",
    hypotheses=("one sign of the metric occurs once",),
    strength=Strength.POLYNOMIAL,
    dimensions=(4, 5, 6),
    steps=(
        Step("x·My = −Mx·y", step_1_antisymmetric),
        Step("null orthogonal vectors are parallel", step_2_null_vectors),
        Step("the plane of two null eigenvectors", step_4_hyperbolic_plane),
        Step("a null vector in the kernel", step_5_null_kernel),
    ),
    twins=(
        Twin("Cl(2,2): orthogonal null vectors", twin_two_times, 4, drops=1),
        Twin("Cl(2,2): s² − d = |s² − d|", twin_split, 4, drops=1),
    ),
)
