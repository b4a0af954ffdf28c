"""Symbolic exp, log, sqrt, decomposition and matrices against certified balls and known forms."""

from __future__ import annotations

import time
from fractions import Fraction
from functools import cache, reduce
from operator import mul
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from geomlin import (
    Algebra,
    exp,
    invariant_decomposition,
    log,
    power,
    rotor_from_matrix,
    rotor_to_matrix,
    sqrt,
    stack,
)
from geomlin.errors import (
    NoRealLogarithm,
    NotARotor,
    NotDecomposable,
    NotInImage,
    NotOrthogonal,
    NotSupported,
)
from geomlin.plane_kind import PlaneKind
from geomlin.symbolic_functions import ArcRatio, ArcRatioSplit, Stumpff, StumpffSplit
from geomlin.symbolic_roots import CubicExponential, CubicLogarithm, CubicRoot

DIGITS = 40
BOUND = 1e-35  # relative to 1 + |value|; both sides carry 40 digits and more
SPACES = [
    (4, 0, 0),
    (3, 0, 1),
    (1, 3, 0),
    (3, 1, 0),
    (2, 2, 0),
    (2, 1, 1),
    (5, 0, 0),
    (4, 1, 0),
    (2, 2, 1),
    (3, 0, 2),
    (2, 1, 0),
]
SLOW_TO_SPLIT = [(4, 1, 0), (2, 2, 1)]  # of the kinds of (5, 0, 0) and (2, 2, 0)
spaces = pytest.mark.parametrize("space", SPACES, ids=str)


def generic(space: tuple[int, int, int]) -> Any:
    """A bivector with a symbol for every coefficient."""
    algebra = Algebra(*space, backend="sympy")
    symbols = sympy.symbols([f"b{name[1:]}" for name in algebra.bivector_blades])
    return algebra.bivector(dict(zip(algebra.bivector_blades, symbols, strict=True)))


@cache
def exponential(space: tuple[int, int, int]) -> Any:
    return exp(generic(space))


def ball(value: Any) -> Any:
    """The midpoint of a ball as a sympy float."""
    return sympy.Float(value.mid().str(60, radius=False), 60)


def substituted(value: Any, point: dict[Any, Any]) -> Any:
    return sympy.sympify(value).subs(point).evalf(DIGITS)


def evaluator(symbols: Any, found: Any) -> Any:
    """The entries as one function of the symbols in mpmath numbers."""
    entries = [sympy.sympify(x) for x in np.ravel(found)]
    return sympy.lambdify(list(symbols), entries, "mpmath", cse=True)


def check(function: Any, certified: Any, point: dict[Any, Any]) -> None:
    """Every coefficient (or entry) at the point is the certified one."""
    expected = certified if isinstance(certified, np.ndarray) else certified.coeffs
    with mpmath.workdps(DIGITS + 5):
        values = function(*(mpmath.mpmathify(sympy.N(x, DIGITS + 5)) for x in point.values()))
        for value, enclosed in zip(values, expected.ravel(), strict=True):
            reference = mpmath.mpf(str(ball(enclosed)))
            assert abs(value - reference) <= BOUND * (1 + abs(reference)), (value, reference)


def rationals(rng: np.random.Generator, count: int) -> list[Fraction]:
    top, bottom = rng.integers(-9, 10, size=count), rng.integers(10, 30, size=count)
    return [Fraction(int(p), int(q)) for p, q in zip(top, bottom, strict=True)]


def at(b: Any, values: list[Fraction]) -> tuple[dict[Any, Any], Any]:
    """The point of the symbols, and the certified bivector there."""
    stored = [(name, x) for name, x in zip(b.layout.names, b.coeffs, strict=True) if x != 0]
    pairs = list(zip(stored, values, strict=False))
    numbers = {x: sympy.Rational(v.numerator, v.denominator) for (_, x), v in pairs}
    certified = Algebra(*b.algebra.signature, backend="arb", precision=200)
    given = {name: v for (name, _), v in pairs}
    return numbers, certified.bivector(given)


