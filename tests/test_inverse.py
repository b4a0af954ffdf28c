"""Inverses, and norms and normalisation, which share their notion of what is null."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from strategies import algebra_and_multivectors

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotInvertible,
    NotSupported,
    inverse,
    norm,
    norm_squared,
    normalize,
)

EPS = np.finfo(np.float64).eps
SIGNATURES = [
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (3, 0, 0),
    (0, 3, 0),
    (1, 3, 0),
    (3, 1, 0),
    (2, 2, 0),
    (3, 0, 1),
    (1, 1, 2),
    (0, 0, 3),
    (5, 0, 0),
    (4, 1, 1),
    (3, 3, 0),
]


def residual(a: Multivector, x: Multivector) -> Any:
    """max |A X - 1|, max |X A - 1|, relative to max |A| max |X|, per batch element."""
    size = np.abs(a.coeffs).max(axis=-1) * np.abs(x.coeffs).max(axis=-1)
    both = [np.abs((p - 1).coeffs).max(axis=-1) for p in (a * x, x * a)]
    return np.maximum(*both) / size


# --- every backend, up to its limit -------------------------------------------------------------


@pytest.mark.parametrize("space", SIGNATURES, ids=str)
def test_general_float_multivectors(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    algebra = Algebra(*space)
    a = algebra.random.multivector(rng, (30,))
    x = inverse(a, tolerance=1e-9)  # 1e-9: samples are not that close to singular
    assert residual(a, x).max() < 2**algebra.n * 64 * EPS


@pytest.mark.parametrize("space", [(9, 0, 0), (5, 5, 0), (8, 0, 1), (12, 0, 0), (6, 6, 0)], ids=str)
def test_large_dimensions(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Sparse elements, so that the check A X = 1 is a small product; X is dense."""
    algebra = Algebra(*space)
    names = [algebra.blades[i] for i in (0, 1, 3, algebra.n + 2, -1)]
    a = algebra.multivector([3, 1, 0.5, -0.25, 0.125], layout=names)
    assert residual(a, inverse(a)).max() < 2**algebra.n * EPS


@pytest.mark.parametrize("name", ["fractions", "flint"])
@pytest.mark.parametrize("space", [s for s in SIGNATURES if sum(s) <= 6], ids=str)
def test_exact_inverses(name: str, space: tuple[int, int, int], rng: np.random.Generator) -> None:
    algebra = Algebra(*space, backend=name)
    n = algebra.n
    places = rng.choice(2**n, size=min(2**n, 12), replace=False)
    names = ["1", *(algebra.blades[i] for i in places if i)]
    values = [
        Fraction(7, 2),
        *(Fraction(int(k), 3) for k in rng.integers(-2, 3, size=len(names) - 1)),
    ]
    a = algebra.multivector(values, layout=names)
    x = inverse(a)
    assert a * x == 1
    assert x * a == 1


@pytest.mark.parametrize("space", [(2, 0, 0), (1, 1, 0), (2, 0, 1), (5, 0, 0)], ids=str)
def test_sympy_inverses_of_numbers(space: tuple[int, int, int]) -> None:
    algebra = Algebra(*space, backend="sympy")
    a = algebra.multivector({"1": 3, "e1": sympy.sqrt(2), "e12": 1})
    x = inverse(a)
    assert a * x == 1
    assert x * a == 1


def test_sympy_inverse_of_symbols() -> None:
    p, q = sympy.symbols("p q", real=True)
    algebra = Algebra(2, backend="sympy")
    assert inverse(algebra.vector([p, q])) == algebra.vector([p, q]) / (p**2 + q**2)
    a = algebra.multivector({"1": p, "e1": q, "e12": 1})
    assert a * inverse(a) == 1


def test_flint_inverse_of_polynomials() -> None:
    x, y = flint.fmpq_mpoly_ctx.get(["x", "y"], "lex").gens()
    algebra = Algebra(0, 0, 2, backend="flint")
    a = algebra.multivector([1, x, y, x * y])
    assert inverse(a) == algebra.multivector([1, -x, -y, -x * y])
    with pytest.raises(NotSupported, match="not a polynomial"):
        inverse(Algebra(2, backend="flint").vector([x, y]))


@pytest.mark.parametrize(("name", "limit"), [("fractions", 6), ("flint", 6), ("sympy", 5)])
def test_exact_dimension_limits(name: str, limit: int) -> None:
    largest = Algebra(limit, backend=name)
    a = largest.multivector({"1": 2, "e1": 1})
    assert a * inverse(a) == 1
    beyond = Algebra(limit + 1, backend=name)
    with pytest.raises(NotSupported, match=f"n <= {limit}.*A.to\\(backend='numpy'\\)"):
        inverse(beyond.multivector({"1": 2, "e1": 1}))
    vector = beyond.vector({"e1": 2})  # a versor needs no determinant
    assert inverse(vector) == beyond.vector({"e1": Fraction(1, 2)})


