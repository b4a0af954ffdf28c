"""Exact engines: rational points, all basis blades, and polynomials with symbolic metric."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np

from ...algebra import Algebra
from ...errors import GeomlinError, NotInvertible, NotSupported
from ...identities.statement import Identity
from ...signature import Signature
from ...verdict import Strength, Verdict
from ..arguments import Arguments, build, difference
from ..kinds import PRIMITIVES, kind_of, primitive_layout
from .floating import differing

_TWIN_POINTS = 24  # where a false twin may hide at special points
_TRIES = 40  # draws until the conditions of the kinds hold
_TUPLES = 300  # basis-blade tuples that are still checked one by one


class RationalEngine:
    """Exact arithmetic on fractions: MULTILINEAR on all basis blades, or AGREES(0, 0) at points."""

    name = "fractions"
    points = 3  # where an identity that is not decided otherwise is evaluated

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """Decide multilinear identities on basis blades, the others at small rational points."""
        algebra = Algebra(*signature, backend=self.name)
        try:
            feasible = is_multilinear(identity) and _tuples(identity, signature.n) <= _TUPLES
            if feasible and self._is_additive(identity, algebra, rng):
                return self._on_basis_blades(identity, algebra)
            return self.at_points(identity, algebra, rng)
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))

    def at_points(self, identity: Identity, algebra: Algebra, rng: np.random.Generator) -> Verdict:
        """Exact equality at a few small rational points."""
        for _ in range(_TWIN_POINTS if identity.is_false else self.points):
            arguments = self.point(identity, algebra, rng)
            verdict = compare_exactly(identity, arguments)
            if verdict is not None:
                return verdict
        return Verdict(Strength.AGREES, error=0.0, bound=0.0)

    def point(self, identity: Identity, algebra: Algebra, rng: np.random.Generator) -> Arguments:
        """Small sparse rational arguments that satisfy the conditions of their kinds."""

        def draw(kind: str, primitive: str, size: int) -> Any:
            most = 6 if primitive == "multivector" else size
            kept = rng.permutation(size) < most
            values = rng.integers(-4, 5, size=size) * kept
            bottom = int(rng.integers(1, 4))
            return algebra.backend_object.array([Fraction(int(v), bottom) for v in values])

        for _ in range(_TRIES):
            try:
                arguments = build(identity.kinds, algebra, draw, exact=True)
            except NotInvertible:
                continue
            if np.all(arguments.valid()):
                return arguments
        raise NotSupported(f"no valid rational arguments in {_TRIES} draws in {algebra.signature}")

    def _on_basis_blades(self, identity: Identity, algebra: Algebra) -> Verdict:
        """Every tuple of basis blades: complete when lhs - rhs is linear in each argument."""
        layouts = [primitive_layout(kind, algebra.n) for kind in identity.kinds.values()]
        names = [layout.names for layout in layouts]
        for blades in product(*names):
            chosen = dict(zip(identity.kinds, (algebra.blade(b) for b in blades), strict=True))
            arguments = Arguments(chosen, {name: [a] for name, a in chosen.items()}, identity.kinds)
            verdict = compare_exactly(identity, arguments)
            if verdict is not None:
                return verdict
        return Verdict(Strength.MULTILINEAR, numbers=(algebra.n,))

    def _is_additive(self, identity: Identity, algebra: Algebra, rng: np.random.Generator) -> bool:
        """Whether lhs - rhs is additive in each argument, at two rational points."""
        first = self.point(identity, algebra, rng).values
        second = self.point(identity, algebra, rng).values

        def value(changes: dict[str, Any]) -> Any:
            lhs, rhs = identity.statement(**{**first, **changes})
            return lhs - rhs

        for name in identity.kinds:
            total = value({name: first[name] + second[name]})
            parts = value({}) + value({name: second[name]})
            if not np.all(algebra.backend_object.is_zero(difference(total, parts))):
                return False
        return True


def is_multilinear(identity: Identity) -> bool:
    """Degree one in arguments that are free: then basis blades decide."""
    return (
        identity.scale is None
        and all(identity.degrees.get(name, 1) == 1 for name in identity.kinds)
        and all(kind in PRIMITIVES for kind in identity.kinds.values())
    )


def _tuples(identity: Identity, n: int) -> int:
    return prod(primitive_layout(kind, n).size for kind in identity.kinds.values())


def compare_exactly(identity: Identity, arguments: Arguments) -> Verdict | None:
    """None when both sides are equal, else REFUTED at these exact arguments."""
    try:
        lhs, rhs = identity.statement(**arguments.values)
        left = difference(lhs, rhs)
    except NotSupported:
        raise
    except GeomlinError as error:
        text = f"{arguments}; raised {type(error).__name__}: {error}"
        return Verdict(Strength.REFUTED, witness=text)
    backend = next(iter(arguments.values.values())).algebra.backend_object
    if np.all(backend.is_zero(left)):
        return None
    return Verdict(Strength.REFUTED, witness=f"{arguments}; {differing(lhs, rhs)}")


def monomials(identity: Identity, n: int) -> int:
    """How many monomials a fully symbolic evaluation may meet."""
    total = 1
    for name, kind in identity.kinds.items():
        degree = identity.degrees.get(name, 1)
        parameters = () if kind == "pseudoscalar" else kind_of(kind, exact=True).parameters
        for primitive in parameters:
            size = primitive_layout(primitive, n).size
            total *= comb(size + degree - 1, degree)
    return total
