"""The symbolic witness engine: identities at small exact points along a line, by another library.

Both sides come from the library, the left side also from geomlin over sympy; the three must be
equal as expressions in one free symbol t.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra import Algebra
from ...errors import GeomlinError, NotInvertible, NotSupported
from ...identities.statement import Identity
from ...signature import Signature
from ...verdict import Strength, Verdict
from ...witnesses.foreign import ForeignMultivector, Library
from ..arguments import Arguments, build, difference
from .foreign import WitnessEngine

_LINES = 1
_TWIN_LINES = 24  # where a false twin may hide at special points
_TRIES = 40  # draws until the conditions of the kinds hold
_SHIFTED = ("scalar", "vector", "multivector")  # kinds that get t on one blade
_SCALED = ("bivector", "simple bivector", "null bivector")  # t times them: exp stays elementary
_DIGITS = 40


class SymbolicWitness(WitnessEngine):
    """AGREES(0, 0) when library and geomlin give equal expressions, REFUTED with both of them."""

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """Compare along a line of arguments, exactly."""
        reason = self.obstacle(signature)
        if reason is not None:
            return Verdict(Strength.NOT_RUN, reason=reason)
        library = self.library(signature)
        try:
            for _ in range(_TWIN_LINES if identity.is_false else _LINES):
                verdict = self.judge(identity, library, self.point(identity, library.algebra, rng))
                if verdict.refuted:
                    return verdict
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))
        return Verdict(Strength.AGREES, error=0.0, bound=0.0)

    def point(self, identity: Identity, algebra: Algebra, rng: np.random.Generator) -> Arguments:
        """Small sparse rational arguments; the first one depends on t where its kind is free."""
        for _ in range(_TRIES):
            try:
                arguments = build(identity.kinds, algebra, _sampler(rng), exact=True)
            except NotInvertible:
                continue
            if np.all(arguments.valid()):
                return arguments
        raise NotSupported(f"no valid rational arguments in {_TRIES} draws in {algebra.signature}")

    def judge(self, identity: Identity, library: Library, arguments: Arguments) -> Verdict:
        """Both sides by the library, and the left side by geomlin."""
        wrapped = {name: library.wrap(a) for name, a in arguments.values.items()}
        try:
            lhs, rhs = (_plain(side) for side in identity.statement(**wrapped))
            ours, _ = identity.statement(**arguments.values)
        except NotSupported:
            raise
        except GeomlinError as error:
            text = f"{arguments}; raised {type(error).__name__}: {error}"
            return Verdict(Strength.REFUTED, witness=text)
        for name, other in (("rhs", rhs), ("lhs by geomlin", ours)):
            differing = _first_difference(lhs, other)
            if differing is not None:
                left, right = differing
                shown = f"lhs by {self.name} {left}, {name} {right}"
                return Verdict(Strength.REFUTED, witness=f"{arguments}; {shown}")
        return Verdict(Strength.AGREES, error=0.0, bound=0.0)


def _first_difference(lhs: Any, rhs: Any) -> tuple[str, str] | None:
    """The first coefficient where two values differ, on both sides; None when they are equal."""
    gap = lhs - rhs
    names = gap.layout.names if hasattr(gap, "layout") else np.ndindex(gap.shape)
    left, right = (difference(side, 0 * gap).reshape(-1) for side in (lhs, rhs))
    for k, (name, value) in enumerate(zip(names, difference(lhs, rhs).reshape(-1), strict=True)):
        if not vanishes(value):
            label = f"[{name}]" if isinstance(name, str) else list(name)
            return f"{label} = {left[k]}", f"{label} = {right[k]}"
    return None


def _sampler(rng: np.random.Generator) -> Any:
    """Draws parameters; the first one gets the symbol t, shifted or scaled by its kind."""
    import sympy

    t = sympy.Symbol("t", positive=True)
    free = [t]

    def draw(kind: str, primitive: str, size: int) -> Any:
        kept = rng.permutation(size) < (4 if primitive == "multivector" else 3)
        numbers = rng.integers(-3, 4, size=size) * kept
        values = np.empty(size, dtype=object)
        values[:] = [sympy.Rational(int(v), int(rng.integers(1, 3))) for v in numbers]
        if free and size:
            symbol = free.pop()
            if kind in _SHIFTED:
                values[int(rng.integers(size))] += symbol
            if kind in _SCALED:
                values *= symbol
        return values

    return draw


def _plain(value: Any) -> Any:
    """A foreign value as a geomlin multivector over sympy."""
    return value.library.unwrap(value.value) if isinstance(value, ForeignMultivector) else value


def vanishes(value: Any) -> bool:
    """Whether an expression is zero for every t; NotSupported if that cannot be decided.

    Circular and hyperbolic functions become exponentials, whose products sympy collects.
    """
    import sympy

    value = sympy.expand(value)
    if value == 0 or value.is_Rational:
        return bool(value == 0)
    value = sympy.expand(value.rewrite(sympy.exp))
    if value == 0 or sympy.cancel(value) == 0:
        return True
    at_a_point = value.subs({symbol: sympy.Rational(7, 5) for symbol in value.free_symbols})
    if abs(sympy.N(at_a_point, _DIGITS)) > sympy.Float(10) ** (-_DIGITS // 2):
        return False
    if sympy.simplify(value) == 0:
        return True
    raise NotSupported(f"sympy does not decide whether {value} is zero")
