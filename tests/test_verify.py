"""The verification run and its command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geomlin
from geomlin import LayoutError, exp, verify
from geomlin.verdict import Strength, Verdict
from geomlin.verification import case_behaviours
from geomlin.verification.cases import check_case, check_cases
from geomlin.verification.html import html_report
from geomlin.verification.report import Cell, Report
from geomlin.verification.run import DEFAULT_SIGNATURES, ENGINES

CASES = Path(__file__).parent / "data" / "cases.json"
PARSED: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))
NOT_FOR_ROTORS = ("HO-036", "HO-133")  # the log of no rotor, and a layer


ONE_IDENTITY = ("verify", "--engine", "fractions", "--identity", "polarization")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "geomlin", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_one_cell_for_each_applicable_identity_and_signature() -> None:
    report = verify(engines=["numpy"], signatures=[(2, 0, 0), (1, 0, 1)])
    for space in [(2, 0, 0), (1, 0, 1)]:
        s = geomlin.Algebra(*space).signature
        wanted = {n for n, i in geomlin.identities.registry.items() if i.applies(s)}
        assert {c.name for c in report.claims if c.signature == space} == wanted
    assert report.exit_status == 0
    assert not report.failures


def test_same_seed_same_run_and_another_seed_another_run() -> None:
    def errors(seed: int) -> list[float | None]:
        report = verify(engines=["numpy"], signatures=[(3, 0, 0)], seed=seed)
        return [cell.verdict.error for cell in report.cells]

    assert errors(5) == errors(5)
    assert errors(5) != errors(6)


def test_theorems_are_proved_and_their_twins_refuted_in_the_run() -> None:
    report = verify(engines=["flint"], signatures=[(2, 0, 0)])
    theorems = [c for c in report.cells if c.group == "theorems"]
    assert {c.verdict.word for c in theorems if not c.twin} == {Strength.POLYNOMIAL}
    assert {c.verdict.word for c in theorems if c.twin} == {Strength.REFUTED}
    assert all(c.verdict.witness for c in theorems if c.twin)


def test_processes_find_what_one_process_finds() -> None:
    chosen = ["product_is_associative", "matrix_of_the_exponential", "parts_are_simple"]
    one = verify(engines=["numpy", "flint"], signatures=[(3, 0, 0)], identities=chosen)
    two = verify(engines=["numpy", "flint"], signatures=[(3, 0, 0)], identities=chosen, processes=2)
    assert {(c.name, c.engine, str(c.verdict)) for c in one.cells} == {
        (c.name, c.engine, str(c.verdict)) for c in two.cells
    }


@pytest.mark.parametrize(
    "space",
    [(p, q, n - p - q) for n in (1, 2, 3) for p in range(n + 1) for q in range(n + 1 - p)]
    + [(0, 0, 4), (1, 1, 2), (0, 4, 0)],
    ids=str,
)
def test_no_signature_is_too_small_or_too_degenerate(space: tuple[int, int, int]) -> None:
    """Where a statement says nothing it does not apply, and where a twin is true neither."""
    report = verify(engines=["numpy", "fractions"], signatures=[space], processes=1)
    assert not report.failures, report.failures
    assert sum(cell.verdict.holds for cell in report.claims) > 50


def test_progress_counts_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    verify(
        engines=["fractions"],
        signatures=[(2, 0, 0), (1, 1, 0)],
        identities=["polarization"],
        progress=lambda what, done, total: seen.append((done, total)),
    )
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    "keywords",
    [
        {"engines": ["abacus"]},
        {"identities": ["pythagoras"]},
        {"signatures": [(0, 0, 0)]},
        {"signatures": [(13, 0, 0)]},
    ],
    ids=["unknown engine", "unknown identity", "empty signature", "too many dimensions"],
)
def test_bad_arguments_are_named(keywords: dict[str, Any]) -> None:
    with pytest.raises(LayoutError, match=r"expected|covers"):
        verify(**keywords)


def test_default_signatures_cover_every_type_of_metric() -> None:
    spaces = [geomlin.Algebra(*s).signature for s in DEFAULT_SIGNATURES]
    assert any(s.is_definite and s.q for s in spaces)
    assert any(s.p > 1 and s.q > 1 for s in spaces)
    assert any(s.r == 1 for s in spaces)
    assert any(s.r > 1 for s in spaces)
    assert max(s.n for s in spaces) >= 6


# --- the report ---------------------------------------------------------------------------------


def _cell(verdict: Verdict, twin: bool = False) -> Cell:
    return Cell("claim", "ring", "numpy", (3, 0, 0), verdict, 0.01, "A = A", twin)


AGREES = Verdict(Strength.AGREES, error=1.0, bound=2.0)
REFUTED = Verdict(Strength.REFUTED, witness="A = 1")
NOT_RUN = Verdict(Strength.NOT_RUN, reason="no such thing")


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ([_cell(AGREES), _cell(REFUTED, twin=True)], 0),
        ([_cell(REFUTED)], 1),
        ([_cell(AGREES), _cell(AGREES, twin=True)], 1),
        ([_cell(NOT_RUN), _cell(NOT_RUN, twin=True)], 0),
    ],
    ids=["holds", "refuted", "a false twin that holds", "not run"],
)
def test_exit_status(cells: list[Cell], status: int) -> None:
    assert Report(seed=0, cells=cells).exit_status == status


def test_engine_line_counts_claims_and_not_twins() -> None:
    report = Report(seed=0, cells=[_cell(AGREES), _cell(NOT_RUN), _cell(REFUTED, twin=True)])
    assert report.engine_line("numpy") == "ENGINE numpy: 1 AGREES, 0 REFUTED, 1 NOT_RUN"


def test_html_is_one_page_without_links_out_and_escapes_what_it_prints() -> None:
    cell = Cell("<b>x</b>", "ring", "numpy", (3, 0, 0), REFUTED, 0.01, "a < b & c")
    page = html_report(Report(seed=0, cells=[cell, _cell(AGREES)]))
    assert "<b>x</b>" not in page
    assert "a &lt; b &amp; c" in page
    assert not re.search(r"""(src|href)=|https?://""", page)
    assert "class='heat'" in page


