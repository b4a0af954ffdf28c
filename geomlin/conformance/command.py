"""The bodies of `geomlin conformance` and `geomlin vectors export`."""

from __future__ import annotations

from pathlib import Path

from ..errors import LayoutError
from .backends import BUILT_IN, PEERS
from .report import Report
from .runner import Progress, run


def conformance(
    backend: str | None,
    peer: str | None,
    *,
    vectors: Path | None,
    seconds: float,
    progress: Progress,
) -> Report:
    """Run the kit on the one backend that is named; LayoutError unless there is one."""
    if (backend is None) == (peer is None):
        raise LayoutError(
            "expected one of --backend and --peer: --backend takes "
            f"{', '.join(BUILT_IN)} or package:factory, --peer one of {', '.join(PEERS)}"
        )
    if peer is not None and peer not in PEERS:
        raise LayoutError(f"expected a peer among {', '.join(PEERS)}, got {peer!r}")
    return run(str(backend or peer), vectors, seconds=seconds, progress=progress)


def export(output: Path) -> str:
    """Write the vectors and say how many; LayoutError where the folder cannot be written."""
    from .export import VERSION
    from .export import export as write

    try:
        count = write(output)
    except OSError as error:
        raise LayoutError(f"cannot write {output}: {error.strerror}") from error
    return f"{count} vectors of version {VERSION} in {output}"
