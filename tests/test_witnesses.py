"""The outside witnesses: their operations, what they refute, and who is right when they differ.

clifford is asked in a process of its own, where numba does not compile it: the numbers are the
same, and the first call of each function takes microseconds instead of seconds.
"""

from __future__ import annotations

import builtins
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from math import inf
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import geomlin
from geomlin import Algebra, NotSupported
from geomlin.identities import registry
from geomlin.identities.statement import Identity
from geomlin.signature import Signature
from geomlin.verdict import Strength, Verdict
from geomlin.verification.arguments import Arguments
from geomlin.verification.engines.foreign import ForeignEngine
from geomlin.verification.engines.symbolic_witness import SymbolicWitness, vanishes
from geomlin.verification.report import Report
from geomlin.witnesses.arbitration import Arbiter, WitnessFault
from geomlin.witnesses.clifford import CliffordLibrary
from geomlin.witnesses.foreign import ForeignAlgebra, ForeignMultivector, Library, disagreements
from geomlin.witnesses.galgebra import GalgebraLibrary
from geomlin.witnesses.records import summarised

Run = Callable[..., Any]
SIGNATURES = [(2, 0, 0), (3, 0, 0), (1, 2, 0), (3, 0, 1), (1, 3, 0)]
EXACT_SIGNATURES = [(2, 0, 0), (3, 0, 0), (1, 2, 0), (2, 0, 1)]
ARGUMENTS = {  # A, B multivectors; V even versor, v vector, P plane, all invertible; b bivector
    "add": "AB",
    "subtract": "AB",
    "geometric_product": "AB",
    "outer_product": "AB",
    "left_contraction": "AB",
    "right_contraction": "AB",
    "scalar_product": "AB",
    "commutator": "AB",
    "anticommutator": "AB",
    "reverse": "A",
    "involute": "A",
    "conjugate": "A",
    "grade": "A2",
    "even": "A",
    "odd": "A",
    "complement": "A",
    "regressive_product": "AB",
    "dual": "A",
    "undual": "A",
    "norm_squared": "A",
    "norm": "v",
    "normalize": "v",
    "inverse": "A",
    "sandwich": "VA",
    "versor_action": "vA",
    "project": "AP",
    "reject": "AP",
    "reflect": "Av",
    "exp": "b",
    "rotor_to_matrix": "R",
    "rotor_from_matrix": "M",
}
ROUNDED = ("norm", "normalize", "inverse", "versor_action", "project", "reject", "reflect", "exp")
ROUNDED += ("rotor_to_matrix", "rotor_from_matrix")


