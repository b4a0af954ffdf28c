"""Regimes of sizes and of rotation angles: they need no negative and no null basis vector."""

from __future__ import annotations

from math import pi

import numpy as np

from ..signature import Signature
from .frames import (
    Labelled,
    antisymmetric,
    in_rotation_planes,
    plane,
    random_antisymmetric,
    regime,
    rotated_frame,
    rotation_planes,
    turned,
)

EPS = 2.0**-52


def _has_bivectors(signature: Signature) -> bool:
    return signature.n >= 2


def _has_rotations(signature: Signature) -> bool:
    return len(rotation_planes(signature)) >= 1


def _has_two_rotations(signature: Signature) -> bool:
    return len(rotation_planes(signature)) >= 2


@regime("zero", reason="torch_ga: NaN gradient; numga: NaN parts", applies=lambda signature: True)
def zero(signature: Signature, rng: np.random.Generator) -> Labelled:
    """B = 0."""
    yield "zero", np.zeros((signature.n, signature.n))


@regime(
    "tiny",
    reason="squares underflow; galaga: log is 0 below 3e-8; clamps at 1e-12 lose |B| < 1e-7",
    applies=_has_bivectors,
)
def tiny(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Denormal bivectors and bivectors whose square is zero in floating point."""
    n = signature.n
    yield "smallest denormal e12", plane(n, 0, 1, 5e-324)
    yield "denormal", random_antisymmetric(n, rng, 1e-310)
    yield "square underflows", random_antisymmetric(n, rng, 1e-200)


@regime("generic", reason="the ordinary case, over its whole range of size", applies=_has_bivectors)
def generic(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Normal coefficients in every plane, null ones included."""
    for size in (1e-160, 1e-9, 1e-3, 0.3, 1.0, 4.0):
        yield f"size {size:g}", random_antisymmetric(signature.n, rng, size)


@regime(
    "dense",
    reason="clifford scales by int(max|b|), which is 0 here: 2e-4 wrong for four planes",
    applies=_has_bivectors,
)
def dense(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Every coefficient +-0.99: the norm grows with n though no coefficient reaches 1."""
    n = signature.n
    yield "all +0.99", antisymmetric(np.full((n, n), 0.99))
    yield "random signs", antisymmetric(0.99 * rng.choice([-1.0, 1.0], size=(n, n)))


@regime(
    "huge",
    reason="galaga: 4e25 wrong at angles (40, 25); numga at 1e4; |R~R - 1| grows like eps |B|",
    applies=lambda signature: signature.is_definite and signature.n >= 2,
)
def huge(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Angles of many turns; beyond 1/eps the value has no digit, but R must stay a unit rotor."""
    for size in (30.0, 1e3, 1e4, 1e8, 1e17, 1e300):
        yield f"size {size:g}", random_antisymmetric(signature.n, rng, size)


@regime(
    "equal angles",
    reason="numga: NaN on e12+e34; clifford g3c: parts not simple; torch: NaN eigenvector gradient",
    applies=_has_two_rotations,
)
def equal_angles(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Isoclinic: every rotation plane turns by the same angle, so the planes are not unique."""
    for angle in (1e-8, 0.3, pi / 4, 0.99, 1.5, 7.0):
        b = in_rotation_planes(signature, [angle] * signature.n)
        yield f"angle {angle:.4g}, axis frame", b
        yield f"angle {angle:.4g}, rotated frame", turned(b, rotated_frame(signature, rng))


@regime(
    "small gaps",
    reason="characteristic-polynomial split: 1e-8 at gap 1e-2, garbage at 1e-4; power iteration "
    "stops early at any gap below 1e-5; ties are decided at a gap of 8 eps",
    applies=_has_two_rotations,
)
def small_gaps(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Angles 1, 1 + d, 1 + 2d, .."""
    for gap in (1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 1e-16):
        b = in_rotation_planes(signature, [1 + k * gap for k in range(signature.n)])
        yield f"gap {gap:g}, rotated frame", turned(b, rotated_frame(signature, rng))
    for gap in (1e-9, 7 * EPS, 9 * EPS):
        b = in_rotation_planes(signature, [1 + k * gap for k in range(signature.n)])
        yield f"gap {gap:.2g}, axis frame", b


@regime(
    "half turns",
    reason="the plain Cayley transform is infinite; g3c log returns 0; the scalar part vanishes",
    applies=_has_rotations,
)
def half_turns(signature: Signature, rng: np.random.Generator) -> Labelled:
    """One, two, all angles equal to pi/2 or off it by 1e-9 (the rotation turns by twice that)."""
    planes = len(rotation_planes(signature))
    for count in sorted({1, min(2, planes), planes}):
        yield f"{count} of pi/2, axis frame", in_rotation_planes(signature, [pi / 2] * count)
        for offset in (0.0, 1e-9, -1e-9):
            b = in_rotation_planes(signature, [pi / 2 + offset] * count)
            label = f"{count} of pi/2{offset:+g}, rotated frame"
            yield label, turned(b, rotated_frame(signature, rng))


@regime(
    "full turns",
    reason="exp = -1: galaga, clifford and pygafro return log 0; the derivative of log is singular",
    applies=_has_rotations,
)
def full_turns(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Angles pi and multiples of it, alone and beside another angle."""
    families = {
        "pi": [pi],
        "pi everywhere": [pi] * signature.n,
        "pi + 1e-9 everywhere": [pi + 1e-9] * signature.n,
        "pi and 0.3": [pi, 0.3],
        "3 pi and 1e-8": [3 * pi, 1e-8],
        "2 pi": [2 * pi],
    }
    for label, angles in families.items():
        b = in_rotation_planes(signature, angles)
        yield f"{label}, axis frame", b
        yield f"{label}, rotated frame", turned(b, rotated_frame(signature, rng))


@regime(
    "near simple",
    reason="torch_ga drops the grade-4 part; clifra loses 4 digits at 1e4 (1, 1 + 1e-7)",
    applies=_has_two_rotations,
)
def near_simple(signature: Signature, rng: np.random.Generator) -> Labelled:
    """One plane dominates, or two large planes nearly agree, so that B^B or B^2 cancels."""
    for angles in ((1.0, 1e-9), (1.0, 4e-5), (1e4, 0.0), (1e4, 1e4 * (1 + 1e-7))):
        b = in_rotation_planes(signature, angles)
        label = f"angles {angles[0]:g}, {angles[1]:.9g}, rotated frame"
        yield label, turned(b, rotated_frame(signature, rng))


@regime(
    "mixed scales",
    reason="scaling by the largest coefficient loses the small ones",
    applies=_has_bivectors,
)
def mixed_scales(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Coefficients over thirteen orders of magnitude; planes of 10 and 1e-8."""
    n = signature.n
    exponents = rng.uniform(-12.0, 1.0, size=(n, n))
    yield "coefficients 1e-12..10", antisymmetric(rng.normal(size=(n, n)) * 10.0**exponents)
    if _has_two_rotations(signature):
        b = in_rotation_planes(signature, (10.0, 1e-8))
        yield "angles 10, 1e-8, rotated frame", turned(b, rotated_frame(signature, rng))


FAMILIES = (
    zero,
    tiny,
    generic,
    dense,
    huge,
    equal_angles,
    small_gaps,
    half_turns,
    full_turns,
    near_simple,
    mixed_scales,
)
