"""The blades of another library in geomlin's order: which coefficient is which, with what sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import Algebra
from ..blades import reorder_sign
from ..errors import BackendMissing, LayoutError, NotSupported
from ..layout import full_layout
from ..multivector import Multivector


def library(name: str, extra: str = "oracles") -> Any:
    """Another library, or BackendMissing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise BackendMissing(
            f"this converter needs the package {name!r} ({error}): pip install 'geomlin[{extra}]'",
            extra=extra,
        ) from error


def vector_order(squares: Sequence[Any]) -> list[int]:
    """For each basis vector of a library, by its square, which e_(i+1) of geomlin it is.

    Positive ones come first, then negative, then null, otherwise in their order.

    Examples
    --------
    >>> vector_order([0, 1, 1, -1])      # the null vector first: it is geomlin's last one
    [3, 0, 1, 2]
    """
    if any(s not in (1, -1, 0) for s in squares):
        raise NotSupported(
            f"expected an orthonormal basis with squares 1, -1, 0, got {list(squares)}"
        )
    place = {1: 0, -1: 1, 0: 2}
    ranked = sorted(range(len(squares)), key=lambda k: (place[int(squares[k])], k))
    return [ranked.index(k) for k in range(len(squares))]


def signature_of(squares: Sequence[Any]) -> tuple[int, int, int]:
    """(p, q, r) of the squares of a basis."""
    found = [int(s) for s in squares]
    return found.count(1), found.count(-1), found.count(0)


def places(
    blades: Iterable[Sequence[int]], order: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Position in geomlin's blade order and sign of each blade of a library.

    A blade is the product of basis vectors of the library, given by their indices in that order.
    """
    position = full_layout(len(order)).position
    found, signs = [], []
    for blade in blades:
        mask, sign = 0, 1
        for index in blade:
            bit = 1 << order[index]
            sign *= reorder_sign(mask, bit)
            mask |= bit
        found.append(position[mask])
        signs.append(sign)
    return np.array(found), np.array(signs)


def as_numpy(a: Multivector) -> Multivector:
    """A multivector with float coefficients in numpy; LayoutError for anything else."""
    if not isinstance(a, Multivector):
        raise LayoutError(f"expected a Multivector, got {type(a).__name__}")
    return a if a.algebra.backend == "numpy" else a.to(backend="numpy")


def one(a: Multivector, name: str) -> Multivector:
    """A multivector that is no batch."""
    if a.shape:
        raise LayoutError(
            f"expected one multivector, got a batch {a.shape}: {name} has no batches, convert the "
            "elements A[i]"
        )
    return a


def check_squares(a: Multivector, squares: Sequence[Any], what: str) -> None:
    """Refuse a target whose basis has another signature."""
    if signature_of(squares) != tuple(a.algebra.signature):
        raise LayoutError(
            f"expected {what} of signature {tuple(a.algebra.signature)}, got squares "
            f"{[int(s) for s in squares]}"
        )


def from_places(
    values: Any, found: NDArray[np.int64], signs: NDArray[np.int64], squares: Sequence[Any]
) -> Multivector:
    """The multivector with coefficients (..., count) at these places."""
    algebra = Algebra(*signature_of(squares))
    coefficients = np.asarray(values)
    full = np.zeros((*coefficients.shape[:-1], 2**algebra.n), np.result_type(coefficients, 0.0))
    full[..., found] = coefficients * signs
    return algebra.multivector(full)
