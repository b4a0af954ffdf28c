"""The table and the pictures of the Fashion-MNIST experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

import numpy as np

from ..plot import COLOURS, figure, save
from .fashion_mnist import CLASSES
from .fmnist import PAPER, Outcome


def table(outcomes: Sequence[Outcome]) -> str:
    """A markdown table, the paper's figures beside ours; standard deviation over several seeds."""
    grouped = defaultdict(list)
    for outcome in outcomes:
        grouped[outcome.name].append(outcome)
    lines = [
        "| network | learned numbers | of them in rotors | test accuracy % | paper % | s |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, runs in grouped.items():
        values = [run.test for run in runs]
        spread = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
        paper = f"{PAPER[name]:.2f}" if name in PAPER else ""
        lines.append(
            f"| {name} | {runs[0].parameters} | {runs[0].in_rotors} | "
            f"{mean(values):.2f}{spread} | {paper} | {mean(run.seconds for run in runs):.0f} |"
        )
    return "\n".join(lines)


def conclusion(outcomes: Sequence[Outcome]) -> str:
    """How far from the paper's pair, and what training the rotors is worth."""
    best = {name: mean(o.test for o in outcomes if o.name == name) for name in _names(outcomes)}
    sentences = []
    for name, published in PAPER.items():
        if name in best:
            sentences.append(f"{name}: {best[name] - published:+.2f} points against the paper's.")
    if {"rotor", "rotor, frozen"} <= best.keys():
        gain = best["rotor"] - best["rotor, frozen"]
        sentences.append(f"Training the rotors, biases and slopes adds {gain:.2f} points.")
    if {"rotor", "dense"} <= best.keys():
        sizes = {o.name: o.parameters for o in outcomes}
        sentences.append(
            f"The dense network has {sizes['dense'] / sizes['rotor']:.1f} times the numbers."
        )
    return " ".join(sentences)


def _names(outcomes: Sequence[Outcome]) -> list[str]:
    return list(dict.fromkeys(o.name for o in outcomes))


def draw(outcomes: Sequence[Outcome], output: Path) -> list[Path]:
    """Curves of the validation accuracy, and the confusion of the rotor network."""
    from matplotlib import pyplot

    picture, axes = figure(1, width=5.5)
    for outcome, colour in zip(outcomes, COLOURS * len(outcomes), strict=False):
        epochs = np.arange(1, len(outcome.validation) + 1)
        label = f"{outcome.name}, seed {outcome.seed}"
        axes.plot(epochs, outcome.validation, ".-", color=colour, label=label)
    axes.set(xlabel="epoch", ylabel="validation accuracy %", title="Fashion-MNIST")
    axes.legend(fontsize=8)
    paths = [output / "curves.png"]
    save(picture, str(paths[0]))
    pyplot.close(picture)
    for outcome in [o for o in outcomes if o.name == "rotor"][:1]:
        picture, axes = figure(1, width=5.2, height=4.8)
        counts = np.array(outcome.confusion)
        axes.imshow(np.sqrt(counts), cmap="Blues")
        for (i, j), count in np.ndenumerate(counts):
            if count:
                colour = "white" if count > 400 else "black"
                axes.text(j, i, str(count), ha="center", va="center", fontsize=7, color=colour)
        axes.set_xticks(range(10), CLASSES, rotation=60, ha="right")
        axes.set_yticks(range(10), CLASSES)
        axes.set(xlabel="found", ylabel="true", title="rotor network, test pictures")
        paths.append(output / "confusion.png")
        save(picture, str(paths[-1]))
        pyplot.close(picture)
    return paths
