"""The rotor between two directions, from equal to opposite, in every kind of plane."""

from __future__ import annotations

from fractions import Fraction
from math import cos, cosh, pi, sin, sinh
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NotInImage,
    NotInvertible,
    NotSupported,
    SignatureMismatch,
    is_rotor,
    sandwich,
)
from geomlin.ops.rotor_between import rotor_between

EPS = 2.0**-52
SIGNATURES = [
    (2, 0, 0), (3, 0, 0), (5, 0, 0), (8, 0, 0), (0, 3, 0), (2, 1, 0), (3, 1, 0), (1, 3, 0),
    (2, 2, 0), (3, 0, 1), (2, 1, 1), (2, 0, 2),
]  # fmt: skip


def unit(a: Multivector) -> Any:
    g = np.array(a.algebra.metric)
    return a.coeffs / np.sqrt(np.abs((g * a.coeffs**2).sum(axis=-1, keepdims=True)))


def misses(rotor: Multivector, a: Multivector, b: Multivector) -> Any:
    """max |R u ~R - v| for the unit vectors, relative to the terms that cancel."""
    image = sandwich(rotor, a.replace(a.layout, unit(a))).grade(1)
    size = np.abs(rotor.coeffs).max(axis=-1) ** 2 * np.abs(unit(a)).max(axis=-1)
    size = np.maximum(size, np.abs(unit(b)).max(axis=-1))
    condition = (unit(a) ** 2).sum(axis=-1) + (unit(b) ** 2).sum(axis=-1)
    return np.abs(image.coeffs - unit(b)).max(axis=-1) / (size * condition)


