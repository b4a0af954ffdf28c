"""The explorer: its snippets and pictures here, the page itself in a real browser.

The browser is the one of the system (Debian's chromium), driven without a window.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import sympy
from matplotlib import pyplot

from geomlin import Algebra, exp, rotor_to_matrix, sandwich
from geomlin.cli import main
from geomlin.errors import BackendMissing
from geomlin.explore import command, pictures, snippets
from geomlin.symbolic_functions import Stumpff

ROOT = Path(__file__).parents[1]
VIEWS = ("parts", "rotor", "exact", "matrix", "lifts")


def generic(signature):
    names = Algebra(*signature).bivector_blades
    return {name: round(0.35 * ((3 * k) % 7 - 2), 2) for k, name in enumerate(names)}


# ------------------------------------------------------------------- without a browser


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("label", snippets.SIGNATURES)
@pytest.mark.parametrize("zero", [False, True], ids=["generic", "zero"])
def test_a_snippet_runs_by_itself_and_prints(label, view, zero):
    signature = snippets.SIGNATURES[label]
    coefficients = generic(signature)
    if zero:
        coefficients = dict.fromkeys(coefficients, 0.0)
    before = np.get_printoptions()
    printed = snippets.output_of(getattr(snippets, view)(signature, coefficients))
    assert printed
    assert np.get_printoptions() == before


def test_the_printed_matrix_is_the_matrix():
    coefficients = {"e12": 0.7, "e13": 0.0, "e23": 0.4}
    printed = snippets.output_of(snippets.matrix((3, 0, 0), coefficients))
    found = np.array(printed.replace("[", " ").replace("]", " ").split(), dtype=float)
    expected = rotor_to_matrix(exp(Algebra(3).bivector(coefficients)))
    assert np.abs(found.reshape(3, 3) - expected).max() < 1e-6
    assert np.abs(found.reshape(3, 3).T - expected).max() > 0.1  # the false twin: transposed


@pytest.mark.parametrize("signature", [(3, 0, 0), (4, 0, 0), (1, 3, 0), (3, 0, 1)])
def test_the_exact_rotor_is_the_rotor(signature):
    coefficients = generic(signature)
    printed = snippets.output_of(snippets.exact(signature, coefficients)).splitlines()
    names = {"Stumpff": Stumpff}
    told = {line.split()[0]: sympy.sympify(line[7:], names) for line in printed}
    assert not any(value.atoms(sympy.Float) for value in told.values()), "nothing is rounded"
    found = {name: float(value.evalf(30)) for name, value in told.items()}
    R = exp(Algebra(*signature).bivector(coefficients)).as_dict()
    assert found == pytest.approx({k: v for k, v in R.items() if k in found}, abs=1e-14)
    assert sum(abs(v) > 1e-12 for v in R.values()) == len(found)
    turned_back = exp(Algebra(*signature).bivector(coefficients) * -1).as_dict()
    assert found != pytest.approx({k: turned_back[k] for k in found}, abs=0.1)  # the false twin


@pytest.mark.parametrize("label", snippets.SIGNATURES)
def test_pictures_have_something_in_them(label):
    signature = snippets.SIGNATURES[label]
    B = Algebra(*signature).bivector(generic(signature))
    for picture in (pictures.action(B), pictures.double_cover(B), pictures.layer(B, "e1", 0.5)):
        (axes,) = picture.axes
        assert axes.has_data()
        assert axes.get_title()
    pyplot.close("all")


def test_the_drawn_cube_is_turned_as_the_sandwich_turns_it():
    alg = Algebra(3)
    B = alg.bivector({"e12": 0.7, "e13": -0.2, "e23": 0.4})
    (axes,) = pictures.action(B).axes
    drawn = np.array(axes.get_lines()[1].get_data_3d()).T
    corner = sandwich(exp(B), alg.vector([-1.0, -1.0, -1.0])).grade(1).coeffs
    assert np.abs(drawn[0] - corner).max() < 1e-12
    edges = pictures.cube_edges(3)
    assert np.allclose(np.array(axes.get_lines()[0].get_data_3d()).T, edges, equal_nan=True)
    other = sandwich(exp(-B), alg.vector(edges[0])).grade(1).coeffs
    assert np.abs(drawn[0] - other).max() > 0.1  # the twin: turned the other way
    pyplot.close("all")


def test_the_layer_picture_is_what_the_layer_snippet_prints():
    signature, coefficients = (2, 0, 1), {"e12": 0.7, "e13": 0.3, "e23": -0.4}
    picture = pictures.layer(Algebra(*signature).bivector(coefficients), "e1", 0.5)
    heights = [bar.get_height() for bar in picture.axes[0].containers[1]]
    drawn = dict(zip(Algebra(*signature).blades, heights, strict=True))
    printed = snippets.output_of(snippets.layer(signature, coefficients, "e1", 0.5)).splitlines()
    told = {line.split()[0]: float(line.split()[1]) for line in printed}
    assert told == pytest.approx({k: v for k, v in drawn.items() if abs(v) > 1e-12}, abs=1e-11)
    pyplot.close("all")


@pytest.mark.parametrize(("n", "edges"), [(1, 1), (2, 4), (3, 12), (4, 32)])
def test_a_cube_has_its_edges(n, edges):
    points = pictures.cube_edges(n)
    assert len(points) == 3 * edges
    assert np.isnan(points).all(axis=1).sum() == edges


def test_the_command_names_the_extra_that_is_missing(monkeypatch):
    monkeypatch.setattr("geomlin.explore.find_spec", lambda name: None)
    with pytest.raises(BackendMissing, match=r"geomlin\[explore\]"):
        command()


def test_no_address_is_named_when_nothing_can_be_served(monkeypatch, capsys):
    monkeypatch.setattr("geomlin.explore.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["geomlin", "explore"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert "http" not in shown.out
    assert "geomlin[explore]" in shown.err


# ------------------------------------------------------------------- in a browser


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def served():
    """The page on a port of this machine."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "geomlin", "explore", "--port", str(port), "--no-browser"],
        env=os.environ | {"MPLBACKEND": "Agg"},
        start_new_session=True,
    )
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            except OSError:
                assert server.poll() is None, "the server stopped"
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, 15)
        server.wait(timeout=20)


