"""The soak script: a short run, planted faults that must be caught, and a run that continues."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from geomlin import Algebra, Multivector, log
from geomlin.bench import soak as script
from geomlin.bench.soak import Tally, report, soak
from geomlin.bench.soak_operations import OPERATIONS, Operation
from geomlin.errors import LayoutError


def _with(name: str, call: Any) -> Mapping[str, Operation]:
    return MappingProxyType({name: OPERATIONS[name]._replace(call=call)})


def test_two_thousand_calls_fail_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--calls", "2000", "--seed", "0"]) == 0
    printed = capsys.readouterr().out
    assert "2000 calls, 0 failures, seed 0" in printed
    for name in OPERATIONS:
        assert f"| {name} |" in printed


def _shrunk(rotor: Multivector, **options: Any) -> Multivector:
    """log shrunk by a millionth: a wrong answer without an exception."""
    return log(rotor, **options) * (1 - 1e-6)


def _without_digits(rotor: Multivector, **options: Any) -> Multivector:
    found = log(rotor, **options)
    return found.replace(found.layout, found.coeffs * np.nan)


def _crash(_: Multivector, **options: Any) -> Multivector:
    raise ZeroDivisionError("no direction")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (_shrunk, "missed its equation by"),
        (_without_digits, "missed its equation by inf"),
        (_crash, "raised ZeroDivisionError: no direction"),
    ],
)
def test_planted_faults_are_counted_with_a_line_that_repeats_them(call: Any, what: str) -> None:
    tally = soak(130, 3, operations=_with("log", call))
    assert tally.calls.total() == 130
    assert tally.failures["log"] > 20
    assert what in tally.reproducers[0]
    line = tally.reproducers[0].splitlines()[1]
    assert re.match(r"\s+algebra = Algebra\(\d, \d, \d\); log\(algebra\.even\(\[\[", line)
    values: dict[str, Any] = {"Algebra": Algebra, "log": log}
    exec(line.strip(), values)  # the right function answers or refuses; the line itself is valid
    assert "failures, seed 3" in report(tally)


def test_documented_errors_are_no_failures() -> None:
    tally = soak(250, 1, operations=_with("log", log))
    assert tally.failures.total() == 0
    assert tally.errors["log: NoRealLogarithm"] > 0


def test_an_interrupted_run_continues_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds 0..k, an interruption, and the rest count what one run counts."""
    path, operations = tmp_path / "soak.json", _with("log", log)
    monkeypatch.setattr(script, "SECONDS", 0.0)
    whole = soak(250, 7, operations=operations)
    real, done = script._round, []

    def interrupted(*arguments: Any) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(real(*arguments))

    monkeypatch.setattr(script, "_round", interrupted)
    with pytest.raises(KeyboardInterrupt):
        soak(250, 7, operations=operations, checkpoint=path)
    assert json.loads(path.read_text())["rounds"] == 3
    monkeypatch.setattr(script, "_round", real)
    again = soak(250, 7, operations=operations, checkpoint=path)
    assert isinstance(again, Tally)
    for name in ("rounds", "calls", "errors", "failures", "reproducers"):
        assert getattr(again, name) == getattr(whole, name)
    with pytest.raises(LayoutError, match="seed 8"):
        soak(250, 8, operations=operations, checkpoint=path)
    assert not list(tmp_path.glob("*.partial"))
