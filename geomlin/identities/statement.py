"""What an identity is: one statement, its kinds, hypotheses, bound, and a false twin.

A statement is a function of multivectors that returns (lhs, rhs).  It calls geomlin's public
functions only, so the same statement runs on floats, rationals, polynomials, symbols and, through
`geomlin.operation`, on other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature as parameters_of
from typing import Any

import numpy as np

from ..signature import Signature

Statement = Callable[..., tuple[Any, Any]]
Scale = Callable[..., Any]

KIND_NAMES = (
    "scalar",
    "vector",
    "bivector",
    "multivector",
    "pseudoscalar",
    "simple bivector",  # u ^ v
    "null bivector",  # b with b^2 = 0
    "definite plane",  # u ^ v with (u ^ v)^2 != 0
    "invertible vector",
    "invertible multivector",
    "versor",  # u v, a product of two invertible vectors
    "rotor",
)


@dataclass(frozen=True)
class Identity:
    """A named equation between multivectors, with everything needed to check and to doubt it.

    `bound` is the float claim, set before any run: max |lhs - rhs| <= bound * eps * scale, where
    scale is the product of the argument sizes |A|_1 = sum_S |A_S| to their `degrees`, or what
    `scale` returns.  |.|_1 is submultiplicative, so the claim is one about rounding only.
    """

    name: str
    group: str
    equation: str
    statement: Statement
    kinds: Mapping[str, str]
    hypotheses: tuple[str, ...]
    bound: float
    degrees: Mapping[str, int]
    scale: Scale | None
    applies: Callable[[Signature], bool]
    twin: Statement
    twin_kinds: Mapping[str, str]
    twin_from: Callable[[Signature], bool]
    is_false: bool = False

    def false_twin(self) -> Identity:
        """The twin as an identity of its own, to be refuted."""
        return Identity(
            name=f"{self.name} (false twin)",
            group=self.group,
            equation=f"false variant of: {self.equation}",
            statement=self.twin,
            kinds=self.twin_kinds,
            hypotheses=self.hypotheses,
            bound=self.bound,
            degrees=self.degrees,
            scale=self.scale,
            applies=lambda s: self.applies(s) and self.twin_from(s),
            twin=self.statement,
            twin_kinds=self.kinds,
            twin_from=lambda s: False,
            is_false=True,
        )

    def size(self, arguments: Mapping[str, Any]) -> Any:
        """The scale of the float claim, for each batch element."""
        if self.scale is not None:
            return self.scale(*arguments.values())
        total: Any = 1.0
        for name, value in arguments.items():
            total = total * size(value) ** self.degrees.get(name, 1)
        return total

    def __str__(self) -> str:
        return self.name


registry: dict[str, Identity] = {}


def size(a: Any) -> Any:
    """|A|_1 = sum_S |A_S|, for each batch element."""
    return np.abs(np.asarray(a.coeffs, dtype=np.float64)).sum(axis=-1)


def everywhere(_: Signature) -> bool:
    """Holds in every signature."""
    return True


def identity(
    group: str,
    *,
    twin: Statement,
    bound: float,
    hypotheses: tuple[str, ...] = (),
    degrees: Mapping[str, int] | None = None,
    scale: Scale | None = None,
    applies: Callable[[Signature], bool] = everywhere,
    twin_kinds: Mapping[str, str] | None = None,
    twin_from: Callable[[Signature], bool] = everywhere,
    **kinds: str,
) -> Callable[[Statement], Statement]:
    """Register a statement; its docstring is the equation that reports and docs print.

    `kinds` names the kind of every argument, in words with underscores for spaces; `twin` is the
    false statement, refuted in every signature where `twin_from` holds.
    """

    def register(statement: Statement) -> Statement:
        name = statement.__name__
        spelled = {k: v.replace("_", " ") for k, v in kinds.items()}
        twin_spelled = {k: v.replace("_", " ") for k, v in (twin_kinds or kinds).items()}
        if name in registry:
            raise ValueError(f"identity {name!r} is registered twice")
        if list(parameters_of(statement).parameters) != list(kinds):
            raise ValueError(f"{name}: expected one kind for each argument, in order, got {kinds}")
        for kind in (*spelled.values(), *twin_spelled.values()):
            if kind not in KIND_NAMES:
                raise ValueError(f"{name}: unknown kind {kind!r}, expected one of {KIND_NAMES}")
        registry[name] = Identity(
            name=name,
            group=group,
            equation=" ".join((statement.__doc__ or "").split()),
            statement=statement,
            kinds=spelled,
            hypotheses=hypotheses,
            bound=bound,
            degrees=dict(degrees or {}),
            scale=scale,
            applies=applies,
            twin=twin,
            twin_kinds=twin_spelled,
            twin_from=twin_from,
        )
        return statement

    return register
