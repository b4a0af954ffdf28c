"""Residuals, ties and array handling of the invariant decomposition, in exact arithmetic."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from decomposition_checks import (
    BOOST,
    EPS,
    INDEFINITE,
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
    kinds_of,
    metric_of,
    minus_twice_grade_zero,
    pfaffians,
    plane,
    projector_norm,
    random_parts,
    turned,
)

from geomlin.blades import reorder_sign
from geomlin.errors import LayoutError, NonFiniteInput
from geomlin.kernels.planes import Parts, decompose
from geomlin.signature import Signature
from geomlin.verification.regimes import bivectors, mixed_batch

LORENTZIAN = [(3, 1), (1, 3), (4, 1), (1, 4), (5, 1), (1, 6), (11, 1)]
MAGNITUDES = {
    "generic": lambda rng: rng.uniform(0.2, 3.0),
    "equal": lambda rng: 1.0,
    "near": lambda rng: 1 + rng.integers(1, 5) * 10.0 ** -rng.integers(2, 12),
    "scales": lambda rng: 10.0 ** rng.uniform(-9, 1),
}


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
        for seed in range(8):
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
