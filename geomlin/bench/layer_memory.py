"""The largest extra resident memory of a call, where the system tells."""

from __future__ import annotations

import ctypes
import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def peak_of(call: Callable[[], Any]) -> float | None:
    """MiB of resident memory that a call takes at its peak beyond what was there; None elsewhere
    than on Linux.

    Freed memory is given back to the system first, so that nothing is hidden in what an earlier
    call left behind.
    """
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        _RESET.write_text("5")  # the high-water mark starts anew
    except (OSError, AttributeError, TypeError):
        return None
    before = _kibibytes("VmRSS")
    call()
    return (_kibibytes("VmHWM") - before) / 1024


def _kibibytes(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+)", _STATUS.read_text())
    return int(found[1]) if found else 0
