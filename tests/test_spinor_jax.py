"""The rotor action in plain jax against products of blades, under jit and grad."""

from __future__ import annotations

import numpy as np
import pytest

from geomlin import Algebra, LayoutError, exp
from geomlin.spinor_jax import rotor_action

jax = pytest.importorskip("jax")


@pytest.mark.parametrize("n", [2, 3, 4, 6, 8, 10, 11])
def test_value_against_blades(n: int, rng: np.random.Generator) -> None:
    algebra, count = Algebra(n), n * (n - 1) // 2
    b = rng.normal(size=(2, count)).astype(np.float32) / 3
    x = rng.normal(size=(2, 1 << n)).astype(np.float32)
    r, s = (exp(algebra.bivector(side.astype(np.float64))) for side in b)
    want = (r * algebra.multivector(x.astype(np.float64)) * ~s).to_dense()
    action = rotor_action if n == 4 else jax.jit(rotor_action)
    found = np.asarray(action(x, *b))
    assert np.abs(found - want).max() <= 2e-5 * np.abs(want).max()  # exp in float32
    swapped = np.asarray(action(x, b[1], b[0]))
    assert np.abs(swapped - want).max() > 0.1 * np.abs(want).max()


@pytest.mark.parametrize("n", [4, 6])
def test_gradient_at_equal_angles(n: int, rng: np.random.Generator) -> None:
    """Finite, and the slope of the loss along a line, at n // 2 planes of one angle."""
    rows, columns = np.triu_indices(n, 1)
    matrix = np.zeros((n, n))
    matrix[np.arange(0, n - 1, 2), np.arange(1, n, 2)] = 0.7
    b = matrix[rows, columns]
    x, g = rng.normal(size=(2, 1 << n))

    def loss(left: object) -> object:
        return (rotor_action(x, left, b) * g).sum()

    gradient = np.asarray(jax.jit(jax.grad(loss))(jax.numpy.asarray(b)), dtype=np.float64)
    assert np.isfinite(gradient).all()
    direction = rng.normal(size=b.shape)
    algebra = Algebra(n)

    def exactly(step: float) -> float:
        r, s = exp(algebra.bivector(b + step * direction)), exp(algebra.bivector(b))
        return float(np.dot((r * algebra.multivector(x) * ~s).to_dense(), g))

    slope = (exactly(1e-5) - exactly(-1e-5)) / 2e-5
    assert abs(gradient @ direction - slope) <= 1e-4 * np.linalg.norm(gradient) * np.sqrt(len(b))


def test_sizes_that_do_not_fit() -> None:
    for x, b in (
        (np.ones(12), np.ones(3)),
        (np.ones(8), np.ones(2)),
        (np.float32(1.0), np.ones(1)),
    ):
        with pytest.raises(LayoutError, match=r"expected x \(\.\.\., 2\^n\) and two bivectors"):
            rotor_action(x, b, b)
