"""Every script in examples/ runs without a warning and draws a labelled picture."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

FOLDER = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))
LONGEST = 100  # lines: one idea each


@pytest.fixture(autouse=True)
def _no_window():
    before = mpl.get_backend()
    mpl.use("Agg")
    yield
    pyplot.close("all")
    mpl.use(before)


def test_there_are_enough_of_them() -> None:
    assert len(SCRIPTS) >= 14


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_draws_a_picture_with_words(script: Path) -> None:
    picture = runpy.run_path(str(script))["picture"]
    drawn = [axes for axes in picture.axes if axes.get_label() != "<colorbar>"]
    assert drawn
    for axes in drawn:
        assert axes.has_data()
        assert axes.get_title(), "every picture says what it shows"
    picture.canvas.draw()
    pixels = np.asarray(picture.canvas.buffer_rgba())[::3, ::3].reshape(-1, 4)
    assert len(np.unique(pixels, axis=0)) > 8, "something is drawn"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_short_and_says_what_it_shows(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    title, underline, *rest = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert set(underline) == {"="}
    assert len(underline) >= len(title)
    assert any(rest)
