"""Power iteration on M²: the sine of the angle to the first plane falls by (β_2/β_1)² a step.

Statement.  Cl(n) or Cl(0, n), B = Σ β_k u_k ∧ v_k with orthonormal u_1, v_1, u_2, .. and
β_1 > β_2 ≥ .. ≥ 0, M = b G.  Let v = Σ_k w_k, w_k in plane k (w_0 in the fixed space), w_1 ≠ 0,
and θ the angle from v to plane 1, tan² θ = Σ_{k≠1} |w_k|²/|w_1|².  For v' = M² v

    tan θ' ≤ (β_2/β_1)² tan θ.

Hypotheses
  H1  w_1 ≠ 0.  Dropped: v = u_2 stays in plane 2, M² u_2 = −β_2² u_2.
  H2  β_1 > β_2.  Dropped: for e12 + e34, M² v = −v, every start is a fixed point.
  H3  The metric is definite.  Dropped: for e12 + e23 in Cl(2,1), M² e1 = e3 − e1 is null.

Conventions: M x = (B x − x B)/2; v ∧ (v·B) spans v and M v.

Derivation.
  1.  M² w_k = −β_k² w_k: M u = ∓β v, M v = ±β u.                                      [H3]
  2.  β_1⁴ |w_1|² tan² θ' = Σ_{k≠1} β_k⁴ |w_k|², and β_2⁴ Σ |w_k|² − Σ β_k⁴ |w_k|² =
      Σ (β_2⁴ − β_k⁴) |w_k|² ≥ 0 over k ≠ 1.                                           [1, H1]
  3.  So tan θ' ≤ (β_2/β_1)² tan θ, and m steps give (β_2/β_1)^(2m): θ → 0.            [2, H2]
      sin θ ≤ tan θ, and sin θ' ≤ sin θ tan θ'/tan θ for falling angles: the same factor holds
      asymptotically for the sine.
  4.  At a tie β_1 = β_2 the plane of v and M v is invariant for every v, so the answer is a part
      of a split, not a canonical one.
  5.  Stopped at θ ≠ 0, b = v ∧ Mv/|v|² and B − b do not commute: the commutator is not zero for
      v = u_1 + t u_2.

Remarks.  For β_2/β_1 = 0.99 the bound takes 573 steps for a factor of 10⁻⁵.
References.  G. Golub, C. Van Loan, Matrix Computations (4th ed., 2013), section 8.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def spectral(n: int, sign: int) -> tuple[SymbolicMetric, Element, Element]:
    """B = Σ β_k e_(2k−1) e_(2k) and a generic v."""
    symbols: dict[str, Any] = {f"beta{k}": 0 for k in range(1, n // 2 + 1)}
    space = SymbolicMetric(n, metric=(sign,) * n, v=1, **symbols)
    planes = {3 << 2 * k: space.symbol(name) for k, name in enumerate(symbols)}
    return space, space.element(planes), space.generic("v")


def moved(b: Element, v: Element) -> Element:
    """M v = (B v − v B)/2, without the 1/2: 2 M v."""
    return b * v - v * b


def step_1_eigenvalues(n: int) -> Iterator[Equation]:
    """(2M)² v = −4 Σ β_k² w_k."""
    for sign in (1, -1):
        space, b, v = spectral(n, sign)
        expected = space.scalar(0)
        for k in range(n // 2):
            part = space.element({s: c for s, c in v.terms.items() if s & 3 << 2 * k})
            expected = expected - part * (space.symbol(f"beta{k + 1}") ** 2 * 4)
        yield Equation(moved(b, moved(b, v)), expected, space)


def step_2_contraction(n: int) -> Equation:
    """β_2⁴ Σ_{k≠1} |w_k|² = Σ_{k≠1} β_k⁴ |w_k|² + Σ (β_2⁴ − β_k⁴) |w_k|², β_0 = 0."""
    space, b, v = spectral(n, 1)
    beta = [space.symbol(f"beta{k + 1}") for k in range(n // 2)]
    twice = moved(b, moved(b, v))
    outside = space.element({s: c for s, c in v.terms.items() if not s & 3})
    total = space.element({s: c for s, c in twice.terms.items() if not s & 3})
    slack = space.constant(0)
    for s, c in outside.terms.items():
        k = (s.bit_length() - 1) // 2
        slack = slack + (beta[1] ** 4 - (beta[k] ** 4 if k < len(beta) else 0)) * c * c
    size = (outside * outside).scalar_part
    return Equation(size * beta[1] ** 4 * 16, (total * total).scalar_part + slack * 16, space)


def step_4_ties(n: int) -> Iterator[Equation]:
    """β_1 = .. = β_k: v ∧ Mv and B − v ∧ Mv/v² commute, n even."""
    space = SymbolicMetric(n, metric=(1,) * n, v=1)
    b = space.element({3 << 2 * k: 1 for k in range(n // 2)})
    v = space.generic("v") if n % 2 == 0 else space.blade("e1") * 3 + space.blade("e3") * 4
    plane, square = v ^ moved(b, v), (v * v).scalar_part * 2
    rest = b * square + plane
    yield Equation(plane * rest, rest * plane, space)


def twin_orthogonal_start(n: int) -> Equation:
    """False: M² e3 is in plane 1 of B = 2 e12 + e34, so that M² e3 ∧ e12 = 0."""
    space = SymbolicMetric(n, metric=(1,) * n)
    b = space.blade("e12") * 2 + space.blade("e34")
    image = moved(b, moved(b, space.blade("e3")))
    shown = {"B": b, "v": space.blade("e3"), "4 M² v": image}
    return Equation(image ^ space.blade("e12"), space.scalar(0), space, shown)


def twin_tie(n: int) -> Equation:
    """False: 4 M² v = −4 e1 − e3 for v = e1 + e3, B = e12 + e34, as if β_2/β_1 were 1/2."""
    space = SymbolicMetric(n, metric=(1,) * n)
    b, v = space.blade("e12") + space.blade("e34"), space.blade("e1") + space.blade("e3")
    wanted = space.blade("e1") * -4 - space.blade("e3")
    return Equation(moved(b, moved(b, v)), wanted, space, {"B": b, "v": v})


def twin_indefinite(n: int) -> Equation:
    """False: (4 M² v)² = v² up to a factor ≠ 0, for e12 + e23 in Cl(2,1) and v = e1."""
    space = SymbolicMetric(n, metric=(1, 1, -1))
    b, v = space.blade("e12") + space.blade("e23"), space.blade("e1")
    image = moved(b, moved(b, v))
    return Equation(image * image, v * v, space, {"B": b, "v": v, "4 M² v": image})


def twin_stopped_early(n: int) -> Equation:
    """False: v ∧ Mv/v² commutes with the rest for v = e1 + e3, B = 2 e12 + e34."""
    space = SymbolicMetric(n, metric=(1,) * n)
    b, v = space.blade("e12") * 2 + space.blade("e34"), space.blade("e1") + space.blade("e3")
    plane = v ^ moved(b, v)
    rest = b * 4 + plane
    return Equation(plane * rest, rest * plane, space, {"B": b, "v": v, "v ∧ 2Mv": plane})


THEOREM = Theorem(
    name="power_iteration",
    statement="v ↦ M²v: the tangent of the angle to plane 1 falls by (β_2/β_1)² or faster",
    hypotheses=("the start is not orthogonal to plane 1", "β_1 > β_2", "definite metric"),
    strength=Strength.POLYNOMIAL,
    dimensions=(4, 5, 6, 7),
    steps=(
        Step("M² w_k = −β_k² w_k", step_1_eigenvalues),
        Step("β_2⁴ Σ|w_k|² − Σ β_k⁴|w_k|² is a sum of squares", step_2_contraction),
        Step("at ties v ∧ Mv commutes with the rest", step_4_ties),
    ),
    twins=(
        Twin("orthogonal start", twin_orthogonal_start, 4, drops=1),
        Twin("β_1 = β_2", twin_tie, 4, drops=2),
        Twin("indefinite metric: Cl(2,1)", twin_indefinite, 3, drops=3),
        Twin("stopped early, the parts commute", twin_stopped_early, 4),
    ),
)
