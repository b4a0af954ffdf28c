"""One product takes a shorter way than a batch, through the same sums in the same order."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    GeomlinError,
    NonFiniteInput,
    NotInvertible,
    RapidityOverflow,
    commutator,
    geometric_product,
    left_contraction,
    outer_product,
    sandwich,
    scalar_product,
)

PRODUCTS = [
    geometric_product,
    outer_product,
    left_contraction,
    scalar_product,
    commutator,
    sandwich,
]
SPACES = [(1, 0, 0), (2, 0, 0), (3, 0, 0), (2, 1, 1), (0, 0, 3), (4, 1, 0), (6, 0, 0)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("product", PRODUCTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_one_product_is_the_batch_of_one_bit_by_bit(
    space: tuple[int, int, int], product: Any, dtype: Any, rng: np.random.Generator
) -> None:
    algebra = Algebra(*space)
    kinds = [algebra.random.multivector, algebra.random.vector]
    kinds += [algebra.random.bivector] if algebra.n >= 2 else []
    for first in kinds:
        for second in kinds:
            a, b = (draw(rng, (3,)).to(dtype=dtype) for draw in (first, second))
            batch = product(a, b)
            for k in range(3):
                one = product(a[k], b[k])
                assert one.dtype == batch.dtype == dtype
                assert one.layout is batch.layout
                assert one == batch[k]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_one_product_of_integers_is_exact(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    floats, exact = Algebra(*space), Algebra(*space, backend="fractions")
    for _ in range(10):
        values = rng.integers(-9, 10, size=(2, 1 << floats.n))
        product = floats.multivector(values[0]) * floats.multivector(values[1])
        a, b = (exact.multivector([Fraction(int(x)) for x in row]) for row in values)
        assert product.to_dense().tolist() == [float(x) for x in (a * b).to_dense()]


def test_equal_vectors_wedge_to_zero_exactly(rng: np.random.Generator) -> None:
    """x_i x_j - x_j x_i cancels: no fused multiplication may round one of the two only."""
    v = Algebra(6).random.vector(rng)
    assert (v ^ v) == 0
    assert commutator(v, v) == 0


# --- numbers, which are multiplied without becoming scalar multivectors -------------------------

NUMBERS = [0.0, -0.0, 1.0, -2.5, 3, 0, -7, 1e300, 1e-320, 2.0**999, 2**70, Fraction(1, 3)]
NUMBERS += [True, np.float64(0.3), np.float32(0.3), np.int8(3)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: f"{type(x).__name__} {x}")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_number_is_the_scalar_of_it(number: Any, dtype: Any, rng: np.random.Generator) -> None:
    """Bit by bit, with the sign of zero, the dtype, and the error if there is one."""
    a = Algebra(2, 1).random.multivector(rng, (3,)).to(dtype=dtype)

    def outcome(call: Any) -> Any:
        try:
            found = call()
        except GeomlinError as error:
            return type(error)
        return found.coeffs.tobytes(), found.dtype, found.layout, found.shape

    def scalar() -> Any:
        return a.algebra.scalar(number, like=a)

    assert outcome(lambda: number * a) == outcome(lambda: geometric_product(scalar(), a))
    assert outcome(lambda: a * number) == outcome(lambda: geometric_product(a, scalar()))
    if number:
        divided = outcome(lambda: a / number)
        assert divided == outcome(lambda: a / np.asarray(scalar().coeffs[..., 0]))
    else:
        with pytest.raises(NotInvertible, match="nonzero scalar divisor"):
            a / number


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 10**400, -(10**400)], ids=str)
def test_numbers_without_a_value_are_refused(number: Any) -> None:
    a = Algebra(2).blade("e1")
    for call in (lambda: number * a, lambda: a * number, lambda: a / number, lambda: a + number):
        with pytest.raises(NonFiniteInput):
            call()


def test_numbers_beyond_the_range_are_an_overflow() -> None:
    a = 1e300 * Algebra(2).blade("e1")
    for call in (lambda: 1e300 * a, lambda: a * 10**200, lambda: a / 1e-300):
        with pytest.raises(RapidityOverflow, match="range of float64"):
            call()
