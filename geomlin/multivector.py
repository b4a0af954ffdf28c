"""Multivector: an algebra, a layout and coefficients; frozen, and a value like a number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from . import printing
from .errors import DtypeError, GeomlinError, LayoutError, NotInvertible
from .layout import Layout, full_layout, grade_layout
from .operation import at_working_precision, leaf
from .ops import grades, indexing, inverse, involutions, products

if TYPE_CHECKING:
    from .algebra import Algebra


class Multivector:
    """An element of a Clifford algebra, or a batch of them.

    `coeffs` has the batch axes first and one last axis over the blades of `layout`.  Operators:
    `+ - *` (geometric product), `^` (outer product), `~` (reverse), `/` by scalars, `**` with an
    integer.  `==` is exact and gives one bool; `|` is undefined, because the field does not agree
    on one inner product.  Construct through an `Algebra`.
    """

    __slots__ = ("algebra", "coeffs", "layout")
    __array_ufunc__ = None  # so that numpy_array * multivector comes to __rmul__
    __hash__ = None  # type: ignore[assignment]

    algebra: Algebra
    layout: Layout
    coeffs: Any

    def __init__(self, algebra: Algebra, layout: Layout, coeffs: Any) -> None:
        """Wrap coefficients that are owned by no one else; use Algebra's constructors instead."""
        if isinstance(coeffs, np.ndarray):
            coeffs.flags.writeable = False
        object.__setattr__(self, "algebra", algebra)
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "coeffs", coeffs)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a Multivector is frozen: cannot set {name!r}; build a new one with "
            "Algebra.multivector(...) or arithmetic"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Multivector is frozen: cannot delete {name!r}")

    def replace(self, layout: Layout, coeffs: Any) -> Multivector:
        """A multivector of the same algebra with other coefficients."""
        return Multivector(self.algebra, layout, coeffs)

    # --- what it is -----------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape; () for one multivector."""
        return tuple(self.coeffs.shape[:-1])

    @property
    def dtype(self) -> Any:
        """Kind of number of the coefficients."""
        return self.coeffs.dtype

    @property
    def ndim(self) -> int:
        """Number of batch axes."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one multivector has no length: len() counts the first batch axis")
        return self.shape[0]

    def __iter__(self) -> Iterator[Multivector]:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, key: Any) -> Any:
        """A["e12"]: coefficient of a blade, 0 if not stored.  A[i], A[1:3], A[mask]: batch."""
        return indexing.at(self, key)

    def as_dict(self) -> dict[str, Any]:
        """Names and values of the coefficients that are not zero (in all of a batch)."""
        backend: Any = self.algebra.backend_object
        found = getattr(backend, "known_zero", backend.is_zero)(self.coeffs)
        zero: Any = getattr(backend, "to_numpy", np.asarray)(found)
        stored = ~zero.all(axis=tuple(range(self.ndim)))
        names = self.layout.names
        return {name: self.coeffs[..., i][()] for i, name in enumerate(names) if stored[i]}

    @leaf
    def to_dense(self) -> Any:
        """All 2^n coefficients in blade order, as an array (..., 2^n)."""
        dense = grades.with_layout(self, full_layout(self.algebra.n)).coeffs
        return dense.copy() if isinstance(dense, np.ndarray) else dense

    def grade(self, k: int) -> Multivector:
        """Part of grade k."""
        return grades.grade(self, k)

    @leaf
    def to(self, backend: str | None = None, dtype: Any = None, device: Any = None) -> Multivector:
        """The same multivector with another kind of number; exact targets take floats exactly."""
        return self.algebra.convert(self, backend=backend, dtype=dtype, device=device)

    # --- operators ------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return _combine(grades.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _combine(grades.add, self, other)

    def __sub__(self, other: Any) -> Any:
        return _combine(grades.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combine(grades.add, -self, other)

    @at_working_precision
    def __neg__(self) -> Multivector:
        return self.replace(self.layout, -self.coeffs)

    def __pos__(self) -> Multivector:
        return self

    def __mul__(self, other: Any) -> Any:
        scaled = _with_number(operator.mul, self, other)
        return _combine(products.geometric_product, self, other) if scaled is None else scaled

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)  # scalars commute

    def __xor__(self, other: Any) -> Any:
        return _combine(products.outer_product, self, other)

    def __rxor__(self, other: Any) -> Any:
        return _combine(products.outer_product, self, other)  # scalars commute

    def __invert__(self) -> Multivector:
        return involutions.reverse(self)

    @leaf
    def __truediv__(self, other: Any) -> Multivector:
        if isinstance(other, Multivector):
            raise DtypeError("A / B is ambiguous for multivectors: write A * inverse(B)")
        scaled = _with_number(operator.truediv, self, other)
        if scaled is not None:
            return scaled
        backend = self.algebra.backend_object
        divisor = _scalars(self, other)
        if _known_any(backend, backend.is_zero(divisor.coeffs)):
            raise NotInvertible(f"expected a nonzero scalar divisor, got {other!r}")
        grades.check_operands(self, divisor)
        return self.replace(self.layout, backend.divide(self.coeffs, divisor.coeffs))

    @leaf
    def __pow__(self, exponent: Any) -> Multivector:
        try:
            if isinstance(exponent, bool):
                raise TypeError
            k = operator.index(exponent)
        except (TypeError, ValueError):  # ValueError: a masked number
            raise DtypeError(
                f"expected an integer exponent, got {exponent!r}: A ** k is a repeated product"
            ) from None
        base = inverse.inverse(self) if k < 0 else self
        one = self.algebra.backend_object.zeros((*self.shape, 1), self.coeffs) + 1
        result = self.replace(grade_layout(self.algebra.n, 0), one)
        for bit in f"{abs(k):b}":
            result = result * result
            if bit == "1":
                result = result * base
        return result

    def __eq__(self, other: object) -> bool:
        """Exact equality of algebra, batch shape and every coefficient, stored or not.

        A real number stands for the scalar, without batch axes.
        """
        if isinstance(other, Real):
            other = _exact_scalar(self, other)
        if not isinstance(other, Multivector):
            return NotImplemented
        if self.algebra != other.algebra or self.shape != other.shape:
            return False
        difference = grades.subtract(self, other)
        backend: Any = self.algebra.backend_object
        if hasattr(backend, "all_zero"):  # balls: one that excludes zero decides
            return bool(backend.all_zero(difference.coeffs))
        return bool(backend.is_zero(difference.coeffs).all())

    def __bool__(self) -> bool:
        raise TypeError(
            "the truth of a multivector is ambiguous: compare with A == B, or use isclose(A, B)"
        )

    # --- printing and copying -------------------------------------------------------------

    def __repr__(self) -> str:
        return printing.code(self)

    def __str__(self) -> str:
        return printing.text(self)

    def _repr_latex_(self) -> str:
        return printing.latex(self)

    def __copy__(self) -> Multivector:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Multivector:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        coeffs = self.coeffs
        own = np.array(coeffs) if isinstance(coeffs, np.ndarray) else coeffs
        return Multivector, (self.algebra, self.layout, own)


def _known_any(backend: Any, flags: Any) -> bool:
    """Whether a flag is known to be true; flags of traced arrays are unknown."""
    return bool(getattr(backend, "known_any", np.any)(flags))


def _combine(function: Callable[[Any, Any], Any], a: Multivector, b: Any) -> Any:
    """Apply a binary operation, promoting scalars; other libraries' objects get their turn."""
    if isinstance(b, Multivector) or hasattr(type(b), "__geomlin_operation__"):
        return function(a, b)
    return function(a, _scalars(a, b))


