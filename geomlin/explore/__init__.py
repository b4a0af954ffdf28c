"""The explorer: a local web page to turn bivectors into rotors and watch what they do.

The page is a marimo app: a plain Python file whose cells run again when a value that they read
changes.  So the file reads like the page, the page cannot show a stale number, and marimo serves
its own scripts and fonts, so that no request leaves the machine.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from ..errors import BackendMissing

APP = Path(__file__).with_name("app.py")


def command(*, host: str = "127.0.0.1", port: int = 2718, browser: bool = True) -> list[str]:
    """The command that serves the page; BackendMissing if the extra `explore` is not installed."""
    missing = [name for name in ("marimo", "matplotlib") if find_spec(name) is None]
    if missing:
        raise BackendMissing(
            f"the explorer needs {' and '.join(missing)}: pip install 'geomlin[explore]'",
            extra="explore",
        )
    options = [] if browser else ["--headless"]
    words = [sys.executable, "-m", "marimo", "-q", "run", str(APP)]
    return [*words, "--host", host, "--port", str(port), *options]


def explore(*, host: str = "127.0.0.1", port: int = 2718, browser: bool = True) -> int:
    """Serve the page until interrupted; the exit status of the server."""
    try:
        return subprocess.run(
            command(host=host, port=port, browser=browser), check=False
        ).returncode
    except KeyboardInterrupt:
        return 0
