"""Mismatched arguments of the derivatives: named errors, never those of the array library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geomlin import Algebra, exp, rotor_to_matrix
from geomlin import derivatives as d
from geomlin.errors import (
    DtypeError,
    LayoutError,
    NonFiniteInput,
    NotARotor,
    NotSupported,
    SignatureMismatch,
)

THREE, FOUR, SCREWS = Algebra(3), Algebra(4), Algebra(3, 0, 1)
B3, B4 = THREE.bivector([0.1, 0.2, 0.3]), FOUR.bivector([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
R3, R4, T4 = exp(B3), exp(B4), exp(SCREWS.bivector({"e14": 1.0}))
M3 = rotor_to_matrix(R3)

NAMES = {"ids": lambda x: getattr(x, "__name__", "")}
OF_TWO: list[tuple[Callable[..., Any], Any]] = [
    (d.exp_jvp, B3),
    (d.exp_vjp, B3),
    (d.log_jvp, R3),
    (d.log_vjp, R3),
    (d.rotor_to_matrix_jvp, R3),
    (d.decomposition_jvp, B3),
    (d.decomposition_vjp, B3),
]


@pytest.mark.parametrize(("function", "first"), OF_TWO, **NAMES)
@pytest.mark.parametrize("other", [B4, R4, T4], ids=["B4", "R4", "T4"])
def test_operands_of_two_algebras(function: Callable[..., Any], first: Any, other: Any) -> None:
    with pytest.raises((SignatureMismatch, LayoutError), match=r"expected .* got"):
        function(first, other)
    with pytest.raises((SignatureMismatch, LayoutError, NotARotor), match=r"expected .* got"):
        function(other, first)


@pytest.mark.parametrize(("function", "first"), OF_TWO, **NAMES)
@pytest.mark.parametrize("other", [np.ones(3), None, "x", 1.0], ids=str)
def test_operands_that_are_no_multivectors(
    function: Callable[..., Any], first: Any, other: Any
) -> None:
    with pytest.raises(LayoutError):
        function(first, other)
    with pytest.raises(LayoutError):
        function(other, first)


@pytest.mark.parametrize(
    ("function", "first"), OF_TWO[:-1], ids=lambda x: getattr(x, "__name__", "")
)
def test_batches_that_do_not_broadcast(function: Callable[..., Any], first: Any) -> None:
    def repeated(count: int) -> Any:
        return first.replace(first.layout, np.repeat(first.coeffs[None], count, axis=0))

    with pytest.raises(LayoutError, match="broadcast"):
        function(repeated(2), repeated(3))


@pytest.mark.parametrize(("function", "first"), OF_TWO, **NAMES)
def test_exact_numbers_have_no_derivative_here(function: Callable[..., Any], first: Any) -> None:
    exact = Algebra(3, backend="fractions").bivector([1, 2, 3])
    with pytest.raises((NotSupported, SignatureMismatch)):
        function(first, exact)


def test_known_logarithms_belong_to_the_rotor() -> None:
    assert d.log_jvp(R3, R3, B=B3).shape == ()
    for wrong in (B4, np.ones(3), R3):
        with pytest.raises((SignatureMismatch, LayoutError)):
            d.log_jvp(R3, R3, B=wrong)


@pytest.mark.parametrize(
    ("squares_bar", "error"),
    [
        (np.ones(3), LayoutError),
        (np.ones((2, 3)), LayoutError),
        (np.ones(1), LayoutError),
        ([1, [2]], LayoutError),
        ("x", DtypeError),
        (None, DtypeError),
        (np.array([1.0 + 1.0j, 0.0]), DtypeError),
        (np.array([np.nan, 0.0]), NonFiniteInput),
    ],
    ids=str,
)
def test_cotangents_of_the_squares(squares_bar: Any, error: type[Exception]) -> None:
    parts_bar = FOUR.bivector(np.zeros((2, 6)))
    for right in (0.0, [1.0, 2.0], np.ones((5, 2))):
        d.decomposition_vjp(B4, parts_bar, right)
    with pytest.raises(error):
        d.decomposition_vjp(B4, parts_bar, squares_bar)


def test_cotangents_of_the_parts_have_an_entry_for_each() -> None:
    for shape in ((6,), (3, 6), (1, 6)):
        with pytest.raises(LayoutError, match="one entry for each part"):
            d.decomposition_vjp(B4, FOUR.bivector(np.zeros(shape)))
    batch = FOUR.bivector(np.linspace(-1.0, 1.0, 30).reshape(5, 6))
    parts_bar = FOUR.bivector(np.zeros((5, 2, 6)))
    assert d.decomposition_vjp(batch, parts_bar, np.ones((5, 2))).shape == (5,)
    with pytest.raises(LayoutError, match="broadcast"):
        d.decomposition_vjp(batch, parts_bar, np.ones((3, 2)))


@pytest.mark.parametrize(
    "algebra", [None, "Cl(3)", (3, 0, 0), R3], ids=["None", "text", "tuple", "rotor"]
)
def test_what_is_no_algebra(algebra: Any) -> None:
    with pytest.raises(LayoutError, match="expected an Algebra"):
        d.rotor_from_matrix_jvp(M3, M3, algebra)
    with pytest.raises(LayoutError, match="expected an Algebra"):
        d.rotor_from_matrix_vjp(M3, R3, algebra)


def test_matrices_of_another_size_or_algebra() -> None:
    with pytest.raises(LayoutError):
        d.rotor_from_matrix_jvp(M3, M3, FOUR)
    with pytest.raises(LayoutError):
        d.rotor_from_matrix_jvp(M3, np.ones((4, 4)), THREE)
    with pytest.raises(SignatureMismatch):
        d.rotor_from_matrix_vjp(M3, R4, THREE)
    with pytest.raises(LayoutError):
        d.rotor_from_matrix_vjp(M3, np.ones(4), THREE)
    with pytest.raises(LayoutError):
        d.rotor_to_matrix_vjp(R3, np.ones((4, 4)))
    with pytest.raises(NotSupported):
        d.rotor_from_matrix_jvp(np.eye(4), np.eye(4), Algebra(2, 0, 2))
