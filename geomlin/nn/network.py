"""The published network of rotor layers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .checks import check_input, require_positive
from .chunks import plan_chunks
from .rotor_linear import RotorLinear


class RotorNetwork(nn.Module):
    """Rotor layers in levels, the replacement of a projection in [1].

        h = P(g_in(x)),   h <- sum_k w_lk P(g_lk(h)) for every level l,   y = g_out(h),
        P(z) = PReLU(LayerNorm(permute(z))),

    with rotor layers g with scale, one fixed random permutation for each inner g, LayerNorm without
    affine map, one PReLU for all, and learned weights w, 1 at first.

    Parameters
    ----------
    in_features, out_features : widths, at least 4.
    chunk_size : a power of two, the width between the layers; the largest one at most both widths
        by default.
    levels, breadth : number of levels between g_in and g_out, and of parallel layers in each.
    two_sided : as in RotorLinear.
    permute, normalize, activate : False leaves out the permutations, LayerNorm or PReLU.
    bias : a learned vector added to the result, 0 at first.
    generator : draws the permutations; torch's default one otherwise.
    device, dtype : of the parameters.

    Raises: LayoutError for sizes and inputs that do not fit.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, section 5.

    Examples
    --------
    >>> from geomlin.nn import RotorNetwork
    >>> RotorNetwork(2048, 2048).parameter_count()          # of 4194304 in a dense layer
    895
    """

    bias: nn.Parameter | None
    slope: nn.Parameter | None
    permutations: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        chunk_size: int | None = None,
        levels: int = 2,
        breadth: int = 3,
        two_sided: bool = True,
        permute: bool = True,
        normalize: bool = True,
        activate: bool = True,
        bias: bool = False,
        generator: torch.Generator | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(breadth=breadth)
        if levels:
            require_positive(levels=levels)
        chunks, _ = plan_chunks(in_features, out_features, chunk_size, None, None)
        width = chunks.size
        self.in_features, self.out_features, self.normalize = in_features, out_features, normalize

        def layer(inputs: int, outputs: int) -> RotorLinear:
            return RotorLinear(
                inputs, outputs, two_sided=two_sided, scale=True, device=device, dtype=dtype
            )

        def ones(count: int, value: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.full((count,), value, device=device, dtype=dtype))

        self.first = layer(in_features, width)
        self.levels = nn.ModuleList(
            nn.ModuleList(layer(width, width) for _ in range(breadth)) for _ in range(levels)
        )
        self.last = layer(width, out_features)
        self.weights = nn.ParameterList(ones(breadth) for _ in range(levels))
        self.slope = ones(1, 0.25) if activate else None
        self.bias = nn.Parameter(torch.zeros_like(ones(out_features))) if bias else None
        permutations = None
        if permute:
            drawn = [
                torch.randperm(width, generator=generator) for _ in range(1 + levels * breadth)
            ]
            permutations = torch.stack(drawn).to(device)
        self.register_buffer("permutations", permutations)

    def forward(self, x: Tensor) -> Tensor:
        """y (..., out_features) from x (..., in_features)."""
        check_input(self, x)
        h = self._between(self.first(x), 0)
        place = 1
        for level, weights in zip(self.levels, self.weights, strict=True):
            assert isinstance(level, nn.ModuleList)
            terms = [self._between(g(h), place + k) * weights[k] for k, g in enumerate(level)]
            h = torch.stack(terms).sum(0)
            place += len(terms)
        y: Tensor = self.last(h)
        return y if self.bias is None else y + self.bias

    def _between(self, z: Tensor, place: int) -> Tensor:
        """What stands between two layers, with the permutation of this place."""
        if self.permutations is not None:
            z = z.index_select(-1, self.permutations[place])
        if self.normalize:
            z = F.layer_norm(z, z.shape[-1:])
        return z if self.slope is None else F.prelu(z, self.slope)

    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(p.numel() for p in self.parameters())
