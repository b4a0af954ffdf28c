"""The Cayley transform: its matrix, its chart, and both sides of its boundary."""

from __future__ import annotations

from fractions import Fraction
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import algebras, vectors

from geomlin import (
    Algebra,
    GeomlinError,
    LayoutError,
    Multivector,
    NotARotor,
    NotInImage,
    NotInvertible,
    NotSupported,
    RapidityOverflow,
    exp,
    inverse,
    is_rotor,
    norm_squared,
    outer_exp,
    rotor_from_matrix,
    rotor_to_matrix,
)
from geomlin.ops.bivectors import antisymmetric
from geomlin.ops.cayley import cayley, cayley_inverse

EPS = 2.0**-52
SIGNATURES = [
    (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (6, 0, 0), (9, 0, 0), (0, 4, 0), (1, 1, 0),
    (3, 1, 0), (2, 2, 0), (4, 4, 0), (3, 0, 1), (2, 1, 1), (2, 0, 2), (0, 0, 3),
]  # fmt: skip


def small_bivectors(alg: Algebra, rng: np.random.Generator, count: int) -> Multivector:
    """Bivectors whose boosts stay inside the chart: Frobenius norm of b below one."""
    values = rng.normal(size=(count, alg.n * (alg.n - 1) // 2))
    return alg.bivector(0.6 * values / np.sqrt(1 + (values**2).sum(axis=-1, keepdims=True)))


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_matrix_is_the_cayley_transform(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """O (I - bG) = I + bG, which needs no inverse of the reference."""
    alg = Algebra(*signature)
    b = small_bivectors(alg, rng, 50)
    if alg.signature.is_definite:
        b = b * np.exp(rng.uniform(-5, 5, size=50))
    rotor = cayley(b)
    assert np.all(is_rotor(rotor, tolerance=1e-13))
    half = antisymmetric(b.coeffs, alg.n) * np.array(alg.metric)
    image = rotor_to_matrix(rotor) @ (np.eye(alg.n) - half)
    size = np.abs(half).max(axis=(-1, -2), initial=1.0) + 1
    error = np.abs(image - np.eye(alg.n) - half).max(axis=(-1, -2)) / size
    assert error.max() <= 64 * EPS


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_round_trip(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    alg = Algebra(*signature)
    b = small_bivectors(alg, rng, 50)
    assert np.abs(cayley_inverse(cayley(b)).coeffs - b.coeffs).max(initial=0) <= 8 * EPS
    assert np.array_equal(cayley_inverse(-cayley(b)).coeffs, cayley_inverse(cayley(b)).coeffs)


@st.composite
def rational_rotors(draw: st.DrawFn) -> Multivector:
    """(u v)^2 / (u^2 v^2) times the same of two other vectors: R ~R = 1 without a root."""
    alg = draw(algebras())
    rotor = alg.scalar(1)
    for _ in range(2):
        u, v = draw(vectors(alg)), draw(vectors(alg))
        square = norm_squared(u * v)["1"]
        if square != 0:
            rotor = rotor * u * v * u * v / square
    return rotor


@given(rational_rotors())
def test_exact_round_trip(rotor: Multivector) -> None:
    """Over the rationals the formulas hold without any tolerance, or the chart ends."""
    assert is_rotor(rotor)
    scalar = rotor["1"]
    if scalar == 0:
        with pytest.raises(NotInvertible, match="eigenvalue -1"):
            cayley_inverse(rotor)
        return
    found = cayley(cayley_inverse(rotor))
    assert found == (rotor if scalar > 0 else -rotor)


def test_exact_backends_say_when_the_root_is_irrational() -> None:
    alg = Algebra(2, backend="fractions")
    assert cayley(alg.bivector({"e12": Fraction(3, 4)})) == alg.even({"1": "4/5", "e12": "3/5"})
    with pytest.raises(NotSupported, match="irrational"):
        cayley(alg.bivector({"e12": 1}))
    symbolic = Algebra(2, backend="sympy")
    assert str(cayley(symbolic.bivector({"e12": "b"}))["1"]) == "1/sqrt(b**2 + 1)"


@pytest.mark.parametrize("size", [1e300, 1e154, 1e20, 1e-20, 1e-300, 5e-324])
def test_definite_metrics_take_every_size(size: float, rng: np.random.Generator) -> None:
    """Large B is nearly a half turn in every plane; nothing overflows on the way."""
    alg = Algebra(6)
    b = alg.random.bivector(rng)
    rotor = cayley(size * b / np.abs(b.coeffs).max())
    assert abs(norm_squared(rotor)["1"] - 1) <= 8 * EPS
    if size > 1e19:
        assert abs(abs(rotor["e123456"]) - 1) <= 8 * EPS
    else:
        assert abs(rotor["1"] - 1) <= EPS


def test_one_large_plane_does_not_hide_a_small_one() -> None:
    rotor = cayley(Algebra(4).bivector({"e12": 1e200, "e34": 1e-3}))
    expected = 1 / sqrt(1 + 1e-6)
    assert rotor["e12"] == pytest.approx(expected, rel=4 * EPS)
    assert rotor["e1234"] == pytest.approx(1e-3 * expected, rel=4 * EPS)


# --- the boundary: det(I - bG) = 0 in boost planes, R_0 = 0 in the other direction --------------


@pytest.mark.parametrize("gap", [1e-1, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("extra", [0.0, 0.5, 1e10])
def test_inside_the_light_cone(gap: float, extra: float) -> None:
    """A boost plane with b = 1 - gap, beside a rotation plane of any size."""
    boost = 1 - gap
    rotor = cayley(Algebra(3, 1).bivector({"e34": boost, "e12": extra}))
    exact = Fraction(1) - Fraction(boost) ** 2
    expected = 1 / sqrt(float(exact) * (1 + extra**2))
    assert rotor["1"] == pytest.approx(expected, rel=8 * EPS / gap)


@pytest.mark.parametrize("boost", [1.0, 1 - 2.0**-53, 1 + 2.0**-52])
@pytest.mark.parametrize("extra", [0.0, 0.5, 1e10])
def test_on_the_light_cone(boost: float, extra: float) -> None:
    b = Algebra(3, 1).bivector({"e34": boost, "e12": extra})
    with pytest.raises(NotInvertible, match="infinite boost"):
        cayley(b)
    assert np.isnan(cayley(b, on_error="nan").coeffs).all()


@pytest.mark.parametrize("boost", [1 + 1e-12, 1 + 1e-6, 2.0, 1e10, 1e200])
def test_outside_the_light_cone(boost: float) -> None:
    """There outer_exp(B) has a negative norm, and its matrix leaves the identity component."""
    b = Algebra(3, 1).bivector({"e34": boost, "e12": 0.5})
    with pytest.raises(NotInImage) as caught:
        cayley(b)
    assert caught.value.reason == "component"
    if boost < 1e100:
        assert norm_squared(outer_exp(b))["1"] < 0


def test_two_boosts_outside_are_a_rotor_again() -> None:
    b = Algebra(2, 2).bivector({"e13": 2.0, "e24": -3.0})
    assert is_rotor(cayley(b))
    assert np.allclose(cayley_inverse(cayley(b)).coeffs, b.coeffs, rtol=8 * EPS)


@pytest.mark.parametrize(("factor", "accepted"), [(0, False), (1 - 1e-6, False), (1 + 1e-6, True)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scalar_part_at_its_threshold(factor: float, accepted: bool, dtype: Any) -> None:
    scalar = factor * 4 * float(np.finfo(dtype).eps)
    rotor = Algebra(3).even({"1": scalar, "e12": 1.0}, dtype=dtype)
    if accepted:
        assert cayley_inverse(rotor)["e12"] == pytest.approx(1 / scalar, rel=1e-6)
    else:
        with pytest.raises(NotInvertible, match="eigenvalue -1"):
            cayley_inverse(rotor)


def test_handed_half_turn() -> None:
    """HO-090: the half turn about y has no Cayley parameter."""
    rotor = rotor_from_matrix([[-1, 0, 0], [0, 1, 0], [0, 0, -1]], Algebra(3))
    with pytest.raises(NotInvertible, match="eigenvalue -1"):
        cayley_inverse(rotor)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_half_turns_in_any_plane(n: int, rng: np.random.Generator) -> None:
    """The family of HO-090: matrices I - 2P of random planes, and of two planes at once."""
    alg = Algebra(n)
    for planes in range(1, n // 2 + 1):
        frame = np.linalg.qr(rng.normal(size=(n, 2 * planes)))[0]
        rotor = rotor_from_matrix(np.eye(n) - 2 * frame @ frame.T, alg)
        assert np.isnan(cayley_inverse(rotor, on_error="nan").coeffs).all()


@pytest.mark.parametrize("offset", [1e-3, 1e-9, 1e-12, -1e-9])
def test_near_half_turns_keep_their_digits(offset: float) -> None:
    """tan(beta) for the stored cosine and sine, not a clamped number."""
    rotor = exp(Algebra(3).bivector({"e12": pi / 2 - offset}))
    found = cayley_inverse(rotor)["e12"]
    assert found == rotor["e12"] / rotor["1"]
    assert found == pytest.approx(1 / np.tan(offset), rel=2 * EPS / abs(offset))


# --- what is refused, batches and dtypes ---------------------------------------------------------


def test_only_rotors_have_a_parameter() -> None:
    six = Algebra(6)
    for bad in (
        six.even({"1": 0.6, "e123456": 0.8}),  # R ~R = 1, and no rotor
        six.blade("e1"),
        six.even({"1": 1, "e1234": 1}),
        Algebra(1, 1).even({"1": 1, "e12": 2}),  # R ~R = -3: the other component
        six.even({"1": 1, "e12": 1}) + 0.01 * six.blade("e1"),
    ):
        with pytest.raises(NotARotor, match=r"expected .* got"):
            cayley_inverse(bad)
    assert cayley_inverse(Algebra(1, 1).even({"1": 2, "e12": 1}))["e12"] == 0.5  # its false twin


@pytest.mark.parametrize("backend", ["numpy", "fractions", "flint", "sympy", "torch", "jax"])
def test_the_parameter_does_not_depend_on_the_scale(backend: str) -> None:
    """outer_exp(B) = 1 + B + .. is a multiple of cayley(B)."""
    b = Algebra(4, backend=backend).bivector({"e12": 2, "e34": 1, "e14": 3})
    for scale in (1, -3, 5):
        assert cayley_inverse(scale * outer_exp(b)) == b


def test_the_other_formula_is_no_rotor() -> None:
    """(1 + B)(1 - B)^-1 is tempting and wrong from n = 6 on; the test above would notice."""
    b = Algebra(6).bivector({"e12": 1, "e34": 1, "e56": 1})
    assert not is_rotor((1 + b) * inverse(1 - b))
    assert not is_rotor(outer_exp(b))
    assert is_rotor(cayley(b), tolerance=1e-14)


def test_one_failure_in_a_batch() -> None:
    alg = Algebra(1, 1)
    b = alg.bivector([[0.5], [1.0], [2.0], [-1.0]])
    with pytest.raises(NotInvertible) as caught:
        cayley(b)
    assert (caught.value.indices, caught.value.count) == (((1,), (3,)), 2)
    found = cayley(b, on_error="nan").coeffs
    assert np.isnan(found[1:]).all()
    assert np.allclose(found[0], cayley(b[0]).coeffs, rtol=EPS)
    with pytest.raises(LayoutError, match="on_error"):
        cayley(b, on_error="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats_are_rounded_once(dtype: Any, rng: np.random.Generator) -> None:
    b = Algebra(3, 1).bivector(0.2 * rng.normal(size=(20, 6)), dtype=dtype)
    found, wide = cayley(b), cayley(b.to(dtype=np.float64))
    assert found.dtype == dtype
    assert np.array_equal(found.coeffs, wide.coeffs.astype(dtype))
    assert cayley_inverse(found).dtype == dtype


def test_empty_and_strided_batches(rng: np.random.Generator) -> None:
    alg = Algebra(4)
    empty = alg.bivector(np.zeros((0, 3, 6)))
    assert cayley(empty).shape == cayley_inverse(cayley(empty)).shape == (0, 3)
    values = rng.normal(size=(6, 4, 8))
    strided = alg.bivector(values.transpose(1, 2, 0))
    assert np.array_equal(cayley(strided)[2].coeffs, cayley(alg.bivector(values[:, 2].T)).coeffs)


def test_no_bivector_no_transform() -> None:
    with pytest.raises(GeomlinError, match=r"expected a bivector, got"):
        cayley(Algebra(3).blade("e1"))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_overflow_is_an_error_or_nan(dtype: type) -> None:
    """Coefficients with several null vectors may exceed the range where B does not."""
    alg = Algebra(2, 0, 2)
    large = float(np.finfo(dtype).max) ** 0.9
    values = np.zeros((3, 6), dtype=dtype)
    values[1, 1] = values[1, 4] = large  # e13 and e24, whose product is a coefficient
    with pytest.raises(RapidityOverflow):
        cayley(alg.bivector(values))
    found = cayley(alg.bivector(values), on_error="nan")
    assert found.dtype == dtype
    assert np.isnan(found.coeffs).any(axis=-1).tolist() == [False, True, False]


@pytest.mark.parametrize("backend", ["sympy", "fractions", "flint", "arb"])
def test_inverse_of_exact_half_turns_always_raises(backend: str) -> None:
    """Exact numbers have no NaN: sympy answered zoo, fractions with a raw ZeroDivisionError."""
    half_turn = Algebra(2, backend=backend).even({"e12": 1})
    for on_error in ("raise", "nan"):
        with pytest.raises(NotInvertible, match="half turn"):
            cayley_inverse(half_turn, on_error=on_error)
