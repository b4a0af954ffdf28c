"""The accuracy budgets over the adversarial sets, judged by the certified reference.

`geomlin verify --accuracy` prints the same tables.
"""

from __future__ import annotations

import numpy as np
import pytest

from geomlin.signature import Signature
from geomlin.verification.accuracy import FULL, QUICK, Row, accuracy_table, render

UP_TO_FIVE = [s for s in FULL if s.n <= 5 and s not in QUICK]
LARGER = [Signature(6), Signature(5, 0, 1), Signature(3, 3), Signature(4, 2), Signature(0, 6)]


def _table(signatures: list[Signature]) -> list[Row]:
    rows = accuracy_table(signatures, rng=np.random.default_rng(0))
    print(render(rows))
    return rows


def _assert_all_pass(rows: list[Row]) -> None:
    failed = [row for row in rows if not row.passed]
    assert not failed, "\n" + render(failed)


def test_every_budget_is_met_in_the_common_signatures() -> None:
    rows = _table(list(QUICK))
    _assert_all_pass(rows)
    assert {row.signature for row in rows} == set(QUICK)
    assert {row.dtype for row in rows} == {"float64", "float32"}
    assert sum(row.cases for row in rows) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("space", [*UP_TO_FIVE, *LARGER], ids=str)
def test_every_budget_is_met_in(space: Signature) -> None:
    _assert_all_pass(_table([space]))


@pytest.mark.slow
def test_every_budget_is_met_in_high_dimension() -> None:
    _assert_all_pass(_table([Signature(8), Signature(10), Signature(12)]))
