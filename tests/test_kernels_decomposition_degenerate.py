"""Invariant parts in metrics with null basis vectors: which bivectors split, and how well.

The oracles are exact rational arithmetic (does M^2 have a minimal polynomial with simple real roots
on the image of b), exact residuals of the returned floats, and the certified engine.
"""

from __future__ import annotations

import numpy as np
import pytest
from decomposition_checks import (
    BOOST,
    COMPLEX_PAIR,
    DEFECTIVE,
    NULL,
    ROTATION,
    ZERO,
    antisymmetric,
    kinds_of,
    metric_of,
    plane,
)
from flint import fmpq, fmpq_mat, fmpq_poly

from geomlin import Algebra, invariant_decomposition
from geomlin.derivatives import decomposition_jvp
from geomlin.kernels.planes import decompose
from geomlin.signature import Signature
from geomlin.verification.budgets import ACCURACY
from geomlin.verification.regimes import bivectors
from geomlin.verification.residuals import Parts, projector_size, residuals, tie_width

DEGENERATE = [
    (p, q, n - p - q)
    for n in (4, 5, 6)
    for p in range(n + 1)
    for q in range(n - p + 1)
    if p + q < n
]
MIXED = [s for s in DEGENERATE if s[0] and s[1] and s[:2] != (1, 1)]
degenerate = pytest.mark.parametrize("space", DEGENERATE, ids=str)


def integer_bivectors(space, count, rng):
    """Small integers, dense and sparse, a third of them without a metric part."""
    n, m = sum(space), space[0] + space[1]
    result = np.empty((count, n, n))
    for index in range(count):
        kept = rng.random((n, n)) < rng.uniform(0.1, 1.0)
        upper = rng.integers(-2, 3, size=(n, n)) * kept
        if index % 3 == 0:
            upper[:m, :m] = 0
        result[index] = antisymmetric(upper)
    return result


class Exact:
    """M^2 acting on the columns of an integer bivector, in rational arithmetic."""

    def __init__(self, b, metric):
        n = len(metric)
        self.b = fmpq_mat(n, n, [fmpq(int(x)) for x in b.ravel()])
        m = fmpq_mat(n, n, [self.b[i, j] * metric[j] for i in range(n) for j in range(n)])
        self.square, self.n = m * m, n
        self.factors = [fmpq_poly(f) for f, _ in self.square.charpoly().numer().factor()[1]]

    def applied(self, polynomial):
        """p(M^2) b."""
        total = self.b * fmpq(0)
        for coefficient in reversed(polynomial.coeffs()):
            total = self.square * total + self.b * coefficient
        return total

    def product(self, factors, power=1):
        """The product of some factors to a power."""
        result = fmpq_poly([1])
        for factor in factors:
            result *= factor**power
        return result

    def splits(self):
        """Whether p(M^2) b = 0 for a p whose roots are simple and real."""
        zero = self.b * fmpq(0)
        if self.applied(self.product(self.factors)) != zero:
            return False
        for factor in self.factors:
            others = [f for f in self.factors if f != factor]
            acts = self.applied(self.product(others, self.n)) != zero
            if acts and any(not root.imag.is_zero() for root, _ in factor.complex_roots()):
                return False
        return True


def assert_residuals(b, space, found, label=""):
    """The four exact residuals within the budget of the accuracy table."""
    parts, signature = Parts(*found), Signature(*space)
    width = ACCURACY["decomposition, ties"].limit * tie_width(b)
    budget = ACCURACY["decomposition"].limit + width
    for name, value in residuals(b, parts, signature).items():
        assert value <= budget * projector_size(parts, signature) ** 2, (name, value, label)


# --- which bivectors split --------------------------------------------------------------------


@degenerate
def test_a_split_is_found_exactly_where_one_exists(space):
    b = integer_bivectors(space, 60, np.random.default_rng(space))
    found = decompose(b, metric_of(*space))
    for one, kinds in zip(b, found.kinds, strict=True):
        refused = bool(np.isin(kinds, (COMPLEX_PAIR, DEFECTIVE)).any())
        assert refused != Exact(one, metric_of(*space)).splits(), (one, kinds)
        if space not in MIXED:
            assert not refused


