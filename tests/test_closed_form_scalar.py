"""Single calls: exp of one bivector in Python floats agrees with the batched kernel, and so on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geomlin import (
    Algebra,
    NonFiniteInput,
    NotARotor,
    RapidityOverflow,
    even,
    exp,
    geometric_product,
    rotor_to_matrix,
)
from geomlin.kernels.closed_form import SERIES_RADIUS
from geomlin.kernels.closed_form_scalar import (
    LARGEST_CANCELLATION,
    LARGEST_CANCELLING,
    LARGEST_ROUGH_TOTAL,
    LARGEST_TOTAL,
    exponential_of_one,
)
from geomlin.kernels.exponential import exponential
from geomlin.ops.bivectors import antisymmetric, from_compact, to_compact, upper_triangle
from geomlin.ops.matrices import _norm_tables
from geomlin.signature import Signature
from geomlin.verification.regimes import bivectors

EPS = 2.0**-52
SIGNATURES = [
    Signature(p, q, n - p - q) for n in range(1, 6) for p in range(n + 1) for q in range(n - p + 1)
]


def distance(v: np.ndarray, g: tuple[int, ...]) -> float | None:
    """Largest difference from the batched kernel, in eps times the largest coefficient and times
    max(1, sum b_ij^2); None where the scalar form does not answer.

    Both round the terms of <B^2>_0, whose absolute values add up to sum b_ij^2.
    """
    found = exponential_of_one(v.tolist(), g)
    if found is None:
        return None
    want = from_compact(exponential(antisymmetric(v, len(g)), g), len(g))
    assert len(found) == len(want)
    return float(np.abs(np.array(found) - want).max() / np.abs(want).max() / EPS / max(1, v @ v))


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_regimes(signature: Signature) -> None:
    """Within 2 ulp on every adversarial regime that it serves, and it serves several."""
    cases = bivectors(signature, np.random.default_rng(3))
    found = {str(case): distance(upper_triangle(case.b), signature.metric) for case in cases}
    served = {name: value for name, value in found.items() if value is not None}
    assert len(served) >= len(found) / 10
    assert {name: value for name, value in served.items() if value > 2} == {}


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(SIGNATURES), st.data())
def test_drawn(signature: Signature, data: st.DataObject) -> None:
    """Within 2 ulp on drawn bivectors, from subnormal to moderate coefficients."""
    size = signature.n * (signature.n - 1) // 2
    scale = data.draw(st.sampled_from([1e-160, 1e-9, 0.1, 1.0, 3.0]))
    v = data.draw(st.lists(st.floats(-1, 1), min_size=size, max_size=size))
    found = distance(scale * np.array(v, dtype=float), signature.metric)
    assert found is None or found <= 2


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
@pytest.mark.parametrize("total", [0.01, 0.3, 0.8, 1.0, 2.0, 3.9, 9.9])
def test_random_directions(signature: Signature, total: float) -> None:
    """Within 2 ulp of the batch at every size; most directions below one are served."""
    size = signature.n * (signature.n - 1) // 2
    directions = np.random.default_rng(int(100 * total)).normal(size=(60, size))
    if size:
        directions *= math.sqrt(total) / np.linalg.norm(directions, axis=1, keepdims=True)
    found = [distance(v, signature.metric) for v in directions]
    assert all(value is None or value <= 2 for value in found)
    if total < min(1.0, LARGEST_CANCELLING):
        assert None not in found


@pytest.mark.parametrize("signature", [(4, 0, 0), (5, 0, 0), (3, 1, 0), (3, 2, 0), (3, 1, 1)])
def test_as_accurate_as_the_batch(signature: tuple[int, int, int]) -> None:
    """Against rigorous balls the mean error is that of the batched kernel, the largest 4 eps."""
    algebra = Algebra(*signature)
    n, g = algebra.n, algebra.metric
    v = np.random.default_rng(1).normal(size=(150, n * (n - 1) // 2))
    v *= np.sqrt(np.linspace(0.1, 0.99, len(v)))[:, None] / np.linalg.norm(v, axis=1, keepdims=True)
    scalar = np.array([exponential_of_one(row.tolist(), g) for row in v])
    batch = exp(algebra.bivector(v)).coeffs
    exact = exp(algebra.bivector(v).to(backend="arb")).to(backend="numpy").coeffs
    size = np.abs(exact).max(axis=1)
    errors = [np.abs(x - exact).max(axis=1) / size / EPS for x in (scalar, batch)]
    assert errors[0].max() <= 4
    assert errors[0].mean() <= 1.25 * errors[1].mean()


def both_sides(v: np.ndarray) -> list[np.ndarray]:
    return [v * (1 - 1e-9), v, v * (1 + 1e-9)]


@pytest.mark.parametrize("signature", [s for s in SIGNATURES if s.n >= 2], ids=str)
def test_both_sides_of_the_thresholds(signature: Signature) -> None:
    """One call and a batch agree just below, at and just above the size where help is asked."""
    algebra = Algebra(*signature)
    v = np.random.default_rng(9).normal(size=algebra.n * (algebra.n - 1) // 2)
    served = set()
    for total in (LARGEST_CANCELLING, LARGEST_ROUGH_TOTAL, LARGEST_TOTAL):
        for x in both_sides(v * math.sqrt(total / (v @ v))):
            served.add(exponential_of_one(x.tolist(), algebra.metric) is not None)
            one, many = exp(algebra.bivector(x)).coeffs, exp(algebra.bivector(x[None])).coeffs[0]
            assert np.abs(one - many).max() <= 2 * EPS * max(1, x @ x) * np.abs(many).max()
    assert served == {True, False}


@pytest.mark.parametrize("signature", [s for s in SIGNATURES if s.n == 5], ids=str)
def test_both_sides_of_the_choices(signature: Signature) -> None:
    """The series ends at |s| = 1/2, the roots take over from the planes at 4 delta = s^2."""
    edges = [np.eye(10)[0] * math.sqrt(SERIES_RADIUS)]
    edges += [np.eye(10)[0] + np.eye(10)[7] * x for x in (2 - math.sqrt(3), 2 + math.sqrt(3))]
    for edge in edges:
        for size in (0.3, 0.7, 0.95, 1.0):
            for v in both_sides(edge * size / (1 if edge[7] == 0 else np.linalg.norm(edge))):
                for tilt in (0.0, 1e-12, 1e-3):
                    found = distance(v + tilt * np.arange(10.0), signature.metric)
                    assert found is None or found <= 2


def test_passes_where_squares_cancel() -> None:
    """s = a^2 - b^2 with a = b (1 + small) and large a has lost its digits."""
    near = math.sqrt(LARGEST_CANCELLING)
    g = (1, 1, -1)
    assert exponential_of_one([near, near * 1.001, 0.0], g) is None
    assert exponential_of_one([0.5 * near, 0.5 * near, 0.0], g) == [
        1.0,
        0.5 * near,
        0.5 * near,
        0.0,
    ]
    apart = math.sqrt(1 - 2 / LARGEST_CANCELLATION) * near  # total = 4 |s| is at the threshold
    assert exponential_of_one([near, 0.9 * apart, 0.0], g) is not None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e200])
@pytest.mark.parametrize("signature", [s for s in SIGNATURES if s.n >= 2], ids=str)
def test_passes_what_is_not_finite_or_huge(signature: Signature, bad: float) -> None:
    """NaN, infinity and squares that overflow are for the checks of the batched form."""
    size = signature.n * (signature.n - 1) // 2
    for position in range(size):
        v = [0.1] * size
        v[position] = bad
        assert exponential_of_one(v, signature.metric) is None


def test_errors_of_one_call() -> None:
    """The named errors are those of a batch."""
    algebra = Algebra(1, 1)
    with pytest.raises(RapidityOverflow):
        exp(algebra.bivector([800.0]))
    b = algebra.bivector([0.5])
    broken = b.replace(b.layout, np.array([np.nan]))
    with pytest.raises(NonFiniteInput):
        exp(broken)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_dtype_and_layout_of_one_call(dtype: type, n: int) -> None:
    """One call returns the layout and the dtype of a batch, and rounds once."""
    algebra = Algebra(n)
    v = np.linspace(-0.3, 0.4, n * (n - 1) // 2).astype(dtype)
    one, many = exp(algebra.bivector(v)), exp(algebra.bivector(v[None]))
    assert one.layout is many.layout
    assert one.dtype == many.dtype == np.dtype(dtype)
    assert one.shape == ()
    assert not one.coeffs.flags.writeable
    tolerance = 2 * float(np.finfo(dtype).eps)
    assert np.abs(one.coeffs - many.coeffs[0]).max(initial=0) <= tolerance


def test_float32_result_below_its_range_is_silent() -> None:
    """A product of two small float32 coefficients underflows to zero, whatever numpy's mode."""
    b = Algebra(4).bivector({"e12": 1e-30, "e34": 1e-30}, dtype=np.float32)
    with np.errstate(all="raise"):
        assert exp(b)["e1234"] == 0


