"""How fast the published power iteration converges, and how often it stops at a wrong plane.

The iteration that splits a bivector in arXiv 2507.11688 ends when two iterates differ by less than
1e-5, or after 20 steps.  Near equal angles the iterates hardly move long before they are right: the
iteration then reports success for planes that do not commute.  Here each result is compared with
the exponential of the whole bivector, which needs no split.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ..algebra import Algebra
from ..nn import RotorLinear, power_iteration_decomposition
from ..ops.exponential import exp
from ..ops.power_iteration import PUBLISHED_ITERATIONS
from ..ops.products import geometric_product
from .run_folder import Progress, RunFolder

LONG = 5000  # iterations of the uncapped runs
WRONG = 1e-4  # ten times its tolerance: a split whose exp(B) is off by more is wrong
GAP = 1e-3  # relative distance of neighbouring angles in the family "close angles"
DIMENSIONS = tuple(range(4, 12))
SAMPLES = 200
STEPS = 300


def rotor_error(b: Tensor, parts: Tensor, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """max |prod_i exp(b_i) - exp(B)| for each bivector."""
    algebra = Algebra(n)
    product = None
    for part in parts.double().numpy():
        rotor = exp(algebra.bivector(part))
        product = rotor if product is None else geometric_product(product, rotor)
    assert product is not None
    whole = exp(algebra.bivector(b.double().numpy()))
    return np.asarray(np.abs((product - whole).coeffs).max(axis=-1))


def close_angles(n: int, samples: int, generator: torch.Generator) -> Tensor:
    """Bivectors with angles 1, 1 + GAP, 1 + 2 GAP, .. in random frames."""
    frames, _ = torch.linalg.qr(
        torch.randn(samples, n, n, dtype=torch.float64, generator=generator)
    )
    turn = torch.zeros(n, n, dtype=torch.float64)
    for k in range(n // 2):
        turn[2 * k, 2 * k + 1] = 1.0 + k * GAP
    b = frames @ (turn - turn.T) @ frames.mT
    rows, columns = torch.triu_indices(n, n, 1)
    found: Tensor = b[:, rows, columns]
    return found


def by_dimension(n: int, family: str, *, samples: int, seed: int) -> dict[str, Any]:
    """Iterations and errors for bivectors N(0, 1), as published layers start, or close angles."""
    generator = torch.Generator().manual_seed(1000 * seed + n)
    b = torch.randn(samples, n * (n - 1) // 2, dtype=torch.float64, generator=generator)
    if family == "close angles":
        b = close_angles(n, samples, generator)
    counts, changed, errors = [], [], []
    for one in b:  # one by one: a batch iterates until its slowest member is done
        long = power_iteration_decomposition(one, iterations=LONG)
        capped = power_iteration_decomposition(one)
        counts.append(int(long.counts.max()))
        changed.append(bool(capped.converged().all()))
        errors.append(float(rotor_error(one, capped.parts, n)))
    converged, wrong = np.array(changed), np.array(errors) > WRONG
    return {
        "n": n,
        "family": family,
        "samples": samples,
        "median": float(np.median(counts)),
        "percentile 95": float(np.percentile(counts, 95)),
        "at the cap %": 100.0 * float(np.mean(~converged)),
        "false convergence %": 100.0 * float(np.mean(converged & wrong)),
        "wrong %": 100.0 * float(np.mean(wrong)),
        "worst error": float(np.max(errors)),
    }


def by_training_step(n: int, *, steps: int, seed: int) -> list[dict[str, Any]]:
    """Iterations with a warm start while a layer learns a rotation of its 2^n numbers.

    The layer itself is exact; the published split is run beside it, on the same bivectors.
    """
    torch.manual_seed(seed)
    width = 1 << n
    target, layer = RotorLinear(width, width), RotorLinear(width, width)
    target.reset_parameters(1.0)
    layer.reset_parameters(1.0)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    generator = torch.Generator().manual_seed(seed)
    start: Tensor | None = None
    rows = []
    for step in range(steps):
        x = torch.randn(256, width, generator=generator)
        loss = F.mse_loss(layer(x), target(x).detach())
        b = layer.bivectors.detach()[:, 0, 0].double()
        found = power_iteration_decomposition(b, start)
        start = found.vectors
        rows.append(
            {
                "step": step,
                "iterations": int(found.counts.max()) if len(found.counts) else 0,
                "at the cap": not bool(found.converged().all()),
                "error": float(rotor_error(b, found.parts, n).max()),
                "loss": loss.item(),
            }
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return rows


def run_convergence(
    output: Path, *, seed: int = 0, samples: int = SAMPLES, steps: int = STEPS,
    dimensions: tuple[int, ...] = DIMENSIONS, progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Both parts; what is in `output` already is not computed again."""
    settings = {"experiment": "convergence", "seed": seed, "samples": samples, "steps": steps}
    run = RunFolder(output, settings)
    for k, n in enumerate(dimensions):
        if progress is not None:
            progress(f"n = {n}", k, len(dimensions))
        for family in ("random", "close angles"):
            if f"n={n}, {family}" not in run.results():
                found = by_dimension(n, family, samples=samples, seed=seed)
                run.record(f"n={n}, {family}", found)
        if f"training n={n}" not in run.results():
            run.record(f"training n={n}", by_training_step(n, steps=steps, seed=seed))
    return run.results()


def table(results: dict[str, Any]) -> str:
    """Markdown: rows for each dimension and family, then those of the training."""
    names = (
        "n", "samples", "median", "percentile 95", "at the cap %", "false convergence %",
        "wrong %", "worst error",
    )  # fmt: skip
    lines = [
        f"Iterations of the published projection (up to {LONG}); the other columns are for its own "
        f"cap of {PUBLISHED_ITERATIONS}. False convergence: it reports success, and exp(B) is off "
        f"by more than {WRONG:g}. geomlin.exp needs no split and has no such column.",
        "",
        "| family | " + " | ".join(names) + " |",
        "|---|" + "---:|" * len(names),
    ]
    for key, row in results.items():
        if not key.startswith("n="):
            continue
        cells = [f"{row[name]:.3g}" for name in names]
        lines.append(f"| {row['family']} | " + " | ".join(cells) + " |")
    lines += ["", "While a layer learns, with a warm start at every one of its steps:", ""]
    lines += ["| n | steps | at the cap % | wrong % |", "|---:|---:|---:|---:|"]
    for key, training in results.items():
        if key.startswith("training"):
            capped = 100.0 * np.mean([r["at the cap"] for r in training])
            wrong = 100.0 * np.mean([r["error"] > WRONG for r in training])
            n = key.partition("=")[2]
            lines.append(f"| {n} | {len(training)} | {capped:.3g} | {wrong:.3g} |")
    return "\n".join(lines)
