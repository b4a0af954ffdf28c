"""The high-precision reference: against a second slow route, its tightness, what it rejects.

The second route is a Taylor series with scaling and squaring in the algebra itself, over mpmath at
90 digits; it shares nothing with the reference but the sign rule of two blades.
"""

import threading
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from flint import arb

from geomlin.blades import all_blades, indices_of, reorder_sign
from geomlin.errors import LayoutError, NonFiniteInput, NotInImage
from geomlin.signature import Signature
from geomlin.verification.lift_reference import exact_lift, exact_lift_of_exp
from geomlin.verification.reference import (
    TIGHT,
    error,
    errors,
    exact_exp,
    exact_matrix,
    exact_norm_defect,
    exact_sandwich,
    is_tight,
    matrix_null_degrees,
    null_degrees,
    sizes,
    working_precision,
)
from geomlin.verification.regimes import bivectors
from geomlin.verification.representation import even_blades

DIGITS = 90
SMALL = [(2, 0, 0), (3, 0, 0), (4, 0, 0), (1, 3, 0), (2, 2, 0), (3, 0, 1), (1, 1, 2), (0, 0, 3)]
SEEN = [numbers for numbers in SMALL if numbers[2] < 2]  # by the matrix: no null-null parts
LARGER = [(5, 0, 0), (3, 2, 0), (2, 0, 3), (6, 0, 0)]


