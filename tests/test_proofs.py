"""Every theorem of proofs/ is proved, every false twin refuted by an exact witness."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from flint import fmpq

from geomlin.proving.catalogue import theorems
from geomlin.proving.equation import Equation, nonzero_point
from geomlin.proving.symbolic_metric import SymbolicMetric
from geomlin.proving.theorem import Step, Theorem, Twin, overall, prove_theorem, refute_twins
from geomlin.verdict import Strength, Verdict, compact_range

THEOREMS = theorems()
SUBJECTS = {
    "bivector exponential": {
        "simple_exponential",
        "outer_exponential",
        "commuting_exponentials",
        "product_of_exponentials",
        "matrix_of_exponential",
        "derivative_of_exponential",
    },
    "logarithm": {"log_formula", "no_logarithm", "lorentz_logarithm"},
    "invariant decomposition": {
        "square_of_bivector",
        "characteristic_polynomial",
        "simple_parts",
        "published_split",
        "real_split",
        "lorentz_split",
        "split_uniqueness",
        "power_iteration",
    },
    "rotor action and double cover": {
        "rotor_action",
        "rotor_grades",
        "rotor_criterion",
        "kernel",
        "cover_differential",
        "spin_image",
        "spin_image_degenerate",
        "cayley_lift",
        "double_loop",
    },
    "matrices and layers": {
        "spinor_type",
        "two_sided_action",
        "reach_of_rotor_sums",
        "layer_parameters",
    },
    "generic prover": {"functoriality"},
}

each_theorem = pytest.mark.parametrize("theorem", THEOREMS.values(), ids=THEOREMS.keys())


def test_all_subjects_are_covered() -> None:
    assert set(THEOREMS) == set().union(*SUBJECTS.values())


@each_theorem
def test_theorem_is_proved(theorem: Theorem) -> None:
    results = prove_theorem(theorem)
    assert {(r.step.name, r.dimension) for r in results} == {
        (step.name, n) for step in theorem.steps for n in theorem.dimensions
    }
    for result in results:
        assert str(result.verdict) == f"POLYNOMIAL(n={result.dimension})", result
        assert result.equations > 0
    assert str(overall(theorem, results)) == f"POLYNOMIAL(n={compact_range(theorem.dimensions)})"


@pytest.mark.slow
@each_theorem
def test_theorem_is_proved_in_slow_dimensions(theorem: Theorem) -> None:
    results = prove_theorem(theorem, slow=True)
    dimensions = (*theorem.dimensions, *theorem.slow_dimensions)
    assert overall(theorem, results) == Verdict(Strength.POLYNOMIAL, numbers=dimensions)


@each_theorem
def test_twins_are_refuted_with_exact_witness(theorem: Theorem) -> None:
    results = refute_twins(theorem)
    assert len(results) == len(theorem.twins) >= len(theorem.hypotheses)
    for result in results:
        assert result.verdict.refuted, result
        found = re.search(r"g = \((.*?)\); .*lhs.* = (.+), rhs = (.+)$", result.verdict.witness)
        assert found, result.verdict.witness
        assert set(found[1].split(", ")) <= {"1", "-1", "0"}
        assert found[2] != found[3]
        assert not re.search(r"\d\.\d", result.verdict.witness), "a float is no exact number"


@each_theorem
def test_file_can_be_read_without_running(theorem: Theorem) -> None:
    module = import_module(f"geomlin_proofs.{theorem.name}")
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    order = ["Statement.", "Hypotheses", "Conventions", "Derivation", "Remarks.", "References."]
    positions = [str(module.__doc__).find(word) for word in order]
    assert positions == sorted(positions)
    assert min(positions) > 0
    assert len(re.findall(r"^  H\d", str(module.__doc__), re.M)) == len(theorem.hypotheses)


def test_kernel_witness_is_the_one_of_the_text() -> None:
    by_name = {r.step.name: r.verdict.witness for r in refute_twins(THEOREMS["kernel"])}
    witness = by_name["without r ≤ 1: kernel {1, −1} in Cl(1,0,2)"]
    assert witness.startswith(
        "g = (1, 0, 0); t = 1; R = 1 + e23; R ~R = 1; R e_i ~R = (e1, e2, e3)"
    )


def test_rotor_action_witness_is_the_one_of_the_text() -> None:
    witness = refute_twins(THEOREMS["rotor_action"])[0].verdict.witness
    assert "R = 3 + 4 e123456; R ~R = 25; lhs = -7 e1 - 24 e23456" in witness


@pytest.mark.parametrize("name", ["published_split", "simple_parts", "characteristic_polynomial"])
def test_planted_wrong_invariant_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the sign of a_2 reversed, the theorems that use it are refuted from n = 4 on."""
    module = import_module(f"geomlin_proofs.{name}")
    correct = module.invariants

    def wrong(bivector: object) -> list[object]:
        a = correct(bivector)
        return [*a[:2], *(-x for x in a[2:3]), *a[3:]]

    monkeypatch.setattr(module, "invariants", wrong)
    theorem = THEOREMS[name]
    assert all(r.verdict.holds for r in prove_theorem(replace(theorem, dimensions=(2, 3))))
    verdict = overall(theorem, prove_theorem(replace(theorem, dimensions=(4,))))
    assert verdict.refuted
    assert "g = (1, 1, 1, 1)" in verdict.witness


