"""Parameters in a file that holds numbers and nothing that could run."""

from __future__ import annotations

from os import PathLike
from types import ModuleType

from torch import nn

from ..errors import BackendMissing, LayoutError


def save_parameters(module: nn.Module, path: str | PathLike[str]) -> None:
    """Write parameters and buffers of a module to a safetensors file.

    Parameters
    ----------
    module : any torch module.
    path : of the file; overwritten.

    Raises: BackendMissing without the package safetensors; OSError.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from geomlin.nn import RotorLinear, load_parameters_, save_parameters
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "layer.safetensors"
    ...     save_parameters(RotorLinear(256, 256), path)
    ...     loaded = load_parameters_(RotorLinear(256, 256), path)
    """
    _safetensors().save_model(module, str(path))


def load_parameters_(module: nn.Module, path: str | PathLike[str]) -> nn.Module:
    """Read parameters and buffers written by save_parameters into a module of the same kind.

    Parameters
    ----------
    module : changed in place, its dtype and device kept.
    path : of the file.

    Returns: the module.

    Raises: LayoutError if names or shapes differ; BackendMissing; OSError.
    """
    try:
        _safetensors().load_model(module, str(path))
    except RuntimeError as error:
        raise LayoutError(f"expected the parameters of {type(module).__name__}: {error}") from error
    return module


def _safetensors() -> ModuleType:
    try:
        from safetensors import torch as safetensors
    except ImportError as error:
        raise BackendMissing(
            "this needs safetensors, which is not installed: pip install 'geomlin[nn]'", extra="nn"
        ) from error
    return safetensors
