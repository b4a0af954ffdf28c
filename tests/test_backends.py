"""The laws of the backend protocol, on every backend; what each takes, and what it refuses."""

from __future__ import annotations

import decimal
import warnings
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from strategies import BACKENDS, small_rationals

from geomlin import Algebra, DtypeError, LayoutError, Multivector, NonFiniteInput, NotSupported
from geomlin.backend import NAMES, get_backend
from geomlin.layout import full_layout
from geomlin.tables import product_table

EXACT = [name for name in BACKENDS if name != "numpy"]
backends = pytest.mark.parametrize("name", BACKENDS)
exact_backends = pytest.mark.parametrize("name", EXACT)

RING = flint.fmpq_mpoly_ctx.get(["x", "y"], "degrevlex")
X, Y = RING.gens()

numbers = st.lists(small_rationals, min_size=4, max_size=4)


def same(backend: Any, a: Any, b: Any) -> bool:
    """Equal arrays: exactly, or to 8 eps where the backend rounds."""
    if backend.exact:
        return bool(np.all(backend.is_zero(a - b)))
    return bool(np.all(np.abs(a - b) <= 8 * np.finfo(np.float64).eps * (1 + np.abs(a))))


def test_the_backends_under_test_exist() -> None:
    assert set(BACKENDS) <= set(NAMES)


# --- the laws -----------------------------------------------------------------------------------


@backends
@given(values=numbers)
def test_array_keeps_the_values(name: str, values: list[Fraction]) -> None:
    backend = get_backend(name)
    given_values = [float(x) for x in values] if name == "numpy" else values
    found = backend.to_exact(backend.array(given_values))
    assert found.tolist() == [Fraction(x) for x in given_values]


@backends
def test_zeros_are_neutral_and_have_the_dtype(name: str) -> None:
    backend = get_backend(name)
    x = backend.array([[1, -2, 3]])
    zeros = backend.zeros((4, 3), x)
    assert zeros.shape == (4, 3)
    assert zeros.dtype == x.dtype
    assert backend.is_zero(zeros).all()
    assert backend.is_zero(x + zeros - x).all()


@backends
@given(a=numbers, b=numbers, c=numbers)
def test_contract_is_bilinear(name: str, a: Any, b: Any, c: Any) -> None:
    backend = get_backend(name)
    table = product_table("geometric_product", (1, -1), full_layout(2), full_layout(2))
    x, y, z = (
        backend.array([float(v) for v in values] if name == "numpy" else values)
        for values in (a, b, c)
    )
    left = backend.contract(table, x + y, z)
    assert same(backend, left, backend.contract(table, x, z) + backend.contract(table, y, z))
    right = backend.contract(table, z, 2 * x)
    assert same(backend, right, 2 * backend.contract(table, z, x))


@backends
def test_contract_broadcasts_batches(name: str) -> None:
    backend = get_backend(name)
    table = product_table("geometric_product", (1, 1), full_layout(2), full_layout(2))
    a = backend.array(np.arange(12).reshape(3, 1, 4).tolist())
    b = backend.array(np.arange(8).reshape(2, 4).tolist())
    found = backend.contract(table, a, b)
    assert found.shape == (3, 2, 4)
    for i in range(3):
        for j in range(2):
            assert same(backend, found[i, j], backend.contract(table, a[i, 0], b[j]))
    empty = backend.contract(table, backend.zeros((0, 1, 4), a), b)
    assert empty.shape == (0, 2, 4)


@backends
@given(a=numbers, b=numbers)
def test_divide_undoes_multiplication(name: str, a: list[Fraction], b: list[Fraction]) -> None:
    backend = get_backend(name)
    divisor = [x if x else Fraction(1) for x in b]
    x, y = (
        backend.array([float(v) for v in values] if name == "numpy" else values)
        for values in (a, divisor)
    )
    assert same(backend, backend.divide(x, y) * y, x)


