"""Tables and the chart of the layer benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..errors import BackendMissing
from .layer_cost import cost

if TYPE_CHECKING:
    from .layer import Row


def table(found: list[Row]) -> str:
    """Markdown, a line for each row."""
    lines = [
        "Medians of rounds in which all contenders are called in turn, float32, without bias; "
        "a ratio above 1 means faster than torch.nn.Linear.",
        "Cold: parameters changed before the call, against weights that come from memory.  One "
        "thread: processor time; more: time on the clock.",
        "",
        "| work | threads | d | batch | contender | us | dense, us | ratio | MiB | dense, MiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.work} | {row.threads} | {row.width} | {row.batch} | {row.contender} "
        f"| {row.microseconds:.3g} | {row.dense:.3g} | {row.ratio:.2f} "
        f"| {_mebibytes(row.memory)} | {_mebibytes(row.dense_memory)} |"
        for row in found
    ]
    return "\n".join(lines)


def summary(found: list[Row]) -> str:
    """Markdown: how many times faster than torch.nn.Linear, a column for each width; below the
    time of torch.nn.Linear itself."""
    widths = sorted({row.width for row in found})
    lines = [
        "| work | threads | batch | layer | " + " | ".join(f"d = {w}" for w in widths) + " |",
        "|---" * (4 + len(widths)) + "|",
    ]
    groups = dict.fromkeys((row.work, row.threads, row.batch) for row in found)
    for work, threads, batch in sorted(groups, key=lambda g: (g[1], list(groups).index(g))):
        mine = [r for r in found if (r.work, r.threads, r.batch) == (work, threads, batch)]
        start = f"| {work} | {threads} | {batch} |"
        for name in dict.fromkeys(row.contender for row in mine):
            ratios = {r.width: f"{r.ratio:.2f}" for r in mine if r.contender == name}
            cells = [ratios.get(width, "") for width in widths]
            lines.append(f"{start} {name} | " + " | ".join(cells) + " |")
        times = {row.width: f"{row.dense:.3g} us" for row in mine}
        lines.append(
            f"{start} torch.nn.Linear | " + " | ".join(times.get(w, "") for w in widths) + " |"
        )
    return "\n".join(lines)


def _mebibytes(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def chart(found: list[Row], path: str | PathLike[str]) -> None:
    """Time and memory against the width, both logarithmic, with the limits as dashed lines.

    The limits take the rates that the dense layer of the same run reached: floating-point
    operations of its largest batch, and bytes of its weights with one sample.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise BackendMissing(
            "the chart needs matplotlib, which is not installed: pip install 'geomlin[plot]'",
            extra="plot",
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    threads = min(row.threads for row in found)
    mine = [row for row in found if row.threads == threads]
    largest = max(row.batch for row in mine)
    figure, axes = pyplot.subplots(1, 4, figsize=(20, 5))
    panels: tuple[tuple[str, str, int], ...] = (
        ("forward, one sample", "forward", min(row.batch for row in mine)),
        (f"forward, {largest} samples", "forward", largest),
        (f"training step, {largest} samples", "step", largest),
    )
    for axis, (title, work, batch) in zip(axes, panels, strict=False):
        rows = [row for row in mine if row.work == work and row.batch == batch]
        _curves(axis, rows, lambda row: row.microseconds, lambda row: row.dense)
        axis.set(title=title, ylabel="microseconds")
        if work == "forward":
            _limits(axis, rows)
    steps = [row for row in mine if row.work == "step" and row.batch == largest]
    measured = [row for row in steps if (row.memory or 0) > 0 and (row.dense_memory or 0) > 0]
    _curves(axes[3], measured, lambda row: row.memory, lambda row: row.dense_memory)
    axes[3].set(title=f"memory of a step, {largest} samples", ylabel="MiB")
    for axis in axes:
        filled = any((line.get_ydata() > 0).any() for line in axis.get_lines())
        axis.set(xlabel="d", xscale="log", yscale="log" if filled else "linear")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize="small")
    figure.suptitle(f"{threads} thread(s)")
    figure.savefig(path, bbox_inches="tight", dpi=120)
    pyplot.close(figure)


def _curves(
    axis: Any, rows: Iterable[Row], ours: Callable[[Row], Any], dense: Callable[[Row], Any]
) -> None:
    """One curve for each contender, and one for the dense layer."""
    rows = list(rows)
    for name in dict.fromkeys(row.contender for row in rows):
        chosen = [row for row in rows if row.contender == name]
        axis.plot([r.width for r in chosen], [ours(r) for r in chosen], marker="o", label=name)
    first = {row.width: dense(row) for row in rows}
    axis.plot(list(first), list(first.values()), color="black", marker="s", label="dense")


def _limits(axis: Any, rows: list[Row]) -> None:
    """The least time of a rotor layer at the rate at which the largest dense layer computed."""
    if not rows:
        return
    best = max(rows, key=lambda row: row.width)
    rate = 2.0 * best.width**2 * best.batch / best.dense  # operations of a microsecond
    widths = sorted({row.width for row in rows})
    counted = [cost(width.bit_length() - 1) for width in widths]
    flops = [best.batch * c.operations / rate for c in counted]
    axis.plot(widths, flops, "--", color="gray", label="operations at the dense rate")
    if best.batch == 1:
        bandwidth = 4.0 * best.width**2 / best.dense
        moved = [4.0 * (2 * c.features + c.table_numbers) / bandwidth for c in counted]
        axis.plot(widths, moved, ":", color="gray", label="bytes at the dense rate")
