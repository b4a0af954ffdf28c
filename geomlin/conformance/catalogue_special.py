"""Vectors of decompositions, of exact rotors, and of inputs that have no answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from .. import exp, invariant_decomposition, log, sqrt
from ..errors import NotDecomposable
from ..signature import Signature
from ..verification.condition import bivector_null_degrees
from ..verification.reference import exact_exp
from .drafts import Draft, draft, refusal
from .families import Member, euclidean, members
from .inputs import planes, rounded, upper, wedge
from .references import Answer, arb_algebra, balls, by_degree

_NEAR = 1e-6  # squares nearer than this are judged by the laws, not by the values


def decomposition_drafts() -> Iterator[Draft]:
    """Group decomposition: values where the squares are apart, laws where they are not."""
    for member in members():
        if member.signature.n > 8 or member.signature.n < 2:
            continue
        try:
            found = _decomposition(member)
        except NotDecomposable:
            yield _no_decomposition(member)
        else:
            if found is not None:
                yield found


def _no_decomposition(member: Member) -> Draft:
    b = upper(rounded(member.b, "float32"))
    inputs, flags = {"b": b}, ["NOT_DECOMPOSABLE", *member.flags]
    name = "invariant_decomposition"
    return refusal(name, member.signature, inputs, flags, member.comment)


def _decomposition(member: Member) -> Draft | None:
    signature, name = member.signature, "invariant_decomposition"
    delicate = {"NEAR_ISOCLINIC", "MIXED_SCALES", "HALF_TURN", "NEAR_MINUS_ONE"}
    b = rounded(member.b, "float64" if delicate & set(member.flags) else "float32")
    size = float(np.abs(b).max(initial=0.0))
    inputs, about = {"b": upper(b)}, (member.flags, member.comment)
    free: dict[str, Any] = {"unit": size or 1.0, "check": "decomposition", "result": "acceptable"}
    if not size or "ISOCLINIC" in member.flags:
        # any split is right; one that is refused as ambiguous is not wrong
        return draft(name, signature, inputs, *about, **free)
    found = invariant_decomposition(balls(arb_algebra(signature), upper(b), "bivector"))
    squares = [float(x.mid()) for x in found.squares.tolist()]
    apart = [abs(x - y) for k, x in enumerate(squares) for y in squares[:k]]
    largest = max(abs(x) for x in squares)
    if not largest:
        return draft(name, signature, inputs, *about, **free)
    if apart and min(apart) < _NEAR * largest:
        if not signature.is_definite:
            return None
        return draft(name, signature, inputs, *about, unit=size, check="decomposition")
    parts = [x for part in found.parts.coeffs.tolist() for x in part]
    amplified = max(1.0, largest / min(apart, default=inf))
    return draft(
        name,
        signature,
        inputs,
        *about,
        answer=Answer(parts, _parts_unit(parts, signature, amplified)),
        check="parts in any order",
    )


def _parts_unit(parts: Sequence[Any], signature: Signature, amplified: float) -> Any:
    """The largest coefficient of each null-degree, times what a small gap of squares costs."""
    degrees = bivector_null_degrees(signature)
    size = dict.fromkeys(degrees, 0.0)
    for k, value in enumerate(parts):
        degree = degrees[k % len(degrees)]
        size[degree] = max(size[degree], float(value.abs_upper()))
    unit = by_degree({d: amplified * s for d, s in size.items()}, degrees)
    return unit * (len(parts) // len(degrees)) if isinstance(unit, list) else unit


def exact_rotor_drafts() -> Iterator[Draft]:
    """log and sqrt of rotors that floats hold exactly."""
    s3, s4, lorentz = euclidean(3), euclidean(4), Signature(2, 1, 0)
    half = [0.5, 0.5, 0.5, 0.5]
    quarter = _even(s4, e1234=1.0)
    cases = [
        (s3, _even(s3, e12=1.0), ["HALF_TURN", "SIGN", "HALF_ANGLE"], "log e12 = pi/2 e12"),
        (s3, half, ["GENERIC", "HALF_ANGLE"], "(1 + e12 + e13 + e23) / 2, angle pi/3"),
        (s3, [-0.5, 0.5, -0.5, 0.5], ["NEGATIVE_SCALAR"], "scalar part -1/2, angle 2 pi/3"),
        (lorentz, [1.25, 0.0, 0.75, 0.0], ["BOOST", "MIXED_SIGNATURE"], "cosh = 5/4, sinh = 3/4"),
    ]
    for signature, rotor, flags, comment in cases:
        element = balls(arb_algebra(signature), rotor, "even")
        for name, function in (("log", log), ("sqrt", sqrt)):
            values = list(function(element).coeffs)
            text = comment if name == "log" else f"square root; {comment}"
            unit = max(1.0, max(float(x.abs_upper()) for x in values))
            answer = Answer(values, unit)
            yield draft(name, signature, {"r": rotor}, flags, text, answer=answer)
    for signature in (s3, s4):
        minus = _even(signature, **{"1": -1.0})
        yield _any_logarithm(signature, minus, ["MINUS_ONE"], "-1: any plane will do")
    flags = ["ISOCLINIC", "HALF_TURN", "NON_SIMPLE"]
    yield _any_logarithm(s4, quarter, flags, "e1234 = exp(pi/2 (e12 + e34))")


def _any_logarithm(
    signature: Signature, rotor: list[float], flags: list[str], comment: str
) -> Draft:
    """exp of the answer is r; refusing is no error, because the logarithm is not unique."""
    return draft(
        "log",
        signature,
        {"r": rotor},
        flags,
        comment,
        unit=4.0,
        check="logarithm",
        result="acceptable",
    )


def _even(signature: Signature, **coefficients: float) -> list[float]:
    from ..layout import even_layout

    return [coefficients.get(name, 0.0) for name in even_layout(signature.n).names]


def refusal_drafts() -> Iterator[Draft]:
    """Inputs of every group for which no number is right."""
    yield from _not_finite()
    yield from _no_rotors()
    yield from _no_rotations()


def _not_finite() -> Iterator[Draft]:
    s3, s4 = euclidean(3), euclidean(4)
    flags = ["NOT_FINITE"]
    for value in (nan, inf):
        comment = f"one coefficient is {value}"
        yield refusal("exp", s3, {"b": [value, 0.0, 0.0]}, flags, comment)
        yield refusal("log", s3, {"r": [1.0, value, 0.0, 0.0]}, flags, comment)
        yield refusal("sqrt", s3, {"r": [1.0, value, 0.0, 0.0]}, flags, comment)
        yield refusal("rotor_to_matrix", s3, {"r": [1.0, value, 0.0, 0.0]}, flags, comment)
        m = [value, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        yield refusal("rotor_from_matrix", s3, {"m": m}, flags, comment)
        b = [value, 0.0, 0.0, 0.0, 0.0, 0.5]
        yield refusal("invariant_decomposition", s4, {"b": b}, flags, comment)
    b = [0.5, 0.0, nan, 0.0, 0.0, 0.25]
    yield refusal("exp", s4, {"b": b}, flags, "one coefficient is nan")


def _no_rotors() -> Iterator[Draft]:
    """Even elements that are no rotors, and rotors without logarithm."""
    lorentz, pga, sta = Signature(2, 1, 0), Signature(2, 0, 1), Signature(1, 3, 0)
    flags = ["NO_LOGARITHM"]
    boost = [-1.25, 0.0, -0.75, 0.0]
    yield refusal("log", lorentz, {"r": boost}, flags, "-exp(boost) in Cl(2,1)")
    yield refusal("log", pga, {"r": [-1.0, 0.0, 4.0, 0.0]}, flags, "-1 + 4 e13 in Cl(2,0,1)")
    yield refusal("sqrt", pga, {"r": [-1.0, 0.0, 4.0, 0.0]}, flags, "-1 + 4 e13 in Cl(2,0,1)")
    null = exact_exp(rounded(wedge([1, 1, 0, 0], [0, 0, 1, 0])), sta)
    minus = [-float(x) for x in null]
    yield refusal("log", sta, {"r": minus}, flags, "-exp(null) in Cl(1,3)")
    s3, s6 = euclidean(3), euclidean(6)
    b = rounded(planes(3, (1, 2, 0.5), (2, 3, 0.25)), "float32")
    scaled = [1.125 * float(x) for x in exact_exp(b, s3)]
    about = (["NOT_A_ROTOR"], "1.125 exp(b): an error, or the answer for exp(b)")
    logarithm = balls(arb_algebra(s3), upper(b), "bivector")
    value = Answer(list(logarithm.coeffs), 4.0)
    options: dict[str, Any] = {"result": "acceptable", "dtypes": ["float64"]}
    yield draft("log", s3, {"r": scaled}, *about, answer=value, **options)
    root = exp(balls(arb_algebra(s3), [x / 2 for x in upper(b)], "bivector"))
    value = Answer(list(root.coeffs), 4.0)
    yield draft("sqrt", s3, {"r": scaled}, *about, answer=value, **options)
    no_versor = _even(s6, **{"1": 0.6, "e123456": 0.8})
    comment = "(3 + 4 e123456) / 5: r ~r = 1, but r e_1 ~r is no vector"
    for name in ("log", "rotor_to_matrix"):
        yield refusal(name, s6, {"r": no_versor}, ["NOT_A_ROTOR"], comment)


def _no_rotations() -> Iterator[Draft]:
    """Matrices that come from no rotor."""
    s3, sta = euclidean(3), Signature(1, 3, 0)
    mirror = np.diag([-1.0, 1.0, 1.0])
    swap = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for m, comment in ((mirror, "diag(-1, 1, 1)"), (swap, "e1 and e2 exchanged")):
        inputs = {"m": m.ravel().tolist()}
        yield refusal("rotor_from_matrix", s3, inputs, ["REFLECTION"], comment)
    back = {"m": (-np.eye(4)).ravel().tolist()}
    comment = "-1 in Cl(1,3): determinant 1, time and space reversed"
    yield refusal("rotor_from_matrix", sta, back, ["OTHER_COMPONENT"], comment)
    shear = np.eye(3)
    shear[0, 1] = 1.0
    for m, comment in ((shear, "a shear"), (2 * np.eye(3), "2 times the identity")):
        inputs = {"m": m.ravel().tolist()}
        yield refusal("rotor_from_matrix", s3, inputs, ["NOT_ORTHOGONAL"], comment)
