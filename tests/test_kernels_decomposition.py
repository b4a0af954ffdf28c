"""The float64 kernels of the invariant decomposition, against exact arithmetic."""

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
    NULL,
    ROTATION,
    TIE,
    ZERO,
    antisymmetric,
    assert_valid,
    boosted_frame,
    defects,
    euclidean_cases,
    exact_rotation,
    grade_two,
    minus_twice_grade_zero,
    pfaffians,
    plane,
    projector_norm,
    random_parts,
    turned,
)
from flint import fmpq_mat

from geomlin.blades import reorder_sign
from geomlin.errors import LayoutError, NonFiniteInput, NotSupported
from geomlin.kernels.planes import Parts, decompose
from geomlin.signature import Signature
from geomlin.verification.regimes import bivectors, mixed_batch

LORENTZIAN = [(3, 1), (1, 3), (4, 1), (1, 4), (5, 1), (1, 6), (11, 1)]
INDEFINITE = [(2, 2), (3, 2), (2, 3), (3, 3), (4, 2), (4, 4), (6, 2)]
MAGNITUDES = {
    "generic": lambda rng: rng.uniform(0.2, 3.0),
    "equal": lambda rng: 1.0,
    "near": lambda rng: 1 + rng.integers(1, 5) * 10.0 ** -rng.integers(2, 12),
    "scales": lambda rng: 10.0 ** rng.uniform(-9, 1),
}


def metric_of(p, q, r=0):
    return (1,) * p + (-1,) * q + (0,) * r


def kinds_of(found):
    return sorted(int(kind) for kind in found.kinds if kind != ZERO)


# The checks themselves


def test_the_matrix_criteria_are_those_of_the_algebra():
    g, rng = metric_of(3, 2, 1), np.random.default_rng(1)
    x, y = (antisymmetric(rng.integers(-3, 4, size=(6, 6))).astype(object) for _ in range(2))
    pairs = list(combinations(range(6), 2))

    def product(x, y):
        coefficients = {}
        for (i, j), (k, m) in ((s, t) for s in pairs for t in pairs):
            left, right = 1 << i | 1 << j, 1 << k | 1 << m
            sign = reorder_sign(left, right)
            for axis in (i for i in range(6) if left & right & 1 << i):
                sign *= g[axis]
            term = sign * x[i, j] * y[k, m]
            coefficients[left ^ right] = coefficients.get(left ^ right, 0) + term
        return coefficients

    metric, xy, xx = np.array(g, dtype=object), product(x, y), product(x, x)
    assert minus_twice_grade_zero(x, y, metric) == -2 * xy[0]
    assert [grade_two(x, y, metric)[i, j] for i, j in pairs] == [
        xy.get(1 << i | 1 << j, 0) for i, j in pairs
    ]
    four = [xx.get(sum(1 << i for i in axes), 0) for axes in combinations(range(6), 4)]
    assert [2 * x for x in pfaffians(x)] == four


@pytest.mark.parametrize(("p", "q"), [(6, 0), (4, 1), (3, 3)])
def test_false_twins_fail(p, q):
    rng, g = np.random.default_rng(2), metric_of(p, q)
    axes = [(0, 1), (2, 3), (4, 5)] if (p, q) == (6, 0) else [(0, p), (1, 2)]
    b = sum(plane(p + q, i, j, 1.0 + i / 8) for i, j in axes)
    b = turned(b, boosted_frame(p, q, 0.2, rng))
    found = decompose(b, g)
    assert_valid(b, g, found)
    dropped = found.parts.copy()
    dropped[1] = 0.0
    mixed = found.parts.copy()
    mixed[0], mixed[1] = 0.6 * mixed[0] + 0.4 * mixed[1], 0.4 * mixed[0] + 0.6 * mixed[1]
    for parts, broken in ((dropped, "sum"), (mixed, "simple")):
        assert defects(b, g, found._replace(parts=parts))[broken] > 1e12
    frame = np.eye(p + q) + 1e-6 * antisymmetric(rng.normal(size=(p + q, p + q)))
    bent = found.parts.copy()
    bent[0] = turned(bent[0], frame)
    bent[1] += found.parts[0] - bent[0]
    assert defects(b, g, found._replace(parts=bent))["grade 2"] > 1e6
    swapped = found._replace(squares=found.squares[::-1])
    assert defects(b, g, swapped)["square"] > 1e12


