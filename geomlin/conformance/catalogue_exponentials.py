"""Vectors of exp, log, sqrt, the matrix of a rotor and its lift, from one list of bivectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb

from .. import exp, log, rotor_from_matrix, rotor_to_matrix, sqrt
from ..certified.adjoint import enclosed_derivative
from ..precision import working_precision
from ..signature import Signature
from ..verification.condition import bivector_null_degrees, condition_to_matrix
from ..verification.judged_case import JudgedCase
from ..verification.reference import (
    BITS,
    exact_exp,
    exact_sandwich,
    matrix_null_degrees,
    null_degrees,
    product_sign,
    sizes,
)
from ..verification.regimes import Case
from ..verification.representation import even_blades
from .drafts import DTYPES, Draft, draft
from .families import Member, members
from .inputs import fits, rounded, upper
from .references import Answer, Units, arb_algebra, balls, by_degree, check_overlap

NO_LOG = ("LARGE_ANGLE",)


def _judged(member: Member, dtype: str) -> JudgedCase:
    """The member with the floats of a dtype, and its references."""
    b = rounded(member.b, dtype)
    return JudgedCase(Case("", member.comment, b), member.signature, np.dtype(dtype))


def _dtype(member: Member) -> str:
    """float32 where the angles do not depend on more digits."""
    delicate = {"NEAR_ISOCLINIC", "NEAR_MINUS_ONE", "HALF_TURN", "MIXED_SCALES"}
    return "float64" if delicate & set(member.flags) else "float32"


def exp_drafts() -> Iterator[Draft]:
    """Group exp."""
    for member in members():
        case = _judged(member, _dtype(member))
        signature, degrees = member.signature, null_degrees(member.signature)
        algebra = arb_algebra(signature)
        second = exp(balls(algebra, upper(case.b), "bivector"))
        check_overlap(case.rotor, list(second.coeffs), f"exp of {member.comment} in {signature}")
        mistakes = None
        if "HALF_ANGLE" in member.flags:
            mistakes = {
                "HALF_ANGLE": exact_exp(-case.b / 2, signature),
                "SIGN": exact_exp(-case.b, signature),
            }
        yield draft(
            "exp",
            signature,
            {"b": upper(case.b)},
            member.flags,
            member.comment,
            answer=Answer(case.rotor, _sized(case.kappa, case.rotor, degrees)),
            mistakes=mistakes,
        )


def _sized(kappa: dict[int, float], values: Sequence[arb], degrees: Sequence[int]) -> Units:
    """kappa times size, for each coefficient by its null-degree."""
    with working_precision(BITS):
        size = sizes(values, degrees)
    return by_degree({d: kappa[d] * size[d] for d in size}, degrees)


def log_drafts() -> Iterator[Draft]:
    """Group log: the rotor is exp(b) rounded, the answer is b, in units of its condition."""
    for member in members():
        for dtype in DTYPES:
            case = _judged(member, dtype)
            if _has_log(member, case):
                yield _log_draft(member, case, dtype)


def _has_log(member: Member, case: JudgedCase) -> bool:
    """Whether b is the principal logarithm, and the dtype holds b and what matters of it."""
    if set(NO_LOG) & set(member.flags) or member.signature.n > 8:
        return False
    if case.dtype == np.float32 and _dtype(member) == "float64":
        return False
    if case.dtype == np.float64 and not fits(upper(case.b), "float64"):
        return False
    return case.log_quantity is not None


def _log_draft(member: Member, case: JudgedCase, dtype: str) -> Draft:
    signature, b = member.signature, upper(case.b)
    degrees = bivector_null_degrees(signature)
    with working_precision(BITS):
        answer = [arb(x) for x in b]
    algebra = arb_algebra(signature)
    found = log(exp(balls(algebra, b, "bivector")))
    check_overlap(answer, list(found.coeffs), f"log of exp of {member.comment} in {signature}")
    with working_precision(BITS):
        size = sizes(answer, degrees)
    least = 0.0 if any(size.values()) else 1.0  # log 1 = 0: the rounding of the rotor itself
    unit = {d: case.log_kappa[d] * max(size[d], least) for d in size}
    return draft(
        "log",
        signature,
        {"r": case.rounded_rotor.astype(float).tolist()},
        member.flags,
        f"exp of: {member.comment}",
        answer=Answer(answer, by_degree(unit, degrees)),
        dtypes=[dtype],
    )


def sqrt_drafts() -> Iterator[Draft]:
    """Group sqrt: exp(b / 2) for the rounded exp(b)."""
    for member in members():
        case = _judged(member, "float64")
        if not _has_log(member, case) or member.signature.n > 6:
            continue
        signature = member.signature
        root = exact_exp(case.b / 2, signature)
        algebra = arb_algebra(signature)
        second = sqrt(exp(balls(algebra, upper(case.b), "bivector")))
        check_overlap(root, list(second.coeffs), f"sqrt of exp of {member.comment}")
        yield draft(
            "sqrt",
            signature,
            {"r": case.rounded_rotor.tolist()},
            member.flags,
            f"exp of: {member.comment}",
            answer=Answer(root, _root_unit(case, root)),
            dtypes=["float64"],
        )


def jacobian_of_exp(b: Any, signature: Signature, rotor: Sequence[arb]) -> Any:
    """d exp(B)_S / d b_ij as floats, rows ij: (phi(ad_B) e_ij) R; for units only."""
    masks, n = even_blades(signature.n), signature.n
    position = {mask: k for k, mask in enumerate(masks)}
    pairs = [1 << i | 1 << j for i in range(n) for j in range(i + 1, n)]
    values = np.array([float(x.mid()) for x in rotor])
    left = np.array(
        [
            [product_sign(pair, mask ^ pair, signature) * values[position[mask ^ pair]]]
            for pair in pairs
            for mask in masks
        ]
    ).reshape(len(pairs), len(masks))
    with working_precision(BITS):
        phi = enclosed_derivative([[arb(x) for x in row] for row in b.tolist()], signature.metric)
        rows = np.array([float(x.mid()) for x in phi.entries()]).reshape(len(pairs), len(pairs))
    return rows.T @ left


def _root_unit(case: JudgedCase, root: Sequence[arb]) -> Units:
    """The error of log R in each coordinate, halved, and carried through exp at B / 2."""
    signature, degrees = case.signature, bivector_null_degrees(case.signature)
    with working_precision(BITS):
        size = sizes([arb(x) for x in upper(case.b)], degrees)
    amplified = np.array([case.log_kappa[d] * max(size[d], 1e-300) for d in degrees]) / 2
    if not case.b.any():
        amplified = np.full(len(degrees), 0.5)
    carried = amplified @ np.abs(jacobian_of_exp(case.b / 2, signature, root))
    carried += [float(abs(x).mid()) for x in root]
    even = null_degrees(signature)
    unit = {d: max(c for c, e in zip(carried, even, strict=True) if e == d) for d in set(even)}
    return by_degree(unit, even)


def matrix_drafts() -> Iterator[Draft]:
    """Group matrix: r e_j ~r exactly, for exp(b) rounded to the dtype."""
    for member in members():
        for dtype in DTYPES:
            case = _judged(member, dtype)
            if member.signature.n <= 8 and case.has_digits and _is_meant(member, dtype):
                yield _matrix_draft(member, case, dtype)


def _is_meant(member: Member, dtype: str) -> bool:
    """Whether the member keeps its character in the dtype."""
    return dtype == "float64" or _dtype(member) == "float32"


def _matrix_draft(member: Member, case: JudgedCase, dtype: str) -> Draft:
    signature, rotor = member.signature, case.rounded_rotor
    exact = exact_sandwich(rotor, signature)
    degrees = matrix_null_degrees(signature)
    with working_precision(BITS):
        entries = [arb(float(x)) for x in exact]
    unit = _sized(condition_to_matrix(rotor, signature), entries, degrees)
    through_exp = rotor_to_matrix(exp(balls(arb_algebra(signature), upper(case.b), "bivector")))
    _check_near(exact, list(through_exp.reshape(-1)), dtype, unit)
    n, plain = signature.n, "SIGN" in member.flags
    transposed = [exact[j * n + i] for i in range(n) for j in range(n)]
    return draft(
        "rotor_to_matrix",
        signature,
        {"r": rotor.astype(float).tolist()},
        [*member.flags, *(["TRANSPOSED"] if plain else [])],
        f"exp of: {member.comment}",
        answer=Answer(exact, unit),
        mistakes={"TRANSPOSED": transposed} if plain else None,
        dtypes=[dtype],
    )


def _check_near(exact: Any, other: list[arb], dtype: str, unit: Units) -> None:
    """The matrix of the rounded rotor lies within rounding of that of the rotor."""
    units = unit if isinstance(unit, list) else [unit] * len(other)
    for x, y, u in zip(exact, other, units, strict=True):
        gap = abs(float(x) - float(y.mid()))
        if not gap <= 64 * float(np.finfo(dtype).eps) * u:
            raise ArithmeticError(f"the two routes to a matrix differ: {float(x)}, {y}")


def lift_drafts() -> Iterator[Draft]:
    """Group lift: the matrix of exp(b) rounded to the dtype; its rotor up to sign.

    In definite metrics it is the rotor of the nearest rotation, in others that of the unrounded
    matrix.
    """
    for member in members():
        for dtype in DTYPES:
            case = _judged(member, dtype)
            liftable = case.is_liftable and case.has_digits and member.signature.n <= 8
            if liftable and _is_meant(member, dtype):
                yield _lift_draft(member, case, dtype)
    yield from _nearest_rotations()


def _lift_draft(member: Member, case: JudgedCase, dtype: str) -> Draft:
    signature, degrees = member.signature, null_degrees(member.signature)
    scale = case.matrix_size if signature.q else 1.0
    kappa = {d: k * scale for d, k in case._kappa_of_translations().items()}
    algebra = arb_algebra(signature)
    rotor = exp(balls(algebra, upper(case.b), "bivector"))
    _check_lift(rotor_from_matrix(rotor_to_matrix(rotor), algebra), rotor)
    plain = "SIGN" in member.flags
    return draft(
        "rotor_from_matrix",
        signature,
        {"m": case.rounded_matrix.astype(float).ravel().tolist()},
        [*member.flags, *(["TRANSPOSED"] if plain else [])],
        f"matrix of exp of: {member.comment}",
        answer=Answer(case.lifted, _sized(kappa, case.lifted, degrees)),
        check="value up to sign",
        mistakes={"TRANSPOSED": exact_exp(-case.b, signature)} if plain else None,
        dtypes=[dtype],
    )


def _nearest_rotations() -> Iterator[Draft]:
    """A matrix off by 1e-8: the rotor of the nearest rotation, or an error."""
    for member in members():
        if "GENERIC" not in member.flags or not member.signature.is_definite:
            continue
        case = _judged(member, "float32")
        yield draft(
            "rotor_from_matrix",
            member.signature,
            {"m": case.rounded_matrix.astype(float).ravel().tolist()},
            ["NEAREST"],
            "a matrix with 24 bits: an error, or the rotor of the nearest rotation",
            answer=Answer(case.lifted, 1.0),
            check="value up to sign",
            result="acceptable",
            dtypes=["float64"],
        )


def _check_lift(lifted: Any, rotor: Any) -> None:
    """The arb lift of the unrounded matrix is the rotor or its negative."""
    with working_precision(BITS):
        pairs = list(zip(lifted.coeffs, rotor.coeffs, strict=True))
        if not any(all(x.overlaps(s * y) for x, y in pairs) for s in (1, -1)):
            raise ArithmeticError("the arb lift of the matrix of a rotor is another rotor")
