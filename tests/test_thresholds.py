"""The list of thresholds is complete, and exp, log, lift and decomposition are as accurate on both
sides of each as elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from geomlin import Algebra, exp
from geomlin.errors import RapidityOverflow
from geomlin.kernels import (
    canonical,
    closed_form,
    closed_form_scalar,
    doubling,
    exponential,
    log_definite,
    log_half_turns,
    log_matrix,
    log_null,
    log_principal,
    log_refine,
    logarithm,
    spinor_exponential,
)
from geomlin.ops.logarithm import log
from geomlin.signature import Signature
from geomlin.verification.judged_case import JudgedCase
from geomlin.verification.public_subject import PublicSubject
from geomlin.verification.regimes import Case
from geomlin.verification.thresholds import MODULES, OTHERS, THRESHOLDS

STEPS = [0.0, 1e-12, -1e-12, 1e-6, -1e-6]  # relative distances to a threshold
Planes = dict[str, float]
Numbers = tuple[int, int, int]


# ----------------------------------------------------------------------------- the list


def constants_of(module: str) -> set[str]:
    """Numbers, and expressions of numbers, assigned to upper-case names in a module."""
    path = import_module(f"geomlin.{module}").__file__
    assert path is not None
    found = set()
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            value = getattr(import_module(f"geomlin.{module}"), name)
            if name.isupper() and not name.startswith("_") and isinstance(value, (int, float)):
                found.add(name)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_number_is_listed(module: str) -> None:
    listed = {t.constant for t in THRESHOLDS if t.module == module}
    others = {name for names in OTHERS.values() for name in names}
    assert listed <= constants_of(module)
    assert constants_of(module) - listed - others == set()


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=lambda t: t.name)
def test_listed_values_are_those_of_the_code(threshold: object) -> None:
    assert threshold.value > 0 or threshold.constant == "TURNED"  # type: ignore[attr-defined]
    assert threshold.separates  # type: ignore[attr-defined]
    assert threshold.operation in ("exp", "log", "lift", "decomposition")  # type: ignore[attr-defined]


def test_all_kernel_modules_of_the_operations_are_covered() -> None:
    folder = Path(closed_form.__file__).parent
    log_modules = {f"kernels.{path.stem}" for path in folder.glob("log*.py")}
    with_numbers = {module for module in log_modules if constants_of(module)}
    dimensions = {"kernels.log_defect"}  # whose only number is a dimension
    assert with_numbers - dimensions <= set(MODULES)


# ------------------------------------------------------------------------ both sides of each


def matrix(signature: Signature, planes: Planes) -> np.ndarray:
    b = np.zeros((signature.n, signature.n))
    for name, value in planes.items():
        i, j = int(name[1]) - 1, int(name[2]) - 1
        b[i, j], b[j, i] = value, -value
    return b


def case(numbers: Numbers, planes: Planes) -> JudgedCase:
    signature = Signature(*numbers)
    return JudgedCase(Case("threshold", "", matrix(signature, planes)), signature, np.dtype(float))


Family = tuple[Numbers, Callable[[float], Planes], float]

OF_EXP: dict[str, Family] = {
    "closed_form.SERIES_RADIUS": (
        (3, 1, 0),
        lambda x: {"e14": x, "e23": 0.1},
        sqrt(closed_form.SERIES_RADIUS),
    ),
    "closed_form.LARGEST_UNPOLISHED": (
        (5, 0, 0),
        lambda x: {"e12": x * 0.8, "e34": x * 0.6},
        closed_form.LARGEST_UNPOLISHED,
    ),
    "closed_form_scalar.LARGEST_TOTAL": (
        (4, 0, 0),
        lambda x: {"e12": x * 0.8, "e34": x * 0.6},
        sqrt(closed_form_scalar.LARGEST_TOTAL),
    ),
    "closed_form_scalar.LARGEST_CANCELLING": (
        (3, 1, 0),
        lambda x: {"e12": x * 0.8, "e24": x * 0.6},
        sqrt(closed_form_scalar.LARGEST_CANCELLING),
    ),
    "closed_form_scalar.LARGEST_CANCELLATION": (
        (2, 1, 0),
        lambda x: {"e12": 2.0, "e13": 2.0 * sqrt((x - 1) / (x + 1))},
        closed_form_scalar.LARGEST_CANCELLATION,
    ),
    "exponential.POSITIVE_SCALAR": (
        (6, 0, 0),
        lambda x: {"e12": x, "e34": 0.4},
        exponential.POSITIVE_SCALAR,
    ),
    "exponential.LARGEST_SQUARED": (
        (6, 0, 0),
        lambda x: {"e12": x, "e34": 0.4},
        exponential.LARGEST_SQUARED,
    ),
    "doubling.SERIES_RADIUS": (
        (6, 0, 0),
        lambda x: {"e12": x, "e34": 0.1},
        doubling.SERIES_RADIUS / 2,
    ),
    "doubling.GROWTH": (
        (4, 2, 0),
        lambda x: {"e15": x, "e23": 0.4},
        float(np.arcsinh(doubling.GROWTH)),
    ),
    "spinor_exponential.LARGEST_SIZE": (
        (5, 2, 0),
        lambda x: {"e16": x, "e23": 0.4},
        spinor_exponential.LARGEST_SIZE,
    ),
    "spinor_exponential.LARGEST_DEFINITE_SIZE": (
        (7, 0, 0),
        lambda x: {"e12": x, "e34": 0.4},
        spinor_exponential.LARGEST_DEFINITE_SIZE,
    ),
}

OF_LOG: dict[str, Family] = {
    "log_matrix.NEAR": (
        (5, 1, 0),
        lambda x: {"e12": x, "e34": 0.02},
        float(np.arccos(1 - log_matrix.NEAR)),
    ),
    "log_principal.GAP": (
        (4, 2, 0),
        lambda x: {"e15": 1.5 + x / 2, "e26": 1.5, "e34": 1.5},
        log_principal.GAP,
    ),
    "log_principal.UNCERTAIN": (
        (4, 2, 0),
        lambda x: {"e12": pi / 2 - x, "e56": 0.9, "e34": 0.3},
        log_principal.UNCERTAIN * log_principal.ROUNDING,
    ),
    "log_definite.HALF_TURN": (
        (7, 0, 0),
        lambda x: {"e12": pi / 2 - x, "e34": 0.9, "e56": 0.3},
        log_definite.HALF_TURN,
    ),
    "log_half_turns.UNIT": (
        (4, 2, 0),
        lambda x: {"e15": x / 2, "e26": x / 2, "e12": pi / 2 - 1e-3, "e56": 1e-3 - pi / 2},
        log_half_turns.UNIT,
    ),
    "log_null.NEARLY_FULL": (
        (3, 0, 1),
        lambda x: {"e12": pi - x, "e24": 1.0, "e34": 2.0},
        log_null.NEARLY_FULL,
    ),
    "log_refine.NEAR, complex": (
        (3, 3, 0),
        lambda x: {"e14": x, "e25": x, "e12": 1.4, "e45": -1.4},
        log_refine.NEAR,
    ),
    "log_turn.SEPARATED": (
        (4, 2, 0),
        lambda x: {"e15": 1.0, "e12": 1e-3, "e34": x, "e56": 0.0},
        1.0 / 128,
    ),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", OF_EXP)
def test_exp_on_both_sides(name: str, step: float) -> None:
    numbers, family, x = OF_EXP[name]
    judged = case(numbers, family(x * (1 + step)))
    subject = PublicSubject()
    for value in (
        subject.exp(judged.b, judged.signature),
        subject.exp(judged.b[None], judged.signature)[0],
    ):
        measured, budget = judged.judge_exp(value)
        assert measured <= budget


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", OF_LOG)
def test_log_on_both_sides(name: str, step: float) -> None:
    numbers, family, x = OF_LOG[name]
    judged = case(numbers, family(x * (1 + step)))
    assert judged.log_quantity is not None
    found = PublicSubject().log(judged.rounded_rotor[None], judged.signature)[0]
    measured, budget = judged.judge_log(found)
    assert measured <= budget


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("numbers", [(4, 0, 0), (6, 0, 0), (3, 1, 0), (4, 2, 0)])
def test_decomposition_on_both_sides_of_a_tie(numbers: Numbers, step: float) -> None:
    """Two angles apart by tau (1 + step): one cluster or two planes, both within the budget."""
    other = {(3, 1, 0): "e34", (4, 2, 0): "e56"}.get(numbers, "e34")
    for first in (1.0, 0.3):
        gap = canonical.TIE * first
        judged = case(numbers, {"e12": first, other: first * (1 - gap * (1 + step))})
        found = PublicSubject().decompose(judged.b[None], judged.signature)[0]
        for name, (measured, budget) in judged.judge_decomposition(found).items():
            assert measured <= budget, name


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("numbers", [(4, 0, 0), (6, 0, 0), (3, 1, 0), (3, 3, 0), (3, 0, 1)])
def test_lift_where_the_pivot_changes(numbers: Numbers, step: float) -> None:
    """tan(beta) = 1 + step: the coefficient of 1 or that of e12 is the largest."""
    judged = case(numbers, {"e12": pi / 4 * (1 + step), "e13": 0.0})
    found = PublicSubject().from_matrix(judged.rounded_matrix[None], judged.signature)[0]
    measured, budget = judged.judge_from_matrix(found)
    assert measured <= budget


def test_verdicts_on_both_sides() -> None:
    """Thresholds that separate an answer from a flag or a refusal."""
    alg = Algebra(4)
    for step in (1e-6, -1e-6, 1e-3, -1e-3):
        distance = logarithm.CUT * (1 + step)
        rotor = exp(alg.bivector({"e12": pi - 0.7 - distance, "e34": 0.7}))
        assert bool(log(rotor, flags=True).on_cut) == (step < 0)
    wide = Algebra(4, 2)
    for step in (1e-6, -1e-6):
        size = exponential.LARGEST_DOUBLED * (1 + step)
        turned = wide.bivector({"e12": size})
        if step > 0:
            with pytest.raises(RapidityOverflow):
                exp(turned)
        else:
            assert np.isfinite(exp(turned).coeffs).all()


def test_a_jump_at_a_threshold_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The false twin: a series taken beyond its radius misses the budget."""
    numbers, family, _ = OF_EXP["closed_form.SERIES_RADIUS"]
    judged = case(numbers, family(2.5))
    for radius, within in ((0.5, True), (50.0, False)):
        monkeypatch.setattr(closed_form, "SERIES_RADIUS", radius)
        measured, budget = judged.judge_exp(
            PublicSubject().exp(judged.b[None], judged.signature)[0]
        )
        assert (measured <= budget) is within
