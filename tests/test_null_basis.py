"""Null vectors in the basis that pivoted elimination of the couplings gives, and what it is for.

Products of small and large couplings cancel in the parts of exp(B) of null-degree two and more.
The references are exact rationals and the ball arithmetic of geomlin.verification.reference.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from geomlin import Algebra, exp, geometric_product
from geomlin.kernels import exponential as routes
from geomlin.kernels.bits import even_masks
from geomlin.kernels.null_basis import NullBasis, in_original_basis, null_basis
from geomlin.signature import Signature
from geomlin.verification.budgets import exp_budget
from geomlin.verification.condition import condition_exp
from geomlin.verification.reference import errors, exact_exp, null_degrees

EPS = 2.0**-52
SIGNATURES = [
    (4, 0, 2), (3, 1, 2), (2, 2, 2), (0, 4, 2), (3, 0, 3), (1, 2, 3), (0, 3, 3),
    (2, 0, 4), (1, 1, 4), (1, 0, 5), (4, 1, 2), (3, 1, 3), (2, 1, 4), (3, 0, 5), (1, 3, 4),
]  # fmt: skip


def couplings(rng, batch, m, r, spread):
    """Entries over `spread` orders of magnitude."""
    return rng.normal(size=(batch, m, r)) * 10.0 ** rng.uniform(-spread, 1.0, size=(batch, m, r))


# ----------------------------------------------------------------------------- factorisation


@pytest.mark.parametrize(("m", "r"), [(1, 5), (4, 2), (3, 3), (2, 6), (6, 6)])
def test_the_factors_give_the_couplings_back(m, r):
    c = couplings(np.random.default_rng(m * 10 + r), 20, m, r, 12)
    basis = null_basis(c)
    for k in range(len(c)):
        u = basis.upper[k].copy()
        u[np.arange(len(u)), basis.pivots[k]] = 1.0
        left = basis.left[k][:, basis.pivots[k]]
        back = left @ (basis.d[k][:, None] * u)
        sizes = np.abs(left) @ (np.abs(basis.d[k])[:, None] * np.abs(u))
        assert (np.abs(back - c[k]) <= 2 * m * EPS * sizes).all()
        assert len(set(basis.pivots[k])) == min(m, r)
    assert np.abs(basis.left).max() <= 1.0
    assert np.abs(basis.upper).max() <= 1.0


@pytest.mark.parametrize(
    ("c", "reason"),
    [
        (np.zeros((3, 2)), "no couplings"),
        (np.outer([1.0, 2.0, 3.0], [4.0, 5.0]), "rank one"),
        (np.array([[0.0, 7.0], [0.0, 0.0], [0.0, 0.0]]), "one entry"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_couplings_of_low_rank(c, reason):
    basis = null_basis(c[None])
    assert np.isfinite(basis.left).all()
    assert np.count_nonzero(basis.d) == np.linalg.matrix_rank(c), reason


# ---------------------------------------------------------------------------- change of basis


@pytest.mark.parametrize("signature", [(2, 0, 4), (3, 1, 2), (0, 1, 5)])
def test_the_change_of_basis_is_the_exact_outermorphism(signature):
    """n'_j -> d_j sum_a u_ja n_a, built from products of vectors in exact arithmetic."""
    p, q, r = signature
    n, m = p + q + r, p + q
    rng = np.random.default_rng(5)
    steps = min(m, r)
    pivots = rng.permutation(r)[:steps]
    u = rng.integers(-3, 4, size=(steps, r)).astype(float)
    for step in range(steps):
        u[step, pivots[: step + 1]] = 0.0  # earlier pivots are eliminated; its own is implied
    d = rng.integers(1, 5, size=steps).astype(float)
    basis = NullBasis(np.zeros((1, m, r)), pivots[None], d[None], u[None])
    values = rng.integers(-4, 5, size=(1, 1 << n >> 1)).astype(float)

    alg = Algebra(p, q, r, backend="fractions")
    images = [alg.blade(f"e{i + 1}") for i in range(n)]
    for step, pivot in enumerate(pivots):
        row = [Fraction(0)] * n
        for a in range(r):
            row[m + a] = Fraction(d[step]) * (1 if a == pivot else Fraction(u[step, a]))
        images[m + pivot] = alg.vector(row)
    expected = alg.scalar(0)
    for position, mask in enumerate(even_masks(n).tolist()):
        term = alg.scalar(Fraction(values[0, position]))
        for i in range(n):
            if mask >> i & 1:
                term = geometric_product(term, images[i])
        expected = expected + term
    found = in_original_basis(values, basis, alg.metric)[0]
    for position, mask in enumerate(even_masks(n).tolist()):
        name = "e" + "".join(str(i + 1) for i in range(n) if mask >> i & 1) if mask else "1"
        assert Fraction(found[position]) == expected[name], name

    wrong = in_original_basis(values, basis._replace(upper=-u[None]), alg.metric)[0]
    assert (wrong != found).any()  # the false twin


