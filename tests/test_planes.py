"""Rotors from a plane and a whole angle: orientation, boosts, and what has no angle."""

from __future__ import annotations

from math import cosh, pi, sinh
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    DtypeError,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotDecomposable,
    NotInvertible,
    NotSupported,
    SignatureMismatch,
    is_rotor,
    isclose,
    norm_squared,
    rotor_from_plane,
    rotor_in_plane,
    sandwich,
    scalar_product,
)

EPS = np.finfo(np.float64).eps


def image(r: Multivector, x: Multivector) -> Multivector:
    return sandwich(r, x).grade(1)


# --- what they do -------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [(3, 0, 0), (0, 3, 0), (2, 1, 0), (3, 0, 1), (6, 0, 0)], ids=str)
def test_a_quarter_turn_takes_a_to_b(space: tuple[int, int, int]) -> None:
    """In positive and in negative definite planes alike: e1 goes to e2, not to -e2."""
    algebra = Algebra(*space)
    e1, e2, e3 = algebra.basis_vectors[:3]
    for r in (rotor_in_plane(e1, e2, pi / 2), rotor_from_plane(e1 ^ e2, pi / 2)):
        assert is_rotor(r)
        assert isclose(image(r, e1), e2, absolute=4 * EPS)
        assert isclose(image(r, e2), -e1, absolute=4 * EPS)
        assert isclose(image(r, e3), e3, absolute=4 * EPS)


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_angle_and_plane_of_a_random_pair(n: int, rng: np.random.Generator) -> None:
    algebra = Algebra(n)
    a, b = algebra.random.vector(rng, (20,)), algebra.random.vector(rng, (20,))
    angle = rng.uniform(-3, 3, size=20)
    r = rotor_in_plane(a, b, angle)
    turned = image(r, a)
    cosine = scalar_product(a, turned).coeffs[..., 0] / norm_squared(a).coeffs[..., 0]
    assert np.abs(cosine - np.cos(angle)).max() <= 64 * EPS
    assert isclose(turned ^ a ^ b, 0 * (a ^ a ^ b), absolute=1e-12).all()
    orientation = (a ^ turned) * np.sign(angle)
    assert (scalar_product(orientation, ~(a ^ b)).coeffs > 0).all()  # turned towards b


def test_boosts_by_a_rapidity() -> None:
    algebra = Algebra(1, 1)
    e1, e2 = algebra.basis_vectors
    expected = algebra.vector([cosh(0.7), sinh(0.7)])
    assert isclose(image(rotor_in_plane(e1, e2, 0.7), e1), expected, absolute=4 * EPS)
    assert isclose(image(rotor_from_plane(e1 ^ e2, 0.7), e1), expected, absolute=4 * EPS)
    back = algebra.vector([sinh(0.7), cosh(0.7)])
    assert isclose(image(rotor_in_plane(e2, e1, 0.7), e2), back, absolute=4 * EPS)


def test_size_of_the_plane_does_not_matter() -> None:
    algebra = Algebra(3)
    e1, e2, _ = algebra.basis_vectors
    reference = rotor_in_plane(e1, e2, 1.0)
    for scale in (2.0**-900, 2.0**-30, 2.0**30, 2.0**900):
        assert rotor_in_plane(scale * e1, e2 / scale, 1.0) == reference
        assert rotor_from_plane(scale * (e1 ^ e2), 1.0) == reference


def test_angles_broadcast_and_dtypes_stay() -> None:
    algebra = Algebra(3)
    e1, e2, _ = algebra.basis_vectors
    r = rotor_in_plane(e1, e2, np.array([[0.0, 1.0, 2.0]]))
    assert r.shape == (1, 3)
    assert r[0, 0] == 1
    assert rotor_in_plane(
        algebra.vector(np.eye(3)), algebra.vector(np.eye(3)[[1, 2, 0]]), 1.0
    ).shape == (3,)
    for dtype in (np.float32, np.float16):
        u, v = e1.to(dtype=dtype), e2.to(dtype=dtype)
        for found in (rotor_in_plane(u, v, 1.0), rotor_from_plane(u ^ v, 1.0)):
            assert found.dtype == dtype
            assert (
                np.abs(found.coeffs - rotor_in_plane(e1, e2, 1.0).coeffs).max()
                <= np.finfo(dtype).eps
            )
    assert rotor_in_plane(e1, e2, 1).dtype == np.float64
    assert rotor_in_plane(e1[None][:0], e2, 1.0).shape == (0,)
    assert rotor_from_plane((e1 ^ e2)[None][:0], 1.0).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_planes_of_rounded_vectors_are_simple(dtype: Any, rng: np.random.Generator) -> None:
    algebra = Algebra(6)
    a, b = (algebra.random.vector(rng, (10,)).to(dtype=dtype) for _ in range(2))
    assert np.all(is_rotor(rotor_from_plane(a ^ b, 0.5)))


