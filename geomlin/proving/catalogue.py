"""Find the theorems: every module of geomlin_proofs states one, as THEOREM."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from ..errors import NotSupported
from .theorem import Theorem

PACKAGE = "geomlin_proofs"


def theorems() -> dict[str, Theorem]:
    """The theorems by name, in alphabetical order of their modules."""
    found = {}
    for module in sorted(iter_modules(_proofs().__path__), key=lambda m: m.name):
        theorem: Theorem = import_module(f"{PACKAGE}.{module.name}").THEOREM
        found[theorem.name] = theorem
    return found


def _proofs() -> ModuleType:
    """The installed package, or the folder proofs/ beside geomlin/ in a source checkout."""
    if PACKAGE in sys.modules or find_spec(PACKAGE) is not None:
        return import_module(PACKAGE)
    source = Path(__file__).parents[2] / "proofs" / "__init__.py"
    spec = spec_from_file_location(PACKAGE, source) if source.exists() else None
    if spec is None or spec.loader is None:
        raise NotSupported(f"{PACKAGE} is not installed and there is no {source}")
    package = module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    return package
