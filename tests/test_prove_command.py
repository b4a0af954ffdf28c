"""`geomlin prove`: theorems, identities, files of claims, exit codes, the index."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geomlin.errors import LayoutError
from geomlin.proving.catalogue import theorems
from geomlin.proving.claims_file import read_file
from geomlin.proving.command import Tally, lines_of, targets_of
from geomlin.proving.index import index_text, write_index
from geomlin.proving.theorem import Theorem

ROOT = Path(__file__).parents[1]

CLAIMS = '''
"""Some claims."""
from __future__ import annotations
from geomlin import left_contraction, regressive_product, scalar_product

def expansion(a: "vector", b: "vector", c: "vector"):
    """a . (b ^ c) = (a . b) c - (a . c) b"""
    return left_contraction(a, b ^ c), scalar_product(a, b) * c - scalar_product(a, c) * b

def false_expansion(a: "vector", b: "vector", c: "vector"):
    return left_contraction(a, b ^ c), scalar_product(a, b) * c + scalar_product(a, c) * b

def anticommute(a: "vector", b: "vector", *, given=lambda a, b: (scalar_product(a, b), 0)):
    return a * b, -(b * a)

def meet(a: "vector", b: "vector", c: "vector", *, dimension=3):
    return regressive_product(a ^ b, a ^ c), a * regressive_product(a ^ b, c)

def helper(x):
    return x

def _hidden(a: "vector"):
    return a, 0
'''

BAD_THEOREM = """
from geomlin.proving.theorem import Step, Theorem, Twin
from geomlin.verdict import Strength

def step(n):
    {}