@pytest.fixture(scope="module")
def apart() -> Iterator[Run]:
    """Calls a function in the process where clifford is not compiled and warnings are errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        strict = {"initializer": warnings.simplefilter, "initargs": ("error",)}
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), **strict) as pool:
            pool.submit(int).result()  # the process starts under this environment
            yield lambda function, *args: pool.submit(function, *args).result()


def operands(algebra: Algebra, rng: np.random.Generator, shift: Any = 0) -> dict[str, Any]:
    """Small-integer arguments, so that products of floats are exact; `shift` is added to A."""
    n = algebra.n

    def integers(size: int) -> Any:
        return rng.integers(-3, 4, size=size)

    def regular(make: Callable[[], Any]) -> Any:
        while True:
            made = make()
            if geomlin.norm_squared(made).coeffs[0] != 0:
                return made

    def vector() -> Any:
        return regular(lambda: algebra.vector(integers(n)))

    def invertible() -> Any:
        while True:
            made = algebra.multivector(integers(2**n))
            try:
                geomlin.inverse(made)
            except geomlin.NotInvertible:
                continue
            return made + shift

    versor = vector() * vector()
    rotor = versor * versor * Fraction(1, int(geomlin.norm_squared(versor).coeffs[0]))
    return {
        "A": invertible(),
        "B": algebra.multivector(integers(2**n)),
        "V": versor,
        "v": vector(),
        "P": regular(lambda: vector() ^ vector()),
        "b": algebra.bivector(integers(n * (n - 1) // 2)),
        "R": rotor,
        "2": 2,
    }


def by_both(library: Library, name: str, values: dict[str, Any]) -> tuple[Any, Any]:
    """One operation, by the library and by geomlin, as arrays of all coefficients."""
    if name == "rotor_from_matrix":
        matrix = geomlin.rotor_to_matrix(values["R"])
        found = library.call(name, (matrix, ForeignAlgebra(library)), {})
        ours = geomlin.rotor_from_matrix(matrix, library.algebra)
        sign = np.sign(library.to_dense(found.value) @ ours.to_dense())
        return library.to_dense(found.value) * sign, ours.to_dense()
    arguments = [values[letter] for letter in ARGUMENTS[name]]
    wrapped = [library.wrap(a) if hasattr(a, "coeffs") else a for a in arguments]
    found = library.call(name, tuple(wrapped), {})
    if name == "add":
        return library.to_dense(found.value), (arguments[0] + arguments[1]).to_dense()
    if name == "subtract":
        return library.to_dense(found.value), (arguments[0] - arguments[1]).to_dense()
    ours = getattr(geomlin, name)(*arguments)
    if not isinstance(found, ForeignMultivector):
        return found, ours
    return library.to_dense(found.value), ours.to_dense()


def mismatches(signature: tuple[int, int, int]) -> dict[str, float]:
    """Largest difference of every operation of clifford, relative to the largest coefficient."""
    library = CliffordLibrary(Signature(*signature))
    rng = np.random.default_rng(20)
    found = {}
    for name in sorted(library.operations):
        if library.signature.r and name in ("dual", "undual"):
            continue
        for _ in range(5):
            theirs, ours = by_both(library, name, operands(library.algebra, rng))
            gap = np.abs(theirs - ours).max() / max(1.0, np.abs(ours).max())
            found[name] = max(found.get(name, 0.0), float(gap))
    return found


@pytest.mark.parametrize("signature", SIGNATURES)
def test_every_operation_of_clifford_agrees(apart: Run, signature: tuple[int, int, int]) -> None:
    found = apart(mismatches, signature)
    missing = {"right_contraction"} | ({"dual", "undual"} if signature[2] else set())
    assert set(found) == set(ARGUMENTS) - missing
    assert {k: v for k, v in found.items() if k not in ROUNDED and v > 0} == {}
    assert {k: v for k, v in found.items() if v > 1e-9} == {}


@pytest.mark.parametrize("signature", EXACT_SIGNATURES)
def test_every_operation_of_galgebra_agrees_exactly(signature: tuple[int, int, int]) -> None:
    import sympy

    library = GalgebraLibrary(Signature(*signature))
    missing = {"complement", "regressive_product", "rotor_from_matrix"}
    assert set(library.operations) == set(ARGUMENTS) - missing
    rng = np.random.default_rng(21)
    t = sympy.Symbol("t", positive=True)
    for name in sorted(library.operations):
        if library.signature.r and name in ("dual", "undual"):
            continue
        shift = 0 if name == "inverse" else t
        theirs, ours = by_both(library, name, operands(library.algebra, rng, shift))
        assert all(vanishes(x) for x in (theirs - ours).reshape(-1)), name


def test_dual_is_refused_where_clifford_would_return_a_complement(apart: Run) -> None:
    with pytest.raises(NotSupported, match="complement in degenerate metrics"):
        apart(_dual_in_degenerate_metric)


def _dual_in_degenerate_metric() -> Any:
    library = CliffordLibrary(Signature(2, 0, 1))
    return library.call("dual", (library.wrap(library.algebra.blade("e1")),), {})


# --- engines ------------------------------------------------------------------------------


def verdicts(signature: tuple[int, int, int]) -> dict[str, tuple[str, str]]:
    """What clifford says about every identity."""
    engine = ForeignEngine(CliffordLibrary, 6)
    rng = np.random.default_rng(22)
    found = {
        name: engine.check(identity, Signature(*signature), rng)
        for name, identity in registry.items()
        if identity.applies(Signature(*signature))
    }
    return {name: (str(v.word), v.witness or v.reason) for name, v in found.items()}


@pytest.mark.parametrize("signature", [(3, 0, 0), (1, 3, 0), (3, 0, 1)])
def test_clifford_confirms_the_registry(apart: Run, signature: tuple[int, int, int]) -> None:
    found = apart(verdicts, signature)
    assert {k: v for k, v in found.items() if v[0] == "REFUTED"} == {}
    silent = {k: v for k, v in found.items() if v[0] == "NOT_RUN"}
    assert all(reason.startswith("clifford has no ") for _, reason in silent.values()), silent
    assert Counter(word for word, _ in found.values())["AGREES"] >= 80


def test_galgebra_confirms_the_registry_along_symbolic_lines() -> None:
    engine = SymbolicWitness(GalgebraLibrary, 4)
    rng = np.random.default_rng(23)
    plane = Signature(1, 1, 0)
    found = {
        name: engine.check(identity, plane, rng)
        for name, identity in registry.items()
        if identity.applies(plane)
    }
    assert {k: str(v) for k, v in found.items() if v.refuted} == {}
    assert Counter(v.word for v in found.values())[Strength.AGREES] >= 70


class WrongSign(CliffordLibrary):
    """clifford with the reverse replaced by the Clifford conjugate."""

    @property
    def operations(self) -> Any:
        right = CliffordLibrary.operations.func(self)
        return {**right, "reverse": lambda a: a.conjugate()}


class WrongSymbolicSign(GalgebraLibrary):
    """galgebra with the left contraction of the wrong sign."""

    @property
    def operations(self) -> Any:
        right = GalgebraLibrary.operations.func(self)
        return {**right, "left_contraction": lambda a, b: -(a < b)}


def _planted(name: str) -> Verdict:
    engine = ForeignEngine(WrongSign, 6)
    return engine.check(registry[name], Signature(3, 0, 0), np.random.default_rng(24))


def test_a_wrong_sign_in_a_witness_is_refuted(apart: Run) -> None:
    # an identity that the wrong operation breaks, and one that it satisfies as well as the right
    for name in ("reverse_with_a_bivector", "reverse_of_a_wedge"):
        found = apart(_planted, name)
        assert found.refuted, name
        assert "by clifford: lhs [" in found.witness


def test_a_wrong_symbolic_sign_is_refuted() -> None:
    engine = SymbolicWitness(WrongSymbolicSign, 4)
    for name in ("contraction_from_the_product", "contraction_by_a_wedge"):
        found = engine.check(registry[name], Signature(3, 0, 0), np.random.default_rng(25))
        assert found.refuted, name
        assert "lhs by galgebra [" in found.witness


def _twins(count: int) -> list[str]:
    engine = ForeignEngine(CliffordLibrary, 6)
    space, rng = Signature(3, 0, 0), np.random.default_rng(26)
    twins = [identity.false_twin() for identity in registry.values()]
    kept = [twin for twin in twins if twin.applies(space)][:count]
    return [twin.name for twin in kept if engine.check(twin, space, rng).holds]


def test_clifford_refutes_the_false_twins(apart: Run) -> None:
    assert apart(_twins, 30) == []


# --- who is right -------------------------------------------------------------------------


def _dense_exponential() -> tuple[str, bool, Any, list[Any], list[str]]:
    library = CliffordLibrary(Signature(6, 0, 0))
    signs = np.random.default_rng(27).choice([-0.99, 0.99], size=15)
    bivector = library.algebra.bivector(signs)
    with pytest.raises(WitnessFault) as caught:
        library.call("exp", (library.wrap(bivector),), {})
    found = disagreements(library)
    record = library.arbiter.accuracy["exp"]
    lines = list(summarised(library.arbiter.accuracies()))
    return str(caught.value), caught.value.geomlin_is_right, record, found, lines


def test_dense_norm_fault_of_clifford_exp_is_decided_for_geomlin(apart: Run) -> None:
    message, geomlin_is_right, record, found, lines = apart(_dense_exponential)
    assert geomlin_is_right
    assert "geomlin is right" in message
    assert record.calls == record.faults == 1
    assert record.worst > 1e-3 / np.finfo(float).eps  # wrong in the third digit
    assert record.ours < 64
    dense = next(d for d in found if d.operation == "exp")
    assert (dense.their_error, dense.our_error) == (record.worst, record.ours)
    assert dense.where.startswith("Cl(6), ")
    assert "0.99 e12" in dense.where
    assert "14 terms" in dense.why
    assert len(lines) == 1
    assert re.match(r"clifford exp: 1 calls .* worst \S+ eps in Cl\(6\)", lines[0])


def _on_elements(*bivectors: list[float]) -> Verdict:
    engine = ForeignEngine(CliffordLibrary, 6)
    algebra = Algebra(4)
    elements = [
        Arguments({"B": B}, {"B": [B]}, {"B": "bivector"})
        for B in (algebra.bivector(b) for b in bivectors)
    ]
    identity = registry["exponential_of_the_negative"]
    return engine.judge(identity, Signature(4, 0, 0), elements)


def test_elements_where_the_witness_is_wrong_are_left_out_and_said(apart: Run) -> None:
    dense, small = [0.99] * 6, [0.25, 0, 0, 0, 0, 0.5]
    both = apart(_on_elements, dense, small)
    assert both.holds
    assert "left out 1 of 2 elements: clifford's exp is off by" in both.reason
    alone = apart(_on_elements, dense)
    assert alone.word is Strength.NOT_RUN
    assert alone.reason.startswith("on every element: clifford's exp is off by")
    assert apart(_on_elements, small).reason == ""


def _guarded(kind: str) -> Any:
    library = CliffordLibrary(Signature(3, 0, 0))
    algebra = library.algebra
    argument = algebra.bivector([5e18, 0, 0]) if kind == "huge" else algebra.vector([1, 0, 0])
    return library.call("exp", (library.wrap(argument),), {})


def test_exp_is_never_called_where_it_hangs_or_cannot_be_judged(apart: Run) -> None:
    with pytest.raises(NotSupported, match="does not return"):
        apart(_guarded, "huge")
    with pytest.raises(NotSupported, match="no certified value"):
        apart(_guarded, "vector")


def _tiny_inverse() -> tuple[str, bool, list[Any]]:
    library = CliffordLibrary(Signature(3, 0, 0))
    tiny = library.algebra.vector([1e-7, 0, 0])
    with pytest.raises(WitnessFault) as caught:
        library.call("inverse", (library.wrap(tiny),), {})
    return str(caught.value), caught.value.geomlin_is_right, library.arbiter.disagreements()


def test_refusal_of_a_good_input_counts_against_the_witness(apart: Run) -> None:
    message, geomlin_is_right, found = apart(_tiny_inverse)
    assert geomlin_is_right
    assert "clifford's inverse gives no result" in message
    assert "ValueError: no inverse exists" in message
    assert [d.their_error for d in found] == [inf]


def _engine_wide() -> tuple[list[str], list[tuple[str, str, int]]]:
    engine = ForeignEngine(CliffordLibrary, 6)
    for signature in (Signature(2, 0, 0), Signature(3, 0, 0)):
        library = engine.library(signature)
        plane = library.algebra.bivector({"e12": 0.5})
        library.call("exp", (library.wrap(plane),), {})
    report = Report(seed=0)
    for signature in (Signature(2, 0, 0), Signature(3, 0, 0)):
        faults, accuracies = engine.collect(signature)
        report.disagreements += faults
        report.accuracies += accuracies
    told = [d.operation for d in report.worst_disagreements()]
    return told, [(a.operation, a.signature, a.calls) for a in report.accuracies]


def test_engine_collects_accuracies_and_names_each_probe_once(apart: Run) -> None:
    operations, accuracies = apart(_engine_wide)
    assert sorted(operations) == ["A ** -1", "LinearMatrix.from_rotor(R)(e1)"]
    assert accuracies == [("exp", "Cl(2)", 1), ("exp", "Cl(3)", 1)]


def _probed() -> dict[str, tuple[float, float]]:
    found = CliffordLibrary(Signature(3, 0, 0)).probes()
    return {d.operation: (d.their_error, d.our_error) for d in found}


def test_faults_outside_the_identities_are_computed(apart: Run) -> None:
    found = apart(_probed)
    assert set(found) == {"A ** -1", "LinearMatrix.from_rotor(R)(e1)"}
    for theirs, ours in found.values():
        assert theirs > 1e15
        assert ours < 4


def _arbiter() -> Arbiter:
    return Arbiter("stub", Signature(2, 0, 0), {"f": 8.0}, {"f": "Because."})


def _judge(arbiter: Arbiter, theirs: float, ours: float, condition: float = 1.0) -> Any:
    one = [Fraction(1)]
    return arbiter.judge(
        "f",
        lambda: theirs,
        lambda value: [value],
        lambda: [ours],
        one,
        where="x",
        condition=lambda: condition,
    )


def test_arbitration_knows_all_four_outcomes() -> None:
    eps = float(np.finfo(float).eps)
    arbiter = _arbiter()
    assert _judge(arbiter, 1 + 4 * eps, 1.0) == 1 + 4 * eps
    assert arbiter.allowance == 8.0
    assert _judge(arbiter, 1.0, 2.0) == 1.0  # geomlin is wrong: the engine's comparison refutes it
    with pytest.raises(WitnessFault, match=r"off by 16 eps.*geomlin is right.*Because") as caught:
        _judge(arbiter, 1 + 16 * eps, 1.0)
    assert caught.value.geomlin_is_right
    with pytest.raises(WitnessFault, match="neither is right") as caught:
        _judge(arbiter, 2.0, 3.0)
    assert not caught.value.geomlin_is_right
    record = arbiter.accuracy["f"]
    assert (record.calls, record.faults) == (4, 2)
    assert [d.their_error for d in arbiter.disagreements()] == [1 / eps]


def test_condition_number_widens_the_stated_accuracy() -> None:
    eps = float(np.finfo(float).eps)
    arbiter = _arbiter()
    assert _judge(arbiter, 1 + 16 * eps, 1.0, condition=2.0) == 1 + 16 * eps
    assert arbiter.allowance == 16.0
    with pytest.raises(WitnessFault):
        _judge(arbiter, float("nan"), 1.0, condition=2.0)


def test_refusal_is_judged_with_the_condition_number_too() -> None:
    eps = float(np.finfo(float).eps)

    def refuse(condition: float) -> WitnessFault:
        with pytest.raises(
            WitnessFault, match=r"gives no result.*It raised ZeroDivisionError"
        ) as e:
            _arbiter().judge(
                "f",
                lambda: 1 / 0,
                lambda value: [value],
                lambda: [1 + 16 * eps],
                [Fraction(1)],
                where="x",
                condition=lambda: condition,
            )
        return e.value

    assert refuse(condition=2.0).geomlin_is_right
    assert not refuse(condition=1.0).geomlin_is_right


def test_both_wrong_is_a_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: Any) -> Any:
        raise WitnessFault("neither is right", geomlin_is_right=False)

    engine = ForeignEngine(CliffordLibrary, 6)
    monkeypatch.setattr(engine, "_compare", fault)
    monkeypatch.setattr(engine, "library", lambda signature: None)
    found = engine.judge(registry["polarization"], Signature(2, 0, 0), [_nothing()])
    assert found.refuted


def _nothing() -> Arguments:
    return Arguments({}, {}, {})


# --- absence and side effects -------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "package"),
    [
        (ForeignEngine(CliffordLibrary, 6), "clifford"),
        (SymbolicWitness(GalgebraLibrary, 4), "galgebra"),
    ],
)
def test_missing_package_is_said(
    monkeypatch: pytest.MonkeyPatch, engine: Any, package: str
) -> None:
    identity: Identity = registry["polarization"]
    monkeypatch.setitem(sys.modules, package, None)
    found = engine.check(identity, Signature(2, 0, 0), np.random.default_rng(28))
    assert found.word is Strength.NOT_RUN
    assert found.reason == f"{package} is not installed: pip install 'geomlin[oracles]'"
    beyond = engine.check(identity, Signature(9, 0, 0), np.random.default_rng(28))
    assert "it takes too long" in beyond.reason


def test_galgebra_changes_neither_print_nor_the_repr_of_sympy() -> None:
    import sympy

    GalgebraLibrary.load()
    assert builtins.print.__module__ == "builtins"
    assert "galgebra" not in sympy.Symbol("x").__repr__.__func__.__module__


def test_galgebra_says_nothing_when_the_pseudoscalar_is_null(
    capsys: pytest.CaptureFixture[str],
) -> None:
    GalgebraLibrary(Signature(1, 0, 1))
    assert capsys.readouterr().out == ""


def test_dual_does_not_depend_on_the_mode_of_galgebra(monkeypatch: pytest.MonkeyPatch) -> None:
    library = GalgebraLibrary(Signature(3, 0, 0))
    from galgebra.ga import Ga

    e1 = library.algebra.blade("e1")
    for mode in ("I+", "-Iinv"):
        monkeypatch.setattr(Ga, "dual_mode_value", mode)
        found = library.call("dual", (library.wrap(e1),), {})
        assert library.unwrap(found.value) == geomlin.dual(e1)


def test_vanishing_is_decided_for_the_functions_that_exponentials_bring() -> None:
    import sympy

    t = sympy.Symbol("t", positive=True)
    root = sympy.sqrt(14) * t
    assert vanishes(sympy.cos(root) ** 2 + sympy.sin(root) ** 2 - 1)
    assert vanishes(
        sympy.cosh(t) * sympy.cosh(2 * t) + sympy.sinh(t) * sympy.sinh(2 * t) - sympy.cosh(3 * t)
    )
    assert vanishes((t**2 - 1) / (t - 1) - t - 1)
    assert not vanishes(sympy.cos(root) - 1)
    assert not vanishes(t - sympy.Rational(7, 5) + sympy.Rational(1, 10**6))
