"""invariant_decomposition as the user meets it; the kernels have their own adversarial tests."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotDecomposable,
    NotSupported,
    PlaneKind,
    commutator,
    exp,
    invariant_decomposition,
)

EPS = np.finfo(np.float64).eps
DTYPES = [np.float64, np.float32, np.float16]
DECOMPOSABLE = [  # a real split exists for every bivector
    (2, 0, 0),
    (3, 0, 0),
    (4, 0, 0),
    (0, 5, 0),
    (6, 0, 0),
    (8, 0, 0),
    (1, 1, 0),
    (1, 3, 0),
    (4, 1, 0),
    (2, 0, 1),
    (3, 0, 1),
    (0, 4, 1),
    (2, 0, 2),
    (0, 3, 3),
    (1, 1, 3),
    (0, 0, 5),
]
decomposable = pytest.mark.parametrize("space", DECOMPOSABLE, ids=str)


def largest(values: Any) -> float:
    return float(np.abs(values).max(initial=0))


@decomposable
def test_defining_equations(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    algebra = Algebra(*space)
    slots = algebra.n // 2
    b = algebra.random.bivector(rng, (25,))
    parts, squares, kinds = invariant_decomposition(b)
    assert parts.shape == squares.shape == kinds.shape == (25, slots)
    assert parts.layout.kind == "bivector"
    assert kinds.dtype == np.int8
    size = np.abs(parts.coeffs).max(axis=(-1, -2))
    bound = 200 * EPS * size**2
    total = sum((parts[:, i] for i in range(slots)), start=0 * b)
    assert (np.abs((total - b).coeffs).max(axis=-1) <= 200 * EPS * size).all()
    for i in range(slots):
        square = parts[:, i] * parts[:, i] - squares[:, i]
        assert (np.abs(square.coeffs).max(axis=-1) <= bound).all()
        for j in range(i):
            difference = commutator(parts[:, i], parts[:, j])
            assert (np.abs(difference.coeffs).max(axis=-1, initial=0) <= bound).all()
    magnitudes = np.abs(squares)
    assert all(
        (magnitudes[:, i] >= magnitudes[:, j] * (1 - 1e-12)).all()
        for i, j in pairwise(range(slots))
    )


@decomposable
def test_kinds_are_the_signs_of_the_squares(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    found = invariant_decomposition(Algebra(*space).random.bivector(rng, (25,)))
    expected = np.where(found.squares < 0, PlaneKind.ROTATION, PlaneKind.BOOST)
    nonzero = found.squares != 0
    assert (found.kinds[nonzero] == expected[nonzero]).all()
    rest = {PlaneKind(int(k)) for k in found.kinds[~nonzero]}
    assert rest <= {PlaneKind.NULL, PlaneKind.ZERO}


@decomposable
def test_the_exponential_is_the_product_of_those_of_the_parts(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """The purpose of the split, and the check that a dropped plane fails."""
    b = Algebra(*space).random.bivector(rng, (10,), scale=0.4)
    parts = invariant_decomposition(b).parts
    product = b.algebra.scalar(np.ones(10))
    for i in range(parts.shape[1]):
        product = product * exp(parts[:, i])
    assert largest((product - exp(b)).coeffs) <= 1e-12 * largest(exp(b).coeffs)


def test_known_cases() -> None:
    algebra = Algebra(4)
    two = algebra.bivector({"e12": 3, "e34": 4})
    parts, squares, kinds = invariant_decomposition(two)
    assert largest(squares - [-16, -9]) <= 32 * EPS
    assert largest(parts[0].coeffs - algebra.bivector({"e34": 4}).coeffs) <= 8 * EPS
    assert largest(parts[1].coeffs - algebra.bivector({"e12": 3}).coeffs) <= 8 * EPS
    assert kinds.tolist() == [PlaneKind.ROTATION, PlaneKind.ROTATION]
    boost_and_turn = Algebra(3, 1).bivector({"e12": 1, "e34": 2})
    _, squares, kinds = invariant_decomposition(boost_and_turn)
    assert kinds.tolist() == [PlaneKind.BOOST, PlaneKind.ROTATION]
    assert largest(squares - [4, -1]) <= 32 * EPS
    null = Algebra(2, 1).bivector({"e12": 1, "e23": 1})
    assert invariant_decomposition(null).kinds.tolist() == [PlaneKind.NULL]
    screw = Algebra(3, 0, 1).bivector({"e12": 2, "e34": 5})
    _, squares, kinds = invariant_decomposition(screw)
    assert kinds.tolist() == [PlaneKind.ROTATION, PlaneKind.NULL]
    assert squares.tolist() == [-4, 0]


def test_equal_angles_have_canonical_planes() -> None:
    """Infinitely many splits; the library's is on the axes, and a last bit does not change it."""
    algebra = Algebra(4)
    for sign in (1.0, -1.0):
        exact = algebra.bivector({"e12": 1, "e34": sign})
        parts = invariant_decomposition(exact).parts
        assert largest(parts[0].coeffs - algebra.blade("e12").coeffs) <= 8 * EPS
        assert largest(parts[1].coeffs - sign * algebra.blade("e34").coeffs) <= 8 * EPS
        noisy = algebra.bivector({"e12": 1 + EPS, "e34": sign, "e13": EPS, "e24": -EPS})
        again = invariant_decomposition(noisy).parts
        assert largest(again.coeffs - parts.coeffs) <= 64 * EPS
    apart = invariant_decomposition(algebra.bivector({"e12": 1, "e34": 1 + 1e-8}))  # no tie
    assert apart.squares[0] < apart.squares[1]
    assert largest(apart.parts[0].coeffs - algebra.blade("e34").coeffs) <= 2e-8


