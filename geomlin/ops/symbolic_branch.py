"""Logarithms of sympy rotors of numbers off the principal branch: angles in planes of the basis.

A product over disjoint planes,

    R = prod (c_k + s_k e_ij),    log(R) = sum beta_k e_ij,

determines each c_k : s_k as a quotient of coefficients, so that beta_k is an exact angle up to
multiples of pi.  Which multiple, and which planes, is what log finds for floats: one rule for all
backends.  That R is a multiple of the product is verified exactly; the sign of the multiple is that
of the floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..blades import blade_name, reorder_sign
from ..errors import NotSupported
from .exponential import exp
from .grades import even, with_layout
from .products import geometric_product
from .symbolic_tools import mapped, vanishes

if TYPE_CHECKING:
    from ..multivector import Multivector

_SMALL = 1e-7  # of the largest coefficient of a logarithm in floats: rounding


def sign_of_exp(guide: Multivector, r: Multivector) -> int:
    """s with exp(guide) = s R to rounding."""
    rotor, given = exp(guide).to_dense(), as_floats(r).to_dense()
    return 1 if np.abs(rotor - given).max() <= np.abs(rotor + given).max() else -1


def log_in_basis_planes(r: Multivector, guide: Multivector) -> Multivector:
    """The exact logarithm next to `guide`, of a product over disjoint planes of the basis."""
    size = np.abs(guide.coeffs).max()
    planes = [
        (mask, beta)
        for mask, beta in zip(guide.layout.masks, guide.coeffs, strict=True)
        if abs(beta) > _SMALL * size
    ]
    used = 0
    for mask, _ in planes:
        if used & mask:
            raise _not_closed(r, guide)
        used |= mask
    ratios = {mask: _cosine_and_sine(r, mask) for mask, _ in planes}
    _check_product(r, guide, ratios)
    angles = {mask: _angle(r, mask, *ratios[mask], float(beta)) for mask, beta in planes}
    found = [angles.get(mask, sympy.Integer(0)) for mask in guide.layout.masks]
    return mapped(r.algebra.bivector(found), sympy.sympify)


def _check_product(r: Multivector, guide: Multivector, ratios: dict[int, tuple[Any, Any]]) -> None:
    """R is a multiple of prod (c_k + s_k e_ij): R P_S = P R_S for the largest |R_S|."""
    product = even(r.algebra.scalar(1))
    for mask, (c, s) in ratios.items():
        plane = r.algebra.multivector({"1": c, blade_name(mask, r.algebra.n): s})
        product = even(geometric_product(product, plane))
    given = with_layout(r, product.layout).coeffs
    pivot = max(range(len(given)), key=lambda k: abs(given[k].evalf(20)))
    left, right = product.coeffs[pivot], given[pivot]
    defect = [left * x - right * y for x, y in zip(given, product.coeffs, strict=True)]
    if not vanishes(product.replace(product.layout, np.array(defect, dtype=object))):
        raise _not_closed(r, guide)


def is_next_to(b: Multivector, guide: Multivector) -> bool:
    """Whether exact coefficients are those of `guide` to rounding."""
    exact = np.array([float(c.evalf(30)) for c in b.to_dense()])
    distance = np.abs(exact - guide.to_dense()).max()
    return bool(distance <= _SMALL * max(1.0, np.abs(exact).max()))


def as_floats(r: Multivector) -> Multivector:
    """The nearest floats, in the numpy backend."""
    return mapped(r, lambda c: sympy.Rational(float(c.evalf(30)))).to("numpy")


def _cosine_and_sine(r: Multivector, plane: int) -> tuple[Any, Any]:
    """(c, s) up to a factor: the coefficients of e_S and of e_ij e_S, for the S where they are
    largest."""
    given = dict(zip(r.layout.masks, r.coeffs, strict=True))
    pairs = [
        (given[mask], reorder_sign(plane, mask) * given.get(mask | plane, sympy.Integer(0)))
        for mask in r.layout.masks
        if not mask & plane
    ]
    return max(pairs, key=lambda pair: abs(pair[0].evalf(20)) + abs(pair[1].evalf(20)))


def _angle(r: Multivector, plane: int, c: Any, s: Any, near: float) -> Any:
    """beta with (c : s) = (C : S), next to the given one."""
    first, second = (r.algebra.metric[i] for i in range(r.algebra.n) if plane >> i & 1)
    if first * second == 1:
        angle = sympy.atan2(s, c)
        return angle + sympy.pi * round((near - float(angle.evalf(30))) / np.pi)
    return s / c if first * second == 0 else sympy.atanh(s / c)


def _not_closed(r: Multivector, guide: Multivector) -> NotSupported:
    shown = mapped(guide, lambda x: round(float(x), 6))
    return NotSupported(
        f"the logarithm of {r} is not principal and its planes are none of the basis (about "
        f"{shown}): use A.to(backend='numpy') or 'arb'"
    )
