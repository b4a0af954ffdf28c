"""invariant_decomposition(B, complex=True): complex pairs split into two conjugate simple parts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    Multivector,
    NotDecomposable,
    PlaneKind,
    geometric_product,
    invariant_decomposition,
)

EPS = np.finfo(np.float64).eps
PAIR = {"e12": 1, "e34": 1, "e13": 1, "e24": -1}  # Cl(2,2): squares +-2 i
JORDAN = {"e12": 3, "e34": 1, "e13": 1, "e24": -1}
SPACES = [(2, 2, 0), (3, 2, 0), (3, 3, 0), (4, 2, 0), (2, 2, 1), (2, 2, 2), (3, 2, 1)]
spaces = pytest.mark.parametrize("space", SPACES, ids=str)


def sample(space: tuple[int, int, int], rng: np.random.Generator, count: int = 40) -> Multivector:
    """Random bivectors without a defective block, at least five of them with a complex pair."""
    algebra = Algebra(*space)
    b = algebra.random.bivector(rng, (count,))
    kinds = invariant_decomposition(b, blocks=True).kinds
    assert (kinds == PlaneKind.COMPLEX_PAIR).any(axis=-1).sum() >= 5
    return b[~(kinds == PlaneKind.DEFECTIVE).any(axis=-1)]


def product(a: Any, b: Any) -> tuple[Multivector, Multivector]:
    """Real and imaginary part of the product of two complex multivectors."""
    (x, y), (u, v) = a, b
    return (
        geometric_product(x, u) - geometric_product(y, v),
        geometric_product(x, v) + geometric_product(y, u),
    )


def largest(*values: Any) -> float:
    return max(float(np.abs(x.coeffs if isinstance(x, Multivector) else x).max()) for x in values)


def defects(b: Multivector, found: Any) -> float:
    """The largest violation of the defining equations, over eps times the squared size."""
    slots = found.squares.shape[-1]
    parts = [(found.parts[i], found.imaginary[i]) for i in range(slots)]
    size = max(largest(*part) for part in parts)
    total = sum((p[0] for p in parts), start=0 * b) - b, sum((p[1] for p in parts), start=0 * b)
    worst = largest(*total) / size
    for i in range(slots):
        real, imaginary = product(parts[i], parts[i])
        square = found.squares[i]
        worst = max(worst, largest(real - square.real, imaginary - square.imag) / size**2)
        for j in range(i):
            ab, ba = product(parts[i], parts[j]), product(parts[j], parts[i])
            worst = max(worst, *(largest(x - y) / size**2 for x, y in zip(ab, ba, strict=True)))
            worst = max(worst, *(largest(x.grade(0)) / size**2 for x in ab))
    return worst / EPS


@spaces
def test_defining_equations_over_the_complex_numbers(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    for b in sample(space, rng):
        found = invariant_decomposition(b, complex=True)
        assert defects(b, found) <= 2000
        moved = copy.copy(found)
        moved.imaginary = -1.001 * found.imaginary  # a twin whose parts are not simple
        if PlaneKind.COMPLEX_PAIR in found.kinds:
            assert defects(b, moved) > 1e6


@spaces
def test_conjugates_follow_each_other(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    for b in sample(space, rng):
        found = invariant_decomposition(b, complex=True)
        whole = invariant_decomposition(b, blocks=True)
        pairs = np.flatnonzero(found.kinds == PlaneKind.COMPLEX_PAIR)
        for first, second in pairs.reshape(-1, 2):
            assert second == first + 1
            assert found.squares[first] == np.conj(found.squares[second])
            assert found.squares[first].imag > 0
            assert found.parts[first] == found.parts[second]
            assert found.imaginary[first] == -found.imaginary[second]
            assert 2 * found.parts[first] == whole.parts[first]  # halving is exact
        others = found.kinds != PlaneKind.COMPLEX_PAIR
        assert not found.imaginary.coeffs[others].any()


@spaces
def test_against_the_certified_engine(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    exact = Algebra(*space, backend="arb", precision=128)
    for b in sample(space, rng, 30)[:12]:
        found = invariant_decomposition(b, complex=True)
        proved = invariant_decomposition(exact.bivector(b.coeffs), complex=True)
        assert (found.kinds == proved.kinds).all()
        for ours, theirs in ((found.parts, proved.parts), (found.imaginary, proved.imaginary)):
            middle = np.array([[float(x.mid()) for x in row] for row in theirs.coeffs])
            assert np.abs(ours.coeffs - middle).max() <= 1e-10 * largest(found.parts)
        for ours, theirs in zip(found.squares, proved.squares, strict=True):
            assert abs(ours - complex(theirs)) <= 1e-11 * largest(found.squares)


def test_repeated_pairs_are_split_too() -> None:
    """Two equal complex pairs are one block, but four simple parts on the axes."""
    algebra = Algebra(4, 4)
    b = algebra.bivector(
        {"e12": 1, "e56": 1, "e15": 1, "e26": -1, "e34": 1, "e78": 1, "e37": 1, "e48": -1}
    )
    found = invariant_decomposition(b, complex=True)
    assert found.kinds.tolist() == [PlaneKind.COMPLEX_PAIR] * 4
    assert defects(b, found) <= 64
    assert largest(found.squares - np.array([2j, -2j, 2j, -2j])) <= 32 * EPS
    exact = Algebra(4, 4, backend="arb", precision=128)
    proved = invariant_decomposition(exact.bivector(b.coeffs), complex=True)
    assert proved.kinds.tolist() == found.kinds.tolist()
    for ours, theirs in ((found.parts, proved.parts), (found.imaginary, proved.imaginary)):
        middle = np.array([[float(x.mid()) for x in row] for row in theirs.coeffs])
        assert np.abs(ours.coeffs - middle).max() <= 32 * EPS
        assert max(float(x.rad()) for row in theirs.coeffs for x in row) <= 2.0**-100


def test_real_splits_are_the_same(rng: np.random.Generator) -> None:
    b = Algebra(3, 1, 1).random.bivector(rng, (6,))
    plain, found = invariant_decomposition(b), invariant_decomposition(b, complex=True)
    assert found.parts == plain.parts
    assert (found.squares == plain.squares).all()
    assert (found.squares.dtype, found.imaginary) == (np.complex128, 0 * found.parts)


def test_defective_blocks_have_no_complex_split_either() -> None:
    algebra = Algebra(2, 2)
    rows = np.stack([algebra.bivector(x).coeffs for x in (PAIR, JORDAN)])
    batch = algebra.bivector(rows)
    with pytest.raises(NotDecomposable, match="defective") as raised:
        invariant_decomposition(batch, complex=True)
    assert (raised.value.indices, raised.value.count) == (((1,),), 1)
    found = invariant_decomposition(batch, complex=True, on_error="nan")
    assert np.isnan(found.parts.coeffs).all(axis=(-1, -2)).tolist() == [False, True]
    assert np.isnan(found.imaginary.coeffs).all(axis=(-1, -2)).tolist() == [False, True]
    both = invariant_decomposition(batch, complex=True, blocks=True)
    assert both.kinds.tolist() == [[4, 4], [5, 3]]
    assert both.imaginary[1] == 0 * both.parts[1]
    with pytest.raises(NotDecomposable, match="complex=True"):
        invariant_decomposition(batch[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_shapes_and_dtypes(dtype: Any) -> None:
    b = Algebra(2, 2).bivector(np.zeros((2, 0, 6), dtype=dtype))
    found = invariant_decomposition(b, complex=True)
    assert found.imaginary.shape == found.parts.shape == (2, 0, 2)
    one = invariant_decomposition(Algebra(2, 2).bivector(PAIR).to(dtype=dtype), complex=True)
    assert one.imaginary.dtype == one.parts.dtype == dtype
    parts, squares, kinds = one
    assert (one.parts is parts, squares.dtype.kind, kinds.tolist()) == (True, "c", [4, 4])


def test_the_result_copies_and_pickles() -> None:
    found = invariant_decomposition(Algebra(2, 2).bivector(PAIR), complex=True)
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(again) is type(found)
        assert again.imaginary == found.imaginary
