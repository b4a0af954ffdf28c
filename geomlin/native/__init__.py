"""The rotor action r x ~s in C, an optional extension, and which of its paths this machine runs.

The kernel is compiled when the package is installed, if there is a C compiler; nothing else needs
it.  The environment variable GEOMLIN_NATIVE chooses: 0 turns it off, and the name of an
instruction set (baseline, avx2, avx512) asks for no more than that one.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..errors import NotSupported


class Library(NamedTuple):
    """The compiled module, and the instruction set in use as one of module.levels()."""

    module: Any
    level: int

    @property
    def instructions(self) -> str:
        """Name of the instruction set in use."""
        return str(self.module.levels()[self.level])


def library() -> Library | None:
    """The kernel in use, or None if it was not built or is turned off.

    Raises NotSupported if GEOMLIN_NATIVE names something that this processor cannot run.
    """
    return _library(os.environ.get("GEOMLIN_NATIVE", ""))


@cache
def _library(wish: str) -> Library | None:
    """What the value of GEOMLIN_NATIVE asks for."""
    if wish == "0":
        return None
    try:
        module = import_module("._rotor", __name__)
    except ImportError:
        return None
    levels = module.levels()
    if wish in ("", "1"):
        return Library(module, len(levels) - 1)
    if wish not in levels:
        raise NotSupported(f"expected GEOMLIN_NATIVE = 0, 1 or one of {levels}, got {wish!r}")
    return Library(module, levels.index(wish))


def describe() -> str:
    """One line: which code path the rotor layer runs here, and how to get the other one."""
    found = library()
    if found is not None:
        threads = "OpenMP" if found.module.has_threads() else "one thread, built without OpenMP"
        return f"native kernel ({found.instructions}, {threads}); GEOMLIN_NATIVE=0 turns it off"
    if os.environ.get("GEOMLIN_NATIVE") == "0":
        return "plain torch: GEOMLIN_NATIVE=0 turned the native kernel off"
    return "plain torch: no C compiler when geomlin was installed; install one, then geomlin again"