def _with_number(combine: Callable[..., Any], a: Multivector, number: Any) -> Multivector | None:
    """A times or over a Python number, where the backend combines them at once, else None."""
    if type(number) not in (float, int) or number == 0 or not isinstance(a.coeffs, np.ndarray):
        return None  # frameworks too, whose compiler cannot read the next line
    with_number = getattr(a.algebra.backend_object, "with_number", None)
    if with_number is None:
        return None
    coeffs = with_number(combine, a.coeffs, number)
    return None if coeffs is None else a.replace(a.layout, coeffs)


def _exact_scalar(a: Multivector, number: Any) -> Multivector | None:
    """A number as a scalar of the algebra of A; None if no coefficient there can equal it."""
    try:
        backend = a.algebra.backend_object
        value = number if backend.exact else float(number)
        if value != number:
            return None
        if not hasattr(backend, "answers"):
            return a.algebra.scalar(value)
        found = a.algebra.scalar(value, like=a)  # of a default float, which may be a shorter one
        return found if float(found.coeffs[0]) == value else None
    except (GeomlinError, OverflowError):
        return None


@leaf
def _scalars(a: Multivector, values: Any) -> Multivector:
    """A number or an array of numbers as scalars of the algebra of A."""
    if isinstance(values, (list, tuple, dict, set)):
        raise LayoutError(
            f"expected a multivector or a scalar, got {type(values).__name__}: build a multivector "
            "with Algebra.vector(...), or an array of batch scalars with numpy.asarray"
        )
    return a.algebra.scalar(values, like=a)