steps, twins = (Step("step", step),), (Twin("twin", step, 2),)
THEOREM = Theorem("bad", "a statement", (), Strength.POLYNOMIAL, (2,), steps, twins)
"""


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "geomlin", "prove", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def claims_file(folder: Path, text: str) -> Path:
    path = folder / "claims.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_file_of_claims_is_proved(tmp_path: Path) -> None:
    done = run(str(claims_file(tmp_path, CLAIMS)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^CLAIM expansion: ALL_DIMENSIONS\(vectors=3\)  \S+ s  a \. \(b", done.stdout)
    assert re.search(r"^FALSE TWIN false_expansion: REFUTED\(Cl\(1\): a = e1, ", done.stdout, re.M)
    assert re.search(r"^CLAIM anticommute: ALL_DIMENSIONS\(vectors=2\)", done.stdout, re.M)
    assert re.search(r"^    provided ⟨a b⟩₀ = 0$", done.stdout, re.M)
    assert re.search(r"^CLAIM meet: POLYNOMIAL\(n=3\)", done.stdout, re.M)
    assert "helper" not in done.stdout
    assert "hidden" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("OK: 3 proved, 0 refuted, 0 not run; false twins refuted 1 of 1; ")
    assert done.stderr == ""


def test_annotations_need_not_be_postponed(tmp_path: Path) -> None:
    path = claims_file(tmp_path, CLAIMS.replace("from __future__ import annotations", ""))
    names = ["expansion", "false_expansion", "anticommute", "meet"]
    assert [claim.name for claim in read_file(path)[0]] == names


def test_refuted_claim_exits_with_one(tmp_path: Path) -> None:
    done = run(str(claims_file(tmp_path, CLAIMS.replace("-(b * a)", "b * a"))))
    assert done.returncode == 1
    assert "CLAIM anticommute: REFUTED(Cl(2): a = e1, b = e2; lhs = e12, rhs = -e12)" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("FAILED: 2 proved, 1 refuted")


def test_false_twin_that_is_true_exits_with_one(tmp_path: Path) -> None:
    done = run(str(claims_file(tmp_path, CLAIMS.replace("def expansion", "def false_but_true"))))
    assert done.returncode == 1
    assert "NOT REFUTED, although it is stated to be false" in done.stdout


def test_what_is_not_run_is_counted_and_exits_with_zero(tmp_path: Path) -> None:
    text = 'from geomlin import exp\ndef e(B: "bivector"):\n    return exp(B), 1\n'
    done = run(str(claims_file(tmp_path, text)))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("OK: 0 proved, 0 refuted, 1 not run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "expected claims"),
        ("raise OSError('broken')\n", "cannot be run: OSError: broken"),
        ("import sys\nsys.exit(0)\n", "cannot be run: SystemExit: 0"),
        ('def f(a: "vector"):\n    return len(a), a\n', "f raised TypeError"),
        ('import sys\ndef f(a: "vector"):\n    sys.exit(0)\n', "f raised SystemExit"),
        ("THEOREM = 5\n", "expected claims"),
        (BAD_THEOREM.format("1 / 0"), "cannot be checked: ZeroDivisionError: division by zero, in"),
        (BAD_THEOREM.format("exit(0)"), "cannot be checked: SystemExit: 0, in step 'step' of"),
        ('def f(a: "spinor"):\n    return a, a\n', "unknown kind 'spinor'"),
        (
            'def f(a: "vector", *, given=(lambda a: (a * a, 1), lambda a: (a * a, 2))):\n'
            "    return a, a\n",
            "VacuousHypotheses",
        ),
    ],
)
def test_bad_files_exit_with_two(tmp_path: Path, text: str, message: str) -> None:
    done = run(str(claims_file(tmp_path, text)))
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes close quietly elsewhere")
def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """`geomlin prove | head -1`: no traceback, and no status that says refuted or proved."""
    text = "".join(f'def claim_{k}(a: "vector"):\n    return a, a\n' for k in range(50))
    command = [sys.executable, "-m", "geomlin", "prove", str(claims_file(tmp_path, text))]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline().startswith("CLAIM ")
        run.stdout.close()
        assert run.stderr.read() == ""
        assert run.wait(timeout=60) == 141


def test_unknown_names_exit_with_two() -> None:
    done = run("no_such_theorem")
    assert done.returncode == 2
    assert "the theorems are" in done.stderr
    assert run("--index", "kernel").returncode == 2


def test_theorem_by_name_prints_every_step_and_hypothesis() -> None:
    done = run("square_of_bivector", "jacobi")
    assert done.returncode == 0
    theorem = theorems()["square_of_bivector"]
    assert re.search(
        r"^THEOREM square_of_bivector: POLYNOMIAL\(n=2\.\.6\)  \S+ s$", done.stdout, re.M
    )
    for step in theorem.steps:
        assert f" s  {step.name}" in done.stdout
    assert re.search(r"^    H1 NEEDED  B has grade 2$", done.stdout, re.M)
    assert re.search(
        r"^      dropped: without grade 2: .*: REFUTED\(g = \(1, 1, 1\); ", done.stdout, re.M
    )
    assert re.search(r"^IDENTITY jacobi: POLYNOMIAL\(n=1\.\.4\)  ", done.stdout, re.M)


def test_a_series_is_no_more_than_its_order() -> None:
    lines = list(lines_of(theorems()["commuting_exponentials"], Tally()))
    assert lines[0].startswith("THEOREM commuting_exponentials: POLYNOMIAL(n=2..6), SERIES(N=9) ")
    limited = [line for line in lines if "SERIES" in line]
    assert len(limited) == 3
    assert "`POLYNOMIAL(n=2..6), SERIES(N=9)`" in index_text(theorems())


def test_default_is_all_theorems_and_slow_is_on_request() -> None:
    assert targets_of(()) == list(theorems().values())
    theorem = theorems()["square_of_bivector"]
    flagged = Theorem(**{**vars(theorem), "slow": True})
    tally = Tally()
    (line,) = lines_of(flagged, tally)
    assert "NOT_RUN(slow: run it with --slow)" in line
    assert (tally.proved, tally.not_run, tally.exit_status) == (0, 1, 0)
    assert len(list(lines_of(flagged, tally, slow=True))) > 5
    assert tally.proved == 1


def test_theorem_file_is_run_as_a_theorem() -> None:
    claims, theorem = read_file(ROOT / "proofs" / "square_of_bivector.py")
    assert claims == []
    assert theorem is not None
    assert theorem.name == "square_of_bivector"


@pytest.mark.parametrize("theorem", theorems().values(), ids=theorems().keys())
def test_hypotheses_are_labelled(theorem: Theorem) -> None:
    """NEEDED only with a twin that drops it; such a twin is refuted by test_proofs."""
    assert len(theorem.labels) == len(theorem.hypotheses)
    for number, label in enumerate(theorem.labels, start=1):
        assert (label == "NEEDED") == any(twin.drops == number for twin in theorem.twins)


def test_twin_cannot_drop_a_hypothesis_that_there_is_not() -> None:
    theorem = theorems()["square_of_bivector"]
    twin = type(theorem.twins[0])("too many", theorem.twins[0].check, 4, drops=3)
    with pytest.raises(ValueError, match="drops a hypothesis"):
        Theorem(**{**vars(theorem), "twins": (twin,)})


def test_index_is_up_to_date() -> None:
    """Written by `geomlin prove --index`; test_proofs shows that the words are the earned ones."""
    path = ROOT / "proofs" / "README.md"
    assert path.read_text(encoding="utf-8") == index_text(theorems()), "run: geomlin prove --index"


def test_index_names_command_words_and_labels(tmp_path: Path) -> None:
    text = index_text(theorems())
    assert "geomlin prove --index" in text.splitlines()[0]
    for theorem in theorems().values():
        assert f"[{theorem.name}]({theorem.name}.py)" in text
        assert theorem.statement in text
    assert "- H1 NEEDED: R is even, R ~R = 1" in text
    assert "| `lagrange` | <(u ^ v)(v ^ u)>_0 = u^2 v^2 - <u v>^2 |" in text
    with pytest.raises(LayoutError, match="source checkout"):
        write_index(theorems(), tmp_path)
