"""Batches, layouts, dimensions and refused input of the invariant decomposition kernels."""

from __future__ import annotations

import numpy as np
import pytest
from decomposition_checks import BOOST, EPS, NULL, ROTATION, ZERO, antisymmetric

from geomlin.errors import LayoutError, NonFiniteInput
from geomlin.kernels.planes import Parts, decompose
from geomlin.signature import Signature
from geomlin.verification.regimes import mixed_batch


@pytest.mark.parametrize(("p", "q"), [(5, 0), (0, 6), (3, 1), (2, 2), (3, 2), (3, 3)])
def test_a_mixed_batch_equals_its_elements(p, q):
    space = Signature(p, q)
    batch = mixed_batch(space, np.random.default_rng(5))[:60]
    together = decompose(batch, space.metric)
    assert np.isfinite(together.parts).all()
    for index, b in enumerate(batch):
        alone = decompose(b, space.metric)
        unit = np.abs(b).max() or 1.0
        np.testing.assert_array_equal(alone.kinds, together.kinds[index])
        assert np.abs(alone.parts - together.parts[index]).max() <= 4 * EPS * unit


@pytest.mark.parametrize("g", [(1, 1, 1, 1), (1, 1, 1, -1), (1, 1, -1, -1), (1, 1, 1, 0)])
def test_shapes_and_layouts(g):
    n, rng = len(g), np.random.default_rng(6)
    b = rng.normal(size=(3, 2, n, n))
    b = b - np.swapaxes(b, -1, -2)
    reference = decompose(b, g)
    assert [x.shape for x in reference] == [(3, 2, 2, n, n), (3, 2, 2), (3, 2, 2)]
    assert [x.dtype for x in reference] == [np.float64, np.complex128, np.int8]
    frozen = np.asfortranarray(b)
    frozen.flags.writeable = False
    doubled = np.repeat(b, 2, axis=0)[::2]
    for other in (frozen, doubled, b[::-1][::-1]):
        for x, y in zip(decompose(other, g), reference, strict=True):
            np.testing.assert_array_equal(x, y)
    empty = decompose(np.zeros((0, 5, n, n)), g)
    assert [x.shape for x in empty] == [(0, 5, 2, n, n), (0, 5, 2), (0, 5, 2)]
    nothing = decompose(np.zeros((n, n)), g)
    assert nothing.kinds.tolist() == [ZERO, ZERO]
    assert not nothing.parts.any()


@pytest.mark.parametrize("g", [(), (1,), (0,), (-1,), (1, 0), (1, -1), (1, 1)])
def test_the_smallest_dimensions(g):
    found = decompose(antisymmetric(np.ones((len(g), len(g)))), g)
    assert isinstance(found, Parts)
    assert found.parts.shape == (len(g) // 2, len(g), len(g))
    kind = {(1, 0): NULL, (1, -1): BOOST, (1, 1): ROTATION}.get(g)
    assert found.kinds.tolist() == ([] if kind is None else [kind])


def test_input_is_checked():
    with pytest.raises(LayoutError, match="expected antisymmetric"):
        decompose(np.zeros((3, 4)), (1, 1, 1))
    with pytest.raises(NonFiniteInput):
        decompose(np.full((3, 3), np.nan), (1, 1, 1))


@pytest.mark.parametrize("g", [(1, 1, 1, -1), (1, 1, 1, 1), (1, 1, -1, -1), (1, 1, 1, 0)])
def test_denormals_beside_one_change_nothing(g):
    b = antisymmetric(np.full((4, 4), 2e-323))
    b[0, 1], b[1, 0] = 1.0, -1.0
    found = decompose(b, g)
    assert found.kinds.tolist() == [ROTATION, NULL if 0 in g else ZERO]
    np.testing.assert_allclose(found.parts[0], b, rtol=0, atol=1e-300)
