"""The simple parts of a bivector: one for each root of its characteristic polynomial.

Statement.  B ∈ Λ²V, any signature, n = dim V, k = ⌊n/2⌋, M = b G, χ as in
characteristic_polynomial.  Let Q(x, y) = (χ(x) − χ(y))/(x − y), and for a root λ of χ

    N(λ) = Q(M², λ) b,    b(λ) = N(λ)/χ'(λ).

If the roots λ_1, .., λ_k are distinct, the b(λ_i) are bivectors over ℝ(λ_1, .., λ_k) with

    B = Σ_i b(λ_i),   b(λ_i) simple,   b(λ_i)² = λ_i,   b_i b_j = b_j b_i = b_i ∧ b_j  (i ≠ j).

Hypotheses
  H1  χ'(λ) ≠ 0.  Dropped: a bivector in Cl(2,2) with the double root −1 that has no such parts:
      they would force (M² + 1) M = Σ_i (M_i² − λ_i) M_i = 0.
  H2  χ(λ) = 0.  Dropped: N(λ) is not simple.

Conventions: bivectors as antisymmetric matrices, G = diag(g).

Derivation.
  1.  M^(2i) b = b G b .. G b is antisymmetric (2i + 1 factors b), so N(λ) is a bivector.
  2.  N(λ) ∧ N(λ) = 0 modulo χ(λ).                                                    [H2]
  3.  ⟨N(λ)²⟩_0 = λ χ'(λ)² modulo χ(λ); with step 2, N(λ)² is this scalar.             [H2]
  4.  With χ(x) = Π_l (x − λ_l), Q(x, λ_i) = Π_{l≠i} (x − λ_l).  Lagrange interpolation
      Σ_i Q(x, λ_i)/χ'(λ_i) = 1 at x = M² gives Σ_i b(λ_i) = b.  And χ(x) divides
      Q(x, λ_i) Q(x, λ_j), so N_i G N_j = Q(M², λ_i) Q(M², λ_j) M b = 0, since
      χ(M²) M = 0 by Cayley-Hamilton (n − 2k ≤ 1).                                     [H1]
  5.  For bivectors X, Y: ⟨XY⟩_0 = tr(x G y G)/2 and ⟨XY⟩_2 has the matrix x G y − y G x.
      With step 4 only N_i ∧ N_j is left of N_i N_j.                                   [4]

Remarks.  A root may be complex: then the parts come in conjugate pairs.  λ = 0 gives a null
part or 0.  Equal roots in a definite metric still allow a split, but not this formula.
References.  M. Roelfs and S. De Keninck, Graded Symmetry Groups: Plane and Simple, Adv. Appl.
Clifford Algebras 33 (2023), arXiv:2107.03771.  M. Riesz, Clifford Numbers and Spinors (1957-58).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from operator import mul
from typing import Any

from flint import fmpq_mpoly

from geomlin.proving.characteristic import chi, chi_derivative, invariants, simple_part
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, bivector_of, coefficient_matrix, metric_matrix
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_antisymmetric(n: int) -> Iterator[Equation]:
    """(M^(2i) b)^T = −M^(2i) b for i < k."""
    space = SymbolicMetric(n, b=2)
    b = space.generic("b")
    m, power = action_matrix(b), coefficient_matrix(b)
    for _ in range(n // 2):
        yield Equation(power.transpose, -power, space)
        power = m @ m @ power


def step_2_simple(n: int) -> Equation:
    """N(λ) ∧ N(λ) = 0 modulo χ(λ)."""
    space = SymbolicMetric(n, root=0, b=2, kept=("root",))
    root, a = space.symbol("root"), invariants(space.generic("b"))
    part = simple_part(space.generic("b"), a, root)
    return Equation((part ^ part).map(lambda p: p % chi(a, root)), space.scalar(0), space)


def step_3_square(n: int) -> Equation:
    """⟨N(λ)²⟩_0 = −Σ N_ij² g_i g_j = λ χ'(λ)² modulo χ(λ)."""
    space = SymbolicMetric(n, root=0, b=2, kept=("root",))
    root, a = space.symbol("root"), invariants(space.generic("b"))
    part = simple_part(space.generic("b"), a, root)
    square = -sum((c * c * space.square(s) for s, c in part.terms.items()), space.constant(0))
    expected = root * chi_derivative(a, root) ** 2
    return Equation(square % chi(a, root), expected % chi(a, root), space)


