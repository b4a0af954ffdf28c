"""The networks that learn Fashion-MNIST: dense, rotor, and what shows how much of it they learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..nn import RotorLinear

PIXELS, WIDTH, CLASSES = 784, 512, 10


class RotorClassifier(nn.Module):
    """Parallel chains of rotor layers between the pixels and one linear read-out.

        z_k = P(g_k1(x)), .., z_k = P(g_kl(z_k)),    y = W [z_1, .., z_b] + c,
        P(z) = PReLU(LayerNorm(z) + bias).

    `trained=False` freezes the rotors, biases and slopes where they started: what is left is a
    linear read-out of random features, the control for what training them adds.
    """

    def __init__(self, breadth: int, levels: int, *, trained: bool = True) -> None:
        super().__init__()
        self.chains = nn.ModuleList(
            nn.ModuleList(
                RotorLinear(PIXELS if k == 0 else WIDTH, WIDTH, scale=True, bias=False)
                for k in range(levels)
            )
            for _ in range(breadth)
        )
        self.biases = nn.Parameter(torch.zeros(breadth, levels, WIDTH))
        self.slopes = nn.Parameter(torch.full((breadth, levels), 0.25))
        if not trained:
            self.requires_grad_(False)
        self.read_out = nn.Linear(breadth * WIDTH, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        """Scores (batch, classes) of pictures (batch, pixels)."""
        found = []
        for k, chain in enumerate(self.chains):
            assert isinstance(chain, nn.ModuleList)
            z = x
            for level, layer in enumerate(chain):
                z = F.layer_norm(layer(z), (WIDTH,)) + self.biases[k, level]
                z = F.prelu(z, self.slopes[k, level : level + 1])
            found.append(z)
        scores: Tensor = self.read_out(torch.cat(found, dim=-1))
        return scores


def dense() -> nn.Module:
    """784-512-512-10 with ReLU."""
    return nn.Sequential(
        nn.Linear(PIXELS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, CLASSES),
    )  # fmt: skip


NETWORKS: Mapping[str, Callable[[], nn.Module]] = MappingProxyType(
    {
        "linear": lambda: nn.Linear(PIXELS, CLASSES),
        "dense": dense,
        "rotor": lambda: RotorClassifier(breadth=4, levels=2),
        "rotor, frozen": lambda: RotorClassifier(breadth=4, levels=2, trained=False),
    }
)
LEARNING_RATES: Mapping[str, float] = MappingProxyType(
    {"linear": 1e-3, "dense": 1e-3, "rotor": 1e-2, "rotor, frozen": 3e-3}
)


def rotor_parameters(network: nn.Module) -> int:
    """Learned numbers inside rotor layers."""
    return sum(
        p.numel()
        for module in network.modules()
        if isinstance(module, RotorLinear)
        for p in module.parameters()
        if p.requires_grad
    )


def learned_parameters(network: nn.Module) -> int:
    """Numbers that training may change."""
    return sum(p.numel() for p in network.parameters() if p.requires_grad)