@pytest.mark.parametrize("space", MIXED, ids=str)
def test_some_bivectors_of_every_other_metric_do_not_split(space):
    """The list of metrics that always split is complete: M^2 b is not zero, though M^4 is."""
    p, q, _ = space
    x, y, t = (0, 1, p) if p >= 2 else (p, p + 1, 0)
    n = sum(space)
    b = plane(n, x, y) + plane(n, t, y) + plane(n, x, p + q)
    exact = Exact(b, metric_of(*space))
    assert exact.applied(fmpq_poly([0, 1])) != exact.b * fmpq(0)
    assert exact.applied(fmpq_poly([0, 0, 1])) == exact.b * fmpq(0)
    found = decompose(b, metric_of(*space))
    assert kinds_of(found) == [DEFECTIVE]
    np.testing.assert_allclose(found.parts[0], b, atol=1e-15)
    harmless = plane(n, x, y) + plane(n, t, y) + plane(n, y, p + q)  # y - (x + t) is no column
    assert kinds_of(decompose(harmless, metric_of(*space))) == [NULL]


NAMED = [
    ((2, 0, 2), {(0, 2): 1, (1, 3): 1}, [NULL, NULL]),
    ((2, 0, 2), {(0, 2): 1, (0, 3): 1}, [NULL]),  # e1 ^ (f1 + f2)
    ((2, 0, 2), {(0, 1): 1, (0, 2): 5, (1, 3): 7}, [ROTATION, NULL]),  # f1 ^ f2 remains
    ((2, 0, 2), {(0, 1): 1, (0, 2): 5, (1, 3): 7, (2, 3): 35}, [ROTATION]),
    ((1, 0, 3), {(0, 1): 1, (2, 3): 1}, [NULL, NULL]),
    ((0, 0, 4), {(0, 1): 1, (2, 3): 1}, [NULL, NULL]),
    ((1, 1, 2), {(0, 1): 2, (0, 2): 1, (2, 3): 1}, [BOOST, NULL]),
    ((2, 1, 1), {(0, 1): 1, (2, 3): 1}, [ROTATION, NULL]),
    ((2, 1, 1), {(0, 2): 1, (1, 3): 1}, [BOOST, NULL]),
    ((2, 1, 1), {(0, 1): 1, (2, 1): 1, (1, 3): 1e6}, [NULL]),
    ((2, 2, 1), {(0, 1): 1, (2, 3): 1, (0, 2): 1, (1, 3): -1, (0, 4): 1}, [COMPLEX_PAIR]),
    ((2, 2, 1), {(0, 1): 3, (2, 3): 1, (0, 2): 1, (1, 3): -1, (0, 4): 1}, [DEFECTIVE]),
    ((3, 3, 2), {(0, 1): 1, (3, 1): 1, (2, 6): 1, (5, 7): 1, (4, 7): 1}, [NULL, NULL, NULL]),
]


@pytest.mark.parametrize(("space", "values", "kinds"), NAMED)
def test_named_bivectors(space, values, kinds):
    n = sum(space)
    b = sum((plane(n, i, j, x) for (i, j), x in values.items()), np.zeros((n, n)))
    for scale in (1.0, 2.0**-500, 2.0**300):
        found = decompose(b * scale, metric_of(*space))
        assert kinds_of(found) == kinds, found.kinds
    assert_residuals(b, space, decompose(b, metric_of(*space)))


def test_zero_slots_follow_a_block_of_square_zero():
    b = plane(6, 0, 1) + plane(6, 2, 1) + plane(6, 0, 4) + plane(6, 3, 5)
    found = decompose(b, (1, 1, -1, 1, 0, 0))
    assert found.kinds.tolist() == [DEFECTIVE, ZERO, ZERO]


# --- how well ---------------------------------------------------------------------------------


@degenerate
def test_every_regime(space):
    """All regimes of the accuracy table, among them 1e-12 beside 1, denormals and 1e150."""
    rng = np.random.default_rng(space)
    for case in bivectors(Signature(*space), rng):
        found = decompose(case.b, metric_of(*space))
        assert np.isfinite(found.parts).all(), case.label
        assert_residuals(case.b, space, found, case.label)


@degenerate
def test_parts_against_the_certified_engine(space):
    """The same planes, canonical ones included, in balls of radius below 2^-100."""
    n = sum(space)
    rows, columns = np.triu_indices(n, 1)
    exact, rough = Algebra(*space, backend="arb", precision=128), Algebra(*space)
    for b in integer_bivectors(space, 15, np.random.default_rng([1, *space])):
        values = b[rows, columns]
        proved = invariant_decomposition(exact.bivector(values), blocks=True)
        found = invariant_decomposition(rough.bivector(values), blocks=True)
        assert (found.kinds == proved.kinds).all()
        middle = np.array([[float(x.mid()) for x in row] for row in proved.parts.coeffs])
        radius = max(float(x.rad()) for row in proved.parts.coeffs for x in row)
        size = max(1.0, np.abs(middle).max(initial=0.0))
        assert radius <= 2.0**-100 * size
        assert np.abs(middle - found.parts.coeffs).max(initial=0.0) <= 1e-11 * size


