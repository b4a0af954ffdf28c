"""The public names, their docstrings, and that every example in them runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from types import FunctionType, ModuleType
from typing import Any

import pytest

import geomlin
from geomlin import Algebra, GeomlinError, errors

PRODUCTS = [
    "geometric_product",
    "outer_product",
    "left_contraction",
    "right_contraction",
    "scalar_product",
    "commutator",
    "anticommutator",
    "regressive_product",
]
UNARY = [
    "reverse",
    "involute",
    "conjugate",
    "grade",
    "even",
    "odd",
    "dual",
    "undual",
    "complement",
    "inverse",
    "norm_squared",
    "norm",
    "normalize",
    "project",
    "reject",
    "reflect",
]
SUBJECTS = [
    "sandwich",
    "versor_action",
    "exp",
    "outer_exp",
    "rotor_in_plane",
    "rotor_from_plane",
    "invariant_decomposition",
    "rotor_to_matrix",
    "rotor_from_matrix",
    "rotor_decomposition",
    "rotor_between",
    "cayley",
    "cayley_inverse",
    "log",
    "sqrt",
    "power",
    "slerp",
    "lift_path",
    "versor_factorization",
    "power_iteration_decomposition",
]
REST = [
    "is_simple",
    "is_rotor",
    "is_versor",
    "isclose",
    "stack",
    "concatenate",
    "save",
    "load",
    "verify",
    "prove",
]
FUNCTIONS = PRODUCTS + UNARY + SUBJECTS + REST
CLASSES = ["Algebra", "Multivector", "Decomposition", "PlaneKind", "Report", "Strength", "Verdict"]
CLASSES += ["Logarithm", "RotorDecomposition", "ComplexDecomposition", "PowerIteration"]
CLASSES += ["Counterexample", "NotRun", "Proof"]
ERRORS = [
    "GeomlinError",
    "SignatureMismatch",
    "LayoutError",
    "UnknownBlade",
    "DtypeError",
    "NonFiniteInput",
    "NotARotor",
    "NotOrthogonal",
    "NotInImage",
    "NotDecomposable",
    "NotInvertible",
    "RapidityOverflow",
    "NotSupported",
    "BackendMissing",
    "NoRealLogarithm",
    "Undecided",
    "VacuousHypotheses",
    "DatasetMissing",
]
SUBMODULES = ["conformance", "derivatives", "identities", "interop", "nn", "spinor"]

# Every module whose import has no side effect; the doctests of all of them run.
MODULES = [
    found.name
    for found in pkgutil.walk_packages(geomlin.__path__, "geomlin.")
    if not found.name.endswith("__main__")
    and found.name != "geomlin.explore.app"  # a page, of an extra that the core suite lacks
]


def test_all_is_the_list_of_public_names() -> None:
    assert sorted(geomlin.__all__) == sorted(FUNCTIONS + CLASSES + ERRORS + SUBMODULES)
    assert len(set(geomlin.__all__)) == len(geomlin.__all__)


def test_all_is_what_can_be_reached() -> None:
    """Nothing public but unlisted: neither defined here nor re-exported from a module of ours."""
    ours = {
        name
        for name in dir(geomlin)
        if not name.startswith("_")
        and not isinstance(getattr(geomlin, name), ModuleType)
        and str(getattr(getattr(geomlin, name), "__module__", "")).startswith("geomlin")
    }
    assert ours == set(geomlin.__all__) - set(SUBMODULES)


def test_unknown_names_raise() -> None:
    with pytest.raises(AttributeError, match="no attribute 'rotor'"):
        _ = geomlin.rotor  # type: ignore[attr-defined]


def test_no_submodule_bears_the_name_of_a_function() -> None:
    """Else `geomlin.exp` would be a module or a function, depending on what was imported first."""
    submodules = {found.name for found in pkgutil.iter_modules(geomlin.__path__)}
    assert "multivector" in submodules
    assert not submodules & set(FUNCTIONS)


def test_importing_everything_hides_no_function() -> None:
    code = (
        "import geomlin, importlib, pkgutil\n"
        "for m in pkgutil.walk_packages(geomlin.__path__, 'geomlin.'):\n"
        "    if m.name.split('.')[1] not in ('__main__', 'witnesses', 'explore'):\n"
        "        importlib.import_module(m.name)\n"
        f"assert all(callable(getattr(geomlin, f)) for f in {FUNCTIONS!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def documented_functions() -> list[tuple[str, FunctionType]]:
    spinor = importlib.import_module("geomlin.spinor")
    own = [
        (f"spinor.{name}", value)
        for name, value in vars(spinor).items()
        if isinstance(value, FunctionType)
        and value.__module__ == spinor.__name__
        and not name.startswith("_")
    ]
    return [(name, getattr(geomlin, name)) for name in FUNCTIONS] + own


@pytest.mark.parametrize(
    ("name", "function"),
    documented_functions(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_docstring_has_the_required_parts(name: str, function: FunctionType) -> None:
    text = inspect.getdoc(function) or ""
    first, _, rest = text.partition("\n")
    assert re.fullmatch(r"[A-Z][^\n]*\.", first), f"{name}: first line is not a sentence: {first!r}"
    assert ". " not in first.replace("i.e. ", ""), f"{name}: first line is not one sentence"
    if name != "verify":  # a command, not a map: it has no defining equation
        introduction = rest.partition("Parameters\n")[0]
        assert re.search(r"=|<=>", introduction), f"{name}: no defining equation"
    for part in ("Parameters\n----------\n", "Returns\n-------\n", "Examples\n--------\n"):
        assert part in text, f"{name}: {part.split()[0]} is missing"
    for part in ("Error bound:", "Gradient:"):
        assert part in text, f"{name}: {part!r} is missing"
    assert doctest.DocTestParser().get_examples(text), f"{name}: no example"
    for parameter in inspect.signature(function).parameters:
        documented = re.search(rf"^(\w+, )*{parameter}(, \w+)* :", text, re.MULTILINE)
        assert documented, f"{name}: parameter {parameter} is not described"


@pytest.mark.parametrize("module", MODULES)
def test_doctests_run(module: str) -> None:
    found = importlib.import_module(module)
    results = doctest.testmod(found, optionflags=doctest.FAIL_FAST)
    assert results.failed == 0


def test_doctests_are_found_through_the_operation_decorator() -> None:
    """functools.wraps keeps the docstring, and doctest must not lose it."""
    finder = doctest.DocTestFinder()
    module = importlib.import_module("geomlin.ops.products")
    examples = {test.name for test in finder.find(module) if test.examples}
    assert "geomlin.ops.products.geometric_product" in examples


@pytest.mark.parametrize("name", ERRORS)
def test_errors_subclass_geomlin_error_and_a_builtin(name: str) -> None:
    error = getattr(geomlin, name)
    assert issubclass(error, GeomlinError)
    assert error is getattr(errors, name)
    builtin = {
        "GeomlinError": Exception,
        "DtypeError": TypeError,
        "RapidityOverflow": OverflowError,
        "NotSupported": NotImplementedError,
        "BackendMissing": ImportError,
        "DatasetMissing": FileNotFoundError,
        "Undecided": ArithmeticError,
    }.get(name, ValueError)
    assert issubclass(error, builtin)


def test_batched_errors_carry_the_first_sixteen_positions_and_the_count() -> None:
    error = errors.NotInvertible("message", indices=[(i,) for i in range(40)], count=40)
    assert error.indices == tuple((i,) for i in range(16))
    assert error.count == 40
    assert errors.NotInImage("m", reason="det").reason == "det"
    assert errors.NotDecomposable("m", kind="defective").kind == "defective"
    assert errors.BackendMissing("m", extra="torch").extra == "torch"


@pytest.mark.parametrize("name", [f for f in FUNCTIONS if f not in ("verify", "load", "save")])
def test_functions_refuse_what_is_no_multivector(name: str) -> None:
    """A number, a list or an array is an error with a remedy, not an AttributeError."""
    function: Any = getattr(geomlin, name)
    required = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if name in ("rotor_from_matrix", "lift_path"):
        arguments: list[Any] = ["no matrix", Algebra(2)]
    elif name in ("stack", "concatenate"):
        arguments = [[1.0]]
    else:
        arguments = [1.0] * len(required)
    with pytest.raises(GeomlinError, match=r"expected .*, got"):
        function(*arguments)
