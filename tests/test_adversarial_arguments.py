"""Whatever stands in the place of an argument: an answer, or an error of geomlin's own.

Every public function meets every kind of object in every place, on one algebra of each kind.  What
it must not do: raise an error of numpy or Python, warn, return what is not finite, or hang.
"""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alarm import nothing_hangs_for

import geomlin
from geomlin import (
    Algebra,
    DtypeError,
    GeomlinError,
    LayoutError,
    Multivector,
    NotSupported,
    RapidityOverflow,
    UnknownBlade,
    concatenate,
    invariant_decomposition,
    load,
    norm,
    rotor_in_plane,
    save,
    slerp,
    stack,
)

SPACES = [(3, 0, 0), (1, 1, 0), (2, 0, 1), (1, 0, 0), (0, 0, 2)]
spaces = pytest.mark.parametrize("space", SPACES, ids=str)


class Subclass(np.ndarray[Any, Any]):
    """An array class of someone else."""


nothing_hangs = nothing_hangs_for(20)  # seconds


def multivectors(algebra: Algebra, rng: np.random.Generator) -> dict[str, Multivector]:
    """Elements of every layout, size, dtype and batch shape."""
    n, size = algebra.n, 1 << algebra.n
    pairs = n * (n - 1) // 2
    found = {
        "vector": algebra.vector(rng.integers(-3, 4, size=n) + 0.5),
        "vectors": algebra.vector(rng.integers(1, 4, size=(2, n))),
        "bivectors": algebra.bivector(rng.integers(-2, 4, size=(3, pairs))),
        "mixed": algebra.multivector(rng.integers(-2, 4, size=size)),
        "zero": algebra.scalar(0),
        "one": algebra.scalar(1),
        "minus one": algebra.scalar(-1),
        "zeros": algebra.multivector(np.zeros(size)),
        "no blades": algebra.multivector([], layout=[]),
        "no blades, batch": algebra.multivector(np.zeros((3, 0)), layout=[]),
        "empty batch": algebra.multivector(np.zeros((0, size))),
        "empty batches": algebra.even(np.zeros((2, 0, size // 2))),
        "no bivectors": algebra.bivector(np.zeros((0, pairs))),
        "pseudoscalar": algebra.pseudoscalar,
        "huge": algebra.multivector(np.full(size, 1e300)),
        "tiny": algebra.multivector(np.full(size, 1e-310)),
        "smallest": algebra.vector(np.full(n, 5e-324)),
        "largest": algebra.vector(np.full(n, 1.7e308)),
        "float32": algebra.multivector(rng.normal(size=size).astype(np.float32)),
        "float16": algebra.bivector(rng.normal(size=(2, pairs)).astype(np.float16)),
        "largest float16": algebra.vector(np.full(n, 65504, np.float16)),
        "largest float32": algebra.bivector(np.full(pairs, 3e38, np.float32)),
    }
    if n >= 2:
        found["rotor"] = algebra.even({"1": 0.6, "e12": 0.8})
    return found


def objects(algebra: Algebra) -> dict[str, Any]:
    """What is no multivector of the algebra."""
    n = algebra.n
    eye = np.eye(n)
    return {
        "None": None,
        "word": "e12",
        "bytes": b"ab",
        "float": 1.5,
        "integer": 2,
        "bool": True,
        "NaN": float("nan"),
        "infinity": float("inf"),
        "complex": 1j,
        "decimal": Decimal("0.5"),
        "fraction": Fraction(1, 2),
        "huge integer": 10**400,
        "list": [1, 2],
        "nested list": [[[]]],
        "empty list": [],
        "dict": {"e1": 1},
        "range": range(3),
        "class": Algebra,
        "object": object(),
        "algebra": algebra,
        "other algebra": Algebra(n % 12 + 1).scalar(1),
        "other backend": Algebra(*algebra.signature, backend="fractions").scalar(1),
        "array": np.ones(3),
        "zero-d": np.array(1.0),
        "objects": np.array([None, 1], dtype=object),
        "masked": np.ma.masked_array([1.0, 2, 3], mask=[0, 1, 0]),
        "date": np.array("2020-01-01", dtype="datetime64[D]"),
        "structured": np.zeros(3, dtype=[("a", "f8")]),
        "matrix": eye,
        "matrices": np.stack([eye] * 2),
        "no matrices": np.zeros((0, n, n)),
        "NaN matrix": np.full((n, n), np.nan),
        "infinite matrix": np.full((n, n), np.inf),
        "huge matrix": np.full((n, n), 1e308),
        "integer matrix": np.eye(n, dtype=int),
        "boolean matrix": np.eye(n, dtype=bool),
        "unsigned matrix": np.full((n, n), 2**64 - 1, dtype=np.uint64),
        "long double matrix": np.eye(n, dtype=np.longdouble),
        "float16 matrix": np.eye(n, dtype=np.float16),
        "reversed matrix": eye[::-1, ::-1],
        "subclass": eye.view(Subclass),
    }


FUNCTIONS = [
    name
    for name in geomlin.__all__
    if inspect.isfunction(getattr(geomlin, name))
    and name not in ("prove", "verify", "save", "load")
]
INFINITE = {"invariant_decomposition"}  # squares beyond the range are infinite, as it says


def arrays(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple):
        for part in result:
            yield from arrays(part)
    elif isinstance(getattr(result, "coeffs", result), np.ndarray):
        yield getattr(result, "coeffs", result)


def answered_or_refused(name: str, what: Any, call: Callable[[], Any], *, finite: bool) -> bool:
    """Whether there was an answer; fails for everything but that and a named error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call()
    except GeomlinError:
        return False
    except Exception as error:
        pytest.fail(f"{name} {what}: {type(error).__name__}: {error}")
    for values in arrays(result):
        if finite and values.dtype.kind == "f":
            assert np.isfinite(values).all(), f"{name} {what}: not finite"
    return True


def places(name: str, algebra: Algebra, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Calls of a function by what stands where: every pair of elements, every object once."""
    function: Any = getattr(geomlin, name)
    known, others = multivectors(algebra, rng), objects(algebra)
    everything = {**known, **others}
    parameters = inspect.signature(function).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty]
    one = known.get("rotor", known["one"])
    if name in ("rotor_from_matrix", "lift_path"):
        matrix = np.eye(algebra.n)
        yield from (((k, "algebra"), (v, algebra)) for k, v in everything.items())
        yield from ((("matrix", k), (matrix, v)) for k, v in everything.items())
    elif name in ("stack", "concatenate"):
        yield from (((k,), (v,)) for k, v in everything.items())
        pairs = product((one, known["vectors"]), everything.items())
        yield from ((("two", k), ([first, v],)) for first, (k, v) in pairs)
        yield from ((("axis", k), ([known["vectors"]], v)) for k, v in others.items())
    else:
        last: tuple[Any, ...] = (0.5,) if name in ("power", "slerp") else ()
        last = (0.5,) if name.startswith(("rotor_in", "rotor_from")) else last
        operands = len(needed) - len(last)
        for keys in product(known, repeat=operands):
            yield keys, (*(known[k] for k in keys), *last)
        for place, k in product(range(len(needed)), others):
            filled: list[Any] = [*([one] * operands), *last]
            filled[place] = others[k]
            yield (place, k), tuple(filled)


@pytest.mark.parametrize("name", FUNCTIONS)
@spaces
def test_every_function_answers_or_refuses(
    space: tuple[int, int, int], name: str, rng: np.random.Generator
) -> None:
    algebra, function = Algebra(*space), getattr(geomlin, name)
    with_on_error = "on_error" in inspect.signature(function).parameters
    answers = 0
    for what, arguments in places(name, algebra, rng):
        finite = name not in INFINITE
        answers += answered_or_refused(name, what, lambda a=arguments: function(*a), finite=finite)
        if with_on_error:  # NaN is then an answer
            call = lambda a=arguments: function(*a, on_error="nan")  # noqa: E731
            answered_or_refused(name, (what, "nan"), call, finite=False)
    assert answers > 0 or space != SPACES[0], "nothing was answered at all"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_is_checked(name: str, rng: np.random.Generator) -> None:
    algebra, function = Algebra(3), getattr(geomlin, name)
    rotor = algebra.even({"1": 0.6, "e12": 0.8})
    parameters = inspect.signature(function).parameters.values()
    needed = [rotor for p in parameters if p.default is p.empty]
    if name in ("rotor_from_matrix", "lift_path"):
        needed = [np.stack([np.eye(3)] * 2), algebra]
    if name in ("power", "slerp", "rotor_in_plane", "rotor_from_plane"):
        needed[-1] = 0.5
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY:
            for what, value in objects(algebra).items():
                call = lambda p=parameter.name, v=value: function(*needed, **{p: v})  # noqa: E731
                answered_or_refused(name, (parameter.name, what), call, finite=False)


# --- constructors, samplers, files, indices -------------------------------------------------------


def arrays_like(n: int) -> dict[str, Any]:
    """What might be taken for coefficients."""
    return {
        "right": np.ones(n),
        "too many": np.ones(n + 1),
        "NaN": np.full(n, np.nan),
        "infinite": np.full(n, np.inf),
        "integers": np.arange(n),
        "unsigned": np.full(n, 2**63, np.uint64),
        "long integers": [2**200] * n,
        "too long integers": [10**400] * n,
        "booleans": np.ones(n, bool),
        "objects": np.array([object()] * n, dtype=object),
        "integer objects": np.array([1] * n, dtype=object),
        "words": ["1"] * n,
        "nothing": [None] * n,
        "complex": np.ones(n, complex),
        "long double": np.ones(n, np.longdouble),
        "ragged": [[1], [1, 2]],
        "broadcast": np.broadcast_to(np.ones(n), (3, n)),
        "negative strides": np.ones((3, 2 * n))[::-1, ::-2],
        "Fortran order": np.asfortranarray(np.ones((2, 3, n))),
        "masked": np.ma.masked_array(np.ones(n), mask=[1] + [0] * (n - 1)),
        "dates": np.array(["2020-01-01"] * n, dtype="datetime64[D]"),
        "void": np.zeros(n, dtype="V8"),
        "memory": memoryview(np.ones(n)),
        "set": {1.0},
        "multivectors": [Algebra(n).blade("e1")] * n,
        "numbers of numpy": [np.float32(1)] * n,
        "unknown blade": {"e9": 1},
        "disordered blade": {"e21": 1},
        "no blade": {1: 2},
        "nothing on a blade": {"e1": None},
        "word on a blade": {"e1": "x"},
        "NaN on a blade": {"e1": float("nan")},
        "ragged blades": {"e1": np.ones(3), "e2": np.ones(2)},
        "no blades": {},
        **objects(Algebra(n)),
    }


CONSTRUCTORS = ["scalar", "vector", "bivector", "even", "multivector", "blade"]


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructors_answer_or_refuse(name: str) -> None:
    algebra = Algebra(3)
    constructor: Any = getattr(algebra, name)
    outcomes = set()
    for what, value in arrays_like(3).items():
        call = lambda v=value: constructor(v)  # noqa: E731
        outcomes.add(answered_or_refused(name, what, call, finite=True))
        if name != "blade":
            call = lambda v=value: constructor(np.ones(3), dtype=v)  # noqa: E731
            answered_or_refused(name, ("dtype", what), call, finite=True)
    if name == "multivector":
        for what, value in arrays_like(3).items():
            call = lambda v=value: constructor([1.0], layout=v)  # noqa: E731
            answered_or_refused(name, ("layout", what), call, finite=True)
    assert outcomes == {True, False}  # a constructor that refuses everything is no constructor


def test_algebras_and_samplers_answer_or_refuse(rng: np.random.Generator) -> None:
    algebra = Algebra(3)
    outcomes = set()
    for what, value in arrays_like(3).items():
        for call in (
            lambda v=value: Algebra(v),
            lambda v=value: Algebra(1, v),
            lambda v=value: Algebra(2, 0, 0, v),
            lambda v=value: Algebra(2, 0, 0, "arb", v),
            *(
                call
                for kind in ("vector", "bivector", "multivector", "rotor")
                for sample in [getattr(algebra.random, kind)]
                for call in (
                    lambda s=sample, v=value: s(v),
                    lambda s=sample, v=value: s(rng, v),
                    lambda s=sample, v=value: s(rng, (), v),
                )
            ),
        ):
            outcomes.add(answered_or_refused("constructor", what, call, finite=True))
    assert outcomes == {True, False}


def test_operators_answer_or_refuse(rng: np.random.Generator) -> None:
    algebra = Algebra(2, 1)
    known = multivectors(algebra, rng)
    outcomes: defaultdict[str, set[bool]] = defaultdict(set)
    operators = ["add", "radd", "sub", "rsub", "mul", "rmul", "xor", "rxor", "truediv", "eq"]
    for (name, a), (what, b) in product(known.items(), {**known, **objects(algebra)}.items()):
        for operator in operators:
            call = getattr(a, f"__{operator}__")
            one = lambda c=call, v=b: c(v)  # noqa: E731
            outcomes[operator].add(answered_or_refused(operator, (name, what), one, finite=True))
        if what != "huge integer":  # 10^400 multiplications are asked for
            power = lambda x=a, v=b: x**v  # noqa: E731
            outcomes["pow"].add(answered_or_refused("pow", (name, what), power, finite=True))
    assert outcomes.pop("eq") == {True}  # whatever it is compared with
    assert all(seen == {True, False} for seen in outcomes.values()), outcomes


def test_named_errors_of_single_faults(tmp_path: Path, rng: np.random.Generator) -> None:
    """Each of these was an error of Python or numpy, or no error at all."""
    algebra = Algebra(3)
    e1, e2, _ = algebra.basis_vectors
    largest = algebra.vector([1.7e308] * 3)
    faults: list[tuple[Callable[[], Any], type[GeomlinError], str]] = [
        (lambda: norm(largest), RapidityOverflow, "range of float64"),
        (lambda: stack(e1), LayoutError, r"write \[A, B\]"),
        (lambda: concatenate(None), LayoutError, "sequence of multivectors"),  # type: ignore[arg-type]
        (lambda: stack(np.array(1.0)), LayoutError, "sequence"),  # type: ignore[arg-type]
        (lambda: algebra.vector([1, 2, 3], dtype=np.ones(3)), DtypeError, "expected dtype float64"),
        (lambda: algebra.multivector([1], layout=3), LayoutError, "sequence of blade names"),  # type: ignore[arg-type]
        (lambda: algebra.blade(memoryview(np.ones(3))), UnknownBlade, "names no blade"),  # type: ignore[arg-type]
        (lambda: stack([e1, e2])[[[1], [1, 2]]], LayoutError, "index of batch axes"),
        (lambda: algebra.random.vector(0), DtypeError, "numpy.random.Generator"),  # type: ignore[arg-type]
        (lambda: algebra.random.rotor(None), DtypeError, "numpy.random.Generator"),  # type: ignore[arg-type]
        (lambda: algebra.random.vector(rng, (-1,)), LayoutError, "batch shape"),
        (lambda: algebra.random.vector(rng, (), "1"), DtypeError, "scale"),  # type: ignore[arg-type]
        (lambda: Algebra(np.ones(3)), LayoutError, "counts basis vectors"),  # type: ignore[arg-type]
        (lambda: Algebra(3, backend=np.ones(3)), NotSupported, "is unknown: expected one of"),  # type: ignore[arg-type]
        (lambda: save(1, e1), DtypeError, "file name"),  # type: ignore[arg-type]
        (lambda: save(tmp_path / "a.npz", "e1"), LayoutError, r"save\(path, A\)"),  # type: ignore[arg-type]
        (lambda: load(None), DtypeError, "file name"),  # type: ignore[arg-type]
        (
            lambda: geomlin.log(algebra.scalar(1.0), up_to_sign=np.ones(2)),  # type: ignore[call-overload]
            DtypeError,
            "True or False for up_to_sign",
        ),
        (
            lambda: invariant_decomposition(
                Algebra(6).bivector(np.full(15, 3e38), dtype="float32")
            ),
            RapidityOverflow,
            "range of float32",
        ),
    ]
    for call, error, words in faults:
        with pytest.raises(error, match=words):
            call()
    assert slerp(algebra.scalar(1.0), algebra.scalar(1.0), np.ones(3)).shape == (3,)


def test_flags_of_a_smaller_batch_are_broadcast() -> None:
    """A null first vector of a batch of two, in two batches: NaN in its column, not in its row."""
    pytest.importorskip("torch")
    algebra = Algebra(1, 1, backend="torch")
    first = algebra.vector([[2.0, 1.0], [1.0, 1.0]])
    second = algebra.vector([[[1.0, 3.0], [3.0, 1.0]], [[1.0, 4.0], [5.0, 1.0]]])
    with pytest.raises(geomlin.NotInvertible) as raised:
        rotor_in_plane(first, second, 0.5)
    assert raised.value.indices == ((0, 1), (1, 1))
    found = rotor_in_plane(first, second, 0.5, on_error="nan").coeffs
    missing = np.isnan(np.asarray(found)).any(axis=-1)
    assert missing.tolist() == [[False, True], [False, True]]