@degenerate
def test_the_scale_of_null_vectors_changes_nothing(space):
    """f_k -> 2^k f_k is an isometry: the parts scale with it, bit by bit."""
    m, n = space[0] + space[1], sum(space)
    b = integer_bivectors(space, 20, np.random.default_rng([2, *space]))
    found = decompose(b, metric_of(*space))
    for exponent in (-30, -3, 40):
        scale = np.ldexp(1.0, exponent * (np.arange(n) >= m))
        again = decompose(b * scale[:, None] * scale, metric_of(*space))
        np.testing.assert_array_equal(again.kinds, found.kinds)
        np.testing.assert_array_equal(again.parts, found.parts * scale[:, None] * scale)


def test_null_vectors_may_stand_anywhere():
    """The kernel takes any order of the metric; parts move with the axes."""
    rng = np.random.default_rng(5)
    b = antisymmetric(rng.normal(size=(6, 6)))
    order = np.array([4, 0, 5, 1, 2, 3])
    metric = np.array(metric_of(3, 1, 2))
    straight = decompose(b, tuple(metric))
    turned = decompose(b[np.ix_(order, order)], tuple(metric[order]))
    np.testing.assert_allclose(turned.parts, straight.parts[:, order][:, :, order], atol=1e-13)


@pytest.mark.parametrize("angle", [1.0, 1e-4, 1e-8, 1e-12])
def test_screws_of_small_angle_have_large_translations(angle):
    """The axis of e12 t + e1 f1 + e2 f2 is 1/t away: parts of size 1/t that cancel in the sum."""
    b = plane(4, 0, 1, angle) + plane(4, 0, 2) + plane(4, 1, 3)
    found = decompose(b, metric_of(2, 0, 2))
    assert kinds_of(found) == [ROTATION, NULL]
    assert abs(found.parts[0][2, 3] * angle) == pytest.approx(1.0, rel=1e-15)
    assert_residuals(b, (2, 0, 2), found)


@pytest.mark.parametrize(
    "space", [(2, 0, 2), (3, 0, 2), (1, 1, 2), (3, 1, 1), (2, 1, 2), (4, 0, 3)], ids=str
)
def test_derivatives_against_differences(space):
    """One part at most has the square zero there, so all parts are differentiable."""
    rng, algebra, step = np.random.default_rng(space), Algebra(*space), 1e-5
    for _ in range(5):
        b, change = algebra.random.bivector(rng), algebra.random.bivector(rng)
        tangent, _ = decomposition_jvp(b, change)
        ahead, behind = (
            invariant_decomposition(b + sign * step * change).parts.coeffs for sign in (1, -1)
        )
        size = np.abs(tangent.coeffs).max()
        error = np.abs((ahead - behind) / (2 * step) - tangent.coeffs).max()
        assert error <= 1e-5 * size * max(1.0, size)


# --- the checks can fail ----------------------------------------------------------------------


def test_a_wrong_translation_fails():
    """A coupling moved from one part to the other keeps the sum, and is seen."""
    rng = np.random.default_rng(7)
    b = antisymmetric(rng.normal(size=(5, 5)))
    space, good = (3, 1, 1), decompose(b, metric_of(3, 1, 1))
    bad = good._replace(parts=good.parts.copy())
    moved = 1e-9 * good.parts[0, :4, 4]
    for part, sign in ((0, -1), (1, 1)):
        bad.parts[part, :4, 4] += sign * moved
        bad.parts[part, 4, :4] -= sign * moved
    assert_residuals(b, space, good)
    with pytest.raises(AssertionError):
        assert_residuals(b, space, bad)


def test_the_cube_of_m_does_not_decide():
    """M^3 = 0 is enough without null vectors; here it holds, but M^2 b is not zero."""
    b = plane(6, 0, 1) + plane(6, 0, 3) + plane(6, 2, 1) + plane(6, 2, 3)  # (e1 + e3) ^ (e2 + e4)
    b += plane(6, 0, 4) - plane(6, 2, 4) + plane(6, 1, 5) - plane(6, 3, 5)
    metric = metric_of(2, 2, 2)
    m = b * np.array(metric)
    assert not (m @ m @ m).any()
    assert (m @ m @ b).any()
    assert not Exact(b, metric).splits()
    assert kinds_of(decompose(b, metric)) == [DEFECTIVE]
