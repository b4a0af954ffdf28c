"""Exact residuals of an invariant decomposition, and bivectors with known invariant parts.

Residuals are computed exactly from the returned floats (integers after a common shift) and counted
in units of eps max|B|, or eps max|B|^2 where they are quadratic.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from geomlin.plane_kind import PlaneKind

EPS = 2.0**-52
BOUND = 32.0  # units
TIE = 8.0  # eps |b|, the width of a tie and of zero
TIE_WIDEST = 16 * TIE  # between parts whose squares cancel
NULL_WIDTH = 32.0  # eps |b| |b_i|, what the square of a null part may be
ROTATION, BOOST, NULL, ZERO, COMPLEX_PAIR, DEFECTIVE = PlaneKind

INDEFINITE = [(2, 2), (3, 2), (2, 3), (3, 3), (4, 2), (4, 4), (6, 2)]


def metric_of(p, q, r=0):
    """Squares of e1..en."""
    return (1,) * p + (-1,) * q + (0,) * r


def kinds_of(found):
    """Kinds of the parts that are not zero, sorted."""
    return sorted(int(kind) for kind in found.kinds if kind != ZERO)


# Exact residuals


def integers(values):
    """Python integers m and a shift with values = m 2^-shift exactly."""
    ratios = [float(value).as_integer_ratio() for value in np.ravel(values)]
    shift = max((denominator.bit_length() - 1 for _, denominator in ratios), default=0)
    exact = np.empty(len(ratios), dtype=object)
    exact[:] = [numerator * (2**shift // denominator) for numerator, denominator in ratios]
    return exact.reshape(np.shape(values)), shift


def largest(values):
    """max |x| of exact integers."""
    return max((abs(int(x)) for x in np.ravel(values)), default=0)


def pfaffians(x):
    """All x_ij x_kl - x_ik x_jl + x_il x_jk, half of <xx>_4: zero exactly when x is simple."""
    i, j, k, m = np.array(list(combinations(range(len(x)), 4)), dtype=int).reshape(-1, 4).T
    return x[i, j] * x[k, m] - x[i, k] * x[j, m] + x[i, m] * x[j, k]


def grade_two(x, y, g):
    """<xy>_2 of two bivectors: x G y - y G x."""
    product = (x * g) @ y
    return product - product.T


def minus_twice_grade_zero(x, y, g):
    """-2 <xy>_0 of two bivectors: sum over all i, j of x_ij y_ij g_i g_j."""
    return (g[:, None] * x * y * g).sum()


def defects(b, metric, found):
    """Residuals of the defining properties, in units."""
    g = np.array(metric, dtype=object)
    exact, shift = integers(np.concatenate([found.parts, b[None]]))
    parts, whole = exact[:-1], exact[-1]
    unit = largest(whole) or 1
    squares, simple = [0], [0]
    for x, square, kind in zip(parts, found.squares, found.kinds, strict=True):
        if kind <= PlaneKind.ZERO:
            own = Fraction(-minus_twice_grade_zero(x, x, g), 2)
            squares.append(abs(own - Fraction(float(square.real)) * 4**shift))
            simple.append(largest(pfaffians(x)))
    pairs = list(combinations(parts, 2))
    return {
        "sum": largest(parts.sum(axis=0) - whole) / Fraction(unit) / Fraction(EPS),
        "simple": max(simple) / Fraction(unit**2) / Fraction(EPS),
        "square": max(squares) / Fraction(unit**2) / Fraction(EPS),
        "grade 0": max((abs(minus_twice_grade_zero(x, y, g)) for x, y in pairs), default=0)
        / Fraction(2 * unit**2)
        / Fraction(EPS),
        "grade 2": max((largest(grade_two(x, y, g)) for x, y in pairs), default=0)
        / Fraction(unit**2)
        / Fraction(EPS),
    }


def assert_valid(b, metric, found, *, conditioning=1.0, label=""):
    """All residuals within the budget, the slots in order, the matrices antisymmetric."""
    size = np.linalg.norm(b, 2) / np.abs(b).max() if b.any() else 1.0
    limits = dict.fromkeys(("simple", "grade 0", "grade 2"), BOUND)
    limits |= {"sum": BOUND + TIE * size, "square": NULL_WIDTH * size**2}
    assert np.isfinite(found.parts).all(), label
    for name, value in defects(b, metric, found).items():
        assert value <= limits[name] * conditioning**2, (label, name, float(value), found.kinds)
    assert np.array_equal(found.parts, -np.swapaxes(found.parts, -1, -2)), label
    zero = found.kinds == ZERO
    assert not found.parts[zero].any(), label
    assert not found.squares[zero].any(), label
    magnitudes = np.sqrt(np.abs(found.squares[~zero]))
    slack = TIE_WIDEST * EPS * np.linalg.norm(b, 2) * conditioning
    assert np.all(np.diff(magnitudes) <= slack), (label, magnitudes)


def projector_norm(found, metric):
    """Largest norm of the metric projectors on the images of the non-null parts."""
    norms = [1.0]
    for part, kind in zip(found.parts, found.kinds, strict=True):
        if kind not in (NULL, ZERO):
            u, s, _ = np.linalg.svd(part)
            image = u[:, s > 1e-10 * s[0]]
            smallest = np.abs(np.linalg.eigvalsh(image.T @ (np.array(metric)[:, None] * image)))
            norms += [1 / smallest.min()] if smallest.min() > 1e-6 else []
    return max(norms)


# Bivectors with known parts


def plane(n, i, j, value=1.0):
    """value e_i e_j, indices from zero."""
    b = np.zeros((n, n))
    b[i, j], b[j, i] = value, -value
    return b


def antisymmetric(matrix):
    """The exactly antisymmetric matrix with the same upper triangle."""
    upper = np.triu(matrix, 1)
    return upper - upper.T


def turned(b, frame):
    """F b F^T."""
    return antisymmetric(frame @ b @ frame.T)


def random_rotation(n, rng):
    """Orthogonal up to rounding."""
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def exact_rotation(n, rng):
    """Orthogonal without rounding: reflections in vectors of four entries +-1, all dyadic."""
    frame = np.eye(n)
    for _ in range(3):
        v = np.zeros(n)
        v[rng.permutation(n)[:4]] = rng.choice([-1.0, 1.0], size=min(n, 4))
        frame = frame @ (np.eye(n) - 2 * np.outer(v, v) / (v @ v))
    return frame


def boosted_frame(p, q, rapidity, rng):
    """Element of O(p,q): a boost in each of min(p,q) planes between two random rotations."""
    boosts, n = np.eye(p + q), p + q
    for i in range(min(p, q)):
        boosts[[i, p + i], [i, p + i]] = np.cosh(rapidity)
        boosts[[i, p + i], [p + i, i]] = np.sinh(rapidity)
    for _ in range(2):
        rotation = np.zeros((n, n))
        rotation[:p, :p], rotation[p:, p:] = random_rotation(p, rng), random_rotation(q, rng)
        boosts = rotation @ boosts.T
    return boosts


def random_parts(p, q, magnitude, rng):
    """Rotations, boosts, null parts and a complex pair on disjoint axes, and their kinds."""
    n, positive, negative = p + q, list(range(p)), list(range(p, p + q))
    b, kinds = np.zeros((n, n)), []
    for choice in rng.integers(0, 5, size=3 * n):
        plus, minus = len(positive), len(negative)
        if choice == ROTATION and max(plus, minus) >= 2:
            axes = positive if plus >= 2 else negative
            b += plane(n, axes.pop(), axes.pop(), magnitude())
        elif choice == BOOST and min(plus, minus) >= 1:
            b += plane(n, positive.pop(), negative.pop(), magnitude())
        elif choice == NULL and min(plus, minus) >= 1 and plus + minus >= 3:
            x, t, size = positive.pop(), negative.pop(), magnitude()
            y = positive.pop() if positive else negative.pop()
            b += size * (plane(n, x, y) + plane(n, t, y))
        elif choice == COMPLEX_PAIR and min(plus, minus) >= 2 and COMPLEX_PAIR not in kinds:
            x, y, s, t = positive.pop(), positive.pop(), negative.pop(), negative.pop()
            b += magnitude() * (plane(n, x, s) + plane(n, y, t))
            b += magnitude() * (plane(n, x, y) - plane(n, s, t))
        else:
            continue
        kinds.append(PlaneKind(choice))
    return b, sorted(kinds)


def euclidean_cases(n, rng) -> Iterator[tuple[str, np.ndarray]]:
    """Sizes 1e-310 to 1e300, angles equal and at gaps 1e-1 to 1e-16, simple, large beside small."""
    k = n // 2
    for size in (1e-310, 1e-160, 1e-9, 1.0, 1e4, 1e300):
        yield f"random {size:g}", antisymmetric(rng.normal(size=(n, n)) * size)
    families = {f"gap {x:g}": [1 + j * x for j in range(k)] for x in 10.0 ** -np.arange(1, 17)}
    families |= {"equal": [0.7] * k, "simple": [1.3], "sizes": [10.0, 1e-8, 1e-9]}
    families |= {"clusters": [1.0, 1.0, 0.5, 0.5, 1e-9, 1e-9]}
    for label, angles in families.items():
        pairs = enumerate(angles[:k])
        b = sum((plane(n, 2 * j, 2 * j + 1, x) for j, x in pairs), np.zeros((n, n)))
        yield f"{label}, axes", b
        yield label, turned(b, random_rotation(n, rng))
