"""log of rotors of which R - 1 is nilpotent: a polynomial with rational coefficients.

    log(R) = sum_k (-1)^(k+1) (R - 1)^k / k                                               (1)

ends by itself, for translators, null rotations and all products of exponentials of null bivectors
that share a flag.  There B = log(R) is nilpotent, has no angle, and is the principal logarithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import NotARotor, NotSupported
from ..layout import even_layout, grade_layout
from .grades import even, with_layout
from .involutions import reverse
from .products import geometric_product

if TYPE_CHECKING:
    from ..multivector import Multivector


def largest_order(n: int, r: int) -> int:
    """A k with A^k = 0 for every nilpotent bivector A of n vectors, r of them null.

    With e_0 = e_+ + e_- it acts on spinors of n + r dimensions, where the largest weight of
    sl(2) is 1 + 2 + .. + (n + r) // 2 in steps of a half: a chain of 1 more.
    """
    half = (n + r) // 2
    return half * (half + 1) // 2 + 1


def unipotent_log(r: Multivector, *, normalize: bool = False) -> Multivector:
    """Equation (1) on a backend of exact numbers.

    NotSupported where R - 1 is not nilpotent: log R is not rational there; NotARotor where R ~R is
    not 1 or log R is no bivector.
    """
    algebra = r.algebra
    _check_length(r, normalize)
    rest = with_layout(even(r), even_layout(algebra.n)) - 1
    total, power = rest, rest
    for k in range(2, largest_order(algebra.n, algebra.signature.r) + 2):
        if not _is_zero(rest.grade(0)):  # the trace of what is nilpotent is zero
            break
        power = geometric_product(power, rest)
        if _is_zero(power):
            return _bivector(total)
        total = total + power * (-1) ** (k + 1) / k
    raise NotSupported(
        f"log of this rotor is not rational, as R - 1 is not nilpotent, and backend "
        f"{algebra.backend!r} is exact: use R.to(backend='arb'), 'sympy' or 'numpy'"
    )


def _is_zero(a: Multivector) -> bool:
    return bool(np.all(a.algebra.backend_object.is_zero(a.coeffs)))


def _check_length(r: Multivector, normalize: bool) -> None:
    """NotARotor unless R is even and R ~R = 1."""
    excess = geometric_product(r, reverse(r)) - 1
    if not _is_zero(r - even(r)):
        raise NotARotor("expected an even versor, got odd parts: log is of even versors only")
    if _is_zero(excess):
        return
    if normalize:
        raise NotSupported(
            "R / sqrt(R ~R) is not rational in general: use R.to(backend='arb'), 'sympy' or 'numpy'"
        )
    raise NotARotor(f"expected R ~R = 1, got a difference of {excess}: divide R by its length")


def _bivector(found: Multivector) -> Multivector:
    """The bivector layout of what must be one."""
    bivector = found.grade(2)
    if not _is_zero(found - bivector):
        raise NotARotor("expected a versor: the logarithm has parts of other grades than 2")
    return with_layout(bivector, grade_layout(found.algebra.n, 2))
