"""Continuous lifts of paths: the sign follows, and a jump that hides it is refused."""

from __future__ import annotations

from math import asin, degrees, pi, radians
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    DtypeError,
    LayoutError,
    Multivector,
    NotInImage,
    NotOrthogonal,
    NotSupported,
    exp,
    rotor_from_matrix,
    rotor_to_matrix,
)
from geomlin.ops.lift_path import lift_path

EPS = 2.0**-52
SIGNATURES = [
    (2, 0, 0), (3, 0, 0), (4, 0, 0), (6, 0, 0), (0, 3, 0), (3, 1, 0), (2, 2, 0), (1, 1, 0),
    (3, 0, 1), (2, 1, 1), (2, 0, 0),
]  # fmt: skip
LIMIT = 2 * asin((1 + 0.01) ** -0.5)  # rotation angle at which tan(angle/2) = 10


def one_parameter_path(alg: Algebra, rng: np.random.Generator, steps: int) -> Multivector:
    """exp(t B) for t from 0 to a few turns."""
    b = alg.random.bivector(rng) * (3.0 if alg.signature.is_definite else 1.0)
    return exp(alg.bivector(np.linspace(0, 3, steps)[:, None] * b.coeffs))


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_recovers_a_path_with_its_signs(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    path = one_parameter_path(Algebra(*signature), rng, 300)
    found = lift_path(rotor_to_matrix(path), path.algebra)
    size = np.abs(path.coeffs).max(axis=-1, keepdims=True)
    assert np.abs((found.coeffs - path.coeffs) / size**2).max() <= 1e-12


def test_the_lift_of_each_matrix_alone_does_not() -> None:
    """What the path is for: independent lifts jump to -R where the scalar part changes sign."""
    alg = Algebra(2)
    path = exp(alg.bivector(np.linspace(0, pi, 40)[:, None]))
    alone = rotor_from_matrix(rotor_to_matrix(path), alg)
    assert np.abs(alone.coeffs - path.coeffs).max() > 1
    assert np.abs(lift_path(rotor_to_matrix(path), alg).coeffs - path.coeffs).max() <= 4 * EPS


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_loops_show_their_homotopy_class(n: int, turns: int, rng: np.random.Generator) -> None:
    """A loop of k full turns in one plane ends in (-1)^k."""
    frame = np.linalg.qr(rng.normal(size=(n, 2)))[0]
    alg = Algebra(n)
    plane = alg.vector(frame[:, 0]) ^ alg.vector(frame[:, 1])
    loop = exp(alg.bivector(np.linspace(0, turns * pi, 24 * turns)[:, None] * plane.coeffs))
    lifted = lift_path(rotor_to_matrix(loop), alg)
    assert lifted[0]["1"] == pytest.approx(1, abs=4 * EPS)
    assert lifted[-1]["1"] == pytest.approx((-1) ** turns, abs=8 * EPS)


@pytest.mark.parametrize("offset", [-1e-6, -1e-3, 1e-6, 1e-3])
@pytest.mark.parametrize("signature", [(2, 0, 0), (3, 1, 0), (2, 0, 1)], ids=str)
def test_both_sides_of_the_largest_step(signature: tuple[int, int, int], offset: float) -> None:
    """Refused from cos(b) = 0.1 sin(b), that is 168.6 degrees of rotation, on; and up to -168.6."""
    assert degrees(LIMIT) == pytest.approx(168.58, abs=0.01)
    alg = Algebra(*signature)
    for angle in (LIMIT * (1 + offset), 2 * pi - LIMIT * (1 + offset)):
        path = rotor_to_matrix(exp(alg.bivector({"e12": np.array([0.0, angle / 2])})))
        if offset < 0:
            lifted = lift_path(path, alg)
            shorter = angle / 2 if angle < pi else angle / 2 - pi
            assert lifted[1]["e12"] == pytest.approx(np.sin(shorter), abs=4 * EPS)
        else:
            with pytest.raises(NotInImage, match="finely") as caught:
                lift_path(path, alg)
            assert (caught.value.reason, caught.value.indices) == ("jump", ((1,),))


@pytest.mark.parametrize("step", [1.0, 1e8])
def test_translations_are_no_jump(step: float) -> None:
    """Null parts say nothing about the sign, however large they are."""
    alg = Algebra(2, 0, 1)
    path = exp(alg.bivector({"e13": step * np.arange(4.0), "e12": 0.5 * np.arange(4.0)}))
    lifted = lift_path(rotor_to_matrix(path), alg)
    assert np.abs(lifted.coeffs - path.coeffs).max() <= 4 * EPS * np.abs(path.coeffs).max()


@pytest.mark.parametrize("planes", [2, 3, 4])
def test_many_planes_at_once(planes: int) -> None:
    """All coefficients of ~R S are products: the largest may be far from the scalar part."""
    alg = Algebra(2 * planes)
    names = [f"e{2 * k + 1}{2 * k + 2}" for k in range(planes)]
    for angle, resolved in ((radians(100), True), (radians(175), False)):
        path = exp(alg.bivector({name: np.array([0.0, angle / 2]) for name in names}))
        if resolved:
            lifted = lift_path(rotor_to_matrix(path), alg)
            assert np.abs(lifted.coeffs - path.coeffs).max() <= 8 * EPS
        else:
            with pytest.raises(NotInImage, match="undecided"):
                lift_path(rotor_to_matrix(path), alg)


def test_what_follows_a_failure_is_lost() -> None:
    alg = Algebra(2)
    matrices = rotor_to_matrix(exp(alg.bivector(np.array([[0.0], [0.4], [0.8], [2.3], [2.5]]))))
    lost = np.isnan(lift_path(matrices, alg, on_error="nan").coeffs).any(axis=-1)
    assert lost.tolist() == [False, False, False, True, True]
    broken = matrices[:3].copy()
    broken[1] *= 2
    lost = np.isnan(lift_path(broken, alg, on_error="nan").coeffs).any(axis=-1)
    assert lost.tolist() == [False, True, True]
    with pytest.raises(NotOrthogonal) as caught:
        lift_path(broken, alg)
    assert caught.value.indices == ((1,),)


def test_batches_of_paths_are_independent(rng: np.random.Generator) -> None:
    alg = Algebra(3)
    paths = [one_parameter_path(alg, rng, 50) for _ in range(3)]
    matrices = np.stack([rotor_to_matrix(path) for path in paths])
    lifted = lift_path(matrices, alg)
    assert lifted.shape == (3, 50)
    for k in range(3):
        assert lifted[k] == lift_path(matrices[k], alg)


def test_empty_and_short_paths() -> None:
    alg = Algebra(3)
    assert lift_path(np.zeros((0, 3, 3)), alg).shape == (0,)
    assert lift_path(np.zeros((0, 5, 3, 3)), alg).shape == (0, 5)
    assert lift_path(np.eye(3)[None], alg) == alg.scalar(np.ones(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_dtype_is_kept(dtype: Any) -> None:
    alg = Algebra(2)
    path = exp(alg.bivector(np.linspace(0, pi, 9)[:, None]))
    lifted = lift_path(rotor_to_matrix(path).astype(dtype), alg, tolerance=1e-2)
    assert lifted.dtype == dtype
    assert np.abs(lifted.coeffs - path.coeffs).max() <= 4 * np.finfo(dtype).eps


def test_input_is_checked() -> None:
    alg = Algebra(2)
    with pytest.raises(LayoutError, match=r"expected a path"):
        lift_path(np.eye(2), alg)
    with pytest.raises(LayoutError, match=r"expected a path"):
        lift_path(np.zeros((4, 3, 3)), alg)
    with pytest.raises(LayoutError, match="on_error"):
        lift_path(np.eye(2)[None], alg, on_error="skip")  # type: ignore[arg-type]
    with pytest.raises(NotSupported, match="float"):
        lift_path(np.eye(2)[None], Algebra(2, backend="fractions"))
    with pytest.raises(DtypeError):
        lift_path(np.eye(2)[None] * 1j, alg)


def test_what_is_no_algebra_or_no_path_is_a_named_error() -> None:
    with pytest.raises(LayoutError, match="expected an Algebra"):
        lift_path([np.eye(3)], 3)  # type: ignore[arg-type]
    with pytest.raises(LayoutError, match="ragged"):
        lift_path([np.eye(3), np.eye(2)], Algebra(3))
