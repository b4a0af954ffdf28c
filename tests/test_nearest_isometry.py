"""Lifts of matrices of several large boosts that are no isometries to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from geomlin import Algebra, norm_squared, reverse, rotor_from_matrix, rotor_to_matrix
from geomlin.errors import NotInImage, NotOrthogonal
from geomlin.kernels.lift import lift, rotor_matrix
from geomlin.kernels.nearest_isometry import nearest_isometry

EPS = 2.0**-52
RAPIDITIES = (12.5, 12.0, 6.0, 0.3)
SPACES = [(2, 2, 0), (3, 3, 0), (3, 4, 0), (4, 3, 0), (4, 4, 0), (6, 2, 0), (3, 2, 1), (3, 3, 2)]
BOUND = 16  # distances of M from the group that an answer may be away, however large M is


def special_orthogonal(n: int, rng: np.random.Generator) -> np.ndarray:
    q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    q[:, 0] *= np.linalg.det(q)
    return q


def isometry(space: tuple[int, int, int], rng: np.random.Generator) -> np.ndarray:
    """Boosts of RAPIDITIES between two turns of either sign, and translations."""
    p, q, r = space
    m = p + q

    def turn() -> np.ndarray:
        whole = np.zeros((m, m))
        whole[:p, :p], whole[p:, p:] = special_orthogonal(p, rng), special_orthogonal(q, rng)
        return whole

    boosts = np.eye(m)
    for k, a in enumerate(RAPIDITIES[: min(p, q)]):
        boosts[k, k] = boosts[p + k, p + k] = np.cosh(a)
        boosts[k, p + k] = boosts[p + k, k] = np.sinh(a)
    result = np.eye(m + r)
    result[:m, :m] = turn() @ boosts @ turn()
    result[m:, :m] = rng.normal(size=(r, m))
    return result


def noisy(space: tuple[int, int, int], noise: float, rng: np.random.Generator) -> np.ndarray:
    """An isometry, off by at most `noise` in the rows and columns that are not null."""
    matrix = isometry(space, rng)
    m = space[0] + space[1]
    matrix[:m, :m] += noise * rng.uniform(-1, 1, size=(m, m))
    return matrix


@pytest.mark.parametrize("noise", [1e-9, 1e-6, 1e-4, 4e-3])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_the_answer_is_a_rotor_as_near_as_the_matrix_is_to_the_group(
    space: tuple[int, int, int], noise: float, rng: np.random.Generator
) -> None:
    algebra = Algebra(*space)
    for _ in range(8):
        matrix = noisy(space, noise, rng)
        rotor = rotor_from_matrix(matrix, algebra)
        size = np.abs(rotor.coeffs).max()
        rounding = (
            64 * EPS * size**2 * max(1.0, np.abs(matrix[algebra.n - space[2] :]).max(initial=0))
        )
        assert np.abs((rotor * reverse(rotor) - 1).coeffs).max() <= rounding
        allowed = BOUND * noise + 2.0**-26 * np.abs(matrix).max() * (noise < 1e-4)
        assert np.abs(rotor_to_matrix(rotor) - matrix).max() <= allowed + rounding


@pytest.mark.parametrize("space", [(3, 3, 0), (3, 4, 0), (4, 3, 0), (4, 4, 0)], ids=str)
def test_the_cayley_parameter_alone_misses_such_matrices(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """What the boosts are split off for: without that, every answer is far from M."""
    algebra = Algebra(*space)
    for _ in range(8):
        matrix = noisy(space, 4e-3, rng)
        values = lift(matrix, algebra.metric).coefficients
        missed = np.abs(rotor_matrix(values, algebra.metric) - matrix).max()
        assert missed > 100 * BOUND * 4e-3 + 64 * EPS * np.abs(values).max() ** 2


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_the_two_lifts_agree_where_both_have_digits(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Exact matrices of the same boosts: up to the sign, 64 eps max |M| of the largest."""
    algebra = Algebra(*space)
    for _ in range(8):
        matrix = isometry(space, rng)
        one = lift(matrix, algebra.metric).coefficients
        other = nearest_isometry(matrix, algebra.metric).coefficients
        error = min(np.abs(one - other).max(), np.abs(one + other).max())
        assert error <= 64 * EPS * np.abs(matrix).max() * np.abs(one).max()


def test_batches_hold_the_answers_of_their_elements(rng: np.random.Generator) -> None:
    space = (3, 3, 0)
    algebra = Algebra(*space)
    matrices = np.stack([noisy(space, noise, rng) for noise in (0.0, 4e-3, 1e-6, 4e-3)])
    together = rotor_from_matrix(matrices, algebra).coeffs
    for matrix, values in zip(matrices, together, strict=True):
        alone = rotor_from_matrix(matrix, algebra).coeffs
        assert np.abs(values - alone).max() <= 64 * EPS * np.abs(matrix).max() * np.abs(alone).max()


def test_matrices_without_digits_are_refused(rng: np.random.Generator) -> None:
    """An isometry 2 away is near in units of max |M|, but leaves no digit of the rotor."""
    algebra = Algebra(3, 3)
    matrix = noisy((3, 3, 0), 2.0, rng)
    with pytest.raises(NotOrthogonal, match="too few digits"):
        rotor_from_matrix(matrix, algebra)
    found = rotor_from_matrix(np.stack([matrix, np.eye(6)]), algebra, on_error="nan")
    assert np.isnan(found.coeffs[0]).all()
    assert norm_squared(found[1])["1"] == 1.0


@pytest.mark.parametrize(("flipped", "reason"), [((0,), "det"), ((0, 3), "component")])
def test_the_other_components_are_named(
    flipped: tuple[int, ...], reason: str, rng: np.random.Generator
) -> None:
    matrix = noisy((3, 3, 0), 4e-3, rng)
    matrix[list(flipped)] *= -1
    with pytest.raises(NotInImage) as caught:
        rotor_from_matrix(matrix, Algebra(3, 3))
    assert caught.value.reason == reason
