"""The sympy engine: identities along symbolic lines, elementary functions included."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from ...algebra import Algebra
from ...errors import NotSupported
from ...identities.statement import Identity
from ...signature import Signature
from ...verdict import Strength, Verdict
from ..arguments import Arguments, build
from .rational import RationalEngine

_TRIES = 10
_LARGEST = 3  # dimension beyond which sympy takes seconds for one identity


class SymbolicEngine(RationalEngine):
    """AGREES(0, 0): equal for every value of the symbols, at rational values of the rest."""

    name = "sympy"
    points = 1  # the symbols take every value

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """One evaluation with a free real symbol in every parameter."""
        if signature.n > _LARGEST:
            return Verdict(
                Strength.NOT_RUN, reason=f"sympy is run for n <= {_LARGEST}: it takes too long"
            )
        try:
            return self.at_points(identity, Algebra(*signature, backend=self.name), rng)
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))

    def point(self, identity: Identity, algebra: Algebra, rng: np.random.Generator) -> Arguments:
        """Sparse parameters: a symbol on one blade, a rational number on another."""
        import sympy

        plain = all(kind != "rotor" for kind in identity.kinds.values())
        plain = plain and identity.group not in ("exponential", "double cover")

        count = itertools.count(1)

        def draw(kind: str, primitive: str, size: int) -> Any:
            symbol = sympy.Symbol(f"t{next(count)}", real=True)
            most = 5 if primitive == "multivector" else 2
            if primitive == "bivector" and not plain:
                most = 1  # one plane: its exponential is simple
            values: list[Any] = [0] * size
            for i in rng.permutation(size)[:most]:
                values[i] = Fraction(int(rng.integers(1, 4)), int(rng.integers(1, 3)))
            if size:
                values[rng.choice(np.nonzero(values)[0])] = symbol
            return algebra.backend_object.array(values)

        for _ in range(_TRIES):
            arguments = build(identity.kinds, algebra, draw, exact=False)
            if np.all(arguments.valid()):
                return arguments
        raise NotSupported(f"no valid symbolic arguments in {_TRIES} draws")
