"""The table, the comparison at equal parameters and the chart of the Pareto experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..plot import BLACK, BLUE, GREEN, ORANGE, figure, save
from .llm import Settings, losses
from .llm_evaluate import paired
from .pareto import TRIVIAL

FAMILIES = {"LR": BLUE, "BH": GREEN, "rotor": ORANGE, "constant": BLACK}
ALIKE = 1.35  # two configurations are of equal size up to this factor


class Point(NamedTuple):
    """A configuration: its learned numbers and its losses, averaged over the seeds."""

    method: str
    parameters: int
    losses: Tensor

    @property
    def mean(self) -> float:
        """Mean loss, log-PPL."""
        return self.losses.mean().item()

    @property
    def family(self) -> str:
        """The kind of map."""
        return next(name for name in FAMILIES if self.method.startswith(name))


def points(output: Path, results: Mapping[str, Any]) -> list[Point]:
    """The learned configurations, smallest first."""
    found: dict[str, list[tuple[int, Tensor]]] = {}
    for key, row in results.items():
        if "method" in row and row["method"] not in TRIVIAL:
            loss = losses(output, [key])[key]
            found.setdefault(row["method"], []).append((row["parameters"], loss))
    return sorted(
        (
            Point(method, seeds[0][0], torch.stack([loss for _, loss in seeds]).mean(dim=0))
            for method, seeds in found.items()
        ),
        key=lambda point: (point.parameters, point.method),
    )


def front(found: list[Point]) -> list[Point]:
    """Those that no smaller or equal one beats."""
    best, kept = math.inf, []
    for point in sorted(found, key=lambda one: (one.parameters, one.mean)):
        if point.mean < best:
            best = point.mean
            kept.append(point)
    return kept


def pareto_report(output: Path, settings: Settings, seconds: float, results: Any) -> str:
    """Everything in words and numbers."""
    original = losses(output, ["original"])["original"]
    layers = ", ".join(map(str, settings.layers))
    found = points(output, results)
    return "\n\n".join(
        [
            f"Model {settings.model}, text {settings.text}: q, k, v of layers {layers} replaced "
            f"and learned together from hidden states, {seconds:g} processor seconds for each "
            f"configuration, tuning included; {settings.test_windows} windows, the last "
            f"{settings.scored} tokens of each scored; log-PPL in nats, differences paired over "
            "windows. Hidden error: mean of |h - h'|²/|h'|² on validation windows, h' the "
            "hidden states of the original.",
            f"Original: {original.mean():.4f} log-PPL.",
            _table(output, results, original),
            "Pareto front: "
            + " → ".join(f"{p.method} ({p.parameters})" for p in front(found))
            + ".",
            _equal_size(found),
        ]
    )


def _table(output: Path, results: Mapping[str, Any], original: Tensor) -> str:
    lines = [
        "| method | seed | parameters | epochs alone | steps together | rate | "
        "hidden error alone | together | log-PPL | − original |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for key, row in results.items():
        if "method" not in row:
            continue
        loss = losses(output, [key])[key]
        change = paired(loss, original)
        lines.append(
            f"| {row['method']} | {row['seed']} | {row['parameters']} | {row['epochs']:.2g} | "
            f"{row.get('steps', '')} | {row.get('rate', '')} | {row['error fitted']:.4f} | "
            f"{row['error']:.4f} | {loss.mean():.4f} | {change.mean:+.4f} ± {change.error:.4f} |"
        )
    return "\n".join(lines)


def _equal_size(found: list[Point]) -> str:
    """Each rotor configuration against those of the other families of the same size."""
    lines = []
    for rotor in (point for point in found if point.family == "rotor"):
        for other in found:
            size = max(rotor.parameters, other.parameters) / min(rotor.parameters, other.parameters)
            if other.family in ("LR", "BH") and size <= ALIKE:
                change = paired(rotor.losses, other.losses)
                word = ("better" if change.mean < 0 else "worse") if change.significant else "equal"
                lines.append(
                    f"- {rotor.method} ({rotor.parameters}) against {other.method} "
                    f"({other.parameters}): {change.mean:+.4f} ± {change.error:.4f}, {word}"
                )
    told = "\n".join(lines) if lines else "- none of equal size"
    return (
        f"At equal size (within a factor {ALIKE}) and equal time, rotor minus the other; equal "
        f"means within two standard errors:\n\n{told}"
    )


def draw_pareto(output: Path, results: Mapping[str, Any]) -> Path:
    """log-PPL against the number of learned parameters, a line for each family."""
    from matplotlib import pyplot

    original = losses(output, ["original"])["original"]
    found = points(output, results)
    picture, axes = figure(1, width=6.0, height=4.2)
    for family, colour in FAMILIES.items():
        of_family = [point for point in found if point.family == family]
        changes = [paired(point.losses, original) for point in of_family]
        axes.errorbar(
            [point.parameters for point in of_family],
            [change.mean for change in changes],
            yerr=[change.error for change in changes],
            fmt="o-", color=colour, label=family, linewidth=1, capsize=2,
        )  # fmt: skip
        for point, change in zip(of_family, changes, strict=True):
            place = (point.parameters, change.mean)
            axes.annotate(point.method, place, (4, 4), textcoords="offset points", fontsize=7)
    for name, style in zip(TRIVIAL, (":", "--"), strict=True):
        for key, row in results.items():
            if row.get("method") == name:
                change = paired(losses(output, [key])[key], original)
                axes.axhline(change.mean, color="0.6", linestyle=style, label=name)
    axes.set(
        xscale="log", xlabel="learned parameters", ylabel="log-PPL − original, nats",
        title="replaced layers learned together, at equal time",
    )  # fmt: skip
    axes.legend(fontsize=8)
    path = output / "pareto.png"
    save(picture, str(path))
    pyplot.close(picture)
    return path
