"""The pytest plugin: `pytest --geomlin-backend=package:factory` adds one test for each vector.

Without the option it does nothing, and imports nothing.  A vector that the backend does not claim
is skipped, with the reason; `-k` selects by operation, signature and flag, as in -k "exp and NULL".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .calls import Caller
    from .report import Outcome
    from .vectors import Vector

_OPTION = "--geomlin-backend"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the kit."""
    group = parser.getgroup("geomlin", "geomlin conformance kit")
    group.addoption(
        _OPTION,
        metavar="PACKAGE:FACTORY",
        help="run the conformance vectors on this backend: a built-in name or package:factory",
    )
    group.addoption(
        "--geomlin-seconds", type=float, default=20.0, help="time that one call may take"
    )


class Conformance(pytest.Item):
    """One vector in one dtype, or the batch of all that pass alone."""

    def __init__(self, *, work: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.work = work

    def runtest(self) -> None:
        """Run it; a failure carries the whole outcome."""
        outcome: Outcome | None = self.work(_caller(self.config))
        if outcome is None:
            pytest.skip("no vector of the batch passes alone")
        elif outcome.status == "NOT_RUN":
            pytest.skip(outcome.detail)
        elif outcome.failed:
            raise ConformanceError(str(outcome))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The outcome, without a traceback of the kit."""
        if isinstance(excinfo.value, ConformanceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Where pytest says that it is."""
        return self.path, 0, self.name


class ConformanceError(AssertionError):
    """A vector that the backend fails."""


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the vectors to what was collected; deselected ones go as others do."""
    if config.getoption(_OPTION):
        items.extend(_items(session))


def _items(session: pytest.Session) -> list[pytest.Item]:
    """The single vectors of each operation, signature and dtype, and their batch."""
    from .runner import batch, grouped, single
    from .vectors import load_vectors

    found: list[pytest.Item] = []
    for (name, (p, q, r), dtype), members in grouped(load_vectors()).items():
        where = f"{name}-Cl_{p}_{q}_{r}-{dtype}"  # as -k can select it
        for vector in members:
            label = f"{where}-{vector.id}-{'-'.join(vector.flags)}"

            def alone(caller: Caller, vector: Vector = vector, dtype: str = dtype) -> Outcome:
                return single(caller, vector, dtype)

            found.append(_item(session, label, alone))

        def together(
            caller: Caller, members: list[Vector] = members, dtype: str = dtype
        ) -> Outcome | None:
            passing = [
                vector
                for vector in members
                if vector.result == "valid" and single(caller, vector, dtype).status == "PASS"
            ]
            return batch(caller, passing, dtype) if passing else None

        found.append(_item(session, f"{where}-BATCH", together))
    return found


def _item(session: pytest.Session, name: str, work: Any) -> pytest.Item:
    item: pytest.Item = Conformance.from_parent(session, name=name, work=work)
    return item


_KEY = pytest.StashKey[Any]()


def _caller(config: pytest.Config) -> Caller:
    """The backend, started at the first vector."""
    if _KEY not in config.stash:
        from .calls import open_backend

        seconds = config.getoption("--geomlin-seconds")
        config.stash[_KEY] = open_backend(config.getoption(_OPTION), seconds)
    caller: Caller = config.stash[_KEY]
    return caller


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process of the backend."""
    if _KEY in config.stash:
        config.stash[_KEY].close()
