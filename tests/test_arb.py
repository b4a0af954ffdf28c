"""Backend "arb": its balls contain the truth, are narrow, and refuse what they do not decide.

The truth comes from the high-precision reference, which has its own representation and routes, from
exact rational arithmetic, and from the definition of what is computed.  A wide ball contains
everything, so every test bounds the radius as well.
"""

from __future__ import annotations

import pickle
import threading
from fractions import Fraction
from math import pi

import flint
import numpy as np
import pytest
from flint import arb, fmpq

import geomlin
from geomlin import Algebra, NotARotor, NotInImage, NotOrthogonal, PlaneKind
from geomlin.certified.branch import check_principal
from geomlin.certified.certify import certify
from geomlin.certified.clusters import cluster_blocks, matrix_of
from geomlin.certified.elements import coefficients_of
from geomlin.errors import (
    DtypeError,
    NonFiniteInput,
    NoRealLogarithm,
    NotDecomposable,
    NotInvertible,
    NotSupported,
    SignatureMismatch,
    Undecided,
)
from geomlin.ops.interpolation import sqrt
from geomlin.ops.logarithm import log
from geomlin.precision import working_precision
from geomlin.signature import Signature
from geomlin.verification.budgets import exp_budget, lift_budget
from geomlin.verification.condition import condition_exp
from geomlin.verification.lift_reference import exact_lift_of_exp
from geomlin.verification.reference import (
    error,
    errors,
    exact_exp,
    exact_matrix,
    null_degrees,
    sizes,
)
from geomlin.verification.regimes import bivectors

SIGNATURES = [(2,), (3,), (1, 1), (4,), (3, 1), (2, 2), (3, 0, 1), (2, 0, 2), (5,), (6,), (3, 3)]
NARROW = 100  # bits of 128 that a benign result keeps
WIDE = 400  # bits at which the tests compare


@pytest.fixture(autouse=True)
def _precision_is_restored():
    """Whatever geomlin does, flint's global precision is what it was."""
    before = flint.ctx.prec
    yield
    assert flint.ctx.prec == before


def balls(signature, bits=128):
    return Algebra(*signature, backend="arb", precision=bits)


