"""Commuting blocks of a bivector, from sets of roots of its characteristic polynomial.

If chi (or a divisor of it that still annihilates, chi(M^2) b = 0) is a product of coprime c_i, then
with e_i = 1 mod c_i and e_i = 0 mod the others, the blocks

    b_i = e_i(M^2) b,    sum_i b_i = b,

commute; c_i = x - lambda gives a simple bivector of square lambda.  Valid in every metric, null
vectors included, because the identities are polynomial in the squares of the basis vectors.
"""

from __future__ import annotations

from typing import Any

from flint import acb, arb, arb_mat

from ..errors import Undecided

Polynomial = list[Any]  # balls, the coefficient of the power 0 first


def from_roots(roots: list[Any]) -> Polynomial:
    """The real polynomial with these roots, a set closed under conjugation."""
    total = [acb(1)]
    for root in roots:
        shifted = [acb(0), *total]
        total = [s - root * t for s, t in zip(shifted, [*total, acb(0)], strict=True)]
    return [x.real for x in total]


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b."""
    result = [arb(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] = result[i + j] + x * y
    return result


def remainder(a: Polynomial, monic: Polynomial) -> Polynomial:
    """a modulo a monic polynomial, deg monic coefficients."""
    rest, degree = list(a), len(monic) - 1
    for power in range(len(rest) - 1, degree - 1, -1):
        lead = rest[power]
        for k in range(degree + 1):
            rest[power - degree + k] = rest[power - degree + k] - lead * monic[k]
    rest = rest[:degree]
    return rest + [arb(0)] * (degree - len(rest))


def idempotent(c: Polynomial, others: list[Polynomial]) -> Polynomial:
    """e = 1 mod c, e = 0 mod each of the others; Undecided if they may have a common root."""
    q: Polynomial = [arb(1)]
    for other in others:
        q = product(q, other)
    degree = len(c) - 1
    system = arb_mat(degree, degree)  # column j: q x^j mod c
    power = remainder(q, c)
    for j in range(degree):
        for i in range(degree):
            system[i, j] = power[i]
        power = remainder([arb(0), *power], c)
    one = arb_mat(degree, 1, [arb(int(i == 0)) for i in range(degree)])
    try:
        u = system.solve(one)
    except ZeroDivisionError as error:
        raise Undecided(
            "two groups of squares cannot be told apart: raise the precision, or narrow the balls"
        ) from error
    return product(q, [u[i, 0] for i in range(degree)])


def block(e: Polynomial, square: Any, b: Any) -> Any:
    """e(M^2) b, antisymmetric."""
    n = b.nrows()
    total = e[-1] * b
    for coefficient in reversed(e[:-1]):
        total = square * total + coefficient * b
    half = [(total[i, j] - total[j, i]) / 2 for i in range(n) for j in range(n)]
    return arb_mat(n, n, half)


def blocks_of(b: Any, square: Any, factors: list[Polynomial]) -> list[Any]:
    """The blocks of the coprime factors."""
    return [
        block(idempotent(c, factors[:i] + factors[i + 1 :]), square, b)
        for i, c in enumerate(factors)
    ]
