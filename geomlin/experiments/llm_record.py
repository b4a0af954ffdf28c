"""Hidden states and inputs of projections, streamed to disk window by window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .llm_model import attention, inputs_of, layers_of, through
from .run_folder import Progress, RunFolder

WINDOWS_AT_ONCE = 4
Recorded = np.ndarray[Any, np.dtype[np.float32]]


class Entering(NamedTuple):
    """Windows of tokens and their hidden states on entering a layer, (windows, length, width).

    What lies below the first replaced layer never changes: it is computed once.
    """

    layer: int
    hidden: Recorded
    tokens: Tensor

    def part(self, place: int) -> Tensor:
        """A few windows from `place` on, in memory."""
        return torch.from_numpy(np.array(self.hidden[place : place + WINDOWS_AT_ONCE]))


def enter(
    run: RunFolder,
    name: str,
    network: Any,
    layer: int,
    tokens: Tensor,
    progress: Progress | None = None,
) -> Entering:
    """Hidden states on entering a layer, kept in the folder of the run."""
    module = layers_of(network)[layer]

    def compute(place: int) -> Tensor:
        part = tokens[place : place + WINDOWS_AT_ONCE]
        return inputs_of(module, lambda: network(input_ids=part, use_cache=False))

    width = network.model.embed_tokens.embedding_dim
    return Entering(layer, _stream(run, name, (*tokens.shape, width), compute, progress), tokens)


def leave(
    run: RunFolder,
    name: str,
    network: Any,
    layer: int,
    entering: Entering,
    progress: Progress | None = None,
) -> Entering:
    """Hidden states on entering a later layer, from those on entering an earlier one."""

    def compute(place: int) -> Tensor:
        with torch.no_grad():
            return through(network, entering.part(place), entering.layer, layer)

    hidden = _stream(run, name, entering.hidden.shape, compute, progress)
    return Entering(layer, hidden, entering.tokens)


def record(
    run: RunFolder,
    name: str,
    network: Any,
    layer: int,
    entering: Entering,
    progress: Progress | None = None,
) -> Recorded:
    """Inputs of q, k, v of a layer, (windows, length, width), as an array on disk."""
    q = attention(network, layer).q_proj

    def compute(place: int) -> Tensor:
        hidden = entering.part(place)
        return inputs_of(q, lambda: through(network, hidden, entering.layer, layer + 1))

    return _stream(run, name, (*entering.tokens.shape, q.in_features), compute, progress)


def _stream(
    run: RunFolder,
    name: str,
    shape: tuple[int, ...],
    compute: Callable[[int], Tensor],
    progress: Progress | None,
) -> Recorded:
    """A window counts as done once its rows are on the disk; memory holds a few windows only."""
    done = run.load(f"{name}-done") or 0
    mode = "r+" if done else "w+"
    array = np.lib.format.open_memmap(
        run.path / f"{name}.npy", mode=mode, dtype=np.float32, shape=shape
    )
    while done < len(array):
        if progress is not None:
            progress(f"record {name}", done, len(array))
        found = compute(done)
        array[done : done + len(found)] = found.numpy()
        array.flush()
        done += len(found)
        run.save(f"{name}-done", done)
    return array


def rows(array: Recorded) -> Tensor:
    """All rows, (windows * length, width)."""
    return torch.from_numpy(np.array(array).reshape(-1, array.shape[-1]))