# Residuals


@pytest.mark.parametrize("n", range(2, 13))
def test_definite_metrics(n):
    for label, b in euclidean_cases(n, np.random.default_rng(n)):
        for g in (metric_of(n, 0), metric_of(0, n)):
            found = decompose(b, g)
            if 1e-150 < np.abs(b).max() < 1e150:
                assert_valid(b, g, found, label=label)
            scale = 2.0 ** -np.frexp(np.abs(b).max())[1] if np.abs(b).max() > 1e-300 else 1.0
            rest = (scale * b - (scale * found.parts).sum(axis=0)) / (np.abs(scale * b).max() or 1)
            smallest = 5e-324 * n / np.abs(b).max() if b.any() else 0.0
            assert np.abs(rest).max() <= 40 * EPS * np.sqrt(n) + smallest, label
            assert set(found.kinds) <= {ROTATION, ZERO}, label


@pytest.mark.parametrize(("p", "q"), LORENTZIAN)
def test_lorentzian_metrics_always_split(p, q):
    """Null, nearly null, boosted, graded: never a block, and no loss by conditioning."""
    g, n, rng = metric_of(p, q), p + q, np.random.default_rng([p, q])
    x, t, y = (0, n - 1, 1) if q == 1 else (1, 0, 2)
    null = plane(n, x, y) + plane(n, t, y)
    for rapidity in (0.0, 0.5, 3.0):
        frame = boosted_frame(p, q, rapidity, rng)
        for distance in (0.0, *10.0 ** -np.arange(1.0, 17.0)):
            b = null + distance * antisymmetric(rng.normal(size=(n, n)))
            b = turned(b, frame)
            found = decompose(b, g)
            assert_valid(b, g, found, label=f"null + {distance:g}, rapidity {rapidity:g}")
            assert np.all(found.kinds <= ZERO)
        for name, magnitude in MAGNITUDES.items():
            b, kinds = random_parts(p, q, lambda sample=magnitude: sample(rng), rng)
            b = turned(b, frame)
            found = decompose(b, g)
            assert_valid(b, g, found, label=f"{name}, rapidity {rapidity:g}")
            assert rapidity > 1 or kinds_of(found) == kinds, name


@pytest.mark.parametrize("rapidity", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("p", "q"), INDEFINITE)
def test_indefinite_metrics(p, q, rapidity):
    """Kinds as constructed; residuals times the squared norm of the projectors, cosh 2 rapidity."""
    g = metric_of(p, q)
    for name, magnitude in MAGNITUDES.items():
        for seed in range(12):
            rng = np.random.default_rng([p, q, seed])
            b, kinds = random_parts(p, q, lambda sample=magnitude, rng=rng: sample(rng), rng)
            frame = boosted_frame(p, q, rapidity, rng)
            found = decompose(turned(b, frame), g)
            label = f"{name}, seed {seed}"
            norm = np.linalg.norm(frame, 2) ** 2
            assert_valid(turned(b, frame), g, found, conditioning=norm, label=label)
            assert kinds_of(found) == kinds, label


@pytest.mark.parametrize(("p", "q"), [*LORENTZIAN[:3], *INDEFINITE[:4], (6, 2)])
def test_every_regime(p, q):
    space = Signature(p, q)
    for case in bivectors(space, np.random.default_rng([p, q])):
        found = decompose(case.b, space.metric)
        assert np.isfinite(found.parts).all(), case
        if 1e-150 < np.abs(case.b).max() < 1e150:
            norm = projector_norm(found, space.metric)
            assert_valid(case.b, space.metric, found, conditioning=norm, label=str(case))


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


# Ties


