"""Arguments of the wrong kind have named errors, whichever way they are passed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import geomlin
from geomlin import (
    Algebra,
    DtypeError,
    LayoutError,
    NotInvertible,
    NotOrthogonal,
    exp,
    geometric_product,
    inverse,
    is_rotor,
    is_simple,
    is_versor,
    isclose,
    lift_path,
    normalize,
    project,
    reflect,
    reject,
    rotor_from_matrix,
    rotor_to_matrix,
    versor_factorization,
)

ALGEBRA = Algebra(3)
E1, E2, E3 = ALGEBRA.basis_vectors
ROTOR = exp(ALGEBRA.bivector([0.1, 0.2, 0.3]))

# --- tolerances ---------------------------------------------------------------------------------

WITH_TOLERANCE: dict[str, Callable[[Any], Any]] = {
    "is_simple": lambda t: is_simple(E1 ^ E2, tolerance=t),
    "is_versor": lambda t: is_versor(ROTOR, tolerance=t),
    "is_rotor": lambda t: is_rotor(ROTOR, tolerance=t),
    "isclose, relative": lambda t: isclose(ROTOR, ROTOR, relative=t),
    "isclose, absolute": lambda t: isclose(ROTOR, ROTOR, absolute=t),
    "inverse": lambda t: inverse(ROTOR, tolerance=t),
    "normalize": lambda t: normalize(ROTOR, tolerance=t),
    "rotor_to_matrix": lambda t: rotor_to_matrix(ROTOR, tolerance=t),
    "rotor_from_matrix": lambda t: rotor_from_matrix(np.eye(3), ALGEBRA, tolerance=t),
    "lift_path": lambda t: lift_path(np.stack([np.eye(3)] * 2), ALGEBRA, tolerance=t),
    "versor_factorization": lambda t: versor_factorization(ROTOR, tolerance=t),
    "rotor_from_matrix_jvp": lambda t: geomlin.derivatives.rotor_from_matrix_jvp(
        np.eye(3), np.zeros((3, 3)), ALGEBRA, tolerance=t
    ),
}
OPTIONAL = {"inverse", "normalize"}  # None is their default
with_tolerance = pytest.mark.parametrize("name", WITH_TOLERANCE)


@pytest.mark.parametrize(
    "value", ["1e-6", 1j, [1e-6], np.array([1e-6, 1e-6]), True, {}, object, None], ids=repr
)
@with_tolerance
def test_a_tolerance_is_a_real_number(name: str, value: Any) -> None:
    if value is None and name in OPTIONAL:
        WITH_TOLERANCE[name](value)
        return
    with pytest.raises(DtypeError, match="expected a real number for"):
        WITH_TOLERANCE[name](value)


@pytest.mark.parametrize("value", [-1e-6, np.nan, -np.inf])
@with_tolerance
def test_a_tolerance_is_not_negative(name: str, value: float) -> None:
    with pytest.raises(LayoutError, match=">= 0"):
        WITH_TOLERANCE[name](value)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(0.25), np.int64(0), Fraction(1, 2)], ids=repr)
@with_tolerance
def test_every_kind_of_real_number_will_do(name: str, value: Any) -> None:
    assert repr(WITH_TOLERANCE[name](value)) == repr(WITH_TOLERANCE[name](float(value)))


# --- operands by name ---------------------------------------------------------------------------


class Foreign:
    """Another library's element: it answers for every operation it meets."""

    def __geomlin_operation__(self, name: str, args: Any, kwargs: Any) -> Any:
        return name, args, kwargs


def test_operands_by_name_are_operands() -> None:
    B = ALGEBRA.bivector([1, 2, 3])
    assert exp(A=B) == exp(B)
    assert geometric_product(A=E1, B=E2) == geometric_product(E1, B=E2) == E1 * E2
    assert geometric_product(B=E1, A=E2) == E2 * E1
    assert is_rotor(R=ROTOR, tolerance=1e-6)
    other = Foreign()
    assert exp(A=other) == ("exp", (other,), {})  # type: ignore[arg-type]
    assert geometric_product(E1, B=other) == (  # type: ignore[arg-type]
        "geometric_product",
        (E1, other),
        {},
    )


@pytest.mark.parametrize("wrong", [1.0, np.eye(3), "e12", None], ids=repr)
def test_wrong_operands_by_name_are_named(wrong: Any) -> None:
    for call in (
        lambda: exp(A=wrong),
        lambda: exp(wrong),
        lambda: geometric_product(A=wrong, B=E1),
    ):
        with pytest.raises(LayoutError, match="expected a Multivector"):
            call()


