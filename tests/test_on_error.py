"""Partial functions on a batch with one bad element: an error that names it, or NaN exactly there.

The right value of a good element is that of the same call without a batch, which the tests of each
function compare with independent oracles.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import geomlin
from geomlin import (
    Algebra,
    GeomlinError,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NoRealLogarithm,
    NotARotor,
    NotDecomposable,
    NotInImage,
    NotInvertible,
    NotOrthogonal,
    RapidityOverflow,
    concatenate,
    exp,
    inverse,
    log,
    outer_exp,
    rotor_to_matrix,
    stack,
)

ANY = ("numpy", "torch", "jax")
PLAIN = ("numpy",)

EUCLID, LORENTZ, SIX = Algebra(3), Algebra(1, 1), Algebra(6)
e1, e2, e3 = EUCLID.basis_vectors
TURN = exp(EUCLID.bivector([0.3, -0.2, 0.5]))
BOOST = exp(LORENTZ.bivector([0.7]))
TIMELIKE, NULL, OTHER = (LORENTZ.vector(x) for x in ([2.0, 1.0], [1.0, 1.0], [1.0, 3.0]))
NO_EXPONENTIAL = LORENTZ.even([-np.cosh(1), np.sinh(1)])


class Case(NamedTuple):
    """A call with one operand open, and an operand that it answers, and one that it does not."""

    function: str
    call: Callable[..., Any]
    good: Any
    bad: Any
    error: type[GeomlinError]
    backends: tuple[str, ...] = ANY


def of(name: str, *others: Any, place: int = 0) -> tuple[str, Callable[..., Any]]:
    """A public function with its other operands; the open one stands at `place`."""

    def call(x: Any, **options: Any) -> Any:
        backend = x.algebra.backend
        known = [a.to(backend=backend) if isinstance(a, Multivector) else a for a in others]
        return getattr(geomlin, name)(*known[:place], x, *known[place:], **options)

    return name, call


def lift(x: Any, **options: Any) -> Any:
    return geomlin.rotor_from_matrix(x, EUCLID, **options)


def bivector(*signature: int, **values: float) -> Multivector:
    return Algebra(*signature).bivector(values)


CASES = {
    "log, no rotor": Case(*of("log"), TURN, 2 * TURN, NotARotor),
    "log, not real": Case(*of("log"), BOOST, NO_EXPONENTIAL, NoRealLogarithm),
    "sqrt": Case(*of("sqrt"), BOOST, NO_EXPONENTIAL, NoRealLogarithm),
    "power": Case(*of("power", 0.3, place=0), TURN, 2 * TURN, NotARotor),
    "power, overflow": Case(
        *of("power", 3.0), BOOST, exp(LORENTZ.bivector([400.0])), RapidityOverflow
    ),
    "slerp, first": Case(*of("slerp", TURN, 0.25), ~TURN, 2 * TURN, NotARotor),
    "slerp, second": Case(*of("slerp", TURN, 0.25, place=1), ~TURN, 2 * TURN, NotARotor),
    "inverse": Case(*of("inverse"), 2 + e1, 1 + e1, NotInvertible),
    "inverse, vector": Case(*of("inverse"), TIMELIKE, NULL, NotInvertible),
    "inverse, overflow": Case(
        *of("inverse"), e1 + 0 * e2, 1e-320 * e1 + 0 * e2, NotInvertible, PLAIN
    ),
    "normalize": Case(*of("normalize"), TIMELIKE, NULL, NotInvertible),
    "project": Case(*of("project", OTHER, place=1), TIMELIKE, NULL, NotInvertible),
    "project, no blade": Case(
        *of("project", e2 + e3, place=1), e1 + 0 * e1 * e2, e1 + e1 * e2 / 2, LayoutError, PLAIN
    ),
    "reject": Case(*of("reject", OTHER, place=1), TIMELIKE, NULL, NotInvertible),
    "reflect": Case(*of("reflect", OTHER, place=1), TIMELIKE, NULL, NotInvertible),
    "versor_action": Case(*of("versor_action", OTHER), TIMELIKE, NULL, NotInvertible),
    "versor_action, two parities": Case(
        *of("versor_action", e1 + 2 * e3), 2 * TURN + 0 * e1, 1 + 2 * e1, LayoutError
    ),
    "exp": Case(*of("exp"), LORENTZ.bivector([1.0]), LORENTZ.bivector([1000.0]), RapidityOverflow),
    "exp, n = 6": Case(
        *of("exp"),
        bivector(5, 1, e16=1.0, e23=0.5),
        bivector(5, 1, e16=1000.0, e23=0.5),
        RapidityOverflow,
    ),
    "exp, float32": Case(
        *of("exp"),
        LORENTZ.bivector([1.0], dtype="float32"),
        LORENTZ.bivector([100.0], dtype="float32"),
        RapidityOverflow,
    ),
    "exp, multivector": Case(
        *of("exp"), 0.5 + TIMELIKE, 0.5 + 1000 * TIMELIKE, RapidityOverflow, PLAIN
    ),
    "cayley": Case(*of("cayley"), LORENTZ.bivector([0.5]), LORENTZ.bivector([1.0]), NotInvertible),
    "cayley, component": Case(
        *of("cayley"), LORENTZ.bivector([0.5]), LORENTZ.bivector([2.0]), NotInImage
    ),
    "cayley_inverse": Case(*of("cayley_inverse"), TURN, EUCLID.even({"e12": 1.0}), NotInvertible),
    "rotor_between": Case(
        *of("rotor_between", LORENTZ.vector([3.0, 1.0])), TIMELIKE, NULL, NotInvertible
    ),
    "rotor_between, squares": Case(
        *of("rotor_between", LORENTZ.vector([3.0, 1.0])), TIMELIKE, OTHER, NotInImage
    ),
    "rotor_in_plane": Case(
        *of("rotor_in_plane", 3 * e1 + e2, 0.7), e2, 6 * e1 + 2 * e2, NotInvertible
    ),
    "rotor_in_plane, null": Case(*of("rotor_in_plane", OTHER, 0.7), TIMELIKE, NULL, NotInvertible),
    "rotor_from_plane": Case(
        *of("rotor_from_plane", 0.7),
        bivector(4, e12=1.0),
        bivector(4, e12=1.0, e34=1.0),
        NotDecomposable,
    ),
    "rotor_from_plane, null": Case(
        *of("rotor_from_plane", 0.7),
        bivector(2, 0, 1, e12=1.0, e13=2.0),
        bivector(2, 0, 1, e13=2.0),
        NotInvertible,
    ),
    "invariant_decomposition": Case(
        *of("invariant_decomposition"),
        bivector(2, 2, e12=1.0, e34=2.0),
        bivector(2, 2, e12=1.0, e34=1.0, e13=1.0, e24=-1.0),
        NotDecomposable,
    ),
    "rotor_decomposition": Case(*of("rotor_decomposition"), TURN, 2 * TURN, NotARotor),
    "rotor_to_matrix": Case(*of("rotor_to_matrix"), TURN, 2 * TURN, NotARotor),
    "rotor_to_matrix, n = 6": Case(
        *of("rotor_to_matrix"),
        exp(SIX.bivector({"e12": 0.4, "e45": 1.0})),
        SIX.even({"1": 0.6, "e123456": 0.8}),
        NotARotor,
    ),
    "rotor_to_matrix, overflow": Case(
        *of("rotor_to_matrix"), BOOST, exp(LORENTZ.bivector([500.0])), RapidityOverflow
    ),
    "versor_factorization": Case(*of("versor_factorization"), TIMELIKE, NULL, NotInvertible, PLAIN),
    "rotor_from_matrix": Case(
        "rotor_from_matrix", lift, np.diag([-1.0, -1, 1]), np.diag([2.0, 1, 1]), NotOrthogonal
    ),
    "rotor_from_matrix, det": Case(
        "rotor_from_matrix", lift, np.diag([-1.0, -1, 1]), np.diag([-1.0, 1, 1]), NotInImage
    ),
}
BAD = (1, 2)  # where the bad element stands
SHAPE = (2, 4)


def with_bad(case: Case, backend: str = "numpy", bad: Any = None) -> tuple[Any, Any]:
    """A batch of good elements with one bad one, and one good element, on a backend."""
    bad = case.bad if bad is None else bad
    if isinstance(case.good, np.ndarray):
        batch = np.broadcast_to(case.good, (*SHAPE, *case.good.shape)).copy()
        batch[BAD] = bad
        return batch, case.good
    good, other = stack([case.good, bad])  # on one layout
    values = np.broadcast_to(good.coeffs, (*SHAPE, good.layout.size)).copy()
    values[BAD] = other.coeffs
    return good.replace(good.layout, values).to(backend=backend), good.to(backend=backend)


def floats(result: Any) -> Iterator[np.ndarray[Any, Any]]:
    """All float arrays of a result."""
    if isinstance(result, tuple):
        for part in result:
            yield from floats(part)
        return
    values = result.coeffs if hasattr(result, "coeffs") else result
    values = values.detach().numpy() if hasattr(values, "detach") else np.asarray(values)
    if values.dtype.kind in "fc":
        yield values


def check_nan_exactly_there(result: Any, expected: Any, tolerance: float) -> None:
    mask = np.zeros(SHAPE, dtype=bool)
    mask[BAD] = True
    for values, right in zip(floats(result), floats(expected), strict=True):
        assert values.shape[:2] == SHAPE
        assert np.isnan(values[BAD]).all()
        assert np.isfinite(values[~mask]).all()
        scale = max(1.0, np.abs(right).max(initial=0))
        assert np.abs(values[~mask] - right).max(initial=0) <= tolerance * scale
        assert values.dtype == right.dtype


def on_backends(*backends: str) -> Any:
    """All cases, each on those of the backends that it has."""
    found = [(c, b) for c in CASES for b in backends if b in CASES[c].backends]
    return pytest.mark.parametrize(("name", "backend"), found, ids=[f"{c}-{b}" for c, b in found])


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    """jax in float64, so that one bound holds for every backend."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield


@on_backends("numpy", "torch")
def test_the_error_names_the_bad_element(name: str, backend: str) -> None:
    case = CASES[name]
    batch, one = with_bad(case, backend)
    case.call(one)  # the false twin: a good element alone is answered
    with pytest.raises(case.error) as raised:
        case.call(batch)
    assert (raised.value.indices, raised.value.count) == ((BAD,), 1)


@on_backends("numpy", "torch")
def test_nan_stands_exactly_there_if_wanted(name: str, backend: str) -> None:
    case = CASES[name]
    batch, one = with_bad(case, backend)
    # A batch and one element may take two paths, each within a few roundings: 64 eps
    eps = np.finfo(np.float32 if "float32" in name else np.float64).eps
    check_nan_exactly_there(case.call(batch, on_error="nan"), case.call(one), 64 * eps)


@pytest.mark.parametrize(
    "name", ["log, no rotor", "exp", "normalize", "rotor_to_matrix", "project"]
)
def test_nan_stands_exactly_there_on_jax(name: str) -> None:
    """jax shares the statements with torch, and compiles each: a few show that they are reached."""
    test_nan_stands_exactly_there_if_wanted(name, "jax")


@pytest.mark.parametrize("name", CASES)
def test_one_bad_element_alone(name: str) -> None:
    """Its position is (), and without a batch NaN is an answer too."""
    case = CASES[name]
    with pytest.raises(case.error) as raised:
        case.call(case.bad)
    assert (raised.value.indices, raised.value.count) == (((),), 1)
    assert all(np.isnan(values).all() for values in floats(case.call(case.bad, on_error="nan")))


