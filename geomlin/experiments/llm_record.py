"""What the projections of a layer receive, streamed to disk window by window."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .llm_model import attention, inputs_of
from .run_folder import Progress, RunFolder

WINDOWS_AT_ONCE = 4


def record(
    run: RunFolder,
    name: str,
    network: Any,
    layer: int,
    tokens: Tensor,
    progress: Progress | None = None,
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Inputs of q, k, v of a layer, (windows, length, width), as an array on disk.

    A window counts as done once its rows are on the disk; memory holds a few windows only.
    """
    q = attention(network, layer).q_proj
    shape = (*tokens.shape, q.in_features)
    file = run.path / f"{name}.npy"
    done = run.load(f"{name}-done") or 0
    mode = "r+" if done else "w+"
    array = np.lib.format.open_memmap(file, mode=mode, dtype=np.float32, shape=shape)
    while done < len(tokens):
        if progress is not None:
            progress(f"record {name}", done, len(tokens))
        part = tokens[done : done + WINDOWS_AT_ONCE]
        array[done : done + len(part)] = inputs_of(network, q, part).numpy()
        array.flush()
        done += len(part)
        run.save(f"{name}-done", done)
    return array


def rows(array: np.ndarray[Any, np.dtype[np.float32]]) -> Tensor:
    """All rows, (windows * length, width)."""
    return torch.from_numpy(np.array(array).reshape(-1, array.shape[-1]))
