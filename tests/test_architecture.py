"""Imports run strictly downward, modules and functions are short, `import geomlin` is light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "geomlin").rglob("*.py"))

LONGEST_MODULE = 320
LONGEST_FUNCTION = 60

# Level of each module or package; the longest matching prefix counts.  A module may import its own
# level and lower ones, and the whole graph has no cycle.
LEVELS = {
    "geomlin.errors": 0,
    "geomlin.conventions": 0,
    "geomlin.signature": 0,
    "geomlin.blades": 0,
    "geomlin.layout": 0,
    "geomlin.tables": 0,
    "geomlin.operation": 0,
    "geomlin.masked": 0,
    "geomlin.missing": 0,
    "geomlin.report": 0,
    "geomlin.verdict": 0,
    "geomlin.plane_kind": 0,
    "geomlin.precision": 0,
    "geomlin.backend": 1,
    "geomlin.backends": 1,
    "geomlin.symbolic_numbers": 1,
    "geomlin.symbolic_functions": 1,
    "geomlin.symbolic_roots": 1,
    "geomlin.kernels": 2,
    "geomlin.certified": 2,  # kernels on balls
    "geomlin.ops": 3,
    "geomlin.frameworks": 3,  # operations for torch and jax
    "geomlin.printing": 3,
    "geomlin.multivector": 4,
    "geomlin.random": 4,
    "geomlin.algebra": 5,
    "geomlin.derivatives": 6,
    "geomlin.spinor": 6,
    "geomlin.spinor_halves": 6,
    "geomlin.spinor_jax": 3,
    "geomlin.spinor_transforms": 3,
    "geomlin.spinor_even": 3,  # index maps, for spinor, nn and native
    "geomlin.storage": 6,
    "geomlin.identities": 7,
    "geomlin.proving": 7,
    "geomlin.witnesses": 8,  # of one level with verification, which compares their answers
    "geomlin.verification": 8,
    "geomlin.native": 7,
    "geomlin.nn": 8,
    "geomlin.bench": 9,
    "geomlin.conformance": 9,
    "geomlin.interop": 9,
    "geomlin.plot": 9,
    "geomlin.experiments": 9,
    "geomlin.progress": 9,
    "geomlin.explore": 9,
    "geomlin.cli": 10,
    "geomlin.__main__": 11,
}
FACADE = "geomlin"  # the public names; what it re-exports is of level 6 at most

# Where a third-party package may be imported; numpy may be imported everywhere.
ALLOWED = {
    "sympy": (
        "geomlin.backends.sympy",
        "geomlin.backends.sympy_text",
        "geomlin.ops.symbolic",
        "geomlin.ops.symbolic_branch",
        "geomlin.ops.symbolic_large",
        "geomlin.ops.symbolic_lift",
        "geomlin.ops.symbolic_log",
        "geomlin.ops.symbolic_matrix",
        "geomlin.ops.symbolic_planes",
        "geomlin.ops.symbolic_tools",
        "geomlin.symbolic_functions",
        "geomlin.symbolic_roots",
        "geomlin.printing",
        "geomlin.verification",
        "geomlin.witnesses",
    ),
    "mpmath": ("geomlin.symbolic_functions", "geomlin.symbolic_numbers", "geomlin.symbolic_roots"),
    "flint": (
        "geomlin.precision",
        "geomlin.backends.arb",
        "geomlin.backends.flint",
        "geomlin.certified",
        "geomlin.conformance",
        "geomlin.proving",
        "geomlin.verification",
        "geomlin.witnesses",
    ),
    "scipy": (
        "geomlin.kernels",
        "geomlin.ops.exponential",
        "geomlin.identities",
        "geomlin.verification",
        "geomlin.bench",
    ),
    "clifford": ("geomlin.witnesses", "geomlin.bench", "geomlin.conformance"),
    "galgebra": ("geomlin.witnesses",),
    "kingdon": ("geomlin.witnesses",),
    "pytest": ("geomlin.conformance.plugin",),
    "rich": (
        "geomlin.verification",
        "geomlin.bench",
        "geomlin.cli",
        "geomlin.progress",
    ),
    "marimo": ("geomlin.explore",),
    "typer": ("geomlin.cli", "geomlin.experiments.command"),
    "safetensors": ("geomlin.nn",),
    "torch": (
        "geomlin.experiments",
        "geomlin.backends",
        "geomlin.nn",
        "geomlin.native",
        "geomlin.bench",
    ),
    "jax": ("geomlin.backends", "geomlin.spinor_jax"),
    "matplotlib": (
        "geomlin.bench",
        "geomlin.experiments.fmnist_report",
        "geomlin.experiments.llm_report",
        "geomlin.experiments.pareto_report",
        "geomlin.plot",
    ),
    "transformers": ("geomlin.experiments.llm_model",),
    "datasets": ("geomlin.experiments.llm_texts",),
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def belongs_to(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def level(module: str) -> int:
    prefixes = [prefix for prefix in LEVELS if belongs_to(module, prefix)]
    assert prefixes, f"{module} has no level: add it to LEVELS"
    return LEVELS[max(prefixes, key=len)]


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING:`, which never run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from run_time_nodes(node)


def imports_of(module: str) -> set[str]:
    """Absolute names of what a module imports, inside functions too."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, *([base] if base else [])])
            submodules = {f"{base}.{alias.name}" for alias in node.names} & set(MODULES)
            found |= submodules or {base}
            if submodules and len(submodules) < len(node.names):
                found.add(base)
    return found


