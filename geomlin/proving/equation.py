"""Equations between exact values, and the witness of one that is false.

A value is a rational number, a polynomial, an element of a Clifford algebra, a matrix, or a
sequence of values.  An equation is true when every coefficient of lhs - rhs reduces to zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from flint import fmpq, fmpq_mpoly

from .matrices import Matrix
from .symbolic_metric import Element, SymbolicMetric

Leaf: TypeAlias = int | fmpq | fmpq_mpoly | Element
Value: TypeAlias = "Leaf | Matrix | Sequence[Value]"
Point: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Equation:
    """lhs = rhs in the ring of `space` (None when both sides are numbers).

    `showing` are further values that a witness prints, evaluated at its point.
    """

    lhs: Value
    rhs: Value
    space: SymbolicMetric | None = None
    showing: Mapping[str, Value] = field(default_factory=dict)

    def witness(self) -> str | None:
        """None when the equation is true, otherwise a point in exact numbers where it fails."""
        for label, left, right in _leaves("", self.lhs, self.rhs):
            difference = self._nonzero_coefficient(left, right)
            if difference is None:
                continue
            if self.space is None or not isinstance(difference, fmpq_mpoly):
                return self._text({}, label, left, right)
            return self._text(nonzero_point(difference, self.space), label, left, right)
        return None

    def _nonzero_coefficient(self, left: Leaf, right: Leaf) -> fmpq_mpoly | fmpq | None:
        """A reduced coefficient of left - right that is not zero, shortest first."""
        difference = left - right
        if not isinstance(difference, Element | fmpq_mpoly):
            return fmpq(difference) if difference != 0 else None
        parts = difference.terms.values() if isinstance(difference, Element) else [difference]
        for part in sorted((p for p in parts if p != 0), key=len):
            reduced = part if self.space is None else self.space.reduce(part)
            if reduced != 0:
                return reduced
        return None

    def _text(self, point: Point, label: str, left: Leaf, right: Leaf) -> str:
        """The point, the values to show and both sides, evaluated."""
        parts = [] if self.space is None else describe_point(point, self.space)
        parts += [f"{name} = {evaluate(value, point)}" for name, value in self.showing.items()]
        where = f" at {label}" if label else ""
        parts.append(f"lhs{where} = {evaluate(left, point)}, rhs = {evaluate(right, point)}")
        return "; ".join(parts)


def _leaves(label: str, left: Value, right: Value) -> Iterator[tuple[str, Leaf, Leaf]]:
    """Pair the leaves of two values of the same shape; a label is the path of positions."""
    left, right = (x.rows if isinstance(x, Matrix) else x for x in (left, right))
    if isinstance(left, Sequence) or isinstance(right, Sequence):
        if not (isinstance(left, Sequence) and isinstance(right, Sequence)):
            raise TypeError(f"expected two sequences, got {type(left)} and {type(right)}")
        for position, (a, b) in enumerate(zip(left, right, strict=True), start=1):
            yield from _leaves(f"{label}[{position}]", a, b)
    else:
        yield label, left, right


def nonzero_point(polynomial: fmpq_mpoly, space: SymbolicMetric) -> Point:
    """A point where a nonzero reduced polynomial does not vanish, metric squares in {-1, 0, 1}.

    The symbols are specialised one after the other.  A nonzero polynomial of degree d in a
    symbol vanishes for at most d of its values, so the candidates of `space` cannot all fail and
    at most (degree + 1) substitutions per symbol are made.
    """
    point: Point = {}
    metric_first = (*space.metric_names, *(s for s in space.names if s not in space.metric_names))
    for name in metric_first:
        if name in space.kept:
            continue
        degree = polynomial.degrees()[space.names.index(name)]
        for value in space.candidates(name, degree):
            specialised = polynomial.subs({name: value})
            if specialised != 0:
                polynomial = specialised
                point[name] = value
                break
        else:
            raise ArithmeticError(f"{polynomial} is not reduced: it vanishes at every {name}")
    return point


def evaluate(value: Value, point: Mapping[str, int]) -> str:
    """The value at the point, printed."""
    if isinstance(value, Matrix):
        return evaluate(value.rows, point)
    if isinstance(value, Sequence):
        return "(" + ", ".join(evaluate(item, point) for item in value) + ")"
    if isinstance(value, Element):
        return str(value.map(lambda p: p.subs(point)))
    if isinstance(value, fmpq_mpoly):
        return str(value.subs(point))
    return str(value)


def describe_point(point: Mapping[str, int], space: SymbolicMetric) -> list[str]:
    """g as a tuple, then the symbols that are not zero."""
    metric = f"g = {evaluate(space.metric, point)}"
    others = [name for name in space.names if name not in space.metric_names]
    nonzero = [f"{name} = {point[name]}" for name in others if point.get(name, 0) != 0]
    vanishing = any(point.get(name, 0) == 0 for name in others if name not in space.kept)
    rest = ["the other symbols 0" if nonzero else "all symbols 0"] if vanishing else []
    return [metric, *([", ".join(nonzero + rest)] if nonzero or rest else [])]
