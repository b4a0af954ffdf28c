"""The vectors test themselves: schema, lint, ids, exactness, and that they can be made again."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geomlin import Algebra, LayoutError, NotSupported
from geomlin.conformance import FLAGS, OPERATIONS, load_vectors, regimes
from geomlin.conformance.export import documents, drafts, fingerprint, numbered, registered, text
from geomlin.conformance.inputs import fits
from geomlin.conformance.lint import lint
from geomlin.conformance.operations import GROUPS
from geomlin.conformance.references import texts, unit_text
from geomlin.conformance.schema import schema, violations
from geomlin.conformance.vectors import Vector, folder, load_files, number, number_text, select

VECTORS = load_vectors()
FILES = load_files()


def test_there_is_something_in_every_group() -> None:
    assert set(FILES) == set(GROUPS)
    assert {v.operation.name for v in VECTORS} == set(OPERATIONS)
    assert len(VECTORS) > 900
    size = sum(path.stat().st_size for path in folder().glob("*.json"))
    assert size < 3_000_000


def test_the_shipped_vectors_lint() -> None:
    assert lint(FILES, registered()) == []


def test_the_files_name_their_command_and_version() -> None:
    for document in FILES.values():
        assert document["command"].startswith("geomlin vectors export")
        assert document["version"] == "1.0"
        assert document["operations"]
        assert all(flag["reason"] for flag in document["flags"].values())


@pytest.mark.parametrize(
    ("group", "spoil", "complaint"),
    [
        ("exp", lambda d: d["tests"][0].update(id=d["tests"][1]["id"]), "is used 2 times"),
        ("exp", lambda d: d["tests"][0].pop("comment"), "'comment' is missing"),
        ("exp", lambda d: d["tests"][0].update(extra=1), "'extra' is not allowed"),
        ("exp", lambda d: d["tests"][0]["input"].update(b=["0.1"]), "does not match"),
        ("exp", lambda d: d["tests"][0]["input"]["b"].append("1"), "numbers, expected"),
        ("exp", lambda d: d["tests"][0]["flags"].append("NO_SUCH"), "NO_SUCH"),
        ("exp", lambda d: d["tests"][0].update(comment="R should be 1"), "states a fact"),
        ("exp", lambda d: d["tests"][0].update(result="invalid"), "does not go with"),
        ("exp", lambda d: d["tests"][0]["output"].update(rad="0.1"), "is not narrow"),
        ("exp", lambda d: d["tests"][0]["output"].update(unit="0"), "is not positive"),
        ("exp", lambda d: d["tests"][0]["output"]["mid"].pop(), "numbers, got"),
        ("exp", lambda d: d["tests"][0].update(operation="log"), "not of this group"),
        ("exp", lambda d: d["tests"][0]["input"].update(b=["7"]), "an id is never reused"),
        ("exp", lambda d: d["tests"].append({**d["tests"][0], "id": 10**6}), "occurs 2 times"),
        ("exp", lambda d: d["flags"].pop("HALF_ANGLE"), "HALF_ANGLE is used and not explained"),
        ("exp", lambda d: d.update(format="another"), "expected 'geomlin conformance"),
        (
            "product",
            lambda d: d["tests"][0].update(mistakes={"ORDER": d["tests"][0]["output"]["mid"]}),
            "is the right answer",
        ),
    ],
)
def test_the_linter_sees_what_is_wrong(group: str, spoil: Any, complaint: str) -> None:
    spoilt = copy.deepcopy(FILES)
    spoil(spoilt[group])
    found = lint(spoilt, registered())
    assert any(complaint in problem for problem in found), found


def test_an_unearned_flag_is_seen() -> None:
    fewer = copy.deepcopy(FILES)
    fewer["decomposition"]["tests"] = [
        t for t in fewer["decomposition"]["tests"] if "NOT_DECOMPOSABLE" not in t["flags"]
    ]
    fewer["decomposition"]["flags"].pop("NOT_DECOMPOSABLE")
    assert any("NOT_DECOMPOSABLE" in problem for problem in lint(fewer, registered()))


def test_every_flag_has_a_kind_and_a_reason() -> None:
    for name, flag in FLAGS.items():
        assert name == name.upper()
        assert flag.kind in ("convention", "shape", "domain", "number")
        assert 10 < len(flag.reason) < 200


def test_the_schema_is_one_that_the_validator_knows_in_full() -> None:
    for document in FILES.values():
        assert list(violations(document)) == []
    with pytest.raises(NotSupported, match="oneOf"):
        list(violations({}, {"oneOf": []}))
    assert schema()["additionalProperties"] is False


def test_new_inputs_get_new_numbers_and_old_ones_keep_theirs() -> None:
    tests = [{**t, "id": None} for t in FILES["layer"]["tests"]]
    for test in tests:
        del test["id"]
    ids = {"3": fingerprint(tests[1]), "900": "of an input that is gone"}
    found = numbered(tests, ids)
    assert [test["id"] for test in found[:3]] == [901, 3, 902]
    assert ids["900"] == "of an input that is gone"
    assert numbered(tests, ids) == found


def test_products_and_layers_are_made_again_to_the_byte() -> None:
    """The groups that take no time; all of them are made again by the slow test."""
    from geomlin.conformance.catalogue_products import layer_drafts, sandwich_drafts

    for group, made in (("sandwich", sandwich_drafts()), ("layer", layer_drafts())):
        assert numbered(made, registered()) == FILES[group]["tests"]


@pytest.mark.slow
def test_everything_is_made_again_to_the_byte() -> None:
    ids = registered()
    made = documents(ids)
    assert ids == registered()
    for group, document in made.items():
        shipped = (folder() / f"{group}.json").read_text(encoding="utf-8")
        assert text(document) == shipped, group


def test_numbers_come_back_exactly() -> None:
    values = [0.0, 1.0, -3.0, 0.1, -1e-300, 5e-324, 2.0**60, 1e300, 0.5]
    assert [number(number_text(x)) for x in values] == values
    assert number_text(-1.5) == "-0x1.8p+0"
    assert np.isnan(number(number_text(float("nan"))))
    assert number("-inf") == -np.inf


def test_texts_round_to_a_common_spacing_and_bound_the_error() -> None:
    exact = [Fraction(1, 3), Fraction(-2, 3), Fraction(1, 10**30)]
    mid, rad = texts(exact, 1.0)
    assert mid[2] == "0"
    assert all(abs(Fraction(m) - x) <= Fraction(rad) / 2 for m, x in zip(mid, exact, strict=True))
    assert texts([Fraction(3), Fraction(-4)], 1.0) == (["3", "-4"], "0")
    assert [unit_text(x) for x in (1.0, 0.0012345, 98765.0)] == ["1", "0.00124", "988e2"]
    with pytest.raises(ArithmeticError):
        unit_text(0.0)


def test_inputs_are_held_exactly_by_the_dtypes_that_are_named() -> None:
    for vector in VECTORS:
        values = [x for array in vector.inputs.values() for x in array.ravel().tolist()]
        for dtype in vector.dtypes:
            assert fits(values, dtype), vector


def test_integer_products_are_what_exact_arithmetic_says() -> None:
    """Read back through the public functions on fractions: the vectors say what they mean."""
    import geomlin

    chosen = [v for v in VECTORS if "INTEGERS" in v.flags and v.operation.group == "product"]
    assert len(chosen) > 60
    for vector in chosen:
        algebra = Algebra(*vector.signature, backend="fractions")
        function = getattr(geomlin, vector.operation.name)
        operands = [
            algebra.multivector([Fraction(t) for t in vector.data["input"][name]])
            for name in vector.operation.arguments
        ]
        exact = function(*operands).to_dense()
        rad = Fraction(vector.data["output"]["rad"])
        for mid, value in zip(vector.data["output"]["mid"], exact, strict=True):
            assert abs(Fraction(mid) - value) <= rad


def test_ten_answers_are_what_mpmath_says() -> None:
    """cos and sin of one plane by a third library, at 30 digits."""
    import mpmath

    mpmath.mp.dps = 40
    planes = [
        v
        for v in select(VECTORS, operations=["exp"])
        if v.signature in ((2, 0, 0), (3, 0, 0)) and v.output is not None
    ]
    assert len(planes) >= 10
    for vector in planes:
        b = [mpmath.mpf(float(x)) for x in vector.inputs["b"]]
        size = mpmath.sqrt(sum(x * x for x in b))
        sine = mpmath.sin(size) / size if size else mpmath.mpf(1)
        expected = [mpmath.cos(size), *(sine * x for x in b)]
        for mid, value in zip(vector.data["output"]["mid"], expected, strict=True):
            assert abs(mpmath.mpf(mid) - value) <= 2 * mpmath.mpf(vector.data["output"]["rad"])


def test_a_folder_without_vectors_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="expected files of conformance vectors"):
        load_vectors(tmp_path)


def test_vectors_of_another_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "layer.json").write_text(json.dumps(FILES["layer"]), encoding="utf-8")
    found = load_vectors(tmp_path)
    assert [v.id for v in found] == [t["id"] for t in FILES["layer"]["tests"]]
    assert str(found[0]).startswith("rotor_layer ")


def test_regimes_are_public() -> None:
    cases = regimes.bivectors(regimes.signature(4, 0, 0), np.random.default_rng(0))
    assert {case.regime for case in cases} <= set(regimes.REGIMES)
    assert all(regime.reason for regime in regimes.REGIMES.values())


def test_the_gradient_table_is_complete() -> None:
    """zero, one plane, equal angles, nearly equal angles, null, half turn, up to n = 10."""
    found = {(sum(v.signature), flag) for v in VECTORS for flag in v.flags if "vjp" in str(v)}
    for n in (4, 6, 8, 10):
        for flag in ("AT_ZERO", "EQUAL_ANGLES", "NEAR_EQUAL", "HALF_TURN"):
            assert (n, f"GRADIENT_{flag}") in found
    assert (3, "GRADIENT_NULL") in found


def test_drafts_have_no_numbers_yet() -> None:
    first = next(drafts())
    assert "id" not in first
    assert isinstance(Vector({"id": 1, **first}).output, object)
