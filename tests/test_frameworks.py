"""torch and jax against numpy and against certified references: values, checks and transforms."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from fractions import Fraction
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from framework_tools import (
    FRAMEWORKS,
    TORCH_JIT,
    algebra_on,
    array,
    at_once,
    double_precision,
    numbers,
    on,
    traced,
    vmapped,
)

import geomlin as G
from geomlin import Algebra, Multivector, exp, log, rotor_from_matrix, rotor_to_matrix
from geomlin.backend import get_backend
from geomlin.layout import full_layout
from geomlin.signature import Signature
from geomlin.tables import product_table
from geomlin.verification.accuracy import accuracy_table
from geomlin.verification.public_subject import _bivector, _matrices

pytestmark = pytest.mark.filterwarnings(TORCH_JIT)
frameworks = pytest.mark.parametrize("name", FRAMEWORKS)

SIGNATURES = [(3, 0, 0), (2, 2, 0), (3, 0, 1)]
EPS = 2.0**-52


@pytest.fixture(autouse=True)
def _double() -> Any:
    with double_precision():
        yield


def close(found: Any, wanted: Any, bound: float = 1e-13) -> bool:
    """Equal within a bound relative to the largest number."""
    found, wanted = numbers(found), numbers(wanted)
    size = max(float(np.abs(wanted).max(initial=0.0)), 1e-300)
    return found.shape == wanted.shape and bool(
        np.abs(found - wanted).max(initial=0) <= bound * size
    )


# --- accuracy over the adversarial regimes, against balls ----------------------------------------


class FrameworkSubject:
    """The public functions on a framework, in the form the accuracy table tests them."""

    def __init__(self, name: str, factor: float = 1.0) -> None:
        self.name, self.factor = name, factor

    def exp(self, b: Any, signature: Signature) -> Any:
        return numbers(exp(on(self.name, _bivector(self.factor * b, signature))))

    def to_matrix(self, rotors: Any, signature: Signature) -> Any:
        return numbers(rotor_to_matrix(on(self.name, Algebra(*signature).even(rotors))))

    def from_matrix(self, matrices: Any, signature: Signature) -> Any:
        return numbers(rotor_from_matrix(matrices, algebra_on(self.name, tuple(signature))))

    def log(self, rotors: Any, signature: Signature) -> Any:
        found = log(on(self.name, Algebra(*signature).even(rotors)))
        return _matrices(numbers(found), signature)

    def power(self, rotors: Any, t: float, signature: Signature) -> Any:
        raise NotImplementedError

    def decompose(self, b: Any, signature: Signature) -> Any:
        raise NotImplementedError


TORCH_TABLE = [
    (3, 0, 0),
    (4, 0, 0),
    (5, 0, 0),
    (3, 1, 0),
    (2, 2, 0),
    (3, 0, 1),
    (6, 0, 0),
    (5, 0, 1),
]
JAX_TABLE = [(3, 1, 0), (6, 0, 0)]


def _table(subject: Any, signature: tuple[int, ...], operations: Any, most: int = 2) -> Any:
    return accuracy_table(
        [Signature(*signature)],
        rng=np.random.default_rng(3),
        subject=subject,
        operations=operations,
        per_regime=lambda _: most,
    )


@pytest.mark.parametrize("signature", TORCH_TABLE, ids=str)
def test_torch_meets_the_budgets_over_the_regimes(signature: tuple[int, ...]) -> None:
    operations = ("exp", "to_matrix", "from_matrix", "log")
    rows = _table(FrameworkSubject("torch"), signature, operations)
    assert rows
    assert not [row for row in rows if not row.passed]


@pytest.mark.parametrize("signature", JAX_TABLE, ids=str)
def test_jax_meets_the_budgets_over_the_regimes(signature: tuple[int, ...]) -> None:
    rows = _table(FrameworkSubject("jax"), signature, ("exp", "to_matrix"), most=1)
    assert rows
    assert not [row for row in rows if not row.passed]


def test_the_table_refutes_half_angles() -> None:
    rows = _table(FrameworkSubject("torch", 0.5), (3, 0, 0), ("exp",))
    assert not all(row.passed for row in rows)


# --- every operation against numpy ---------------------------------------------------------------

BINARY = [
    "geometric_product",
    "outer_product",
    "left_contraction",
    "right_contraction",
    "scalar_product",
    "commutator",
    "anticommutator",
    "regressive_product",
    "sandwich",
]
UNARY = [
    "reverse",
    "involute",
    "conjugate",
    "even",
    "odd",
    "complement",
    "norm_squared",
    "norm",
    "normalize",
    "inverse",
    "exp",
    "dual",
    "undual",
]


@frameworks
@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_operations_agree_with_numpy(
    name: str, signature: tuple[int, ...], rng: np.random.Generator
) -> None:
    alg = Algebra(*signature)
    a, b = alg.random.multivector(rng, (3,)), alg.random.multivector(rng, (2, 1))
    operations = [getattr(G, operation) for operation in BINARY]
    found = at_once(name, operations, on(name, a), on(name, b))
    for function, result in zip(operations, found, strict=True):
        assert close(result, function(a, b), 1e-14), function
    operations = [getattr(G, operation) for operation in UNARY]
    if signature[-1]:
        operations = [f for f in operations if f not in (G.dual, G.undual)]
    for function, result in zip(operations, at_once(name, operations, on(name, a)), strict=True):
        assert close(result, function(a), 1e-12), function


@frameworks
@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_rotor_operations_agree_with_numpy(
    name: str, signature: tuple[int, ...], rng: np.random.Generator
) -> None:
    alg = Algebra(*signature)
    B = alg.random.bivector(rng, (2,), 0.2)
    R, v = exp(B), alg.random.vector(rng, (2,))
    w = G.sandwich(R, v).grade(1)
    pairs: list[tuple[Any, Multivector]] = [
        (G.outer_exp, B),
        (G.cayley, B),
        (G.cayley_inverse, R),
        (log, R),
        (partial(log, up_to_sign=True), -R),
        (partial(log, normalize=True), 3 * R),
        (G.sqrt, R),
        (lambda x: G.power(x, -0.3), R),
        (lambda x: G.slerp(x[0], -x[1], 0.3), R),
        (rotor_to_matrix, R),
        (lambda x: G.versor_action(x, x * x), v),
        (lambda x: G.reflect(x, x), v),
        (lambda x: G.rotor_from_plane(x, 0.7), v ^ w),
        (lambda x: G.rotor_in_plane(x[0], x[1], 0.7), v),
        (lambda x: G.rotor_between(x[0], x[1]), G.stack([v, w])),
        (lambda x: G.invariant_decomposition(x).parts, B),
        (lambda x: G.invariant_decomposition(x).squares, B),
        (lambda x: G.invariant_decomposition(x).kinds, B),
        (lambda x: G.rotor_decomposition(x).rotors, R),
    ]
    functions = [
        lambda *all_of_them, f=function, k=k: f(all_of_them[k])
        for k, (function, _) in enumerate(pairs)
    ]
    found = at_once(name, functions, *(on(name, argument) for _, argument in pairs))
    for k, ((function, argument), result) in enumerate(zip(pairs, found, strict=True)):
        assert close(result, function(argument), 1e-13), k


@frameworks
def test_lifts_agree_with_numpy(name: str) -> None:
    alg = Algebra(3)
    turns = np.linspace(0.0, 4.0, 9)[:, None] * np.array([[1.0, -0.4, 0.7]])
    matrices = rotor_to_matrix(exp(alg.bivector(turns)))
    algebra = algebra_on(name, (3,))
    assert close(
        rotor_from_matrix(array(name, matrices), algebra), rotor_from_matrix(matrices, alg)
    )
    path = G.lift_path(array(name, matrices), algebra)
    assert close(path, G.lift_path(matrices, alg))
    jump = rotor_to_matrix(exp(alg.bivector([[0.0, 0, 0], [np.pi / 2, 0, 0]])))
    with pytest.raises(G.NotInImage, match="jump"):
        G.lift_path(array(name, jump), algebra)


@frameworks
def test_predicates_decide_as_numpy_does(name: str, rng: np.random.Generator) -> None:
    alg = Algebra(6)
    R, v, B = alg.random.rotor(rng), alg.random.vector(rng), alg.random.bivector(rng)
    spinor = alg.even({"1": 0.6, "e123456": 0.8})  # R ~R = 1, and no rotor
    elements = [R, spinor, v * R, v + R, B, v ^ (v + alg.blade("e1")), 2 * R, 0 * R]
    for predicate in (G.is_rotor, G.is_versor):
        wanted = [predicate(x) for x in elements]
        assert [predicate(on(name, x)) for x in elements] == wanted
        assert True in wanted
        assert False in wanted
    assert [G.is_simple(on(name, x)) for x in (B, elements[5])] == [False, True]
    assert G.isclose(on(name, R), on(name, R * (1 + 1e-9)), relative=1e-8)
    assert not G.isclose(on(name, R), on(name, R * (1 + 1e-7)), relative=1e-8)


# --- numbers: dtypes, checks, errors -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dtype"),
    [*((("torch", t)) for t in ("float64", "float32", "float16", "bfloat16")), ("jax", "bfloat16")],
)
def test_dtypes_are_kept(name: str, dtype: str) -> None:
    alg = algebra_on(name, (3,))
    B = alg.bivector(array(name, [0.5, 0.25, -0.5], dtype))
    for found in (
        exp(B),
        B * B,
        G.norm(B),
        2 * B,
        B + 1,
        ~B,
        G.inverse(B),
        B**2,
        B.to(device="cpu"),
    ):
        assert str(found.dtype).endswith(dtype)
    assert str(rotor_to_matrix(exp(B)).dtype).endswith(dtype)


@frameworks
def test_short_floats_are_rounded_once(name: str) -> None:
    B = Algebra(4).bivector(np.array([0.5, 1.25, -0.5, 0.75, 3.0, -2.0], dtype=np.float32))
    found = numbers(exp(on(name, B)))
    exact = numbers(exp(B.to(dtype=np.float64)))
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() <= 2.0**-24


def test_short_floats_have_logarithms_and_roots() -> None:
    """The rounding of a rotor to its dtype is no violation."""
    B = Algebra(3).bivector([0.5, -0.25, 1.0])
    for dtype, eps in (("float32", 2.0**-23), ("float16", 2.0**-10)):
        R = exp(on("torch", B).to(dtype=dtype))
        for found, wanted in (
            (log(R), B),
            (G.sqrt(R), exp(B / 2)),
            (G.slerp(R, R * R, 0.5), exp(1.5 * B)),
        ):
            assert str(found.dtype).endswith(dtype)
            assert np.abs(numbers(found) - numbers(wanted)).max() <= 8 * eps


def test_large_angles_give_unit_rotors() -> None:
    """Beyond 2^16 / n, where squarings end, numpy answers; no number is lost to overflow."""
    for size in (1e3, 1e8, 1e300):
        B = Algebra(6).bivector(size * np.linspace(-1, 1, 15))
        R = exp(on("torch", B))
        assert close(G.norm(R), np.ones(1), 4 * EPS)
        if size > 1e4:
            assert close(R, exp(B), 0.0)


def test_promotion_is_to_the_default_of_the_framework() -> None:
    assert Algebra(2, backend="torch").vector([1, 2]).dtype == torch.float32
    assert Algebra(2, backend="torch").vector(np.ones(2)).dtype == torch.float64
    assert Algebra(2, backend="torch").vector(torch.tensor([1, 2])).dtype == torch.float32
    assert Algebra(2, backend="jax").vector([1, 2]).dtype == jnp.float64


def test_jax_without_float64_computes_in_float32() -> None:
    """In a process of its own: the switch is one for all that jax has compiled."""
    code = """
