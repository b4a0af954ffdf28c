"""A split into commuting simple bivectors is unique when the squares, padded by zeros, differ.

Statement.  V real quadratic space of dimension n, any signature, k = ⌊n/2⌋,
B = b_1 + .. + b_k with simple b_i, b_i b_j = b_j b_i = b_i ∧ b_j, b_i² = λ_i (b_i = 0, λ_i = 0
for missing parts).  If λ_1, .., λ_k are distinct, then

    b_i = N(λ_i)/χ'(λ_i),    χ(x) = Π (x − λ_i),    N(λ) = Q(M², λ) b

as in simple_parts: the parts are determined by B.

Hypotheses
  H1  The padded squares are distinct.  Dropped: e12 + e34 = u ∧ Ju + w ∧ Jw in Cl(4) with
      u = (3 e1 + 4 e3)/5, w = (3 e3 − 4 e1)/5, J e1 = e2, J e3 = e4; and, with both squares zero,
      N = N/3 + 2N/3 in Cl(3,1), N = (e1 + e4) ∧ e2.

Conventions: M_i the matrix of x ↦ (b_i x − x b_i)/2, G = diag(g), M = Σ M_i.

Derivation.
  1.  M_i² b_i = λ_i b_i for simple b_i = u ∧ v.
  2.  M_i b_j = 0 for i ≠ j.  If b_i ∧ b_j ≠ 0, the planes are orthogonal, by real_split step 6.
      If b_i ∧ b_j = 0, then b_i b_j = 0, and one of λ_i, λ_j is not zero, say λ_i [H1]:
      b_j = b_i (b_i b_j)/λ_i = 0.  For orthogonal u, v ⊥ w, z: (u ∧ v)·w = 0.
  3.  So M² b_l = λ_l b_l and N(λ_i) = Σ_l Q(λ_l, λ_i) b_l.                            [1, 2]
  4.  Q(λ_l, λ_i) = 0 for l ≠ i and χ'(λ_i) for l = i, so N(λ_i) = χ'(λ_i) b_i.        [3, H1]
  5.  Π (x − λ_i) is χ: a_m = (−1)^m e_m(λ_1, .., λ_k) for orthogonal planes.

Remarks.  In a definite metric zero squares mean zero parts, and two equal nonzero squares can be
turned as in H1: the split is unique if and only if the nonzero squares are distinct.
References.  M. Roelfs and S. De Keninck, Graded Symmetry Groups: Plane and Simple, Adv. Appl.
Clifford Algebras 33 (2023), arXiv:2107.03771.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from operator import mul
from typing import Any

from flint import fmpq, fmpq_mpoly

from geomlin.proving.characteristic import invariants
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import action_matrix, coefficient_matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def step_1_square_on_its_plane(n: int) -> Equation:
    """M² b = b² b for b = u ∧ v, as matrices."""
    space = SymbolicMetric(n, u=1, v=1)
    b = space.generic("u") ^ space.generic("v")
    m, matrix = action_matrix(b), coefficient_matrix(b)
    return Equation(m @ m @ matrix, (b * b).scalar_part * matrix, space)


def step_2_orthogonal_planes(n: int) -> Equation:
    """(u ∧ v) w − w (u ∧ v) = 2 ((v·w) u − (u·w) v): zero for w orthogonal to the plane."""
    space = SymbolicMetric(n, u=1, v=1, w=1)
    u, v, w = (space.generic(letter) for letter in "uvw")
    image = u * (v * w).scalar_part - v * (u * w).scalar_part
    return Equation((u ^ v) * w - w * (u ^ v), image * 2, space)


def roots_and_quotients(n: int) -> tuple[SymbolicMetric, list[fmpq_mpoly]]:
    """The ring ℚ[λ_1, .., λ_k] and its generators."""
    symbols: dict[str, Any] = {f"root{i}": 0 for i in range(n // 2)}
    space = SymbolicMetric(n, **symbols)
    return space, [space.symbol(name) for name in symbols]


def quotient(roots: list[fmpq_mpoly], x: fmpq_mpoly, i: int) -> fmpq_mpoly:
    """Q(x, λ_i) = Π_{j≠i} (x − λ_j)."""
    factors = [x - root for j, root in enumerate(roots) if j != i]
    return reduce(mul, factors, x * 0 + 1)


def step_4_lagrange(n: int) -> Iterator[Equation]:
    """Q(λ_l, λ_i) = 0 for l ≠ i; at l = i it is χ'(λ_i), by the product rule."""
    space, roots = roots_and_quotients(n)
    for i, j in combinations(range(len(roots)), 2):
        yield Equation(quotient(roots, roots[j], i), space.constant(0), space)
    for i, root in enumerate(roots):
        derivative = sum((quotient(roots, root, j) for j in range(len(roots))), root * 0)
        yield Equation(derivative, quotient(roots, root, i), space)


