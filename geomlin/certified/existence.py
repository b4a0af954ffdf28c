"""Proofs that a rotor has no real logarithm.

If exp(B) = R, then exp(2M) = O with M = bG, which commutes with O and so preserves the spaces of
its eigenvalues.  Hence there is none

(1) if O has a negative real eigenvalue of multiplicity one, which no exp(2M) has; or
(2) if -R has a logarithm, and all logarithms of O give one sign.

A pair of spaces V, V' of eigenvalues off the unit circle, in duality, never changes the sign: two
logarithms on V differ by loops in GL(V), which turn as often in a positive as in a negative plane.
What is left is a space U of signature (p - d/2, q - d/2), d the number of eigenvalues off the
circle.  If U holds no two vectors of one sign, O is the identity there and has no other logarithm.
If O is unipotent on U, only two Jordan blocks of one odd size and one sign can turn by pi in an odd
number of planes; sizes and signs are decided by rational arithmetic for exact rotors.

With null vectors, the coefficients without them are a rotor R' = exp(B') of the rest, so all this
applies to R'.  And if R' = -1, some definite plane makes a full turn, and it is orthogonal to every
translation in R.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpq_poly

from ..errors import NoRealLogarithm, Undecided
from ..kernels.log_branch import NO_PLANE
from ..precision import working_precision
from .cover import matrix_rows
from .elements import Coefficients, Metric
from .exact_squares import rational, rational_matrix
from .roots import RootGroup, best_grouping

UNPAIRED = "a negative eigenvalue of the action is not paired"
_EXACT_BITS = 2**13  # enough for products of two floats from 2^-1022 to 2^1023


def refute_logarithm(rotor: Coefficients, metric: Metric) -> None:
    """Raise NoRealLogarithm where (1) is proved, or where all logarithms of the action give the
    sign of R: then -R must have been proved to have one."""
    regular = _without_null(rotor, metric)
    inner = tuple(g for g in metric if g)
    moved = _translations(rotor, metric) if set(regular) == {0} and regular[0] == -1 else None
    if moved is not None:
        if _largest_definite(_orthogonal_form(moved, inner)) < 2:
            _raise(NO_PLANE + " orthogonal to the translation")
        return
    if not inner:
        return
    rows = matrix_rows(regular, inner)
    if any(_is_unpaired(group) for group in _eigenvalues(arb_mat(rows))):
        _raise(UNPAIRED)


def has_one_sign(rotor: Coefficients, metric: Metric) -> bool:
    """Whether all logarithms of the action are proved to give the same sign of R."""
    regular = _without_null(rotor, metric)
    inner = tuple(g for g in metric if g)
    if not inner:
        return True
    groups = _eigenvalues(arb_mat(matrix_rows(regular, inner)))
    off = sum(group.count for group in groups if _is_off_circle(group))
    p, q = inner.count(1) - off // 2, inner.count(-1) - off // 2
    if max(p, q) <= 1:
        return True
    exact = _exact_action(regular, inner)
    return exact is not None and _has_one_sign_at_one(exact, inner, off)


def _raise(reason: str) -> None:
    raise NoRealLogarithm(f"the rotor has no real logarithm: {reason}", reason=reason)


def _without_null(rotor: Coefficients, metric: Metric) -> Coefficients:
    """The coefficients without null vectors; these come last."""
    limit = 1 << sum(1 for g in metric if g)
    return {mask: value for mask, value in rotor.items() if mask < limit}


def _eigenvalues(action: Any) -> list[RootGroup]:
    """Enclosed eigenvalues of the action, in groups that can be told apart."""
    polynomial = action.charpoly().coeffs()
    try:
        return best_grouping(polynomial)
    except Undecided:
        return []


def _is_unpaired(group: RootGroup) -> bool:
    return group.is_real and bool(group.box.real < 0)


def _is_off_circle(group: RootGroup) -> bool:
    """Whether no eigenvalue of the group has the modulus 1."""
    return not abs(group.box).contains(1)


def _translations(rotor: Coefficients, metric: Metric) -> list[list[Any]] | None:
    """Vectors v of R = -1 + sum_i v_i e_0i + .., as rows; None if they are not exact."""
    m = sum(1 for g in metric if g)
    rows = [[rotor.get(1 << j | 1 << i, arb(0)) for j in range(m)] for i in range(m, len(metric))]
    return rows if all(x.is_exact() for row in rows for x in row) else None


def _exact_action(rotor: Coefficients, metric: Metric) -> Any:
    """O as a rational matrix; None if R is not exact."""
    if not all(value.is_exact() for value in rotor.values()):
        return None
    with working_precision(_EXACT_BITS):
        return rational_matrix(matrix_rows(rotor, metric))


def _has_one_sign_at_one(action: Any, metric: Metric, off: int) -> bool:
    """Whether O is unipotent beside its `off` eigenvalues off the unit circle, without two blocks
    of one odd size and one sign."""
    n = len(metric)
    unipotent = fmpq_poly([-1, 1])
    rest, multiplicity = action.charpoly(), 0
    while rest.degree() and rest(fmpq(1)) == 0:
        rest, multiplicity = rest // unipotent, multiplicity + 1
    if multiplicity + off != n:
        return False
    nilpotent = action - _identity(n)
    power = _identity(n)  # N^(size - 1)
    for size in range(1, multiplicity + 1):
        kernel = _kernel(power * nilpotent)
        if size % 2:
            form = kernel * _scaled_rows(power, metric) * kernel.transpose()
            if _largest_definite((form + form.transpose()) / 2) >= 2:
                return False
        power = power * nilpotent
    return True


def _identity(n: int) -> Any:
    return fmpq_mat(n, n, [fmpq(int(i == j)) for i in range(n) for j in range(n)])


def _scaled_rows(matrix: Any, metric: Metric) -> Any:
    """G A."""
    n = len(metric)
    return fmpq_mat(n, n, [metric[i] * matrix[i, j] for i in range(n) for j in range(n)])


def _kernel(matrix: Any) -> Any:
    """Rows that span the kernel of a rational matrix."""
    n = matrix.ncols()
    reduced, rank = matrix.rref()
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    free = [j for j in range(n) if j not in pivots]
    entries = []
    for j in free:
        row = [fmpq(0)] * n
        row[j] = fmpq(1)
        for i, pivot in enumerate(pivots):
            row[pivot] = -reduced[i, j]
        entries += row
    return fmpq_mat(len(free), n, entries)


def _orthogonal_form(rows: list[list[Any]], metric: Metric) -> Any:
    """The metric restricted to the vectors orthogonal to the rows."""
    n = len(metric)
    entries = [rational(x) * g for row in rows for x, g in zip(row, metric, strict=True)]
    kernel = _kernel(fmpq_mat(len(rows), n, entries))
    return kernel * _scaled_rows(_identity(n), metric) * kernel.transpose()


def _largest_definite(form: Any) -> int:
    """The larger of the numbers of positive and of negative eigenvalues of a rational form.

    All roots of the characteristic polynomial are real, so Descartes' rule of signs is exact.
    """
    if form.nrows() == 0:
        return 0
    coefficients = form.charpoly().coeffs()
    positive = _changes(coefficients)
    negative = _changes([-c if k % 2 else c for k, c in enumerate(coefficients)])
    return max(positive, negative)


def _changes(coefficients: list[Any]) -> int:
    """Changes of sign in a sequence, zeros left out."""
    signs = [c > 0 for c in coefficients if c != 0]
    return sum(a != b for a, b in pairwise(signs))