@contextmanager
def chromium_page(width, height):
    """A page that records errors on its console and every request."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "these tests need Debian's chromium"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": width, "height": height},
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.new_page()
        page.errors, page.requests = [], []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
        page.on("request", lambda request: page.requests.append(request.url))
        yield page
        browser.close()


def text_of(page, heading):
    """What the view under a heading prints."""
    block = page.locator(f"xpath=//h2[contains(., '{heading}')]/following::pre[1]").first
    return block.inner_text().rstrip("\n")


def wait_for_change(page, heading, before):
    for _ in range(100):
        if text_of(page, heading) != before:
            return text_of(page, heading)
        time.sleep(0.2)
    raise AssertionError(f"{heading!r} still shows {before!r}")


@pytest.mark.needs("explore", "chromium")
def test_drag_choose_copy_and_run():
    with served() as address, chromium_page(1100, 900) as page:
        page.goto(address)
        page.wait_for_selector("text=A rotor layer", timeout=120_000)

        before = text_of(page, "Simple parts")
        handle = page.get_by_role("slider").first
        box = handle.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 25, box["y"] + box["height"] / 2, steps=6)
        page.mouse.up()
        dragged = wait_for_change(page, "Simple parts", before)
        assert "ROTATION" in dragged

        page.get_by_role("combobox").first.select_option("Cl(1,3): space-time")
        wait_for_change(page, "Simple parts", dragged)
        handle = page.get_by_role("slider").first
        rotor = text_of(page, "as floats and certified")
        handle.focus()
        page.keyboard.press("ArrowRight")  # the page can be used without a mouse
        shown = wait_for_change(page, "as floats and certified", rotor)

        code = page.locator("pre:visible", has_text="certified = exp(balls)")
        for _ in range(10):  # a view that is drawn anew comes folded
            if code.count():
                break
            page.get_by_role("button", name="Copy as Python").nth(1).click()
            page.wait_for_timeout(1000)
        code.hover()
        wrapper = code.locator("xpath=ancestor::div[contains(@class, 'codehilite-wrapper')]")
        wrapper.get_by_role("button", name="Copy to clipboard").last.click()
        copied = page.evaluate("navigator.clipboard.readText()")
        done = subprocess.run(
            [sys.executable, "-c", copied], capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.rstrip("\n") == shown
        assert "Algebra(1, 3, 0)" in copied

        assert page.errors == []
        outside = [url for url in page.requests if not url.startswith((address, "data:", "blob:"))]
        assert [url for url in outside if not url.startswith(address.replace("http", "ws"))] == []


@pytest.mark.needs("explore", "chromium")
def test_it_fits_a_phone():
    with served() as address, chromium_page(390, 844) as page:
        page.goto(address)
        page.wait_for_selector("text=A rotor layer", timeout=120_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("img[alt*='cube']").count() == 1
        assert page.locator("h2").count() == 6
        assert page.locator(".katex-display").count() == 6, "each view has its formula"
        assert page.get_by_role("button", name="Copy as Python").count() == 6
        shot = page.screenshot()
        assert len(set(shot)) > 100, "a picture with content"
