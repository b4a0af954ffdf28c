"""The differential of the rotor action: B ↦ 2 b G, an isomorphism onto so(p, q) for r = 0 only.

Statement.  V real quadratic space, any signature, B = Σ_{i<j} b_ij e_i e_j, M_B = b G.  Then

    d/dt exp(tB) x exp(−tB) |_{t=0} = B x − x B = 2 M_B x,    2 M_(BC−CB) = [2 M_B, 2 M_C],

and 2 M_B ∈ so(V) = {A : A^T G + G A = 0}.  The homomorphism Λ²V → so(V) has rank
n(n−1)/2 − r(r−1)/2, and dim so(V) = (n−r)(n−r−1)/2 + r(n−r) + r².  So it is

    injective iff r ≤ 1 (kernel Λ²(rad V)),    an isomorphism iff r = 0.

Hypotheses
  H1  (for "injective") r ≤ 1.  Dropped: B = e23 in Cl(1,0,2) has M_B = 0.
  H2  (for "onto") r = 0.  Dropped: A = diag(0, 0, 1) in so(2,0,1) scales the null vector; every
      2 M_B annihilates it.

Conventions: exp(B) literally (no −1/2); column j of a matrix is the image of e_j.

Derivation.
  1.  (1 + tB) x (1 − tB) = x + 2t M_B x − t² B x B, linear part of exp(tB) x exp(−tB).
  2.  BC − CB has the matrix d = 2 (b G c − c G b), and 2 d G = [2 b G, 2 c G].
  3.  M_B^T G + G M_B = −G b G + G b G = 0.                                            [b^T = −b]
  4.  r = 0, G² = I: (b G) G = b, so injective.  For A ∈ so(V) put b = A G: then
      b + b^T = G (A^T G + G A) G = 0, and b G = A, so onto.                           [H2]
  5.  Every signature: the ranks, counted over ℚ.

Remarks.  Step 5 for every n: M_B has the entries b_ij g_j, A^T G + G A those g_j A_ji + g_i A_ij.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from geomlin.blades import blades_of_grade
from geomlin.proving.equation import Equation
from geomlin.proving.linear_algebra import rank, signatures
from geomlin.proving.matrices import (
    Matrix,
    action_matrix,
    bivector_of,
    coefficient_matrix,
    columns,
    metric_matrix,
    unit,
)
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def skewness(a: Matrix, g: Matrix) -> Matrix:
    """A^T G + G A: zero exactly on so(V)."""
    return a.transpose @ g + g @ a


def step_1_derivative(n: int) -> Iterator[Equation]:
    """(1 + tB) e_j (1 − tB) = e_j + 2t M e_j − t² B e_j B."""
    space = SymbolicMetric(n, t=0, b=2)
    b, t = space.generic("b"), space.symbol("t")
    for x, image in zip(space.vectors(), columns(space, action_matrix(b)), strict=True):
        expansion = x + image * (2 * t) - b * x * b * (t * t)
        yield Equation((1 + b * t) * x * (1 - b * t), expansion, space)


def step_2_lie_homomorphism(n: int) -> Iterator[Equation]:
    """BC − CB ↔ d = 2 (b G c − c G b), and 2 d G = [2 b G, 2 c G]."""
    space = SymbolicMetric(n, b=2, c=2)
    x, y, g = space.generic("b"), space.generic("c"), metric_matrix(space)
    b, c = coefficient_matrix(x), coefficient_matrix(y)
    d = 2 * (b @ g @ c - c @ g @ b)
    yield Equation(x * y - y * x, bivector_of(space, d), space)
    first, second = 2 * (b @ g), 2 * (c @ g)
    yield Equation(2 * (d @ g), first @ second - second @ first, space)


def step_3_lands_in_so(n: int) -> Equation:
    """M^T G + G M = 0."""
    space = SymbolicMetric(n, b=2)
    m = action_matrix(space.generic("b"))
    return Equation(skewness(m, metric_matrix(space)), 0 * m, space)


def step_4_nondegenerate_inverse(n: int) -> Iterator[Equation]:
    """Modulo g_i² = 1: (b G) G = b, A G + (A G)^T = G (A^T G + G A) G, (A G) G = A."""
    symbols: dict[str, Any] = {f"a{i}_": 1 for i in range(1, n + 1)}
    space = SymbolicMetric(n, nondegenerate=True, b=2, **symbols)
    a = Matrix(tuple(tuple(space.generic(row).terms.values()) for row in symbols))
    b, g = coefficient_matrix(space.generic("b")), metric_matrix(space)
    yield Equation(b @ g @ g, b, space)
    yield Equation(a @ g + (a @ g).transpose, g @ skewness(a, g) @ g, space)
    yield Equation(a @ g @ g, a, space)


def step_5_ranks(n: int) -> Iterator[Equation]:
    """rank(B ↦ M_B) = n(n−1)/2 − r(r−1)/2 and dim so(V), in every signature."""
    for p, q, r in signatures(n):
        space = SymbolicMetric(n, metric=(1,) * p + (-1,) * q + (0,) * r)
        planes = [space.element({mask: 1}) for mask in blades_of_grade(n, 2)]
        images = [action_matrix(plane).entries for plane in planes]
        yield Equation(rank(images), n * (n - 1) // 2 - r * (r - 1) // 2, space)
        units = (unit(space, i, j) for i, j in product(range(n), repeat=2))
        dimension = n * n - rank([skewness(a, metric_matrix(space)).entries for a in units])
        yield Equation(dimension, (n - r) * (n - r - 1) // 2 + r * (n - r) + r * r, space)


def twin_factor_two(n: int) -> Equation:
    """False: B e1 − e1 B = M e1."""
    space = SymbolicMetric(n, b=2)
    b, x = space.generic("b"), space.blade("e1")
    return Equation(b * x - x * b, columns(space, action_matrix(b))[0], space, {"B": b})


def twin_injective(n: int) -> Equation:
    """False: for r = 2, 2 M_B = 0 only for B = 0; B = t e23 in Cl(1,0,2)."""
    space = SymbolicMetric(n, metric=(1, 0, 0), t=0)
    b = space.blade("e23") * space.symbol("t")
    return Equation(b, space.scalar(0), space, {"2 M_B": 2 * action_matrix(b)})


def twin_onto(n: int) -> Equation:
    """False: A = diag(0, 0, t) in so(2,0,1) is some 2 M_B, whose last column is always 0."""
    space = SymbolicMetric(n, metric=(1, 1, 0), t=0, b=2)
    a = space.symbol("t") * unit(space, n - 1, n - 1)
    shown = {"A": a, "A^T G + G A": skewness(a, metric_matrix(space))}
    last = columns(space, 2 * action_matrix(space.generic("b")))[-1]
    return Equation(columns(space, a)[-1], last, space, shown)


THEOREM = Theorem(
    name="cover_differential",
    statement="B ↦ 2bG is the differential of the rotor action, onto so(p, q) iff r = 0",
    hypotheses=("for injective: r ≤ 1", "for onto: r = 0"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5, 6),
    steps=(
        Step("d/dt exp(tB) x exp(−tB) = 2 M x at t = 0", step_1_derivative),
        Step("B ↦ 2 M_B is a Lie homomorphism", step_2_lie_homomorphism),
        Step("M^T G + G M = 0", step_3_lands_in_so),
        Step("r = 0: the inverse is A ↦ A G", step_4_nondegenerate_inverse),
        Step("ranks in every signature", step_5_ranks),
    ),
    twins=(
        Twin("B x − x B = M x", twin_factor_two, 2),
        Twin("without r ≤ 1: injective in Cl(1,0,2)", twin_injective, 3, drops=1),
        Twin("without r = 0: onto so(2,0,1)", twin_onto, 3, drops=2),
    ),
)
