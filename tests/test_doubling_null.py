"""exp of null bivectors of every size in indefinite metrics, n >= 6, where squaring is delicate.

The reference and kappa are those of the accuracy table; the budget is its 10 eps kappa.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from geomlin import Algebra, exp
from geomlin.errors import RapidityOverflow
from geomlin.kernels import doubling
from geomlin.kernels import exponential as routes
from geomlin.signature import Signature
from geomlin.verification.budgets import exp_budget
from geomlin.verification.judged_case import JudgedCase
from geomlin.verification.regimes import Case

SPACES = [(4, 2), (3, 3), (5, 1), (2, 4)]
SIZES = [1e-3, 1.0, 30.0, 1000.0]


def vector(n: int, *axes: int) -> np.ndarray:
    """The sum of basis vectors, numbered from 1."""
    return np.isin(np.arange(1, n + 1), axes).astype(float)


def wedge(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.outer(u, v) - np.outer(v, u)


def null_bivectors(p: int, q: int) -> dict[str, np.ndarray]:
    """n1 ^ y, n1 ^ n2, and their sums where there is room; all with M^3 = 0."""
    n = p + q
    first, other = vector(n, 1, p + 1), vector(n, 2 if p > 2 else n)
    found = {"n ^ y": wedge(first, other)}
    if min(p, q) >= 2:
        second = vector(n, 2, p + 2)
        found["n ^ n"] = wedge(first, second)
        third, fourth = (3, 4) if p >= 4 else (n - 1, n) if q >= 4 else (3, n)
        both = wedge(first, vector(n, third)) + wedge(second, vector(n, fourth))
        found["n ^ y + n ^ y"] = both
        found["n ^ y + n ^ y + n ^ n"] = both + found["n ^ n"]
    return found


def frame(p: int, q: int, rng: np.random.Generator) -> np.ndarray:
    """A rotation of the positive and of the negative axes."""
    result = np.zeros((p + q, p + q))
    result[:p, :p] = np.linalg.qr(rng.normal(size=(p, p)))[0]
    result[p:, p:] = np.linalg.qr(rng.normal(size=(q, q)))[0]
    return result


def measured(b: np.ndarray, signature: Signature) -> float:
    """Error of exp over eps kappa."""
    b = np.triu(b, 1) - np.triu(b, 1).T
    case = JudgedCase(Case("null", "", b), signature, np.dtype(np.float64))
    rotor = exp(Algebra(*signature).bivector(b[np.triu_indices(signature.n, 1)]))
    return case.judge_exp(rotor.coeffs)[0]


@pytest.mark.parametrize("turned", [False, True], ids=["axis frame", "general frame"])
@pytest.mark.parametrize(("p", "q"), SPACES)
def test_null_bivectors_up_to_a_thousand(p: int, q: int, turned: bool) -> None:
    rng, signature = np.random.default_rng([p, q]), Signature(p, q)
    for (name, b), size in product(null_bivectors(p, q).items(), SIZES):
        r = frame(p, q, rng) if turned else np.eye(p + q)
        error = measured(size * (r @ b @ r.T), signature)
        assert error <= exp_budget(signature).limit, (name, size)


def test_plain_squaring_loses_null_bivectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: equation (1) at every size, for which GROWTH is the guard."""
    monkeypatch.setattr(doubling, "GROWTH", np.inf)
    r = frame(4, 2, np.random.default_rng(0))
    b = 1000.0 * (r @ null_bivectors(4, 2)["n ^ y"] @ r.T)
    assert measured(b, Signature(4, 2)) > 1000


def jordan_block(p: int, q: int) -> np.ndarray:
    """n1 ^ (e_2 - e_(p+2)) + n2 ^ y: M^5 = 0, M^4 != 0."""
    n = p + q
    first, second = vector(n, 1, p + 1), vector(n, 2, p + 2)
    opposite = vector(n, 2) - vector(n, p + 2)
    return wedge(first, opposite) + wedge(second, vector(n, 3 if p >= 3 else p + 3))


LARGE = [
    ("Jordan block", jordan_block, [30.0, 300.0, 1000.0, 3000.0]),
    ("n ^ y", lambda p, q: null_bivectors(p, q)["n ^ y"], [3000.0, 1e4]),
]


@pytest.mark.parametrize(("name", "make", "sizes"), LARGE, ids=[x[0] for x in LARGE])
@pytest.mark.parametrize(("p", "q"), [(4, 2), (3, 3), (2, 4)])
def test_large_nilpotent_bivectors_in_a_general_frame(p, q, name, make, sizes) -> None:
    rng, signature = np.random.default_rng([p, q, 5]), Signature(p, q)
    for size in sizes:
        r = frame(p, q, rng)
        b = size * (r @ make(p, q) @ r.T)
        assert measured(b, signature) <= exp_budget(signature).limit, (name, size)


def test_squaring_alone_loses_large_jordan_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of the test above."""
    monkeypatch.setattr(routes, "LARGEST_LOSS", np.inf)
    rng, found = np.random.default_rng(0), []
    for _ in range(4):
        r = frame(4, 2, rng)
        found.append(measured(1000.0 * (r @ jordan_block(4, 2) @ r.T), Signature(4, 2)))
    assert max(found) > 100


@pytest.mark.parametrize("ratio", [1 - 1e-6, 1 + 1e-6, 0.9, 1.1])
def test_both_sides_of_the_largest_loss(ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss of n ^ y of size x is about x / 4.3; its own value is taken as the threshold."""
    signature, r = Signature(4, 2), frame(4, 2, np.random.default_rng(1))
    b = 1000.0 * (r @ null_bivectors(4, 2)["n ^ y"] @ r.T)
    b = np.triu(b, 1) - np.triu(b, 1).T
    half, whole = doubling.exponential_by_doubling(b[None], Algebra(4, 2).metric)
    loss = float((half.scale**2 / whole.scale)[0])
    assert 100 < loss < routes.LARGEST_LOSS
    monkeypatch.setattr(routes, "LARGEST_LOSS", loss * ratio)
    assert measured(b, signature) <= exp_budget(signature).limit


def test_nilpotent_bivectors_too_large_for_squaring_are_answered() -> None:
    """Squaring gave infinity, reported as an overflow, though |R| is 1e20 and no rapidity large."""
    signature, r = Signature(4, 2), frame(4, 2, np.random.default_rng(0))
    b = 1e5 * (r @ jordan_block(4, 2) @ r.T)
    assert measured(b, signature) <= exp_budget(signature).limit


@pytest.mark.parametrize("rapidity", [720.0, 1000.0, 1030.0, 1e5])
def test_overflow_is_still_an_overflow(rapidity: float) -> None:
    alg = Algebra(3, 3)
    with pytest.raises(RapidityOverflow, match="rapidity"):
        exp(alg.bivector({"e14": rapidity, "e25": 0.1}))
    assert np.isfinite(exp(alg.bivector({"e14": 700.0, "e25": 0.1})).coeffs).all()
