"""The runner, the judge and the report: what passes, what fails, what is not run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import types
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import conformance_backends as planted
import numpy as np
import pytest

import geomlin
from geomlin import BackendMissing, LayoutError
from geomlin.conformance import OPERATIONS, Report, load_vectors, run
from geomlin.conformance.backends import BUILT_IN, PEERS, load_backend
from geomlin.conformance.calls import Here, open_backend
from geomlin.conformance.judge import error_of, tangent_products
from geomlin.conformance.operations import shape_of
from geomlin.conformance.report import Outcome
from geomlin.conformance.vectors import Vector, folder, select
from geomlin.conformance.words import NOT_RUN, PASS

ROOT = Path(__file__).parents[1]
VECTORS = load_vectors()
COMPARED = [v for v in VECTORS if v.output is not None and v.check != "tangent"]


# --- the judge --------------------------------------------------------------------------------


def moved(vector: Vector, dtype: str, share: float) -> Any:
    """The certified answer, one coefficient moved by ten radii and `share` of the tolerance."""
    output = vector.output
    assert output is not None
    answer = output.high.copy()
    place = np.unravel_index(np.argmax(output.unit), answer.shape)
    eps = float(np.finfo(dtype).eps)
    answer[place] += 10 * output.rad + share * vector.operation.bound * eps * output.unit[place]
    return answer


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_certified_answer_passes_and_one_beyond_the_tolerance_fails(dtype: str) -> None:
    """The judge and its false twin, for every vector that has a value."""
    assert len(COMPARED) > 600
    for vector in COMPARED:
        if dtype not in vector.dtypes:
            continue
        bound, slack = vector.operation.bound, 1.0  # mid itself is rounded to a float
        assert error_of(vector, moved(vector, dtype, 0.0), dtype) <= slack, vector
        assert error_of(vector, moved(vector, dtype, 1.0 + 2.0 / bound), dtype) > bound, vector
        if vector.check == "value up to sign":
            assert error_of(vector, -moved(vector, dtype, 0.0), dtype) <= slack, vector


def test_nan_is_infinitely_wrong() -> None:
    for vector in COMPARED[::40]:
        answer = moved(vector, "float64", 0.0)
        answer.ravel()[-1] = np.nan
        assert error_of(vector, answer, "float64") == np.inf


def test_parts_may_come_in_any_order_but_not_mixed() -> None:
    chosen = [v for v in COMPARED if v.check == "parts in any order" and sum(v.signature) >= 6]
    assert chosen
    for vector in chosen:
        parts = moved(vector, "float64", 0.0)
        bound = vector.operation.bound
        assert error_of(vector, parts[::-1].copy(), "float64") <= bound
        mixed = parts.copy()
        mixed[0], mixed[1] = parts[0] + parts[1], 0.0
        assert error_of(vector, mixed, "float64") > bound


def test_the_laws_of_a_decomposition_are_told_apart() -> None:
    """Sum, simplicity, commutation: a violation of each is seen."""
    vector = next(
        v
        for v in VECTORS
        if v.check == "decomposition" and v.data["comment"] == "equal angles 0.6875"
    )
    assert vector.signature == (4, 0, 0)
    e12, e34 = 0.6875 * np.eye(6)[0], 0.6875 * np.eye(6)[5]
    assert error_of(vector, np.stack([e12, e34]), "float64") == 0.0
    not_the_sum = np.stack([e12, 2 * e34])
    not_simple = np.stack([e12 + e34, 0 * e34])
    tilted = 0.25 * (np.eye(6)[1])
    not_commuting = np.stack([e12 + tilted, e34 - tilted])
    for wrong in (not_the_sum, not_simple, not_commuting):
        assert error_of(vector, wrong, "float64") > 1e12


def test_any_logarithm_of_minus_one_will_do() -> None:
    vector = next(v for v in VECTORS if "MINUS_ONE" in v.flags and v.signature == (3, 0, 0))
    plane = np.array([2.0, -1.0, 2.0]) / 3
    for turns in (1, -1, 3):
        assert error_of(vector, turns * np.pi * plane, "float64") <= vector.operation.bound
    assert error_of(vector, np.zeros(3), "float64") > 1e14
    assert error_of(vector, 2 * np.pi * plane, "float64") > 1e14


def test_gradients_of_rotors_are_compared_on_tangents_only() -> None:
    vector = next(
        v for v in VECTORS if v.check == "tangent" and v.signature == (4, 0, 0) and "vjp" in str(v)
    )
    answer = planted.Sound().log_vjp(vector.signature, *vector.inputs.values())
    normal = answer + 3.0 * vector.inputs["r"]  # <R, e_ij R> = 0
    bound = vector.operation.bound
    assert error_of(vector, answer, "float64") <= bound
    assert error_of(vector, normal, "float64") <= bound
    tangent = answer + np.eye(8)[1]
    assert np.abs(tangent_products(vector, np.eye(8)[1])).max() > 0.1
    assert error_of(vector, tangent, "float64") > bound


# --- the runner -------------------------------------------------------------------------------


class Subset:
    """Two functions, one of which declines; one dtype."""

    dtypes = ("float64",)

    def exp(self, signature: Any, b: Any) -> Any:
        raise NotImplementedError("later")

    def reverse(self, signature: Any, a: Any) -> Any:
        return planted.Sound().reverse(signature, a)


def test_what_a_backend_has_not_is_not_run_and_counted() -> None:
    report = run(Subset())
    assert report.exit_status == 0
    assert report.passed
    counts = report.counts()
    assert set(counts) == {PASS, NOT_RUN}
    assert counts[PASS] == 18  # nine vectors and their batches
    runs = sum(len(v.dtypes) for v in VECTORS)
    assert counts[PASS] - 9 + counts[NOT_RUN] == runs
    reasons = {o.detail for o in report.outcomes if o.status == NOT_RUN}
    assert "declined: NotImplementedError: later" in reasons
    assert "the backend does not claim float32" in reasons
    assert "the backend has no such function" in reasons


def test_a_module_is_a_backend() -> None:
    module = types.ModuleType("my_module")
    module.reverse = planted.Sound().reverse  # type: ignore[attr-defined]
    report = run(module, select(VECTORS, operations=["reverse"]))
    assert report.passed
    assert report.backend == "my_module"


def test_a_backend_without_functions_is_an_error() -> None:
    with pytest.raises(LayoutError, match="expected a backend with functions"):
        run(planted.NothingAtAll())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_name", "expected one of numpy"),
        ("no_such_package:factory", "No module named"),
        ("conformance_backends:no_such", "no attribute"),
        ("conformance_backends:NothingAtAll", "none of the functions"),
    ],
)
def test_a_wrong_name_is_an_error_that_says_what_was_expected(spec: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        run(spec, VECTORS[:1])


def test_a_factory_in_a_process_of_its_own_gives_the_same_outcomes() -> None:
    chosen = select(VECTORS, operations=["exp", "reverse"])[:40]
    here = run(planted.factory(), chosen)
    there = run("conformance_backends:factory", chosen)
    assert there.backend == here.backend == "sound"
    assert [(o.id, o.status) for o in there.outcomes] == [(o.id, o.status) for o in here.outcomes]


def test_acceptable_inputs_may_be_refused_and_invalid_ones_must_be() -> None:
    class Refuses:
        def log(self, signature: Any, r: Any) -> Any:
            raise ValueError("no")

    report = run(Refuses(), select(VECTORS, operations=["log"]))
    statuses = {v.id: v.result for v in VECTORS}
    for outcome in report.outcomes:
        expected = "REFUSED" if statuses[outcome.id] == "valid" else PASS
        assert outcome.status == expected


def test_a_refusal_is_an_error_and_a_bug_is_not() -> None:
    vector = next(v for v in VECTORS if v.result == "invalid" and v.operation.name == "exp")
    for error, status in (
        (ValueError("not finite"), PASS),
        (ArithmeticError("not finite"), PASS),
        (NameError("log"), "CRASHED"),
        (IndexError("3"), "CRASHED"),
        (NotImplementedError("no"), NOT_RUN),
    ):

        class Raises:
            def exp(self, signature: Any, b: Any, error: Exception = error) -> Any:
                raise error

        outcomes = run(Raises(), [vector]).outcomes
        assert {o.status for o in outcomes} == {status}


def test_the_timer_does_not_outlive_a_call() -> None:
    caller = Here(planted.Sound(), 0.2)
    caller.call("reverse", (2, 0, 0), [np.zeros(4)])
    import time

    time.sleep(0.3)  # an alarm left over would end the test run
    assert open_backend(planted.Sound(), 1.0).name == "sound"


def test_complex_answers_are_refused_not_cut() -> None:
    class Complex(planted.Sound):
        def exp(self, signature: Any, b: Any) -> Any:
            return np.ones((*b.shape[:-1], 2 ** (sum(signature) - 1))) * 1j

    report = run(Complex(), select(VECTORS, operations=["exp"])[:4])
    assert {o.status for o in report.outcomes} == {"REFUSED"}


def test_shapes_of_all_kinds() -> None:
    assert shape_of("multivector", (3, 0, 1)) == (16,)
    assert shape_of("parts", (3, 0, 0)) == (1, 3)
    for operation in OPERATIONS.values():
        assert set(operation.shapes((2, 1, 0))) == set(operation.arguments)
        assert operation.bound >= 1


# --- geomlin itself ---------------------------------------------------------------------------


def test_geomlin_on_numpy_passes_everything_in_both_dtypes() -> None:
    report = run(load_backend("numpy"))
    assert report.failures == [], [str(o) for o in report.failures]
    assert NOT_RUN not in report.counts()
    assert {o.dtype for o in report.outcomes} == {"float64", "float32"}
    assert {o.operation for o in report.outcomes} == set(OPERATIONS)
    assert sum(o.flags == ("BATCH",) for o in report.outcomes) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "signatures"),
    [
        ("torch", None),  # all of them
        ("jax", [(3, 0, 0), (4, 0, 0), (3, 0, 1)]),  # it compiles each operation for each algebra
        ("jax-jit", [(3, 0, 0)]),
    ],
)
def test_geomlin_on_frameworks_passes_in_both_dtypes(name: str, signatures: Any) -> None:
    chosen = [v for v in VECTORS if signatures is None or v.signature in signatures]
    report = run(name, chosen, seconds=300.0)
    assert report.failures == [], [str(o) for o in report.failures]
    assert report.passed


def one_of_each(signature: tuple[int, int, int], operations: Any = None) -> list[Vector]:
    """One valid vector of each operation and dtype: of an algebra, each is traced anew."""
    chosen: dict[Any, Vector] = {}
    for vector in select(VECTORS, operations=operations or tuple(OPERATIONS)):
        if vector.signature == signature and vector.result == "valid":
            chosen.setdefault((vector.operation.name, vector.dtypes), vector)
    return list(chosen.values())


@pytest.mark.slow
def test_geomlin_on_compiled_torch() -> None:
    """Whole graphs of every operation, and of its batches with two axes: other shapes."""
    report = run("torch-compiled", one_of_each((3, 0, 0)), seconds=300.0)
    assert report.failures == [], [str(o) for o in report.failures]
    assert report.passed


def test_the_compiled_backend_answers_nothing_by_eager_torch(monkeypatch: Any) -> None:
    """Graphs are counted; false twins: a compiler that does nothing, a function with a break."""
    import torch

    from geomlin.conformance.backends import own
    from geomlin.conformance.backends.compiled import CompiledTorchBackend

    chosen = one_of_each((3, 0, 0), ("reverse",))
    backend = CompiledTorchBackend()
    assert run(backend, chosen, seconds=300.0).passed
    assert backend.graphs >= 1
    with monkeypatch.context() as patch:
        patch.setattr(torch, "compile", lambda function, **_: function)
        report = run(CompiledTorchBackend(), chosen)
    assert {o.status for o in report.outcomes} == {"REFUSED"}
    assert all("made no graph" in o.detail for o in report.outcomes)

    def breaks(alg: Any, a: Any) -> Any:
        torch._dynamo.graph_break()
        return a

    monkeypatch.setitem(own.ON_ARRAYS, "reverse", breaks)
    report = run(CompiledTorchBackend(), chosen, seconds=300.0)
    assert {o.status for o in report.outcomes} == {"REFUSED"}


@pytest.mark.parametrize("name", ["torch", "torch-compiled", "jax", "jax-jit"])
def test_geomlin_on_frameworks_passes_one_vector_of_each_kind(name: str) -> None:
    """The quick part of what the slow tests run whole."""
    operations = ("geometric_product", "rotor_from_matrix", "invariant_decomposition", "exp", "log")
    report = run(name, one_of_each((3, 0, 0), operations), seconds=300.0)
    assert report.failures == [], [str(o) for o in report.failures]
    assert {o.operation for o in report.outcomes if o.status == PASS} == set(operations)
    assert {o.dtype for o in report.outcomes} == {"float64", "float32"}


# --- the report -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def failing() -> Report:
    chosen = select(VECTORS, operations=["exp", "log", "reverse", "sqrt"])
    return run(planted.AcosLog(), [v for v in chosen if sum(v.signature) <= 3])


def test_the_markdown_says_what_fails_and_why(failing: Report) -> None:
    text = failing.markdown()
    assert text.startswith("# Conformance of sound")
    assert f"FAILED {failing.backend}" in text
    assert "| NEAR_IDENTITY |" in text
    assert "acos of the scalar part loses half of the digits near 1" in text
    assert "WRONG log in Cl(3,0,0)" in text
    for row in failing.rows():
        assert f"| {row.operation} | {row.passed} | {row.failed} |" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    for first, second in pairwise(tables):
        if second.startswith("| ---"):
            assert first.replace("\\|", "").count("|") == second.count("|")


def test_the_html_is_well_formed_and_needs_nothing_else(failing: Report) -> None:
    page = failing.html()

    class Balanced(HTMLParser):
        open_tags: list[str]

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag != "meta":
                self.open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open_tags.pop() == tag

    parser = Balanced()
    parser.open_tags = []
    parser.feed(page)
    assert parser.open_tags == []
    assert "NEAR_IDENTITY" in page
    assert "http" not in page
    assert "<script" not in page


def test_the_json_is_json_and_complete(failing: Report) -> None:
    data = json.loads(failing.json())
    assert data["exit_status"] == 1
    assert sum(data["counts"].values()) == len(data["outcomes"]) == len(failing.outcomes)
    assert data["failing_flags"][0] in data["flags"]
    assert data["vectors"].endswith("chosen ones")


def test_counts_and_rows_agree(failing: Report) -> None:
    assert sum(failing.counts().values()) == len(failing.outcomes)
    rows = {row.operation: row for row in failing.rows()}
    assert rows["log"].failed == len(failing.failures)
    assert rows["exp"].worst_passing <= rows["exp"].bound
    assert rows["log"].worst > rows["log"].bound
    assert failing.worst_of("NEAR_IDENTITY") > 192
    ran = [o for o in failing.outcomes if o.status != NOT_RUN]
    failed, total = failing.flags()["NEAR_IDENTITY"]
    assert total == sum("NEAR_IDENTITY" in o.flags for o in ran)
    assert 0 < failed <= total


def test_reports_of_the_kit_and_of_verify_are_reports(failing: Report) -> None:
    from geomlin.verification.report import Report as Verification

    assert isinstance(failing, geomlin.Report)
    assert isinstance(Verification(seed=0), geomlin.Report)
    assert failing.exit_status == 1


def test_nothing_ran_is_not_a_pass() -> None:
    empty = Report("nothing", "", (), 0.0)
    assert not empty.passed
    assert empty.exit_status == 0
    assert "nothing ran" in empty.summary_line()


def test_outcomes_print_what_is_needed_to_repeat_them() -> None:
    outcome = Outcome(
        7, "exp", (4, 0, 0), "float32", "WRONG", ("SIGN",), "zero", 3e5, 64.0, mistake="SIGN"
    )
    assert str(outcome) == (
        "WRONG exp in Cl(4,0,0), float32, vector 7: zero, error 3e+05 of 64 eps, the answer of SIGN"
    )


# --- the command line and the plugin ----------------------------------------------------------


def command(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    )


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two small groups."""
    path = tmp_path_factory.mktemp("vectors")
    for group in ("layer", "product"):
        text = (folder() / f"{group}.json").read_text(encoding="utf-8")
        (path / f"{group}.json").write_text(text, encoding="utf-8")
    return path


