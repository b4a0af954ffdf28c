"""log, powers, slerp, rotor_between and random rotors on exact, symbolic and certified backends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy
from flint import arb

from geomlin import (
    Algebra,
    exp,
    is_rotor,
    log,
    norm_squared,
    power,
    reverse,
    rotor_between,
    slerp,
    sqrt,
    stack,
)
from geomlin.errors import (
    NoRealLogarithm,
    NotARotor,
    NotInImage,
    NotInvertible,
    NotSupported,
    Undecided,
)

Numbers = tuple[int, int, int]
SPACES: list[Numbers] = [
    (3, 0, 0),
    (4, 0, 0),
    (3, 1, 0),
    (2, 2, 0),
    (0, 2, 0),
    (3, 0, 1),
    (2, 0, 2),
]
RATIONAL = ["fractions", "flint"]


def middles(coeffs: np.ndarray) -> np.ndarray:
    return np.array([float(x.mid()) for x in coeffs.ravel()]).reshape(coeffs.shape)


def widest(coeffs: np.ndarray) -> float:
    return max(float(x.rad()) for x in coeffs.ravel())


# ------------------------------------------------------------------- rational logarithms


def null_bivectors(backend: str) -> list:
    """Translations, a null rotation, a totally null one and a 5 x 5 Jordan block."""
    found = [Algebra(3, 0, 1, backend=backend).bivector({"e14": Fraction(1, 3), "e24": 2})]
    found.append(Algebra(2, 0, 2, backend=backend).bivector({"e13": 1, "e24": -3, "e34": 5}))
    alg = Algebra(3, 3, backend=backend)
    e = alg.basis_vectors
    n1, n2 = e[0] + e[3], e[1] + e[4]
    found += [n1 ^ e[2], (n1 ^ n2) * Fraction(3, 7), (n1 ^ (e[1] - e[4])) + (n2 ^ e[2])]
    return found


@pytest.mark.parametrize("backend", RATIONAL)
@pytest.mark.parametrize("index", range(5))
def test_log_of_exp_of_nilpotent_bivectors_is_exact(backend: str, index: int) -> None:
    b = null_bivectors(backend)[index]
    rotor = exp(b)
    assert log(rotor) == b
    assert log(rotor, flags=True).bivector == b
    assert not log(rotor, flags=True).on_cut
    assert log(rotor) != log(exp(2 * b))  # the false twin
    root = sqrt(rotor)
    assert root * root == rotor
    third = power(rotor, Fraction(1, 3))
    assert third * third * third == rotor
    assert power(rotor, -2) == reverse(rotor * rotor)
    assert slerp(rotor, rotor * rotor, Fraction(1, 2)) == rotor * root


@pytest.mark.parametrize("backend", RATIONAL)
def test_logs_that_are_not_rational_name_the_backends_that_have_them(backend: str) -> None:
    alg = Algebra(3, 0, 1, backend=backend)
    turn = alg.even({"1": Fraction(3, 5), "e12": Fraction(4, 5)})
    for rotor in (turn, -alg.even({"1": 1, "e14": 1})):
        for function in (log, sqrt):
            with pytest.raises(NotSupported, match=r"'arb'\), 'sympy'"):
                function(rotor)
    with pytest.raises(NotARotor, match="R ~R = 1"):
        log(alg.even({"1": 2, "e14": 1}))
    with pytest.raises(NotARotor, match="odd"):
        log(1 + alg.blade("e4"))
    with pytest.raises(NotSupported, match="rational"):
        log(alg.even({"1": 2, "e14": 1}), normalize=True)


def test_an_even_unit_that_is_no_rotor_has_no_logarithm() -> None:
    """R - 1 is nilpotent and R ~R = 1, but log R is of grade 6."""
    alg = Algebra(3, 0, 3, backend="fractions")
    with pytest.raises(NotARotor, match="other grades"):
        log(alg.even({"1": 1, "e123456": 1}))


def test_batches_of_rational_logarithms() -> None:
    alg = Algebra(3, 0, 1, backend="fractions")
    rotors = stack([alg.even({"1": 1, "e14": 3}), alg.even({"1": 1})])
    assert log(rotors) == stack([alg.bivector({"e14": 3}), alg.bivector({})])


def test_long_chains_of_nilpotent_bivectors_end() -> None:
    """The principal nilpotent of so(5,4): B^10 is not zero, though n = 9; exp was refused."""
    alg = Algebra(5, 4, backend="fractions")
    e = alg.basis_vectors
    plus, minus = ([e[i] + s * e[5 + i] for i in range(4)] for s in (1, -1))
    b = sum((plus[i] ^ minus[i + 1] for i in range(3)), plus[3] ^ e[4])
    rotor, power_of_b = exp(b), b
    for _ in range(9):
        power_of_b = power_of_b * b
    assert power_of_b != alg.scalar(0)
    assert power_of_b * b == alg.scalar(0)
    assert rotor * reverse(rotor) == alg.scalar(1)
    assert rotor["1"] == 1


# ------------------------------------------------------------------- certified translators


@pytest.mark.parametrize(
    "numbers",
    [(3, 0, 1), (5, 0, 1), (0, 3, 1), (1, 2, 1), (2, 1, 1), (3, 0, 2), (0, 0, 3)],
    ids=str,
)
@pytest.mark.parametrize("radius", [0.0, 1e-20])
def test_certified_log_of_translators(numbers: Numbers, radius: float) -> None:
    """R = 1 + v e_0 moves in the fixed axis of no rotation: it was Undecided for odd p + q."""
    alg = Algebra(*numbers, backend="arb")
    last = f"e{alg.n}"
    for v in ({1: 1.0}, {1: 0.5, 2: 3.0}, {2: 1e6}):
        parts = {f"e{i}{last[1:]}": arb(x, radius) for i, x in v.items()}
        found = log(alg.even({"1": 1, **parts}))
        for name, value in found.as_dict().items():
            exact = arb(v.get(int(name[1]), 0.0)) if name.endswith(last[1:]) else arb(0)
            assert value.contains(exact)
            assert float(value.rad()) <= 1e-10 * radius**0.25 + 4 * radius + 1e-28


def test_certified_log_of_minus_a_boosted_translator_still_does_not_exist() -> None:
    for numbers in ((2, 1, 1), (0, 0, 3), (2, 0, 2)):
        alg = Algebra(*numbers, backend="arb")
        with pytest.raises(NoRealLogarithm):
            log(alg.even({"1": -1, f"e1{alg.n}": 1}))


# --------------------------------------------------------------------------------- slerp


@pytest.mark.parametrize("numbers", SPACES, ids=str)
def test_certified_slerp_encloses_that_of_floats(numbers: Numbers) -> None:
    rng = np.random.default_rng([1, *numbers])
    floats = Algebra(*numbers)
    b0, b1 = (floats.random.bivector(rng, (4,), 0.5) for _ in range(2))
    t = np.array([0.25, 0.5, 1.0, 1.5])
    found = slerp(exp(b0.to(backend="arb")), exp(b1.to(backend="arb")), t)
    computed = slerp(exp(b0), exp(b1), t)
    assert widest(found.coeffs) < 1e-30
    assert np.abs(middles(found.coeffs) - computed.coeffs).max() < 1e-14
    wrong = slerp(exp(b0), exp(b1), t + 1e-3)  # the false twin
    assert np.abs(middles(found.coeffs) - wrong.coeffs).max() > 1e-6


def test_certified_slerp_takes_the_shorter_way_or_is_undecided() -> None:
    alg = Algebra(3, backend="arb")
    r = exp(alg.bivector({"e12": 0.3}))
    assert float((slerp(r, -r, 0.5) - r).coeffs[0].abs_upper()) < 1e-30
    half = alg.even({"1": arb(0, 1e-30), "e12": 1})
    with pytest.raises(Undecided, match="raise the precision"):
        slerp(alg.scalar(1), half, 0.5)
    exactly = slerp(alg.scalar(1), alg.blade("e12"), 0.5)
    assert exactly["1"].overlaps(arb(0.5).sqrt())


def test_certified_slerp_of_one_null_rotation_stays() -> None:
    """-1 + null has no logarithm in Cl(2,1), and slerp needs none."""
    alg = Algebra(2, 1, backend="arb")
    null = alg.even({"1": 1, "e12": 1, "e23": 1})
    with pytest.raises(NoRealLogarithm):
        log(-null)
    assert float((slerp(null, -null, 0.3) - null).coeffs[0].abs_upper()) < 1e-30
    back = slerp(alg.scalar(1), -null, 1)
    assert all(x.contains(0) for x in (back - null).coeffs)


def test_certified_slerp_refuses_what_is_no_rotor() -> None:
    alg = Algebra(2, backend="arb")
    pairs = (stack([alg.scalar(1), alg.scalar(1)]), stack([alg.scalar(1), alg.scalar(2)]))
    with pytest.raises(NotARotor) as caught:
        slerp(*pairs, 0.5)
    assert caught.value.indices == ((1,),)
    found = slerp(*pairs, 0.5, on_error="nan")
    assert found.coeffs[0, 0] == 1
    assert not found.coeffs[1, 0].is_finite()
    with pytest.raises(NotARotor):  # a quotient that is a rotor does not help
        slerp(2 * alg.scalar(1), alg.scalar(Fraction(1, 2)), 0.5)


def test_symbolic_slerp() -> None:
    alg, x = Algebra(3, backend="sympy"), sympy.Symbol("x", real=True)
    r = alg.even({"1": sympy.Rational(4, 5), "e23": sympy.Rational(3, 5)})
    assert slerp(r, -r, Fraction(1, 2)) == r
    found = slerp(alg.scalar(1), r, x)["e23"]
    assert sympy.simplify(found - sympy.sin(x * sympy.atan(sympy.Rational(3, 4)))) == 0
    with pytest.raises(NotSupported, match="substitute numbers"):
        slerp(alg.scalar(1), exp(alg.bivector({"e12": x})), Fraction(1, 2))
    with pytest.raises(NotARotor, match="difference"):
        slerp(2 * alg.scalar(1), r, x)


# --------------------------------------------------------------------------- rotor_between


def refusal(a, b) -> str:
    """Which error rotor_between raises, with its reason; "" where it answers or cannot decide."""
    try:
        rotor_between(a, b)
    except (NotInvertible, NotInImage) as error:
        return f"{type(error).__name__} {getattr(error, 'reason', '')}"
    except Undecided:
        return ""
    return ""


@pytest.mark.parametrize("numbers", [*SPACES, (1, 3, 0)], ids=str)
def test_certified_rotor_between_encloses_that_of_floats(numbers: Numbers) -> None:
    """Small integers, every fourth pair exactly antiparallel; the errors are the same ones."""
    rng = np.random.default_rng([2, *numbers])
    floats, answered = Algebra(*numbers), 0
    for k in range(40):
        a = floats.vector(rng.integers(-3, 4, floats.n).astype(float))
        b = -2.0 * a if k % 4 == 0 else floats.vector(rng.integers(-3, 4, floats.n).astype(float))
        balls = [v.to(backend="arb") for v in (a, b)]
        refused = refusal(a, b)
        assert refusal(*balls) == refused
        if refused:
            continue
        computed = rotor_between(a, b)
        try:
            found = rotor_between(*balls)
        except Undecided:
            assert abs(computed.coeffs[0]) < 1e-14  # whether it is zero decides the sign
            continue
        answered += 1
        assert widest(found.coeffs) < 1e-30
        assert np.abs(middles(found.coeffs) - computed.coeffs).max() < 1e-13
        image = found * balls[0] * reverse(found)
        scale = (norm_squared(balls[0])["1"] / norm_squared(balls[1])["1"]).sqrt()
        assert (image - scale * balls[1]).coeffs[0].contains(0)
    assert answered >= 15


def test_certified_rotor_between_near_antiparallel_vectors() -> None:
    alg = Algebra(3, backend="arb")
    a, b = alg.vector([1, 0, 0]), alg.vector([-1, 1e-9, 0])
    found = rotor_between(a, b)
    assert float(found["e12"]) == pytest.approx(-1.0)
    assert float(found["1"]) == pytest.approx(5e-10, rel=1e-12)
    with pytest.raises(Undecided):
        rotor_between(a, alg.vector([-1, arb(0, 1e-20), 0]))
    batch = rotor_between(stack([a, alg.vector([0, 0, 0])]), b, on_error="nan")
    assert batch.coeffs[0, 0].is_finite()
    assert not batch.coeffs[1, 0].is_finite()


def test_symbolic_rotor_between() -> None:
    alg, x = Algebra(3, backend="sympy"), sympy.Symbol("x", positive=True)
    e1, e2, _ = alg.basis_vectors
    found = rotor_between(e1, e1 + x * e2)
    image = (found * e1 * reverse(found)).grade(1)
    assert sympy.simplify(image["e2"] / image["e1"] - x) == 0
    assert rotor_between(e1, -e1) == alg.blade("e12")
    assert rotor_between(e1 - e2, e2 - e1)["e13"] == sympy.sqrt(2) / 2
    with pytest.raises(NotSupported, match="assumptions"):
        rotor_between(e1, sympy.Symbol("y", real=True) * e1 + e2)
    with pytest.raises(NotInImage):
        rotor_between(*Algebra(1, 1, backend="sympy").basis_vectors)
    missing = rotor_between(stack([e1, 0 * e1]), e2, on_error="nan").coeffs
    assert missing[1, 0] is sympy.nan


# --------------------------------------------------------------------------- random rotors


@pytest.mark.parametrize(
    "numbers", [(2, 0, 0), (3, 0, 0), (0, 4, 0), (2, 1, 0), (3, 0, 1)], ids=str
)
def test_random_rotors_over_balls_and_symbols(numbers: Numbers) -> None:
    rng = np.random.default_rng(3)
    rotor = Algebra(*numbers, backend="arb").random.rotor(rng, (3,))
    excess = rotor * reverse(rotor) - 1
    assert all(x.contains(0) for x in excess.coeffs.ravel())
    assert widest(rotor.coeffs) < 1e-30
    assert not all(x.contains(0) for x in (rotor * rotor - 1).coeffs.ravel())  # the false twin
    symbolic = Algebra(*numbers, backend="sympy").random.rotor(rng)
    assert all(abs(complex(c)) < 1e-14 for c in (symbolic * reverse(symbolic) - 1).coeffs)


def test_random_rotors_of_both_signs_are_spread_over_the_group() -> None:
    rng = np.random.default_rng(4)
    rotors = middles(Algebra(3, backend="arb", precision=64).random.rotor(rng, (200,)).coeffs)
    assert np.all(np.asarray(is_rotor(Algebra(3).even(rotors))))
    assert np.abs(rotors.mean(axis=0)).max() < 0.15  # 0.5 / sqrt(200) = 0.035 each
    assert np.abs((rotors**2).mean(axis=0) - 0.25).max() < 0.1


@pytest.mark.parametrize("backend", RATIONAL)
def test_random_rotors_are_refused_where_they_have_square_roots(backend: str) -> None:
    rng = np.random.default_rng(5)
    with pytest.raises(NotSupported, match="'arb' or 'sympy'"):
        Algebra(3, backend=backend).random.rotor(rng)
    null = Algebra(0, 0, 3, backend=backend).random.rotor(rng)
    assert null * reverse(null) == null.algebra.scalar(1)
