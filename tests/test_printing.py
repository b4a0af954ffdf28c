"""repr is code that rebuilds the value; str is for people; LaTeX is for notebooks."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from strategies import BACKENDS, layouts, small_rationals

from geomlin import Algebra, Multivector
from geomlin.layout import even_layout, full_layout, grade_layout


def rebuilt(a: Multivector) -> Multivector:
    found = eval(repr(a), {"Algebra": Algebra})
    assert isinstance(found, Multivector)
    return found


# --- repr ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("space", [(1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 0, 1), (1, 1, 1)], ids=str)
@given(data=st.data())
def test_repr_round_trips(name: str, space: tuple[int, int, int], data: st.DataObject) -> None:
    algebra = Algebra(*space, backend=name)
    layout = data.draw(layouts(algebra.n))
    shape = data.draw(st.sampled_from([(), (2,), (1, 2)]))
    count = int(np.prod(shape)) * layout.size
    values = np.empty(count, dtype=object)
    values[:] = data.draw(st.lists(small_rationals, min_size=count, max_size=count))
    nested = values.reshape(*shape, layout.size).tolist()
    given_values = np.array(nested, dtype=float) if name == "numpy" else nested
    a = algebra.multivector(given_values, layout=layout.names)
    again = rebuilt(a)
    assert again == a
    assert again.layout is a.layout
    assert again.algebra == a.algebra


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_repr_keeps_dtype_and_every_bit(dtype: Any, rng: np.random.Generator) -> None:
    bits = rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize) - 1, size=400, dtype=np.uint64)
    patterns = bits.astype(f"u{np.dtype(dtype).itemsize}").view(dtype)
    patterns = patterns[np.isfinite(patterns)][:300].reshape(-1, 3)
    a = Algebra(3).vector(patterns)
    again = rebuilt(a)
    assert again.dtype == dtype
    assert (again.coeffs.view(np.uint8) == a.coeffs.view(np.uint8)).all()  # negative zeros too


@pytest.mark.parametrize(
    ("a", "code"),
    [
        (Algebra(2).scalar(1), "Algebra(2).scalar(1.0)"),
        (Algebra(2).scalar([1, 2]), "Algebra(2).scalar([1.0, 2.0])"),
        (Algebra(1, 3).vector([1, 0, 0, 0]), "Algebra(1, 3).vector([1.0, 0.0, 0.0, 0.0])"),
        (Algebra(2, 0, 1).bivector([1, 2, 3]), "Algebra(2, 0, 1).bivector([1.0, 2.0, 3.0])"),
        (Algebra(2).even([1, 2]), "Algebra(2).even([1.0, 2.0])"),
        (Algebra(1).multivector([1, 2]), "Algebra(1).multivector([1.0, 2.0])"),
        (
            Algebra(2).multivector([1, 1], layout=["e12", "e1"]),
            "Algebra(2).multivector([1.0, 1.0], layout=['e1', 'e12'])",
        ),
        (
            Algebra(2).vector([1, 2], dtype=np.float32),
            "Algebra(2).vector([1.0, 2.0], dtype='float32')",
        ),
        (
            Algebra(2, backend="flint").vector(["1/3", 0]),
            "Algebra(2, backend=\"flint\").vector(['1/3', '0'])",
        ),
        (Algebra(1).blade("e1") ^ Algebra(1).blade("e1"), "Algebra(1).multivector([], layout=[])"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_repr_is_the_shortest_constructor(a: Multivector, code: str) -> None:
    assert repr(a) == code


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_repr_of_every_standard_layout(n: int) -> None:
    algebra = Algebra(n)
    kinds = {
        "scalar": grade_layout(n, 0),
        "vector": grade_layout(n, 1),
        "bivector": grade_layout(n, 2),
        "even": even_layout(n),
        "multivector": full_layout(n),
    }
    for layout in kinds.values():
        a = algebra.multivector(np.arange(1.0, layout.size + 1), layout=layout.names)
        assert rebuilt(a) == a
        assert rebuilt(a).layout is layout


def test_symbols_keep_their_assumptions() -> None:
    """Symbol("x") and Symbol("x", real=True) differ; so do E the constant and E the name."""
    x, y = sympy.Symbol("x", real=True), sympy.Symbol("y")
    names = [sympy.Symbol(n) for n in ("E", "pi", "lambda", "two words", "e_1")]
    a = Algebra(3, backend="sympy").multivector(
        [x**2 - y / 3, sympy.exp(x) + sympy.E, sympy.sqrt(2) * sympy.pi, *names]
    )
    again = rebuilt(a)
    assert again.coeffs.tolist() == a.coeffs.tolist()
    assert again["1"].free_symbols == {x, y}


def test_polynomials_and_long_batches_are_summaries() -> None:
    x, _ = flint.fmpq_mpoly_ctx.get(["x", "e"], "lex").gens()
    a = Algebra(2, backend="flint").vector([x, 1])
    assert repr(a) == '<Multivector of Algebra(2, backend="flint"): x e₁ + e₂>'
    assert rebuilt(Algebra(2, backend="flint").vector([0 * x, 1 + 0 * x])) == Algebra(
        2, backend="flint"
    ).vector([0, 1])
    long = Algebra(2).vector(np.ones((3000, 2)))
    assert repr(long) == "<Multivector of Algebra(2), vector, batch shape (3000,)>"
    empty = Algebra(2).vector(np.ones((0, 2)))
    assert repr(empty) == "<Multivector of Algebra(2), vector, batch shape (0,)>"


def test_repr_of_the_algebra() -> None:
    for algebra in (
        Algebra(3),
        Algebra(1, 3),
        Algebra(0, 2),
        Algebra(2, 0, 1),
        Algebra(2, backend="sympy"),
    ):
        assert eval(repr(algebra)) == algebra
    assert repr(Algebra(3, 0, 1)) == "Algebra(3, 0, 1)"
    assert str(Algebra(3, 0, 1)) == "Cl(3,0,1)"
    assert str(Algebra(2, backend="flint")) == "Cl(2) over flint"


# --- str ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"1": 1, "e12": 2, "e3": -0.5}, "1.0 − 0.5 e₃ + 2.0 e₁₂"),
        ({"e1": -1}, "−e₁"),
        ({"1": -1, "e123": 1}, "−1.0 + e₁₂₃"),
        ({}, "0"),
        ({"e1": 1e-300}, "1e-300 e₁"),
        ({"1": 0, "e1": -1e20}, "−1e+20 e₁"),
    ],
    ids=str,
)
def test_text_of_floats(values: dict[str, float], text: str) -> None:
    assert str(Algebra(3).multivector(values)) == text


def test_text_of_other_numbers() -> None:
    x = sympy.Symbol("x")
    assert str(Algebra(2, backend="fractions").vector(["-1/3", 1])) == "−1/3 e₁ + e₂"
    assert str(Algebra(2, backend="sympy").vector([x + 1, -x])) == "(x + 1) e₁ − x e₂"
    assert str(Algebra(2, backend="sympy").vector([1 - x, 0])) == "(1 - x) e₁"
    assert str(Algebra(2).vector([0.1, 0], dtype=np.float32)) == "0.1 e₁"


def test_text_separates_indices_from_ten_dimensions_on() -> None:
    assert str(Algebra(10).blade("e1_10")) == "e₁,₁₀"
    assert str(Algebra(9).blade("e19")) == "e₁₉"


def test_text_of_batches() -> None:
    a = Algebra(2).vector([[1, 0], [0, -2]])
    assert str(a) == "batch of shape (2,) in Cl(2):\n  e₁\n  −2.0 e₂"
    many = str(Algebra(2).vector(np.ones((5, 4, 2)))).splitlines()
    assert many[0] == "batch of shape (5, 4) in Cl(2):"
    assert many[-1] == "  .. and 12 more"
    assert len(many) == 10
    assert str(Algebra(2).vector(np.ones((0, 2)))) == "batch of shape (0,) in Cl(2):"


# --- LaTeX --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "latex"),
    [
        (Algebra(3).multivector({"1": 1, "e12": -2}), r"$1.0 - 2.0 \, e_{12}$"),
        (Algebra(3).vector([1e-30, 0, 0]), r"$1 \cdot 10^{-30} \, e_{1}$"),
        (Algebra(3).vector([1e20, 0, 0]), r"$1 \cdot 10^{20} \, e_{1}$"),
        (
            Algebra(2, backend="fractions").vector(["-1/3", 2]),
            r"$-\tfrac{1}{3} \, e_{1} + 2 \, e_{2}$",
        ),
        (Algebra(2, backend="sympy").vector([sympy.sqrt(2), 0]), r"$\sqrt{2} \, e_{1}$"),
        (Algebra(10).blade("e1_10"), r"$e_{1\,10}$"),
        (Algebra(2).scalar(0), "$0$"),
        (Algebra(2).vector(np.ones((4, 2))), r"$\text{batch of shape }(4,)$"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_latex(a: Multivector, latex: str) -> None:
    assert a._repr_latex_() == latex


def test_latex_of_polynomials_whose_variables_contain_the_letter_e() -> None:
    """A variable called e is no exponent, and 1/3*e is not 1 over 3*e."""
    e, b = flint.fmpq_mpoly_ctx.get(["e", "b"], "lex").gens()
    a = Algebra(2, backend="flint").vector([e / 3, b**12 - 1])
    assert a._repr_latex_() == r"$1/3 e \, e_{1} + (b^{12} - 1) \, e_{2}$"
