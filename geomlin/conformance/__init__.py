"""Conformance kit: certified vectors, a runner and a report for anyone's backend.

    from geomlin.conformance import run
    report = run(my_backend)            # an object or module with any of the functions of the kit
    print(report.markdown())

From the command line: `geomlin conformance --backend package:factory`, and as a pytest plugin:
`pytest --geomlin-backend=package:factory`.  The vectors are plain JSON for any language; what each
function takes and returns is in `geomlin.conformance.operations`, why each vector exists in
`geomlin.conformance.flags`, and hard inputs of any signature in `geomlin.conformance.regimes`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import regimes as regimes
    from .flags import FLAGS as FLAGS
    from .operations import OPERATIONS as OPERATIONS
    from .report import Outcome as Outcome
    from .report import Report as Report
    from .runner import run as run
    from .vectors import Vector as Vector
    from .vectors import load_vectors as load_vectors

__all__ = [
    "FLAGS",
    "OPERATIONS",
    "Outcome",
    "Report",
    "Vector",
    "load_vectors",
    "regimes",
    "run",
]

# Loaded on first use: pytest imports the plugin, hence this package, in every run.
_ON_FIRST_USE = {
    "FLAGS": "flags",
    "OPERATIONS": "operations",
    "Outcome": "report",
    "Report": "report",
    "Vector": "vectors",
    "load_vectors": "vectors",
    "regimes": "",
    "run": "runner",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _ON_FIRST_USE[name]
    if not module:
        return import_module(f".{name}", __name__)
    return getattr(import_module(f".{module}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
