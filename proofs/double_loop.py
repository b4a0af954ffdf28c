"""The loop of rotations by 0..2π lifts to a path from 1 to −1; run twice it contracts.

Statement.  V of signature (p, q, r), e1² = e2² ≠ 0.  The rotor c + s e12, c² + s² = 1, turns the
plane by twice the angle of (c, s).  While the rotation angle runs from 0 to 2π, (c, s) runs from
(1, 0) to (−1, 0): the closed loop in SO lifts to a path from 1 to −1, so it does not contract
(r ≤ 1).  If p ≥ 3 or q ≥ 3, the loop run twice contracts: with e(φ) = C e12 + S e13,

    H = (c + s e12)(c + s e(φ)),    (C, S) from (1, 0) to (−1, 0),

is a loop of rotors for every φ, the loop run twice at φ = 0, and constant at φ = π.

Hypotheses
  H1  e12² = −1.  Dropped: in Cl(1,1) boosts cosh + sinh e12 never close.
  H2  (for "contracts") e3² = e1² = e2².  Dropped: in Cl(2,1), e13² = 1, and e(φ)² = S² − C².

Conventions: exp(B) literally, (c, s) = (cos β, sin β) with rotation angle 2β.

Derivation.
  1.  (c + s e12) ~(c + s e12) = c² + s² = 1, and e1 ↦ (c² − s²) e1 − 2 c s g_1 e2.     [H1]
  2.  (1, 0) and (−1, 0) give the rotors 1 and −1 and the same rotation, the identity.
  3.  The rotors over the identity are 1 and −1 only (kernel, r ≤ 1): a lifted loop that contracts
      would move its end point inside {1, −1} continuously, from −1 to 1.
  4.  e(φ)² = −(C² + S²) = −1, so c + s e(φ) is a rotor.                                [H2]
  5.  H is a rotor; H = 1 at (c, s) = (±1, 0) for every φ: all loops start and end at 1.
      φ = 0: H = (c² − s²) + 2 c s e12, the loop run twice.  φ = π: H = 1.              [4]

Remarks.  SO(2) and SO⁺(2,1) have the loops of ℤ: H2 cannot be dropped.  c and s are real points of
a circle; the machine works modulo c² + s² = 1 and C² + S² = 1.
References.  P. Lounesto, Clifford Algebras and Spinors (2nd ed., Cambridge 2001).
"""

from __future__ import annotations

from collections.abc import Iterator

from geomlin.proving.equation import Equation
from geomlin.proving.symbolic_metric import Element, SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength


def circles(n: int, sign: int) -> SymbolicMetric:
    """Points (c, s) and (C, S); e1² = e2² = e3² = sign, the others null, negative and positive."""
    return SymbolicMetric(n, metric=((sign,) * 3 + (0, -1, 1))[:n], c=0, C=0, s=0, S=0)


def on_circles(x: Element) -> Element:
    """Normal form modulo c² + s² = 1 and C² + S² = 1."""
    c, s, cc, ss = (x.space.symbol(name) for name in "csCS")
    return x.map(lambda p: p % (c * c + s * s - 1) % (cc * cc + ss * ss - 1))


def rotor(plane: Element) -> Element:
    """c + s e."""
    return plane.space.symbol("c") + plane * plane.space.symbol("s")


def tilted(space: SymbolicMetric) -> Element:
    """e(φ) = C e12 + S e13."""
    return space.blade("e12") * space.symbol("C") + space.blade("e13") * space.symbol("S")


def step_1_rotation(n: int) -> Iterator[Equation]:
    """R ~R = 1 and R e1 ~R = (c² − s²) e1 − 2 c s g_1 e2."""
    for sign in (1, -1):
        space = circles(n, sign)
        r, (e1, e2, *_) = rotor(space.blade("e12")), space.vectors()
        c, s = space.symbol("c"), space.symbol("s")
        yield Equation(on_circles(r * ~r), space.scalar(1), space)
        yield Equation(r * e1 * ~r, e1 * (c * c - s * s) - e2 * (c * s * 2 * sign), space)