def noisy(b, rng):
    """b with each coefficient moved by at most one ulp."""
    return antisymmetric(b * (1 + EPS * rng.integers(-1, 2, size=b.shape)))


@pytest.mark.parametrize(("p", "q"), [(4, 0), (6, 0), (7, 0), (12, 0), (5, 1), (3, 2), (4, 4)])
def test_planes_of_equal_squares_are_stable(p, q):
    """One ulp of noise on exactly equal squares moves canonical planes by rounding only."""
    g, n = metric_of(p, q), p + q
    axes = [(i, i + 1) for i in (*range(0, p - 1, 2), *range(p, n - 1, 2))]
    for seed in range(20):
        rng = np.random.default_rng([p, q, seed])
        frame = np.eye(n)
        frame[:p, :p] = exact_rotation(p, rng)
        b = turned(sum(plane(n, i, j) for i, j in axes), frame)
        first, second = (decompose(noisy(b, rng), g) for _ in range(2))
        assert np.abs(first.parts - second.parts).max() <= 1e-14
        assert np.array_equal(first.kinds, second.kinds)
        assert len(set(first.squares[first.kinds == ROTATION])) == 1
        assert_valid(b, g, decompose(b, g))


def test_canonical_planes_are_pivoted_on_the_axes():
    isoclinic = plane(4, 0, 1) + plane(4, 2, 3)
    found = decompose(isoclinic, metric_of(4, 0))
    np.testing.assert_array_equal(found.parts, [plane(4, 0, 1), plane(4, 2, 3)])
    np.testing.assert_array_equal(found.squares, [-1, -1])
    crossed = plane(4, 0, 2) + plane(4, 1, 3)
    found = decompose(np.stack([isoclinic, crossed]), metric_of(2, 2))
    assert found.kinds.tolist() == [[ROTATION, ROTATION], [BOOST, BOOST]]
    np.testing.assert_array_equal(found.parts[1], [plane(4, 0, 2), plane(4, 1, 3)])


def test_equal_magnitudes_of_several_kinds_are_sorted_by_kind():
    b = plane(6, 0, 4, 2.0) + plane(6, 1, 2, 2.0) + plane(6, 3, 5, 2.0)
    assert decompose(b, metric_of(4, 2)).kinds.tolist() == [ROTATION, BOOST, BOOST]
    b = plane(7, 0, 5, 1.0) + plane(7, 1, 2) + plane(7, 6, 2) + plane(7, 3, 4, 3.0)
    assert decompose(b, metric_of(5, 2)).kinds.tolist() == [ROTATION, BOOST, NULL]


@pytest.mark.parametrize(("p", "q"), [(4, 0), (4, 1), (2, 2), (3, 2), (4, 4)])
def test_both_sides_of_tau(p, q):
    """At 7 eps magnitudes tie and a part is zero, at 9 eps not."""
    n, g = p + q, metric_of(p, q)
    i, j = (2, 3) if p >= 4 else (p, p + 1)
    for width, inside in ((TIE - 1, True), (TIE + 1, False)):
        found = decompose(plane(n, 0, 1, 1 + width * EPS) + plane(n, i, j), g)
        assert (found.squares[0] == found.squares[1]) == inside
        assert kinds_of(found) == [ROTATION, ROTATION]
        small = decompose(plane(n, 0, 1) + plane(n, i, j, width * EPS), g)
        assert small.kinds[1] == (ZERO if inside else ROTATION)
        assert small.parts[1].any() != inside


def test_both_sides_of_null():
    """(x e1 + e3) ^ e2 in Cl(2,1) has size sqrt(1 + x^2) and square 1 - x^2."""
    for x, kind in ((1 + 31 * EPS, NULL), (1 + 33 * EPS, ROTATION), (1 - 33 * EPS, BOOST)):
        b = plane(3, 0, 1, x) + plane(3, 2, 1)
        assert decompose(b, metric_of(2, 1)).kinds == [kind]
        b = np.pad(b, ((0, 2), (0, 2)))[[0, 1, 3, 2, 4]][:, [0, 1, 3, 2, 4]]
        assert decompose(b, metric_of(3, 2)).kinds.tolist() == [kind, ZERO]


