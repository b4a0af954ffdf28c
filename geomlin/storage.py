"""Multivectors kept in npz files, without pickle."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import Any
from zipfile import BadZipFile

import numpy as np

from .algebra import Algebra
from .errors import DtypeError, GeomlinError, LayoutError, NotSupported
from .layout import named_layout
from .multivector import Multivector

_FORMAT = "geomlin multivector 1"


def save(path: str | PathLike[str], A: Multivector) -> None:
    """Write a multivector to an npz file, without pickle.

    load(path) = A after save(path, A).

    Parameters
    ----------
    path : file name, used as it is; .npz is the usual ending.
    A : multivector on numpy, torch, jax, fractions or flint numbers (rationals as "p/q").

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
    _check_path(path)
    if not isinstance(A, Multivector):
        raise LayoutError(f"expected a Multivector, got {type(A).__name__}: write save(path, A)")
    coeffs = getattr(A.algebra.backend_object, "to_numpy", np.asarray)(A.coeffs)
    if A.algebra.backend == "sympy":
        raise NotSupported(
            "save keeps numbers, not symbols: keep repr(A), which is code that rebuilds it"
        )
    if A.algebra.backend_object.exact:
        text = [str(x) for x in A.algebra.backend_object.to_exact(coeffs).reshape(-1)]
        coeffs = np.array(text, dtype=np.str_).reshape(coeffs.shape)
    header = {
        "format": _FORMAT,
        "signature": list(A.algebra.signature),
        "backend": A.algebra.backend,
        "blades": list(A.layout.names),
    }
    if hasattr(A.algebra.backend_object, "to_numpy"):
        header["dtype"] = str(A.dtype).removeprefix("torch.")  # bfloat16 is written as float32
    with open(path, "wb") as file:  # given a name, numpy would append .npz
        np.savez(file, header=np.array(json.dumps(header)), coeffs=coeffs)


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
    _check_path(path)
    with open(path, "rb") as stream:
        try:
            with np.load(stream, allow_pickle=False) as file:
                header: dict[str, Any] = json.loads(str(file["header"]))
                return _restored(header, file["coeffs"])
        except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError, GeomlinError) as e:
            raise LayoutError(
                f"expected a file written by geomlin.save, got {fspath(path)!r}: {e}"
            ) from e


def _check_path(path: Any) -> None:
    """Accept names of files only: a number would be a file that something else has open."""
    if not isinstance(path, (str, PathLike)):
        raise DtypeError(f"expected a file name or a path, got {path!r} of type {type(path)}")


def _restored(header: dict[str, Any], coeffs: Any) -> Multivector:
    """The multivector that a header and an array describe."""
    if header["format"] != _FORMAT or header["backend"] == "sympy":
        raise ValueError(f"format {header['format']!r}, backend {header['backend']!r}")
    p, q, r = header["signature"]
    algebra = Algebra(p, q, r, backend=header["backend"])
    layout = named_layout(algebra.n, header["blades"])
    values = algebra.backend_object.array(coeffs, header.get("dtype"))
    if layout.names != tuple(header["blades"]) or values.shape[-1:] != (layout.size,):
        raise ValueError(f"{layout.size} blades, coefficients of shape {values.shape}")
    return Multivector(algebra, layout, values)