def test_the_command_exits_0_1_2(few: Path, tmp_path: Path) -> None:
    options = ["--vectors", str(few)]
    good = command("-m", "geomlin", "conformance", "--backend", "numpy", *options)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.splitlines()[-1].startswith("OK geomlin numpy")
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    bad = command(
        "-m", "geomlin", "conformance", "--backend", "conformance_backends:Order", *options,
        "--html", str(page), "--json", str(data),
    )  # fmt: skip
    assert bad.returncode == 1
    assert "| ORDER |" in bad.stdout
    assert json.loads(data.read_text(encoding="utf-8"))["failing_flags"][0] == "ORDER"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    for arguments in ([], ["--backend", "numpy", "--peer", "clifford"], ["--peer", "nobody"]):
        wrong = command("-m", "geomlin", "conformance", *arguments)
        assert wrong.returncode == 2
        assert re.search(r"expected .*, got|expected one of", wrong.stderr)


def broken_vectors(change: str) -> str:
    """A file of vectors with one fault."""
    document = json.loads((folder() / "layer.json").read_text(encoding="utf-8"))
    test = document["tests"][0]
    if change == "no version":
        del document["version"]
    elif change == "an operation that is none":
        test["operation"] = "no_such_operation"
    elif change == "a number too few":
        test["input"]["x"] = test["input"]["x"][1:]
    elif change == "no number":
        test["input"]["x"][0] = "many"
    return json.dumps(document) if change != "no JSON" else "{"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("no JSON", "Expecting property name"),
        ("no version", "'version' is missing"),
        ("an operation that is none", "no operation 'no_such_operation'"),
        ("a number too few", "numbers for 'x', got"),
        ("no number", "does not match"),
    ],
)
def test_a_folder_with_a_bad_file_of_vectors_is_named(
    tmp_path: Path, change: str, message: str
) -> None:
    (tmp_path / "layer.json").write_text(broken_vectors(change), encoding="utf-8")
    with pytest.raises(LayoutError, match=re.escape(message)) as raised:
        run(planted.Sound(), tmp_path)
    assert str(tmp_path / "layer.json") in str(raised.value)