# Screws


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("sign", [1, -1])
def test_screws(m, sign):
    """Per null-degree residuals; the rotation part does not see the translation."""
    rng, g = np.random.default_rng(m), (sign,) * m + (0,)
    for label, inner in euclidean_cases(m, rng):
        if not 1e-150 < np.abs(inner).max(initial=1e-160) < 1e150:
            continue
        for size in (0.0, 1e-8, 1.0, 1e8):
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


def test_pure_translation_is_one_null_part():
    b = plane(4, 0, 3, 2.0) + plane(4, 2, 3, -1.0)
    found = decompose(b, metric_of(3, 0, 1))
    assert found.kinds.tolist() == [NULL, ZERO]
    np.testing.assert_array_equal(found.parts[0], b)


@pytest.mark.parametrize("g", [(1, 1, 0, 0), (1, 1, -1, 0), (0, 0, 0)])
def test_other_degenerate_metrics_are_refused(g):
    with pytest.raises(NotSupported, match="expected r = 0"):
        decompose(np.zeros((len(g), len(g))), g)


# Arrays


@pytest.mark.parametrize(("p", "q"), [(5, 0), (0, 6), (3, 1), (2, 2), (3, 2), (3, 3)])
def test_a_mixed_batch_equals_its_elements(p, q):
    space = Signature(p, q)
    batch = mixed_batch(space, np.random.default_rng(5))[:60]
    together = decompose(batch, space.metric)
    assert np.isfinite(together.parts).all()
    for index, b in enumerate(batch):
        alone = decompose(b, space.metric)
        unit = np.abs(b).max() or 1.0
        np.testing.assert_array_equal(alone.kinds, together.kinds[index])
        assert np.abs(alone.parts - together.parts[index]).max() <= 4 * EPS * unit


@pytest.mark.parametrize("g", [(1, 1, 1, 1), (1, 1, 1, -1), (1, 1, -1, -1), (1, 1, 1, 0)])
def test_shapes_and_layouts(g):
    n, rng = len(g), np.random.default_rng(6)
    b = rng.normal(size=(3, 2, n, n))
    b = b - np.swapaxes(b, -1, -2)
    reference = decompose(b, g)
    assert [x.shape for x in reference] == [(3, 2, 2, n, n), (3, 2, 2), (3, 2, 2)]
    assert [x.dtype for x in reference] == [np.float64, np.complex128, np.int8]
    frozen = np.asfortranarray(b)
    frozen.flags.writeable = False
    doubled = np.repeat(b, 2, axis=0)[::2]
    for other in (frozen, doubled, b[::-1][::-1]):
        for x, y in zip(decompose(other, g), reference, strict=True):
            np.testing.assert_array_equal(x, y)
    empty = decompose(np.zeros((0, 5, n, n)), g)
    assert [x.shape for x in empty] == [(0, 5, 2, n, n), (0, 5, 2), (0, 5, 2)]
    nothing = decompose(np.zeros((n, n)), g)
    assert nothing.kinds.tolist() == [ZERO, ZERO]
    assert not nothing.parts.any()


@pytest.mark.parametrize("g", [(), (1,), (0,), (-1,), (1, 0), (1, -1), (1, 1)])
def test_the_smallest_dimensions(g):
    found = decompose(antisymmetric(np.ones((len(g), len(g)))), g)
    assert isinstance(found, Parts)
    assert found.parts.shape == (len(g) // 2, len(g), len(g))
    kind = {(1, 0): NULL, (1, -1): BOOST, (1, 1): ROTATION}.get(g)
    assert found.kinds.tolist() == ([] if kind is None else [kind])


def test_input_is_checked():
    with pytest.raises(LayoutError, match="expected antisymmetric"):
        decompose(np.zeros((3, 4)), (1, 1, 1))
    with pytest.raises(NonFiniteInput):
        decompose(np.full((3, 3), np.nan), (1, 1, 1))
