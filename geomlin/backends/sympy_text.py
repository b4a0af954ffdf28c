"""Sympy expressions as text and back, without eval: arithmetic, symbols and named functions."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from typing import Any

import sympy
from sympy.core.function import FunctionClass
from sympy.printing.str import StrPrinter

from ..errors import DtypeError
from ..symbolic_functions import ArcRatio, ArcRatioSplit, Stumpff, StumpffSplit
from ..symbolic_roots import CubicExponential, CubicLogarithm, CubicRoot
from .objects import exact_rational

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
    ast.UAdd: lambda a: a,
    ast.USub: lambda a: -a,
}
_CONSTANTS = ("pi", "E", "I", "oo", "nan", "zoo")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": sympy.sqrt,
    "Rational": sympy.Rational,
    **{f.__name__: f for f in (Stumpff, ArcRatio, StumpffSplit, ArcRatioSplit)},
    **{f.__name__: f for f in (CubicRoot, CubicExponential, CubicLogarithm)},
}


def parse(text: str) -> sympy.Expr:
    """The expression that `write` or str() wrote; decimals are exact rationals."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise DtypeError(
            f"expected an expression such as '3/4', 'x**2 + 1' or 'sqrt(2)', got {text!r}"
        ) from error


def _value(node: ast.expr) -> Any:
    """One node of the syntax tree; every kind that is not listed is a KeyError."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            rational = exact_rational(number)
            return sympy.Rational(rational.numerator, rational.denominator)
        case ast.Name(id=name):
            return getattr(sympy, name) if name in _CONSTANTS else sympy.Symbol(name)
        case ast.UnaryOp(op=operator, operand=operand):
            return _OPERATORS[type(operator)](_value(operand))
        case ast.BinOp(left=left, op=operator, right=right):
            return _OPERATORS[type(operator)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name)]):
            assumptions = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
            return sympy.Symbol(name, **assumptions)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _function(name)(*(_value(argument) for argument in arguments))
    raise KeyError(type(node).__name__)


def _function(name: str) -> Callable[..., Any]:
    """A function of sympy by name."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    found = getattr(sympy, name, None)
    if not isinstance(found, FunctionClass):
        raise KeyError(name)
    function: Callable[..., Any] = found
    return function


class _Writer(StrPrinter):  # type: ignore[misc]
    """As str(), but symbols that their name alone does not determine are written out."""

    def _print_Symbol(self, symbol: sympy.Symbol) -> str:
        name = str(symbol.name)
        plain = name.isidentifier() and name not in _CONSTANTS and not keyword.iskeyword(name)
        return name if plain and symbol == sympy.Symbol(name) else str(sympy.srepr(symbol))


def write(expression: sympy.Expr) -> str:
    """Text that `parse` takes back to an equal expression, assumptions on symbols included."""
    return str(_Writer().doprint(expression))