@decomposable
def test_zero_fills_every_slot(space: tuple[int, int, int]) -> None:
    algebra = Algebra(*space)
    parts, squares, kinds = invariant_decomposition(0 * algebra.blade("e12"))
    assert parts == algebra.scalar(np.zeros(algebra.n // 2))
    assert not squares.any()
    assert (kinds == PlaneKind.ZERO).all()


def test_one_dimension_has_no_slots() -> None:
    found = invariant_decomposition(Algebra(1).bivector(np.zeros((3, 0))))
    assert found.parts.shape == found.squares.shape == found.kinds.shape == (3, 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: Any, rng: np.random.Generator) -> None:
    for space in [(4, 0, 0), (3, 1, 0), (3, 0, 1), (6, 0, 0)]:
        b = Algebra(*space).random.bivector(rng, (6,)).to(dtype=dtype)
        found = invariant_decomposition(b)
        assert found.parts.dtype == found.squares.dtype == dtype
        precise = invariant_decomposition(b.to(dtype=np.float64))
        assert found.parts == precise.parts.to(dtype=dtype)  # rounded once
        assert (found.squares == precise.squares.astype(dtype)).all()


def test_squares_beyond_the_dtype_are_infinite_and_the_parts_finite() -> None:
    b = Algebra(2).bivector([300], dtype=np.float16)  # 90000 > 65504
    found = invariant_decomposition(b)
    assert found.squares.tolist() == [-np.inf]
    assert found.parts[0] == b


@decomposable
def test_batches_are_the_singles(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    b = Algebra(*space).random.bivector(rng, (7, 3))
    found = invariant_decomposition(b)
    assert found.parts.shape == (7, 3, space[0] + space[1] + space[2] >> 1)
    for index in np.ndindex(7, 3):
        one = invariant_decomposition(b[index])
        size = largest(found.parts[index].coeffs)
        assert largest(one.parts.coeffs - found.parts[index].coeffs) <= 64 * EPS * size
        assert largest(one.squares - found.squares[index]) <= 64 * EPS * size**2
        assert (one.kinds == found.kinds[index]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty_batches(dtype: Any) -> None:
    for space, slots in [((3, 0, 0), 1), ((4, 0, 0), 2), ((2, 2, 0), 2), ((3, 0, 1), 2)]:
        algebra = Algebra(*space)
        size = algebra.n * (algebra.n - 1) // 2
        found = invariant_decomposition(algebra.bivector(np.zeros((2, 0, size), dtype=dtype)))
        assert found.parts.shape == found.squares.shape == found.kinds.shape == (2, 0, slots)
        assert found.parts.dtype == dtype


# --- where no real split exists -----------------------------------------------------------------

# In Cl(2,2), B^2 = s + 2 p e1234 with p = b12 b34 - b13 b24 + b14 b23; the squares of the parts are
# the roots of t^2 - s t + p^2: complex for |s| < 2 |p|, double for |s| = 2 |p|.
COMPLEX = {"e12": 1, "e34": 1, "e13": 1, "e24": -1}  # s = 0, p = 2: squares +-2 i
JORDAN = {"e12": 3, "e34": 1, "e13": 1, "e24": -1}  # s = -8, p = 4, and B^2 + 4 != 0
BLOCKED = [
    (COMPLEX, "complex pair", PlaneKind.COMPLEX_PAIR),
    (JORDAN, "defective", PlaneKind.DEFECTIVE),
]
blocked = pytest.mark.parametrize(
    ("values", "kind", "plane"), BLOCKED, ids=[k for _, k, _ in BLOCKED]
)


@blocked
def test_blocks_raise_and_say_which(values: dict[str, float], kind: str, plane: PlaneKind) -> None:
    algebra = Algebra(2, 2)
    with pytest.raises(NotDecomposable, match=f"{kind}.*blocks=True") as raised:
        invariant_decomposition(algebra.bivector(values))
    assert (raised.value.kind, raised.value.indices, raised.value.count) == (kind, ((),), 1)


@blocked
def test_blocks_on_request(values: dict[str, float], kind: str, plane: PlaneKind) -> None:
    """One slot holds the block, the next is ZERO, and the squares are complex numbers."""
    b = Algebra(2, 2).bivector(values)
    parts, squares, kinds = invariant_decomposition(b, blocks=True)
    assert kinds.tolist() == [plane, PlaneKind.ZERO]
    assert largest((parts[0] - b).coeffs) <= 16 * EPS
    assert parts[1] == 0
    assert squares.dtype == np.complex128
    expected = 2j if plane == PlaneKind.COMPLEX_PAIR else -4
    assert abs(abs(squares[0].imag) - abs(complex(expected).imag)) <= 1e-6
    assert abs(squares[0].real - complex(expected).real) <= 1e-6
    single = invariant_decomposition(b.to(dtype=np.float32), blocks=True)
    assert single.squares.dtype == np.complex64


@blocked
def test_blocks_in_a_batch(values: dict[str, float], kind: str, plane: PlaneKind) -> None:
    algebra = Algebra(2, 2)
    good = {"e12": 1, "e34": 2}
    rows = np.stack([algebra.bivector(x).coeffs for x in (good, values, good, values)])
    batch = algebra.bivector(rows.reshape(2, 2, 6))
    with pytest.raises(NotDecomposable) as raised:
        invariant_decomposition(batch)
    assert (raised.value.indices, raised.value.count) == (((0, 1), (1, 1)), 2)
    parts, squares, kinds = invariant_decomposition(batch, on_error="nan")
    assert np.isnan(parts.coeffs).all(axis=(-1, -2)).tolist() == [[False, True], [False, True]]
    assert np.isnan(squares).all(axis=-1).tolist() == [[False, True], [False, True]]
    assert squares.dtype == np.float64
    alone = invariant_decomposition(algebra.bivector(good))
    assert largest(parts[1, 0].coeffs - alone.parts.coeffs) <= 16 * EPS
    assert (kinds[:, 1, 0] == plane).all()
    everything = invariant_decomposition(batch, blocks=True)
    assert np.isfinite(everything.parts.coeffs).all()
    assert largest(everything.parts[0, 0].coeffs - alone.parts.coeffs) <= 16 * EPS


def test_both_sides_of_the_complex_boundary() -> None:
    """e12 + e34 + t e13 has p = 1 and s = t^2 - 2: complex for 0 < t < 2."""
    algebra = Algebra(2, 2)
    for t, real in ((0.0, True), (0.1, False), (1.9, False), (2.1, True), (3.0, True)):
        b = algebra.bivector({"e12": 1, "e34": 1, "e13": t})
        if real:
            found = invariant_decomposition(b)
            assert largest((found.parts[0] + found.parts[1] - b).coeffs) <= 64 * EPS
        else:
            with pytest.raises(NotDecomposable, match="complex pair"):
                invariant_decomposition(b)


def test_wrong_input() -> None:
    algebra = Algebra(3)
    for wrong in (algebra.blade("e1"), 1 + algebra.blade("e12"), algebra.scalar(1)):
        with pytest.raises(LayoutError, match="expected a bivector, got grades"):
            invariant_decomposition(wrong)
    for name in ("fractions", "flint"):
        with pytest.raises(NotSupported, match=r"float coefficients.*numpy"):
            invariant_decomposition(Algebra(3, backend=name).blade("e12"))
    with pytest.raises(LayoutError, match='"raise" or "nan"'):
        invariant_decomposition(algebra.blade("e12"), on_error="zero")  # type: ignore[arg-type]
    nan = invariant_decomposition(Algebra(2, 2).bivector(COMPLEX), on_error="nan").parts
    with pytest.raises(NonFiniteInput):
        invariant_decomposition(nan)


def test_result_unpacks_and_has_names() -> None:
    found = invariant_decomposition(Algebra(2).bivector([2]))
    parts, squares, kinds = found
    assert found.parts is parts
    assert isinstance(parts, Multivector)
    assert (squares.tolist(), kinds.tolist()) == ([-4], [PlaneKind.ROTATION])


def test_other_grades_that_are_zero_are_no_obstacle() -> None:
    algebra = Algebra(4)
    b = algebra.bivector([1, 2, 3, 4, 5, 6])
    full = algebra.multivector(b.to_dense())
    assert invariant_decomposition(full).parts == invariant_decomposition(b).parts


@pytest.mark.parametrize(
    ("space", "values", "square", "kind"),
    [
        ((1, 1, 1), [2.0, 1e8, -3.0], 4.0, PlaneKind.BOOST),
        ((2, 0, 1), [2.0, 1e8, -3.0], -4.0, PlaneKind.ROTATION),
        ((1, 0, 2), [2.0, 1.0, -3.0], 0.0, PlaneKind.NULL),
        ((0, 0, 2), [5e-324], 0.0, PlaneKind.NULL),
        ((0, 1, 1), [0.0], 0.0, PlaneKind.ZERO),
    ],
    ids=["boost beside a large null part", "screw", "two null", "denormal", "zero"],
)
def test_every_bivector_of_three_dimensions_is_its_own_part(
    space: tuple[int, int, int], values: list[float], square: float, kind: PlaneKind
) -> None:
    """n <= 3: B is simple in every metric, so the split exists although r > 0 and q > 0."""
    B = Algebra(*space).bivector(values)
    parts, squares, kinds = invariant_decomposition(B)
    assert parts[0] == B
    assert squares[0] == square
    assert kinds[0] == kind
