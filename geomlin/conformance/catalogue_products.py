"""Vectors of the products, of the sandwich, of spinor blocks and of the rotor layer: all exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .. import (
    commutator,
    dual,
    geometric_product,
    inverse,
    left_contraction,
    outer_product,
    regressive_product,
    reverse,
    right_contraction,
    sandwich,
)
from ..layout import even_layout, full_layout
from ..signature import Signature
from .drafts import Draft, draft, refusal
from .inputs import Draw, rounded_list
from .references import Answer, by_degree, exact_product, product_unit

SIGNATURES = tuple(
    Signature(*s)
    for s in [
        (2, 0, 0),
        (3, 0, 0),
        (0, 3, 0),
        (1, 3, 0),
        (3, 0, 1),
        (4, 1, 0),
        (2, 2, 0),
        (1, 1, 2),
        (6, 0, 0),
    ]
)
_BILINEAR: dict[str, Callable[..., Any]] = {
    "geometric_product": geometric_product,
    "outer_product": outer_product,
    "left_contraction": left_contraction,
    "right_contraction": right_contraction,
    "commutator": commutator,
    "regressive_product": regressive_product,
}


def product_drafts() -> Iterator[Draft]:
    """Group product."""
    for k, signature in enumerate(SIGNATURES):
        draw = Draw(1000 + k)
        size = 1 << signature.n
        a, b = draw.integers(size), draw.integers(size)
        for name, function in _BILINEAR.items():
            yield _pair(name, function, signature, a, b, ["INTEGERS", "SIGN", "ORDER"])
        x, y = (rounded_list(draw.numbers(size), "float32") for _ in range(2))
        yield _pair("geometric_product", geometric_product, signature, x, y, ["GENERIC"])
        yield _one("reverse", reverse, signature, a, ["INTEGERS", "SIGN"])
        if signature.r == 0:
            yield _one("dual", dual, signature, a, ["INTEGERS", "DUAL_CONVENTION", "SIGN"])
    yield from _plain_products()
    yield from _inverses()


def _pair(
    name: str,
    function: Callable[..., Any],
    signature: Signature,
    a: Sequence[Any],
    b: Sequence[Any],
    flags: list[str],
    comment: str = "",
) -> Draft:
    """A bilinear product of two full multivectors; exchanging the factors is the mistake."""
    values = exact_product(name, signature, function, (a, b))
    left, right = (np.array([float(x) for x in v]) for v in (a, b))
    exchanged = exact_product(name, signature, function, (b, a))
    kinds = "small integers" if "INTEGERS" in flags else "random numbers"
    return draft(
        name,
        signature,
        {"a": [float(x) for x in a], "b": [float(x) for x in b]},
        flags,
        comment or f"full multivectors of {kinds}",
        answer=Answer(values, _unit(signature, product_unit(signature, left, right))),
        mistakes={"ORDER": exchanged} if "ORDER" in flags else None,
    )


def _unit(signature: Signature, amplified: Any) -> Any:
    """The largest sum of |terms| in each null-degree, at least the smallest normal float32."""
    null = sum(1 << i for i, g in enumerate(signature.metric) if g == 0)
    degrees = [(mask & null).bit_count() for mask in full_layout(signature.n).masks]
    size = dict.fromkeys(degrees, 0.0)
    for value, degree in zip(amplified.tolist(), degrees, strict=True):
        size[degree] = max(size[degree], value)
    return by_degree(size, degrees)


def _one(
    name: str, function: Callable[..., Any], signature: Signature, a: Sequence[Any], flags: Any
) -> Draft:
    values = exact_product(name, signature, function, (a,))
    return draft(
        name,
        signature,
        {"a": [float(x) for x in a]},
        flags,
        "a full multivector of small integers",
        answer=Answer(values, 1.0),
    )


def _blade(signature: Signature, **coefficients: int) -> list[Fraction]:
    """Full coefficients from names."""
    names = full_layout(signature.n).names
    return [Fraction(coefficients.get(name, 0)) for name in names]


def _plain_products() -> Iterator[Draft]:
    """Single facts that a reader can check by hand."""
    s3, s4, pga = Signature(3, 0, 0), Signature(4, 0, 0), Signature(3, 0, 1)
    facts = [
        (s3, {"e2": 1}, {"e1": 1}, ["ORDER", "SIGN"], "e2 e1 = -e12"),
        (s3, {"e12": 1}, {"e12": 1}, ["SIGN"], "e12 e12 = -1"),
        (s3, {"e12": 1}, {"e123": 1}, ["SIGN"], "e12 e123 = -e3"),
        (Signature(1, 3, 0), {"e2": 1}, {"e2": 1}, ["SIGN"], "e2 e2 = -1 in Cl(1,3)"),
        (pga, {"e4": 1}, {"e4": 1}, ["DEGENERATE"], "the null vector is the last one: e4 e4 = 0"),
        (
            s4,
            {"e12": 1, "e34": 1},
            {"e12": 1, "e34": 1},
            ["NON_SIMPLE"],
            "(e12 + e34)^2 = -2 + 2 e1234: the grade-4 part stays",
        ),
        (s4, {"e14": 1}, {"e4": 1}, ["BLADE_ORDER"], "e14 e4 = e1"),
        (s4, {"e23": 2}, {"e2": 1, "e3": 5}, ["BLADE_ORDER", "ORDER"], "e23 with e2 and e3"),
    ]
    for signature, left, right, flags, comment in facts:
        a, b = _blade(signature, **left), _blade(signature, **right)
        yield _pair("geometric_product", geometric_product, signature, a, b, flags, comment)


def _inverses() -> Iterator[Draft]:
    """Inverses; none of them exists for null elements."""
    s3, sta = Signature(3, 0, 0), Signature(1, 3, 0)
    some = [
        (s3, {"e1": 2}, "(2 e1)^-1 = e1 / 2"),
        (sta, {"e2": 4}, "a vector of negative square: (4 e2)^-1 = -e2 / 4"),
        (s3, {"1": 2, "e12": 2}, "(2 + 2 e12)^-1 = (1 - e12) / 4"),
        (s3, {"1": 3, "e1": 1}, "(3 + e1)^-1 = (3 - e1) / 8"),
    ]
    for signature, coefficients, comment in some:
        a = _blade(signature, **coefficients)
        values = exact_product("inverse", signature, inverse, (a,))
        yield draft(
            "inverse",
            signature,
            {"a": [float(x) for x in a]},
            ["SIGN", "INTEGERS"],
            comment,
            answer=Answer(values, max(abs(float(x)) for x in values)),
        )
    for signature, coefficients, comment in [
        (sta, {"e1": 1, "e2": 1}, "e1 + e2 is null in Cl(1,3)"),
        (s3, {"1": 1, "e1": 1}, "1 + e1 divides zero"),
        (Signature(3, 0, 1), {"e4": 1}, "the null vector of Cl(3,0,1)"),
    ]:
        null = [float(x) for x in _blade(signature, **coefficients)]
        yield refusal("inverse", signature, {"a": null}, ["NOT_INVERTIBLE"], comment)


def sandwich_drafts() -> Iterator[Draft]:
    """Group sandwich: v x ~v for any v, normalised or not."""
    for k, signature in enumerate(SIGNATURES):
        draw, size = Draw(2000 + k), 1 << signature.n
        v, x = draw.integers(size), draw.integers(size)
        yield _sandwich(signature, v, x, ["INTEGERS", "ORDER", "SIGN"], "small integers")
        left = rounded_list(draw.numbers(size), "float32")
        middle = rounded_list(draw.numbers(size), "float32")
        yield _sandwich(signature, left, middle, ["GENERIC"], "random numbers")
    s3 = Signature(3, 0, 0)
    v, x = _blade(s3, **{"1": 3, "e12": 4}), _blade(s3, e1=1)
    comment = "3 + 4 e12 turns e1 towards -e2 and scales by 25: not normalised, not inverted"
    yield _sandwich(s3, v, x, ["ORDER", "SIGN"], comment)


def _sandwich(
    signature: Signature, v: Sequence[Any], x: Sequence[Any], flags: list[str], comment: str
) -> Draft:
    values = exact_product("sandwich", signature, sandwich, (v, x))
    reversed_v = exact_product("reverse", signature, reverse, (v,))
    exchanged = exact_product("sandwich", signature, sandwich, (reversed_v, x))
    left, middle = (np.array([float(c) for c in y]) for y in (v, x))
    amplified = product_unit(signature, np.abs(left), np.abs(middle))
    amplified = product_unit(signature, amplified, np.abs(left))
    return draft(
        "sandwich",
        signature,
        {"v": [float(c) for c in v], "x": [float(c) for c in x]},
        flags,
        comment,
        answer=Answer(values, _unit(signature, amplified)),
        mistakes={"ORDER": exchanged} if "ORDER" in flags else None,
    )


def spinor_drafts() -> Iterator[Draft]:
    """Group spinor: the blocks are the backend's own, their products are not."""
    for k, signature in enumerate(SIGNATURES):
        draw, size = Draw(3000 + k), 1 << signature.n
        a, b = draw.integers(size), draw.integers(size)
        unit = float(sum(abs(x) for x in a) * sum(abs(x) for x in b))
        values = exact_product("geometric_product", signature, geometric_product, (a, b))
        comment = "small integers: blocks are multiplied and read back"
        flags = ["INTEGERS", "SIGN", "ORDER"]
        answer = Answer(values, unit)
        inputs = {"a": [float(x) for x in a], "b": [float(x) for x in b]}
        yield draft("spinor_product", signature, inputs, flags, comment, answer=answer)


