"""The libraries that bear witness, and up to which dimension they are asked."""

from __future__ import annotations

from ...witnesses.clifford import CliffordLibrary
from ...witnesses.galgebra import GalgebraLibrary
from .foreign import ForeignEngine
from .symbolic_witness import SymbolicWitness


def clifford() -> ForeignEngine:
    """The clifford package, in floats."""
    return ForeignEngine(CliffordLibrary, largest_dimension=6)


def galgebra() -> SymbolicWitness:
    """The galgebra package, on symbolic lines."""
    return SymbolicWitness(GalgebraLibrary, largest_dimension=3)
