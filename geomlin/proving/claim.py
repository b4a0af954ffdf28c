"""A claim: a statement with the kinds of its arguments and its hypotheses, and its evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from inspect import signature as parameters_of
from typing import Any

from flint import fmpq_mpoly

from ..errors import GeomlinError, LayoutError
from .kinds import Kind, Source, build, parse_kind
from .record import MoreRoots
from .statement_text import written
from .symbolic import SymbolicAlgebra, SymbolicMultivector, lifted

Statement = Callable[..., Any]


@dataclass(frozen=True)
class Claim:
    """For all arguments of these kinds that satisfy `given`: lhs = rhs."""

    statement: Statement
    given: tuple[Statement, ...]
    kinds: Mapping[str, Kind]

    @property
    def texts(self) -> tuple[str, str]:
        """The statement in text and in LaTeX."""
        return written(self.statement, self.kinds)

    @property
    def arguments(self) -> str:
        """For what the claim is made: a, b: vector; s: scalar."""
        by_word: dict[str, list[str]] = {}
        for name, kind in self.kinds.items():
            by_word.setdefault(kind.word, []).append(name)
        return "; ".join(f"{', '.join(names)}: {word}" for word, names in by_word.items())

    @property
    def given_texts(self) -> list[str]:
        """The hypotheses that were given."""
        return [written(g, _names(g))[0] for g in self.given]

    @property
    def kind_texts(self) -> list[str]:
        """What the kinds say about their arguments in equations."""
        equations = {"rotor": "{0} ~{0} = 1", "null blade": "{0} {0} = 0"}
        return [
            equations[kind.family].format(name)
            for name, kind in self.kinds.items()
            if kind.family in equations
        ]

    @property
    def constrained(self) -> bool:
        """Whether the arguments satisfy equations, so that not every Gram matrix occurs."""
        families = {kind.family for kind in self.kinds.values()}
        return bool(self.given) or bool(families & {"rotor", "null blade"})


def claim_of(
    statement: Statement, given: Statement | Sequence[Statement], kinds: Mapping[str, str]
) -> Claim:
    """Check that every parameter has a kind; LayoutError otherwise."""
    if not callable(given) and not isinstance(given, Iterable):
        raise LayoutError(
            f"expected given as a function that returns (lhs, rhs), or several, got {given!r}: "
            "leave it out where there is no hypothesis"
        )
    hypotheses = (given,) if callable(given) else tuple(given)
    if not callable(statement):
        raise LayoutError(
            f"expected a function that returns (lhs, rhs), got {type(statement).__name__}"
        )
    names = _names(statement)
    if set(names) != set(kinds):
        raise LayoutError(
            f"expected one kind for each of the arguments {names}, got kinds for {list(kinds)}: "
            'write for example prove(f, a="vector", b="vector")'
        )
    for hypothesis in hypotheses:
        if not callable(hypothesis) or not set(_names(hypothesis)) <= set(kinds):
            raise LayoutError(
                "a hypothesis is a function of some of the arguments that returns (lhs, rhs), got "
                f"{hypothesis!r}"
            )
    return Claim(statement, hypotheses, {name: parse_kind(kinds[name]) for name in names})


def _names(function: Statement) -> list[str]:
    """The parameters of a statement that stand for multivectors: those without a default."""
    try:
        found = parameters_of(function).parameters.values()
    except (TypeError, ValueError):  # some functions that are written in C do not tell
        raise LayoutError(
            f"expected a function with named parameters, got {function!r}: wrap it in a lambda"
        ) from None
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in found if p.kind in positional and p.default is p.empty]


@dataclass(frozen=True)
class Evaluation:
    """Both sides on symbolic arguments, and the polynomials that the hypotheses give.

    `zero` and `nonzero` come from the kinds, `given` are the differences of the hypotheses.
    """

    algebra: SymbolicAlgebra
    arguments: Mapping[str, SymbolicMultivector]
    lhs: SymbolicMultivector
    rhs: SymbolicMultivector
    given: tuple[SymbolicMultivector, ...]
    zero: tuple[fmpq_mpoly, ...]
    nonzero: tuple[fmpq_mpoly, ...]

    @property
    def residues(self) -> list[fmpq_mpoly]:
        """The numerators of lhs - rhs: the claim is that they vanish."""
        return list((self.lhs - self.rhs).terms.values())

    @property
    def given_relations(self) -> list[fmpq_mpoly]:
        """The numerators of all coefficients of the given hypotheses."""
        return [p for difference in self.given for p in difference.terms.values()]

    @property
    def denominators(self) -> list[fmpq_mpoly]:
        """Irreducible polynomials that the statement divides by."""
        return list(self.algebra.record.denominators)


def evaluate(claim: Claim, source: Source) -> Evaluation:
    """Run the statement and its hypotheses on the arguments from a source."""
    algebra = source.algebra
    built = {name: build(name, kind, source) for name, kind in claim.kinds.items()}
    arguments = {name: argument.value for name, argument in built.items()}
    lhs, rhs = _sides(claim.statement, arguments, algebra)
    given = []
    for hypothesis in claim.given:
        left, right = _sides(hypothesis, arguments, algebra)
        given.append(left - right)
    return Evaluation(
        algebra,
        arguments,
        lhs,
        rhs,
        tuple(given),
        tuple(_scalar_part(z) for argument in built.values() for z in argument.zero),
        tuple(_scalar_part(z) for argument in built.values() for z in argument.nonzero),
    )


def _scalar_part(a: SymbolicMultivector) -> fmpq_mpoly:
    return a.terms.get(0, a.algebra.ring.zero)


def _sides(
    function: Statement, arguments: Mapping[str, Any], algebra: SymbolicAlgebra
) -> tuple[SymbolicMultivector, SymbolicMultivector]:
    """The two sides that a statement returns, as symbols."""
    lhs, rhs = call(function, arguments)
    return lifted(algebra, lhs), lifted(algebra, rhs)


def call(function: Statement, arguments: Mapping[str, Any]) -> tuple[Any, Any]:
    """The two sides that a statement returns; LayoutError if it fails in a way of its own."""
    try:
        found = function(*(arguments[name] for name in _names(function)))
    except (GeomlinError, MoreRoots):
        raise
    except (Exception, SystemExit) as error:  # a statement can leave by any door
        name = getattr(function, "__name__", "the statement")
        raise LayoutError(
            f"expected a formula that returns (lhs, rhs), but {name} raised "
            f"{type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, tuple) or len(found) != 2:
        raise LayoutError(
            f"expected a statement that returns a pair (lhs, rhs), got {type(found).__name__}"
        )
    return found
