"""Input as arrays of numpy, and what must not become one: it has no numbers, or would lose them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DtypeError, LayoutError


def as_numpy(values: Any) -> NDArray[Any]:
    """The values as numpy reads them, not necessarily a copy; a named error if it cannot.

    Arrays of other libraries may be sparse or quantised, without numbers, or traced; one that waits
    for its derivative would lose it.
    """
    refuse_masked(values)
    try:
        return np.asarray(values)
    except ValueError as error:
        if isinstance(values, (list, tuple)):
            raise LayoutError(
                "expected a rectangular array of coefficients, got lists of unequal length: "
                f"{error}"
            ) from error
        raise _unreadable(values, error) from error
    except Exception as error:  # whatever another library thinks fit
        raise _unreadable(values, error) from error


def _unreadable(values: Any, error: Exception) -> DtypeError:
    """The error for what numpy cannot read."""
    name, kind = type(values).__name__, str(getattr(values, "dtype", ""))
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    differentiates = "requires grad" in reason or getattr(values, "requires_grad", False)
    remedy = (
        "use an algebra with backend='torch', which differentiates, or values.detach()"
        if differentiates
        else "convert it first; for torch values.detach().cpu().to_dense().float()"
    )
    return DtypeError(
        f"expected numbers that numpy can read, got {name}{' of ' + kind if kind else ''} "
        f"({reason}): {remedy}"
    )


def refuse_masked(values: Any) -> None:
    """Raise for a masked array with a masked entry: numpy would use the number underneath."""
    masked = sys.modules.get("numpy.ma")  # loaded by whoever made one
    if masked is not None and isinstance(values, masked.MaskedArray) and masked.is_masked(values):
        raise DtypeError(
            f"expected numbers, got a masked array with {values.mask.sum()} masked entries: fill "
            "them with values.filled(0), or select the others with values.compressed()"
        )
