"""Pages that are written from data in the code, so that they cannot say something else."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import defaultdict
from html import escape
from pathlib import Path
from types import ModuleType

import geomlin_proofs

import geomlin
from geomlin.conventions import CONVENTIONS
from geomlin.proving.document import page, title_of

Texts = dict[str, str]


def write(folder: Path) -> None:
    """Write every generated page that has changed, so that an unchanged one is not built again."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "conventions.md": conventions(),
        "theorems.md": theorems(),
        "identities.md": identities(),
        "api.md": api(),
    }
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def conventions() -> str:
    """The conventions, each with its source."""
    lines = ["# Conventions", "", "From `geomlin.conventions.CONVENTIONS`.", ""]
    for one in CONVENTIONS:
        statement, source = (
            escape(text).replace("_", "\\_") for text in (one.statement, one.source)
        )
        lines += [f"**{one.name}**", f": {statement}", "", f"  *Source:* {source}.", ""]
    return "\n".join(lines).replace("\n: ", "\n\n")


def theorems() -> str:
    """The docstring of each file in proofs/ with its formulas in LaTeX, and what was checked."""
    lines = [
        "# Theorems",
        "",
        "Each theorem is a file in `proofs/`: statement, hypotheses with a counterexample when "
        "dropped, derivation, and a machine check for each step. `geomlin prove` runs them. A "
        "hypothesis is NEEDED if an exact witness refutes the statement without it, METHOD if the "
        "derivation uses it and nothing is claimed without it; `POLYNOMIAL(n=..)` is the strength "
        "of the machine check: every signature of these dimensions. For other n the derivation "
        "stands alone.",
        "",
    ]
    for module in _modules(geomlin_proofs):
        if hasattr(module, "THEOREM"):
            name = module.__name__.rpartition(".")[2]
            lines += [f"## {title_of(module.__doc__)}", "", f"`proofs/{name}.py`", ""]
            lines.append(page(module.THEOREM, module.__doc__))
    return "\n".join(lines)


def identities() -> str:
    """The registry: name, equation, hypotheses."""
    groups = defaultdict(list)
    for identity in geomlin.identities.registry.values():
        groups[identity.group].append(identity)
    lines = ["# Identities", "", "What `geomlin verify` checks, on every engine.", ""]
    for group, members in groups.items():
        lines += [f"## {group.capitalize()}", "", "| name | equation | for |", "|---|---|---|"]
        for one in members:
            kinds = ", ".join(f"{name}: {kind}" for name, kind in one.kinds.items())
            conditions = "; ".join((kinds, *one.hypotheses)).replace("|", "\\|")
            equation = one.equation.replace("|", "\\|")
            lines.append(f"| `{one.name}` | `{equation}` | {conditions} |")
        lines.append("")
    return "\n".join(lines)


def api() -> str:
    """One page for each public name: of geomlin itself, then of its submodules."""
    functions, classes, errors, submodules = [], [], [], []
    for name in sorted(geomlin.__all__):
        value = getattr(geomlin, name)
        if inspect.ismodule(value):
            submodules.append(name)
        elif inspect.isclass(value) and issubclass(value, Exception):
            errors.append(name)
        elif inspect.isclass(value):
            classes.append(name)
        elif callable(value):
            functions.append(name)
    lines = [
        "# Reference",
        "",
        "Every name of the first three lists is importable from `geomlin`.",
        "",
    ]
    for title, names in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        lines += _summary(title, "geomlin", names)
    for module in submodules:
        value = getattr(geomlin, module)
        public = getattr(value, "__all__", [name for name in vars(value) if name[0] != "_"])
        documented = [
            name
            for name in sorted(public)
            if name not in geomlin.__all__
            and callable(getattr(value, name))
            and getattr(getattr(value, name), "__module__", "").startswith("geomlin")
        ]
        lines += _summary(f"geomlin.{module}", f"geomlin.{module}", documented)
    return "\n".join(lines)


def _summary(title: str, module: str, names: list[str]) -> list[str]:
    """A table of names, each with a page of its own."""
    head = [f"## {title}", "", "```{eval-rst}", f".. currentmodule:: {module}", ""]
    options = [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
    return [*head, *options, *(f"   {name}" for name in names), "```", ""]


def _modules(package: ModuleType) -> list[ModuleType]:
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]