@pytest.mark.parametrize(
    "signature", [(2, 0, 0), (3, 0, 1), (1, 3, 0), (4, 1, 0), (3, 1, 2)], ids=str
)
def test_quick_norm_of_one_rotor(signature: tuple[int, int, int]) -> None:
    """The table behind the quick check of one rotor is that of R ~R: exact on small integers."""
    algebra = Algebra(*signature)
    size = 2 ** (algebra.n - 1)
    element = algebra.even(np.random.default_rng(2).integers(-3, 4, size).astype(float))
    positions, signs = _norm_tables(algebra.signature)
    values = to_compact(element)
    want = to_compact(even(geometric_product(element, ~element)))
    rows = positions[:, 0]  # the compact position of each mask K: the partner of S = 0
    assert ((values[positions] * signs) @ values == want[rows]).all()
    assert np.count_nonzero(want) == np.count_nonzero(want[rows])


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_one_rotor_is_refused_like_a_batch(n: int) -> None:
    """Just above the tolerance one element is refused, just below it is accepted."""
    algebra = Algebra(n)
    rotor = exp(algebra.bivector({"e12": 0.3}))
    for scale, accepted in ((1 + 3e-7, True), (1 + 6e-7, False), (1e120, False), (0.0, False)):
        for shape in (rotor.coeffs * scale, rotor.coeffs[None] * scale):
            element = algebra.even(shape)
            if accepted:
                assert rotor_to_matrix(element).shape[-2:] == (n, n)
            else:
                with pytest.raises(NotARotor):
                    rotor_to_matrix(element)
