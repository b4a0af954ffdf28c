"""Derivatives of exp, log, the double cover and the decomposition, against independent oracles.

Every regime of `verification.regimes` is differentiated in one batch per signature.  The bounds are
the budgets of `verification.budgets`; kappa comes from the reference, never from the code.
"""

from __future__ import annotations

from functools import cache
from math import pi

import numpy as np
import pytest
from derivative_oracles import (
    bivector_degrees,
    exact_exp_derivative,
    exact_matrix_derivative,
    exact_parts_derivative,
    exp_as_floats,
    has_lost_digits,
    log_condition,
    rounded,
    tangent_units,
)

from geomlin import (
    Algebra,
    LayoutError,
    NotARotor,
    NotDecomposable,
    NotSupported,
    RapidityOverflow,
    SignatureMismatch,
    even,
    exp,
    invariant_decomposition,
    rotor_from_matrix,
    rotor_to_matrix,
)
from geomlin.derivatives import (
    decomposition_jvp,
    decomposition_vjp,
    exp_jvp,
    exp_vjp,
    log_jvp,
    log_vjp,
    rotor_from_matrix_jvp,
    rotor_from_matrix_vjp,
    rotor_to_matrix_jvp,
    rotor_to_matrix_vjp,
)
from geomlin.kernels.derivatives_products import left_product
from geomlin.ops.bivectors import from_compact, to_compact
from geomlin.plane_kind import PlaneKind
from geomlin.signature import signature as make_signature
from geomlin.verification.budgets import ACCURACY
from geomlin.verification.condition import condition_exp
from geomlin.verification.frames import plane, random_antisymmetric, rotated_frame, turned
from geomlin.verification.reference import exact_exp, exact_sandwich, null_degrees
from geomlin.verification.regimes import bivectors

LIMIT = ACCURACY["exp derivative"].limit
SIGNATURES = [
    (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0), (0, 3, 0), (0, 4, 0),
    (1, 1, 0), (2, 1, 0), (3, 1, 0), (1, 3, 0), (2, 2, 0), (4, 1, 0), (3, 2, 0), (3, 3, 0),
    (2, 0, 1), (3, 0, 1), (0, 3, 1), (5, 0, 1), (2, 0, 2), (4, 0, 2), (0, 0, 3),
    (1, 1, 1), (2, 1, 1), (1, 1, 2), (2, 2, 1), (2, 2, 2),
]  # fmt: skip
LARGE = [(8, 0, 0), (10, 0, 0), (4, 3, 0), (6, 0, 2)]
signatures = pytest.mark.parametrize("signature", SIGNATURES, ids=lambda s: f"{s[0]}{s[1]}{s[2]}")


class Sample:
    """Bivectors, directions, exact derivatives and condition numbers of one signature."""

    def __init__(self, signature, cases, *, condition=True):
        self.signature = make_signature(*signature)
        self.algebra = Algebra(*signature)
        rng = np.random.default_rng(8)
        n = self.signature.n
        self.labels = [str(case) for case in cases]
        self.b = np.stack([case.b for case in cases])
        self.db = np.stack([random_antisymmetric(n, rng, 1.0) for _ in cases])
        rows, columns = np.triu_indices(n, 1)
        self.B = self.algebra.bivector(self.b[:, rows, columns])
        self.dB = self.algebra.bivector(self.db[:, rows, columns])
        exact = [
            exact_exp_derivative(*pair, self.signature)
            for pair in zip(self.b, self.db, strict=True)
        ]
        self.dR = np.array([rounded(values) for values in exact])
        self.R = np.array([exp_as_floats(b, self.signature) for b in self.b])
        data = zip(self.dR, self.R, self.dB.coeffs, strict=True)
        self.units = np.array([tangent_units(*row, self.signature) for row in data])
        self.kappa = np.ones(len(cases))
        if condition:
            self.kappa = np.array(
                [max(1.0, *condition_exp(b, self.signature).values()) for b in self.b]
            )

    def worst(self, tangents) -> float:
        """The largest error of tangents of R, in the budget."""
        ratio = np.abs(tangents - self.dR) / np.maximum(self.units, 5e-324)
        excess = ratio.max(axis=1, initial=0.0) / (LIMIT * self.kappa)
        index = int(np.argmax(excess))
        print(f"worst {excess[index]:.2g}: {self.labels[index]}")  # shown when a test fails
        return float(excess[index])


@cache
def sample(signature) -> Sample:
    """All regimes, without the sizes at which exp(B) has no digit left (tested apart)."""
    found = bivectors(make_signature(*signature), np.random.default_rng(5))
    return Sample(signature, [case for case in found if np.abs(case.b).max(initial=0.0) < 1e9])


@cache
def large_sample(signature) -> Sample:
    """A few regimes in more dimensions."""
    names = ["generic", "equal angles", "full turns", "half turns", "boosts", "null", "screws"]
    found = bivectors(make_signature(*signature), np.random.default_rng(5), regimes=names)
    chosen = [case for case in found if "rotated" in case.label or "e+08" in case.label][::4]
    assert len(chosen) >= 3
    return Sample(signature, chosen, condition=False)


