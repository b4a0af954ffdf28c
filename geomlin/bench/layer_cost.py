"""What a rotor layer costs by counting: operations, bytes, table sizes, and the time they bound.

Counting, not measuring: docs/scaling.md prints these numbers, and the chart of `geomlin bench
layer` draws them as limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spinor_even import even_shape


@dataclass(frozen=True)
class Cost:
    """One pair r x ~s on d = 2^n numbers, per sample unless said otherwise.

    products : operations of the products with both factors, 8 tau D^2 N, D = kappa N.
    butterflies : additions of both Walsh-Hadamard transforms, 2 d log2(tau N).
    table_numbers : numbers in the blocks of r and s together, not per sample.
    parameters : numbers in both bivectors.
    """

    n: int
    products: int
    butterflies: int
    table_numbers: int
    parameters: int

    @property
    def features(self) -> int:
        """d = 2^n."""
        return 1 << self.n

    @property
    def operations(self) -> int:
        """All operations of one sample."""
        return self.products + self.butterflies

    @property
    def dense_operations(self) -> int:
        """2 d^2, those of a matrix product."""
        return 2 * self.features**2

    @property
    def ratio(self) -> float:
        """Operations of the matrix product for one of ours."""
        return self.dense_operations / self.operations

    def seconds(self, batch: int, flops: float, bandwidth: float, *, bytes_each: int = 4) -> float:
        """The least time of a forward call: operations / flops or bytes / bandwidth.

        The bytes are input, output and parameters; the tables are made on the chip.
        """
        moved = (2 * batch * self.features + self.parameters) * bytes_each
        return max(batch * self.operations / flops, moved / bandwidth)

    def dense_seconds(
        self, batch: int, flops: float, bandwidth: float, *, bytes_each: int = 4
    ) -> float:
        """The same for a matrix product, which moves its d^2 weights once."""
        moved = (2 * batch * self.features + self.features**2) * bytes_each
        return max(batch * self.dense_operations / flops, moved / bandwidth)


def cost(n: int, *, fewer_products: bool = False) -> Cost:
    """The cost of one pair in Cl(n).

    fewer_products : quaternions with 8 multiplications instead of 16 and complex numbers with 3
        instead of 4, as a good kernel does.
    """
    kappa, tau, qubits = even_shape(n)
    size = 1 << qubits
    width, length = kappa * size, tau * size
    products = 8 * tau * width**2 * size
    if fewer_products:
        products = products * {1: 4, 2: 3, 4: 2}[kappa] // 4
    return Cost(
        n=n,
        products=products,
        butterflies=2 * (1 << n) * (length.bit_length() - 1),
        table_numbers=2 * tau * kappa * size**2,
        parameters=n * (n - 1),
    )


@dataclass(frozen=True)
class Machine:
    """Peak rates as printed by a manufacturer, and bytes of shared memory of a multiprocessor."""

    name: str
    flops: float
    bandwidth: float
    on_chip: int


# NVIDIA, "H100 Tensor Core GPU Architecture", white paper (2022), SXM5: TF32 without sparsity
# 494.7 Tflop/s, 3.35 TB/s, shared memory up to 228 KiB; "A100 Tensor Core GPU Architecture",
# white paper (2020), 40 GB: 156 Tflop/s, 1.555 TB/s, up to 164 KiB.
MACHINES = (
    Machine("H100 SXM5", 494.7e12, 3.35e12, 228 * 1024),
    Machine("A100 40 GB", 156e12, 1.555e12, 164 * 1024),
)


def cost_table(dimensions: range = range(8, 15)) -> str:
    """Markdown: operations, tables and parameters of one pair beside a dense layer."""
    lines = [
        "| n | d | operations of a sample | with fewer products | dense | ratio | fewer products |"
        " tables, KiB | parameters | dense weights, MiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for n in dimensions:
        plain, fewer = cost(n), cost(n, fewer_products=True)
        lines.append(
            f"| {n} | {plain.features} | {plain.operations} | {fewer.operations} "
            f"| {plain.dense_operations} | {plain.ratio:.1f} | {fewer.ratio:.1f} "
            f"| {plain.table_numbers * 4 / 1024:g} | {plain.parameters} "
            f"| {plain.features**2 * 4 / 2**20:g} |"
        )
    return "\n".join(lines)


def prediction_table(
    dimensions: range = range(11, 15), batches: tuple[int, ...] = (1, 256, 4096)
) -> str:
    """Markdown: least times on a GPU by operations and bytes, float32; nothing here is measured."""
    lines = [
        "| machine | d | batch | rotor, us | dense, us | dense / rotor | tables fit on chip |",
        "|---|---|---|---|---|---|---|",
    ]
    for machine in MACHINES:
        for n in dimensions:
            found = cost(n)
            fits = "yes" if found.table_numbers * 4 <= machine.on_chip else "no"
            for batch in batches:
                ours = found.seconds(batch, machine.flops, machine.bandwidth)
                dense = found.dense_seconds(batch, machine.flops, machine.bandwidth)
                lines.append(
                    f"| {machine.name} | {found.features} | {batch} | {ours * 1e6:.3g} "
                    f"| {dense * 1e6:.3g} | {dense / ours:.3g} | {fits} |"
                )
    return "\n".join(lines)


@dataclass(frozen=True)
class Projections:
    """The linear layers of one transformer block and how many blocks there are."""

    name: str
    blocks: int
    shapes: tuple[tuple[int, int], ...]


# Configurations as published with the models: hidden size, key/value width, inner width.
MODELS = (
    Projections("LLaMA-3.2 1B", 16, ((2048, 2048), (2048, 512), (2048, 512), (2048, 2048))),
    Projections("Qwen-2.5 1.5B", 28, ((1536, 1536), (1536, 256), (1536, 256), (1536, 1536))),
    Projections("SmolLM2 135M", 30, ((576, 576), (576, 192), (576, 192), (576, 576))),
)


def layer_counts(in_features: int, out_features: int) -> tuple[int, int]:
    """Parameters and operations of a sample of RotorLinear(in_features, out_features)."""
    size = 1 << (min(in_features, out_features).bit_length() - 1)
    found = cost(size.bit_length() - 1)
    inputs, outputs = -(-in_features // size), -(-out_features // size)
    pairs = inputs * outputs
    transforms = found.butterflies * (inputs + outputs) // 2
    return pairs * found.parameters, pairs * found.products + transforms


def model_table() -> str:
    """Markdown: q, k, v and o of whole models with RotorLinear in the place of every one."""
    lines = [
        "| model | dense parameters | rotor parameters | ratio | dense, Mflop of a token "
        "| rotor | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for model in MODELS:
        dense = model.blocks * sum(a * b for a, b in model.shapes)
        found = [layer_counts(*shape) for shape in model.shapes]
        parameters = model.blocks * sum(p for p, _ in found)
        operations = model.blocks * sum(o for _, o in found)
        lines.append(
            f"| {model.name} | {dense} | {parameters} | {dense / parameters:.0f} "
            f"| {2 * dense / 1e6:.1f} | {operations / 1e6:.1f} | {2 * dense / operations:.1f} |"
        )
    return "\n".join(lines)
