"""Converters: there and back, and they commute with products and sandwiches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import interop_checks as checks
import numpy as np
import pytest
from interop_checks import LIBRARIES

import geomlin
from geomlin import (
    Algebra,
    BackendMissing,
    DtypeError,
    LayoutError,
    NotARotor,
    NotSupported,
    exp,
    interop,
    rotor_from_matrix,
    rotor_to_matrix,
    sandwich,
)
from geomlin.interop.relabel import places, vector_order

SIGNATURES = [(2, 0, 0), (3, 0, 0), (1, 3, 0), (3, 0, 1), (1, 1, 1), (4, 1, 0)]


@pytest.fixture(scope="module")
def check() -> Iterator[Callable[..., None]]:
    """Runs a check; that of clifford in a process in which numba compiles nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(int).result()  # the process starts under this environment

            def run(function: Callable[..., None], name: str, *arguments: Any) -> None:
                if name == "clifford":
                    pool.submit(function, name, *arguments).result()
                else:
                    function(name, *arguments)

            yield run


def cases() -> list[Any]:
    return [
        pytest.param(name, signature, id=f"{name}-{signature}")
        for name in LIBRARIES
        for signature in SIGNATURES
        if name != "galgebra" or sum(signature) <= 3
    ]


@pytest.mark.parametrize("law", [checks.there_and_back, checks.products, checks.sandwiches])
@pytest.mark.parametrize(("name", "signature"), cases())
def test_laws(name: str, signature: Any, law: Any, check: Any) -> None:
    check(law, name, signature)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("squares", [[0, 1, 1], [-1, 1, 1], [0, -1, 1]])
def test_other_orders_of_the_basis(name: str, squares: list[int], check: Any) -> None:
    check(checks.another_order, name, squares)


def test_the_order_of_basis_vectors() -> None:
    assert vector_order([1, 1, 1, -1]) == [0, 1, 2, 3]
    assert vector_order([0, -1, 1]) == [2, 1, 0]
    found, signs = places([[], [0], [1], [0, 1]], [1, 0])
    assert found.tolist() == [0, 2, 1, 3]
    assert signs.tolist() == [1, 1, 1, -1]
    with pytest.raises(NotSupported, match="orthonormal"):
        vector_order([2, 1])


def test_kingdon_takes_batches_and_custom_bases(rng: np.random.Generator) -> None:
    import kingdon

    a = Algebra(3).random.multivector(rng, (5,))
    assert np.array_equal(interop.from_kingdon(interop.to_kingdon(a)).coeffs, a.coeffs)
    product = interop.to_kingdon(a) * interop.to_kingdon(a)
    assert np.abs(interop.from_kingdon(product).coeffs - (a * a).coeffs).max() < 1e-14
    basis = ["e", "e1", "e2", "e3", "e23", "e31", "e12", "e123"]
    space = kingdon.Algebra(3, basis=basis)
    e13 = interop.to_kingdon(Algebra(3).blade("e13"), space)
    assert e13.e31 == -1.0
    assert interop.from_kingdon(e13)["e13"] == 1.0
    assert np.array_equal(
        interop.from_kingdon(space.multivector(keys=(), values=[])).coeffs, [0] * 8
    )


def test_galgebra_keeps_symbols() -> None:
    algebra = Algebra(2, backend="sympy")
    a = algebra.multivector({"1": "x", "e12": "y + 1"})
    assert interop.from_galgebra(interop.to_galgebra(a)) == a
    square = interop.from_galgebra(interop.to_galgebra(a) * interop.to_galgebra(a))
    assert all(value.simplify() == 0 for value in (square - a * a).as_dict().values())
    assert any(value.simplify() != 0 for value in (square - a).as_dict().values())


def test_what_has_no_batches_says_so(rng: np.random.Generator) -> None:
    batch = Algebra(2).random.multivector(rng, (3,))
    for convert in (interop.to_clifford, interop.to_galgebra):
        with pytest.raises(LayoutError, match="no batches"):
            convert(batch)


@pytest.mark.parametrize("name", LIBRARIES)
def test_another_signature_is_an_error(name: str) -> None:
    library = LIBRARIES[name]
    with pytest.raises(LayoutError, match="expected a"):
        library.to(Algebra(3).scalar(1.0), library.target([1, 1, -1]))


def test_what_is_no_multivector_is_an_error() -> None:
    for convert in (interop.to_clifford, interop.to_kingdon, interop.to_quaternion):
        with pytest.raises(LayoutError, match="expected a Multivector"):
            convert([1.0])


# --- three dimensions -------------------------------------------------------------------------


def test_quaternion_units() -> None:
    one, i, j, k = (interop.from_quaternion(q) for q in np.eye(4))
    assert i * j == k
    assert j * k == i
    assert k * i == j
    assert i * i == -one
    assert [name for q in (i, j, k) for name in q.as_dict()] == ["e23", "e13", "e12"]


