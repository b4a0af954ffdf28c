"""The generic prover: textbook identities, wrong variants with exact witnesses, its scope."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from geomlin import (
    Algebra,
    Counterexample,
    LayoutError,
    Multivector,
    NotInvertible,
    NotRun,
    NotSupported,
    Proof,
    Strength,
    VacuousHypotheses,
    anticommutator,
    commutator,
    complement,
    dual,
    exp,
    grade,
    inverse,
    involute,
    left_contraction,
    norm,
    norm_squared,
    normalize,
    odd,
    outer_exp,
    project,
    prove,
    reflect,
    regressive_product,
    reject,
    reverse,
    right_contraction,
    sandwich,
    scalar_product,
    undual,
    verify,
    versor_action,
)
from geomlin.identities import registry
from geomlin.proving import gram, operations
from geomlin.proving.catalogue import theorems
from geomlin.proving.generators import basis, generators
from geomlin.proving.theorem import overall, prove_theorem

SIGNATURES = [(2, 1, 0), (1, 0, 2), (3, 1, 1)]


def unit(name: str) -> Callable[..., Any]:
    """The hypothesis that a vector squares to one."""
    return {"a": lambda a: (a * a, 1), "b": lambda b: (b * b, 1)}[name]


def det2(a: Any, b: Any, c: Any, d: Any) -> Any:
    """(a . d)(b . c) - (a . c)(b . d)."""
    first = scalar_product(a, d) * scalar_product(b, c)
    return first - scalar_product(a, c) * scalar_product(b, d)


# --- identities of the textbooks ------------------------------------------------------------------

VECTORS = dict.fromkeys("abcd", "vector")

TEXTBOOK: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "contraction of a plane: a . (b ^ c) = (a . b) c - (a . c) b": (
        lambda a, b, c: (
            left_contraction(a, b ^ c),
            scalar_product(a, b) * c - scalar_product(a, c) * b,
        ),
        {"a": "vector", "b": "vector", "c": "vector"},
        "ALL_DIMENSIONS(vectors=3)",
    ),
    "Jacobi: [A, [B, C]] + [B, [C, A]] + [C, [A, B]] = 0 for bivectors": (
        lambda A, B, C: (
            commutator(A, commutator(B, C))
            + commutator(B, commutator(C, A))
            + commutator(C, commutator(A, B)),
            0,
        ),
        {"A": "bivector", "B": "bivector", "C": "bivector"},
        "ALL_DIMENSIONS(vectors=6, degree in A=1, degree in B=1, degree in C=1)",
    ),
    "Lagrange: (a . b)^2 - (a ^ b)^2 = a^2 b^2": (
        lambda a, b: (
            scalar_product(a, b) ** 2 - scalar_product(a ^ b, a ^ b),
            scalar_product(a, a) * scalar_product(b, b),
        ),
        {"a": "vector", "b": "vector"},
        "ALL_DIMENSIONS(vectors=2, exponents=2)",
    ),
    "product of planes: (a ^ b) . (c ^ d)": (
        lambda a, b, c, d: (scalar_product(a ^ b, c ^ d), det2(a, b, c, d)),
        VECTORS,
        "ALL_DIMENSIONS(vectors=4)",
    ),
    "rotor between unit vectors: (1 + b a) a ~(1 + b a) = 2 (1 + a . b) b": (
        lambda a, b: (sandwich(1 + b * a, a), 2 * (1 + scalar_product(a, b)) * b),
        {"a": "vector", "b": "vector", "given": [unit("a"), unit("b")]},
        "ALL_DIMENSIONS(vectors=2)",
    ),
    "projection and rejection: P(x) + Q(x) = x": (
        lambda x, B: (project(x, B) + reject(x, B), x),
        {"x": "vector", "B": "blade(3)"},
        "ALL_DIMENSIONS(vectors=4)",
    ),
    "double contraction: A . (B . C) = (A ^ B) . C": (
        lambda a, B, C: (
            left_contraction(a, left_contraction(B, C)),
            left_contraction(a ^ B, C),
        ),
        {"a": "vector", "B": "bivector", "C": "blade(3)"},
        "ALL_DIMENSIONS(vectors=6, degree in B=1)",
    ),
    "reflections: -a x a^-1 = x - 2 (x . a) a^-1": (
        lambda a, x: (reflect(x, a), x - 2 * scalar_product(x, a) * inverse(a)),
        {"a": "vector", "x": "vector"},
        "ALL_DIMENSIONS(vectors=2)",
    ),
    "vector times vector: a b = a . b + a ^ b": (
        lambda a, b: (a * b, scalar_product(a, b) + (a ^ b)),
        {"a": "vector", "b": "vector"},
        "ALL_DIMENSIONS(vectors=2)",
    ),
    "inverse of a product: (V W)^-1 = W^-1 V^-1": (
        lambda V, W: (inverse(V * W), inverse(W) * inverse(V)),
        {"V": "versor(2)", "W": "versor(3)"},
        "ALL_DIMENSIONS(vectors=5)",
    ),
    "commutator with a bivector is a derivation": (
        lambda B, a, b: (commutator(B, a * b), commutator(B, a) * b + a * commutator(B, b)),
        {"B": "bivector", "a": "vector", "b": "vector"},
        "ALL_DIMENSIONS(vectors=4, degree in B=1)",
    ),
    "square of a bivector: B^2 = <B^2>_0 + B ^ B": (
        lambda B: (B * B, scalar_product(B, B) + (B ^ B)),
        {"B": "bivector"},
        "ALL_DIMENSIONS(vectors=4, degree in B=2)",
    ),
    "meet of planes in space: (a ^ b) v (a ^ c) = a (a ^ b) v c": (
        lambda a, b, c: (
            regressive_product(a ^ b, a ^ c),
            a * regressive_product(a ^ b, c),
        ),
        {"a": "vector", "b": "vector", "c": "vector", "dimension": 3},
        "POLYNOMIAL(n=3)",
    ),
    "duality of wedge and contraction": (
        lambda A, B: (dual(A ^ B), left_contraction(A, dual(B))),
        {"A": "multivector", "B": "multivector"},
        "POLYNOMIAL(n=1..4)",
    ),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_identity_is_proved(name: str) -> None:
    statement, options, claim = TEXTBOOK[name]
    found = prove(statement, **options)
    assert isinstance(found, Proof), found
    assert found.claim == claim
    assert found.holds
    assert str(found).startswith(claim)
    assert "=" in found.statement
    assert str(found.verdict).startswith(found.strength.value)


WRONG: dict[str, tuple[Callable[..., Any], dict[str, Any], int]] = {
    "sign in a . (b ^ c)": (
        lambda a, b, c: (
            left_contraction(a, b ^ c),
            scalar_product(a, b) * c + scalar_product(a, c) * b,
        ),
        {"a": "vector", "b": "vector", "c": "vector"},
        1,
    ),
    "B^2 is a scalar": (lambda B: (B * B, scalar_product(B, B)), {"B": "bivector"}, 4),
    "A^2 is a scalar for trivectors": (lambda A: (A * A, grade(A * A, 0)), {"A": "trivector"}, 5),
    "order in (V W)^-1": (
        lambda V, W: (inverse(V * W), inverse(V) * inverse(W)),
        {"V": "versor", "W": "versor"},
        3,
    ),
    "reverse respects products": (
        lambda a, b: (reverse(a * b), reverse(a) * reverse(b)),
        {"a": "vector", "b": "vector"},
        2,
    ),
    "half the rotor between unit vectors": (
        lambda a, b: (sandwich(1 + b * a, a), (1 + scalar_product(a, b)) * b),
        {"a": "vector", "b": "vector", "given": [unit("a"), unit("b")]},
        1,
    ),
    "a^2 = 0 gives a = 0": (
        lambda a: (a, 0),
        {"a": "vector", "given": lambda a: (a * a, 0)},
        1,
    ),
    "orthogonal vectors commute": (
        lambda a, b: (a * b, b * a),
        {"a": "vector", "b": "vector", "given": lambda a, b: (scalar_product(a, b), 0)},
        2,
    ),
    "null vectors that are orthogonal are parallel": (
        lambda a, b: (a ^ b, 0),
        {
            "a": "vector",
            "b": "vector",
            "given": [
                lambda a: (a * a, 0),
                lambda b: (b * b, 0),
                lambda a, b: (scalar_product(a, b), 0),
            ],
        },
        2,
    ),
    "unit vectors square to one": (lambda v: (normalize(v) ** 2, 1), {"v": "vector"}, 1),
    "a rotor has one plane": (lambda R: (grade(R, 4), 0), {"R": "rotor(4)"}, 4),
    "the complement is an involution": (
        lambda A: (complement(complement(A)), A),
        {"A": "multivector"},
        2,
    ),
    "e12 commutes with every vector": (
        lambda a: (a * a.algebra.blade("e12"), a.algebra.blade("e12") * a),
        {"a": "vector", "dimension": 3},
        3,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_variant_is_refuted_by_exact_arguments(name: str) -> None:
    """The witness is checked again: exact multivectors, hypotheses, metric in {-1, 0, 1}."""
    statement, options, dimension = WRONG[name]
    found = prove(statement, **options)
    assert isinstance(found, Counterexample), found
    witness = found.witness
    assert witness.signature.n == dimension
    assert all(witness[name] is value for name, value in witness.arguments.items())
    lhs, rhs = statement(**witness.arguments)
    assert lhs != rhs
    algebra = Algebra(*witness.signature, backend="fractions")
    for value in witness.arguments.values():
        assert value.algebra == algebra
        assert all(isinstance(x, Fraction | int) for x in value.as_dict().values())
    given = options.get("given", ())
    for hypothesis in (given,) if callable(given) else given:
        names = hypothesis.__code__.co_varnames
        left, right = hypothesis(**{name: witness.arguments[name] for name in names})
        assert left == right
    assert not found
    assert found.verdict.refuted
    assert str(witness.signature) in str(found)


def test_witness_is_as_small_as_the_text_says() -> None:
    """In smaller dimensions the wrong statement is true, so no smaller one exists."""
    statement, options, dimension = WRONG["B^2 is a scalar"]
    for n in range(1, dimension):
        assert prove(statement, **options, dimension=n).strength is Strength.POLYNOMIAL
    assert prove(statement, **options, dimension=dimension).refuted


# --- the generic algebra against an independent one -----------------------------------------------


def rational_vectors(rng: np.random.Generator, algebra: Algebra, count: int) -> list[Any]:
    """Vectors of small rational numbers."""
    return [
        algebra.vector([Fraction(int(p), int(q)) for p, q in zip(*draw, strict=True)])
        for draw in (
            (rng.integers(-5, 6, algebra.n), rng.integers(1, 4, algebra.n)) for _ in range(count)
        )
    ]


def image(x: Any, vectors: list[Any]) -> Any:
    """sum_S c_S(v_i . v_j) v_S, in geomlin's exact arithmetic."""
    inner = [(u * v)["1"] for i, u in enumerate(vectors) for v in vectors[i:]]
    values = [fmpq(Fraction(g).numerator, Fraction(g).denominator) for g in inner]
    names = x.algebra.ring.names[1:]
    total = vectors[0].algebra.scalar(0)
    for mask, coefficient in x.terms.items():
        blade = vectors[0].algebra.scalar(1)
        for i, v in enumerate(vectors):
            blade = blade ^ v if mask >> i & 1 else blade
        number = coefficient.subs(dict(zip(names, values, strict=True)))
        value = number.leading_coefficient() if number != 0 else fmpq(0)
        total = total + Fraction(int(value.p), int(value.q)) * blade
    return total


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize(
    "product",
    [
        lambda x, y: x * y,
        lambda x, y: x ^ y,
        left_contraction,
        right_contraction,
        scalar_product,
        commutator,
        anticommutator,
        lambda x, y: reverse(x) * involute(y),
        lambda x, y: grade(x * y, 2),
    ],
)
def test_generic_products_specialise(
    signature: tuple[int, int, int], product: Callable[..., Any], rng: np.random.Generator
) -> None:
    """All pairs of blades of four vectors, against the algebra over the rationals."""
    algebra = Algebra(*signature, backend="fractions")
    vectors = rational_vectors(rng, algebra, 4)
    blades = basis(generators(4))
    images = [image(x, vectors) for x in blades]
    for x, x_image in zip(blades, images, strict=True):
        for y, y_image in zip(blades, images, strict=True):
            assert image(product(x, y), vectors) == product(x_image, y_image)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_long_generic_products_specialise(
    signature: tuple[int, int, int], rng: np.random.Generator
) -> None:
    algebra = Algebra(*signature, backend="fractions")
    vectors = rational_vectors(rng, algebra, 6)
    symbols = generators(6)
    product, expected = symbols[0], vectors[0]
    for a, v in zip(symbols[1:], vectors[1:], strict=True):
        product, expected = product * a, expected * v
    assert image(product, vectors) == expected


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda x, y: x * y,
    "wedge": lambda x, y: x ^ y,
    "left": left_contraction,
    "right": right_contraction,
    "scalar": scalar_product,
    "commutator": commutator,
    "sandwich": sandwich,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "reverse": reverse,
    "involute": involute,
    "grade 1": lambda x: grade(x, 1),
    "grade 2": lambda x: grade(x, 2),
    "half": lambda x: x / 2,
}
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "vector": lambda u, v: u,
    "blade(2)": lambda u, v: u ^ v,
    "versor(2)": lambda u, v: u * v,
    "bivector": lambda u, v: (u ^ v) + 3 * (v ^ u.algebra.basis_vectors[0]),
}


