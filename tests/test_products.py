"""Every product against an oracle that shares no code with the library: words of generators.

A blade is a tuple of generator indices.  A product of two blades is the concatenated word, sorted
by exchanging neighbours (each exchange changes the sign) and contracting equal neighbours to their
square.  Grades come from the lengths of the sorted words.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import BACKENDS, algebra_and_multivectors, algebra_and_vectors, small_rationals

import geomlin
from geomlin import (
    Algebra,
    LayoutError,
    Multivector,
    NotInvertible,
    SignatureMismatch,
    anticommutator,
    commutator,
    complement,
    conjugate,
    dual,
    even,
    geometric_product,
    grade,
    involute,
    left_contraction,
    odd,
    outer_product,
    regressive_product,
    reverse,
    right_contraction,
    scalar_product,
    undual,
)

Word = tuple[int, ...]

PRODUCTS = [
    "geometric_product",
    "outer_product",
    "left_contraction",
    "right_contraction",
    "scalar_product",
    "commutator",
    "anticommutator",
    "regressive_product",
]

ALL_SMALL = [(p, q, r) for p, q, r in product(range(5), repeat=3) if 1 <= p + q + r <= 4]
SAMPLES = [(5, 0, 0), (3, 1, 1), (1, 2, 2), (0, 6, 0), (3, 3, 0), (4, 1, 1), (2, 2, 2)]


# --- the oracle ---------------------------------------------------------------------------------


def sorted_word(word: Word, squares: Word) -> tuple[int, Word]:
    """Sign (or 0) and sorted word of a product of generators, by bubble sort."""
    letters, sign, i = list(word), 1, 0
    while i + 1 < len(letters):
        if letters[i] == letters[i + 1]:
            sign *= squares[letters[i] - 1]
            del letters[i : i + 2]
            i = max(i - 1, 0)
        elif letters[i] > letters[i + 1]:
            letters[i], letters[i + 1] = letters[i + 1], letters[i]
            sign = -sign
            i = max(i - 1, 0)
        else:
            i += 1
    return sign, tuple(letters)


def words(n: int) -> list[Word]:
    return [c for k in range(n + 1) for c in combinations(range(1, n + 1), k)]


def oracle_geometric(s: Word, t: Word, squares: Word) -> dict[Word, Fraction]:
    sign, word = sorted_word(s + t, squares)
    return {word: Fraction(sign)} if sign else {}


def oracle_complement(s: Word, n: int) -> tuple[int, Word]:
    """Sign and word with e_S e_S' = e_(1..n): all letters differ, so no square is used."""
    rest = tuple(i for i in range(1, n + 1) if i not in s)
    sign, _ = sorted_word(s + rest, (1,) * n)
    return sign, rest


def oracle(name: str, s: Word, t: Word, squares: Word) -> dict[Word, Fraction]:
    """The product of two basis blades, as a mapping of words to numbers."""
    n = len(squares)
    if name in ("commutator", "anticommutator"):
        sign = -1 if name == "commutator" else 1
        total: dict[Word, Fraction] = defaultdict(Fraction)
        for factor, (a, b) in ((1, (s, t)), (sign, (t, s))):
            for word, value in oracle_geometric(a, b, squares).items():
                total[word] += Fraction(factor, 2) * value
        return {word: value for word, value in total.items() if value}
    if name == "regressive_product":
        (sign_s, rest_s), (sign_t, rest_t) = oracle_complement(s, n), oracle_complement(t, n)
        sign, meet = sorted_word(rest_s + rest_t, (0,) * n)
        if not sign:
            return {}
        inverse_sign, word = next(
            (oracle_complement(w, n)[0], w) for w in words(n) if oracle_complement(w, n)[1] == meet
        )
        return {word: Fraction(sign_s * sign_t * sign * inverse_sign)}
    wanted = {
        "geometric_product": lambda k: True,
        "outer_product": lambda k: k == len(s) + len(t),
        "left_contraction": lambda k: k == len(t) - len(s),
        "right_contraction": lambda k: k == len(s) - len(t),
        "scalar_product": lambda k: k == 0,
    }[name]
    return {w: v for w, v in oracle_geometric(s, t, squares).items() if wanted(len(w))}


def blade_name(word: Word, n: int) -> str:
    if not word:
        return "1"
    return "e" + ("_" if n >= 10 and len(word) > 1 else "").join(map(str, word))


