"""RotorLinear: the gadget read literally, every kind of input, and training."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from geomlin import Algebra, DtypeError, LayoutError, NonFiniteInput, NotSupported, exp
from geomlin.nn import RotorLinear, RotorNetwork, hadamard_transform


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(20250716)


def blades_action(x: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """r x ~s for rows of blade coefficients, as products of multivectors."""
    algebra = Algebra(int(math.log2(x.shape[-1])))
    r, s = exp(algebra.bivector(left)), exp(algebra.bivector(right))
    return (r * algebra.multivector(x) * ~s).to_dense()


def gadget(
    x: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    alpha: np.ndarray,
    bias: np.ndarray,
    chunk: int,
    width: int,
) -> np.ndarray:
    """The gadget of arXiv:2507.11688, section 4, one coordinate and one pair at a time."""
    in_chunks, out_chunks = alpha.shape
    total = np.zeros((len(x), width))
    count = np.zeros(width)
    for i in range(in_chunks):
        begin = math.floor(i * x.shape[1] / in_chunks)
        piece = x[:, [(begin + k) % x.shape[1] for k in range(chunk)]]
        for o in range(out_chunks):
            result = alpha[i, o] * blades_action(piece, left[i, o], right[i, o])
            begin_out = math.floor(o * width / out_chunks)
            for k in range(chunk):
                place = (begin_out + k) % width
                total[:, place] += result[:, k]
                count[place] += 1
    return total / count + bias


def randomised(layer: RotorLinear) -> RotorLinear:
    """Every parameter different from its first value."""
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return layer


def literal(layer: RotorLinear, x: Tensor) -> np.ndarray:
    b = layer.bivectors.detach().double().numpy()
    pairs = b.shape[1:3]
    alpha = np.ones(pairs) if layer.scale is None else layer.scale.detach().double().numpy()
    bias = np.zeros(1) if layer.bias is None else layer.bias.detach().double().numpy()
    values = x.detach().double().numpy()
    return gadget(values, b[0], b[-1], alpha, bias, layer.chunk_size, layer.out_features)


def error(found: Tensor, want: np.ndarray) -> float:
    return float(np.abs(found.detach().double().numpy() - want).max() / np.abs(want).max())


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ((576, 192), {}),
        ((784, 512), {}),
        ((1536, 256), {}),
        ((2048, 512), {}),
        ((576, 192), {"chunk_size": 64, "scale": True, "bias": True}),
        ((20, 12), {"chunk_size": 8, "in_chunks": 5, "out_chunks": 4, "scale": True}),
        ((16, 40), {"in_chunks": 3, "scale": True, "bias": True}),
        ((33, 65), {"two_sided": False, "scale": True}),
        ((4, 4), {}),
        ((7, 5), {"two_sided": False}),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gadget_read_literally(
    sizes: tuple[int, int], options: dict[str, object], dtype: torch.dtype
) -> None:
    layer = randomised(RotorLinear(*sizes, **options, dtype=dtype))  # type: ignore[arg-type]
    x = torch.randn(3, sizes[0], dtype=dtype)
    want = literal(layer, x)
    bound = 4e-6 if dtype is torch.float32 else 1e-13
    assert error(layer(x), want) <= bound
    with torch.no_grad():
        assert error(layer(x), want) <= bound
    bias = 0 if layer.bias is None else layer.bias
    assert error(x @ layer.to_dense().T + bias, want) <= bound


def test_default_is_one_pair() -> None:
    layer = RotorLinear(2048, 2048)
    assert layer.parameter_count() == 110
    assert layer.chunk_size == 2048
    assert {name for name, _ in layer.named_parameters()} == {"bivectors"}
    assert layer.bivectors.shape == (2, 1, 1, 55)
    assert RotorLinear(2048, 512).parameter_count() == 4 * 72
    assert RotorLinear(64, 64, two_sided=False, scale=True, bias=True).parameter_count() == 80


def test_dense_matrix_is_orthogonal_and_acts_on_the_right_side() -> None:
    layer = RotorLinear(128, 128, dtype=torch.float64)
    matrix = layer.to_dense()
    assert float((matrix @ matrix.T - torch.eye(128)).detach().abs().max()) <= 1e-13
    x = torch.randn(2, 128, dtype=torch.float64)
    assert error(x @ matrix.T, layer(x).detach().numpy()) <= 1e-13
    assert error(x @ matrix, layer(x).detach().numpy()) > 0.1


def test_one_sided_keeps_grades() -> None:
    layer = RotorLinear(16, 16, two_sided=False, dtype=torch.float64)
    x = torch.zeros(1, 16, dtype=torch.float64)
    x[0, 5:11] = 1.0  # bivectors of Cl(4)
    y = layer(x)[0].detach()
    assert float(y[:5].abs().max()) <= 1e-14
    assert float(y[11:].abs().max()) <= 1e-14
    assert math.isclose(float(y.norm()), math.sqrt(6.0), rel_tol=1e-14)


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("shape", [(256,), (0, 256), (2, 0, 256), (1, 256), (2, 3, 5, 256)])
def test_leading_shapes(shape: tuple[int, ...], grad: bool) -> None:
    layer = RotorLinear(256, 512, bias=True)
    with torch.set_grad_enabled(grad):
        y = layer(torch.zeros(shape))
    assert y.shape == (*shape[:-1], 512)
    if grad:
        y.sum().backward()
        assert torch.isfinite(layer.bivectors.grad).all()  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [64, 1024])
@pytest.mark.parametrize("grad", [True, False])
def test_strides_do_not_matter(size: int, grad: bool) -> None:
    layer = RotorLinear(size, size)
    x = torch.randn(5, size)
    views = [
        x.T.contiguous().T,
        torch.cat([x, x], dim=1)[:, :size],
        torch.stack([x, x], dim=-1)[..., 0],
        torch.cat([x, x])[::2],
    ]
    with torch.set_grad_enabled(grad):
        for view in views:
            want = layer(view.contiguous()).detach().numpy()
            assert error(layer(view), want) <= 4e-6  # products of matrices round as they please


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("grad", [True, False])
def test_short_floats_are_computed_in_float32(dtype: torch.dtype, grad: bool) -> None:
    layer = randomised(RotorLinear(512, 512, scale=True)).to(dtype)
    exact = RotorLinear(512, 512, scale=True)
    exact.load_state_dict(layer.state_dict())
    x = torch.randn(4, 512).to(dtype)
    with torch.set_grad_enabled(grad):
        y = layer(x)
    assert y.dtype is dtype
    assert torch.equal(y, exact(x.float()).to(dtype))
    if grad:
        y.float().square().sum().backward()
        assert layer.bivectors.grad is not None
        assert layer.bivectors.grad.dtype is dtype


def test_autocast_does_not_lower_the_precision() -> None:
    layer = RotorLinear(512, 512)
    x = torch.randn(4, 512, requires_grad=True)
    want = layer(x)
    with torch.autocast("cpu", torch.bfloat16):
        y = layer(x)
        y.sum().backward()
    assert y.dtype is torch.float32
    assert torch.equal(y, want)


def test_integers_are_promoted() -> None:
    layer = RotorLinear(8, 8)
    x = torch.arange(8)
    assert layer(x).dtype is torch.float32
    assert torch.equal(layer(x), layer(x.float()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk_size": 48}, "chunk_size that is a power of two from 4"),
        ({"chunk_size": 2}, "chunk_size that is a power of two from 4"),
        ({"chunk_size": 128}, r"chunk_size <= 64, the smaller of in_features=100 and out"),
        ({"chunk_size": 16, "in_chunks": 6}, r"in_chunks >= 7, so that chunks of 16 cover 100"),
        ({"chunk_size": 16, "out_chunks": 3}, r"out_chunks >= 4"),
        ({"in_chunks": 0}, "in_chunks to be a positive integer, got 0"),
        ({"out_chunks": 2.0}, "out_chunks to be a positive integer, got 2.0"),
        ({"reference": "paper"}, "reference 'published' or None, got 'paper'"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        RotorLinear(100, 64, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("sizes", [(0, 8), (8, -1), (True, 8), (3, 8), (8, 2.5)])
def test_widths_that_do_not_fit(sizes: tuple[int, int]) -> None:
    with pytest.raises(LayoutError, match="expected"):
        RotorLinear(*sizes)


@pytest.mark.parametrize("sizes", [(1, 8), (8, 2), (3, 3)])
def test_widths_without_a_plane_are_refused_with_a_remedy(sizes: tuple[int, int]) -> None:
    """Cl(1) has no bivector: a rotor there is 1 or -1, and a layer would have no parameter."""
    for kind in (RotorLinear, RotorNetwork):
        with pytest.raises(
            LayoutError, match=r"at least 4, .* turn in, got \d and \d: pad .*nn.Linear"
        ):
            kind(*sizes)
    assert RotorLinear(4, 5).parameter_count() == 2 * 2  # two chunks of Cl(2) cover 5


@pytest.mark.parametrize("x", [np.ones((3, 64)), [1.0] * 64, None])
def test_what_is_no_tensor_is_named(x: object) -> None:
    for layer in (RotorLinear(64, 64), RotorNetwork(64, 64)):
        with pytest.raises(DtypeError, match=r"expected a torch tensor, got .*torch\.as_tensor"):
            layer(x)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning", "ignore:The PyTorch API of nested")
def test_sparse_and_nested_tensors_are_named() -> None:
    layer, x = RotorLinear(64, 64), torch.ones(3, 64)
    for other in (x.to_sparse(), x.to_sparse_csr()):
        with pytest.raises(LayoutError, match=r"expected a dense tensor, .*x\.to_dense\(\)"):
            layer(other)
        assert torch.equal(layer(other.to_dense()), layer(x))


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning", "ignore::UserWarning")
def test_recorders_that_cannot_record_are_named() -> None:
    """torch.jit and torch.fx say nothing helpful themselves; torch.export works."""
    x = torch.ones(3, 64)
    for module in (RotorLinear(64, 64), torch.nn.Sequential(RotorNetwork(64, 64))):
        for record in (
            lambda m: torch.jit.trace(m, x),
            torch.jit.script,
            torch.fx.symbolic_trace,
        ):
            with pytest.raises(NotSupported, match=r"torch\.export\.export\(layer, \(x,\)\)"):
                record(module)
        saved = torch.export.export(module, (x,)).module()
        assert torch.allclose(saved(2 * x), module(2 * x), atol=1e-5)


@pytest.mark.parametrize("shape", [(3, 65), (64, 3), (1,), ()])
def test_wrong_width_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        LayoutError, match=r"expected input \(\.\.\., 64\), got .*RotorLinear\(in_f"
    ):
        RotorLinear(64, 64)(torch.ones(shape))


def test_complex_input_is_named() -> None:
    with pytest.raises(DtypeError, match=r"expected real input, got torch\.complex64"):
        RotorLinear(64, 64)(torch.ones(64, dtype=torch.complex64))


@pytest.mark.parametrize("grad", [True, False])
def test_non_finite_values(grad: bool) -> None:
    """NaN in a sample stays in that sample; NaN in the bivectors is an error."""
    layer = RotorLinear(1024, 1024)
    x = torch.ones(3, 1024)
    x[1, 7] = torch.nan
    with torch.set_grad_enabled(grad):
        y = layer(x)
        assert torch.isnan(y[1]).any()
        assert torch.isfinite(y[[0, 2]]).all()
        layer.bivectors.data[0] = torch.inf
        with pytest.raises(NonFiniteInput, match="lower the learning rate"):
            layer(x)


def test_planes_rebuild_the_bivectors() -> None:
    layer = RotorLinear(2048, 512, dtype=torch.float64)
    angles, units = layer.planes()
    assert angles.shape == (2, 4, 1, 4)
    assert bool((angles[..., :-1] >= angles[..., 1:]).all())
    rebuilt = (angles[..., None] * units).sum(-2)
    assert float((rebuilt - layer.bivectors.detach()).abs().max()) <= 1e-14
    assert float((units.norm(dim=-1) - 1).abs().max()) <= 1e-14


def test_planes_at_equal_and_zero_angles() -> None:
    layer = RotorLinear(16, 16, two_sided=False, dtype=torch.float64)
    with torch.no_grad():
        layer.bivectors.copy_(torch.tensor([1.0, 0, 0, 0, 0, 1.0]).expand(1, 1, 1, 6))
    assert layer.planes().angles[0, 0, 0].tolist() == [1.0, 1.0]
    with torch.no_grad():
        layer.bivectors.zero_()
    angles, units = layer.planes()
    assert not angles.any()
    assert not units.any()


def test_training_finds_a_rotor_pair() -> None:
    """A layer learns another layer from its values alone: the error falls by a factor of 1000."""
    target = RotorLinear(16, 16)
    layer = RotorLinear(16, 16)
    with torch.no_grad():
        target.bivectors.mul_(0.3)
        layer.bivectors.zero_()
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    losses = []
    for _ in range(100):
        x = torch.randn(64, 16)
        with torch.no_grad():
            wanted = target(x)
        loss = nn.functional.mse_loss(layer(x), wanted)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 1e-3 * losses[0]


def test_hadamard_transform() -> None:
    rows = np.arange(256)
    matrix = (1.0 - 2.0 * (np.bitwise_count(rows[:, None] & rows) % 2)) / 16
    x = torch.randn(3, 2, 256, dtype=torch.float64)
    assert error(hadamard_transform(x), x.numpy() @ matrix) <= 1e-14
    assert error(hadamard_transform(hadamard_transform(x)), x.numpy()) <= 1e-14
    for size in (1, 2, 4096):
        y = torch.randn(2, size, dtype=torch.float64)
        assert error(hadamard_transform(hadamard_transform(y)), y.numpy()) <= 1e-14
    with pytest.raises(LayoutError, match="power of two"):
        hadamard_transform(torch.ones(2, 12))