@pytest.mark.parametrize("name", ["commuting_exponentials", "matrix_of_exponential"])
def test_series_are_checked_to_the_order_that_is_printed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in the last order is found in every dimension, by every step about the series."""
    module, theorem = import_module(f"geomlin_proofs.{name}"), THEOREMS[name]
    steps = [step for step in theorem.steps if step.order and "~" not in step.name]
    assert len(steps) == 2
    assert theorem.limit == f", SERIES(N={steps[0].order})"
    right = module.part_of_order

    def wrong(*arguments: object) -> object:
        found = right(*arguments)
        return found * 2 if arguments[-1] == steps[0].order else found

    monkeypatch.setattr(module, "part_of_order", wrong)
    results = prove_theorem(replace(theorem, steps=tuple(steps)))
    assert [r.verdict.refuted for r in results] == [True] * len(results)


def test_planted_wrong_step_is_reported_by_name() -> None:
    theorem = THEOREMS["simple_exponential"]

    def minus(n: int) -> Equation:
        space = SymbolicMetric(n, u=1, v=1)
        b = space.generic("u") ^ space.generic("v")
        return Equation(b * b, -(b * b).grade(0), space)

    wrong = replace(theorem, steps=(*theorem.steps, Step("b² = −s", minus)), dimensions=(2,))
    results = prove_theorem(wrong)
    assert [r.step.name for r in results if not r.verdict.holds] == ["b² = −s"]
    assert overall(wrong, results).refuted


def test_step_without_equation_proves_nothing() -> None:
    def nothing(n: int) -> Iterator[Equation]:
        yield from ()

    theorem = replace(THEOREMS["kernel"], steps=(Step("nothing", nothing),))
    with pytest.raises(ValueError, match="no equation stated"):
        prove_theorem(theorem)


def test_error_in_a_step_says_where() -> None:
    def broken(n: int) -> Equation:
        return Equation(SymbolicMetric(n, b=2).symbol("c12"), 0)

    theorem = replace(THEOREMS["kernel"], steps=(Step("broken step", broken),))
    with pytest.raises(KeyError) as caught:
        prove_theorem(theorem)
    assert caught.value.__notes__ == ["in step 'broken step' of theorem 'kernel', n = 2"]


def test_theorem_needs_steps_twins_and_an_exact_word() -> None:
    theorem = THEOREMS["kernel"]
    with pytest.raises(ValueError, match="twins"):
        replace(theorem, twins=())
    with pytest.raises(ValueError, match="SERIES"):
        replace(theorem, strength=Strength.SERIES)


def test_overall_claims_only_dimensions_in_which_every_step_ran() -> None:
    theorem = THEOREMS["square_of_bivector"]
    results = prove_theorem(replace(theorem, dimensions=(2, 3)))
    assert str(overall(theorem, results[:-1])) == "POLYNOMIAL(n=2)"
    assert overall(theorem, []).word is Strength.NOT_RUN


def test_twin_that_is_true_is_not_refuted() -> None:
    theorem = THEOREMS["square_of_bivector"]
    true = Twin("true", theorem.steps[0].check, 3)
    assert not refute_twins(replace(theorem, twins=(true,)))[0].verdict.refuted


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_product_is_the_clifford_product(n: int) -> None:
    """e_i e_j + e_j e_i = 2 g_i δ_ij and e_S = ascending product; rotor_action: associative."""
    space = SymbolicMetric(n)
    for i, e in enumerate(space.vectors()):
        for j, f in enumerate(space.vectors()):
            square = space.scalar(2 * space.metric[i] if i == j else 0)
            assert Equation(e * f + f * e, square, space).witness() is None
    for mask in range(1 << n):
        product = space.scalar(1)
        for i, e in enumerate(space.vectors()):
            product = product * e if mask >> i & 1 else product
        assert Equation(product, space.element({mask: 1}), space).witness() is None


def test_relations_of_the_metric_decide() -> None:
    degenerate, regular = SymbolicMetric(2), SymbolicMetric(2, nondegenerate=True)
    g = degenerate.metric[0]
    assert Equation(g**3, g, degenerate).witness() is None
    assert Equation(g**4, g * g, degenerate).witness() is None
    assert Equation(g * g, 1, degenerate).witness() == "g = (0, 1); lhs = 0, rhs = 1"
    g = regular.metric[0]
    assert Equation(g * g, 1, regular).witness() is None
    assert Equation(g, 1, regular).witness() == "g = (-1, 1); lhs = -1, rhs = 1"


def test_witness_of_numbers_and_shapes() -> None:
    assert Equation(3, fmpq(3)).witness() is None
    assert Equation([1, [2, 3]], [1, [2, 5]]).witness() == "lhs at [2][2] = 3, rhs = 5"
    with pytest.raises(ValueError, match="shorter"):
        Equation([1, 2], [1]).witness()
    with pytest.raises(TypeError, match="two sequences"):
        Equation([1], 1).witness()


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_nonzero_point_escapes_every_smaller_zero(degree: int) -> None:
    """Π_{v} (x − v) over the first candidates vanishes at all of them but the last."""
    space = SymbolicMetric(1, x=0, y=0)
    x, y = space.symbol("x"), space.symbol("y")
    polynomial = (space.metric[0] - 1) * y
    for value in space.candidates("x", degree)[:-1]:
        polynomial = polynomial * (x - value)
    point = nonzero_point(polynomial, space)
    assert point == {"g1": -1, "x": space.candidates("x", degree)[-1], "y": 1}
    assert polynomial.subs(point) != 0


def test_symbols_of_two_letters_must_differ() -> None:
    with pytest.raises(ValueError, match="coincide"):
        SymbolicMetric(2, g=1)


@pytest.mark.parametrize(
    ("verdict", "text", "holds"),
    [
        (Verdict(Strength.POLYNOMIAL, (4,)), "POLYNOMIAL(n=4)", True),
        (Verdict(Strength.POLYNOMIAL, (2, 3, 5)), "POLYNOMIAL(n=2,3,5)", True),
        (Verdict(Strength.ALL_DIMENSIONS, (3, 1)), "ALL_DIMENSIONS(vectors=3, scalars=1)", True),
        (Verdict(Strength.MULTILINEAR), "MULTILINEAR", True),
        (Verdict(Strength.SERIES, (9,)), "SERIES(N=9)", True),
        (Verdict(Strength.ENCLOSED, radius=3e-30), "ENCLOSED(radius 3e-30)", True),
        (Verdict(Strength.AGREES, error=0.8, bound=16), "AGREES(0.8 eps, bound 16 eps)", True),
        (Verdict(Strength.REFUTED, witness="g = (1); lhs = 1"), "REFUTED(g = (1); lhs = 1)", False),
        (Verdict(Strength.NOT_RUN, reason="no flint"), "NOT_RUN(no flint)", False),
    ],
)
def test_verdict_words(verdict: Verdict, text: str, holds: bool) -> None:
    assert str(verdict) == text
    assert verdict.holds is holds
    assert verdict.refuted is (verdict.word is Strength.REFUTED)


@pytest.mark.parametrize(
    "details",
    [
        {"word": Strength.POLYNOMIAL},
        {"word": Strength.REFUTED},
        {"word": Strength.NOT_RUN},
        {"word": Strength.ENCLOSED, "radius": float("inf")},
        {"word": Strength.ENCLOSED, "radius": float("nan")},
        {"word": Strength.AGREES, "error": 17.0, "bound": 16.0},
        {"word": Strength.AGREES, "error": float("nan"), "bound": 16.0},
        {"word": Strength.AGREES, "error": 1.0},
    ],
)
def test_verdict_refuses_words_without_their_detail(details: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"need|agree"):
        Verdict(**details)  # type: ignore[arg-type]
