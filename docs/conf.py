"""Configuration of the documentation: `python -m sphinx -W -b html docs docs/_build/html`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import docstrings
import pages

import geomlin

project = "geomlin"
author = "The geomlin developers"
version = release = geomlin.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_design",  # the cards of the first page
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "sphinx-mathjax-offline",  # the formulas are drawn without a network
]
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
exclude_patterns = ["_build", "generated/gallery/**/*.md5"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"navigation_with_keys": False, "show_toc_level": 2}
html_sidebars = {"*": [], "generated/*": []}  # these pages have no pages below them
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_title = f"geomlin {release}"
html_copy_source = False
napoleon_numpy_docstring = True
napoleon_google_docstring = False
autosummary_generate = True
autodoc_typehints = "none"
suppress_warnings = ["config.cache", "myst.header"]  # generated pages begin where they like
sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parents[1] / "examples"),
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "show_signature": False,
    "capture_repr": (),  # what a last line happens to return is no output
    "write_computation_times": False,  # that page asks other hosts for its style
}

# Where there is a network: python -m sphinx -b linkcheck docs docs/_build/linkcheck
linkcheck_ignore = [r"https?://(127\.0\.0\.1|localhost)\b"]  # the explorer on the reader's machine
linkcheck_allowed_redirects = {r"https://doi\.org/.*": r"https://.*"}  # that is what a DOI is for
linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_rate_limit_timeout = 60.0

pages.write(Path(__file__).parent / "generated")


napoleon_custom_sections = list(docstrings.PARTS)


def prepare(app, what, name, obj, options, lines):  # Sphinx prescribes the arguments
    """Docstrings as napoleon reads them."""
    lines[:] = docstrings.prepared(lines)


def setup(app):
    app.connect("autodoc-process-docstring", prepare, priority=100)  # before napoleon