def layer_drafts() -> Iterator[Draft]:
    """Group layer: r x ~s on chunks of 2^n numbers, r and s even, not normalised."""
    for k, p in enumerate((2, 3, 4, 5, 6, 7)):
        signature = Signature(p, 0, 0)
        draw, half = Draw(4000 + k), 1 << (p - 1)
        r, s = draw.integers(half, 2), draw.integers(half, 2)
        x = draw.integers(2 * half)
        yield _layer(signature, r, s, x, ["INTEGERS", "ORDER", "SIGN"], "small integers")
        if p <= 6:
            yield _layer(
                signature,
                rounded_list(draw.numbers(half), "float32"),
                rounded_list(draw.numbers(half), "float32"),
                rounded_list(draw.numbers(2 * half), "float32"),
                ["GENERIC"],
                "random numbers",
            )


def _layer(
    signature: Signature,
    r: Sequence[Any],
    s: Sequence[Any],
    x: Sequence[Any],
    flags: list[str],
    comment: str,
) -> Draft:
    left, right = _full(signature, r), _full(signature, s)

    def layer(a: Any, c: Any, b: Any) -> Any:
        return a * c * reverse(b)

    values = exact_product("layer", signature, layer, (left, x, right))
    exchanged = exact_product("layer", signature, layer, (right, x, left))
    first = product_unit(signature, *(np.abs(np.array(v, dtype=float)) for v in (left, x)))
    unit = product_unit(signature, first, np.abs(np.array(right, dtype=float)))
    return draft(
        "rotor_layer",
        signature,
        {name: [float(c) for c in v] for name, v in (("r", r), ("s", s), ("x", x))},
        flags,
        comment,
        answer=Answer(values, float(unit.max())),
        mistakes={"ORDER": exchanged} if "ORDER" in flags else None,
    )


def _full(signature: Signature, even: Sequence[Any]) -> list[Fraction]:
    """Full coefficients of an even element."""
    by_mask = dict(zip(even_layout(signature.n).masks, even, strict=True))
    return [Fraction(by_mask.get(mask, 0)) for mask in full_layout(signature.n).masks]
