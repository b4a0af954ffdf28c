"""Conformance vectors: exact inputs, certified outputs, and how both are written in JSON.

An input number is an integer ("3") or a hexadecimal float ("-0x1.8p+1"), hence exact; "nan" and
"inf" occur in inputs that are to be refused.  An output is mid +- rad: the true value lies within
`rad` of the decimal `mid`.  `unit` is the absolute error that one eps of the dtype amounts to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import LayoutError
from .operations import OPERATIONS, Operation, Signature, shape_of

FORMAT = "geomlin conformance vectors 1"
Floats = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Output:
    """An array mid +- rad, kept as the float nearest to mid and the rest; and its unit."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    rad: float
    unit: NDArray[np.float64]

    @classmethod
    def parse(cls, data: Mapping[str, Any], shape: tuple[int, ...]) -> Output:
        """From {"mid": [..], "rad": "..", "unit": ".." or [..]}."""
        exact = [Fraction(text) for text in data["mid"]]
        high = np.array([float(x) for x in exact])
        low = np.array([float(x - Fraction(h)) for x, h in zip(exact, high.tolist(), strict=True)])
        unit = data["unit"]
        units = [float(u) for u in unit] if isinstance(unit, list) else [float(unit)] * len(exact)
        return cls(
            high.reshape(shape),
            low.reshape(shape),
            float(data["rad"]),
            np.array(units).reshape(shape),
        )

    def errors(self, found: Floats) -> NDArray[np.float64]:
        """|found - mid| / unit, beyond rad; infinite for NaN."""
        x = np.asarray(found, dtype=np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.maximum(np.abs((x - self.high) - self.low) - self.rad, 0.0)
            return np.where(np.isfinite(gap), gap / self.unit, np.inf)

    def error(self, found: Floats) -> float:
        """The largest of `errors`."""
        return float(self.errors(found).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Vector:
    """One input with what is to come out; `data` is the JSON object."""

    data: Mapping[str, Any]

    @property
    def id(self) -> int:
        """Number of the vector, never reused."""
        return int(self.data["id"])

    @property
    def operation(self) -> Operation:
        """What is computed."""
        return OPERATIONS[self.data["operation"]]

    @cached_property
    def signature(self) -> Signature:
        """(p, q, r)."""
        p, q, r = self.data["signature"]
        return p, q, r

    @property
    def result(self) -> str:
        """valid, invalid or acceptable."""
        return str(self.data["result"])

    @property
    def check(self) -> str:
        """How an answer is compared."""
        return str(self.data["check"])

    @property
    def flags(self) -> tuple[str, ...]:
        """Why the vector exists."""
        return tuple(self.data["flags"])

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Kinds of float that hold the input exactly."""
        return tuple(self.data["dtypes"])

    @cached_property
    def inputs(self) -> dict[str, NDArray[np.float64]]:
        """Arguments by name, as float64."""
        shapes = self.operation.shapes(self.signature)
        return {
            name: np.array([number(text) for text in self.data["input"][name]]).reshape(shape)
            for name, shape in shapes.items()
        }

    @cached_property
    def output(self) -> Output | None:
        """What is to come out; None where only a property is checked."""
        data = self.data.get("output", {})
        return self._parsed(data) if "mid" in data else None

    @property
    def unit(self) -> float:
        """What one eps of the dtype amounts to where a property is checked."""
        return float(self.data["output"]["unit"])

    @cached_property
    def mistakes(self) -> dict[str, Output]:
        """Answers of well-known mistakes, by flag."""
        return {
            flag: self._parsed({**self.data["output"], "mid": mid})
            for flag, mid in self.data.get("mistakes", {}).items()
        }

    def _parsed(self, data: Mapping[str, Any]) -> Output:
        kind = "bivector" if self.check == "tangent" else self.operation.result
        return Output.parse(data, shape_of(kind, self.signature))

    def __str__(self) -> str:
        p, q, r = self.signature
        return f"{self.operation.name} {self.id} in Cl({p},{q},{r}): {self.data['comment']}"


def number(text: str) -> float:
    """An input number.

    Examples
    --------
    >>> number("-0x1.8p+1"), number("3")
    (-3.0, 3.0)
    """
    return float.fromhex(text) if "0x" in text else float(text)


def number_text(value: float) -> str:
    """How an input number is written; `number` takes it back exactly."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    sign, rest = ("-", value.hex()[1:]) if value < 0 else ("", value.hex())
    mantissa, exponent = rest.split("p")
    return f"{sign}{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def folder() -> Path:
    """Where the vectors of this version are."""
    return Path(str(files(__package__) / "vectors"))


def load_files(path: str | PathLike[str] | None = None) -> dict[str, Any]:
    """The JSON documents of a folder by group; those of this version by default.

    LayoutError if there are none, or one that is no file of vectors.
    """
    base = folder() if path is None else Path(path)
    found = {}
    for file in sorted(base.glob("*.json")):
        if file.name != "ids.json":
            found[file.stem] = _document(file, shipped=path is None)
    if not found:
        raise LayoutError(f"expected files of conformance vectors (*.json) in {base}, got none")
    return found


def _document(file: Path, shipped: bool) -> Any:
    """A file of vectors; those of others are checked."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LayoutError(f"expected a file of conformance vectors, got {file}: {error}") from error
    broken = "" if shipped else next(_faults(document), "")
    if broken:
        raise LayoutError(
            f"expected conformance vectors of the form that `geomlin vectors export` writes, got "
            f"{file}: {broken.removeprefix(': ')}"
        )
    return document


def _faults(document: Any) -> Iterator[str]:
    """What keeps a document from being run: its form, unknown operations, sizes of inputs."""
    from .schema import violations

    broken = list(violations(document))
    if broken:
        yield from broken
        return
    for test in document["tests"]:
        name = f"test {test['id']}"
        operation = OPERATIONS.get(test["operation"])
        if operation is None:
            yield f"{name}: there is no operation {test['operation']!r}"
            continue
        for argument, shape in operation.shapes(tuple(test["signature"])).items():
            given = len(test["input"].get(argument, ()))
            if given != prod(shape):
                yield f"{name}: expected {prod(shape)} numbers for {argument!r}, got {given}"


def load_vectors(path: str | PathLike[str] | None = None) -> list[Vector]:
    """The vectors of a folder; those of this version by default.

    Examples
    --------
    >>> from geomlin.conformance import load_vectors
    >>> vectors = load_vectors()
    >>> {"exp", "log", "rotor_layer"} <= {v.operation.name for v in vectors}
    True
    """
    return [Vector(test) for document in load_files(path).values() for test in document["tests"]]


def select(
    vectors: Iterable[Vector], *, operations: Sequence[str] = (), flags: Sequence[str] = ()
) -> list[Vector]:
    """Vectors of the named operations and with one of the named flags; () selects all."""
    return [
        vector
        for vector in vectors
        if (not operations or vector.operation.name in operations)
        and (not flags or set(flags) & set(vector.flags))
    ]
