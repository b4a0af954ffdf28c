"""High-precision reference for the lift: the rotor, up to sign, of a matrix of the group.

The rotor R0 of an element X of O(p,q) is found by averaging, a route no float kernel uses: the maps
A -> X(e_j) A e_j^-1 of the even algebra are commuting involutions, and the only elements that all
of them fix are the multiples of R0.  Hence for every A

    product over j of (A + X(e_j) A e_j^-1) / 2  =  a multiple of R0.

The row of a null vector e_0 holds a translation: R = R0 exp(T) with T = sum_j v_j e_j e_0, and the
e_0 coefficient of ~R0 (R e_j ~R) R0 is -2 g_j v_j.  Of all rotors with this matrix, which differ by
factors exp(N) with N made of null vectors only, this is the one without such a factor.

A float matrix is first projected to its G-polar factor, by X <- (X + G X^-T G) / 2.  For definite
metrics that is the nearest group element.  For indefinite ones it is a group element, but its
distance from the matrix can exceed the rounding of the matrix by |X|^2: there the rotor of the
unrounded matrix is the fair reference.
"""

from __future__ import annotations

from functools import cache

import flint
import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from ..errors import NotInImage, NotOrthogonal
from ..signature import Signature
from .reference import BITS, Exact, exact_matrix, null_degrees, product_sign, until_tight
from .representation import FloatArray, even_blades

Element = dict[int, arb]  # coefficient of each mask
Rows = list[list[arb]]


def exact_lift(
    matrix: NDArray[np.floating], signature: Signature, *, bits: int = 2 * BITS
) -> Exact:
    """The rotor, up to sign, of the G-polar factor of a float matrix, in even blade order.

    Raises NotOrthogonal when there is no such factor and NotInImage when it has no rotor.
    """
    rows = [[arb(value) for value in row] for row in matrix.tolist()]

    def compute() -> Exact:
        return _rotor(_polar_factor(rows, signature), rows, signature)

    return until_tight(compute, null_degrees(signature), bits)


def exact_lift_of_exp(b: FloatArray, signature: Signature, *, bits: int = BITS) -> Exact:
    """The rotor, up to sign, of the unrounded matrix exp(2 b G), in even blade order."""
    n, m = signature.n, signature.p + signature.q

    def compute() -> Exact:
        flat = exact_matrix(b, signature, bits=flint.ctx.prec)
        rows = [list(flat[i * n : (i + 1) * n]) for i in range(n)]
        return _rotor([row[:m] for row in rows[:m]], rows, signature)

    return until_tight(compute, null_degrees(signature), bits)


def _polar_factor(rows: Rows, signature: Signature) -> Rows:
    """The G-polar factor of the non-null block.

    Newton's iteration is quadratic: when a step is below 2^-(2/5 bits), the iterate is right to
    4/5 of the bits, of which half are claimed as the radius.
    """
    m, g, bits = signature.p + signature.q, signature.metric, flint.ctx.prec
    if m == 0:
        return []
    x = [[rows[i][j] for j in range(m)] for i in range(m)]
    for _ in range(200):
        inverse = arb_mat(x).inv()
        steps = [(g[i] * g[j] * inverse[j, i] - x[i][j]) / 2 for i in range(m) for j in range(m)]
        x = [[(x[i][j] + steps[i * m + j]).mid() for j in range(m)] for i in range(m)]
        scale = max(float(abs(entry)) for row in x for entry in row)
        if all(abs(step) < scale * arb(2) ** -(2 * bits // 5) for step in steps):
            return [[entry + arb(0, scale * arb(2) ** -(bits // 2)) for entry in row] for row in x]
    raise NotOrthogonal(f"the matrix has no polar factor in O({signature.p},{signature.q})")


def _rotor(group: Rows, rows: Rows, signature: Signature) -> Exact:
    """The rotor of a non-null block in O(p,q) and of the translations in the rows below it."""
    if group and arb_mat(group).det() < 0:
        raise NotInImage("the matrix has determinant -1: no rotor maps to it", reason="det")
    rotor = _times_translation(_average(group, signature), rows, signature)
    return tuple(rotor.get(mask, arb(0)) for mask in even_blades(signature.n))


def _average(group: Rows, signature: Signature) -> Element:
    """R0, normalised so that R0 ~R0 = 1, from an irregular starting element."""
    masks = even_blades(len(group)) if group else (0,)
    element = {mask: arb(1 + mask * 2654435761 % 1021) for mask in masks}
    for j, table in enumerate(_conjugation_tables(signature)):
        image = dict.fromkeys(masks, arb(0))
        for i, signs in enumerate(table):
            flip, factor = 1 << i ^ 1 << j, group[i][j]
            for mask, sign in zip(masks, signs, strict=True):
                image[mask ^ flip] += sign * factor * element[mask]
        element = {mask: (element[mask] + image[mask]) / 2 for mask in masks}
    norm = sum((_square_sign(mask, signature) * x * x for mask, x in element.items()), arb(0))
    if norm < 0:
        raise NotInImage("the matrix reverses both orientations", reason="component")
    return {mask: value / norm.sqrt() for mask, value in element.items()}


@cache
def _conjugation_tables(signature: Signature) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """table[j][i]: the sign s of e_i E_S e_j^-1 = s E_(S xor i xor j), for each even S."""
    m = signature.p + signature.q
    return tuple(
        tuple(
            tuple(
                product_sign(1 << i, mask, signature)
                * product_sign(1 << i ^ mask, 1 << j, signature)
                * signature.metric[j]
                for mask in even_blades(m)
            )
            for i in range(m)
        )
        for j in range(m)
    )


def _square_sign(mask: int, signature: Signature) -> int:
    """E_S ~E_S."""
    return product_sign(mask, mask, signature) * (-1 if mask.bit_count() % 4 >= 2 else 1)


def _times_translation(rotor: Element, rows: Rows, signature: Signature) -> Element:
    """R0 exp(T) = sum_k R0 T^k / k!, a finite sum since T is made of null bivectors.

    R e_j ~R = R0 (e_j - 2 g_j sum v_j e_0) ~R0, and R0 fixes e_0: the row of
    e_0 is -2 g_j v_j.
    """
    m = signature.p + signature.q
    translation = {
        1 << j | 1 << k: -signature.metric[j] * rows[k][j] / 2
        for j in range(m)
        for k in range(m, signature.n)
    }
    total, term, order = dict(rotor), rotor, 0
    while term and order < signature.r:
        order += 1
        product: Element = {}
        for left, value in term.items():
            for right, factor in translation.items():
                if sign := product_sign(left, right, signature):
                    previous = product.get(left ^ right, arb(0))
                    product[left ^ right] = previous + sign * value * factor / order
        term = product
        for mask, value in term.items():
            total[mask] = total.get(mask, arb(0)) + value
    return total
