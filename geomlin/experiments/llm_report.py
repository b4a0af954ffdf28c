"""The table of the language-model experiment, in the paper's form and beside its figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from ..plot import COLOURS, figure, save
from .llm import Settings, answers, losses
from .llm_evaluate import paired
from .llm_methods import KNOWN

# arXiv 2507.11688, log-PPL on Wikitext2 for one replaced layer, averaged over layers.
PAPER: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "original": (2.575, 2.287), "LR1": (2.688, 2.350), "LR4": (2.658, 2.342),
        "BH1": (2.636, 2.323), "rotor": (2.629, 2.307),
    }
)  # fmt: skip


def report(output: Path, settings: Settings, results: Mapping[str, Any]) -> str:
    """Tables for one, two, .. replaced layers, and which differences are significant."""
    parts = [
        f"Model {settings.model}, text {settings.text}, recipe {settings.recipe}, "
        f"o_proj {settings.output}; {settings.test_windows} windows, the last {settings.scored} "
        "tokens of each scored; log-PPL in nats. Differences are paired over the same windows, "
        "with standard errors over windows; FVU is the validation error over the variance of the "
        "outputs.",
    ]
    original = losses(output, ["original"])["original"]
    parts.append(f"Original: {original.mean():.4f} log-PPL.")
    for count in range(1, len(settings.layers) + 1):
        chosen = _replaced(results, count)
        if chosen:
            parts.append(f"### Layers {', '.join(map(str, settings.layers[:count]))}")
            parts.append(_table(output, chosen, original))
            parts.append(_comparison(output, chosen))
            if settings.questions:
                parts.append(_questions(output, chosen))
    return "\n\n".join(parts)


def _replaced(results: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The results for the first `count` layers."""
    return {
        key: row for key, row in results.items() if "method" in row and len(row["layers"]) == count
    }


def _table(output: Path, chosen: Mapping[str, Any], original: Tensor) -> str:
    lines = [
        "| method | seed | parameters | FVU q / k / v | MSE q / k / v | o_proj kept | "
        "o_proj refit | refit − original | paper: Llama 1B / Qwen 1.5B |",
        "|---|---:|---:|---|---|---:|---:|---|---|",
    ]
    for key, row in chosen.items():
        found = losses(output, [f"{key}-kept", f"{key}-refit"])
        kept, refit = found[f"{key}-kept"], found[f"{key}-refit"]
        change = paired(refit, original)
        paper = PAPER.get(row["method"])
        lines.append(
            f"| {row['method']} | {row['seed']} | {row['parameters']} | "
            + " / ".join(f"{value:.2f}" for value in row["fvu"].values())
            + " | "
            + " / ".join(f"{value:.3g}" for value in row["mse"].values())
            + f" | {kept.mean():.4f} | {refit.mean():.4f} | "
            + f"{change.mean:+.4f} ± {change.error:.4f} | "
            + (f"{paper[0]:.3f} / {paper[1]:.3f}" if paper else "")
            + " |"
        )
    return "\n".join(lines)


def _comparison(output: Path, chosen: Mapping[str, Any]) -> str:
    """Every pair of methods, averaged over the seeds, and the order beside the paper's."""
    of_seeds = _refitted(output, chosen)
    found = {method: torch.stack(seeds).mean(dim=0) for method, seeds in of_seeds.items()}
    ordered = sorted(found, key=lambda method: found[method].mean().item())
    lines = []
    for better, worse in combinations(ordered, 2):
        difference = paired(found[worse], found[better])
        if difference.significant:
            lines.append(f"{better} < {worse} by {difference.mean:.4f} ± {difference.error:.4f}")
    told = "; ".join(lines) if lines else "none"
    paper = sorted((m for m in PAPER if m in found), key=lambda m: PAPER[m][0])
    ours = [method for method in ordered if method in paper]
    learned = [method for method in ordered if KNOWN[method].build is not None]
    constant = ""
    if "mean" in found and learned:
        best = paired(found["mean"], found[learned[0]])
        word = "is" if best.significant else "is not"
        constant = (
            f" The best learned method ({learned[0]}) {word} significantly better than a constant "
            f"({best.mean:+.4f} ± {best.error:.4f})."
        )
    agreement = "the same as" if ours == paper else "not the order of"
    return (
        f"Significant differences after the refit (beyond two standard errors): {told}.{constant} "
        f"Order here: {' < '.join(ours)}, {agreement} the paper ({' < '.join(paper)})."
        + _spread(of_seeds)
    )


def _refitted(output: Path, chosen: Mapping[str, Any]) -> dict[str, list[Tensor]]:
    """The losses after the refit, for each method those of its seeds."""
    found: dict[str, list[Tensor]] = {}
    for key, row in chosen.items():
        name = f"{key}-refit"
        found.setdefault(row["method"], []).append(losses(output, [name])[name])
    return found


def _spread(of_seeds: Mapping[str, list[Tensor]]) -> str:
    """Mean and standard deviation over seeds, where there are several."""
    told = []
    for method, seeds in of_seeds.items():
        values = [one.mean().item() for one in seeds]
        if len(values) > 1:
            told.append(f"{method} {mean(values):.4f} ± {stdev(values):.4f}")
    return f" Mean and deviation over seeds: {', '.join(told)}." if told else ""


def _questions(output: Path, chosen: Mapping[str, Any]) -> str:
    """Right answers in percent by both rules, and the paired difference to the original."""
    lines = [
        "| method | seed | right % | by length % | right − original |",
        "|---|---:|---:|---:|---:|",
    ]
    found = answers(output, ["original", *chosen])
    original = 100 * found["original"]
    for key, right in found.items():
        share = 100 * right.mean(dim=0)
        change = paired(100 * right[:, :1], original[:, :1])
        name, seed = (chosen[key][k] for k in ("method", "seed")) if key in chosen else (key, "")
        lines.append(
            f"| {name} | {seed} | {share[0]:.1f} | {share[1]:.1f} | "
            + (f"{change.mean:+.1f} ± {change.error:.1f} |" if key in chosen else " |")
        )
    return f"{len(original)} questions:\n\n" + "\n".join(lines)


def draw(output: Path, settings: Settings, results: Mapping[str, Any]) -> Path:
    """What each method costs after the refit, with paired errors; a panel for each layer count."""
    from matplotlib import pyplot

    counts = len(settings.layers)
    original = losses(output, ["original"])["original"]
    picture, panels = figure(counts, width=4.2, height=3.4)
    for count, axes in enumerate([panels] if counts == 1 else panels, start=1):
        found = _refitted(output, _replaced(results, count))
        for place, (seeds, colour) in enumerate(zip(found.values(), COLOURS * 3, strict=False)):
            for k, seed in enumerate(seeds):
                change = paired(seed, original)
                axes.errorbar(
                    change.mean, place + 0.12 * k, xerr=change.error, fmt="o", color=colour
                )
        axes.set_yticks(range(len(found)), list(found))
        axes.invert_yaxis()
        axes.axvline(0.0, color="0.7", linewidth=0.8)
        layers = ", ".join(map(str, settings.layers[:count]))
        axes.set(xlabel="log-PPL − original, nats", title=f"layers {layers} replaced")
    path = output / "llm.png"
    save(picture, str(path))
    pyplot.close(picture)
    return path