# --- the oracle -------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", [(3, 0, 0), (2, 2, 0), (2, 1, 1), (2, 0, 2)])
def test_the_oracle_is_the_limit_of_central_differences(signature, rng) -> None:
    s = make_signature(*signature)
    n, step = s.n, 2.0**-30
    upper = np.triu(rng.integers(-8, 9, size=(n, n)), 1) / 8
    b, direction = upper - upper.T, np.triu(np.ones((n, n)), 1)
    db = direction - direction.T
    ends = [exact_exp(b + sign * step * db, s) for sign in (1, -1)]  # the sums are exact
    difference = np.array([float(((p - m) / (2 * step)).mid()) for p, m in zip(*ends, strict=True)])
    exact = rounded(exact_exp_derivative(b, db, s))
    assert np.abs(difference - exact).max() < 1e-14 * np.abs(exact).max()


# --- exp --------------------------------------------------------------------------------------


@signatures
def test_exp_jvp_in_every_regime(signature) -> None:
    s = sample(signature)
    assert s.worst(exp_jvp(s.B, s.dB).coeffs) <= 1.0


@signatures
def test_exp_vjp_in_every_regime(signature, rng) -> None:
    """<R_bar, J dB> with the exact J dB, for cotangents on each null-degree alone and together."""
    s = sample(signature)
    balanced = np.where(s.units > 1e-300, 1.0 / np.maximum(s.units, 1e-300), 0.0)
    for weights in (np.ones_like(balanced), balanced):  # in the second every degree counts
        cotangent = rng.normal(size=weights.shape) * weights
        found = exp_vjp(s.B, s.algebra.even(cotangent)).coeffs
        products = cotangent * s.dR
        difference = np.abs(products.sum(axis=1) - (found * s.dB.coeffs).sum(axis=1))
        scale = (np.abs(cotangent) * s.units).sum(axis=1)
        scale += np.abs(found * s.dB.coeffs).sum(axis=1)
        assert (difference <= LIMIT * s.kappa * scale).all()


@pytest.mark.parametrize("signature", LARGE)
def test_exp_derivatives_in_more_dimensions(signature, rng) -> None:
    s = large_sample(signature)
    assert s.worst(exp_jvp(s.B, s.dB).coeffs) <= 1.0
    cotangent = rng.normal(size=s.dR.shape)
    found = exp_vjp(s.B, s.algebra.even(cotangent)).coeffs
    difference = np.abs((cotangent * s.dR).sum(axis=1) - (found * s.dB.coeffs).sum(axis=1))
    assert (difference <= LIMIT * (np.abs(cotangent) * s.units).sum(axis=1)).all()


@pytest.mark.parametrize("signature", [(2, 0, 1), (3, 0, 1), (2, 1, 1), (1, 1, 2), (3, 1, 0)])
def test_exp_vjp_is_the_transpose_coefficient_by_coefficient(signature) -> None:
    """The matrices of both agree entry by entry, each relative to its block of null-degrees.

    The unit of the block that raises the null-degree by d is its largest entry, or the terms it is
    a sum of: coefficients of R of null-degree d and the d-th power of the mixed part of B.
    """
    s = sample(signature)
    count, size = s.dB.coeffs.shape[1], s.dR.shape[1]
    jvp = exp_jvp(s.B[:, None], s.algebra.bivector(np.eye(count))).coeffs
    vjp = exp_vjp(s.B[:, None], s.algebra.even(np.eye(size))).coeffs.swapaxes(1, 2)
    pairs, blades = bivector_degrees(s.signature), np.array(null_degrees(s.signature))
    mixed = np.abs(s.B.coeffs[:, pairs == 1]).max(axis=1, initial=0.0)
    for k, label in enumerate(s.labels):
        for rows in (pairs == d for d in set(pairs.tolist())):
            for columns in (blades == d for d in set(blades.tolist())):
                block = np.abs(jvp[k][rows][:, columns])
                raised = int(blades[columns][0] - pairs[rows][0])
                terms = np.abs(s.R[k][blades == raised]).max(initial=0.0)
                power = mixed[k] ** raised if raised >= 0 else 0.0
                unit = max(block.max(), terms, power, 1e-60)
                error = np.abs(jvp[k] - vjp[k])[rows][:, columns].max()
                assert error <= 4 * LIMIT * s.kappa[k] * unit, label


