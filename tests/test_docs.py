"""What the pages show is what the code prints: every `>>>` line in docs/ is run.

A page is one session, in the order of its blocks.  Numbers are compared to 9 digits, so that
another processor may round differently; everything else, the text of errors included, literally.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if "_build" not in page.parts and "```pycon" in page.read_text(encoding="utf-8")
)
NUMBER = re.compile(r"[-−]?\d+\.\d*(?:e[-+]?\d+)?")
DIGITS = 1e-9


class NumbersToNineDigits(doctest.OutputChecker):
    """Compares outputs literally but for decimal numbers."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        if NUMBER.sub("#", want).split() != NUMBER.sub("#", got).split():
            return False
        pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        values = [tuple(float(x.replace("−", "-")) for x in pair) for pair in pairs]
        return all(abs(a - b) <= DIGITS * max(1.0, abs(a)) for a, b in values)


def run(text: str, name: str) -> tuple[int, int, str]:
    """Failures, attempts and the report of the blocks of a page."""
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.S)
    test = doctest.DocTestParser().get_doctest("\n\n".join(blocks), {}, name, name, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(NumbersToNineDigits(), optionflags=doctest.ELLIPSIS)
    failed, attempted = runner.run(test, out=report.append)
    return failed, attempted, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_prints_what_it_shows(page: Path) -> None:
    failed, attempted, report = run(page.read_text(encoding="utf-8"), page.name)
    assert attempted > 0
    assert failed == 0, report


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("0.70710679", "a digit within nine is wrong"),
        ("-0.7071067811865476", "the sign is wrong"),
        ("0.7071067811865476 + 1.0", "there is more than was printed"),
    ],
)
def test_a_wrong_output_is_noticed(shown: str, reason: str) -> None:
    """The false twin of the test above."""
    right = "```pycon\n>>> 0.5**0.5\n0.7071067811865476\n```"
    assert run(right, "right")[0] == 0
    assert run(right.replace("0.7071067811865476", shown), "wrong")[0] == 1, reason


def test_an_identity_is_added_as_the_page_says() -> None:
    """In a process of its own, because the registry would keep it."""
    page = (ROOT / "docs" / "add_an_identity.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    name = re.findall(r"^def (\w+)", code, re.M)[0]
    code += f"""
from geomlin import verify
report = verify(
    engines=["fractions", "numpy"], signatures=[(2, 1, 0), (3, 0, 1)], identities=[{name!r}]
)
print(report.exit_status, len(report.claims))
print(report.summary_line())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 4\n"), done.stdout
    twins = re.search(r"false twins refuted (\d+) of (\d+)", done.stdout)
    assert twins is not None
    assert twins[1] == twins[2] != "0"


def test_links_between_pages_lead_somewhere() -> None:
    pages = [p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts]
    generated = {"api.md", "conventions.md", "theorems.md", "identities.md"}
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", page.read_text(encoding="utf-8")):
            found = (page.parent / target).exists() or Path(target).name in generated
            assert found, f"{page.relative_to(ROOT)} links to {target}"
