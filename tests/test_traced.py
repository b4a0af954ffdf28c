"""A traced graph cannot raise: what depends on a NaN is NaN, never a number that looks right."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
import torch
from framework_tools import algebra_on, array, double_precision, numbers
from traced_calls import CALLS, Function, calls_of, coefficients, function_of

import geomlin as G
from geomlin import Algebra

UNKNOWN_KIND = -1  # of planes that were not found; a bool is False


@pytest.fixture(autouse=True)
def _float64() -> Any:
    with double_precision():
        yield


def leaves(name: str, found: Any) -> list[Any]:
    """All arrays of a result, as numpy."""
    tree = jax.tree.leaves(found) if name == "jax" else torch.utils._pytree.tree_leaves(found)
    return [numbers(leaf) for leaf in tree]


def traced(mode: str, function: Function) -> Function:
    """The function of batches (count, size), its numbers unknown to it."""
    if mode == "jit":
        return jax.jit(function)
    if mode == "vmap":
        return torch.func.vmap(function)
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager")


def check_nan(mode: str, signature: tuple[int, ...], call: str, function: Any = None) -> None:
    """Rows of a batch: good numbers, then each coefficient NaN, then each moved a little."""
    name = "jax" if mode == "jit" else "torch"
    alg, rng = Algebra(*signature), np.random.default_rng(7)
    good = [coefficients(kind, alg, rng) for kind in CALLS[call].operands]
    run = traced(mode, function or function_of(call, algebra_on(name, signature)))
    for place, values in enumerate(good):
        size = values.size
        batches = [np.repeat(x[None], 1 + 2 * size, axis=0) for x in good]
        batches[place][1 : 1 + size][np.diag_indices(size)] = np.nan
        batches[place][1 + size :][np.diag_indices(size)] += 1e-5
        for leaf in leaves(name, run(*(array(name, x) for x in batches))):
            rows = leaf.reshape(1 + 2 * size, -1)
            check_rows(rows[0], rows[1 : 1 + size], rows[1 + size :], CALLS[call].separate)


def check_rows(clean: Any, unknown: Any, moved: Any, separate: bool) -> None:
    """Results of good numbers, of one NaN each, and of one other number each."""
    if clean.dtype == bool:
        assert not unknown.any()
    elif clean.dtype == np.int8:
        assert (unknown == UNKNOWN_KIND).all()
        assert (clean >= 0).all()
    else:
        assert np.isfinite(clean).all()
        depends = moved != clean if separate else np.ones_like(unknown, dtype=bool)
        assert np.isnan(unknown[depends]).all()
        assert separate or depends.any()


SIGNATURES = [(4, 0, 0), (3, 0, 1), (6, 0, 0)]
SHORT = ["exp", "outer_exp", "log", "rotor_between", "invariant_decomposition", "is_rotor"]


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_nan_under_vmap_gives_nan(signature: tuple[int, ...]) -> None:
    for call in calls_of(Algebra(*signature)):
        check_nan("vmap", signature, call)


@pytest.mark.parametrize("call", SHORT)
def test_nan_under_jit_gives_nan(call: str) -> None:
    check_nan("jit", (4, 0, 0), call)


@pytest.mark.slow
@pytest.mark.parametrize("signature", [(4, 0, 0), (3, 0, 1)], ids=str)
def test_nan_under_jit_gives_nan_in_every_function(signature: tuple[int, ...]) -> None:
    for call in calls_of(Algebra(*signature)):
        check_nan("jit", signature, call)


@pytest.mark.parametrize("call", ["outer_exp", "invariant_decomposition", "is_rotor"])
def test_nan_in_compiled_torch_gives_nan(call: str) -> None:
    check_nan("compile", (3, 0, 0), call)


@pytest.mark.slow
def test_nan_in_compiled_torch_gives_nan_in_every_function() -> None:
    for call in calls_of(Algebra(3)):
        check_nan("compile", (3, 0, 0), call)


def test_every_public_function_of_multivectors_is_in_the_table() -> None:
    """So that a new one is not forgotten; the others need no trace, or are refused in one."""
    others = {"load", "save", "verify", "prove"}
    refused = {
        name
        for name, answer in algebra_on("torch", (3, 0, 0)).backend_object.answers.items()
        if answer.__name__ == "refuse"
    }
    functions = {name for name in G.__all__ if name[0].islower() and callable(getattr(G, name))}
    assert functions - others - refused - set(CALLS) == set()
    assert not refused & set(CALLS)


def test_a_plausible_number_is_found() -> None:
    """False twins: the check refutes a function that forgets NaN, and one that keeps a part."""
    alg = algebra_on("torch", (4, 0, 0))

    def forgets(c: Any) -> Any:
        return G.exp(alg.bivector(torch.nan_to_num(c)))

    def keeps_the_scalar_part(c: Any) -> Any:
        wedge = G.outer_exp(alg.bivector(c)).coeffs
        return torch.cat([torch.ones_like(c[..., :1]), wedge[..., 1:]], -1)

    for wrong in (forgets, keeps_the_scalar_part):
        with pytest.raises(AssertionError):
            check_nan("vmap", (4, 0, 0), "outer_exp", wrong)
