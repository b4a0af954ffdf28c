"""exp, rotor_to_matrix and rotor_from_matrix as the user meets them: dtypes, shapes, thresholds,
errors.  Accuracy on adversarial sets is the business of the accuracy table."""

from __future__ import annotations

from itertools import product
from math import cos, cosh, pi, sin, sinh
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from scipy.linalg import expm

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotARotor,
    NotInImage,
    NotOrthogonal,
    NotSupported,
    RapidityOverflow,
    exp,
    inverse,
    is_rotor,
    norm_squared,
    outer_exp,
    reflect,
    reverse,
    rotor_from_matrix,
    rotor_to_matrix,
    sandwich,
)

EPS = np.finfo(np.float64).eps
DTYPES = [np.float64, np.float32, np.float16]
SIGNATURES = [
    (2, 0, 0),
    (3, 0, 0),
    (0, 3, 0),
    (1, 1, 0),
    (1, 3, 0),
    (2, 2, 0),
    (3, 0, 1),
    (1, 1, 1),
    (5, 0, 0),
    (6, 0, 0),
    (4, 2, 0),
    (6, 0, 1),
    (3, 2, 1),
    (8, 0, 0),
    (4, 1, 2),
]
signatures = pytest.mark.parametrize("space", SIGNATURES, ids=str)
DEGENERATE_TWICE = [s for s in SIGNATURES if s[2] >= 2]


def bivectors(space: tuple[int, int, int], rng: np.random.Generator, *shape: int) -> Multivector:
    """Largest coefficient 0.7: rotations beyond a right angle, boosts of a few units."""
    b = Algebra(*space).random.bivector(rng, shape)
    largest = np.abs(b.coeffs).max(axis=-1, initial=0)
    return b * (0.7 / np.where(largest > 0, largest, 1))


def matrix_of(b: Multivector) -> NDArray[np.float64]:
    """expm(2 b G): the action on vectors by another route than the rotor."""
    n, metric = b.algebra.n, np.array(b.algebra.metric, dtype=float)
    generator = np.zeros((*b.shape, n, n))
    rows, columns = np.triu_indices(n, 1)
    generator[..., rows, columns] = b.coeffs
    generator[..., columns, rows] = -b.coeffs
    found: NDArray[np.float64] = expm(2 * generator * metric)
    return found


def largest(values: Any) -> float:
    return float(np.abs(values).max(initial=0))


# --- exp ----------------------------------------------------------------------------------------


