"""Residuals of decompositions, and the accuracy table for right and planted wrong subjects."""

import numpy as np
import pytest

from geomlin.signature import Signature
from geomlin.verification.accuracy import Row, accuracy_table, render
from geomlin.verification.judged_case import JudgedCase
from geomlin.verification.lift_reference import exact_lift
from geomlin.verification.reference import exact_exp, exact_sandwich
from geomlin.verification.regimes import Case
from geomlin.verification.residuals import Parts, projector_size, residuals


def rounded(balls):
    return np.array([float(x) for x in balls])


def plane(i, j, value):
    b = np.zeros((4, 4))
    b[i, j], b[j, i] = value, -value
    return b


def test_residuals_of_a_right_and_of_wrong_decompositions():
    signature = Signature(4)
    first, second = plane(0, 1, 3.0), plane(2, 3, 1.0)
    b, kinds, squares = first + second, np.array([0, 0]), np.array([-9.0, -1.0], dtype=complex)
    right = residuals(b, Parts(np.stack([first, second]), squares, kinds), signature)
    assert right == {"sum": 0.0, "simple": 0.0, "commute": 0.0, "square": 0.0}
    lost = residuals(b, Parts(np.stack([first, 0 * second]), squares, kinds), signature)
    assert lost["sum"] > 1e14
    assert lost["square"] > 1e14
    whole = Parts(np.stack([b, 0 * b]), np.array([-10.0, 0.0], dtype=complex), np.array([0, 3]))
    assert residuals(b, whole, signature)["simple"] > 1e14
    skew = [plane(0, 1, 3.0) + plane(1, 2, 1.0), plane(2, 3, 1.0) - plane(1, 2, 1.0)]
    assert residuals(b, Parts(np.stack(skew), squares, kinds), signature)["commute"] > 1e14
    nothing = Parts(np.full((2, 4, 4), np.nan), squares, kinds)
    assert set(residuals(b, nothing, signature).values()) == {np.inf}


def test_blocks_need_not_be_simple_and_projectors_are_measured():
    b = plane(0, 1, 1.0) + plane(2, 3, 1.0)
    block = Parts(np.stack([b, 0 * b]), np.array([-1.0 + 1.0j, 0.0]), np.array([4, 3]))
    assert residuals(b, block, Signature(2, 2))["simple"] == 0.0
    assert projector_size(block, Signature(2, 2)) == 1.0
    cosh, sinh = np.cosh(3.0), np.sinh(3.0)
    boosted = plane(0, 1, cosh) + plane(1, 2, -sinh)  # (cosh e1 + sinh e3) ^ e2 in Cl(2,2)
    found = Parts(boosted[None], np.array([-1.0 + 0j]), np.array([0]))
    assert projector_size(found, Signature(2, 2)) == pytest.approx(cosh**2)


class RoundedReference:
    """A subject that is as good as floats can be; subclasses plant mistakes."""

    def exp(self, b, signature):
        if b.ndim == 2:
            return self.exp(b[None], signature)[0]
        exact = [rounded(exact_exp(one.astype(float), signature)) for one in b]
        return np.array(exact).astype(b.dtype)

    def to_matrix(self, rotors, signature):
        exact = [[float(x) for x in exact_sandwich(one, signature)] for one in rotors]
        return np.array(exact).reshape(len(rotors), signature.n, signature.n).astype(rotors.dtype)

    def from_matrix(self, matrices, signature):
        exact = [rounded(exact_lift(one, signature)) for one in matrices]
        return np.array(exact).astype(matrices.dtype)

    def decompose(self, b, signature):
        raise NotImplementedError


class HalfAngle(RoundedReference):
    def exp(self, b, signature):
        return super().exp(b / 2, signature)


class RaisesOnNull(RoundedReference):
    def exp(self, b, signature):
        if not np.any(b, axis=(-1, -2)).all():
            raise ZeroDivisionError("no direction")
        return super().exp(b, signature)


def table(subject, numbers=(3, 0, 1)):
    return accuracy_table(
        [Signature(*numbers)],
        rng=np.random.default_rng(0),
        subject=subject,
        operations=("exp", "to_matrix", "from_matrix"),
        per_regime=lambda signature: 3,
    )


def test_table_passes_the_rounded_reference_and_names_the_worst_case():
    rows = table(RoundedReference())
    assert {row.quantity for row in rows} == {
        "exp", "exp, one at a time", "to_matrix", "from_matrix"
    }  # fmt: skip
    assert {row.dtype for row in rows} == {"float64", "float32"}
    for row in rows:
        assert row.passed, row
        assert 0.0 < row.worst <= 0.51, row
        assert row.cases > 20


