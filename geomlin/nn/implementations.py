"""What computes y_o = sum_i scale_io r_io x_i ~s_io and its gradient, on plain arrays.

Arrays of an implementation (no gradients inside; one dtype, one device, contiguous):

    x, grad_x  (batch, I, 2^n)              coefficients in blade order, I input chunks
    y, grad_y  (batch, O, 2^n)              O output chunks
    A          (I, O, tau, kappa, N, N)     blocks rho_t(r), components of R, C or H first
    S          (I, O, 2, tau, kappa, N, N)  right factors of the even and the odd half of x
    scale      (I, O) or None for ones

with tau, kappa, N and the transform T from coefficients to blocks as in `geomlin.spinor_even`:

    y_o = T^-1 sum_i scale_io A_io (T x_i) S_io.

The gradient needs the transformed inputs only.  With dX_io = A_io^H (T g_o) S_io^H / (tau N), the
factors being orthogonal,

    grad_x_i = T^T sum_o scale_io dX_io,
    moment_r = sum_c dX X^H  (I, O, tau, kappa, N, N),   moment_s = X^H dX  (I, O, 2, tau, ..),

sums over the batch, without scale: the gradients for r^-1 dr and, up to the sign, s^-1 ds.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor

from . import native_action
from .plain import PlainAction
from .rotors import Spectrum, factors, pull_back


class Implementation(Protocol):
    """What computes an action and its gradient.

    Laws: forward(x, pack(A, S, scale)) is the y above; backward is its transpose and leaves out
    the scale of the moments.  Results are new tensors, arguments are not changed or kept, and a
    batch of length zero is allowed.
    """

    name: str

    def accepts(self, n: int, dtype: torch.dtype, device: torch.device) -> bool:
        """Whether this dimension, dtype and device are served; cheap."""
        ...

    def pack(self, a: Tensor, s: Tensor, scale: Tensor | None) -> Any:
        """Whatever forward needs of the factors; kept while the parameters do not change."""
        ...

    def forward(self, x: Tensor, tables: Any) -> Tensor:
        """y from x."""
        ...

    def backward(
        self, grad_y: Tensor, x: Tensor, a: Tensor, s: Tensor, scale: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """grad_x, moment_r, moment_s."""
        ...


PLAIN: Implementation = PlainAction()


def implementation(n: int, dtype: torch.dtype, device: torch.device) -> Implementation:
    """The native kernel where it is installed and accepts the problem, else plain torch."""
    found = native_action.implementation()
    if found is not None and found.accepts(n, dtype, device):
        return found
    return PLAIN


def tables_for(
    bivectors: Tensor, scale: Tensor | None, n: int, like: Tensor
) -> tuple[Implementation, Any]:
    """The implementation for inputs like `like`, and its tables for bivectors (sides, I, O, P)."""
    a, s, _ = factors(bivectors, n)
    chosen = implementation(n, like.dtype, like.device)
    return chosen, chosen.pack(a.to(like.dtype), s.to(like.dtype), _as(scale, like))


def run_forward(
    x: Tensor, bivectors: Tensor, scale: Tensor | None, n: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """y, A, S in the dtype of x, and the spectrum of the bivectors."""
    x = x.contiguous()
    a, s, found = factors(bivectors, n)
    a, s = a.to(x.dtype), s.to(x.dtype)
    chosen = implementation(n, x.dtype, x.device)
    y = chosen.forward(x, chosen.pack(a, s, _as(scale, x)))
    return y, a, s, found.values, found.vectors


def run_backward(
    grad_y: Tensor,
    x: Tensor,
    scale: Tensor | None,
    a: Tensor,
    s: Tensor,
    values: Tensor,
    vectors: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of x, of the bivectors and of scale, whether or not there is one."""
    n = values.shape[-1]
    chosen = implementation(n, x.dtype, x.device)
    grad_x, moment_r, moment_s = chosen.backward(
        grad_y.contiguous(), x.contiguous(), a, s, _as(scale, x)
    )
    grad_b = pull_back(moment_r, moment_s, Spectrum(values, vectors), n)
    if scale is not None:
        grad_b = grad_b * scale[..., None]
    grad_scale = moment_r[..., 0, :, :].diagonal(dim1=-2, dim2=-1).sum((-1, -2))
    return grad_x, grad_b, grad_scale


def run_transposed(grad_y: Tensor, scale: Tensor | None, a: Tensor, s: Tensor) -> Tensor:
    """grad_x alone: the action of ~r and ~s with inputs and outputs exchanged."""
    chosen = implementation(grad_y.shape[-1].bit_length() - 1, grad_y.dtype, grad_y.device)
    tables = chosen.pack(
        adjoint(a).transpose(0, 1).contiguous(),
        adjoint(s).transpose(0, 1).contiguous(),
        None if scale is None else _as(scale.T.contiguous(), grad_y),
    )
    return chosen.forward(grad_y.contiguous(), tables)


def adjoint(blocks: Tensor) -> Tensor:
    """Conjugate transpose of blocks (..., kappa, N, N)."""
    signs = blocks.new_tensor([1.0, -1.0, -1.0, -1.0])[: blocks.shape[-3]]
    return blocks.mT * signs[:, None, None]


def _as(scale: Tensor | None, like: Tensor) -> Tensor | None:
    """scale in the dtype of the inputs."""
    return None if scale is None else scale.to(like.dtype)