def step_2_end_points(n: int) -> Iterator[Equation]:
    """R = −1 at (c, s) = (−1, 0), and −1 acts as 1."""
    for sign in (1, -1):
        space = circles(n, sign)
        end = rotor(space.blade("e12")).map(lambda p: p.subs({"c": -1, "s": 0}))
        yield Equation(end, space.scalar(-1), space)
        for e in space.vectors():
            yield Equation(end * e * ~end, e, space)


def step_4_tilted_plane(n: int) -> Iterator[Equation]:
    """e(φ)² = −1."""
    for sign in (1, -1):
        space = circles(n, sign)
        plane = tilted(space)
        yield Equation(on_circles(plane * plane), space.scalar(-1), space)


def step_5_homotopy(n: int) -> Iterator[Equation]:
    """H ~H = 1; H = 1 at the ends; H at φ = 0 and φ = π."""
    for sign in (1, -1):
        space = circles(n, sign)
        c, s, first = space.symbol("c"), space.symbol("s"), rotor(space.blade("e12"))
        h = first * rotor(tilted(space))
        yield Equation(on_circles(h * ~h), space.scalar(1), space)
        for end in (1, -1):
            at_end = h.map(lambda p, end=end: p.subs({"c": end, "s": 0}))
            yield Equation(at_end, space.scalar(1), space)
        twice = (c * c - s * s) + space.blade("e12") * (c * s * 2)
        yield Equation(h.map(lambda p: p.subs({"C": 1, "S": 0})), twice, space)
        constant = h.map(lambda p: p.subs({"C": -1, "S": 0}))
        yield Equation(on_circles(constant), space.scalar(1), space)


def twin_closed_lift(n: int) -> Equation:
    """False: the lifted path ends where it begins."""
    space = SymbolicMetric(n, metric=(1, 1, 1))
    end = space.scalar(-1) + space.blade("e12") * 0
    return Equation(end, space.scalar(1), space, {"(c, s)": [-1, 0], "R e1 ~R": space.blade("e1")})


def twin_boost(n: int) -> Equation:
    """False: (3/5 + 4/5 e12) ~(..) = 1 in Cl(1,1), though (3/5)² + (4/5)² = 1."""
    space = SymbolicMetric(n, metric=(1, -1))
    r = 3 + space.blade("e12") * 4
    return Equation(r * ~r, space.scalar(25), space, {"5 R": r})


def twin_two_directions(n: int) -> Equation:
    """False: e(φ)² = −1 in Cl(2,1), at 5 e(φ) = 3 e12 + 4 e13."""
    space = SymbolicMetric(n, metric=(1, 1, -1))
    plane = space.blade("e12") * 3 + space.blade("e13") * 4
    return Equation(plane * plane, space.scalar(-25), space, {"5 e(φ)": plane})


THEOREM = Theorem(
    name="double_loop",
    statement="the 2π loop lifts to a path from 1 to −1; run twice it contracts for p or q ≥ 3",
    hypotheses=("e12² = −1", "for contraction: e1² = e2² = e3²"),
    strength=Strength.POLYNOMIAL,
    dimensions=(3, 4, 5, 6),
    steps=(
        Step("c + s e12 is a rotor that turns by twice the angle", step_1_rotation),
        Step("the end is −1, which acts as 1", step_2_end_points),
        Step("e(φ)² = −1", step_4_tilted_plane),
        Step("H is a homotopy of loops at 1", step_5_homotopy),
    ),
    twins=(
        Twin("the lift is closed", twin_closed_lift, 3),
        Twin("without e12² = −1: a boost", twin_boost, 2, drops=1),
        Twin("without e3² = e1²: Cl(2,1)", twin_two_directions, 3, drops=2),
    ),
)
