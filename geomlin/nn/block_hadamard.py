"""Block-diagonal matrices and Hadamard transforms in turn, a rival of rotor layers."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..errors import LayoutError
from .checks import check_width, require_positive
from .hadamard import hadamard_transform


class BlockHadamardLinear(nn.Module):
    """A linear layer of block-diagonal matrices with Hadamard transforms between them.

        y = pad(x) D_1 H D_2 H .. D_(depth-1) H R + bias,

    D_k with square blocks of block_size, H the orthogonal Walsh-Hadamard transform, R with `blocks`
    rectangular blocks.  BH1 of [1] is depth 1 with 128 blocks: R alone.

    Parameters
    ----------
    in_features, out_features : widths.
    depth : number of block-diagonal matrices.
    block_size : of the square ones; used for depth > 1.
    blocks : number of the rectangular ones; divides out_features and the inner width, which is
        in_features for depth 1 when that fits and the next power of two otherwise.
    pad : go to the next power of two in any case, as published, with a warning where that leaves
        outputs without any input.
    bias : a learned vector added to the result, 0 at first.
    device, dtype : of the parameters.

    Raises
    ------
    LayoutError for sizes that do not fit, for inputs of the wrong width, and where padding would
    leave whole output blocks without any input: those outputs would always be zero.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, section 5.

    Examples
    --------
    >>> from geomlin.nn import BlockHadamardLinear
    >>> BlockHadamardLinear(2048, 512, depth=1, block_size=64, blocks=128).parameter_count()
    8192
    """

    bias: nn.Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        depth: int = 1,
        block_size: int = 64,
        blocks: int = 128,
        pad: bool = False,
        bias: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(
            in_features=in_features,
            out_features=out_features,
            depth=depth,
            block_size=block_size,
            blocks=blocks,
        )
        self.in_features, self.out_features = in_features, out_features
        self.depth, self.block_size, self.blocks = depth, block_size, blocks
        self.pad = pad
        self.inner_features = self._inner_width()
        groups = self.inner_features // block_size
        rectangles = (blocks, self.inner_features // blocks, out_features // blocks)
        self.squares = nn.ParameterList(
            nn.Parameter(torch.empty(groups, block_size, block_size, device=device, dtype=dtype))
            for _ in range(depth - 1)
        )
        self.rectangles = nn.Parameter(torch.empty(rectangles, device=device, dtype=dtype))
        self.bias = (
            nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def _inner_width(self) -> int:
        """in_features if it serves as it is, else the next power of two."""
        width, blocks = self.in_features, self.blocks
        if self.pad or self.depth > 1 or width % blocks:
            width = 1 << (width - 1).bit_length()
        for name, value in (("inner width", width), ("out_features", self.out_features)):
            if value % blocks:
                raise LayoutError(
                    f"expected blocks to divide the {name} {value}, got {blocks}: take a common "
                    f"divisor of {width} and {self.out_features}"
                )
        if self.depth > 1 and width % self.block_size:
            raise LayoutError(
                f"expected block_size to divide the inner width {width}, got {self.block_size}"
            )
        dead = (width - self.in_features) // (width // blocks) if self.depth == 1 else 0
        if dead:
            what = (
                f"padding {self.in_features} to {width} leaves {dead} of {blocks} blocks without "
                "any input, whose outputs are always zero"
            )
            if not self.pad:
                raise LayoutError(
                    f"expected every block to see an input, but {what}: take blocks that divide "
                    f"{self.in_features} and {self.out_features}"
                )
            warnings.warn(what, stacklevel=3)
        return width

    def reset_parameters(self) -> None:
        """N(0, 1 / block rows) for every block, which keeps the size of the input; bias 0."""
        with torch.no_grad():
            for weight in (*self.squares, self.rectangles):
                weight.normal_(0.0, weight.shape[-2] ** -0.5)
            if self.bias is not None:
                self.bias.zero_()

    def forward(self, x: Tensor) -> Tensor:
        """y (..., out_features) from x (..., in_features)."""
        check_width(self, x)
        x = F.pad(x, (0, self.inner_features - self.in_features))
        for weight in self.squares:
            x = hadamard_transform(_by_blocks(x, weight))
        y = _by_blocks(x, self.rectangles)
        return y if self.bias is None else y + self.bias

    def to_dense(self) -> Tensor:
        """W (out_features, in_features) with y = x W^T + bias."""
        weight = self.rectangles
        y: Tensor = self(torch.eye(self.in_features, dtype=weight.dtype, device=weight.device))
        return (y if self.bias is None else y - self.bias).T.contiguous()

    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(p.numel() for p in self.parameters())

    def extra_repr(self) -> str:
        """The arguments, for printing."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"depth={self.depth}, block_size={self.block_size}, blocks={self.blocks}, "
            f"bias={self.bias is not None}"
        )


def _by_blocks(x: Tensor, weight: Tensor) -> Tensor:
    """x times the block-diagonal matrix of blocks (count, rows, columns)."""
    count, rows, columns = weight.shape
    y = torch.bmm(x.reshape(-1, count, rows).transpose(0, 1), weight).transpose(0, 1)
    return y.reshape((*x.shape[:-1], count * columns))
