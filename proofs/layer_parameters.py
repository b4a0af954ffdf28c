"""How many numbers a rotor layer learns, and what other layers of the same widths learn.

Statement.  In Cl(n), n ≥ 3, the maps x ↦ r x ~s, r = exp(b), s = exp(c), b, c ∈ Λ²V, have exactly
n(n−1) independent parameters near every point.  A layer of widths d × d', with the largest chunk
2^n ≤ min(d, d') and the fewest chunks, learns ⌈d/2^n⌉ ⌈d'/2^n⌉ n(n−1) numbers, against

    d d' (dense),   ρ(d + d') (rank ρ),   d d'/B (one level of B rectangular blocks).

For the attention projections of two language models (q: d × d, k and v: d × d'):

    LLaMA-3.2 1B  q 2048 × 2048:  rotor 110,  dense 4194304,  rank 1 4096,  128 blocks 32768
                  k 2048 × 512:   rotor 288,  dense 1048576,  rank 1 2560,  128 blocks 8192
    Qwen-2.5 1.5B q 1536 × 1536:  rotor 360,  dense 2359296,  rank 1 3072,  128 blocks 18432
                  k 1536 × 256:   rotor 336,  dense 393216,   rank 1 1792,  128 blocks 3072

and the network of 8 such layers with scales, 6 weights and a slope learns 895 for q of LLaMA.

Hypotheses
  H1  r = 0, as in Cl(n).  Dropped: in Cl(0,0,3) bivectors commute with everything, and b and −c
      move x alike: 3 parameters instead of 6.
  H2  n ≥ 3 with x ∈ Cl(V), all grades.  Dropped: for even x in Cl(2), b and −c act alike.

Conventions: b x − x c is the derivative of r x ~s at r = s = 1.

Derivation.
  1.  d(r x ~s) = r (β x − x γ) ~s with β, γ ∈ Λ²V arbitrary: the rank is that at 1.
  2.  (b, c) ↦ (x ↦ b x − x c) is injective: x = 1 gives b = c, then b commutes with every vector,
      2 M_b = 0 and b = 0 (cover_differential, r ≤ 1).  The machine counts the rank.    [H1, H2]
  3.  The counts for the listed widths, by the formulas.

Remarks.  Independent says nothing about which d × d' maps are reached: dimension n(n−1) is small.
References.  T. Pence, D. Yamada, V. Singh, Composing Linear Layers from Irreducibles,
arXiv:2507.11688.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from geomlin.blades import blades_of_grade
from geomlin.proving.equation import Equation
from geomlin.proving.linear_algebra import coordinates, rank
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

BLOCKS = 128
SIZES = {  # widths: rotor, dense, rank 1, blocks
    (2048, 2048): (110, 4194304, 4096, 32768),
    (2048, 512): (288, 1048576, 2560, 8192),
    (1536, 1536): (360, 2359296, 3072, 18432),
    (1536, 256): (336, 393216, 1792, 3072),
}


def independent(space: SymbolicMetric, blades: Sequence[Element]) -> int:
    """Rank of (b, c) ↦ (b x − x c) over these x."""
    planes = [space.element({mask: 1}) for mask in blades_of_grade(space.n, 2)]
    rows = [coordinates(plane * x for x in blades) for plane in planes]
    rows += [coordinates(x * plane for x in blades) for plane in planes]
    return rank(rows)


def all_blades(space: SymbolicMetric) -> list[Element]:
    """The basis of Cl(V)."""
    return [space.element({mask: 1}) for mask in range(1 << space.n)]


def rotor_count(inputs: int, outputs: int) -> int:
    """⌈d/2^n⌉ ⌈d'/2^n⌉ n(n−1) for the largest 2^n ≤ min(d, d')."""
    n = min(inputs, outputs).bit_length() - 1
    return -(-inputs // 2**n) * -(-outputs // 2**n) * n * (n - 1)


def step_1_derivative(n: int) -> Equation:
    """The coefficient of t in (1 + t b) x (1 − t c) is b x − x c, for generic b, c and x = e1."""
    space = SymbolicMetric(n, metric=(1,) * n, t=0, b=2, c=2)
    b, c, t, x = space.generic("b"), space.generic("c"), space.symbol("t"), space.blade("e1")
    moved = (1 + b * t) * x * (1 - c * t)
    return Equation(moved, x + (b * x - x * c) * t - b * x * c * (t * t), space)


def step_2_rank(n: int) -> Equation:
    """The rank is n(n−1)."""
    space = SymbolicMetric(n, metric=(1,) * n)
    return Equation(independent(space, all_blades(space)), n * (n - 1), space)


def step_3_counts(n: int) -> Iterator[Equation]:
    """The table, and 8 (110 + 1) + 6 + 1 = 895."""
    space = SymbolicMetric(n, metric=(1,) * n)
    for (d, e), (rotor, dense, rank_one, blocks) in SIZES.items():
        found = [rotor_count(d, e), d * e, d + e, BLOCKS * (d // BLOCKS) * (e // BLOCKS)]
        yield Equation(found, [rotor, dense, rank_one, blocks], space)
    yield Equation(8 * (rotor_count(2048, 2048) + 1) + 2 * 3 + 1, 895, space)


def twin_null_metric(n: int) -> Equation:
    """False: the rank is n(n−1) in Cl(0,0,3)."""
    space = SymbolicMetric(n, metric=(0,) * n)
    return Equation(independent(space, all_blades(space)), n * (n - 1), space)


def twin_even_plane(n: int) -> Equation:
    """False: the rank on even x in Cl(2) is 2."""
    space = SymbolicMetric(n, metric=(1,) * n)
    even = [x for x in all_blades(space) if x.grade(0, 2).terms]
    return Equation(independent(space, even), n * (n - 1), space)


def twin_one_rotor(n: int) -> Equation:
    """False: one rotor of each pair is enough for the count of LLaMA's q."""
    space = SymbolicMetric(n, metric=(1,) * n)
    return Equation(rotor_count(2048, 2048) // 2, 110, space)


THEOREM = Theorem(
    name="layer_parameters",
    statement="x ↦ r x ~s has n(n−1) parameters: 110 for 2048 × 2048, of 4194304 in a dense layer",
    hypotheses=("r = 0", "n ≥ 3, x of all grades"),
    strength=Strength.POLYNOMIAL,
    dimensions=(3, 4, 5),
    steps=(
        Step("d(r x ~s) = b x − x c at 1", step_1_derivative),
        Step("rank n(n−1)", step_2_rank),
        Step("counts for two language models", step_3_counts),
    ),
    twins=(
        Twin("without r = 0: Cl(0,0,3)", twin_null_metric, 3, drops=1),
        Twin("even x in Cl(2)", twin_even_plane, 2, drops=2),
        Twin("one rotor for each pair", twin_one_rotor, 3),
    ),
)