@given(algebra_and_multivectors(1))
def test_exact_inverse_or_zero_divisor(single: tuple[Multivector]) -> None:
    """Either A X = X A = 1, or left multiplication by A is singular, by rational elimination."""
    (a,) = single
    n = a.algebra.n
    columns = [(a * a.algebra.blade(name)).to_dense() for name in a.algebra.blades]
    matrix = flint.fmpq_mat(
        2**n, 2**n, [flint.fmpq(v.numerator, v.denominator) for c in columns for v in c]
    )
    if matrix.det() == 0:
        with pytest.raises(NotInvertible, match="determinant 0"):
            inverse(a)
    else:
        assert a * inverse(a) == inverse(a) * a == 1


# --- versors, null parts ------------------------------------------------------------------------


def test_versors_keep_their_layout() -> None:
    algebra = Algebra(3, 1)
    for a in (
        algebra.vector([1, 2, 3, 1]),
        algebra.pseudoscalar,
        algebra.blade("e12"),
        algebra.scalar(4),
    ):
        assert inverse(a).layout is a.layout
    mixed = algebra.vector([[1, 0, 0, 0], [0, 0, 0, 2]])
    assert inverse(mixed) == algebra.vector([[1, 0, 0, 0], [0, 0, 0, -0.5]])


def test_nilpotent_parts_are_exact() -> None:
    """1 + N has the inverse 1 - N + N^2 - ..; with r = 3 the third power does not vanish."""
    algebra = Algebra(0, 0, 3)
    n = algebra.multivector({"e1": 1, "e2": 2, "e3": 4, "e12": 8, "e13": 16, "e123": 3})
    assert inverse(1 + n) == 1 - n + n * n - n * n * n
    assert n * n * n == algebra.multivector({"e123": 0}) or (n * n * n) != 0
    pga = Algebra(3, 0, 1)
    translator = 1 + pga.blade("e14") * 1e8
    assert inverse(translator) == 1 - pga.blade("e14") * 1e8
    huge = 1 + pga.blade("e14") * 1e300
    assert inverse(huge) == 1 - pga.blade("e14") * 1e300


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-300, 2.0**300, 2.0**1000])
def test_scaling_by_powers_of_two_is_exact(scale: float) -> None:
    """Squares of these numbers leave the range of float64."""
    algebra = Algebra(2, 1)
    for a in (algebra.vector([1, 2, 1]), algebra.multivector({"1": 3, "e1": 1, "e23": 0.5})):
        assert inverse(a * scale) * scale == inverse(a)


def test_results_beyond_the_range_raise() -> None:
    algebra = Algebra(2)
    assert inverse(algebra.vector([2.0**-1022, 0]))["e1"] == 2.0**1022
    for tiny, dtype in [(2.0**-1070, np.float64), (2.0**-140, np.float32), (2.0**-20, np.float16)]:
        a = algebra.vector([tiny, 0], dtype=dtype)
        with pytest.raises(NotInvertible, match=f"range of {np.dtype(dtype)}"):
            inverse(a)
        assert np.isnan(inverse(a, on_error="nan").coeffs).all()


def test_dtypes() -> None:
    algebra = Algebra(3)
    for dtype in (np.float32, np.float16):
        for a in (
            algebra.vector([1, 2, 3], dtype=dtype),
            algebra.multivector({"1": 3, "e1": 1, "e23": 2}, dtype=dtype),
        ):
            x = inverse(a)
            assert x.dtype == dtype
            exact = inverse(a.to(dtype=np.float64)).coeffs
            assert np.abs(x.coeffs - exact).max() <= np.finfo(dtype).eps * np.abs(exact).max()


# --- singular elements --------------------------------------------------------------------------

SINGULAR = [
    (Algebra(1).multivector({"1": 1, "e1": 1}), "zero divisor: (1 + e1)(1 - e1) = 0"),
    (Algebra(3).multivector({"1": 1, "e123": 0, "e1": 1}), "zero divisor in Cl(3)"),
    (Algebra(1, 1).vector([1, 1]), "null vector"),
    (Algebra(1, 1).multivector({"1": 1, "e12": 1}), "null even element, e12^2 = 1"),
    (Algebra(0, 3).multivector({"1": 1, "e123": 1}), "zero divisor: e123^2 = 1 in Cl(0,3)"),
    (Algebra(3, 0, 1).blade("e4"), "null basis vector"),
    (Algebra(2, 0, 1).multivector({"e3": 1, "e13": 2}), "nilpotent part alone"),
    (Algebra(2).scalar(0), "zero"),
    (Algebra(2).multivector([], layout=[]), "zero with an empty layout"),
]


