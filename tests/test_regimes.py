"""The named regimes: reproducible, present wherever they apply, and of the kind their name says."""

from fractions import Fraction

import numpy as np
import pytest

from geomlin.signature import LARGEST_DIMENSION, Signature
from geomlin.verification.regimes import (
    COEFFICIENT_REGIMES,
    REGIMES,
    bivectors,
    mixed_batch,
    multivectors,
    vectors,
)

EVERY = [
    Signature(p, q, n - p - q)
    for n in range(1, LARGEST_DIMENSION + 1)
    for p in range(n + 1)
    for q in range(n - p + 1)
]


def cases(signature, *regimes):
    return bivectors(signature, np.random.default_rng(3), regimes=regimes or None)


def exact(matrix):
    return np.array([[Fraction(x) for x in row] for row in matrix.tolist()], dtype=object)


def generator(case, signature):
    """The matrix M = b G of x -> [B, x] / 2, exactly."""
    return exact(case.b) * np.array(signature.metric, dtype=object)


def in_axis_frame(signature, regime):
    found = [case for case in cases(signature, regime) if "near" not in case.label]
    assert found
    return found


@pytest.mark.parametrize("n", range(1, LARGEST_DIMENSION + 1))
def test_every_regime_that_applies_yields_finite_antisymmetric_cases(n):
    for signature in (s for s in EVERY if s.n == n):
        found = cases(signature)
        for case in found:
            assert case.b.shape == (n, n)
            assert case.b.dtype == np.float64
            assert np.isfinite(case.b).all()
            assert np.array_equal(case.b, -case.b.T)
        present = {case.regime for case in found}
        assert present == {name for name, r in REGIMES.items() if r.applies(signature)}
        assert len({str(case) for case in found}) == len(found)


def test_every_regime_lives_somewhere_and_says_why():
    for regime in REGIMES.values():
        assert any(regime.applies(signature) for signature in EVERY)
        assert len(regime.reason) > 10


def test_same_seed_same_cases_whatever_the_selection():
    signature = Signature(3, 3, 2)
    whole = {str(case): case.b for case in cases(signature)}
    assert len(whole) > 100
    for case in cases(signature) + cases(signature, "screws") + cases(signature, "Jordan"):
        assert np.array_equal(case.b, whole[str(case)])
    other = bivectors(signature, np.random.default_rng(4), regimes=["generic"])
    assert not np.array_equal(other[0].b, whole[str(other[0])])


def test_unknown_regime_is_refused():
    with pytest.raises(ValueError, match="halfturns"):
        cases(Signature(3), "halfturns")


@pytest.mark.parametrize("numbers", [(1, 2, 0), (2, 1, 0), (3, 1, 1), (4, 4, 0)], ids=str)
def test_null_bivectors_square_to_zero_exactly(numbers):
    signature = Signature(*numbers)
    for case in in_axis_frame(signature, "null"):
        m = generator(case, signature)
        assert (m @ m).any()
        assert not (m @ m @ m).any()
        assert (m @ m).trace() == 0


@pytest.mark.parametrize("numbers", [(2, 2, 0), (4, 3, 1)], ids=str)
def test_totally_null_bivectors_have_a_vanishing_square(numbers):
    signature = Signature(*numbers)
    for case in in_axis_frame(signature, "totally null"):
        m = generator(case, signature)
        assert m.any()
        assert not (m @ m).any()


@pytest.mark.parametrize("numbers", [(2, 2, 0), (3, 2, 0)], ids=str)
def test_jordan_bivectors_have_a_double_root_without_eigenvectors(numbers):
    signature = Signature(*numbers)
    for case in in_axis_frame(signature, "Jordan"):
        m = generator(case, signature)
        size = Fraction(float(case.label.split()[1].rstrip(",")))
        root = -(size**2) if "elliptic" in case.label else size**2
        shifted = m @ m - root * np.eye(signature.n, dtype=int)
        block = np.ix_(*[[0, 1, signature.p, signature.p + 1]] * 2)
        assert shifted[block].any()
        assert not (shifted[block] @ shifted[block]).any()