import numpy as np, jax.numpy as jnp
from geomlin import Algebra, DtypeError, NonFiniteInput, exp, log
alg = Algebra(2, backend="jax")
assert alg.vector([1, 2]).dtype == alg.vector(np.ones(2)).dtype == jnp.float32
for values, dtype, error in (([1, 2], "float64", DtypeError), ([1e300, 0.0], None, NonFiniteInput)):
    try:
        alg.vector(values, dtype=dtype)
        raise AssertionError
    except error as raised:
        assert dtype is None or "jax_enable_x64" in str(raised)
wide = Algebra(6).bivector(np.linspace(-1, 1, 15) / 2)
found = exp(wide.to(backend="jax"))
assert found.dtype == log(found).dtype == jnp.float32
assert np.abs(np.asarray(found.coeffs) - exp(wide).coeffs).max() <= 4 * 2.0**-23
assert np.abs(np.asarray(log(found).coeffs) - wide.coeffs).max() <= 64 * 2.0**-23
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@frameworks
def test_bad_numbers_are_refused(name: str) -> None:
    alg = algebra_on(name, (2,))
    with pytest.raises(G.NonFiniteInput, match="2 NaN or infinite"):
        alg.vector(array(name, [np.nan, np.inf]))
    with pytest.raises(G.DtypeError, match="complex"):
        alg.vector(np.array([1j, 0]))
    complex_array = torch.zeros(2) * 1j if name == "torch" else jnp.zeros(2) * 1j
    with pytest.raises(G.DtypeError, match="complex"):
        alg.vector(complex_array)
    with pytest.raises(G.DtypeError):
        alg.vector(["a", "b"])
    with pytest.raises(G.LayoutError, match="unequal length"):
        alg.vector([[1, 2], [3]])
    with pytest.raises(G.LayoutError, match="2 coefficients"):
        alg.vector(array(name, [1.0, 2.0, 3.0]))


