"""Which rotors have a real logarithm: the table, the Jordan rule, and the flag near a boundary."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from geomlin import Algebra, Multivector, exp
from geomlin.errors import NoRealLogarithm, NotARotor
from geomlin.ops.logarithm import log

EPS = 2.0**-52
# cosh and sinh of log 2, log 4 and log 8: dyadic, so the rotors below are exact
DYADIC = ((1.25, 0.75), (2.125, 1.875), (4.0625, 3.9375))

Builder = Callable[[Algebra], Multivector]


def boosts(*planes: str) -> Builder:
    """Product of exact boosts in the planes."""

    def build(alg: Algebra) -> Multivector:
        rotor = alg.even({"1": 1.0})
        for (cosh, sinh), plane in zip(DYADIC, planes, strict=False):
            rotor = rotor * alg.even({"1": cosh, plane: sinh})
        return rotor

    return build


def even(**values: float) -> Builder:
    """Even element from its coefficients; `one` is the scalar."""
    names = {name.replace("one", "1"): value for name, value in values.items()}
    return lambda alg: alg.even(names)


def exponential(**values: float) -> Builder:
    """exp of a bivector."""
    return lambda alg: exp(alg.bivector(values))


def minus(build: Builder) -> Builder:
    return lambda alg: -build(alg)


def times(first: Builder, second: Builder) -> Builder:
    return lambda alg: first(alg) * second(alg)


def translators(*planes: str) -> Builder:
    """Product of translators 1 + v e_0 / 2."""

    def build(alg: Algebra) -> Multivector:
        rotor = alg.even({"1": 1.0})
        for plane in planes:
            rotor = rotor * alg.even({"1": 1.0, plane: 0.5})
        return rotor

    return build


QUADRUPLE = exponential(e13=0.5, e24=0.5, e12=0.7, e34=-0.7)

TABLE: list[tuple[str, tuple[int, int, int], Builder, bool]] = [
    ("boost", (1, 1, 0), boosts("e12"), True),
    ("-boost", (1, 1, 0), minus(boosts("e12")), False),
    ("-1", (1, 1, 0), even(one=-1.0), False),
    ("-boost", (2, 1, 0), minus(boosts("e13")), False),
    ("-1", (2, 1, 0), even(one=-1.0), True),
    ("-(1+null)", (2, 1, 0), even(one=-1.0, e12=-1.0, e23=-1.0), False),
    ("1+null", (2, 1, 0), even(one=1.0, e12=1.0, e23=1.0), True),
    ("rotation by 172 degrees", (2, 1, 0), exponential(e12=1.5), True),
    ("-rotation", (2, 1, 0), minus(exponential(e12=0.5)), True),
    ("-boost", (3, 1, 0), minus(boosts("e14")), True),
    ("-(1+null)", (3, 1, 0), even(one=-1.0, e12=-1.0, e24=-1.0), False),
    ("-1", (3, 1, 0), even(one=-1.0), True),
    ("half turn", (3, 1, 0), even(e12=1.0), True),
    ("-boost rotation", (3, 1, 0), minus(exponential(e14=0.7, e23=0.4)), True),
    ("-boost", (2, 2, 0), minus(boosts("e13")), False),
    ("-1", (2, 2, 0), even(one=-1.0), True),
    ("e1234", (2, 2, 0), even(e1234=1.0), True),
    ("-e1234", (2, 2, 0), even(e1234=-1.0), True),
    ("complex quadruple", (2, 2, 0), QUADRUPLE, True),
    ("-complex quadruple", (2, 2, 0), minus(QUADRUPLE), False),
    ("-boost boost", (2, 2, 0), minus(boosts("e13", "e24")), False),
    ("-rotation rotation", (2, 2, 0), minus(exponential(e12=0.5, e34=0.9)), True),
    ("e1234 boost", (2, 2, 0), times(even(e1234=1.0), boosts("e13")), False),
    ("-boost", (4, 1, 0), minus(boosts("e15")), True),
    ("-(1+null)", (4, 1, 0), even(one=-1.0, e12=-1.0, e25=-1.0), True),
    ("-boost boost", (3, 2, 0), minus(boosts("e14", "e25")), False),
    ("-boost", (3, 3, 0), minus(boosts("e14")), True),
    ("-boost boost boost", (3, 3, 0), minus(boosts("e14", "e25", "e36")), False),
    ("-boost boost", (4, 2, 0), minus(boosts("e15", "e26")), True),
    ("-translator", (2, 0, 1), even(one=-1.0, e13=-0.25), False),
    ("-translator", (3, 0, 1), even(one=-1.0, e14=-0.25), True),
    ("-rotation", (2, 0, 1), minus(exponential(e12=0.5)), True),
    ("half-turn screw", (3, 0, 1), times(even(e12=1.0), even(one=1.0, e34=0.5)), True),
    ("-1", (1, 0, 1), even(one=-1.0), False),
    ("-1", (0, 0, 3), even(one=-1.0), False),
    ("-boost", (1, 1, 2), minus(boosts("e12")), False),
    ("-translator, plane of the negative signs", (1, 3, 1), even(one=-1.0, e15=-0.5), True),
    ("-translator that leaves no plane", (1, 2, 1), even(one=-1.0, e24=-0.5), False),
    ("-translator along e1", (1, 2, 1), even(one=-1.0, e14=-0.5), True),
    ("two translations leave a plane", (4, 0, 2), minus(translators("e15", "e26")), True),
    ("two translations leave none", (3, 0, 2), minus(translators("e14", "e25")), False),
]


def check(rotor: Multivector, exists: bool, tolerance: float = 1e-13) -> None:
    """exp(log R) = R, or NoRealLogarithm with a decided reason."""
    if exists:
        size = np.abs(rotor.coeffs).max()
        assert np.abs((exp(log(rotor)) - rotor).coeffs).max() <= tolerance * size
        return
    with pytest.raises(NoRealLogarithm) as caught:
        log(rotor)
    assert not caught.value.reason.startswith("undecided")
    assert caught.value.count == 1
    assert np.isnan(log(rotor, on_error="nan").coeffs).all()


@pytest.mark.parametrize(
    ("signature", "build", "exists"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_table(signature: tuple[int, int, int], build: Builder, exists: bool) -> None:
    check(build(Algebra(*signature)), exists)


@pytest.mark.parametrize("signature", [(1, 1, 0), (3, 1, 0), (3, 3, 0)])
def test_outside_the_identity_component(signature: tuple[int, int, int]) -> None:
    """R ~R = -1: no rotor at all."""
    alg = Algebra(*signature)
    n, p, _ = alg.n, signature[0], signature[1]
    flipped = alg.even({f"e1{p + 1}": 1.0})
    assert n >= 2
    for normalize in (False, True):
        with pytest.raises(NotARotor):
            log(flipped, normalize=normalize)


def jordan(alg: Algebra, angle: float) -> Multivector:
    """angle (e12 + e34 - e56) + (e1 + e5) ^ e3 + (e2 + e6) ^ e4 in Cl(4,2): one elliptic block of
    three planes; at angle 0 two nilpotent blocks of size three and one sign."""
    turn = alg.bivector({"e12": angle, "e34": angle, "e56": -angle})
    return turn + alg.bivector({"e13": 1.0, "e35": -1.0, "e24": 1.0, "e46": -1.0})


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.0, 1.5])
def test_odd_jordan_blocks_let_the_sign_flip(angle: float) -> None:
    """The centraliser turns three planes at once: -exp(B) has a logarithm."""
    bivector = jordan(Algebra(4, 2), angle)
    check(exp(bivector), True, 1e-10)
    check(-exp(bivector), True, 1e-10)


@pytest.mark.parametrize("angle", [0.5, 1.0])
def test_even_jordan_blocks_do_not(angle: float) -> None:
    """x (e12 - e34) + n1 ^ n2 in Cl(2,2): a block of two planes, whose turn keeps the sign."""
    alg = Algebra(2, 2)
    bivector = alg.bivector({"e12": angle + 1.0, "e34": 1.0 - angle, "e14": 1.0, "e23": -1.0})
    check(exp(bivector), True, 1e-12)
    check(-exp(bivector), False)


@pytest.mark.parametrize("signature", [(2, 2, 0), (3, 2, 0), (3, 3, 0)])
def test_totally_null_blocks_do_not(signature: tuple[int, int, int]) -> None:
    """-(1 + n1 ^ n2): two nilpotent blocks of even size; a plane may be left beside them."""
    alg = Algebra(*signature)
    p = signature[0]
    n1, n2 = (alg.vector({f"e{k}": 1.0, f"e{p + k}": 1.0}) for k in (1, 2))
    rotor = 1.0 + (n1 ^ n2)
    check(rotor, True)
    check(-rotor, False)


def test_two_null_blocks_of_opposite_sign_do_not() -> None:
    """(e1 + e4) ^ e2 + (e3 + e6) ^ e5 in Cl(3,3): e2^2 = 1 and e5^2 = -1."""
    alg = Algebra(3, 3)
    bivector = alg.bivector({"e12": 1.0, "e24": -1.0, "e35": 1.0, "e56": -1.0})
    check(exp(bivector), True)
    check(-exp(bivector), False)


def test_minus_one_needs_a_plane_of_one_sign() -> None:
    """log(-1) = pi e_ij with the first i < j of equal nonzero squares, in every signature."""
    for p in range(5):
        for q in range(5 - p):
            for r in range(5 - p - q):
                if p + q + r == 0:
                    continue
                alg = Algebra(p, q, r)
                metric = alg.metric
                pairs = [
                    f"e{i + 1}{j + 1}"
                    for i in range(alg.n)
                    for j in range(i + 1, alg.n)
                    if metric[i] == metric[j] != 0
                ]
                minus_one = alg.scalar(-1.0)
                if pairs:
                    assert log(minus_one).as_dict() == {pairs[0]: np.pi}
                    assert log(minus_one, up_to_sign=True).as_dict() == {}
                else:
                    with pytest.raises(NoRealLogarithm):
                        log(minus_one)


@pytest.mark.parametrize("distance", [0.0, 2.0**-40])
def test_verdict_near_the_boundary_is_flagged(distance: float) -> None:
    """-(1 + n) in Cl(2,1) has no logarithm, a rotation a little inside the light cone has."""
    alg = Algebra(2, 1)
    bivector = alg.bivector({"e12": 1.0 + distance, "e23": 1.0})
    found = log(-exp(bivector), on_error="nan", flags=True)
    assert bool(found.on_cut)


def test_verdict_far_from_the_boundary_is_not() -> None:
    alg = Algebra(2, 1)
    found = log(-exp(alg.bivector({"e13": 1.0})), on_error="nan", flags=True)
    assert not found.on_cut
    assert np.isnan(found.bivector.coeffs).all()


def test_batches_report_the_failing_elements() -> None:
    alg = Algebra(2, 1)
    values = np.zeros((20, 4))
    values[:, 0] = 1.0
    values[::2, 0], values[::2, 2] = -1.25, -0.75  # -boost in e13
    batch = alg.even(values)
    with pytest.raises(NoRealLogarithm) as caught:
        log(batch)
    assert caught.value.count == 10
    assert caught.value.indices[:3] == ((0,), (2,), (4,))
    found = log(batch, on_error="nan").coeffs
    assert np.isnan(found[::2]).all()
    assert (found[1::2] == 0).all()
