"""Cl0(n) as matrices: exact on integers, against products of blades by sorting their indices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from geomlin import Algebra, LayoutError, NotSupported, even
from geomlin.layout import full_layout
from geomlin.spinor import (
    even_representation,
    from_even_blocks,
    rotor_blocks,
    to_even_blocks,
)
from geomlin.spinor_even import even_generators, even_shape, even_tables, multiply
from geomlin.spinor_transforms import (
    adjoint_blocks,
    block_product,
    coefficients_to_even_blocks,
    even_blocks_to_coefficients,
    odd_right_factor,
)

REAL_TYPES = {
    1: "R",
    2: "C",
    3: "H",
    4: "H+H",
    5: "M2(H)",
    6: "M4(C)",
    7: "M8(R)",
    8: "M8(R)+M8(R)",
    9: "M16(R)",
    10: "M16(C)",
    11: "M16(H)",
    12: "M16(H)+M16(H)",
    13: "M32(H)",
    16: "M128(R)+M128(R)",
}


def blade_sign(first: int, second: int) -> int:
    """The sign of e_first e_second, by counting the exchanges that sort the indices."""
    exchanges = sum(
        1
        for i in range(first.bit_length())
        for j in range(second.bit_length())
        if first >> i & 1 and second >> j & 1 and i > j
    )
    return -1 if exchanges % 2 else 1


def blade_product(n: int, a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    """The geometric product of sparse multivectors of Cl(n), mask -> integer."""
    result: dict[int, int] = {}
    for i, p in a.items():
        for j, q in b.items():
            result[i ^ j] = result.get(i ^ j, 0) + blade_sign(i, j) * p * q
    return result


def dense(n: int, a: dict[int, int]) -> np.ndarray:
    position = full_layout(n).position
    values = np.zeros(1 << n, dtype=np.int64)
    for mask, value in a.items():
        values[position[mask]] += value
    return values


def random_sparse(
    n: int, rng: np.random.Generator, *, even: bool, terms: int = 12
) -> dict[int, int]:
    masks = rng.integers(0, 1 << n, terms)
    if even:
        masks = np.array([m ^ (int(m).bit_count() & 1) for m in masks])
    return {int(m): int(rng.integers(1, 9)) for m in masks}


@pytest.mark.parametrize("n", sorted(REAL_TYPES))
def test_real_type(n: int) -> None:
    tables = even_tables(n)
    assert tables.real_type == REAL_TYPES[n]
    assert np.prod(tables.shape) == 1 << n
    assert sorted(tables.source.ravel()) == list(range(1 << n))
    assert set(np.unique(tables.sign)) <= {-1, 1}


@pytest.mark.parametrize("n", range(2, 17))
def test_generators_anticommute_and_square_to_minus_one(n: int) -> None:
    generators = even_generators(n)
    assert len(generators) == n - 1
    for word in generators:
        square = multiply(word, word)
        assert tuple(int(x) for x in square) == (1, 0, 0, 0)
    for first, second in combinations(generators, 2):
        left, right = multiply(first, second), multiply(second, first)
        assert left[1:] == right[1:]
        assert int(left.sign) != int(right.sign)


@pytest.mark.parametrize("n", range(2, 13))
def test_even_times_any_times_even_exactly(n: int, rng: np.random.Generator) -> None:
    """r x s for integers, in the two halves of x; the wrong factor of the odd half is refuted."""
    r, s = (random_sparse(n, rng, even=True) for _ in range(2))
    x = random_sparse(n, rng, even=False, terms=40)
    want = dense(n, blade_product(n, blade_product(n, r, x), s))
    blocks = coefficients_to_even_blocks(dense(n, x), n)
    left = coefficients_to_even_blocks(dense(n, r), n)[0]
    right = coefficients_to_even_blocks(dense(n, s), n)[0]
    product = block_product(np.broadcast_to(left, blocks.shape), blocks)

    def finish(odd: np.ndarray) -> np.ndarray:
        return even_blocks_to_coefficients(block_product(product, np.stack([right, odd])), n)

    assert np.array_equal(finish(odd_right_factor(right, n)), want)
    if n % 2 == 0:
        assert not np.array_equal(finish(right), want)


@pytest.mark.parametrize("n", range(1, 13))
def test_round_trip_is_exact(n: int, rng: np.random.Generator) -> None:
    x = rng.integers(-1000, 1000, (2, 3, 1 << n))
    blocks = coefficients_to_even_blocks(x, n)
    assert blocks.dtype == x.dtype
    assert blocks.shape == (2, 3, *even_tables(n).shape)
    assert np.array_equal(even_blocks_to_coefficients(blocks, n), x)


@pytest.mark.parametrize("n", range(2, 13))
def test_odd_factor_is_conjugation_by_the_last_vector(n: int, rng: np.random.Generator) -> None:
    s = random_sparse(n, rng, even=True)
    last = {1 << (n - 1): 1}
    moved = blade_product(n, blade_product(n, last, s), last) if n % 2 == 0 else s
    blocks = coefficients_to_even_blocks(dense(n, s), n)[0]
    assert np.array_equal(
        odd_right_factor(blocks, n), coefficients_to_even_blocks(dense(n, moved), n)[0]
    )


@pytest.mark.parametrize("n", range(2, 13))
def test_reverse_is_the_adjoint(n: int, rng: np.random.Generator) -> None:
    s = random_sparse(n, rng, even=True)
    reverse = {m: -v if m.bit_count() % 4 >= 2 else v for m, v in s.items()}
    blocks = coefficients_to_even_blocks(dense(n, s), n)[0]
    assert np.array_equal(
        adjoint_blocks(blocks), coefficients_to_even_blocks(dense(n, reverse), n)[0]
    )


@pytest.mark.parametrize("n", [0, 17])
def test_dimensions_out_of_range(n: int) -> None:
    with pytest.raises(NotSupported, match="expected 1 <= n <= 16"):
        even_shape(n)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("backend", ["numpy", "fractions"])
def test_public_blocks(n: int, backend: str, rng: np.random.Generator) -> None:
    """to_even_blocks of multivectors: a product with an even element on the left, and back."""
    algebra = Algebra(n, backend=backend)
    integers = rng.integers(-5, 6, (2, 1 << n))
    a = even(algebra.multivector(integers[0].tolist()))
    b = algebra.multivector(integers[1].tolist())
    left, right = to_even_blocks(a)[0], to_even_blocks(b)
    product = block_product(np.stack([left, left]), right)
    assert from_even_blocks(product, algebra) == a * b
    assert even_representation(n).shape == right.shape


def test_public_blocks_refuse() -> None:
    with pytest.raises(NotSupported, match="positive metric"):
        to_even_blocks(Algebra(1, 3).blade("e12"))
    with pytest.raises(NotSupported, match="floats or fractions, got backend 'sympy'"):
        to_even_blocks(Algebra(3, backend="sympy").blade("e12"))
    with pytest.raises(LayoutError, match=r"expected blocks \(\.\.\., 2, 1, 4, 1, 1\)"):
        from_even_blocks(np.zeros((2, 4)), Algebra(3))


@pytest.mark.parametrize("signature", [(4,), (5,), (6,), (1, 3), (3, 0, 1), (2, 1, 1)])
def test_rotor_blocks_of_tensors(signature: tuple[int, ...], rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    algebra, tensors = Algebra(*signature), Algebra(*signature, backend="torch")
    size = len(algebra.bivector_blades)
    b = rng.normal(size=(2, size)) / 3
    found = rotor_blocks(tensors.bivector(torch.tensor(b)))
    assert found.dtype is torch.complex128
    assert np.abs(found.numpy() - rotor_blocks(algebra.bivector(b))).max() <= 1e-14


@pytest.mark.parametrize("n", [4, 6])
def test_rotor_blocks_differentiate_at_equal_angles(n: int) -> None:
    torch = pytest.importorskip("torch")
    algebra = Algebra(n, backend="torch")
    planes = {f"e{2 * k + 1}{2 * k + 2}": 0.7 for k in range(n // 2)}
    b = torch.tensor(Algebra(n).bivector(planes).coeffs, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda b: torch.view_as_real(rotor_blocks(algebra.bivector(b))), (b,)
    )


def test_rotor_blocks_of_jax_arrays() -> None:
    jax = pytest.importorskip("jax")
    algebra = Algebra(4, backend="jax")
    b = jax.numpy.asarray([0.3, -0.2, 0.1, 0.5, 0.4, 0.3])
    want = rotor_blocks(Algebra(4).bivector(np.asarray(b, dtype=np.float64)))
    assert np.abs(np.asarray(rotor_blocks(algebra.bivector(b))) - want).max() <= 1e-6
    gradient = jax.grad(lambda b: rotor_blocks(algebra.bivector(b)).real.sum())(b.at[:].set(0.0))
    assert bool(jax.numpy.isfinite(gradient).all())
