"""The published split: what it does is what the paper's code does, and it says when it failed."""

from __future__ import annotations

import numpy as np
import pytest

from geomlin import (
    Algebra,
    DtypeError,
    LayoutError,
    NonFiniteInput,
    NotSupported,
    invariant_decomposition,
    power_iteration_decomposition,
)


def test_separated_angles_converge_to_the_invariant_planes(rng: np.random.Generator) -> None:
    """Ratios of angles 1/4: 20 steps leave 4^-40, far below a rounding."""
    algebra = Algebra(6)
    frame = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    b = sum(
        angle * (algebra.vector(frame[2 * k]) ^ algebra.vector(frame[2 * k + 1]))
        for k, angle in enumerate((1.6, 0.4, 0.1))
    )
    b = b.grade(2)  # of a sum that began with the number 0
    found = power_iteration_decomposition(b)
    assert found.parts.shape == (3,)
    assert found.converged().all()
    assert (found.counts < 20).all()
    exact = invariant_decomposition(b).parts
    # An iterate that moved by less than 1e-5 is within 1e-5 / (16 - 1) of its limit, and the part
    # is a second-order function of it in its plane and a first-order one out of it.
    assert np.abs(found.parts.coeffs - exact.coeffs).max() < 1e-5
    assert np.abs(found.parts.coeffs.sum(axis=0) - b.coeffs).max() < 1e-15


def test_equal_angles_do_not_converge() -> None:
    """The false twin: the parts still add up, but they are no invariant planes."""
    b = Algebra(4).bivector({"e12": 2.0, "e34": 1.9})
    found = power_iteration_decomposition(b)
    assert not found.converged().any()
    assert found.counts.tolist() == [20]
    assert np.abs(found.parts.coeffs.sum(axis=0) - b.coeffs).max() < 1e-15
    exact = invariant_decomposition(b).parts
    assert np.abs(found.parts.coeffs - exact.coeffs).max() > 1e-2
    longer = power_iteration_decomposition(b, iterations=10_000, tolerance=1e-15)
    assert np.abs(longer.parts.coeffs - exact.coeffs).max() < 1e-13


def test_it_is_the_published_code_on_tensors(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    from geomlin.nn import power_iteration_decomposition as on_tensors

    for n in (2, 3, 4, 5, 7):
        b = Algebra(n).random.bivector(rng, (3,))
        ours, theirs = power_iteration_decomposition(b), on_tensors(torch.tensor(b.coeffs))
        assert ours.counts.tolist() == theirs.counts.tolist()
        parts = np.moveaxis(theirs.parts.numpy(), 0, -2)
        assert np.abs(ours.parts.coeffs - parts).max() < 1e-12
        assert (
            np.abs(ours.changes - np.moveaxis(theirs.changes.numpy(), 0, -1)).max(initial=0) < 1e-12
        )


def test_shapes_and_dtypes() -> None:
    for n, shape in ((1, ()), (2, (0,)), (5, (2, 3)), (6, ())):
        b = Algebra(n).bivector(np.zeros((*shape, n * (n - 1) // 2)), dtype="float32")
        found = power_iteration_decomposition(b)
        assert found.parts.shape == (*shape, n // 2)
        assert found.parts.dtype == np.float32
        assert found.changes.shape == (*shape, max(0, n // 2 - 1))
        assert np.isfinite(found.parts.coeffs).all()


def test_what_it_refuses() -> None:
    b = Algebra(4).blade("e12")
    with pytest.raises(NotSupported, match="Euclidean"):
        power_iteration_decomposition(Algebra(3, 1).blade("e12"))
    for backend in ("fractions", "torch", "jax"):
        with pytest.raises(NotSupported, match="numpy"):
            power_iteration_decomposition(Algebra(4, backend=backend).blade("e12"))
    with pytest.raises(LayoutError, match="bivector"):
        power_iteration_decomposition(Algebra(4).blade("e1"))
    with pytest.raises(LayoutError, match="at least one"):
        power_iteration_decomposition(b, iterations=0)
    with pytest.raises(DtypeError, match="integer"):
        power_iteration_decomposition(b, iterations=2.5)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match="tolerance"):
        power_iteration_decomposition(b, tolerance="1e-5")  # type: ignore[arg-type]
    nan = b.replace(b.layout, np.full(6, np.nan))
    with pytest.raises(NonFiniteInput):
        power_iteration_decomposition(nan)
