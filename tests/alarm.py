"""A fixture for tests of bad input: what hangs fails, since other libraries' exp loops on NaN."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest


def nothing_hangs_for(seconds: int) -> Callable[[], Iterator[None]]:
    """An autouse fixture that fails a test which takes longer."""

    @pytest.fixture(autouse=True)
    def nothing_hangs() -> Iterator[None]:
        def stop(*_: object) -> None:
            raise TimeoutError(f"no answer within {seconds} seconds")

        before = signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)
        yield
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

    return nothing_hangs