@pytest.mark.parametrize("numbers", [(3, 2, 0), (2, 3, 0), (4, 4, 0)], ids=str)
def test_nilpotent_bivectors_have_one_block_of_size_five(numbers):
    signature = Signature(*numbers)
    for case in in_axis_frame(signature, "nilpotent"):
        m = generator(case, signature)
        fourth = m @ m @ m @ m
        assert fourth.any()
        assert not (fourth @ m).any()


def test_complex_quadruples_have_complex_squares_but_for_the_equal_real_ones():
    signature = Signature(2, 2)
    for case in cases(signature, "complex quadruple"):
        m = case.b * np.array(signature.metric)
        imaginary = np.abs(np.linalg.eigvals(m @ m).imag).max()
        if "equal real" in case.label:
            square = generator(case, signature) @ generator(case, signature)
            assert not (square - square[0, 0] * np.eye(4, dtype=int)).any()
        else:
            assert imaginary > 1e-9


def test_translations_are_nilpotent_and_screws_are_not():
    signature = Signature(3, 0, 1)
    for case in cases(signature, "translations"):
        m = generator(case, signature)
        assert m.any()
        assert not (m @ m).any()
    assert {"1e-08", "1", "1e+08"} == {
        case.label.split()[-1] for case in cases(signature, "screws")
    }
    for case in cases(signature, "screws"):
        assert case.b[:3, :3].any()
        assert case.b[:3, 3].all()


def test_null_null_parts_exist_only_from_two_null_vectors_on():
    assert not cases(Signature(3, 0, 1), "null-null parts")
    for case in cases(Signature(2, 0, 2), "null-null parts"):
        assert case.b[2, 3] != 0.0


def test_equal_angles_are_equal_and_gaps_are_gaps():
    signature = Signature(6)
    for case in cases(signature, "equal angles"):
        angles = np.linalg.svd(case.b, compute_uv=False)
        assert np.ptp(angles) <= 1e-14 * angles.max()
    gap = next(c for c in cases(signature, "small gaps") if c.label.startswith("gap 1e-06"))
    angles = np.linalg.svd(gap.b, compute_uv=False)[::2]
    assert angles == pytest.approx([1 + 2e-6, 1 + 1e-6, 1.0], abs=1e-14)


def test_half_turns_lie_on_both_sides_of_a_half_turn():
    largest = [np.linalg.norm(c.b, 2) - np.pi / 2 for c in cases(Signature(4), "half turns")]
    assert min(largest) == pytest.approx(-1e-9, abs=1e-14)
    assert max(largest) == pytest.approx(1e-9, abs=1e-14)


def test_huge_bivectors_are_for_definite_metrics_only():
    assert max(np.abs(c.b).max() for c in cases(Signature(0, 4), "huge")) > 1e299
    assert not cases(Signature(3, 1), "huge")
    assert not cases(Signature(3, 0, 1), "huge")


def test_mixed_batch_holds_every_case_in_some_order():
    signature = Signature(4)
    batch = mixed_batch(signature, np.random.default_rng(3))
    again = mixed_batch(signature, np.random.default_rng(3))
    assert np.array_equal(batch, again)
    members = {b.tobytes() for b in batch}
    assert members == {case.b.tobytes() for case in cases(signature)}
    assert [b.tobytes() for b in batch] != [case.b.tobytes() for case in cases(signature)]
    sizes = np.abs(batch).max(axis=(1, 2))
    assert sizes.max() > 1e299
    assert sizes[sizes > 0].min() < 1e-300


@pytest.mark.parametrize("regime", COEFFICIENT_REGIMES)
def test_samplers_are_reproducible_and_of_the_right_shape(regime):
    signature = Signature(2, 1, 1)
    a = multivectors(signature, np.random.default_rng(0), regime=regime, shape=(5,))
    b = multivectors(signature, np.random.default_rng(0), regime=regime, shape=(5,))
    assert a.shape == (5, 16)
    assert a.dtype == np.float64
    assert np.array_equal(a, b)
    assert vectors(signature, np.random.default_rng(0), regime=regime).shape == (4,)


def test_sampler_regimes_are_what_they_say():
    rng = np.random.default_rng(0)
    integers = multivectors(Signature(8), rng, regime="small integers")
    assert np.array_equal(integers, np.round(integers))
    assert np.abs(integers).max() == 3
    mixed = np.abs(multivectors(Signature(8), rng, regime="mixed scales"))
    assert mixed.max() / mixed.min() > 1e12