@signatures
def test_exp_acts_as_the_matrix_exponential(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    b = bivectors(space, rng, 20)
    r = exp(b)
    assert r.layout.kind in ("even", "scalar")
    product_ = r * reverse(r)
    size = np.abs(r.coeffs).max(axis=-1) ** 2
    assert (np.abs((product_ - 1).coeffs).max(axis=-1) <= 32 * EPS * 2**b.algebra.n * size).all()
    expected = matrix_of(b)
    scale = np.maximum(1, np.abs(expected).max(axis=(-1, -2), keepdims=True))
    assert largest((rotor_to_matrix(r) - expected) / scale) <= 1e-13


def test_exp_is_literal() -> None:
    """No factor -1/2: exp(b e12) = cos b + sin b e12 and turns e1 towards -e2 by 2 b."""
    algebra = Algebra(2)
    r = exp(algebra.bivector([pi / 6]))
    assert largest(r.coeffs - [cos(pi / 6), sin(pi / 6)]) <= EPS
    image = sandwich(r, algebra.blade("e1")).grade(1)
    assert largest(image.coeffs - [cos(pi / 3), -sin(pi / 3)]) <= 2 * EPS
    boost = exp(Algebra(1, 1).bivector([0.75]))
    assert largest(boost.coeffs - [cosh(0.75), sinh(0.75)]) <= 2 * EPS
    null = exp(Algebra(1, 0, 1).bivector([0.75]))
    assert null.coeffs.tolist() == [1, 0.75]


@signatures
def test_exp_of_zero_is_one_exactly(space: tuple[int, int, int]) -> None:
    algebra = Algebra(*space)
    assert exp(0 * algebra.blade("e12")) == 1
    assert exp(
        0 * algebra.bivector(np.ones((3, algebra.n * (algebra.n - 1) // 2)))
    ) == algebra.scalar(np.ones(3))


def test_one_dimension_has_no_bivectors() -> None:
    algebra = Algebra(1)
    nothing = algebra.bivector(np.zeros((4, 0)))
    assert exp(nothing) == algebra.scalar(np.ones(4))
    assert rotor_to_matrix(exp(nothing)).tolist() == np.ones((4, 1, 1)).tolist()
    assert rotor_from_matrix(np.ones((4, 1, 1)), algebra) == algebra.scalar(np.ones(4))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@signatures
def test_exp_rounds_once(space: tuple[int, int, int], dtype: Any, rng: np.random.Generator) -> None:
    """float32 in, float32 out, computed in float64 and rounded once: within half an ulp."""
    b = bivectors(space, rng, 9).to(dtype=dtype)
    r = exp(b)
    assert r.dtype == dtype
    assert r == exp(b.to(dtype=np.float64)).to(dtype=dtype)


@signatures
def test_batches_are_the_singles(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Shape (7, 3): other routes may serve large batches, so to rounding and not to the bit."""
    b = bivectors(space, rng, 7, 3)
    r = exp(b)
    assert r.shape == (7, 3)
    m = rotor_to_matrix(r)
    lifted = rotor_from_matrix(m, b.algebra)
    assert m.shape == (7, 3, b.algebra.n, b.algebra.n)
    for i, j in product(range(7), range(3)):
        size = max(1.0, largest(r[i, j].coeffs))  # a matrix has entries of size 1 when R is spread
        assert largest(exp(b[i, j]).coeffs - r[i, j].coeffs) <= 16 * EPS * size
        assert largest(rotor_to_matrix(r[i, j]) - m[i, j]) <= 16 * EPS * size**2
        again = rotor_from_matrix(m[i, j], b.algebra)
        assert largest(again.coeffs - lifted[i, j].coeffs) <= 16 * EPS * size**3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 4, 6, 8])
def test_empty_batches(n: int, dtype: Any) -> None:
    algebra = Algebra(n)
    size = n * (n - 1) // 2
    for shape in ((0,), (2, 0), (0, 3)):
        r = exp(algebra.bivector(np.zeros((*shape, size), dtype=dtype)))
        assert (r.shape, r.dtype, r.coeffs.shape[-1]) == (shape, dtype, 2 ** (n - 1))
        m = rotor_to_matrix(r)
        assert (m.shape, m.dtype) == ((*shape, n, n), dtype)
        lifted = rotor_from_matrix(m, algebra)
        assert (lifted.shape, lifted.dtype) == (shape, dtype)
    assert exp(algebra.multivector(np.zeros((0, 2**n)))).shape == (0,)


@signatures
def test_one_adversarial_batch_without_nan(space: tuple[int, int, int]) -> None:
    """Zero, denormal, tiny, equal, huge and null planes side by side: each has its own scale."""
    algebra = Algebra(*space)
    size = algebra.n * (algebra.n - 1) // 2
    large = 1e8 if algebra.signature.is_definite else 3.0
    scales = [0.0, 5e-324, 1e-300, 1e-160, 1e-8, 1.0, pi, large]
    patterns = [
        np.ones(size),
        np.eye(size)[0],
        np.eye(size)[-1],
        np.eye(size)[0] + np.eye(size)[-1],
    ]
    values = np.array([s * p for s, p in product(scales, patterns)])
    r = exp(algebra.bivector(values))
    assert np.isfinite(r.coeffs).all()
    defect = np.abs((r * reverse(r) - 1).coeffs).max(axis=-1)
    assert (defect <= 2**algebra.n * 32 * EPS * np.abs(r.coeffs).max(axis=-1) ** 2).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 9])
def test_definite_metrics_take_any_size(n: int) -> None:
    """|B| = 1e300: the angle has no digits left, but the rotor is finite and unit."""
    for algebra in (Algebra(n), Algebra(0, n)):
        b = algebra.bivector(np.full(n * (n - 1) // 2, 1e300))
        r = exp(b)
        assert np.isfinite(r.coeffs).all()
        assert abs(float(norm_squared(r)["1"]) - 1) <= 16 * EPS


@pytest.mark.parametrize("space", [(1, 1, 0), (3, 1, 0), (2, 2, 0), (4, 2, 0), (1, 1, 1)], ids=str)
def test_rapidity_overflow(space: tuple[int, int, int]) -> None:
    """cosh 709 fits float64, cosh 711 does not; the plane e1 e_(p+1) is a boost."""
    algebra = Algebra(*space)
    plane = algebra.blade(f"e1{space[0] + 1}")
    assert np.isfinite(exp(plane * 709.0).coeffs).all()
    assert float(exp(plane * 709.0)["1"]) == pytest.approx(cosh(709.0), rel=1e-12)
    with pytest.raises(RapidityOverflow, match="range of float64") as raised:
        exp(plane * 711.0)
    assert isinstance(raised.value, OverflowError)
    assert exp(plane.to(dtype=np.float32) * 88.0).dtype == np.float32
    with pytest.raises(RapidityOverflow, match=r"range of float32.*float64"):
        exp(plane.to(dtype=np.float32) * 90.0)
    with pytest.raises(RapidityOverflow):  # in a batch, one is enough
        exp(algebra.bivector({plane.layout.names[0]: [0.0, 1.0]}) + plane * np.array([0.0, 1e4]))


def test_exp_of_other_multivectors_against_the_series(rng: np.random.Generator) -> None:
    """Through the spinor matrices; the reference is the power series over the rationals."""
    for space in [(2, 0, 0), (1, 1, 0), (0, 2, 1), (3, 0, 0), (1, 1, 2), (0, 0, 2)]:
        algebra = Algebra(*space)
        a = algebra.multivector(rng.integers(-4, 5, size=2**algebra.n) / 4)
        exact = a.to(backend="fractions")
        total, term = exact.algebra.scalar(1), exact.algebra.scalar(1)
        for k in range(1, 60):
            term = term * exact / k
            total = total + term
        expected = total.to(backend="numpy").to_dense()
        assert largest(exp(a).to_dense() - expected) <= 64 * EPS * largest(expected), space
    batch = Algebra(2).multivector(rng.normal(size=(5, 2, 4)))
    assert exp(batch).shape == (5, 2)
    assert exp(Algebra(2).scalar(1.0))["1"] == pytest.approx(np.e, rel=4 * EPS)
    assert exp(Algebra(2).vector([1, 0], dtype=np.float32)).dtype == np.float32
    with pytest.raises(RapidityOverflow):
        exp(Algebra(2).scalar(800.0))


def test_exp_of_a_bivector_stored_among_zeros_takes_the_bivector_route(
    rng: np.random.Generator,
) -> None:
    b = bivectors((4, 0, 0), rng, 3)
    full = b.algebra.multivector(b.to_dense())
    assert exp(full) == exp(b)
    assert exp(full).layout.kind == "even"


def test_exact_exp() -> None:
    """Nilpotent bivectors have rational exponentials; others are refused, not rounded."""
    for name in ("fractions", "flint", "sympy"):
        pga = Algebra(2, 0, 1, backend=name)
        assert exp(pga.bivector({"e13": "1/3", "e23": 2})) == 1 + pga.bivector(
            {"e13": "1/3", "e23": 2}
        )
        null = Algebra(2, 1, backend=name).bivector({"e12": 1, "e23": 1})
        assert null * null == 0
        assert exp(null) == 1 + null
        assert exp(0 * null) == 1
    twice = Algebra(0, 0, 4, backend="fractions").bivector({"e12": 1, "e34": 2})
    assert exp(twice) == 1 + twice + twice * twice / 2
    for name in ("fractions", "flint"):
        with pytest.raises(NotSupported, match=r"sympy.*numpy"):
            exp(Algebra(2, backend=name).blade("e12"))


def test_symbolic_exp() -> None:
    t = sympy.Symbol("t", real=True)
    algebra = Algebra(2, backend="sympy")
    assert exp(algebra.bivector([t])).coeffs.tolist() == [sympy.cos(t), sympy.sin(t)]
    boost = Algebra(1, 1, backend="sympy")
    assert exp(boost.bivector([t])).coeffs.tolist() == [sympy.cosh(t), sympy.sinh(t)]


def test_outer_exp_is_the_exterior_series(rng: np.random.Generator) -> None:
    for space in [(4, 0, 0), (6, 0, 0), (2, 2, 2), (7, 0, 0)]:
        algebra = Algebra(*space, backend="fractions")
        b = algebra.random.bivector(rng)
        total = algebra.scalar(1) + b + (b ^ b) / 2 + (b ^ b ^ b) / 6
        assert outer_exp(b) == total
        assert outer_exp(b).layout.kind == "even"
    floats = Algebra(4).bivector([1, 2, 3, 4, 5, 6], dtype=np.float32)
    assert outer_exp(floats).dtype == np.float32
    assert outer_exp(floats)["e1234"] == 1 * 6 - 2 * 5 + 3 * 4  # the Pfaffian
    with pytest.raises(LayoutError, match="expected a bivector, got grades"):
        outer_exp(Algebra(3).blade("e1"))
    with pytest.raises(LayoutError, match="expected a bivector"):
        outer_exp(1 + Algebra(3).blade("e12"))


# --- rotor to matrix ----------------------------------------------------------------------------


@signatures
def test_columns_are_images(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    algebra = Algebra(*space)
    r = exp(bivectors(space, rng))
    m = rotor_to_matrix(r)
    for j, e in enumerate(algebra.basis_vectors):
        image = sandwich(r, e)
        size = largest(r.coeffs) ** 2
        assert largest(image.grade(1).coeffs - m[:, j]) <= 2**algebra.n * EPS * size
        rest = image - image.grade(1)
        assert largest(rest.coeffs) <= 2**algebra.n * EPS * size


def test_matrix_convention() -> None:
    """exp(pi/4 e12) sends e1 to -e2: column 1 is (0, -1)."""
    m = rotor_to_matrix(exp(Algebra(2).bivector([pi / 4])))
    assert largest(m - [[0, 1], [-1, 0]]) <= 2 * EPS


@pytest.mark.parametrize("name", ["fractions", "flint"])
@pytest.mark.parametrize("space", [s for s in SIGNATURES if sum(s) <= 5], ids=str)
def test_matrices_of_exact_rotors(space: tuple[int, int, int], name: str) -> None:
    """R = w w' / w^2 with w' a reflection of w, so w'^2 = w^2 and R ~R = 1 without roots."""
    algebra = Algebra(*space, backend=name)
    first, second, last = (algebra.basis_vectors[i] for i in (0, 1, -1))
    w = 2 * first + second
    r = w * reflect(w, first + 3 * second + last / 2) * inverse(w * w)
    assert r * reverse(r) == 1
    m = rotor_to_matrix(r)
    for j, e in enumerate(algebra.basis_vectors):
        assert algebra.vector(m[:, j]) == sandwich(r, e)
    g = np.diag(algebra.metric)
    assert (m.T @ g @ m == g).all()
    assert not (m == np.eye(algebra.n)).all()


def test_exact_rotors_are_decided_exactly() -> None:
    algebra = Algebra(3, backend="fractions")
    r = algebra.even({"1": "3/5", "e12": "4/5"})
    assert rotor_to_matrix(r).tolist() == [
        [algebra.scalar("-7/25")["1"], algebra.scalar("24/25")["1"], 0],
        [algebra.scalar("-24/25")["1"], algebra.scalar("-7/25")["1"], 0],
        [0, 0, 1],
    ]
    assert (rotor_to_matrix(algebra.scalar(1)) == np.eye(3)).all()
    nearly = algebra.even({"1": "3/5", "e12": "4/5", "e13": "1/1000000000"})
    for wrong in (nearly, algebra.scalar(2), algebra.blade("e1")):
        with pytest.raises(NotARotor, match="exactly"):
            rotor_to_matrix(wrong)


@pytest.mark.parametrize("dtype", DTYPES)
@signatures
def test_rotors_that_were_rounded_to_their_dtype_are_rotors(
    space: tuple[int, int, int], dtype: Any, rng: np.random.Generator
) -> None:
    """|R ~R - 1| of a float32 rotor is about eps32, beyond 1e-6 max |R|^2 for dense rotors."""
    b = bivectors(space, rng, 30)
    r = exp(b.to(dtype=dtype))
    m = rotor_to_matrix(r)
    assert m.dtype == dtype
    assert np.all(is_rotor(r))
    expected = rotor_to_matrix(exp(b.to(dtype=dtype).to(dtype=np.float64)))
    size = (r.coeffs.astype(float) ** 2).sum(axis=-1)[:, None, None]
    assert largest((m - expected) / size) <= 4 * np.finfo(dtype).eps


NOT_ROTORS = [
    (Algebra(3).even([2, 0, 0, 0]), "norm two"),
    (Algebra(3).blade("e1"), "odd"),
    (Algebra(3).multivector({"1": 0.6, "e12": 0.8, "e3": 0.1}), "an odd part"),
    (Algebra(1, 1).blade("e12"), "R ~R = -1"),
    (Algebra(3).scalar(0), "zero"),
    (Algebra(6).even({"1": 0.6, "e123456": 0.8}), "even, R ~R = 1, images no vectors"),
    (Algebra(3, 3).even({"1": 1.25, "e123456": 0.75}), "the same in a neutral metric"),
    (Algebra(4, 0, 2).even({"1": 1, "e123456": 0.5}), "the same with null vectors"),
    (Algebra(7).even({"1": 0.6, "e234567": 0.8}), "the same on a subspace"),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("r", "why"), NOT_ROTORS, ids=[why for _, why in NOT_ROTORS])
def test_what_is_no_rotor_has_no_matrix(r: Multivector, why: str, dtype: Any) -> None:
    given = r.to(dtype=dtype)
    assert is_rotor(given) is False, why
    with pytest.raises(NotARotor, match=r"expected .* got 1") as raised:
        rotor_to_matrix(given)
    assert raised.value.indices == ((),)


def test_positions_of_what_is_no_rotor() -> None:
    values = np.zeros((4, 10, 8))
    values[..., 0] = 1
    values[2, 3:5, 0] = 1.1
    with pytest.raises(NotARotor) as raised:
        rotor_to_matrix(Algebra(4).even(values))
    assert raised.value.indices == ((2, 3), (2, 4))
    assert raised.value.count == 2


def test_both_sides_of_the_rotor_tolerance() -> None:
    for algebra in (Algebra(3), Algebra(6), Algebra(3, 1)):
        r = exp(algebra.blade("e12") * 0.4)
        worst = largest(r.coeffs) ** 2
        for tolerance in (1e-6, 1e-3):
            inside, outside = (1 + x * tolerance * worst / 2 for x in (0.9, 1.1))
            assert rotor_to_matrix(r * inside, tolerance=tolerance) is not None
            with pytest.raises(NotARotor):
                rotor_to_matrix(r * outside, tolerance=tolerance)
        scaled = rotor_to_matrix(r * (1 + 2.0**-24))  # R ~R is not divided out
        assert largest(scaled - (1 + 2.0**-24) ** 2 * rotor_to_matrix(r)) <= 8 * EPS * worst


def test_matrix_of_a_boost_beyond_the_range() -> None:
    """exp(b e12) has coefficients to cosh 709, its matrix entries to cosh(2 b)."""
    algebra = Algebra(1, 1)
    assert rotor_to_matrix(exp(algebra.bivector([350.0])))[0, 0] == pytest.approx(
        cosh(700.0), rel=1e-12
    )
    with pytest.raises(RapidityOverflow, match="range of float64"):
        rotor_to_matrix(exp(algebra.bivector([360.0])))
    with pytest.raises(RapidityOverflow, match="range of float32"):
        rotor_to_matrix(exp(algebra.bivector([50.0], dtype=np.float32)))


# --- matrix to rotor ----------------------------------------------------------------------------


@signatures
def test_round_trip(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """M -> R -> M, and R -> M -> +-R where the matrix shows all of R (r <= 1)."""
    algebra = Algebra(*space)
    r = exp(bivectors(space, rng, 25))
    m = rotor_to_matrix(r)
    lifted = rotor_from_matrix(m, algebra)
    scale = np.maximum(1, np.abs(m).max(axis=(-1, -2)))
    assert largest((rotor_to_matrix(lifted) - m) / scale[:, None, None] ** 2) <= 64 * EPS
    if algebra.signature.r <= 1:
        sign = np.sign((lifted.coeffs * r.coeffs).sum(axis=-1))
        difference = (lifted.coeffs * sign[:, None] - r.coeffs) / scale[:, None]
        assert largest(difference) <= 64 * EPS * np.abs(r.coeffs).max()


@pytest.mark.parametrize("space", DEGENERATE_TWICE, ids=str)
def test_the_part_that_no_matrix_shows_is_zero(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """1 + e67 acts as the identity when e6 and e7 are null."""
    algebra = Algebra(*space)
    n = algebra.n
    hidden = 1 + algebra.blade(f"e{n - 1}{n}")
    assert (rotor_to_matrix(hidden) == np.eye(n)).all()
    assert rotor_from_matrix(np.eye(n), algebra) == 1
    r = exp(bivectors(space, rng))
    one = rotor_from_matrix(rotor_to_matrix(r), algebra)
    other = rotor_from_matrix(rotor_to_matrix(r * hidden), algebra)
    assert largest(one.coeffs - other.coeffs) <= 64 * EPS * largest(one.coeffs)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_half_turns_never_fail(n: int) -> None:
    """All diagonal sign matrices of determinant 1: the Cayley map is singular at every one."""
    algebra = Algebra(n)
    signs = np.array([s for s in product([1.0, -1.0], repeat=n) if np.prod(s) == 1])
    m = signs[:, :, None] * np.eye(n)
    r = rotor_from_matrix(m, algebra)
    assert (np.sort(np.abs(r.coeffs), axis=-1)[:, -1] == 1).all()  # one blade each
    assert (rotor_to_matrix(r) == m).all()


def euclidean(n: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    q, upper = np.linalg.qr(rng.normal(size=(count, n, n)))
    q = q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[:, None, :]
    q[:, :, 0] *= np.sign(np.linalg.det(q))[:, None]
    found: NDArray[np.float64] = q
    return found


def polar(m: NDArray[np.float64]) -> NDArray[np.float64]:
    left, _, right = np.linalg.svd(m)
    found: NDArray[np.float64] = left @ right
    return found


@pytest.mark.parametrize("noise", [1e-14, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("n", [3, 4, 6])
def test_noise_is_projected_to_the_polar_factor(
    n: int, noise: float, rng: np.random.Generator
) -> None:
    algebra = Algebra(n)
    m = euclidean(n, rng, 20) + noise * rng.normal(size=(20, n, n))
    r = rotor_from_matrix(m, algebra)
    assert largest((r * reverse(r) - 1).coeffs) <= 16 * EPS
    assert largest(rotor_to_matrix(r) - polar(m)) <= 32 * EPS


def test_a_large_tolerance_still_gives_the_polar_factor(rng: np.random.Generator) -> None:
    m = euclidean(3, rng, 20) + 0.1 * rng.normal(size=(20, 3, 3))
    with pytest.raises(NotOrthogonal):
        rotor_from_matrix(m, Algebra(3))
    r = rotor_from_matrix(m, Algebra(3), tolerance=1.0)
    assert largest(rotor_to_matrix(r) - polar(m)) <= 32 * EPS


@pytest.mark.parametrize("space", [(1, 1, 0), (1, 3, 0), (2, 2, 0), (2, 1, 1)], ids=str)
def test_noise_in_indefinite_metrics(space: tuple[int, int, int], rng: np.random.Generator) -> None:
    """A group element within sqrt(tolerance) max |M|; clean matrices are not touched by it."""
    algebra = Algebra(*space)
    m = rotor_to_matrix(exp(bivectors(space, rng, 30)))
    k = space[0] + space[1]
    noise = np.zeros_like(m)
    noise[:, :k, :k] = 1e-6 * rng.normal(size=(30, k, k))
    r = rotor_from_matrix(m + noise, algebra)
    size = np.abs(r.coeffs).max(axis=-1) ** 2
    defect = np.abs((r * reverse(r) - 1).coeffs).max(axis=-1)
    assert (defect <= 1e-12 * size).all()
    scale = np.abs(m).max(axis=(-1, -2))[:, None, None]
    assert largest((rotor_to_matrix(r) - m) / scale**2) <= 1e-4


@pytest.mark.parametrize("rapidity", [1.0, 5.0, 10.0, 15.0])
def test_large_boosts_lose_only_what_their_matrix_lost(rapidity: float) -> None:
    """Projecting on rounding noise would cost another factor max |M|."""
    algebra = Algebra(1, 1)
    c, s = cosh(rapidity), sinh(rapidity)
    r = rotor_from_matrix([[c, -s], [-s, c]], algebra)
    expected = np.array([cosh(rapidity / 2), sinh(rapidity / 2)])
    assert largest(r.coeffs - expected) <= 4 * EPS * c * expected[0]


def test_noise_of_many_roundings_is_no_noise() -> None:
    """A boost of rapidity 8 off by 1e-12: the polar factor would move by 1e-12 max |M|^2."""
    c, s = cosh(8.0), sinh(8.0)
    r = rotor_from_matrix([[c * (1 + 1e-12), -s], [-s, c]], Algebra(1, 1))
    expected = np.array([cosh(4.0), sinh(4.0)])
    assert largest(r.coeffs - expected) <= 2e-12 * c * expected[0]


def test_boosts_without_digits_are_refused() -> None:
    """Four digits do not tell cosh 12 from sinh 12; no group element is near."""
    c, s = cosh(12.0), sinh(12.0)
    with pytest.raises(NotOrthogonal, match="too few digits"):
        rotor_from_matrix([[c * (1 + 4e-5), -s], [-s, c]], Algebra(1, 1))


def test_boosts_whose_matrix_is_singular_are_refused() -> None:
    """cosh 100 and sinh 100 are the same float."""
    for rapidity in (100.0, 700.0):
        c, s = cosh(rapidity), sinh(rapidity)
        with pytest.raises(NotOrthogonal, match="digits"):
            rotor_from_matrix([[c, s], [s, c]], Algebra(1, 1))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-2])
@pytest.mark.parametrize("space", [(3, 0, 0), (1, 2, 0), (2, 0, 1)], ids=str)
def test_both_sides_of_the_isometry_tolerance(
    space: tuple[int, int, int], tolerance: float
) -> None:
    algebra = Algebra(*space)
    for factor, accepted in ((0.95, True), (1.05, False)):
        m = np.eye(3)
        m[0, 0] = np.sqrt(1 / (1 - factor * tolerance))  # (m00^2 - 1) / m00^2 = factor * tolerance
        if accepted:
            r = rotor_from_matrix(m, algebra, tolerance=tolerance)
            assert largest(r.coeffs - np.eye(len(r.coeffs))[0]) <= 1e-15
        else:
            with pytest.raises(NotOrthogonal, match=f"<= {tolerance:g} max"):
                rotor_from_matrix(m, algebra, tolerance=tolerance)


def test_translations_do_not_loosen_the_tolerance() -> None:
    """The rows of null vectors do not enter M^T G M, so 1e8 there excuses nothing elsewhere."""
    pga = Algebra(3, 0, 1)
    m = np.eye(4)
    m[3, :3] = [1e8, -2e8, 5]
    r = rotor_from_matrix(m, pga)
    assert r == 1 + pga.bivector({"e14": -5e7, "e24": 1e8, "e34": -2.5})
    assert (rotor_to_matrix(r) == m).all()
    m[:3, :3] *= 2
    with pytest.raises(NotOrthogonal):
        rotor_from_matrix(m, pga)


def test_null_block_on_both_sides_of_the_tolerance() -> None:
    """A rotor fixes the null vector; one that is moved by noise is put back, more is refused."""
    pga = Algebra(2, 0, 1)
    for moved, accepted in ((0.9e-4, True), (1.1e-4, False)):
        m = np.eye(3)
        m[2, 2] = 1 + moved
        if accepted:
            assert rotor_from_matrix(m, pga) == 1
        else:
            with pytest.raises(NotInImage, match="null basis vector") as raised:
                rotor_from_matrix(m, pga)
            assert raised.value.reason == "null block"
    flipped = np.diag([1.0, 1.0, -1.0])
    with pytest.raises(NotInImage) as raised:
        rotor_from_matrix(flipped, pga)
    assert raised.value.reason == "null block"


@pytest.mark.parametrize(
    ("space", "diagonal", "reason"),
    [
        ((3, 0, 0), (-1, 1, 1), "det"),
        ((3, 0, 0), (-1, -1, -1), "det"),
        ((1, 1, 0), (1, -1), "det"),
        ((1, 1, 0), (-1, -1), "component"),
        ((3, 1, 0), (-1, 1, 1, -1), "component"),
        ((2, 2, 0), (-1, 1, 1, -1), "component"),
        ((2, 2, 0), (-1, -1, -1, 1), "det"),
        ((2, 0, 1), (1, 1, -1), "null block"),
        ((2, 0, 1), (-1, 1, 1), "det"),
    ],
    ids=str,
)
def test_isometries_outside_the_image(
    space: tuple[int, int, int], diagonal: tuple[int, ...], reason: str
) -> None:
    algebra = Algebra(*space)
    m = np.diag(np.array(diagonal, dtype=float))
    with pytest.raises(NotInImage, match="expected") as raised:
        rotor_from_matrix(m, algebra)
    assert (raised.value.reason, raised.value.indices, raised.value.count) == (reason, ((),), 1)
    batch = np.stack([np.eye(algebra.n), m, np.eye(algebra.n), m])
    with pytest.raises(NotInImage) as raised:
        rotor_from_matrix(batch, algebra)
    assert (raised.value.reason, raised.value.indices) == (reason, ((1,), (3,)))
    found = rotor_from_matrix(batch, algebra, on_error="nan")
    assert np.isnan(found.coeffs).all(axis=-1).tolist() == [False, True, False, True]
    assert found[::2] == algebra.scalar(np.ones(2))


def test_even_reversals_of_both_orientations_are_in_the_image() -> None:
    """diag(-1, -1, 1, 1) and diag(-1, -1, -1, -1) in Cl(2,2): products of two half turns."""
    algebra = Algebra(2, 2)
    for diagonal in ((-1, -1, 1, 1), (1, 1, -1, -1), (-1, -1, -1, -1)):
        r = rotor_from_matrix(np.diag(diagonal), algebra)
        assert (rotor_to_matrix(r) == np.diag(diagonal)).all()


def test_mixed_batch_with_on_error_nan(rng: np.random.Generator) -> None:
    good = euclidean(3, rng, 2)
    bad = [np.diag([-1.0, 1, 1]), 2 * np.eye(3), 1e200 * np.eye(3), np.zeros((3, 3))]
    batch = np.stack([good[0], *bad, good[1]])
    r = rotor_from_matrix(batch, Algebra(3), on_error="nan")
    assert np.isfinite(r.coeffs).all(axis=-1).tolist() == [True, False, False, False, False, True]
    assert largest(rotor_to_matrix(r[[0, 5]]) - good) <= 16 * EPS
    with pytest.raises(NotOrthogonal) as raised:
        rotor_from_matrix(batch, Algebra(3))
    assert raised.value.indices == ((2,), (3,), (4,))
    with pytest.raises(LayoutError, match='"raise" or "nan"'):
        rotor_from_matrix(batch, Algebra(3), on_error="skip")  # type: ignore[arg-type]


# --- the sign rule ------------------------------------------------------------------------------


def turned(cosine: float) -> NDArray[np.float64]:
    """The matrix of cos b - sin b e12 in Cl(3), whose first bivector coefficient is negative."""
    r = Algebra(3).even([cosine, -np.sqrt(1 - cosine**2), 0, 0])
    found: NDArray[np.float64] = rotor_to_matrix(r)
    return found


def test_sign_rule_on_both_sides_of_its_threshold() -> None:
    """Above 2^-26 the scalar part is positive; below, the first of the largest coefficients is."""
    above = rotor_from_matrix(turned(2.0**-25.5), Algebra(3))
    assert above["1"] > 0
    assert above["e12"] < 0
    below = rotor_from_matrix(turned(2.0**-26.5), Algebra(3))
    assert below["1"] < 0
    assert below["e12"] > 0
    for r in (rotor_from_matrix(turned(x), Algebra(3)) for x in (0.0, -(2.0**-26.5), 1e-300)):
        assert r["e12"] > 0
    assert rotor_from_matrix(turned(-0.5), Algebra(3))["1"] > 0


@pytest.mark.parametrize("order", [(1.0, -1.0), (-1.0, 1.0)])
def test_first_of_nearly_equal_coefficients_decides(order: tuple[float, float]) -> None:
    """e12 and e13 within 1e-6 of each other: e12 is positive, whichever is larger by rounding."""
    algebra = Algebra(3)
    for relative, first in ((0.5e-6, True), (2e-6, False)):
        r = algebra.even([0, order[0] * (1 - relative), order[1], 0])
        r = r / np.sqrt(float(norm_squared(r)["1"]))
        found = rotor_from_matrix(rotor_to_matrix(r), algebra)
        assert bool(found["e12"] > 0) is first
        assert bool(found["e13"] > 0) is not first


def test_sign_is_the_same_for_both_lifts(rng: np.random.Generator) -> None:
    for space in [(3, 0, 0), (6, 0, 0), (2, 2, 0), (3, 0, 1)]:
        algebra = Algebra(*space)
        r = exp(bivectors(space, rng, 20))
        assert rotor_from_matrix(rotor_to_matrix(r), algebra) == rotor_from_matrix(
            rotor_to_matrix(-r), algebra
        )


# --- input of rotor_from_matrix -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_dtypes(dtype: Any, rng: np.random.Generator) -> None:
    """A float32 matrix is an isometry to float32 only; its rotor is right to 4 eps32."""
    for n in (3, 4, 6):
        algebra = Algebra(n)
        m = euclidean(n, rng, 20)
        tolerance = 1e-4 if dtype is not np.float16 else 1e-2
        r = rotor_from_matrix(m.astype(dtype), algebra, tolerance=tolerance)
        assert r.dtype == dtype
        exact = rotor_from_matrix(m, algebra)
        clear = np.abs(exact["1"]) > 0.05  # the sign is stable there
        assert clear.any()
        assert largest((r.coeffs - exact.coeffs)[clear]) <= 4 * np.finfo(dtype).eps
    assert rotor_from_matrix(np.eye(3, dtype=int), Algebra(3)) == 1
    assert rotor_from_matrix(np.eye(3, dtype=bool), Algebra(3)).dtype == np.float64


def test_nothing_is_returned_for_exact_algebras() -> None:
    with pytest.raises(NotSupported, match=r"square roots.*numpy"):
        rotor_from_matrix(np.eye(3), Algebra(3, backend="fractions"))


def test_nan_rotors_have_no_matrix() -> None:
    nan = rotor_from_matrix(2 * np.eye(3), Algebra(3), on_error="nan")
    for function in (rotor_to_matrix, exp, is_rotor):
        with pytest.raises(NonFiniteInput):
            function(nan)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 5e-324], ids=str)
def test_tiny_elements_are_no_rotors_and_no_overflow(size: float) -> None:
    """1 / |V|^2 overflows where V ~V is compared with 1: the answer is still a named error."""
    tiny = Algebra(3).scalar(size)
    assert not is_rotor(tiny)
    with pytest.raises(NotARotor, match="got 1 element"):
        rotor_to_matrix(tiny)
