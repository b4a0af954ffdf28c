"""The low-rank layer, the smallest common rival of a rotor layer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .checks import check_width, require_positive


class LowRankLinear(nn.Module):
    """A linear layer of rank at most `rank`: y = x (A B)^T + bias.

    B (rank, in_features), A (out_features, rank): rank (in_features + out_features) parameters.
    LR1 and LR4 of [1] are rank 1 and 4.

    Parameters
    ----------
    in_features, out_features, rank : sizes.
    bias : a learned vector added to the result, 0 at first.
    device, dtype : of the parameters.

    Raises: LayoutError for sizes that are not positive, and inputs of the wrong width.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, section 5.

    Examples
    --------
    >>> from geomlin.nn import LowRankLinear
    >>> LowRankLinear(2048, 2048, 1).parameter_count()
    4096
    """

    bias: nn.Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        rank: int,
        *,
        bias: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(in_features=in_features, out_features=out_features, rank=rank)
        self.in_features, self.out_features, self.rank = in_features, out_features, rank
        self.down = nn.Parameter(torch.empty(rank, in_features, device=device, dtype=dtype))
        self.up = nn.Parameter(torch.empty(out_features, rank, device=device, dtype=dtype))
        self.bias = (
            nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both factors as torch.nn.Linear does, uniform within 1 / sqrt(width); bias 0."""
        with torch.no_grad():
            for factor in (self.down, self.up):
                bound = factor.shape[1] ** -0.5
                factor.uniform_(-bound, bound)
            if self.bias is not None:
                self.bias.zero_()

    def forward(self, x: Tensor) -> Tensor:
        """y (..., out_features) from x (..., in_features)."""
        check_width(self, x)
        return F.linear(F.linear(x, self.down), self.up, self.bias)

    def to_dense(self) -> Tensor:
        """W (out_features, in_features) with y = x W^T + bias."""
        return self.up @ self.down

    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(p.numel() for p in self.parameters())

    def extra_repr(self) -> str:
        """The arguments, for printing."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"rank={self.rank}, bias={self.bias is not None}"
        )
