"""The registry: every identity holds, every false twin is refuted, and no two are the same."""

from __future__ import annotations

import ast
import inspect
import textwrap

import numpy as np
import pytest

from geomlin.identities import registry
from geomlin.identities.statement import KIND_NAMES, Identity, identity
from geomlin.signature import Signature
from geomlin.verification.engines.floating import FloatEngine
from geomlin.verification.engines.polynomial import PolynomialEngine
from geomlin.verification.engines.rational import RationalEngine
from geomlin.verification.engines.symbolic import SymbolicEngine

FLOAT_SIGNATURES = [(3, 0, 0), (0, 2, 0), (1, 3, 0), (2, 2, 0), (3, 0, 1), (1, 1, 1), (5, 0, 0)]
EXACT_SIGNATURES = [(3, 0, 0), (1, 1, 1), (1, 3, 0)]
IDENTITIES = pytest.mark.parametrize("claim", registry.values(), ids=str)


@pytest.mark.parametrize("space", FLOAT_SIGNATURES, ids=str)
@IDENTITIES
def test_holds_in_floats_and_its_twin_does_not(
    claim: Identity, space: tuple[int, int, int]
) -> None:
    s, engine = Signature(*space), FloatEngine()
    if claim.applies(s):
        verdict = engine.check(claim, s, np.random.default_rng(1))
        assert verdict.holds, verdict
        assert verdict.error is not None
        assert verdict.error <= claim.bound
    twin = claim.false_twin()
    if twin.applies(s):
        verdict = engine.check(twin, s, np.random.default_rng(2))
        assert verdict.refuted, f"the false twin survived: {verdict}"


@pytest.mark.parametrize("space", EXACT_SIGNATURES, ids=str)
@pytest.mark.parametrize("engine", [RationalEngine(), PolynomialEngine()], ids=lambda e: e.name)
@IDENTITIES
def test_exact_engines_never_refute_it(
    claim: Identity, engine: RationalEngine, space: tuple[int, int, int]
) -> None:
    s = Signature(*space)
    if not claim.applies(s):
        return
    verdict = engine.check(claim, s, np.random.default_rng(3))
    assert not verdict.refuted, verdict
    assert verdict.holds or verdict.reason


@IDENTITIES
def test_twin_is_refuted_exactly_somewhere(claim: Identity) -> None:
    """On exact numbers where the statement is rational; NOT_RUN is for exp, roots and planes."""
    twin = claim.false_twin()
    s = next(
        Signature(*x)
        for x in [*EXACT_SIGNATURES, (4, 0, 0), (2, 2, 0)]
        if twin.applies(Signature(*x))
    )
    verdict = RationalEngine().check(twin, s, np.random.default_rng(4))
    assert verdict.refuted or (verdict.word == "NOT_RUN" and verdict.reason), verdict


@pytest.mark.parametrize(
    "name", ["simple_exponential_doubles", "rotors_form_a_group", "exponential_of_the_negative"]
)
def test_sympy_checks_elementary_functions(name: str) -> None:
    claim, engine = registry[name], SymbolicEngine()
    s = Signature(2)
    assert engine.check(claim, s, np.random.default_rng(5)).holds
    if claim.false_twin().applies(s):
        assert engine.check(claim.false_twin(), s, np.random.default_rng(6)).refuted


def test_there_are_enough_of_every_kind() -> None:
    assert len(registry) >= 60
    groups = {claim.group for claim in registry.values()}
    wanted = {"ring", "involutions", "outer product", "contractions", "duality", "norms", "versors"}
    assert wanted | {"exponential", "decomposition", "double cover"} <= groups


@IDENTITIES
def test_is_fully_stated(claim: Identity) -> None:
    assert "=" in claim.equation
    assert claim.bound > 0
    assert set(claim.kinds.values()) <= set(KIND_NAMES)
    assert any(
        claim.false_twin().applies(Signature(p, q, r))
        for p, q, r in np.ndindex(7, 4, 3)
        if 1 <= p + q + r <= 6
    )
    conditional = {"simple bivector", "null bivector", "rotor"} & set(claim.kinds.values())
    if conditional and claim.group == "exponential" and "rotor" not in conditional:
        assert claim.hypotheses


class _Canonical(ast.NodeTransformer):
    """Arguments renamed by position, so that two statements compare up to names."""

    def __init__(self, names: list[str]) -> None:
        self.names = {name: f"x{i}" for i, name in enumerate(names)}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _forms(claim: Identity) -> set[str]:
    """The statement under every order of its arguments, both sides in either order."""
    from itertools import permutations

    source = textwrap.dedent(inspect.getsource(claim.statement))
    function = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef))
    body = [
        n
        for n in function.body
        if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
    ]
    forms = set()
    for order in permutations(claim.kinds):
        nodes = [_Canonical(list(order)).visit(ast.parse(ast.unparse(n)).body[0]) for n in body]
        last = nodes[-1]
        assert isinstance(last, ast.Return)
        assert isinstance(last.value, ast.Tuple | ast.Call)
        before = [ast.unparse(n) for n in nodes[:-1]]
        sides = [ast.unparse(e) for e in getattr(last.value, "elts", [last.value])]
        forms |= {"\n".join([*before, *sides]), "\n".join([*before, *reversed(sides)])}
    return forms


def test_no_two_differ_only_by_names_or_sides() -> None:
    seen: dict[str, str] = {}
    for claim in registry.values():
        for form in _forms(claim):
            assert seen.setdefault(form, claim.name) == claim.name, f"{claim.name} = {seen[form]}"


def test_registering_twice_or_badly_is_refused() -> None:
    def product_is_associative(A: object) -> tuple[object, object]:
        """A = A"""
        return A, A

    with pytest.raises(ValueError, match="registered twice"):
        identity("ring", A="vector", bound=1, twin=lambda A: (A, -A))(product_is_associative)

    def unheard_of(A: object) -> tuple[object, object]:
        """A = A"""
        return A, A

    with pytest.raises(ValueError, match="unknown kind"):
        identity("ring", A="spinor", bound=1, twin=lambda A: (A, -A))(unheard_of)
    with pytest.raises(ValueError, match="one kind for each argument"):
        identity("ring", B="vector", bound=1, twin=lambda B: (B, -B))(unheard_of)
    assert "unheard_of" not in registry
