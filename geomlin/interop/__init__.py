"""Converters to other libraries and back: to_X(A), from_X(value).

Where the conventions differ, each module says so in a table, which docs/interop.md repeats.  Every
converter commutes with the product, where the other library has one, and with the sandwich.

Each library is imported when one of its converters is called; BackendMissing says how to get it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clifford import from_clifford as from_clifford
    from .clifford import to_clifford as to_clifford
    from .galgebra import from_galgebra as from_galgebra
    from .galgebra import to_galgebra as to_galgebra
    from .kingdon import from_kingdon as from_kingdon
    from .kingdon import to_kingdon as to_kingdon
    from .quaternion import from_quaternion as from_quaternion
    from .quaternion import to_quaternion as to_quaternion
    from .scipy_rotation import from_scipy_rotation as from_scipy_rotation
    from .scipy_rotation import to_scipy_rotation as to_scipy_rotation

_LIBRARIES = ("clifford", "galgebra", "kingdon", "quaternion", "scipy_rotation")
_FUNCTIONS = {f"{way}_{name}": name for name in _LIBRARIES for way in ("to", "from")}

__all__ = [
    "from_clifford",
    "from_galgebra",
    "from_kingdon",
    "from_quaternion",
    "from_scipy_rotation",
    "to_clifford",
    "to_galgebra",
    "to_kingdon",
    "to_quaternion",
    "to_scipy_rotation",
]


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_FUNCTIONS[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
