"""The folder of a run: its settings, its checkpoints, its results.

Everything is written to a temporary file and then renamed, so a process that dies leaves the old
file or the new one, never half of one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from ..errors import LayoutError

SETTINGS, RESULTS = "settings.json", "results.json"
Progress = Callable[[str, int, int], None]  # what, done, total


class RunFolder:
    """Where one run with its settings lives; settings of another run are refused."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = json.loads(json.dumps(dict(settings)))  # as they come back from the file
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LayoutError(f"expected a folder at {path}: {error.strerror}") from error
        file = path / SETTINGS
        if file.exists():
            found = read_json(file)
            if found != self.settings:
                different = sorted(
                    name
                    for name in {*found, *self.settings}
                    if found.get(name) != self.settings.get(name)
                )
                raise LayoutError(
                    f"{path} holds a run with other settings ({', '.join(different)} differ): "
                    "expected the same ones, to go on; use another --output for a new run"
                )
        else:
            write_text(file, json.dumps(self.settings, indent=1))

    def load(self, name: str) -> Any:
        """A checkpoint, or None."""
        file = self.path / f"{name}.pt"
        return torch.load(file, weights_only=True) if file.exists() else None

    def save(self, name: str, state: Any) -> None:
        """Replace a checkpoint."""
        temporary = self.path / f"{name}.pt.part"
        torch.save(state, temporary)
        os.replace(temporary, self.path / f"{name}.pt")

    def results(self) -> dict[str, Any]:
        """What has been found so far."""
        file = self.path / RESULTS
        if not file.exists():
            return {}
        return read_json(file)

    def record(self, name: str, result: Any) -> None:
        """Add or replace one result."""
        found = self.results()
        found[name] = result
        write_text(self.path / RESULTS, json.dumps(found, indent=1))


def read_json(path: Path) -> dict[str, Any]:
    """An object of a JSON file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LayoutError(f"expected JSON in {path}: {error}") from error
    if not isinstance(found, dict):
        raise LayoutError(f"expected an object in {path}, got {type(found).__name__}")
    return found


def write_text(path: Path, text: str) -> None:
    """Replace a text file at once."""
    temporary = path.with_suffix(path.suffix + ".part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
