"""Backends of the kit by name: geomlin's own, adapters of other libraries, and package:factory."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from ...errors import BackendMissing, LayoutError

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "numpy": "own:NumpyBackend",
        "torch": "own:TorchBackend",
        "torch-compiled": "compiled:CompiledTorchBackend",
        "jax": "own:JaxBackend",
        "jax-jit": "own:JittedJaxBackend",
    }
)
PEERS: Mapping[str, str] = MappingProxyType(
    {
        "clifford": "clifford:CliffordBackend",
        "kingdon": "kingdon:KingdonBackend",
        "galgebra": "galgebra:GalgebraBackend",
        "galaga": "galaga:GalagaBackend",
        "scipy_rotation": "scipy_rotation:ScipyRotationBackend",
        "clifra": "clifra:ClifraBackend",
        "torch_ga": "torch_ga:TorchGaBackend",
    }
)


def load_backend(spec: str) -> Any:
    """A backend by its name or as package:factory.

    A factory is called without arguments; what has functions of the kit already is taken as it is.
    """
    known = {**BUILT_IN, **PEERS}
    if spec in known:
        module, _, name = known[spec].partition(":")
        return getattr(import_module(f".{module}", __name__), name)()
    package, colon, attribute = spec.partition(":")
    if not colon or not package or not attribute:
        raise LayoutError(f"expected one of {', '.join(known)}, or package:factory, got {spec!r}")
    found: Any = import_module(package)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found() if callable(found) else found


def require(module: str, package: str = "") -> Any:
    """A third-party module, or BackendMissing that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise BackendMissing(
            f"this backend needs {package or module}, which cannot be imported ({error}): "
            f"pip install {package or module}",
            extra="peers",
        ) from error


def version_of(package: str) -> str:
    """The installed version of a package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"
