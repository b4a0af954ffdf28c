"""A["e12"] is a coefficient; A[i], A[1:3], A[mask] are elements of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..blades import blade_mask
from ..errors import LayoutError
from ..operation import leaf

if TYPE_CHECKING:
    from ..multivector import Multivector


def at(a: Multivector, key: Any) -> Any:
    """The coefficient of a named blade, 0 if it is not stored; elements by any other index."""
    if isinstance(key, str):
        return _coefficient(a, key)
    parts = key if isinstance(key, tuple) else (key,)
    if any(part is None or part is Ellipsis or isinstance(part, slice) for part in parts):
        return _elements(a, parts)  # torch.compile reads these, and takes them in no leaf
    return _listed(a, parts)


@leaf
def _coefficient(a: Multivector, name: str) -> Any:
    """The coefficient of a blade."""
    position = a.layout.position.get(blade_mask(name, a.algebra.n))
    if position is None:
        return a.algebra.backend_object.zeros(a.shape, a.coeffs)[()]
    return a.coeffs[..., position][()]


@leaf
def _listed(a: Multivector, parts: tuple[Any, ...]) -> Multivector:
    """Elements by integers, lists and masks."""
    return _elements(a, parts)


def _elements(a: Multivector, parts: tuple[Any, ...]) -> Multivector:
    """Elements by an index of batch axes."""
    if any(isinstance(part, str) for part in parts):
        raise LayoutError(f"index batch axes first, then the blade: A[i]['e12'], got {parts!r}")
    used = sum(_axes(part) for part in parts if part is not None and part is not Ellipsis)
    if used > a.ndim:
        key = parts if len(parts) > 1 else parts[0]
        raise LayoutError(
            f"index {key!r} needs {used} batch axes, batch shape is {a.shape}; an integer "
            "never means a blade: use a name, A['e12'], or A.coeffs"
        )
    blade_axis: tuple[Any, ...] = (slice(None),)
    index = parts + blade_axis if Ellipsis in _kept(parts) else (*parts, ..., slice(None))
    found = a.coeffs[index]
    own = isinstance(a.coeffs, np.ndarray)  # a view would follow what it is a view of
    return a.replace(a.layout, np.array(found) if own else found)


def _axes(part: Any) -> int:
    """How many batch axes one part of an index takes: a mask one for each of its own."""
    if type(part) in (int, slice):
        return 1
    try:
        dtype = part.dtype if hasattr(part, "dtype") else np.asarray(part).dtype
    except ValueError as error:
        raise LayoutError(f"expected an index of batch axes, got {part!r}: {error}") from error
    return max(1, int(np.ndim(part))) if str(dtype).endswith("bool") else 1


def _kept(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index parts that can be compared by identity (arrays cannot)."""
    return tuple(part for part in parts if part is Ellipsis)
