"""What the pages show is what the code prints: every `>>>` line in docs/ is run.

A page is one session, in the order of its blocks; tests/sessions.py says what counts as equal.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sessions import run

from geomlin.verification.cases import check_cases

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if "_build" not in page.parts and "```pycon" in page.read_text(encoding="utf-8")
)


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


def test_the_cases_of_the_page_agree(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "add_an_identity.md").read_text(encoding="utf-8")
    (cases,) = re.findall(r"```json\n(.*?)```", page, re.S)
    file = tmp_path / "cases.json"
    file.write_text(cases, encoding="utf-8")
    verdicts = [cell.verdict.word for cell in check_cases(file)]
    assert verdicts == ["AGREES", "AGREES"]
    file.write_text(cases.replace('"1": "1"', '"1": "0.999"'), encoding="utf-8")
    assert check_cases(file)[0].verdict.word == "REFUTED"  # the false twin


def test_the_claim_of_the_page_is_proved(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "proving.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    file = tmp_path / "my_claims.py"
    file.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "geomlin", "prove", str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "anticommute" in done.stdout


def test_the_kernel_says_what_the_page_says() -> None:
    page = (ROOT / "docs" / "native.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "kernel" in done.stdout


def test_every_block_of_code_is_run_by_a_test() -> None:
    """The pages whose blocks are not `>>>` sessions, each with a test that runs them."""
    known = {"add_an_identity.md", "native.md", "proving.md", "write_a_backend.md"}
    found = {
        page.name
        for page in (ROOT / "docs").rglob("*.md")
        if re.search(r"^```(python|json)", page.read_text(encoding="utf-8"), re.M)
        and not {"_build", "generated"} & set(page.parts)
    }
    assert found == known


GENERATED = {"api.md", "conventions.md", "theorems.md", "identities.md"}


def places(text: str) -> set[str]:
    """Headings of a page as they are linked to."""
    headings = re.findall(r"^#{1,3} (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a relative link of a page leads to a file, and to a heading if it names one."""
    path, _, place = target.partition("#")
    file = page.parent / path if path else page
    if file.name in GENERATED and file.parent == ROOT / "docs" / "generated":
        return True
    if not file.exists():
        return False
    return not place or place in places(file.read_text(encoding="utf-8"))


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), ROOT / "proofs" / "README.md"]
    count = 0
    for page in pages:
        if {"_build", "generated"} & set(page.parts):
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                count += 1
                assert leads_somewhere(page, target), f"{page.relative_to(ROOT)} links to {target}"
    assert count > 50


def test_a_link_that_leads_nowhere_is_noticed() -> None:
    """The false twin."""
    page = ROOT / "docs" / "layers.md"
    assert leads_somewhere(page, "scaling.md")
    assert leads_somewhere(page, "layers.md#the-first-bivectors")
    assert leads_somewhere(page, "#what-holds")
    assert not leads_somewhere(page, "layers.md#the-last-bivectors")
    assert not leads_somewhere(page, "scalings.md")
