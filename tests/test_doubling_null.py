"""exp of null bivectors of every size in indefinite metrics, n >= 6, where squaring is delicate.

The reference and kappa are those of the accuracy table; the budget is its 10 eps kappa.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from geomlin import Algebra, exp
from geomlin.kernels import doubling
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