def step_5_characteristic_polynomial(n: int) -> Iterator[Equation]:
    """a_m = (−1)^m e_m(λ) for B = Σ x_i e_(2i−1) e_(2i), λ_i = (x_i e_(2i−1) e_(2i))²."""
    symbols: dict[str, Any] = {f"x{i}": 0 for i in range(n // 2)}
    space = SymbolicMetric(n, **symbols)
    parts = [space.element({3 << 2 * i: space.symbol(x)}) for i, x in enumerate(symbols)]
    squares = [(part * part).scalar_part for part in parts]
    for m, a in enumerate(invariants(sum(parts[1:], parts[0]))):
        products = (reduce(mul, c, space.constant(1)) for c in combinations(squares, m))
        yield Equation(a, sum(products, space.constant(0)) * (-1) ** m, space)


def twin_equal_angles(n: int) -> Equation:
    """False: the parts of e12 + e34 are e12 and e34; u ∧ Ju and w ∧ Jw are parts too."""
    space = SymbolicMetric(n, metric=(1,) * n)
    e1, e2, e3, e4 = space.vectors()
    first = (e1 * 3 + e3 * 4) ^ (e2 * 3 + e4 * 4)
    second = (e3 * 3 - e1 * 4) ^ (e4 * 3 - e2 * 4)
    parts = [part * fmpq(1, 25) for part in (first, second)]
    return non_unique(space, (e1 ^ e2) + (e3 ^ e4), parts, e1 ^ e2)


def twin_null(n: int) -> Equation:
    """False: the parts of N are N and 0; N/3 and 2N/3 are parts too."""
    space = SymbolicMetric(n, metric=(1, 1, 1, -1))
    e1, e2, _, e4 = space.vectors()
    null = (e1 + e4) ^ e2
    return non_unique(space, null, [null * fmpq(1, 3), null * fmpq(2, 3)], null)


def non_unique(space: SymbolicMetric, b: Element, parts: list[Element], part: Element) -> Equation:
    """A split of B, with its sum, squares and commutator shown, against another part of B."""
    first, second = parts
    shown = {
        "B": b,
        "b_1 + b_2 − B": first + second - b,
        "b_1², b_2²": [first * first, second * second],
        "b_1 b_2 − b_1 ∧ b_2": first * second - (first ^ second),
        "b_1 b_2 − b_2 b_1": first * second - second * first,
    }
    return Equation(first, part, space, shown)


THEOREM = Theorem(
    name="split_uniqueness",
    statement="commuting simple parts are unique when their squares, padded by zeros, are distinct",
    hypotheses=("the padded squares are distinct",),
    strength=Strength.POLYNOMIAL,
    dimensions=(4, 5, 6, 7),
    steps=(
        Step("M² b = b² b for simple b", step_1_square_on_its_plane),
        Step("[u ∧ v, w] = 2((v·w)u − (u·w)v)", step_2_orthogonal_planes),
        Step("Q(λ_l, λ_i) = δ_li χ'(λ_i)", step_4_lagrange),
        Step("a_m = (−1)^m e_m(λ)", step_5_characteristic_polynomial),
    ),
    twins=(
        Twin("equal squares: e12 + e34 in Cl(4)", twin_equal_angles, 4, drops=1),
        Twin("two zero squares: a null bivector in Cl(3,1)", twin_null, 4, drops=1),
    ),
)
