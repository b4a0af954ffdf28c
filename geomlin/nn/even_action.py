"""The action of a rotor layer for given even elements: its way from the blocks on.

A layer makes blocks of rotors from bivectors and then acts with them; here any even element of a
positive metric takes their place, rotor or not, so that the action can be put to questions with
integer answers, such as those of the conformance kit.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..layout import even_layout, full_layout
from ..spinor_transforms import coefficients_to_even_blocks
from .implementations import Implementation, implementation
from .rotors import adjoint, right_factors
from .tables import rotor_tables


def even_action(x: Tensor, r: Tensor, s: Tensor, chosen: Implementation | None = None) -> Tensor:
    """y = r x ~s, (batch, 2^n), with one r and one s (2^(n-1)) in the even layout of Cl(n).

    `chosen` is what computes it; by default what a layer of this dimension and dtype would take.
    """
    n = x.shape[-1].bit_length() - 1
    a, b = (_even_blocks(element, n) for element in (r, s))
    factors = right_factors(adjoint(b, rotor_tables(n, x.device)), rotor_tables(n, x.device))
    found = implementation(n, x.dtype, x.device) if chosen is None else chosen
    tables = found.pack(a.to(x.dtype)[None, None], factors.to(x.dtype)[None, None], None)
    return found.forward(x[:, None].contiguous(), tables)[:, 0]


def _even_blocks(element: Tensor, n: int) -> Tensor:
    """Blocks (tau, kappa, N, N) of an even element, in float64."""
    place = full_layout(n).position
    full = element.new_zeros(1 << n, dtype=torch.float64)
    full[[place[mask] for mask in even_layout(n).masks]] = element.to(torch.float64)
    return torch.from_numpy(coefficients_to_even_blocks(full.cpu().numpy(), n)[0]).to(full.device)
