"""Fashion-MNIST from scratch: dense against rotor networks, accuracy and learned numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .fashion_mnist import FashionMnist, Split, folder, load
from .fashion_networks import LEARNING_RATES, NETWORKS, learned_parameters, rotor_parameters
from .run_folder import Progress, RunFolder

BATCH = 256
PAPER = {"dense": 89.67, "rotor": 88.36}  # arXiv 2507.11688, test accuracy in percent


class Outcome(NamedTuple):
    """What one network reached; accuracies in percent."""

    name: str
    seed: int
    parameters: int
    in_rotors: int
    validation: list[float]  # after each epoch
    test: float
    seconds: float
    confusion: list[list[int]]  # [true class][found class], test pictures


def scores(network: nn.Module, pictures: Tensor) -> Tensor:
    """Scores of many pictures, without gradients."""
    network.eval()
    with torch.no_grad():
        return torch.cat([network(part) for part in pictures.split(4 * BATCH)])


def accuracy(network: nn.Module, split: Split) -> float:
    """Percent of the pictures whose class has the largest score."""
    right = scores(network, split.pictures).argmax(dim=1) == split.classes
    return 100.0 * right.double().mean().item()


def train(
    name: str,
    data: FashionMnist,
    run: RunFolder,
    *,
    epochs: int,
    seed: int,
    progress: Progress | None = None,
) -> Outcome:
    """Train one network with Adam and a cosine schedule; goes on after the last whole epoch.

    The order of the pictures in an epoch depends on the seed and the epoch only, so a run that was
    interrupted ends with the same numbers.
    """
    torch.manual_seed(seed)
    network = NETWORKS[name]()
    learned = [p for p in network.parameters() if p.requires_grad]
    count = len(data.train.classes)
    steps = epochs * -(-count // BATCH)
    optimiser = torch.optim.Adam(learned, lr=LEARNING_RATES[name])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    key = f"{name.replace(', ', '-')}-{seed}"
    state = run.load(key) or {"epoch": 0, "validation": [], "seconds": 0.0}
    if state["epoch"]:
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
    for epoch in range(state["epoch"], epochs):
        if progress is not None:
            progress(f"{name}, seed {seed}", epoch, epochs)
        began = time.perf_counter()
        one_epoch(network, data.train, optimiser, schedule, seed=seed, epoch=epoch)
        state = {
            "epoch": epoch + 1,
            "validation": [*state["validation"], accuracy(network, data.validation)],
            "seconds": state["seconds"] + time.perf_counter() - began,
            "network": network.state_dict(),
            "optimiser": optimiser.state_dict(),
            "schedule": schedule.state_dict(),
        }
        run.save(key, state)
    found = scores(network, data.test.pictures).argmax(dim=1)
    confusion = torch.zeros(10, 10, dtype=torch.long)
    confusion.index_put_((data.test.classes, found), torch.ones_like(found), accumulate=True)
    return Outcome(
        name=name,
        seed=seed,
        parameters=learned_parameters(network),
        in_rotors=rotor_parameters(network),
        validation=state["validation"],
        test=accuracy(network, data.test),
        seconds=state["seconds"],
        confusion=confusion.tolist(),
    )


def one_epoch(
    network: nn.Module,
    split: Split,
    optimiser: torch.optim.Optimizer,
    schedule: Any,
    *,
    seed: int,
    epoch: int,
) -> None:
    """Every training picture once."""
    network.train()
    order = torch.Generator().manual_seed(1_000_003 * seed + epoch)
    for chosen in torch.randperm(len(split.classes), generator=order).split(BATCH):
        loss = F.cross_entropy(network(split.pictures[chosen]), split.classes[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()


def run_fmnist(
    output: Path,
    *,
    data: Path | None = None,
    epochs: int = 12,
    seeds: tuple[int, ...] = (0,),
    names: tuple[str, ...] = tuple(NETWORKS),
    progress: Progress | None = None,
) -> list[Outcome]:
    """Train every network with every seed; results are kept in `output` and not computed again."""
    settings = {"experiment": "fmnist", "epochs": epochs, "batch": BATCH}
    run = RunFolder(output, settings)
    pictures = load(folder(data))
    outcomes = []
    for name in names:
        for seed in seeds:
            key = f"{name}, seed {seed}"
            known = run.results().get(key)
            if known is None:
                outcome = train(name, pictures, run, epochs=epochs, seed=seed, progress=progress)
                run.record(key, outcome._asdict())
            else:
                outcome = Outcome(**known)
            outcomes.append(outcome)
    return outcomes