def test_the_command_exits_2_for_a_bad_folder_of_vectors(tmp_path: Path) -> None:
    (tmp_path / "layer.json").write_text("{", encoding="utf-8")
    options = ["--backend", "numpy", "--vectors", str(tmp_path)]
    done = command("-m", "geomlin", "conformance", *options)
    assert done.returncode == 2
    assert "LayoutError: expected a file of conformance vectors" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_good_folder_of_vectors_is_run(few: Path) -> None:
    assert run(planted.Sound(), few).passed


def test_export_writes_what_is_shipped(tmp_path: Path, monkeypatch: Any) -> None:
    """The command itself, on the groups that take no time."""
    from geomlin.conformance import catalogue_products, command, export

    monkeypatch.setattr(export, "drafts", catalogue_products.layer_drafts)
    monkeypatch.setattr("geomlin.conformance.export.lint", lambda documents, ids: [])
    said = command.export(tmp_path / "new")
    assert said.startswith("11 vectors of version 1.0")
    made = (tmp_path / "new" / "layer.json").read_text(encoding="utf-8")
    assert made == (folder() / "layer.json").read_text(encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LayoutError, match="cannot write"):
        command.export(tmp_path / "file")


def test_export_refuses_to_write_what_does_not_lint(tmp_path: Path, monkeypatch: Any) -> None:
    from geomlin.conformance import catalogue_products, export

    monkeypatch.setattr(export, "drafts", catalogue_products.layer_drafts)
    with pytest.raises(LayoutError, match="do not lint"):
        export.export(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def pytest_run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    plugin = ("-m", "pytest", "-p", "geomlin.conformance.plugin", "-p", "no:cacheprovider")
    return command(*plugin, *arguments, cwd=cwd)


def test_the_plugin_makes_a_test_of_each_vector(tmp_path: Path) -> None:
    spec = "--geomlin-backend=conformance_backends:Order"
    done = pytest_run(spec, "-k", "geometric_product and Cl_3_0_0", "-q", cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"FAILED .*geometric_product-Cl_3_0_0-float64-\d+-.*ORDER", done.stdout)
    assert "the answer of ORDER" in done.stdout
    good = pytest_run(
        "--geomlin-backend=conformance_backends:factory", "-k", "reverse", "-q", cwd=tmp_path
    )
    assert good.returncode == 0, good.stdout
    assert re.search(r"36 passed", good.stdout)


def test_the_plugin_skips_what_a_backend_does_not_claim(tmp_path: Path) -> None:
    done = pytest_run(
        "--geomlin-backend=scipy_rotation", "-q", "-rs",
        "-k", "layer or (exp and Cl_3_0_0 and BATCH)",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "the backend has no such function" in done.stdout
    assert "no vector of the batch passes alone" in done.stdout
    assert re.search(r"1 passed, \d+ skipped", done.stdout)


def test_without_the_option_the_plugin_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n", encoding="utf-8")
    done = pytest_run("-q", cwd=tmp_path)
    assert "1 passed" in done.stdout
    code = (
        "import sys, geomlin.conformance.plugin as p;"
        "assert not any(m in sys.modules for m in"
        " ('flint', 'scipy', 'sympy', 'geomlin.conformance.runner', 'torch'))"
    )
    assert command("-c", code).returncode == 0


def test_the_plugin_and_the_data_are_part_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    entry = project["project"]["entry-points"]["pytest11"]["geomlin"]
    assert entry == "geomlin.conformance.plugin"
    packages = project["tool"]["setuptools"]["packages"]
    assert {"geomlin.conformance", "geomlin.conformance.backends", "geomlin.interop"} <= {*packages}
    data = project["tool"]["setuptools"]["package-data"]["geomlin.conformance"]
    assert {"schema.json", "vectors/*.json"} <= {*data}


def test_the_public_names() -> None:
    kit = geomlin.conformance
    assert all(hasattr(kit, name) for name in kit.__all__)
    assert set(kit.__all__) <= set(dir(kit))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = kit.no_such_name


def test_a_missing_peer_says_how_to_get_it(monkeypatch: Any) -> None:
    from geomlin.conformance.backends import require

    with pytest.raises(BackendMissing, match="pip install no-such"):
        require("no_such_package", "no-such")
    assert {*PEERS} >= {"clifford", "kingdon", "galgebra", "galaga", "scipy_rotation"}
    assert {*BUILT_IN} == {"numpy", "torch", "torch-compiled", "jax", "jax-jit"}
