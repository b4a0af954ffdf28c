"""Blades as bit masks, their names, their order, and signatures."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geomlin import Algebra, LayoutError, UnknownBlade
from geomlin.blades import (
    all_blades,
    blade_mask,
    blade_name,
    blades_of_grade,
    grade_of,
    indices_of,
    mask_of,
    reorder_sign,
)
from geomlin.signature import Signature, signature


def test_names_in_three_dimensions() -> None:
    assert Algebra(3).blades == ("1", "e1", "e2", "e3", "e12", "e13", "e23", "e123")


def test_bivector_order_is_lexicographic_not_by_mask() -> None:
    """In four dimensions e14 (mask 9) precedes e23 (mask 6)."""
    assert Algebra(4).bivector_blades == ("e12", "e13", "e14", "e23", "e24", "e34")


def test_separators_start_at_ten_dimensions() -> None:
    """e110 could be e1 e10 or e11 e0; so n >= 10 separates every blade of grade >= 2."""
    assert Algebra(9).bivector_blades[-1] == "e89"
    assert Algebra(10).bivector_blades[:2] == ("e1_2", "e1_3")
    assert Algebra(10).bivector_blades[-1] == "e9_10"
    assert Algebra(12).blades[-1] == "e1_2_3_4_5_6_7_8_9_10_11_12"
    assert Algebra(12).blades[12] == "e12"  # the twelfth vector, not a bivector


@pytest.mark.parametrize("n", range(1, 13))
def test_every_name_names_one_blade(n: int) -> None:
    masks = all_blades(n)
    assert sorted(masks) == list(range(2**n))
    names = [blade_name(mask, n) for mask in masks]
    assert [blade_mask(name, n) for name in names] == list(masks)
    assert len(set(names)) == 2**n


@pytest.mark.parametrize("n", range(1, 9))
def test_blade_order_is_grade_then_lexicographic(n: int) -> None:
    expected = [
        mask_of(chosen) for k in range(n + 1) for chosen in combinations(range(1, n + 1), k)
    ]
    assert list(all_blades(n)) == expected
    assert [len(blades_of_grade(n, k)) for k in (0, 1, n)] == [1, n, 1]


@pytest.mark.parametrize(
    ("name", "n", "why"),
    [
        ("e21", 3, "badly ordered: it would be -e12"),
        ("e9", 3, "beyond the dimension"),
        ("e0", 3, "indices start at one"),
        ("e11", 3, "repeated index"),
        ("e1_2", 9, "separated although n < 10"),
        ("e12", 10, "not separated although n >= 10"),
        ("e10_1", 10, "badly ordered and separated"),
        ("e01", 3, "leading zero"),
        ("e", 3, "no index"),
        ("", 3, "empty"),
        ("E12", 3, "capital letter"),
        ("e1 2", 3, "blank"),
        ("e₁₂", 3, "printed form, not a name"),
        ("e1e2", 3, "product notation"),
        ("scalar", 3, "the scalar is called 1"),
        (" e1", 3, "leading blank"),
    ],
)
def test_wrong_names_raise_and_say_what_a_name_is(name: str, n: int, why: str) -> None:
    algebra = Algebra(n)
    for use in (algebra.blade, algebra.pseudoscalar.__getitem__, lambda x: algebra.vector({x: 1})):
        with pytest.raises(UnknownBlade) as raised:
            use(name)
        message = str(raised.value)
        assert repr(name) in message, why
        assert f"dimension {n}" in message
        assert ("e1_2" if n >= 10 else "e12") in message


@pytest.mark.parametrize("name", [12, None, ("e1",), ["e1"], 1.0])
def test_names_that_are_no_strings_raise(name: object) -> None:
    with pytest.raises(UnknownBlade, match="expected '1' or 'e'"):
        Algebra(3).blade(name)  # type: ignore[arg-type]


def test_e12_is_a_vector_in_twelve_dimensions_and_a_bivector_in_nine() -> None:
    assert Algebra(12).blade("e12").layout.grades == (1,)
    assert Algebra(9).blade("e12").layout.grades == (2,)


@given(st.integers(0, 2**12 - 1))
def test_indices_and_mask_are_inverse(mask: int) -> None:
    assert mask_of(indices_of(mask)) == mask
    assert len(indices_of(mask)) == grade_of(mask)
    assert list(indices_of(mask)) == sorted(indices_of(mask))


@given(st.integers(0, 2**12 - 1), st.integers(0, 2**12 - 1))
def test_reorder_sign_counts_inversions(left: int, right: int) -> None:
    swaps = sum(i > j for i in indices_of(left) for j in indices_of(right))
    assert reorder_sign(left, right) == (-1) ** swaps


def test_signature_is_the_plain_tuple_with_names() -> None:
    found = signature(3, 0, 1)
    assert found == (3, 0, 1)
    assert (found.n, found.metric) == (4, (1, 1, 1, 0))
    assert signature(1, 2).metric == (1, -1, -1)
    assert [str(Signature(*s)) for s in [(3,), (1, 3), (3, 0, 1)]] == [
        "Cl(3)",
        "Cl(1,3)",
        "Cl(3,0,1)",
    ]


@pytest.mark.parametrize(
    ("space", "definite"),
    [
        ((3, 0, 0), True),
        ((0, 3, 0), True),
        ((1, 1, 0), False),
        ((3, 0, 1), False),
        ((0, 0, 2), False),
    ],
)
def test_definite(space: tuple[int, int, int], definite: bool) -> None:
    assert Signature(*space).is_definite is definite


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "1 <= p \\+ q \\+ r <= 12"),
        ((13,), "dimension 13"),
        ((5, 5, 3), "dimension 13"),
        ((-1, 3), "expected p, q, r >= 0"),
        ((2.0,), "p counts basis vectors"),
        ((3, "1"), "q counts basis vectors"),
        ((3, 0, None), "r counts basis vectors"),
        ((True,), "expected an integer"),
        (([3, 0, 1],), "expected an integer"),
    ],
)
def test_wrong_signatures_raise(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        Algebra(*arguments)  # type: ignore[arg-type]


def test_the_largest_dimensions_work() -> None:
    for space in [(12, 0, 0), (0, 12, 0), (0, 0, 12), (4, 4, 4)]:
        algebra = Algebra(*space)
        assert len(algebra.blades) == 4096
        e1, *_, e12 = algebra.basis_vectors
        assert e1 * e12 == -(e12 * e1)
        assert e1 * e1 == algebra.metric[0]