def some_cases(signature, *, size=20.0, most=25):
    """Cases of moderate size, spread over the regimes."""
    found = bivectors(signature, np.random.default_rng(11))
    moderate = [c for c in found if np.abs(c.b).max() < size]
    return moderate[:: max(1, len(moderate) // most)]


def product(a, b, signature):
    """Geometric product of {mask: mpf}."""
    total = {}
    for left, x in a.items():
        for right, y in b.items():
            sign = reorder_sign(left, right)
            for i in indices_of(left & right):
                sign *= signature.metric[i - 1]
            if sign:
                total[left ^ right] = total.get(left ^ right, mpmath.mpf(0)) + sign * x * y
    return total


def slow_exp(b, signature):
    """exp(B) = (sum_k (B / 2^s)^k / k!)^(2^s), coefficients in even blade order."""
    n = signature.n
    with mpmath.workdps(DIGITS):
        squarings = max(0, int(np.ceil(np.log2(max(np.abs(b).sum(), 1e-300)))) + 4)
        bivector = {
            1 << i | 1 << j: mpmath.mpf(float(b[i, j])) / 2**squarings
            for i in range(n)
            for j in range(i + 1, n)
            if b[i, j]
        }
        total, term = {0: mpmath.mpf(1)}, {0: mpmath.mpf(1)}
        for k in range(1, 60):
            term = {m: x / k for m, x in product(term, bivector, signature).items()}
            for mask, x in term.items():
                total[mask] = total.get(mask, mpmath.mpf(0)) + x
        for _ in range(squarings):
            total = product(total, total, signature)
        return [total.get(m, mpmath.mpf(0)) for m in all_blades(n) if m.bit_count() % 2 == 0]


def gap(balls, others, degrees, signs=(1,)):
    """max |difference| / size over the null-degrees, for the best overall sign."""
    with working_precision(400):
        size = sizes(balls, degrees)
        return min(
            max(
                float(abs(x - sign * y).abs_upper()) / max(size[d], 1e-320)
                for x, y, d in zip(balls, others, degrees, strict=True)
            )
            for sign in signs
        )


def as_arb(number):
    with working_precision(400):
        return arb(mpmath.nstr(number, DIGITS))


def rounded(balls):
    return np.array([float(x) for x in balls])


@pytest.mark.parametrize("numbers", SMALL + LARGER, ids=str)
def test_exp_agrees_with_taylor_in_the_algebra(numbers):
    signature = Signature(*numbers)
    for case in some_cases(signature, most=25 if signature.n <= 4 else 6):
        reference = exact_exp(case.b, signature)
        slow = [as_arb(x) for x in slow_exp(case.b, signature)]
        assert gap(reference, slow, null_degrees(signature)) < 1e-50, str(case)


@pytest.mark.parametrize("numbers", [*SEEN, (6, 0, 0), (3, 3, 0), (4, 1, 1), (8, 0, 0)], ids=str)
def test_lift_of_the_matrix_is_the_exponential_up_to_sign(numbers):
    """Two routes with nothing in common: the n x n matrix and averaging, the representation."""
    signature = Signature(*numbers)
    for case in some_cases(signature, most=25 if signature.n <= 4 else 6):
        reference = exact_exp(case.b, signature)
        lifted = exact_lift_of_exp(case.b, signature)
        degrees = null_degrees(signature)
        assert gap(reference, lifted, degrees, (1, -1)) < 1e-20


@pytest.mark.parametrize("numbers", [*SMALL, *LARGER, (4, 4, 0), (3, 0, 5)], ids=str)
def test_enclosures_are_tight(numbers):
    signature = Signature(*numbers)
    cases = bivectors(signature, np.random.default_rng(5))
    for case in cases[:: 1 if signature.n <= 4 else 6]:
        assert is_tight(exact_exp(case.b, signature), null_degrees(signature), TIGHT)
        assert is_tight(exact_matrix(case.b, signature), matrix_null_degrees(signature), TIGHT)


def test_loose_enclosures_are_not_called_tight():
    with working_precision(256):
        loose = [arb(1), arb(0.5, 2.0**-70)]
        assert not is_tight(loose, [0, 0])
        assert is_tight(loose, [0, 0], 60)
        assert not is_tight([arb(1), arb("nan")], [0, 0])
        assert not is_tight([arb(1), arb(1e-30, 1e-50)], [0, 1])


def test_huge_angles_keep_their_digits():
    """exp(x e12) = cos x + sin x e12 with the exact float x."""
    for x in (1e22, 1e300):
        b = np.array([[0.0, x], [-x, 0.0]])
        with working_precision(2000):
            expected = [arb(x).cos(), arb(x).sin()]
        assert gap(exact_exp(b, Signature(2)), expected, [0, 0]) < 1e-50


def test_planted_wrong_rotors_are_rejected():
    signature = Signature(10)
    angles = [1.3, 1.1, 0.9, 0.5, 0.2]
    b = np.zeros((10, 10))
    for k, angle in enumerate(angles):
        b[2 * k, 2 * k + 1], b[2 * k + 1, 2 * k] = angle, -angle
    dropped = b.copy()
    dropped[8:, 8:] = 0.0
    exact = exact_exp(b, signature)
    right, half, fewer = (rounded(exact_exp(x, signature)) for x in (b, b / 2, dropped))
    assert error(right, exact) <= 0.5
    for wrong in (half, fewer, -right):
        assert float(max(abs(x) for x in exact_norm_defect(wrong, signature))) < 1e-15
        assert error(wrong, exact) > 1e14


def test_bivectors_are_checked():
    with pytest.raises(LayoutError):
        exact_exp(np.ones((3, 3)), Signature(3))
    with pytest.raises(LayoutError):
        exact_matrix(np.zeros((3, 3)), Signature(4))
    with pytest.raises(NonFiniteInput):
        exact_exp(np.array([[0.0, np.nan], [np.nan, 0.0]]), Signature(2))


def test_sandwich_and_norm_are_exact_fractions():
    rotor = np.array([0.6, 0.8])
    defect = exact_norm_defect(rotor, Signature(2))
    assert defect == (Fraction(0.6) ** 2 + Fraction(0.8) ** 2 - 1, 0)
    cosine, sine = Fraction(0.6), Fraction(0.8)
    x, y = cosine**2 - sine**2, 2 * cosine * sine
    assert exact_sandwich(rotor, Signature(2)) == (x, y, -y, x)


def test_an_even_unit_element_need_not_be_a_rotor():
    """(3 + 4 e123456) / 5 has norm 1 in Cl(6), but maps e1 out of the vectors: scaled by 5 here."""
    signature = Signature(6)
    element = np.zeros(32)
    element[0], element[-1] = 3.0, 4.0
    assert exact_norm_defect(element, signature) == (24, *[0] * 31)
    assert exact_sandwich(element, signature)[0] == 3**2 - 4**2


def test_sandwich_is_the_matrix_of_the_exponential():
    for numbers in SMALL:
        signature = Signature(*numbers)
        for case in some_cases(signature, size=3.0, most=8):
            rotor = rounded(exact_exp(case.b, signature))
            matrix = exact_matrix(case.b, signature)
            largest = max(1.0, *(abs(float(x)) for x in matrix))
            for x, y in zip(exact_sandwich(rotor, signature), matrix, strict=True):
                assert float(x) == pytest.approx(float(y), abs=1e-13 * largest)


def test_error_counts_spacings_of_the_result():
    exact = [arb(1), arb(0.5)]
    one_off = np.array([1 + 2.0**-52, 0.5])
    assert error(one_off, exact) == 1.0
    assert error(one_off.astype(np.float32), exact) == 0.0
    assert error(np.array([1 + 2.0**-23, 0.5], dtype=np.float32), exact) == 1.0
    assert error(np.array([np.nan, 0.5]), exact) == np.inf
    assert error(np.array([1.0, np.inf]), exact) == np.inf
    assert error(np.array([1.0]), [Fraction(1)]) == 0.0


def test_error_is_relative_to_each_null_degree():
    exact = [arb(1e-8), arb(1)]
    computed = np.array([1e-8 * (1 + 2.0**-50), 1.0])
    assert error(computed, exact) < 1e-7
    assert errors(computed, exact, [1, 0])[1] == pytest.approx(4.0, rel=0.3)
    assert error(np.array([1.0, 1e-320]), [arb(1), arb(0)], [0, 1]) > 1000


def test_degree_made_of_vanishing_products_takes_their_size():
    with working_precision(256):
        assert sizes([arb(1), arb(8), arb(0)], [0, 1, 2]) == {0: 1.0, 1: 8.0, 2: 64.0}
        assert sizes([arb(1), arb(8), arb(1e-9)], [0, 1, 2])[2] == pytest.approx(1e-9)


def test_precision_is_restored_even_after_an_error_and_other_threads_wait():
    before = flint.ctx.prec
    with pytest.raises(RuntimeError), working_precision(777):
        raise RuntimeError
    assert flint.ctx.prec == before
    seen = []
    with working_precision(300):
        thread = threading.Thread(target=lambda: _note_precision(seen, 500))
        thread.start()
        thread.join(0.05)
        assert seen == []
        assert flint.ctx.prec == 300
    thread.join()
    assert seen == [500]
    assert flint.ctx.prec == before


def _note_precision(seen, bits):
    with working_precision(bits):
        seen.append(flint.ctx.prec)


def test_lift_projects_to_the_polar_factor():
    for numbers in [(3, 0, 0), (5, 0, 0), (0, 4, 0)]:
        signature = Signature(*numbers)
        n = signature.n
        for case in some_cases(signature, most=5):
            matrix = rounded(exact_matrix(case.b, signature)).reshape(n, n)
            lifted = exact_lift(matrix, signature)
            scaled = exact_lift(2 * matrix, signature)  # the same polar factor exactly
            degrees = null_degrees(signature)
            assert gap(lifted, scaled, degrees, (1, -1)) < 1e-24
            exact = exact_exp(case.b, signature)
            assert min(error(s * rounded(lifted), exact) for s in (1, -1)) < 4


def test_lift_has_no_null_null_part():
    """exp(T) exp(N) and exp(T) have one matrix; the lift returns exp(T)."""
    signature = Signature(2, 0, 2)
    b = np.zeros((4, 4))
    b[0, 2:], b[1, 2:] = (1.0, 3.0), (-2.0, 0.5)
    translation = b - b.T
    b[2, 3] = 7.0
    with_null_null = b - b.T
    expected = exact_exp(translation, signature)
    lifted = exact_lift_of_exp(with_null_null, signature)
    degrees = null_degrees(signature)
    assert gap(expected, lifted, degrees, (1, -1)) < 1e-24
    assert gap(expected, exact_exp(with_null_null, signature), degrees) > 0.1


@pytest.mark.parametrize(
    ("numbers", "diagonal", "reason"),
    [((3, 0, 0), (1, 1, -1), "det"), ((1, 1, 0), (-1, -1), "component")],
)
def test_lift_refuses_what_no_rotor_maps_to(numbers, diagonal, reason):
    with pytest.raises(NotInImage) as raised:
        exact_lift(np.diag(np.array(diagonal, dtype=float)), Signature(*numbers))
    assert raised.value.reason == reason


def test_even_blades_are_the_even_part_of_the_blade_order():
    assert even_blades(4) == tuple(m for m in all_blades(4) if m.bit_count() % 2 == 0)