@backends
@given(values=numbers)
def test_sqrt_and_absolute(name: str, values: list[Fraction]) -> None:
    backend = get_backend(name)
    x = backend.array([float(v) for v in values] if name == "numpy" else values)
    absolute = backend.absolute(x)
    assert same(backend, absolute * absolute, x * x)
    assert all(v >= 0 for v in absolute)
    assert same(backend, backend.sqrt(x * x), absolute)


@backends
def test_is_zero_is_a_boolean_array(name: str) -> None:
    backend = get_backend(name)
    found = backend.is_zero(backend.array([[0, 1], [2, 0]]))
    assert found.dtype == bool
    assert found.tolist() == [[True, False], [False, True]]


@backends
@given(values=numbers)
def test_literal_is_code_for_the_number(name: str, values: list[Fraction]) -> None:
    backend = get_backend(name)
    x = backend.array([float(v) for v in values] if name == "numpy" else values)
    again = backend.array([eval(backend.literal(v)) for v in x])
    assert backend.is_zero(again - x).all()


# --- exactness ----------------------------------------------------------------------------------


@exact_backends
def test_exact_backends_decide_what_floats_cannot(name: str) -> None:
    """0.1 + 0.2 - 0.3 is not zero in floats; 1/10 + 2/10 - 3/10 is."""
    backend = get_backend(name)
    assert backend.exact
    tenths = backend.array(["1/10", "2/10", "3/10"])
    assert backend.is_zero(tenths[0] + tenths[1] - tenths[2]).all()
    floats = get_backend("numpy").array([0.1, 0.2, 0.3])
    assert not get_backend("numpy").exact
    assert floats[0] + floats[1] - floats[2] != 0


@exact_backends
def test_floats_become_the_rationals_they_are(name: str) -> None:
    backend = get_backend(name)
    found = backend.to_exact(backend.array([0.1, np.float32(0.1), 2.0**-1074]))
    assert found.tolist() == [Fraction(0.1), Fraction(float(np.float32(0.1))), Fraction(1, 2**1074)]


@exact_backends
def test_large_integers_stay_exact(name: str) -> None:
    backend = get_backend(name)
    found = backend.to_exact(backend.array([2**100 + 1, np.int64(2**53 + 1)]))
    assert found.tolist() == [2**100 + 1, 2**53 + 1]


@pytest.mark.parametrize("name", ["fractions", "flint"])
def test_irrational_roots_are_refused_on_rationals(name: str) -> None:
    backend = get_backend(name)
    assert backend.to_exact(backend.sqrt(backend.array(["9/4", 0]))).tolist() == [Fraction(3, 2), 0]
    with pytest.raises(NotSupported, match=r"irrational.*sqrt\(2\).*sympy"):
        backend.sqrt(backend.array([2]))


def test_sympy_roots_are_exact() -> None:
    backend = get_backend("sympy")
    assert backend.sqrt(backend.array([8])).tolist() == [2 * sympy.sqrt(2)]


def test_sympy_recognises_zero_through_identities() -> None:
    x = sympy.Symbol("x", real=True)
    backend = get_backend("sympy")
    values = backend.array(
        [sympy.sin(x) ** 2 + sympy.cos(x) ** 2 - 1, x, (x + 1) ** 2 - x**2 - 2 * x - 1]
    )
    assert backend.is_zero(values).tolist() == [True, False, True]


def test_flint_polynomials() -> None:
    backend = get_backend("flint")
    a = backend.array([X, Y, 1])
    assert backend.is_zero(a * a - backend.array([X**2, Y**2, 1])).all()
    assert backend.divide(backend.array([X**2 - Y**2]), backend.array([X + Y])).tolist() == [X - Y]
    with pytest.raises(NotSupported, match="not a polynomial"):
        backend.divide(backend.array([X]), backend.array([Y]))
    with pytest.raises(NotSupported, match="is no polynomial"):
        backend.sqrt(backend.array([X]))
    with pytest.raises(NotSupported, match="is no polynomial"):
        backend.absolute(backend.array([X]))
    with pytest.raises(NotSupported, match="substitute values"):
        backend.to_exact(backend.array([X]))
    with pytest.raises(NotSupported):
        backend.literal(X)
    constants = backend.array([0 * X, X - X + 5])
    assert backend.to_exact(constants).tolist() == [0, 5]


