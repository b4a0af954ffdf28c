"""Rotors without a logarithm, proved over balls: never claimed where one exists."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

import geomlin
from geomlin import Algebra, Multivector
from geomlin.certified import existence
from geomlin.certified import logarithm as certified
from geomlin.errors import NoRealLogarithm, NotARotor, Undecided
from geomlin.ops.interpolation import power, sqrt
from geomlin.ops.logarithm import log

Numbers = tuple[int, int, int]
# cosh and sinh of log 2 and log 4: dyadic, so the rotors are exact
BOOSTS = ((1.25, 0.75), (2.125, 1.875), (4.0625, 3.9375))


def balls(signature: Numbers, bits: int = 128) -> Algebra:
    return Algebra(*signature, backend="arb", precision=bits)


def boosted(alg: Algebra, *planes: str) -> Multivector:
    rotor = alg.even({"1": 1})
    for (cosh, sinh), plane in zip(BOOSTS, planes, strict=False):
        rotor = rotor * alg.even({"1": cosh, plane: sinh})
    return rotor


NONE: list[tuple[Numbers, dict[str, float] | tuple[str, ...], str]] = [
    ((1, 1, 0), ("e12",), "definite plane"),
    ((2, 1, 0), ("e13",), "definite plane"),
    ((1, 2, 0), ("e12",), "definite plane"),
    ((2, 2, 0), ("e13",), "definite plane"),
    ((2, 2, 0), ("e13", "e24"), "definite plane"),
    ((3, 2, 0), ("e14", "e25"), "definite plane"),
    ((3, 3, 0), ("e14", "e25", "e36"), "definite plane"),
    ((1, 1, 2), ("e12",), "definite plane"),
    ((2, 1, 0), {"1": -1, "e12": -1, "e23": -1}, "definite plane"),
    ((3, 1, 0), {"1": -1, "e12": -1, "e24": -1}, "definite plane"),
    ((1, 3, 0), {"1": -1, "e13": -1, "e23": -1}, "definite plane"),
    ((2, 2, 0), {"1": -1, "e12": -1, "e14": -1, "e23": 1, "e34": -1}, "definite plane"),
    ((2, 2, 0), {"e1234": 1.25, "e24": 0.75}, "not paired"),
    ((2, 0, 1), {"1": -1, "e13": -0.25}, "translation"),
    ((2, 0, 1), {"1": -1, "e13": 1e-300}, "translation"),
    ((3, 0, 2), {"1": -1, "e14": -0.5, "e25": -0.5, "e1245": 0.25}, "translation"),
    ((1, 2, 1), {"1": -1, "e24": -0.5}, "translation"),
    ((1, 1, 0), {"1": -1}, "definite plane"),
]


@pytest.mark.parametrize("bits", [64, 128, 256])
@pytest.mark.parametrize(("signature", "what", "reason"), NONE, ids=lambda x: str(x)[:40])
def test_exact_rotors_without_logarithm(
    signature: Numbers, what: dict[str, float] | tuple[str, ...], reason: str, bits: int
) -> None:
    alg = balls(signature, bits)
    rotor = alg.even(what) if isinstance(what, dict) else -boosted(alg, *what)
    with pytest.raises(NoRealLogarithm) as caught:
        log(rotor)
    assert reason in caught.value.reason
    assert (caught.value.indices, caught.value.count) == (((),), 1)
    for refused in (sqrt, lambda r: power(r, 0.3)):
        with pytest.raises(NoRealLogarithm):
            refused(rotor)


@pytest.mark.parametrize(
    ("signature", "planes"),
    [
        ((1, 1, 0), {"e12": 0.7}),
        ((2, 1, 0), {"e13": 0.7, "e23": 0.2}),
        ((2, 2, 0), {"e13": 0.7, "e24": 0.3, "e14": 0.1}),
        ((2, 2, 0), {"e12": 0.3, "e34": -0.3, "e13": 0.9, "e24": 0.9}),  # a complex quadruple
        ((3, 2, 0), {"e14": 0.7, "e25": 0.3, "e12": 0.1}),
        ((1, 1, 1), {"e12": 0.7, "e13": 5.0}),
    ],
    ids=str,
)
def test_balls_of_rotors_without_logarithm(signature: Numbers, planes: dict[str, float]) -> None:
    """-exp(B) with d eigenvalues off the unit circle that leave no definite plane."""
    alg = balls(signature)
    rotor = -geomlin.exp(alg.bivector(planes))
    with pytest.raises(NoRealLogarithm, match="no invariant definite plane"):
        log(rotor)
    wide = rotor.replace(rotor.layout, rotor.coeffs + arb(0, 1e-20))
    with pytest.raises(NoRealLogarithm):
        log(wide)
    assert log(-rotor).coeffs[0].is_finite()


EXISTS: list[tuple[Numbers, tuple[str, ...] | dict[str, float]]] = [
    ((3, 1, 0), ("e14",)),
    ((4, 1, 0), ("e15",)),
    ((3, 3, 0), ("e14",)),
    ((4, 2, 0), ("e15", "e26")),
    ((4, 1, 0), {"1": -1, "e12": -1, "e25": -1}),
    ((2, 2, 0), {"e1234": 1}),
    ((3, 0, 1), {"1": -1, "e14": -0.25}),
    ((1, 3, 1), {"1": -1, "e15": -0.5}),
    ((1, 2, 1), {"1": -1, "e14": -0.5}),
    ((4, 0, 2), {"1": -1, "e15": -0.5, "e26": -0.5, "e1256": 0.25}),
]


@pytest.mark.parametrize(("signature", "what"), EXISTS, ids=str)
def test_nothing_is_refuted_where_a_logarithm_exists(
    signature: Numbers, what: dict[str, float] | tuple[str, ...]
) -> None:
    """On the cut nothing is proved, and nothing claimed."""
    alg = balls(signature)
    rotor = alg.even(what) if isinstance(what, dict) else -boosted(alg, *what)
    floats = Algebra(*signature).even([float(x.mid()) for x in rotor.coeffs])
    assert np.isfinite(log(floats).coeffs).all()
    with pytest.raises(Undecided):
        log(rotor)


def test_near_the_boundary_balls_decide_nothing() -> None:
    """A ball around -(1 + n) holds rotors with a logarithm and others without."""
    alg = balls((2, 1, 0))
    around = alg.even([arb(-1, 1e-25), arb(-1, 1e-25), arb(0, 1e-25), arb(-1, 1e-25)])
    with pytest.raises(Undecided):
        log(around)


def test_on_error_nan_is_for_what_is_proved() -> None:
    alg = balls((2, 1, 0))
    boost = geomlin.exp(alg.bivector({"e13": 1}))
    batch = geomlin.stack([boost, -boost, 2 * boost, boost])
    with pytest.raises((NoRealLogarithm, NotARotor)) as caught:
        log(batch)
    assert caught.value.indices == ((1,), (2,))
    assert caught.value.count == 2
    for function in (log, sqrt, lambda r, on_error: power(r, 0.3, on_error=on_error)):
        found = function(batch, on_error="nan").coeffs
        known = [all(x.is_finite() for x in row) for row in found]
        assert known == [True, False, False, True]
    around = alg.even([arb(-1, 1e-25), arb(-1, 1e-25), arb(0, 1e-25), arb(-1, 1e-25)])
    with pytest.raises(Undecided):
        log(around, on_error="nan")


def test_definite_directions_of_rational_forms() -> None:
    """Descartes' rule against the signs of diagonal forms in a skew frame."""
    skew = fmpq_mat(4, 4, [fmpq(x) for x in (1, 2, 0, 1, 0, 1, 3, 0, 1, 0, 1, 1, 2, 0, 0, 1)])
    for diagonal in product((-2, 0, 3), repeat=4):
        form = fmpq_mat(4, 4, [diagonal[i] if i == j else 0 for i in range(4) for j in range(4)])
        found = existence._largest_definite(skew * form * skew.transpose())
        assert found == max(sum(x > 0 for x in diagonal), sum(x < 0 for x in diagonal))


def test_a_wrong_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The false twin: without the count of definite planes, -boost of Cl(3,1) would be refused."""
    rotor = -boosted(balls((3, 1, 0)), "e14")
    with pytest.raises(Undecided):
        log(rotor)
    monkeypatch.setattr(certified, "has_one_sign", lambda rotor, metric: True)
    with pytest.raises(NoRealLogarithm):
        log(rotor)
