"""docs/write_a_backend.md followed literally, and the reader in JavaScript."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "write_a_backend.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str, str]]:
    """(language, rest of the heading, text) of each code block."""
    return re.findall(r"^```(\w+) ([^\n]+)\n(.*?)^```$", page, re.M | re.S)


def edited(source: str, kind: str, text: str) -> str:
    """What the page tells the reader to do with `log`."""
    lines = source.splitlines(keepends=True)
    if kind == "replaces=log":
        end = next(i for i, line in enumerate(lines) if "return angle * r" in line)
        return "".join([*lines[: end - 1], text, *lines[end + 1 :]])
    after = next(i for i, line in enumerate(lines) if "not a rotor" in line)
    return "".join([*lines[: after + 1], text, *lines[after + 1 :]])


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command of the page, with this interpreter and this geomlin."""
    program, rest = command.split(maxsplit=1)
    python = f'"{sys.executable}"'
    own = {"geomlin": f"{python} -m geomlin", "pytest": f"{python} -m pytest", "python": python}
    plugin = " -p geomlin.conformance.plugin" if program == "pytest" else ""
    return subprocess.run(
        f"{own[program]}{plugin} {rest}",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
    )


def test_the_page_works_as_it_is_written(tmp_path: Path) -> None:
    path, outputs = tmp_path / "my_backend.py", []
    for language, kind, text in blocks(PAGE):
        if language == "python" and kind.startswith("title="):
            (tmp_path / kind.removeprefix("title=")).write_text(text, encoding="utf-8")
        elif language == "python":
            source = path.read_text(encoding="utf-8")
            path.write_text(edited(source, kind, text), encoding="utf-8")
        else:
            done = shell(text.strip(), tmp_path)
            assert done.returncode == (1 if kind == "fails" else 0), done.stdout + done.stderr
            outputs.append(done.stdout)
    first, second, third, tests, check = outputs
    assert re.search(r"\| ZERO \|", first)
    assert re.search(r"\| NEAR_IDENTITY \|", first)
    assert "NAN log" in first
    assert "WRONG log" in first
    assert "NEAR_IDENTITY" not in second
    assert re.search(r"\| MINUS_ONE \| 2 of 2 ", second)
    assert "2 WRONG" in second.splitlines()[-1]
    assert third.splitlines()[-1].startswith("OK my rotors")
    assert re.search(r"\d+ passed", tests)
    assert check.startswith("OK my rotors")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_backend_of_the_page_is_short() -> None:
    _, _, source = next(block for block in blocks(PAGE) if "my_backend" in block[1])
    assert len(source.splitlines()) <= 40


def test_every_function_of_the_kit_is_in_the_table() -> None:
    from geomlin.conformance import OPERATIONS

    for operation in OPERATIONS.values():
        for function in operation.needs:
            assert f"`{function}`" in PAGE, function


@pytest.mark.needs("node")
def test_the_reader_in_javascript_agrees(tmp_path: Path) -> None:
    script = ROOT / "examples" / "conformance_reader.mjs"
    vectors = ROOT / "geomlin" / "conformance" / "vectors"
    done = subprocess.run(
        ["node", str(script), str(vectors)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed, failed = map(int, re.findall(r"^(\d+) pass, (\d+) fail", done.stdout, re.M)[0])
    assert passed > 100
    assert failed == 0
    for file in vectors.glob("*.json"):  # a false twin: one sign of one answer
        text = file.read_text(encoding="utf-8")
        changed = re.sub(r'("mid": \["0", "0", "0", "0", )"-1"', r'\1"1"', text, count=1)
        (tmp_path / file.name).write_text(changed, encoding="utf-8")
    twin = subprocess.run(
        ["node", str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert twin.returncode == 1
    assert "FAIL" in twin.stdout
