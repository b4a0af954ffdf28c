"""Claims in a Python file: functions whose parameters are annotated with kinds.

    def expansion(a: "vector", b: "vector", c: "vector"):
        "a . (b ^ c) = (a . b) c - (a . c) b"
        return left_contraction(a, b ^ c), scalar_product(a, b) * c - scalar_product(a, c) * b

Keyword-only parameters carry `given`, `dimension` and `signature` as their default values.  A
function whose name begins with `false_` must be refuted.  Functions that are imported, or that
begin with an underscore, or without annotations, are no claims.
"""

from __future__ import annotations
import __future__

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from inspect import Parameter, isfunction, signature
from pathlib import Path
from typing import Any

from ..errors import GeomlinError, LayoutError
from .theorem import Theorem

_KEYWORDS = ("given", "dimension", "signature")


@dataclass(frozen=True)
class StatedClaim:
    """A function of a file, with everything that `prove` is told about it."""

    name: str
    text: str
    function: Callable[..., Any]
    kinds: dict[str, str]
    options: dict[str, Any]

    @property
    def is_false(self) -> bool:
        """Whether the file says that it must be refuted."""
        return self.name.startswith("false_")


def read_file(path: Path) -> tuple[list[StatedClaim], Theorem | None]:
    """The claims of a file in their order, and its THEOREM if it has one."""
    spec = spec_from_file_location(f"geomlin_claims_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise LayoutError(f"expected a Python file, got {path}")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except GeomlinError:
        raise
    except (Exception, SystemExit) as error:  # an exit would pass for an answer
        raise LayoutError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    stated = getattr(module, "THEOREM", None)
    theorem = stated if isinstance(stated, Theorem) else None
    claims = list(_claims(vars(module), module.__name__))
    if theorem is None and not claims:
        raise LayoutError(
            f"expected claims in {path}, got none: annotate the parameters of a function with "
            'their kinds, def identity(a: "vector", b: "vector"): return lhs, rhs'
        )
    return claims, theorem


def _claims(names: dict[str, Any], module: str) -> Iterator[StatedClaim]:
    for name, function in names.items():
        if not isfunction(function) or function.__module__ != module or name.startswith("_"):
            continue
        parameters = list(signature(function).parameters.values())
        arguments = [p for p in parameters if p.kind is not Parameter.KEYWORD_ONLY]
        quoted = bool(function.__code__.co_flags & __future__.annotations.compiler_flag)
        kinds = {p.name: _kind(p.annotation, quoted=quoted) for p in arguments}
        if not kinds or not all(kinds.values()):
            continue
        options = {p.name: p.default for p in parameters if p.name in _KEYWORDS}
        text = " ".join((function.__doc__ or "").split())
        yield StatedClaim(name, text, function, kinds, options)


def _kind(annotation: Any, *, quoted: bool) -> str:
    """The kind that an annotation names; "" if it is no string.

    With `from __future__ import annotations` every annotation arrives as a string, and a string
    arrives quoted once more.
    """
    if annotation is Parameter.empty or not isinstance(annotation, str):
        return ""
    if not quoted:
        return annotation
    try:
        inner = ast.literal_eval(annotation)
    except (ValueError, SyntaxError):
        return ""
    return inner if isinstance(inner, str) else ""
