"""Invariant decompositions for torch and jax: planes chosen by numpy, derivatives by projectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import NotSupported
from ..layout import even_layout, grade_layout
from ..ops.decomposition import Decomposition
from ..ops.decomposition import invariant_decomposition as numpy_decomposition
from ..ops.exponential import exp
from ..ops.failures import OnError, check_on_error
from ..ops.grades import grade, with_layout
from ..ops.involutions import reverse
from ..ops.products import geometric_product, scalar_product
from ..ops.rotor_decomposition import RotorDecomposition
from ..ops.rotor_decomposition import rotor_decomposition as numpy_rotor_decomposition
from .logarithm import log
from .rules import DECOMPOSITION
from .support import backend_of, closed, opened, single_grade

if TYPE_CHECKING:
    from ..multivector import Multivector

_UNKNOWN = -1  # the kind of planes that were not found


def invariant_decomposition(
    B: Multivector, *, blocks: bool = False, complex: bool = False, on_error: str = "raise"
) -> Decomposition:
    """See geomlin.invariant_decomposition; kinds are int8 arrays of the framework."""
    check_on_error(on_error)
    if blocks or complex:
        raise NotSupported(
            "blocks and complex parts are offered on backend='numpy', and certified on 'arb': use "
            "A.to(backend='numpy')"
        )
    xp, algebra = backend_of(B), B.algebra
    part = single_grade(B, 2)
    found = xp.implicit(DECOMPOSITION, opened(part), tuple(algebra.signature))
    if on_error == "raise" and xp.known_any(xp.lib.isnan(xp.detach(found))):
        numpy_decomposition(part.to(backend="numpy"))
    size = part.layout.size
    parts = closed(part, part.layout, found[..., :size], on_error=on_error)
    squares = xp.astype(found[..., size], B.dtype)
    kinds = xp.small_integers(xp.detach(found[..., size + 1]))
    return Decomposition(parts, squares, kinds)


def rotor_decomposition(R: Multivector, *, on_error: OnError = "raise") -> RotorDecomposition:
    """See geomlin.rotor_decomposition."""
    check_on_error(on_error)
    xp, n = backend_of(R), R.algebra.n
    generator = log(R, up_to_sign=True, on_error=on_error)
    missing = xp.lib.isnan(xp.detach(generator.coeffs)).any(-1)[..., None]
    safe = generator.replace(generator.layout, xp.where(missing, 0.0, generator.coeffs))
    parts, squares, kinds = invariant_decomposition(safe, on_error=on_error)
    broken = missing | xp.lib.isnan(xp.detach(parts.coeffs)).any(-1).any(-1)[..., None]
    clean = parts.replace(parts.layout, xp.where(broken[..., None], 0.0, parts.coeffs))
    rotors = exp(clean)
    simple = grade(rotors, 0) + grade(rotors, 2)
    count = simple.shape[-1]
    factors = [simple.replace(simple.layout, simple.coeffs[..., k, :]) for k in range(count)]
    product = R.replace(grade_layout(n, 0), xp.lib.ones_like(R.coeffs[..., :1]))
    for factor in factors:
        product = with_layout(geometric_product(product, factor), even_layout(n))
    opposite = scalar_product(product, reverse(R)).coeffs < 0
    if count == 0:
        if on_error == "raise" and xp.known_any(opposite & ~broken):
            numpy_rotor_decomposition(R.to(backend="numpy"))
        return RotorDecomposition(with_layout(simple, even_layout(n)), squares, kinds)
    first = xp.where(opposite, -factors[0].coeffs, factors[0].coeffs)
    values = xp.stack([first, *(factor.coeffs for factor in factors[1:])], -2)
    squares = xp.where(broken, float("nan"), squares)
    kinds = xp.where(missing, _UNKNOWN, kinds)
    signed = with_layout(simple.replace(simple.layout, values), even_layout(n))
    rotors = xp.where(broken[..., None], float("nan"), signed.coeffs)
    return RotorDecomposition(signed.replace(signed.layout, rotors), squares, kinds)
