"""Batches put together."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError
from ..operation import leaf
from .grades import check_same_algebra, with_layout

if TYPE_CHECKING:
    from ..multivector import Multivector


def _axis(axis: Any) -> int:
    try:
        return index(axis)
    except TypeError:
        raise LayoutError(f"expected an integer batch axis, got {axis!r}") from None


def _unified(elements: Iterable[Multivector]) -> list[Multivector]:
    """All on the union of their layouts."""
    if hasattr(elements, "coeffs") or not hasattr(elements, "__iter__"):
        raise LayoutError(
            f"expected a sequence of multivectors, got {type(elements).__name__}: write [A, B]"
        )
    try:
        elements = list(elements)
    except TypeError as error:  # an array without axes
        raise LayoutError(f"expected a sequence of multivectors, got {elements!r}") from error
    if not elements:
        raise LayoutError("expected at least one multivector, got an empty sequence")
    for element in elements:
        check_same_algebra(elements[0], element)
    union = elements[0].layout
    for element in elements[1:]:
        union = union | element.layout
    return [with_layout(element, union) for element in elements]


@leaf
def stack(elements: Iterable[Multivector], axis: int = 0) -> Multivector:
    """Multivectors of one batch shape, stacked along a new batch axis.

    stack([A, B])[0] = A, stack([A, B])[1] = B.

    Parameters
    ----------
    elements : multivectors of one algebra and one batch shape, in any iterable.
    axis : position of the new batch axis.

    Returns
    -------
    Multivector on the union of the layouts, with one more batch axis.

    Raises
    ------
    SignatureMismatch if the algebras differ; LayoutError if the batch shapes do.

    Error bound: exact.  Gradient: the same rearrangement.

    Examples
    --------
    >>> from geomlin import Algebra, stack
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> stack([e1, e1 * e2]).shape, stack([e1, e1 * e2])[0] == e1
    ((2,), True)
    """
    unified, axis = _unified(elements), _axis(axis)
    shapes = {element.shape for element in unified}
    if len(shapes) > 1:
        raise LayoutError(f"expected equal batch shapes, got {sorted(shapes)}")
    first = unified[0]
    place = axis if axis >= 0 else axis + first.ndim + 1
    if not 0 <= place <= first.ndim:
        raise LayoutError(f"expected a batch axis from 0 to {first.ndim}, got {axis}")
    join = getattr(first.algebra.backend_object, "stack", np.stack)
    return first.replace(first.layout, join([x.coeffs for x in unified], axis=place))


@leaf
def concatenate(elements: Iterable[Multivector], axis: int = 0) -> Multivector:
    """Batches of multivectors, joined along an existing batch axis.

    concatenate([A, B])[: len(A)] = A.

    Parameters
    ----------
    elements : sequence of batches of one algebra, equal but for `axis`.
    axis : the batch axis to join.

    Returns
    -------
    Multivector on the union of the layouts.

    Raises
    ------
    SignatureMismatch if the algebras differ; LayoutError if the batch shapes do not fit.

    Error bound: exact.  Gradient: the same rearrangement.

    Examples
    --------
    >>> from geomlin import Algebra, concatenate
    >>> batch = Algebra(2).vector([[1, 0], [0, 1]])
    >>> concatenate([batch, batch]).shape
    (4,)
    """
    unified, axis = _unified(elements), _axis(axis)
    first = unified[0]
    place = axis if axis >= 0 else axis + first.ndim
    if not 0 <= place < first.ndim:
        raise LayoutError(f"expected a batch axis from 0 to {first.ndim - 1}, got {axis}")
    for x in unified[1:]:
        rest = [i for i in range(first.ndim) if i != place]
        if x.ndim != first.ndim or any(x.shape[i] != first.shape[i] for i in rest):
            raise LayoutError(
                f"expected batch shapes that agree but for axis {axis}, got {first.shape} "
                f"and {x.shape}"
            )
    join = getattr(first.algebra.backend_object, "concatenate", np.concatenate)
    return first.replace(first.layout, join([x.coeffs for x in unified], axis=place))
