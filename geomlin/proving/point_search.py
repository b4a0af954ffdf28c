"""A rational point where some polynomials vanish, others do not, and one of a list does not.

Depth first: a relation in one indeterminate is solved by its rational roots, otherwise an
indeterminate of a relation is given small values in turn.  When no relation is left, the other
indeterminates take the smallest integers that keep what must not vanish.  Where this ends without
a point, it is tried with all but two indeterminates of the relations zero, for each pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from flint import fmpq, fmpq_mpoly

Point = dict[str, fmpq]

# Values tried for an indeterminate, one list after the other: the height grows.
HEIGHTS: tuple[tuple[fmpq, ...], ...] = (
    (fmpq(0), fmpq(1), fmpq(-1)),
    (fmpq(0), fmpq(1), fmpq(-1), fmpq(2), fmpq(-2), fmpq(1, 2)),
    tuple(fmpq(p, q) for p, q in ((0, 1), (1, 1), (2, 1), (3, 5), (4, 5), (-3, 5), (5, 4), (3, 4))),
)
LARGEST_SEARCH = 400, 30_000  # nodes and monomials for each height: a second or so
LARGEST_PAIR_SEARCH = 20, 20_000  # the same for each pair


@dataclass(frozen=True)
class Problem:
    """What must vanish, what must not, of which at least one must not, and what is >= 0.

    An empty `alive` asks for a point of the hypotheses only.
    """

    names: tuple[str, ...]  # indeterminates in the order in which they are chosen
    zero: tuple[fmpq_mpoly, ...]
    nonzero: tuple[fmpq_mpoly, ...]
    alive: tuple[fmpq_mpoly, ...]
    nonnegative: frozenset[str] = frozenset()
    thorough: bool = False  # whether pairs are tried, too
    first: int = 0  # where the values of unconstrained indeterminates begin
    point: Mapping[str, fmpq] = field(default_factory=dict)

    def at(self, name: str, value: fmpq) -> Problem | None:
        """The problem with one indeterminate fixed; None when that is hopeless."""
        if name in self.nonnegative and value < 0:
            return None
        return self.specialised(lambda p: p.subs({name: value}), {name: value})

    def specialised(
        self, change: Callable[[fmpq_mpoly], fmpq_mpoly], values: Mapping[str, fmpq]
    ) -> Problem | None:
        """The problem after a change of its polynomials that fixes some indeterminates."""
        zero = tuple(q for q in map(change, self.zero) if q != 0)
        if any(q.is_constant() for q in zero):
            return None
        nonzero, alive = tuple(map(change, self.nonzero)), tuple(map(change, self.alive))
        left = tuple(q for q in alive if q != 0)
        if any(q == 0 for q in nonzero) or (alive and not left):
            return None
        point = {**self.point, **values}
        return replace(self, zero=zero, nonzero=nonzero, alive=left, point=point)


@dataclass
class Budget:
    """What a search may still spend."""

    nodes: int
    monomials: int

    def spend(self, problem: Problem) -> bool:
        """Pay for one node; False when the budget is used up."""
        self.nodes -= 1
        self.monomials -= sum(map(len, (*problem.zero, *problem.nonzero, *problem.alive)))
        return self.nodes >= 0 and self.monomials >= 0


def find_point(problem: Problem) -> Point | None:
    """The first point in the order of the search; None when it found none."""
    problem = replace(problem, alive=tuple(sorted(problem.alive, key=len)[:40]))
    if any(p == 0 for p in problem.nonzero):
        return None
    for height in HEIGHTS:
        values = sorted(height, key=lambda v: v != problem.first)
        found = _solve(problem, values, Budget(*LARGEST_SEARCH))
        if found is not None or not problem.zero:
            return found
    return _sparse_point(problem) if problem.thorough else None


def _sparse_point(problem: Problem) -> Point | None:
    """A point where at most two indeterminates of the relations are not zero."""
    occurring = {name for p in problem.zero for name in _indeterminates(p, problem.names)}
    names = [name for name in problem.names if name in occurring]
    by_support = {
        id(p): _by_support(p, names) for p in (*problem.zero, *problem.nonzero, *problem.alive)
    }
    for pair in combinations(names, 2):

        def change(p: fmpq_mpoly, pair: tuple[str, ...] = pair) -> fmpq_mpoly:
            """All names but the pair are zero."""
            parts = by_support[id(p)]
            supports = [frozenset(s) for s in ((), pair[:1], pair[1:], pair)]
            terms = {m: c for s in supports for m, c in parts.get(s, {}).items()}
            return p.context().from_dict(terms)

        others = {name: fmpq(0) for name in names if name not in pair}
        simpler = problem.specialised(change, others)
        found = None
        if simpler is not None:
            found = _solve(simpler, HEIGHTS[-1], Budget(*LARGEST_PAIR_SEARCH))
        if found is not None:
            return found
    return None


def _by_support(
    polynomial: fmpq_mpoly, names: Sequence[str]
) -> dict[frozenset[str], dict[tuple[int, ...], fmpq]]:
    """The terms of a polynomial by the set of the names that occur in each."""
    positions = {name: polynomial.context().names().index(name) for name in names}
    found: dict[frozenset[str], dict[tuple[int, ...], fmpq]] = {}
    for powers, coefficient in polynomial.to_dict().items():
        support = frozenset(name for name, k in positions.items() if powers[k])
        found.setdefault(support, {})[powers] = coefficient
    return found


def _solve(problem: Problem, values: Sequence[fmpq], budget: Budget) -> Point | None:
    if not budget.spend(problem):
        return None
    relations = [p for p in problem.zero if p != 0]
    if any(p.is_constant() for p in relations):
        return None
    if not relations:
        return _without_relations(problem)
    for name, value in _branches(problem, relations, values):
        further = problem.at(name, value)
        found = None if further is None else _solve(further, values, budget)
        if found is not None:
            return found
    return None


def _branches(
    problem: Problem, relations: Sequence[fmpq_mpoly], values: Sequence[fmpq]
) -> Iterator[tuple[str, fmpq]]:
    """Values of one indeterminate: the roots of a relation in it alone, or the given values."""
    indeterminates = [(_indeterminates(p, problem.names), p) for p in relations]
    single = [(names[0], p) for names, p in indeterminates if len(names) == 1]
    if single:
        name, relation = single[0]
        yield from ((name, root) for root in rational_roots(relation, name))
        return
    names = min((names for names, _ in indeterminates), key=len)
    yield from ((names[0], value) for value in values)


def _indeterminates(polynomial: fmpq_mpoly, order: Sequence[str]) -> list[str]:
    """The indeterminates that occur, in the order in which they are chosen."""
    degrees = dict(zip(polynomial.context().names(), polynomial.degrees(), strict=True))
    return [name for name in order if degrees[name]]


def rational_roots(polynomial: fmpq_mpoly, name: str) -> list[fmpq]:
    """The rational roots of a polynomial in one indeterminate, the smallest in size first."""
    found = []
    position = polynomial.context().names().index(name)
    for factor, _ in polynomial.factor()[1]:
        if factor.degrees()[position] == 1:
            slope = factor.derivative(name).leading_coefficient()
            constant = factor.subs({name: 0})
            value = constant.leading_coefficient() if constant != 0 else fmpq(0)
            found.append(-value / slope)
    return sorted(found, key=lambda r: (abs(r), r < 0))


def _without_relations(problem: Problem) -> Point | None:
    """The smallest integers, one indeterminate after the other.

    A nonzero polynomial of degree d in an indeterminate vanishes for at most d of its values, so
    one of (sum of the degrees + 1) values serves, unless signs are prescribed.
    """
    for name in problem.names:
        if name in problem.point:
            continue
        for value in _integers(problem, name):
            further = problem.at(name, value)
            if further is not None:
                problem = further
                break
        else:
            return None
    return dict(problem.point)


def _integers(problem: Problem, name: str) -> Iterator[fmpq]:
    """0, 1, -1, 2, .. (or 1, 2, 0, ..): one more than all the degrees together."""
    polynomials = (*problem.nonzero, *problem.alive[:1])
    position = None
    degree = 0
    for p in polynomials:
        if position is None:
            position = p.context().names().index(name)
        degree += p.degrees()[position]
    for k in range(degree + 1):
        yield fmpq(problem.first + (k + 1) // 2 * (1 if k % 2 else -1))