def random_expression(rng: np.random.Generator, names: list[str], depth: int) -> Any:
    """A nested tuple of operations on names."""
    if depth == 0:
        return str(rng.choice(names))
    if rng.random() < 0.3:
        return str(rng.choice(list(UNARY))), random_expression(rng, names, depth - 1)
    parts = random_expression(rng, names, depth - 1), random_expression(rng, names, depth // 2)
    return str(rng.choice(list(BINARY))), *parts


def changed(rng: np.random.Generator, tree: Any) -> Any:
    """The expression with one operation, or the order of its operands, changed."""
    if isinstance(tree, str):
        return tree
    operation, *parts = tree
    if rng.random() < 0.4:
        return operation, changed(rng, parts[0]), *parts[1:]
    if len(parts) == 2:
        return (operation, *parts[::-1]) if rng.random() < 0.5 else ("wedge", *parts)
    return str(rng.choice(list(UNARY))), *parts


def value_of(tree: Any, arguments: dict[str, Any]) -> Any:
    """The expression evaluated with geomlin's functions."""
    if isinstance(tree, str):
        return arguments[tree]
    operation, *parts = tree
    values = [value_of(part, arguments) for part in parts]
    return {**BINARY, **UNARY}[operation](*values)


@pytest.mark.parametrize("seed", range(60))
def test_random_statements_agree_with_exact_evaluation(seed: int) -> None:
    """What is proved holds at random rational points; what is refuted is so at its witness."""
    rng = np.random.default_rng(seed)
    kinds = {name: str(rng.choice(list(KINDS))) for name in "ab"}
    depth = int(rng.integers(1, 3 if "bivector" in kinds.values() else 4))  # bounds the degree
    left = random_expression(rng, ["a", "b"], depth)
    right = changed(rng, left)

    def statement(a: Any, b: Any) -> Any:
        return value_of(left, {"a": a, "b": b}), value_of(right, {"a": a, "b": b})

    found = prove(statement, **kinds)
    if isinstance(found, Counterexample):
        lhs, rhs = statement(**found.witness.arguments)
        assert lhs != rhs
        return
    assert isinstance(found, Proof), found
    for signature in [(3, 0, 0), (2, 2, 0), (2, 1, 2)]:
        algebra = Algebra(*signature, backend="fractions")
        vectors = rational_vectors(rng, algebra, 4)
        a, b = (KINDS[kinds[n]](*vectors[2 * i : 2 * i + 2]) for i, n in enumerate("ab"))
        lhs, rhs = statement(a, b)
        assert lhs == rhs


SABOTAGES: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "a sign of the generic product is flipped": (
        gram,
        "contraction_sign",
        lambda right: lambda *masks: -right(*masks) if masks[1] == 1 else right(*masks),
    ),
    "the reversal of the contracted vectors is forgotten": (
        gram,
        "contraction_sign",
        lambda right: lambda a, s, t, b: right(a, s, t, b) * (-1 if s.bit_count() in (2, 3) else 1),
    ),
    "reverse is the identity": (
        operations,
        "reverse",
        lambda right: lambda a: a,
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_sabotage_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault makes known identities fail; exact evaluation never confirms a witness."""
    module, attribute, fault = SABOTAGES[name]
    monkeypatch.setattr(module, attribute, fault(getattr(module, attribute)))
    outcomes = []
    for statement, options, _ in TEXTBOOK.values():
        outcomes.append(prove(statement, **options))
    assert any(
        isinstance(found, NotRun) and "is wrong" in found.reason  # the fault is not passed over
        for found in outcomes
    )
    assert not any(isinstance(found, Counterexample) for found in outcomes)


def test_sabotaged_product_refutes_functoriality(monkeypatch: pytest.MonkeyPatch) -> None:
    _, attribute, fault = SABOTAGES["a sign of the generic product is flipped"]
    theorem = theorems()["functoriality"]
    assert overall(theorem, prove_theorem(theorem)).holds
    monkeypatch.setattr(gram, attribute, fault(gram.contraction_sign))
    assert overall(theorem, prove_theorem(theorem)).refuted


# --- statements that treat symbols and multivectors differently -----------------------------------


def catches_errors(a: Any, b: Any) -> Any:
    """The prover's symbols refuse to be compared; multivectors do not."""
    try:
        return (a * b, b * a) if a != b else (a, a)
    except NotSupported:
        return a * b, a * b


def catches_the_missing_dimension(a: Any, b: Any) -> Any:
    """The generic algebra has no dual; every algebra with coordinates has one."""
    try:
        return dual(a), dual(b)
    except NotSupported:
        return a + b, b + a


def looks_at_types(a: Any, b: Any) -> Any:
    return (a * b, b * a) if isinstance(a, Multivector) else (a * b, a * b)


def looks_at_attributes(a: Any, b: Any) -> Any:
    return (a.coeffs * 1, b.coeffs * 1) if "coeffs" in dir(a) else (a, a)


def raises_for_multivectors(a: Any, b: Any) -> Any:
    if isinstance(a, Multivector):
        raise NotInvertible("a has no inverse")
    return a + b, b + a


def fails_for_multivectors(a: Any, b: Any) -> Any:
    if isinstance(a, Multivector):
        raise KeyError("a")
    return a + b, b + a


CHEATS = [
    catches_errors,
    catches_the_missing_dimension,
    looks_at_types,
    looks_at_attributes,
    raises_for_multivectors,
    fails_for_multivectors,
]


SCOPES: list[dict[str, Any]] = [
    {},
    {"given": unit("a")},
    {"given": lambda a: (a * a, 2)},  # no rational point in dimension 1
    {"dimension": (2, 3)},
    {"signature": (2, 0, 0)},
]
CHEATED = [
    (cheat, scope)
    for cheat in CHEATS
    for scope in (SCOPES[:3] if cheat is catches_the_missing_dimension else SCOPES)
]


@pytest.mark.parametrize(("statement", "options"), CHEATED)
def test_statement_that_is_another_for_multivectors_is_not_proved(
    statement: Any, options: dict[str, Any]
) -> None:
    found = prove(statement, a="vector", b="vector", **options)
    assert isinstance(found, NotRun), found
    assert "something else with multivectors" in found.reason
    assert "b = " in found.reason  # the arguments that show it
    assert "Cl(" in found.reason


def test_cheat_is_refuted_where_it_is_one_formula() -> None:
    found = prove(catches_the_missing_dimension, a="vector", b="vector", dimension=2)
    assert isinstance(found, Counterexample)


def test_cheat_behind_a_root_or_in_a_hypothesis_is_not_proved() -> None:
    def root(v: Any) -> Any:
        return (norm(v), 0) if isinstance(v, Multivector) else (norm(v), norm(v))

    def hypothesis(a: Any) -> Any:
        return (a * a, 2) if isinstance(a, Multivector) else (a * a, 1)

    found = prove(root, v="vector")
    assert isinstance(found, NotRun)
    assert "but not the claim" in found.reason
    for claim in (lambda a: (a * a * a, a), lambda a: (a, -a)):
        found = prove(claim, a="vector", given=hypothesis)
        assert isinstance(found, NotRun)
        assert "hypothes" in found.reason


def test_hypothesis_that_is_another_formula_for_multivectors_is_not_proved_with() -> None:
    """It holds at the same points, so that only the formulas themselves show it."""

    def orthogonal(a: Any, b: Any) -> Any:
        inner = scalar_product(a, b)
        return (inner * inner if isinstance(a, Multivector) else inner), 0

    def honest(a: Any, b: Any) -> Any:
        return scalar_product(a, b), 0

    def claim(a: Any, b: Any) -> Any:
        return a * b, -b * a

    found = prove(claim, a="vector", b="vector", given=orthogonal)
    assert isinstance(found, NotRun)
    assert "in a hypothesis" in found.reason
    assert isinstance(prove(claim, a="vector", b="vector", given=honest), Proof)


def test_statement_that_is_false_of_symbols_only_is_not_refuted() -> None:
    def cheat(a: Any, b: Any) -> Any:
        return (a, a) if isinstance(a, Multivector) else (a * b, b * a)

    found = prove(cheat, a="vector", b="vector")
    assert isinstance(found, NotRun)
    assert "Cl(2) at a = e1, b = e2" in found.reason


def test_statement_may_catch_what_both_raise() -> None:
    """Multivectors have no truth value either, so that this is one formula."""

    def harmless(a: Any) -> Any:
        try:
            return (a, a) if a else (a, -a)
        except (NotSupported, TypeError, ValueError):
            return 2 * a, a + a

    assert prove(harmless, a="vector").claim == "ALL_DIMENSIONS(vectors=1)"


def test_grade_beyond_every_algebra_is_not_claimed() -> None:
    assert prove(lambda a: (grade(a, 5), 0), a="vector").claim == (
        "ALL_DIMENSIONS(vectors=1, grades=5)"
    )
    assert "cannot be confirmed" in prove(lambda a: (grade(a, 13), 0), a="vector").reason


# --- scope ----------------------------------------------------------------------------------------


def test_denominators_are_hypotheses() -> None:
    proof = prove(lambda a, b: (inverse(a * b), inverse(b) * inverse(a)), a="vector", b="vector")
    assert proof.hypotheses == ("a² ≠ 0", "b² ≠ 0")
    proof = prove(lambda x, B: (project(x, B) + reject(x, B), x), x="vector", B="blade(2)")
    assert proof.hypotheses == ("−(B1·B2)² + B1² B2² ≠ 0",)
    proof = prove(lambda A: (undual(dual(A)), A), A="multivector", dimension=2)
    assert proof.hypotheses == ("g1 ≠ 0", "g2 ≠ 0")


def test_norms_are_roots_with_their_relations() -> None:
    proof = prove(lambda v: (normalize(v) * norm(v), v), v="vector")
    assert proof.hypotheses == ("s₁ ≠ 0", "s₁ ≥ 0, s₁² = |v²|")
    assert prove(lambda v: (norm(v) ** 4, scalar_product(v, v) ** 2), v="vector")
    assert prove(lambda V, W: (norm(V * W), norm(V) * norm(W)), V="versor(2)", W="versor(3)")
    found = prove(lambda v: (norm(v) ** 2, scalar_product(v, v)), v="vector")
    assert found.witness.signature == (0, 1, 0)
    assert prove(lambda v: (norm(2 * v), 2 * norm(v)), v="vector")
    assert prove(lambda v: (norm(-1 * v), -norm(v)), v="vector").refuted


def test_vacuous_hypotheses_raise() -> None:
    contradiction = [lambda a: (a * a, 1), lambda a: (a * a, 2)]
    with pytest.raises(VacuousHypotheses, match="a a = 1; a a = 2"):
        prove(lambda a: (a, 0), a="vector", given=contradiction)
    with pytest.raises(VacuousHypotheses, match="divides by"):
        prove(lambda a: (inverse(a) * a, 2), a="vector", given=lambda a: (a * a, 0))
    with pytest.raises(VacuousHypotheses):
        prove(lambda a, b: (a, b), a="vector", b="vector", given=lambda a: (a, 1), dimension=2)


def test_hypotheses_that_no_real_point_satisfies_prove_nothing() -> None:
    """t^2 = -1 has no real solution, but its ideal is not everything: neither word is earned."""
    found = prove(lambda t: (t, 0), t="scalar", given=lambda t: (t * t, -1))
    assert isinstance(found, NotRun)
    proof = prove(lambda t: (t**4, 1), t="scalar", given=lambda t: (t * t, -1))
    assert proof.example is None
    assert "may say nothing" in proof.remarks[0]


def test_multivector_valued_hypotheses_need_coordinates() -> None:
    options = {"a": "vector", "b": "vector", "given": lambda a, b: (a ^ b, 0)}
    found = prove(lambda a, b: (a * b, b * a), **options)
    assert isinstance(found, NotRun)
    assert "parametrise" in found.reason
    assert "dimension=n" in found.reason
    proof = prove(lambda a, b: (a * b, b * a), **options, dimension=(2, 3))
    assert proof.claim == "POLYNOMIAL(n=2,3)"
    assert prove(lambda t, a: (a * (t * a), (t * a) * a), t="scalar", a="vector")


def test_hypotheses_are_used_and_reported() -> None:
    radical = prove(
        lambda a, b: (scalar_product(a, b), 0),
        a="vector",
        b="vector",
        given=lambda a, b: (scalar_product(a, b) ** 3, 0),
    )
    assert "a power of lhs - rhs" in radical.method
    proof = prove(lambda a, b: (a * a * b, b * a * a), a="vector", b="vector", given=unit("a"))
    assert "not needed" in proof.remarks[0]
    assert proof.example.arguments["a"] * proof.example.arguments["a"] == 1
    rotor = prove(
        lambda R, x: (norm_squared(sandwich(R, x)), norm_squared(x)), R="rotor(4)", x="vector"
    )
    assert rotor.hypotheses == ("R ~R = 1",)
    assert rotor.claim == "ALL_DIMENSIONS(vectors=5)"
    assert prove(lambda b: (outer_exp(b) * outer_exp(-b), 1), b="null bivector")
    assert prove(lambda b: (outer_exp(b) * outer_exp(-b), 1), b="blade(2)").refuted


def test_degree_bound_needs_as_many_planes_as_the_degree() -> None:
    """B ^ B ^ B = 0 holds for sums of two planes and fails for three, in six dimensions."""
    found = prove(lambda B: (B ^ B ^ B, 0), B="bivector")
    assert found.witness.signature == (6, 0, 0)
    proof = prove(lambda B: ((B ^ B) * B, B * (B ^ B)), B="bivector")
    assert proof.fixed["degree in B"] == (3,)
    assert proof.fixed["vectors"] == (6,)
    cancelled = prove(lambda B: (B * B * B - B * B * B + B, B), B="bivector")
    assert cancelled.claim == "ALL_DIMENSIONS(vectors=2, degree in B=1)"
    squares = prove(lambda B: (B * B - (B ^ B), scalar_product(B, B)), B="bivector")
    assert squares.claim == "ALL_DIMENSIONS(vectors=4, degree in B=2)"


def test_general_bivector_with_hypotheses_or_inverse_is_proved_per_dimension() -> None:
    """The degree bound says nothing about bivectors under a hypothesis."""
    proof = prove(
        lambda B: (B * B, -1 + (B ^ B)),
        B="bivector",
        given=lambda B: (scalar_product(B, B), -1),
    )
    assert proof.claim == "POLYNOMIAL(n=2..4)"  # in dimension 1 no bivector satisfies it
    proof = prove(lambda B: (B * inverse(B), 1), B="bivector", dimension=3)
    assert proof.strength is Strength.POLYNOMIAL


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (lambda B: (exp(B), 1), "transcendental"),
        (lambda B: (B, B) if B == 0 else (B, 0), "compare"),
        (lambda B: (B, B) if B else (B, 0), "branch"),
        (lambda B: (B**0.5, B), "exponent"),
        (lambda B: (B.coeffs, 0), "coeffs"),
        (lambda B: (B + Algebra(3).blade("e12"), B), "coordinates"),
        (lambda B: (Algebra(3).blade("e12") + B, B), "coordinates"),
        (lambda B: (B, B.algebra.random.bivector(None)), "no 'random'"),
    ],
)
def test_what_is_out_of_scope_is_not_run(statement: Any, reason: str) -> None:
    found = prove(statement, B="bivector")
    assert isinstance(found, NotRun)
    assert reason in found.reason
    assert not found
    assert str(found).startswith("NOT_RUN(")


