"""Every implementation of y = sum scale r x ~s, its gradient, and the bivectors behind it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import torch
from test_spinor_even import blade_product, dense, random_sparse
from torch import Tensor

from geomlin import Algebra, NonFiniteInput, exp
from geomlin.derivatives import exp_jvp
from geomlin.nn import native_action, rotors
from geomlin.nn.action import act
from geomlin.nn.differentiable import act_differentiably, exponential
from geomlin.nn.implementations import Implementation, run_transposed
from geomlin.nn.plain import PlainAction
from geomlin.spinor_transforms import (
    adjoint_blocks,
    coefficients_to_even_blocks,
    odd_right_factor,
)

DIMENSIONS = range(2, 13)
NATIVE = native_action.implementation()
IMPLEMENTATIONS: list[Implementation] = [PlainAction()]
if NATIVE is not None:  # built where a C compiler was found; its own tests require it there
    IMPLEMENTATIONS.append(NATIVE)

FLOAT64_BOUND = 1e-13
FLOAT32_BOUND = 4e-6


@pytest.fixture(params=IMPLEMENTATIONS, ids=lambda found: found.name)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    return request.param


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def normal(*shape: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def pairs(n: int) -> int:
    return n * (n - 1) // 2


def bivectors(n: int, kind: str, *shape: int, seed: int = 3) -> Tensor:
    """Generic, zero, one plane, or n // 2 planes at equal angles in a random frame."""
    if kind == "generic":
        return 0.4 * normal(*shape, pairs(n), seed=seed)
    b = torch.zeros(n, n, dtype=torch.float64)
    if kind == "zero":
        return torch.zeros(*shape, pairs(n), dtype=torch.float64)
    for k in range(1 if kind == "plane" else n // 2):
        b[2 * k, 2 * k + 1] = 0.7
    frame = torch.linalg.qr(normal(n, n, seed=seed + n)).Q
    b = frame @ (b - b.T) @ frame.T
    rows, columns = np.triu_indices(n, 1)
    return b[rows, columns].expand(*shape, pairs(n)).clone()


@cache
def oracle(n: int, *, reverse: bool = False) -> tuple[Tensor, Tensor, np.ndarray]:
    """x (2, 2^n), bivectors (2, 1, 1, P) and r x ~s, or ~r x s, by blades."""
    b, x = bivectors(n, "generic", 2, 1, 1), normal(2, 1 << n, seed=n)
    algebra = Algebra(n)
    r, s = (exp(algebra.bivector(side.numpy())) for side in (-b if reverse else b)[:, 0, 0])
    return x, b, (r * algebra.multivector(x.numpy()) * ~s).to_dense()


def relative(found: Tensor, want: np.ndarray | Tensor) -> float:
    values = want.numpy() if isinstance(want, Tensor) else want
    return float(np.abs(found.double().numpy() - values).max() / np.abs(values).max())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", DIMENSIONS)
def test_integers_are_exact(
    n: int, threads: int, implementation: Implementation, rng: np.random.Generator
) -> None:
    """With integer factors, rotors or not, r x s is exact: no rounding hides a wrong sign."""
    torch.set_num_threads(threads)
    r, s = (random_sparse(n, rng, even=True) for _ in range(2))
    x = random_sparse(n, rng, even=False, terms=40)
    want = dense(n, blade_product(n, blade_product(n, r, x), s))
    left = coefficients_to_even_blocks(dense(n, r), n)[0]
    right = coefficients_to_even_blocks(dense(n, s), n)[0]
    a = torch.tensor(left, dtype=torch.float64)[None, None]
    factors = np.stack([right, odd_right_factor(right, n)])
    found = implementation.forward(
        torch.tensor(dense(n, x), dtype=torch.float64)[None, None],
        implementation.pack(a, torch.tensor(factors, dtype=torch.float64)[None, None], None),
    )
    assert np.array_equal(found[0, 0].numpy(), want)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_value_against_blades(n: int, implementation: Implementation) -> None:
    x, b, want = oracle(n)
    a, s, _ = rotors.factors(b, n)
    found = implementation.forward(x[:, None], implementation.pack(a, s, None))[:, 0]
    assert relative(found, want) <= FLOAT64_BOUND
    tables = implementation.pack(a.float(), s.float(), None)
    single = implementation.forward(x[:, None].float(), tables)[:, 0]
    assert relative(single, want) <= FLOAT32_BOUND
    swapped = implementation.forward(x[:, None], implementation.pack(*_swapped(a, s, n), None))
    assert relative(swapped[:, 0], want) > 0.1  # s x ~r is something else


def _swapped(a: Tensor, s: Tensor, n: int) -> tuple[Tensor, Tensor]:
    left = adjoint_blocks(s[:, :, 0].numpy())
    right = adjoint_blocks(a.numpy())
    factors = np.stack([right, odd_right_factor(right, n)], axis=2)
    return torch.tensor(left), torch.tensor(factors)


@pytest.mark.parametrize("kind", ["zero", "plane", "isoclinic"])
@pytest.mark.parametrize("n", DIMENSIONS)
def test_rotor_blocks_at_special_bivectors(n: int, kind: str) -> None:
    b = bivectors(n, kind, 2, 1, 1)
    a, s, _ = rotors.factors(b, n)
    r = exp(Algebra(n).bivector(b[0, 0, 0].numpy())).to_dense()
    want = coefficients_to_even_blocks(r, n)[0]
    assert np.abs(a[0, 0].numpy() - want).max() <= 1e-14
    assert np.abs(s[0, 0, 0].numpy() - adjoint_blocks(want)).max() <= 1e-14


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("n", DIMENSIONS)
def test_factors_in_c_equal_those_in_torch(
    n: int, sides: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    b = bivectors(n, "generic", sides, 2, 3)
    a, s, found = rotors.factors(b, n)
    moments = torch.randn_like(a), torch.randn_like(s)
    gradient = rotors.pull_back(*moments, found, n)
    monkeypatch.setenv("GEOMLIN_NATIVE", "0")
    plain_a, plain_s, _ = rotors.factors(b, n)
    assert float((plain_a - a).abs().max()) <= 1e-14
    assert float((plain_s - s).abs().max()) <= 1e-14
    assert relative(rotors.pull_back(*moments, found, n), gradient) <= 1e-13


@pytest.mark.parametrize("kind", ["generic", "zero", "plane", "isoclinic"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
def test_gradient_of_bivectors_against_blades(
    n: int, kind: str, implementation: Implementation
) -> None:
    """<g, dr x ~s + r x ~ds> with dr from geomlin.derivatives, also at equal angles."""
    algebra = Algebra(n)
    b, x, g = bivectors(n, kind, 2, 1, 1), normal(1, 1 << n, seed=1), normal(1, 1 << n, seed=2)
    direction = normal(2, pairs(n), seed=4)
    first, second = (algebra.bivector(side.numpy()) for side in b[:, 0, 0])
    r, s = exp(first), exp(second)
    dr = exp_jvp(first, algebra.bivector(direction[0].numpy()))
    ds = exp_jvp(second, algebra.bivector(direction[1].numpy()))
    element = algebra.multivector(x[0].numpy())
    change = (dr * element * ~s + r * element * ~ds).to_dense()
    want = float(np.dot(g[0].numpy(), change))
    a, right, found = rotors.factors(b, n)
    _, moment_r, moment_s = implementation.backward(g[:, None], x[:, None], a, right, None)
    gradient = rotors.pull_back(moment_r, moment_s, found, n)
    assert torch.isfinite(gradient).all()
    scale = float(gradient.norm() * direction.norm())
    assert abs(float((gradient[:, 0, 0] * direction).sum()) - want) <= 1e-13 * scale


@pytest.mark.parametrize("n", DIMENSIONS)
def test_gradient_of_inputs_is_the_reverse_action(n: int, implementation: Implementation) -> None:
    g, b, want = oracle(n, reverse=True)
    a, s, _ = rotors.factors(b, n)
    x = normal(2, 1 << n, seed=n + 1)
    found, _, _ = implementation.backward(g[:, None], x[:, None], a, s, None)
    assert relative(found[:, 0], want) <= FLOAT64_BOUND
    assert relative(run_transposed(g[:, None], None, a, s)[:, 0], want) <= FLOAT64_BOUND


@pytest.mark.parametrize("n", [2, 5, 6, 8, 9, 10, 11])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_chunks_and_scales_against_the_differentiable_route(
    n: int, dtype: torch.dtype, implementation: Implementation
) -> None:
    """Several inputs and outputs, negative and zero scales; the value and all gradients."""
    bound = FLOAT32_BOUND if dtype is torch.float32 else FLOAT64_BOUND
    b = bivectors(n, "generic", 2, 3, 2).requires_grad_()
    scale = normal(3, 2, seed=7)
    scale[0, 0] = 0.0
    scale.requires_grad_()
    x = normal(5, 3, 1 << n, seed=8).requires_grad_()
    g = normal(5, 2, 1 << n, seed=9)
    y = act_differentiably(x, b, scale, n)
    want = torch.autograd.grad(y, [x, b, scale], g)
    with torch.no_grad():
        a, s, found = rotors.factors(b, n)
        a, s, factor = a.to(dtype), s.to(dtype), scale.to(dtype)
        value = implementation.forward(x.to(dtype), implementation.pack(a, s, factor))
        grad_x, moment_r, moment_s = implementation.backward(g.to(dtype), x.to(dtype), a, s, factor)
        grad_b = rotors.pull_back(moment_r, moment_s, found, n) * scale[..., None]
        grad_scale = moment_r[..., 0, :, :].diagonal(dim1=-2, dim2=-1).sum((-1, -2))
    assert relative(value, y.detach()) <= bound
    for ours, theirs in zip((grad_x, grad_b, grad_scale), want, strict=True):
        assert relative(ours, theirs.detach()) <= 10 * bound


@pytest.mark.parametrize("batch", [0, 1, 7, 33])
@pytest.mark.parametrize("n", [4, 9])
def test_batches(n: int, batch: int, implementation: Implementation) -> None:
    a, s, _ = rotors.factors(bivectors(n, "generic", 2, 1, 1), n)
    x, tables = normal(batch, 1, 1 << n, seed=1), implementation.pack(a, s, None)
    together = implementation.forward(x, tables)
    assert together.shape == x.shape
    for k in range(batch):
        alone = implementation.forward(x[k : k + 1], tables)
        assert relative(together[k : k + 1], alone) <= FLOAT64_BOUND
    grad_x, moment_r, moment_s = implementation.backward(x, x, a, s, None)
    assert grad_x.shape == x.shape
    if batch == 0:
        assert not moment_r.any()
        assert not moment_s.any()


def test_arguments_are_not_changed(implementation: Implementation) -> None:
    a, s, _ = rotors.factors(bivectors(8, "generic", 2, 2, 2), 8)
    arguments = [normal(3, 2, 256, seed=1), normal(3, 2, 256, seed=2), a, s, normal(2, 2, seed=3)]
    copies = [v.clone() for v in arguments]
    g, x, a, s, scale = arguments
    implementation.forward(x, implementation.pack(a, s, scale))
    implementation.backward(g, x, a, s, scale)
    assert all(torch.equal(v, w) for v, w in zip(arguments, copies, strict=True))


@pytest.mark.parametrize("n", DIMENSIONS)
def test_differentiable_exponential(n: int) -> None:
    """The second statement of exp, for second derivatives, equals the first; far away it is NaN."""
    b = bivectors(n, "generic", 3)
    a, _, _ = rotors.factors(b[None], n)
    assert float((exponential(b, n) - a).abs().max()) <= 1e-13
    assert torch.isnan(exponential(b * 1e12, n)).all()


def test_second_derivatives() -> None:
    n = 5
    b = bivectors(n, "isoclinic", 2, 2, 1).requires_grad_()
    x = normal(2, 2, 1 << n, seed=1).requires_grad_()
    scale = normal(2, 1, seed=2).requires_grad_()
    arguments = (x, b, scale)
    assert torch.autograd.gradcheck(lambda *v: act(*v, n), arguments)
    assert torch.autograd.gradgradcheck(lambda *v: act(*v, n), arguments, fast_mode=True)


def test_non_finite_bivectors_are_named() -> None:
    b = bivectors(4, "generic", 2, 1, 1)
    b[0, 0, 0, 0] = torch.nan
    with pytest.raises(NonFiniteInput, match="expected finite bivectors"):
        act(torch.ones(1, 1, 16, dtype=torch.float64), b, None, 4)
