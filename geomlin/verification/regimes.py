"""Named families of bivectors on which exp, log, lift and decomposition are known to go wrong.

Random sampling misses the cases that matter: they have measure zero.  Every regime therefore says
why it exists, mostly by the failure it provokes in a published library or in a known algorithm.

Degenerate families (null, Jordan, complex quadruple) are exact in the axis frame, where their
coefficients are few distinct floats; turned into a general frame they are rounded, hence only near
their class, and the label says so.  Everything is drawn from the generator that is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..signature import Signature
from .frames import FloatArray, Regime
from .regimes_mixed import FAMILIES as MIXED
from .regimes_rotation import FAMILIES as ROTATION

REGIMES: Mapping[str, Regime] = MappingProxyType(
    {regime.name: regime for regime in ROTATION + MIXED}
)


@dataclass(frozen=True, eq=False)
class Case:
    """One bivector sum_{i<j} b_ij e_i e_j, with the regime it belongs to and what it is there."""

    regime: str
    label: str
    b: FloatArray

    def __str__(self) -> str:
        return f"{self.regime}: {self.label}"


def bivectors(
    signature: Signature, rng: np.random.Generator, *, regimes: Iterable[str] | None = None
) -> list[Case]:
    """All cases of the named regimes (by default of every one) that live in the signature.

    Each regime draws from its own generator, so a selection yields the same cases as the whole.
    """
    wanted = set(REGIMES if regimes is None else regimes)
    if unknown := wanted - set(REGIMES):
        raise ValueError(f"unknown regimes {sorted(unknown)}: expected some of {list(REGIMES)}")
    seeds = rng.integers(2**63, size=len(REGIMES))
    cases = []
    for regime, seed in zip(REGIMES.values(), seeds, strict=True):
        if regime.name in wanted and regime.applies(signature):
            members = regime.generator(signature, np.random.default_rng(seed))
            cases += [Case(regime.name, label, b) for label, b in members]
    return cases


def mixed_batch(signature: Signature, rng: np.random.Generator) -> FloatArray:
    """Every case in one array (batch, n, n), shuffled: scaling must be done element by element."""
    stacked = np.stack([case.b for case in bivectors(signature, rng)])
    return np.asarray(stacked[rng.permutation(len(stacked))])


Sampler = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]

COEFFICIENT_REGIMES: Mapping[str, Sampler] = MappingProxyType(
    {
        "generic": lambda rng, shape: rng.normal(size=shape),
        "small integers": lambda rng, shape: rng.integers(-3, 4, size=shape).astype(float),
        "mixed scales": lambda rng, shape: (
            rng.normal(size=shape) * 10.0 ** rng.uniform(-8, 8, size=shape)
        ),
    }
)


def vectors(
    signature: Signature, rng: np.random.Generator, *, regime: str, shape: tuple[int, ...] = ()
) -> FloatArray:
    """Vectors (*shape, n) with coefficients from one of COEFFICIENT_REGIMES.

    Small integers make float arithmetic exact, so identities must hold without any tolerance.
    """
    return COEFFICIENT_REGIMES[regime](rng, (*shape, signature.n))


def multivectors(
    signature: Signature, rng: np.random.Generator, *, regime: str, shape: tuple[int, ...] = ()
) -> FloatArray:
    """Multivectors (*shape, 2^n) in blade order, coefficients as for `vectors`."""
    return COEFFICIENT_REGIMES[regime](rng, (*shape, 2**signature.n))
