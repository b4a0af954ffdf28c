"""Stacking, concatenating, and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from strategies import BACKENDS

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NotSupported,
    SignatureMismatch,
    concatenate,
    load,
    save,
    stack,
)

ALGEBRA = Algebra(2, 1)
E1, E2, E3 = ALGEBRA.basis_vectors


def vectors(*shape: int) -> Multivector:
    return ALGEBRA.vector(np.arange(3.0 * np.prod(shape)).reshape(*shape, 3))


# --- stack and concatenate ----------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_stack_is_numpys_stack_of_the_batches(axis: int) -> None:
    a, b = vectors(2, 4), 10 * vectors(2, 4)
    found = stack([a, b], axis=axis)
    place = axis if axis >= 0 else axis + 3
    assert found.coeffs.tolist() == np.stack([a.coeffs, b.coeffs], axis=place).tolist()
    assert found[(slice(None),) * place + (0,)] == a


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_concatenate_is_numpys(axis: int) -> None:
    a, b = vectors(2, 4), 10 * vectors(2, 4)
    place = axis if axis >= 0 else axis + 2
    found = concatenate([a, b], axis=axis)
    assert found.coeffs.tolist() == np.concatenate([a.coeffs, b.coeffs], axis=place).tolist()


def test_layouts_unite() -> None:
    plane = ALGEBRA.multivector([5], layout=["e12"])
    found = stack([E1, plane, ALGEBRA.scalar(3)])
    assert found.layout.names == ("1", "e1", "e2", "e3", "e12")
    assert [found[i] for i in range(3)] == [E1, plane, 3]
    joined = concatenate([vectors(2), ALGEBRA.scalar([1, 2, 3])])
    assert joined.shape == (5,)
    assert joined[1] == vectors(2)[1]
    assert joined[4] == 3


def test_empty_batches_join() -> None:
    assert concatenate([vectors(0), vectors(2), vectors(0)]) == vectors(2)
    assert stack([vectors(0), vectors(0)]).shape == (2, 0)


@pytest.mark.parametrize("name", BACKENDS)
def test_every_backend(name: str) -> None:
    algebra = Algebra(2, backend=name)
    a, b = algebra.vector([1, 2]), algebra.scalar(3)
    assert stack([a, b])[1] == b
    assert concatenate([stack([a, b]), stack([b])]).shape == (3,)


def test_dtypes_promote_as_in_numpy() -> None:
    single = E1.to(dtype=np.float32)
    assert stack([single, single]).dtype == np.float32
    assert stack([single, E2]).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: stack([]), LayoutError, "at least one"),
        (lambda: concatenate([]), LayoutError, "at least one"),
        (lambda: stack([E1, Algebra(3).blade("e1")]), SignatureMismatch, "one algebra"),
        (lambda: stack([E1, 3.0]), LayoutError, "expected a Multivector, got float"),
        (lambda: stack([vectors(2), vectors(3)]), LayoutError, "equal batch shapes"),
        (lambda: stack([E1, E2], axis=1), LayoutError, "batch axis from 0 to 0"),
        (lambda: stack([E1, E2], axis=-2), LayoutError, "batch axis from 0 to 0"),
        (lambda: concatenate([E1, E2]), LayoutError, "expected a batch axis"),
        (lambda: concatenate([vectors(2), vectors(2, 2)]), LayoutError, "agree but for axis 0"),
        (lambda: concatenate([vectors(2, 3), vectors(2, 2)]), LayoutError, "agree but for axis 0"),
        (lambda: concatenate([vectors(2)], axis=1), LayoutError, "batch axis from 0 to 0"),
    ],
)
def test_what_does_not_fit_raises(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 0, 3)])
def test_float_round_trip(tmp_path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    a = vectors(*shape).to(dtype=dtype) if shape else E1.to(dtype=dtype)
    save(tmp_path / "a.npz", a)
    again = load(tmp_path / "a.npz")
    assert again == a
    assert (again.dtype, again.shape, again.layout) == (a.dtype, a.shape, a.layout)
    assert not again.coeffs.flags.writeable


@pytest.mark.parametrize("name", ["fractions", "flint"])
def test_exact_round_trip(tmp_path: Path, name: str) -> None:
    algebra = Algebra(1, 0, 2, backend=name)
    for a in (
        algebra.multivector({"1": "1/3", "e23": -(10**40)}),
        algebra.vector([["1/7", 0, 0]]),
        algebra.vector(np.zeros((0, 3))),
        algebra.multivector([], layout=[]),
    ):
        save(tmp_path / "a", a)
        again = load(tmp_path / "a")
        assert again == a
        assert again.algebra == a.algebra


def test_the_name_is_used_as_it_is(tmp_path: Path) -> None:
    """numpy.savez would write plain.npz, and load("plain") would find nothing."""
    save(str(tmp_path / "plain"), E1)
    assert [p.name for p in tmp_path.iterdir()] == ["plain"]
    assert load(str(tmp_path / "plain")) == E1


def test_explicit_layout_and_large_dimension(tmp_path: Path) -> None:
    a = Algebra(11).multivector([1, 2], layout=["e1_11", "e11"])
    save(tmp_path / "a.npz", a)
    assert load(tmp_path / "a.npz") == a
    assert load(tmp_path / "a.npz").layout is a.layout


def test_symbols_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="not symbols"):
        save(tmp_path / "a.npz", Algebra(2, backend="sympy").vector([sympy.Symbol("x"), 0]))
    x, _ = flint.fmpq_mpoly_ctx.get(["x", "y"], "lex").gens()
    with pytest.raises(NotSupported, match="substitute values"):
        save(tmp_path / "a.npz", Algebra(2, backend="flint").vector([x, 0]))
    assert not (tmp_path / "a.npz").exists()


def written(path: Path, **changes: Any) -> Path:
    """A file as save writes it, with changes to its header or coefficients."""
    header = {"format": "geomlin multivector 1", "signature": [2, 0, 0], "backend": "numpy"}
    header |= {"blades": ["e1", "e2"], **{k: v for k, v in changes.items() if k != "coeffs"}}
    header = {key: value for key, value in header.items() if value is not None}
    np.savez(path, header=np.array(json.dumps(header)), coeffs=changes.get("coeffs", np.ones(2)))
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "something else"},
        {"format": None},
        {"signature": [2, 0]},
        {"signature": None},
        {"signature": [13, 0, 0]},
        {"backend": "unknown"},
        {"backend": "sympy"},  # its coefficients are text, and a file must not be evaluated
        {"blades": ["e1", "e9"]},
        {"blades": ["e2", "e1"]},  # not in blade order: the coefficients would be exchanged
        {"blades": ["e1"]},
        {"coeffs": np.ones(3)},
        {"coeffs": np.array(1.0)},
        {"coeffs": np.array(["a", "b"])},
        {"coeffs": np.array([np.nan, 0])},
        {"coeffs": np.array([1j, 0])},
        {"coeffs": np.array([{}, []], dtype=object)},  # needs pickle
    ],
    ids=str,
)
def test_damaged_files_are_layout_errors(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(LayoutError, match=r"expected a file written by geomlin.save"):
        load(written(tmp_path / "a.npz", **changes))


def test_an_undamaged_file_of_that_make_loads(tmp_path: Path) -> None:
    assert load(written(tmp_path / "a.npz")) == Algebra(2).vector([1, 1])


def test_other_files_are_layout_errors(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.npz").read_bytes()
    array = tmp_path / "array.npy"
    np.save(array, np.ones(3))
    other = tmp_path / "other.npz"
    np.savez(other, x=np.ones(3))
    contents = {"empty": b"", "text": b"hello", "cut": whole[: len(whole) // 2], "zip": whole[:4]}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for path in (array, other, *(tmp_path / name for name in contents)):
        with pytest.raises(LayoutError, match=r"expected a file written by geomlin.save"):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.npz")