def test_quaternion_products_and_back(rng: np.random.Generator) -> None:
    p, q = rng.normal(size=(2, 7, 4))
    a, b = interop.from_quaternion(p), interop.from_quaternion(q)
    assert np.array_equal(interop.to_quaternion(a), p)
    w = p[:, 0] * q[:, 0] - (p[:, 1:] * q[:, 1:]).sum(axis=-1)
    v = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    assert np.abs(interop.to_quaternion(a * b) - np.concatenate([w[:, None], v], -1)).max() < 1e-14
    twin = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:])
    assert np.abs(interop.to_quaternion(a * b)[:, 1:] - twin).max() > 0.1
    last = interop.to_quaternion(a, scalar_first=False)
    assert np.array_equal(last, np.roll(p, -1, axis=-1))
    assert np.array_equal(interop.from_quaternion(last, scalar_first=False).coeffs, a.coeffs)


def test_quaternions_turn_vectors_as_rotors_do(rng: np.random.Generator) -> None:
    rotor = exp(Algebra(3).random.bivector(rng))
    x = rng.normal(size=3)
    q = interop.to_quaternion(rotor)
    v = q[1:]
    turned = x + 2 * np.cross(v, np.cross(v, x) + q[0] * x)
    assert np.abs(sandwich(rotor, Algebra(3).vector(x)).grade(1).coeffs - turned).max() < 1e-14


def test_scipy_rotations(rng: np.random.Generator) -> None:
    from scipy.spatial.transform import Rotation

    algebra = Algebra(3)
    rotors = exp(algebra.random.bivector(rng, (6,)))
    x = rng.normal(size=3)
    rotation = interop.to_scipy_rotation(rotors)
    assert np.abs(rotation.as_matrix() - rotor_to_matrix(rotors)).max() < 1e-14
    turned = sandwich(rotors, algebra.vector(x)).grade(1).coeffs
    assert np.abs(rotation.apply(x) - turned).max() < 1e-14
    back = interop.from_scipy_rotation(rotation)
    assert (
        np.abs(back.coeffs - rotor_from_matrix(rotor_to_matrix(rotors), algebra).coeffs).max()
        < 1e-14
    )
    first, second = interop.to_scipy_rotation(rotors[0]), interop.to_scipy_rotation(rotors[1])
    product = interop.to_scipy_rotation(rotors[0] * rotors[1])
    assert np.abs((first * second).as_matrix() - product.as_matrix()).max() < 1e-14
    assert np.abs((second * first).as_matrix() - product.as_matrix()).max() > 1e-3
    turn = Rotation.from_rotvec([0.1, -0.2, 0.3])
    b = geomlin.log(interop.from_scipy_rotation(turn))
    assert np.abs(b.coeffs - [-0.15, -0.1, -0.05]).max() < 1e-15


def test_half_turns_have_the_canonical_sign() -> None:
    from scipy.spatial.transform import Rotation

    for axis in np.eye(3):
        rotation = Rotation.from_rotvec(np.pi * axis)
        found = interop.from_scipy_rotation(rotation)
        matrix = np.diag(2 * axis - 1.0)
        assert np.abs(found.coeffs - rotor_from_matrix(matrix, Algebra(3)).coeffs).max() < 1e-15


def test_bad_input_in_three_dimensions() -> None:
    with pytest.raises(LayoutError, match="Cl"):
        interop.to_quaternion(Algebra(4).scalar(1.0))
    with pytest.raises(LayoutError, match="even"):
        interop.to_quaternion(Algebra(3).blade("e1"))
    with pytest.raises(LayoutError, match="shape"):
        interop.from_quaternion([1.0, 2.0])
    with pytest.raises(DtypeError, match="real"):
        interop.from_quaternion([1j, 0, 0, 0])
    with pytest.raises(NotARotor, match="normalize"):
        interop.to_scipy_rotation(Algebra(3).even([2.0, 0, 0, 0]))
    with pytest.raises(LayoutError, match="scipy Rotation"):
        interop.from_scipy_rotation(np.eye(3))
    with pytest.raises(LayoutError, match="batch axis"):
        interop.to_scipy_rotation(Algebra(3).even(np.eye(4)[None, :1]))


def test_float32_stays() -> None:
    a = Algebra(3).even(np.array([1, 2, 3, 4], np.float32))
    q = interop.to_quaternion(a)
    assert q.dtype == np.float32
    assert interop.from_quaternion(q).coeffs.dtype == np.float32


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from geomlin.interop import relabel

    with pytest.raises(BackendMissing, match=r"pip install 'geomlin\[oracles\]'"):
        relabel.library("no_such_library")
    with pytest.raises(AttributeError, match="no attribute"):
        _ = interop.to_nothing
    assert set(interop.__all__) <= set(dir(interop))


def test_the_tables_of_the_modules_are_those_of_the_page() -> None:
    root = Path(__file__).parents[1]
    page = (root / "docs" / "interop.md").read_text(encoding="utf-8")
    for module in ("clifford", "kingdon", "galgebra", "quaternion", "scipy_rotation"):
        text = (root / "geomlin" / "interop" / f"{module}.py").read_text(encoding="utf-8")
        table = re.search(r"^=+  =+.*?\n=+  .*?\n(.*?)^=+  ", text, re.M | re.S)
        assert table
        for line in table.group(1).splitlines():
            cells = [cell for cell in re.split(r"  +", line.strip()) if cell]
            assert all(cell.replace("|", "\\|") in page for cell in cells), line
