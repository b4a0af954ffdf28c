"""Versors acting, and the predicates, on both sides of their tolerances."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from strategies import BACKENDS, algebra_and_vectors

from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotInvertible,
    NotSupported,
    SignatureMismatch,
    exp,
    geometric_product,
    inverse,
    involute,
    is_rotor,
    is_simple,
    is_versor,
    isclose,
    norm_squared,
    project,
    reflect,
    reject,
    reverse,
    sandwich,
    scalar_product,
    versor_action,
)

EPS = np.finfo(np.float64).eps
EXACT = [name for name in BACKENDS if name != "numpy"]


def invertible(*vectors: Multivector) -> None:
    """Hypothesis: keep the examples in which every vector has an inverse."""
    assume(all(norm_squared(v) != 0 for v in vectors))


# --- actions ------------------------------------------------------------------------------------


@given(algebra_and_vectors(4))
def test_versor_action_is_a_group_action_by_isometries(vectors: tuple[Multivector, ...]) -> None:
    u, v, x, y = vectors
    invertible(u, v)
    for versor in (u, u * v):
        turned, other = versor_action(versor, x), versor_action(versor, y)
        assert turned == turned.grade(1)
        assert scalar_product(turned, other) == scalar_product(x, y)
        assert versor_action(3 * versor, x) == turned
    assert versor_action(u * v, x) == versor_action(u, versor_action(v, x))
    assert versor_action(u, x) == reflect(x, u)
    even_versor = u * v
    product = versor_action(even_versor, x * y)
    assert product == versor_action(even_versor, x) * versor_action(even_versor, y)


@given(algebra_and_vectors(3))
def test_reflections(vectors: tuple[Multivector, ...]) -> None:
    a, x, y = vectors
    invertible(a)
    assert reflect(a, a) == -a
    assert reflect(reflect(x, a), a) == x
    assert reflect(x * y, a) == reflect(x, a) * reflect(y, a)
    assert reflect(x, a) == -a * x * inverse(a)
    assert reflect(project(x, a), a) == -project(x, a)
    assert reflect(reject(x, a), a) == reject(x, a)


@given(algebra_and_vectors(3))
def test_projection_and_rejection(vectors: tuple[Multivector, ...]) -> None:
    a, b, x = vectors
    blade = a ^ b
    assume((blade * ~blade).grade(0) != 0)
    inside, outside = project(x, blade), reject(x, blade)
    assert inside + outside == x
    assert (inside ^ blade) == 0
    assert scalar_product(outside, a) == scalar_product(outside, b) == 0
    assert project(inside, blade) == inside
    assert reject(inside, blade) == 0


def test_sandwich_is_literal() -> None:
    e1, e2 = Algebra(2).basis_vectors
    assert sandwich(2 * e1, e1) == 4 * e1
    assert sandwich(e1, e2) == -e2  # no twisted sign
    assert sandwich(1 + e1, e2) == (1 + e1) * e2 * (1 + e1)  # unchecked
    rotor = Algebra(2).even([Fraction(3, 5).__float__(), 0.8])
    assert sandwich(2 * rotor, e1) == 4 * sandwich(rotor, e1)


def test_parity_of_the_action() -> None:
    """versor_action(V, x) = (-1)^|V| V x V^-1: the sign belongs to V, not to x."""
    e1, e2, e3 = Algebra(3).basis_vectors
    assert versor_action(e1, e1) == -e1
    assert versor_action(e1, e2) == e2
    assert versor_action(e1 * e2, e1) == -e1
    assert versor_action(e1 * e2 * e3, e1) == -e1
    assert versor_action(e1, e1 * e2) == -(e1 * (e1 * e2) * e1)


def test_rounding_of_the_other_parity_does_not_flip_the_sign() -> None:
    """An even versor with 1e-18 on an odd blade is even; with 1e-3 it is neither."""
    algebra = Algebra(2)
    e1 = algebra.blade("e1")
    clean = algebra.even([1, 0.5])
    noisy = algebra.multivector([1, 1e-18, 0, 0.5])
    assert isclose(versor_action(noisy, e1), versor_action(clean, e1), absolute=1e-15)
    odd_noisy = algebra.multivector([1e-18, 1, 0, 0])
    assert isclose(versor_action(odd_noisy, e1), -e1, absolute=1e-15)
    for relative, accepted in ((0.9e-6, True), (1.1e-6, False)):
        mixed = algebra.multivector([1, relative, 0, 0])
        if accepted:
            assert versor_action(mixed, e1) is not None
        else:
            with pytest.raises(LayoutError, match="an even or an odd multivector"):
                versor_action(mixed, e1)


@pytest.mark.parametrize("name", BACKENDS)
def test_mixed_parity_has_no_action(name: str) -> None:
    algebra = Algebra(2, backend=name)
    e1, _ = algebra.basis_vectors
    with pytest.raises(LayoutError, match=r"got 1 with both parts.*even\(V\)"):
        versor_action(2 + e1, e1)
    batch = algebra.multivector([[1, 0, 0, 2], [0, 1, 2, 0]])
    assert versor_action(batch, e1)[1] == reflect(e1, batch[1].grade(1))
    assert versor_action(batch, e1)[0] == batch[0] * e1 * inverse(batch[0])


def test_actions_refuse_singular_versors_and_other_algebras() -> None:
    algebra = Algebra(1, 1)
    null = algebra.vector([1, 1])
    e1 = algebra.blade("e1")
    for act in (
        lambda: versor_action(null, e1),
        lambda: reflect(e1, null),
        lambda: project(e1, null),
        lambda: reject(e1, null),
    ):
        with pytest.raises(NotInvertible, match="null"):
            act()
    other = Algebra(2).blade("e1")
    for function in (sandwich, versor_action, project, reject, reflect):
        with pytest.raises(SignatureMismatch):
            function(e1, other)
        with pytest.raises(LayoutError, match="expected a Multivector"):
            function(e1, 2.0)
        with pytest.raises(LayoutError, match="broadcast"):
            function(algebra.vector(np.ones((3, 2))), algebra.vector(np.full((2, 2), [1.0, 2.0])))


def test_actions_broadcast(rng: np.random.Generator) -> None:
    algebra = Algebra(3)
    r = algebra.random.rotor(rng, (4, 1))
    x = algebra.random.vector(rng, (5,))
    found = sandwich(r, x)
    assert found.shape == (4, 5)
    for i in range(4):
        for j in range(5):
            assert isclose(found[i, j], r[i, 0] * x[j] * reverse(r[i, 0]), absolute=8 * EPS)
    single = algebra.vector([1, 2, 2], dtype=np.float32)
    assert reflect(single, single).dtype == np.float32
    assert versor_action(single, single).dtype == np.float32
    assert project(single, single).dtype == np.float32


# --- is_simple ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BACKENDS)
def test_simple_bivectors(name: str) -> None:
    algebra = Algebra(4, backend=name)
    assert is_simple(algebra.bivector({"e12": 1, "e13": 2})) is True
    assert is_simple(algebra.bivector({"e12": 1, "e34": 1})) is False
    assert is_simple(0 * algebra.blade("e12")) is True
    assert is_simple(algebra.multivector({"e12": 1})) is True  # other grades are zero
    assert is_simple(Algebra(3, backend=name).bivector([1, 2, 3])) is True  # all are, for n = 3
    for wrong in (algebra.blade("e1"), 1 + algebra.blade("e12")):
        with pytest.raises(LayoutError, match="expected a bivector"):
            is_simple(wrong)
    batch = algebra.bivector([[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1]])
    assert is_simple(batch).tolist() == [True, False]
    assert is_simple(batch[:0]).shape == (0,)


def test_simple_on_both_sides_of_the_tolerance() -> None:
    algebra = Algebra(4)
    for tolerance in (1e-12, 1e-3):
        for factor, expected in ((0.9, True), (1.1, False)):  # B ^ B = 2 b12 b34 e1234
            b = algebra.bivector({"e12": 1, "e34": factor * tolerance / 2})
            for scale in (1.0, 2.0**-600, 2.0**600):
                assert is_simple(b * scale, tolerance=tolerance) is expected
    nearly = algebra.bivector({"e12": 1, "e34": 5e-16})
    assert is_simple(nearly, tolerance=0.0) is True  # within the rounding of the sum
    assert is_simple(nearly.to(backend="fractions")) is False


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_wedges_of_rounded_vectors_are_simple(dtype: Any, rng: np.random.Generator) -> None:
    """a ^ b in float32 has B ^ B of about eps32, far above 1e-12."""
    for n in (4, 6, 8):
        algebra = Algebra(n)
        a, b = (algebra.random.vector(rng, (20,)).to(dtype=dtype) for _ in range(2))
        assert np.all(is_simple(a ^ b))
        small = (a ^ b) / 32
        assert not np.any(is_simple(small + algebra.bivector({"e12": 1, "e34": 1}, dtype=dtype)))


# --- is_versor, is_rotor ------------------------------------------------------------------------

VERSORS: list[tuple[dict[str, float], tuple[int, int, int], bool, bool, str]] = [
    ({"e1": 1, "e2": 2}, (2, 0, 0), True, False, "vector"),
    ({"1": 0.6, "e12": 0.8}, (2, 0, 0), True, True, "rotor"),
    ({"1": 3, "e12": 4}, (2, 0, 0), True, False, "rotor of norm five"),
    ({"1": -1}, (2, 0, 0), True, True, "minus one"),
    ({"1": 1, "e1": 1}, (2, 0, 0), False, False, "mixed parity"),
    ({"e1": 1, "e2": 1}, (1, 1, 0), False, False, "null vector"),
    ({"e12": 1}, (1, 1, 0), True, False, "even with R ~R = -1"),
    ({"e123": 1}, (3, 0, 0), True, False, "pseudoscalar, odd"),
    ({"1": 1, "e34": 5}, (2, 0, 2), True, True, "1 + null-null bivector: acts as 1"),
    ({"1": 1, "e1234": 1}, (4, 0, 0), False, False, "V ~V = 2 + 2 e1234 is no scalar"),
    ({"1": 0.6, "e123456": 0.8}, (6, 0, 0), False, False, "V ~V = 1, images no vectors"),
    ({"1": 1.25, "e123456": 0.75}, (3, 3, 0), False, False, "the same, neutral"),
    ({"e1": 0.6, "e23456": 0.8}, (6, 0, 0), False, False, "odd, V ~V = 1, images no vectors"),
    ({"1": 0.6, "e123": 0.8}, (3, 0, 0), False, False, "acts as 1, V ~V = 1, mixed parity"),
    ({}, (3, 0, 0), False, False, "zero"),
]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize(
    ("values", "space", "versor", "rotor", "why"), VERSORS, ids=[v[-1] for v in VERSORS]
)
def test_versors_and_rotors(
    values: dict[str, float],
    space: tuple[int, int, int],
    versor: bool,
    rotor: bool,
    why: str,
    name: str,
) -> None:
    algebra = Algebra(*space, backend=name)
    given_values = {
        k: v if name == "numpy" else Fraction(v).limit_denominator(100) for k, v in values.items()
    }
    a = algebra.multivector(given_values)
    assert is_versor(a) is versor, why
    assert is_rotor(a) is rotor, why
    if name == "numpy":
        for scale in (2.0**-500, 2.0**500):
            assert is_versor(a * scale) is versor
            assert is_rotor(a * scale) is False
        for dtype in (np.float32, np.float16):
            assert is_versor(a.to(dtype=dtype)) is versor
            assert is_rotor(a.to(dtype=dtype)) is rotor


def test_predicates_of_batches() -> None:
    algebra = Algebra(2)
    batch = algebra.even([[[1, 0], [2, 0]], [[0.6, 0.8], [0, 0]]])
    assert is_rotor(batch).tolist() == [[True, False], [True, False]]
    assert is_versor(batch).tolist() == [[True, True], [True, False]]
    assert is_rotor(batch[:0]).shape == (0, 2)
    assert is_rotor(batch).dtype == bool


def test_rotor_on_both_sides_of_the_tolerance() -> None:
    for algebra in (Algebra(3), Algebra(6), Algebra(2, 2)):
        r = exp(algebra.blade("e12") * 0.3)
        largest = float(np.abs(r.coeffs).max())
        for tolerance in (1e-6, 1e-2):
            for factor, expected in ((0.9, True), (1.1, False)):
                norm = 1 + factor * tolerance * largest**2
                assert is_rotor(r * np.sqrt(norm), tolerance=tolerance) is expected
            for factor, expected in ((0.4, True), (1.1, False)):
                odd = r + algebra.blade("e1") * (factor * tolerance * largest)
                assert is_rotor(odd, tolerance=tolerance) is expected


def test_versor_on_both_sides_of_the_tolerance() -> None:
    """1 + t e1234 has V ~V = 1 + t^2 + 2 t e1234: no scalar beyond the tolerance."""
    algebra = Algebra(4)
    for tolerance in (1e-6, 1e-2):
        for factor, expected in ((0.9, True), (1.1, False)):
            v = algebra.even({"1": 1, "e1234": factor * tolerance / 2})
            assert is_versor(v, tolerance=tolerance) is expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_products_of_rounded_versors_are_versors(dtype: Any, rng: np.random.Generator) -> None:
    for space in [(3, 0, 0), (1, 3, 0), (3, 0, 1), (6, 0, 0)]:
        algebra = Algebra(*space)
        v = algebra.scalar(np.ones(10))
        for _ in range(4):
            u = algebra.random.vector(rng, (10,))
            v = v * (u / np.sqrt(np.abs(norm_squared(u).coeffs[..., 0])))
        rounded = v.to(dtype=dtype)
        good = np.abs(v.coeffs).max(axis=-1) < 3  # versors near null ones lose their digits
        assert good.any()
        assert np.asarray(is_versor(rounded))[good].all()


def test_predicates_refuse_nan() -> None:
    nan = inverse(Algebra(4).bivector(np.zeros(6)), on_error="nan")
    for predicate in (is_versor, is_rotor):
        with pytest.raises(NonFiniteInput):
            predicate(nan)


# --- isclose ------------------------------------------------------------------------------------


def test_isclose_has_no_hidden_tolerance() -> None:
    e1, e2 = Algebra(2).basis_vectors
    assert isclose(e1, e1) is True
    assert isclose(e1, e1 + 5e-324 * e2) is False
    assert isclose(e1, e1 * (1 + EPS)) is False
    with pytest.raises(TypeError):
        isclose(e1, e2, 1e-9)  # type: ignore[misc]


def test_isclose_on_both_sides() -> None:
    algebra = Algebra(2)
    a = algebra.vector([4, 0])
    for d, expected in ((0.2499, True), (0.2501, False)):
        assert isclose(a, a + d * algebra.blade("e2"), absolute=0.25) is expected
        assert isclose(a, a + d * algebra.blade("e2"), relative=0.0625) is expected
        assert (
            isclose(a, a + 2 * d * algebra.blade("e2"), absolute=0.25, relative=0.0625) is expected
        )
    assert isclose(a, a + 0.25 * algebra.blade("e2"), absolute=0.25) is True  # the bound itself


def test_isclose_broadcasts_and_unites_layouts() -> None:
    algebra = Algebra(2)
    a = algebra.vector([[1, 0], [2, 0]])
    assert isclose(a, algebra.multivector({"e1": 1})).tolist() == [True, False]
    assert isclose(a[:, None], a).shape == (2, 2)
    assert isclose(a[:0], a[:0]).shape == (0,)
    with pytest.raises(SignatureMismatch):
        isclose(a, Algebra(1, 1).blade("e1"))
    with pytest.raises(LayoutError, match="expected a Multivector, got float"):
        isclose(a, 1.0)  # type: ignore[arg-type]
    nan = inverse(0 * a, on_error="nan")
    assert not np.any(isclose(nan, nan, absolute=1.0))


@pytest.mark.parametrize("name", EXACT)
def test_isclose_on_exact_numbers(name: str) -> None:
    algebra = Algebra(2, backend=name)
    a, b = algebra.vector(["1/3", 0]), algebra.vector(["1/3", "1/1000"])
    assert isclose(a, a) is True
    assert isclose(a, b) is False
    assert isclose(a, b, absolute=2e-3) is True
    assert isclose(a, b, absolute=0.5e-3) is False
    assert isclose(a, b, relative=0.01) is True


def test_isclose_on_symbols() -> None:
    x = sympy.Symbol("x")
    a = Algebra(2, backend="sympy").vector([(x + 1) ** 2, 0])
    b = Algebra(2, backend="sympy").vector([x**2 + 2 * x + 1, 0])
    assert isclose(a, b) is True
    with pytest.raises(NotSupported):
        isclose(a, b, absolute=1.0)
    y, _ = flint.fmpq_mpoly_ctx.get(["y", "z"], "lex").gens()
    c = Algebra(2, backend="flint").vector([y, 0])
    assert isclose(c, c) is True
    with pytest.raises(NotSupported):
        isclose(c, 2 * c, relative=1.0)


def test_involute_of_the_versor_is_what_the_action_uses(rng: np.random.Generator) -> None:
    algebra = Algebra(1, 2)
    v, x = algebra.random.vector(rng), algebra.random.multivector(rng)
    expected = geometric_product(geometric_product(involute(v), x), inverse(v))
    assert versor_action(v, x) == expected