def test_the_oracle_on_results_known_by_hand() -> None:
    assert sorted_word((2, 1), (1, 1)) == (-1, (1, 2))
    assert sorted_word((1, 2, 1), (1, -1)) == (-1, (2,))
    assert sorted_word((3, 1, 3), (1, 1, 0)) == (0, (1,))
    assert sorted_word((1, 2, 3, 1, 2, 3), (1, 1, 1)) == (-1, ())  # I^2 = -1 in Cl(3)
    assert sorted_word((1, 2, 3, 1, 2, 3), (-1, -1, -1)) == (1, ())
    assert oracle("regressive_product", (1, 2), (1, 3), (1, 1, 1)) == {(1,): 1}
    assert oracle("commutator", (1, 2), (2, 3), (1, 1, 1)) == {(1, 3): 1}


# --- all pairs of blades ------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("space", ALL_SMALL, ids=str)
def test_all_pairs_of_blades(name: str, space: tuple[int, int, int]) -> None:
    """All 4^n pairs at once: the left blades are a batch axis, the right blades another."""
    algebra = Algebra(*space)
    n, squares = algebra.n, algebra.metric
    everything = words(n)
    blades = algebra.multivector(np.eye(2**n))
    found = getattr(geomlin, name)(blades[:, None], blades[None, :]).to_dense()
    expected = np.zeros((2**n, 2**n, 2**n))
    for i, s in enumerate(everything):
        for j, t in enumerate(everything):
            for word, value in oracle(name, s, t, squares).items():
                expected[i, j, everything.index(word)] = value
    assert (found == expected).all()