def step_4_interpolation(n: int) -> Iterator[Equation]:
    """Σ_i Q(x, λ_i)/χ'(λ_i) = 1, cleared of denominators, and χ(x) | Q(x, λ_i) Q(x, λ_j)."""
    indices = range(n // 2)
    symbols: dict[str, Any] = {f"root{i}": 0 for i in indices}
    space = SymbolicMetric(n, x=0, **symbols)
    x, roots = space.symbol("x"), [space.symbol(name) for name in symbols]

    def product_without(y: fmpq_mpoly, *skipped: int) -> fmpq_mpoly:
        """Π (y − λ_l) over the roots not skipped: Q(x, λ_i) at y = x, χ'(λ_i) at y = λ_i."""
        factors = (y - roots[i] for i in indices if i not in skipped)
        return reduce(mul, factors, space.constant(1))

    pairs = list(combinations(indices, 2))
    denominator = reduce(mul, (roots[i] - roots[j] for i, j in pairs), space.constant(1))
    weights = [denominator / product_without(roots[i], i) for i in indices]
    total = sum((product_without(x, i) * weights[i] for i in indices), space.constant(0))
    yield Equation(total, denominator, space)
    for i, j in pairs:
        multiple = product_without(x) * product_without(x, i, j)
        yield Equation(product_without(x, i) * product_without(x, j), multiple, space)


def step_5_product_of_bivectors(n: int) -> Iterator[Equation]:
    """⟨XY⟩_0 = tr(x G y G)/2 and ⟨XY⟩_2 ↔ x G y − y G x."""
    space = SymbolicMetric(n, x=2, y=2)
    x, y = (coefficient_matrix(space.generic(letter)) for letter in "xy")
    product, g = space.generic("x") * space.generic("y"), metric_matrix(space)
    yield Equation(product.scalar_part * 2, (x @ g @ y @ g).trace, space)
    yield Equation(product.grade(2), bivector_of(space, x @ g @ y - y @ g @ x), space)


def twin_equal_roots(n: int) -> Equation:
    """False: with the double root −1, (M² + 1) M = 0, as for a sum of commuting simple parts."""
    space = SymbolicMetric(n, metric=(1, 1, -1, -1), t=0)
    nilpotent = space.blade("e12") - space.blade("e34") + space.blade("e13") - space.blade("e24")
    b = space.blade("e12") + space.blade("e34") + nilpotent * space.symbol("t")
    m = action_matrix(b)
    return Equation(m @ m @ m, -m, space, {"B": b, "(a_0, a_1, a_2)": invariants(b)})


def twin_not_a_root(n: int) -> Equation:
    """False: N(λ) is simple for every λ."""
    space = SymbolicMetric(n, root=0, b=2)
    b, root = space.generic("b"), space.symbol("root")
    part = simple_part(b, invariants(b), root)
    return Equation(part ^ part, space.scalar(0), space, {"B": b, "N": part})


THEOREM = Theorem(
    name="simple_parts",
    statement="B = Σ b(λ_i), b(λ) = Q(M², λ) b/χ'(λ) simple and commuting, b(λ_i)² = λ_i",
    hypotheses=("χ'(λ) ≠ 0", "χ(λ) = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    slow_dimensions=(7,),
    steps=(
        Step("M^(2i) b is antisymmetric", step_1_antisymmetric),
        Step("N ∧ N = 0 mod χ", step_2_simple),
        Step("⟨N²⟩_0 = λ χ'² mod χ", step_3_square),
        Step("the parts sum to B, and N_i G N_j = 0", step_4_interpolation),
        Step("⟨XY⟩_0 and ⟨XY⟩_2 from x G y", step_5_product_of_bivectors),
    ),
    twins=(
        Twin("without χ'(λ) ≠ 0: a double root still has parts", twin_equal_roots, 4, drops=1),
        Twin("without χ(λ) = 0: N is simple", twin_not_a_root, 4, drops=2),
    ),
)
