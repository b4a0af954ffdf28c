"""The spinor representation: which matrix algebra Cl(p, q) is, and faithfulness with null vectors.

Statement.  For r = 0, n = p + q, Cl(p, q) is isomorphic to

    (p − q) mod 8 = 0, 2: M_d(ℝ)    1: M_d(ℝ)²    3, 7: M_d(ℂ)    4, 6: M_d(ℍ)    5: M_d(ℍ)²,

with d from the dimension 2^n.  For r > 0 the substitution e_0 → e_+ + e_− for each null vector,
e_±² = ±1, is an injective homomorphism into Cl(p+r, q+r): a faithful representation.

Hypotheses
  H1  r = 0 (for the isomorphism).  Dropped: in Cl(0,0,1), ⟨e1 y⟩_0 = 0 for every y: e1 spans a
      nilpotent ideal, which no sum of full matrix algebras has.

Conventions: I = e_(1..n), σ = Σ_S e_S² over all blades, L_a x = a x.

Derivation.
  1.  tr L_a = 2^n ⟨a⟩_0.  The form ⟨xy⟩_0 is diagonal on blades with entries e_S² = ±1.  An element
      of a nilpotent ideal has ⟨xy⟩_0 = 0 for all y, so x = 0: Cl(p, q) is semisimple.   [H1]
  2.  The centre is ℝ for even n and ℝ ⊕ ℝI for odd n.  By Wedderburn's theorem Cl(p, q) is M_d(ℝ)
      or M_d(ℍ) for even n; for odd n two copies of one of them if I² = 1 (x ↦ involute x exchanges
      (1 ± I)/2), M_d(ℂ) if I² = −1.                                                     [1]
  3.  σ is the signature of x ↦ ⟨x²⟩_0, a positive multiple of the trace form of the matrices:
      M_d(ℝ): d symmetric more than antisymmetric dimensions, σ = d; M_d(ℍ): σ = −2d; M_d(ℂ): 0;
      two copies: twice.  So σ = ±2^(n/2) for even n, ±2^((n+1)/2) or 0 for odd n decides.  [2]
  4.  The table: σ and I² for every (p, q).
  5.  (e_+ + e_−)² = 0 and it anticommutes with the others; the images of the blades are
      independent, by their rank.

Remarks.  ℍ for (p − q) mod 8 = 4, 6 includes Cl(0,2) = ℍ and Cl(1,3) = M_2(ℍ); Cl(3,1) = M_4(ℝ).
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001), chapter 16.
M. Atiyah, R. Bott, A. Shapiro, Clifford Modules, Topology 3 (1964).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import mul

from geomlin.proving.equation import Equation
from geomlin.proving.linear_algebra import coordinates, rank, signatures
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

SIGN_OF_SIGMA = {0: 1, 1: 1, 2: 1, 3: 0, 4: -1, 5: -1, 6: -1, 7: 0}  # ℝ, ℂ and ℍ


def space_of(p: int, q: int, r: int = 0) -> SymbolicMetric:
    """Cl(p, q, r) with numbers as metric."""
    return SymbolicMetric(p + q + r, metric=(1,) * p + (-1,) * q + (0,) * r)


def blades(space: SymbolicMetric) -> list[Element]:
    """The basis of the algebra."""
    return [space.element({mask: 1}) for mask in range(1 << space.n)]


def sigma(space: SymbolicMetric) -> int:
    """Σ_S e_S²."""
    return sum(int(str((e * e).scalar_part)) for e in blades(space))


def step_1_trace_form(n: int) -> Iterator[Equation]:
    """tr L_(e_S) = 0 for S ≠ ∅, and ⟨e_S e_T⟩_0 = ±δ_ST."""
    for p in range(n + 1):
        space = space_of(p, n - p)
        basis = blades(space)
        for s, e in enumerate(basis):
            trace = sum(((e * x).coefficient(t) for t, x in enumerate(basis)), space.constant(0))
            yield Equation(trace, 2**n if s == 0 else 0, space)
            products = [(e * x).scalar_part for x in basis]
            expected = [(e * e).scalar_part if t == s else 0 for t in range(1 << n)]
            yield Equation(products, expected, space)
            yield Equation((e * e) * (e * e), space.scalar(1), space)


def step_2_centre(n: int) -> Iterator[Equation]:
    """dim of the centre: 2^n − rank(x ↦ (x e_i − e_i x)_i) = 1 or 2."""
    for p in range(n + 1):
        space = space_of(p, n - p)
        rows = [coordinates(x * e - e * x for e in space.vectors()) for x in blades(space)]
        yield Equation(2**n - rank(rows), 1 + n % 2, space)


def step_4_table(n: int) -> Iterator[Equation]:
    """σ by (p − q) mod 8, and I² = −1 exactly for 3 and 7 when n is odd."""
    for p in range(n + 1):
        space = space_of(p, n - p)
        kind = (2 * p - n) % 8
        yield Equation(sigma(space), SIGN_OF_SIGMA[kind] * 2 ** ((n + n % 2) // 2), space)
        volume = reduce(mul, space.vectors())
        if n % 2:
            yield Equation(volume * volume, space.scalar(-1 if kind in (3, 7) else 1), space)


def step_5_null_vectors(n: int) -> Iterator[Equation]:
    """e_0 → e_+ + e_−: the relations, and 2^n independent images of the blades."""
    for p, q, r in signatures(n):
        space = space_of(p + r, q + r)
        e = space.vectors()
        null = [e[p + i] + e[p + r + q + i] for i in range(r)]
        images = [*e[:p], *e[p + r : p + r + q], *null]
        for i, x in enumerate(images):
            square = (1 if i < p else -1 if i < p + q else 0) * 2
            for j, y in enumerate(images):
                yield Equation(x * y + y * x, space.scalar(square if i == j else 0), space)
        products = [space.scalar(1)]
        for x in images:
            products += [y * x for y in products]
        occurring = sorted({mask for y in products for mask in y.terms})
        rows = [[y.coefficient(mask) for mask in occurring] for y in products]
        yield Equation(rank(rows), 2 ** len(images), space)


def twin_null_vector(n: int) -> Equation:
    """False: ⟨xy⟩_0 is nondegenerate in Cl(0,0,1): ⟨e1 y⟩_0 = 1 for some blade y."""
    space = space_of(0, 0, n)
    found = sum(
        ((space.blade("e1") * y).scalar_part ** 2 for y in blades(space)), space.constant(0)
    )
    return Equation(found, 1, space, {"e1²": space.blade("e1") * space.blade("e1")})


def twin_other_order(n: int) -> Equation:
    """False: the type goes by (q − p) mod 8; then Cl(2,0) would be ℍ, with σ = −2."""
    space = space_of(n, 0)
    return Equation(sigma(space), SIGN_OF_SIGMA[-n % 8] * 2 ** (n // 2), space)


THEOREM = Theorem(
    name="spinor_type",
    statement="Cl(p,q) is M_d of ℝ, ℂ, ℍ, ℝ² or ℍ² by (p−q) mod 8; for r > 0 e_+ + e_− is faithful",
    hypotheses=("r = 0",),
    strength=Strength.POLYNOMIAL,
    dimensions=(1, 2, 3, 4, 5),
    slow_dimensions=(6, 7),
    steps=(
        Step("⟨xy⟩_0 is nondegenerate, tr L_a = 2^n ⟨a⟩_0", step_1_trace_form),
        Step("the centre", step_2_centre),
        Step("σ and I² by (p − q) mod 8", step_4_table),
        Step("e_0 → e_+ + e_− is injective", step_5_null_vectors),
    ),
    twins=(
        Twin("without r = 0: Cl(0,0,1)", twin_null_vector, 1, drops=1),
        Twin("(q − p) instead of (p − q)", twin_other_order, 2),
    ),
)
