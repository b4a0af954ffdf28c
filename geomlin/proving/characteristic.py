"""The characteristic polynomial of a bivector and the simple parts that its roots give.

W_m = B^m/m! (outer powers) = sum_{|S|=2m} Pf(b_S) e_S,  a_m = sum_{|S|=2m} Pf(b_S)^2 g_S,
chi(x) = sum_m a_m x^(k-m),  k = floor(n/2).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from flint import fmpq, fmpq_mpoly

from .matrices import Matrix, action_matrix, bivector_of, coefficient_matrix, identity
from .symbolic_metric import Element, SymbolicMetric


def outer_powers(bivector: Element) -> list[Element]:
    """W_0 = 1, W_m = W_(m-1) ^ B / m, for m up to floor(n/2)."""
    powers = [bivector.space.scalar(1)]
    for m in range(1, bivector.space.n // 2 + 1):
        powers.append((powers[-1] ^ bivector) * fmpq(1, m))
    return powers


def pfaffian(b: Matrix, indices: tuple[int, ...], one: fmpq_mpoly) -> fmpq_mpoly:
    """Pf(b_S), expanded along its first row; `one` is the empty Pfaffian."""
    if not indices:
        return one
    first, *others = indices
    total = one * 0
    for position, j in enumerate(others):
        minor = pfaffian(b, tuple(k for k in others if k != j), one)
        total = total + b[first, j] * minor * (-1) ** position
    return total


def invariants(bivector: Element) -> list[fmpq_mpoly]:
    """a_0 = 1, a_1, .., a_k with a_m = sum_{|S|=2m} Pf(b_S)^2 g_S."""
    space, b = bivector.space, coefficient_matrix(bivector)
    found = []
    for m in range(space.n // 2 + 1):
        total = space.constant(0)
        for subset in combinations(range(space.n), 2 * m):
            root = pfaffian(b, subset, space.constant(1))
            total = total + root * root * space.square(sum(1 << i for i in subset))
        found.append(total)
    return found


def chi(a: Sequence[fmpq_mpoly], root: fmpq_mpoly) -> fmpq_mpoly:
    """chi(root) = sum_m a_m root^(k-m), by Horner's rule."""
    value = a[0]
    for coefficient in a[1:]:
        value = value * root + coefficient
    return value


def chi_derivative(a: Sequence[fmpq_mpoly], root: fmpq_mpoly) -> fmpq_mpoly:
    """chi'(root) = sum_m (k-m) a_m root^(k-m-1)."""
    k = len(a) - 1
    return chi([a[m] * (k - m) for m in range(k)], root)


def faddeev_leverrier(space: SymbolicMetric, a: Matrix) -> tuple[list[fmpq_mpoly], Matrix]:
    """Coefficients c_j of det(x - A) = sum_j c_j x^(n-j), and the last matrix N_n.

    N_0 = I;  c_j = -tr(A N_(j-1))/j;  N_j = A N_(j-1) + c_j I.  N_n = 0 is Cayley-Hamilton.
    """
    coefficients, remainder = [space.constant(1)], identity(space)
    for j in range(1, space.n + 1):
        step = a @ remainder
        coefficients.append(step.trace * fmpq(-1, j))
        remainder = step + coefficients[-1] * identity(space)
    return coefficients, remainder


def simple_part(bivector: Element, a: Sequence[fmpq_mpoly], root: fmpq_mpoly) -> Element:
    """N(root) = Q(M^2, root) b as a bivector, Q(x, y) = (chi(x) - chi(y))/(x - y).

    Q(x, y) = sum_{i+j < k} a_(k-1-i-j) x^i y^j; M^(2i) b is antisymmetric, for M = b G.
    """
    space, k = bivector.space, len(a) - 1
    m, power = action_matrix(bivector), coefficient_matrix(bivector)
    total = 0 * power
    for i in range(k):
        weight = sum((a[k - 1 - i - j] * root**j for j in range(k - i)), space.constant(0))
        total = total + weight * power
        power = m @ m @ power
    return bivector_of(space, total)