# --- what has no angle --------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.0, 3.0, -1 / 3, 1 + 2 * EPS])
def test_parallel_vectors_span_no_plane(factor: float) -> None:
    """0.1, 0.2, 0.3 and its multiples: a ^ b is rounding, not a plane."""
    algebra = Algebra(3)
    a = algebra.vector([0.1, 0.2, 0.3])
    with pytest.raises(NotInvertible, match=r"vectors that span a plane.*no angle") as raised:
        rotor_in_plane(a, factor * a, 1.0)
    assert raised.value.count == 1


def test_on_both_sides_of_parallel() -> None:
    e1, e2, _ = Algebra(3).basis_vectors
    limit = 64 * EPS
    with pytest.raises(NotInvertible):
        rotor_in_plane(e1, e1 + limit / 2 * e2, 1.0)
    assert isclose(
        rotor_in_plane(e1, e1 + limit * 2 * e2, 1.0), rotor_in_plane(e1, e2, 1.0), absolute=8 * EPS
    )


@pytest.mark.parametrize(
    ("space", "a", "b", "why"),
    [
        ((2, 1, 0), [0.6, 0.8, 1.0], [1, 0, 0], "null a, up to rounding"),
        ((2, 1, 0), [3, 4, 5], [1, 0, 0], "null a"),
        ((2, 1, 0), [0, 1, 0], [1, 0, 1], "null plane, through e1 + e3"),
        ((2, 0, 1), [1, 0, 0], [0, 0, 1], "plane through the null direction"),
        ((3, 0, 0), [0, 0, 0], [1, 0, 0], "zero a"),
        ((3, 0, 0), [1, 0, 0], [0, 0, 0], "zero b"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_null_vectors_and_planes(
    space: tuple[int, int, int], a: list[float], b: list[float], why: str
) -> None:
    algebra = Algebra(*space)
    with pytest.raises(NotInvertible, match="no angle is defined"):
        rotor_in_plane(algebra.vector(a), algebra.vector(b), 1.0)


def test_null_and_compound_bivectors() -> None:
    with pytest.raises(NotInvertible, match="not a null plane"):
        rotor_from_plane(Algebra(2, 0, 1).blade("e13"), 1.0)
    with pytest.raises(NotInvertible, match="a plane"):
        rotor_from_plane(0 * Algebra(3).blade("e12"), 1.0)
    algebra = Algebra(4)
    batch = algebra.bivector([[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1]])
    with pytest.raises(NotDecomposable, match="invariant_decomposition") as raised:
        rotor_from_plane(batch, 1.0)
    assert (raised.value.kind, raised.value.indices) == ("not simple", ((1,),))


def test_wrong_kinds_of_input() -> None:
    algebra = Algebra(3)
    e1, e2, _ = algebra.basis_vectors
    with pytest.raises(LayoutError, match="expected a vector, got grades"):
        rotor_in_plane(e1, e1 * e2, 1.0)
    with pytest.raises(LayoutError, match="expected a bivector, got grades"):
        rotor_from_plane(e1, 1.0)
    with pytest.raises(LayoutError, match="expected a Multivector"):
        rotor_in_plane(e1, [0, 1, 0], 1.0)  # type: ignore[arg-type]
    with pytest.raises(SignatureMismatch):
        rotor_in_plane(e1, Algebra(2, 1).blade("e1"), 1.0)
    with pytest.raises(NonFiniteInput):
        rotor_in_plane(e1, e2, np.nan)
    with pytest.raises(DtypeError):
        rotor_in_plane(e1, e2, 1j)
    with pytest.raises(LayoutError, match="broadcast"):
        rotor_in_plane(algebra.vector(np.ones((3, 3)) + np.eye(3)), e2, [1.0, 2.0])
    for name in ("fractions", "flint", "sympy"):
        exact = Algebra(3, backend=name)
        with pytest.raises(NotSupported, match="float coefficients"):
            rotor_in_plane(exact.blade("e1"), exact.blade("e2"), 1)
        with pytest.raises(NotSupported, match="float coefficients"):
            rotor_from_plane(exact.blade("e12"), 1)
