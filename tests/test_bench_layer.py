"""The layer benchmark counts right, measures something, draws; its pages say what it prints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from geomlin.bench import initialisation, layer, layer_cost, layer_report
from geomlin.nn import RotorLinear
from geomlin.nn.rotor_linear import INITIAL_DEVIATION
from geomlin.spinor_even import even_tables

FAST = 1e-5  # seconds each timing lasts at least
DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def found() -> list[layer.Row]:
    return list(layer.rows((64,), (1, 16), rounds=1, seconds=FAST))


def test_every_contender_has_a_row(found: list[layer.Row]) -> None:
    for work in ("forward", "step"):
        mine = {r.contender for r in found if (r.work, r.width, r.batch) == (work, 64, 16)}
        assert mine == set(layer.CONTENDERS)
    assert {r.contender for r in found if r.work == "forward, cold"} == set(layer.CONTENDERS[:2])


def test_rows_are_positive_and_survive_json(found: list[layer.Row]) -> None:
    for row in found:
        assert row.microseconds > 0
        assert row.ratio == row.dense / row.microseconds
        assert layer.Row(**json.loads(json.dumps(asdict(row)))) == row


def test_the_environment_is_put_back(found: list[layer.Row]) -> None:
    before = os.environ.get("GEOMLIN_NATIVE")
    with layer._environment("rotor, plain torch"):
        assert os.environ["GEOMLIN_NATIVE"] == "0"
    assert os.environ.get("GEOMLIN_NATIVE") == before


def test_cold_calls_change_the_parameters() -> None:
    made = layer.make("rotor", 64)
    assert isinstance(made, RotorLinear)
    before = made.bivectors.detach().clone()
    layer._forget(made, lambda: None)()
    assert not torch.equal(before, made.bivectors)


MEMORY = """
import numpy as np
from geomlin.bench import layer_memory as memory
kept = []
print(memory.peak_of(lambda: kept.append(np.ones(1 << 22))), memory.peak_of(lambda: None))
"""


def test_memory_of_a_call() -> None:
    """In a process of its own: the threads of others take and free memory at any time."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=60
    )
    words = done.stdout.split()
    if words == ["None", "None"]:
        assert not Path("/proc/self/clear_refs").exists()
        return
    peak, nothing = map(float, words)
    assert 30 <= peak <= 40  # 32 MiB
    assert nothing <= 4


def test_table_and_chart(found: list[layer.Row], tmp_path: Path) -> None:
    text = layer_report.table(found)
    assert text.count("\n| ") == len(found) + 1
    short = layer_report.summary(found)
    assert "| forward | 1 | 1 | rotor |" in short or "| forward | 2 | 1 | rotor |" in short
    assert short.count("torch.nn.Linear") == len({(r.work, r.batch) for r in found})
    pytest.importorskip("matplotlib")
    path = tmp_path / "chart.png"
    layer_report.chart(found, path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_description_names_the_other_route() -> None:
    assert re.search(r"native kernel .* turns it off|plain torch: .*", layer.describe())


@pytest.mark.parametrize("n", range(2, 15))
def test_counts_by_looking_at_the_blocks(n: int) -> None:
    """Operations of the literal loops over the shape of the blocks."""
    halves, tau, kappa, size, _ = even_tables(n).shape
    one_product = tau * kappa**2 * size**3  # block by block, unit by unit, row by column
    counted = layer_cost.cost(n)
    assert counted.products == 2 * 2 * halves * one_product  # two factors, multiply and add
    assert counted.butterflies == 2 * (1 << n) * round(np.log2(tau * size))
    assert counted.table_numbers == 2 * tau * kappa * size**2 == 1 << n
    assert counted.parameters == RotorLinear(1 << n, 1 << n).parameter_count()
    fewer = layer_cost.cost(n, fewer_products=True)
    assert (
        fewer.products * {1: 4, 2: 4, 4: 2}[kappa] == counted.products * {1: 4, 2: 3, 4: 1}[kappa]
    )


def test_counts_of_the_study() -> None:
    """Independent figures for d = 2048: 524288 operations of products, 16384 additions."""
    counted = layer_cost.cost(11)
    assert (counted.products, counted.butterflies) == (524288, 16384)
    assert round(counted.ratio, 1) == 15.5
    assert layer_cost.layer_counts(2048, 512) == (
        4 * 72,
        4 * layer_cost.cost(9).products + layer_cost.cost(9).butterflies * 5 // 2,
    )


def test_prediction_is_bounded_by_the_slower_of_both() -> None:
    counted = layer_cost.cost(11)
    by_flops = counted.seconds(1, flops=1e9, bandwidth=1e30)
    by_bytes = counted.seconds(1, flops=1e30, bandwidth=1e9)
    assert by_flops == pytest.approx(counted.operations / 1e9)
    assert by_bytes == pytest.approx((2 * 2048 + 110) * 4 / 1e9)
    assert counted.dense_seconds(1, 1e30, 1e9) == pytest.approx((2 * 2048 + 2048**2) * 4 / 1e9)


def test_scaling_page_says_what_is_counted() -> None:
    text = (DOCS / "scaling.md").read_text(encoding="utf-8")
    for table in (
        layer_cost.cost_table(),
        layer_cost.prediction_table(),
        layer_cost.model_table(),
    ):
        assert table in text
    assert "Nothing in this section was measured" in text


def test_layers_page_names_its_commands() -> None:
    text = (DOCS / "layers.md").read_text(encoding="utf-8")
    assert "geomlin bench layer" in text
    assert "python -m geomlin.bench.initialisation" in text
    assert f"N(0, {INITIAL_DEVIATION}²)" in text


def test_initialisation_is_measured() -> None:
    found = list(initialisation.measure(8, 2, deviations=(0.3,), seeds=(0,)))
    assert {item.task for item in found} == set(initialisation.tasks(8))
    assert all(np.isfinite(item.unexplained) for item in found)
    assert initialisation.table(found).count("\n| ") == 1
