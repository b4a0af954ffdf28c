"""Versors as products of vectors, and rotors as products of commuting simple rotors."""

from __future__ import annotations

from fractions import Fraction
from math import cosh, pi, prod, sinh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import SMALL_SIGNATURES, vectors

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NotARotor,
    NotDecomposable,
    NotInvertible,
    NotSupported,
    PlaneKind,
    even,
    exp,
    is_rotor,
    norm_squared,
    stack,
)
from geomlin.errors import NoRealLogarithm
from geomlin.ops.decomposition import invariant_decomposition
from geomlin.ops.factorization import versor_factorization
from geomlin.ops.rotor_decomposition import rotor_decomposition
from geomlin.verification.regimes import bivectors

EPS = 2.0**-52
DEFINITE = [(2, 0, 0), (3, 0, 0), (5, 0, 0), (8, 0, 0), (0, 4, 0), (3, 0, 1), (0, 3, 1), (5, 0, 1)]
MIXED = [(1, 1, 0), (2, 1, 0), (3, 1, 0), (2, 2, 0), (3, 3, 0), (4, 2, 0)]
DEGENERATE = [(1, 1, 1), (2, 1, 1), (2, 0, 2), (1, 0, 3), (1, 1, 2)]


def product_of(scale: Multivector, vectors: tuple[Multivector, ...]) -> Multivector:
    return prod(vectors, start=scale)


def distance(a: Multivector, b: Multivector) -> float:
    """max |A - B| / max |A|."""
    return float(np.abs((a - b).coeffs).max(initial=0) / np.abs(a.coeffs).max(initial=0))


def random_versor(alg: Algebra, rng: np.random.Generator, count: int) -> Multivector:
    return prod((alg.random.vector(rng) for _ in range(count)), start=alg.scalar(1.0))


# --- versor_factorization -------------------------------------------------------------------------


