"""Learned numbers of each method for the attention projections of the models of the paper.

The widths are those of the published configurations: Llama-3.2-1B has 16 layers of width 2048 with
32 heads and 8 key-value heads of 64; Qwen2.5-1.5B has 28 layers of width 1536 with 12 heads and 2
key-value heads of 128.  A configuration file (config.json) of a Llama or Qwen2 model can be given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from torch import nn

from ..errors import LayoutError
from ..nn import LowRankLinear, RotorLinear, RotorNetwork
from .llm_methods import block_hadamard
from .run_folder import read_json

CONFIGURATIONS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Llama-3.2-1B": {"width": 2048, "heads": 32, "key_value_heads": 8, "head_width": 64},
        "Qwen2.5-1.5B": {"width": 1536, "heads": 12, "key_value_heads": 2, "head_width": 128},
        "SmolLM2-135M": {"width": 576, "heads": 9, "key_value_heads": 3, "head_width": 64},
    }
)


class Shape(NamedTuple):
    """A projection: its name and widths."""

    name: str
    in_features: int
    out_features: int


def projections(configuration: Mapping[str, int]) -> tuple[Shape, ...]:
    """q, k, v of one attention layer."""
    width, head = configuration["width"], configuration["head_width"]
    small = configuration["key_value_heads"] * head
    return (
        Shape("q", width, configuration["heads"] * head),
        Shape("k", width, small),
        Shape("v", width, small),
    )


def from_file(path: Path) -> dict[str, int]:
    """The same numbers from a config.json of transformers."""
    found = read_json(path)
    try:
        width, heads = found["hidden_size"], found["num_attention_heads"]
    except KeyError as missing:
        raise LayoutError(
            f"expected the configuration of a Llama or Qwen2 model in {path}, {missing} is missing"
        ) from None
    return {
        "width": width,
        "heads": heads,
        "key_value_heads": found.get("num_key_value_heads", heads),
        "head_width": found.get("head_dim") or width // heads,
    }


METHODS: Mapping[str, Callable[[int, int], nn.Module]] = MappingProxyType(
    {
        "dense": lambda i, o: nn.Linear(i, o, bias=False),
        "LR1": lambda i, o: LowRankLinear(i, o, 1),
        "LR4": lambda i, o: LowRankLinear(i, o, 4),
        "BH1": block_hadamard,
        "rotor, one pair": RotorLinear,
        "rotor network": RotorNetwork,
    }
)


def formula(method: str, shape: Shape) -> int | None:
    """The count by arithmetic alone, to compare with a layer; None without a closed form."""
    i, o = shape.in_features, shape.out_features
    if method == "dense":
        return i * o
    if method in ("LR1", "LR4"):
        return int(method[2:]) * (i + o)
    if method.startswith("rotor"):
        chunk = 1 << (min(i, o).bit_length() - 1)
        pair = (n := chunk.bit_length() - 1) * (n - 1)
        first, last = -(-i // chunk), -(-o // chunk)
        if method == "rotor, one pair":
            return pair * first * last
        gadgets = first + 6 + last  # input, two levels of three, output
        return gadgets * (pair + 1) + 6 + 1  # a factor for each pair, mixing weights, one slope
    return None


def count(layer: nn.Module) -> int:
    """Learned numbers of a built layer."""
    return sum(p.numel() for p in layer.parameters())


def rows(name: str, configuration: Mapping[str, int]) -> list[dict[str, Any]]:
    """One row for each method and projection, every count taken from a layer that was built."""
    found = []
    for shape in projections(configuration):
        dense = shape.in_features * shape.out_features
        for method, build in METHODS.items():
            numbers = count(build(shape.in_features, shape.out_features))
            found.append(
                {
                    "model": name, "projection": shape.name, "in": shape.in_features,
                    "out": shape.out_features, "method": method, "numbers": numbers,
                    "by formula": formula(method, shape), "fewer": dense / numbers,
                }
            )  # fmt: skip
    return found


def table(found: list[dict[str, Any]]) -> str:
    """Markdown."""
    lines = [
        "| model | projection | in x out | method | learned numbers | dense / this |",
        "|---|---|---|---|---:|---:|",
    ]
    lines += [
        f"| {row['model']} | {row['projection']} | {row['in']} x {row['out']} | {row['method']} | "
        f"{row['numbers']} | {row['fewer']:.1f} |"
        for row in found
    ]
    return "\n".join(lines)