# --- what numpy takes ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, bool])
def test_integers_are_promoted_to_float64(dtype: Any) -> None:
    found = Algebra(2).vector(np.array([1, 0], dtype=dtype))
    assert found.dtype == np.float64
    assert found.coeffs.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_floats_keep_their_dtype(dtype: Any) -> None:
    v = Algebra(2).vector(np.array([1.5, -2], dtype=dtype))
    for found in (
        v,
        -v,
        ~v,
        v + v,
        v - 1,
        v * v,
        v ^ v,
        2 * v,
        2.5 * v,
        v / 3,
        v**3,
        v + Fraction(1, 3),
    ):
        assert found.dtype == dtype
    assert (v * np.ones(2, dtype=dtype)).dtype == dtype


def test_python_numbers_do_not_promote_but_float64_arrays_do() -> None:
    """As numpy 2 itself: a Python number has no precision, a numpy one has."""
    v = Algebra(2).vector([1, 2], dtype=np.float32)
    assert (v * 3.0).dtype == np.float32
    assert (v * 3).dtype == np.float32
    assert (v * True).dtype == np.float32
    assert (v * np.float32(3)).dtype == np.float32
    assert (v * np.float64(3)).dtype == np.float64
    assert (np.array([1.0, 2.0]) * v).dtype == np.float64
    assert (v + Algebra(2).vector([1, 2])).dtype == np.float64


def test_float16_products_are_computed_in_float32() -> None:
    """(1 + u)^2 - (1 + 2 u) is u^2, but 0 when the square is rounded to float16."""
    u = 2.0**-10
    algebra = Algebra(2)
    a = algebra.vector([1 + u, 1], dtype=np.float16)
    b = algebra.vector([1 + u, -(1 + 2 * u)], dtype=np.float16)
    found = (a * b)["1"]
    assert found == u**2
    assert found.dtype == np.float16
    assert np.float16(1 + u) * np.float16(1 + u) == np.float16(1 + 2 * u)