def cases(signature, *, largest=50.0, most=12, **kinds):
    """Adversarial bivectors of moderate size, spread over the regimes."""
    found = bivectors(Signature(*signature), np.random.default_rng(5), **kinds)
    found = [c for c in found if np.abs(c.b).max(initial=0) < largest]
    return found[:: max(1, len(found) // most)]


def upper(b):
    return b[np.triu_indices(len(b), 1)]


def contains(enclosure, values):
    """Every ball meets its value, which is exact or a far narrower ball, number by number."""
    with working_precision(WIDE):
        pairs = zip(np.ravel(enclosure), values, strict=True)
        return all(x.overlaps(arb(y)) for x, y in pairs)


def overlap(first, second):
    with working_precision(WIDE):
        return all(x.overlaps(y) for x, y in zip(np.ravel(first), np.ravel(second), strict=True))


def radius_bits(values, degrees=None):
    """-log2 of the largest radius, relative to the largest number of the same null-degree."""
    values = list(np.ravel(values))
    degrees = [0] * len(values) if degrees is None else degrees
    with working_precision(WIDE):
        size = sizes(values, degrees)
        worst = max(
            (float(x.rad()) / max(size[d], 1e-300) for x, d in zip(values, degrees, strict=True))
        )
    return -np.log2(max(worst, 2.0**-1000))


def is_one(a):
    """The balls of a multivector contain those of one."""
    return all(x.contains(int(m == 0)) for x, m in zip(a.coeffs, a.layout.masks, strict=True))


def angle_sum(b, metric):
    """beta_1 + beta_2 of the two largest imaginary parts, from floats."""
    angles = np.sort(np.abs(np.linalg.eigvals(b * np.array(metric)).imag))[::-1]
    return angles[0] + (angles[2] if len(angles) > 3 else 0.0)


# --- the numbers -------------------------------------------------------------------------------


def test_floats_enter_exactly_and_rationals_are_enclosed():
    alg = balls((3,))
    values = alg.vector([0.1, "1/3", 5]).coeffs
    assert values[0].is_exact()
    assert values[0] == arb(0.1)
    assert values[2] == 5
    with working_precision(WIDE):
        assert values[1].contains(fmpq(1, 3))
        assert not values[1].is_exact()
        assert values[1].rad() < arb(2) ** -125


def test_tiny_and_huge_floats_stay_exact():
    extremes = [5e-324, 1.7e308, -(2.0**-1000)]
    found = balls((3,)).vector(extremes).coeffs
    assert all(x.is_exact() for x in found)
    assert [float(x) for x in found] == extremes


def test_arithmetic_takes_place_at_the_precision_of_the_algebra():
    for bits in (64, 128, 256):
        a = balls((3,), bits).vector(["1/3", "1/7", "2/9"])
        for result in (a + a, a - 2 * a, -a, a / 3, ~(a * a), a * a * a, a + 1):
            assert radius_bits(result.coeffs) > bits - 6
            assert radius_bits(result.coeffs) < bits + 6  # a rounded ball, not an exact number


def test_product_contains_the_exact_product(rng):
    exact = Algebra(2, 1, 1, backend="fractions")
    left = exact.multivector([Fraction(int(x), 7) for x in rng.integers(-50, 50, 16)])
    right = exact.multivector([Fraction(int(x), 11) for x in rng.integers(-50, 50, 16)])
    alg = balls((2, 1, 1))
    found = left.to(backend="arb") * right.to(backend="arb")
    assert found.algebra == alg
    truth = [fmpq(x.numerator, x.denominator) for x in (left * right).coeffs]
    assert contains(found.coeffs, truth)
    assert radius_bits(found.coeffs) > NARROW


def test_equality_decides_or_is_undecided():
    alg = balls((3,))
    third = alg.vector(["1/3", 0, 0])
    assert alg.vector([1, 2, 3]) == alg.vector([1.0, 2.0, 3.0])
    assert third != alg.vector(["1/3", 0, 1])
    with pytest.raises(Undecided, match="raise the precision"):
        bool(third == alg.vector(["1/3", 0, 0]))


def test_zero_tests_and_division():
    alg = balls((2,))
    backend = alg.backend_object
    assert backend.is_zero(alg.vector([0, 1]).coeffs).tolist() == [True, False]
    with pytest.raises(Undecided):
        backend.is_zero(alg.vector([arb(0, 1e-30), 1]).coeffs)
    with pytest.raises(Undecided):
        alg.vector([1, 2]) / arb(0, 1e-30)
    with pytest.raises(NotInvertible):
        alg.vector([1, 2]) / 0


def test_conversions():
    alg = balls((2,))
    assert alg.vector([0.1, 3]).to(backend="numpy").coeffs.tolist() == [0.1, 3.0]
    assert alg.vector([0.1, 3]).to(backend="fractions").coeffs[0] == Fraction(0.1)
    assert Algebra(2).vector([0.1, 3.0]).to(backend="arb") == alg.vector([0.1, 3])
    with pytest.raises(NotSupported, match="ball"):
        alg.vector(["1/3", 0]).to(backend="fractions")
    assert alg.vector(["1/3", 0]).to(backend="numpy").coeffs[0] == pytest.approx(1 / 3)


def test_the_precision_belongs_to_the_algebra():
    assert balls((2,)).precision == 128
    assert Algebra(2).precision is None
    assert balls((2,), 64) != balls((2,), 65)
    assert hash(balls((2,), 64)) == hash(balls((2,), 64))
    assert eval(repr(balls((2, 1, 1), 77))) == balls((2, 1, 1), 77)
    with pytest.raises(SignatureMismatch):
        balls((2,), 64).vector([1, 2]) + balls((2,), 65).vector([1, 2])
    with pytest.raises(NotSupported, match="precision"):
        Algebra(2, precision=100)
    with pytest.raises(NotSupported, match="precision"):
        balls((2,), 3)
    with pytest.raises(DtypeError):
        balls((2,), 1.5)


def test_printing_shows_the_radius_and_code_only_what_is_exact():
    alg = balls((2,))
    assert "+/-" in str(alg.vector([arb(1, 0.1), arb(0, 0.1)]))
    assert "e₂" in str(alg.vector([arb(1, 0.1), arb(0, 0.1)]))  # not dropped: it may not be zero
    exact = alg.vector([0.5, 3])
    assert eval(repr(exact)) == exact


@pytest.mark.parametrize("value", [np.nan, np.inf, arb("nan"), arb.pos_inf()], ids=str)
def test_nothing_infinite_enters(value):
    with pytest.raises(NonFiniteInput):
        balls((2,)).vector([value, 0])


def test_threads_do_not_share_the_precision():
    results = {}

    def work(bits):
        for _ in range(20):
            results[bits] = radius_bits(geomlin.exp(balls((4,), bits).bivector(["1/3"] * 6)).coeffs)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (64, 128, 256)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(abs(found - bits) < 12 for bits, found in results.items())
    assert len(results) == 3


@pytest.mark.parametrize("signature", [(3,), (2, 2), (3, 1, 1), (0, 0, 2)], ids=str)
def test_inverse(signature, rng):
    alg = balls(signature)
    a = alg.random.multivector(rng) + 3
    one = a * geomlin.inverse(a)
    assert all(
        x.contains(int(mask == 0)) for x, mask in zip(one.coeffs, one.layout.masks, strict=True)
    )
    assert radius_bits(geomlin.inverse(a).coeffs) > NARROW
    with pytest.raises(Undecided):
        geomlin.inverse(alg.scalar(arb(0, 1)))


def test_balls_pickle(rng):
    a = balls((3,), 200).vector(["1/3", 0.1, 0]) + balls((3,), 200).vector([arb(2, 1e-9), 0, 0])
    copy = pickle.loads(pickle.dumps(a))
    assert copy.algebra == a.algebra
    for x, y in zip(copy.coeffs, a.coeffs, strict=True):
        assert x.mid() == y.mid()
        assert x.contains(y)
        assert x.rad() <= y.rad() * 1.0000001


def test_batches_are_computed_element_by_element(rng):
    alg = balls((4,))
    b = alg.bivector(rng.normal(size=(2, 3, 6)) * 0.5)
    rotors = geomlin.exp(b)
    matrices = geomlin.rotor_to_matrix(rotors)
    lifted, logs = geomlin.rotor_from_matrix(matrices, alg), log(rotors)
    parts, squares, kinds = geomlin.invariant_decomposition(b)
    assert rotors.shape == lifted.shape == logs.shape == (2, 3)
    assert matrices.shape == (2, 3, 4, 4)
    assert parts.shape == squares.shape == kinds.shape == (2, 3, 2)
    assert overlap(logs[1][2].coeffs, b[1][2].coeffs)
    assert overlap(rotors[0][1].coeffs, geomlin.exp(b[0][1]).coeffs)
    empty = alg.bivector(np.zeros((0, 6)))
    assert log(geomlin.exp(empty)).shape == (0,)
    assert geomlin.rotor_to_matrix(geomlin.exp(empty)).shape == (0, 4, 4)
    assert geomlin.invariant_decomposition(empty).parts.shape == (0, 2)


# --- exp ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_exp_contains_the_reference_and_is_narrow(signature):
    alg, full = balls(signature), Signature(*signature)
    degrees = null_degrees(full)
    for case in cases(signature):
        found = geomlin.exp(alg.bivector(upper(case.b))).coeffs
        truth = exact_exp(case.b, full)
        assert contains(found, truth), str(case)
        present = [d == 0 or abs(x) > 1e-290 for d, x in zip(degrees, truth, strict=True)]
        kept = [x for x, keep in zip(found, present, strict=True) if keep]
        kept_degrees = [d for d, keep in zip(degrees, present, strict=True) if keep]
        assert radius_bits(kept, kept_degrees) > NARROW, str(case)


@pytest.mark.parametrize("signature", [(8,), (4, 4), (12,)], ids=str)
def test_exp_in_higher_dimensions(signature):
    alg = balls(signature)
    case = cases(signature, most=3)[1]
    found = geomlin.exp(alg.bivector(upper(case.b)))
    assert radius_bits(found.coeffs) > NARROW
    matrix = geomlin.rotor_to_matrix(found)
    assert contains(matrix, exact_matrix(case.b, Signature(*signature)))
    assert radius_bits(matrix) > NARROW


@pytest.mark.parametrize("signature", [(4,), (2, 2), (3, 0, 1)], ids=str)
def test_exp_shrinks_when_the_precision_doubles(signature, rng):
    b = rng.normal(size=6)
    radii = [
        radius_bits(geomlin.exp(balls(signature, bits).bivector(b)).coeffs)
        for bits in (64, 128, 256, 512)
    ]
    assert np.diff(radii) == pytest.approx([64, 128, 256], abs=8)


def test_exp_encloses_every_point_of_a_ball(rng):
    alg = balls((4,))
    b = rng.normal(size=6)
    wide = geomlin.exp(alg.bivector([arb(x, 2.0**-40) for x in b]))
    assert radius_bits(wide.coeffs) > 30
    for _ in range(20):
        point = b + rng.uniform(-1, 1, 6) * 2.0**-41
        assert overlap(wide.coeffs, geomlin.exp(alg.bivector(point)).coeffs)
    outside = geomlin.exp(alg.bivector(b + 2.0**-30))
    assert not overlap(wide.coeffs, outside.coeffs)


def test_exp_of_other_multivectors(rng):
    alg = balls((2, 1, 1))
    a = alg.random.multivector(rng)
    product = geomlin.exp(a) * geomlin.exp(-a)
    assert all(
        x.contains(int(m == 0)) for x, m in zip(product.coeffs, product.layout.masks, strict=True)
    )
    assert radius_bits(geomlin.exp(a).coeffs) > NARROW
    found = geomlin.exp(alg.vector([1, 0, 0, 0]))
    with working_precision(128):
        assert found["1"].overlaps(arb(1).cosh())
        assert found["e1"].overlaps(arb(1).sinh())


@pytest.mark.parametrize("signature", [(3,), (4,), (3, 1), (2, 2), (3, 0, 1), (6,)], ids=str)
def test_float_exp_lies_within_its_budget_of_the_enclosure(signature):
    full, limit = Signature(*signature), exp_budget(Signature(*signature)).limit
    for case in cases(signature, most=8):
        enclosure = list(geomlin.exp(balls(signature).bivector(upper(case.b))).coeffs)
        computed = geomlin.exp(Algebra(*signature).bivector(upper(case.b))).coeffs
        kappa = condition_exp(case.b, full)
        for degree, ratio in errors(computed, enclosure, null_degrees(full)).items():
            assert ratio <= limit * kappa[degree], str(case)


def test_exp_of_huge_arguments():
    for signature in [(2,), (4,)]:
        found = geomlin.exp(balls(signature).bivector([1e300] * (1 if signature == (2,) else 6)))
        assert radius_bits(found.coeffs) > NARROW
    boost = geomlin.exp(balls((1, 1)).bivector([1e10]))
    assert float(boost["1"].rad() / boost["1"].abs_lower()) < 2.0**-NARROW
    with pytest.raises(NotSupported, match="scale"):
        geomlin.exp(balls((2,)).bivector([arb(2) ** 10**6]))
    with pytest.raises(NotSupported, match="scale"):
        log(boost)


def test_a_shifted_enclosure_is_rejected():
    """The fault that a vacuous comparison would miss: every ball moved by 2^-60."""
    case = cases((4,), regimes=["generic"])[0]
    found = geomlin.exp(balls((4,)).bivector(upper(case.b))).coeffs
    with working_precision(128):
        shifted = [x + arb(2) ** -60 for x in found]
    assert contains(found, exact_exp(case.b, Signature(4)))
    assert not contains(shifted, exact_exp(case.b, Signature(4)))


# --- the double cover --------------------------------------------------------------------------


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_matrix_and_lift_contain_the_references(signature):
    alg, full = balls(signature), Signature(*signature)
    for case in cases(signature, largest=6.0, most=8):
        rotor = geomlin.exp(alg.bivector(upper(case.b)))
        matrix = geomlin.rotor_to_matrix(rotor)
        assert contains(matrix, exact_matrix(case.b, full)), str(case)
        lifted = geomlin.rotor_from_matrix(matrix, alg)
        truth = exact_lift_of_exp(case.b, full)
        with working_precision(WIDE):
            negative = [-x for x in truth]
        assert contains(lifted.coeffs, truth) or contains(lifted.coeffs, negative), str(case)
        if full.is_definite:
            assert radius_bits(matrix) > NARROW
            assert radius_bits(lifted.coeffs) > NARROW


def test_lift_has_the_sign_of_the_float_lift(rng):
    for signature in [(3,), (4,), (3, 1), (3, 0, 1)]:
        full = Signature(*signature)
        for case in cases(signature, largest=3.0, most=8):
            rotor = geomlin.exp(balls(signature).bivector(upper(case.b)))
            matrix = geomlin.rotor_to_matrix(rotor)
            floats = np.array([float(x.mid()) for x in matrix.ravel()]).reshape(matrix.shape)
            try:
                enclosure = list(geomlin.rotor_from_matrix(matrix, balls(signature)).coeffs)
            except Undecided:
                continue
            computed = geomlin.rotor_from_matrix(floats, Algebra(*signature)).coeffs
            size = max(1.0, np.abs(floats).max())
            assert error(computed, enclosure, null_degrees(full)) <= 4 * lift_budget(full).limit * (
                size if full.q else 1.0
            ), str(case)


def test_lift_of_half_turns_is_narrow():
    alg = balls((6,))
    found = geomlin.rotor_from_matrix(np.diag([-1, -1, -1, -1, -1, -1]), alg)
    assert found == alg.even({"e123456": 1})


def test_lift_of_a_matrix_of_balls_encloses_the_lift_of_every_isometry_in_it():
    alg, case = balls((4,)), cases((4,), regimes=["generic"])[0]
    matrix = geomlin.rotor_to_matrix(geomlin.exp(alg.bivector(upper(case.b))))
    with working_precision(128):
        wide = np.array([arb(x.mid(), 2.0**-50) for x in matrix.ravel()], dtype=object)
    found = geomlin.rotor_from_matrix(wide.reshape(4, 4), alg)
    truth = geomlin.rotor_from_matrix(matrix, alg)
    assert overlap(found.coeffs, truth.coeffs)
    assert 40 < radius_bits(found.coeffs) < 52


def test_lift_refuses_what_it_can_refute():
    alg = balls((3,))
    with pytest.raises(NotOrthogonal, match="widened"):
        geomlin.rotor_from_matrix(np.eye(3) * (1 + 1e-15), alg)
    with pytest.raises(NotInImage) as caught:
        geomlin.rotor_from_matrix(np.diag([1, 1, -1]), alg)
    assert caught.value.reason == "det"
    with pytest.raises(NotInImage) as caught:
        geomlin.rotor_from_matrix(np.diag([-1, 1, -1, 1]), balls((2, 2)))
    assert caught.value.reason == "component"
    with pytest.raises(NotInImage) as caught:
        geomlin.rotor_from_matrix(np.diag([1, 1, -1]), balls((2, 0, 1)))
    assert caught.value.reason == "null block"
    with pytest.raises(Undecided):  # contains the identity and a half turn
        geomlin.rotor_from_matrix([[arb(0, 2)] * 3] * 3, alg)


def test_lift_sign_is_undecided_where_both_signs_are_possible():
    """A half turn within 1e-3: the scalar part, of either sign, may or may not lead."""
    angle = arb(pi, 1e-3)
    with working_precision(128):
        c, s = angle.cos(), angle.sin()
    with pytest.raises(Undecided, match="sign"):
        geomlin.rotor_from_matrix([[c, s], [-s, c]], balls((2,)))


def test_matrix_refuses_what_is_no_rotor():
    with pytest.raises(NotARotor):
        geomlin.rotor_to_matrix(balls((3,)).even({"1": 2}))
    with pytest.raises(NotARotor):
        geomlin.rotor_to_matrix(balls((3,)).vector([1, 0, 0]))
    with pytest.raises(NotARotor):  # R ~R = 1, but no versor
        geomlin.rotor_to_matrix(balls((6,)).even({"1": "3/5", "e123456": "4/5"}))


# --- log ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", [*SIGNATURES, (2, 1, 1), (1, 0, 3), (0, 4)], ids=str)
def test_log_inverts_exp(signature):
    """log(exp B) contains B below the cut, and exp(log R) meets R everywhere."""
    alg, answered = balls(signature), 0
    for case in cases(signature, largest=8.0):
        exact = alg.bivector(upper(case.b))
        rotor = geomlin.exp(exact)
        try:
            found = log(rotor)
        except Undecided:
            assert angle_sum(case.b, alg.metric) > pi - 1e-12, str(case)
            continue
        answered += 1
        assert overlap(geomlin.exp(found).coeffs, rotor.coeffs), str(case)
        if angle_sum(case.b, alg.metric) < pi - 1e-9:
            assert contains(found.coeffs, list(exact.coeffs)), str(case)
        else:
            middle = np.array([float(x) for x in found.coeffs])
            b = np.zeros_like(case.b)
            b[np.triu_indices(alg.n, 1)] = middle
            assert angle_sum(b - b.T, alg.metric) < pi + 1e-9, str(case)
    assert answered > 5


@pytest.mark.parametrize("signature", [(3,), (4,), (3, 1), (2, 2), (3, 0, 1), (6,), (8,)], ids=str)
def test_log_is_narrow_and_shrinks(signature, rng):
    n = Signature(*signature).n
    b = rng.normal(size=n * (n - 1) // 2) * 0.6 / np.sqrt(n)
    radii = []
    for bits in (64, 128, 256):
        alg = balls(signature, bits)
        found = log(geomlin.exp(alg.bivector(b)))
        assert contains(found.coeffs, [arb(x) for x in b])
        radii.append(radius_bits(found.coeffs))
    assert radii[1] > 112
    assert radii[1] - radii[0] > 50
    assert radii[2] - radii[1] > 110


@pytest.mark.parametrize("bits", [128, 256])
def test_log_of_equal_angles_half_turns_and_jordan_blocks(bits):
    for signature, values in [
        ((4,), {"e12": 1.25, "e34": 1.25}),
        ((6,), {"e12": 1.5, "e34": 1.5, "e56": 1.5}),
        ((4,), {"e12": 3.0}),
        ((2, 2), {"e13": 1, "e24": 1, "e12": 1, "e14": 1, "e23": -1, "e34": 1}),
        ((2, 2), {"e12": 1, "e13": 1, "e14": 1, "e23": -1, "e24": -1, "e34": 1}),
        ((2, 2), {"e12": 1, "e13": 1.5, "e14": 1, "e23": -1, "e24": -1.5, "e34": 1}),
        ((2, 2), dict.fromkeys(("e12", "e13", "e14", "e23", "e24", "e34"), 0.99)),
        ((2, 1), {"e12": 1, "e23": 1}),
    ]:
        exact = balls(signature, bits).bivector(values)
        found = log(geomlin.exp(exact))
        assert contains(found.coeffs, list(exact.coeffs)), values
        assert radius_bits(found.coeffs) > bits - 24


def test_log_of_wide_balls_encloses_the_log_of_every_rotor_in_them(rng):
    alg = balls((4,))
    b = rng.normal(size=6) * 0.5
    rotor = geomlin.exp(alg.bivector(b))
    wide = rotor.replace(
        rotor.layout, np.array([arb(x.mid(), 2.0**-40) for x in rotor.coeffs], dtype=object)
    )
    found = log(wide)
    assert 30 < radius_bits(found.coeffs) < 42
    for _ in range(10):
        point = b + rng.uniform(-1, 1, 6) * 2.0**-44
        assert contains(found.coeffs, [arb(x) for x in point])


def test_log_is_undecided_on_the_cut():
    alg = balls((3,))
    around = alg.even({"1": arb(-1, 1e-20), "e12": arb(0, 1e-20)})
    with pytest.raises(Undecided):
        log(around)
    isoclinic = balls((4,)).bivector({"e12": pi / 2, "e34": pi / 2 + 2.0**-52})
    with pytest.raises(Undecided):  # beta_1 + beta_2 = pi within the balls of exp(B) at 32 bits
        log(geomlin.exp(balls((4,), 32).bivector(list(isoclinic.coeffs))))
    found = log(geomlin.exp(isoclinic))  # but not at 128
    assert overlap(geomlin.exp(found).coeffs, geomlin.exp(isoclinic).coeffs)
    assert radius_bits(found.coeffs) > 50


@pytest.mark.parametrize(
    ("signature", "values", "principal"),
    [
        ((4,), {"e12": 1.5, "e34": 1.6}, True),
        ((4,), {"e12": 1.5, "e34": 1.7}, False),
        ((3,), {"e12": 3.1}, True),
        ((3,), {"e12": 3.2}, False),
        ((3, 1), {"e12": 3.1, "e34": 9.0}, True),
        ((3, 1), {"e12": 3.2, "e34": 9.0}, False),
        ((2, 2), {"e12": 1.5, "e34": 1.5, "e13": 1.0, "e24": -1.0}, True),
        ((2, 2), {"e12": 1.6, "e34": 1.6, "e13": 1.0, "e24": -1.0}, False),
        ((6,), {"e12": 1.0, "e34": 1.0, "e56": 2.2}, False),
    ],
    ids=str,
)
def test_only_principal_logarithms_are_returned(signature, values, principal):
    """exp(B) has several logarithms; the proof of one says which it is."""
    b = matrix_of(coefficients_of(balls(signature).bivector(values), ()), sum(signature))
    metric = Signature(*signature).metric
    with working_precision(128):
        if principal:
            check_principal(b, metric, half=False)
        else:
            with pytest.raises(Undecided):
                check_principal(b, metric, half=False)


def test_log_of_plus_and_minus_one():
    alg = balls((1, 2))
    assert log(alg.even({"1": 1})) == alg.bivector({})
    with working_precision(128):
        assert log(alg.even({"1": -1}))["e23"].overlaps(arb.pi())
    with pytest.raises(NoRealLogarithm):
        log(balls((1, 1)).even({"1": -1}))


def test_log_where_there_is_none_says_so():
    boost = geomlin.exp(balls((2, 1)).bivector({"e13": 1}))
    with pytest.raises(NoRealLogarithm, match="no invariant definite plane"):
        log(-boost)


def test_log_up_to_sign_and_normalize():
    alg = balls((3,))
    rotor = geomlin.exp(alg.bivector([2.5, 0.5, 0]))
    found = log(rotor, up_to_sign=True)
    assert overlap(geomlin.exp(found).coeffs, (-rotor).coeffs)
    assert overlap(found.coeffs, log(-rotor).coeffs)
    assert overlap(log(3 * rotor, normalize=True).coeffs, log(rotor).coeffs)
    with pytest.raises(NotARotor):
        log(3 * rotor)


@pytest.mark.parametrize("t", [1, Fraction(1, 16), Fraction(1, 1024)])
def test_log_looks_at_all_grades(t):
    """cos + sin e123456 has R ~R = 1 and no grade 2 at all: it is no rotor, however near to one."""
    scalar, top = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    with pytest.raises((NotARotor, Undecided)):
        log(balls((6,)).even({"1": scalar, "e123456": top}))


@pytest.mark.parametrize("signature", [(3,), (4,), (3, 1), (6,)], ids=str)
def test_float_log_lies_near_the_enclosure(signature, rng):
    n = Signature(*signature).n
    for _ in range(3):
        b = rng.normal(size=n * (n - 1) // 2) * 0.6 / np.sqrt(n)
        enclosure = log(geomlin.exp(balls(signature).bivector(b)))
        computed = log(geomlin.exp(Algebra(*signature).bivector(b)))
        assert error(computed.coeffs, list(enclosure.coeffs)) < 64


def test_a_rounded_rotor_is_no_rotor_to_a_hundred_bits(rng):
    rounded = geomlin.exp(Algebra(4).bivector(rng.normal(size=6))).to(backend="arb")
    with pytest.raises(NotARotor):
        log(rounded)
    with pytest.raises(NotARotor, match="grade 4"):
        log(rounded, normalize=True)


def test_sqrt_is_the_exponential_of_half_the_logarithm():
    alg = balls((3, 1))
    rotor = geomlin.exp(alg.bivector({"e12": 2.5, "e34": 1}))
    root = sqrt(rotor)
    assert overlap((root * root).coeffs, rotor.to_dense()[[0, *range(5, 11), 15]])
    assert radius_bits(root.coeffs) > NARROW


# --- decomposition -----------------------------------------------------------------------------


def check_parts(bivector, parts, squares):
    """sum b_i = B, b_i^2 scalar and equal to the squares, b_i b_j = b_j b_i, all in balls."""
    members = [parts[k] for k in range(len(parts))]
    total = members[0]
    for member in members[1:]:
        total = total + member
    assert overlap(total.coeffs, bivector.coeffs)
    for i, first in enumerate(members):
        square = first * first
        for mask, x in zip(square.layout.masks, square.coeffs, strict=True):
            assert x.overlaps(squares[i]) if mask == 0 else x.contains(0)
        for second in members[:i]:
            assert all(x.contains(0) for x in geomlin.commutator(first, second).coeffs)


@pytest.mark.parametrize("signature", [*SIGNATURES[:7], (5,), (4, 0, 1), (6,), (3, 3)], ids=str)
def test_decomposition_of_exact_bivectors(signature):
    alg, answered = balls(signature), 0
    for case in cases(signature):
        exact = alg.bivector(upper(case.b))
        try:
            parts, squares, kinds = geomlin.invariant_decomposition(exact)
        except NotDecomposable:
            assert signature in [(2, 2), (3, 3)], str(case)
            continue
        answered += 1
        check_parts(exact, parts, squares)
        size = np.abs(case.b).max(initial=1e-320)
        assert all(float(x.rad()) <= size * 2.0**-NARROW for x in parts.coeffs.ravel()), str(case)
        for kind, square in zip(kinds, squares, strict=True):
            assert (kind == PlaneKind.ROTATION) == (square < 0)
            assert (kind == PlaneKind.BOOST) == (square > 0)
    assert answered > 5


@pytest.mark.parametrize(
    ("signature", "values"),
    [
        ((4,), {"e12": 1, "e34": 1}),
        ((4,), {"e12": 3, "e13": 4, "e24": 4, "e34": -3}),
        ((6,), {"e12": 2, "e35": 2, "e46": 1}),
        ((8,), {"e12": 1, "e34": 1, "e56": 1, "e78": 1}),
        ((3, 1), {"e12": 1, "e34": 1}),
        ((2, 2), {"e13": 1, "e24": 1}),
        ((2, 1), {"e12": 1, "e13": 1}),
        ((3, 0, 1), {"e12": 1, "e14": 3, "e34": 2}),
        ((4, 0, 1), {"e12": 1, "e34": 1, "e15": 2}),
    ],
    ids=str,
)
def test_exact_ties_give_the_canonical_planes_of_the_float_split(signature, values):
    parts, squares, kinds = geomlin.invariant_decomposition(balls(signature).bivector(values))
    floats = geomlin.invariant_decomposition(
        Algebra(*signature).bivector({name: float(x) for name, x in values.items()})
    )
    middle = np.array([float(x) for x in parts.coeffs.ravel()]).reshape(floats.parts.coeffs.shape)
    assert np.abs(middle - floats.parts.coeffs).max() < 1e-13
    assert np.abs([float(x) for x in squares] - floats.squares).max() < 1e-13
    assert kinds.tolist() == floats.kinds.tolist()


def test_canonical_planes_in_a_general_frame():
    """Three equal squares, turned by reflections with dyadic entries: every axis is a candidate."""
    plain = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    turn = np.eye(6)
    for v in ([3.0, 2, 1, 1, 1, 0], [0.0, 1, 1, 2, 3, 1]):
        turn = turn @ (np.eye(6) - np.outer(v, v) / 8)
    b = upper(turn.T @ plain @ turn)
    parts, squares, _ = geomlin.invariant_decomposition(balls((6,)).bivector(b))
    check_parts(balls((6,)).bivector(b), parts, squares)
    assert [float(x) for x in squares] == [-1.0] * 3
    floats = geomlin.invariant_decomposition(Algebra(6).bivector(b)).parts.coeffs
    middle = np.array([float(x) for x in parts.coeffs.ravel()]).reshape(floats.shape)
    assert np.abs(middle - floats).max() < 1e-13


def test_irrational_equal_squares_are_recognised():
    """Squares -(3 +- sqrt 5)/2, each twice: two clusters that no rounding could prove."""
    alg = balls((8,))
    values = {"e12": 1, "e34": 1, "e13": 1, "e56": 1, "e78": 1, "e57": 1}
    exact = alg.bivector(values)
    parts, squares, _ = geomlin.invariant_decomposition(exact)
    check_parts(exact, parts, squares)
    with working_precision(128):
        assert squares[0].overlaps(squares[1])
        assert not squares[1].overlaps(squares[2])
    assert radius_bits(parts.coeffs) > NARROW


@pytest.mark.parametrize("gap", [2.0**-12, 2.0**-40, 2.0**-52])
def test_small_gaps_of_exact_bivectors_cost_nothing(gap, rng):
    frame = geomlin.exp(balls((4,), 512).bivector(rng.normal(size=6)))
    plain = balls((4,), 512).bivector({"e12": 1, "e34": 1 + gap})
    turned = geomlin.sandwich(frame, plain).grade(2).coeffs
    b = balls((4,)).bivector([float(x) for x in turned])
    parts, squares, _ = geomlin.invariant_decomposition(b)
    check_parts(b, parts, squares)
    assert radius_bits(parts.coeffs) > NARROW


def test_balls_are_split_where_their_squares_are_apart_and_blocks_where_not():
    alg, radius = balls((4,)), 2.0**-90
    apart = alg.bivector({"e12": arb(2, radius), "e34": arb(1, radius), "e13": arb(0, radius)})
    parts, squares, kinds = geomlin.invariant_decomposition(apart)
    check_parts(apart, parts, squares)
    assert 80 < radius_bits(parts.coeffs) < 91
    assert kinds.tolist() == [PlaneKind.ROTATION, PlaneKind.ROTATION]
    touching = alg.bivector({"e12": arb(1, radius), "e34": arb(1, radius)})
    with pytest.raises(Undecided, match="cluster_blocks"):
        geomlin.invariant_decomposition(touching)
    ((block, box, count),) = cluster_blocks(touching)
    assert count == 2
    assert box.real.contains(-1)
    assert box.real.rad() < 2.0**-30
    assert overlap(block.coeffs, touching.coeffs)
    assert radius_bits(block.coeffs) > 80


def test_two_clusters_of_balls_are_told_apart():
    alg, radius = balls((8,)), 2.0**-100
    values = {"e12": 1, "e34": 1, "e56": 3, "e78": 3}
    found = cluster_blocks(alg.bivector({name: arb(x, radius) for name, x in values.items()}))
    assert sorted(count for _, _, count in found) == [2, 2]
    for block, box, _ in found:
        size = 3 if box.real < -4 else 1
        with working_precision(128):
            expected = [x if x == size else 0 for x in values.values()]
        assert [float(block[name]) for name in values] == pytest.approx(expected, abs=1e-15)
        assert radius_bits(block.coeffs) > 28


def test_decomposition_refuses_defective_and_complex_blocks():
    jordan = balls((2, 2)).bivector({"e12": 1, "e13": 1, "e14": 1, "e23": -1, "e24": -1, "e34": 1})
    with pytest.raises(NotDecomposable) as caught:
        geomlin.invariant_decomposition(jordan)
    assert caught.value.kind == "defective"
    pair = balls((2, 2)).bivector({"e12": 1, "e34": 1, "e13": 2, "e24": -2})
    found = geomlin.invariant_decomposition(pair, blocks=True)
    floats = geomlin.invariant_decomposition(pair.to(backend="numpy"), blocks=True)
    assert found.kinds.tolist() == floats.kinds.tolist()
    if PlaneKind.COMPLEX_PAIR in found.kinds:
        assert abs(complex(found.squares[0]) - floats.squares[0]) < 1e-12
        with pytest.raises(NotDecomposable):
            geomlin.invariant_decomposition(pair)


def test_a_ball_around_a_null_bivector_has_no_kind():
    alg = balls((3, 1))
    null = {"e12": 1, "e24": 1}
    assert geomlin.invariant_decomposition(alg.bivector(null)).kinds[0] == PlaneKind.NULL
    with pytest.raises(Undecided):
        geomlin.invariant_decomposition(
            alg.bivector({name: arb(x, 2.0**-60) for name, x in null.items()})
        )


# --- precision on request ----------------------------------------------------------------------


def test_certify_raises_the_precision_until_the_result_is_narrow():
    near_cut = Algebra(4).bivector({"e12": 3.0, "e34": 0.1415926535897})
    found = certify(lambda B: log(geomlin.exp(B)), near_cut, relative=2.0**-200)
    assert found.algebra.precision > 200
    assert radius_bits(found.coeffs) >= 200
    assert contains(found.coeffs, [arb(float(x)) for x in near_cut.coeffs])


def test_certify_gives_up_where_no_precision_decides():
    rotor = Algebra(3, 1).even({"1": -1.25, "e14": 0.75})  # -exp(boost): on the cut
    with pytest.raises(Undecided, match="256 bits"):
        certify(log, rotor, most_bits=256)
    with pytest.raises(NotSupported):
        certify(log, balls((2,)).even([arb(1, 0.1), 0]))


def test_certify_passes_algebras_and_other_arguments_on():
    exact = Algebra(3, backend="fractions").even({"1": Fraction(3, 5), "e12": Fraction(4, 5)})

    def round_trip(rotor, algebra, k):
        return k * geomlin.rotor_from_matrix(geomlin.rotor_to_matrix(rotor), algebra)

    found = certify(round_trip, exact, Algebra(3), 2, relative=2.0**-90)
    assert contains(found.coeffs, [fmpq(6, 5), fmpq(8, 5), 0, 0])
    assert radius_bits(found.coeffs) >= 90
