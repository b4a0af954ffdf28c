"""The documentation builds without a warning, and asks no other host for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
def test_links_within_the_site_lead_somewhere(site):
    for page in site.rglob("*.html"):
        for target in re.findall(r'href="([^"#:?]+\.html)', page.read_text(encoding="utf-8")):
            assert (page.parent / target).resolve().exists(), f"{page.name} links to {target}"
