"""Eigenvalues and invariant subspaces where LAPACK's iteration does not converge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg

from geomlin import Algebra, exp, log, slerp
from geomlin.errors import NoRealLogarithm
from geomlin.kernels import eigenvalues as module
from geomlin.kernels.eigenvalues import (
    action_eigenvalues,
    eigenvalues,
    invariant_subspace,
    real_schur,
)

EPS = 2.0**-52
ANGLE = 1.9674490233544353e-08
# Two equal angles in e12 and e34, and the rounding that makes numpy.linalg.eigvals stall.
STALLING = np.zeros((4, 4))
STALLING[0, 1], STALLING[2, 3], STALLING[0, 2], STALLING[1, 3] = (
    -ANGLE, -ANGLE, -4.2351647362715036e-22, 8.4703294725430072e-22,
)  # fmt: skip
STALLING -= STALLING.T


def stalls_on(matrix: np.ndarray, function: Any) -> Any:
    """The function, which fails for this matrix only, as the iteration does."""

    def failing(argument: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        if argument.shape[-2:] == matrix.shape and (argument == matrix).all(axis=(-1, -2)).any():
            raise np.linalg.LinAlgError("planted")
        return function(argument, *args, **kwargs)

    return failing


def sorted_imaginary(values: np.ndarray) -> np.ndarray:
    return np.sort(values.imag, axis=-1)


@pytest.mark.parametrize("scale", [1.0, 2.0**10, 2.0**20, 0.5], ids=str)
def test_equal_angles_up_to_rounding_have_eigenvalues(scale: float) -> None:
    """The matrix of a slerp in Cl(4,0,2) that raised LinAlgError."""
    for g in [(1, 1, 1, 1), (-1, -1, -1, -1)]:
        found = sorted_imaginary(action_eigenvalues(scale * STALLING[None], g))[0]
        assert np.abs(found - scale * ANGLE * np.array([-1, -1, 1, 1])).max() <= 8 * EPS * scale
    found = sorted_imaginary(eigenvalues(scale * STALLING))
    assert np.abs(found - scale * ANGLE * np.array([-1, -1, 1, 1])).max() <= 64 * EPS * scale


def test_a_batch_keeps_the_elements_beside_one_that_stalls(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    matrices = rng.normal(size=(3, 5, 5))
    wanted = np.sort_complex(np.linalg.eigvals(matrices))
    monkeypatch.setattr(np.linalg, "eigvals", stalls_on(matrices[1], np.linalg.eigvals))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.eigvals(matrices)
    assert np.abs(np.sort_complex(eigenvalues(matrices)) - wanted).max() <= 1e-13


def test_an_invariant_subspace_is_found_in_other_coordinates(monkeypatch) -> None:
    matrix = np.random.default_rng(2).normal(size=(6, 6))
    monkeypatch.setattr(linalg, "schur", stalls_on(matrix, linalg.schur))
    vectors, count = invariant_subspace(matrix, lambda value: value.real > 0)
    assert 0 < count < 6
    basis = vectors[:, :count]
    image = matrix @ basis
    assert np.abs(image - basis @ (basis.T @ image)).max() <= 1e-13
    assert (np.linalg.eigvals(basis.T @ image).real > 0).all()
    triangular, vectors = real_schur(matrix)
    assert np.abs(vectors @ triangular @ vectors.T - matrix).max() <= 1e-13
    assert np.abs(vectors @ vectors.T - np.eye(6)).max() <= 1e-14


def test_what_never_converges_is_an_error_and_log_says_undecided(monkeypatch) -> None:
    """The false twin: without other coordinates there is no answer, and none is made up."""
    matrix = np.random.default_rng(3).normal(size=(4, 4))
    monkeypatch.setattr(module, "_reflections", lambda n: iter(()))
    monkeypatch.setattr(np.linalg, "eigvals", stalls_on(matrix, np.linalg.eigvals))
    monkeypatch.setattr(linalg, "schur", stalls_on(matrix, linalg.schur))
    with pytest.raises(np.linalg.LinAlgError, match="were not found"):
        eigenvalues(matrix)
    with pytest.raises(np.linalg.LinAlgError, match="was not found"):
        real_schur(matrix)

    def never(*args: Any, **kwargs: Any) -> Any:
        raise np.linalg.LinAlgError("planted")

    alg = Algebra(4, 2)
    rotor = exp(alg.bivector({"e12": 2.0, "e34": 1.5, "e56": 0.3}))  # two angles beyond pi
    assert np.abs((exp(log(rotor)) - rotor).coeffs).max() <= 64 * EPS
    monkeypatch.setattr("geomlin.kernels.log_single.principal_isometry", never)
    with pytest.raises(NoRealLogarithm, match="undecided"):
        log(rotor)


def test_slerp_beside_equal_angles_answers() -> None:
    """Two equal angles of 2e-8 between the rotors, and null vectors: the call that failed."""
    alg = Algebra(4, 0, 2)
    first = exp(alg.bivector({"e12": 3e-6, "e35": 1e-6, "e46": 2e-6}))
    step = alg.bivector({"e12": ANGLE, "e34": ANGLE, "e13": 4e-22, "e24": 8e-22})
    second = first * exp(step)
    found = slerp(first, second, 1.0)
    assert np.abs((found - second).coeffs).max() <= 32 * EPS


def test_a_null_rotor_of_1e300_is_undecided_and_not_a_failure_of_the_iteration() -> None:
    alg = Algebra(3, 2, 2)
    null = alg.multivector({"e12": 1e300, "e24": -1e300})
    with pytest.raises(NoRealLogarithm, match="undecided"):
        log(alg.scalar(1.0) + null)
