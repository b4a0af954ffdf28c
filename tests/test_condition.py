"""Condition numbers: the exact Jacobians against differences of the reference."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from geomlin.signature import Signature
from geomlin.verification.condition import condition_exp, condition_power, condition_to_matrix
from geomlin.verification.reference import (
    exact_exp,
    exact_sandwich,
    matrix_null_degrees,
    null_degrees,
    sizes,
    working_precision,
)
from geomlin.verification.regimes import bivectors


def some_cases(signature, *, turns, most):
    """Cases with non-null coefficients below `turns`, spread over the regimes."""
    m = signature.p + signature.q
    found = bivectors(signature, np.random.default_rng(11))
    moderate = [c for c in found if np.abs(c.b[:m, :m]).max(initial=0.0) < turns]
    return moderate[:: max(1, len(moderate) // most)]


@pytest.mark.parametrize(
    "numbers", [(3, 0, 0), (4, 0, 0), (2, 2, 0), (3, 0, 1), (1, 1, 2)], ids=str
)
def test_condition_of_exp_agrees_with_finite_differences(numbers):
    signature = Signature(*numbers)
    step, n, degrees = 2.0**-40, signature.n, null_degrees(signature)
    for case in some_cases(signature, turns=1e5, most=16):
        base = exact_exp(case.b, signature)
        amplified = [arb(0)] * len(base)
        for i in range(n):
            for j in range(i + 1, n):
                moved = case.b.copy()
                moved[i, j] *= 1 + step
                moved[j, i] = -moved[i, j]
                with working_precision(256):
                    for k, value in enumerate(exact_exp(moved, signature)):
                        amplified[k] += abs(value - base[k]) / step
        size, kappa = sizes(base, degrees), condition_exp(case.b, signature)
        for degree in size:
            top = max(float(a) for a, d in zip(amplified, degrees, strict=True) if d == degree)
            expected = max(1.0, top / max(size[degree], 2.0**-1022))
            assert kappa[degree] == pytest.approx(expected, rel=0.02), str(case)


def test_condition_beyond_many_turns_is_a_lower_bound(monkeypatch):
    signature = Signature(4)
    b = next(c for c in bivectors(signature, np.random.default_rng(0)) if "10000" in c.label).b
    whole = condition_exp(b, signature)[0]
    monkeypatch.setattr("geomlin.verification.condition.MOST_TURNS", 1.0)
    along_the_ray = condition_exp(b, signature)[0]
    assert 1e3 < along_the_ray <= whole


@pytest.mark.parametrize("numbers", [(3, 0, 0), (2, 2, 0), (2, 0, 2)], ids=str)
def test_condition_of_the_matrix_agrees_with_differences(numbers):
    signature = Signature(*numbers)
    degrees, step = matrix_null_degrees(signature), 2.0**-30
    for case in some_cases(signature, turns=3.0, most=6):
        rotor = np.array([float(x) for x in exact_exp(case.b, signature)])
        base = exact_sandwich(rotor, signature)
        amplified = [Fraction(0)] * len(base)
        for k in range(len(rotor)):
            moved = rotor.copy()
            moved[k] *= 1 + step
            for m, value in enumerate(exact_sandwich(moved, signature)):
                amplified[m] += abs(value - base[m]) / Fraction(step)
        kappa = condition_to_matrix(rotor, signature)
        for degree in sorted(set(degrees)):
            top = max(abs(x) for x, d in zip(base, degrees, strict=True) if d == degree)
            if top:
                found = max(x for x, d in zip(amplified, degrees, strict=True) if d == degree)
                assert kappa[degree] == pytest.approx(max(1.0, float(found / top)), rel=1e-6)


@pytest.mark.parametrize("t", [0.5, -2.0])
@pytest.mark.parametrize("numbers", [(2, 0, 0), (1, 1, 0)], ids=str)
def test_condition_of_powers_agrees_with_the_closed_form(numbers, t):
    """One plane: R = c + s e12, and R^t turns by t times the angle of R.

    The tangent of R_0 e and R_12 e12 along the rotor is <dR ~R>_2, so dB = -s c and c s.
    """
    signature = Signature(*numbers)
    definite = numbers[1] == 0
    cos, sin = (np.cos, np.sin) if definite else (np.cosh, np.sinh)
    for angle in (0.3, 1.2):
        b = np.array([[0.0, angle], [-angle, 0.0]])
        rotor, power = exact_exp(b, signature), exact_exp(t * b, signature)
        change = 2 * abs(t * cos(angle) * sin(angle))
        top = max(abs(sin(t * angle)), abs(cos(t * angle)))
        size = max(abs(cos(t * angle)), abs(sin(t * angle)))
        expected = max(1.0, change * top / size)
        found = condition_power(b, t, signature, rotor, power)
        assert found[0] == pytest.approx(expected, rel=1e-12)
