"""Docstrings become what Sphinx understands; docs/docstrings.py needs no Sphinx for that."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from geomlin import exp

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("docstrings", ROOT / "docs" / "docstrings.py")
assert SPEC is not None
assert SPEC.loader is not None
docstrings = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(docstrings)


def test_words_and_a_colon_become_sections() -> None:
    found = docstrings.prepared(["Units: radians", "", "Raises: LayoutError", "", "Note: kept"])
    assert found == ["", "Units", "-----", "radians", "", "", "Errors", "------", "LayoutError",
                     "", "Note: kept"]  # fmt: skip


def test_what_an_argument_is_stands_below_its_name() -> None:
    lines = ["Parameters", "----------", "a, b : widths, and", "    more", "*arrays : two"]
    found = docstrings.prepared(lines)
    assert found[2:] == ["a, b", "    widths, and", "    more", r"\*arrays", "    two"]


def test_results_with_names_are_a_list() -> None:
    lines = ["Returns", "-------", "scale : a number", "    without axes", "vectors : k of them"]
    found = docstrings.prepared(lines)[2:]
    assert found == ["", "* ``scale``: a number", "  without axes", "", "* ``vectors``: k of them"]


def test_references_stay_a_list_with_links() -> None:
    lines = ["References", "----------", '[1] A. Author, "Title",', "    arXiv:2507.11688, p. 4."]
    _, _, _, item, more = docstrings.prepared(lines)
    assert item.startswith("* [1] A. Author"), "a bullet, not a star"
    assert more == "  `arXiv:2507.11688 <https://arxiv.org/abs/2507.11688>`__, p. 4."


def test_mathematics_is_no_markup_and_code_is_left_alone() -> None:
    assert docstrings.prepared(["|R|, a * b, x_, x_1"]) == [r"\|R\|, a \* b, x\_, x_1"]
    code = [">>> a * b", "... |x|", "6"]
    assert docstrings.prepared(code) == code


def test_every_part_of_a_docstring_survives() -> None:
    words = re.findall(r"\w+", exp.__doc__ or "")
    kept = re.findall(r"\w+", "\n".join(docstrings.prepared((exp.__doc__ or "").splitlines())))
    assert set(words) - {"Raises"} <= set(kept)
