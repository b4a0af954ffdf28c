"""The checks of the decomposition: their formulas, and that wrong decompositions fail them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from decomposition_checks import (
    antisymmetric,
    assert_valid,
    boosted_frame,
    defects,
    grade_two,
    metric_of,
    minus_twice_grade_zero,
    pfaffians,
    plane,
    turned,
)

from geomlin.blades import reorder_sign
from geomlin.kernels.planes import decompose


def test_the_matrix_criteria_are_those_of_the_algebra():
    g, rng = metric_of(3, 2, 1), np.random.default_rng(1)
    x, y = (antisymmetric(rng.integers(-3, 4, size=(6, 6))).astype(object) for _ in range(2))
    pairs = list(combinations(range(6), 2))

    def product(x, y):
        coefficients = {}
        for (i, j), (k, m) in ((s, t) for s in pairs for t in pairs):
            left, right = 1 << i | 1 << j, 1 << k | 1 << m
            sign = reorder_sign(left, right)
            for axis in (i for i in range(6) if left & right & 1 << i):
                sign *= g[axis]
            term = sign * x[i, j] * y[k, m]
            coefficients[left ^ right] = coefficients.get(left ^ right, 0) + term
        return coefficients

    metric, xy, xx = np.array(g, dtype=object), product(x, y), product(x, x)
    assert minus_twice_grade_zero(x, y, metric) == -2 * xy[0]
    assert [grade_two(x, y, metric)[i, j] for i, j in pairs] == [
        xy.get(1 << i | 1 << j, 0) for i, j in pairs
    ]
    four = [xx.get(sum(1 << i for i in axes), 0) for axes in combinations(range(6), 4)]
    assert [2 * x for x in pfaffians(x)] == four


@pytest.mark.parametrize(("p", "q"), [(6, 0), (4, 1), (3, 3)])
def test_false_twins_fail(p, q):
    rng, g = np.random.default_rng(2), metric_of(p, q)
    axes = [(0, 1), (2, 3), (4, 5)] if (p, q) == (6, 0) else [(0, p), (1, 2)]
    b = sum(plane(p + q, i, j, 1.0 + i / 8) for i, j in axes)
    b = turned(b, boosted_frame(p, q, 0.2, rng))
    found = decompose(b, g)
    assert_valid(b, g, found)
    dropped = found.parts.copy()
    dropped[1] = 0.0
    mixed = found.parts.copy()
    mixed[0], mixed[1] = 0.6 * mixed[0] + 0.4 * mixed[1], 0.4 * mixed[0] + 0.6 * mixed[1]
    for parts, broken in ((dropped, "sum"), (mixed, "simple")):
        assert defects(b, g, found._replace(parts=parts))[broken] > 1e12
    frame = np.eye(p + q) + 1e-6 * antisymmetric(rng.normal(size=(p + q, p + q)))
    bent = found.parts.copy()
    bent[0] = turned(bent[0], frame)
    bent[1] += found.parts[0] - bent[0]
    assert defects(b, g, found._replace(parts=bent))["grade 2"] > 1e6
    swapped = found._replace(squares=found.squares[::-1])
    assert defects(b, g, swapped)["square"] > 1e12
