"""A statement as text and as LaTeX: the function is run on expressions that only write down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .record import OutOfScope
from .sources import latex_name

# How tightly an expression binds: sum, wedge or contraction, product, prefix, atom.
_SUM, _WEDGE, _PRODUCT, _PREFIX, _ATOM = range(5)


@dataclass(frozen=True, eq=False)
class Expression:
    """Text and LaTeX of a value, and how tightly its last operator binds."""

    text: str
    latex: str
    binding: int = _ATOM

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __geomlin_operation__(
        self, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        return _call(name, [as_expression(a) for a in arguments])

    @property
    def algebra(self) -> _WrittenAlgebra:
        """Basis blades by name."""
        return _WrittenAlgebra()

    def grade(self, k: int) -> Expression:
        """Part of grade k."""
        return _call("grade", [self, as_expression(k)])

    def within(self, binding: int) -> tuple[str, str]:
        """Text and LaTeX, in brackets where the surrounding operator binds more tightly."""
        if self.binding >= binding:
            return self.text, self.latex
        return f"({self.text})", rf"\left({self.latex}\right)"

    def __add__(self, other: Any) -> Expression:
        return _infix(self, as_expression(other), " + ", " + ", _SUM, _SUM)

    def __radd__(self, other: Any) -> Expression:
        return as_expression(other) + self

    def __sub__(self, other: Any) -> Expression:
        return _infix(self, as_expression(other), " − ", " - ", _SUM, _WEDGE)

    def __rsub__(self, other: Any) -> Expression:
        return as_expression(other) - self

    def __mul__(self, other: Any) -> Expression:
        return _infix(self, as_expression(other), " ", r" \, ", _PRODUCT, _PREFIX)

    def __rmul__(self, other: Any) -> Expression:
        return as_expression(other) * self

    def __xor__(self, other: Any) -> Expression:
        return _infix(self, as_expression(other), " ∧ ", r" \wedge ", _PREFIX, _PREFIX, _WEDGE)

    def __truediv__(self, other: Any) -> Expression:
        return _infix(self, as_expression(other), " / ", " / ", _PREFIX, _PREFIX)

    def __neg__(self) -> Expression:
        text, latex = self.within(_PRODUCT)
        return Expression(f"−{text}", f"-{latex}", _SUM)

    def __pos__(self) -> Expression:
        return self

    def __invert__(self) -> Expression:
        return _call("reverse", [self])

    def __pow__(self, exponent: int) -> Expression:
        text, latex = self.within(_ATOM)
        return Expression(f"{text}^{exponent}", f"{{{latex}}}^{{{exponent}}}", _PREFIX)

    def __eq__(self, other: object) -> bool:
        raise OutOfScope("what is only written down cannot be compared")

    def __bool__(self) -> bool:
        raise OutOfScope("what is only written down is neither true nor false")


class _WrittenAlgebra:
    """What a statement asks of `A.algebra`."""

    pseudoscalar = Expression("I", "I")

    def blade(self, name: str) -> Expression:
        """A basis blade."""
        return Expression(name, f"e_{{{name[1:]}}}")


def as_expression(value: Any) -> Expression:
    """A number or an expression as an expression."""
    if isinstance(value, Expression):
        return value
    text = str(value)
    return Expression(text, text, _SUM if text.startswith("-") else _ATOM)


def _infix(
    a: Expression, b: Expression, text: str, latex: str, left: int, right: int, own: int = -1
) -> Expression:
    """a OP b, with brackets around operands that bind less tightly than `left` and `right`."""
    (x, x_latex), (y, y_latex) = a.within(left), b.within(right)
    binding = min(left, right) if own < 0 else own
    return Expression(f"{x}{text}{y}", f"{x_latex}{latex}{y_latex}", binding)


def _operator(text: str, latex: str) -> Callable[..., Expression]:
    return lambda a, b: _infix(a, b, text, latex, _PREFIX, _PREFIX, _WEDGE)


def _brackets(a: Expression, b: Expression, subscript: str) -> Expression:
    product = a * b
    return Expression(f"⟨{product.text}⟩{subscript}", rf"\langle {product.latex} \rangle_0")


def _prefix(text: str, latex: str) -> Callable[..., Expression]:
    def write(a: Expression) -> Expression:
        inner, inner_latex = a.within(_ATOM)
        return Expression(text + inner, f"{latex}{{{inner_latex}}}", _PREFIX)

    return write


def _inverse(a: Expression) -> Expression:
    text, latex = a.within(_ATOM)
    return Expression(f"{text}⁻¹", f"{{{latex}}}^{{-1}}", _PREFIX)


_WRITTEN: dict[str, Callable[..., Expression]] = {
    "geometric_product": lambda a, b: a * b,
    "outer_product": lambda a, b: a ^ b,
    "left_contraction": _operator(" ⌋ ", r" \rfloor "),
    "right_contraction": _operator(" ⌊ ", r" \lfloor "),
    "regressive_product": _operator(" ∨ ", r" \vee "),
    "scalar_product": lambda a, b: _brackets(a, b, "₀"),
    "commutator": lambda a, b: Expression(f"[{a.text}, {b.text}]", f"[{a.latex}, {b.latex}]"),
    "anticommutator": lambda a, b: Expression(
        f"{{{a.text}, {b.text}}}", rf"\{{{a.latex}, {b.latex}\}}"
    ),
    "grade": lambda a, k: Expression(
        f"⟨{a.text}⟩_{k.text}", rf"\langle {a.latex} \rangle_{{{k.latex}}}"
    ),
    "reverse": _prefix("~", r"\tilde"),
    "involute": _prefix("^", r"\hat"),
    "conjugate": _prefix("~^", r"\bar"),
    "inverse": _inverse,
    "norm": lambda a: Expression(f"|{a.text}|", f"|{a.latex}|"),
    "norm_squared": lambda a: Expression(f"|{a.text}|²", f"|{a.latex}|^2"),
    "sandwich": lambda v, x: v * x * _call("reverse", [v]),
}


def _call(name: str, arguments: list[Expression]) -> Expression:
    """A function call, with the field's symbol where there is one."""
    if name in _WRITTEN:
        return _WRITTEN[name](*arguments)
    inside = ", ".join(a.text for a in arguments)
    inside_latex = ", ".join(a.latex for a in arguments)
    escaped = name.replace("_", r"\_")
    return Expression(f"{name}({inside})", rf"\operatorname{{{escaped}}}({inside_latex})")


def written(function: Callable[..., Any], names: Iterable[str]) -> tuple[str, str]:
    """lhs = rhs in text and LaTeX; the docstring where the function asks for more than symbols."""
    try:
        sides = function(**{name: Expression(name, latex_name(name)) for name in names})
        lhs, rhs = (as_expression(side) for side in sides)
    except (Exception, SystemExit):  # it may ask anything of its arguments; text is not the proof
        text = " ".join((function.__doc__ or "lhs = rhs").split())
        return text, rf"\text{{{text}}}"
    return f"{lhs.text} = {rhs.text}", f"{lhs.latex} = {rhs.latex}"