def test_inverse_of_what_is_no_versor_is_not_run() -> None:
    found = prove(lambda a: (inverse(1 + a), a), a="vector")
    assert isinstance(found, NotRun)
    assert "only vectors, blades and versors" in found.reason


@pytest.mark.parametrize(
    ("statement", "options", "message"),
    [
        (lambda a: (a, a), {"given": None}, "expected given as a function"),
        (lambda a: (a, a), {"given": 5}, "expected given as a function"),
        (lambda a: (a, a), {"given": [None]}, "a hypothesis is a function"),
        (lambda a: (a, a), {"given": lambda a: 1 / 0}, "raised ZeroDivisionError"),
        (lambda a: (a.grade(0, 2), a), {}, "raised TypeError"),
        (lambda a: (grade(a), a), {}, "one grade"),
        (lambda a: (len(a), a), {}, "raised TypeError"),
        (lambda a: (a if a < 1 else 2 * a, a), {}, "raised TypeError"),
        (lambda a: sys.exit(0), {}, "raised SystemExit"),
        (lambda a: (a, a), {"signature": 3}, "a signature"),
        (lambda a: (a, a), {"signature": (1, 1, 1, 1)}, "a signature"),
        (lambda a: (a, a), {"signature": (9, 0, 0)}, "dimensions from 1 to 8"),
        (lambda a: (a, a), {"dimension": 3.0}, "dimensions from 1 to 8"),
        (dict, {}, "named parameters"),
    ],
)
def test_bad_statement_is_a_named_error(
    statement: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        prove(statement, a="vector", **options)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        (lambda a: (a ** (10**9), a), "vector"),  # ran for minutes
        (lambda a: (a * a, a), "blade(12)"),  # asked for a determinant of 12! monomials
        (lambda a: (a * a, a), "multivector(12)"),
    ],
)
def test_what_takes_too_long_is_not_run(statement: Any, kind: str) -> None:
    assert re.search("at most 64|exceeds its limit", prove(statement, a=kind).reason)


