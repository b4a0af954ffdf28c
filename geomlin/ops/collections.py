"""Batches put together, and multivectors kept in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotSupported
from ..layout import named_layout
from .grades import check_same_algebra, with_layout

if TYPE_CHECKING:
    from ..multivector import Multivector

_FORMAT = "geomlin multivector 1"


def _unified(elements: Sequence[Multivector]) -> list[Multivector]:
    """All on the union of their layouts."""
    if not elements:
        raise LayoutError("expected at least one multivector, got an empty sequence")
    for element in elements:
        check_same_algebra(elements[0], element)
    union = elements[0].layout
    for element in elements[1:]:
        union = union | element.layout
    return [with_layout(element, union) for element in elements]


def stack(elements: Sequence[Multivector], axis: int = 0) -> Multivector:
    """Multivectors of one batch shape, stacked along a new batch axis.

    stack([A, B])[0] = A, stack([A, B])[1] = B.

    Parameters
    ----------
    elements : sequence of multivectors of one algebra and one batch shape.
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
    unified = _unified(elements)
    shapes = {element.shape for element in unified}
    if len(shapes) > 1:
        raise LayoutError(f"expected equal batch shapes, got {sorted(shapes)}")
    first = unified[0]
    place = axis if axis >= 0 else axis + first.ndim + 1
    if not 0 <= place <= first.ndim:
        raise LayoutError(f"expected a batch axis from 0 to {first.ndim}, got {axis}")
    return first.replace(first.layout, np.stack([x.coeffs for x in unified], axis=place))


def concatenate(elements: Sequence[Multivector], axis: int = 0) -> Multivector:
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
    unified = _unified(elements)
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
    return first.replace(first.layout, np.concatenate([x.coeffs for x in unified], axis=place))


def save(path: str | PathLike[str], A: Multivector) -> None:
    """Write a multivector to an npz file, without pickle.

    load(path) = A after save(path, A).

    Parameters
    ----------
    path : file name; numpy adds .npz if it has no such ending.
    A : multivector on numpy, fractions or flint numbers (rationals are written as "p/q").

    Returns
    -------
    None.

    Raises
    ------
    NotSupported for symbolic coefficients.

    Error bound: exact.  Gradient: none.

    Examples
    --------
    >>> import tempfile, os
    >>> from geomlin import Algebra, load, save
    >>> A = Algebra(3, 0, 1).blade("e14")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(os.path.join(folder, "a.npz"), A)
    ...     load(os.path.join(folder, "a.npz")) == A
    True
    """
    coeffs = A.coeffs
    if A.algebra.backend == "sympy":
        raise NotSupported("save keeps numbers, not symbols: use sympy.srepr on A.coeffs")
    if A.algebra.backend_object.exact:
        text = [str(x) for x in A.algebra.backend_object.to_exact(coeffs).reshape(-1)]
        coeffs = np.array(text, dtype=np.str_).reshape(coeffs.shape)
    header = {
        "format": _FORMAT,
        "signature": list(A.algebra.signature),
        "backend": A.algebra.backend,
        "blades": list(A.layout.names),
    }
    np.savez(path, header=np.array(json.dumps(header)), coeffs=coeffs)


def load(path: str | PathLike[str]) -> Multivector:
    """Read a multivector from a file that save wrote.

    load(path) = A after save(path, A).

    Parameters
    ----------
    path : file name.

    Returns
    -------
    Multivector with the algebra, layout, dtype and coefficients that were saved.

    Raises
    ------
    LayoutError if the file holds something else.

    Error bound: exact.  Gradient: none.

    Examples
    --------
    >>> import tempfile, os
    >>> from geomlin import Algebra, load, save
    >>> A = Algebra(2, backend="fractions").vector(["1/3", 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(os.path.join(folder, "a.npz"), A)
    ...     print(load(os.path.join(folder, "a.npz")))
    1/3 e₁
    """
    from ..algebra import Algebra
    from ..multivector import Multivector

    try:
        with np.load(path, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(str(file["header"]))
            coeffs = file["coeffs"]
        if header["format"] != _FORMAT:
            raise KeyError(header["format"])
    except (KeyError, ValueError, OSError, EOFError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise LayoutError(f"expected a file written by geomlin.save, got {path!r}") from error
    algebra = Algebra(*header["signature"], backend=header["backend"])
    layout = named_layout(algebra.n, header["blades"])
    return Multivector(algebra, layout, algebra.backend_object.array(coeffs))