@pytest.mark.parametrize(("a", "why"), SINGULAR, ids=[why for _, why in SINGULAR])
def test_singular_elements(a: Multivector, why: str) -> None:
    with pytest.raises(NotInvertible, match="zero, null or a zero divisor") as raised:
        inverse(a)
    assert (raised.value.indices, raised.value.count) == (((),), 1)
    assert np.isnan(inverse(a, on_error="nan").coeffs).all(), why
    for name in ("fractions", "flint", "sympy"):
        with pytest.raises(NotInvertible):
            inverse(a.to(backend=name))


def test_positions_in_a_batch() -> None:
    algebra = Algebra(1, 1)
    values = np.tile([1.0, 0.5], (4, 10, 1))
    values[::2, 3:] = [1, -1]  # 14 null vectors
    values[1, 0] = 0  # and zero
    values[3, 5:8] = [2, 2]
    a = algebra.vector(values)
    with pytest.raises(NotInvertible) as raised:
        inverse(a)
    assert raised.value.count == 18
    assert len(raised.value.indices) == 16
    assert raised.value.indices[0] == (0, 3)
    assert raised.value.indices[7] == (1, 0)
    x = inverse(a, on_error="nan")
    failed = np.isnan(x.coeffs).all(axis=-1)
    assert failed.sum() == 18
    assert np.isfinite(x.coeffs[~failed]).all()
    assert (np.abs((a[~failed] * x[~failed] - 1).coeffs) < 8 * EPS).all()
    with pytest.raises(NotInvertible) as exact:
        inverse(a.to(backend="fractions"))
    assert (exact.value.count, exact.value.indices[7]) == (18, (1, 0))


@pytest.mark.parametrize(
    ("make", "reciprocal"),
    [
        # (1 + d) + (1 - d) e1 in Cl(1): eigenvalues 2 and 2 d.
        (lambda d: Algebra(1).multivector([1 + d, 1 - d]), lambda d: d),
        # A vector of Cl(1,1): singular values a + b and a - b.
        (lambda d: Algebra(1, 1).vector([1 + d, 1 - d]), lambda d: d),
        # A boosted frame: even in Cl(1,1), cosh-like.
        (lambda d: Algebra(1, 1).multivector({"1": 1 + d, "e12": 1 - d}), lambda d: d),
    ],
    ids=["general", "vector", "even"],
)
def test_both_sides_of_the_tolerance(make: Any, reciprocal: Any) -> None:
    """A versor whose A ~A is tiny is no more invertible than any other near-singular element."""
    n = make(0.5).algebra.n
    limit = 2**n * EPS
    with pytest.raises(NotInvertible, match="reciprocal condition"):
        inverse(make(limit / 2))
    a = make(limit * 2)
    assert residual(a, inverse(a)) < 8 * EPS
    for tolerance in (1e-3, 0.1):
        with pytest.raises(NotInvertible):
            inverse(make(tolerance * 0.99), tolerance=tolerance)
        assert inverse(make(tolerance * 1.01), tolerance=tolerance) is not None
    assert inverse(make(limit / 2), tolerance=0.0) is not None
    with pytest.raises(NotInvertible):
        inverse(make(0.0), tolerance=0.0)  # exactly singular stays singular


def test_default_tolerance_follows_the_dtype() -> None:
    d = 1e-9  # invertible in float64, noise in float32
    a = Algebra(1).multivector([1 + d, 1 - d])
    assert inverse(a) is not None
    with pytest.raises(NotInvertible, match=r"at most 2.4e-07"):
        inverse(a.to(dtype=np.float32))


def test_wrong_arguments() -> None:
    a = Algebra(2).blade("e1")
    with pytest.raises(LayoutError, match='"raise" or "nan"'):
        inverse(a, on_error="ignore")  # type: ignore[arg-type]
    nan = inverse(0 * a, on_error="nan")
    with pytest.raises(NonFiniteInput, match="finite"):
        inverse(nan)


def test_empty_batches() -> None:
    algebra = Algebra(3, 0, 1)
    assert inverse(algebra.multivector(np.zeros((0, 16)))).shape == (0,)
    assert inverse(algebra.vector(np.zeros((2, 0, 4)))).shape == (2, 0)


