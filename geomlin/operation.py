"""One seam for objects that are not geomlin multivectors.

A public operation that meets an argument whose class defines `__geomlin_operation__` hands the
call over to it.  So one statement of an identity, written with geomlin's functions, also runs on
another library's multivectors or on a prover's symbols, without a second statement.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import LayoutError

P = ParamSpec("P")
T = TypeVar("T")


def operation(function: Callable[P, T]) -> Callable[P, T]:
    """Let an argument's `__geomlin_operation__(name, arguments, keywords)` answer first."""
    name = function.__name__

    @wraps(function)
    def dispatch(*args: P.args, **kwargs: P.kwargs) -> T:
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
        arithmetic = _arithmetic(args)
        if arithmetic is None:
            return function(*args, **kwargs)
        with arithmetic():
            return function(*args, **kwargs)

    return dispatch


def at_working_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function of multivectors at the precision of the first, if its numbers have one.

    Arithmetic on balls takes place at a precision that is global to the process; the backend of
    the multivector says which.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        arithmetic = _arithmetic(args)
        if arithmetic is None:
            return function(*args, **kwargs)
        with arithmetic():
            return function(*args, **kwargs)

    return run


def _arithmetic(args: tuple[Any, ...]) -> Any:
    """What sets the working precision of the first argument; None if its numbers have none."""
    algebra = getattr(args[0], "algebra", None) if args else None
    return None if algebra is None else getattr(algebra.backend_object, "arithmetic", None)
