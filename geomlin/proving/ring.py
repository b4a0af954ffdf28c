"""A polynomial ring over Q whose indeterminates have readable names, and polynomials as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from ..blades import indices_of
from ..errors import DtypeError, LayoutError

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Symbol:
    """An indeterminate: its role in the proof, how it reads, and the same in LaTeX."""

    role: str  # auxiliary, root, sign, scalar, metric, gram or coordinate
    text: str
    latex: str


AUXILIARY = Symbol("auxiliary", "t", "t")  # for 1 - t d = 0, which says that d is not zero


class Ring:
    """Q[symbols] in lexicographic order, the earlier symbols larger."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self.symbols = (AUXILIARY, *symbols)
        if len(set(self.symbols)) != len(self.symbols):
            raise LayoutError(
                f"two arguments give the same symbol in {[s.text for s in symbols]}: rename one"
            )
        # flint wants ASCII names; the readable ones are put in when a polynomial is printed.
        self.names = tuple(f"z{i}" for i in range(len(self.symbols)))
        self.context = fmpq_mpoly_ctx.get(self.names, Ordering.lex)
        self._generators = dict(zip(self.symbols, self.context.gens(), strict=True))
        self.one = self.context.constant(1)
        self.zero = self.context.constant(0)

    def __getitem__(self, symbol: Symbol) -> fmpq_mpoly:
        """The indeterminate of that symbol."""
        return self._generators[symbol]

    @property
    def auxiliary(self) -> fmpq_mpoly:
        """The indeterminate that stands for no quantity of the statement."""
        return self._generators[AUXILIARY]

    def with_role(self, *roles: str) -> dict[Symbol, str]:
        """The symbols of these roles and their names in polynomials."""
        pairs = zip(self.symbols, self.names, strict=True)
        return {symbol: name for symbol, name in pairs if symbol.role in roles}

    def text(self, polynomial: fmpq_mpoly, *, latex: bool = False) -> str:
        """A polynomial in readable symbols."""
        terms = sorted(polynomial.to_dict().items(), key=lambda item: (sum(item[0]), item[0]))
        parts = []
        for powers, coefficient in terms:
            factors = [
                _power(symbol.latex if latex else symbol.text, k, latex=latex)
                for symbol, k in zip(self.symbols, powers, strict=True)
                if k
            ]
            parts.append(_signed(coefficient, sorted(factors), latex=latex))
        return joined(parts)


def rational(value: Any) -> fmpq:
    """An exact rational number; floats are taken at their exact value."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, np.integer):
        value = int(value)
    if isinstance(value, (float, np.floating)) and isfinite(value):
        value = Fraction(*value.as_integer_ratio())
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise DtypeError(
            f"expected a rational coefficient, got {value!r}: identities have rational "
            "coefficients; an irrational number is a scalar argument with a hypothesis"
        )
    return fmpq(value.numerator, value.denominator)


def _power(base: str, exponent: int, *, latex: bool) -> str:
    """base^exponent; a base that is more than a name gets brackets."""
    if exponent == 1:
        return base
    plain = base.isalnum() or (base.startswith("(") and base.endswith(")"))
    bracketed = base if plain else rf"\left({base}\right)" if latex else f"({base})"
    return bracketed + (f"^{{{exponent}}}" if latex else str(exponent).translate(_SUPERSCRIPTS))


def _signed(coefficient: fmpq, factors: Sequence[str], *, latex: bool) -> str:
    """One summand, with its sign in front."""
    sign = "−" if coefficient < 0 and not latex else "-" if coefficient < 0 else ""
    size = abs(coefficient)
    if not factors:
        return sign + number_text(size, latex=latex)
    number = "" if size == 1 else number_text(size, latex=latex) + " "
    return sign + number + " ".join(factors)


def number_text(value: fmpq, *, latex: bool = False) -> str:
    """A rational number."""
    if latex and value.q != 1:
        return rf"\tfrac{{{value.p}}}{{{value.q}}}"
    return str(value)


def joined(parts: Sequence[str]) -> str:
    """Summands with their signs, as a sum; "0" if there are none."""
    text = " + ".join(parts)
    for minus in ("−", "-"):
        text = text.replace(f"+ {minus}", f"{minus} ")
    return text or "0"


def element_text(
    ring: Ring,
    terms: Mapping[int, fmpq_mpoly],
    blade: Callable[[int], tuple[str, str]],
    *,
    latex: bool = False,
) -> str:
    """sum_S c_S a_S by grade, with `blade` the name of a basis blade in text and in LaTeX."""
    parts = []
    for mask in sorted(terms, key=lambda mask: (mask.bit_count(), indices_of(mask))):
        name = blade(mask)[latex]
        text = ring.text(terms[mask], latex=latex)
        if not name:
            parts.append(text)
        elif text == "1":
            parts.append(name)
        elif text in ("−1", "-1"):
            parts.append(text[0] + name)
        elif len(terms[mask]) > 1:
            parts.append(f"[{text}] {name}")
        else:
            parts.append(f"{text} {name}")
    return joined(parts)
