"""Continuous lifts of paths of matrices: the path-lifting property of Spin -> SO."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LayoutError, NotInImage, NotSupported
from ..layout import even_layout
from ..operation import check_tolerance, leaf
from .failures import OnError, check_on_error, failing_indices
from .involutions import reverse
from .lift import rotor_from_matrix
from .predicates import largest
from .products import geometric_product

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector

_SMALLEST_SCALAR = 0.1  # of the largest coefficient of ~R_i R_(i+1): below it the sign is a guess


@leaf
def lift_path(
    matrices: Any, algebra: Algebra, *, tolerance: float = 1e-4, on_error: OnError = "raise"
) -> Multivector:
    """Rotors along a path of isometry matrices, with one continuous choice of sign.

    R_i e_j ~R_i = sum_k (M_i)_kj e_k and <~R_i R_(i+1)>_0 > 0; R_0 is rotor_from_matrix(M_0).  A
    loop that turns once ends in -R_0: the lift shows the homotopy class of the path.

    Parameters
    ----------
    matrices : array (..., m, n, n), the path M_0, .., M_(m-1) along the third axis from the end.
    algebra : the Algebra whose rotors are wanted.
    tolerance : as for rotor_from_matrix.
    on_error : "raise", or "nan" to get NaN from the first failing matrix of a path onwards, since
        the sign of all that follow hangs on it.

    Returns
    -------
    Multivector in the even layout, coeffs (..., m, 2^(n-1)).

    Units: steps up to a rotation angle of 168 degrees in one plane are resolved.

    Raises
    ------
    NotInImage with reason "jump" where |<~R_i R_(i+1)>_0| is below 0.1 of the largest coefficient
    of ~R_i R_(i+1) without null vectors: both signs are equally near, and the position i + 1 is in
    `indices`; sample the path more finely.  NotOrthogonal and NotInImage as for rotor_from_matrix.

    Error bound: that of rotor_from_matrix; the signs are exact.  Gradient: that of
    rotor_from_matrix.

    References
    ----------
    [1] H. B. Lawson and M.-L. Michelsohn, "Spin Geometry" (1989), section I.2.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra, exp, lift_path, rotor_to_matrix
    >>> alg = Algebra(2)
    >>> turn = exp(alg.bivector(np.linspace(0, np.pi, 9)[:, None]))     # half-angles: one full turn
    >>> path = lift_path(rotor_to_matrix(turn), alg)
    >>> print(round(path[0]["1"], 12), round(path[-1]["1"], 12))
    1.0 -1.0
    """
    check_on_error(on_error)
    check_tolerance(tolerance)
    if not hasattr(algebra, "signature"):
        raise LayoutError(f"expected an Algebra as second argument, got {algebra!r}")
    answers = getattr(algebra.backend_object, "answers", None)
    if answers is not None:
        lifted: Multivector = answers["lift_path"](
            matrices, algebra, tolerance=tolerance, on_error=on_error
        )
        return lifted
    if algebra.backend != "numpy":
        raise NotSupported(
            f"lift_path needs float matrices, got backend {algebra.backend!r}: the entries of the "
            "rotors are square roots; use an algebra with backend='numpy'"
        )
    n = algebra.n
    try:
        shape = np.shape(matrices)
    except ValueError as error:
        raise LayoutError(
            f"expected matrices of one shape, got a ragged sequence: {error}"
        ) from None
    if len(shape) < 3 or shape[-2:] != (n, n):
        raise LayoutError(
            f"expected a path of matrices (..., m, {n}, {n}) for {algebra}, got shape {shape}"
        )
    rotors = rotor_from_matrix(matrices, algebra, tolerance=tolerance, on_error=on_error)
    if shape[-3] == 0:
        return rotors
    values = rotors.coeffs.astype(np.float64)
    missing = np.isnan(values).any(axis=-1)
    known = rotors.replace(rotors.layout, np.where(missing[..., None], 0.0, values))
    scalar, jump = _steps(known, missing)
    if on_error == "raise" and np.any(jump):
        _raise_jump(jump)
    turns = np.cumprod(np.where(scalar < 0, -1.0, 1.0), axis=-1)
    lost = np.logical_or.accumulate(jump | missing, axis=-1)
    signed = np.where(lost[..., None], np.nan, turns[..., None] * values)
    return rotors.replace(rotors.layout, signed.astype(rotors.dtype))


def _steps(rotors: Multivector, missing: Any) -> tuple[Any, Any]:
    """<~R_(i-1) R_i>_0 at every i of the path, 1 at its start, and where it is too small."""
    n = rotors.algebra.n
    null = sum(1 << i for i, square in enumerate(rotors.algebra.metric) if square == 0)
    regular = np.array([mask & null == 0 for mask in even_layout(n).masks])
    before = rotors.replace(rotors.layout, rotors.coeffs[..., :-1, :])
    after = rotors.replace(rotors.layout, rotors.coeffs[..., 1:, :])
    quotient = geometric_product(reverse(before), after).coeffs
    small = np.abs(quotient[..., 0]) < _SMALLEST_SCALAR * largest(quotient[..., regular])
    scalar = np.ones(missing.shape)
    scalar[..., 1:] = quotient[..., 0]
    jump = np.zeros(missing.shape, dtype=bool)
    jump[..., 1:] = small & ~missing[..., 1:] & ~missing[..., :-1]
    return scalar, jump


def _raise_jump(jump: Any) -> None:
    indices, count = failing_indices(jump)
    raise NotInImage(
        f"expected |<~R_i R_(i+1)>_0| of at least {_SMALLEST_SCALAR} of the largest coefficient, "
        f"got {count} jump(s) of nearly a half turn (first at position {indices[0]}): the sign of "
        "the next rotor is undecided; sample the path more finely",
        reason="jump",
        indices=indices,
        count=count,
    )
