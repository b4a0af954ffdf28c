"""The table of the language-model experiment, in the paper's form and beside its figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torch import Tensor

from .llm import Settings, losses
from .llm_evaluate import paired
from .llm_methods import METHODS

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
        f"Model {settings.model}, text {settings.text}, recipe {settings.recipe}; "
        f"{settings.test_windows} windows, the last {settings.scored} tokens of each scored; "
        "log-PPL in nats. Differences are paired over the same windows, with standard errors over "
        "windows; FVU is the validation error over the variance of the outputs.",
    ]
    original = losses(output, ["original"])["original"]
    parts.append(f"Original: {original.mean():.4f} log-PPL.")
    for count in range(1, len(settings.layers) + 1):
        chosen = {
            key: row
            for key, row in results.items()
            if "method" in row and len(row["layers"]) == count
        }
        if chosen:
            parts.append(f"### Layers {', '.join(map(str, settings.layers[:count]))}")
            parts.append(_table(output, chosen, original))
            parts.append(_comparison(output, chosen))
    return "\n\n".join(parts)


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
    """Every pair of methods, and the order beside the paper's."""
    first = {row["method"]: key for key, row in reversed(list(chosen.items()))}
    found = {
        method: losses(output, [f"{key}-refit"])[f"{key}-refit"] for method, key in first.items()
    }
    ordered = sorted(found, key=lambda method: found[method].mean().item())
    lines = []
    for better, worse in combinations(ordered, 2):
        difference = paired(found[worse], found[better])
        if difference.significant:
            lines.append(f"{better} < {worse} by {difference.mean:.4f} ± {difference.error:.4f}")
    told = "; ".join(lines) if lines else "none"
    paper = sorted((m for m in PAPER if m in found), key=lambda m: PAPER[m][0])
    ours = [method for method in ordered if method in paper]
    learned = [method for method in ordered if METHODS[method].build is not None]
    mean = ""
    if "mean" in found and learned:
        best = paired(found["mean"], found[learned[0]])
        word = "is" if best.significant else "is not"
        mean = (
            f" The best learned method ({learned[0]}) {word} significantly better than a constant "
            f"({best.mean:+.4f} ± {best.error:.4f})."
        )
    agreement = "the same as" if ours == paper else "not the order of"
    return (
        f"Significant differences after the refit (beyond two standard errors): {told}.{mean} "
        f"Order here: {' < '.join(ours)}, {agreement} the paper ({' < '.join(paper)})."
    )
