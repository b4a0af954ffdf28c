"""Kinds, values and screws of the invariant decomposition kernels."""

from __future__ import annotations

from itertools import combinations

import mpmath
import numpy as np
import pytest
from decomposition_checks import (
    BOOST,
    BOUND,
    COMPLEX_PAIR,
    DEFECTIVE,
    EPS,
    INDEFINITE,
    NULL,
    ROTATION,
    TIE,
    ZERO,
    antisymmetric,
    assert_valid,
    boosted_frame,
    euclidean_cases,
    grade_two,
    kinds_of,
    metric_of,
    pfaffians,
    plane,
    projector_norm,
    turned,
)
from flint import fmpq_mat

from geomlin.kernels.planes import decompose

# Kinds


def named(n, p):
    """Bivectors of Cl(p, n - p) that are exactly what they are called."""
    elliptic, hyperbolic = plane(n, 0, 1) - plane(n, p, p + 1), plane(n, 0, p) - plane(n, 1, p + 1)
    totally_null = plane(n, 0, 1) + plane(n, 0, p + 1) + plane(n, p, 1) + plane(n, p, p + 1)
    yield [ROTATION], plane(n, 0, 1, 0.75)
    yield [BOOST], plane(n, 0, p, 0.75)
    yield [NULL], plane(n, 0, 1) + plane(n, p, 1)
    yield [NULL], totally_null
    for size in (1.0, 1.5, 2.0**-20):
        yield [DEFECTIVE], elliptic + size * totally_null
        yield [DEFECTIVE], hyperbolic + size * totally_null
        yield [COMPLEX_PAIR], elliptic + size * (plane(n, 0, p) + plane(n, 1, p + 1))
    yield [ROTATION, ROTATION], elliptic
    yield [BOOST, BOOST], hyperbolic
    yield [ROTATION, ROTATION], plane(n, 0, 1, 2.0) + plane(n, p, p + 1, 0.5)
    if n >= 5:
        extra = 2 if p >= 3 else p + 2
        chain = plane(n, 1, extra) + plane(n, p + 1, extra)
        opposite = plane(n, 0, 1) - plane(n, 0, p + 1) + plane(n, p, 1) - plane(n, p, p + 1)
        yield [DEFECTIVE], opposite + chain  # one Jordan block of size 5 at 0
    if p >= 4 and n - p >= 3:
        yield [NULL, NULL], plane(n, 0, 2) + plane(n, p, 2) + plane(n, 1, 3) + plane(n, p + 1, 3)
    if p >= 3 and n - p >= 3:
        both = plane(n, 0, 2) + plane(n, 1, 2) + plane(n, p, 2) + plane(n, p + 1, 2)
        both += (
            plane(n, 0, n - 1) - plane(n, 1, n - 1) + plane(n, p, n - 1) - plane(n, p + 1, n - 1)
        )
        yield [NULL, NULL], both  # (M e_i)^2 = 0 for every axis
        yield [BOOST, DEFECTIVE], elliptic + totally_null + plane(n, 2, n - 1, 3.0)
    if n >= 6 and max(p, n - p) >= 4:
        yield [ROTATION, NULL], plane(n, 0, 1) + plane(n, p, 1) + plane(n, *_free(n, p), 1e-6)


def _free(n, p):
    """Two axes of one sign beside 0, 1 and p."""
    return (2, 3) if p >= 4 else (p + 1, p + 2)


