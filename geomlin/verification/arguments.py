"""Arguments of an identity, built from primitive parameters that an engine draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra import Algebra
from ..errors import NotSupported
from ..multivector import Multivector
from .kinds import kind_of, missing_kind, primitive_layout

# (kind of the argument, primitive kind of the parameter, size) -> coefficients (..., size)
Draw = Callable[[str, str, int], Any]


@dataclass(frozen=True)
class Arguments:
    """What an identity is applied to, and the parameters it was made from."""

    values: dict[str, Multivector]
    parameters: dict[str, list[Multivector]]
    kinds: Mapping[str, str]

    def valid(self) -> Any:
        """Which batch elements satisfy the conditions of their kinds."""
        good: Any = np.array(True)
        for name, kind in self.kinds.items():
            if kind != "pseudoscalar":
                check = kind_of(kind, exact=False).valid
                if check is not None:
                    good = good & check(self.values[name])
        return good

    def __getitem__(self, index: Any) -> Arguments:
        """Select batch elements; arguments without a batch stay as they are."""

        def chosen(a: Multivector) -> Multivector:
            result: Multivector = a[index] if a.shape else a
            return result

        return Arguments(
            {name: chosen(a) for name, a in self.values.items()},
            {name: [chosen(a) for a in made] for name, made in self.parameters.items()},
            self.kinds,
        )

    def __str__(self) -> str:
        """The parameters in exact numbers."""
        parts = []
        for name, made in self.parameters.items():
            kind = self.kinds[name]
            shown = [exact_text(a) for a in made]
            plain = len(shown) == 1 and kind in ("scalar", "vector", "bivector", "multivector")
            parts.append(f"{name} = {shown[0] if plain else f'{kind} of ' + '; '.join(shown)}")
        return ", ".join(parts) or "no free arguments"


def exact_text(a: Multivector) -> str:
    """Coefficients as short rationals, or as floats that round-trip."""
    terms = []
    for name, value in a.as_dict().items():
        number = value[()] if isinstance(value, np.ndarray) and value.shape == () else value
        terms.append(f"{exact_number(number)}" + ("" if name == "1" else f" {name}"))
    return " + ".join(terms).replace("+ -", "- ") or "0"


def exact_number(value: Any) -> str:
    """A number without rounding: p/q when short, else the float's shortest exact spelling."""
    if isinstance(value, (float, np.floating)):
        top, bottom = float(value).as_integer_ratio()
        if abs(top) < 10**6 and bottom < 10**6:
            return str(top) if bottom == 1 else f"{top}/{bottom}"
        return repr(float(value))
    return str(value)


def build(kinds: Mapping[str, str], algebra: Algebra, draw: Draw, *, exact: bool) -> Arguments:
    """Draw the parameters of every argument and build it; NotSupported where a kind is empty."""
    missing = missing_kind(tuple(kinds.values()), algebra.signature, exact=exact)
    if missing is not None:
        raise NotSupported(f"{algebra.signature} has no {missing}")
    values: dict[str, Multivector] = {}
    parameters: dict[str, list[Multivector]] = {}
    for name, kind in kinds.items():
        if kind == "pseudoscalar":
            values[name], parameters[name] = algebra.pseudoscalar, [algebra.pseudoscalar]
            continue
        rule = kind_of(kind, exact=exact)
        made = []
        for primitive in rule.parameters:
            layout = primitive_layout(primitive, algebra.n)
            made.append(Multivector(algebra, layout, draw(kind, primitive, layout.size)))
        values[name], parameters[name] = rule.build(*made), made
    return Arguments(values, parameters, kinds)


def difference(lhs: Any, rhs: Any) -> Any:
    """Coefficients of lhs - rhs, for multivectors or plain arrays."""
    result = lhs - rhs
    return result.coeffs if isinstance(result, Multivector) else np.asarray(result)