def test_table_fails_a_half_angle_and_counts_what_raises():
    assert not next(row for row in table(HalfAngle()) if row.quantity == "exp").passed
    row = next(row for row in table(RaisesOnNull()) if row.quantity == "exp")
    assert (row.failures, row.worst, row.passed) == (1, np.inf, False)
    assert "zero: zero; raised ZeroDivisionError: no direction" in row.label


def test_table_judges_the_norm_of_definite_metrics():
    rows = accuracy_table(
        [Signature(3)], rng=np.random.default_rng(0), subject=RoundedReference(),
        operations=("exp",), dtypes=("float64",),
    )  # fmt: skip
    norm = next(row for row in rows if row.quantity == "exp, unit norm")
    assert norm.passed
    assert norm.budget == 4.0
    assert norm.worst > 0.1


class InexactLog(RoundedReference):
    """log of rotors of Cl(3) by the textbook formula, with a relative mistake."""

    def __init__(self, mistake):
        self.mistake = mistake

    def log(self, rotors, signature):
        wide = rotors.astype(float)
        sine = np.linalg.norm(wide[:, 1:], axis=1)
        angle = np.arctan2(sine, wide[:, 0])
        scale = np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 1.0)
        found = np.zeros((len(rotors), 3, 3))
        for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
            found[:, i, j] = scale * wide[:, 1 + k] * (1 + self.mistake)
            found[:, j, i] = -found[:, i, j]
        return found.astype(rotors.dtype)


@pytest.mark.parametrize(("mistake", "right"), [(0.0, True), (1e-13, False)])
def test_table_judges_log_against_the_exact_bivector(mistake, right):
    (row,) = accuracy_table(
        [Signature(3)], rng=np.random.default_rng(0), subject=InexactLog(mistake),
        operations=("log",), dtypes=("float64",),
    )  # fmt: skip
    assert row.quantity == "log"
    assert row.cases > 10
    assert row.passed is right


class InexactPowers(InexactLog):
    """Powers of rotors of Cl(3) by the textbook formula, with a relative mistake of the angle."""

    def power(self, rotors, t, signature):
        b = t * self.log(rotors.astype(float), signature)
        angle = np.sqrt(b[:, 0, 1] ** 2 + b[:, 0, 2] ** 2 + b[:, 1, 2] ** 2)
        sine = np.sinc(angle / np.pi)
        planes = [b[:, 0, 1] * sine, b[:, 0, 2] * sine, b[:, 1, 2] * sine]
        return np.stack([np.cos(angle), *planes], axis=1).astype(rotors.dtype)


@pytest.mark.parametrize(("mistake", "right"), [(0.0, True), (1e-12, False)])
def test_table_judges_roots_and_powers(mistake, right):
    rows = accuracy_table(
        [Signature(3)], rng=np.random.default_rng(0), subject=InexactPowers(mistake),
        operations=("powers",), dtypes=("float64",),
    )  # fmt: skip
    assert [row.quantity for row in rows] == ["sqrt", "power"]
    assert rows[1].cases == 2 * rows[0].cases > 20
    assert rows[0].budget == 12.0
    assert rows[1].budget in (12.0, 24.0)  # t = 1/4 or -2
    assert all(row.passed is right for row in rows)
    assert "t = 0.5" in rows[0].label


def test_log_cases_stop_at_the_cut_and_list_several_boosts_apart():
    def quantity(numbers, values):
        signature = Signature(*numbers)
        b = np.zeros((signature.n, signature.n))
        for (i, j), value in values.items():
            b[i, j], b[j, i] = value, -value
        return JudgedCase(Case("", "", b), signature, np.dtype(np.float64)).log_quantity

    assert quantity((4, 0, 0), {(0, 1): 2.0, (2, 3): 1.1}) == "log"
    assert quantity((4, 0, 0), {(0, 1): 2.0, (2, 3): 1.2}) is None
    assert quantity((3, 0, 0), {(0, 1): np.pi - 1e-8}) == "log"
    assert quantity((3, 0, 0), {(0, 1): np.pi - 1e-10}) is None
    assert quantity((2, 2, 0), {(0, 2): 2.1, (1, 3): 1.9}) == "log"
    assert quantity((2, 2, 0), {(0, 2): 2.1, (1, 3): 2.2}) == "log, several boosts"
    assert quantity((1, 1, 0), {(0, 1): 20.0}) is None


def test_rendering_is_one_line_for_each_row():
    row = Row("exp", Signature(4), "float64", 65, 0.739, 4.0, "generic: size 4", 0)
    failed = Row("exp", Signature(4), "float32", 65, 9.0, 4.0, "dense: all +0.99", 0)
    lines = render([row, failed]).splitlines()
    assert len(lines) == 4
    assert lines[2] == "| exp | Cl(4) | float64 | 65 | 0.739 | 4 | 0 | pass | generic: size 4 |"
    assert "FAIL" in lines[3]
