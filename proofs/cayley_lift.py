"""Signs d_k = ±1 with |det(I + O D)| ≥ 1 exist for every real matrix: the lift cannot fail.

Statement.  O a real n × n matrix.  There is D = diag(d_1, .., d_n), d_k ∈ {1, −1}, with

    |det(I + O D)| ≥ 1,

and choosing d_1, d_2, .. in turn, each d_k so that |mean of det over the signs still free| is
larger, finds one.  For O ∈ O(p, q) the rotor of O is then read off O D by the Cayley transform.

Hypotheses
  H1  The signs are chosen.  Dropped: D = I and O = −I, the half turn, has det(I + O) = 0.

Conventions: D acts as the versor Π e_k over d_k = −1; outer_exponential is the Cayley transform.

Derivation.
  1.  det(I + O D) is of degree 1 in each d_k (column k of O D is d_k times column k of O).
  2.  Its mean over the 2^n choices is its value at d = 0, det I = 1.                    [1]
  3.  With d_1, .., d_(k−1) fixed let m_k be the mean over d_k, .., d_n; as a function of d_k it is
      α + β d_k, so max(|α + β|, |α − β|) = |α| + |β| ≥ |α|, and the right sign gives
      |m_(k+1)| ≥ |m_k|.                                                                [1, 2]
  4.  |det(I + O D)| = |m_(n+1)| ≥ |m_1| = 1.                                           [3, H1]
  5.  m_k is det(I + O D) with d_k = .. = d_n = 0: a leading minor, and pivots of an elimination
      without row exchanges are the ratios m_(k+1)/m_k = 1 ± s_k, s_k of the Schur complement.

Remarks.  Equality for O = 0.  O need not be orthogonal.  The bound on R_P is |R_P| ≥ 2^(−n/2) where
P is the set of negative signs, since R_P² = |det(I + O D)|/2^n in definite metrics.
References.  F. O'Dorney, Minimizing the Cayley transform of an orthogonal matrix by multiplying
by signature matrices, Linear Algebra Appl. 448 (2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from flint import fmpq, fmpq_mpoly

from geomlin.proving.characteristic import faddeev_leverrier
from geomlin.proving.equation import Equation
from geomlin.proving.matrices import Matrix, diagonal, identity
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def generic(n: int) -> tuple[SymbolicMetric, Matrix]:
    """A matrix of n² indeterminates o1_.. and the scalar symbols d1, .., dn."""
    symbols: dict[str, Any] = {f"d{k}": 0 for k in range(1, n + 1)}
    symbols |= {f"o{i}_": 1 for i in range(1, n + 1)}
    space = SymbolicMetric(n, metric=(1,) * n, **symbols)
    rows = (tuple(space.generic(f"o{i}_").terms.values()) for i in range(1, n + 1))
    return space, Matrix(tuple(rows))


def determinant(space: SymbolicMetric, o: Matrix, signs: Sequence[Any]) -> fmpq_mpoly:
    """det(I + O D) = (−1)^n c_n of the characteristic polynomial of I + O D."""
    coefficients, _ = faddeev_leverrier(space, identity(space) + o @ diagonal(space, *signs))
    return coefficients[-1] * (-1) ** space.n


def symbols(space: SymbolicMetric) -> list[fmpq_mpoly]:
    """d_1, .., d_n."""
    return [space.symbol(f"d{k}") for k in range(1, space.n + 1)]


def step_1_degree(n: int) -> Iterator[Equation]:
    """The second derivative with respect to each d_k is zero."""
    space, o = generic(n)
    value = determinant(space, o, symbols(space))
    for k in range(1, n + 1):
        second = value.derivative(f"d{k}").derivative(f"d{k}")
        yield Equation(second, space.constant(0), space)


def step_2_mean(n: int) -> Equation:
    """Σ_D det(I + O D) / 2^n = 1."""
    space, o = generic(n)
    values = (determinant(space, o, signs) for signs in product((1, -1), repeat=n))
    return Equation(sum(values, space.constant(0)) * fmpq(1, 2**n), space.constant(1), space)


def step_3_larger_sign(n: int) -> Iterator[Equation]:
    """(α+β)² + (α−β)² = 2 α² + 2 β²: the larger square is at least α²; the mean is at d_k = 0."""
    space = SymbolicMetric(n, a=0, c=0)
    a, c = space.symbol("a"), space.symbol("c")
    yield Equation((a + c) ** 2 + (a - c) ** 2, a * a * 2 + c * c * 2, space)
    space, o = generic(n)
    value = determinant(space, o, symbols(space))
    for k in range(1, n + 1):
        mean = (value.subs({f"d{k}": 1}) + value.subs({f"d{k}": -1})) * fmpq(1, 2)
        yield Equation(mean, value.subs({f"d{k}": 0}), space)


def step_5_leading_minors(n: int) -> Iterator[Equation]:
    """With d_k = .. = d_n = 0 the determinant is that of the leading block of size k − 1."""
    space, o = generic(n)
    d = symbols(space)
    for k in range(n):
        value = determinant(space, o, [*d[:k], *([0] * (n - k))])
        block = [[int(i == j) + o[i, j] * d[j] for j in range(k)] for i in range(k)]
        yield Equation(value, laplace(space, block), space)


def laplace(space: SymbolicMetric, rows: list[list[fmpq_mpoly]]) -> fmpq_mpoly:
    """The determinant by expansion along the first row."""
    if not rows:
        return space.constant(1)
    total = space.constant(0)
    for j, entry in enumerate(rows[0]):
        minor = [[x for i, x in enumerate(row) if i != j] for row in rows[1:]]
        total = total + entry * laplace(space, minor) * (-1) ** j
    return total


def twin_without_choice(n: int) -> Equation:
    """False: det(I + O) = 1 for O = −I."""
    space = SymbolicMetric(n, metric=(1,) * n)
    o = -1 * identity(space)
    return Equation(determinant(space, o, (1,) * n), space.constant(1), space, {"O": o})


THEOREM = Theorem(
    name="cayley_lift",
    statement="for every real matrix O there are signs D with |det(I + O D)| ≥ 1",
    hypotheses=("the signs are chosen",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5),
    steps=(
        Step("det(I + O D) has degree 1 in each d_k", step_1_degree),
        Step("its mean over the signs is 1", step_2_mean),
        Step("one sign does not lower the mean", step_3_larger_sign),
        Step("the conditional means are leading minors", step_5_leading_minors),
    ),
    twins=(Twin("without choice of signs: O = −I", twin_without_choice, 2, drops=1),),
)
