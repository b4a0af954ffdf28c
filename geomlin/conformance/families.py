"""The bivectors of the exponential, logarithm, matrix and lift groups, each for a reason."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import pi
from typing import NamedTuple

from ..signature import Signature
from .inputs import Draw, Matrix, added, angles, from_coefficients, planes, turned, wedge


class Member(NamedTuple):
    """One bivector with the flags it bears."""

    signature: Signature
    b: Matrix
    flags: list[str]
    comment: str


SMALL = 2.0**-30  # about 1e-9, exact beside 1
GAP = 2.0**-13  # about 1e-4


def euclidean(n: int) -> Signature:
    """Cl(n)."""
    return Signature(n, 0, 0)


def _turned(member: Member, seed: int) -> Member:
    """The same planes in a general frame."""
    signature, b, flags, comment = member
    frame = Draw(seed).axes(signature)
    return Member(signature, turned(b, signature, frame), flags, comment + ", turned")


def members() -> list[Member]:
    """All of them, in a fixed order."""
    return [*_plain(), *_sizes(), *_equal(), *_turns(), *_indefinite(), *_defective(), *_screws()]


def _plain() -> Iterator[Member]:
    """Conventions and ordinary cases."""
    for n in (2, 3, 4, 6, 8):
        yield Member(euclidean(n), planes(n), ["ZERO"], "zero")
    for n in (2, 3, 4):
        flags = ["HALF_ANGLE", "SIGN", *(["ONE_PLANE"] if n > 2 else [])]
        yield Member(euclidean(n), planes(n, (1, 2, 0.5)), flags, "0.5 e12")
    s4 = euclidean(4)
    five = planes(5, (1, 5, 0.5), (2, 3, 0.25))  # exp in n = 4 does not see e14 and e23 exchanged
    flags = ["BLADE_ORDER", "HALF_ANGLE", "SIGN", "NON_SIMPLE"]
    yield Member(euclidean(5), five, flags, "0.5 e15 + 0.25 e23")
    for n in (3, 4, 5, 6, 8):
        flags = ["GENERIC", *(["NON_SIMPLE"] if n > 3 else []), *(["MANY_PLANES"] if n > 5 else [])]
        size = 1.0 if n < 5 else 0.4
        yield Member(euclidean(n), Draw(n).bivector(n, size), flags, f"random, below {size}")
    simple = wedge([1, 2, -1, 0], [0, 1, 1, 2])
    b: Matrix = [[x / 8 for x in row] for row in simple]
    yield Member(s4, b, ["ONE_PLANE"], "a ^ b / 8 of integer vectors")


def _sizes() -> Iterator[Member]:
    """Tiny, dense, large, mixed."""
    for n in (3, 4):
        for size in (2.0**-14, SMALL, 2.0**-60):
            b = [[Fraction(size) * x for x in row] for row in Draw(n).bivector(n)]
            flags = ["NEAR_IDENTITY", "TINY"] if size < 1e-5 else ["NEAR_IDENTITY"]
            yield Member(euclidean(n), b, flags, f"random, below {size:.1g}")
    for n in (3, 4, 6, 8):
        count = n * (n - 1) // 2
        flags = ["DENSE_NORM", *(["NON_SIMPLE"] if n > 3 else [])]
        flags += ["MANY_PLANES"] if n > 5 else []
        yield Member(euclidean(n), from_coefficients([0.99] * count, n), flags, "all 0.99")
        if n == 3:
            continue
        signs = [1 if x >= 0 else -1 for x in Draw(90 + n).integers(count)]
        b = from_coefficients([0.99 * s for s in signs], n)
        yield Member(euclidean(n), b, flags, "all 0.99 or -0.99")
    yield Member(euclidean(3), planes(3, (1, 2, 62.75)), ["LARGE_ANGLE"], "62.75 e12: ten turns")
    for sizes in ((40.0, 25.0), (1e4, 1e4 + GAP)):
        flags = ["LARGE_ANGLE", "NON_SIMPLE"]
        member = Member(euclidean(4), angles(4, sizes), flags, f"angles {sizes[0]:g}, {sizes[1]:g}")
        yield _turned(member, 41)
    for n in (6, 8):
        flags = ["LARGE_ANGLE", "NON_SIMPLE", "MANY_PLANES"]
        yield Member(euclidean(n), Draw(60 + n).bivector(n, 8.0), flags, "random, below 8")
    for sizes in ((10.0, SMALL), (0.5, SMALL)):
        comment = f"angles {sizes[0]:g}, 1e-9"
        yield _turned(Member(euclidean(4), angles(4, sizes), ["MIXED_SCALES"], comment), 42)


def _equal() -> Iterator[Member]:
    """Many planes, equal and nearly equal angles."""
    for n, sizes in ((6, (0.75, 0.5, 0.25)), (8, (0.75, 0.625, 0.5, 0.375))):
        flags = ["MANY_PLANES", "NON_SIMPLE"]
        member = Member(euclidean(n), angles(n, sizes), flags, f"{n // 2} planes")
        yield member
        yield _turned(member, 50 + n)
    sizes5 = (0.75, 0.625, 0.5, 0.375, 0.25)
    yield Member(euclidean(10), angles(10, sizes5), ["MANY_PLANES"], "5 planes")
    for n in (4, 6, 8):
        flags = ["ISOCLINIC", "NON_SIMPLE", *(["MANY_PLANES"] if n > 4 else [])]
        member = Member(euclidean(n), angles(n, [0.6875] * (n // 2)), flags, "equal angles 0.6875")
        yield member
        yield _turned(member, 60 + n)
    for gap in (SMALL, 2.0**-23, GAP):
        flags = ["NEAR_ISOCLINIC", "NON_SIMPLE"]
        member = Member(euclidean(4), angles(4, (0.75, 0.75 + gap)), flags, f"gap {gap:.1g}")
        yield _turned(member, 44)
    gaps = [0.5 + k * SMALL for k in range(3)]
    flags = ["NEAR_ISOCLINIC", "MANY_PLANES", "NON_SIMPLE"]
    yield _turned(Member(euclidean(6), angles(6, gaps), flags, "three angles, gaps 1e-9"), 66)


def _turns() -> Iterator[Member]:
    """Half turns, full turns, negative scalar parts."""
    s3, s4 = euclidean(3), euclidean(4)
    yield _turned(Member(s3, angles(3, [pi / 2]), ["HALF_TURN"], "angle pi / 2"), 31)
    yield _turned(Member(s3, angles(3, [pi / 2 + SMALL]), ["HALF_TURN"], "pi / 2 + 1e-9"), 31)
    yield _turned(Member(s4, angles(4, [pi / 2, 0.25]), ["HALF_TURN"], "pi / 2 and 0.25"), 43)
    flags = ["NEAR_MINUS_ONE", "NEGATIVE_SCALAR"]
    yield _turned(Member(s3, angles(3, [pi - SMALL]), flags, "angle pi - 1e-9"), 32)
    yield _turned(Member(s3, angles(3, [pi - GAP]), flags, "angle pi - 1e-4"), 32)
    yield _turned(Member(s4, angles(4, [pi - 2 * GAP, GAP]), flags, "pi - 2e-4 and 1e-4"), 43)
    yield _turned(Member(s3, angles(3, [2.5]), ["NEGATIVE_SCALAR"], "angle 2.5"), 33)
    flags = ["NEGATIVE_SCALAR", "NON_SIMPLE"]
    yield _turned(Member(s4, angles(4, [2.0, 0.5]), flags, "angles 2, 0.5"), 45)
    flags = ["NEGATIVE_SCALAR", "MANY_PLANES", "NON_SIMPLE"]
    yield _turned(Member(euclidean(6), angles(6, [2.0, 0.5, 0.25]), flags, "2, 0.5, 0.25"), 46)


def _indefinite() -> Iterator[Member]:
    """Boosts, loxodromes, and definite metrics that are negative."""
    sta, other = Signature(1, 3, 0), Signature(3, 1, 0)
    negative = Signature(0, 3, 0)
    flags = ["MIXED_SIGNATURE", "SIGN"]
    yield Member(negative, Draw(3).bivector(3), flags, "Cl(0,3): bivectors square to negatives")
    yield Member(
        Signature(1, 1, 0), planes(2, (1, 2, 0.5)), ["MIXED_SIGNATURE"], "0.5 e12, a boost"
    )
    for rapidity in (0.5, 6.0, 10.0):
        member = Member(sta, planes(4, (1, 2, rapidity)), ["BOOST", "MIXED_SIGNATURE"], "boost")
        yield _turned(member._replace(comment=f"boost {rapidity:g}"), 70)
    for signature, boost, turn in ((sta, (1, 2), (3, 4)), (other, (1, 4), (2, 3))):
        b = planes(4, (*boost, 0.75), (*turn, 0.6875))
        flags = ["MIXED_SIGNATURE", "NON_SIMPLE"]
        yield _turned(Member(signature, b, flags, "boost 0.75 and angle 0.6875"), 71)
    b = planes(4, (1, 2, 0.75), (3, 4, 2.5))
    flags = ["MIXED_SIGNATURE", "NEGATIVE_SCALAR", "NON_SIMPLE"]
    yield _turned(Member(sta, b, flags, "boost 0.75 and angle 2.5"), 71)
    for signature in (Signature(4, 1, 0), Signature(2, 2, 0), Signature(3, 3, 0)):
        n = signature.n
        flags = ["MIXED_SIGNATURE", "GENERIC", "NON_SIMPLE"]
        yield Member(signature, Draw(70 + n).bivector(n, 0.5), flags, "random, below 0.5")


def _defective() -> Iterator[Member]:
    """Null, complex and defective generators."""
    sta, neutral = Signature(1, 3, 0), Signature(2, 2, 0)
    null = wedge([1, 1, 0, 0], [0, 0, 1, 0])
    yield Member(sta, null, ["NULL"], "(e1 + e2) ^ e3: squares to zero")
    yield Member(Signature(2, 1, 0), wedge([1, 0, 1], [0, 1, 0]), ["NULL"], "(e1 + e3) ^ e2")
    totally = wedge([1, 0, 1, 0], [0, 1, 0, 1])
    yield Member(neutral, totally, ["NULL"], "a totally null plane")
    pair = planes(4, (1, 3, 0.5), (2, 4, 0.5), (1, 2, 0.75), (3, 4, -0.75))
    yield Member(neutral, pair, ["COMPLEX_PAIR"], "squares (0.5 +- 0.75 i)^2")
    block = added(planes(4, (1, 2, 0.5), (3, 4, -0.5)), totally)
    yield Member(neutral, block, ["JORDAN"], "a rotation and a nilpotent that commutes with it")


def _screws() -> Iterator[Member]:
    """A null basis vector."""
    plane, space = Signature(2, 0, 1), Signature(3, 0, 1)
    flags = ["DEGENERATE", "NULL"]
    yield Member(plane, planes(3, (1, 3, 0.5), (2, 3, 2.0)), flags, "a translation of the plane")
    yield Member(space, planes(4, (1, 4, 0.5), (2, 4, -2.0), (3, 4, 1.0)), flags, "a translation")
    for angle, label in ((0.75, "0.75"), (pi / 2, "pi / 2"), (SMALL, "1e-9")):
        turn = planes(4, (1, 2, angle))
        shift = planes(4, (1, 4, 0.5), (2, 4, -0.25), (3, 4, 1.0))
        flags = ["DEGENERATE", "HALF_TURN"] if angle == pi / 2 else ["DEGENERATE"]
        frame = Draw(80).axes(space)
        b = turned(added(turn, shift), space, frame)
        yield Member(space, b, flags, f"a screw of angle {label}")
    far = added(planes(4, (1, 2, 0.75)), planes(4, (1, 4, 1e8), (3, 4, 1e6)))
    yield Member(space, far, ["DEGENERATE", "MIXED_SCALES"], "a screw, translation 1e8")
