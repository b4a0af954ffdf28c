"""A vector before it has a number: what the catalogue writes down for each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..signature import Signature
from .inputs import fits
from .references import Answer, Values, texts, unit_text
from .vectors import number_text

Draft = dict[str, Any]
DTYPES = ("float64", "float32")


def draft(
    operation: str,
    signature: Signature,
    inputs: Mapping[str, Sequence[float]],
    flags: Sequence[str],
    comment: str,
    *,
    answer: Answer | None = None,
    unit: float | None = None,
    check: str = "value",
    result: str = "valid",
    mistakes: Mapping[str, Values] | None = None,
    dtypes: Sequence[str] | None = None,
) -> Draft:
    """A vector without id.

    answer : for checks that compare with a value.
    unit : for checks of a property.
    mistakes : by flag, the values that a well-known mistake would give.
    dtypes : kinds of float that the vector is for; by default those that hold the inputs exactly.
    """
    everything = [x for values in inputs.values() for x in values]
    chosen = [d for d in DTYPES if fits(everything, d)] if dtypes is None else list(dtypes)
    found: Draft = {
        "operation": operation,
        "signature": list(signature),
        "dtypes": chosen,
        "input": {name: [number_text(float(x)) for x in v] for name, v in inputs.items()},
        "result": result,
        "check": check,
        "flags": list(flags),
        "comment": comment,
    }
    if answer is not None:
        found["output"] = answer.data()
        smallest = min(answer.unit) if isinstance(answer.unit, list) else answer.unit
        if mistakes:
            wrong = {flag: texts(values, smallest)[0] for flag, values in mistakes.items()}
            found["mistakes"] = {f: w for f, w in wrong.items() if w != found["output"]["mid"]}
    elif unit is not None:
        found["output"] = {"unit": unit_text(unit)}
    return found


def refusal(
    operation: str,
    signature: Signature,
    inputs: Mapping[str, Sequence[float]],
    flags: Sequence[str],
    comment: str,
) -> Draft:
    """A vector whose input has no answer: an error or NaN is right, a number is wrong."""
    return draft(operation, signature, inputs, flags, comment, check="refusal", result="invalid")