def test_dimension_may_be_an_integer_of_numpy() -> None:
    assert prove(lambda a: (a, a), a="vector", dimension=np.int64(2)).claim == "POLYNOMIAL(n=2)"


def test_bad_input_is_named() -> None:
    with pytest.raises(LayoutError, match="unknown kind 'spinor'"):
        prove(lambda a: (a, a), a="spinor")
    with pytest.raises(LayoutError, match="one kind for each"):
        prove(lambda a, b: (a, b), a="vector")
    with pytest.raises(LayoutError, match="pair"):
        prove(lambda a: a, a="vector")
    with pytest.raises(LayoutError, match="evenly many"):
        prove(lambda R: (R, R), R="rotor(3)")
    with pytest.raises(LayoutError, match="dimensions from 1"):
        prove(lambda a: (a, a), a="vector", dimension=9)
    with pytest.raises(LayoutError, match="one of dimension and signature"):
        prove(lambda a: (a, a), a="vector", dimension=2, signature=(3, 0, 0))
    with pytest.raises(LayoutError, match="a hypothesis is a function"):
        prove(lambda a: (a, a), a="vector", given=lambda b: (b, 0))
    with pytest.raises(LayoutError, match="rename"):
        prove(lambda a, a1: (a, a1), a="blade(2)", a1="vector")
    with pytest.raises(LayoutError, match="expected a function"):
        prove("a = a", a="vector")  # type: ignore[arg-type]


