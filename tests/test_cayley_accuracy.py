"""cayley against ball arithmetic, where the Pfaffians of B cancel and where they do not.

The reference is outer_exp(B) / sqrt|<R ~R>| in 400 bits.  kappa is the largest change of the
reference, over eps, when each coefficient of B moves by +-eps relative to itself, taken at 2^-40.
"""

from __future__ import annotations

import numpy as np
import pytest

from geomlin import (
    Algebra,
    Multivector,
    NotInImage,
    NotInvertible,
    RapidityOverflow,
    cayley,
    cayley_inverse,
    is_rotor,
    norm_squared,
    outer_exp,
)
from geomlin.precision import working_precision

EPS = 2.0**-52
BITS = 400
BUDGET = 4.0  # eps kappa
DEFINITE = [(4, 0, 0), (6, 0, 0), (7, 0, 0), (8, 0, 0), (0, 6, 0)]
SPACES = [*DEFINITE, (3, 1, 0), (4, 2, 0), (3, 3, 0), (4, 0, 2), (3, 0, 3), (2, 0, 4), (2, 2, 2)]
spaces = pytest.mark.parametrize("space", SPACES, ids=str)


def reference(space: tuple[int, int, int], coefficients: np.ndarray) -> np.ndarray:
    """The transform in 400 bits, rounded once."""
    balls = Algebra(*space, backend="arb", precision=BITS)
    rotor = outer_exp(balls.bivector([float(x) for x in coefficients]))
    square = norm_squared(rotor).coeffs[0]
    with working_precision(BITS):
        root = abs(square).sqrt()
        return np.array([float((x / root).mid()) for x in rotor.coeffs])


def by_null_degree(rotor: Multivector) -> list[np.ndarray]:
    """Which coefficients have 0, 1, .. null vectors."""
    p, q, r = rotor.algebra.signature
    counts = np.array([(mask >> (p + q)).bit_count() for mask in rotor.layout.masks])
    return [counts == degree for degree in range(r + 1)]


def excess(b: Multivector, values: np.ndarray, rng: np.random.Generator) -> float:
    """Largest error of the coefficients over eps kappa, each null-degree by itself."""
    space = tuple(b.algebra.signature)
    exact = reference(space, b.coeffs)
    moved = np.zeros_like(exact)
    for _ in range(6):
        signs = rng.choice([-1.0, 1.0], size=b.coeffs.size)
        change = reference(space, b.coeffs * (1 + 2.0**-40 * signs)) - exact
        moved = np.maximum(moved, np.abs(change) * 2.0**40)
    worst = 0.0
    for chosen in by_null_degree(cayley(b)):
        unit = max(np.abs(exact[chosen]).max(initial=0.0), moved[chosen].max(initial=0.0))
        error = np.abs(values - exact)[chosen].max(initial=0.0)
        worst = max(worst, error / (EPS * unit) if unit else float(error > 0))
    return worst


def nearly_simple(algebra: Algebra, rng: np.random.Generator, noise: float) -> Multivector:
    """A simple bivector of size 5e3, and a little of everything."""
    u, v = (algebra.random.vector(rng, scale=70.0) for _ in range(2))
    return (u ^ v) + algebra.random.bivector(rng, scale=noise)


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-3])
@spaces
def test_nearly_simple_bivectors(
    space: tuple[int, int, int], noise: float, rng: np.random.Generator
) -> None:
    algebra, answered = Algebra(*space), 0
    for _ in range(12):
        b = nearly_simple(algebra, rng, noise)
        try:
            rotor = cayley(b)
        except (NotInvertible, NotInImage):
            assert space[0]
            assert space[1]
            continue
        answered += 1
        assert excess(b, rotor.coeffs, rng) <= BUDGET
        if answered == 3:
            break
    assert answered


@pytest.mark.parametrize("space", DEFINITE[2:4], ids=str)
def test_pfaffians_of_b_itself_lose_the_high_grades(
    space: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """The twin: the defining formula in floats, outer_exp(B) over its size."""
    b = nearly_simple(Algebra(*space), rng, 1e-9)
    direct = outer_exp(b).coeffs
    assert excess(b, direct / np.linalg.norm(direct), rng) > 10 * BUDGET


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 5e3, 1e100])
@spaces
def test_generic_bivectors_of_every_size(
    space: tuple[int, int, int], scale: float, rng: np.random.Generator
) -> None:
    algebra = Algebra(*space)
    for _ in range(12):
        b = algebra.random.bivector(rng, scale=scale)
        try:
            rotor = cayley(b)
        except (NotInvertible, NotInImage):
            continue
        if scale < 1e50:
            assert excess(b, rotor.coeffs, rng) <= BUDGET
        back = cayley_inverse(rotor, on_error="nan")
        known = np.isfinite(back.coeffs)
        assert (np.abs(back.coeffs - b.coeffs) <= 4 * EPS * np.abs(b.coeffs))[known].all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-310, 1e-160, 1e150, 1e300, 1e307])
@spaces
def test_the_ends_of_the_range_give_rotors_or_named_errors(
    space: tuple[int, int, int], scale: float, rng: np.random.Generator
) -> None:
    algebra = Algebra(*space)
    for _ in range(10):
        b = algebra.random.bivector(rng, scale=scale / 3)
        try:
            rotor = cayley(b)
        except RapidityOverflow:
            assert space[2]
            assert scale > 1e100
        except (NotInvertible, NotInImage):
            assert space[0]
            assert space[1]
        else:
            assert np.isfinite(rotor.coeffs).all()
            assert is_rotor(rotor)