@pytest.mark.parametrize("space", SAMPLES, ids=str)
def test_sampled_pairs_in_five_and_six_dimensions(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Blade by blade, in the smallest layouts and over rationals: another path than above."""
    algebra = Algebra(*space, backend="fractions")
    n, squares = algebra.n, algebra.metric
    everything = words(n)
    for i, j in rng.integers(0, 2**n, size=(60, 2)):
        s, t = everything[i], everything[j]
        a, b = algebra.blade(blade_name(s, n)), algebra.blade(blade_name(t, n))
        for name in PRODUCTS:
            expected = {blade_name(w, n): v for w, v in oracle(name, s, t, squares).items()}
            assert getattr(geomlin, name)(a, b).as_dict() == expected, (name, s, t)


@pytest.mark.parametrize("space", [(12, 0, 0), (4, 4, 4), (10, 1, 0)], ids=str)
def test_spot_checks_in_twelve_dimensions(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    algebra = Algebra(*space)
    n, squares = algebra.n, algebra.metric
    for _ in range(25):
        s, t = (
            tuple(int(i) for i in np.flatnonzero(rng.integers(0, 2, size=n)) + 1) for _ in range(2)
        )
        a, b = algebra.blade(blade_name(s, n)), algebra.blade(blade_name(t, n))
        small = [
            algebra.multivector([1], layout=[blade_name(s, n)]),
            algebra.multivector([1], layout=[blade_name(t, n)]),
        ]
        for name in PRODUCTS[:-1]:
            expected = {blade_name(w, n): v for w, v in oracle(name, s, t, squares).items()}
            assert getattr(geomlin, name)(*small).as_dict() == expected, (name, s, t)
        if len(s) <= 2:
            expected = {blade_name(w, n): v for w, v in oracle_geometric(s, t, squares).items()}
            assert (a * b).as_dict() == expected


def test_blocked_sums_agree_with_whole_ones() -> None:
    """A batch large enough that the numpy backend cuts the product table into blocks."""
    algebra = Algebra(5)
    rng = np.random.default_rng(3)
    values = rng.integers(-4, 5, size=(2, 6000, 32)).astype(float)
    a, b = algebra.multivector(values[0]), algebra.multivector(values[1])
    found = a * b
    for i in (0, 1, 2999, 5999):
        assert found[i] == a[i] * b[i]  # small integers: no rounding


# --- batches and layouts ------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRODUCTS)
def test_batches_are_the_singles(name: str, rng: np.random.Generator) -> None:
    algebra, function = Algebra(2, 1, 1), getattr(geomlin, name)
    a = algebra.multivector(rng.integers(-3, 4, size=(3, 1, 16)))
    b = algebra.vector(rng.integers(-3, 4, size=(5, 4)))
    found = function(a, b)
    assert found.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            assert found[i, j] == function(a[i, 0], b[j])
    assert function(a[:0], b[:, None, None]).shape == (5, 0, 1)


@pytest.mark.parametrize("name", PRODUCTS)
@given(operands=algebra_and_multivectors(2))
def test_result_does_not_depend_on_the_layouts(
    name: str, operands: tuple[Multivector, Multivector]
) -> None:
    """Sparse, even and full storage of the same elements."""
    a, b = operands
    algebra, function = a.algebra, getattr(geomlin, name)
    full_a, full_b = algebra.multivector(a.to_dense()), algebra.multivector(b.to_dense())
    assert function(a, b) == function(full_a, full_b)
    assert function(a, full_b) == function(full_a, b)


def test_sums_have_the_union_of_the_layouts() -> None:
    algebra = Algebra(3)
    a, b = algebra.vector([1, 2, 3]), algebra.even([4, 5, 6, 7])
    assert (a + b).layout.size == 7
    assert (a + b).as_dict() == {"1": 4, "e1": 1, "e2": 2, "e3": 3, "e12": 5, "e13": 6, "e23": 7}
    assert (a + b) - b == a
    assert (1 + a).layout.names == ("1", "e1", "e2", "e3")


def test_products_store_only_what_can_occur() -> None:
    algebra = Algebra(4)
    v, b = algebra.basis_vectors[0], algebra.bivector(np.ones(6))
    assert (v * b).layout.grades == (1, 3)
    assert (v ^ b).layout.grades == (3,)
    assert left_contraction(v, b).layout.grades == (1,)
    assert left_contraction(b, v).layout.size == 0
    assert scalar_product(v, b).layout.grades == (0,)  # always a scalar, here 0
    assert scalar_product(v, b)["1"] == 0


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_refuse_other_algebras_and_shapes(name: str) -> None:
    function = getattr(geomlin, name)
    a = Algebra(2).vector(np.ones((3, 2)))
    with pytest.raises(SignatureMismatch, match=r"Cl\(2\) and Cl\(1,1\)"):
        function(a, Algebra(1, 1).blade("e1"))
    with pytest.raises(SignatureMismatch, match=r"A.to"):
        function(a, Algebra(2, backend="flint").blade("e1"))
    with pytest.raises(LayoutError, match="broadcast"):
        function(a, a[:2])
    for other in (2, 1.5, np.ones(3), None, "e1"):
        with pytest.raises(LayoutError, match="expected a Multivector, got"):
            function(a, other)


# --- laws over the rationals --------------------------------------------------------------------


@given(algebra_and_multivectors(3))
def test_ring_laws(triple: tuple[Multivector, ...]) -> None:
    a, b, c = triple
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert (a + b) * c == a * c + b * c
    assert 1 * a == a * 1 == a
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert (a ^ b) ^ c == a ^ (b ^ c)


@given(algebra_and_multivectors(2))
def test_involutions(pair: tuple[Multivector, Multivector]) -> None:
    a, b = pair
    assert reverse(a * b) == reverse(b) * reverse(a)
    assert involute(a * b) == involute(a) * involute(b)
    assert conjugate(a * b) == conjugate(b) * conjugate(a)
    assert conjugate(a) == reverse(involute(a)) == involute(reverse(a))
    for involution in (reverse, involute, conjugate):
        assert involution(involution(a)) == a
        assert involution(a).layout is a.layout
    assert ~a == reverse(a)
    assert even(a) == (a + involute(a)) / 2
    assert odd(a) == (a - involute(a)) / 2


@given(algebra_and_vectors(3))
def test_vectors(triple: tuple[Multivector, ...]) -> None:
    a, b, c = triple
    assert (a * a).grade(0) == a * a
    assert anticommutator(a, b) == scalar_product(a, b)
    assert a * b == scalar_product(a, b) + (a ^ b)
    assert a ^ b == -(b ^ a)
    assert reverse(a * b * c) == c * b * a
    assert left_contraction(a, b ^ c) == scalar_product(a, b) * c - scalar_product(a, c) * b


@given(algebra_and_multivectors(3))
def test_contractions_and_grades(triple: tuple[Multivector, ...]) -> None:
    a, b, c = triple
    n = a.algebra.n
    assert left_contraction(a ^ b, c) == left_contraction(a, left_contraction(b, c))
    assert right_contraction(a, b) == reverse(left_contraction(reverse(b), reverse(a)))
    assert scalar_product(a, b) == scalar_product(b, a) == (a * b).grade(0)
    assert commutator(a, b) == (a * b - b * a) / 2
    assert anticommutator(a, b) == (a * b + b * a) / 2
    assert sum((grade(a, k) for k in range(n + 1)), start=0 * a) == a
    assert commutator(a, b * c) == commutator(a, b) * c + b * commutator(a, c)


@given(algebra_and_multivectors(3))
def test_complement_and_regressive_product(triple: tuple[Multivector, ...]) -> None:
    a, b, c = triple
    vee, n = regressive_product, a.algebra.n
    assert complement(vee(a, b)) == complement(a) ^ complement(b)
    assert vee(vee(a, b), c) == vee(a, vee(b, c))
    assert vee(a.algebra.pseudoscalar, a) == a == vee(a, a.algebra.pseudoscalar)
    signs = {k: (-1) ** (k * (n - k)) for k in range(n + 1)}
    twice = complement(complement(a))
    assert all(twice.grade(k) == signs[k] * a.grade(k) for k in range(n + 1))


def test_complement_of_every_blade_and_the_metric_free_meet() -> None:
    """In odd dimensions the left complement is the same; in even ones it is not."""
    for space in [(3, 0, 0), (0, 3, 0), (2, 0, 1), (0, 0, 3), (2, 0, 0), (1, 1, 2), (0, 4, 0)]:
        algebra = Algebra(*space)
        for name in algebra.blades:
            blade = algebra.blade(name)
            assert blade ^ complement(blade) == algebra.pseudoscalar
    for space in [(3, 0, 0), (0, 3, 0), (2, 0, 1), (0, 0, 3)]:
        algebra = Algebra(*space)
        e12, e13 = algebra.blade("e12"), algebra.blade("e13")
        assert regressive_product(e12, e13) == algebra.blade("e1")  # in every metric
    pga = Algebra(2, 0, 1)  # complement(e2) = -e13: e2 e1 e3 = -e123
    assert complement(pga.blade("e2")) == -pga.blade("e13")


@given(algebra_and_multivectors(2))
def test_dual(pair: tuple[Multivector, Multivector]) -> None:
    a, b = pair
    if a.algebra.signature.r:
        for function in (dual, undual):
            with pytest.raises(NotInvertible, match="complement"):
                function(a)
        return
    i = a.algebra.pseudoscalar
    assert dual(a) * i == a
    assert undual(dual(a)) == dual(undual(a)) == a
    assert dual(a ^ b) == left_contraction(a, dual(b))


def test_dual_keeps_float32_and_the_sign_convention() -> None:
    e1 = Algebra(3).vector([1, 0, 0], dtype=np.float32)
    assert dual(e1).dtype == undual(e1).dtype == np.float32
    assert dual(e1) == -Algebra(3).blade("e23").to(dtype=np.float32)  # others have +e23


def test_grade_projection_and_its_errors() -> None:
    algebra = Algebra(3)
    a = algebra.multivector(np.arange(8))
    assert grade(a, 2).layout is algebra.blade("e12").layout
    assert a.grade(np.int64(1)).as_dict() == {"e1": 1, "e2": 2, "e3": 3}
    for k in (-1, 4, 1.0, "2", None, True):
        with pytest.raises(LayoutError, match="a grade from 0 to 3"):
            grade(a, k)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", BACKENDS)
def test_backends_agree(name: str, rng: np.random.Generator) -> None:
    values = rng.integers(-5, 6, size=(2, 16)).tolist()
    algebra = Algebra(2, 1, 1, backend=name)
    reference = Algebra(2, 1, 1)
    a, b = algebra.multivector(values[0]), algebra.multivector(values[1])
    x, y = reference.multivector(values[0]), reference.multivector(values[1])
    for product_name in PRODUCTS:
        function: Any = getattr(geomlin, product_name)
        assert function(a, b).to(backend="numpy") == function(x, y), product_name


def test_float_product_error_bound(rng: np.random.Generator) -> None:
    """The documented 2^n eps sum |A_S B_T|, against exact rationals, with cancelling terms."""
    for space in [(4, 0, 0), (2, 2, 0), (3, 1, 1)]:
        algebra = Algebra(*space)
        n, eps = algebra.n, np.finfo(np.float64).eps
        scales = 10.0 ** rng.integers(-8, 9, size=2**n)
        a = algebra.multivector(rng.normal(size=2**n) * scales)
        b = algebra.multivector(rng.normal(size=2**n) / scales)
        exact = geometric_product(a.to(backend="fractions"), b.to(backend="fractions"))
        error = np.abs((a * b).to(backend="fractions").coeffs - exact.coeffs).astype(float)
        sizes = np.abs(a.coeffs)[:, None] * np.abs(b.coeffs)
        assert (error <= 2**n * eps * sizes.sum()).all()
        assert error.max() > 0  # the inputs do round


@given(small_rationals, algebra_and_multivectors(1))
def test_scalars_commute(s: Fraction, single: tuple[Multivector]) -> None:
    (a,) = single
    assert s * a == a * s == outer_product(a.algebra.scalar(s), a)
