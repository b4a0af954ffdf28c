"""The registry of identities: `registry` maps names to `Identity` objects."""

from . import (
    contractions,
    cover,
    decomposition,
    duality,
    exponential,
    involutions,
    norms,
    ring,
    versors,
    wedge,
)
from .statement import Identity, identity, registry

__all__ = [
    "Identity",
    "contractions",
    "cover",
    "decomposition",
    "duality",
    "exponential",
    "identity",
    "involutions",
    "norms",
    "registry",
    "ring",
    "versors",
    "wedge",
]
