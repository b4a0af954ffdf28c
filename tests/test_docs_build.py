"""The documentation builds without a warning, and asks no other host for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(target / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "docs", str(target / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return target / "html"


@pytest.mark.needs("docs")
def test_every_page_is_there_and_nothing_comes_from_elsewhere(site):
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert {"index.html", "quickstart.html", "faq.html", "generated/api.html"} <= pages
    assert "generated/api/geomlin.exp.html" in pages
    assert sum(page.startswith("generated/gallery/") for page in pages) >= 12
    loaded = re.compile(
        r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["'](https?://[^"']+)"""
    )
    for page in pages:
        text = (site / page).read_text(encoding="utf-8")
        outside = [url for url in loaded.findall(text) if "canonical" not in url]
        assert outside == [], f"{page} loads {outside[:3]}"


@pytest.mark.needs("docs")
def test_nothing_of_the_markup_is_left_on_a_page(site):
    """Once the cards of the first page were shown as ":::{grid-item-card}", the scalar product as
    "= _0" without its <A B>, and references as "* [1]"."""
    for page in site.rglob("*.html"):
        if not {"_static", "_sources"} & set(page.relative_to(site).parts):
            code = r"<(pre|script|style|code)\b.*?</\1>"
            words = re.sub(r"<[^>]+>", "", re.sub(code, "", _text(page), flags=re.S))
            left = re.findall(r":::|\{grid|```|^\* \[\d\]|\{cite|\{doc\}|\$\$", words, re.M)
            assert left == [], f"{page.relative_to(site)} shows {left[:3]}"
    assert "&lt;A B&gt;_0, without a reverse" in _text(site / "generated" / "conventions.html")
    assert _text(site / "index.html").count("sd-card-title") == 4


@pytest.mark.needs("docs")
def test_links_within_the_site_lead_somewhere(site):
    """To a file that is there, and where a place on a page is meant, to that place."""
    for page in site.rglob("*.html"):
        if "_static" in page.relative_to(site).parts:  # a template of the theme
            continue
        for target in links(page):
            assert leads_somewhere(page, target), f"{page.relative_to(site)} links to {target}"


def links(page):
    """Targets of links and pictures on the same host."""
    found = re.findall(r"""<[a-z]+\b[^>]*?\s(?:href|src)=["']([^"']+)["']""", _text(page))
    return [unescape(target) for target in found if not re.match(r"[a-z]+:", target)]


def leads_somewhere(page, target):
    """Whether a file is there, and a place in it."""
    path, _, place = target.partition("#")
    file = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
    if not file.is_file():
        return False
    return not place or file.suffix != ".html" or unquote(place) in _places(file)


@cache
def _text(page):
    return page.read_text(encoding="utf-8")


@cache
def _places(page):
    """Everything on a page that can be linked to."""
    return {
        unescape(name) for name in re.findall(r"""\s(?:id|name)=["']([^"']+)["']""", _text(page))
    }


def test_a_link_that_leads_nowhere_is_noticed(tmp_path):
    """The false twin."""
    page, other = tmp_path / "a.html", tmp_path / "b.html"
    other.write_text('<h1 id="here">b</h1>')
    page.write_text('<a class="x" href="b.html#here">b</a><a href="b.html#there">b</a>')
    assert links(page) == ["b.html#here", "b.html#there"]
    assert leads_somewhere(page, "b.html#here")
    assert not leads_somewhere(page, "b.html#there")
    assert not leads_somewhere(page, "c.html")
    assert not leads_somewhere(page, "#here")


@pytest.mark.needs("docs")
def test_papers_are_links_that_can_be_checked(site):
    """What `-b linkcheck` asks for where there is a network; CONTRIBUTING names the command."""
    text = _text(site / "references.html") + _text(
        site / "generated/api/geomlin.nn.RotorLinear.html"
    )
    assert {"2107.03771", "2507.11688"} <= set(
        re.findall(r'href="https://arxiv.org/abs/([^"]+)"', text)
    )
    assert "-b linkcheck docs" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.needs("docs", "chromium")
def test_mathjax_typesets_every_formula_of_the_theorems(site):
    """A formula that MathJax refuses becomes an element `mjx-merror` with the reason."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser is not None, "chromium is missing"
    page = site / "generated" / "theorems.html"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=120000"]
    done = subprocess.run(
        [browser, *options, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    wanted = len(re.findall(r'class="math ', page.read_text(encoding="utf-8")))
    assert wanted > 1000
    assert done.stdout.count("<mjx-container") == wanted
    assert re.findall(r'<mjx-merror[^>]*data-mjx-error="([^"]*)"', done.stdout) == []
