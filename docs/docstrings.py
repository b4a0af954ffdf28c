"""How the docstrings of the package become reStructuredText for the reference pages.

They are written to be read in a terminal: mathematics in plain text, a word and a colon where a
section would be heavy ("Units: radians"), what each argument is behind " : ".
"""

from __future__ import annotations

import re

PARTS = ("Errors", "Units", "Error bound", "Gradient", "Returns")  # sections of prose
FIELD = re.compile(r"(\*{0,2}[A-Za-z_]\w*(?:, \*{0,2}\w+)*) : (.*)")


def prepared(lines: list[str]) -> list[str]:
    """A docstring for napoleon: sections, lists and escaped plain text."""
    return [linked(line) for line in escaped(itemized(sectioned(lines)))]


def sectioned(lines: list[str]) -> list[str]:
    """Paragraphs such as "Units: radians" become sections; what is raised is told in prose."""
    new: list[str] = []
    for line in lines:
        label, colon, rest = line.partition(": ")
        label = "Errors" if label == "Raises" else label
        if colon and label in PARTS:
            new += ["", label, "-" * len(label), rest]
        else:
            new.append("Errors" if line == "Raises" else line)
    return new


def itemized(lines: list[str]) -> list[str]:
    """Fields before the first section, results and references become lists; descriptions of
    arguments and attributes stand below their names, where napoleon looks for them."""
    new: list[str] = []
    section, in_item = "", False
    for k, line in enumerate(lines):
        if k + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[k + 1]):
            section, in_item = line, False
        field = FIELD.match(line)
        if in_item and line.startswith("    "):
            new.append("  " + line.strip())
        elif field and section in ("", "Returns"):
            in_item = True
            new += ["", f"* ``{field[1]}``: {field[2]}"]
        elif re.match(r"\[\d+\] ", line):
            in_item = True
            new += ["", f"* {line}"]
        elif field and section in ("Parameters", "Attributes"):
            in_item = False
            new += [field[1], f"    {field[2]}"]
        else:
            in_item = False
            new.append(line)
    return new


def escaped(lines: list[str]) -> list[str]:
    """Bars, stars and underscores of plain text are no markup; bullets and code stay."""
    new: list[str] = []
    in_code = False
    for line in lines:
        if line.lstrip().startswith((">>>", "...")):
            in_code = True
        elif not line.strip():
            in_code = False
        if in_code or re.fullmatch(r"\s*[-=]+\s*", line):
            new.append(line)
        else:
            bullet = "* " if line.startswith("* ") else ""
            text = re.sub(r"(?<!`)([*|]|_(?=\W|$))", r"\\\1", line.removeprefix(bullet))
            new.append(bullet + text)
    return new


def linked(line: str) -> str:
    """The number of a preprint becomes a link to it."""
    return re.sub(r"(?<!`)arXiv:(\d{4}\.\d{4,5})", r"`arXiv:\1 <https://arxiv.org/abs/\1>`__", line)
