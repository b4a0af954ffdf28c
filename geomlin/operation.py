"""One seam for objects that are not geomlin multivectors.

A public operation that meets an argument whose class defines `__geomlin_operation__` hands the
call over to it.  So one statement of an identity, written with geomlin's functions, also runs on
another library's multivectors or on a prover's symbols, without a second statement.  In the same
way a backend whose numbers need other algorithms has `answers`, by the name of the operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from .errors import DtypeError, LayoutError

P = ParamSpec("P")
T = TypeVar("T")

_TOLERANCES = {"tolerance", "relative", "absolute"}
_FUNCTIONS: dict[str, Callable[..., Any]] = {}  # every leaf, by module and name
_COMPILED: dict[str, Callable[..., Any]] = {}  # filled by the torch backend when it is loaded
_COMPILING = "torch is compiling"


def leaf(function: Callable[P, T]) -> Callable[P, T]:
    """A function that torch.compile takes as one node of its graph, instead of reading its code.

    Product tables are made by numpy and kept, which a compiler can neither follow nor need.
    """
    name = f"{function.__module__}.{function.__qualname__}"
    _FUNCTIONS[name] = function

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        compiled = _COMPILED.get(name)
        if compiled is not None and _COMPILED[_COMPILING]():
            result: T = compiled(*args, **kwargs)
            return result
        return function(*args, **kwargs)

    return call


def compile_leaves(
    is_compiling: Callable[[], bool], node: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> None:
    """Tell every leaf how to become one node; once, by a framework that compiles Python code."""
    _COMPILED[_COMPILING] = is_compiling
    for name, function in _FUNCTIONS.items():
        _COMPILED.setdefault(name, node(function))


def operation(function: Callable[P, T]) -> Callable[P, T]:
    """Let an argument's `__geomlin_operation__(name, arguments, keywords)` answer first.

    An operand given by its name, exp(A=B), is an operand like any other.
    """
    name = function.__name__
    operands = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict.fromkeys(_TOLERANCES, 0.0) | dict(function.__kwdefaults__ or {})

    @leaf
    @wraps(function)
    def dispatch(*args: Any, **kwargs: Any) -> T:
        if kwargs:
            args, kwargs = _in_their_places(operands, args, kwargs)
            for key in _TOLERANCES.intersection(kwargs):
                if kwargs[key] is not None or defaults[key] is not None:
                    check_tolerance(kwargs[key], key)
        for argument in args:
            foreign = getattr(type(argument), "__geomlin_operation__", None)
            if foreign is not None:
                result: T = foreign(argument, name, args, kwargs)
                return result
        if args and not hasattr(args[0], "coeffs"):
            raise LayoutError(
                f"{name} expected a Multivector, got {type(args[0]).__name__}: build one with "
                "Algebra(p, q, r).multivector(...) or .scalar(...)"
            )
        backend = _backend(args)
        answers = getattr(backend, "answers", None)
        if answers is not None:
            answer: T = answers.get(name, function)(*args, **kwargs)
            return answer
        arithmetic = getattr(backend, "arithmetic", None)
        if arithmetic is None:
            return function(*args, **kwargs)
        with arithmetic():
            return function(*args, **kwargs)

    return dispatch


def check_tolerance(value: Any, name: str = "tolerance") -> None:
    """Accept real numbers >= 0 only."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DtypeError(
            f"expected a real number for {name}, got {value!r} of type {type(value).__name__}"
        )
    if not float(value) >= 0:
        raise LayoutError(f"expected {name} >= 0, got {value!r}")


def _in_their_places(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Operands given by name moved to the positional arguments, as far as they are complete."""
    found, rest = list(args), dict(kwargs)
    for name in names[len(args) :]:
        if name not in rest:
            break
        found.append(rest.pop(name))
    return tuple(found), rest


def at_working_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function of multivectors at the precision of the first, if its numbers have one.

    Arithmetic on balls takes place at a precision that is global to the process; the backend of
    the multivector says which.
    """

    @leaf
    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        arithmetic = getattr(_backend(args), "arithmetic", None)
        if arithmetic is None:
            return function(*args, **kwargs)
        with arithmetic():
            return function(*args, **kwargs)

    return run


def _backend(args: tuple[Any, ...]) -> Any:
    """The backend of the first argument; it may set a working precision, or have its own answers
    to operations."""
    algebra = getattr(args[0], "algebra", None) if args else None
    return None if algebra is None else algebra.backend_object