# ------------------------------------------------------------------------------ what it is for


def worst_excess(values, b, signature):
    """max over null-degrees of error / (eps kappa)."""
    degrees = null_degrees(signature)
    exact = exact_exp(b, signature, bits=512)
    found = errors(values, exact, degrees)
    kappa = condition_exp(b, signature, exact)
    return max(found[d] / kappa[d] for d in found)


def mixed_scales(signature, seed, spread=12.0):
    n = signature.n
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-spread, 1.0, size=(n, n))
    upper = np.triu(values, 1)
    return upper - upper.T


def graded_couplings(signature, seed):
    """Rows of the couplings of sizes 1, 1e-5, ..: a rotation makes their columns parallel."""
    b = mixed_scales(signature, seed, spread=1.0)
    m = signature.p + signature.q
    b[m:, m:] = 0.0
    for i in range(m):
        b[i, m:] = 10.0 ** (-5 * i) * np.cos(np.arange(signature.r) * (i + 1) + seed)
        b[m:, i] = -b[i, m:]
    return b


def couplings_of_rank_one(signature, seed):
    """All couplings alike, so that elimination ends early; the rest of B is generic."""
    b = mixed_scales(signature, seed, spread=1.0)
    m = signature.p + signature.q
    b[:m, m:] = (0.99, -0.99, 0.5)[seed % 3]
    b[m:, :m] = -b[:m, m:].T
    return b


def no_couplings(signature, seed):
    """The null vectors are coupled among themselves only."""
    b = mixed_scales(signature, seed, spread=1.0)
    m = signature.p + signature.q
    b[:m, m:] = 0.0
    b[m:, :m] = 0.0
    return b


@pytest.mark.parametrize(
    "family", [mixed_scales, graded_couplings, couplings_of_rank_one, no_couplings]
)
@pytest.mark.parametrize("numbers", SIGNATURES, ids=str)
def test_every_null_degree_is_accurate_when_couplings_differ_in_size(numbers, family):
    signature = Signature(*numbers)
    alg = Algebra(*numbers)
    upper = np.triu_indices(signature.n, 1)
    bs = np.stack([family(signature, seed) for seed in range(6)])
    rotors = exp(alg.bivector(bs[:, upper[0], upper[1]])).coeffs
    for b, rotor in zip(bs, rotors, strict=True):
        assert worst_excess(rotor, b, signature) <= exp_budget(signature).limit


@pytest.mark.parametrize("numbers", [(4, 0, 2), (3, 0, 3), (2, 0, 4)], ids=str)
def test_without_the_basis_small_minors_are_lost(numbers, monkeypatch):
    """The twin of the test above: the identity as the basis of the null vectors."""

    def trivial(c):
        batch, _, r = c.shape
        nothing = np.zeros((batch, 0), dtype=np.int64)
        return NullBasis(c, nothing, nothing.astype(float), np.zeros((batch, 0, r)))

    monkeypatch.setattr(routes, "null_basis", trivial)
    signature = Signature(*numbers)
    alg = Algebra(*numbers)
    upper = np.triu_indices(signature.n, 1)
    b = graded_couplings(signature, 0)
    rotor = exp(alg.bivector(b[upper])).coeffs
    assert worst_excess(rotor, b, signature) > 10 * exp_budget(signature).limit


@pytest.mark.parametrize(
    "numbers", [(3, 0, 3), (0, 3, 3), (2, 0, 4), (1, 1, 3), (0, 0, 5)], ids=str
)
def test_couplings_of_rank_one_in_every_column(numbers):
    """u ^ (n_1 + x n_2 + ..): elimination ends early, and no null vector is lost by that."""
    alg, n = Algebra(*numbers), sum(numbers)
    rng = np.random.default_rng(9)
    for first in range(numbers[0] + numbers[1], n):
        left, right = np.zeros((2, n))
        left[: numbers[0] + numbers[1]] = rng.integers(-3, 4, size=numbers[0] + numbers[1])
        right[first:] = rng.integers(1, 4, size=n - first)
        b = alg.vector(left) ^ alg.vector(right)
        assert exp(b) == 1 + b
        rest = alg.blade(alg.bivector_blades[-1])  # of two null vectors: central, square 0
        assert exp(b + rest) == (1 + b) * (1 + rest)
