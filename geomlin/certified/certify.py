"""Raising the precision until an enclosure is narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from flint import arb

from ..errors import NotSupported, Undecided
from ..precision import working_precision

FEWEST_BITS = 64


def certify(
    function: Callable[..., Any],
    *arguments: Any,
    relative: float = 2.0**-60,
    absolute: float = 0.0,
    most_bits: int = 4096,
) -> Any:
    """Enclosure of f(A, ..) for exact arguments, at the first precision that makes it narrow.

    radius <= absolute + relative max |coefficient|, for every element of the result.

    Parameters
    ----------
    function : made of geomlin functions; it gets the arguments with backend "arb" and may return a
        multivector, an array of balls, or a tuple of such.
    arguments : multivectors of floats or exact numbers, taken exactly; algebras; anything else is
        passed on as it is.
    relative, absolute : the radius that is allowed.  A result that is zero, but not proved to be,
        needs `absolute`.
    most_bits : the largest precision tried; it doubles from 64.

    Returns
    -------
    What the function returns, over "arb".

    Raises
    ------
    Undecided if no precision up to `most_bits` answers, as on a branch cut.

    Examples
    --------
    >>> from geomlin import Algebra, exp
    >>> from geomlin.certified.certify import certify
    >>> R = certify(exp, Algebra(2).bivector([1.0]), relative=1e-30)
    >>> print(R["1"].str(25, radius=False))
    0.5403023058681397174009366
    """
    bits, failure = FEWEST_BITS, "its radius stays too large"
    while bits <= most_bits:
        try:
            result = function(*(_at_precision(argument, bits) for argument in arguments))
        except Undecided as error:
            failure = str(error)
        else:
            if _is_narrow(result, relative, absolute):
                return result
        bits *= 2
    raise Undecided(f"no answer within {relative:g} relative at {most_bits} bits: {failure}")


def _at_precision(argument: Any, bits: int) -> Any:
    """A multivector or an algebra over balls of this precision."""
    algebra = getattr(argument, "algebra", argument)
    if not hasattr(algebra, "backend_object"):
        return argument
    target = type(algebra)(*algebra.signature, backend="arb", precision=bits)
    if algebra is argument:
        return target
    source = algebra.backend_object
    if algebra.backend == "arb" and not all(x.is_exact() for x in argument.coeffs.reshape(-1)):
        raise NotSupported("certify needs exact arguments: a ball cannot be narrowed")
    values = source.to_exact(argument.coeffs) if source.exact else argument.coeffs
    return target.scalar(0).replace(argument.layout, target.backend_object.array(values))


def _is_narrow(result: Any, relative: float, absolute: float) -> bool:
    """Whether all radii in the result are small enough."""
    with working_precision(FEWEST_BITS):
        for row in _rows(result):
            size = max((x.abs_upper() for x in row), default=arb(0))
            limit = arb(absolute) + arb(relative) * size
            if not all(x.is_exact() or x.rad() <= limit for x in row):
                return False
    return True


def _rows(result: Any) -> Iterator[list[Any]]:
    """The balls of each multivector of a batch, of each array, and of all members of a tuple."""
    if isinstance(result, tuple):
        for member in result:
            yield from _rows(member)
    elif hasattr(result, "coeffs"):
        for index in np.ndindex(result.shape):
            yield list(result.coeffs[index])
    elif isinstance(result, np.ndarray) and result.dtype == object:
        yield [part for x in result.reshape(-1) for part in (x.real, x.imag)]
    elif isinstance(result, arb):
        yield [result]