@on_backends("numpy", "torch")
def test_elements_that_are_nan_already_stay_so(name: str, backend: str) -> None:
    """What one function could not answer passes through the next."""
    case = CASES[name]
    if isinstance(case.good, np.ndarray):
        batch, one = with_bad(case, bad=np.full(case.good.shape, np.nan))
    else:
        batch, one = with_bad(case)
        values = np.array(batch.coeffs)
        values[BAD] = np.nan
        nan = batch.replace(batch.layout, values)
        if backend != "numpy":
            batch, one = (x.to(backend=backend) for x in (batch, one))
            flags = batch.algebra.backend_object.array(np.isnan(values)) > 0
            nan = batch.replace(batch.layout, _masked(batch, flags))
        batch = nan
    with pytest.raises(NonFiniteInput):
        case.call(batch)
    eps = np.finfo(np.float32 if "float32" in name else np.float64).eps
    check_nan_exactly_there(case.call(batch, on_error="nan"), case.call(one), 64 * eps)


def _masked(a: Multivector, flags: Any) -> Any:
    backend: Any = a.algebra.backend_object
    return backend.where(flags, backend.lib.full_like(a.coeffs, float("nan")), a.coeffs)


def test_not_finite_coefficients_are_named_on_numpy() -> None:
    nan = inverse(stack([e1, 0 * e1, e2]), on_error="nan")
    for call in (exp, inverse, geomlin.norm, geomlin.normalize, rotor_to_matrix):
        with pytest.raises(NonFiniteInput) as raised:
            call(nan)
        assert (raised.value.indices, raised.value.count) == (((1,),), 1)


