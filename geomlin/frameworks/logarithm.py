"""log, roots, powers and interpolation of rotors for torch and jax.

The value is that of the numpy backend, with its branches, verdicts and verification; the derivative
is the implicit one, of every order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import NotARotor, NotSupported
from ..layout import even_layout, grade_layout
from ..ops.exponential import exp
from ..ops.failures import OnError, check_on_error
from ..ops.grades import check_operands, odd, with_layout
from ..ops.involutions import reverse
from ..ops.logarithm import Logarithm, logarithm_of_rounded
from ..ops.products import geometric_product, scalar_product
from .predicates import rotor_flags, size_of
from .rules import LOGARITHM
from .support import backend_of, closed, opened, without

if TYPE_CHECKING:
    from ..multivector import Multivector

_TOLERANCE = 1e-6  # relative size of an odd part that is rounding
_ROUNDINGS = 8  # in eps of the dtype: smaller odd parts are rounding too


def log(
    R: Multivector,
    *,
    up_to_sign: bool = False,
    normalize: bool = False,
    on_error: OnError = "raise",
    flags: bool = False,
) -> Any:
    """See geomlin.log; NaN for what has no logarithm where numbers are traced."""
    wide, on_cut = _wide_log(R, up_to_sign, normalize, on_error)
    bivector = closed(R, wide.layout, wide.coeffs, on_error=on_error)
    return Logarithm(bivector, on_cut) if flags else bivector


def _wide_log(
    R: Multivector,
    up_to_sign: bool = False,
    normalize: bool = False,
    on_error: OnError = "raise",
    eps: float | None = None,
) -> tuple[Multivector, Any]:
    """log R in the dtype to compute in, and where it is on the cut; R was rounded with eps, by
    default that of its dtype."""
    check_on_error(on_error)
    xp, algebra = backend_of(R), R.algebra
    inner = _even_or_nan(R, on_error)
    rounding = xp.epsilon(R.dtype) if eps is None else eps
    flags = bool(up_to_sign), bool(normalize)
    found = xp.implicit(LOGARITHM, inner, tuple(algebra.signature), *flags, rounding)
    b, on_cut = found[..., :-1], xp.detach(found[..., -1]) == 1.0
    if on_error == "raise" and xp.known_any(xp.lib.isnan(xp.detach(b))):
        logarithm_of_rounded(R.to(backend="numpy"), rounding, *flags, "raise")
        raise NotSupported("log found no answer on the host: use A.to(backend='numpy')")
    return R.replace(grade_layout(algebra.n, 2), b), on_cut


def _even_or_nan(r: Multivector, on_error: OnError) -> Any:
    """Even coefficients, NaN where there is an odd part."""
    xp = backend_of(r)
    inner = opened(with_layout(r, even_layout(r.algebra.n)), on_error)
    if all(k % 2 == 0 for k in r.layout.grades):
        return inner
    if on_error == "raise":
        xp.check_finite(r.coeffs)
    odd_size = size_of(xp, xp.detach(odd(r).coeffs))
    allowed = max(_TOLERANCE, _ROUNDINGS * xp.epsilon(r.dtype))
    bad = odd_size > allowed * size_of(xp, xp.detach(r.coeffs))

    def error(indices: list[tuple[int, ...]], count: int) -> NotARotor:
        return NotARotor(
            f"expected even versors, got {count} element(s) with odd parts: take even(R) if they "
            "are to be dropped",
            indices=indices,
            count=count,
        )

    return without(xp, bad, inner, error, on_error)


def sqrt(R: Multivector, *, on_error: OnError = "raise") -> Multivector:
    """See geomlin.sqrt."""
    return power(R, 0.5, on_error=on_error)


def power(R: Multivector, t: Any, *, on_error: OnError = "raise") -> Multivector:
    """See geomlin.power."""
    generator, _ = _wide_log(R, on_error=on_error)
    found = _exp_or_nan(generator * _exponent(R, t), on_error)
    return closed(R, found.layout, found.coeffs, on_error=on_error)


def _exponent(r: Multivector, t: Any) -> Any:
    """A real exponent as a number, or an array of the framework."""
    xp = backend_of(r)
    return t if isinstance(t, (int, float)) else xp.array(t)


def _exp_or_nan(b: Multivector, on_error: OnError) -> Multivector:
    """exp(B), and NaN where B is."""
    xp = backend_of(b)
    missing = xp.lib.isnan(xp.detach(b.coeffs)).any(-1)
    safe = b.replace(b.layout, xp.where(missing[..., None], 0.0, b.coeffs))
    found = exp(safe, on_error=on_error)
    nan = xp.lib.full_like(found.coeffs, float("nan"))
    return found.replace(found.layout, xp.where(missing[..., None], nan, found.coeffs))


def slerp(R0: Multivector, R1: Multivector, t: Any, *, on_error: OnError = "raise") -> Multivector:
    """See geomlin.slerp."""
    check_on_error(on_error)
    check_operands(R0, R1)
    xp, n = backend_of(R0), R0.algebra.n

    def error(indices: list[tuple[int, ...]], count: int) -> NotARotor:
        return NotARotor(
            f"expected rotors, got {count} other element(s): use normalize(R) if only the length "
            "is wrong",
            indices=indices,
            count=count,
        )

    first, second = (
        r.replace(even_layout(n), without(xp, bad, _even(r), error, on_error))
        for r, bad in ((r, ~rotor_flags(r, _TOLERANCE)) for r in (R0, R1))
    )
    quotient = with_layout(geometric_product(reverse(first), second), even_layout(n))
    # the two have their roundings, and each sum of the product its own: see predicates
    eps = max(xp.epsilon(R0.dtype), xp.epsilon(R1.dtype))
    eps += quotient.layout.size**0.5 * xp.epsilon(quotient.dtype) / _ROUNDINGS
    opposite = scalar_product(reverse(first), second).coeffs < 0
    values = xp.where(opposite, -quotient.coeffs, quotient.coeffs)
    if not R0.algebra.signature.is_definite:  # elsewhere the logarithm of the nearer sign exists
        known = quotient.replace(quotient.layout, xp.detach(values))
        there = _wide_log(known, on_error="nan", eps=eps)[0]
        missing = xp.lib.isnan(there.coeffs).any(-1)[..., None]
        values = xp.where(missing, -values, values)
    # rounding of short floats shows in the length of the quotient
    short = quotient.dtype != R0.dtype or quotient.dtype != R1.dtype
    nearer = quotient.replace(quotient.layout, values)
    generator, _ = _wide_log(nearer, False, short, on_error, eps)
    turned = geometric_product(first, _exp_or_nan(generator * _exponent(R0, t), on_error))
    result = with_layout(turned, even_layout(n)).coeffs
    dtype = xp.result_dtype(R0.coeffs, R1.coeffs)
    return closed(R0, even_layout(n), result, dtype, on_error)


def _even(r: Multivector) -> Any:
    """Even coefficients in the dtype to compute in."""
    return opened(with_layout(r, even_layout(r.algebra.n)))
