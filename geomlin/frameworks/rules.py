"""The functions that the host computes, as rules: value, derivative and shape."""

from __future__ import annotations

from typing import Any

from ..backends.rule import Rule
from .host import computed
from .implicit import (
    decomposition_tangent,
    exp_cotangent,
    exp_tangent,
    lift_tangent,
    log_cotangent,
    log_tangent,
)


def _log_shape(core: tuple[int, ...], static: tuple[Any, ...]) -> tuple[int, ...]:
    n = sum(static[0])
    return (n * (n - 1) // 2 + 1,)


def _lift_shape(core: tuple[int, ...], static: tuple[Any, ...]) -> tuple[int, ...]:
    return (1 << core[-1] >> 1,)


def _parts_shape(core: tuple[int, ...], static: tuple[Any, ...]) -> tuple[int, ...]:
    return (sum(static[0]) // 2, core[-1] + 2)


def _even_shape(core: tuple[int, ...], static: tuple[Any, ...]) -> tuple[int, ...]:
    return (1 << sum(static[0]) >> 1,)


EXPONENTIAL = Rule(
    "exponential",
    lambda x, s: computed("exponential", x, s),
    exp_tangent,
    1,
    _even_shape,
    exp_cotangent,
)
LOGARITHM = Rule(
    "logarithm",
    lambda x, s: computed("logarithm", x, s),
    log_tangent,
    1,
    _log_shape,
    log_cotangent,
)
LIFT = Rule("lift", lambda x, s: computed("lift", x, s), lift_tangent, 2, _lift_shape)
DECOMPOSITION = Rule(
    "decomposition",
    lambda x, s: computed("decomposition", x, s),
    decomposition_tangent,
    1,
    _parts_shape,
)
