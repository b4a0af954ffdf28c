"""The rivals, the published network and route, and replacing layers of a model."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from geomlin import Algebra, DtypeError, LayoutError, invariant_decomposition
from geomlin.nn import (
    BlockHadamardLinear,
    LowRankLinear,
    RotorLinear,
    RotorNetwork,
    power_iteration_decomposition,
    replace_,
)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(20250716)


def difference(a: Tensor, b: Tensor) -> float:
    return float((a - b).detach().abs().max() / b.detach().abs().max())


def test_low_rank() -> None:
    layer = LowRankLinear(96, 40, 4, bias=True, dtype=torch.float64)
    x = torch.randn(2, 3, 96, dtype=torch.float64)
    with torch.no_grad():
        assert layer.bias is not None
        layer.bias.normal_()
    assert layer(x).shape == (2, 3, 40)
    assert difference(layer(x), x @ layer.to_dense().T + layer.bias) <= 1e-13
    assert int(torch.linalg.matrix_rank(layer.to_dense())) == 4
    assert layer.parameter_count() == 4 * (96 + 40) + 40
    assert LowRankLinear(2048, 2048, 1).parameter_count() == 4096
    with pytest.raises(LayoutError, match="rank to be a positive integer"):
        LowRankLinear(8, 8, 0)
    with pytest.raises(LayoutError, match=r"expected input \(\.\.\., 96\)"):
        layer(torch.ones(3, 40))


def block_hadamard_literally(layer: BlockHadamardLinear, x: np.ndarray) -> np.ndarray:
    """One block and one entry of the Hadamard matrix at a time."""
    width = layer.inner_features
    h = np.zeros((len(x), width))
    h[:, : x.shape[1]] = x
    bits = np.arange(width)
    hadamard = (1.0 - 2.0 * (np.bitwise_count(bits[:, None] & bits) % 2)) / np.sqrt(width)
    stages = [*layer.squares, layer.rectangles]
    for k, stage in enumerate(stages):
        blocks = stage.detach().numpy()
        rows = blocks.shape[1]
        pieces = [h[:, b * rows : (b + 1) * rows] @ blocks[b] for b in range(len(blocks))]
        h = np.concatenate(pieces, axis=1)
        if k < len(stages) - 1:
            h = h @ hadamard
    return h


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ((64, 32), {"depth": 1, "blocks": 16}),
        ((96, 48), {"depth": 1, "blocks": 16}),
        ((96, 48), {"depth": 2, "blocks": 16, "block_size": 16}),
        ((64, 64), {"depth": 4, "blocks": 8, "block_size": 8}),
    ],
)
def test_block_hadamard(sizes: tuple[int, int], options: dict[str, int]) -> None:
    layer = BlockHadamardLinear(*sizes, **options, bias=True, dtype=torch.float64)
    x = torch.randn(5, sizes[0], dtype=torch.float64)
    want = torch.tensor(block_hadamard_literally(layer, x.numpy()))
    assert difference(layer(x), want) <= 1e-13
    assert difference(x @ layer.to_dense().T, want) <= 1e-13
    assert layer(x.reshape(1, 5, -1)).shape == (1, 5, sizes[1])


def test_block_hadamard_as_published() -> None:
    """BH1: 128 blocks of 16 x 16 for a 2048 x 2048 layer."""
    layer = BlockHadamardLinear(2048, 2048, depth=1, block_size=64, blocks=128)
    assert layer.parameter_count() == 128 * 16 * 16


@pytest.mark.parametrize(
    ("sizes", "options", "message"),
    [
        ((576, 192), {"blocks": 128}, "blocks to divide the out_features 192, got 128"),
        ((1500, 256), {"blocks": 128}, "34 of 128 blocks without any"),
        ((64, 64), {"depth": 2, "blocks": 8, "block_size": 48}, "block_size to divide"),
        ((64, 64), {"depth": 0, "blocks": 8}, "depth to be a positive integer, got 0"),
    ],
)
def test_block_hadamard_refuses(
    sizes: tuple[int, int], options: dict[str, int], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        BlockHadamardLinear(*sizes, **options)


def test_block_hadamard_padded_as_published_warns() -> None:
    with pytest.warns(UserWarning, match=r"28 of 64 blocks .* always zero"):
        layer = BlockHadamardLinear(576, 192, depth=1, blocks=64, pad=True)
    assert layer.parameter_count() == 64 * 16 * 3
    y = layer(torch.ones(1, 576))
    assert int((y == 0).sum()) == 28 * 3


def network_literally(network: RotorNetwork, x: Tensor) -> Tensor:
    """Section 5 of arXiv:2507.11688, step by step."""
    assert network.permutations is not None
    assert network.slope is not None
    place = 0

    def between(z: Tensor) -> Tensor:
        nonlocal place
        z = z[..., network.permutations[place]]  # type: ignore[index]
        place += 1
        z = (z - z.mean(-1, keepdim=True)) / (z.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()
        return torch.where(z >= 0, z, network.slope * z)

    h = between(network.first(x))
    for level, weights in zip(network.levels, network.weights, strict=True):
        h = sum(w * between(g(h)) for w, g in zip(weights, level, strict=True))  # type: ignore[assignment]
    return network.last(h)


def test_network() -> None:
    network = RotorNetwork(96, 48, levels=2, breadth=3, dtype=torch.float64)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    x = torch.randn(2, 3, 96, dtype=torch.float64)
    assert difference(network(x), network_literally(network, x)) <= 1e-13
    network(x).square().sum().backward()
    assert all(p.grad is not None and bool(p.grad.any()) for p in network.parameters())


def test_network_counts_and_options() -> None:
    assert RotorNetwork(2048, 2048).parameter_count() == 8 * 111 + 6 + 1
    assert RotorNetwork(2048, 512).parameter_count() == 4 * 73 + 6 * 73 + 73 + 7
    bare = RotorNetwork(64, 64, levels=0, permute=False, normalize=False, activate=False)
    x = torch.randn(3, 64)
    assert torch.allclose(bare(x), bare.last(bare.first(x)))
    first, second = (
        RotorNetwork(64, 64, generator=torch.Generator().manual_seed(5)) for _ in range(2)
    )
    assert torch.equal(first.permutations, second.permutations)  # type: ignore[arg-type]
    with pytest.raises(LayoutError, match="breadth to be a positive integer"):
        RotorNetwork(64, 64, breadth=0)
    with pytest.raises(LayoutError, match=r"expected input \(\.\.\., 64\)"):
        first(torch.ones(2, 63))


@pytest.mark.parametrize("n", [4, 5, 6, 8])
def test_power_iteration_of_separated_angles(n: int) -> None:
    """Angles that halve from plane to plane: ten to twenty iterations, and the exact parts."""
    frame = torch.linalg.qr(torch.randn(n, n, dtype=torch.float64)).Q
    b = torch.zeros(n, n, dtype=torch.float64)
    for k in range(n // 2):
        b[2 * k, 2 * k + 1] = 2.0**-k
    b = frame @ (b - b.T) @ frame.T
    rows, columns = np.triu_indices(n, 1)
    coefficients = b[rows, columns]
    found = power_iteration_decomposition(coefficients)
    want = invariant_decomposition(Algebra(n).bivector(coefficients.numpy())).parts.coeffs
    assert bool(found.converged().all())
    assert int(found.counts.max()) <= 20
    assert np.abs(found.parts.numpy() - want).max() <= 1e-4  # the tolerance is 1e-5
    assert difference(found.parts.sum(0), coefficients) <= 1e-14


def test_power_iteration_reports_what_does_not_converge() -> None:
    b = torch.tensor([2.0, 0.0, 0.0, 0.0, 0.0, 1.9], dtype=torch.float64)
    found = power_iteration_decomposition(b)
    assert found.counts.tolist() == [20]
    assert found.converged().tolist() == [False]
    longer = power_iteration_decomposition(b, iterations=300)
    assert longer.converged().tolist() == [True]
    again = power_iteration_decomposition(b, longer.vectors)  # a warm start needs one step
    assert again.counts.tolist() == [1]
    assert power_iteration_decomposition(b[:1]).parts.tolist() == [[2.0]]


@pytest.mark.parametrize("sizes", [(64, 64), (20, 12), (48, 16)])
def test_published_route_is_the_same_layer(sizes: tuple[int, int]) -> None:
    layer = RotorLinear(*sizes, scale=True, bias=True, dtype=torch.float64)
    other = RotorLinear(*sizes, scale=True, bias=True, reference="published", dtype=torch.float64)
    other.load_state_dict(layer.state_dict())
    x = torch.randn(3, sizes[0], dtype=torch.float64, requires_grad=True)
    for _ in range(12):  # warm starts
        y = other(x)
    found = other.published_decomposition()
    assert bool(found.converged().all())
    assert difference(y, layer(x)) <= 1e-3  # convergence at 1e-5 for each of the parts
    with torch.no_grad():
        assert difference(other(x), layer(x)) <= 1e-3


def test_warm_starts_truncate_the_published_gradient() -> None:
    """From its own answer the iteration stops at once, and autograd sees one step of it: the value
    is right and the gradient is not; it becomes right with a cold start and many steps."""
    b = torch.tensor([1.0, 0.2, 0.1, -0.3, 0.2, 0.7], dtype=torch.float64, requires_grad=True)
    weight = torch.randn(2, 6, dtype=torch.float64)

    def gradient(start: Tensor | None) -> Tensor:
        found = power_iteration_decomposition(b, start, tolerance=1e-12, iterations=400)
        assert bool(found.converged(1e-12).all())
        return torch.autograd.grad((found.parts * weight).sum(), b)[0]

    def value(shift: Tensor) -> float:
        parts = invariant_decomposition(Algebra(4).bivector((b + shift).detach().numpy())).parts
        return float((torch.tensor(parts.coeffs) * weight).sum())

    steps = 1e-6 * torch.eye(6, dtype=torch.float64)
    exact = torch.tensor([(value(h) - value(-h)) / 2e-6 for h in steps])
    assert difference(gradient(None), exact) <= 1e-7
    warm = power_iteration_decomposition(b.detach(), tolerance=1e-13, iterations=400).vectors
    assert difference(gradient(warm), exact) > 0.01


def model() -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(64, 64),
        nn.Sequential(nn.Linear(64, 32, bias=False), nn.PReLU()),
        nn.Linear(32, 8),
    )


def to_rotor(layer: nn.Linear) -> nn.Module:
    return RotorLinear(layer.in_features, layer.out_features, bias=layer.bias is not None)


def test_replace() -> None:
    network = model()
    first, last = network[0], network[2]
    old = replace_(network, "1.*", to_rotor)
    assert list(old) == ["1.0"]
    assert isinstance(network[1][0], RotorLinear)  # type: ignore[index]
    assert network[0] is first
    assert network[2] is last
    assert network(torch.ones(2, 64)).shape == (2, 8)
    assert set(replace_(network, "*", to_rotor)) == {"0", "2"}


def test_replace_keeps_shared_layers_shared() -> None:
    shared = nn.Linear(16, 16)
    network = nn.Sequential(shared, nn.PReLU(), shared)
    assert set(replace_(network, "*", to_rotor)) == {"0", "2"}
    assert network[0] is network[2]


def test_replace_refuses_and_changes_nothing() -> None:
    network = model()
    before = copy.copy(list(network.modules()))
    with pytest.raises(LayoutError, match=r"there are 3: 0, 1\.0, 2"):
        replace_(network, "attention.*", to_rotor)
    with pytest.raises(LayoutError, match="the layer itself"):
        replace_(nn.Linear(4, 4), "*", to_rotor)
    with pytest.raises(LayoutError):
        replace_(network, "*", lambda layer: RotorLinear(layer.in_features, 3))
    assert list(network.modules()) == before


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int64])
def test_parameters_are_real_floats(dtype: torch.dtype) -> None:
    """Complex bivectors were accepted, and their imaginary parts had no effect."""
    with pytest.raises(DtypeError, match="real floats"):
        RotorLinear(64, 64, dtype=dtype)