@pytest.mark.parametrize(("p", "q"), INDEFINITE)
def test_kinds_of_exact_bivectors(p, q):
    n, g = p + q, metric_of(p, q)
    for kinds, b in named(n, p):
        for scale in (1.0, 2.0**-300, 3e5):
            found = decompose(b * scale, g)
            assert kinds_of(found) == kinds, (kinds, found.kinds, b)
        assert_valid(b, g, decompose(b, g), label=str(kinds))
        if kinds[0] in (COMPLEX_PAIR, DEFECTIVE):
            assert list(found.kinds) == [kinds[0]] + [ZERO] * (n // 2 - 1)


def test_zero_slots_follow_their_block():
    quadruple = plane(8, 0, 1) - plane(8, 4, 5) + plane(8, 0, 4) + plane(8, 1, 5)
    found = decompose(quadruple + plane(8, 2, 3, 0.5), metric_of(4, 4))
    assert found.kinds.tolist() == [COMPLEX_PAIR, ZERO, ROTATION, ZERO]
    found = decompose(quadruple + plane(8, 2, 3, 5.0), metric_of(4, 4))
    assert found.kinds.tolist() == [ROTATION, COMPLEX_PAIR, ZERO, ZERO]
    np.testing.assert_allclose(found.squares, [-25.0, 2.0j, 0.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-8, 1e-10, 1e-12])
def test_fixed_directions_change_nothing(distance):
    """B of Cl(2,2), near null or near a Jordan block, has the same parts in Cl(4,4)."""
    rng = np.random.default_rng(3)
    nilpotent = plane(4, 0, 1) + plane(4, 0, 3) + plane(4, 2, 1) + plane(4, 2, 3)
    for start in (plane(4, 0, 1) + plane(4, 2, 1), nilpotent, nilpotent + plane(4, 0, 2)):
        b = start + distance * antisymmetric(rng.normal(size=(4, 4)))
        found = decompose(b, metric_of(2, 2))
        wide = np.zeros((8, 8))
        axes = np.ix_([0, 1, 4, 5], [0, 1, 4, 5])
        wide[axes] = b
        larger = decompose(wide, metric_of(4, 4))
        np.testing.assert_array_equal(larger.kinds, [*found.kinds, ZERO, ZERO])
        error = np.abs(larger.parts[:2][:, *axes] - found.parts).max()
        assert error <= BOUND * EPS * np.abs(found.parts).max() / distance


@pytest.mark.parametrize(("p", "q"), INDEFINITE)
def test_kinds_of_integer_bivectors_against_exact_linear_algebra(p, q):
    """Blocks appear exactly where the minimal polynomial of M, over the rationals, needs them."""
    g, rng, n = metric_of(p, q), np.random.default_rng([p, q]), p + q
    seen = set()
    for _ in range(60):
        sparse = rng.random((n, n)) < rng.uniform(0.2, 1.0)
        b = antisymmetric(rng.integers(-1, 2, size=(n, n)) * sparse)
        expected = exact_blocks((b * np.array(g)).astype(int))
        found = decompose(b.astype(float), g)
        assert expected == (COMPLEX_PAIR in found.kinds, DEFECTIVE in found.kinds), b
        seen.add(expected)
    assert {(False, False), (True, False)} <= seen


def exact_blocks(m):
    """Whether M has semisimple complex squares, and whether a part of it is defective."""
    n = len(m)
    exact = fmpq_mat(n, n, [int(x) for x in m.ravel()])
    identity = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    complex_pair = defective = False
    for factor, _ in exact.charpoly().factor()[1]:
        if factor.degree() == 1 and factor[0] == 0:
            defective |= (exact**3).rank() != (exact**4).rank()
            continue
        value = fmpq_mat(n, n)
        for power in range(factor.degree(), -1, -1):
            value = value * exact + identity * factor[power]
        coefficients = [float(x.p) / float(x.q) for x in reversed(factor.coeffs())]
        roots = np.roots(coefficients)  # simple, as the factor is irreducible
        if value.rank() != (value * value).rank():
            defective = True
        elif np.any((np.abs(roots.real) > 1e-6) & (np.abs(roots.imag) > 1e-6)):
            complex_pair = True
    return complex_pair, defective


# Values


def exact_parts(b, g):
    """b_i = prod_{j != i} (M^2 - l_j) / (l_i - l_j) b and the squares l_i, |l_i| descending."""
    n = len(g)
    m = mpmath.matrix((b * np.array(g)).tolist())
    squares = []
    for value in mpmath.eig(m, left=False, right=False):
        if all(abs(value**2 - known) > 1e-15 for known in squares) and abs(value) > 1e-15:
            squares.append(value**2)
    parts = []
    for first in sorted(squares, key=lambda x: -abs(x)):
        part = mpmath.matrix(b.tolist())
        for second in squares:
            if second != first:
                part = (m * m - second * mpmath.eye(n)) * part / (first - second)
        parts.append(([[float(mpmath.re(x)) for x in row] for row in part.tolist()], first))
    return [np.array(part) for part, _ in parts], [complex(square) for _, square in parts]


@pytest.mark.parametrize(("p", "q"), [(4, 0), (5, 0), (8, 0), (3, 1), (1, 4), (2, 2), (3, 3)])
def test_parts_against_fifty_digits(p, q):
    """Forward error within BOUND eps |b| / gap, times the squared norm of the projectors."""
    rng, n, g = np.random.default_rng([p, q]), p + q, metric_of(p, q)
    for gap in (0.5, 1e-2, 1e-5):
        b = sum(plane(n, i, n - 1 - i, 1 + i * gap) for i in range(n // 2))
        b = turned(b, boosted_frame(p, q, 0.3, rng))
        found = decompose(b, g)
        with mpmath.workdps(50):
            parts, squares = exact_parts(b, g)
        norm = projector_norm(found, g)
        tolerance = BOUND * EPS * np.linalg.norm(b, 2) * norm**2
        for part, square in zip(parts, squares, strict=True):
            distances = np.abs(found.parts - part).max(axis=(-1, -2))
            best = int(np.argmin(distances))
            assert distances[best] <= tolerance / gap
            assert abs(found.squares[best] - square) <= 4 * tolerance


PUBLISHED = [
    (
        (4, 0),
        [0.9, -0.35, 0.6, 0.15, -0.8, 0.45],
        [-2.13585763997806777657941259912, -0.0216423600219323005810876123285],
        [0.863451273523165491490245551141, -0.434936868875246877230508050678],
    ),
    (
        (1, 3),
        [0.3, -0.5, 0.7, 0.2, 0.4, -0.6],
        [0.344344214154583181514316938139, -0.0743442141545832072459523663983],
        [0.0174431958291001289811216376625, -0.564076031504023875676616303922],
    ),
    (
        (6, 0),
        [
            *(0.336913915865908, -0.5902178854549003, 0.2009731594699139, 0.3379656288193594),
            *(-0.06880145369591174, 0.23712531228367634, -0.08521395629026271),
            *(-0.18210377710569503, -0.05780282515206483, 0.10201678804865245),
            *(-0.28787493277966003, -0.17054618411935693, -0.3932173984247308),
            *(0.2964586362010544, 0.11798903030946001),
        ],
        [-0.81, -0.25, -0.04],
        [0.26570980458527489445401016644, -0.542639759455768479791293546163],
    ),
    ((4, 0), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0], [-1.0, -1.0], [1.0, 0.0]),
]


@pytest.mark.parametrize(("space", "coefficients", "squares", "first"), PUBLISHED)
def test_reported_failures_of_other_libraries(space, coefficients, squares, first):
    """Values to 30 digits: squares, and coefficients e12, e13 of the first part."""
    n, g = sum(space), metric_of(*space)
    b = np.zeros((n, n))
    b[np.triu_indices(n, 1)] = coefficients
    found = decompose(antisymmetric(b), g)
    assert_valid(antisymmetric(b), g, found)
    np.testing.assert_allclose(found.squares, squares, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.parts[0, 0, 1:3], first, rtol=0, atol=1e-14)


# Screws


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("sign", [1, -1])
def test_screws(m, sign):
    """Per null-degree residuals; the rotation part does not see the translation."""
    rng, g = np.random.default_rng(m), (sign,) * m + (0,)
    for label, inner in euclidean_cases(m, rng):
        if not 1e-150 < np.abs(inner).max(initial=1e-160) < 1e150:
            continue
        for size in (1e-8, 1.0, 1e8):
            z = size * rng.normal(size=m)
            b = np.zeros((m + 1, m + 1))
            b[:m, :m], b[:m, m], b[m, :m] = inner, z, -z
            found, alone = decompose(b, g), decompose(inner, (sign,) * m)
            k = m // 2
            np.testing.assert_array_equal(found.parts[:k, :m, :m], alone.parts)
            rotations = found.kinds == ROTATION
            np.testing.assert_array_equal(found.squares[rotations], alone.squares[alone.kinds == 0])
            assert_screws(found, inner, z, g, label)
            assert np.array_equal(found.parts, -np.swapaxes(found.parts, -1, -2))


def assert_screws(found, inner, z, g, label):
    """Sum, simplicity and commutation, each null-degree in its own unit."""
    m, unit, metric = len(z), np.abs(inner).max(initial=0.0), np.array(g, dtype=float)
    shift = np.abs(z).max(initial=0.0)
    rest = found.parts.sum(axis=0)[:m, m] - z
    assert np.abs(rest).max(initial=0.0) <= (BOUND + TIE) * EPS * shift, label
    for x, y in combinations(found.parts, 2):
        assert np.abs(grade_two(x, y, metric)).max() <= BOUND * EPS * unit * max(unit, shift), label
    for x, kind in zip(found.parts, found.kinds, strict=True):
        limit = BOUND * EPS * unit * max(unit, shift)
        assert np.abs(pfaffians(x)).max(initial=0.0) <= limit, label
        assert kind != NULL or not x[:m, :m].any(), label


def test_both_sides_of_a_null_part_of_a_screw():
    """z = e1 + w e3 beside the plane e12: w e3 is dropped at 7 eps, a null part at 9 eps."""
    for width, kind in ((TIE - 1, ZERO), (TIE + 1, NULL)):
        b = plane(4, 0, 1, 3.0) + plane(4, 0, 3) + plane(4, 2, 3, width * EPS)
        found = decompose(b, metric_of(3, 0, 1))
        assert found.kinds.tolist() == [ROTATION, kind]
        assert found.parts[1, 2, 3] == (width * EPS if kind == NULL else 0.0)


def test_pure_translation_is_one_null_part():
    b = plane(4, 0, 3, 2.0) + plane(4, 2, 3, -1.0)
    found = decompose(b, metric_of(3, 0, 1))
    assert found.kinds.tolist() == [NULL, ZERO]
    np.testing.assert_array_equal(found.parts[0], b)
