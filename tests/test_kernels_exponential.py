"""The float64 kernels of exp, of the lift SO -> Spin, and of Spin -> SO.

The oracle is a Taylor series of left multiplication by B in fixed-point integers of 200 bits,
built from geomlin.blades alone; it knows nothing of planes, pivots or spinors.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
import scipy.linalg

from geomlin.blades import reorder_sign
from geomlin.errors import RapidityOverflow
from geomlin.kernels import closed_form, doubling, monomial, pfaffian, spinor_exponential
from geomlin.kernels.bits import even_masks
from geomlin.kernels.exponential import LARGEST_SQUARED, POSITIVE_SCALAR, exponential
from geomlin.kernels.lift import lift, rotor_matrix

EPS = 2.0**-52
BITS = 200
SMALL = [(p, q, n - p - q) for n in range(1, 6) for p in range(n + 1) for q in range(n + 1 - p)]
LARGE = [(6, 0, 0), (0, 6, 0), (5, 1, 0), (3, 3, 0), (5, 0, 1), (4, 1, 1), (4, 0, 2), (2, 2, 2)]


RNG = np.random.default_rng


def metric_of(signature):
    p, q, r = signature
    return (1,) * p + (-1,) * q + (0,) * r


def name(signature):
    return "Cl({},{},{})".format(*signature)


# ---------------------------------------------------------------------------------- oracle


@cache
def blade_product(left, right, g):
    """Sign of E_left E_right, 0 if a null vector is squared."""
    sign = reorder_sign(left, right)
    for i, square in enumerate(g):
        if (left & right) >> i & 1:
            sign *= square
    return sign


def product(a, b, g):
    """Geometric product of dictionaries mask -> number."""
    result = {}
    for s, x in a.items():
        for t, y in b.items():
            sign = blade_product(s, t, g)
            if sign:
                result[s ^ t] = result.get(s ^ t, 0) + sign * x * y
    return result


@cache
def left_multiplication(g):
    """For each bivector blade: the triples (source, target, sign) of its left multiplication."""
    even = even_masks(len(g)).tolist()
    pairs = [(1 << i) | (1 << j) for i, j in combinations(range(len(g)), 2)]
    return {s: [(t, s ^ t, blade_product(s, t, g)) for t in even] for s in pairs}


def fixed_point_exponential(b, g):
    """exp(B) times 2^BITS as a dictionary mask -> int; b holds Fractions or floats."""
    entries = {(1 << i) | (1 << j): Fraction(b[i][j]) for i, j in combinations(range(len(g)), 2)}
    null = sum(1 << i for i, square in enumerate(g) if square == 0)
    steps = 1 + int(sum(abs(x) for s, x in entries.items() if not s & null) / 24)
    scaled = {s: int(x * (1 << BITS)) // steps for s, x in entries.items() if x}
    table = left_multiplication(g)
    total = dict.fromkeys(even_masks(len(g)).tolist(), 0)
    total[0] = 1 << BITS
    for _ in range(steps):
        term, k = dict(total), 0
        while any(abs(x) > 1 for x in term.values()):
            k += 1
            image = dict.fromkeys(total, 0)
            for s, x in scaled.items():
                for source, target, sign in table[s]:
                    image[target] += sign * x * term[source]
            term = {s: (abs(x) >> BITS) // k * (1 if x > 0 else -1) for s, x in image.items()}
            for s, x in term.items():
                total[s] += x
    return total


def exact_values(b, g):
    table = fixed_point_exponential(b, g)
    return [Fraction(table.get(int(s), 0), 1 << BITS) for s in even_masks(len(g))]


def conditions(b, g, exact):
    """sum_j |b_j dR_S / db_j| for every S, from exact differences with step 2^-40."""
    total = np.zeros(len(exact))
    step = Fraction(1, 1 << 40)
    rows = [[Fraction(x) for x in row] for row in np.asarray(b).tolist()]
    for i, j in combinations(range(len(g)), 2):
        if rows[i][j]:
            changed = [list(row) for row in rows]
            changed[i][j] = rows[i][j] * (1 + step)
            moved = exact_values(changed, g)
            total += [abs(float((x - y) / step)) for x, y in zip(moved, exact, strict=True)]
    return total


def relative_error(values, exact, g, condition=None):
    """Largest error in eps, per null degree relative to its largest coefficient (and condition)."""
    null = sum(1 << i for i, square in enumerate(g) if square == 0)
    degrees = [(int(s) & null).bit_count() for s in even_masks(len(g))]
    errors = np.array([float(Fraction(x) - y) for x, y in zip(values, exact, strict=True)])
    sizes = np.array([abs(float(y)) for y in exact])
    worst = 0.0
    for degree in set(degrees):
        chosen = np.array(degrees) == degree
        size = sizes[chosen].max()
        if size == 0:
            assert not errors[chosen].any()
            continue
        kappa = 1.0 if condition is None else max(1.0, condition[chosen].max() / size)
        worst = max(worst, np.abs(errors[chosen]).max() / (EPS * size * kappa))
    return worst


def budget(signature):
    _, q, r = signature
    return 4.0 if q == 0 and r <= 1 else 10.0


# ---------------------------------------------------------------------------------- samples


def antisymmetric(rng, n, scale=1.0):
    upper = np.triu(rng.normal(size=(n, n)), 1) * scale
    return upper - upper.T


def in_planes(n, angles, frame=None):
    b = np.zeros((n, n))
    for k, angle in enumerate(angles):
        b[2 * k, 2 * k + 1], b[2 * k + 1, 2 * k] = angle, -angle
    if frame is not None:
        b = frame @ b @ frame.T
    return 0.5 * (b - b.T)


def rotation(rng, n):
    q, r = np.linalg.qr(rng.normal(size=(n, n)))
    return q * np.sign(np.diag(r))


def scalar_square(b, g):
    """s = <B^2>_0."""
    return -0.5 * float((b * b * np.outer(g, g)).sum())


def samples(rng, signature):
    """Named bivectors that visit every branch of the closed form."""
    g = metric_of(signature)
    n = len(g)
    planes = n // 2
    found = {
        "generic": antisymmetric(rng, n),
        "tiny": antisymmetric(rng, n, 1e-9),
        "large": antisymmetric(rng, n, 3.0),
        "plane and shadow": in_planes(n, [2.0, 1e-9][:planes], rotation(rng, n)),
        "nearly equal": in_planes(n, [1.3, 1.3 * (1 + 1e-9)][:planes], rotation(rng, n)),
        "axes": in_planes(n, [math.pi / 2, math.pi / 4][:planes]),
    }
    s = scalar_square(found["generic"], g)
    if s:
        for side in (-1, 1):
            size = math.sqrt(closed_form.SERIES_RADIUS / abs(s)) * (1 + side * 1e-9)
            found[f"series radius {side:+}"] = found["generic"] * size
    if signature[2]:
        far = found["generic"].copy()
        far[-1] *= 1e8
        far[:, -1] *= 1e8
        found["translation"] = far
    return found


# ---------------------------------------------------------------------------------- exp, n <= 5


@pytest.mark.parametrize("signature", SMALL, ids=name)
def test_closed_form_meets_its_budget(signature):
    g = metric_of(signature)
    for label, b in samples(RNG([7, *signature]), signature).items():
        exact = exact_values(b, g)
        condition = conditions(b, g, exact)
        error = relative_error(exponential(b, g), exact, g, condition)
        assert error <= budget(signature), label


@pytest.mark.parametrize("signature", [(4, 1, 0), (3, 2, 0), (4, 0, 1)], ids=name)
def test_both_sides_of_the_choice_between_roots_and_planes(signature):
    """4 delta = s^2 separates the two evaluations; both are accurate there."""
    g = metric_of(signature)
    table = closed_form._tables(g)
    rng = RNG(1)
    low, high = None, None
    while low is None or high is None:
        b = antisymmetric(rng, 5, 1.5)
        v = b.reshape(25)[table.entries][:, None]
        w = closed_form._wedge_square(v, table)
        ratio = 4 * float((table.quad_squares @ (w * w))[0]) / scalar_square(b, g) ** 2
        if ratio > 1:
            high = b
        elif ratio > 0:
            low = b
    for _ in range(40):  # bisect to a point of the boundary
        middle = 0.5 * (low + high)
        v = middle.reshape(25)[table.entries][:, None]
        w = closed_form._wedge_square(v, table)
        above = 4 * float((table.quad_squares @ (w * w))[0]) > scalar_square(middle, g) ** 2
        low, high = (low, middle) if above else (middle, high)
    for b in (low, high):
        exact = exact_values(b, g)
        error = relative_error(exponential(b, g), exact, g, conditions(b, g, exact))
        assert error <= budget(signature)


@pytest.mark.parametrize(
    ("signature", "second"), [((4, 0, 0), 200.0002), ((5, 0, 0), 201.0), ((4, 0, 1), 200.0002)]
)
def test_nearly_equal_large_angles_lose_no_digits(signature, second):
    """As a difference of squares the smaller root of B^2 would lose all its digits here."""
    g = metric_of(signature)
    n = len(g)
    rng = RNG(3)
    b = np.zeros((n, n))
    b[:4, :4] = in_planes(4, [200.0, second], rotation(rng, 4))
    if signature == (5, 0, 0):
        b = in_planes(5, [200.0, second], rotation(rng, 5))
    if signature[2]:
        b[:4, 4], b[4, :4] = 1.0, -1.0
    exact = exact_values(b, g)
    assert relative_error(exponential(b, g), exact, g, conditions(b, g, exact)) <= 4.0


def test_a_nearly_simple_rotation_with_a_long_translation():
    """W = B ^ B is mostly null here, while W^2 = delta is tiny: the roots would lose 9 digits."""
    g = (1, 1, 1, 1, 0)
    b = np.zeros((5, 5))
    b[:4, :4] = in_planes(4, [2.0, 1e-9], rotation(RNG(1), 4))
    b[:4, 4] = RNG(2).normal(size=4)
    b[4] = -b[:, 4]
    exact = exact_values(b, g)
    assert relative_error(exponential(b, g), exact, g, conditions(b, g, exact)) <= 4.0


def test_the_oracle_comparison_sees_a_dropped_plane_and_a_wrong_sign():
    g = (1,) * 4
    b = in_planes(4, [0.7, 1e-6], rotation(RNG(0), 4))
    exact = exact_values(b, g)
    one_plane = in_planes(4, [0.7, 0.0], rotation(RNG(0), 4))
    assert relative_error(exponential(b, g), exact, g) <= 4
    assert relative_error(exponential(one_plane, g), exact, g) > 1e6
    assert relative_error(-exponential(b, g), exact, g) > 1e6
    assert relative_error(exponential(-b, g), exact, g) > 1e6


@pytest.mark.parametrize("signature", [(2, 0, 0), (3, 0, 0), (4, 0, 0), (3, 0, 1)], ids=name)
def test_the_unit_changes_no_bit_where_it_is_not_needed(signature, monkeypatch):
    g = metric_of(signature)
    rng = RNG(5)
    b = np.array([antisymmetric(rng, len(g), 10.0**k) for k in range(-3, 26, 4)])
    plain = exponential(b, g)
    monkeypatch.setattr(closed_form, "LARGEST_PLAIN", 0.0)
    assert np.array_equal(exponential(b, g), plain)


# ---------------------------------------------------------------------------------- exp, n >= 6


def crowd(b, size=spinor_exponential.LARGEST_BATCH + 1):
    """A batch with b in front, too large for the spinor route."""
    return np.concatenate([b[None], np.repeat(0.1 * b[None], size - 1, axis=0)])


@pytest.mark.parametrize("signature", LARGE, ids=name)
@pytest.mark.parametrize("label", ["generic", "small", "equal", "half turns", "translation"])
def test_large_dimensions_meet_their_budget(signature, label):
    """Both routes: one bivector, and the same one in front of a batch."""
    g = metric_of(signature)
    n = len(g)
    rng = RNG([11, *signature])
    b = {
        "generic": antisymmetric(rng, n, 0.6),
        "small": antisymmetric(rng, n, 1e-5),
        "equal": in_planes(n, [1.0] * 3, rotation(rng, n)),
        "half turns": in_planes(n, [math.pi / 2, math.pi / 2, 0.3]),
        "translation": antisymmetric(rng, n, 0.6),
    }[label]
    if label == "translation":
        b[-1] *= 1e8 if signature[2] else 1.0
        b[:, -1] *= 1e8 if signature[2] else 1.0
    exact = exact_values(b, g)
    condition = conditions(b, g, exact)
    for values in (exponential(b, g), exponential(crowd(b), g)[0]):
        assert relative_error(values, exact, g, condition) <= budget(signature)


@pytest.mark.parametrize("signature", [(6, 0, 0), (5, 1, 0), (5, 0, 1)], ids=name)
@pytest.mark.parametrize(
    "size",
    [POSITIVE_SCALAR, spinor_exponential.LARGEST_SIZE, spinor_exponential.LARGEST_DEFINITE_SIZE],
)
def test_both_sides_of_the_thresholds_in_size(signature, size):
    g = metric_of(signature)
    b = in_planes(6, [2.0, 1.0, 0.5], np.eye(6) if signature[1] else rotation(RNG(2), 6))
    if signature[1]:
        b[4, 5] = b[5, 4] = 0.0
    b *= size / doubling.radius(b[None], g)[0]
    for factor in (1 - 1e-9, 1 + 1e-9):
        exact = exact_values(factor * b, g)
        for values in (exponential(factor * b, g), exponential(crowd(factor * b), g)[0]):
            assert relative_error(values, exact, g) <= 10 * max(1.0, size)


@pytest.mark.parametrize("signature", [(6, 0, 0), (7, 0, 0), (6, 0, 1)], ids=name)
@pytest.mark.parametrize("size", [0.999, 1.001, 1e3])
def test_both_sides_of_the_largest_squared_size(signature, size):
    """Rotations by many turns, whose rotors are known: products of cos + sin e_i e_j."""
    g = metric_of(signature)
    angles = [size * LARGEST_SQUARED, 2.0, -0.5]
    b = np.zeros((len(g),) * 2)
    b[:6, :6] = in_planes(6, angles)
    expected = {0: 1.0}
    for k, angle in enumerate(angles):
        plane = {0: math.cos(angle), 0b11 << 2 * k: math.sin(angle)}
        expected = product(expected, plane, g)
    values = exponential(np.array([b, b]), g)[1]
    found = dict(zip(even_masks(len(g)).tolist(), values.tolist(), strict=True))
    kappa = size * LARGEST_SQUARED
    for mask, value in found.items():
        assert abs(value - expected.get(mask, 0.0)) <= 4 * EPS * kappa
    frame = np.zeros((len(g),) * 2)
    frame[:6, :6] = rotation(RNG(9), 6)
    frame[6:, 6:] = np.eye(len(g) - 6)
    turned = exponential(np.array([frame @ b @ frame.T]), g)[0]
    action = frame @ rotor_matrix(values, g) @ frame.T
    assert np.abs(rotor_matrix(turned, g) - action).max() <= 40 * EPS * kappa


def by_spinor_matrices(b, g):
    """expm of the spinor matrices of the whole algebra, null vectors as e_+ + e_-."""
    n = len(g)
    rows, columns = np.triu_indices(n, 1)
    coefficients = np.zeros((len(b), 1 << n))
    coefficients[:, (1 << rows) | (1 << columns)] = b[:, rows, columns]
    metric = monomial.embedded_metric(g)
    embedded = monomial.embed_null_vectors(coefficients, g)
    blocks = scipy.linalg.expm(monomial.blocks_from_coefficients(embedded, metric))
    found = monomial.coefficients_from_blocks(blocks, metric)
    return monomial.restrict_to_null_vectors(found, g)[:, even_masks(n)]


@pytest.mark.parametrize(
    "signature", [(8, 0, 0), (10, 0, 0), (7, 4, 0), (8, 0, 1), (5, 3, 1)], ids=name
)
def test_batches_agree_with_spinor_matrices(signature):
    """Two independent routes; the spinor matrices are checked against the blade product below."""
    g = metric_of(signature)
    n = len(g)
    rng = RNG(4)
    b = np.array([antisymmetric(rng, n, 0.5 / math.sqrt(n)) for _ in range(20)])
    b[3] = 0.0
    found = exponential(b, g)
    expected = by_spinor_matrices(b, g)
    scale = np.abs(expected).max(axis=1)
    assert (np.abs(found - expected).max(axis=1) <= 40 * EPS * scale).all()
    wrong = found.copy()
    wrong[5] *= -1
    assert (np.abs(wrong - expected).max(axis=1) > 0.1 * scale).sum() == 1


@pytest.mark.parametrize("signature", [(7, 0, 0), (5, 3, 0), (6, 2, 1), (9, 0, 3)], ids=name)
def test_the_action_is_the_matrix_exponential(signature):
    """R e_j ~R = sum_i O_ij e_i with O = exp(2 b G), from scipy."""
    from scipy.linalg import expm

    g = metric_of(signature)
    b = np.array([antisymmetric(RNG(k), len(g), 0.3) for k in range(18)])
    expected = np.array([expm(2 * x * np.array(g, dtype=float)) for x in b])
    found = rotor_matrix(exponential(b, g), g)
    assert np.abs(found - expected).max() <= 400 * EPS * np.abs(expected).max()


@pytest.mark.parametrize("signature", [(3, 1, 0), (4, 1, 0), (5, 1, 0), (4, 4, 0)], ids=name)
def test_large_rapidity_loses_no_digits(signature):
    """cosh and sinh of a boost of 300 in a rotated frame, relative to themselves."""
    p = signature[0]
    g = metric_of(signature)
    n = len(g)
    u = rotation(RNG(8), p)[:, 0]
    b = np.zeros((n, n))
    b[:p, n - 1], b[n - 1, :p] = u, -u
    b *= 300.0 / np.linalg.norm(b[:p, n - 1])
    values = exponential(b, g)
    assert abs(values[0] / math.cosh(300.0) - 1) <= 300 * 4 * EPS
    boosts = values[[((1 << i) | (1 << (n - 1))) >> 1 for i in range(p)]]
    expected = b[:p, n - 1] / 300.0 * math.sinh(300.0)
    assert np.abs(boosts - expected).max() <= 300 * 4 * EPS * math.sinh(300.0)


# ---------------------------------------------------------------------------------- unit rotors


def unit_defect(values, g):
    """Largest coefficient of R ~R - 1, exactly from the floats."""
    masks = [int(s) for s in even_masks(len(g))]
    rotor = {s: Fraction(x) for s, x in zip(masks, values.tolist(), strict=True) if x}
    reverse = {s: -x if s.bit_count() % 4 in (2, 3) else x for s, x in rotor.items()}
    result = product(rotor, reverse, g)
    result[0] = result.get(0, 0) - 1
    return max(abs(float(x)) for x in result.values())


@pytest.mark.parametrize(
    "signature", [(2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (0, 5, 0), (6, 0, 0)], ids=name
)
def test_definite_rotors_are_unit_at_every_size(signature):
    g = metric_of(signature)
    n = len(g)
    rng = RNG([13, n])
    for size in (1e-300, 1e-3, 1.0, 10.0, 20.0, 1e3, 1e8, 1e100, 1e300):
        for ratio in (rng.random(), 1 + 1e-7, 1e-9):
            b = in_planes(n, (size * np.array([1.0, ratio, 0.5]))[: n // 2], rotation(rng, n))
            assert unit_defect(exponential(b, g), g) <= 4 * EPS, (size, ratio)


def test_nearest_rotor_repairs_what_rounding_turned(monkeypatch):
    """Without the last step the same bivector gives a defect above 100 eps."""
    g = (1,) * 5
    b = in_planes(5, [1e4, 1e4 * (1 + 1e-7)], rotation(RNG(2), 5))
    assert unit_defect(exponential(b, g), g) <= 4 * EPS
    monkeypatch.setattr(closed_form, "LARGEST_UNPOLISHED", math.inf)
    assert unit_defect(exponential(b, g), g) > 100 * EPS


# ---------------------------------------------------------------------------------- contract


@pytest.mark.parametrize(
    "signature", [(3, 0, 0), (4, 1, 0), (3, 0, 1), (6, 0, 0), (4, 2, 0), (5, 0, 2)], ids=name
)
def test_batches_shapes_and_layouts(signature):
    g = metric_of(signature)
    n = len(g)
    rng = RNG(17)
    scales = [1e-300, 1e-9, 1.0, 2.0, 0.0, 1e-160] * 4
    b = np.array([antisymmetric(rng, n, s) for s in scales])
    whole = exponential(b, g)
    singles = np.array([exponential(x, g) for x in b])
    size = np.abs(singles).max(axis=1, keepdims=True)
    assert (np.abs(whole - singles) <= 40 * EPS * size).all()
    assert exponential(b.reshape(4, 6, n, n), g).shape == (4, 6, 1 << n >> 1)
    # Sums may run in another order in another memory layout: equal to rounding, not to the bit.
    reordered = exponential(np.asfortranarray(b), g)
    assert (np.abs(reordered - whole) <= 8 * EPS * size).all()
    doubled = np.repeat(b, 2, axis=0)
    doubled.flags.writeable = False
    assert (np.abs(exponential(doubled[::2], g) - whole) <= 8 * EPS * size).all()
    for empty in [(0,), (3, 0)]:
        assert exponential(np.zeros((*empty, n, n)), g).shape == (*empty, 1 << n >> 1)
        assert lift(np.zeros((*empty, n, n)), g).coefficients.shape == (*empty, 1 << n >> 1)
        assert rotor_matrix(np.zeros((*empty, 1 << n >> 1)), g).shape == (*empty, n, n)


@pytest.mark.parametrize("signature", SMALL + LARGE, ids=name)
def test_exp_of_zero_is_one(signature):
    n = sum(signature)
    expected = np.eye(1, 1 << n >> 1)[0]
    assert np.array_equal(exponential(np.zeros((n, n)), metric_of(signature)), expected)
    many = exponential(np.zeros((20, n, n)), metric_of(signature))
    assert np.array_equal(many, np.repeat(expected[None], 20, axis=0))


@pytest.mark.parametrize(
    "signature", [(2, 1, 0), (3, 0, 1), (3, 1, 1), (4, 2, 0), (5, 1, 1)], ids=name
)
def test_the_opposite_metric_has_the_same_exponential(signature):
    """e_i -> i e_i multiplies the even blades of grade k by (-1)^(k/2), which reverses them."""
    g = metric_of(signature)
    b = antisymmetric(RNG(1), len(g), 0.7)
    opposite = tuple(-square for square in g)
    difference = np.abs(exponential(b, g) - exponential(b, opposite))
    assert difference.max() <= 40 * EPS * np.abs(exponential(b, g)).max()


@pytest.mark.parametrize(
    "signature",
    [(1, 1, 0), (3, 1, 0), (2, 2, 0), (4, 1, 0), (3, 1, 1), (5, 1, 0), (4, 1, 1)],
    ids=name,
)
def test_overflow_is_an_error_and_nothing_below_it_is(signature):
    p, q, _ = signature
    g = metric_of(signature)
    b = np.zeros((p + q + signature[2],) * 2)
    b[0, p], b[p, 0] = 1.0, -1.0
    finite = exponential(709.0 * b, g)
    assert abs(finite[0] / math.cosh(709.0) - 1) <= 4000 * EPS
    with pytest.raises(RapidityOverflow, match="total rapidity of about 711"):
        exponential(711.0 * b, g)
    with pytest.raises(RapidityOverflow, match="2 such bivectors"):
        exponential(np.array([1.0, 1e300, 1e4])[:, None, None] * b, g)
    with pytest.raises(RapidityOverflow, match="354"):
        rotor_matrix(finite, g)


def test_null_bivectors_are_exact_at_every_size():
    """B^2 = 0: exp(B) = 1 + B."""
    g = (1, 1, -1)
    b = np.array([[0, 1.0, 0], [-1.0, 0, 1.0], [0, -1.0, 0]])  # (e1 + e3)-like times e2
    for size in (1e-300, 1.0, 1e150, 1e300):
        assert np.array_equal(exponential(size * b, g), [1.0, size, 0.0, size])
    g = (1,) * 5 + (-1, 0)
    b = np.zeros((7, 7))
    b[0, 6], b[6, 0] = 1e200, -1e200
    expected = np.zeros(64)
    expected[[0, ((1 << 0) | (1 << 6)) >> 1]] = 1.0, 1e200
    assert np.allclose(exponential(b, g), expected, rtol=4 * EPS, atol=0)


# ---------------------------------------------------------------------------------- pfaffians


def pfaffian_by_recursion(t, members):
    if not members:
        return 1
    first, rest = members[0], members[1:]
    return sum(
        (-1) ** k * t[first][j] * pfaffian_by_recursion(t, rest[:k] + rest[k + 1 :])
        for k, j in enumerate(rest)
    )


@pytest.mark.parametrize("n", range(1, 8))
def test_outer_exponential_holds_all_pfaffians(n):
    """Exact on integers, with and without the gather for small batches."""
    rng = RNG(n)
    batch = rng.integers(-3, 4, size=(pfaffian.SMALL_BATCH + 1, n, n)).astype(float)
    batch = np.triu(batch, 1) - np.triu(batch, 1).swapaxes(1, 2)
    expected = [
        pfaffian_by_recursion(batch[0].tolist(), [i for i in range(n) if s >> i & 1])
        for s in even_masks(n).tolist()
    ]
    assert np.array_equal(pfaffian.outer_exponential(batch)[0], expected)
    assert np.array_equal(pfaffian.outer_exponential(batch[:1])[0], expected)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_signs_keep_the_determinant_above_one(n):
    """|det(I + O D)| >= 1 for any matrix; for orthogonal ones |P| is odd iff det O = -1."""
    rng = RNG(n)
    any_matrix = np.concatenate(
        [
            rng.normal(size=(50, n, n)) * 10.0 ** rng.integers(-3, 4, size=(50, 1, 1)),
            rng.integers(-1, 2, size=(50, n, n)).astype(float),
            -np.eye(n)[None],
            np.zeros((1, n, n)),
        ]
    )
    signs = pfaffian.signs_of(pfaffian.choose_signs(any_matrix), n)
    determinants = np.linalg.det(np.eye(n) + any_matrix * signs[:, None, :])
    assert (np.abs(determinants) >= 1 - 1e-9).all()
    permutations = np.array(
        [np.eye(n)[rng.permutation(n)] * rng.choice([-1.0, 1.0], size=n) for _ in range(50)]
    )
    odd = [int(x).bit_count() % 2 for x in pfaffian.choose_signs(permutations)]
    assert np.array_equal(np.linalg.det(permutations) < 0, np.array(odd) == 1)


def test_exchanges_make_the_pivot_the_largest_coefficient():
    """|t_ij| <= 1 after the exchanges, in lifting and in doubling; without them some exceed 1."""
    g = (1, 1, 1, 1, -1, -1)
    rng = RNG(12)
    b = np.array([antisymmetric(rng, 6, 0.5) for _ in range(60)])
    _, action = doubling.half_and_full(b, g)
    plain = pfaffian.pivoted_cayley(action.y, g, improve=False)
    best = pfaffian.pivoted_cayley(action.y, g)
    assert np.abs(plain.t).max() > 1.1
    assert np.abs(best.t).max() <= pfaffian.LARGEST_ENTRY
    for rotor in doubling.exponential_by_doubling(3 * b, g):
        assert np.abs(rotor.t).max() <= pfaffian.LARGEST_ENTRY


def test_solve_survives_singular_elements():
    matrix = np.array([np.eye(2), np.zeros((2, 2)), 2 * np.eye(2)])
    found = pfaffian.solve(matrix, np.broadcast_to(np.eye(2), (3, 2, 2)))
    assert np.array_equal(found[[0, 2]], [np.eye(2), 0.5 * np.eye(2)])
    assert np.isnan(found[1]).all()


def test_doubling_starts_again_where_its_first_guess_is_singular(monkeypatch):
    """With t = 0 and d = -1 the starting matrix I + d I vanishes."""
    g = (1, 1, 1, -1)
    rotor = doubling.Rotor(np.zeros(1, dtype=np.int64), np.zeros((1, 4, 4)), np.ones(1))
    monkeypatch.setattr(doubling, "STARTS", (-1.0, 0.5))
    square = doubling.doubled(rotor, g)
    assert square.pivot == 0
    assert abs(square.scale - 1) <= 4 * EPS
    assert not square.t.any()


# ---------------------------------------------------------------------------------- lift


@pytest.mark.parametrize(
    "signature", [*SMALL[1:], (6, 0, 0), (8, 0, 0), (3, 3, 0), (5, 0, 1)], ids=name
)
def test_lift_inverts_the_action_up_to_sign(signature):
    g = metric_of(signature)
    n = len(g)
    rng = RNG([19, *signature])
    b = np.array([antisymmetric(rng, n, s) for s in (1e-6, 0.3, 0.6)])
    b[:, n - signature[2] :, n - signature[2] :] = 0.0
    expected = exponential(b, g)
    if signature[2] >= 2:
        expected = lift(rotor_matrix(expected, g), g).coefficients  # the part that O shows
    matrix = rotor_matrix(expected, g)
    found = lift(matrix, g)
    sign = np.sign((found.coefficients * expected).sum(axis=1))[:, None]
    size = np.abs(matrix).max(axis=(1, 2))[:, None] ** (2 if signature[2] else 1)
    error = np.abs(sign * found.coefficients - expected)
    assert (error <= 8 * EPS * size * np.abs(expected).max(axis=1, keepdims=True)).all()
    assert not found.odd.any()
    assert (found.spinor_norm == 1).all()
    assert (found.asymmetry <= 100 * EPS * size[:, 0]).all()
    assert np.abs(rotor_matrix(found.coefficients, g) - matrix).max() <= 100 * EPS * size.max()


@pytest.mark.parametrize("n", [3, 4, 6, 8])
def test_lift_of_signed_permutations_and_half_turns(n):
    rng = RNG(n)
    g = (1,) * n
    matrices = [np.eye(n)[rng.permutation(n)] * rng.choice([-1.0, 1.0], size=n) for _ in range(30)]
    frame = rotation(rng, n)
    matrices += [(frame * signs) @ frame.T for signs in rng.choice([-1.0, 1.0], size=(10, n))]
    matrices = np.array(matrices)
    found = lift(matrices, g)
    assert np.array_equal(found.odd, np.linalg.det(matrices) < 0)
    even = ~found.odd
    assert np.abs(rotor_matrix(found.coefficients[even], g) - matrices[even]).max() <= 20 * EPS
    assert np.abs((found.coefficients**2).sum(axis=1) - 1).max() <= 4 * EPS
    pivots = found.coefficients.max(axis=1)
    assert (pivots >= 0.7 * np.abs(found.coefficients).max(axis=1)).all()


def test_lift_of_reflections_is_the_mirror_vector():
    """V = the unit vector v acts by x -> -v x v^-1; odd compact order counts e1, e2, e3, e123."""
    v = np.array([2.0, -1.0, 2.0]) / 3.0
    found = lift(np.eye(3) - 2 * np.outer(v, v), (1, 1, 1))
    assert found.odd
    sign = np.sign(found.coefficients[0])
    masks = even_masks(3) ^ 1
    by_mask = dict(zip(masks.tolist(), sign * found.coefficients, strict=True))
    assert np.allclose([by_mask[1], by_mask[2], by_mask[4], by_mask[7]], [*v, 0.0], atol=4 * EPS)


@pytest.mark.parametrize(
    "signature", [(1, 1, 0), (2, 1, 0), (3, 1, 0), (2, 2, 0), (3, 3, 0)], ids=name
)
def test_lift_tells_the_component_of_the_group(signature):
    """e_1 e_n reverses one positive and one negative direction: R ~R = -1.

    Neither the pivot alone nor the determinant alone tells, so many frames are tried.
    """
    g = metric_of(signature)
    n = len(g)
    rng = RNG(1)
    left, right = rotor_matrix(
        exponential(np.array([[antisymmetric(rng, n, 0.5) for _ in range(60)] for _ in "lr"]), g), g
    )
    turned = left @ np.diag([-1.0, *[1.0] * (n - 2), -1.0]) @ right
    assert (lift(turned, g).spinor_norm == -1).all()
    assert (lift(left @ right, g).spinor_norm == 1).all()
    assert lift(left @ np.diag([-1.0, *[1.0] * (n - 1)]) @ right, g).odd.all()


def test_lift_projects_what_is_nearly_orthogonal():
    rng = RNG(6)
    exact = rotation(rng, 5)
    exact *= np.sign(np.linalg.det(exact))
    noisy = exact + 1e-5 * rng.normal(size=(5, 5))
    u, _, vt = np.linalg.svd(noisy)
    g = (1,) * 5
    found, polar = lift(noisy, g), lift(u @ vt, g)
    assert np.abs(found.coefficients - polar.coefficients).max() <= 1e-8
    assert 1e-6 < found.asymmetry < 1e-3
    assert polar.asymmetry < 100 * EPS


@pytest.mark.parametrize(
    "signature", [(1, 0, 0), (4, 0, 0), (3, 1, 0), (0, 0, 3), (2, 2, 2)], ids=name
)
def test_lift_answers_for_every_finite_matrix(signature):
    g = metric_of(signature)
    n = len(g)
    rng = RNG(n)
    garbage = [np.zeros((n, n)), np.ones((n, n)), -np.eye(n), np.full((n, n), 1e300)]
    garbage += [rng.normal(size=(n, n)) * s for s in (1e-300, 1.0, 1e20, 1e160, 1e308 / 8)]
    garbage += [rng.integers(-1, 2, size=(n, n)).astype(float) for _ in range(30)]
    found = lift(np.array(garbage), g)
    assert np.isfinite(found.coefficients).all()
    assert not np.isnan(found.asymmetry).any()
    assert (np.abs(found.spinor_norm) == 1).all()
    assert not found.coefficients[np.isinf(found.asymmetry)].any()


# ---------------------------------------------------------------------------------- Spin -> SO


@pytest.mark.parametrize(
    "signature", [(1, 0, 0), (0, 2, 0), (3, 0, 0), (2, 1, 1), (1, 1, 2), (5, 0, 0)], ids=name
)
def test_rotor_matrix_is_the_sandwich(signature):
    """Exact on integer elements, which need not be rotors."""
    g = metric_of(signature)
    n = len(g)
    values = RNG(n).integers(-4, 5, size=1 << n >> 1)
    element = dict(zip(even_masks(n).tolist(), values.tolist(), strict=True))
    reverse = {s: -x if s.bit_count() % 4 in (2, 3) else x for s, x in element.items()}
    expected = np.zeros((n, n))
    for j in range(n):
        image = product(product(element, {1 << j: 1}, g), reverse, g)
        expected[:, j] = [image.get(1 << i, 0) for i in range(n)]
    assert np.array_equal(rotor_matrix(values.astype(float), g), expected)


def test_chunks_change_nothing(monkeypatch):
    g = (1,) * 6
    b = np.array([antisymmetric(RNG(k), 6, 0.5) for k in range(90)])
    rotors = exponential(b, g)
    matrices = rotor_matrix(rotors, g)
    lifted = lift(matrices, g)
    monkeypatch.setattr("geomlin.kernels.bits.CHUNK", 32 * 25)
    assert np.allclose(exponential(b, g), rotors, rtol=0, atol=8 * EPS)
    assert np.allclose(rotor_matrix(rotors, g), matrices, rtol=0, atol=8 * EPS)
    for part, whole in zip(lift(matrices, g), lifted, strict=True):
        assert np.allclose(part, whole, rtol=0, atol=8 * EPS)


# ---------------------------------------------------------------------------------- spinors


def full_product_table(g):
    masks = np.arange(1 << len(g))
    return [[(int(s ^ t), blade_product(int(s), int(t), g)) for t in masks] for s in masks]


@pytest.mark.parametrize(
    "g", [(), (1,), (-1,), (1, -1), (1, 1, -1), (1, -1, -1, -1), (1, 1, 1, -1, -1)]
)
def test_spinor_matrices_multiply_like_blades(g):
    """Exact for every pair of blades; coefficients are read back exactly."""
    size = 1 << len(g)
    blocks = monomial.blocks_from_coefficients(np.eye(size), g)
    assert blocks.shape == (size, *monomial.block_shape(g)[:1], *monomial.block_shape(g)[1:] * 2)
    for s, row in enumerate(full_product_table(g)):
        for t, (target, sign) in enumerate(row):
            assert np.array_equal(blocks[s] @ blocks[t], sign * blocks[target])
    assert np.array_equal(monomial.coefficients_from_blocks(blocks, g), np.eye(size))


@pytest.mark.parametrize(
    "g", [(1,), (1, -1), (1, 1, 1), (1, 1, 1, -1), (1, 1, -1, -1, -1), (1,) * 6]
)
def test_even_blocks_multiply_like_blades(g):
    n = len(g)
    masks = even_masks(n).tolist()
    place = {s: k for k, s in enumerate(masks)}
    blocks = monomial.even_blocks(np.eye(len(masks)), g)
    assert blocks.shape[1] == (2 if n % 2 == 0 else 1)
    for s in masks:
        for t in masks:
            sign = blade_product(s, t, g)
            found = blocks[place[s]] @ blocks[place[t]]
            assert np.array_equal(found, sign * blocks[place[s ^ t]])
    assert np.array_equal(monomial.even_coefficients(blocks, g), np.eye(len(masks)))


@pytest.mark.parametrize("g", [(0,), (1, 0), (1, -1, 0), (1, 0, 0), (-1, 0, 0, 0)])
def test_embedding_of_null_vectors_is_a_homomorphism(g):
    size = 1 << len(g)
    embedded_metric = monomial.embedded_metric(g)
    images = monomial.embed_null_vectors(np.eye(size), g)
    assert np.array_equal(monomial.restrict_to_null_vectors(images, g), np.eye(size))
    elements = [{s: x for s, x in enumerate(row) if x} for row in images.tolist()]
    for s, row in enumerate(full_product_table(g)):
        for t, (target, sign) in enumerate(row):
            found = product(elements[s], elements[t], embedded_metric)
            expected = {k: sign * x for k, x in elements[target].items() if sign}
            assert {k: x for k, x in found.items() if x} == expected


def test_spinor_tables_need_a_metric_without_null_vectors():
    with pytest.raises(ValueError, match="without null vectors"):
        monomial.words((1, 0))
    for n in (11, 12):
        g = (1,) * n
        values = RNG(n).normal(size=1 << n >> 1)
        blocks = monomial.even_blocks(values, g)
        assert np.abs(monomial.even_coefficients(blocks, g) - values).max() <= 64 * EPS


@pytest.mark.parametrize(
    "g", [(1,) * 2, (1, -1), (1,) * 6, (1, 1, 1, -1, -1, -1), (1,) * 7, (-1,) * 8]
)
def test_the_table_of_blocks_is_the_transform(g, monkeypatch):
    """Both sides of LARGEST_TABULATED, n = 9 being beyond it, and empty batches."""
    rng = np.random.default_rng(5)
    n = len(g)
    assert n <= monomial.LARGEST_TABULATED < 9
    for batch in ((), (3,), (2, 0), (0,)):
        b = rng.normal(size=(*batch, n, n))
        b = b - b.swapaxes(-1, -2)
        values = rng.normal(size=(*batch, 1 << n >> 1))
        blocks = monomial.even_blocks(values, g)
        tabulated = monomial.bivector_blocks(b, g), monomial.even_coefficients(blocks, g)
        with monkeypatch.context() as patch:
            patch.setattr(monomial, "LARGEST_TABULATED", 0)
            transformed = monomial.bivector_blocks(b, g), monomial.even_coefficients(blocks, g)
        for first, second in zip(tabulated, transformed, strict=True):
            assert first.shape == second.shape
            assert np.abs(first - second).max(initial=0) <= 32 * EPS
