"""Logarithm and square root of a symbolic rotor of at most five basis vectors.

C = (R + ~R) / 2 = R_0 + R_4 and S = (R - ~R) / 2 = R_2 are cosh B and sinh B, so with f(c) =
acosh(c) / sqrt(c^2 - 1) and d = R_4^2

    log(R) = f(C) S = Split_0[f](R_0, d) S + Split_1[f](R_0, d) R_4 S,
    sqrt(R) = (1 + R) (2 + 2 C)^(-1/2),

where the spinor eigenvalues R_0 +- sqrt(d) of C exceed -1.  Both use R ~R = 1.  Where numbers show
that they do not: symbolic_branch.py.  The logarithm for six and seven basis vectors, where R_0 > 0
and every rotation is below pi / 2: symbolic_large.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import NoRealLogarithm, NotARotor, NotSupported
from ..symbolic_functions import ArcRatio, ArcRatioSplit, square_root_or_none
from .grades import even, odd
from .involutions import reverse
from .norms import norm_squared
from .products import geometric_product
from .symbolic_branch import as_floats, is_next_to, log_in_basis_planes, sign_of_exp
from .symbolic_large import log_by_cubic
from .symbolic_tools import clearly_not_zero, combined, each, mapped, vanishes

if TYPE_CHECKING:
    from ..multivector import Multivector
    from .failures import OnError

    FloatLog = Callable[..., Multivector]

LARGEST_PART = 5  # basis vectors that occur in the rotor
LARGEST_OF_LOG = 7


def rotor_log(
    r: Multivector,
    float_log: FloatLog,
    *,
    up_to_sign: bool = False,
    normalize: bool = False,
    on_error: OnError = "raise",
) -> Multivector:
    """log(R) for sympy coefficients; symbols are taken to satisfy R ~R = 1.

    `float_log` is log for floats: off the principal branch it says which logarithm is meant.
    """
    function = _log_up_to_sign if up_to_sign else _log
    one = r.algebra.scalar(1)
    return each(lambda a: function(_checked(a, normalize), float_log), r, one, on_error)


def rotor_sqrt(r: Multivector, float_log: FloatLog, *, on_error: OnError = "raise") -> Multivector:
    """sqrt(R) for sympy coefficients: (2 + 2 C)^(-1/2) = (a + m - 2 R_4) / (m sqrt(2 (a + m))),
    a = 2 + 2 R_0 and m^2 = a^2 - 4 R_4^2."""
    one = r.algebra.scalar(1)
    return each(lambda a: _sqrt(_checked(a, False), float_log), r, one, on_error)


def rotor_power(
    r: Multivector, t: Any, float_log: FloatLog, *, on_error: OnError = "raise"
) -> Multivector:
    """exp(t log R) for sympy coefficients, NaN where the logarithm is."""
    from .exponential import exp

    b = rotor_log(r, float_log, on_error=on_error)
    unknown: Any = np.array([c is sympy.nan for c in b.coeffs.flat]).reshape(b.coeffs.shape)
    missing: Any = unknown.any(axis=-1, keepdims=True)
    found = exp(b.replace(b.layout, np.where(missing, sympy.Integer(0), b.coeffs)) * t)
    return found.replace(found.layout, np.where(missing, sympy.nan, found.coeffs))


def _checked(r: Multivector, normalize: bool) -> Multivector:
    """R, or R / sqrt(R ~R); numbers are checked to twenty digits, symbols trusted."""
    if not vanishes(odd(r)):
        raise NotARotor(f"expected a rotor, got odd parts {odd(r)}: log is of even versors only")
    r = even(r)
    if normalize:
        squares = (r.algebra.blade(name) for name in r.layout.names)
        terms = (c**2 * norm_squared(e)["1"] for c, e in zip(r.coeffs, squares, strict=True))
        length = sympy.sqrt(sympy.Add(*terms))
        r = mapped(r, lambda c: c / length)
    if any(c.free_symbols for c in r.coeffs):
        return r
    square = geometric_product(r, reverse(r))
    if any(clearly_not_zero(c) for c in (square - 1).coeffs):
        raise NotARotor(
            f"expected R ~R = 1, got {square}: pass normalize=True if only the length is wrong"
        )
    return r


def _basis_vectors(r: Multivector) -> int:
    """How many basis vectors occur in R."""
    used = reduce(or_, (m for m, c in zip(r.layout.masks, r.coeffs, strict=True) if c != 0), 0)
    return used.bit_count()


def _too_large(name: str, most: int, size: int) -> NotSupported:
    return NotSupported(
        f"{name} of symbolic rotors needs at most {most} basis vectors, got {size}: substitute "
        "numbers and use A.to(backend='arb') or 'numpy'"
    )


def _log(r: Multivector, float_log: FloatLog) -> Multivector:
    found = _principal_log(r)
    if found is not None:
        return found
    if any(c.free_symbols for c in r.coeffs):
        raise NoRealLogarithm(
            f"expected eigenvalues of R_0 + R_4 above -1, got {r}: its logarithm, if any, is not "
            "principal; substitute numbers for the symbols",
            reason="undecided: not principal",
        )
    return log_in_basis_planes(r, float_log(as_floats(r), normalize=True))


def _log_up_to_sign(r: Multivector, float_log: FloatLog) -> Multivector:
    """The generator of the rotation of R: log(R) or log(-R), with angles of at most pi / 2."""
    if any(c.free_symbols for c in r.coeffs):
        raise NotSupported(
            f"log of a symbolic rotor up to sign: which of R and -R is meant depends on the values "
            f"of the symbols, got {r}: substitute numbers, or use log(R)"
        )
    guide = float_log(as_floats(r), up_to_sign=True, normalize=True)
    rotor = mapped(r, lambda c: sign_of_exp(guide, r) * c)
    found = _principal_log(rotor)
    if found is not None and is_next_to(found, guide):
        return found
    return log_in_basis_planes(rotor, guide)


def _principal_log(r: Multivector) -> Multivector | None:
    """The closed form; None where a number shows that it does not hold."""
    size = _basis_vectors(r)
    if size > LARGEST_OF_LOG:
        raise _too_large("log", LARGEST_OF_LOG, size)
    if size > LARGEST_PART:
        return None if r["1"].is_nonpositive else log_by_cubic(r)
    s, q = r.grade(2), _four_vector(r)
    found = _log_in_one_plane(r, s) if vanishes(q) else None
    if found is None:
        found = _log_in_the_ring(r["1"], s, q)
    return None if any(c.has(sympy.nan, sympy.zoo) for c in found.coeffs) else found


def _four_vector(r: Multivector) -> Multivector:
    """R_4, which is zero for n <= 3."""
    return r.grade(4) if r.algebra.n >= 4 else r.algebra.scalar(0)


def _log_in_one_plane(r: Multivector, s: Multivector) -> Multivector | None:
    """Of R_0 + R_ij e_ij: an angle, a rapidity or a translation; None for more planes."""
    stored = [name for name, c in zip(s.layout.names, s.coeffs, strict=True) if c != 0]
    if len(stored) > 1:
        return None
    same_sign = [n for n in r.algebra.bivector_blades if r.algebra.blade(n) ** 2 == -1]
    name = next(iter(stored or same_sign), None)
    c = r["1"]
    if not stored and (c == 1 or name is None):
        return s if c == 1 else None
    x, square = r[str(name)], (r.algebra.blade(str(name)) ** 2)["1"]
    if square == -1:
        return r.algebra.bivector({name: sympy.atan2(x, c)})
    if (c + 1).is_nonpositive:
        return None
    return r.algebra.bivector({name: x if square == 0 else sympy.asinh(x)})


def _log_in_the_ring(c: Any, s: Multivector, q: Multivector) -> Multivector:
    """f(C) S, by the halves (1 +- I) / 2 where R_4 = rho I and I^2 = 1."""
    if vanishes(q):
        return mapped(s, lambda x: ArcRatio(0, c) * x)
    d = sympy.factor_terms(geometric_product(q, q)["1"])
    rho = square_root_or_none(d)
    if d != 0 and rho is not None and sum(x != 0 for x in q.coeffs) == 1:
        i = mapped(q, lambda x: sympy.cancel(x / rho))
        plus, minus = (ArcRatio(0, sympy.trigsimp(c + x)) for x in (rho, -rho))
        scale, even_part, odd_part = i, (plus + minus) / 2, (plus - minus) / 2
    else:
        even_part, odd_part = (ArcRatioSplit(0, m, c, d) for m in (0, 1))
        scale = q
    other = geometric_product(scale, s).grade(2)
    return combined((even_part, s), (odd_part, other)).grade(2)


def _sqrt(r: Multivector, float_log: FloatLog) -> Multivector:
    size = _basis_vectors(r)
    numbers = not any(c.free_symbols for c in r.coeffs)
    if size > LARGEST_PART:
        if numbers and size <= LARGEST_OF_LOG:
            return _sqrt_by_log(r, float_log)
        raise _too_large("sqrt", LARGEST_PART, size)
    q = _four_vector(r)
    a = 2 + 2 * r["1"]
    d = sympy.Integer(0) if vanishes(q) else sympy.factor_terms(geometric_product(q, q)["1"])
    m = a if d == 0 else sympy.sqrt(a**2 - 4 * d)
    if numbers and not (a.is_positive and sympy.simplify(m).is_positive):
        return _sqrt_by_log(r, float_log)
    if d == 0 and vanishes(q):
        return mapped(even(1 + r), lambda x: x / sympy.sqrt(a))
    length = m * sympy.sqrt(2 * (a + m))
    names = [sympy.Dummy() for _ in r.coeffs]
    values = dict(zip(names, r.coeffs, strict=True))
    named = r.replace(r.layout, np.array(names, dtype=object))
    weight = (a + m) - 2 * _four_vector(named)
    product = geometric_product(1 + named, weight)
    return even(mapped(product, lambda x: x.xreplace(values) / length))


def _sqrt_by_log(r: Multivector, float_log: FloatLog) -> Multivector:
    """exp(log(R) / 2), where an eigenvalue of C is -1 or less; what has no logarithm raises."""
    from .exponential import exp

    return exp(_log(r, float_log) / 2)