def test_dimension_bound_operations_are_proved_per_dimension() -> None:
    proof = prove(lambda A: (complement(complement(A)), involute(A)), A="multivector", dimension=4)
    assert proof.claim == "POLYNOMIAL(n=4)"
    proof = prove(
        lambda J, A: (complement(A), reverse(A) * J),
        J="pseudoscalar",
        A="multivector",
        signature=(3, 0, 0),
    )
    assert proof.claim == "POLYNOMIAL(n=3, signature=3,0,0)"
    general = prove(lambda J, A: (complement(A), reverse(A) * J), J="pseudoscalar", A="multivector")
    assert isinstance(general, Counterexample)
    named = prove(
        lambda a: (a.algebra.blade("e12") ** 2, -a.algebra.metric[0] * a.algebra.metric[1]),
        a="vector",
        dimension=(2, 3),
    )
    assert named.claim == "POLYNOMIAL(n=2,3)"


def test_even_elements_of_norm_one_are_rotors_below_six_dimensions_only() -> None:
    """The smallest counterexample is the one that every convention page quotes."""
    options: dict[str, Any] = {
        "R": "multivector",
        "x": "vector",
        "given": [lambda R: (R * reverse(R), 1), lambda R: (odd(R), 0)],
    }

    def keeps_vectors(R: Any, x: Any) -> Any:
        return sandwich(R, x), grade(sandwich(R, x), 1)

    assert prove(keeps_vectors, **options, dimension=(2, 3, 4)).claim == "POLYNOMIAL(n=2..4)"
    witness = prove(keeps_vectors, **options, dimension=6).witness
    assert str(witness["R"]) == "4/5 + 3/5 e₁₂₃₄₅₆"
    assert witness["R"] * reverse(witness["R"]) == 1


