"""Regimes that need a negative or a null basis vector: boosts, null or defective parts, screws.

Axis position: a boost turns e_1 into e_(p+1); n1 = e_1 + e_(p+1) and n2 = e_2 + e_(p+2) are null.
"""

from __future__ import annotations

from math import pi

import numpy as np

from ..signature import Signature
from .frames import (
    FloatArray,
    Labelled,
    antisymmetric,
    boosted_frame,
    in_rotation_planes,
    plane,
    random_antisymmetric,
    regime,
    rotated_frame,
    rotation_planes,
    turned,
    unit,
    wedge,
)

TRANSLATIONS = (1e-8, 1.0, 1e8)
SMALL = 2.0**-27  # about 1e-8, and exact beside 1


def _is_indefinite(signature: Signature) -> bool:
    return signature.p >= 1 and signature.q >= 1


def _has_two_boosts(signature: Signature) -> bool:
    return signature.p >= 2 and signature.q >= 2


def _has_null_rotation(signature: Signature) -> bool:
    return _is_indefinite(signature) and signature.p + signature.q >= 3


def _has_rotation_beside_boost(signature: Signature) -> bool:
    return _is_indefinite(signature) and max(signature.p, signature.q) >= 3


def _has_boosted_rotation(signature: Signature) -> bool:
    return _is_indefinite(signature) and len(rotation_planes(signature)) >= 1


def _has_translations(signature: Signature) -> bool:
    return signature.r >= 1 and signature.p + signature.q >= 1


def _has_screws(signature: Signature) -> bool:
    return signature.r >= 1 and signature.p + signature.q >= 2


def _boosts(signature: Signature, *rapidities: float) -> FloatArray:
    """sum_k rapidity_k e_k e_(p+k)."""
    b = np.zeros((signature.n, signature.n))
    for k, rapidity in enumerate(rapidities):
        b += plane(signature.n, k, signature.p + k, rapidity)
    return b


def _null_vectors(signature: Signature) -> tuple[FloatArray, FloatArray]:
    """n1 = e_1 + e_(p+1) and n2 = e_2 + e_(p+2), orthogonal null vectors."""
    n, p = signature.n, signature.p
    return unit(n, 0, p), unit(n, 1, p + 1)


@regime(
    "boosts",
    reason="squaring the matrix loses eps e^(2 rapidity); logm loses eps e^(4 beta)",
    applies=_is_indefinite,
)
def boosts(signature: Signature, rng: np.random.Generator) -> Labelled:
    """One boost of rapidity parameter 1e-8 to 15 (e^30 in the matrix)."""
    for rapidity in (1e-8, 1.0, 3.0, 6.0, 10.0, 15.0):
        b = _boosts(signature, rapidity)
        yield f"boost {rapidity:g}, axis frame", b
        yield f"boost {rapidity:g}, rotated frame", turned(b, rotated_frame(signature, rng))


