"""What a framework has to know of a function that numpy computes for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Rule:
    """A function y = f(x) that numpy computes, with its derivative in terms of the framework.

    name : one rule a name.
    value : (numpy array, static) -> numpy array, batch axes first; NaN where there is no answer.
    tangent : (xp, y, x, dx, *static) -> dy, linear in dx and differentiable in all three.
    core : number of axes of x that are no batch axes.
    shape : (core shape of x, static) -> core shape of y.
    cotangent : (xp, y, x, y_bar, *static) -> x_bar, the transpose of `tangent`; without it the
        matrix of `tangent` is formed.
    """

    name: str
    value: Callable[[NDArray[Any], tuple[Any, ...]], NDArray[Any]]
    tangent: Callable[..., Any]
    core: int
    shape: Callable[[tuple[int, ...], tuple[Any, ...]], tuple[int, ...]]
    cotangent: Callable[..., Any] | None = None