def pairs(alg: Algebra, rng: np.random.Generator) -> tuple[Multivector, Multivector]:
    """Generic, nearly parallel, nearly antiparallel and exactly antiparallel directions."""
    first = rng.normal(size=(5, 60, alg.n))
    second = rng.normal(size=(5, 60, alg.n))
    shift = 10.0 ** rng.uniform(-16, 0, size=(60, 1)) * rng.normal(size=(60, alg.n))
    second[1] = 3.0 * (first[1] + shift)
    second[2] = -0.5 * (first[2] + shift)
    second[3] = -4.0 * first[3]
    second[4] = 0.25 * first[4]
    return alg.vector(first), alg.vector(second)


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_turns_the_first_direction_into_the_second(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    a, b = pairs(Algebra(*signature), rng)
    rotor = rotor_between(a, b, on_error="nan")
    found = ~np.isnan(rotor.coeffs).any(axis=-1)
    assert found.mean() > 0.3
    assert misses(rotor[found], a[found], b[found]).max() <= 16 * EPS
    assert np.all(is_rotor(rotor[found], tolerance=1e-10))
    assert np.all(rotor[found]["1"] >= 0)


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_refuses_only_what_no_rotor_can_do(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Squares of opposite sign, or opposite directions with a single axis of their sign."""
    alg = Algebra(*signature)
    a, b = pairs(alg, rng)
    g = np.array(alg.metric)
    square = [(g * x.coeffs**2).sum(axis=-1) for x in (a, b)]
    axes = np.where(square[0] > 0, (g > 0).sum(), (g < 0).sum())
    opposite = (g * a.coeffs * b.coeffs).sum(axis=-1) * np.sign(square[0]) < 0
    impossible = (square[0] * square[1] <= 0) | (opposite & (axes == 1))
    refused = np.isnan(rotor_between(a, b, on_error="nan").coeffs).any(axis=-1)
    assert np.array_equal(refused, impossible)


# --- accuracy against high precision --------------------------------------------------------------


def exact_rotor(a: list[float], b: list[float]) -> list[Any]:
    """R = (1 + v u)/|1 + v u| in Euclidean space at 700 digits, for the stored floats."""
    with mpmath.workdps(700):
        u, v = ([mpmath.mpf(x) for x in z] for z in (a, b))
        u, v = ([x / mpmath.sqrt(sum(y * y for y in z)) for x in z] for z in (u, v))
        scalar = 1 + sum(x * y for x, y in zip(u, v, strict=True))
        rows, columns = np.triu_indices(len(u), 1)
        plane = [v[i] * u[j] - v[j] * u[i] for i, j in zip(rows, columns, strict=True)]
        size = mpmath.sqrt(2 * scalar)
        return [x / size for x in [scalar, *plane]]


def relative_errors(found: Any, exact: list[Any]) -> float:
    """Largest relative error of the coefficients, each relative to itself."""
    with mpmath.workdps(700):
        return max(
            float(abs(mpmath.mpf(float(x)) - y) / abs(y)) if y else float(abs(x))
            for x, y in zip(found, exact, strict=True)
        )


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-7, 1e-9, 1e-13, 1e-150])
@pytest.mark.parametrize("around", [0.0, pi])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_relative_accuracy_near_parallel_and_antiparallel(
    angle: float, around: float, n: int, rng: np.random.Generator
) -> None:
    """The family of HO-075: no digit is lost in any coefficient, at any small angle."""
    for first in (np.eye(n)[0], rng.normal(size=n)):
        sign = 1.0 if around == 0 else -1.0
        second = sign * (first + angle * rng.normal(size=n))
        if np.array_equal(first, sign * second):
            continue  # the shift is below the last digit: another test
        rotor = rotor_between(Algebra(n).vector(first), Algebra(n).vector(second))
        found = rotor.coeffs[: 1 + n * (n - 1) // 2]
        assert relative_errors(found, exact_rotor(first.tolist(), second.tolist())) <= 8 * EPS
        assert not rotor.coeffs[1 + n * (n - 1) // 2 :].any()


def test_an_angle_from_acos_fails_the_same_check() -> None:
    """What the check is for: the usual formula loses half of the digits."""
    first, second = [1.0, 0.0], [1.0, 1e-7]
    cosine = second[0] / np.hypot(*second)
    half = np.arccos(cosine) / 2
    exact = exact_rotor(first, second)
    assert relative_errors([np.cos(half), -np.sin(half)], exact) > 1e6 * EPS
    rotor = rotor_between(Algebra(2).vector(first), Algebra(2).vector(second))
    assert relative_errors(rotor.coeffs, exact) <= 4 * EPS


def test_handed_nearly_equal_directions() -> None:
    """HO-075."""
    alg = Algebra(3)
    rotor = rotor_between(alg.vector([1.0, 0.0, 0.0]), alg.vector([1.0, 1e-9, 2e-9]))
    expected = {"1": 1.0, "e12": -5.0000000000000003e-10, "e13": -1.00000000000000006e-9}
    for name, value in expected.items():
        assert rotor[name] == pytest.approx(value, rel=1e-15)


def test_handed_opposite_diagonals() -> None:
    """HO-076."""
    alg = Algebra(3)
    a = alg.vector([1.0, 1.0, 1.0])
    rotor = rotor_between(a, -a)
    assert np.abs((sandwich(rotor, a) + a).coeffs).max() <= 4 * EPS
    assert abs((rotor.coeffs**2).sum() - 1) <= 1e-15


# --- the half turn --------------------------------------------------------------------------------


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=6).filter(any))
def test_opposite_integer_vectors(values: list[int]) -> None:
    """The family of HO-076: the plane contains a, and is the same for every length of b."""
    alg = Algebra(len(values))
    a = alg.vector(values)
    rotor = rotor_between(a, -a)
    assert misses(rotor, a, -a) <= 8 * EPS
    assert rotor["1"] == 0
    assert np.abs((a ^ rotor.grade(2)).coeffs).max(initial=0) <= 8 * EPS
    assert rotor == rotor_between(a, -8 * a)
    first = rotor.coeffs[np.argmax(np.abs(rotor.coeffs) >= (1 - 1e-6) * np.abs(rotor.coeffs).max())]
    assert first > 0


def test_pivot_axis_is_the_documented_one() -> None:
    alg = Algebra(4)
    assert rotor_between(alg.vector([0, 1, 0, 0]), alg.vector([0, -1, 0, 0])) == alg.blade("e12")
    assert rotor_between(alg.vector([3, 0, 0, 0]), alg.vector([-1, 0, 0, 0])) == alg.blade("e12")
    ties = rotor_between(alg.vector([1, 1, 1, 1]), alg.vector([-1, -1, -1, -1]))
    noisy = alg.vector([1, 1, 1, 1 - 2.0**-53])
    assert np.allclose(ties.coeffs, rotor_between(noisy, -noisy).coeffs, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("signature", [(2, 1, 0), (3, 2, 0), (2, 0, 1), (2, 1, 1), (1, 2, 0)])
def test_opposite_but_not_antiparallel(signature: tuple[int, int, int]) -> None:
    """c <= -1 in a mixed or null plane: no rotor of that plane, but one through a half turn."""
    alg = Algebra(*signature)
    last, other = alg.basis_vectors[-1], alg.basis_vectors[0]
    if alg.metric[-1] == 0:
        a, b = other, -other + 2 * last
    elif signature[0] > 1:
        a, b = other, -cosh(1.5) * other + sinh(1.5) * last
    else:
        a, b = last, -cosh(1.5) * last + sinh(1.5) * other
    rotor = rotor_between(a, b)
    assert misses(rotor, a, b) <= 8 * EPS
    assert is_rotor(rotor, tolerance=1e-14)
    assert rotor["1"] >= 0


@pytest.mark.parametrize("rapidity", [1e-9, 1.0, 12.0])
def test_boosts_within_a_light_cone(rapidity: float) -> None:
    alg = Algebra(3, 1)
    e1, e4 = alg.blade("e1"), alg.blade("e4")
    for sign in (1.0, -1.0):
        b = sign * (cosh(rapidity) * e4 + sinh(rapidity) * e1)
        rotor = rotor_between(sign * e4, b)
        rounding = 4 * EPS * cosh(2 * rapidity)  # b^2 = -1 is a difference of large squares
        assert rotor["1"] == pytest.approx(cosh(rapidity / 2), rel=rounding)
        assert abs(rotor["e14"]) == pytest.approx(sinh(rapidity / 2), rel=rounding)
        with pytest.raises(NotInImage, match="opposite") as caught:
            rotor_between(sign * e4, -b)
        assert caught.value.reason == "component"


# --- what is refused, batches and dtypes ---------------------------------------------------------


def test_null_and_zero_vectors() -> None:
    alg = Algebra(2, 1, 1)
    good = alg.blade("e1")
    null = alg.vector([1, 0, 1, 0])
    for bad in (null, alg.blade("e4"), alg.vector([0, 0, 0, 0]), 1e-200 * null):
        for pair in ((bad, good), (good, bad)):
            with pytest.raises(NotInvertible, match=r"expected .* got"):
                rotor_between(*pair)


@pytest.mark.parametrize(("gap", "accepted"), [(1e-12, True), (1e-14, True), (2.0**-53, False)])
def test_nearly_null_vectors(gap: float, accepted: bool) -> None:
    """Both sides of the threshold at 8 eps: below it the sign of a^2 is rounding."""
    alg = Algebra(2, 1)
    a, b = alg.vector([1.0, 0.0, 1.0 - gap]), alg.vector([0.0, 1.0, 0.0])
    if accepted:
        assert is_rotor(rotor_between(a, b), tolerance=EPS / gap)
    else:
        with pytest.raises(NotInvertible):
            rotor_between(a, b)


def test_squares_of_opposite_sign() -> None:
    e1, e2 = Algebra(1, 1).basis_vectors
    with pytest.raises(NotInImage) as caught:
        rotor_between(e1, e2)
    assert caught.value.reason == "square"


def test_operands_are_checked() -> None:
    alg = Algebra(3)
    with pytest.raises(LayoutError, match="expected a vector"):
        rotor_between(alg.blade("e12"), alg.blade("e1"))
    with pytest.raises(SignatureMismatch):
        rotor_between(alg.blade("e1"), Algebra(2).blade("e1"))
    exact = Algebra(3, backend="fractions")
    with pytest.raises(NotSupported, match="float"):
        rotor_between(exact.blade("e1"), exact.vector([Fraction(3, 5), Fraction(4, 5), 0]))


def test_batches_broadcast_and_report_positions() -> None:
    alg = Algebra(2, 1)
    a = alg.blade("e1")
    b = alg.vector([[0, 1, 0], [0, 0, 1], [1, 0, 1], [-1, 0, 0]])
    with pytest.raises(NotInvertible) as caught:
        rotor_between(a, b)
    assert (caught.value.indices, caught.value.count) == (((2,),), 1)
    found = rotor_between(a, b, on_error="nan")
    assert np.isnan(found.coeffs).any(axis=-1).tolist() == [False, True, True, False]
    assert found[3] == rotor_between(a, b[3])
    assert rotor_between(alg.vector(np.ones((0, 3))), a).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats_are_rounded_once(dtype: Any, rng: np.random.Generator) -> None:
    alg = Algebra(3)
    a, b = (alg.vector(rng.normal(size=(50, 3)), dtype=dtype) for _ in range(2))
    found = rotor_between(a, b)
    assert found.dtype == dtype
    wide = rotor_between(a.to(dtype=np.float64), b.to(dtype=np.float64))
    assert np.array_equal(found.coeffs, wide.coeffs.astype(dtype))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_lengths_do_not_matter(size: float, rng: np.random.Generator) -> None:
    alg = Algebra(3)
    a, b = alg.random.vector(rng), alg.random.vector(rng)
    scaled = rotor_between(size * a, b / size)
    assert np.allclose(scaled.coeffs, rotor_between(a, b).coeffs, rtol=0, atol=2 * EPS)


def test_direction_of_turning() -> None:
    """From a towards b, by the angle between them: exp(-angle/2 e12) for e1 towards e2."""
    alg = Algebra(2)
    rotor = rotor_between(alg.vector([1.0, 0.0]), alg.vector([cos(0.8), sin(0.8)]))
    assert np.allclose(rotor.coeffs, [cos(0.4), -sin(0.4)], rtol=0, atol=2 * EPS)