@regime(
    "several boosts",
    reason="cosh routes lose eps e^(2 beta) with two boosts; equal boosts have no unique planes",
    applies=_has_two_boosts,
)
def several_boosts(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Two boosts: equal, nearly equal, very different."""
    for rapidities in ((2.0, 2.0), (6.0, 6.0), (3.0, 3.0 * (1 + 1e-9)), (10.0, 1e-8)):
        b = _boosts(signature, *rapidities)
        label = f"boosts {rapidities[0]:g}, {rapidities[1]:.10g}"
        yield f"{label}, axis frame", b
        yield f"{label}, rotated frame", turned(b, rotated_frame(signature, rng))


@regime(
    "boost and rotation",
    reason="galaga and clifford log are 0.2 wrong; -exp(boost) needs a half turn beside the boost",
    applies=_has_rotation_beside_boost,
)
def boost_and_rotation(signature: Signature, rng: np.random.Generator) -> Labelled:
    """A loxodrome: boost and rotation in orthogonal planes."""
    n, p = signature.n, signature.p
    first = 1 if p >= 3 else p + 1
    for rapidity, angle in ((0.8, 0.7), (3.0, pi / 2), (3.0, pi), (10.0, 0.3), (1e-8, 2.0)):
        b = _boosts(signature, rapidity) + plane(n, first, first + 1, angle)
        label = f"boost {rapidity:g}, angle {angle:.4g}, rotated frame"
        yield label, turned(b, rotated_frame(signature, rng))


@regime(
    "boosted rotation",
    reason="large coefficients cancel: the projectors have norm cosh(rapidity)",
    applies=_has_boosted_rotation,
)
def boosted_rotation(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Rotations (generic, half turn, equal angles) seen from a boosted frame."""
    for rapidity, angle in ((0.8, 1.0), (0.8, pi / 2), (3.0, 1.0)):
        for count in sorted({1, len(rotation_planes(signature))}):
            b = in_rotation_planes(signature, [angle] * count)
            label = f"{count} of angle {angle:.4g}, frame boosted by {rapidity:g}"
            yield label, turned(b, boosted_frame(signature, rng, rapidity))


@regime(
    "null",
    reason="numga and torch_ga: NaN; clifford log: NameError; sinh(x)/x at x^2 = 0",
    applies=_has_null_rotation,
)
def null(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Null rotation n1 ^ e with e orthogonal to n1: B^2 = 0 exactly in the axis frame."""
    n, p = signature.n, signature.p
    first_null = unit(n, 0, p)
    direction = unit(n, 1 if p >= 2 else p + 1)
    for size in (1e-8, 1.0, 1e3):
        b = size * wedge(first_null, direction)
        yield f"size {size:g}, axis frame", b
        yield f"near null, size {size:g}", turned(b, boosted_frame(signature, rng, 0.3))


@regime(
    "totally null",
    reason="M^2 = 0 with M of rank two and no invariant definite plane",
    applies=_has_two_boosts,
)
def totally_null(signature: Signature, rng: np.random.Generator) -> Labelled:
    """n1 ^ n2: B^2 = 0 and every vector of its plane is null."""
    for size in (1e-6, 1.0, 1e3):
        b = size * wedge(*_null_vectors(signature))
        yield f"size {size:g}, axis frame", b
        yield f"near totally null, size {size:g}", turned(b, boosted_frame(signature, rng, 0.3))


@regime(
    "Jordan",
    reason="a double root with no eigenvector basis: no decomposition even over C; eig splits it "
    "by sqrt(eps); numga: NaN",
    applies=_has_two_boosts,
)
def jordan(signature: Signature, rng: np.random.Generator) -> Labelled:
    """x J + c n1^n2 with J^2 = -1 (elliptic) or +1 (hyperbolic) commuting with n1^n2."""
    n, p = signature.n, signature.p
    elliptic = plane(n, 0, 1) - plane(n, p, p + 1)
    hyperbolic = _boosts(signature, 1.0, -1.0)
    nilpotent = wedge(*_null_vectors(signature))
    for name, semisimple in (("elliptic", elliptic), ("hyperbolic", hyperbolic)):
        for size in (1.0, 1.5, 3.0):
            yield f"{name} {size:g}, block 1", size * semisimple + nilpotent
        b = 1.5 * semisimple + SMALL * nilpotent
        yield f"{name} 1.5, block 1e-8", b
        yield f"near {name} 1.5", turned(b, boosted_frame(signature, rng, 0.3))


@regime(
    "nilpotent",
    reason="one 5 x 5 Jordan block at 0: neither simple nor a sum of commuting simple parts",
    applies=lambda signature: _has_two_boosts(signature) and signature.p + signature.q >= 5,
)
def nilpotent(signature: Signature, rng: np.random.Generator) -> Labelled:
    """n1 ^ (e_2 - e_(p+2)) + n2 ^ e: M^5 = 0 and M^4 != 0, M the matrix of the commutator."""
    n, p = signature.n, signature.p
    first, second = _null_vectors(signature)
    opposite = unit(n, 1) - unit(n, p + 1)
    b = wedge(first, opposite) + wedge(second, unit(n, 2 if p >= 3 else p + 2))
    for size in (SMALL, 1.0, 4.0):
        yield f"size {size:.2g}, axis frame", size * b
    yield "near nilpotent", turned(b, boosted_frame(signature, rng, 0.3))


@regime(
    "complex quadruple",
    reason="the parts are complex conjugates: numga NaN; real routes must keep them together",
    applies=_has_two_boosts,
)
def complex_quadruple(signature: Signature, rng: np.random.Generator) -> Labelled:
    """x (e_1 e_(p+1) + e_2 e_(p+2)) + y (e_1 e_2 -+ e_(p+1) e_(p+2)).

    The upper sign gives parts of squares (x +- iy)^2, the lower one two parts of square x^2 - y^2.
    """
    n, p = signature.n, signature.p
    for x, y in ((0.5, 0.7), (3.0, pi / 2), (SMALL, 1.0), (1.0, SMALL), (5.0, 5.0)):
        boost = _boosts(signature, x, x)
        b = boost + plane(n, 0, 1, y) - plane(n, p, p + 1, y)
        yield f"x {x:.2g}, y {y:.2g}, axis frame", b
        yield f"x {x:.2g}, y {y:.2g}, boosted frame", turned(b, boosted_frame(signature, rng, 0.3))
        equal = boost + plane(n, 0, 1, y) + plane(n, p, p + 1, y)
        yield f"x {x:.2g}, y {y:.2g}, equal real squares", equal


@regime(
    "translations",
    reason="ga_exp of clifford and the log of galaga: NaN and 0 for a pure translation",
    applies=_has_translations,
)
def translations(signature: Signature, rng: np.random.Generator) -> Labelled:
    """v ^ e_0 for every null basis vector e_0: nilpotent, exp is a polynomial."""
    for size in TRANSLATIONS:
        yield f"translation {size:g}", _translation(signature, rng, size)


@regime(
    "screws",
    reason="an unscaled embedding is 1e136 eps wrong at translation 1e8; the rotation part must "
    "not depend on the translation",
    applies=_has_screws,
)
def screws(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Rotations, boosts and generic bivectors with translations of three sizes."""
    m = signature.p + signature.q
    frame = rotated_frame(signature, rng)
    bases = [("generic", _without_null(signature, random_antisymmetric(signature.n, rng, 1.0)))]
    for angle in (1e-8, 0.9, pi / 2, pi):
        b = in_rotation_planes(signature, [angle] * m)
        if b.any():
            bases.append((f"angles {angle:.4g}", turned(b, frame)))
    if _is_indefinite(signature):
        bases.append(("boost 2", turned(_boosts(signature, 2.0), frame)))
    for label, b in bases:
        for size in TRANSLATIONS:
            yield f"{label}, translation {size:g}", b + _translation(signature, rng, size)


@regime(
    "null-null parts",
    reason="e_0 e_0' is central and invisible in the matrix of R",
    applies=lambda signature: signature.r >= 2,
)
def null_null(signature: Signature, rng: np.random.Generator) -> Labelled:
    """Bivectors of null vectors only, alone and beside a generic bivector."""
    n, m = signature.n, signature.p + signature.q
    for size in TRANSLATIONS:
        b = random_antisymmetric(n, rng, size)
        b[:m, :] = b[:, :m] = 0.0
        yield f"alone, size {size:g}", b
        if m >= 1:
            generic = _without_null(signature, random_antisymmetric(n, rng, 1.0))
            yield f"size {size:g} beside a screw", b + generic + _translation(signature, rng, 1.0)


def _without_null(signature: Signature, b: FloatArray) -> FloatArray:
    """The part of B made of non-null basis vectors."""
    m = signature.p + signature.q
    part = np.zeros_like(b)
    part[:m, :m] = b[:m, :m]
    return part


def _translation(signature: Signature, rng: np.random.Generator, size: float) -> FloatArray:
    """A random vector of the given size, wedged with each null basis vector."""
    m = signature.p + signature.q
    upper = np.zeros((signature.n, signature.n))
    upper[:m, m:] = size * rng.normal(size=(m, signature.r))
    return antisymmetric(upper)


FAMILIES = (
    boosts,
    several_boosts,
    boost_and_rotation,
    boosted_rotation,
    null,
    totally_null,
    jordan,
    nilpotent,
    complex_quadruple,
    translations,
    screws,
    null_null,
)
