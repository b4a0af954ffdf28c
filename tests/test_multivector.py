"""The value type: frozen, exact equality, indexing, operators, copying; and the Algebra."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from strategies import BACKENDS, algebra_and_multivectors

from geomlin import (
    Algebra,
    DtypeError,
    LayoutError,
    Multivector,
    NotInvertible,
    SignatureMismatch,
    geometric_product,
    inverse,
)

ALGEBRA = Algebra(2, 1)
E1, E2, E3 = ALGEBRA.basis_vectors


def batch() -> Multivector:
    """Six vectors e1 .. with distinct coefficients, batch shape (2, 3)."""
    return ALGEBRA.vector(np.arange(18.0).reshape(2, 3, 3))


# --- frozen -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["coeffs", "layout", "algebra", "e1", "shape", "anything"])
def test_nothing_can_be_set_or_deleted(name: str) -> None:
    a = E1 + 0
    with pytest.raises(AttributeError, match="frozen"):
        setattr(a, name, 3)
    with pytest.raises(AttributeError, match="frozen"):
        delattr(a, name)
    assert a == E1


def test_augmented_assignment_makes_a_new_value() -> None:
    a = b = E1
    a += E2
    assert (a, b) == (E1 + E2, E1)


def test_unhashable_because_equality_is_by_value_over_layouts() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(E1)
    with pytest.raises(TypeError, match="unhashable"):
        dict.fromkeys([E1])


def test_truth_value_is_ambiguous() -> None:
    with pytest.raises(TypeError, match=r"ambiguous.*isclose"):
        bool(E1)
    with pytest.raises(TypeError, match="ambiguous"):
        _ = E1 and E2


@pytest.mark.parametrize("other", [E1, 2, np.ones(3)])
def test_there_is_no_bar_product(other: Any) -> None:
    """The field has four different products that are written |."""
    with pytest.raises(TypeError, match=r"unsupported operand|does not support"):
        E1 | other
    with pytest.raises(TypeError, match=r"unsupported operand|does not support"):
        other | E1


@pytest.mark.parametrize("symbol", ["<", ">", "<=", ">="])
def test_there_are_no_comparisons(symbol: str) -> None:
    with pytest.raises(TypeError, match="not supported"):
        eval(f"a {symbol} b", {"a": E1, "b": E2})


# --- equality -----------------------------------------------------------------------------------


def test_equality_is_exact() -> None:
    assert E1 == E1 + 0
    assert E1 != E1 * (1 + 2.0**-52)
    assert isinstance(E1 == E1, bool)


def test_equality_ignores_the_layout_but_not_the_values() -> None:
    full = ALGEBRA.multivector({"e1": 1})
    assert full == E1
    assert full == E1
    assert ALGEBRA.multivector({"e1": 1, "e123": 1}) != E1
    assert ALGEBRA.multivector([], layout=[]) == ALGEBRA.scalar(0)


def test_equality_of_batches_is_one_bool_and_never_broadcasts() -> None:
    a = batch()
    assert a == batch()
    assert a != a + np.array([0.0, 0.0, 1e-300])
    assert a[0, 0] != a
    assert a[:1] != a


@pytest.mark.parametrize(
    ("number", "equal"),
    [
        (0.5, True),
        (Fraction(1, 2), True),
        (np.float32(0.5), True),
        (0.25, False),
        (10**400, False),  # beyond every float
        (float("nan"), False),
        (float("inf"), False),
        (1j, False),
        ("0.5", False),
        (None, False),
    ],
    ids=str,
)
def test_equality_with_numbers_is_exact(number: Any, equal: bool) -> None:
    half = ALGEBRA.scalar(0.5)
    assert (half == number) is equal
    assert (number == half) is equal
    assert (half != number) is not equal
    assert half + E1 != number


def test_equality_with_numbers_does_not_round_to_the_dtype() -> None:
    assert ALGEBRA.scalar(0.1, dtype=np.float32) != 0.1
    assert ALGEBRA.scalar(0.1, dtype=np.float32) == np.float32(0.1)
    assert Algebra(2, backend="fractions").scalar("1/3") == Fraction(1, 3)
    assert Algebra(2, backend="fractions").scalar("1/3") != 1 / 3


def test_equality_between_algebras() -> None:
    assert Algebra(3).blade("e1") != E1
    assert Algebra(2, 1, backend="fractions").blade("e1") != E1
    x = sympy.Symbol("x")
    symbolic = Algebra(2, backend="sympy")
    assert symbolic.vector([(x + 1) ** 2, 0]) == symbolic.vector([x**2 + 2 * x + 1, 0])


# --- indexing -----------------------------------------------------------------------------------


def test_names_give_coefficients() -> None:
    a = 3 + 2 * E1
    assert (a["1"], a["e1"], a["e2"], a["e123"]) == (3, 2, 0, 0)
    assert np.ndim(a["e1"]) == np.ndim(a["e2"]) == 0
    b = batch()
    assert b["e2"].tolist() == [[1, 4, 7], [10, 13, 16]]
    assert b["e12"].tolist() == np.zeros((2, 3)).tolist()
    exact = Algebra(2, backend="fractions").vector(["1/3", 0])
    assert exact["e1"] == Fraction(1, 3)
    assert isinstance(exact["e12"], Fraction)


def test_integers_slices_and_masks_index_the_batch() -> None:
    a = batch()
    values = a.coeffs
    for key in (0, -1, (1, 2), slice(1, None), (slice(None), 0), ..., (..., 1), None, ()):
        found = a[key]
        index = key if isinstance(key, tuple) else (key,)
        expected = (
            values[(*index, slice(None))] if ... in index else values[(*index, ..., slice(None))]
        )
        assert found.coeffs.tolist() == expected.tolist(), key
        assert found.layout is a.layout
    mask = values[..., 0] > 5
    assert a[mask].coeffs.tolist() == values[mask].tolist()
    assert a[np.array([1, 0, 1])].shape == (3, 3)
    assert a[[0, 1], [2, 0]].coeffs.tolist() == [values[0, 2].tolist(), values[1, 0].tolist()]


def test_an_integer_never_means_a_blade() -> None:
    with pytest.raises(LayoutError, match=r"needs 1 batch axes.*use a name"):
        E1[0]
    with pytest.raises(LayoutError, match="needs 3 batch axes"):
        batch()[0, 0, 0]
    with pytest.raises(LayoutError, match="needs 2 batch axes"):
        batch()[0][np.ones((3, 3), dtype=bool)]
    with pytest.raises(LayoutError, match="index batch axes first"):
        batch()[0, "e1"]
    with pytest.raises(IndexError):
        batch()[2]


def test_length_and_iteration() -> None:
    a = batch()
    assert len(a) == 2
    assert [x.shape for x in a] == [(3,), (3,)]
    assert [x == a[i] for i, x in enumerate(a)] == [True, True]
    with pytest.raises(TypeError, match="no length"):
        len(E1)
    with pytest.raises(TypeError, match="no length"):
        list(E1)


def test_views_of_the_whole() -> None:
    a = 3 + 2 * E1 - E1 * E2
    assert a.as_dict() == {"1": 3, "e1": 2, "e12": -1}
    assert a.to_dense().tolist() == [3, 2, 0, 0, -1, 0, 0, 0]
    assert (a.shape, a.ndim, a.dtype) == ((), 0, np.float64)
    assert a.grade(2) == -E1 * E2
    assert batch().to_dense().shape == (2, 3, 8)
    assert list(batch().as_dict()) == ["e1", "e2", "e3"]  # e1 is zero in one element only
    assert (E1 ^ E1).as_dict() == ALGEBRA.multivector([], layout=[]).as_dict() == {}


# --- operators ----------------------------------------------------------------------------------


@given(algebra_and_multivectors(2))
def test_operators_are_the_functions(pair: tuple[Multivector, Multivector]) -> None:
    a, b = pair
    assert a * b == geometric_product(a, b)
    assert a - b == a + (-b)
    assert +a == a
    assert a - a == 0
    assert 2 * a == a + a == a * 2
    assert a / 2 + a / 2 == a
    assert 3 - a == -(a - 3)
    assert 3 + a == a + 3
    assert (a ^ 2) == (2 ^ a) == 2 * a


def test_scalars_of_every_kind() -> None:
    two = [2, 2.0, Fraction(2), np.float64(2), np.int64(2), np.array(2.0), True + 1]
    for s in two:
        assert E1 * s == s * E1 == E1 + E1
        assert (E1 + s) - s == E1
        assert E1 / s == 0.5 * E1


def test_reflected_operators_of_arrays_give_one_multivector() -> None:
    """numpy must not loop over the multivector: it has __array_ufunc__ = None."""
    scale = np.array([1.0, 2.0, 3.0])
    for found in (scale * E1, E1 * scale, scale ^ E1):
        assert isinstance(found, Multivector)
        assert found.shape == (3,)
        assert found["e1"].tolist() == scale.tolist()
    difference = scale - E1
    assert difference["1"].tolist() == scale.tolist()
    assert difference["e1"].tolist() == [-1, -1, -1]
    assert (np.float64(2) * E1).shape == ()
    with pytest.raises(TypeError):
        np.sin(E1)


def test_arrays_are_batches_of_scalars() -> None:
    a = batch()
    assert (a * np.array([1.0, 0.0, 2.0]))["e3"].tolist() == [[2, 0, 16], [11, 0, 34]]
    assert (a / np.array([[1.0], [2.0]]))["e1"].tolist() == [[0, 3, 6], [4.5, 6, 7.5]]
    assert (E1 * np.ones((0, 2))).shape == (0, 2)
    for combine in (lambda: a * np.ones(2), lambda: a / np.ones(2), lambda: a + np.ones(4)):
        with pytest.raises(LayoutError, match=r"broadcast, got \(2, 3\) and \(\d,\)"):
            combine()
    with pytest.raises(LayoutError, match=r"broadcast, got \(2, 3\) and \(2,\)"):
        a * a[:, 0]


@pytest.mark.parametrize("other", [[1.0], (1.0,), {"e1": 1}, {1.0}], ids=str)
def test_containers_are_no_operands(other: Any) -> None:
    """[u] ^ v silently became v ^ u in another library."""
    for combine in (
        lambda: E1 * other,
        lambda: other * E1,
        lambda: E1 + other,
        lambda: E1 ^ other,
        lambda: E1 / other,
    ):
        with pytest.raises((LayoutError, TypeError)) as raised:
            combine()
        assert not isinstance(raised.value, AttributeError)


def test_other_operands_raise() -> None:
    with pytest.raises(DtypeError, match="expected"):
        E1 * "2"
    with pytest.raises(DtypeError, match="expected"):
        E1 + None
    with pytest.raises(DtypeError, match=r"A \* inverse\(B\)"):
        E1 / E2
    with pytest.raises(TypeError):
        1 / E1
    for zero in (0, 0.0, np.array([1.0, 0.0])):
        with pytest.raises(NotInvertible, match="nonzero scalar"):
            E1 / zero


def test_signature_mismatch_says_both_and_the_way_out() -> None:
    other = Algebra(3).blade("e1")
    for combine in (lambda: E1 + other, lambda: E1 * other, lambda: E1 ^ other, lambda: other - E1):
        with pytest.raises(SignatureMismatch, match=r"Cl\(2,1\).*Cl\(3\)|Cl\(3\).*Cl\(2,1\)"):
            combine()
    exact = Algebra(2, 1, backend="fractions").blade("e1")
    with pytest.raises(SignatureMismatch, match=r"A.to\(backend='fractions'\)"):
        E1 + exact


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("k", range(-3, 6))
def test_powers(name: str, k: int) -> None:
    """(2 e1)^-1 was 2 e1 in another library: its loop over a negative range was empty."""
    algebra = Algebra(1, 1, backend=name)
    a = algebra.multivector({"1": 1, "e1": 2, "e12": 1})  # no versor: 1 + 2 e1 + e12
    expected = algebra.scalar(1)
    factor = a if k >= 0 else inverse(a)
    for _ in range(abs(k)):
        expected = expected * factor
    difference = a**k - expected
    assert all(abs(float(x)) < 1e-13 for x in difference.coeffs)
    if name != "numpy":
        assert a**k == expected


def test_power_of_a_batch_and_wrong_exponents() -> None:
    a = batch()
    assert a**2 == a * a
    assert a**0 == ALGEBRA.scalar(np.ones((2, 3)))
    assert (a.to(dtype=np.float32) ** 0).dtype == np.float32
    assert a ** np.int64(3) == a * a * a
    for exponent in (0.5, 2.0, True, "2", None, E1):
        with pytest.raises(DtypeError, match="integer exponent"):
            a**exponent


# --- copying ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BACKENDS)
def test_pickle_and_copy(name: str) -> None:
    a = Algebra(2, 0, 1, backend=name).multivector({"1": 1, "e13": -2})
    for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert again == a
        assert again.layout is a.layout
        assert again.algebra == a.algebra
        assert not again.coeffs.flags.writeable
        with pytest.raises(AttributeError, match="frozen"):
            again.coeffs = None
    assert pickle.loads(pickle.dumps(batch().to(dtype=np.float32))).dtype == np.float32


def test_deepcopy_inside_a_container() -> None:
    a = batch()
    held = {"a": [a, a]}
    again = copy.deepcopy(held)
    assert again["a"][0] == a


# --- the algebra --------------------------------------------------------------------------------


def test_algebras_are_values() -> None:
    assert Algebra(3, 0, 1) == Algebra(3, 0, 1)
    assert Algebra(3) != Algebra(3, backend="fractions")
    assert Algebra(3) != Algebra(2, 1)
    assert Algebra(3) != "Cl(3)"
    assert len({Algebra(3), Algebra(3), Algebra(0, 3)}) == 2
    again = pickle.loads(pickle.dumps(Algebra(1, 2, 1, backend="flint")))
    assert again == Algebra(1, 2, 1, backend="flint")
    assert copy.deepcopy(Algebra(3)) == Algebra(3)


def test_algebra_attributes() -> None:
    algebra = Algebra(1, 1, 1)
    assert (algebra.n, algebra.signature, algebra.metric) == (3, (1, 1, 1), (1, -1, 0))
    assert [v.as_dict() for v in algebra.basis_vectors] == [{"e1": 1}, {"e2": 1}, {"e3": 1}]
    assert algebra.pseudoscalar == algebra.blade("e123")
    assert [float((v * v)["1"]) for v in algebra.basis_vectors] == [1, -1, 0]


@pytest.mark.parametrize(
    ("constructor", "size"),
    [("vector", 4), ("bivector", 6), ("even", 8), ("multivector", 16)],
)
def test_constructors_take_arrays_and_mappings(constructor: str, size: int) -> None:
    algebra = Algebra(4)
    build = getattr(algebra, constructor)
    found = build(np.arange(2.0 * size).reshape(2, size))
    assert found.shape == (2,)
    assert found.coeffs.shape == (2, size)
    name = found.layout.names[-1]
    assert build({name: 3}).as_dict() == {name: 3}
    assert build({}) == 0
    assert build({name: [1, 2, 3]}).shape == (3,)
    for wrong in (np.ones(size + 1), np.ones(size - 1), np.ones((size, 2)), 1.0, []):
        with pytest.raises(LayoutError, match=f"has {size} coefficients.*got shape"):
            build(wrong)
    with pytest.raises(LayoutError, match="got a Multivector"):
        build(found)


def test_constructors_refuse_blades_they_do_not_store() -> None:
    algebra = Algebra(4)
    with pytest.raises(LayoutError, match="'e12' is no blade of the vector layout"):
        algebra.vector({"e12": 1})
    with pytest.raises(LayoutError, match="'e1' is no blade of the even layout"):
        algebra.even({"e1": 1})
    with pytest.raises(LayoutError, match=r"broadcast, got e1: \(2,\), e2: \(3,\)"):
        algebra.vector({"e1": [1, 2], "e2": [1, 2, 3]})


def test_mappings_broadcast_and_promote() -> None:
    found = Algebra(2).vector({"e1": [[1], [2]], "e2": [1, 2, 3]})
    assert found.shape == (2, 3)
    single = {"e1": np.float32(1), "e2": np.float32(2)}
    assert Algebra(2).vector(single).dtype == np.float32
    mixed = {"e1": np.float32(1), "e2": 2.0}
    assert Algebra(2).vector(mixed).dtype == np.float64
    assert Algebra(2).vector({"e1": 1}, dtype=np.float16).dtype == np.float16


def test_explicit_layouts_follow_the_names_given() -> None:
    """The coefficients are stored in blade order, but read in the order of the caller."""
    algebra = Algebra(3)
    a = algebra.multivector([[5, 7], [1, 2]], layout=["e23", "1"])
    assert a.layout.names == ("1", "e23")
    assert a["e23"].tolist() == [5, 1]
    assert a["1"].tolist() == [7, 2]
    assert algebra.multivector({"e23": 5}, layout=["e23", "1"])["e23"] == 5
    with pytest.raises(LayoutError, match="explicit"):
        algebra.multivector({"e1": 5}, layout=["e23", "1"])


def test_scalars_have_the_batch_shape_of_the_value() -> None:
    assert ALGEBRA.scalar(2).shape == ()
    assert ALGEBRA.scalar([[1, 2]]).shape == (1, 2)
    assert ALGEBRA.scalar(2).layout.grades == (0,)


def test_random_is_repeatable_and_needs_its_generator() -> None:
    algebra = Algebra(3)
    for kind in ("vector", "bivector", "multivector", "even", "rotor"):
        sample = getattr(algebra.random, kind)
        a = sample(np.random.default_rng(5), (4,))
        assert a == sample(np.random.default_rng(5), (4,))
        assert a.shape == (4,)
        assert a != sample(np.random.default_rng(6), (4,))
        with pytest.raises(TypeError):
            sample()


def test_random_scale_is_the_standard_deviation(rng: np.random.Generator) -> None:
    sample = Algebra(4).random.bivector(rng, (4000,), scale=3.0)
    assert abs(np.std(sample.coeffs) - 3.0) < 0.1  # 24000 numbers: five standard errors are 0.07


def test_random_numbers_of_exact_algebras_are_short_rationals(rng: np.random.Generator) -> None:
    found = Algebra(3, backend="fractions").random.vector(rng, (20,))
    assert all(64 % x.denominator == 0 for x in found.coeffs.reshape(-1))
    assert any(x.denominator > 1 for x in found.coeffs.reshape(-1))
