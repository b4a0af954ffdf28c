"""The README says what is true: its code runs and prints what it shows, its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sessions import run

from geomlin import Algebra, exp, rotor_to_matrix
from geomlin.conformance import OPERATIONS, load_vectors
from geomlin.conformance.capabilities import Counts, peers_of, table
from geomlin.conformance.runner import grouped

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


def test_the_tour_prints_what_it_shows() -> None:
    failed, attempted, report = run(README, "README.md")
    assert attempted >= 10
    assert failed == 0, report
    shown = "[0.166863260427471 +/- 2.19e-16]"
    assert run(README.replace(shown, shown.replace("1668", "1669")), "twin")[0] == 1


def _texts(name: str) -> list[str]:
    """The words of a picture."""
    root = ElementTree.parse(ROOT / "docs" / "pictures" / name).getroot()
    return ["".join(node.itertext()).strip() for node in root.iter() if node.tag.endswith("text")]


def test_the_numbers_of_the_picture_are_those_of_its_bivector() -> None:
    R = exp(Algebra(4).bivector({"e12": 0.6, "e34": 0.3}))
    words = _texts("double_cover.svg")
    assert "B = 0.6 e₁₂ + 0.3 e₃₄" in words
    blades = zip(("1", "e12", "e34", "e1234"), ("", " e₁₂", " e₃₄", " e₁₂₃₄"), strict=True)
    assert "R = " + " + ".join(f"{R[name]:.2f}{shown}" for name, shown in blades) in words
    matrix = [float(word.replace("−", "-")) for word in words if re.fullmatch(r"−?[\d.]+", word)]
    assert np.abs(np.reshape(matrix, (4, 4)) - rotor_to_matrix(R)).max() <= 0.005
    assert np.abs(np.reshape(matrix, (4, 4)).T - rotor_to_matrix(R)).max() > 1  # the false twin
    picture = (ROOT / "docs" / "pictures" / "double_cover.svg").read_text(encoding="utf-8")
    for plane, angle in (("e12", 0.6), ("e34", 0.3)):
        found = re.search(
            rf'wedge-{plane}" d="M(\S+) (\S+) L\S+ \S+ A50 50 0 0 1 (\S+) (\S+) Z', picture
        )
        assert found is not None
        x, y, to_x, to_y = map(float, found.groups())
        assert np.hypot(to_x - x - 50 * np.cos(angle), to_y - y - 50 * np.sin(angle)) < 0.1


def test_the_badges_are_true() -> None:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    python = facts["project"]["requires-python"].replace(">=", "≥ ")
    assert facts["tool"]["mypy"]["strict"] is True
    for name, words in (
        ("python", ["Python", python]),
        ("licence", ["licence", facts["project"]["license"]]),
        ("typing", ["types", "mypy --strict"]),
    ):
        assert _texts(f"badge_{name}.svg") == words
        assert f"![{': '.join(words) if name != 'python' else ' '.join(words)}]" in README
    assert len(re.findall(r"badge_\w+\.svg", README)) == 3


def _expected_of_geomlin() -> Counts:
    """Every vector in every dtype, and the batch of each group: all right, nothing wrong."""
    counts: Counts = dict.fromkeys(OPERATIONS, (0, 0))
    for (name, *_), members in grouped(load_vectors()).items():
        batch = any(vector.result == "valid" for vector in members)
        counts[name] = (counts[name][0] + len(members) + batch, 0)
    return counts


def test_the_table_beside_other_libraries_is_what_was_measured() -> None:
    page = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    peers = peers_of(page)
    assert len(peers) >= 7
    assert table(_expected_of_geomlin(), peers) in README
    assert f"{len(load_vectors())} questions" in README
    name, counts = next(iter(peers.items()))
    other = {**peers, name: {**counts, "exp": (counts["exp"][0] + 1, counts["exp"][1])}}
    assert table(_expected_of_geomlin(), other) not in README  # the false twin


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


@pytest.mark.parametrize("word", sorted(set(re.findall(r"^geomlin (\w+)", README, re.M))))
def test_every_subcommand_exists(word: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "geomlin", word, "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


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
