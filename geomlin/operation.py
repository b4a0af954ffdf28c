"""One seam for objects that are not geomlin multivectors.

A public operation that meets an argument whose class defines `__geomlin_operation__` hands the
call over to it.  So one statement of an identity, written with geomlin's functions, also runs on
another library's multivectors or on a prover's symbols, without a second statement.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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
        return function(*args, **kwargs)

    return dispatch