@spaces
def test_exp_of_a_generic_bivector(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    b, r = generic(space), exponential(space)
    assert max(c.count_ops() for c in r.coeffs) <= 200
    function = evaluator(b.coeffs, r.coeffs)
    for _ in range(20):
        point, certified = at(b, rationals(rng, len(b.coeffs)))
        check(function, exp(certified), point)


DEGENERATE = [
    ((4, 0, 0), [0, 0, 0, 0, 0, 0]),
    ((4, 0, 0), [1, 0, 0, 0, 0, 1]),  # equal angles
    ((4, 0, 0), [1, 0, 0, 0, 0, -1]),
    ((4, 0, 0), [1, 2, 3, 0, 0, 0]),  # one plane
    ((3, 0, 1), [0, 0, 1, 0, 2, 3]),  # a translation
    ((3, 0, 1), [1, 0, 2, 0, 0, 3]),  # a screw along its axis
    ((1, 3, 0), [1, 0, 0, 1, 0, 0]),  # null
    ((1, 3, 0), [1, 0, 0, 0, 0, 1]),  # boost and rotation of one rate
    ((3, 1, 0), [0, 0, 1, 0, 0, 0]),
    ((2, 2, 0), [1, 1, 0, 0, -1, 1]),  # B = e12 + e34 + nilpotent: no split
    ((2, 2, 0), [0, 1, 1, 1, 1, 0]),
    ((5, 0, 0), [1, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
    ((5, 0, 0), [0] * 10),
    ((4, 1, 0), [0, 0, 0, 1, 0, 0, 1, 0, 0, 0]),
]


@pytest.mark.parametrize(("space", "values"), DEGENERATE, ids=str)
def test_exp_and_its_derivatives_at_degenerate_points(
    space: tuple[int, int, int], values: list[int]
) -> None:
    """Values, and first derivatives as the difference quotient of certified values."""
    b, r = generic(space), exponential(space)
    point, certified = at(b, [Fraction(v) for v in values])
    check(evaluator(b.coeffs, r.coeffs), exp(certified), point)
    for c, x in zip(r.coeffs, exp(certified).coeffs, strict=True):
        assert abs(substituted(c, point) - ball(x)) <= BOUND * (1 + abs(ball(x)))
    step = Fraction(1, 10**20)
    for k in (0, len(values) - 1):
        moved = [[v + sign * step * (i == k) for i, v in enumerate(values)] for sign in (1, -1)]
        plus, minus = (exp(at(b, list(map(Fraction, v)))[1]) for v in moved)
        for c, x, y in zip(r.coeffs, plus.coeffs, minus.coeffs, strict=True):
            quotient = (ball(x) - ball(y)) / (2 * sympy.Rational(1, 10**20))
            derivative = substituted(c.diff(b.coeffs[k]), point)
            assert abs(derivative - quotient) <= sympy.Float(10) ** -30 * (1 + abs(quotient))


def test_commuting_planes_are_written_with_cosines() -> None:
    a, b, c = sympy.symbols("a b c")
    r = exp(Algebra(4, backend="sympy").bivector({"e12": a, "e34": b}))
    assert r.as_dict() == {
        "1": sympy.cos(a) * sympy.cos(b),
        "e12": sympy.sin(a) * sympy.cos(b),
        "e34": sympy.cos(a) * sympy.sin(b),
        "e1234": sympy.sin(a) * sympy.sin(b),
    }
    r = exp(Algebra(4, 3, 1, backend="sympy").bivector({"e12": a, "e56": b, "e48": c}))
    assert r["1"] == sympy.cos(a) * sympy.cos(b)
    assert r["e124568"] == sympy.sin(a) * sympy.sin(b) * c
    r = exp(Algebra(3, 1, backend="sympy").bivector({"e12": a, "e34": b}))
    assert r["e1234"] == sympy.sin(a) * sympy.sinh(b)


TWO_PLANES, ALL_SIX = ["e12", "e34"], ["e12", "e13", "e14", "e23", "e24", "e34"]
NAMED_CASES = {
    "a e12 + b e34": ((4,), TWO_PLANES, [(0, 0), (1, 0), (0, 1), (1, 1), (1, -1)]),
    "six symbols in Cl(4)": (
        (4,),
        ALL_SIX,
        [(0,) * 6, (1, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, -1), (1, 2, 3, 0, 0, 0)],
    ),
    "PGA screw": ((3, 0, 1), ALL_SIX, [(0,) * 6, (0, 0, 1, 0, 2, 3), (1, 0, 2, 0, 0, 3)]),
    "Lorentz": ((1, 3), ALL_SIX, [(0,) * 6, (1, 0, 0, 1, 0, 0), (1, 0, 0, 0, 0, 1)]),
}


@pytest.mark.parametrize("name", NAMED_CASES)
def test_named_exponentials_in_seconds(name: str, rng: np.random.Generator) -> None:
    """In five seconds each; the certified value at twenty random points and at the limits."""
    signature, blades, limits = NAMED_CASES[name]
    symbols = sympy.symbols([f"b{blade[1:]}" for blade in blades])
    b = Algebra(*signature, backend="sympy").bivector(dict(zip(blades, symbols, strict=True)))
    start = time.process_time()
    r = exp(b)
    assert time.process_time() - start < 5
    function = evaluator(symbols, r.coeffs)
    for values in [*(rationals(rng, len(blades)) for _ in range(20)), *limits]:
        point, certified = at(b, [Fraction(v) for v in values])
        check(function, exp(certified), point)
    point, certified = at(b, rationals(rng, len(blades)))
    with pytest.raises(AssertionError):
        check(function, exp(-certified), point)


def test_unit_bivectors_with_angles() -> None:
    """B = t (cos x e12 + sin x e13) has B^2 = -t^2."""
    t, x = sympy.symbols("t x")
    plane = {"e12": t * sympy.cos(x), "e13": t * sympy.sin(x)}
    r = exp(Algebra(3, backend="sympy").bivector(plane))
    assert r.as_dict() == {
        "1": sympy.cos(t),
        "e12": sympy.sin(t) * sympy.cos(x),
        "e13": sympy.sin(t) * sympy.sin(x),
    }


def test_simplify_leads_to_elementary_functions() -> None:
    x, y, z = sympy.symbols("x y z", real=True)
    r = exp(Algebra(3, backend="sympy").bivector([x, y, z]))
    length = sympy.sqrt(x**2 + y**2 + z**2)
    assert sympy.simplify(r["1"] - sympy.cos(length)) == 0
    assert sympy.simplify(r["e13"] - y * sympy.sin(length) / length) == 0
    assert sympy.simplify(r["1"] - sympy.cosh(length)) != 0
    assert sympy.limit(r["e12"] / x, x, 0).subs({y: 0, z: 0}) == 1


@pytest.mark.parametrize("space", [(4, 0, 0), (3, 1, 0), (3, 0, 1)], ids=str)
def test_lambdified_for_numpy(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Within 64 eps max(1, |R|) of the floats, arrays and equal angles included."""
    b, r = generic(space), exponential(space)
    points = rng.normal(size=(6, 40))
    points[:, 0] = [1, 0, 0, 0, 0, 1]
    points[:, 1] = 0
    function = sympy.lambdify(list(b.coeffs), list(r.coeffs), "numpy", cse=True)
    found = np.array([np.broadcast_to(x, 40) for x in function(*points)])
    expected = exp(Algebra(*space).bivector(points.T)).coeffs.T
    size = np.maximum(1, np.abs(expected).max(axis=0))
    assert (np.abs(found - expected) <= 64 * np.finfo(float).eps * size).all()
    with mpmath.workdps(30):
        again = sympy.lambdify(list(b.coeffs), list(r.coeffs), "mpmath")(*map(mpmath.mpf, [1] * 6))
        assert all(isinstance(x, mpmath.mpf) for x in again)


def test_wrong_exponential_is_found() -> None:
    """The 4-vector with the opposite sign, and the formula of one plane, fail the check."""
    b, r = generic((4, 0, 0)), exponential((4, 0, 0))
    point, certified = at(b, [Fraction(k, 7) for k in range(1, 7)])
    s = (b * b)["1"]
    one_plane = [Stumpff(0, s), *(Stumpff(1, s) * c for c in b.coeffs), sympy.Integer(0)]
    for wrong in ([*r.coeffs[:-1], -r.coeffs[-1]], one_plane):
        with pytest.raises(AssertionError):
            check(evaluator(b.coeffs, wrong), exp(certified), point)


@pytest.mark.parametrize("space", [s for s in SPACES if s[2] < 2 and s != (2, 2, 1)], ids=str)
def test_log_and_sqrt_of_a_generic_rotor(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Symbols r, r12, .. for the coefficients, at rotors near 1, where log(exp B) = B."""
    algebra = Algebra(*space, backend="sympy")
    names = algebra.even([0] * (1 << algebra.n >> 1)).layout.names
    symbols = sympy.symbols([f"r{name[1:]}" for name in names])
    rotor = algebra.even(dict(zip(names, symbols, strict=True)))
    logarithm, root = (evaluator(symbols, f(rotor).coeffs) for f in (log, sqrt))
    for _ in range(6):
        _, b = at(generic(space), rationals(rng, len(algebra.bivector_blades)))
        values = {x: ball(c) for x, c in zip(symbols, exp(b).coeffs, strict=True)}
        check(logarithm, b, values)
        check(root, exp(b / 2), values)


def test_log_in_one_plane_and_at_the_identity() -> None:
    t = sympy.Symbol("t")
    plane = Algebra(2, backend="sympy")
    assert log(exp(plane.bivector([t])))["e12"] == sympy.atan2(sympy.sin(t), sympy.cos(t))
    assert log(plane.even([-1, 0]))["e12"] == sympy.pi
    assert log(plane.even(["3/5", "4/5"]))["e12"] == sympy.atan(sympy.Rational(4, 3))
    boost = Algebra(1, 1, backend="sympy")
    assert sympy.simplify(log(exp(boost.bivector([2])))["e12"] - 2) == 0
    assert log(Algebra(4, backend="sympy").scalar(1)).as_dict() == {}
    r, x, y, z = sympy.symbols("r x y z")
    b = log(Algebra(3, backend="sympy").even([r, x, y, z]), normalize=True)
    point = {r: 1, x: 1, y: 2, z: 2}
    expected = sympy.atan2(3, 1) / 3
    assert abs(substituted(b["e12"], point) - expected.evalf(DIGITS)) <= BOUND


def test_log_refuses() -> None:
    algebra = Algebra(3, backend="sympy")
    with pytest.raises(NotARotor, match="normalize=True"):
        log(algebra.even([2, 0, 0, 0]))
    with pytest.raises(NotARotor, match="odd parts"):
        log(algebra.blade("e1"))
    with pytest.raises(NoRealLogarithm, match="no invariant definite plane"):
        log(Algebra(2, 1, backend="sympy").even([-1, 1, 1, 0]))
    six = Algebra(8, backend="sympy")
    four = exp(six.bivector({"e12": 1, "e34": 1, "e56": 1, "e78": 1}))
    with pytest.raises(NotSupported, match="at most 7 basis vectors"):
        log(four)
    with pytest.raises(NotSupported, match="at most 5 basis vectors"):
        sqrt(four)
    half = six.bivector({"e12": "1/2", "e56": "1/3"})
    assert all(sympy.simplify(x) == 0 for x in (log(exp(half)) - half).coeffs)
    with pytest.raises(NotSupported, match="flags"):
        log(algebra.scalar(1), flags=True)
    with pytest.raises(NotSupported, match="up to sign"):
        log(algebra.even(sympy.symbols("r x y z")), up_to_sign=True)


def rotor_of(signature: tuple[int, ...], *factors: dict[str, Any]) -> Any:
    """A product of rotors with exact coefficients."""
    algebra = Algebra(*signature, backend="sympy")
    return reduce(mul, (algebra.even(f) for f in factors))


HALF, THREE_FIVE = {"1": "-3/5", "e12": "4/5"}, {"1": "3/5", "e34": "4/5"}
OFF_THE_PRINCIPAL_BRANCH = [
    rotor_of((4,), {"e1234": 1}),
    rotor_of((4,), {"e1234": -1}),
    rotor_of((4,), {"1": -1}),
    rotor_of((4,), HALF, THREE_FIVE),  # beta_1 + beta_2 = pi
    rotor_of((3, 0, 1), {"1": -1, "e14": 4}),
    rotor_of((3, 0, 1), {"1": -1, "e34": 4}),
    rotor_of((3, 1), {"1": "-5/4", "e14": "-3/4"}),
    rotor_of((3, 1), {"1": -1}, {"1": "-5/4", "e34": "3/4"}, HALF),
    rotor_of((6,), {"e12": 1}, {"e34": 1}, {"e56": 1}),
    rotor_of((6,), {"1": -1}),
    rotor_of((6,), HALF, THREE_FIVE, {"1": 0, "e56": 1}),
    rotor_of((7,), HALF, THREE_FIVE, {"1": "5/13", "e67": "-12/13"}),
]


@pytest.mark.parametrize("r", OFF_THE_PRINCIPAL_BRANCH, ids=str)
@pytest.mark.parametrize("up_to_sign", [False, True])
def test_log_off_the_principal_branch_is_that_of_floats(r: Any, up_to_sign: bool) -> None:
    """Exactly exp(log R) = R, and the branch that numpy takes; it was refused, or NaN for n = 6."""
    b = log(r, up_to_sign=up_to_sign)
    rotor, given = exp(in_balls(b)), in_balls(r)
    assert are_equal(rotor, given) or (up_to_sign and are_equal(rotor, -given))
    floats = log(in_floats(r), up_to_sign=up_to_sign)
    assert np.abs(in_floats(b).to_dense() - floats.to_dense()).max() <= 1e-12
    if not up_to_sign:
        root = in_balls(sqrt(r))
        assert are_equal(root * root, given)
        assert not are_equal(root * root, -given)
        assert are_equal(in_balls(power(r, 2)), given * given)


def in_balls(a: Any) -> Any:
    """The same multivector to fifty digits."""
    algebra = Algebra(*a.algebra.signature, backend="arb", precision=200)
    digits = [Fraction(str(x.evalf(50))) for x in a.coeffs]
    return algebra.multivector(dict(zip(a.layout.names, digits, strict=True)))


def are_equal(a: Any, b: Any) -> bool:
    return all(float(abs(x).upper()) <= BOUND for x in (a - b).to_dense())


def in_floats(a: Any) -> Any:
    algebra = Algebra(*a.algebra.signature)
    return algebra.multivector({name: float(x.evalf(30)) for name, x in a.as_dict().items()})


def test_log_off_the_principal_branch_refuses_tilted_planes() -> None:
    """The rotor exists in closed form only along the basis: e1' = (3 e1 + 4 e3) / 5."""
    algebra = Algebra(4, backend="sympy")
    tilt = algebra.even({"1": "3/5", "e13": "4/5"})
    isoclinic = algebra.even(HALF) * algebra.even(THREE_FIVE)
    tilted = tilt * isoclinic * ~tilt
    assert are_equal(exp(in_balls(log(isoclinic))), in_balls(isoclinic))
    with pytest.raises((NotSupported, NoRealLogarithm)):
        log(tilted)
    t = sympy.Symbol("t")
    with pytest.raises(NoRealLogarithm, match="substitute numbers"):
        log(Algebra(3, 0, 1, backend="sympy").even({"1": -1, "e14": t}))


def test_on_error_nan_marks_the_elements_without_a_logarithm() -> None:
    algebra = Algebra(2, 1, backend="sympy")
    none = algebra.even({"1": "-5/4", "e13": "-3/4"})
    batch = stack([algebra.even({"1": "3/5", "e12": "4/5"}), none, algebra.even([2, 0, 0, 0])])
    for function in (log, sqrt, lambda r, **options: power(r, 2, **options)):
        with pytest.raises(NoRealLogarithm) as caught:
            function(batch)
        assert (caught.value.indices, caught.value.count) == (((1,), (2,)), 2)
        found = function(batch, on_error="nan")
        missing = [all(c is sympy.nan for c in row) for row in found.coeffs]
        assert missing == [False, True, True]
        assert not any(c.has(sympy.nan) for c in found.coeffs[0])
        assert all(c is sympy.nan for c in function(none, on_error="nan").coeffs)


@pytest.mark.parametrize("space", [s for s in SPACES if s not in SLOW_TO_SPLIT], ids=str)
def test_decomposition_of_a_generic_bivector(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Sum, simplicity, squares and commutation at rational points, to 35 digits."""
    b = generic(space)
    if space == (3, 0, 2):
        b = b.algebra.bivector({**b.as_dict(), "e15": 0, "e25": 0, "e35": 0, "e45": 0})
    parts, squares, kinds = invariant_decomposition(b)
    assert parts.shape == squares.shape == kinds.shape == (b.algebra.n // 2,)
    function = evaluator([c for c in b.coeffs if c != 0], parts.coeffs)
    for _ in range(3):
        point, _ = at(b, rationals(rng, len(b.coeffs)))
        with mpmath.workdps(DIGITS + 5):
            values = function(*(mpmath.mpmathify(sympy.N(x, DIGITS + 5)) for x in point.values()))
            numbers = np.array([sympy.sympify(x) for x in values]).reshape(parts.coeffs.shape)
        if any(not x.is_real for part in numbers for x in part):
            assert min(space[:2]) >= 2  # a complex pair
            continue
        total = [sum(column) for column in zip(*numbers, strict=True)]
        goal = [substituted(c, point) for c in b.coeffs]
        assert max(abs(x - y) for x, y in zip(total, goal, strict=True)) <= BOUND
        exact = [b.algebra.bivector(part) for part in numbers]
        for part, x, kind in zip(exact, squares, kinds, strict=True):
            value = substituted(x, point)
            assert max(map(abs, (part * part - sympy.Rational(value)).coeffs)) <= BOUND
            sign = {PlaneKind.ROTATION: -1, PlaneKind.BOOST: 1}.get(
                int(substituted(kind, point)), 0
            )
            assert sympy.sign(sympy.Float(value, 30).round(25)) == sign
        if len(exact) == 2:
            commutator = exact[0] * exact[1] - exact[1] * exact[0]
            assert max(map(abs, commutator.coeffs)) <= BOUND


def test_decomposition_of_commuting_planes() -> None:
    a, b, t = sympy.symbols("a b t")
    algebra = Algebra(4, backend="sympy")
    parts, squares, kinds = invariant_decomposition(algebra.bivector({"e12": a, "e34": b}))
    assert [str(part) for part in parts] == ["a e₁₂", "b e₃₄"]
    assert squares.tolist() == [-(a**2), -(b**2)]
    assert kinds.tolist() == [PlaneKind.ROTATION] * 2
    rotated = algebra.bivector({"e12": t, "e34": t, "e13": t, "e24": -t})  # isoclinic
    parts, squares, _ = invariant_decomposition(rotated)
    assert (parts[0] * parts[1] - parts[1] * parts[0]).as_dict() == {}
    assert squares.tolist() == [-2 * t**2] * 2
    numbers = invariant_decomposition(algebra.bivector({"e12": 1, "e34": 2, "e13": 1}))
    assert numbers.squares.tolist() == [-3 - sympy.sqrt(5), -3 + sympy.sqrt(5)]


def test_decomposition_refuses_what_has_no_real_split() -> None:
    algebra = Algebra(2, 2, backend="sympy")
    with pytest.raises(NotDecomposable, match="complex"):
        invariant_decomposition(algebra.bivector({"e12": 1, "e34": -1, "e13": 1, "e24": 1}))
    with pytest.raises(NotSupported, match="no blocks"):
        invariant_decomposition(algebra.bivector({"e12": 1}), blocks=True)
    with pytest.raises(NotDecomposable, match="defective"):
        invariant_decomposition(algebra.bivector({"e12": 2, "e34": 0, "e13": 1, "e24": -1}))
    ten = Algebra(8, backend="sympy")
    chain = {f"e{i}{i + 1}": sympy.Symbol(f"x{i}") for i in range(1, 8)}
    for function in (exp, invariant_decomposition):
        with pytest.raises(NotSupported, match="at most 7"):
            function(ten.bivector(chain))


@pytest.mark.parametrize("space", [(4, 0, 0), (3, 1, 0), (3, 0, 1), (2, 0, 0)], ids=str)
def test_matrix_of_a_symbolic_rotor(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    b = generic(space)
    matrix = evaluator(b.coeffs, rotor_to_matrix(exponential(space)))
    for _ in range(3):
        point, certified = at(b, rationals(rng, len(b.coeffs)))
        check(matrix, rotor_to_matrix(exp(certified)), point)


def test_matrix_of_what_is_no_rotor() -> None:
    x, y = sympy.symbols("x y")
    plane = Algebra(2, backend="sympy")
    with pytest.raises(NotARotor, match="defect"):
        rotor_to_matrix(plane.even([x, y]))
    length = sympy.sqrt(x**2 + y**2)
    unit = plane.even([x / length, y / length])
    assert sympy.simplify(rotor_to_matrix(unit)[0, 0] - (x**2 - y**2) / (x**2 + y**2)) == 0
    six = Algebra(6, backend="sympy").even({"1": sympy.cos(x), "e123456": sympy.sin(x)})
    with pytest.raises(NotARotor, match="defect"):
        rotor_to_matrix(six)  # R ~R = 1, but R e1 ~R is no vector


SIX = [(6, 0, 0), (5, 1, 0), (3, 3, 0), (5, 0, 1)]


@pytest.mark.parametrize("space", SIX, ids=str)
def test_exp_by_a_cubic(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """A chain e12, e23, .., e56 is one part of six basis vectors."""
    algebra = Algebra(*space, backend="sympy")
    symbols = sympy.symbols("b1:6")
    b = algebra.bivector({f"e{i}{i + 1}": x for i, x in enumerate(symbols, start=1)})
    function = evaluator(symbols, exp(b).coeffs)
    values = [rationals(rng, 5) for _ in range(5)]
    values += [
        [Fraction(k) for k in point] for point in ((1, 0, 1, 0, 1), (0,) * 5, (2, 0, 1, 0, 1))
    ]
    for point in values:
        certified = Algebra(*space, backend="arb", precision=200)
        expected = exp(certified.bivector(dict(zip(b.as_dict(), point, strict=True))))
        numbers = {
            x: sympy.Rational(v.numerator, v.denominator)
            for x, v in zip(symbols, point, strict=True)
        }
        check(function, expected, numbers)


@pytest.mark.parametrize("space", [(6, 0, 0), (5, 1, 0), (3, 3, 0), (6, 0, 1)], ids=str)
def test_log_by_a_cubic(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """log(exp B) = B for rotation parts below pi/2, at equal angles too; NaN for R_0 < 0."""
    algebra = Algebra(*space, backend="sympy")
    names = algebra.even([0] * (1 << algebra.n >> 1)).layout.names
    symbols = sympy.symbols([f"r{name[1:]}" for name in names])
    found = log(algebra.even(dict(zip(names, symbols, strict=True))))
    function = evaluator(symbols, found.coeffs)
    certified = Algebra(*space, backend="arb", precision=200)
    points = [[x / 4 for x in rationals(rng, len(found.layout))] for _ in range(3)]
    points.append([Fraction(int(name in ("e12", "e34", "e56")), 2) for name in found.layout.names])
    for point in points:
        b = certified.bivector(point)
        values = {x: ball(c) for x, c in zip(symbols, exp(b).coeffs, strict=True)}
        check(function, b, values)
    negative = [-1.0, *([0.0] * (len(symbols) - 1))]
    assert all(np.isnan(float(x)) for x in function(*negative))


def test_derivative_of_exp_by_a_cubic_at_equal_angles() -> None:
    """d/dt exp(e12 + e34 + e56 + t e23) at 0, as the difference quotient of certified values."""
    algebra = Algebra(6, backend="sympy")
    names = ("e12", "e23", "e34", "e45", "e56")
    symbols = sympy.symbols("b1:6")
    r = exp(algebra.bivector(dict(zip(names, symbols, strict=True))))
    certified = Algebra(6, backend="arb", precision=400)
    step = Fraction(1, 10**30)
    plus, minus = (
        exp(certified.bivector({"e12": 1, "e23": sign * step, "e34": 1, "e56": 1})).coeffs
        for sign in (1, -1)
    )
    point = dict(zip(symbols, (1, 0, 1, 0, 1), strict=True))
    for c, x, y in zip(r.coeffs, plus, minus, strict=True):
        quotient = (
            (
                sympy.Float(str(x.mid().str(110, radius=False)), 110)
                - sympy.Float(str(y.mid().str(110, radius=False)), 110)
            )
            * 10**30
            / 2
        )
        derivative = substituted(sympy.sympify(c).diff(symbols[1]), point)
        assert abs(derivative - quotient) <= 1e-25 * (1 + abs(quotient))


@pytest.mark.parametrize("n", [6, pytest.param(7, marks=pytest.mark.slow)])
def test_exp_of_all_symbols(n: int) -> None:
    """15 symbols in Cl(6), 21 in Cl(7): a few thousand operations with common subexpressions."""
    b = generic((n, 0, 0))
    r = exp(b)
    replacements, reduced = sympy.cse(list(r.coeffs))
    operations = sum(x.count_ops() for _, x in replacements) + sum(map(sympy.count_ops, reduced))
    assert operations <= 4000
    point = [Fraction((7 * k) % 11 - 5, 9) for k in range(len(b.coeffs))]
    numbers, certified = at(b, point)
    check(evaluator(b.coeffs, r.coeffs), exp(certified), numbers)


def test_decomposition_by_the_roots_of_a_cubic() -> None:
    algebra = Algebra(6, backend="sympy")
    symbols = sympy.symbols("b1:6")
    b = algebra.bivector({f"e{i}{i + 1}": x for i, x in enumerate(symbols, start=1)})
    parts, squares, kinds = invariant_decomposition(b)
    assert [x.func for x in squares] == [CubicRoot] * 3
    assert kinds.tolist() == [PlaneKind.ROTATION] * 3
    point = dict(
        zip(symbols, map(sympy.Rational, ("1/2", "1/3", "-1/5", "2/3", "3/4")), strict=True)
    )
    numbers = [algebra.bivector([substituted(c, point) for c in p]) for p in parts.coeffs]
    for x, part in zip(squares, numbers, strict=True):
        square = sympy.Rational(substituted(x, point))
        assert max(map(abs, (part * part - square).coeffs)) <= BOUND
    difference = sum(numbers[1:], numbers[0]) - b.replace(
        b.layout, np.array([c.subs(point) for c in b.coeffs], dtype=object)
    )
    assert max(map(abs, difference.coeffs)) <= BOUND


# --- the functions themselves -------------------------------------------------------------------

S, D = sympy.symbols("s d")
FUNCTIONS = [
    Stumpff(1, S),
    Stumpff(4, S),
    ArcRatio(0, S),
    ArcRatio(2, S),
    *(
        family(k, m, S, D)
        for family in (StumpffSplit, ArcRatioSplit)
        for k in (0, 1)
        for m in (0, 1, 2)
    ),
    CubicRoot(0, S - 3, D, sympy.Rational(1, 2)),
    *(CubicExponential(g, m, 0, 0, 0, S, D, 1) for g, m in ((0, 0), (2, 1), (4, 2), (6, 0))),
    CubicLogarithm(1, 0, 0, 0, S, D, 1),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("d", ["1/25", "-1/25", "0", "1/10**20"])
def test_derivatives_are_difference_quotients(function: Any, d: str) -> None:
    point = {
        S: sympy.Rational(7, 10),
        D: sympy.Rational(*map(eval, d.split("/"))) if "/" in d else 0,
    }
    step = sympy.Rational(1, 10**14)
    for x in function.free_symbols:
        plus, minus = ({**point, x: point[x] + sign * step} for sign in (1, -1))
        quotient = (function.subs(plus).evalf(50) - function.subs(minus).evalf(50)) / (2 * step)
        derivative = substituted(function.diff(x), point)
        assert abs(derivative - quotient) <= sympy.Float(10) ** -24 * (1 + abs(quotient))


@pytest.mark.parametrize("function", FUNCTIONS[:-6], ids=str)
def test_elementary_forms_have_the_same_value(function: Any) -> None:
    for s, d in (("7/10", "1/25"), ("2/3", "-1/9"), ("9/10", "1/400")):
        point = {S: sympy.Rational(s), D: sympy.Rational(d)}
        elementary = function.elementary().subs(point).evalf(DIGITS)
        assert abs(substituted(function, point) - elementary) <= BOUND


def test_values_on_both_sides_of_the_removable_points() -> None:
    assert Stumpff(1, 0) == 1
    assert Stumpff(3, 0) == sympy.Rational(1, 6)
    assert Stumpff(0, -(S**2)) == sympy.cos(S)
    assert ArcRatio(0, 1) == 1
    assert ArcRatio(1, 1) == sympy.Rational(-1, 3)
    assert ArcRatio(0, -1) is sympy.nan
    assert StumpffSplit(0, 1, S, 0) == Stumpff(1, S) / 2  # d/dz cosh sqrt z
    assert sympy.limit(StumpffSplit(0, 1, S, D), D, 0) == Stumpff(1, S) / 2
    function = sympy.lambdify([S], [Stumpff(1, S), ArcRatio(0, S)], "numpy")
    for value in (0.0, 1e-300, -1e-18, 1 - 2**-53, 1 + 2**-52):
        found = function(value)
        for x, name in zip(found, (Stumpff(1, S), ArcRatio(0, S)), strict=True):
            exact = float(name.subs(S, sympy.Rational(value)).evalf(30))
            assert abs(x - exact) <= 4 * np.finfo(float).eps * abs(exact)


def test_rotor_of_a_symbolic_matrix() -> None:
    """R itself comes back where its scalar part has no root; half turns about a moving axis too."""
    t, u = sympy.symbols("t u")
    for space in ((4, 0, 0), (3, 1, 0)):
        algebra = Algebra(*space, backend="sympy")
        r = exp(algebra.bivector({"e12": t, "e34": u}))
        found = rotor_from_matrix(rotor_to_matrix(r), algebra)
        assert all(sympy.simplify(x - y) == 0 for x, y in zip(found.coeffs, r.coeffs, strict=True))
    algebra = Algebra(3, backend="sympy")
    axis = sympy.Matrix([sympy.cos(t), sympy.sin(t), 0])
    turn = rotor_from_matrix((2 * axis * axis.T - sympy.eye(3)).tolist(), algebra)
    assert turn.as_dict() == {"e13": sympy.sin(t), "e23": -sympy.cos(t)}
    numbers = [["3/5", "-4/5", 0], ["4/5", "3/5", 0], [0, 0, 1]]
    matrix = rotor_to_matrix(rotor_from_matrix(numbers, algebra))
    assert (matrix == algebra.backend_object.array(numbers)).all()
    assert str(rotor_from_matrix([[-1, 0, 0], [0, 1, 0], [0, 0, -1]], algebra)) == "e₁₃"


def test_rotor_of_what_is_no_rotation() -> None:
    c, s = sympy.cos(sympy.Symbol("t")), sympy.sin(sympy.Symbol("t"))
    plane = Algebra(2, backend="sympy")
    with pytest.raises(NotInImage, match="determinant -1"):
        rotor_from_matrix([[c, s], [s, -c]], plane)
    with pytest.raises(NotOrthogonal, match="defect"):
        rotor_from_matrix([[c, s], [-s, 2 * c]], plane)
    with pytest.raises(NotInImage, match="both round"):
        rotor_from_matrix([[-1, 0], [0, -1]], Algebra(1, 1, backend="sympy"))
    with pytest.raises(NotSupported, match="r = 0"):
        rotor_from_matrix([[1, 0], [0, 1]], Algebra(1, 0, 1, backend="sympy"))


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
def test_float_formulas_on_both_sides_of_their_thresholds(k: int) -> None:
    """Within 8 eps of the values at 40 digits, relative to the bound sum |z|^j/(2j+k)!, z < 0."""
    single = sympy.lambdify([S], Stumpff(k, S), "numpy")
    double = sympy.lambdify([S, D], [StumpffSplit(k, m, S, D) for m in (0, 1)], "numpy")
    points = [-30.0, -4 - 1e-9, -4 + 1e-9, -1e-20, 0.0, 2.0, 4 - 1e-9, 4 + 1e-9, 30.0]
    found = single(np.array(points))
    for value, z in zip(found, points, strict=True):
        exact = float(Stumpff(k, S).subs(S, sympy.Rational(z)).evalf(DIGITS))
        bound = max(abs(exact), 1.0 if k == 0 else 2 / max(1.0, abs(z)) ** (k / 2))
        assert abs(value - exact) <= 8 * np.finfo(float).eps * bound, (z, value, exact)
    for s in (-3.0, 0.5):
        for d in (-9.0, -0.25 - 1e-9, -0.25 + 1e-9, 0.0, 1e-9, 0.25 - 1e-9, 0.25 + 1e-9, 9.0):
            for m, value in enumerate(double(s, d)):
                point = {S: sympy.Rational(s), D: sympy.Rational(d)}
                exact = float(StumpffSplit(k, m, S, D).subs(point).evalf(DIGITS))
                assert abs(value - exact) <= 16 * np.finfo(float).eps * max(abs(exact), 0.5)


def test_batches() -> None:
    """Elements by themselves; empty batches keep their shapes."""
    t = sympy.Symbol("t")
    algebra = Algebra(4, backend="sympy")
    b = algebra.bivector([[t, 0, 0, 0, 0, 2 * t], [0, 0, 0, 0, 0, t]])
    r = exp(b)
    assert r.coeffs[1].tolist() == exp(b[1]).coeffs.tolist()
    assert rotor_to_matrix(r).shape == (2, 4, 4)
    assert log(r).shape == sqrt(r).shape == (2,)
    assert invariant_decomposition(b).squares.tolist() == [[-(t**2), -4 * t**2], [-(t**2), 0]]
    empty = b[:0]
    assert exp(empty).coeffs.shape == (0, 8)
    assert log(exp(empty)).coeffs.shape == (0, 6)
    assert invariant_decomposition(empty).parts.coeffs.shape == (0, 2, 6)


def test_repr_of_a_symbolic_result_rebuilds_it() -> None:
    r = exponential((3, 1, 0))
    assert "StumpffSplit" in repr(r)
    rebuilt = eval(repr(r))
    assert all(sympy.expand(x - y) == 0 for x, y in zip(rebuilt.coeffs, r.coeffs, strict=True))


@pytest.mark.parametrize(
    ("signature", "rotor"),
    [((3,), {"1": -1}), ((3, 1), {"1": -1}), ((2,), {"1": -1}), ((1, 3), {"1": -1})],
    ids=str,
)
def test_a_square_root_of_minus_one_goes_through_its_logarithm(signature, rotor):
    R = Algebra(*signature, backend="sympy").multivector(rotor)
    root = sqrt(R)
    assert not (root * root - R).as_dict()
    assert not root.grade(2).as_dict().keys().isdisjoint(R.algebra.bivector_blades)


@pytest.mark.parametrize(
    ("signature", "rotor"),
    [((1, 1), {"1": -1}), ((2, 0, 1), {"1": -1, "e13": 4})],
    ids=str,
)
def test_a_square_root_outside_the_principal_branch_is_refused(signature, rotor):
    """The closed form divides by zero there: it gave nan and zoo."""
    with pytest.raises(NoRealLogarithm):
        sqrt(Algebra(*signature, backend="sympy").multivector(rotor))
