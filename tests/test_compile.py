"""Every plain spelling in compiled code: one whole graph of torch, and under jit, vmap and grad."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
import torch
from framework_tools import TORCH_JIT, algebra_on, array, double_precision, numbers

import geomlin as G
from geomlin import Algebra, Multivector

pytestmark = pytest.mark.filterwarnings(TORCH_JIT)


class Given(NamedTuple):
    """What compiled functions are called with: multivectors and arrays, of one batch axis."""

    R: Any  # rotors
    A: Any  # on all blades
    B: Any  # bivectors
    x: Any  # vectors
    v: Any  # coefficients of vectors
    b: Any  # coefficients of bivectors
    t: Any  # one number each
    s: Any  # one number, no axis


Spelling = Callable[[Algebra, Given], Any]

SPELLINGS: dict[str, Spelling] = {
    "~R": lambda alg, o: ~o.R,
    "R x ~R": lambda alg, o: (o.R * o.x * ~o.R).grade(1),
    "~exp": lambda alg, o: ~G.exp(alg.bivector(o.b)),
    "-A": lambda alg, o: -o.A,
    "+A": lambda alg, o: +o.A,
    "A + B": lambda alg, o: o.A + o.B,
    "A - B": lambda alg, o: o.A - o.B,
    "A * B": lambda alg, o: o.A * o.B,
    "A ^ B": lambda alg, o: o.A ^ o.B,
    "A * s": lambda alg, o: o.A * o.s,
    "s * A": lambda alg, o: o.s * o.A,
    "A * t": lambda alg, o: o.A * o.t,
    "t * A": lambda alg, o: o.t * o.A,
    "A / s": lambda alg, o: o.A / o.s,
    "A / t": lambda alg, o: o.A / o.t,
    "A + s": lambda alg, o: o.A + o.s,
    "t + A": lambda alg, o: o.t + o.A,
    "A - t": lambda alg, o: o.A - o.t,
    "s - A": lambda alg, o: o.s - o.A,
    "A ^ t": lambda alg, o: o.A ^ o.t,
    "t ^ A": lambda alg, o: o.t ^ o.A,
    "A * 2": lambda alg, o: o.A * 2,
    "0.5 * A": lambda alg, o: 0.5 * o.A,
    "A / 2": lambda alg, o: o.A / 2,
    "1 - A": lambda alg, o: 1 - o.A,
    "A + 1": lambda alg, o: o.A + 1,
    "A += t": lambda alg, o: added_in_place(o.A, o.t),
    "A ** 2": lambda alg, o: o.A**2,
    "x ** -1": lambda alg, o: o.x**-1,
    "sum": lambda alg, o: sum([o.x, o.x, o.A]),
    "A.grade(2)": lambda alg, o: o.A.grade(2),
    "A.to_dense()": lambda alg, o: o.B.to_dense(),
    "A['e12']": lambda alg, o: o.A["e12"],
    "B['e1']": lambda alg, o: o.B["e1"] + o.b[..., 0],  # not stored
    "A.coeffs": lambda alg, o: 2 * o.A.coeffs,
    "A.shape": lambda alg, o: o.v.reshape(*o.A.shape, alg.n),
    "A.layout": lambda alg, o: o.v * o.A.layout.size,
    "alg.vector": lambda alg, o: alg.vector(o.v),
    "alg.bivector": lambda alg, o: alg.bivector(o.b),
    "alg.scalar": lambda alg, o: alg.scalar(o.t),
    "alg.bivector of names": lambda alg, o: alg.bivector({"e12": o.t, "e23": o.s}),
    "alg.blade": lambda alg, o: alg.blade("e12") * o.x,
    "alg.basis_vectors": lambda alg, o: alg.basis_vectors[0] * o.x,
    "e1, e2, e3": lambda alg, o: unpacked(alg, o.x),
    "alg.pseudoscalar": lambda alg, o: o.x * alg.pseudoscalar,
    "alg.n, alg.metric": lambda alg, o: o.v * alg.n * alg.metric[-1],
    "A.algebra.vector": lambda alg, o: (o.A + o.B).algebra.vector(o.v),
    "A.algebra.basis_vectors": lambda alg, o: o.A.algebra.basis_vectors[1] * o.x,
    "inverse(x)": lambda alg, o: G.inverse(o.x),
    "sandwich": lambda alg, o: G.sandwich(o.R, o.x),
    "versor_action": lambda alg, o: G.versor_action(o.R, o.x),
    "isinstance": lambda alg, o: o.A if isinstance(o.A, Multivector) else o.B,
}

# Of the batch axis itself: not under vmap, which takes it away.
OF_THE_BATCH: dict[str, Spelling] = {
    "A[0]": lambda alg, o: o.A[0],
    "A[-1]": lambda alg, o: o.A[-1],
    "A[1:]": lambda alg, o: o.A[1:],
    "A[::2]['e1']": lambda alg, o: o.A[::2]["e1"],
    "A[None]": lambda alg, o: o.A[None],
    "A[:, None]": lambda alg, o: o.A[:, None] * o.B,
    "A[..., 0]": lambda alg, o: o.A[..., 0],
    "A[[0, 2]]": lambda alg, o: o.A[[0, 2]],
    "len(A)": lambda alg, o: o.A * len(o.A),
    "for x in A": lambda alg, o: sum(list(o.A)),
}
ALL = {**SPELLINGS, **OF_THE_BATCH}


def added_in_place(a: Any, t: Any) -> Any:
    a += t
    a *= 2.0
    a -= t
    return a


def unpacked(alg: Algebra, x: Any) -> Any:
    e1, e2, e3 = alg.basis_vectors
    return e1 * x + e2 * e3


def given(name: str) -> tuple[Algebra, Given]:
    """An algebra of a framework, and three of everything."""
    rng = np.random.default_rng(5)
    alg = Algebra(3)
    v, b = rng.normal(size=(2, 3, 3))
    t = rng.uniform(0.5, 2.0, 3)
    elements = G.exp(alg.bivector(b)), alg.random.multivector(rng, (3,)), alg.bivector(b)
    on_it = [a.to(backend=name) for a in (*elements, alg.vector(v))]
    return algebra_on(name, (3,)), Given(*on_it, *(array(name, c) for c in (v, b, t, 0.7)))


def values(found: Any) -> Any:
    return found.coeffs if isinstance(found, Multivector) else found


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    with double_precision():
        yield


def compiled(spelling: Spelling, alg: Algebra, o: Given) -> Any:
    """The spelling as one whole graph: an error if anything ends it."""
    torch._dynamo.reset()
    return torch.compile(
        lambda *args: spelling(alg, Given(*args)), fullgraph=True, backend="eager"
    )(*o)


# --- torch ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_torch_compiles_every_spelling_to_one_graph(name: str) -> None:
    """Value and gradient are those of eager torch, and a multivector comes back as one."""
    alg, o = given("torch")
    for array_of in (o.A.coeffs, o.v, o.b, o.t):
        array_of.requires_grad_()
    found, wanted = compiled(ALL[name], alg, o), ALL[name](alg, o)
    assert type(found) is type(wanted)
    assert getattr(found, "layout", None) is getattr(wanted, "layout", None)
    assert torch.equal(values(found), values(wanted))
    inputs = o.A.coeffs, o.v, o.b, o.t
    if values(wanted).requires_grad:
        gradients = (
            torch.autograd.grad(values(y).square().sum(), inputs, allow_unused=True)
            for y in (found, wanted)
        )
        for one, other in zip(*gradients, strict=True):
            assert (one is None) == (other is None)
            assert one is None or torch.allclose(one, other, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("backend", ["aot_eager"])
def test_torch_compiles_all_spellings_to_one_functional_graph(backend: str) -> None:
    """As Inductor is given it: functions of tensors only, forward and backward."""
    alg, o = given("torch")

    def everything(*args: Any) -> list[Any]:
        return [values(spelling(alg, Given(*args))) for spelling in ALL.values()]

    torch._dynamo.reset()
    found = torch.compile(everything, fullgraph=True, backend=backend)(*o)
    for one, other in zip(found, everything(*o), strict=True):
        assert torch.allclose(one, other, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", ["A | B", "A & B", "t / A"])
def test_what_has_no_meaning_is_an_error_in_compiled_code_too(name: str) -> None:
    alg, o = given("torch")
    undefined: dict[str, Spelling] = {
        "A | B": lambda alg, o: o.A | o.B,
        "A & B": lambda alg, o: o.A & o.B,
        "t / A": lambda alg, o: o.t / o.A,
    }
    with pytest.raises(TypeError, match="unsupported operand"):
        undefined[name](alg, o)
    with pytest.raises((TypeError, torch._dynamo.exc.TorchDynamoException)):
        compiled(undefined[name], alg, o)


def test_other_functions_of_torch_refuse_multivectors() -> None:
    _, o = given("torch")
    calls: list[Callable[[], Any]] = [
        lambda: torch.sin(o.A),
        lambda: torch.stack([o.A, o.A]),
        lambda: o.t.mul_(o.A),
        lambda: torch.add(o.t, o.A, alpha=2.0),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="Multivector"):
            call()
    assert (o.t == o.A) is False


@pytest.mark.parametrize("name", ["~R", "A * s", "alg.basis_vectors", "A.algebra.vector"])
def test_dynamo_as_it_is_ends_the_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """False twins: without what it is told, it cannot read these."""
    from torch._dynamo.variables.builtin import BuiltinVariable
    from torch._dynamo.variables.script_object import TorchScriptObjectVariable as Constant

    alg, o = given("torch")
    if name == "~R":
        monkeypatch.delattr(BuiltinVariable, "call_invert")
    elif name == "A * s":
        monkeypatch.delattr(Multivector, "__torch_function__")
    else:
        monkeypatch.setattr(Constant, "var_getattr", Constant.var_getattr.__wrapped__)
    BuiltinVariable.call_function_handler_cache.clear()
    try:
        with pytest.raises((AssertionError, torch._dynamo.exc.TorchDynamoException)):
            compiled(ALL[name], alg, o)
    finally:
        BuiltinVariable.call_function_handler_cache.clear()


@pytest.mark.parametrize("name", SPELLINGS)
def test_torch_maps_every_spelling(name: str) -> None:
    alg, o = given("torch")
    found = torch.func.vmap(
        lambda *args: values(SPELLINGS[name](alg, Given(*args))), in_dims=(0,) * 7 + (None,)
    )(*o)
    wanted = values(SPELLINGS[name](alg, o))
    assert torch.allclose(found, wanted.expand_as(found), rtol=1e-14, atol=1e-14)


# --- jax -----------------------------------------------------------------------------------------


def jax_values(names: Any, alg: Algebra, *args: Any) -> list[Any]:
    return [values(ALL[name](alg, Given(*args))) for name in names]


def test_jax_jits_every_spelling() -> None:
    alg, o = given("jax")
    found = jax.jit(lambda *args: jax_values(ALL, alg, *args))(*o)
    for name, one, other in zip(ALL, found, jax_values(ALL, alg, *o), strict=True):
        assert np.allclose(numbers(one), numbers(other), rtol=1e-14, atol=1e-14), name


def test_jax_maps_every_spelling() -> None:
    alg, o = given("jax")
    axes = (0,) * 7 + (None,)
    found = jax.jit(jax.vmap(lambda *args: jax_values(SPELLINGS, alg, *args), in_axes=axes))(*o)
    for name, one, other in zip(SPELLINGS, found, jax_values(SPELLINGS, alg, *o), strict=True):
        assert np.allclose(numbers(one), numbers(other), rtol=1e-14, atol=1e-14), name


def test_jax_differentiates_every_spelling_as_torch_does() -> None:
    """The gradient in every argument, a multivector's too, which comes back as a multivector."""
    alg, o = given("jax")

    def squares(name: str) -> Callable[..., Any]:
        return lambda *args: (jax_values([name], alg, *args)[0] ** 2).sum()

    places = tuple(range(len(o)))
    everything = jax.jit(lambda *args: {n: jax.grad(squares(n), places)(*args) for n in ALL})
    on_torch, here = given("torch")
    for name, found in everything(*o).items():
        inputs = [c.detach().clone().requires_grad_() for c in map(values, here)]
        args = [
            a.replace(a.layout, c) if isinstance(a, Multivector) else c
            for a, c in zip(here, inputs, strict=True)
        ]
        value = values(ALL[name](on_torch, Given(*args)))
        wanted = torch.autograd.grad(
            (value**2).sum(), inputs, materialize_grads=True, allow_unused=True
        )
        for place, one, other in zip(o, found, wanted, strict=True):
            assert type(one) is type(place) or not isinstance(place, Multivector)
            assert np.allclose(numbers(values(one)), numbers(other), rtol=1e-12, atol=1e-12), name
