"""Roots, powers and slerp: laws, branches, handed cases and what has no logarithm."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotARotor,
    NotSupported,
    RapidityOverflow,
    SignatureMismatch,
    even,
    exp,
    isclose,
    sandwich,
    stack,
)
from geomlin.errors import NoRealLogarithm
from geomlin.ops.interpolation import power, slerp, sqrt
from geomlin.ops.logarithm import log
from geomlin.verification.reference import exact_exp
from geomlin.verification.regimes import bivectors

EPS = 2.0**-52
EUCLIDEAN = [(2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0), (8, 0, 0), (0, 3, 0)]
OTHERS = [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0), (2, 2, 0), (3, 0, 1), (2, 0, 1)]

SOME = [(3, 0, 0), (5, 0, 0), (6, 0, 0), (3, 1, 0), (3, 0, 1)]


def rotors(signature: tuple[int, int, int], rng: np.random.Generator, count: int) -> Multivector:
    alg = Algebra(*signature)
    return exp(alg.random.bivector(rng, (count,), 1.0 if alg.signature.is_definite else 0.5))


def distance(a: Multivector, b: Multivector) -> float:
    """max |A - B| / max |A|, the worst of the batch."""
    size = np.abs(a.coeffs).max(axis=-1)
    return float((np.abs((a - b).coeffs).max(axis=-1) / size).max(initial=0.0))


def planes(alg: Algebra, *angles: float) -> Multivector:
    """exp of the half-angles in e12, e34, .."""
    names = [f"e{2 * k + 1}{2 * k + 2}" for k in range(len(angles))]
    return exp(alg.bivector(dict(zip(names, angles, strict=True))))


# --- laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", EUCLIDEAN + OTHERS, ids=str)
def test_roots_and_powers(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    """power(R, s) power(R, t) = power(R, s + t), and the integers mean repeated products."""
    found = rotors(signature, rng, 40)
    rotor = found[~np.isnan(log(found, on_error="nan").coeffs).any(axis=-1)]
    assert len(rotor) >= 30
    bound = 1e-13 if signature in EUCLIDEAN else 1e-10
    root = sqrt(rotor)
    assert distance(rotor, root * root) <= bound
    assert distance(rotor, power(rotor, 1.0)) <= bound
    assert distance(~rotor, power(rotor, -1)) <= bound
    assert distance(rotor * rotor, power(rotor, 2)) <= bound
    third = power(rotor, 1 / 3)
    assert distance(rotor, third * third * third) <= bound
    assert distance(root * third, power(rotor, 5 / 6)) <= bound
    assert power(rotor, 0.0) == rotor.algebra.scalar(np.ones(rotor.shape))


@pytest.mark.parametrize("signature", SOME, ids=str)
def test_roots_in_every_regime(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    """sqrt(R)^2 = R for exponentials of every adversarial bivector whose rotor has digits."""
    alg = Algebra(*signature)
    n = alg.n
    upper = np.triu_indices(n, 1)
    count = 0
    for case in bivectors(alg.signature, rng):
        if np.abs(case.b).max(initial=0.0) > 3:
            continue
        rotor = exp(alg.bivector(case.b[upper]))
        root = sqrt(rotor)
        assert distance(rotor, root * root) <= 1e-12, str(case)
        count += 1
    assert count > 15


@pytest.mark.parametrize("margin", [1.0, 1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("n", [4, 5, 6])
def test_roots_of_known_exponentials(margin: float, n: int, rng: np.random.Generator) -> None:
    """sqrt(exp B) = exp(B/2) while beta_1 + beta_2 < pi, conditioned by the distance to the cut."""
    alg = Algebra(n)
    frame = alg.random.rotor(rng)
    first = 0.6 * (pi - margin)
    b = alg.bivector({"e12": first, "e34": pi - margin - first})
    b = sandwich(frame, b).grade(2)
    assert distance(exp(b / 2), sqrt(exp(b))) <= 64 * EPS * pi / margin


def test_the_sign_is_never_flipped() -> None:
    """Beyond a half turn the root of R turns by more than a quarter; that of -R is another."""
    alg = Algebra(3)
    rotor = planes(alg, 2.5)
    assert rotor["1"] < 0
    assert np.allclose(sqrt(rotor).coeffs, planes(alg, 1.25).coeffs, rtol=0, atol=4 * EPS)
    shortest = exp(log(rotor, up_to_sign=True) / 2)
    assert distance(rotor, shortest * shortest) > 1  # what flipping the sign would give


def test_roots_of_minus_one() -> None:
    """log(-1) = pi e12 by convention, so sqrt(-1) = e12 and power(-1, t) turns in e12."""
    for n in (2, 3, 6):
        alg = Algebra(n)
        assert np.abs((sqrt(alg.scalar(-1.0)) - alg.blade("e12")).coeffs).max() <= EPS
        assert distance(planes(alg, 0.3 * pi), power(alg.scalar(-1.0), 0.3)) <= 4 * EPS


# --- handed cases and their families --------------------------------------------------------------


def test_handed_root_with_negative_scalar_part() -> None:
    """HO-065: two commuting planes, R_0 < 0."""
    alg = Algebra(4, 1)
    scalar, double = -0.3535533905932738, -0.6123724356957945
    rotor = alg.even({"1": scalar, "e12": double, "e34": scalar, "e1234": double})
    expected = {
        "1": 0.461939766255643350886,
        "e12": -0.80010314519126554097,
        "e34": 0.191341716182544874607,
        "e1234": -0.331413574035592793015,
    }
    assert np.abs((sqrt(rotor) - alg.even(expected)).coeffs).max() <= 2e-15


def test_handed_root_of_a_translator() -> None:
    """HO-066."""
    alg = Algebra(3, 0, 1)
    root = sqrt(alg.even({"1": 1.0, "e14": 0.3, "e24": 0.4}))
    assert np.abs((root - alg.even({"1": 1.0, "e14": 0.15, "e24": 0.2})).coeffs).max() <= 1e-16


def test_handed_translator_of_the_wrong_sign() -> None:
    """HO-067: in the plane, minus a translator has no root."""
    alg = Algebra(2, 0, 1)
    rotor = alg.even({"1": -1.0, "e13": 4.0})
    with pytest.raises(NoRealLogarithm, match=r"expected .* got"):
        sqrt(rotor)
    assert np.isnan(sqrt(rotor, on_error="nan").coeffs).all()


def test_handed_power_of_the_identity() -> None:
    """HO-069, exactly."""
    assert power(Algebra(3).even({"1": 1.0}), 0.5) == Algebra(3).scalar(1.0)


def test_handed_slerp_between_antipodes() -> None:
    """HO-073."""
    alg = Algebra(3)
    first = alg.even({"1": 0.8, "e23": 0.6})
    assert distance(first, slerp(first, alg.even({"1": -0.8, "e23": -0.6}), 0.5)) <= 1e-15


@pytest.mark.parametrize("signature", EUCLIDEAN + OTHERS, ids=str)
def test_slerp_between_antipodes(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    """The family of HO-073: R and -R are one rotation, in every signature."""
    rotor = rotors(signature, rng, 30)
    size = np.abs(rotor.coeffs).max() ** 3
    for t in (0.0, 0.25, 0.5, 1.0, -2.0):
        assert distance(rotor, slerp(rotor, -rotor, t)) <= 64 * EPS * size


@pytest.mark.parametrize("signature", EUCLIDEAN + OTHERS, ids=str)
@pytest.mark.parametrize("t", [0.5, 0.3, -1.5])
def test_powers_of_the_identity(signature: tuple[int, int, int], t: float) -> None:
    """The family of HO-069."""
    one = Algebra(*signature).scalar(1.0)
    assert power(one, t) == one
    assert slerp(one, one, t) == one


@pytest.mark.parametrize(
    ("signature", "rotor"),
    [
        ((2, 0, 1), {"1": -1, "e23": 1e-3}),
        ((2, 0, 1), {"1": -1, "e13": 1e6, "e23": 2.0}),
        ((1, 1, 0), {"1": -1}),
        ((1, 1, 0), {"1": -1.25, "e12": 0.75}),
        ((2, 1, 0), {"1": -1.25, "e13": 0.75}),
        ((1, 0, 1), {"1": -1, "e12": 2.0}),
    ],
)
def test_rotors_without_logarithm(signature: tuple[int, int, int], rotor: dict[str, float]) -> None:
    """The family of HO-067: no plane is left to turn by pi in."""
    found = Algebra(*signature).even(rotor)
    for refused in (lambda: sqrt(found), lambda: power(found, 0.3)):
        with pytest.raises(NoRealLogarithm):
            refused()
    assert distance(found, slerp(-found, found, 0.7)) >= 0.5  # but as rotations they are one
    assert distance(-found, slerp(-found, found, 0.7)) <= 64 * EPS * np.abs(found.coeffs).max()


# --- slerp ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", EUCLIDEAN + OTHERS, ids=str)
def test_slerp_ends_and_speed(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    """It starts in R0, ends in s R1, and steps of equal t are equal rotors."""
    first, second = rotors(signature, rng, 30), rotors(signature, rng, 30)
    found = slerp(first, second, 1.0, on_error="nan")
    good = ~np.isnan(found.coeffs).any(axis=-1)
    assert good.mean() > 0.8
    first, second, found = first[good], second[good], found[good]
    sign = np.where((~first * second)["1"] < 0, -1.0, 1.0)
    size = np.abs(first.coeffs).max() ** 2 * np.abs(second.coeffs).max() ** 2
    if signature in EUCLIDEAN:
        assert distance(sign * second, found) <= 1e-13
    else:
        nearest = min(distance(second[k], s * found[k]) for k in range(len(found)) for s in (1, -1))
        assert nearest <= 1e-12 * size
    assert distance(first, slerp(first, second, 0.0)) <= 2 * EPS
    steps = [slerp(first, second, t) for t in (0.2, 0.4, 0.6)]
    assert distance(~steps[0] * steps[1], ~steps[1] * steps[2]) <= 1e-12 * size


@pytest.mark.parametrize("angle", [0.1, pi / 2 - 1e-6, pi / 2 + 1e-6, 3.0])
def test_slerp_goes_the_shorter_way(angle: float) -> None:
    """Both sides of the half turn: from <~R0 R1>_0 < 0 on the other sign is nearer."""
    alg = Algebra(3)
    middle = slerp(alg.scalar(1.0), planes(alg, angle), 0.5)
    shorter = angle / 2 if angle < pi / 2 else (angle - pi) / 2
    assert distance(planes(alg, shorter), middle) <= 8 * EPS


def test_slerp_takes_the_other_branch_where_one_has_no_logarithm() -> None:
    """e1234 (1 + c N), N totally null and invariant under turns: <~R0 R1>_0 = 0 decides nothing,
    and the negative alone has a logarithm."""
    alg = Algebra(2, 2)
    e1, e2, e3, e4 = alg.basis_vectors
    target = even(alg.pseudoscalar * (1 + 0.7 * ((e1 + e3) ^ (e2 + e4))))
    with pytest.raises(NoRealLogarithm):
        log(target)
    one = alg.scalar(1.0)
    assert distance(-target, slerp(one, target, 1.0)) <= 16 * EPS
    half = slerp(one, target, 0.5)
    assert distance(-target, half * half) <= 16 * EPS
    neither = even(alg.pseudoscalar * exp(alg.bivector({"e13": 0.5, "e24": 0.9})))
    with pytest.raises(NoRealLogarithm):
        slerp(one, neither, 0.5)
    lost = slerp(one, stack([target, neither]), 0.5, on_error="nan")
    assert np.isnan(lost.coeffs).any(axis=-1).tolist() == [False, True]


def test_slerp_between_large_boosts() -> None:
    """~R0 R1 is near one, where R0 and R1 show their rounding: it is normalised, they are not."""
    alg = Algebra(3, 1)
    first = exp(alg.bivector({"e14": 9.0}))
    second = exp(alg.bivector({"e14": 9.5}))
    found = slerp(first, second, 0.5)
    assert distance(exp(alg.bivector({"e14": 9.25})), found) <= 1e-8
    with pytest.raises(NotARotor):
        slerp(2 * alg.scalar(1.0), 2 * alg.scalar(1.0), 0.5)
    six = Algebra(6).even({"1": 0.6, "e123456": 0.8})
    one = Algebra(6).scalar(1.0)
    for pair in (
        (six, six),
        (one, six),
        (six, one),
        (one, 2 * one),
        (2 * one, one),
        (one, 0 * one),
    ):
        with pytest.raises(NotARotor):
            slerp(*pair, 0.5)
    assert np.isnan(slerp(six, six, 0.5, on_error="nan").coeffs).all()


def test_planted_faults_are_noticed(rng: np.random.Generator) -> None:
    """Interpolating the coefficients, and flipping no sign, both fail the laws above."""
    first, second = rotors((4, 0, 0), rng, 30), rotors((4, 0, 0), rng, 30)
    linear = 0.5 * first + 0.5 * second
    assert distance(slerp(first, second, 0.5), linear) > 1e-2
    longer = first * exp(0.5 * log(even(~first * second)))
    assert distance(slerp(first, second, 0.5), longer) > 1e-2


# --- what is refused, batches and dtypes ---------------------------------------------------------


def test_exponents_broadcast_with_batches(rng: np.random.Generator) -> None:
    alg = Algebra(3)
    rotor = rotors((3, 0, 0), rng, 4)
    t = np.linspace(-1, 2, 5)
    table = power(rotor.replace(rotor.layout, rotor.coeffs[:, None]), t)
    assert table.shape == (4, 5)
    for i, k in np.ndindex(4, 5):
        assert np.allclose(table[i, k].coeffs, power(rotor[i], t[k]).coeffs, rtol=0, atol=2 * EPS)
    assert power(rotor, t[:4]).shape == slerp(rotor[0], rotor, t[:4]).shape == (4,)
    assert power(alg.even(np.zeros((0, 4))), 0.5).shape == (0,)
    with pytest.raises(LayoutError, match="broadcast"):
        power(rotor, t)


def test_one_failure_in_a_batch() -> None:
    alg = Algebra(1, 1)
    batch = stack([alg.scalar(1.0), alg.scalar(-1.0), alg.scalar(2.0)])
    with pytest.raises(NotARotor) as rotor_error:
        sqrt(batch)
    assert rotor_error.value.indices == ((2,),)
    with pytest.raises(NoRealLogarithm) as log_error:
        sqrt(batch[:2])
    assert log_error.value.indices == ((1,),)
    lost = np.isnan(sqrt(batch, on_error="nan").coeffs).any(axis=-1)
    assert lost.tolist() == [False, True, True]
    lost = np.isnan(slerp(alg.scalar(1.0), batch, 0.5, on_error="nan").coeffs).any(axis=-1)
    assert lost.tolist() == [False, False, True]


def test_operands_are_checked() -> None:
    one = Algebra(3).scalar(1.0)
    with pytest.raises(SignatureMismatch):
        slerp(one, Algebra(2).scalar(1.0), 0.5)
    with pytest.raises(LayoutError, match="on_error"):
        sqrt(one, on_error="ignore")  # type: ignore[arg-type]
    exact = Algebra(3, backend="fractions")
    with pytest.raises(NotSupported):
        slerp(exact.scalar(1), exact.even({"1": "3/5", "e12": "4/5"}), 0.5)


@pytest.mark.parametrize("signature", [(3, 0, 0), (6, 0, 0), (3, 1, 0), (3, 0, 1)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats(
    signature: tuple[int, int, int], dtype: Any, rng: np.random.Generator
) -> None:
    """Rotors rounded to the dtype are rotors, and results stay near those of the exact ones."""
    wide = rotors(signature, rng, 30)
    short = wide.to(dtype=dtype)
    eps = float(np.finfo(dtype).eps)
    root = sqrt(short)
    assert root.dtype == slerp(short, short, 0.5).dtype == dtype
    size = np.abs(wide.coeffs).max() ** 2
    as_double = root.to(dtype=np.float64)
    assert distance(short.to(dtype=np.float64), as_double * as_double) <= 16 * eps * size


def moderate_or_none(b: Multivector) -> np.ndarray | None:
    """exp(B) from the independent reference, or None beyond the range of floats."""
    matrix = np.zeros((b.algebra.n, b.algebra.n))
    matrix[np.triu_indices(b.algebra.n, 1)] = b.coeffs
    values = exact_exp(matrix - matrix.T, b.algebra.signature)
    largest = max(float(abs(x.mid())) for x in values)
    return np.array([float(x.mid()) for x in values]) if largest < 1e300 else None


FAR_APART = [
    ((1, 1, 0), "e12", {}),
    ((3, 1, 0), "e14", {"e23": 0.7}),
    ((5, 1, 0), "e16", {"e23": 1.1, "e45": 0.4}),
    ((3, 1, 1), "e14", {"e23": 0.7, "e25": 1.3}),
    ((4, 2, 0), "e15", {"e26": 1.0, "e34": 0.5}),
]


@pytest.mark.parametrize("ends", [(5.0, -5.0), (20.0, -20.0), (100.0, -30.0), (300.0, -300.0)])
@pytest.mark.parametrize(("signature", "plane", "rest"), FAR_APART, ids=lambda x: str(x)[:12])
def test_boosts_far_apart(
    signature: tuple[int, int, int],
    plane: str,
    rest: dict[str, float],
    ends: tuple[float, float],
) -> None:
    """R0 exp(t L) would be a difference of numbers of size e^40 and more: slerp keeps digits."""
    alg = Algebra(*signature)
    begin, end = ends
    first = exp(alg.bivector({plane: begin}))
    last = exp(alg.bivector({plane: end, **rest}))
    for t in (0.0, 0.1, 0.3, 0.5, 0.9, 1.0, 1.5, -0.5):
        way = alg.bivector({plane: begin + t * (end - begin)} | {k: t * v for k, v in rest.items()})
        wanted = moderate_or_none(way)
        if wanted is None:
            continue
        found = slerp(first, last, t)
        bound = 64 * EPS * max(1.0, abs(begin), abs(end))
        assert np.abs(found.coeffs - wanted).max() <= bound * np.abs(wanted).max(), t
    assert slerp(first, last, 1.0) == last
    assert slerp(first, last, 0.0) == first


def test_the_plain_product_would_lose_every_digit() -> None:
    """The false twin of the test above."""
    alg = Algebra(3, 1)
    first = exp(alg.bivector({"e14": 20.0}))
    last = exp(alg.bivector({"e14": -20.0, "e23": 0.7}))
    plain = even(first * exp(0.5 * log(even(~first * last))))
    wanted = exp(alg.bivector({"e23": 0.35}))
    assert np.abs((plain - wanted).coeffs).max() > 1.0
    assert np.abs((slerp(first, last, 0.5) - wanted).coeffs).max() < 1e-13


@pytest.mark.parametrize(("rapidity", "lost"), [(5.0, False), (20.0, True)], ids=["near", "far"])
def test_near_boosts_without_digits_are_refused_not_guessed(rapidity: float, lost: bool) -> None:
    """~exp(20) exp(19) = exp(-1) is a difference of numbers of size e^39: no digit is left."""
    algebra = Algebra(1, 1)
    first, second = (exp(algebra.bivector([x])) for x in (rapidity, rapidity - 1))
    if not lost:
        middle = exp(algebra.bivector([rapidity - 0.5]))
        assert isclose(slerp(first, second, 0.5), middle, absolute=1e-9)
        return
    with pytest.raises(NotARotor, match=r"expected .* got"):
        slerp(first, second, 0.5)
    assert np.isnan(slerp(first, second, 0.5, on_error="nan").coeffs).all()


# --- beyond the range ----------------------------------------------------------------------------


@pytest.mark.parametrize("t", [500.0, 1e6, 1e308, -1e308])
@pytest.mark.parametrize("signature", [(1, 1, 0), (3, 1, 0), (5, 1, 0)], ids=str)
def test_powers_beyond_the_range(signature: tuple[int, int, int], t: float) -> None:
    """RapidityOverflow, also where t log(R) itself overflows; NaN in that element if wanted."""
    alg = Algebra(*signature)
    rotor = exp(alg.bivector({f"e1{alg.n}": 2.0}))
    with pytest.raises(RapidityOverflow):
        power(rotor, t)
    with pytest.raises(RapidityOverflow):
        slerp(alg.scalar(1.0), rotor, t)
    exponents = np.array([[0.5, t], [t, 1.0]])
    expected = np.array([[False, True], [True, False]])
    for found in (
        power(rotor, exponents, on_error="nan"),
        slerp(alg.scalar(1.0), rotor, exponents, on_error="nan"),
    ):
        assert np.array_equal(np.isnan(found.coeffs).any(axis=-1), expected)
        assert np.abs((found[1, 1] - rotor).coeffs).max() <= 16 * EPS * np.abs(rotor.coeffs).max()
    assert np.isnan(power(rotor, t, on_error="nan").coeffs).all()


def test_definite_metrics_take_every_exponent_in_range() -> None:
    rotor = Algebra(3).even({"1": 0.6, "e12": 0.8})
    assert np.abs((power(rotor, 1e300) * ~power(rotor, 1e300) - 1).coeffs).max() <= 4 * EPS
    with pytest.raises(RapidityOverflow):
        power(Algebra(3).even({"1": -0.6, "e12": 0.8}), 1.7e308)
    for t in (np.inf, np.nan):
        with pytest.raises(NonFiniteInput):
            power(rotor, t, on_error="nan")


def test_results_beyond_the_range_of_a_short_dtype() -> None:
    alg = Algebra(1, 1)
    rotor = exp(alg.bivector(np.float32([2.0])))
    with pytest.raises(RapidityOverflow, match="float32"):
        power(rotor, 60.0)
    found = power(rotor, np.array([60.0, 1.0]), on_error="nan")
    assert found.dtype == np.float32
    assert np.isnan(found.coeffs).any(axis=-1).tolist() == [True, False]
