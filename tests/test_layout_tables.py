"""Layouts are interned sets of blades; product tables select terms of the geometric product."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import layouts

from geomlin import LayoutError, UnknownBlade
from geomlin.blades import grade_of, reorder_sign
from geomlin.layout import (
    even_layout,
    full_layout,
    grade_layout,
    layout_of,
    named_layout,
)
from geomlin.tables import SELECTION, grade_signs, product_table

METRIC = (1, -1, 0, 1)


def test_equal_layouts_are_the_same_object() -> None:
    assert layout_of(3, [3, 5]) is layout_of(3, (5, 3, 5))
    assert layout_of(3, range(8)) is full_layout(3)
    assert layout_of(4, [0, 3, 5, 6, 9, 10, 12, 15]) is even_layout(4)
    assert layout_of(3, [1]) is not layout_of(4, [1])


def test_interning_survives_thousands_of_other_layouts() -> None:
    """A bounded cache would forget the first one, and a second object would take its place."""
    first = layout_of(12, [1, 2, 4])
    others = {layout_of(12, pair) for pair in combinations(range(120), 2)}
    assert len(others) == 7140
    assert layout_of(12, [4, 2, 1]) is first


def test_pickle_keeps_the_identity() -> None:
    layout = layout_of(5, [1, 30])
    assert pickle.loads(pickle.dumps(layout)) is layout


@given(st.data())
def test_union_and_membership(data: st.DataObject) -> None:
    a, b = data.draw(layouts(4)), data.draw(layouts(4))
    union = a | b
    assert set(union.masks) == set(a.masks) | set(b.masks)
    assert union is b | a
    assert a | a is a
    assert all((mask in union) == (mask in a or mask in b) for mask in range(16))
    assert len(union) == union.size == len(union.names)


@given(st.data())
def test_layouts_are_in_blade_order(data: st.DataObject) -> None:
    layout = data.draw(layouts(4))
    full = full_layout(4).masks
    places = [full.index(mask) for mask in layout.masks]
    assert places == sorted(places)
    assert layout.grades == tuple(sorted({grade_of(mask) for mask in layout.masks}))
    assert [layout.position[mask] for mask in layout.masks] == list(range(layout.size))


def test_named_layouts() -> None:
    assert named_layout(3, ["e23", "1"]).names == ("1", "e23")
    assert named_layout(3, []).size == 0
    assert grade_layout(3, 4).size == 0
    with pytest.raises(LayoutError, match="each blade once"):
        named_layout(3, ["e1", "e1"])
    with pytest.raises(UnknownBlade):
        named_layout(3, ["e1", "e31"])


@pytest.mark.parametrize(
    ("n", "kinds"),
    [(1, ["scalar", "vector"]), (2, ["scalar", "vector", "bivector"])],
)
def test_kind_names_the_constructor(n: int, kinds: list[str]) -> None:
    """In one dimension the even layout is the scalar one, and there is no bivector."""
    assert [grade_layout(n, k).kind for k in range(n + 1)] == kinds
    assert even_layout(n).kind == ("scalar" if n == 1 else "even")
    assert full_layout(n).kind == "multivector"
    assert layout_of(3, [1, 3]).kind == "explicit"


def entries(name: str, left: list[int], right: list[int]) -> dict[tuple[int, int], tuple[int, int]]:
    """(S, T) -> (target mask, coefficient), read back from the table of two explicit layouts."""
    a, b = layout_of(4, left), layout_of(4, right)
    table = product_table(name, METRIC, a, b)
    rows = zip(table.out, table.left, table.right, table.sign, strict=True)
    return {
        (a.masks[i], b.masks[j]): (table.layout.masks[k], int(value)) for k, i, j, value in rows
    }


RULES = {
    "geometric_product": lambda r, s, k: True,
    "outer_product": lambda r, s, k: k == r + s,
    "left_contraction": lambda r, s, k: k == s - r,
    "right_contraction": lambda r, s, k: k == r - s,
    "scalar_product": lambda r, s, k: k == 0,
}


@pytest.mark.parametrize("name", RULES)
def test_tables_against_the_grades(name: str) -> None:
    """Selection by blade sets is selection by grades, term by term."""
    everything = list(range(16))
    found = entries(name, everything, everything)
    product = entries("geometric_product", everything, everything)
    expected = {
        (s, t): value
        for (s, t), value in product.items()
        if RULES[name](grade_of(s), grade_of(t), grade_of(value[0]))
    }
    assert found == expected


def test_commutator_and_anticommutator_share_the_product() -> None:
    everything = list(range(16))
    product = entries("geometric_product", everything, everything)
    minus = entries("commutator", everything, everything)
    plus = entries("anticommutator", everything, everything)
    assert not minus.keys() & plus.keys()
    assert minus | plus == product
    for s, t in minus:
        assert product[t, s] == (product[s, t][0], -product[s, t][1])
    for s, t in plus:
        assert product[t, s] == product[s, t]


def test_geometric_table_entry_by_entry() -> None:
    everything = list(range(16))
    found = entries("geometric_product", everything, everything)
    for s in everything:
        for t in everything:
            squares = [METRIC[i] for i in range(4) if s & t & 1 << i]
            value = reorder_sign(s, t) * int(np.prod(squares))
            assert found.get((s, t), (s ^ t, 0)) == (s ^ t, value)


def test_result_layout_does_not_depend_on_the_metric() -> None:
    """e3 e3 = 0 in METRIC, but the scalar is stored: types depend on layouts, not on values."""
    null = layout_of(4, [4])
    table = product_table("geometric_product", METRIC, null, null)
    assert table.layout.masks == (0,)
    assert table.sign.size == 0
    symbolic = product_table("geometric_product", None, null, null)
    assert (symbolic.sign.tolist(), symbolic.common.tolist()) == ([1], [4])


@pytest.mark.parametrize("name", SELECTION)
def test_empty_layouts_have_empty_tables(name: str) -> None:
    table = product_table(name, METRIC, layout_of(4, []), full_layout(4))
    assert (table.layout.size, table.out.size) == (0, 0)


def test_entries_are_sorted_by_output_in_segments() -> None:
    table = product_table("geometric_product", METRIC, full_layout(4), full_layout(4))
    targets, starts = table.segments
    assert (np.diff(table.out) >= 0).all()
    assert table.out[starts].tolist() == targets.tolist()


def test_positions_of_the_largest_dimension_fit_the_short_integers() -> None:
    table = product_table("outer_product", (1,) * 12, full_layout(12), grade_layout(12, 11))
    assert table.left.max() == 12  # the scalar and the twelve vectors
    assert table.layout.masks[table.out.max()] == 4095
    assert table.out.dtype == np.int16
    assert table.out.min() >= 0


def test_grade_signs() -> None:
    layout = full_layout(4)
    signs = {rule: grade_signs(layout, rule) for rule in ("reverse", "involute", "conjugate")}
    by_grade = {
        rule: [int(s[layout.grade_array == k][0]) for k in range(5)] for rule, s in signs.items()
    }
    assert by_grade == {
        "reverse": [1, 1, -1, -1, 1],
        "involute": [1, -1, 1, -1, 1],
        "conjugate": [1, -1, -1, 1, 1],
    }
    assert (signs["reverse"] * signs["involute"] == signs["conjugate"]).all()
