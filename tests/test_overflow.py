"""Plain arithmetic beyond the range of the dtype raises: no infinity, no warning."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    Multivector,
    RapidityOverflow,
    commutator,
    geometric_product,
    left_contraction,
    outer_product,
    sandwich,
    scalar_product,
)

DTYPES = [np.float64, np.float32, np.float16]
dtypes = pytest.mark.parametrize("dtype", DTYPES)
PRODUCTS: list[Callable[[Any, Any], Multivector]] = [
    geometric_product,
    outer_product,
    left_contraction,
    scalar_product,
    commutator,
    sandwich,
]


def huge(dtype: Any, shape: tuple[int, ...] = ()) -> Multivector:
    """Coefficients at a quarter of the largest number, all different."""
    largest = float(np.finfo(dtype).max)
    values = np.linspace(0.24, 0.26, 8) * np.array([1, 1, -1, 1, -1, 1, 1, -1])
    return Algebra(3).multivector(
        np.broadcast_to((values * largest).astype(dtype), (*shape, 8)), dtype=dtype
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("product", PRODUCTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(), (3,), (2, 1)])
@dtypes
def test_products(dtype: Any, shape: tuple[int, ...], product: Any) -> None:
    a = huge(dtype, shape)
    b = a.replace(a.layout, np.roll(a.coeffs, 3, axis=-1))
    with pytest.raises(RapidityOverflow, match=f"within the range of {np.dtype(dtype)}") as raised:
        product(a, b)
    assert isinstance(raised.value, OverflowError)


@pytest.mark.filterwarnings("error")
@dtypes
def test_sums_multiples_quotients_and_powers(dtype: Any) -> None:
    a = huge(dtype)
    double = 2 * a
    for compute in (
        lambda: double + double,
        lambda: (-1 * double) - double,
        lambda: a * 5,
        lambda: 5.0 * a,
        lambda: np.array([1, 5], dtype=dtype) * a,
        lambda: a / 0.1,
        lambda: a**2,
    ):
        with pytest.raises(RapidityOverflow):
            compute()


@pytest.mark.filterwarnings("error")
@dtypes
def test_one_element_of_a_batch_is_enough(dtype: Any) -> None:
    a = huge(dtype, (3,))
    small = Algebra(3).multivector(np.ones(8, dtype=dtype), dtype=dtype)
    factors = Algebra(3).scalar(np.array([1, 1, 8], dtype=dtype))
    with pytest.raises(RapidityOverflow):
        a * factors
    assert (a[:2] * factors[:2]) == a[:2]
    assert (a * small).shape == (3,)


@dtypes
def test_just_below_the_range_nothing_happens(dtype: Any) -> None:
    """The twin: the largest finite results are returned."""
    largest = np.finfo(dtype).max
    e1 = Algebra(2).vector(np.array([1, 0], dtype=dtype), dtype=dtype)
    a = Algebra(2).vector(np.array([largest, 0], dtype=dtype), dtype=dtype)
    assert (a * e1)["1"] == largest
    assert (a + 0 * e1)["e1"] == largest
    assert (1 * a)["e1"] == largest
    assert (a / 1)["e1"] == largest


def test_nan_of_failing_batch_elements_passes_through() -> None:
    """NaN that on_error="nan" has put there is no overflow."""
    from geomlin import log

    rotors = log(Algebra(1, 1).even([[1.0, 0.0], [-1.0, 0.0]]), on_error="nan")
    for result in (rotors * rotors, rotors + rotors, 2 * rotors):
        assert np.isnan(result.coeffs[1]).any()
        assert np.isfinite(result.coeffs[0]).all()


def test_a_caller_that_ignores_overflow_gets_infinity() -> None:
    a = huge(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(operator.mul(a, a).coeffs).all()
