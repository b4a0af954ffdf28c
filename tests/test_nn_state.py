"""What a layer keeps: parameters only; tables are never stale, copied or saved."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from geomlin import LayoutError
from geomlin.nn import RotorLinear, RotorNetwork, load_parameters_, save_parameters
from geomlin.nn.action import act

SIZES = [64, 1024]  # one plain layer of which keeps a matrix, one that keeps tables


def write_data(layer: RotorLinear) -> None:
    layer.bivectors.data[1, 0, 0, 3] += 0.25


def replace_data(layer: RotorLinear) -> None:
    layer.bivectors.data = layer.bivectors.data + 0.1


def load(layer: RotorLinear) -> None:
    layer.load_state_dict({k: v + 0.1 for k, v in layer.state_dict().items()})


def assign(layer: RotorLinear) -> None:
    state = {k: v + 0.1 for k, v in layer.state_dict().items()}
    layer.load_state_dict(state, assign=True)


def step(layer: RotorLinear) -> None:
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(2, layer.in_features)).square().sum().backward()
    layer.bivectors.grad = torch.ones_like(layer.bivectors)
    optimiser.step()


def through_numpy(layer: RotorLinear) -> None:
    layer.bivectors.detach().numpy()[0] *= 1.5  # torch sees no change of version


def only_scale(layer: RotorLinear) -> None:
    assert layer.scale is not None
    layer.scale.data.mul_(-2.0)


def new_parameter(layer: RotorLinear) -> None:
    layer.bivectors = nn.Parameter(layer.bivectors.detach() + 0.1)


def reset(layer: RotorLinear) -> None:
    layer.reset_parameters()


CHANGES = [
    write_data,
    replace_data,
    load,
    assign,
    step,
    through_numpy,
    only_scale,
    new_parameter,
    reset,
]


def fresh(layer: RotorLinear, x: Tensor) -> Tensor:
    """The same layer by the route that keeps nothing."""
    return layer(x.clone().requires_grad_()).detach()


def value(layer: RotorLinear, x: Tensor) -> Tensor:
    with torch.no_grad():
        return layer(x)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_tables_are_never_stale(size: int, change: Callable[[RotorLinear], None]) -> None:
    torch.manual_seed(1)
    layer, x = RotorLinear(size, size, scale=True), torch.randn(3, size)
    before = value(layer, x)
    assert torch.equal(value(layer, x), before)  # kept
    change(layer)
    after = value(layer, x)
    assert float((after - before).abs().max()) > 1e-3
    assert torch.allclose(after, fresh(layer, x), atol=2e-5)


def test_the_test_above_would_see_stale_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    from geomlin.nn.kept import Kept

    layer, x = RotorLinear(64, 64), torch.randn(3, 64)
    before = value(layer, x)
    monkeypatch.setattr(Kept, "serves", lambda *_: True)
    write_data(layer)
    assert torch.equal(value(layer, x), before)


@pytest.mark.parametrize("size", SIZES)
def test_dtypes_do_not_share_tables(size: int) -> None:
    layer, x = RotorLinear(size, size), torch.randn(3, size, dtype=torch.float64)
    single = value(layer, x.float())
    double = value(layer, x)
    assert double.dtype is torch.float64
    assert float((double - single).abs().max()) > 0
    assert torch.equal(value(layer.double(), x), double)
    assert torch.equal(value(layer.float(), x.float()), single)
    half = value(layer.half(), x.float())
    assert torch.allclose(half, fresh(layer, x.float()), atol=2e-5)


def test_parameters_are_the_only_state() -> None:
    layer = RotorLinear(2048, 2048, scale=True, bias=True)
    value(layer, torch.ones(2048))
    assert sorted(layer.state_dict()) == ["bias", "bivectors", "scale"]
    assert not list(layer.buffers())
    assert len(pickle.dumps(layer)) < 20_000  # the tables have 130 kB


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_leave_the_tables_behind(duplicate: Callable[[nn.Module], RotorLinear]) -> None:
    layer, x = RotorLinear(784, 512), torch.randn(2, 784)
    want = value(layer, x)
    other = duplicate(layer)
    assert other._slot.kept is None
    assert torch.equal(value(other, x), want)
    write_data(other)
    assert torch.equal(value(layer, x), want)
    assert not torch.equal(value(other, x), want)


def test_saved_modules_load() -> None:
    layer, x = RotorLinear(576, 192, scale=True), torch.randn(2, 576)
    value(layer, x)
    file = io.BytesIO()
    torch.save(layer, file)
    file.seek(0)
    assert torch.equal(value(torch.load(file, weights_only=False), x), value(layer, x))


@pytest.mark.parametrize("kind", [RotorLinear, RotorNetwork])
def test_safetensors_round_trip(kind: type[nn.Module], tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    saved, other = kind(96, 64), kind(96, 64)
    path, x = tmp_path / "layer.safetensors", torch.randn(2, 96)
    save_parameters(saved, path)
    assert not torch.equal(saved(x), other(x))
    assert load_parameters_(other, path) is other
    assert torch.equal(saved(x), other(x))
    with pytest.raises(LayoutError, match="expected the parameters of"):
        load_parameters_(kind(96, 32), path)


def test_frozen_parameters_get_no_gradient() -> None:
    layer = RotorLinear(256, 256, scale=True).requires_grad_(False)
    x = torch.randn(3, 256, requires_grad=True)
    layer(x).square().sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, 2 * x.detach(), atol=1e-4)  # an orthogonal map
    assert layer.bivectors.grad is None
    layer.requires_grad_(True)
    inputs = torch.randn(3, 256)
    layer(inputs).square().sum().backward()
    assert layer.bivectors.grad is not None
    assert inputs.grad is None


@pytest.mark.parametrize("size", [16, 512])
def test_function_transforms(size: int) -> None:
    layer = RotorLinear(size, size, scale=True, bias=True, dtype=torch.float64)
    x = torch.randn(4, size, dtype=torch.float64)
    parameters = dict(layer.named_parameters())

    def loss(values: dict[str, Tensor], x: Tensor) -> Tensor:
        return torch.func.functional_call(layer, values, (x,)).sin().sum()

    loss(parameters, x).backward()
    found = torch.func.grad(loss)(parameters, x)
    each = torch.func.vmap(torch.func.grad(loss), (None, 0))(parameters, x)
    for name, parameter in parameters.items():
        assert parameter.grad is not None
        scale = float(parameter.grad.abs().max())
        for other in (found[name], each[name].sum(0)):
            assert float((other - parameter.grad).detach().abs().max()) <= 1e-12 * scale
    with torch.no_grad():
        assert torch.allclose(torch.func.vmap(layer)(x), layer(x), atol=1e-13)
    stacked = {name: torch.stack([v, 0.5 * v]).detach() for name, v in parameters.items()}
    ensemble = torch.func.vmap(
        lambda p: torch.func.functional_call(layer, p, (x,)),
    )(stacked)
    assert torch.allclose(ensemble[0], layer(x), atol=1e-13)
    assert not torch.allclose(ensemble[1], layer(x), atol=1e-3)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.* is deprecated")  # inside torch itself
def test_forward_mode() -> None:
    layer = RotorLinear(64, 64, dtype=torch.float64)
    x, v = torch.randn(2, 3, 64, dtype=torch.float64)
    _, tangent = torch.func.jvp(layer, (x,), (v,))
    assert torch.allclose(tangent, layer(v), atol=1e-13)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, v)
        tangent = torch.autograd.forward_ad.unpack_dual(layer(dual)).tangent
    assert torch.allclose(tangent, layer(v), atol=1e-13)


@pytest.mark.parametrize("sizes", [(64, 64), (48, 20)])
def test_compiled_graph_is_whole_and_equal(sizes: tuple[int, int]) -> None:
    torch._dynamo.reset()
    layer = RotorLinear(*sizes, scale=True, bias=True)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    x = torch.randn(3, sizes[0], requires_grad=True)
    y, want = compiled(x), layer(x)
    assert torch.equal(y, want)
    inputs = [x, *layer.parameters()]
    ours = torch.autograd.grad(y.square().sum(), inputs)
    theirs = torch.autograd.grad(want.square().sum(), inputs)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_operator_is_registered_as_torch_wants_it() -> None:
    from geomlin.nn import compiled

    b = torch.randn(2, 2, 1, 6).requires_grad_()
    arguments = (torch.randn(3, 2, 16, requires_grad=True), b, torch.randn(2, 1), 4)
    torch.library.opcheck(
        compiled._forward, arguments, test_utils=("test_schema", "test_faketensor")
    )
    assert torch.equal(compiled.compiled_action(*arguments), act(*arguments))


def test_meta_device() -> None:
    layer = RotorLinear(100, 60, device="meta")
    assert layer(torch.empty(2, 100, device="meta")).shape == (2, 60)
