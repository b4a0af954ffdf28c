"""log near the end of the range of float64 leaks no warnings: callers may have made them errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from geomlin import Algebra, exp, log
from geomlin.errors import NoRealLogarithm

EPS = 2.0**-52


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("rapidity", [300.0, 707.0, 708.0])
@pytest.mark.parametrize("space", [(3, 1, 0), (3, 2, 0), (1, 4, 0), (3, 2, 2)], ids=str)
def test_the_largest_boosts(space: tuple[int, int, int], rapidity: float) -> None:
    algebra = Algebra(*space)
    blade = f"e1{space[0] + 1}"
    found = log(exp(algebra.bivector({blade: rapidity})))
    assert abs(found[blade] - rapidity) <= 12 * EPS * rapidity
    assert np.abs((found - found[blade] * algebra.blade(blade)).coeffs).max() <= 12 * EPS * rapidity


@pytest.mark.parametrize("size", [1e150, 1e200, 1e300])
@pytest.mark.parametrize("space", [(3, 2, 2), (2, 1, 1)], ids=str)
def test_translations_of_all_sizes(space: tuple[int, int, int], size: float) -> None:
    algebra = Algebra(*space)
    blade = f"e1{algebra.n}"
    rotor = 1 + size * algebra.blade(blade)
    assert abs(log(rotor)[blade] / size - 1) <= 12 * EPS


@pytest.mark.parametrize("space", [(2, 1, 0), (3, 1, 0), (3, 2, 0), (3, 3, 0), (4, 4, 0)], ids=str)
@pytest.mark.parametrize("size", [1e155, 1e300])
def test_null_rotors_of_all_sizes(space: tuple[int, int, int], size: float) -> None:
    """1 + B with B^2 = 0: its logarithm B, or a named error."""
    algebra = Algebra(*space)
    e = algebra.basis_vectors
    null = (e[0] + e[space[0]]) ^ e[1]
    found = log(1 + size * null, on_error="nan")
    if not np.isnan(found.coeffs).all():
        assert np.abs((found / size - null).coeffs).max() <= 12 * EPS
        return
    with pytest.raises(NoRealLogarithm, match="undecided"):
        log(1 + size * null)


def test_boosts_of_which_no_digits_are_left_are_undecided() -> None:
    rotor = exp(Algebra(3, 2).bivector({"e14": 300.0, "e25": 300.0}))
    with pytest.raises(NoRealLogarithm, match="undecided"):
        log(rotor)
