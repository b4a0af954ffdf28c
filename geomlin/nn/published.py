"""The published route to the matrix of a rotor layer, for comparison [1].

Simple parts of the bivectors are found one after the other by power iteration, each becomes a
rotor, and the d x d matrix of x -> r x ~s is formed and applied.  The iteration stops after 20
steps whether or not it has converged; here it says so.

[1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles", arXiv:2507.11688.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ..kernels.bits import odd_below, parity
from ..layout import full_layout, grade_layout
from ..ops.power_iteration import PUBLISHED_ITERATIONS, PUBLISHED_TOLERANCE
from .rotors import antisymmetric
from .tables import rotor_tables


class PowerIteration(NamedTuple):
    """Simple parts of bivectors and how far the iterations came.

    parts : (n // 2, ..., P), summing to the bivector; they commute only as far as it converged.
    vectors : (n // 2 - 1, ..., n), the last iterates, to start the next time from.
    counts : (n // 2 - 1,), iterations that were made for each part.
    changes : (n // 2 - 1, ...), distance of the last two iterates, up to sign.
    """

    parts: Tensor
    vectors: Tensor
    counts: Tensor
    changes: Tensor

    def converged(self, tolerance: float = PUBLISHED_TOLERANCE) -> Tensor:
        """Which iterations came to rest, (n // 2 - 1, ...)."""
        return self.changes < tolerance


def power_iteration_decomposition(
    b: Tensor,
    start: Tensor | None = None,
    *,
    tolerance: float = PUBLISHED_TOLERANCE,
    iterations: int = PUBLISHED_ITERATIONS,
) -> PowerIteration:
    """Split bivectors of Cl(n) as [1] does: by power iteration, part after part.

        v <- (v . B) . B / |(v . B) . B|,   b_1 = v ^ (v . B),   B <- B - b_1,

    n // 2 - 1 times; the rest is the last part.  Convergence is as the square of the ratio of
    neighbouring angles in each step, so equal or close angles do not converge: use
    geomlin.invariant_decomposition for the exact split.

    Parameters
    ----------
    b : tensor (..., n(n-1)/2), n >= 2.
    start : tensor (n // 2 - 1, ..., n) of first iterates; cos 1, .., cos n by default.
    tolerance, iterations : stop when every iterate of a part changes by less, or after so many;
        1e-5 and 20 as published.

    Returns
    -------
    PowerIteration(parts, vectors, counts, changes).

    Error bound: none; `changes` tells.  Gradient: through the iterations, as published.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, algorithms 1 and 2.

    Examples
    --------
    >>> import torch
    >>> from geomlin.nn import power_iteration_decomposition
    >>> b = torch.tensor([2.0, 0.0, 0.0, 0.0, 0.0, 1.9])       # 2 e12 + 1.9 e34: close angles
    >>> found = power_iteration_decomposition(b)
    >>> found.counts.tolist(), found.converged().tolist()
    ([20], [False])
    """
    n = round((1 + (1 + 8 * b.shape[-1]) ** 0.5) / 2)
    tables = rotor_tables(n, b.device)
    rest = antisymmetric(b, tables)
    if start is None:
        start = torch.cos(torch.arange(1.0, n + 1.0)).to(b).expand(n // 2 - 1, *b.shape[:-1], n)
    parts, vectors, counts, changes = [], [], [], []
    for v in start:
        v, count, change = _dominant(rest, v, tolerance, iterations)
        u = (rest.mT @ v[..., None])[..., 0]  # v . B
        part = v[..., :, None] * u[..., None, :]
        part = part - part.mT
        rest = rest - part
        parts.append(part)
        vectors.append(v.detach())
        counts.append(count)
        changes.append(change)
    parts.append(rest)
    return PowerIteration(
        torch.stack(parts)[..., tables.rows, tables.columns],
        torch.stack(vectors) if vectors else b.new_zeros(0, *b.shape[:-1], n),
        torch.tensor(counts, dtype=torch.int64),
        torch.stack(changes) if changes else b.new_zeros(0, *b.shape[:-1]),
    )


def _dominant(
    matrix: Tensor, v: Tensor, tolerance: float, iterations: int
) -> tuple[Tensor, int, Tensor]:
    """A vector of the plane of the largest angle, the iterations made and the last change."""
    square = matrix @ matrix  # (v . B) . B = M M v: negative, so the sign alternates
    change = v.new_full(v.shape[:-1], torch.inf)
    count = 0
    for count in range(1, iterations + 1):  # noqa: B007
        following = F.normalize((square @ v[..., None])[..., 0], dim=-1, eps=1e-12)
        change = (following + v).detach().norm(dim=-1)
        v = following
        if bool((change < tolerance).all()):
            break
    return v, count, change


def published_action(
    x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int, start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """y (batch, O, 2^n) of `geomlin.nn.action.act` by matrices, and the vectors to start from."""
    with torch.no_grad():
        start = power_iteration_decomposition(bivectors, start).vectors
    found = power_iteration_decomposition(bivectors, start)
    rotors = _product_of_simple(found.parts, n)
    matrix = _multiplication(rotors[0], n, "left") @ _multiplication(
        _reverse(rotors[-1], n), n, "right"
    )
    if scale is not None:
        matrix = matrix * scale[..., None, None]
    y = torch.einsum("iode,bie->bod", matrix.to(x.dtype), x)
    return y, found.vectors


def _product_of_simple(parts: Tensor, n: int) -> Tensor:
    """prod (cos|b| + sin|b| b / |b|) over simple bivectors (k, ..., P), all 2^n coefficients."""
    size = parts.norm(dim=-1, keepdim=True)
    factors = parts.new_zeros(*parts.shape[:-1], 1 << n)
    places = _bivector_places(n, parts.device)
    factors = factors.index_copy(-1, places, parts * torch.sinc(size / torch.pi))
    factors[..., 0] = torch.cos(size)[..., 0]
    result = factors[0]
    for factor in factors[1:]:
        result = (_multiplication(factor, n, "left") @ result[..., None])[..., 0]
    return result


@cache
def _bivector_places(n: int, device: torch.device) -> Tensor:
    position = full_layout(n).position
    return torch.tensor([position[mask] for mask in grade_layout(n, 2).masks], device=device)


@cache
def _multiplication_table(n: int, side: str, device: torch.device) -> tuple[Tensor, Tensor]:
    """index and sign (2^n, 2^n) of the matrix of A -> R A or A -> A R in the coefficients of R."""
    masks = full_layout(n).mask_array
    positions = np.empty_like(masks)
    positions[masks] = np.arange(len(masks))
    factor = masks[:, None] ^ masks
    pair = (factor, masks) if side == "left" else (masks, factor)
    sign = 1 - 2 * parity(pair[0] & odd_below(pair[1]))
    index = torch.tensor(positions[factor], device=device)
    return index, torch.tensor(np.broadcast_to(sign, factor.shape).copy(), device=device)


def _multiplication(r: Tensor, n: int, side: str) -> Tensor:
    """The matrix (..., 2^n, 2^n) of multiplication with elements (..., 2^n) from one side."""
    index, sign = _multiplication_table(n, side, r.device)
    return r[..., index] * sign.to(r.dtype)


def _reverse(r: Tensor, n: int) -> Tensor:
    grades = torch.tensor(full_layout(n).grade_array, device=r.device)
    return torch.where(grades % 4 >= 2, -r, r)
