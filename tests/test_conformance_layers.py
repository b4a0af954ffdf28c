"""The group "rotor layer" of the kit is answered by what layers compute, on torch and on jax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from geomlin import Algebra, LayoutError
from geomlin.conformance import load_vectors, run
from geomlin.conformance.backends.own import JittedJaxBackend, TorchBackend
from geomlin.conformance.vectors import select
from geomlin.nn import even_action as torch_route
from geomlin.nn import native_action
from geomlin.nn.plain import PlainAction

LAYERS = select(load_vectors(), operations=["rotor_layer"])
SMALL = [vector for vector in LAYERS if sum(vector.signature) <= 4]
NATIVE = native_action.implementation()


@pytest.mark.parametrize("native", [False, True], ids=["plain", "native"])
def test_the_layers_of_torch_answer_the_group(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if native and NATIVE is None:
        pytest.skip("no kernel was built here; where a compiler is, its own tests require it")
    called = []

    def chosen(*_: Any) -> Any:
        called.append(1)
        return NATIVE if native else PlainAction()

    monkeypatch.setattr(torch_route, "implementation", chosen)
    report = run(TorchBackend(), LAYERS)
    assert report.passed
    assert report.counts() == {"PASS": len(report.outcomes)}
    assert called, "the layer's own way was taken, not products of multivectors"


def test_the_layers_of_jax_answer_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    report = run(JittedJaxBackend(), SMALL)
    assert report.passed
    assert report.counts() == {"PASS": len(report.outcomes)}


def test_exchanged_sides_are_found_out() -> None:
    """The false twin: s x ~r."""

    class Exchanged(TorchBackend):
        def rotor_layer(self, signature: Any, r: Any, s: Any, x: Any) -> Any:
            return super().rotor_layer(signature, s, r, x)

    report = run(Exchanged(), LAYERS)
    assert not report.passed
    assert "ORDER" in report.failing_flags()


def test_other_metrics_have_no_layer_and_take_products() -> None:
    rng = np.random.default_rng(3)
    for signature in ((1, 1, 0), (2, 0, 1), (1, 0, 0)):
        alg = Algebra(*signature)
        n = alg.n
        r, s = rng.normal(size=(2, 1 << n - 1)) if n > 1 else np.ones((2, 1))
        x = rng.normal(size=1 << n)
        want = (alg.even(r) * alg.multivector(x) * ~alg.even(s)).to_dense()
        found = TorchBackend().rotor_layer(signature, r, s, x)
        assert np.abs(found - want).max() <= 1e-14 * np.abs(want).max() * 4**n


def test_the_actions_of_both_frameworks_agree_on_integers(rng: np.random.Generator) -> None:
    pytest.importorskip("jax")
    from geomlin.spinor_jax import even_action

    for n in (2, 3, 6):
        r, s = rng.integers(-3, 4, (2, 1 << n - 1)).astype(np.float32)
        x = rng.integers(-3, 4, (2, 1 << n)).astype(np.float32)
        here = torch_route.even_action(*map(torch.from_numpy, (x, r, s))).numpy()
        assert np.array_equal(np.asarray(even_action(x, r, s)), here)
        alg = Algebra(n)
        assert np.array_equal((alg.even(r) * alg.multivector(x) * ~alg.even(s)).to_dense(), here)
    with pytest.raises(LayoutError, match=r"two even elements \(2\^\(n-1\),\)"):
        even_action(x, r[1:], s)
