"""Configuration of the documentation: `python -m sphinx -W -b html docs docs/_build/html`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

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
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "sphinx-mathjax-offline",  # the formulas are drawn without a network
]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
exclude_patterns = ["_build", "generated/gallery/**/*.md5"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"navigation_with_keys": False, "show_toc_level": 2}
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
    "write_computation_times": False,  # that page asks other hosts for its style
}

pages.write(Path(__file__).parent / "generated")


PARTS = ("Errors", "Units", "Error bound", "Gradient")  # sections of prose in our docstrings
napoleon_custom_sections = list(PARTS)


def sections(app, what, name, obj, options, lines):  # Sphinx prescribes the arguments
    """Paragraphs such as "Units: radians" become sections; what is raised is told in prose."""
    new = []
    in_head = True  # before the first section: what fields are, one after the other
    in_item = False
    for k, line in enumerate(lines):
        label, colon, rest = line.partition(": ")
        in_head = in_head and not (k + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[k + 1]))
        field = re.match(r"([A-Za-z_]\w*(?:, \w+)*) : ", line)
        if in_item and line.startswith("    "):
            new.append("  " + line.strip())
            continue
        in_item = bool((in_head and field) or re.match(r"\[\d+\] ", line))
        if in_head and field:
            new += ["", f"* ``{field[1]}``: {line[field.end() :]}"]
        elif in_item:
            new += ["", f"* {line}"]
        elif colon and label in PARTS:
            new += ["", label, "-" * len(label), rest]
        else:
            new.append("Errors" if line == "Raises" else line)
    lines[:] = new


def escape(app, what, name, obj, options, lines):  # Sphinx prescribes the arguments
    """Docstrings write mathematics as plain text; bars, stars and underscores are no markup."""
    in_code = False
    for k, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            in_code = True
        elif not line.strip():
            in_code = False
        if not in_code and not re.fullmatch(r"\s*[-=]+\s*", line):
            lines[k] = re.sub(r"(?<!`)([*|]|_(?=\W|$))", r"\\\1", line)


def setup(app):
    app.connect("autodoc-process-docstring", sections, priority=100)  # before napoleon
    app.connect("autodoc-process-docstring", escape, priority=101)
