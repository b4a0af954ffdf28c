"""Four faults planted in a scratch copy: `geomlin verify` and the tests must both find each one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Fault:
    """One line that is changed, where verify looks for it, and an identity that must fall."""

    name: str
    file: str
    line: str
    sabotaged: str
    engines: tuple[str, ...]
    signature: str
    refuted: str
    tests: str


FAULTS = [
    Fault(
        name="one sign of the product table is flipped: e1 e2 = -e12",
        file="geomlin/tables.py",
        line="        sign = (1 - 2 * parity(s[j] & below[j])).astype(np.int8)\n",
        sabotaged="        sign = (1 - 2 * parity(s[j] & below[j])).astype(np.int8)\n"
        "        sign = np.where((s[j] == 1) & (t[j] == 2), -sign, sign).astype(np.int8)\n",
        engines=("fractions", "flint"),
        signature="3,0,0",
        refuted="product_is_associative",
        tests="product_is_associative",
    ),
    Fault(
        name="cos and sin are swapped in exp",
        file="geomlin/kernels/closed_form.py",
        line="    cosine, sine = np.cos(angle), np.sin(angle)\n",
        sabotaged="    cosine, sine = np.sin(angle), np.cos(angle)\n",
        engines=("numpy",),
        signature="3,0,0",
        refuted="exponential_of_the_negative",
        tests="exponential_of_the_negative",
    ),
    Fault(
        name="the largest plane is dropped from the decomposition",
        file="geomlin/ops/decomposition.py",
        line="    answer = part.replace(part.layout, values), squares, found.kinds\n",
        sabotaged="    values[..., 0, :] = 0.0\n"
        "    answer = part.replace(part.layout, values), squares, found.kinds\n",
        engines=("numpy",),
        signature="4,0,0",
        refuted="parts_sum_to_the_bivector",
        tests="parts_sum_to_the_bivector",
    ),
    Fault(
        name="the rotor matrix is transposed",
        file="geomlin/ops/matrices.py",
        line="    matrix = kernel(to_compact(R), R.algebra.metric)\n",
        sabotaged="    matrix = kernel(to_compact(R), R.algebra.metric).swapaxes(-1, -2)\n",
        engines=("numpy",),
        signature="3,0,0",
        refuted="matrix_acts_as_the_rotor",
        tests="matrix_acts_as_the_rotor",
    ),
]


def _copy(fault: Fault, folder: Path) -> Path:
    """The project with the fault planted; the line must be there exactly once."""
    for part in ("geomlin", "proofs", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / fault.file
    source = path.read_text(encoding="utf-8")
    assert source.count(fault.line) == 1, f"{fault.file} has changed: move the fault"
    path.write_text(source.replace(fault.line, fault.sabotaged), encoding="utf-8")
    return folder


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _verify(folder: Path, fault: Fault) -> subprocess.CompletedProcess[str]:
    engines = [x for engine in fault.engines for x in ("--engine", engine)]
    command = ("-m", "geomlin", "verify", "--signature", fault.signature, "--processes", "1")
    return _run(folder, *command, *engines)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_verify_finds_the_fault_and_names_a_witness(fault: Fault, tmp_path: Path) -> None:
    done = _verify(_copy(fault, tmp_path), fault)
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.search(
        rf"^REFUTED {fault.refuted} in Cl\S+ .*\n +REFUTED\((.*)\)$", done.stdout, re.M
    )
    assert found, done.stdout
    witness = found.group(1)
    assert re.search(r"= -?\d", witness), witness
    assert "lhs" in witness or "raised" in witness
    assert done.stdout.splitlines()[-1].startswith("FAILED: ")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_tests_find_the_fault(fault: Fault, tmp_path: Path) -> None:
    folder = _copy(fault, tmp_path)
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_identities.py")
    done = _run(folder, *command, "-k", f"test_holds_in_floats and {fault.tests}")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"[{fault.tests}-" in done.stdout


def test_the_copy_itself_is_sound(tmp_path: Path) -> None:
    """Without a fault the same commands pass: it is the fault that is found."""
    fault = FAULTS[0]
    unharmed = Fault(**{**vars(fault), "sabotaged": fault.line, "engines": ("numpy", "fractions")})
    folder = _copy(unharmed, tmp_path)
    assert "geomlin" in _run(folder, "-c", "import geomlin; print(geomlin.__file__)").stdout
    assert str(folder) in _run(folder, "-c", "import geomlin; print(geomlin.__file__)").stdout
    done = _verify(folder, unharmed)
    assert done.returncode == 0, done.stdout + done.stderr
