"""The canonical planes of a cluster of equal squares, with every pivot certified.

If all invariant parts of C have one square, (M^2 u) ^ (M u) / (M u . M u) is an invariant part for
every vector u.  u = e_i with the first i whose |M e_i . M e_i| is within 1e-6 of the largest; then
the same on what remains.
"""

from __future__ import annotations

from typing import Any

from flint import arb

from ..errors import Undecided
from .elements import Metric


def canonical_planes(block: Any, metric: Metric, count: int) -> list[tuple[Any, int]]:
    """`count` parts and their pivots, that add up to the block."""
    result: list[tuple[Any, int]] = []
    rest = block
    for _ in range(count - 1):
        part, pivot = _axis_part(rest, metric)
        result.append((part, pivot))
        rest = rest - part
    result.append((rest, _pivot(_generator(rest, metric), metric)[0]))
    return result


def _axis_part(b: Any, metric: Metric) -> tuple[Any, int]:
    """The part of the pivot axis."""
    n = b.nrows()
    m = _generator(b, metric)
    pivot, length = _pivot(m, metric)
    image = type(b)(n, 1, [m[i, pivot] for i in range(n)])
    second = m * image
    entries = [
        (second[i, 0] * image[j, 0] - image[i, 0] * second[j, 0]) / length
        for i in range(n)
        for j in range(n)
    ]
    return type(b)(n, n, entries), pivot


def _generator(b: Any, metric: Metric) -> Any:
    """M = b G, of real or complex balls."""
    n = b.nrows()
    return type(b)(n, n, [b[i, j] * metric[j] for i in range(n) for j in range(n)])


def _pivot(m: Any, metric: Metric) -> tuple[int, Any]:
    """The pivot axis i, and M e_i . M e_i; Undecided if the balls allow several."""
    n = m.nrows()
    lengths = [sum((metric[k] * m[k, i] * m[k, i] for k in range(n)), arb(0)) for i in range(n)]
    lowest = max(x.abs_lower() for x in lengths)
    highest = max(x.abs_upper() for x in lengths)
    slack = arb(999_999) / 10**6
    for i, length in enumerate(lengths):
        if length.abs_lower() >= slack * highest and not length.contains(0):
            return i, length
        if not length.abs_upper() < slack * lowest:
            break
    raise Undecided("the pivot axis of a plane is not decided: raise the precision")