def test_foreign_byte_order_is_float64_all_the_same() -> None:
    found = Algebra(2).vector(np.array([1.5, 2], dtype=">f8"))
    assert found.dtype == np.dtype("=f8")
    assert found.dtype.isnative
    assert found.coeffs.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1j, 0], "complex"),
        (np.ones(2, dtype=np.complex64), "complex64"),
        (np.ones(2, dtype=np.longdouble), "more than float64"),
        (["a", "b"], "strings"),
        (["1", "2"], "numbers as strings"),
        ([None, 1], "None"),
        ([Fraction(1, 2), 0], "exact numbers in a float algebra"),
        ([2**70, 0], "an integer beyond int64"),
        (np.array(["2020-01-01"] * 2, dtype="M8[D]"), "dates"),
        ([sympy.Symbol("x"), 0], "symbols"),
        ([{}, 0], "dictionaries"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_other_kinds_of_number_are_dtype_errors(values: Any, why: str) -> None:
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        pytest.skip("long double is float64 on this machine")
    with pytest.raises(DtypeError, match="expected") as raised:
        Algebra(2).vector(values)
    assert isinstance(raised.value, TypeError)
    assert any(word in str(raised.value) for word in ("convert", "pass the real")), why


@pytest.mark.parametrize("dtype", ["int64", "complex128", "banana", np.longdouble, 3, object])
def test_other_dtypes_are_refused(dtype: Any) -> None:
    if dtype is np.longdouble and np.dtype(dtype) == np.float64:
        pytest.skip("long double is float64 on this machine")
    with pytest.raises(DtypeError, match="expected dtype float64, float32 or float16"):
        Algebra(2).vector([1, 2], dtype=dtype)


@exact_backends
def test_exact_backends_have_no_dtype(name: str) -> None:
    with pytest.raises(DtypeError, match="has no dtype"):
        Algebra(2, backend=name).vector([1, 2], dtype=np.float64)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@backends
def test_non_finite_numbers_are_refused(name: str, bad: float) -> None:
    algebra = Algebra(2, backend=name)
    for build in (
        lambda: algebra.vector([1.0, bad]),
        lambda: algebra.vector(np.array([1.0, bad])),
        lambda: algebra.vector({"e1": bad}),
        lambda: algebra.scalar(bad),
        lambda: algebra.vector([1.0, 2.0]) * bad,
        lambda: algebra.vector([1.0, 2.0]) + np.array([bad, 1.0]),
    ):
        with pytest.raises(NonFiniteInput, match="expected") as raised:
            build()
        assert isinstance(raised.value, ValueError)


def test_numbers_beyond_the_dtype_are_refused_not_infinite() -> None:
    algebra = Algebra(2)
    assert algebra.vector([65504, 0], dtype=np.float16).coeffs[0] == 65504  # the largest float16
    with pytest.raises(NonFiniteInput, match="range of float16"):
        algebra.vector([65536, 0], dtype=np.float16)
    with pytest.raises(NonFiniteInput, match="range of float32"):
        algebra.vector([1e300, 0]).to(dtype=np.float32)
    with pytest.raises(NonFiniteInput, match="range of float64"):
        algebra.vector([1, 0]) * 10**400
    with pytest.raises(NonFiniteInput, match="range of float64"):
        Algebra(2, backend="fractions").vector([10**400, 0]).to(backend="numpy")


def test_input_is_copied_and_output_is_read_only() -> None:
    values = np.array([1.0, 2.0])
    v = Algebra(2).vector(values)
    values[:] = 7
    assert v.coeffs.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        v.coeffs[0] = 3
    for found in (v + v, v * v, v[...], v.grade(1), ~v, v.to(dtype=np.float32)):
        assert not found.coeffs.flags.writeable
    dense = v.to_dense()
    dense[0] = 5  # an array of the caller's own
    assert v["1"] == 0


@exact_backends
def test_exact_input_is_copied_and_read_only(name: str) -> None:
    values = [1, 2]
    v = Algebra(2, backend=name).vector(values)
    values[0] = 7
    assert v["e1"] == 1
    with pytest.raises(ValueError, match="read-only"):
        v.coeffs[0] = 3


# --- what the exact backends take ---------------------------------------------------------------


@exact_backends
def test_every_kind_of_exact_number_is_taken(name: str) -> None:
    third = Fraction(1, 3)
    values = [third, "1/3", flint.fmpq(1, 3), sympy.Rational(1, 3)]
    quarter = [0.25, "0.25", decimal.Decimal("0.25"), np.float16(0.25)]
    integers = [3, np.int8(3), flint.fmpz(3), sympy.Integer(3)]
    if name == "sympy":
        quarter[2] = sympy.Float(0.25)
    backend = get_backend(name)
    found = backend.to_exact(backend.array([values, quarter, integers]))
    assert found.tolist() == [[third] * 4, [Fraction(1, 4)] * 4, [3] * 4]


@exact_backends
@pytest.mark.parametrize(
    "value", [1j, np.complex64(1), None, {}, b"1", "1 2", "1/0", "", "1/2/3/", object], ids=repr
)
def test_other_objects_are_dtype_errors(name: str, value: Any) -> None:
    expected = NonFiniteInput if name == "sympy" and value == "1/0" else DtypeError
    with pytest.raises(expected, match="expected"):
        Algebra(2, backend=name).vector([value, 0])


@backends
@pytest.mark.parametrize(
    "values", [[[1, 2], [3]], [[1, 2], 3], [[1, 2], [1, 2, 3], [1]], [[[1]], [1, 2]]], ids=str
)
def test_ragged_lists_are_layout_errors(name: str, values: Any) -> None:
    """[[1, 2], [1, 2, 3], [1]] has six numbers, which must not be cut into three pairs."""
    with pytest.raises(LayoutError, match="expected a rectangular"):
        Algebra(2, backend=name).vector(values)


@pytest.mark.parametrize(
    "value",
    [
        sympy.I,
        sympy.Symbol("z", imaginary=True),
        sympy.Symbol("z") > 0,
        sympy.Matrix([1]),
        "I*x",
        "x.name",
        "open('file', 'w')",
        "__import__('os').getcwd()",
        "[1]",
        "lambda: 1",
        "1 +* 2",
        "f(x)",
        "True",
    ],
    ids=str,
)
def test_sympy_takes_real_expressions_and_evaluates_no_code(value: Any) -> None:
    with pytest.raises(DtypeError, match="expected"):
        Algebra(2, backend="sympy").vector([value, 0])


@pytest.mark.parametrize(
    "value", [sympy.oo, sympy.nan, sympy.zoo, sympy.oo + sympy.Symbol("x"), "oo"]
)
def test_sympy_takes_finite_expressions(value: Any) -> None:
    with pytest.raises(NonFiniteInput, match="expected a finite expression"):
        Algebra(2, backend="sympy").vector([value, 0])


def test_sympy_reads_text() -> None:
    x = sympy.Symbol("x")
    found = Algebra(2, backend="sympy").vector(["x**2 - 3/4", "sqrt(2)*sin(x)"])
    assert found.coeffs.tolist() == [x**2 - sympy.Rational(3, 4), sympy.sqrt(2) * sympy.sin(x)]


@pytest.mark.parametrize(("name", "message"), [("cupy", "unknown"), (["numpy"], "unknown")])
def test_unknown_backends(name: Any, message: str) -> None:
    with pytest.raises(NotSupported, match=f"{message}.*numpy"):
        Algebra(2, backend=name)


# --- from one backend to another ----------------------------------------------------------------


@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("source", BACKENDS)
def test_conversion_keeps_dyadic_numbers(source: str, target: str) -> None:
    a = Algebra(1, 1, 1, backend=source).multivector(
        {"1": "3/4" if source != "numpy" else 0.75, "e13": -2}
    )
    found = a.to(backend=target)
    assert found.algebra == Algebra(1, 1, 1, backend=target)
    assert found.layout is a.layout
    assert get_backend(target).to_exact(found.coeffs).tolist()[0] == Fraction(3, 4)
    assert found.to(backend=source) == a


@exact_backends
def test_conversion_to_floats_rounds_to_nearest(name: str) -> None:
    exact = Algebra(2, backend=name).vector(["1/3", "-2/7"])
    assert exact.to(backend="numpy").coeffs.tolist() == [1 / 3, -2 / 7]
    assert exact.to(backend="numpy", dtype=np.float32).dtype == np.float32


def test_conversion_of_what_has_no_value_there() -> None:
    x = Algebra(2, backend="sympy").vector([sympy.Symbol("x"), sympy.sqrt(2)])
    with pytest.raises(DtypeError, match="substitute values"):
        x.to(backend="numpy")
    with pytest.raises(NotSupported, match="not a rational number"):
        x.to(backend="fractions")
    root = Algebra(2, backend="sympy").vector([0, sympy.sqrt(2)])
    assert root.to(backend="numpy").coeffs.tolist() == [0.0, 2**0.5]
    polynomial = Algebra(2, backend="flint").vector([X, Y])
    for target in ("numpy", "fractions", "sympy"):
        with pytest.raises(NotSupported, match="substitute values"):
            polynomial.to(backend=target)
    with pytest.raises(NotSupported, match="only the cpu"):
        root.to(device="cuda")
    assert root.to(device="cpu") == root


def test_no_warning_and_no_state_on_the_way() -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        a: Multivector = Algebra(3).multivector(np.arange(8.0))
        assert (a * a).to(dtype=np.float16).dtype == np.float16
        assert np.geterr()["over"] == "raise"
