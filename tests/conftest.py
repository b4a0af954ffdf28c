"""Shared fixtures; hypothesis draws the same examples in every run, so a failure repeats.

Tests marked `needs("docs")` and the like ask for an extra or a program that the core suite does
not install.  They are left out, and counted, unless `--needs=all` or `--needs=docs` asks for them;
then nothing is skipped, and what is missing fails.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

if "PYTEST_XDIST_WORKER" in os.environ:  # one worker a processor: threads would only queue
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    deadline=None,  # the first example of a signature builds its product tables
    derandomize=True,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--needs",
        action="append",
        default=[],
        metavar="WHAT",
        help='run only the tests marked needs(WHAT), "all" for every one of them',
    )


def _what(item: pytest.Item) -> tuple[str, ...]:
    return tuple(str(what) for mark in item.iter_markers("needs") for what in mark.args)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = set(config.getoption("--needs"))
    kept, left_out = [], []
    for item in items:
        what = _what(item)
        asked = bool(what) and ("all" in wanted or bool(wanted.intersection(what)))
        (kept if (asked if wanted else not what) else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    counts = Counter(" and ".join(_what(item)) for item in left_out if _what(item))
    config.stash[_LEFT_OUT] = dict(counts)


_LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With -n the workers leave tests out and the terminal is elsewhere: send the counts there."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left_out = terminalreporter.config.stash.get(_LEFT_OUT, {})
    for what, count in sorted(left_out.items()):
        terminalreporter.write_line(
            f"left out: {count} test(s) that need {what}, which is no part of the core suite "
            f"(run them with --needs={what.partition(' ')[0]})"
        )


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20250716)
