"""What every operation on framework arrays begins and ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import GeomlinError, LayoutError, NotSupported, RapidityOverflow
from ..layout import grade_layout
from ..ops.bivectors import bivector_part, vector_part
from ..ops.failures import failing_indices
from ..ops.grades import with_layout

if TYPE_CHECKING:
    from ..layout import Layout
    from ..multivector import Multivector


def backend_of(a: Multivector) -> Any:
    """The backend object of a multivector on a framework."""
    backend: Any = a.algebra.backend_object
    return backend


def opened(a: Multivector, on_error: str = "raise") -> Any:
    """Coefficients in the dtype to compute in; known ones have to be finite, unless NaN is wanted
    and an earlier step has put it there."""
    xp = backend_of(a)
    if on_error == "raise":
        xp.check_finite(a.coeffs)
    return xp.astype(a.coeffs, xp.work_dtype(a.coeffs))


def closed(
    a: Multivector, layout: Layout, values: Any, dtype: Any = None, on_error: str = "raise"
) -> Multivector:
    """A multivector from computed coefficients, rounded once to the dtype of `a`."""
    wanted = a.dtype if dtype is None else dtype
    return a.replace(layout, rounded(backend_of(a), values, wanted, on_error))


def rounded(xp: Any, values: Any, dtype: Any, on_error: str = "raise", axes: int = 1) -> Any:
    """The values in the dtype; elements, of `axes` last axes, with an infinite one are an overflow:
    NaN where that is wanted, or where numbers are traced."""
    result = xp.astype(values, dtype)
    infinite = xp.lib.isinf(result)
    for _ in range(axes):
        infinite = infinite.any(-1)
    if on_error == "raise" and xp.known_any(infinite):
        indices, count = failing_indices(xp.to_numpy(infinite))
        raise RapidityOverflow(
            f"expected results within the range of {dtype}, got {count} beyond it: scale the "
            "rapidity down, or use a longer dtype",
            indices=indices,
            count=count,
        )
    lost = infinite.reshape(*infinite.shape, *[1] * axes)
    return xp.where(lost, xp.lib.full_like(result, float("nan")), result)


def without(
    xp: Any,
    bad: Any,
    values: Any,
    error: Callable[[list[tuple[int, ...]], int], GeomlinError],
    on_error: str = "raise",
) -> Any:
    """The values with NaN in the batch elements `bad`; raises instead where that is known."""
    if on_error == "raise" and xp.known_any(bad):
        raise error(*failing_indices(xp.to_numpy(bad)))
    extra = values.ndim - bad.ndim
    mask = bad.reshape(*bad.shape, *[1] * extra)
    return xp.where(mask, xp.lib.full_like(values, float("nan")), values)


def nan_like_input(xp: Any, given: Any, values: Any) -> Any:
    """The values, NaN where a coefficient of the input was not finite: a mask would forget it."""
    if not xp.traced(given):
        return values
    finite = xp.isfinite(given).all(-1)[..., None]
    return xp.where(finite, values, xp.lib.full_like(values, float("nan")))


def power_of_two(xp: Any, sizes: Any) -> Any:
    """s = 2^k with s <= size < 2 s, without derivative; 1 for zero."""
    sizes = xp.detach(sizes)
    positive = (sizes > 0) & xp.isfinite(sizes)
    safe = xp.where(positive, sizes, xp.lib.ones_like(sizes))
    return xp.where(positive, safe / (2.0 * xp.mantissa(safe)), xp.lib.ones_like(sizes))


def single_grade(a: Multivector, k: int) -> Multivector:
    """The same element in the layout of grade k; LayoutError if it has, or may have, others."""
    layout = grade_layout(a.algebra.n, k)
    if a.layout.grades not in ((k,), ()) and backend_of(a).traced(a.coeffs):
        raise LayoutError(
            f"expected grade {k} only, got the grades {a.layout.grades}, and their numbers are "
            f"unknown inside a trace: take A.grade({k})"
        )
    if a.layout.grades not in ((k,), ()):
        return bivector_part(a) if k == 2 else vector_part(a)
    return with_layout(a, layout)


def not_supported(name: str) -> Callable[..., Any]:
    """An operation that frameworks do not offer."""

    def refuse(a: Multivector, *_: Any, **__: Any) -> Any:
        """Raise NotSupported, with the way out."""
        raise NotSupported(
            f"{name} is not offered on backend {a.algebra.backend!r}: use A.to(backend='numpy'), "
            "or A.to(backend='arb') for certified balls"
        )

    return refuse
