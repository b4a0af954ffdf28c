"""Which logarithm of a rotor a bivector is: the principal one lies below the cut."""

from __future__ import annotations

from typing import Any

from flint import arb

from ..errors import Undecided
from .elements import Metric
from .roots import RootGroup, generator, largest_angle, root_groupings, square_polynomial

CUT = (
    "the elliptic angles of the logarithm may reach beta_1 + beta_2 = pi, where it jumps: raise "
    "the precision, or narrow the balls"
)


def check_principal(b: list[list[Any]], metric: Metric, *, half: bool) -> None:
    """Prove beta_1 + beta_2 < pi (elliptic) and beta < pi / 2 (complex), else Undecided.

    With `half`, beta < pi / 2 for all.
    """
    polynomial = square_polynomial(generator(b, metric))
    if not any(_below_cut(groups, half=half) for groups in root_groupings(polynomial)):
        raise Undecided(CUT)


def _below_cut(groups: list[RootGroup], *, half: bool) -> bool:
    """Whether the enclosed squares prove it."""
    angles: list[Any] = []
    for group in groups:
        angle = largest_angle(group)
        if (half or group.is_nonreal) and not 2 * angle < arb.pi():
            return False
        if not group.is_nonreal:
            angles += [angle] * group.count
    return bool(sum(sorted(angles, key=float, reverse=True)[:2], arb(0)) < arb.pi())
