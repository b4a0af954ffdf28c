"""The rows of the benchmark are computed; no test depends on how fast a machine is."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from typer.testing import CliRunner

from geomlin import LayoutError
from geomlin.bench import import_time, numerics
from geomlin.cli import app

FAST = 1e-5  # seconds each timing lasts at least


@pytest.fixture(scope="module")
def found() -> list[numerics.Row]:
    return list(numerics.rows([(3, 0, 0), (3, 0, 1)], FAST))


def test_rows_are_positive(found: list[numerics.Row]) -> None:
    for row in found:
        assert row.ours > 0
        assert row.theirs > 0
        assert row.ratio == row.theirs / row.ours


def test_exp_has_rows_for_every_signature(found: list[numerics.Row]) -> None:
    for signature in ((3, 0, 0), (3, 0, 1)):
        names = {row.operation for row in found if row.signature == signature}
        assert {"exp, single", "exp, batch 1000 against a loop"} <= names


def test_double_cover_is_compared_with_clifford(found: list[numerics.Row]) -> None:
    pytest.importorskip("clifford")
    rows = {(row.operation, row.signature) for row in found if row.peer == "clifford"}
    assert ("rotor_to_matrix, single", (3, 0, 0)) in rows
    assert ("rotor_from_matrix, single", (3, 0, 0)) in rows


def test_peers_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numerics, "_clifford_value", lambda signature, element: None)
    rows = list(numerics.rows([(2, 0, 0)], FAST))
    assert {row.peer for row in rows} == {"scipy expm n x n"}


def test_table_has_one_line_per_row(found: list[numerics.Row]) -> None:
    text = numerics.table(found)
    assert text.count("\n| ") == len(found) + 1
    assert all(row.operation in text for row in found)


def test_rows_survive_json(found: list[numerics.Row]) -> None:
    for row in found:
        item = json.loads(json.dumps(asdict(row)))
        assert numerics.Row(**{**item, "signature": tuple(item["signature"])}) == row


def test_the_import_is_timed_in_fresh_processes() -> None:
    found = import_time.run(rounds=2)
    assert len(found.numpy) == len(found.geomlin) == 2
    assert min(*found.numpy, *found.geomlin) > 0
    text = import_time.table(found)
    assert "geomlin, beyond numpy" in text
    assert "Budget of 0.05 s" in text


@pytest.mark.parametrize(("seconds", "word"), [(0.04, "met"), (0.06, "missed")])
def test_the_verdict_on_the_import_follows_the_median(seconds: float, word: str) -> None:
    found = import_time.ImportTime([0.1] * 3, [seconds, seconds, 1.0])
    assert found.within_budget == (word == "met")
    assert import_time.table(found).endswith(f"{word}.")


def test_the_command_line_knows_the_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    result = CliRunner().invoke(app, ["bench", "import"])
    assert result.exit_code == 0
    assert "| numpy |" in result.stdout
    assert isinstance(CliRunner().invoke(app, ["bench", "nothing"]).exception, LayoutError)
