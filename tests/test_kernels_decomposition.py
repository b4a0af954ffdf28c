"""Residuals, ties and array handling of the invariant decomposition, in exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from decomposition_checks import (
    BOOST,
    BOUND,
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
    kinds_of,
    metric_of,
    plane,
    projector_norm,
    random_parts,
    turned,
)

from geomlin.kernels.indefinite import Piece
from geomlin.kernels.planes import decompose
from geomlin.kernels.spectral import best_cluster
from geomlin.signature import Signature
from geomlin.verification.regimes import bivectors

LORENTZIAN = [(3, 1), (1, 3), (4, 1), (1, 4), (5, 1), (1, 6), (11, 1)]
MAGNITUDES = {
    "generic": lambda rng: rng.uniform(0.2, 3.0),
    "equal": lambda rng: 1.0,
    "near": lambda rng: 1 + rng.integers(1, 5) * 10.0 ** -rng.integers(2, 12),
    "scales": lambda rng: 10.0 ** rng.uniform(-9, 1),
}


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
        for seed in range(6):
            rng = np.random.default_rng([p, q, seed])
            b, kinds = random_parts(p, q, lambda sample=magnitude, rng=rng: sample(rng), rng)
            frame = boosted_frame(p, q, rapidity, rng)
            found = decompose(turned(b, frame), g)
            label = f"{name}, seed {seed}"
            norm = np.linalg.norm(frame, 2) ** 2
            assert_valid(turned(b, frame), g, found, conditioning=norm, label=label)
            assert kinds_of(found) == kinds, label


@pytest.mark.parametrize(("p", "q"), INDEFINITE)
def test_nearly_degenerate_bivectors_keep_half_of_the_digits(p, q):
    """Small integers plus noise of any size: near null, Jordan and complex blocks of every kind."""
    n, g, rng = p + q, metric_of(p, q), np.random.default_rng([p, q])
    for exponent in np.linspace(-16, -3, 60):
        b = rng.integers(-1, 2, size=(n, n)) + 10.0**exponent * rng.normal(size=(n, n))
        b = antisymmetric(b)
        found = decompose(b, g)
        assert np.isfinite(found.parts).all()
        stretch = (np.abs(found.parts).max() / np.abs(b).max()) ** 2
        residuals = defects(b, g, found)
        assert residuals["sum"] <= 2**26
        assert residuals["simple"] <= BOUND * stretch
        assert residuals["grade 2"] <= 4 * BOUND * max(stretch, projector_norm(found, g))


def test_cuts_are_best_conditioned_and_frames_stay_orthonormal():
    """No single eigenvalue pair is better separated than the cluster that is cut off."""
    g, rng = np.array(metric_of(4, 4), dtype=float), np.random.default_rng(7)
    for _ in range(20):
        m = (
            turned(sum(plane(8, i, 7 - i, i + 1.0) for i in range(4)), boosted_frame(4, 4, 1, rng))
            * g
        )
        norm = best_cluster(m, g, 1e-13)[1]
        values, vectors = np.linalg.eig(m)
        for value in values:
            pair = vectors[:, np.abs(np.abs(values) - np.abs(value)) < 1e-6]
            basis = np.linalg.qr(np.concatenate([pair.real, pair.imag], axis=1))[0][:, :2]
            assert norm <= (1 + 1e-9) / np.abs(np.linalg.eigvalsh((basis.T * g) @ basis)).min()
        piece = Piece(np.eye(8), g)
        for size in (7, 6, 5, 4):
            basis = np.linalg.qr(rng.normal(size=(size + 1, size)))[0]
            piece = piece.subspace(basis, g)
        defect = piece.frame.T @ (g[:, None] * piece.frame) - np.diag(piece.signs)
        assert piece.stretch > 1e4 or np.abs(defect).max() <= 3 * EPS * piece.stretch


@pytest.mark.parametrize(("p", "q"), [*LORENTZIAN[:3], *INDEFINITE[:4], (6, 2)])
def test_every_regime(p, q):
    space = Signature(p, q)
    for case in bivectors(space, np.random.default_rng([p, q])):
        found = decompose(case.b, space.metric)
        assert np.isfinite(found.parts).all(), case
        if 1e-150 < np.abs(case.b).max() < 1e150:
            norm = projector_norm(found, space.metric)
            assert_valid(case.b, space.metric, found, conditioning=norm, label=str(case))


@pytest.mark.parametrize(("p", "q"), [(6, 2), (2, 6), (2, 4), (5, 3), (4, 4)])
def test_nearly_nilpotent_blocks_lose_nothing(p, q):
    """One 5 x 5 Jordan block in a boosted frame: cutting off what it leaves free costs no digit."""
    space = Signature(p, q)
    for seed in range(12):
        cases = bivectors(space, np.random.default_rng([seed, p, q]), regimes=["nilpotent"])
        for case in cases:
            found = decompose(case.b, space.metric)
            assert_valid(case.b, space.metric, found, label=f"{seed}, {case}")


# Ties


def noisy(b, rng):
    """b with each coefficient moved by at most one ulp."""
    return antisymmetric(b * (1 + EPS * rng.integers(-1, 2, size=b.shape)))


def equal_planes(p, q):
    """Rotations, boosts and null parts of equal squares, as many of each as there is room for."""
    n = p + q
    rotations = [(i, i + 1) for i in (*range(0, p - 1, 2), *range(p, n - 1, 2))]
    yield ROTATION, sum(plane(n, i, j) for i, j in rotations)
    if min(p, q) >= 2:
        yield BOOST, sum(plane(n, i, p + i) for i in range(min(p, q)))
    if p >= 4 and q >= 2:
        yield NULL, plane(n, 0, 2) + plane(n, p, 2) + plane(n, 1, 3) + plane(n, p + 1, 3)


@pytest.mark.parametrize(
    ("p", "q"), [(4, 0), (6, 0), (7, 0), (12, 0), (5, 1), (2, 2), (3, 2), (4, 4), (6, 2)]
)
def test_planes_of_equal_squares_are_stable(p, q):
    """One ulp of noise on exactly equal squares moves canonical planes by rounding only."""
    g, n = metric_of(p, q), p + q
    for kind, axes in equal_planes(p, q):
        for seed in range(12):
            rng = np.random.default_rng([p, q, seed])
            frame = np.eye(n)
            frame[:p, :p] = exact_rotation(p, rng)
            b = turned(axes, frame)
            first, second = (decompose(noisy(b, rng), g) for _ in range(2))
            assert np.abs(first.parts - second.parts).max() <= 1e-14
            assert set(first.kinds) | set(second.kinds) <= {kind, ZERO}
            assert len(set(first.squares[first.kinds == kind])) == 1
            assert_valid(b, g, decompose(b, g))


@pytest.mark.parametrize(("p", "q"), [(4, 0), (7, 0), (5, 1), (1, 6)])
def test_planes_of_rounded_equal_squares_are_stable(p, q):
    """As above where random frames have already moved the angles by a few eps."""
    rng, axes = np.random.default_rng([p, q]), next(equal_planes(p, q))[1]
    bs = [turned(axes, boosted_frame(p, q, 0.0, rng)) for _ in range(300)]
    batches = (np.stack([noisy(b, rng) for b in bs]) for _ in range(2))
    first, second = (decompose(batch, metric_of(p, q)) for batch in batches)
    assert np.abs(first.parts - second.parts).max() <= 1e-14


def test_rounding_of_equal_squares_makes_no_blocks():
    """e12 + e34 and e13 + e24 of Cl(2,2), rounded in a thousand strongly boosted frames."""
    rng = np.random.default_rng(4)
    for kind, b in equal_planes(2, 2):
        batch = np.stack([turned(b, boosted_frame(2, 2, 2.0, rng)) for _ in range(1000)])
        assert np.all(decompose(batch, metric_of(2, 2)).kinds == kind)


def test_canonical_planes_are_pivoted_on_the_axes():
    isoclinic = plane(4, 0, 1) + plane(4, 2, 3)
    found = decompose(isoclinic, metric_of(4, 0))
    np.testing.assert_array_equal(found.parts, [plane(4, 0, 1), plane(4, 2, 3)])
    np.testing.assert_array_equal(found.squares, [-1, -1])
    crossed = plane(4, 0, 2) + plane(4, 1, 3)
    found = decompose(np.stack([isoclinic, crossed]), metric_of(2, 2))
    assert found.kinds.tolist() == [[ROTATION, ROTATION], [BOOST, BOOST]]
    np.testing.assert_array_equal(found.parts[1], [plane(4, 0, 2), plane(4, 1, 3)])


def test_canonical_planes_are_sorted_by_pivot():
    """e34 is found first, its axis e3 lying in the plane; e1 is the pivot of the other plane."""
    u, v = np.array([1, -1, 0, 0, 0]) / np.sqrt(2), np.array([1, 1, 0, 0, -2]) / np.sqrt(6)
    tilted = np.outer(u, v) - np.outer(v, u)
    found = decompose(tilted + plane(5, 2, 3), metric_of(5, 0))
    np.testing.assert_allclose(found.parts, [tilted, plane(5, 2, 3)], atol=1e-15)


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
