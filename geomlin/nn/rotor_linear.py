"""The rotor layer: a linear layer of two bivectors for each pair of chunks."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..errors import DtypeError, LayoutError
from .action import act, transforms_are_active
from .checks import check_input, refuse_script
from .chunks import plan_chunks, pool, split
from .implementations import Implementation, tables_for
from .kept import Slot
from .layer_planes import LayerPlanes, planes_of
from .published import PowerIteration, power_iteration_decomposition, published_action

INITIAL_DEVIATION = 0.3
_DENSE_BELOW = 512  # chunk size below which plain torch is slower than one matrix product
_DENSE_NUMBERS = 1 << 20  # largest matrix that is kept for that


class RotorLinear(nn.Module):
    """A linear layer x -> r x ~s on chunks of 2^n features, read as multivectors of Cl(n).

        y_o = mean over i of scale_io r_io x_i ~s_io,   r = exp(b),  s = exp(b').

    in_chunks x out_chunks pairs of rotors act on evenly started, wrapping chunks of both sides;
    every output feature is the mean of all contributions to it [1].  A pair has n (n - 1)
    parameters instead of 4^n and costs O(2^(1.5 n)) for each sample: the matrix is never formed.
    One pair is an orthogonal map.

    Parameters
    ----------
    in_features, out_features : widths, at least 4.
    chunk_size : a power of two, at most both widths; the largest one by default.
    in_chunks, out_chunks : how many chunks cover each side; the fewest by default.
    two_sided : two rotors for each pair; False: one, x -> r x ~r, which keeps grades.
    scale : a factor for each pair, learned, 1 at first.
    bias : a learned vector added to the result, 0 at first.
    reference : "published" takes the route of [1], power iteration and the full matrix, slower and
        inexact, for comparison; see published_decomposition.
    device, dtype : of the parameters, as in torch.nn.Linear.

    Attributes
    ----------
    bivectors : parameter (sides, in_chunks, out_chunks, n (n - 1) / 2), coefficients e12, e13, ..,
        half-angles in radians, drawn from N(0, 0.3^2); docs/layers.md says why.
    scale, bias : parameters or None.

    Raises
    ------
    LayoutError for widths, chunks or inputs that do not fit, and for sparse ones; NonFiniteInput if
    the bivectors are; DtypeError for complex inputs and for what is no tensor; NotSupported for
    torch.jit and torch.fx.  NaN in the input stays NaN in the output.

    Error bound: 4e-6 in float32 and 1e-13 in float64, relative to the largest output; float16 and
    bfloat16 are computed in float32.  Gradient: exact at equal angles too; any order.

    References
    ----------
    [1] T. Pence, D. Yamada, V. Singh, "Composing Linear Layers from Irreducibles",
        arXiv:2507.11688, section 4.

    Examples
    --------
    >>> import torch
    >>> from geomlin.nn import RotorLinear
    >>> layer = RotorLinear(2048, 2048)
    >>> layer.parameter_count()                              # a dense layer has 4194304
    110
    >>> x = torch.ones(1, 2048)
    >>> bool(torch.isclose(layer(x).norm(), x.norm()))       # rotors keep lengths
    True
    """

    bivectors: nn.Parameter
    scale: nn.Parameter | None
    bias: nn.Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        chunk_size: int | None = None,
        in_chunks: int | None = None,
        out_chunks: int | None = None,
        two_sided: bool = True,
        scale: bool = False,
        bias: bool = False,
        reference: Literal["published"] | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.inputs, self.outputs = plan_chunks(
            in_features, out_features, chunk_size, in_chunks, out_chunks
        )
        self.n = self.inputs.size.bit_length() - 1
        if reference not in (None, "published"):
            raise LayoutError(f"expected reference 'published' or None, got {reference!r}")
        if dtype is not None and not dtype.is_floating_point:
            raise DtypeError(f"expected a dtype of real floats for the parameters, got {dtype}")
        self.two_sided, self.reference = two_sided, reference
        pairs = (self.inputs.number, self.outputs.number)
        shape = (2 if two_sided else 1, *pairs, self.n * (self.n - 1) // 2)
        self.bivectors = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.register_parameter("scale", _parameter(pairs, device, dtype) if scale else None)
        self.register_parameter(
            "bias", _parameter((out_features,), device, dtype) if bias else None
        )
        self._slot = Slot()
        self._places: tuple[torch.device, tuple[Tensor | None, ...]] | None = None
        self._vectors: Tensor | None = None
        self.reset_parameters()

    def reset_parameters(self, deviation: float = INITIAL_DEVIATION) -> None:
        """Draw the bivectors from N(0, deviation^2), with factors 1 and bias 0."""
        with torch.no_grad():
            self.bivectors.normal_(0.0, deviation)
            if self.scale is not None:
                self.scale.fill_(1.0)
            if self.bias is not None:
                self.bias.zero_()

    @property
    def in_features(self) -> int:
        """Width of the input."""
        return self.inputs.features

    @property
    def out_features(self) -> int:
        """Width of the output."""
        return self.outputs.features

    @property
    def chunk_size(self) -> int:
        """2^n, the number of coefficients of a multivector."""
        return self.inputs.size

    def forward(self, x: Tensor) -> Tensor:
        """y (..., out_features) from x (..., in_features), in the dtype of x."""
        check_input(self, x)
        if not x.is_meta and torch.is_autocast_enabled(x.device.type):
            with torch.autocast(x.device.type, enabled=False):
                return self.forward(x)
        if x.dtype is torch.float32 or x.dtype is torch.float64:
            return self._apply_to(x)
        kind = torch.get_default_dtype() if not x.is_floating_point() else x.dtype
        if x.is_complex():
            raise DtypeError(
                f"expected real input, got {x.dtype}: apply the layer to x.real and x.imag"
            )
        return self._apply_to(x.to(torch.promote_types(kind, torch.float32))).to(kind)

    def _apply_to(self, x: Tensor) -> Tensor:
        """The layer for float32 and float64."""
        bivectors, scale, bias = self._values()
        if self._needs_graph(x):
            y = self._act(x, bivectors, scale)
        else:
            kept = self._slot.find(bivectors, scale, x, self._make_tables)
            if kept.implementation is None:
                return F.linear(x, kept.tables, None if bias is None else bias.to(x.dtype))
            y = self._act_with(kept.implementation, kept.tables, x)
        y = y.view(*x.shape[:-1], self.outputs.features)
        return y if bias is None else y + bias.to(y.dtype)

    def _values(self) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Bivectors, scale and bias, without the slow look-up of attributes where they are plain
        parameters: a call of one sample takes few microseconds."""
        plain = self._parameters
        if len(plain) == 3:
            return plain["bivectors"], plain["scale"], plain["bias"]  # type: ignore[return-value]
        return self.bivectors, self.scale, self.bias

    def _needs_graph(self, x: Tensor) -> bool:
        """Whether anything but a value is wanted: a gradient, a transform, a compiled graph."""
        if torch.compiler.is_compiling() or transforms_are_active() or x.is_meta:
            return True
        return torch.is_grad_enabled() and (
            x.requires_grad or any(p.requires_grad for p in self.parameters())
        )

    def _act(self, x: Tensor, bivectors: Tensor, scale: Tensor | None) -> Tensor:
        """(batch, out_features), differentiable."""
        inputs, outputs, cover = self._indices(x.device)
        chunked = split(x, self.inputs, inputs)
        weights = self._weights(scale, bivectors.device)
        if self.reference is None:
            y = act(chunked, bivectors, weights, self.n)
        else:
            y, self._vectors = published_action(chunked, bivectors, weights, self.n, self._vectors)
        return pool(y, self.outputs, outputs, cover)

    def _act_with(self, chosen: Implementation, tables: Any, x: Tensor) -> Tensor:
        """The same from tables; chunks that lie side by side are only looked at differently."""
        inputs, outputs, cover = self._indices(x.device)
        y = chosen.forward(split(x, self.inputs, inputs).contiguous(), tables)
        return y if outputs is None else pool(y, self.outputs, outputs, cover)

    def _weights(self, scale: Tensor | None, device: torch.device) -> Tensor | None:
        """The factor of each pair, the mean over the input chunks included; None for ones."""
        count = self.inputs.number
        if scale is not None:
            return scale / count if count > 1 else scale
        if count == 1:
            return None
        shape = (count, self.outputs.number)
        return torch.full(shape, 1.0 / count, device=device, dtype=torch.float64)

    def _indices(self, device: torch.device) -> tuple[Tensor | None, ...]:
        """Coordinates of the chunks and cover of the outputs, None where chunks tile."""
        if self._places is None or self._places[0] != device:
            inputs, outputs = self.inputs, self.outputs
            found = (
                None if inputs.tile else inputs.indices(device),
                None if outputs.tile else outputs.indices(device),
                None if outputs.tile else outputs.cover(device),
            )
            if torch.compiler.is_compiling():
                return found
            self._places = device, found
        return self._places[1]

    def _make_tables(
        self, bivectors: Tensor, scale: Tensor | None, like: Tensor
    ) -> tuple[Implementation | None, Any]:
        """The implementation for inputs like `like` and its tables, or the matrix of the layer."""
        if self.reference is not None:
            return None, self.to_dense().to(like.dtype)
        weights = self._weights(scale, bivectors.device)
        chosen, tables = tables_for(bivectors, weights, self.n, like)
        small = self.in_features * self.out_features <= _DENSE_NUMBERS
        if chosen.name == "plain" and self.chunk_size < _DENSE_BELOW and small:
            identity = torch.eye(self.in_features, dtype=like.dtype, device=like.device)
            y = self._act_with(chosen, tables, identity)
            return None, y.view(self.in_features, self.out_features).T.contiguous()
        return chosen, tables

    def __prepare_scriptable__(self) -> None:
        """What torch.jit.script calls first: it cannot compile the layer, and says so."""
        refuse_script()

    def to_dense(self) -> Tensor:
        """W (out_features, in_features) with y = x W^T + bias, in the dtype of the parameters.

        Differentiable; exact to the error bound of the layer.
        """
        bivectors, scale, _ = self._values()
        kind = torch.promote_types(bivectors.dtype, torch.float32)
        identity = torch.eye(self.in_features, dtype=kind, device=bivectors.device)
        return self._act(identity, bivectors, scale).T.contiguous().to(bivectors.dtype)

    def planes(self) -> LayerPlanes:
        """Angles and planes of every rotor, canonical at equal angles."""
        return planes_of(self.bivectors, self.n)

    def published_decomposition(self) -> PowerIteration:
        """The power iteration for the present bivectors, which says how far it converged."""
        return power_iteration_decomposition(self.bivectors.detach(), self._vectors)

    def parameter_count(self) -> int:
        """Number of learned numbers."""
        return sum(p.numel() for p in self.parameters())

    def extra_repr(self) -> str:
        """The arguments, for printing."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"chunk_size={self.chunk_size}, in_chunks={self.inputs.number}, "
            f"out_chunks={self.outputs.number}, two_sided={self.two_sided}, "
            f"scale={self.scale is not None}, bias={self.bias is not None}"
        )


def _parameter(shape: tuple[int, ...], device: Any, dtype: torch.dtype | None) -> nn.Parameter:
    return nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