def test_overflow_of_arithmetic_names_the_elements() -> None:
    large = stack([e1, 1e300 * e1, e2, -1e200 * e2])
    for call in (lambda: large * large, lambda: large * 1e200, lambda: large / 1e-200):
        with pytest.raises(RapidityOverflow) as raised:
            call()
        assert raised.value.indices[0] == (1,)
        assert raised.value.count in (1, 2)
    with pytest.raises(RapidityOverflow) as raised:
        outer_exp(concatenate([B := bivector(4, e12=1e200, e34=1e200)[None], 0 * B]))
    assert (raised.value.indices, raised.value.count) == (((0,),), 1)


def test_only_the_first_sixteen_are_listed() -> None:
    with pytest.raises(NotARotor) as raised:
        log(EUCLID.even(np.full((40, 4), 2.0)))
    assert raised.value.indices == tuple((i,) for i in range(16))
    assert raised.value.count == 40


@pytest.mark.parametrize("where", ["array", "numpy", "list"])
@pytest.mark.parametrize("backend", ANY)
def test_matrices_with_nan_or_infinity(backend: str, where: str) -> None:
    """NaN for these elements alone if it is wanted, else an error, whatever holds the numbers."""
    algebra = Algebra(3, backend=backend)
    matrices = np.stack([np.diag([-1.0, -1, 1])] * 4)
    matrices[1, 0, 2], matrices[3, 2, 2] = np.nan, np.inf
    given: Any = matrices.tolist() if where == "list" else matrices
    if where == "array" and backend != "numpy":
        given = algebra.backend_object.converted(matrices, algebra.backend_object.default_dtype())
    found = np.asarray(geomlin.rotor_from_matrix(given, algebra, on_error="nan").coeffs)
    assert np.isnan(found[[1, 3]]).all()
    assert (found[[0, 2]] == [0.0, 1.0, 0.0, 0.0]).all()
    path = np.asarray(geomlin.lift_path(given, algebra, on_error="nan").coeffs)
    assert np.isnan(path[1:]).all()
    assert not np.isnan(path[0]).any()
    for function in (geomlin.rotor_from_matrix, geomlin.lift_path):
        with pytest.raises(NonFiniteInput):
            function(given, algebra)


def test_every_function_with_on_error_is_here() -> None:
    """And refuses other words than "raise" and "nan"."""
    with_on_error = {
        name
        for name in geomlin.__all__
        if inspect.isfunction(getattr(geomlin, name))
        and "on_error" in inspect.signature(getattr(geomlin, name)).parameters
    }
    elsewhere = {"lift_path"}  # NaN from the bad matrix onwards: tests/test_lift_path.py
    assert {case.function for case in CASES.values()} == with_on_error - elsewhere
    for case in CASES.values():
        with pytest.raises(LayoutError, match=r'expected on_error="raise" or "nan", got .ignore'):
            case.call(case.good, on_error="ignore")


@pytest.mark.parametrize("name", CASES)
def test_errors_survive_pickling(name: str) -> None:
    """Processes hand errors over pickled."""
    with pytest.raises(GeomlinError) as raised:
        CASES[name].call(with_bad(CASES[name])[0])
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value)
    assert str(again) == str(raised.value)
    assert vars(again) == vars(raised.value)