@pytest.mark.parametrize("signature", DEFINITE + MIXED + DEGENERATE, ids=str)
def test_product_is_the_versor(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    alg = Algebra(*signature)
    n = alg.n
    for count in range(n + 3):
        versor = random_versor(alg, rng, count)
        scale, found = versor_factorization(versor)
        assert len(found) <= n + (0 if alg.signature.r == 0 or signature in DEFINITE else 2)
        assert len(found) % 2 == count % 2
        bound = 4 * n * EPS if signature in DEFINITE else 1e-10
        assert distance(versor, product_of(scale, found)) <= bound
        squares = np.array([norm_squared(v)["1"] for v in found])
        sizes = np.array([(v.coeffs**2).sum() for v in found])
        assert np.all(np.abs(np.abs(squares) - 1) <= 8 * EPS * sizes)


@given(st.data())
def test_exact_products(data: st.DataObject) -> None:
    """Products of rational vectors, null ones among them, come back without any rounding."""
    alg = Algebra(*data.draw(st.sampled_from(SMALL_SIGNATURES)), backend="fractions")
    factors = data.draw(st.lists(vectors(alg), max_size=5))
    versor = prod(factors, start=alg.scalar(1))
    invertible = all(norm_squared(v)["1"] != 0 for v in factors)
    if not invertible:
        with pytest.raises(NotInvertible, match=r"expected .* got"):
            versor_factorization(versor)
        return
    scale, found = versor_factorization(versor)
    assert product_of(scale, found) == versor
    p, q, r = alg.signature
    assert len(found) <= alg.n + (0 if r == 0 or (r == 1 and 0 in (p, q)) else 2)
    assert all(isinstance(x, Fraction) for v in found for x in v.coeffs)


@pytest.mark.parametrize("backend", ["fractions", "flint", "sympy"])
def test_exact_backends_agree(backend: str) -> None:
    alg = Algebra(2, 2, backend=backend)
    n1, n2 = alg.vector([1, 0, 1, 0]), alg.vector([0, 1, 0, 1])
    versor = (1 + n1 * n2) * alg.vector([1, 2, 0, 0]) / 3
    scale, found = versor_factorization(versor)
    assert product_of(scale, found) == versor
    assert len(found) == 3


NULL_FRAMES = [(2, 2, 0), (3, 3, 0), (4, 4, 0), (2, 2, 1), (1, 1, 1), (1, 1, 2), (4, 4, 1)]


@pytest.mark.parametrize("signature", NULL_FRAMES, ids=str)
@pytest.mark.parametrize("size", [1.0, 1e-3, 10.0])
def test_totally_null_spaces_need_two_vectors_more(
    signature: tuple[int, int, int], size: float
) -> None:
    """(1 + m1 m2)(1 + m3 m4) .. with mutually orthogonal null vectors: k + 2, and so n at most."""
    alg = Algebra(*signature)
    p, q, r = signature
    null = [alg.basis_vectors[i] + alg.basis_vectors[p + i] for i in range(min(p, q))]
    null += list(alg.basis_vectors[p + q :])
    versor, k = alg.scalar(1.0), 0
    for first, second in zip(null[::2], null[1::2], strict=False):
        versor, k = versor * (1 + size * first * second), k + 2
        scale, found = versor_factorization(versor)
        assert len(found) == k + 2
        assert distance(versor, product_of(scale, found)) <= 1e-11
        assert r > 0 or len(found) <= alg.n


@pytest.mark.parametrize("tilt", [1e-4, 1e-8, 1e-12])
def test_nearly_totally_null_spaces(tilt: float) -> None:
    """Both sides of the threshold: a vector barely not null is divided by, or gone around."""
    alg = Algebra(2, 2)
    m1, m2 = alg.vector([1, 0, 1 - tilt, 0]), alg.vector([0, 1, 0, 1 - tilt])
    versor = 1 + m1 * m2
    scale, found = versor_factorization(versor)
    assert len(found) <= 4
    assert distance(versor, product_of(scale, found)) <= 1e-9


@pytest.mark.parametrize("signature", [*DEFINITE[1:], (3, 1, 0), (2, 1, 1)], ids=str)
def test_every_regime(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Several small angles are the trap: R = 1 + 1e-8 (e12 + e34) + 1e-16 e1234 needs its last
    coefficient, which is below the rounding of the first."""
    alg = Algebra(*signature)
    upper = np.triu_indices(alg.n, 1)
    cases = bivectors(alg.signature, rng)
    for case in cases[:: max(1, len(cases) // 60)]:
        versor = exp(alg.bivector(case.b[upper])) * alg.blade("e1")
        scale, found = versor_factorization(versor)
        bound = 8 * alg.n * EPS if alg.signature.is_definite else 1e-10
        assert distance(versor, product_of(scale, found)) <= bound, str(case)


@pytest.mark.parametrize("angles", [(1e-8, 1e-8), (1e-8, 1e-12), (1e-5, 0.7), (1e-9, pi / 2)])
@pytest.mark.parametrize("n", [4, 6])
def test_several_small_angles(
    angles: tuple[float, float], n: int, rng: np.random.Generator
) -> None:
    """In a general frame, where rounding hides the products of the angles, and after a product."""
    alg = Algebra(n)
    frame = alg.random.rotor(rng)
    rotor = exp(alg.bivector({"e12": angles[0], "e34": angles[1]}))
    for versor in (rotor, even(frame * rotor * ~frame)):
        scale, found = versor_factorization(versor)
        assert distance(versor, product_of(scale, found)) <= 8 * n * EPS


def test_small_angles_and_noise(rng: np.random.Generator) -> None:
    """A top grade near rounding gives directions of no meaning, and still the right product."""
    alg = Algebra(6)
    for size in (1e-3, 1e-9, 1e-15, 1e-17):
        versor = exp(alg.bivector({"e12": 0.7, "e34": 0.2}) + size * alg.random.bivector(rng))
        scale, found = versor_factorization(versor)
        assert distance(versor, product_of(scale, found)) <= 24 * EPS
    assert len(found) == 4


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_any_length(size: float, rng: np.random.Generator) -> None:
    alg = Algebra(3, 0, 1)
    versor = random_versor(alg, rng, 3) * size
    scale, found = versor_factorization(versor)
    assert distance(versor, product_of(scale, found)) <= 16 * EPS


@pytest.mark.parametrize("translation", [1.0, 1e8])
def test_far_translations(translation: float) -> None:
    alg = Algebra(3, 0, 1)
    versor = exp(alg.bivector({"e12": 0.5, "e14": translation, "e34": -translation}))
    scale, found = versor_factorization(versor)
    assert len(found) <= 4
    assert distance(versor, product_of(scale, found)) <= 16 * EPS


@pytest.mark.parametrize(("rapidity", "accepted"), [(5.0, True), (12.0, True), (30.0, False)])
def test_large_boosts(rapidity: float, accepted: bool) -> None:
    """Beyond 17 or so V ~V = 1 is lost in the rounding of V, and nothing tells V from null."""
    versor = Algebra(3, 1).even({"1": cosh(rapidity), "e14": sinh(rapidity)})
    if accepted:
        scale, found = versor_factorization(versor)
        assert distance(versor, product_of(scale, found)) <= 16 * EPS
    else:
        with pytest.raises(NotInvertible):
            versor_factorization(versor)


def test_no_product_of_vectors() -> None:
    """Cl(0,0,2) has no invertible vector; 1 + e12 acts as the identity all the same."""
    alg = Algebra(0, 0, 2)
    with pytest.raises(NotSupported, match="Cl"):
        versor_factorization(alg.even({"1": 1, "e12": 1}))
    scale, found = versor_factorization(alg.scalar(3.0))
    assert (scale["1"], found) == (3.0, ())


def test_non_versors() -> None:
    six = Algebra(6)
    for bad in (six.even({"1": 0.6, "e123456": 0.8}), six.even({"1": 1, "e12": 1, "e34": 1})):
        with pytest.raises(NotDecomposable) as caught:
            versor_factorization(bad)
        assert caught.value.kind == "not a versor"
    with pytest.raises(LayoutError, match="parity"):
        versor_factorization(six.scalar(1) + six.blade("e1"))
    for null in (Algebra(2, 1).vector([1, 0, 1]), six.scalar(0.0)):
        with pytest.raises(NotInvertible):
            versor_factorization(null)


@pytest.mark.parametrize("defect", [1e-8, 1e-4])
def test_both_sides_of_the_tolerance(defect: float) -> None:
    """A rotor with a wrong digit is refused when the digit counts: the product is compared."""
    alg = Algebra(4)
    versor = exp(alg.bivector({"e12": 0.3, "e34": 1.0})) + defect * alg.blade("e1234")
    if defect < 1e-6:
        assert distance(versor, product_of(*versor_factorization(versor))) <= 2 * defect
    else:
        with pytest.raises(NotDecomposable):
            versor_factorization(versor)
        assert product_of(*versor_factorization(versor, tolerance=1e-2)).shape == ()


def test_batches_are_padded_with_pairs_that_cancel() -> None:
    alg = Algebra(1, 2)
    batch = alg.even({"1": [2.0, 0.0, 0.0, 1.0], "e13": [0.0, 3.0, 0.0, 0.0]})
    with pytest.raises(NotInvertible) as caught:
        versor_factorization(batch)
    assert (caught.value.indices, caught.value.count) == (((2,),), 1)
    scale, found = versor_factorization(batch, on_error="nan")
    product = product_of(scale, found)
    assert np.isnan(product.coeffs[2]).any()
    assert np.array_equal(np.isnan(scale.coeffs[:, 0]), [False, False, True, False])
    for k in (0, 1, 3):
        assert product[k] == batch[k]
    empty = alg.even(np.zeros((0, 4)))
    assert versor_factorization(empty)[0].shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats(dtype: Any, rng: np.random.Generator) -> None:
    versor = random_versor(Algebra(3, 1), rng, 3).to(dtype=dtype)
    scale, found = versor_factorization(versor, tolerance=1e-2)
    assert scale.dtype == dtype
    assert all(v.dtype == dtype for v in found)
    assert distance(versor, product_of(scale, found)) <= 64 * np.finfo(dtype).eps


# --- rotor_decomposition --------------------------------------------------------------------------


def check_split(rotor: Multivector, bound: float) -> Any:
    """The product is R, the factors commute, and each is a number plus a simple bivector."""
    rotors, squares, kinds = rotor_decomposition(rotor)
    count = rotor.algebra.n // 2
    assert rotors.shape == (*rotor.shape, count)
    factors = [rotors.replace(rotors.layout, rotors.coeffs[..., k, :]) for k in range(count)]
    size = max(float(np.abs(rotor.coeffs).max()), 1.0) ** 2
    product = prod(factors, start=rotor.algebra.scalar(np.ones(rotor.shape)))
    assert np.abs((product - rotor).coeffs).max() <= bound * size
    for i, first in enumerate(factors):
        assert not first.coeffs[..., rotors.layout.grade_array > 2].any()
        plane = first.grade(2)
        assert np.abs((plane ^ plane).coeffs).max(initial=0) <= bound * size
        for second in factors[:i]:
            assert np.abs((first * second - second * first).coeffs).max() <= bound * size
    return rotors, squares, kinds


SPLIT = [
    (2, 0, 0), (3, 0, 0), (4, 0, 0), (6, 0, 0), (7, 0, 0), (3, 1, 0), (3, 0, 1), (4, 1, 0),
    (2, 0, 2), (3, 0, 2), (0, 3, 3), (1, 1, 2), (0, 0, 4),
]  # fmt: skip


@pytest.mark.parametrize("signature", SPLIT, ids=str)
def test_split_of_generic_rotors(signature: tuple[int, int, int], rng: np.random.Generator) -> None:
    check_split(exp(Algebra(*signature).random.bivector(rng, (20,))), 1e-13)


@pytest.mark.parametrize(
    "signature", [(2, 1, 1), (3, 1, 1), (2, 2, 0), (2, 2, 1), (4, 2, 0), (6, 2, 0)], ids=str
)
def test_rotors_split_exactly_where_their_generators_do(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    alg, found = Algebra(*signature), set()
    for _ in range(25):
        b = alg.random.bivector(rng, scale=0.4)
        blocked = bool((invariant_decomposition(b, blocks=True).kinds > PlaneKind.ZERO).any())
        found.add(blocked)
        if blocked:
            with pytest.raises(NotDecomposable):
                rotor_decomposition(exp(b))
        else:
            check_split(exp(b), 1e-11)
    assert False in found
    assert (True in found) == (signature[1] > 1)


@pytest.mark.parametrize(
    "angles",
    [
        (0.0, 0.0, 0.0), (pi / 2, 0.0, 0.0), (pi / 2, pi / 2, 0.3), (pi / 2, pi / 2, pi / 2),
        (0.4, 0.4, 0.4), (0.4, 0.4, -0.4), (pi, 0.0, 0.0), (pi, pi, 0.2), (pi / 2 + 1e-9, 0.3, 0.3),
        (1.8, 1.5, 1.2), (1e-9, 2e-9, 3.0), (pi - 1e-9, 1e-9, 0.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_split_at_half_turns_equal_angles_and_the_cut(
    angles: tuple[float, ...], turned: bool, rng: np.random.Generator
) -> None:
    alg = Algebra(6)
    rotor = exp(alg.bivector(dict(zip(("e12", "e34", "e56"), angles, strict=True))))
    if turned:
        frame = alg.random.rotor(rng)
        rotor = even(frame * rotor * ~frame)
    _, squares, kinds = check_split(rotor, 64 * EPS)
    assert np.all((kinds == PlaneKind.ROTATION) | (kinds == PlaneKind.ZERO))
    assert np.all(np.sqrt(np.abs(squares)) <= pi / 2 + 4 * EPS)


def test_sign_goes_into_the_first_rotor() -> None:
    alg = Algebra(1, 1)
    boost = exp(alg.bivector({"e12": 0.7}))
    rotors, _, kinds = check_split(-boost, 4 * EPS)
    assert rotors[0]["1"] < 0
    assert kinds[0] == PlaneKind.BOOST


def test_screws_and_translations() -> None:
    alg = Algebra(3, 0, 1)
    _, _, kinds = check_split(exp(alg.bivector({"e12": 0.5, "e14": 1.0, "e34": 2.0})), 16 * EPS)
    assert kinds.tolist() == [PlaneKind.ROTATION, PlaneKind.NULL]
    _, _, kinds = check_split(alg.even({"1": -1, "e14": 3}), 16 * EPS)
    assert kinds.tolist() == [PlaneKind.NULL, PlaneKind.ZERO]


def test_null_axes_of_any_scale() -> None:
    """Rescaling null axes is an automorphism: 1e3 or 1e-9 beside 1 needs no more vectors."""
    alg = Algebra(1, 0, 4)
    for size in (1e-9, 1e3, 1e9):
        versor = (1 + size * alg.blade("e23")) * (1 + alg.blade("e45") / size)
        scale, found = versor_factorization(versor)
        assert len(found) == 6
        assert distance(versor, product_of(scale, found)) <= 16 * EPS


def test_what_has_no_split() -> None:
    """Complex quadruples, rotors that are no exponential up to sign, and -1 without a plane."""
    alg = Algebra(2, 2)
    quadruple = exp(alg.bivector({"e12": 0.5, "e34": 0.5, "e13": 0.4, "e24": -0.4}))
    with pytest.raises(NotDecomposable, match=r"complex|defective"):
        rotor_decomposition(quadruple)
    boosts = exp(alg.bivector({"e13": 0.5, "e24": 0.9})) * alg.even({"e1234": 1})
    with pytest.raises(NoRealLogarithm):
        rotor_decomposition(boosts)
    with pytest.raises(NotDecomposable) as caught:
        rotor_decomposition(Algebra(1).scalar(-1.0))
    assert caught.value.kind == "no plane"
    with pytest.raises(NotARotor):
        rotor_decomposition(Algebra(3).scalar(2.0))
    with pytest.raises(NotSupported):
        rotor_decomposition(Algebra(3, backend="fractions").scalar(1))


def test_failures_in_a_batch() -> None:
    alg = Algebra(2, 2)
    good = exp(alg.bivector({"e12": 0.5}))
    bad = exp(alg.bivector({"e12": 0.5, "e34": 0.5, "e13": 0.4, "e24": -0.4}))
    batch = stack([good, bad, 2 * good])
    rotors, squares, kinds = rotor_decomposition(batch, on_error="nan")
    lost = np.isnan(rotors.coeffs).any(axis=(-1, -2))
    assert lost.tolist() == [False, True, True]
    assert np.isnan(squares[1:]).all()
    assert kinds.shape == (3, 2)
    assert np.all(is_rotor(rotors[0]))
