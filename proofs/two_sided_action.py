"""r x ~s is A X ρ(~s) in matrices, and ρ(~s) is the transpose of ρ(s) in definite metrics.

Statement.  Cl(p, q), r = 0, ρ a representation by matrices, A = ρ(r), X = ρ(x).  Then

    ρ(r x ~s) = A X ρ(~s).

If ρ(e_i) is orthogonal for each i and the metric is definite, then ρ(~s) = ρ(s)^T for even s
(ρ(s)^H for complex matrices).  So two multiplications of matrices of size √(2^n) do what a matrix
of size 2^n does on the coefficients.

Hypotheses
  H1  The metric is definite (for the transpose).  Dropped: s = e12 in Cl(1,1), ρ(s)^T = ρ(s) but
      ~s = −s.
  H2  s is even (for the transpose).  Dropped: s = e1 in Cl(0,1) has ~s = s, ρ(s)^T = −ρ(s).

Conventions: the machine takes the regular representation ρ(a) = L_a on the orthonormal basis of
blades, of size 2^n; a smaller one is a block of it, as every representation is.

Derivation.
  1.  L_a L_b = L_ab (the product is associative), and L_a 1 = a: ρ is faithful.
  2.  L_(e_i)^T = g_i L_(e_i): e_i permutes the blades up to signs, so L_(e_i) is orthogonal, and
      its square is g_i.
  3.  ρ(s)^T reverses products: for e_i e_j it is g_i g_j ρ(e_j e_i), and g_i g_j = 1.   [2, H1, H2]
  4.  ρ(r x ~s) = ρ(r) ρ(x) ρ(~s) = A X ρ(s)^T.                                          [1, 3]

Remarks.  x may have any grades.  In Cl(n) step 3 holds for odd s too, in Cl(0, n) with a sign.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.equation import Equation
from geomlin.proving.matrices import Matrix
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def regular(a: Element) -> Matrix:
    """L_a: column T holds the coefficients of a e_T."""
    space, size = a.space, range(1 << a.space.n)
    columns = [a * space.element({t: 1}) for t in size]
    return Matrix(tuple(tuple(column.coefficient(s) for column in columns) for s in size))


def spaces(n: int, **symbols: object) -> Iterator[SymbolicMetric]:
    """Cl(n), Cl(0, n) with these symbols."""
    for sign in (1, -1):
        yield SymbolicMetric(n, metric=(sign,) * n, **symbols)  # type: ignore[arg-type]


def step_1_homomorphism(n: int) -> Iterator[Equation]:
    """L_a L_(e_i) = L_(a e_i) for generic a, every metric; the first column of L_a is a."""
    space = SymbolicMetric(n, a=range(n + 1))
    a = space.generic("a")
    matrix = regular(a)
    for e in space.vectors():
        yield Equation(matrix @ regular(e), regular(a * e), space)
    first = space.element({s: row[0] for s, row in enumerate(matrix.rows)})
    yield Equation(first, a, space)


def step_2_orthogonal(n: int) -> Iterator[Equation]:
    """L_(e_i)^T = g_i L_(e_i) for every choice of signs of two metrics, and L_(e_i)² = g_i."""
    for p in range(n + 1):
        space = SymbolicMetric(n, metric=(1,) * p + (-1,) * (n - p))
        for e in space.vectors():
            matrix = regular(e)
            yield Equation(matrix.transpose, (e * e).scalar_part * matrix, space)
            yield Equation(matrix @ matrix, regular(e * e), space)


def step_3_transpose(n: int) -> Iterator[Equation]:
    """ρ(s)^T = ρ(~s) for generic even s in Cl(n) and Cl(0, n)."""
    for space in spaces(n, s=range(0, n + 1, 2)):
        s = space.generic("s")
        yield Equation(regular(s).transpose, regular(~s), space)


def step_4_action(n: int) -> Iterator[Equation]:
    """Column 1 of A X ρ(s)^T is r x ~s, for generic even r, s and x = e1 + e_(1..n)."""
    for space in spaces(n, r=range(0, n + 1, 2), s=range(0, n + 1, 2)):
        r, s = space.generic("r"), space.generic("s")
        x = space.element({1: 1, (1 << n) - 1: 1})
        product = regular(r) @ regular(x) @ regular(s).transpose
        column = space.element({k: row[0] for k, row in enumerate(product.rows)})
        yield Equation(column, r * x * ~s, space)


def twin_indefinite(n: int) -> Equation:
    """False: ρ(~e12) = ρ(e12)^T in Cl(1,1)."""
    space = SymbolicMetric(n, metric=(1, -1))
    s = space.blade("e12")
    return Equation(regular(s).transpose, regular(~s), space, {"s": s, "~s": ~s})


def twin_odd(n: int) -> Equation:
    """False: ρ(~e1) = ρ(e1)^T in Cl(0,1)."""
    space = SymbolicMetric(n, metric=(-1,) * n)
    s = space.blade("e1")
    return Equation(regular(s).transpose, regular(~s), space, {"s": s, "~s": ~s})


THEOREM = Theorem(
    name="two_sided_action",
    statement="ρ(r x ~s) = A X ρ(~s), and ρ(~s) = ρ(s)^H for even s in definite metrics",
    hypotheses=("the metric is definite", "s is even"),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4),
    steps=(
        Step("L_a L_b = L_ab, faithful", step_1_homomorphism),
        Step("L_(e_i)^T = g_i L_(e_i)", step_2_orthogonal),
        Step("ρ(s)^T = ρ(~s)", step_3_transpose),
        Step("r x ~s = A X ρ(s)^T", step_4_action),
    ),
    twins=(
        Twin("without definite metric: e12 in Cl(1,1)", twin_indefinite, 2, drops=1),
        Twin("without evenness: e1 in Cl(0,1)", twin_odd, 1, drops=2),
    ),
)
