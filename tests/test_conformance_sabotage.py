"""Backends with one planted mistake each fail, with the flag that names the mistake."""

from __future__ import annotations

from typing import Any, NamedTuple

import conformance_backends as planted
import pytest

from geomlin.conformance import Report, load_vectors, run
from geomlin.conformance.vectors import Vector, select

VECTORS = load_vectors()


class Sabotage(NamedTuple):
    """What is planted, where it is looked for, the flag, and what else may fail with it."""

    backend: Any
    operation: str
    flag: str
    status: str
    recognised: bool = False
    others: tuple[str, ...] | None = None  # flags of what may fail; None: anything


CASES = [
    Sabotage(planted.Sign, "geometric_product", "SIGN", "WRONG"),
    Sabotage(planted.Order, "geometric_product", "ORDER", "WRONG", recognised=True),
    Sabotage(planted.HalfAngle, "exp", "HALF_ANGLE", "WRONG", recognised=True),
    Sabotage(planted.TruncatedPlanes, "exp", "MANY_PLANES", "WRONG", others=("MANY_PLANES",)),
    Sabotage(
        planted.UnscaledTaylor,
        "exp",
        "LARGE_ANGLE",
        "WRONG",
        others=(
            "LARGE_ANGLE",
            "DENSE_NORM",
            "BOOST",
            "NEGATIVE_SCALAR",
            "NEAR_MINUS_ONE",
            "SCALES",
        ),
    ),
    Sabotage(
        planted.EighGradient,
        "exp_vjp",
        "GRADIENT_EQUAL_ANGLES",
        "NAN",
        others=("GRADIENT_EQUAL_ANGLES", "GRADIENT_AT_ZERO", "GRADIENT_HALF_TURN"),
    ),
    Sabotage(
        planted.AcosLog,
        "log",
        "NEAR_IDENTITY",
        "WRONG",
        others=("NEAR_IDENTITY", "TINY", "NEAR_MINUS_ONE", "MINUS_ONE", "NOT_A_ROTOR"),
    ),
    Sabotage(planted.SingleOnly, "exp", "BATCH", "WRONG", others=("BATCH",)),
    Sabotage(planted.OneAxis, "rotor_to_matrix", "BATCH", "REFUSED", others=("BATCH",)),
    Sabotage(planted.Transposed, "rotor_to_matrix", "TRANSPOSED", "WRONG", recognised=True),
    Sabotage(planted.BitmaskOrder, "exp", "BLADE_ORDER", "WRONG"),
    Sabotage(
        planted.AcceptsReflections,
        "rotor_from_matrix",
        "REFLECTION",
        "ACCEPTED",
        others=("REFLECTION", "OTHER_COMPONENT"),
    ),
    Sabotage(planted.AcceptsNaN, "exp", "NOT_FINITE", "ACCEPTED", others=("NOT_FINITE",)),
    Sabotage(planted.Hangs, "exp", "NOT_FINITE", "HUNG", others=("NOT_FINITE",)),
    Sabotage(planted.Crashes, "log", "ZERO", "CRASHED", others=("ZERO", "MINUS_ONE")),
    Sabotage(
        planted.EqualAnglesNaN,
        "invariant_decomposition",
        "NEAR_ISOCLINIC",
        "NAN",
        others=("NEAR_ISOCLINIC", "ISOCLINIC", "LARGE_ANGLE"),  # 1e4 and 1e4 + 1e-4
    ),
    Sabotage(planted.LieGradient, "exp_vjp", "GRADIENT", "WRONG"),
    Sabotage(planted.Float32Inside, "exp", "GENERIC", "WRONG"),
    Sabotage(planted.WrongShape, "exp", "GENERIC", "SHAPE"),
]


def of(operation: str) -> list[Vector]:
    """The vectors of an operation, without those that take long."""
    return [v for v in select(VECTORS, operations=[operation]) if sum(v.signature) <= 8]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.backend.__name__)
def test_the_mistake_is_found_and_named(case: Sabotage) -> None:
    vectors, seconds = of(case.operation), 60.0
    if case.status == "HUNG":  # each of them takes the whole time
        vectors, seconds = [v for v in vectors if v.signature == (3, 0, 0)], 2.0
        vectors = [v for v in vectors if "is inf" not in str(v)]
    report = run(case.backend(), vectors, seconds=seconds)
    assert report.exit_status == 1
    failing = report.failing_flags()
    assert case.flag in failing
    assert any(o.status == case.status and case.flag in o.flags for o in report.failures)
    if case.recognised:
        assert failing[0] == case.flag
        assert report.mistakes()[case.flag] >= 1
    if case.others is not None:
        strays = [o for o in report.failures if not explained(o.flags, case.others)]
        assert not strays, [str(o) for o in strays]
    assert case.flag in report.markdown()
    assert case.flag in report.html()


def explained(flags: tuple[str, ...], allowed: tuple[str, ...]) -> bool:
    """Whether one of the flags is among the allowed ones, or contains one."""
    return any(word in flag for flag in flags for word in allowed)


@pytest.mark.parametrize("operation", sorted({case.operation for case in CASES}))
def test_without_the_mistake_it_passes(operation: str) -> None:
    report: Report = run(planted.Sound(), of(operation))
    assert report.passed, [str(o) for o in report.failures]


def test_the_sabotage_covers_what_was_promised() -> None:
    """sign, order, half-angle, truncated planes, Taylor, eigh gradient, acos log, batching."""
    assert len(CASES) >= 8
    assert {
        "SIGN",
        "ORDER",
        "HALF_ANGLE",
        "MANY_PLANES",
        "LARGE_ANGLE",
        "GRADIENT_EQUAL_ANGLES",
        "NEAR_IDENTITY",
        "BATCH",
    } <= {case.flag for case in CASES}


def test_a_loop_in_compiled_code_is_ended_with_its_process() -> None:
    vectors = [v for v in of("exp") if v.signature == (3, 0, 0) and "is inf" not in str(v)]
    report = run("conformance_backends:HangsInC", vectors, seconds=5.0)
    assert {o.status for o in report.failures} == {"HUNG"}
    assert all("NOT_FINITE" in o.flags for o in report.failures)
    after = [o for o in report.outcomes if o.dtype == "float32" and not o.failed]
    assert after, "the vectors after the hang run in a new process"


class _Exits:
    name = "exits"

    def exp(self, signature: Any, b: Any) -> Any:
        raise SystemExit(0)


class _Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class _CannotSay:
    name = "cannot say"

    def exp(self, signature: Any, b: Any) -> Any:
        raise _Mute


@pytest.mark.parametrize(("backend", "status"), [(_Exits(), "CRASHED"), (_CannotSay(), "REFUSED")])
def test_a_backend_does_not_end_the_run(backend: Any, status: str) -> None:
    few = [v for v in load_vectors() if v.operation.name == "exp"][:4]
    report = run(backend, few)
    assert {outcome.status for outcome in report.outcomes} <= {status, "NOT_RUN", "PASS"}
    assert any(outcome.status == status for outcome in report.outcomes)


def test_a_module_that_is_no_backend_is_refused_in_words() -> None:
    import numpy as np

    from geomlin.errors import LayoutError

    with pytest.raises(LayoutError, match="names of dtypes"):
        run(np)