@pytest.mark.parametrize("signature", [(3, 0, 0), (6, 0, 0), (0, 4, 0), (3, 0, 1), (4, 0, 2)])
def test_exp_derivatives_at_any_size(signature, rng) -> None:
    """Beyond 1/eps nothing is right, but everything stays finite and of the size of dB."""
    n = sum(signature)
    alg = Algebra(*signature)
    sizes = np.array([1e16, 1e100, 1e300])[:, None]
    B = alg.bivector(sizes * rng.uniform(-1, 1, size=(3, n * (n - 1) // 2)))
    dB = alg.bivector(rng.normal(size=(n * (n - 1) // 2)))
    if alg.signature.r:  # translations stay moderate
        moving = bivector_degrees(alg.signature) > 0
        B = alg.bivector(np.where(moving, 1.0, B.coeffs))
    tangent = exp_jvp(B, dB).coeffs
    assert np.isfinite(tangent).all()
    assert np.abs(tangent).max() < 4 * n * np.abs(dB.coeffs).max()
    assert np.isfinite(exp_vjp(B, alg.even(np.ones(2 ** (n - 1)))).coeffs).all()


def test_rapidity_overflow_is_an_error() -> None:
    alg = Algebra(2, 2)
    B = alg.bivector({"e13": 800.0})
    with pytest.raises(RapidityOverflow):
        exp_jvp(B, B)
    with pytest.raises(RapidityOverflow):
        exp_vjp(B, alg.scalar(1.0))
    B32 = alg.bivector({"e13": 100.0}, dtype=np.float32)
    with pytest.raises(RapidityOverflow):
        exp_jvp(B32, B32)


def faulty_tangents(s: Sample) -> dict[str, np.ndarray]:
    """What wrong formulas give."""
    n, metric = s.signature.n, s.signature.metric
    rotor = s.algebra.even(s.R)
    negative = exp_jvp(-s.B, s.dB).coeffs
    return {
        "factor 2": 2 * s.dR,
        "dropped commutator": from_compact(left_product(s.db, to_compact(rotor), metric), n),
        "right instead of left": even(rotor * s.dB).coeffs,
        "transposed": negative,
        "last digits": s.dR * (1 + 1e-12),
    }


@pytest.mark.parametrize("signature", [(3, 0, 0), (4, 0, 0), (3, 1, 0), (3, 0, 1), (2, 2, 0)])
def test_planted_faults_of_the_exp_derivative_are_found(signature) -> None:
    s = sample(signature)
    for name, tangents in faulty_tangents(s).items():
        assert s.worst(tangents) > 1.0, name


# --- log --------------------------------------------------------------------------------------


def log_errors(s: Sample, index: int, dB: np.ndarray) -> float:
    """The error of dB = dlog(R) dR at one element, in the budget; infinite if log is singular."""
    kappa = log_condition(s.b[index], s.dB.coeffs[index], s.dR[index], s.R[index], s.signature)
    if kappa is None:
        return np.inf
    degrees = bivector_degrees(s.signature)
    difference = np.abs(dB - s.dB.coeffs[index])
    units = np.array([np.abs(s.dB.coeffs[index][degrees == d]).max() for d in degrees])
    return float((difference / (LIMIT * kappa * units)).max(initial=0.0))


@pytest.mark.parametrize(
    "signature",
    [s for s in SIGNATURES if 1 < sum(s) <= 5 or s in ((6, 0, 0), (5, 0, 1), (3, 3, 0))],
    ids=lambda s: f"{s[0]}{s[1]}{s[2]}",
)
def test_log_derivatives_in_every_regime(signature, rng) -> None:
    s = sample(signature)
    R, dR = s.algebra.even(s.R), s.algebra.even(s.dR)
    dB, flags = log_jvp(R, dR, B=s.B, flags=True)
    cotangent = s.algebra.bivector(rng.normal(size=s.dB.coeffs.shape))
    R_bar, same_flags = log_vjp(R, cotangent, B=s.B, flags=True)
    assert np.isfinite(dB.coeffs).all()
    assert np.isfinite(R_bar.coeffs).all()
    assert (flags == same_flags).all()
    left = (R_bar.coeffs * s.dR).sum(axis=1)
    right = (cotangent.coeffs * dB.coeffs).sum(axis=1)
    scale = np.abs(R_bar.coeffs * s.dR).sum(axis=1)
    scale += np.abs(cotangent.coeffs).sum(axis=1) * np.abs(dB.coeffs).max(axis=1, initial=0.0)
    for index, label in enumerate(s.labels):
        if flags[index]:
            assert has_lost_digits(s.b[index], s.signature, 1.01 * 2.0**-26), label
        else:
            assert log_errors(s, index, dB.coeffs[index]) <= 1.0, label
            kappa = s.kappa[index] * max(1.0, np.abs(s.R[index]).max() ** 2)
            assert abs(left[index] - right[index]) <= LIMIT * kappa * scale[index], label
    assert np.count_nonzero(~flags) >= len(s.labels) // 2


@pytest.mark.parametrize("signature", [(3, 0, 0), (4, 0, 0), (3, 1, 0), (3, 0, 1)])
def test_planted_faults_of_the_log_derivative_are_found(signature) -> None:
    s = sample(signature)
    index = next(k for k, label in enumerate(s.labels) if label == "generic: size 1")
    element = s.algebra.even(s.R[index]), s.algebra.even(s.dR[index])
    dB = log_jvp(*element, B=s.B[index]).coeffs
    undivided = even(element[1] * ~element[0]).grade(2).coeffs
    assert log_errors(s, index, dB) <= 1.0
    assert log_errors(s, index, 2 * dB) > 1.0
    assert log_errors(s, index, undivided) > 1.0
    assert log_errors(s, index, log_jvp(*element, B=-s.B[index]).coeffs) > 1.0


@pytest.mark.parametrize(
    ("angles", "singular"),
    [
        ((pi / 2, 0.0), False),  # a half turn is nothing special
        ((pi / 2, pi / 2), True),
        ((2.0, pi - 2.0), True),
        ((2.0, 2.0 - pi), True),
        ((pi, 0.3), False),  # pi +- 0.3 is no multiple of pi, and n is even
        ((pi, 0.0), True),
        ((1.0, 1.0), False),
        ((1.0 + pi, 1.0), True),
    ],
)
@pytest.mark.parametrize("signature", [(4, 0, 0), (0, 4, 0), (4, 0, 1), (4, 1, 0)])
def test_log_is_flagged_exactly_at_multiples_of_pi(angles, singular, signature, rng) -> None:
    s = make_signature(*signature)
    alg, n = Algebra(*signature), s.n
    b = plane(n, 0, 1, angles[0]) + plane(n, 2, 3, angles[1])
    frame = rotated_frame(s, rng)
    count = n * (n - 1) // 2
    for matrix in (b, turned(b, frame)):
        B = alg.bivector(matrix[np.triu_indices(n, 1)])
        R, dR = exp(B), alg.even(rng.normal(size=2 ** (n - 1)))
        C = alg.bivector(rng.normal(size=count))
        dB, flag = log_jvp(R, dR, B=B, flags=True)
        expected = singular or (n == 5 and signature != (4, 1, 0) and pi in angles)
        expected = expected or (signature == (4, 1, 0) and pi in angles)
        assert flag == expected
        R_bar = log_vjp(R, C, B=B)
        left, right = (R_bar.coeffs * dR.coeffs).sum(), (C.coeffs * dB.coeffs).sum()
        scale = np.abs(R_bar.coeffs * dR.coeffs).sum()
        assert abs(left - right) <= 1e-12 * scale


@pytest.mark.parametrize("signature", [(3, 0, 0), (4, 0, 0), (6, 0, 0), (3, 1, 0), (3, 0, 1)])
def test_log_derivative_finds_the_logarithm_itself(signature, rng) -> None:
    alg = Algebra(*signature)
    B = alg.random.bivector(rng, shape=(5,), scale=0.3)
    dB = alg.random.bivector(rng, shape=(5,))
    dR = exp_jvp(B, dB)
    assert np.abs(log_jvp(exp(B), dR).coeffs - dB.coeffs).max() < 1e-13
    C = alg.random.bivector(rng, shape=(5,))
    known, found = log_vjp(exp(B), C, B=B).coeffs, log_vjp(exp(B), C).coeffs
    assert np.abs(known - found).max() < 1e-13


def test_definite_metrics_differentiate_a_function_of_the_direction(rng) -> None:
    alg = Algebra(4)
    B, dR = alg.random.bivector(rng, scale=0.4), alg.random.multivector(rng)
    R = exp(B)
    expected = log_jvp(R, even(dR), B=B).coeffs
    for scale in (3.0, 1e-200, 1e200):
        found = log_jvp(scale * R, scale * even(dR), B=B).coeffs
        assert np.abs(found - expected).max() < 1e-14 * np.abs(expected).max() * 8
    along = log_jvp(R, R, B=B).coeffs
    assert np.abs(along).max() < 1e-15


# --- Spin -> SO and back ----------------------------------------------------------------------


@signatures
def test_rotor_to_matrix_jvp_against_exact_rationals(signature, rng) -> None:
    """M(R + dR) - M(R - dR) = 2 dM exactly, the matrix being quadratic."""
    alg = Algebra(*signature)
    grid = 2.0**-34
    R = alg.random.rotor(rng)
    R = R.replace(R.layout, np.round(R.coeffs / grid) * grid)
    dR = R.replace(R.layout, np.round(rng.normal(size=R.coeffs.shape) / grid) * grid)
    ends = [exact_sandwich(R.coeffs + sign * dR.coeffs, alg.signature) for sign in (1, -1)]
    exact = np.array([float((p - m) / 2) for p, m in zip(*ends, strict=True)]).reshape(alg.n, alg.n)
    size = np.abs(R.coeffs).sum() * np.abs(dR.coeffs).sum()
    assert np.abs(rotor_to_matrix_jvp(R, dR) - exact).max() <= 8 * 2.0**-52 * size
    M_bar = rng.normal(size=(alg.n, alg.n))
    R_bar = rotor_to_matrix_vjp(R, M_bar).coeffs
    scale = size * np.abs(M_bar).sum()
    assert abs((R_bar * dR.coeffs).sum() - (M_bar * exact).sum()) <= 8 * 2.0**-52 * scale


@pytest.mark.parametrize("signature", [(3, 0, 0), (6, 0, 0), (3, 1, 0), (3, 0, 1), (2, 0, 2)])
def test_chain_rule_of_the_double_cover(signature) -> None:
    """d M(exp B) is the derivative of the n x n matrix exponential of 2 b G."""
    s = sample(signature)
    for index, label in enumerate(s.labels):
        if not label.startswith(("generic", "equal", "half", "full", "screws")):
            continue
        R = s.algebra.even(s.R[index])
        found = rotor_to_matrix_jvp(R, exp_jvp(s.B[index], s.dB[index]))
        exact = exact_matrix_derivative(s.b[index], s.db[index], s.signature)
        size = (s.R[index] ** 2).sum() * max(1.0, np.abs(s.dB.coeffs[index]).max())
        assert np.abs(found - exact).max() <= 1e-13 * size * s.kappa[index], label


@pytest.mark.parametrize("signature", [(2, 0, 0), (3, 0, 0), (6, 0, 0), (2, 2, 0), (3, 0, 1)])
def test_rotor_from_matrix_is_the_inverse(signature, rng) -> None:
    s = sample(signature)
    for index, label in enumerate(s.labels):
        if not label.startswith(
            ("zero", "generic", "equal", "half turns", "full", "null: size 1,")
        ):
            continue
        M = rotor_to_matrix(s.algebra.even(s.R[index]))
        R = rotor_from_matrix(M, s.algebra)
        omega = s.dB[index]
        dR = even(omega * R)
        dM = rotor_to_matrix_jvp(R, dR)
        found = rotor_from_matrix_jvp(M, dM, s.algebra)
        size = np.abs(M).max() ** 2 * np.abs(dM).max() * np.abs(R.coeffs).max()
        assert np.abs(found.coeffs - dR.coeffs).max() <= 16 * 2.0**-52 * size, label
        R_bar = s.algebra.even(rng.normal(size=R.coeffs.shape))
        M_bar, change = rotor_from_matrix_vjp(M, R_bar, s.algebra), rng.normal(size=M.shape)
        tangent = rotor_from_matrix_jvp(M, change, s.algebra).coeffs
        difference = (R_bar.coeffs * tangent).sum() - (M_bar * change).sum()
        scale = np.abs(R_bar.coeffs).sum() * np.abs(tangent).max() + np.abs(M_bar * change).sum()
        assert abs(difference) <= 1e-13 * scale * np.abs(M).max(), label


def test_rotor_from_matrix_ignores_what_leaves_the_group() -> None:
    symmetric = np.array([[1.0, 2.0, 0.5], [2.0, -1.0, 0.0], [0.5, 0.0, 3.0]])
    assert not rotor_from_matrix_jvp(np.eye(3), symmetric, Algebra(3)).coeffs.any()


# --- the invariant decomposition --------------------------------------------------------------


def decomposition_cases(signature):
    """Bivectors with distinct squares, and the relative gap of these."""
    s = make_signature(*signature)
    names = ["generic", "dense", "small gaps", "near simple", "boosts", "boost and rotation"]
    names += ["boosted rotation", "screws", "mixed scales"]
    for case in bivectors(s, np.random.default_rng(5), regimes=names):
        B = Algebra(*signature).bivector(case.b[np.triu_indices(s.n, 1)])
        try:
            _, squares, kinds = invariant_decomposition(B)
        except NotDecomposable:
            continue
        gaps = np.abs(np.subtract.outer(squares, squares))[~np.eye(len(squares), dtype=bool)]
        gap = gaps.min(initial=np.inf) / np.abs(squares).max(initial=1e-300)
        if gap > 1e-10 and np.isin(kinds[:-1], (PlaneKind.ROTATION, PlaneKind.BOOST)).all():
            yield case, B, squares, kinds, min(1.0, float(gap))


def projector_size(B) -> float:
    """max |b_i|^2 / |b_i^2| over parts with a square, null vectors left out: 1 in definite metrics.

    It bounds the projectors M_i^2 / b_i^2 on the planes.
    """
    parts, squares, _ = invariant_decomposition(B)
    values = np.where(bivector_degrees(B.algebra.signature) == 0, parts.coeffs, 0.0)[squares != 0]
    scaled = values / np.sqrt(np.abs(squares[squares != 0]))[:, None]
    return max(1.0, float((scaled**2).max(initial=0.0)))


DECOMPOSABLE = [
    (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0), (0, 5, 0), (2, 1, 0), (3, 1, 0), (1, 3, 0),
    (2, 2, 0), (4, 1, 0), (3, 3, 0), (2, 0, 1), (3, 0, 1), (5, 0, 1),
]  # fmt: skip


@pytest.mark.parametrize("signature", DECOMPOSABLE, ids=lambda s: f"{s[0]}{s[1]}{s[2]}")
def test_decomposition_derivatives_where_squares_are_distinct(signature, rng) -> None:
    n, metric = sum(signature), make_signature(*signature).metric
    degrees = bivector_degrees(make_signature(*signature))
    count = 0
    for case, B, squares, _, gap in decomposition_cases(signature):
        db = random_antisymmetric(n, rng, 1.0)
        dB = B.algebra.bivector(db[np.triu_indices(n, 1)])
        parts, changes = decomposition_jvp(B, dB)
        exact, exact_changes = exact_parts_derivative(case.b, db, squares, metric)
        exact = exact[:, *np.triu_indices(n, 1)]
        limit = 32 * 2.0**-52 / gap * projector_size(B) ** 2
        size = max(np.abs(exact).max(), np.abs(db).max())
        difference = np.abs(parts.coeffs - exact)
        for d in set(degrees.tolist()):
            members = degrees == d
            unit = max(np.abs(exact[:, members]).max(), np.abs(dB.coeffs[members]).max())
            assert difference[:, members].max() <= limit * unit, case
        assert np.abs(changes - exact_changes).max() <= limit * size * np.abs(case.b).max() * n
        count += 1
    assert count >= 3


@pytest.mark.parametrize("signature", DECOMPOSABLE, ids=lambda s: f"{s[0]}{s[1]}{s[2]}")
def test_decomposition_vjp_is_the_transpose_and_parts_sum_to_the_direction(signature, rng) -> None:
    """At every bivector, ties included; equal angles and zero have only the sum rule."""
    s = make_signature(*signature)
    alg, n = Algebra(*signature), s.n
    upper = np.triu_indices(n, 1)
    for case in bivectors(s, np.random.default_rng(5)):
        if np.abs(case.b).max() > 1e9:
            continue
        B = alg.bivector(case.b[upper])
        dB = alg.bivector(rng.normal(size=len(upper[0])))
        try:
            parts, changes = decomposition_jvp(B, dB)
        except NotDecomposable:
            continue
        size = max(np.abs(parts.coeffs).max(), np.abs(dB.coeffs).max())
        assert np.isfinite(parts.coeffs).all(), case
        assert np.abs(parts.coeffs.sum(axis=0) - dB.coeffs).max() <= 1e-12 * size, case
        C = alg.bivector(rng.normal(size=parts.coeffs.shape))
        c = rng.normal(size=changes.shape)
        found = decomposition_vjp(B, C, c)
        left = (C.coeffs * parts.coeffs).sum() + (c * changes).sum()
        right = (found.coeffs * dB.coeffs).sum()
        scale = np.abs(C.coeffs).sum() * size + np.abs(c * changes).sum()
        scale += np.abs(found.coeffs * dB.coeffs).sum()
        assert abs(left - right) <= 1e-12 * scale, case


def test_decomposition_faults_are_found(rng) -> None:
    alg = Algebra(4)
    b = turned(plane(4, 0, 1, 1.0) + plane(4, 2, 3, 0.5), rotated_frame(alg.signature, rng))
    db = random_antisymmetric(4, rng, 1.0)
    upper = np.triu_indices(4, 1)
    B, dB = alg.bivector(b[upper]), alg.bivector(db[upper])
    parts, squares, _ = invariant_decomposition(B)
    exact, _ = exact_parts_derivative(b, db, squares, alg.metric)
    exact = exact[:, *upper]
    found = decomposition_jvp(B, dB)[0].coeffs
    assert np.abs(found - exact).max() < 1e-14
    for fault in (found[::-1], 2 * found, found - parts.coeffs * 1e-6):
        assert np.abs(fault - exact).max() > 1e-8


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_decomposition_derivative_does_not_depend_on_the_scale(scale) -> None:
    alg = Algebra(4)
    B = alg.bivector({"e12": 2.0, "e34": 1.0, "e13": 0.25})
    dB = alg.bivector([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    expected = decomposition_jvp(B, dB)[0].coeffs
    assert np.abs(decomposition_jvp(scale * B, dB)[0].coeffs - expected).max() < 1e-13


def test_no_real_split_has_no_derivative() -> None:
    alg = Algebra(2, 2)
    B = alg.bivector({"e13": 0.5, "e24": 0.5, "e12": 0.7, "e34": -0.7})
    with pytest.raises(NotDecomposable):
        decomposition_jvp(B, B)
    with pytest.raises(NotDecomposable):
        decomposition_vjp(B, alg.bivector(np.zeros((2, 6))))


# --- cases from bug reports -------------------------------------------------------------------


def test_gradient_of_exp_with_three_equal_planes() -> None:
    """pytorch#47599: the derivative of eigenvectors is NaN at equal angles."""
    alg = Algebra(6)
    B = alg.bivector({"e12": 0.8, "e34": 0.8, "e56": 0.8})
    weights = {"1": 1.0, "e13": -0.5, "e26": 0.75, "e1234": 0.3, "e1356": -1.2, "e123456": 2.0}
    expected = [
        0.473306839940337601809154305034, -0.982298167125165911091066872728, 0,
        0.0980440076320612150111649639144, 0, 0, -0.226882496627844102664394558633, 0,
        0.424486024378312826786640053165, 0.473306839940337601809154305034, 0, 0, 0, 0,
        0.258100012670480772003256450041,
    ]  # fmt: skip
    found = exp_vjp(B, alg.multivector(weights)).coeffs
    assert np.abs(found - expected).max() <= 1e-14


def test_gradient_of_exp_is_in_coordinates() -> None:
    """pypose#335: the derivative in the Lie algebra was returned instead."""
    alg = Algebra(3)
    B = alg.bivector([0.0075, 0.01, -0.005])
    expected = [
        0.992438769067277876111779726012,
        0.989928428109560998873405868398,
        1.00499047385586225969080057885,
    ]
    found = exp_vjp(B, alg.even([1.0, 1.0, 1.0, 1.0])).coeffs
    assert np.abs(found - expected).max() <= 1e-15


def test_gradient_of_the_matrix_at_zero() -> None:
    """kornia#4404, #3949, #611: NaN at the identity; it is 2 (W_ij - W_ji)."""
    alg = Algebra(3)
    W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    B = alg.bivector([0.0, 0.0, 0.0])
    found = exp_vjp(B, rotor_to_matrix_vjp(exp(B), W)).coeffs
    assert np.abs(found - [-4, -8, -4]).max() <= 1e-15


def test_derivative_of_log_at_a_half_turn() -> None:
    """jaxlie#9, #10: NaN where the scalar part vanishes."""
    alg = Algebra(3)
    R, T = alg.even({"e23": -1.0}), alg.even({"1": 1.0, "e12": 0.5, "e13": -0.25})
    found = log_jvp(R, T).coeffs
    expected = [0.78539816339744830961566084582, -0.39269908169872415480783042291, 1.0]
    assert np.abs(found - expected).max() <= 2e-15


def test_derivative_of_log_of_an_unnormalized_rotor() -> None:
    """kornia PR#4246: a derivative hard-coded for the unit quaternion 1."""
    alg = Algebra(3)
    R, T = alg.even({"1": 2.0}), alg.even({"e12": 1.0, "e23": -0.5})
    found = log_jvp(R, T, normalize=True).coeffs
    assert np.abs(found - [0.5, 0, -0.25]).max() <= 1e-15


def test_derivative_of_the_lift_at_the_identity() -> None:
    """pytorch3d#119, #503: the square root of a clamped zero."""
    alg = Algebra(3)
    A = np.array([[0, 0.3, -0.2], [-0.3, 0, 0.5], [0.2, -0.5, 0]])
    found = rotor_from_matrix_jvp(np.eye(3), np.eye(3) @ A, alg)
    expected = [0.0, 0.149999999999999994448884876874, -0.100000000000000005551115123126, 0.25]
    assert np.abs(found.coeffs - expected).max() <= 1e-15


# --- the interface ----------------------------------------------------------------------------


@pytest.mark.parametrize("signature", [(4, 0, 0), (2, 2, 0), (3, 0, 1), (2, 1, 1)])
def test_batches_broadcast_and_agree_with_single_calls(signature, rng) -> None:
    alg = Algebra(*signature)
    B, dB = alg.random.bivector(rng, shape=(3, 1)), alg.random.bivector(rng, shape=(2,))
    R = exp(B)
    tangents = exp_jvp(B, dB)
    assert tangents.shape == (3, 2)
    back, flags = log_jvp(R, tangents, B=B, flags=True)
    gradients = exp_vjp(B, tangents)
    matrices = rotor_to_matrix_jvp(R, tangents)
    assert back.shape == flags.shape == gradients.shape == matrices.shape[:-2] == (3, 2)
    for i in range(3):
        for j in range(2):
            single = exp_jvp(B[i, 0], dB[j])
            assert np.abs(single.coeffs - tangents[i, j].coeffs).max() < 1e-14
            found = exp_vjp(B[i, 0], tangents[i, j]).coeffs
            assert np.abs(found - gradients[i, j].coeffs).max() < 1e-13
            assert np.abs(back[i, j].coeffs - dB[j].coeffs).max() < 1e-12


@pytest.mark.parametrize("signature", [(1, 0, 0), (3, 0, 0), (3, 1, 0), (2, 0, 1), (2, 1, 1)])
def test_empty_batches(signature) -> None:
    alg = Algebra(*signature)
    n = alg.n
    B, R = alg.bivector(np.zeros((0, n * (n - 1) // 2))), alg.even(np.zeros((0, 2 ** (n - 1))))
    M = np.zeros((0, n, n))
    assert exp_jvp(B, B).shape == exp_vjp(B, R).shape == (0,)
    assert log_jvp(R, R, B=B).shape == log_vjp(R, B, B=B).shape == (0,)
    assert rotor_to_matrix_jvp(R, R).shape == (0, n, n)
    assert rotor_to_matrix_vjp(R, M).shape == (0,)
    assert rotor_from_matrix_jvp(M, M, alg).shape == (0,)
    if signature != (2, 1, 1):
        parts, squares = decomposition_jvp(B, B)
        assert parts.shape == squares.shape == (0, n // 2)
        assert decomposition_vjp(B, parts).shape == (0,)


def test_the_line_has_no_bivectors() -> None:
    alg = Algebra(1)
    B, R = alg.bivector([]), alg.scalar(1.0)
    assert exp_jvp(B, B).coeffs.tolist() == [0.0]
    assert exp_vjp(B, R).coeffs.size == log_jvp(R, even(R), B=B).coeffs.size == 0
    assert decomposition_jvp(B, B)[0].shape == (0,)


def test_large_batches_are_cut_into_pieces(rng) -> None:
    alg = Algebra(3, 1)
    B = alg.random.bivector(rng, shape=(3, 2000))
    R = exp(B)
    tangent = exp_jvp(B, B)
    for i, j in ((0, 0), (1, 999), (2, 1999)):
        assert np.abs(tangent[i, j].coeffs - exp_jvp(B[i, j], B[i, j]).coeffs).max() < 1e-13
    dB, flags = log_jvp(R[:, :600], tangent[:, :600], B=B[:, :600], flags=True)
    assert dB.shape == flags.shape == (3, 600)


def test_memory_layout_does_not_matter(rng) -> None:
    alg = Algebra(4)
    values = np.asfortranarray(rng.normal(size=(5, 12)))
    plain = alg.bivector(np.ascontiguousarray(values[:, ::2]))
    strided = plain.replace(plain.layout, values[:, ::2])
    assert np.array_equal(exp_jvp(strided, strided).coeffs, exp_jvp(plain, plain).coeffs)
    M = rotor_to_matrix(exp(plain))
    turned_matrix = np.asfortranarray(M)
    assert np.array_equal(
        rotor_from_matrix_jvp(turned_matrix, turned_matrix[..., ::-1, :], alg).coeffs,
        rotor_from_matrix_jvp(M, np.ascontiguousarray(M[..., ::-1, :]), alg).coeffs,
    )


@pytest.mark.parametrize("signature", [(4, 0, 0), (3, 1, 0), (3, 0, 1)])
def test_float32_is_computed_in_float64_and_rounded_once(signature, rng) -> None:
    alg = Algebra(*signature)
    n = alg.n

    def single(a):
        return a.to(dtype=np.float32)

    B, dB = single(alg.random.bivector(rng)), single(alg.random.bivector(rng))
    wide = B.to(dtype=np.float64), dB.to(dtype=np.float64)
    tangent = exp_jvp(B, dB)
    assert tangent.dtype == np.float32
    assert np.array_equal(tangent.coeffs, exp_jvp(*wide).coeffs.astype(np.float32))
    assert np.array_equal(
        exp_vjp(B, tangent).coeffs,
        exp_vjp(wide[0], tangent.to(dtype=np.float64)).coeffs.astype(np.float32),
    )
    assert exp_jvp(B, wide[1]).dtype == np.float64
    R = exp(B)
    results = [log_jvp(R, tangent, B=B), log_vjp(R, dB, B=B), decomposition_jvp(B, dB)[0]]
    results.append(rotor_to_matrix_vjp(R, np.ones((n, n), np.float32)))
    results.append(rotor_from_matrix_jvp(rotor_to_matrix(R), np.eye(n, dtype=np.float32), alg))
    assert {result.dtype for result in results} == {np.dtype(np.float32)}
    assert rotor_to_matrix_jvp(R, tangent).dtype == np.float32
    assert decomposition_jvp(B, dB)[1].dtype == np.float32


def test_wrong_arguments_raise(rng) -> None:
    alg, other = Algebra(3), Algebra(2, 1)
    B, R = alg.random.bivector(rng), alg.random.rotor(rng)
    vector = alg.vector([1.0, 0.0, 0.0])
    with pytest.raises(LayoutError):
        exp_jvp(vector, B)
    with pytest.raises(LayoutError):
        exp_jvp(B, R)
    for wrong in (lambda: exp_vjp(B.coeffs, R), lambda: decomposition_vjp(B.coeffs, B)):
        with pytest.raises(LayoutError):
            wrong()
    with pytest.raises(LayoutError):
        log_jvp(R, vector, B=B)
    with pytest.raises(LayoutError):
        exp_jvp(alg.random.bivector(rng, shape=(2,)), alg.random.bivector(rng, shape=(3,)))
    with pytest.raises(SignatureMismatch):
        exp_vjp(B, other.scalar(1.0))
    with pytest.raises(NotARotor):
        rotor_to_matrix_jvp(alg.scalar(2.0), R)
    with pytest.raises(NotARotor):
        rotor_to_matrix_vjp(alg.scalar(2.0), np.eye(3))
    with pytest.raises(LayoutError):
        rotor_to_matrix_vjp(R, np.eye(4))
    with pytest.raises(LayoutError):
        rotor_from_matrix_jvp(np.eye(3), np.eye(2), alg)
    with pytest.raises(NotSupported):
        rotor_from_matrix_jvp(np.eye(4), np.eye(4), Algebra(2, 0, 2))
    exact = Algebra(3, backend="fractions")
    with pytest.raises(NotSupported):
        exp_jvp(exact.bivector([1, 0, 0]), exact.bivector([1, 0, 0]))


def test_a_cotangent_may_have_any_layout(rng) -> None:
    alg = Algebra(3)
    B = alg.random.bivector(rng)
    full = alg.random.multivector(rng)
    assert np.array_equal(exp_vjp(B, full).coeffs, exp_vjp(B, even(full)).coeffs)
    assert np.array_equal(
        log_vjp(exp(B), full, B=B).coeffs, log_vjp(exp(B), full.grade(2), B=B).coeffs
    )
    assert not exp_vjp(B, alg.vector([1.0, 2.0, 3.0])).coeffs.any()
