"""How large the first bivectors of a rotor layer should be, measured by training.

A rotor network learns a dense one from its values: the fraction of variance that it leaves
unexplained on new inputs, for several deviations of the first bivectors, several seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

import torch
from torch import Tensor, nn

from ..nn import RotorLinear, RotorNetwork

DEVIATIONS = (1.0, 0.3, 0.1, 0.0)
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Trained:
    """Unexplained variance after training from one first deviation and one seed."""

    task: str
    deviation: float
    seed: int
    unexplained: float


def tasks(width: int) -> dict[str, nn.Module]:
    """What is to be learned: a linear map, a network with one hidden level, another rotor layer."""
    dense = nn.Linear(width, width, bias=False)
    hidden = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width))
    target = RotorLinear(width, width)
    target.reset_parameters(0.3)
    return {"dense": dense, "one hidden level": hidden, "rotor layer": target}


def student(task: str, width: int, deviation: float) -> nn.Module:
    """The layer that learns, its bivectors drawn with this deviation."""
    if task == "rotor layer":
        layer: nn.Module = RotorLinear(width, width, scale=True)
    else:
        layer = RotorNetwork(width, width, levels=2, breadth=3)
    for module in layer.modules():
        if isinstance(module, RotorLinear):
            module.reset_parameters(deviation)
    return layer


def train(layer: nn.Module, target: nn.Module, width: int, steps: int, rate: float) -> float:
    """Unexplained variance on new inputs after Adam with a cosine schedule."""
    mixing = torch.randn(width, width) / width**0.5  # correlated inputs, as activations are

    def draw(count: int) -> tuple[Tensor, Tensor]:
        x = torch.randn(count, width) @ mixing
        with torch.no_grad():
            return x, target(x)

    optimiser = torch.optim.Adam(layer.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        x, wanted = draw(256)
        loss = nn.functional.mse_loss(layer(x), wanted)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        x, wanted = draw(4096)
        error = (layer(x) - wanted).square().mean()
    return float(error / wanted.var(dim=0).mean())


def measure(
    width: int = 32,
    steps: int = 200,
    rate: float = 0.05,
    deviations: Sequence[float] = DEVIATIONS,
    seeds: Sequence[int] = SEEDS,
) -> Iterator[Trained]:
    """Every task, deviation and seed; the seed decides target, inputs and first values."""
    for seed in seeds:
        torch.manual_seed(seed)
        for task, target in tasks(width).items():
            for deviation in deviations:
                torch.manual_seed(seed)
                layer = student(task, width, deviation)
                yield Trained(task, deviation, seed, train(layer, target, width, steps, rate))


def table(found: Sequence[Trained]) -> str:
    """Markdown: mean over the seeds, and the range."""
    names = list(dict.fromkeys(item.task for item in found))
    lines = ["| deviation | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for deviation in dict.fromkeys(item.deviation for item in found):
        cells = []
        for name in names:
            values = [
                item.unexplained
                for item in found
                if item.task == name and item.deviation == deviation
            ]
            cells.append(f"{mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
        lines.append(f"| {deviation:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(table(list(measure())))