# --- norms --------------------------------------------------------------------------------------


def test_norm_squared_has_any_sign() -> None:
    e1, e2 = Algebra(1, 1).basis_vectors
    assert norm_squared(2 * e1) == 4
    assert norm_squared(2 * e2) == -4
    assert norm_squared(e1 + e2) == 0
    assert norm(3 * e2) == 3
    assert norm_squared(Algebra(2).blade("e12")) == 1  # with the reverse: not e12^2 = -1
    assert norm_squared(Algebra(2).multivector([], layout=[])) == 0


@given(algebra_and_multivectors(1))
def test_norm_squared_is_a_sum_of_signed_squares(single: tuple[Multivector]) -> None:
    (a,) = single
    total = Fraction(0)
    for name, value in a.as_dict().items():
        factor = [a.algebra.metric[int(i) - 1] for i in name[1:]]
        total += value**2 * int(np.prod(factor, initial=1))
    assert norm_squared(a) == total == (a * ~a).grade(0)


def test_norms_neither_overflow_nor_underflow() -> None:
    algebra = Algebra(2)
    for scale in (1e-310, 1e-200, 1.0, 1e200, 1e307):
        size = float(norm(algebra.vector([3 * scale, 4 * scale]))["1"])
        assert size == pytest.approx(5 * scale, rel=4 * EPS, abs=5e-324)
    unit = normalize(Algebra(4).vector([1e308] * 4))  # its norm is beyond float64
    assert unit == Algebra(4).vector([0.5] * 4)


def test_normalize_each_element_by_its_own_norm() -> None:
    algebra = Algebra(1, 1)
    unit = normalize(algebra.vector([[3, 0], [0, -4], [5, 3]]))
    assert unit.coeffs.tolist() == [[1, 0], [0, -1], [1.25, 0.75]]
    assert normalize(Algebra(2, backend="fractions").vector([3, 4])) == Algebra(
        2, backend="fractions"
    ).vector(["3/5", "4/5"])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_null_elements_have_no_unit_multiple(dtype: Any) -> None:
    algebra = Algebra(2, 1)
    a = algebra.vector([[1, 0, 0], [3, 4, 5], [0, 0, 0]], dtype=dtype)
    with pytest.raises(NotInvertible, match="no unit multiple") as raised:
        normalize(a)
    assert raised.value.indices == ((1,), (2,))
    rounded = algebra.vector([0.6, 0.8, 1.0], dtype=dtype)  # 0.36 + 0.64 - 1 is rounding
    with pytest.raises(NotInvertible):
        normalize(rounded)
    assert normalize(a[0]).dtype == dtype


def test_normalize_on_both_sides_of_the_tolerance() -> None:
    algebra = Algebra(1, 1)

    def element(relative: float) -> Multivector:
        """<A ~A>_0 / sum A_S^2 = d / (1 + d^2 / 4) for coefficients 1 + d/4, 1 - d/4."""
        return algebra.vector([1 + relative / 2, 1 - relative / 2])

    limit = 4 * EPS
    with pytest.raises(NotInvertible):
        normalize(element(limit / 2))
    assert normalize(element(limit * 2)) is not None
    with pytest.raises(NotInvertible):
        normalize(element(0.009), tolerance=0.01)
    assert normalize(element(0.011), tolerance=0.01) is not None
    assert normalize(element(limit / 2), tolerance=0.0) is not None
    with pytest.raises(NotInvertible):
        normalize(element(0.0), tolerance=0.0)


def test_float16_in_ten_dimensions() -> None:
    """2^n eps of float16 is one there: everything would be null if it were computed in float16."""
    a = Algebra(10).vector([1.0] * 10, dtype=np.float16)
    unit = normalize(a)
    assert unit.dtype == np.float16
    assert np.abs(unit.coeffs - 10**-0.5).max() <= np.finfo(np.float16).eps


def test_roots_on_exact_backends() -> None:
    for name in ("fractions", "flint"):
        with pytest.raises(NotSupported, match="irrational"):
            norm(Algebra(2, backend=name).vector([1, 1]))
        with pytest.raises(NotInvertible):
            normalize(Algebra(1, 1, backend=name).vector([1, 1]))
    symbolic = Algebra(2, backend="sympy").vector([1, 1])
    assert norm(symbolic)["1"] == sympy.sqrt(2)
    assert norm_squared(normalize(symbolic)) == 1


def test_norms_of_nan_raise() -> None:
    a = Algebra(2).vector([[0, 0]])
    nan = inverse(a, on_error="nan")
    for function in (norm, normalize):
        with pytest.raises(NonFiniteInput):
            function(nan)
