"""A theorem as a page: the docstring of its file as Markdown with LaTeX, and what was checked.

The docstring is the one source: a title; paragraphs that begin with Statement, Hypotheses,
Conventions, Derivation, Remarks, References; displayed lines, which are indented by four; items
`H1` and `1.`, indented by two; and at the right margin [1, H2], what a line rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc

from ..verdict import Verdict
from .mathematics import display, inline
from .theorem import Step, Theorem

_ITEM = re.compile(r"  (H\d|\d\.)  (?=\S)")
_HEADING = re.compile(r"(Statement|Hypotheses|Conventions|Derivation|Remarks|References)\b([.:]?)")
_MARGIN = re.compile(r"(?:\s{2,}| (?=\[H?\d[^\]]*\]$))\[([^\]]+)\]$")


def title_of(docstring: str) -> str:
    """The first line."""
    return cleandoc(docstring).partition("\n")[0]


def page(theorem: Theorem, docstring: str) -> str:
    """Statement, hypotheses and derivation in Markdown with $LaTeX$."""
    _, _, body = cleandoc(docstring).partition("\n")
    lines = ["\n".join(_blocks(body, theorem)), "", "**Machine check.** " + _summary(theorem), ""]
    lines += [_step(step) for step in theorem.steps]
    lines += ["", "Refuted by exact witnesses:", ""]
    lines += [f"- {inline(twin.name)}" for twin in theorem.twins]
    return "\n".join(lines).strip() + "\n"


def _step(step: Step) -> str:
    """A line that was checked, to an order if it is about a series."""
    return f"- {inline(step.name)}" + (f", `{step.limit[2:]}`" if step.order else "")


def _summary(theorem: Theorem) -> str:
    """The strength word and the dimensions."""
    verdict = Verdict(theorem.strength, numbers=theorem.dimensions)
    slow = ", ".join(map(str, theorem.slow_dimensions))
    more = f", on request n = {slow}" if slow else ""
    return f"`{verdict}{theorem.limit}`{more}:"


def _blocks(body: str, theorem: Theorem) -> Iterator[str]:
    """Paragraphs, items and displayed formulas, in their order."""
    in_item = False
    for block in re.split(r"\n\s*\n", body.strip("\n")):
        lines = block.split("\n")
        depth = len(lines[0]) - len(lines[0].lstrip())
        indent = " " * 4 if in_item and depth else ""
        if depth >= (8 if in_item else 4):
            yield from (indent + line for line in _displayed(lines))
        elif indent:
            yield indent + inline(_joined(lines))
        else:
            for group in _grouped(lines):
                in_item = bool(_ITEM.match(group[0]))
                yield _item(group, theorem) if in_item else _paragraph(group)
        yield ""


def _grouped(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each paragraph or item of a block."""
    groups: list[list[str]] = []
    for line in lines:
        if not groups or _ITEM.match(line) or _HEADING.match(line):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _displayed(lines: Sequence[str]) -> list[str]:
    """Formulas below each other; lines without any relation are a table, and stay one."""
    if len(lines) > 1 and not any(re.search("[=∈≤↦]", line) for line in lines):
        return ["```text", *lines, "```"]
    rows = r" \\".join(f"\n&{display(line)}" for line in lines)
    return ["$$", *rf"\begin{{aligned}}{rows}".split("\n"), r"\end{aligned}", "$$"]


def _paragraph(lines: Sequence[str]) -> str:
    heading = _HEADING.match(lines[0])
    text = _joined(lines)
    if heading is None:
        return f"\n{inline(text)}\n"
    rest = text[heading.end() :].strip()
    if heading[1] != "References":
        rest = inline(rest)
    return f"\n**{heading[1]}{heading[2]}**{' ' if heading[2] else ''}{rest}\n"


def _item(lines: Sequence[str], theorem: Theorem) -> str:
    """A hypothesis with its label, or a step of the derivation."""
    found = _ITEM.match(lines[0])
    assert found is not None
    text = inline(_joined([lines[0][found.end() :], *lines[1:]]))
    if found[1].startswith("H"):
        return f"- **{found[1]}** ({theorem.labels[int(found[1][1:]) - 1]}) {text}"
    return f"{found[1]} {text}"


def _joined(lines: Sequence[str]) -> str:
    """One text; what stands at the right margin comes behind its line."""
    return " ".join(_MARGIN.sub(r" [\1]", line.rstrip()).strip() for line in lines)
