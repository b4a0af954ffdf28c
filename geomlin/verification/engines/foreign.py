"""Witness engines: the same identities, computed by another library, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import GeomlinError, NotSupported
from ...identities.statement import Identity
from ...signature import Signature
from ...verdict import Strength, Verdict
from ...witnesses.arbitration import WitnessFault
from ...witnesses.foreign import ForeignMultivector, Library
from ...witnesses.records import Disagreement, WitnessAccuracy
from ..arguments import Arguments
from .floating import EPS, FloatEngine, differing

_ELEMENTS = 5  # batch elements that a witness recomputes
_TWIN_ELEMENTS = 24  # where a false twin may hide at special arguments


class WitnessEngine:
    """What engines over another library share: its algebras, and what they found out about it."""

    def __init__(self, library: type[Library], largest_dimension: int) -> None:
        self.name = library.name
        self._library = library
        self._largest_dimension = largest_dimension
        self._open: dict[Signature, Library] = {}

    def library(self, signature: Signature) -> Library:
        """The library's algebra of a signature, built once."""
        if signature not in self._open:
            self._open[signature] = self._library(signature)
        return self._open[signature]

    def obstacle(self, signature: Signature) -> str | None:
        """Why the library is not asked in this signature; None when it is."""
        if signature.n > self._largest_dimension:
            return f"{self.name} is run for n <= {self._largest_dimension}: it takes too long"
        return self._library.unavailable()

    def collect(self, signature: Signature) -> tuple[list[Disagreement], list[WitnessAccuracy]]:
        """What was found out about the library in a signature: faults and accuracies."""
        library = self._open.get(signature)
        if library is None:
            return [], []
        found = library.arbiter.disagreements() + library.probes()
        return found, library.arbiter.accuracies()


class ForeignEngine(WitnessEngine):
    """AGREES when the library confirms the identity and geomlin's own left side.

    The bound is the identity's, plus the stated accuracies of the approximate calls that were made.
    An element on which the witness is found wrong by arbitration says nothing about geomlin: it is
    left out, and kept among the library's disagreements.
    """

    def __init__(self, library: type[Library], largest_dimension: int) -> None:
        super().__init__(library, largest_dimension)
        self._floats = FloatEngine()

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """Recompute a few elements of the adversarial batch with the library."""
        reason = self.obstacle(signature)
        if reason is not None:
            return Verdict(Strength.NOT_RUN, reason=reason)
        try:
            return self.judge(identity, signature, self.draw(identity, signature, rng))
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))

    def draw(
        self, identity: Identity, signature: Signature, rng: np.random.Generator
    ) -> list[Arguments]:
        """Single elements of the float engine's batch."""
        batch = self._floats.arguments(identity, signature, rng)
        count = max((len(a) for a in batch.values.values() if a.shape), default=1)
        chosen = rng.permutation(count)[: _TWIN_ELEMENTS if identity.is_false else _ELEMENTS]
        return [batch[int(i)] for i in chosen]

    def judge(self, identity: Identity, signature: Signature, elements: list[Arguments]) -> Verdict:
        """The first refutation, else the worst error over the elements the witness can speak on."""
        worst: Verdict | None = None
        faults: list[WitnessFault] = []
        for one in elements:
            try:
                found = self._compare(identity, self.library(signature), one)
            except WitnessFault as fault:
                if not fault.geomlin_is_right:
                    return Verdict(Strength.REFUTED, witness=f"{one}; {fault}")
                faults.append(fault)
                continue
            if found.refuted:
                return found
            if worst is None or _ratio(found) > _ratio(worst):
                worst = found
        if worst is None:
            return Verdict(Strength.NOT_RUN, reason=f"on every element: {faults[0]}")
        if not faults:
            return worst
        left_out = f"left out {len(faults)} of {len(elements)} elements: {faults[0]}"
        return Verdict(worst.word, error=worst.error, bound=worst.bound, reason=left_out)

    def _compare(self, identity: Identity, library: Library, one: Arguments) -> Verdict:
        """lhs = rhs by the library, and lhs by the library = lhs by geomlin."""
        library.arbiter.restart()
        try:
            lhs, rhs = identity.statement(**{k: library.wrap(a) for k, a in one.values.items()})
            ours, _ = identity.statement(**one.values)
            scale = EPS * float(np.max(identity.size(one.values)))
        except (NotSupported, WitnessFault):
            raise
        except GeomlinError as error:
            text = f"{one}; raised {type(error).__name__}: {error}"
            return Verdict(Strength.REFUTED, witness=text)
        bound = identity.bound + library.arbiter.allowance
        errors = [_distance(lhs, other, scale) for other in (rhs, ours)]
        for error_found, other in zip(errors, (rhs, ours), strict=True):
            if not error_found <= bound:
                shown = differing(_plain(lhs), _plain(other))
                return Verdict(Strength.REFUTED, witness=f"{one}; by {self.name}: {shown}")
        return Verdict(Strength.AGREES, error=max(errors), bound=bound)


def _ratio(verdict: Verdict) -> float:
    """How much of its bound a verdict uses up."""
    return (verdict.error or 0.0) / (verdict.bound or 1.0)


def _plain(value: Any) -> Any:
    """A foreign value as a geomlin multivector, so that both sides compare."""
    if isinstance(value, ForeignMultivector):
        return value.library.unwrap(value.value)
    return value


def _distance(left: Any, right: Any, scale: float) -> float:
    """Largest difference in units of `scale`; NaN counts as infinite."""
    difference = _plain(left) - _plain(right)
    found = float(np.abs(getattr(difference, "coeffs", difference)).max(initial=0.0))
    if found == 0:
        return 0.0
    return found / scale if scale > 0 and np.isfinite(found) else float("inf")
