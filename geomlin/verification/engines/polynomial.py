"""The flint engine: identities as polynomials in symbolic coefficients and metric squares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra import Algebra
from ...errors import NotSupported
from ...identities.statement import Identity
from ...layout import Layout
from ...proving.equation import describe_point, evaluate, nonzero_point
from ...proving.prover import prove
from ...proving.symbolic_metric import SymbolicMetric
from ...signature import Signature
from ...tables import ProductTable, product_table
from ...verdict import Strength, Verdict
from ..arguments import Arguments, build, difference
from ..kinds import kind_of, primitive_layout
from .rational import RationalEngine, monomials

_MONOMIALS = 20000  # larger symbolic evaluations are replaced by exact rational points


@dataclass(frozen=True)
class SymbolicTable(ProductTable):
    """A product table whose metric factors are polynomials."""

    squares: tuple[Any, ...] = ()

    @cached_property
    def weights(self) -> list[Any]:
        """Sign times prod g_i for each entry."""
        return [s * g for s, g in zip(self.sign.tolist(), self.squares, strict=True)]


class PolynomialAlgebra(Algebra):
    """Clifford algebra over a flint polynomial ring, with e_i^2 the polynomials of a space."""

    def __init__(self, space: SymbolicMetric, signature: Signature) -> None:
        super().__init__(*signature, backend="flint")
        self.space = space

    @property
    def metric(self) -> tuple[Any, ...]:
        return self.space.metric

    def table(self, product: str, left: Layout, right: Layout) -> ProductTable:
        plain = product_table(product, None, left, right)
        squares = tuple(self.space.square(int(mask)) for mask in plain.common)
        fields = (plain.layout, plain.out, plain.left, plain.right, plain.sign, plain.common)
        return SymbolicTable(*fields, squares)

    def _key(self) -> tuple[Any, ...]:
        return self.signature, self.backend, self.space.names


# Kinds that mean to the generic prover exactly what they mean here (a rotor there has a fixed
# number of vectors).
_GENERIC_KINDS = {
    "scalar",
    "vector",
    "bivector",
    "simple bivector",
    "definite plane",
    "invertible vector",
    "versor",
}


class PolynomialEngine(RationalEngine):
    """POLYNOMIAL(n) where both sides are polynomials of moderate size, else exact points.

    An identity that holds so, and that the generic prover proves, is ALL_DIMENSIONS.
    """

    name = "flint"

    def __init__(self) -> None:
        self._proved: dict[tuple[str, int], bool] = {}
        self._generic: dict[str, Verdict] = {}

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """The verdict in this signature, or ALL_DIMENSIONS if it holds and is proved generically.

        geomlin's own operations run first: the generic proof says nothing about them.
        """
        verdict = self._check_here(identity, signature, rng)
        if not verdict.holds or identity.is_false:
            return verdict
        if not set(identity.kinds.values()) <= _GENERIC_KINDS:
            return verdict
        if identity.name not in self._generic:
            self._generic[identity.name] = prove(identity).verdict
        generic = self._generic[identity.name]
        return generic if generic.word is Strength.ALL_DIMENSIONS else verdict

    def _check_here(
        self, identity: Identity, signature: Signature, rng: np.random.Generator
    ) -> Verdict:
        """Symbolic metric first, then symbolic coefficients, then rational points."""
        small = monomials(identity, signature.n) <= _MONOMIALS
        if small and self._holds_for_every_metric(identity, signature.n):
            return Verdict(Strength.POLYNOMIAL, numbers=(signature.n,))
        nonzero: str | None = None
        try:
            if small:
                nonzero = _nonzero(identity, signature, signature.metric)
                if nonzero is None:
                    return Verdict(Strength.POLYNOMIAL, numbers=(signature.n,))
        except NotSupported:
            nonzero = None  # not polynomial: an inverse or a rotor is involved
        algebra = Algebra(*signature, backend=self.name)
        try:
            verdict = self.at_points(identity, algebra, rng)
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))
        if nonzero is not None and not verdict.refuted:
            return Verdict(Strength.REFUTED, witness=nonzero)
        return verdict

    def _holds_for_every_metric(self, identity: Identity, n: int) -> bool:
        """One proof with indeterminate g1..gn serves every signature of dimension n."""
        key = identity.name, n
        if key not in self._proved:
            every = [Signature(p, q, n - p - q) for p in range(n + 1) for q in range(n + 1 - p)]
            self._proved[key] = False
            if all(identity.applies(s) for s in every):
                try:
                    self._proved[key] = _nonzero(identity, Signature(n), None) is None
                except NotSupported:
                    self._proved[key] = False
        return self._proved[key]


def _nonzero(
    identity: Identity, signature: Signature, metric: tuple[int, ...] | None
) -> str | None:
    """None if lhs - rhs is the zero polynomial modulo g_i^3 = g_i, else a point where it is not."""
    arguments, space = symbolic_arguments(identity, signature, metric)
    lhs, rhs = identity.statement(**arguments.values)
    for polynomial in difference(lhs, rhs).reshape(-1):
        reduced = space.reduce(space.constant(polynomial))
        if reduced != 0:
            point = nonzero_point(reduced, space)
            value = evaluate(reduced, point)
            return "; ".join([*describe_point(point, space), f"lhs - rhs = {value}"])
    return None


def symbolic_arguments(
    identity: Identity, signature: Signature, metric: tuple[int, ...] | None
) -> tuple[Arguments, SymbolicMetric]:
    """Every primitive parameter with one symbol a coefficient."""
    for kind in identity.kinds.values():
        if kind == "rotor" or kind == "invertible multivector":
            raise NotSupported(f"a {kind} is no polynomial in free parameters")
    letters: dict[str, Any] = {}
    for name, kind in identity.kinds.items():
        parameters = () if kind == "pseudoscalar" else kind_of(kind, exact=True).parameters
        for i, primitive in enumerate(parameters):
            grades = {"scalar": (0,), "vector": 1, "bivector": 2}.get(
                primitive, tuple(range(signature.n + 1))
            )
            letters[f"{name}_{i}_"] = grades
    space = SymbolicMetric(signature.n, metric=metric, **letters)
    algebra = PolynomialAlgebra(space, signature)
    pending = iter(letters)

    def draw(kind: str, primitive: str, size: int) -> Any:
        element = space.generic(next(pending))
        coefficients = np.empty(size, dtype=object)
        for i, mask in enumerate(primitive_layout(primitive, signature.n).masks):
            coefficients[i] = element.terms[mask]
        return coefficients

    arguments = build(identity.kinds, algebra, draw, exact=True)
    return arguments, space
