"""One seam for objects that are not geomlin multivectors.

A public operation that meets an argument whose class defines `__geomlin_operation__` hands the
call over to it.  So one statement of an identity, written with geomlin's functions, also runs on
another library's multivectors or on a prover's symbols, without a second statement.  In the same
way a backend whose numbers need other algorithms has `answers`, by the name of the operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from .errors import DtypeError, LayoutError
from .missing import around_missing

P = ParamSpec("P")
T = TypeVar("T")

_TOLERANCES = {"tolerance", "relative", "absolute"}
_FUNCTIONS: dict[str, Callable[..., Any]] = {}  # every leaf, by module and name
_RESULTS: dict[str, type[Any]] = {}  # of those that return a named tuple, or may: which
_COMPILED: dict[str, Callable[..., Any]] = {}  # filled by the torch backend when it is loaded
_COMPILING, _NODE = "torch is compiling", "torch makes a node"


def returns(result: type[Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Say which named tuple a leaf returns, or may: a compiler has to be told what it cannot read.

    Stands below `operation` or `leaf`.
    """

    def noted(function: Callable[P, T]) -> Callable[P, T]:
        _RESULTS[_name_of(function)] = result
        return function

    return noted


def leaf(function: Callable[P, T]) -> Callable[P, T]:
    """A function that torch.compile takes as one node of its graph, instead of reading its code.

    Product tables are made by numpy and kept, which a compiler can neither follow nor need.
    """
    name = _name_of(function)
    named: Any = _RESULTS.get(name)
    _FUNCTIONS[name] = function
    if _NODE in _COMPILED:  # loaded after torch
        _COMPILED[name] = _COMPILED[_NODE](_plain(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        compiled = _COMPILED.get(name)
        if compiled is not None and _COMPILED[_COMPILING]():
            result: Any = compiled(*args, **kwargs)
            found: T = named(*result) if named is not None and type(result) is tuple else result
            return found
        return function(*args, **kwargs)

    return call


def compile_leaves(
    is_compiling: Callable[[], bool], node: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> None:
    """Tell every leaf how to become one node; once, by a framework that compiles Python code."""
    _COMPILED[_COMPILING], _COMPILED[_NODE] = is_compiling, node
    for name, function in _FUNCTIONS.items():
        _COMPILED.setdefault(name, node(_plain(function)))


def _name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with plain tuples for named ones, whose classes no node can return."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return tuple(found) if isinstance(found, tuple) else found

    return call


def operation(function: Callable[P, T]) -> Callable[P, T]:
    """Let an argument's `__geomlin_operation__(name, arguments, keywords)` answer first.

    An operand given by its name, exp(A=B), is an operand like any other.
    """
    name = function.__name__
    operands = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict.fromkeys(_TOLERANCES, 0.0) | dict(function.__kwdefaults__ or {})

    switches = {key for key, value in defaults.items() if isinstance(value, bool)}

    @leaf
    @wraps(function)
    def dispatch(*args: Any, **kwargs: Any) -> T:
        if kwargs:
            args, kwargs = _in_their_places(operands, args, kwargs)
            for key in _TOLERANCES.intersection(kwargs):
                if kwargs[key] is not None or defaults[key] is not None:
                    check_tolerance(kwargs[key], key)
            for key in switches.intersection(kwargs):
                _check_switch(kwargs[key], key)
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
        chosen: Callable[..., T] = function if answers is None else answers.get(name, function)
        if answers is not None:  # whose arrays meet no number but floats
            for key in _TOLERANCES.intersection(kwargs):
                kwargs[key] = None if kwargs[key] is None else float(kwargs[key])
        if kwargs and _wants_nan(kwargs) and not getattr(backend, "exact", True):
            missing: T = around_missing(backend, partial(chosen, **kwargs), args)
            return missing
        arithmetic = getattr(backend, "arithmetic", None)
        if arithmetic is None:
            return chosen(*args, **kwargs)
        with arithmetic():
            return chosen(*args, **kwargs)

    return dispatch


def _wants_nan(kwargs: dict[str, Any]) -> bool:
    """Whether NaN is asked for; what is neither "raise" nor "nan" the function itself refuses."""
    on_error = kwargs.get("on_error")
    return isinstance(on_error, str) and on_error == "nan"


def check_tolerance(value: Any, name: str = "tolerance") -> None:
    """Accept real numbers >= 0 only."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DtypeError(
            f"expected a real number for {name}, got {value!r} of type {type(value).__name__}"
        )
    try:
        number = float(value)
    except OverflowError as error:
        raise LayoutError(f"expected {name} within the range of float64, got {value!r}") from error
    if not number >= 0:
        raise LayoutError(f"expected {name} >= 0, got {value!r}")


def _check_switch(value: Any, name: str) -> None:
    """Accept True and False only: an array or a word in their place is a mistake."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise DtypeError(
            f"expected True or False for {name}, got {value!r} of type {type(value).__name__}"
        )


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