# --- the command --------------------------------------------------------------------------------


def test_command_prints_plain_lines_and_a_line_for_each_engine(tmp_path: Path) -> None:
    report, page = tmp_path / "r.json", tmp_path / "r.html"
    narrow = ["--engine", "numpy", "--engine", "fractions", "--signature", "3,0,1", "--seed", "7"]
    done = run("verify", *narrow, "--json", str(report), "--html", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "\x1b" not in done.stdout
    assert lines[-1].startswith("OK: ")
    assert re.fullmatch(r"ENGINE numpy: \d+ AGREES, 0 REFUTED, \d+ NOT_RUN", lines[-2])
    assert lines[-3].startswith("ENGINE fractions: ")
    assert any(len(line) > 80 for line in lines)
    assert not any(line.endswith("…") for line in lines)
    data = json.loads(report.read_text(encoding="utf-8"))
    assert data["seed"] == 7
    assert {tuple(c["signature"]) for c in data["cells"]} == {(3, 0, 1)}
    assert all(c["witness"] for c in data["cells"] if c["twin"] and c["word"] == "REFUTED")
    assert "</html>" in page.read_text(encoding="utf-8")


def test_command_reports_cases() -> None:
    done = run(
        "verify", "--engine", "fractions", "--identity", "polarization", "--cases", str(CASES)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ENGINE cases: \d+ AGREES, 0 REFUTED, 2 NOT_RUN$", done.stdout, re.M)
    for case in PARSED:
        assert case["id"] in done.stdout


def test_command_exits_with_one_when_a_case_is_wrong(tmp_path: Path) -> None:
    wrong = dict(PARSED[0], expected={"multivector": {"1": "0.5", "e12": "0.5"}})
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps([wrong]), encoding="utf-8")
    done = run(
        "verify", "--engine", "fractions", "--identity", "polarization", "--cases", str(path)
    )
    assert done.returncode == 1
    assert f"REFUTED {wrong['id']}" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "--engine", "abacus"),
        ("verify", "--signature", "three"),
        ("verify", "--signature", "1,2,3,4"),
        ("verify", "--cases", "no-such-file.json"),
        ("verify", "--processes", "0"),
        ("verify", "--seed", "-1"),
        ("bench", "patience"),
        ("frobnicate",),
    ],
    ids=" ".join,
)
def test_usage_errors_exit_with_two_and_no_traceback(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


@pytest.mark.parametrize("text", ["{", "3", '[{"id": "x"}]', '{"a": 1}'])
def test_malformed_case_files_are_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LayoutError, match="case"):
        check_cases(path)


def test_the_engines_are_those_of_the_design() -> None:
    assert set(ENGINES) == {"fractions", "flint", "sympy", "numpy", "clifford", "galgebra"}


# --- real inputs from public bug reports --------------------------------------------------------


@pytest.mark.parametrize("case", PARSED, ids=lambda c: f"{c['id']} {c['operation']}")
def test_case_meets_its_tolerance(case: dict[str, Any]) -> None:
    verdict = check_case(case)
    if case["id"] in NOT_FOR_ROTORS:
        assert verdict.word is Strength.NOT_RUN, f"{case['fault']}: {verdict}"
        return
    assert verdict.holds, f"{case['fault']}: {verdict}"


def _disturbed(value: Any) -> Any:
    """Every decimal number shifted by 1e-6."""
    if isinstance(value, dict):
        return {k: _disturbed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_disturbed(v) for v in value]
    try:
        return repr(float(value) + 1e-6)
    except ValueError:
        return f"({value}) + 1/7"


@pytest.mark.parametrize(
    "case",
    [
        c
        for c in PARSED
        if c["compare"]
        in ("abs", "up_to_sign", "up_to_sign_of_value", "parts_any_order", "symbolic_equal")
        and not c["dtype"].startswith("complex")
        and c["id"] not in NOT_FOR_ROTORS
    ],
    ids=lambda c: str(c["id"]),
)
def test_case_with_a_wrong_answer_is_refuted(case: dict[str, Any]) -> None:
    """The false twin of every case: its answer moved by 1e-6."""
    assert check_case(dict(case, expected=_disturbed(case["expected"]))).refuted


BEHAVIOURS = [c for c in PARSED if c["operation"] == "behaviour" and c["id"] not in NOT_FOR_ROTORS]


@pytest.mark.parametrize("case", BEHAVIOURS, ids=lambda c: str(c["id"]))
def test_behaviours_are_refuted_by_a_planted_fault(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exp that depends on its calls and loses the dtype, a lift that takes a reflection for a
    rotation, and infinity read as one."""
    calls = iter(range(10**6))

    def wrong_exp(b: Any) -> Any:
        found = exp(b.replace(b.layout, b.coeffs + 1e-9 * next(calls)))
        return found.replace(found.layout, found.coeffs.astype(np.float32))

    def wrong_lift(matrix: Any, algebra: Any) -> Any:
        return algebra.scalar(1.0)

    monkeypatch.setattr(case_behaviours, "exp", wrong_exp)
    monkeypatch.setattr(case_behaviours, "rotor_from_matrix", wrong_lift)
    monkeypatch.setattr(case_behaviours, "floats", lambda values, dtype: np.ones(3))
    assert check_case(case).refuted
