"""Arrays of other kinds and libraries: named errors that say what to do, or their numbers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import geomlin as G
from geomlin import Algebra, DtypeError, GeomlinError, LayoutError, spinor

BACKENDS = ("numpy", "torch", "jax")
ones = torch.ones(3)


class Foreign:
    """An array that breaks when numpy reads it."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("no numbers today")


def quantised() -> Any:
    """Made without the scales of a real model."""
    return torch._empty_affine_quantized((3,), scale=0.1, zero_point=0, dtype=torch.qint8)


REFUSED: dict[str, tuple[Any, str]] = {
    "sparse": (ones.to_sparse, "to_dense|sparse"),
    "compressed rows": (lambda: torch.eye(3).to_sparse_csr(), "to_dense|layout"),
    "meta": (lambda: ones.to("meta"), "meta"),
    "quantised": (quantised, "quantised|QInt8"),
    "lazy": (torch.nn.UninitializedParameter, "without values|uninitialized"),
    "complex": (lambda: ones.to(torch.complex64), "real coefficients"),
    "float8": (lambda: ones.to(torch.float8_e4m3fn), "loat8"),
    "complex of jax": (lambda: jnp.ones(3, dtype=jnp.complex64), "real coefficients"),
    "random key": (lambda: jax.random.key(0), "key"),
    "objects": (lambda: np.array([1, 2, "a"], dtype=object), "object"),
    "texts": (lambda: np.array(["a", "b", "c"]), "U1"),
    "dates": (lambda: np.array(["2020-01-01"] * 3, dtype="datetime64[D]"), "datetime64"),
    "records": (lambda: np.zeros(3, dtype=[("a", float)]), "got"),
    "lists of unequal length": (lambda: [[1.0, 2.0], [3.0]], "unequal length"),
    "nothing": (lambda: None, "object"),
    "foreign": (Foreign, "no numbers today"),
}


@pytest.mark.filterwarnings("ignore:Sparse", "ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_real_numbers_is_named(kind: str, backend: str) -> None:
    make, message = REFUSED[kind]
    alg = Algebra(3, backend=backend)
    with pytest.raises(GeomlinError, match=message) as raised:
        alg.vector(make())
    assert isinstance(raised.value, (DtypeError, LayoutError))
    assert "expected" in str(raised.value)
    with pytest.raises(GeomlinError):
        G.rotor_from_matrix(make(), alg)
    with pytest.raises(GeomlinError):
        alg.vector({"e1": make()})


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_a_tensor_that_waits_for_its_gradient_is_sent_to_torch(backend: str) -> None:
    """Its derivative would be lost without a word."""
    alg = Algebra(3, backend=backend)
    for values in (ones.clone().requires_grad_(), list(ones.clone().requires_grad_())):
        with pytest.raises(DtypeError, match=r"backend='torch'.*detach"):
            alg.vector(values)


def test_a_traced_array_of_jax_is_named_by_the_other_backends() -> None:
    for backend in ("numpy", "torch"):
        alg = Algebra(3, backend=backend)
        with pytest.raises(DtypeError, match="expected numbers that numpy can read"):
            jax.jit(lambda x, alg=alg: alg.vector(x).coeffs.sum())(jnp.ones(3))


@pytest.mark.parametrize("backend", BACKENDS)
def test_integers_bools_and_arrays_of_other_libraries_are_their_numbers(backend: str) -> None:
    alg = Algebra(3, backend=backend)
    for values in (
        torch.tensor([1, 0, 1]),
        torch.tensor([1, 0, 1], dtype=torch.uint8),
        torch.tensor([True, False, True]),
        torch.tensor([1.0, 0.0, 1.0]),
        jnp.array([1, 0, 1]),
        jnp.array([True, False, True]),
        jnp.array([1.0, 0.0, 1.0], dtype=jnp.bfloat16),
        np.array([1, 0, 1], dtype=np.int16),
    ):
        if backend != "jax" and getattr(values, "dtype", None) == jnp.bfloat16:
            continue  # numpy has no such dtype: refused, see above
        found = alg.vector(values)
        assert [float(x) for x in found.coeffs] == [1.0, 0.0, 1.0]
        assert "float" in str(found.dtype)


@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_spinor_blocks_of_other_kinds_are_named(backend: str) -> None:
    alg = Algebra(3, backend=backend)
    blocks = spinor.to_blocks(alg.vector([1.0, 2.0, 3.0]))
    assert spinor.from_blocks(blocks, alg) == alg.vector([1.0, 2.0, 3.0])
    with pytest.raises(DtypeError, match=f"expected blocks of {backend}"):
        spinor.from_blocks(np.asarray(blocks), alg)
    with pytest.raises(LayoutError, match=r"expected blocks \(..., 2, 2, 2\)"):
        spinor.from_blocks(blocks[..., :1], alg)
    with pytest.raises(G.NonFiniteInput):
        spinor.from_blocks(blocks * float("nan"), alg)