@frameworks
def test_errors_have_the_names_of_the_numpy_backend(name: str) -> None:
    alg, flat = algebra_on(name, (4,)), algebra_on(name, (1, 1))
    R = exp(alg.bivector([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    twice = G.stack([R, 2 * R])
    pair = on(name, Algebra(2, 2).bivector({"e13": 1, "e24": 1, "e14": 1, "e23": -1, "e12": 1}))
    boost = on(name, -exp(Algebra(2, 2).bivector({"e13": 1.0})))
    calls = [
        (G.NotARotor, lambda: log(twice)),
        (G.NotARotor, lambda: log(alg.multivector({"1": 1, "e1": 1}))),
        (G.NotARotor, lambda: rotor_to_matrix(twice)),
        (G.NotARotor, lambda: G.slerp(R, twice, 0.5)),
        (G.NotARotor, lambda: G.power(twice, 0.5)),
        (G.NoRealLogarithm, lambda: log(boost)),
        (G.NotOrthogonal, lambda: rotor_from_matrix(array(name, 2 * np.eye(4)), alg)),
        (G.NotInImage, lambda: rotor_from_matrix(array(name, np.diag([-1.0, 1, 1, 1])), alg)),
        (G.NotInvertible, lambda: G.inverse(0 * twice)),
        (G.NotInvertible, lambda: G.inverse(on(name, Algebra(2).multivector([1, 1, 0, 0])))),
        (G.NotInvertible, lambda: G.normalize(0 * R)),
        (G.NotInvertible, lambda: R / 0),
        (G.NotInvertible, lambda: G.cayley(flat.bivector([1.0]))),
        (G.NotInImage, lambda: G.cayley(flat.bivector([2.0]))),
        (G.NotInvertible, lambda: G.cayley_inverse(alg.blade("e12"))),
        (G.RapidityOverflow, lambda: exp(flat.bivector(array(name, [800.0])))),
        (G.NotDecomposable, lambda: G.invariant_decomposition(pair)),
        (G.NotDecomposable, lambda: G.rotor_from_plane(alg.bivector([1, 0, 0, 0, 0, 1]), 0.1)),
        (G.NotSupported, lambda: G.versor_factorization(R)),
        (G.NotSupported, lambda: G.invariant_decomposition(pair, blocks=True)),
        (G.NotSupported, lambda: G.derivatives.exp_jvp(pair, pair)),
        (G.SignatureMismatch, lambda: R * R.to(backend="numpy")),
        (G.LayoutError, lambda: G.versor_action(alg.multivector({"1": 1, "e1": 1}), R)),
    ]
    if name == "jax":  # compiled first, then run again for the error: a few say as much
        calls = calls[::6]
    for error, call in calls:
        with pytest.raises(error):
            call()
    with pytest.raises(G.NotARotor) as raised:
        rotor_to_matrix(twice)
    assert (raised.value.indices, raised.value.count) == (((1,),), 1)
    assert np.isnan(numbers(log(twice, on_error="nan"))).any(axis=-1).tolist() == [False, True]


@frameworks
def test_bad_input_gives_nan_where_numbers_are_traced(name: str) -> None:
    """And good input does not: the same functions of a rotor are finite."""
    alg, flat = algebra_on(name, (3,)), algebra_on(name, (1, 1))
    large = algebra_on(name, (6,))
    rotor = numbers(exp(Algebra(3).bivector([0.3, -0.2, 0.4])))
    cases: list[tuple[Any, Any, Any]] = [
        (lambda c: log(alg.even(c)).coeffs, rotor, 2 * rotor),
        (lambda c: rotor_to_matrix(alg.even(c)), rotor, 2 * rotor),
        (lambda c: G.sqrt(alg.even(c)).coeffs, rotor, 2 * rotor),
        (lambda c: G.cayley_inverse(alg.even(c)).coeffs, rotor, 0 * rotor),
        (lambda m: rotor_from_matrix(m, alg).coeffs, np.eye(3), 2 * np.eye(3)),
        (lambda m: rotor_from_matrix(m, alg).coeffs, np.eye(3), np.diag([1.0, 1.0, -1.0])),
        (lambda c: exp(flat.bivector(c)).coeffs, [1.0], [800.0]),
        (lambda c: exp(alg.bivector(c)).coeffs, np.ones(3), [np.nan, 0.0, 0.0]),
        (lambda c: exp(large.bivector(c)).coeffs, np.ones(15), np.full(15, 1e9)),
        (lambda c: G.inverse(alg.multivector(c)).coeffs, np.arange(8.0), np.ones(8)),
        (lambda c: (alg.vector([1.0, 1, 1]) / c).coeffs, 2.0, 0.0),
        (lambda c: G.normalize(alg.vector(c)).coeffs, np.ones(3), np.zeros(3)),
    ]
    for k, (function, good, bad) in enumerate(cases):
        run = traced(name, function)
        assert np.isfinite(numbers(run(array(name, good)))).all(), k
        assert np.isnan(numbers(run(array(name, bad)))).any(), k


@frameworks
def test_the_laws_of_the_backend_protocol(name: str, rng: np.random.Generator) -> None:
    backend: Any = get_backend(name)
    values = [0.1, -2.0, 3.5, 2.0**-40]
    x, y = (backend.array(np.array(v)) for v in (values, [4.0, 0.3, -1.0, 2.0]))
    assert backend.to_exact(x).tolist() == [Fraction(v) for v in values]
    assert [backend.literal(v) for v in x] == [repr(v) for v in values]
    zeros = backend.zeros((3, 4), x)
    assert tuple(zeros.shape) == (3, 4)
    assert bool(backend.is_zero(zeros).all())
    assert bool(backend.is_zero(x + zeros - x).all())
    assert close(backend.divide(x, y) * y, x, 4 * EPS)
    assert close(backend.sqrt(x * x), backend.absolute(x), 4 * EPS)
    assert backend.scalar_array(1, x).dtype == x.dtype
    table = product_table("geometric_product", (1, -1), full_layout(2), full_layout(2))
    a, b, c = (backend.array(rng.normal(size=(3, 1, 4))) for _ in range(3))
    sums = backend.contract(table, a, c) + backend.contract(table, b, c)
    assert close(backend.contract(table, a + b, c), sums, 8 * EPS)
    wide = backend.contract(table, a, backend.array(rng.normal(size=(2, 4))))
    assert tuple(wide.shape) == (3, 2, 4)
    assert tuple(backend.contract(table, a[:0], c[:0]).shape) == (0, 1, 4)


# --- multivectors as values ----------------------------------------------------------------------


@frameworks
def test_indexing_batches_and_copies(name: str, rng: np.random.Generator, tmp_path: Any) -> None:
    alg = algebra_on(name, (3,))
    A = alg.random.multivector(rng, (2, 3))
    assert (A[0].shape, A[:, 1:].shape, A[None].shape) == ((3,), (2, 2), (1, 2, 3))
    mask = array(name, [1.0, 0.0]) > 0
    assert A[mask].shape == (1, 3)
    assert G.stack([A, A])[1] == A
    assert G.concatenate([A, A], axis=1)[:, 3:] == A
    assert pickle.loads(pickle.dumps(A)) == A
    assert copy.deepcopy(A) == A
    assert eval(repr(A), {"Algebra": Algebra}) == A
    assert str(A[0, 0]).count("e") == str(A.to(backend="numpy")[0, 0]).count("e")
    assert A == A + 0
    assert A != 2 * A
    assert alg.scalar(0.5) == 0.5
    assert alg.scalar(array(name, 0.1, "float32")) != 0.1
    for dtype in ("float64", "bfloat16"):
        short = A.to(dtype=dtype)
        G.save(tmp_path / "a.npz", short)
        found = G.load(tmp_path / "a.npz")
        assert found == short
        assert found.dtype == short.dtype
    assert G.is_rotor(alg.random.rotor(rng))
    assert A.to(backend="numpy").to(backend=name) == A
    assert A.to(backend="fractions").to(backend="numpy") == A.to(backend="numpy")
    product = array(name, [2.0, 3.0, 4.0]) * A
    assert isinstance(product, Multivector)
    assert close(product, numbers(A) * np.array([2.0, 3.0, 4.0])[:, None])
    with pytest.raises(AttributeError, match="frozen"):
        A.coeffs = None
    assert A[:0].shape == (0, 3)
    assert exp(A[:0].grade(2)).shape == (0, 3)


@frameworks
def test_printing_inside_a_trace_shows_that_numbers_are_unknown(name: str) -> None:
    alg, seen = algebra_on(name, (2,)), []

    def function(c: Any) -> Any:
        A = alg.vector(c)
        seen.extend([str(A), repr(A)])
        return A.coeffs

    traced(name, function)(array(name, [1.0, 2.0]))
    assert all(text.startswith("<Multivector of Algebra(2") for text in seen)


def test_multivectors_are_pytrees() -> None:
    A = algebra_on("jax", (3,)).vector([1.0, 2.0, 3.0])
    (leaf,), structure = jax.tree.flatten(A)
    assert jax.tree.unflatten(structure, [leaf]) == A
    assert jax.jit(lambda x: 2 * x)(A) == 2 * A
    assert jax.tree.map(lambda x: x + 1, A) == A + algebra_on("jax", (3,)).vector([1, 1, 1])
    B = algebra_on("torch", (3,)).vector([1.0, 2.0, 3.0])
    leaves, spec = torch.utils._pytree.tree_flatten({"B": B})
    assert torch.utils._pytree.tree_unflatten(leaves, spec)["B"] == B


def test_registration_waits_for_the_framework() -> None:
    code = (
        "import sys; from geomlin import Algebra, exp; exp(Algebra(3).bivector([1, 2, 3]));"
        "assert not {'torch', 'jax'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- transformations -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "signature"), [("torch", (4,)), ("torch", (6,)), ("jax", (4,))])
def test_vmap_is_batching(name: str, signature: tuple[int, ...], rng: np.random.Generator) -> None:
    alg = algebra_on(name, signature)
    B = alg.random.bivector(rng, (3,), 0.4)

    def function(c: Any) -> Any:
        R = exp(alg.bivector(c))
        back = rotor_from_matrix(rotor_to_matrix(R), alg)
        return log(R).coeffs, G.sandwich(R, alg.blade("e1")).grade(1).coeffs, back.coeffs

    found = vmapped(name, function)(B.coeffs)
    for one, whole in zip(found, function(B.coeffs), strict=True):
        assert close(one, whole, 1e-13)
    assert close(found[0], B, 1e-12)
    mapped = vmapped(name, exp)(B)
    assert isinstance(mapped, Multivector)
    assert close(mapped, exp(B), 1e-13)


def test_torch_compiles_whole_graphs(rng: np.random.Generator) -> None:
    alg = algebra_on("torch", (3, 1))
    B = alg.random.bivector(rng, (2,), 0.4)

    def function(c: torch.Tensor) -> torch.Tensor:
        R = exp(alg.bivector(c) / 2)
        moved = R * alg.blade("e1") * G.reverse(R) + 0.5
        return moved.grade(1).coeffs + rotor_to_matrix(R)[..., 0] + log(R)["e12"][..., None]

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    x = B.coeffs.clone().requires_grad_()
    assert close(compiled(x), function(x), 1e-14)
    (found,) = torch.autograd.grad(compiled(x).sum(), x)
    (wanted,) = torch.autograd.grad(function(x).sum(), x)
    assert close(found, wanted, 1e-13)
    whole = torch.compile(exp, fullgraph=True, backend="aot_eager")(B)
    assert isinstance(whole, Multivector)
    assert close(whole, exp(B), 1e-14)
    assert torch.isnan(compiled(torch.full_like(B.coeffs, torch.nan))).all()


MANY_CALLS = """
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
from geomlin import Algebra, exp, log
R = exp(Algebra(8).random.bivector(np.random.default_rng(0), (2000,), scale=0.1)).coeffs
algebra = Algebra(8, backend="jax")
several = jax.jit(lambda *all: [log(algebra.even(c)).coeffs for c in all])
for _ in range(3):
    found = several(*(jnp.asarray(np.roll(R, k, axis=0)) for k in range(8)))
alone = log(Algebra(8).even(np.roll(R, 7, axis=0))).coeffs
print(float(np.abs(np.asarray(found[7]) - alone).max()))
"""


def test_many_calls_of_numpy_in_one_jax_program_do_not_wait_for_each_other() -> None:
    """With jax.pure_callback one such program was seen to stop for ever on two processors."""
    done = subprocess.run(
        [sys.executable, "-c", MANY_CALLS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == 0.0


EITHER_MODE = """
import sys
import jax, jax.numpy as jnp, numpy as np
import geomlin as G
from geomlin.spinor import rotor_blocks
from geomlin.spinor_jax import rotor_action

def everything():
    algebra = G.Algebra(4, backend="jax")
    b = jnp.asarray([0.3, -0.2, 0.1, 0.5, 0.4, 0.3])
    R = G.exp(algebra.bivector(b))
    jax.grad(lambda b: rotor_blocks(algebra.bivector(b)).real.sum())(b)
    found = [G.log(R), G.sqrt(R), R * algebra.blade("e1"), G.cayley(algebra.bivector(b))]
    jax.jit(lambda b: G.rotor_to_matrix(G.exp(algebra.bivector(b))))(b)
    G.invariant_decomposition(algebra.bivector(b))
    rotor_action(np.eye(16)[1], b, b)
    return found[0].coeffs.dtype

for mode in sys.argv[1]:
    jax.config.update("jax_enable_x64", mode == "1")
    print(everything())
"""


@pytest.mark.parametrize("modes", ["101", "010"])
def test_jax_may_change_its_precision_between_two_calls(modes: str) -> None:
    """jax remembers an index array as int64 or int32, by the mode in which it first met it."""
    done = subprocess.run(
        [sys.executable, "-c", EITHER_MODE, modes], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"float{64 if mode == '1' else 32}" for mode in modes]


@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("signature", [(1, 0, 0), (0, 1, 0), (0, 0, 1)], ids=str)
def test_one_dimension_has_no_planes(name: str, signature: tuple[int, ...]) -> None:
    parts, squares, kinds = G.invariant_decomposition(
        Algebra(*signature, backend=name).bivector(np.zeros(0))
    )
    assert tuple(parts.coeffs.shape) == (0, 0)
    assert tuple(squares.shape) == tuple(kinds.shape) == (0,)


def test_a_traced_vector_with_nan_gives_no_rotor_at_all() -> None:
    """The scalar part was 0.7071, as if the angle were known."""
    algebra = Algebra(3, backend="jax")

    def between(c: Any) -> Any:
        return G.rotor_between(algebra.vector(c), algebra.vector([1.0, 2.0, 3.0])).coeffs

    assert np.isnan(np.asarray(jax.jit(between)(jnp.array([jnp.nan, 1.0, 1.0])))).all()
    assert np.isfinite(np.asarray(jax.jit(between)(jnp.array([0.0, 1.0, 1.0])))).all()


def test_a_batch_on_another_axis_reaches_numpy_as_a_batch() -> None:
    rotors = exp(Algebra(4).random.bivector(np.random.default_rng(4), (8,), scale=0.3))
    algebra = Algebra(4, backend="jax")

    def logarithm(c: Any) -> Any:
        return log(algebra.even(c)).coeffs

    columns = jnp.asarray(rotors.coeffs.T, dtype=jnp.float32)  # square: a wrong axis fits too
    found = jax.jit(jax.vmap(logarithm, in_axes=1))(columns)
    assert np.abs(np.asarray(found) - log(rotors).coeffs).max() < 1e-5
