"""Results have the grades that they must have: even stays even, and grades stay where they do.

Rounding leaves noise in the other coefficients where they are computed at all, and a layout that
depends on the numbers would change from batch to batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geomlin import (
    Algebra,
    Multivector,
    cayley,
    even,
    exp,
    inverse,
    log,
    normalize,
    odd,
    power,
    project,
    reflect,
    reject,
    rotor_between,
    slerp,
    sqrt,
    versor_action,
)

SIGNATURES = [
    (2, 0, 0),
    (3, 0, 0),
    (4, 0, 0),
    (5, 0, 0),
    (3, 1, 0),
    (2, 0, 1),
    (3, 0, 1),
    (6, 0, 0),
]
signatures = pytest.mark.parametrize("signature", SIGNATURES, ids=str)


def operands(signature: tuple[int, ...], rng: np.random.Generator) -> tuple[Multivector, ...]:
    """A rotor, a vector with v^2 != 0, and an element of both parities."""
    algebra = Algebra(*signature)
    rotor = exp(algebra.random.bivector(rng, scale=0.4))
    vector = algebra.vector([2.0, 0.5, *rng.uniform(-0.1, 0.1, size=algebra.n - 2)])
    return rotor, vector, 3 + algebra.random.multivector(rng, scale=0.1)


def noise(a: Multivector, part: Callable[[Multivector], Multivector]) -> Any:
    return np.abs(part(a).to_dense()).max()


@signatures
def test_inverses_have_the_parity_of_the_element(
    signature: tuple[int, ...], rng: np.random.Generator
) -> None:
    rotor, vector, mixed = operands(signature, rng)
    scaled = rotor + 0.3 * even(mixed)  # even, and no versor
    for a in (rotor, scaled, rotor * vector, odd(scaled * vector)):
        parity = odd if 0 in a.layout.grades else even  # the one that a does not have
        stored = a.algebra.multivector(a.to_dense())  # on all blades
        for element in (a, stored, a[None]):
            found = inverse(element)
            assert noise(found, parity) == 0
            assert np.allclose((found * a).to_dense()[..., 0], 1, atol=1e-12)
        assert set(inverse(a).layout.grades) <= set(parity_of(a))
    assert inverse(mixed).layout.size == 1 << sum(signature)
    assert noise(inverse(mixed), odd) > 0 < noise(inverse(mixed), even)  # the false twin


def parity_of(a: Multivector) -> range:
    return range(min(a.layout.grades) % 2, a.algebra.n + 1, 2)


def test_a_batch_of_parities_keeps_each() -> None:
    algebra = Algebra(4)
    a = algebra.multivector(np.zeros((3, 16)))
    rows = np.zeros((3, 16))
    rows[0, [0, 5, 15]] = [2.0, 0.5, 0.25]  # even
    rows[1, [1, 2, 11]] = [2.0, 0.5, 0.25]  # odd
    rows[2, [0, 1, 6]] = [2.0, 0.5, 0.25]
    a = algebra.multivector(rows)
    found = inverse(a)
    assert noise(found[0], odd) == noise(found[1], even) == 0
    assert noise(found[2], odd) > 0 < noise(found[2], even)


@pytest.mark.parametrize("backend", ["fractions", "flint", "sympy", "arb", "torch", "jax"])
def test_inverses_on_other_backends_too(backend: str) -> None:
    algebra = Algebra(4, backend=backend)
    a = algebra.even({"1": 2, "e12": 1, "e34": 3, "e1234": 1})
    assert inverse(a).layout is algebra.even([0] * 8).layout
    assert set(inverse(a * algebra.blade("e1")).layout.grades) == {1, 3}
    assert inverse(algebra.vector([1, 2, 3, 4])).layout.grades[0] == 1


def test_the_layout_does_not_depend_on_which_elements_fail() -> None:
    algebra = Algebra(1, 1)
    vectors = algebra.vector([[2.0, 1.0], [1.0, 1.0]])
    assert inverse(vectors, on_error="nan").layout is inverse(vectors[0]).layout


@signatures
def test_functions_of_rotors_are_even(signature: tuple[int, ...], rng: np.random.Generator) -> None:
    rotor, vector, mixed = operands(signature, rng)
    evens = rotor.algebra.even(np.zeros(1 << sum(signature) >> 1)).layout
    stored = rotor.algebra.multivector(rotor.to_dense())
    for r in (rotor, stored):
        for found in (sqrt(r), power(r, 0.3), slerp(r, ~r, 0.3), exp(log(r)), cayley(log(r))):
            assert found.layout is evens
    assert rotor_between(vector, vector + vector.algebra.blade("e2")).layout is evens
    assert exp(even(mixed)).layout is evens
    assert noise(exp(mixed), odd) > 0  # the false twin
    assert noise(normalize(stored), odd) == 0


@signatures
def test_projections_and_reflections_keep_grades(
    signature: tuple[int, ...], rng: np.random.Generator
) -> None:
    rotor, vector, _ = operands(signature, rng)
    algebra = rotor.algebra
    plane = vector ^ algebra.blade("e2")
    a = algebra.random.multivector(rng)
    for k in range(algebra.n + 1):
        part = a.grade(k)
        for function in (project, reject):
            for blade in (vector, plane):
                assert function(part, blade).layout is part.layout
                whole = function(a, blade).grade(k)  # by linearity
                assert np.allclose(whole.coeffs, function(part, blade).coeffs, atol=1e-12)
        assert reflect(part, vector).layout is part.layout
        assert set(versor_action(rotor, part).layout.grades) <= set(parity_of(part))
        stored = algebra.multivector((rotor * vector).to_dense())
        assert set(versor_action(stored, part).layout.grades) <= set(parity_of(part))
    x = algebra.random.vector(rng)
    assert np.allclose((project(x, plane) + reject(x, plane)).coeffs, x.coeffs, atol=1e-12)


@pytest.mark.parametrize("backend", ["fractions", "torch", "jax"])
def test_projections_on_other_backends(backend: str) -> None:
    algebra = Algebra(4, backend=backend)
    x, blade = algebra.vector([1, 2, 3, 4]), algebra.bivector({"e12": 2, "e13": 1})
    numpy = [a.to(backend="numpy") for a in (x, blade)]
    for function in (project, reject):
        found = function(x, blade)
        assert found.layout is x.layout
        expected = function(*numpy)
        assert np.allclose(found.to(backend="numpy").coeffs, expected.coeffs, atol=1e-6)
