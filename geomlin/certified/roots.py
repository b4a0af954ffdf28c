"""The squares b_i^2 of the invariant parts of a bivector, enclosed as roots of a polynomial.

With M = b G, det(mu - M) = mu^(n - 2k) chi(mu^2), k = n // 2, and the roots of chi are the squares.
Smith's theorem: for distinct z_1 .. z_k and w_i = chi(z_i) / prod_(j != i) (z_i - z_j), all roots
lie in the discs |z - z_i| <= k |w_i|, and a connected component of m discs holds exactly m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flint
from flint import acb, acb_mat, arb, arb_mat

from ..errors import Undecided
from .elements import Metric

Matrix = Any  # an arb_mat


@dataclass(frozen=True)
class RootGroup:
    """`count` roots in one box; a single root is known to be real or not."""

    box: Any  # acb
    count: int

    @property
    def is_real(self) -> bool:
        """Whether this is one root, and real."""
        return self.count == 1 and bool(self.box.imag.is_zero())

    @property
    def is_nonreal(self) -> bool:
        """Whether every root in the box has an imaginary part."""
        return not self.box.imag.contains(0)


def generator(b: list[list[Any]], metric: Metric) -> Matrix:
    """M = b G."""
    n = len(metric)
    return arb_mat(n, n, [b[i][j] * metric[j] for i in range(n) for j in range(n)])


def square_polynomial(m: Matrix) -> list[Any]:
    """Coefficients of chi, of the power 0 first; the leading one is 1."""
    n = m.nrows()
    coefficients = m.charpoly().coeffs()
    coefficients += [arb(0)] * (n + 1 - len(coefficients))
    return [coefficients[n % 2 + 2 * power] for power in range(n // 2 + 1)]


def evaluate(polynomial: list[Any], x: Any) -> Any:
    """p(x) by Horner's rule."""
    total = polynomial[-1]
    for coefficient in reversed(polynomial[:-1]):
        total = total * x + coefficient
    return total


def root_groupings(polynomial: list[Any]) -> Iterator[list[RootGroup]]:
    """All roots of a monic polynomial of balls, in groups that can be told apart.

    Centres nearer than about the m-th root of the uncertainty of the coefficients do not resolve
    m roots.  So several ways are offered, from the finest spacing of the centres to the coarsest;
    each is an enclosure of its own.
    """
    k = len(polynomial) - 1
    if k == 0:
        yield []
        return
    centres = _approximate_roots(polynomial)
    size = max(z.abs_upper() for z in centres).mid()
    unsure = max((x.rad() * size**i for i, x in enumerate(polynomial)), default=arb(0)).mid()
    yield _grouped(polynomial, centres)
    if unsure > 0:
        for m in range(2, k + 1):
            yield _grouped(polynomial, _spread(centres, (2 * unsure).root(m).mid()))


def best_grouping(polynomial: list[Any]) -> list[RootGroup]:
    """The grouping with most groups, of these the one with the narrowest boxes."""

    def quality(groups: list[RootGroup]) -> tuple[int, float]:
        widths = [float(group.box.real.rad() + group.box.imag.rad()) for group in groups]
        return len(groups), -max(widths, default=0.0)

    return max(root_groupings(polynomial), key=quality)


def _grouped(polynomial: list[Any], centres: list[Any]) -> list[RootGroup]:
    """Smith's discs around distinct centres, in connected components."""
    k = len(centres)
    radii = []
    for i, z in enumerate(centres):
        product = acb(1)
        for j, other in enumerate(centres):
            if j != i:
                product *= z - other
        radii.append((k * evaluate(polynomial, z) / product).abs_upper())
    groups = _components(centres, radii)
    return [_group(members, centres, radii) for members in groups]


def _approximate_roots(polynomial: list[Any]) -> list[Any]:
    """Distinct approximate roots, nearly real ones real: eigenvalues of the companion matrix."""
    k, bits = len(polynomial) - 1, flint.ctx.prec
    companion = acb_mat(k, k)
    for i in range(k):
        companion[i, k - 1] = acb(-polynomial[i].mid())
        if i:
            companion[i, i - 1] = acb(1)
    found = [z.mid() for z in companion.eig(algorithm="approx")]
    if not all(z.is_finite() for z in found):
        raise Undecided("the characteristic polynomial is out of range: raise the precision")
    size = max((z.abs_upper() for z in found), default=arb(0)).mid()
    near = size * arb(2) ** -(bits // 3)
    real = [acb(z.real.mid()) if abs(z.imag) < near else z for z in found]
    return _spread(real, (size if size > 0 else arb(1)) * arb(2) ** -(bits // 2))


def _spread(centres: list[Any], spacing: Any) -> list[Any]:
    """The centres, moved until no two are nearer than the spacing; real ones stay real."""
    result: list[Any] = []
    for z in centres:
        centre = z
        while any(abs(centre - other) < spacing for other in result):
            centre = acb((centre.real + spacing).mid(), centre.imag)
        result.append(centre)
    return result


def _components(centres: list[Any], radii: list[Any]) -> list[list[int]]:
    """Indices of the discs in each connected component, as far as they may touch."""
    groups: list[list[int]] = []
    for i, (centre, radius) in enumerate(zip(centres, radii, strict=True)):
        touching = [
            group
            for group in groups
            if any(not abs(centre - centres[j]) > radius + radii[j] for j in group)
        ]
        groups = [group for group in groups if group not in touching]
        groups.append(sorted([i, *(j for group in touching for j in group)]))
    return groups


def _group(members: list[int], centres: list[Any], radii: list[Any]) -> RootGroup:
    """The box around the discs of one component; one disc with a real centre holds a real root."""
    boxes = [
        acb(
            centres[i].real + arb(0, radii[i]),
            centres[i].imag + arb(0, radii[i]),
        )
        for i in members
    ]
    box = boxes[0]
    for other in boxes[1:]:
        box = acb(box.real.union(other.real), box.imag.union(other.imag))
    if len(members) == 1 and centres[members[0]].imag.is_zero():
        box = acb(box.real)
    return RootGroup(box, len(members))


def largest_angle(group: RootGroup) -> Any:
    """An upper bound of |Im sqrt(z)| = sqrt((|z| - Re z) / 2) over the group."""
    if group.is_real and group.box.real > 0:
        return arb(0)
    z = group.box
    return ((abs(z) - z.real) / 2).nonnegative_part().sqrt().upper()
