"""Three views of a multivector: code that rebuilds it, readable text, LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from .blades import indices_of
from .errors import NotSupported

if TYPE_CHECKING:
    from .backend import Backend
    from .multivector import Multivector

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SHOWN = 8  # batch elements that str() lists
_LONGEST = 4096  # coefficients that repr() writes out


def code(a: Multivector) -> str:
    """Python code that rebuilds the multivector; in angle brackets where there is no short code."""
    hidden = _is_traced(a)
    if hidden or int(np.prod(a.coeffs.shape)) > _LONGEST or 0 in a.shape:
        return f"<Multivector of {a.algebra!r}, {a.layout.kind}, batch shape {a.shape}>"
    values = a.coeffs[..., 0] if a.layout.kind == "scalar" else a.coeffs
    try:
        nested = values.tolist() if hasattr(values, "tolist") else values
        arguments = [_literal(nested, a.algebra.backend_object)]
    except NotSupported:
        return f"<Multivector of {a.algebra!r}: {text(a)}>"
    if a.layout.kind == "explicit":
        arguments.append(f"layout={list(a.layout.names)!r}")
    if a.dtype != object and (a.dtype != np.float64 or a.algebra.backend != "numpy"):
        arguments.append(f"dtype={str(a.dtype).removeprefix('torch.')!r}")
    constructor = "multivector" if a.layout.kind == "explicit" else a.layout.kind
    return f"{a.algebra!r}.{constructor}({', '.join(arguments)})"


def _literal(values: Any, backend: Backend) -> str:
    """Nested lists of literals."""
    if isinstance(values, list):
        return "[" + ", ".join(_literal(part, backend) for part in values) + "]"
    return backend.literal(values)


def text(a: Multivector) -> str:
    """Readable unicode: 1 + 2 e₁₂ − 0.5 e₃; a batch one element a line."""
    if _is_traced(a):
        return code(a)
    if not a.shape:
        return _sum(a, str, lambda mask: "e" + _subscript(a, mask), "−", " ")
    elements = [a[index] for index in list(np.ndindex(a.shape))[:_SHOWN]]
    rows = [f"  {_sum(x, str, lambda mask: 'e' + _subscript(a, mask), '−', ' ')}" for x in elements]
    count = int(np.prod(a.shape, dtype=np.int64))
    more = [f"  .. and {count - _SHOWN} more"] if count > _SHOWN else []
    return "\n".join([f"batch of shape {a.shape} in {a.algebra}:", *rows, *more])


def latex(a: Multivector) -> str:
    """LaTeX in dollars, for notebooks."""
    if a.shape or _is_traced(a):
        return f"$\\text{{batch of shape }}{a.shape}$"
    separator = "\\," if a.algebra.n >= 10 else ""

    def blade(mask: int) -> str:
        return "e_{" + separator.join(str(i) for i in indices_of(mask)) + "}"

    return "$" + _sum(a, _latex_number, blade, "-", " \\, ") + "$"


def _is_traced(a: Multivector) -> bool:
    """Whether the numbers are unknown, inside a transformation of torch or jax."""
    traced = getattr(a.algebra.backend_object, "traced", None)
    return traced is not None and bool(traced(a.coeffs))


def _subscript(a: Multivector, mask: int) -> str:
    separator = "," if a.algebra.n >= 10 else ""
    return separator.join(str(i) for i in indices_of(mask)).translate(_SUBSCRIPTS)


def _latex_number(value: Any) -> str:
    if hasattr(value, "free_symbols"):
        import sympy

        return str(sympy.latex(value))
    shown = str(value)
    number = re.fullmatch(r"(-?[\d.]+)(?:e([-+]\d+)|/(\d+))?", shown)
    if number is None:  # a polynomial
        return re.sub(r"\^(\d+)", r"^{\1}", shown).replace("*", " ")
    mantissa, exponent, denominator = number.groups()
    if exponent:
        return f"{mantissa} \\cdot 10^{{{int(exponent)}}}"
    if denominator:
        sign, numerator = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
        return f"{sign}\\tfrac{{{numerator}}}{{{denominator}}}"
    return mantissa


def _sum(a: Multivector, number: Any, blade: Any, minus: str, times: str) -> str:
    """Join the nonzero terms with signs; compound symbolic coefficients get brackets."""
    result = ""
    known = getattr(a.algebra.backend_object, "to_numpy", None)
    for name, value in a.as_dict().items():
        shown = number(value if known is None else known(value)[()])
        negative = shown.startswith("-")
        body = shown[1:] if negative else shown
        if " + " in body or " - " in body:
            negative, body = False, f"({shown})"
        if name != "1":
            mask = a.layout.masks[a.layout.names.index(name)]
            body = blade(mask) if body in ("1", "1.0") else body + times + blade(mask)
        if result:
            result += f" {minus if negative else '+'} {body}"
        else:
            result = (minus if negative else "") + body
    return result or "0"