def test_a_large_claim_ends_with_a_reason() -> None:
    found = prove(
        lambda A, B: (A * B * A * B * A * B, 0), A="multivector", B="multivector", dimension=6
    )
    assert isinstance(found, NotRun)
    assert "exceeds its limit" in found.reason


def test_seven_vectors_take_seconds() -> None:
    def statement(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> Any:
        product = a * b * c * d * e * f * g
        return reverse(product), g * f * e * d * c * b * a

    assert prove(statement, **dict.fromkeys("abcdefg", "vector")).fixed["vectors"] == (7,)
    versors = prove(
        lambda V, W: (norm_squared(V * W), norm_squared(V) * norm_squared(W)),
        V="versor(3)",
        W="versor(4)",
    )
    assert versors.fixed["vectors"] == (7,)


def test_fixed_numbers_are_named() -> None:
    proof = prove(
        lambda s, a, b: (grade((s * a * b) ** 2, 2), 2 * s**2 * scalar_product(a, b) * (a ^ b)),
        s="scalar",
        a="vector",
        b="vector",
    )
    assert proof.claim == "ALL_DIMENSIONS(vectors=2, scalars=1, grades=2, exponents=2)"
    assert str(proof.verdict) == "ALL_DIMENSIONS(vectors=2, scalars=1)"


def test_text_and_latex() -> None:
    proof = prove(TEXTBOOK[next(iter(TEXTBOOK))][0], a="vector", b="vector", c="vector")
    assert proof.statement == "a ⌋ (b ∧ c) = ⟨a b⟩₀ c − ⟨a c⟩₀ b"
    assert proof.normal_form == "−(a·c) b + (a·b) c"
    assert r"a \rfloor \left(b \wedge c\right) = \langle a \, b \rangle_0" in proof.latex()
    assert r"(a \cdot b) c" in proof.latex()
    assert proof._repr_latex_() == f"${proof.latex()}$"
    found = prove(WRONG["B^2 is a scalar"][0], B="bivector")
    assert "e14 + e23" in found.latex()


# --- the registry ---------------------------------------------------------------------------------


def test_registry_identities_proved_in_all_dimensions() -> None:
    """Those whose arguments are vectors, planes and versors; the list grows, it never shrinks."""
    proved = {name for name, i in registry.items() if prove(i).strength == "ALL_DIMENSIONS"}
    assert len(proved) >= 31
    assert {"lagrange", "square_of_a_bivector", "projection_is_idempotent"} <= proved


def test_verification_runs_the_operations_and_reports_the_generic_proof() -> None:
    names = ["lagrange", "jacobi", "versors_keep_vectors", "both_lifts_act_alike"]
    report = verify(engines=["flint"], identities=names, signatures=[(2, 1, 0)])
    words = {cell.name: str(cell.verdict) for cell in report.claims}
    assert words["lagrange"] == "ALL_DIMENSIONS(vectors=2, scalars=0)"
    assert words["jacobi"] == "POLYNOMIAL(n=3)"
    assert words["versors_keep_vectors"].startswith("ALL_DIMENSIONS")
    assert words["both_lifts_act_alike"].startswith("AGREES")  # any rotor
    assert report.exit_status == 0


@pytest.mark.parametrize("name", registry)
def test_no_false_twin_is_proved(name: str) -> None:
    """A twin may be true in low dimensions, so that a proof for n = 1, 2, .. must end there."""
    twin = registry[name].false_twin()
    found = prove(twin.statement, **twin.kinds)
    assert found.strength is not Strength.ALL_DIMENSIONS
    if found:
        claimed = [s for n in found.fixed["n"] for s in every_signature(n)]
        assert not any(twin.applies(s) for s in claimed)


def every_signature(n: int) -> list[Any]:
    from geomlin.proving.linear_algebra import signatures

    return signatures(n)


def test_versor_action_is_orthogonal() -> None:
    proof = prove(
        lambda V, x, y: (
            scalar_product(versor_action(V, x), versor_action(V, y)),
            scalar_product(x, y),
        ),
        V="versor(3)",
        x="vector",
        y="vector",
    )
    assert proof.hypotheses == ("V1² ≠ 0", "V2² ≠ 0", "V3² ≠ 0")


class _Long:
    """Stands for a polynomial whose product would take minutes."""

    def __len__(self) -> int:
        return 1 << 20

    def __mul__(self, other: Any) -> Any:
        raise AssertionError("multiplied before the work was counted")


def test_work_is_counted_before_it_is_done() -> None:
    """A rotor of twelve vectors ran for minutes inside its first product."""
    context = generators(2)[0].algebra.gram.context
    algebra = gram.GramAlgebra(context, [[context.constant(1)]])
    with pytest.raises(gram.TooLarge, match="use fewer vectors"):
        algebra.product({0: _Long()}, {0: _Long()}, lambda r, s, m: True)
