"""The README says what is true: its code runs and prints what it shows, its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _code() -> str:
    return re.findall(r"```python\n(.*?)```", README, re.S)[0]


def test_the_code_is_short_and_prints_what_its_comments_say() -> None:
    code = _code()
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 15 + 1  # one of them imports numpy
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    promised = [x.strip() for x in re.findall(r"print\(.*\)\s*# (.*)$", code, re.M)]
    printed = done.stdout.splitlines()
    assert len(promised) == len(printed) == 3
    for said, was in zip(promised, printed, strict=True):
        said = said.partition(":")[0]
        pattern = re.escape(said).replace(r"\.\.", r"\d*")  # 0.2919.. stands for more digits
        assert re.fullmatch(pattern, was), f"promised {said!r}, printed {was!r}"


def test_every_command_of_the_readme_exists() -> None:
    for options in re.findall(r"^geomlin (verify .*?)\s+#", README, re.M):
        for option in re.findall(r"--[a-z]+", options):
            done = subprocess.run(
                [sys.executable, "-m", "geomlin", "verify", "--help"],
                capture_output=True,
                text=True,
                check=True,
                env={"COLUMNS": "200", "PATH": ""},
            )
            assert option in done.stdout


def test_set_up_is_one_line_each_and_ci_reads_them() -> None:
    for tag, ends in (("verify", "geomlin verify"), ("test", "python -m pytest -n auto")):
        found = re.findall(rf"<!-- command: {tag} -->\n```sh\n(.*?)\n```", README, re.S)
        assert len(found) == 1
        assert "\n" not in found[0]
        assert found[0].endswith(ends)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command verify" in ci
    assert "readme_command test" in ci


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
