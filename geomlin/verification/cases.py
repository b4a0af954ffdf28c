"""Input/answer cases from a JSON file: what geomlin computes against certified answers.

A case has id, operation, signature, dtype, input, expected, compare, tolerance, and perhaps checks.
Numbers are decimal strings; a literal input is the float nearest to it, an answer is exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .. import Multivector, sandwich, scalar_product
from ..algebra import Algebra
from ..errors import DtypeError, GeomlinError, LayoutError, NotARotor, NotSupported
from ..verdict import Strength, Verdict
from .case_behaviours import violations
from .case_operations import OPERATIONS, Operation, ends, floats
from .report import Cell

Case = Mapping[str, Any]


def check_cases(path: str | PathLike[str]) -> list[Cell]:
    """One cell for each case of the file."""
    try:
        cases = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(cases, list):
            raise ValueError(f"a {type(cases).__name__}")
    except (ValueError, UnicodeDecodeError) as error:
        raise LayoutError(f"expected a JSON list of cases in {path}, got {error}") from error
    return [_cell(case) for case in cases]


def _cell(case: Case) -> Cell:
    start = perf_counter()
    verdict = check_case(case)
    return Cell(
        name=str(case.get("id", "?")),
        group=str(case.get("operation", "?")),
        engine="cases",
        signature=tuple(case.get("signature", ())),
        verdict=verdict,
        seconds=perf_counter() - start,
        equation=str(case.get("note", "")),
    )


def check_case(case: Case) -> Verdict:
    """Compute and compare one case."""
    try:
        operation, compare = case["operation"], case["compare"]
        algebra = Algebra(*case["signature"])
        tolerance = float(case["tolerance"])
        if operation == "behaviour":
            return _behaves(case, algebra)
        run = OPERATIONS.get(operation)
        if run is None:
            reason = f"operation {operation!r} is not part of this version"
            return Verdict(Strength.NOT_RUN, reason=reason)
        if str(case.get("dtype", "")).startswith("complex"):
            return _refuses_complex(case, algebra)
        if compare in ("error", "error_or_flag"):
            return _must_raise(run, algebra, case)
        found = run(algebra, case["input"], str(case["dtype"]))
        return _compared(found, case, compare, tolerance)
    except (KeyError, TypeError) as error:
        raise LayoutError(f"malformed case {case.get('id', case)}: {error!r}") from error
    except NotSupported as error:
        return Verdict(Strength.NOT_RUN, reason=str(error))
    except NotARotor as error:
        if operation == "log" and "multivector" in case["expected"]:
            return Verdict(
                Strength.NOT_RUN, reason=f"log is for rotors and refuses others: {error}"
            )
        return Verdict(Strength.REFUTED, witness=f"raised NotARotor: {error}")
    except GeomlinError as error:
        return Verdict(Strength.REFUTED, witness=f"raised {type(error).__name__}: {error}")


def _behaves(case: Case, algebra: Algebra) -> Verdict:
    """What the case says in words, where a check for it exists."""
    found = violations(algebra, case)
    if found:
        return Verdict(Strength.REFUTED, witness="; ".join(found))
    return Verdict(Strength.AGREES, error=0.0, bound=0.0)


def _refuses_complex(case: Case, algebra: Algebra) -> Verdict:
    """geomlin is real: complex coefficients are a DtypeError, never a dropped imaginary part."""
    values = [complex(*map(float, x)) if isinstance(x, list) else float(x) for x in _bivector(case)]
    try:
        algebra.bivector(values)
    except DtypeError:
        return Verdict(Strength.AGREES, error=0.0, bound=0.0)
    return Verdict(Strength.REFUTED, witness=f"complex coefficients {values} were accepted")


def _bivector(case: Case) -> Any:
    return case["input"]["bivector"]


def _must_raise(run: Operation, algebra: Algebra, case: Case) -> Verdict:
    try:
        found = run(algebra, case["input"], str(case["dtype"]))
    except NotSupported:
        raise
    except GeomlinError:
        return Verdict(Strength.AGREES, error=0.0, bound=0.0)
    return Verdict(Strength.REFUTED, witness=f"expected an error, got {found}")


def _exact(value: Any) -> Fraction:
    is_float = isinstance(value, (float, np.floating))
    return Fraction(float(value)) if is_float else Fraction(str(value))


def _distance(found: Any, expected: Any, *, relative: bool = False) -> float:
    """Largest coefficient difference, in exact arithmetic; infinite for NaN.

    Relative: each nonzero coefficient to itself, zeros to the largest.
    """
    pairs = [(float(x), _exact(y)) for x, y in _pairs(found, expected)]
    if not all(np.isfinite(x) for x, _ in pairs):
        return float("inf")
    largest = max((abs(y) for _, y in pairs), default=Fraction(1)) or Fraction(1)
    units = [(abs(y) or largest) if relative else 1 for _, y in pairs]
    errors = [abs(Fraction(x) - y) / unit for (x, y), unit in zip(pairs, units, strict=True)]
    return float(max(errors, default=0))


def _pairs(found: Any, expected: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(found, Multivector):
        wanted = expected.get("multivector")
        if wanted is None:
            layout = found.algebra.bivector_blades
            wanted = dict(zip(layout, expected["bivector"], strict=True))
        names = set(found.layout.names) | set(wanted)
        return [(found[name], wanted.get(name, 0)) for name in sorted(names)]
    if isinstance(found, list):
        return [p for f, e in zip(found, expected["batch"], strict=True) for p in _pairs(f, e)]
    wanted = expected["vector"] if "vector" in expected else expected["matrix"]
    flat = [x for row in wanted for x in (row if isinstance(row, list) else [row])]
    return list(zip(np.asarray(found).reshape(-1), flat, strict=True))


def _compared(found: Any, case: Case, compare: str, tolerance: float) -> Verdict:
    expected = case["expected"]
    if compare == "symbolic_equal":
        return _symbolically_equal(found, expected)
    error = _check_error(found, case.get("checks", ()), case)
    if compare in ("abs", "rel", "up_to_sign_of_value"):  # of the sheet of the value given
        error = max(error, _distance(found, expected, relative=compare == "rel"))
    elif compare == "up_to_sign":
        error = max(error, min(_distance(found, expected), _distance(-found, expected)))
    elif compare == "one_of":
        values = [e for e in expected["one_of"] if "error" not in e]
        error = max(error, min(_distance(found, e) for e in values))
    elif compare in ("parts_any_order", "contains_part"):
        error = max(error, _parts_distance(found, expected["parts"]))
    elif compare != "property" or not case.get("checks"):
        return Verdict(Strength.NOT_RUN, reason=f"comparison {compare!r} is stated in words only")
    eps = float(np.finfo(case["dtype"] if "float" in case["dtype"] else float).eps)
    if error <= tolerance:
        return Verdict(Strength.AGREES, error=error / eps, bound=tolerance / eps)
    return Verdict(
        Strength.REFUTED, witness=f"{found}, off by {error:.3g}, tolerance {tolerance:g}"
    )


def _symbolically_equal(found: Any, expected: Any) -> Verdict:
    """Every difference simplifies to zero, over real symbols."""
    import sympy

    for value, text in _pairs(found, expected):
        wanted = sympy.sympify(text)
        wanted = wanted.subs({x: sympy.Symbol(x.name, real=True) for x in wanted.free_symbols})
        if sympy.simplify(sympy.sympify(value) - wanted) != 0:
            return Verdict(Strength.REFUTED, witness=f"got {value}, expected {text}")
    return Verdict(Strength.AGREES, error=0.0, bound=0.0)


def _parts_distance(found: Any, expected: list[Any]) -> float:
    """Each expected part against the nearest found part that is not taken yet."""
    left = [found.parts[k].coeffs for k in range(found.parts.shape[-1])]
    error = 0.0
    for part in expected:
        wanted = [_exact(x) for x in part["bivector"]]
        distances = [
            max(float(abs(Fraction(float(x)) - y)) for x, y in zip(p, wanted, strict=True))
            for p in left
        ]
        best = int(np.argmin(distances))
        error = max(error, distances[best])
        left.pop(best)
    return error


def _check_error(found: Any, checks: Iterable[str], case: Case) -> float:
    """Largest violation of the named predicates."""
    return max((_CHECKS[name](found, case) for name in checks), default=0.0)


def _size(a: Any) -> float:
    return float(np.abs(getattr(a, "coeffs", a)).max(initial=0.0))


def _sum(found: Any, case: Case) -> float:
    total = sum((found.parts[k] for k in range(found.parts.shape[-1])), start=0 * found.parts[0])
    return _size(total - total.algebra.bivector(floats(_bivector(case), case["dtype"])))


def _commute(found: Any, case: Case) -> float:
    parts = [found.parts[k] for k in range(found.parts.shape[-1])]
    return max((_size(a * b - (a ^ b)) for a in parts for b in parts if a is not b), default=0.0)


def _squares_differ(found: Any, case: Case) -> float:
    squares = scalar_product(found.parts, found.parts).coeffs[..., 0]
    return float(np.ptp(squares))


def _moves(found: Any, case: Case) -> float:
    """How far R a ~R is from the positive multiple of b with the norm of a, componentwise."""
    a, b = ends(found.algebra, case["input"], case["dtype"])
    moved = sandwich(found, a).grade(1).coeffs
    wanted = b.coeffs * np.linalg.norm(a.coeffs) / np.linalg.norm(b.coeffs)
    return _size(moved - wanted)


_CHECKS: dict[str, Callable[[Any, Case], float]] = {
    "finite": lambda found, case: 0.0 if np.isfinite(_size(found)) else float("inf"),
    "orthogonal": lambda found, case: _size(found @ found.T - np.eye(len(found))),
    "unit": lambda found, case: _size(found * ~found - 1),
    "maps_from_to": _moves,
    "sum": _sum,
    "simple": lambda found, case: _size(found.parts ^ found.parts),
    "commute": _commute,
    "equal_squares": _squares_differ,
}
