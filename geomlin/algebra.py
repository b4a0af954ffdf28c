"""Algebra: the constructors of one Clifford algebra Cl(p,q,r) over one backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .backend import Backend, get_backend
from .blades import blade_mask
from .errors import DtypeError, LayoutError, NonFiniteInput, NotSupported
from .layout import Layout, even_layout, full_layout, grade_layout, named_layout
from .multivector import Multivector
from .operation import leaf
from .random import Random
from .signature import Signature, signature
from .tables import ProductTable, product_table


class Algebra:
    """The Clifford algebra Cl(p,q,r): e1..en ordered positive, negative, null.

    e_i^2 = +1 for i <= p, -1 for the next q, 0 for the last r, and e_i e_j = -e_j e_i.

    Parameters
    ----------
    p, q, r : numbers of basis vectors with square +1, -1, 0; 1 <= p + q + r <= 12.
    backend : "numpy" (float64, float32), "torch" and "jax" (which differentiate and compile),
        "fractions", "flint" (rationals, polynomials), "sympy", "arb" (balls: rigorous enclosures).
    precision : working precision of "arb" in bits, 128 by default.

    Examples
    --------
    >>> pga = Algebra(3, 0, 1)              # the null vector comes last: e4
    >>> pga.blade("e4") * pga.blade("e4") == pga.scalar(0)
    True
    """

    def __init__(
        self,
        p: int,
        q: int = 0,
        r: int = 0,
        backend: str = "numpy",
        precision: int | None = None,
    ) -> None:
        self.signature: Signature = signature(p, q, r)
        self.backend = backend
        self.backend_object: Backend = get_backend(backend, precision)
        self.precision: int | None = getattr(self.backend_object, "bits", None)
        if hasattr(self.backend_object, "register"):
            self.backend_object.register(Multivector, Algebra, Layout)

    @cached_property
    def n(self) -> int:
        """Dimension of the vector space."""
        return self.signature.n

    @cached_property
    def metric(self) -> tuple[int, ...]:
        """Squares of e1..en."""
        return self.signature.metric

    @cached_property
    def blades(self) -> tuple[str, ...]:
        """Names of all 2^n blades in blade order."""
        return full_layout(self.n).names

    @cached_property
    def bivector_blades(self) -> tuple[str, ...]:
        """Names of the blades of grade 2: e12, e13, .., e23, .."""
        return grade_layout(self.n, 2).names

    @property
    @leaf
    def basis_vectors(self) -> tuple[Multivector, ...]:
        """e1, .., en as multivectors."""
        return tuple(self.blade(name) for name in grade_layout(self.n, 1).names)

    @property
    def pseudoscalar(self) -> Multivector:
        """I = e1 e2 .. en."""
        return self.blade(self.blades[-1])

    @cached_property
    def random(self) -> Random:
        """Samplers; each takes the numpy Generator it draws from."""
        return Random(self)

    @leaf
    def blade(self, name: str) -> Multivector:
        """The basis blade of a name, in the layout of its grade."""
        layout = grade_layout(self.n, blade_mask(name, self.n).bit_count())
        return self._build({name: 1}, layout, "blade")

    @leaf
    def scalar(
        self, value: Any, *, dtype: Any = None, like: Multivector | None = None
    ) -> Multivector:
        """Scalars of batch shape value.shape; a Python number takes the dtype of `like`."""
        backend = self.backend_object
        coeffs = (
            backend.array(value, dtype)
            if like is None
            else backend.scalar_array(value, like.coeffs)
        )
        return Multivector(self, grade_layout(self.n, 0), coeffs[..., None])

    @leaf
    def vector(self, values: Any, *, dtype: Any = None) -> Multivector:
        """Vector from n coefficients (..., n) or a mapping of names to values."""
        return self._build(values, grade_layout(self.n, 1), "vector", dtype)

    @leaf
    def bivector(self, values: Any, *, dtype: Any = None) -> Multivector:
        """Bivector from coefficients (..., n(n-1)/2) in the order e12, e13, .., or a mapping."""
        return self._build(values, grade_layout(self.n, 2), "bivector", dtype)

    @leaf
    def even(self, values: Any, *, dtype: Any = None) -> Multivector:
        """Even multivector from 2^(n-1) coefficients in blade order, or a mapping."""
        return self._build(values, even_layout(self.n), "even", dtype)

    @leaf
    def multivector(
        self, values: Any, *, layout: Sequence[str] | None = None, dtype: Any = None
    ) -> Multivector:
        """Multivector from 2^n coefficients in blade order, or a mapping.

        With `layout`, a sequence of blade names, only those blades are stored and the
        coefficients follow the order of the names.
        """
        if layout is None:
            return self._build(values, full_layout(self.n), "multivector", dtype)
        target = named_layout(self.n, layout)
        if not isinstance(values, Mapping):
            given = self._build(values, target, "explicit", dtype)
            order = np.array([list(layout).index(name) for name in target.names], dtype=np.int64)
            return Multivector(self, target, given.coeffs[..., order])
        return self._build(values, target, "explicit", dtype)

    def _build(self, values: Any, layout: Layout, kind: str, dtype: Any = None) -> Multivector:
        backend = self.backend_object
        if isinstance(values, Multivector):
            raise LayoutError(
                f"expected coefficients, got a Multivector of {values.algebra}: use its parts "
                "(A.grade(2), even(A)) or A.to(backend=...)"
            )
        if isinstance(values, Mapping):
            coeffs = self._from_mapping(values, layout, kind, dtype)
        else:
            coeffs = backend.array(values, dtype)
            if coeffs.ndim == 0 or coeffs.shape[-1] != layout.size:
                raise LayoutError(
                    f"{self}: {kind} has {layout.size} coefficients on the last axis "
                    f"({', '.join(layout.names[:6])}{', ..' if layout.size > 6 else ''}), "
                    f"got shape {tuple(coeffs.shape)}"
                )
        return Multivector(self, layout, coeffs)

    def _from_mapping(
        self, values: Mapping[str, Any], layout: Layout, kind: str, dtype: Any
    ) -> Any:
        backend = self.backend_object
        for name in values:
            if blade_mask(name, self.n) not in layout:
                raise LayoutError(
                    f"{name!r} is no blade of the {kind} layout in {self}: expected one of "
                    f"{', '.join(layout.names[:6])}{', ..' if layout.size > 6 else ''}"
                )
        columns = [backend.array(value, dtype) for value in values.values()]
        if not columns:
            return backend.zeros((layout.size,), backend.array(0, dtype))
        try:
            shape = np.broadcast_shapes(*(tuple(column.shape) for column in columns))
        except ValueError as error:
            raise LayoutError(
                "expected values whose batch shapes broadcast, got "
                + ", ".join(f"{k}: {c.shape}" for k, c in zip(values, columns, strict=True))
            ) from error
        places = [layout.position[blade_mask(name, self.n)] for name in values]
        if hasattr(backend, "place"):  # arrays that cannot be written to
            return backend.place(columns, places, layout.size, shape)
        like = columns[0] if backend.exact else np.zeros(0, np.result_type(*columns))
        coeffs = backend.zeros((*shape, layout.size), like)
        for place, column in zip(places, columns, strict=True):
            coeffs[..., place] = column
        return coeffs

    def convert(
        self, a: Multivector, *, backend: str | None, dtype: Any, device: Any
    ) -> Multivector:
        """Carry a multivector of this algebra to another backend or dtype."""
        target = self if backend in (None, self.backend) else Algebra(*self.signature, backend)
        moved = getattr(target.backend_object, "moved", None)
        if moved is None and device not in (None, "cpu"):
            raise NotSupported(f"backend {target.backend!r} knows only the cpu, got {device!r}")
        source = a.coeffs
        if target is not self and hasattr(self.backend_object, "to_numpy"):
            source = self.backend_object.to_numpy(source)
        if self.backend_object.exact and target.backend != self.backend:
            rounds = not target.backend_object.exact
            source = self._rounded(source) if rounds else self.backend_object.to_exact(source)
        found = target.backend_object.array(source, dtype)
        if moved is not None and device is not None:
            found = moved(found, device)
        return Multivector(target, a.layout, found)

    def _rounded(self, coeffs: Any) -> Any:
        """Exact numbers as the nearest float64; sympy's may be irrational."""
        if isinstance(self.precision, int):
            midpoints: Any = self.backend_object
            return midpoints.midpoints(coeffs)
        numbers = coeffs if self.backend == "sympy" else self.backend_object.to_exact(coeffs)
        result = np.empty(coeffs.shape, dtype=np.float64)
        try:
            for index in np.ndindex(coeffs.shape):
                result[index] = float(numbers[index])
        except TypeError as error:
            raise DtypeError(
                f"expected numbers, got {numbers[index]}: substitute values before converting"
            ) from error
        except OverflowError as error:
            raise NonFiniteInput(
                "expected numbers within the range of float64, got a larger one: scale it down"
            ) from error
        return result

    def table(self, product: str, left: Layout, right: Layout) -> ProductTable:
        """Sparse table of a bilinear product of two layouts."""
        return product_table(product, self.metric, left, right)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Algebra):
            return NotImplemented
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.signature, self.backend, self.precision

    def __repr__(self) -> str:
        p, q, r = self.signature
        arguments = f"{p}, {q}, {r}" if r else f"{p}, {q}" if q else f"{p}"
        suffix = "" if self.backend == "numpy" else f', backend="{self.backend}"'
        if self.precision is not None:
            suffix += f", precision={self.precision}"
        return f"Algebra({arguments}{suffix})"

    def __str__(self) -> str:
        return str(self.signature) + ("" if self.backend == "numpy" else f" over {self.backend}")

    def __fx_repr__(self) -> tuple[str, dict[str, object]]:
        """Code for torch.compile, which keeps algebras as constants of its graphs."""
        p, q, r = self.signature
        return f"Algebra({p}, {q}, {r}, {self.backend!r})", {"Algebra": Algebra}

    def __reduce__(self) -> tuple[Any, ...]:
        return Algebra, (*self.signature, self.backend, self.precision)
