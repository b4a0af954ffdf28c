"""What a case file says in words about shapes, layouts and refusals, as checks that can fail.

Each check returns the violations it found, in words; none is agreement.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .. import exp, log, rotor_from_matrix, rotor_to_matrix
from ..algebra import Algebra
from ..derivatives import exp_vjp, rotor_from_matrix_vjp
from ..errors import GeomlinError, NotInImage, NotSupported
from .case_inputs import floats

Data = Mapping[str, Any]


def _some_bivectors(a: Algebra, shape: tuple[int, ...], dtype: str) -> Any:
    """Distinct moderate coefficients of this batch shape."""
    size = len(a.bivector_blades)
    count = int(np.prod(shape)) * size
    return np.cos(np.arange(1, count + 1)).reshape(*shape, size).astype(dtype)


def _empty_batches(a: Algebra, data: Data, dtype: str) -> Iterator[str]:
    """Empty in, empty out, with the trailing shape and the dtype, and without a warning."""
    n = a.n
    pairs, evens = n * (n - 1) // 2, 1 << n >> 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {
            "exp": (exp(a.bivector(np.zeros((0, pairs), dtype))).coeffs, (0, evens)),
            "log": (log(a.even(np.zeros((0, evens), dtype))).coeffs, (0, pairs)),
            "to_matrix": (rotor_to_matrix(a.even(np.zeros((0, evens), dtype))), (0, n, n)),
            "from_matrix": (rotor_from_matrix(np.zeros((0, n, n), dtype), a).coeffs, (0, evens)),
        }
    for name, (values, shape) in found.items():
        if values.shape != shape or values.dtype != dtype:
            yield f"{name} of an empty batch: shape {values.shape}, dtype {values.dtype}"


def _batch_axes(a: Algebra, data: Data, dtype: str) -> Iterator[str]:
    """Two batch axes give what the single calls give."""
    values = _some_bivectors(a, (7, 3), dtype)
    found = exp(a.bivector(values)).coeffs
    for index in np.ndindex(7, 3):
        single = exp(a.bivector(values[index])).coeffs
        if np.abs(found[index] - single).max() > 4 * np.finfo(dtype).eps:
            yield f"exp of element {index} differs from that of the batch: {single}"


def _layouts(values: Any) -> Iterator[tuple[str, Any]]:
    """The same numbers with a moved axis, a negative stride and a stride of zero."""
    yield "transposed", np.moveaxis(np.ascontiguousarray(np.moveaxis(values, -1, 0)), 0, -1)
    yield "negative stride", values[::-1].copy()[::-1]
    yield "broadcast", np.broadcast_to(values[:1], values.shape)
    yield "read-only", _read_only(values)
    yield "Fortran order", np.asfortranarray(values)


def _read_only(values: Any) -> Any:
    frozen = values.copy()
    frozen.flags.writeable = False
    return frozen


def _memory_layouts(a: Algebra, data: Data, dtype: str) -> Iterator[str]:
    """Values and gradients do not depend on strides, and the input stays as it was."""
    values = _some_bivectors(a, (4,), dtype)
    rotor_bar = a.even(np.ones(1 << a.n >> 1))
    matrices = rotor_to_matrix(exp(a.bivector(values)))
    functions: dict[str, tuple[Any, Callable[[Any], Any]]] = {
        "exp": (values, lambda x: exp(a.bivector(x)).coeffs),
        "gradient of exp": (values, lambda x: exp_vjp(a.bivector(x), rotor_bar).coeffs),
        "from_matrix": (matrices, lambda x: rotor_from_matrix(x, a).coeffs),
        "gradient of from_matrix": (matrices, lambda x: rotor_from_matrix_vjp(x, rotor_bar, a)),
    }
    for name, (input_values, function) in functions.items():
        for layout, given in _layouts(input_values):
            before = np.array(given)
            if not np.array_equal(function(given), function(np.ascontiguousarray(given))):
                yield f"{name} differs for a {layout} array"
            if not np.array_equal(given, before):
                yield f"{name} changed its {layout} input"
    if not np.array_equal(exp(a.bivector(values.tolist())).coeffs, exp(a.bivector(values)).coeffs):
        yield "exp differs for a list of lists"


def _infinite_input(a: Algebra, data: Data, dtype: str) -> Iterator[str]:
    """NaN or an error, never a finite answer."""
    values = floats(data["bivector"], dtype)
    rotor = np.concatenate([[1.0], values])
    functions: dict[str, Callable[[], Any]] = {
        "exp": lambda: exp(a.bivector(values)).coeffs,
        "log": lambda: log(a.even(rotor)).coeffs,
        "to_matrix": lambda: rotor_to_matrix(a.even(rotor)),
    }
    for name, function in functions.items():
        try:
            found = function()
        except GeomlinError:
            continue
        if not np.isnan(found).any():
            yield f"{name} answered {found}"


def _left_handed_target(a: Algebra, data: Data, dtype: str) -> Iterator[str]:
    """No exponential of a bivector reaches determinant -1: the lift refuses it."""
    try:
        found = rotor_from_matrix(floats(data["matrix"], dtype), a)
    except NotInImage as error:
        if error.reason != "det":
            yield f"refused for the reason {error.reason!r}"
    else:
        yield f"rotor_from_matrix answered {found}"


_CHECKS: dict[str, Callable[[Algebra, Data, str], Iterator[str]]] = {
    "empty batch": _empty_batches,
    "several batch axes": _batch_axes,
    "non-contiguous input": _memory_layouts,
    "Inf handled differently per device": _infinite_input,
    "read-only buffer": _memory_layouts,
    "determinant -1 target": _left_handed_target,
}


def violations(a: Algebra, case: Mapping[str, Any]) -> list[str]:
    """What goes against the behaviour that the case asks for, named by its fault."""
    check = _CHECKS.get(case["fault"])
    if check is None:
        raise NotSupported(f"no check is known for {case['fault']!r}")
    return list(check(a, case["input"], str(case["dtype"])))
