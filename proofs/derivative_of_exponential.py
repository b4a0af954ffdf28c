"""The derivative of exp: dR = Ω R with Ω = φ(ad_B) dB, finite everywhere.

Statement.  V real quadratic space, any signature, B, D ∈ Λ²V, ad_B X = BX − XB, and the entire
function φ(z) = (e^z − 1)/z = Σ z^k/(k+1)!.  Then

    d/dt exp(B + tD) |_{t=0} = Ω exp(B),    Ω = φ(ad_B) D = Σ_k ad_B^k D/(k+1)! ∈ Λ²V.

So the derivative is finite for every B, at equal angles, zero and null B included.

Hypotheses
  H1  (for dR = D R) BD = DB.  Dropped: B = e12, D = e13 in Cl(3): Ω = D + (BD − DB)/2 + ..,
      and BD − DB = −2 e23.

Conventions: exp(B) literally; Ω on the left, R ↦ Ω R.

Derivation.
  1.  d/dt (B + tD)^m = Σ_{i+j=m−1} B^i D B^j.
  2.  For commuting L, R: Σ_{i+j=m−1} L^i R^j/m! = Σ_{k+l=m−1} (L − R)^k/(k+1)! R^l/l!, the part of
      order m − 1 of (e^L − e^R)/(L − R) = φ(L − R) e^R.  Here L X = BX and R X = XB commute and
      L − R = ad_B.  The machine checks m ≤ 12 in ℚ[L, R].
  3.  Σ_{i+j=m−1} B^i D B^j/m! = Σ_{k+l=m−1} (ad_B^k D)/(k+1)! B^l/l!.                    [1, 2]
      The machine checks m ≤ 3, for n ≤ 3 m ≤ 4, with generic B and D.
  4.  ad_B D is a bivector, so Ω is.
  5.  For commuting parts B = Σ b_i, b_i² = −β_i²: ad_B has the eigenvalues ±iβ_j ± iβ_k, doubled;
      for two planes ad_B (ad_B² + 4(β_1+β_2)²)(ad_B² + 4(β_1−β_2)²) D = 0.  At equal ones φ(0) = 1.

Remarks.  φ(ad_B) is singular, and log not differentiable, where β_j ± β_k = πm ≠ 0.
References.  R. Bhatia, Matrix Analysis (Springer 1997), section X.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from flint import fmpq

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

ORDERS = 12


def powers(b: Element, count: int) -> list[Element]:
    """1, B, .., B^count."""
    found = [b.space.scalar(1)]
    for _ in range(count):
        found.append(found[-1] * b)
    return found


def ad(b: Element, x: Element) -> Element:
    """ad_B X = BX − XB."""
    return b * x - x * b


def directional(b: Element, d: Element, m: int) -> Element:
    """Σ_{i+j=m−1} B^i D B^j."""
    p = powers(b, m - 1)
    return sum((p[i] * d * p[m - 1 - i] for i in range(m)), b.space.scalar(0))


def step_1_product_rule(n: int) -> Iterator[Equation]:
    """The coefficient of t in (B + tD)^m, m = 1, 2, 3."""
    space = SymbolicMetric(n, t=0, b=2, d=2)
    b, d, t = space.generic("b"), space.generic("d"), space.symbol("t")
    for m, power in enumerate(powers(b + d * t, 3 if n <= 3 else 2)):
        linear = power.map(lambda p: p.derivative("t").subs({"t": 0}))
        yield Equation(linear, directional(b, d, m), space)


def step_2_divided_difference(n: int) -> Iterator[Equation]:
    """Σ L^i R^j/m! = Σ (L − R)^k/(k+1)! R^l/l! in ℚ[L, R]."""
    space = SymbolicMetric(n, L=0, R=0)
    left, right = space.symbol("L"), space.symbol("R")
    for m in range(1, ORDERS + 1):
        pairs = [(k, m - 1 - k) for k in range(m)]
        mean = sum((left**i * right**j for i, j in pairs), left * 0) * fmpq(1, factorial(m))
        weights = ((k, j, fmpq(1, factorial(k + 1) * factorial(j))) for k, j in pairs)
        total = sum(((left - right) ** k * right**j * w for k, j, w in weights), left * 0)
        yield Equation(mean, total, space)


def step_3_in_the_algebra(n: int) -> Iterator[Equation]:
    """The same with B and D, multiplied by m!."""
    space = SymbolicMetric(n, b=2, d=2)
    b, d = space.generic("b"), space.generic("d")
    for m in range(1, 5 if n <= 3 else 4):
        total, term = space.scalar(0), d
        for k, power in zip(range(m), reversed(powers(b, m - 1)), strict=True):
            weight = fmpq(factorial(m), factorial(k + 1) * factorial(m - 1 - k))
            total = total + term * power * weight
            term = ad(b, term)
        yield Equation(directional(b, d, m), total, space)


def step_4_bivector(n: int) -> Equation:
    """ad_B D has grade 2."""
    space = SymbolicMetric(n, b=2, d=2)
    found = ad(space.generic("b"), space.generic("d"))
    return Equation(found, found.grade(2), space)


def step_5_eigenvalues(n: int) -> Equation:
    """ad_B annihilated by x (x² + 4(β+γ)²)(x² + 4(β−γ)²) for B = β e12 + γ e34 in Cl(n)."""
    size = max(n, 4)
    space = SymbolicMetric(size, metric=(1,) * 4 + (0,) * (size - 4), x=0, y=0, d=2)
    x, y = space.symbol("x"), space.symbol("y")
    b = space.blade("e12") * x + space.blade("e34") * y
    inner = space.generic("d")
    value = space.element({s: c for s, c in inner.terms.items() if s < 16})
    for rate in (x + y, x - y):
        value = ad(b, ad(b, value)) + value * (rate * rate * 4)
    return Equation(ad(b, value), space.scalar(0), space)


def twin_left_product(n: int) -> Equation:
    """False: d/dt (B + tD)²/2 = D B, as it would be for BD = DB."""
    space = SymbolicMetric(n, metric=(1,) * n)
    b, d = space.blade("e12"), space.blade("e13")
    return Equation(directional(b, d, 2) * fmpq(1, 2), d * b, space, {"B": b, "D": d})


def twin_wrong_weight(n: int) -> Equation:
    """False: with 1/k! instead of 1/(k+1)!, Ω = D + ad_B D + ..: order 2 differs."""
    space = SymbolicMetric(n, b=2, d=2)
    b, d = space.generic("b"), space.generic("d")
    return Equation(directional(b, d, 2), (d * b + ad(b, d)) * 2, space, {"B": b, "D": d})


THEOREM = Theorem(
    name="derivative_of_exponential",
    statement="d exp(B) = φ(ad_B) dB exp(B), φ(z) = (e^z − 1)/z, finite at equal angles too",
    hypotheses=("for dR = dB R: B dB = dB B",),
    strength=Strength.POLYNOMIAL,
    dimensions=(2, 3, 4, 5),
    steps=(
        Step("d(B^m) = Σ B^i dB B^j", step_1_product_rule, order=2),
        Step("Σ L^i R^j/m! = Σ (L − R)^k/(k+1)! R^l/l!", step_2_divided_difference, order=ORDERS),
        Step("the same in Cl(V)", step_3_in_the_algebra, order=3),
        Step("ad_B D is a bivector", step_4_bivector),
        Step("eigenvalues of ad_B for two planes", step_5_eigenvalues),
    ),
    twins=(
        Twin("without B dB = dB B: dR = dB R in Cl(3)", twin_left_product, 3, drops=1),
        Twin("1/k! instead of 1/(k+1)!", twin_wrong_weight, 3),
    ),
)