def test_missing_and_repeated_operands_are_python_errors() -> None:
    for call in (
        lambda: exp(),  # type: ignore[call-arg]
        lambda: exp(E1, A=E1),  # type: ignore[call-arg]
        lambda: geometric_product(B=E1),  # type: ignore[call-arg]
        lambda: exp(E1 ^ E2, wrong=1),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError):
            call()


# --- masked arrays ------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["numpy", "fractions", "sympy"])
def test_masked_entries_are_refused(backend: str) -> None:
    values = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    algebra = Algebra(3, backend=backend)
    with pytest.raises(DtypeError, match=r"masked array with 1 masked.*filled"):
        algebra.vector(values)
    plain = algebra.vector(values.filled(0))
    assert plain == algebra.vector([1, 0, 3])
    unmasked = np.ma.masked_array([1.0, 2.0, 3.0])
    assert algebra.vector(unmasked) == algebra.vector([1, 2, 3])


def test_masked_matrices_and_factors_are_refused() -> None:
    matrix = np.ma.masked_array(np.eye(3), mask=np.eye(3) > 0)
    with pytest.raises(DtypeError, match="masked"):
        rotor_from_matrix(matrix, ALGEBRA)
    with pytest.raises(DtypeError, match="masked"):
        E1 * np.ma.masked_array([1.0, 2.0], mask=[True, False])


# --- reflect, project, reject -------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 6])
def test_reflections_are_in_vectors(n: int, rng: np.random.Generator) -> None:
    algebra = Algebra(n)
    a, x = algebra.random.vector(rng), algebra.random.multivector(rng)
    full = algebra.multivector(a.to_dense())  # other grades that are zero are no obstacle
    assert isclose(reflect(x, full), reflect(x, a), relative=1e-14)
    for wrong in (a * a, a ^ algebra.random.vector(rng), a + 1, algebra.pseudoscalar):
        with pytest.raises(LayoutError, match="expected a vector"):
            reflect(x, wrong)


@pytest.mark.parametrize("backend", ["numpy", "fractions"])
@pytest.mark.parametrize("function", [project, reject])
def test_subspaces_are_blades(function: Any, backend: str) -> None:
    algebra = Algebra(6, backend=backend)
    e = algebra.basis_vectors
    x = algebra.vector([1, 2, 3, 4, 5, 6])
    good = [e[0], e[0] ^ (e[1] + 2 * e[2]), e[0] ^ e[1] ^ e[2], algebra.pseudoscalar]
    good += [algebra.scalar(2), (e[0] ^ e[1] ^ e[2] ^ e[3]) + 0 * e[0]]
    for blade in good:
        total = project(x, blade) + reject(x, blade)
        assert isclose(total, x, absolute=1e-13) if backend == "numpy" else total == x
    wrong = [
        (e[0] ^ e[1]) + 2 * (e[2] ^ e[3]),  # homogeneous, invertible, no blade
        (e[0] ^ e[1] ^ e[2]) + 2 * (e[3] ^ e[4] ^ e[5]),
        e[0] + 2 * (e[1] ^ e[2]),  # two grades
        1 + 2 * (e[0] ^ e[1]),  # a versor of two grades
    ]
    for other in wrong:
        with pytest.raises(LayoutError, match="expected a blade"):
            function(x, other)


@pytest.mark.parametrize("function", [project, reject])
def test_the_batch_position_of_what_is_no_blade(function: Any, rng: np.random.Generator) -> None:
    algebra = Algebra(4)
    blades = algebra.random.vector(rng, (3,)) ^ algebra.random.vector(rng, (3,))
    function(algebra.random.vector(rng), blades)
    rows = np.array(blades.coeffs)
    rows[1] = algebra.random.bivector(rng).coeffs
    with pytest.raises(LayoutError, match=r"got 1 other.*\(1,\)"):
        function(algebra.random.vector(rng), algebra.bivector(rows))
    with pytest.raises(NotInvertible):
        function(algebra.random.vector(rng), 0 * blades)


# --- float16 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_float16_matrices_round_trip_at_the_default_tolerance(
    n: int, rng: np.random.Generator
) -> None:
    """Rounding to float16 alone breaks M^T M = 1 by more than 1e-4."""
    algebra, eps = Algebra(n), float(np.finfo(np.float16).eps)
    for rotor in algebra.random.rotor(rng, (20,)):
        matrix = rotor_to_matrix(rotor.to(dtype=np.float16))
        assert matrix.dtype == np.float16
        found = rotor_from_matrix(matrix, algebra)
        assert found.dtype == np.float16
        sign = np.sign((found.coeffs.astype(float) * rotor.coeffs).sum())
        assert np.abs(sign * found.coeffs - rotor.coeffs).max() <= 4 * n * eps
    with pytest.raises(NotOrthogonal):
        rotor_from_matrix((1.02 * np.eye(n)).astype(np.float16), algebra)
