"""Adapters of other libraries: what they get right, and the failures that are known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from geomlin import LayoutError
from geomlin.conformance import Report, load_vectors, run
from geomlin.conformance.backends import load_backend
from geomlin.conformance.page import BEGIN, END, from_json, main, page, replaced
from geomlin.conformance.report import Outcome
from geomlin.conformance.vectors import Vector, select

ROOT = Path(__file__).parents[1]
VECTORS = load_vectors()


def chosen(*operations: str, signature: Any, flags: tuple[str, ...] = ()) -> list[Vector]:
    """Vectors of one algebra, of the operations and with one of the flags."""
    found = select(VECTORS, operations=operations, flags=flags)
    return [vector for vector in found if vector.signature == signature]


def statuses(report: Report, flag: str) -> set[str]:
    return {o.status for o in report.outcomes if flag in o.flags and o.dtype == "float64"}


@pytest.mark.slow
def test_clifford_reproduces_its_known_failures() -> None:
    """With numba's compiler, as users have it: some seconds for each function and algebra."""
    vectors = chosen("exp", signature=(4, 0, 0), flags=("DENSE_NORM", "ZERO"))
    vectors += chosen("exp", signature=(6, 0, 0), flags=("DENSE_NORM",))
    vectors += chosen("exp", "log", signature=(3, 0, 0), flags=("NOT_FINITE", "ZERO", "GENERIC"))
    vectors += chosen("log", signature=(4, 0, 0), flags=("NON_SIMPLE",))
    report = run("clifford", vectors, seconds=45.0)
    dense = [o for o in report.failures if o.operation == "exp" and "DENSE_NORM" in o.flags]
    assert {o.status for o in dense} == {"WRONG"}
    assert max(o.error for o in dense) > 1e12  # 1e-2 where 1e-16 is due
    logs = [o for o in report.failures if o.operation == "log" and "NON_SIMPLE" in o.flags]
    assert any(o.status == "WRONG" and o.error > 1e13 for o in logs)
    hung = [o for o in report.failures if o.status == "HUNG"]
    assert any(o.operation == "exp" for o in hung)
    assert all("NOT_FINITE" in o.flags for o in hung), [str(o) for o in hung]
    assert any("NameError" in o.detail for o in report.failures if o.status == "CRASHED")
    assert {"DENSE_NORM", "NON_SIMPLE", "NOT_FINITE"} <= set(report.failing_flags())
    after = [o for o in report.outcomes if o.operation == "log" and o.status == "PASS"]
    assert after, "what follows a hang runs in a new process"


def test_scipy_passes_on_rotations_and_takes_any_matrix() -> None:
    operations = ("exp", "rotor_to_matrix", "rotor_from_matrix")
    vectors = [v for v in chosen(*operations, signature=(3, 0, 0)) if "is inf" not in str(v)]
    report = run(load_backend("scipy_rotation"), vectors)
    assert {o.status for o in report.failures} == {"ACCEPTED"}
    assert report.failing_flags() == ["NOT_ORTHOGONAL"]
    assert statuses(report, "REFLECTION") == {"PASS"}
    assert sum(o.flags == ("BATCH",) and o.status == "PASS" for o in report.outcomes) == 3
    other = run(load_backend("scipy_rotation"), chosen("exp", signature=(4, 0, 0)))
    assert set(other.counts()) == {"NOT_RUN"}


def test_kingdon_declines_what_is_not_simple() -> None:
    operations = ("exp", "geometric_product", "sandwich", "regressive_product")
    report = run(load_backend("kingdon"), chosen(*operations, signature=(3, 0, 1)), seconds=60.0)
    assert report.failures == [], [str(o) for o in report.failures]
    report = run(load_backend("kingdon"), chosen("exp", signature=(4, 0, 0)), seconds=60.0)
    assert statuses(report, "ISOCLINIC") == {"NOT_RUN"}
    assert statuses(report, "ZERO") == {"PASS"}
    assert report.exit_status == 0


def test_galgebra_refuses_what_is_not_simple_and_has_another_dual() -> None:
    report = run(load_backend("galgebra"), chosen("exp", "dual", signature=(2, 0, 0)), seconds=60.0)
    assert report.failing_flags()[0] == "DUAL_CONVENTION"
    vectors = chosen("exp", signature=(4, 0, 0), flags=("ISOCLINIC", "ZERO"))
    report = run(load_backend("galgebra"), vectors, seconds=60.0)
    assert statuses(report, "ISOCLINIC") == {"REFUSED"}
    assert statuses(report, "ZERO") == {"PASS"}


def test_galaga_loses_large_angles_and_compound_logarithms() -> None:
    pytest.importorskip("galaga", reason="galaga is in the extra 'peers'")
    report = run(load_backend("galaga"), chosen("exp", "log", signature=(4, 0, 0)), seconds=60.0)
    exps = [o for o in report.failures if o.operation == "exp"]
    assert {flag for o in exps for flag in o.flags} <= {"LARGE_ANGLE", "NON_SIMPLE", "MIXED_SCALES"}
    assert max(o.error for o in exps) > 1e30
    assert any(
        o.status == "WRONG" and "ISOCLINIC" in o.flags
        for o in report.failures
        if o.operation == "log"
    )


# --- the page ---------------------------------------------------------------------------------


@pytest.fixture
def report() -> Report:
    outcomes = (
        Outcome(1, "exp", (3, 0, 0), "float64", "PASS", ("ZERO",), "zero", 0.5, 64.0),
        Outcome(2, "exp", (3, 0, 0), "float64", "WRONG", ("SIGN",), "0.5 e12", 1e9, 64.0, "SIGN"),
        Outcome(3, "exp", (4, 0, 0), "float64", "WRONG", ("BOOST",), "b", float("inf"), 64.0),
        Outcome(0, "log", (3, 0, 0), "float64", "NOT_RUN", ("BATCH",), "2", detail="none"),
    )
    return Report("some library", "1.2.3", outcomes, 1.5, "3 chosen ones")


def test_a_report_comes_back_from_its_json(report: Report) -> None:
    assert from_json(report.json()) == report


def test_the_page_has_versions_words_and_the_worst_failures(report: Report) -> None:
    text = page([report], {"other": "it is not installed"})
    assert "### some library 1.2.3" in text
    assert "| some library 1.2.3 | 1 | 2 |" in text
    assert "`other`: not run, it is not installed" in text
    assert "the answer of SIGN" in text or "and 1 more" in text
    assert "| log |" not in text  # nothing of it ran


def test_only_what_is_between_the_marks_is_replaced(tmp_path: Path, report: Report) -> None:
    path, data = tmp_path / "peers.md", tmp_path / "report.json"
    path.write_text(f"before\n\n{BEGIN}\nformer text\n{END}\n\nafter\n", encoding="utf-8")
    data.write_text(report.json(), encoding="utf-8")
    assert main([str(path), str(data)]) == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"before\n\n{BEGIN}\n\nPython ")
    assert text.endswith(f"{END}\n\nafter\n")
    assert "former text" not in text
    with pytest.raises(LayoutError, match="expected the marks"):
        replaced("no marks", "text")
    with pytest.raises(LayoutError, match="expected a page to write into"):
        main([str(tmp_path / "nowhere.md"), "scipy_rotation"])


def test_the_shipped_page_is_of_these_vectors() -> None:
    text = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    assert BEGIN in text
    assert END in text
    assert f"Vectors: {len(VECTORS)} of version " in text
    for name in ("clifford", "kingdon", "galgebra", "galaga", "scipy Rotation"):
        assert f"### {name} " in text
    assert "HUNG exp" in text
