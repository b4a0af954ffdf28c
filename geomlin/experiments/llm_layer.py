"""One attention layer: its rows, its replacement, and its output projection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .llm_fit import Rows
from .llm_model import PROJECTIONS, attention
from .llm_record import WINDOWS_AT_ONCE, Recorded


def projection_rows(network: Any, layer: int, name: str, x: Tensor) -> Rows:
    """Rows of a projection with the outputs that it makes itself, bias included."""
    projection = getattr(attention(network, layer), name)
    with torch.no_grad():
        return Rows(x, torch.cat([projection(part) for part in torch.split(x, 4096)]))


@contextmanager
def originals(network: Any, layers: tuple[int, ...]) -> Iterator[None]:
    """Put the projections of these layers back at the end."""
    names = (*PROJECTIONS, "o_proj")
    kept = {(k, name): getattr(attention(network, k), name) for k in layers for name in names}
    weights = {k: attention(network, k).o_proj.weight.detach().clone() for k in layers}
    try:
        yield
    finally:
        for (k, name), module in kept.items():
            setattr(attention(network, k), name, module)
        for k, weight in weights.items():
            attention(network, k).o_proj.weight.data.copy_(weight)


def install(network: Any, layer: int, replacements: Mapping[str, nn.Module]) -> None:
    """Let the replacements answer for q, k and v of a layer."""
    for name, module in replacements.items():
        setattr(attention(network, layer), name, module)


def before_output(network: Any, layer: int, recorded: Recorded) -> Tensor:
    """Inputs of the output projection, (rows, width), from the recorded inputs of the layer."""
    module = attention(network, layer)
    caught: list[Tensor] = []
    hook = module.o_proj.register_forward_pre_hook(
        lambda _, arguments: caught.append(arguments[0].flatten(0, 1))
    )
    try:
        with torch.no_grad():
            for k in range(0, len(recorded), WINDOWS_AT_ONCE):
                x = torch.from_numpy(np.array(recorded[k : k + WINDOWS_AT_ONCE]))
                places = torch.arange(x.shape[1])[None]
                module(
                    hidden_states=x,
                    position_embeddings=network.model.rotary_emb(x, places),
                    attention_mask=None,
                )
    finally:
        hook.remove()
    return torch.cat(caught)
