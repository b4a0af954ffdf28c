"""Another library's multivector, wearing geomlin's operators.

A witness is not an oracle.  A library answers the operations it has; what it lacks raises
NotSupported.  Operations it computes by approximation are judged by `arbitration` at every call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algebra import Algebra
from ..errors import NotSupported
from ..layout import Layout, full_layout, grade_layout
from ..multivector import Multivector
from ..signature import Signature
from .arbitration import Arbiter

if TYPE_CHECKING:
    from .records import Disagreement


class Library(ABC):
    """One algebra of another library.

    `operations` maps the names of geomlin's functions to functions on the library's own values;
    `stated` maps approximate ones to the accuracy claimed beforehand, in eps, and `reasons` to why
    the library misses it where it does.
    """

    name: str
    backend = "numpy"  # the kind of number that the library's coefficients are
    stated: Mapping[str, float] = {}
    reasons: Mapping[str, str] = {}

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.arbiter = Arbiter(self.name, signature, self.stated, self.reasons)

    @classmethod
    def unavailable(cls) -> str | None:
        """Why the library cannot be used here; None when it can."""
        try:
            cls.load()
        except ImportError as error:
            detail = "" if error.name == cls.name else f" or cannot be imported ({error})"
            return f"{cls.name} is not installed{detail}: pip install 'geomlin[oracles]'"
        return None

    @classmethod
    def load(cls) -> None:
        """Import the library."""
        import_module(cls.name)

    @cached_property
    def algebra(self) -> Algebra:
        """The geomlin algebra of the same signature and kind of number."""
        return Algebra(*self.signature, backend=self.backend)

    @property
    @abstractmethod
    def operations(self) -> Mapping[str, Callable[..., Any]]:
        """What the library can do."""

    @abstractmethod
    def from_dense(self, coefficients: Any) -> Any:
        """A value of the library from 2^n coefficients in geomlin's blade order."""

    @abstractmethod
    def to_dense(self, value: Any) -> Any:
        """2^n coefficients in geomlin's blade order."""

    def probes(self) -> list[Disagreement]:
        """Known disagreements outside the operations above, found by computing them afresh."""
        return []

    def wrap(self, a: Multivector) -> ForeignMultivector:
        """Carry a geomlin multivector over."""
        return ForeignMultivector(self, self.from_dense(a.to_dense()))

    def unwrap(self, value: Any) -> Multivector:
        """Carry a value of the library back."""
        return self.algebra.multivector(self.to_dense(value))

    def call(self, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        """Answer one of geomlin's operations with the library's own code."""
        function = self.operations.get(name)
        if function is None:
            raise NotSupported(f"{self.name} has no {name}")
        if keywords:
            raise NotSupported(f"{self.name}'s {name} has no option {', '.join(keywords)}")
        result = function(*(self._own(a) for a in arguments))
        if isinstance(result, np.ndarray):
            return result
        known = grade_layout(self.signature.n, arguments[1]) if name == "grade" else None
        return ForeignMultivector(self, result, known)

    def _own(self, argument: Any) -> Any:
        if isinstance(argument, Multivector):
            return self.from_dense(argument.to_dense())
        return argument.value if isinstance(argument, ForeignMultivector) else argument


@dataclass(frozen=True)
class ForeignAlgebra:
    """What a statement asks of `a.algebra`; as an argument it hands the call to the library."""

    library: Library

    def __geomlin_operation__(
        self, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        return self.library.call(name, arguments, keywords)

    @property
    def n(self) -> int:
        """Dimension of the vector space."""
        return self.library.signature.n

    @property
    def metric(self) -> tuple[int, ...]:
        """Squares of e1..en."""
        return self.library.signature.metric

    @property
    def backend_object(self) -> Any:
        """The arithmetic of the coefficients."""
        return self.library.algebra.backend_object


@dataclass(frozen=True, eq=False)
class ForeignMultivector:
    """A library's value with the operators of a geomlin multivector."""

    library: Library
    value: Any
    known: Layout | None = field(default=None)

    __array_ufunc__ = None
    shape = ()

    def __geomlin_operation__(
        self, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        return self.library.call(name, arguments, keywords)

    @property
    def algebra(self) -> ForeignAlgebra:
        """The library's algebra."""
        return ForeignAlgebra(self.library)

    @property
    def layout(self) -> Layout:
        """The blades that `coeffs` lists."""
        return self.known or full_layout(self.library.signature.n)

    @property
    def coeffs(self) -> Any:
        """Coefficients in geomlin's blade order."""
        dense = self.library.to_dense(self.value)
        position = full_layout(self.library.signature.n).position
        return dense[[position[mask] for mask in self.layout.masks]]

    def grade(self, k: int) -> Any:
        """Part of grade k."""
        return self._call("grade", k)

    def _call(self, name: str, *others: Any) -> Any:
        return self.library.call(name, (self, *others), {})

    def _lifted(self, other: Any) -> Any:
        if isinstance(other, (ForeignMultivector, Multivector)):
            return other
        return self.library.wrap(self.library.algebra.scalar(other))

    def __add__(self, other: Any) -> Any:
        return self._call("add", self._lifted(other))

    def __radd__(self, other: Any) -> Any:
        return self._call("add", self._lifted(other))

    def __sub__(self, other: Any) -> Any:
        return self._call("subtract", self._lifted(other))

    def __rsub__(self, other: Any) -> Any:
        return self._lifted(other)._call("subtract", self)

    def __neg__(self) -> Any:
        return self._lifted(0)._call("subtract", self)

    def __mul__(self, other: Any) -> Any:
        return self._call("geometric_product", self._lifted(other))

    def __rmul__(self, other: Any) -> Any:
        return self._lifted(other)._call("geometric_product", self)

    def __xor__(self, other: Any) -> Any:
        return self._call("outer_product", self._lifted(other))

    def __invert__(self) -> Any:
        return self._call("reverse")


def disagreements(library: Library) -> list[Disagreement]:
    """Where the library and geomlin differed, with both errors against a certified value."""
    return library.arbiter.disagreements() + library.probes()