IMPORTS = {module: imports_of(module) for module in MODULES}


def test_there_is_something_to_check() -> None:
    assert len(MODULES) > 40
    assert "geomlin.layout" in IMPORTS["geomlin.algebra"]
    assert "geomlin.kernels.exponential" in IMPORTS["geomlin.ops.exponential"]  # a lazy import
    assert "geomlin.algebra" not in IMPORTS["geomlin.ops.lift"]  # only for type checkers


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_point_downward(module: str) -> None:
    if module == FACADE:
        return
    for imported in IMPORTS[module]:
        if imported == FACADE:
            assert level(module) > LEVELS["geomlin.storage"], f"{module} imports the facade"
        elif imported.split(".")[0] == "geomlin":
            assert level(imported) <= level(module), f"{module} imports {imported}, which is above"


@pytest.mark.parametrize("module", sorted(m for m in MODULES if belongs_to(m, "geomlin.ops")))
def test_operations_do_not_know_the_classes_or_the_backends(module: str) -> None:
    forbidden = ("geomlin.multivector", "geomlin.algebra", "geomlin.random", "geomlin.backends")
    assert not [i for i in IMPORTS[module] if any(belongs_to(i, f) for f in forbidden)]


@pytest.mark.parametrize("module", sorted(m for m in MODULES if belongs_to(m, "geomlin.kernels")))
def test_kernels_work_on_plain_arrays(module: str) -> None:
    allowed = ("geomlin.kernels", "geomlin.errors", "geomlin.plane_kind")
    geomlin = [i for i in IMPORTS[module] if i.split(".")[0] == "geomlin"]
    assert all(any(belongs_to(i, a) for a in allowed) for i in geomlin)


def test_no_import_cycle() -> None:
    """Lazy imports count: a cycle through a function body is a cycle all the same."""
    graph = {m: {i for i in IMPORTS[m] if i in MODULES and i != FACADE} for m in MODULES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            for imported in sorted(graph[module]):
                visit(imported, (*path, module))
            done.add(module)

    for module in sorted(set(graph) - {FACADE}):
        visit(module, ())


@pytest.mark.parametrize("module", sorted(MODULES))
def test_third_parties_stay_where_they_belong(module: str) -> None:
    for imported in IMPORTS[module]:
        top = imported.split(".")[0]
        if top in ("geomlin", "numpy") or top in sys.stdlib_module_names:
            continue
        assert top in ALLOWED, f"{module} imports {top}"
        assert any(belongs_to(module, a) for a in ALLOWED[top]), f"{module} imports {top}"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_nothing_imports_tests_or_proofs(module: str) -> None:
    tops = {imported.split(".")[0] for imported in IMPORTS[module]}
    assert not tops & {"tests", "proofs", "geomlin_proofs", "conftest", "strategies"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_modules_and_functions_are_short(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_MODULE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            start = (first.end_lineno or 0) if is_docstring else node.lineno
            length = (node.end_lineno or 0) - start
            assert length <= LONGEST_FUNCTION, f"{module}.{node.name} has {length} lines"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_module_and_function_says_what_it_is(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    if not tree.body:
        return  # an empty __init__.py
    assert ast.get_docstring(tree), f"{module} has no docstring"
    assert "TODO" not in MODULES[module].read_text(encoding="utf-8")


def test_import_loads_the_standard_library_and_numpy_only() -> None:
    code = (
        "import sys, json; before = set(sys.modules); import numpy; import geomlin;"
        "print(json.dumps(sorted({m.split('.')[0] for m in set(sys.modules) - before})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(json.loads(done.stdout))
    assert {"geomlin", "numpy"} <= loaded
    assert loaded - set(sys.stdlib_module_names) == {"geomlin", "numpy"}


def test_import_has_no_output_and_touches_no_global_state() -> None:
    code = (
        "import numpy, random, warnings, decimal;"
        "state = random.getstate(), numpy.geterr(), warnings.filters[:], decimal.getcontext().prec;"
        "draw = numpy.random.get_state()[1].tolist();"
        "import geomlin;"
        "after = random.getstate(), numpy.geterr(), warnings.filters[:], decimal.getcontext().prec;"
        "assert state == after and draw == numpy.random.get_state()[1].tolist()"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
