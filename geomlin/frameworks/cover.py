"""The double cover for torch and jax: matrices of rotors, and lifts.

The lift takes its value, with the choice of the sign, from the numpy backend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import LayoutError, NotARotor, NotInImage, NotSupported
from ..layout import even_layout, grade_layout
from ..ops.failures import check_on_error, failing_indices
from ..ops.grades import with_layout
from ..ops.involutions import reverse
from ..ops.lift import rotor_from_matrix as numpy_lift
from ..ops.products import geometric_product
from .predicates import matrix_of, rotor_flags, size_of
from .rules import LIFT
from .support import backend_of, opened, rounded, without

if TYPE_CHECKING:
    from ..algebra import Algebra
    from ..multivector import Multivector

_SMALLEST_SCALAR = 0.1  # of the largest coefficient of ~R_i R_(i+1): below it the sign is a guess


def rotor_to_matrix(R: Multivector, *, tolerance: float = 1e-6, on_error: str = "raise") -> Any:
    """See geomlin.rotor_to_matrix; NaN for what is no rotor where numbers are traced."""
    check_on_error(on_error)
    xp = backend_of(R)
    bad = ~rotor_flags(R, tolerance)

    def error(indices: list[tuple[int, ...]], count: int) -> NotARotor:
        return NotARotor(
            f"expected an even versor with R ~R = 1, got {count} other element(s): use "
            "normalize(R), or versor_action(V, x) for other versors",
            indices=indices,
            count=count,
        )

    even = with_layout(R.replace(R.layout, opened(R)), even_layout(R.algebra.n))
    matrix = matrix_of(xp, even.coeffs, R.algebra.metric)
    return rounded(xp, without(xp, bad, matrix, error, on_error), R.dtype, on_error, axes=2)


def rotor_from_matrix(
    M: Any, algebra: Algebra, *, tolerance: float = 1e-4, on_error: str = "raise"
) -> Multivector:
    """See geomlin.rotor_from_matrix; NaN for what is no matrix of a rotor under traces."""
    check_on_error(on_error)
    xp: Any = algebra.backend_object
    matrix = xp.array(M, finite=on_error == "raise")
    n = algebra.n
    if matrix.ndim < 2 or tuple(matrix.shape[-2:]) != (n, n):
        raise LayoutError(
            f"expected matrices (..., {n}, {n}) for {algebra}, got shape {tuple(matrix.shape)}"
        )
    signature = tuple(algebra.signature)
    work = xp.astype(matrix, xp.work_dtype(matrix))
    found = xp.implicit(LIFT, work, signature, float(tolerance), xp.epsilon(matrix.dtype))
    if on_error == "raise" and xp.known_any(xp.lib.isnan(xp.detach(found))):
        p, q, r = algebra.signature
        allowed = max(float(tolerance), n * xp.epsilon(matrix.dtype))
        numpy_lift(xp.to_numpy(matrix), type(algebra)(p, q, r), tolerance=allowed)
        raise NotSupported("the host found no lift: use A.to(backend='numpy')")
    values = rounded(xp, found, matrix.dtype, on_error)
    like: Multivector = algebra.scalar(0.0)
    return like.replace(even_layout(n), values)


def lift_path(
    matrices: Any, algebra: Algebra, *, tolerance: float = 1e-4, on_error: str = "raise"
) -> Multivector:
    """See geomlin.lift_path."""
    xp: Any = algebra.backend_object
    rotors = rotor_from_matrix(matrices, algebra, tolerance=tolerance, on_error=on_error)
    if rotors.ndim == 0:
        raise LayoutError(
            f"expected a path of matrices (..., m, n, n) for {algebra}, got one matrix"
        )
    if rotors.shape[-1] < 2:
        return rotors
    before = rotors.replace(rotors.layout, xp.detach(rotors.coeffs[..., :-1, :]))
    after = rotors.replace(rotors.layout, xp.detach(rotors.coeffs[..., 1:, :]))
    quotient = geometric_product(reverse(before), after)
    scalar = with_layout(quotient, grade_layout(algebra.n, 0)).coeffs[..., 0]
    null = sum(1 << i for i, square in enumerate(algebra.metric) if square == 0)
    regular = tuple(k for k, mask in enumerate(quotient.layout.masks) if mask & null == 0)
    size = size_of(xp, xp.select(quotient.coeffs, regular))
    jump = xp.lib.abs(scalar) < _SMALLEST_SCALAR * size
    if on_error == "raise" and xp.known_any(jump):
        indices, count = failing_indices(xp.to_numpy(jump))
        raise NotInImage(
            f"expected |<~R_i R_(i+1)>_0| of at least {_SMALLEST_SCALAR} of the largest "
            f"coefficient, got {count} jump(s) of nearly a half turn: sample the path more finely",
            reason="jump",
            indices=[(*index[:-1], index[-1] + 1) for index in indices],
            count=count,
        )
    step = xp.where(scalar < 0, -1.0, xp.lib.ones_like(scalar))
    lost = jump | xp.lib.isnan(scalar)
    step = xp.where(lost, float("nan"), step)
    first = xp.lib.ones_like(scalar[..., :1])
    turns = xp.lib.cumprod(xp.concatenate([first, step], -1), -1)
    return rotors.replace(rotors.layout, turns[..., None] * rotors.coeffs)
