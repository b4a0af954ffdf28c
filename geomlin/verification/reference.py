"""High-precision reference for exp, Spin -> SO and rotor norms, independent of geomlin's kernels.

Inputs are floats taken as exact rationals.  Transcendental results are arb balls, from the matrix
exponential of a representation built for this purpose (exp) or of the n x n generator (matrix),
both evaluated by flint.  The working precision is raised until the radius is below 2^-80 of the
size of its null-degree, so a loose value is never returned.  Polynomial results (R e_j ~R, R ~R)
are exact fractions.  Balls keep their precision, but arithmetic on them takes place at flint's
current one: compute with them inside `working_precision`.

The null-degree of a blade is the number of null vectors in it.  Scaling all null vectors by t is an
automorphism that multiplies null-degree d by t^d: sizes are comparable within one degree only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import frexp

import numpy as np
from flint import arb, arb_mat, fmpq
from numpy.typing import NDArray

from ..blades import indices_of, reorder_sign
from ..errors import LayoutError, NonFiniteInput
from ..precision import working_precision as working_precision
from ..signature import Signature
from .representation import even_blades, representation

FloatArray = NDArray[np.float64]
Exact = tuple[arb, ...]
BITS = 256
TIGHT = 80  # an enclosure is tight when its radius is below 2^-TIGHT of the largest coefficient
MOST_BITS = 2**17
LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 2.0**-1074  # below the spacing of floats nothing can be compared


def null_degrees(signature: Signature) -> tuple[int, ...]:
    """Null-degree of each blade of the even layout."""
    null = sum(1 << i for i, g in enumerate(signature.metric) if g == 0)
    return tuple((mask & null).bit_count() for mask in even_blades(signature.n))


def matrix_null_degrees(signature: Signature) -> tuple[int, ...]:
    """Null-degree of each entry (i, j), row by row: that of e_i minus that of e_j."""
    null = [int(g == 0) for g in signature.metric]
    return tuple(i - j for i in null for j in null)


def sizes(values: Sequence[arb], degrees: Sequence[int]) -> dict[int, float]:
    """max |x_S| over the coefficients of each degree: the unit of their errors.

    A degree that vanishes to 2^-TIGHT beside the products of lower degrees, which it is made of,
    has no size of its own (exp of translations in Cl(1,0,2) has no null-degree 2): it takes theirs.
    """
    size = dict.fromkeys(sorted(set(degrees)), 0.0)
    for value, degree in zip(values, degrees, strict=True):
        size[degree] = max(size[degree], float(value.abs_upper()))
    for degree in size:
        lower = [d for d in size if 0 < d < degree and degree - d in size]
        product = max((size[d] * size[degree - d] for d in lower), default=0.0)
        if size[degree] < 2.0**-TIGHT * product:
            size[degree] = product
    return size


def is_tight(values: Sequence[arb], degrees: Sequence[int], bits: int = TIGHT) -> bool:
    """True when every radius is below 2^-bits of the size of its degree."""
    if not all(value.is_finite() for value in values):
        return False
    size = sizes(values, degrees)
    return all(
        value.rad() <= arb(max(size[degree], SMALLEST)) * arb(2) ** -bits
        for value, degree in zip(values, degrees, strict=True)
    )


def until_tight(
    compute: Callable[[], Exact], degrees: Sequence[int], bits: int, tight: int = TIGHT
) -> Exact:
    """Repeat a ball computation at doubled precision until its result is tight."""
    while bits <= MOST_BITS:
        with working_precision(bits):
            values = compute()
            if is_tight(values, degrees, tight):
                return values
        bits *= 2
    raise ArithmeticError(f"no tight enclosure at {MOST_BITS} bits")


def check_bivector(b: FloatArray, signature: Signature) -> None:
    """Refuse anything but a finite antisymmetric n x n matrix."""
    if b.shape != (signature.n, signature.n) or not np.array_equal(b, -b.T, equal_nan=True):
        raise LayoutError(f"expected an antisymmetric matrix for {signature}, got shape {b.shape}")
    if not np.isfinite(b).all():
        raise NonFiniteInput("the bivector contains NaN or infinity")


def _bits_for(b: FloatArray, bits: int) -> int:
    """Starting precision: the integer part of |B| costs its bits."""
    return bits + max(0, frexp(np.abs(b).max(initial=0.0))[1])


def exact_exp(b: FloatArray, signature: Signature, *, bits: int = BITS) -> Exact:
    """exp(B), coefficients in even blade order, by acb_mat.exp of the representation."""
    check_bivector(b, signature)
    basis = representation(signature)

    def compute() -> Exact:
        return basis.coefficients([block.exp() for block in basis.blocks(b)])

    return until_tight(compute, null_degrees(signature), _bits_for(b, bits))


def exact_matrix(b: FloatArray, signature: Signature, *, bits: int = BITS) -> Exact:
    """The matrix exp(2 b G) of x -> R x ~R, R = exp(B), row by row; column j is R e_j ~R."""
    check_bivector(b, signature)
    n, generator = signature.n, (b * np.array(signature.metric)).ravel()

    def compute() -> Exact:
        return tuple(arb_mat(n, n, [2 * arb(float(x)) for x in generator]).exp().entries())

    return until_tight(compute, matrix_null_degrees(signature), _bits_for(b, bits))


@cache
def sandwich_tables(
    signature: Signature,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Partner and sign (n, n, 2^(n-1)): (R e_j ~R)_i = sum_S sign[i,j,S] R_S R_partner[i,j,S]."""
    n, masks = signature.n, even_blades(signature.n)
    position = {mask: k for k, mask in enumerate(masks)}
    partner = np.empty((n, n, len(masks)), dtype=np.int64)
    sign = np.empty_like(partner)
    for i in range(n):
        for j in range(n):
            for k, left in enumerate(masks):
                middle, right = 1 << j, left ^ 1 << i ^ 1 << j
                reverse = -1 if right.bit_count() % 4 >= 2 else 1
                partner[i, j, k] = position[right]
                sign[i, j, k] = (
                    reverse
                    * product_sign(left, middle, signature)
                    * product_sign(left ^ middle, right, signature)
                )
    return partner, sign


def product_sign(left: int, right: int, signature: Signature) -> int:
    """The number s in {-1, 0, 1} with E_left E_right = s E_(left xor right)."""
    sign = reorder_sign(left, right)
    for index in indices_of(left & right):
        sign *= signature.metric[index - 1]
    return sign


def as_integers(values: NDArray[np.floating]) -> tuple[NDArray[np.object_], int]:
    """Integers m and one exponent e with values = m 2^-e exactly."""
    ratios = [float(value).as_integer_ratio() for value in np.ravel(values)]
    exponent = max((denominator.bit_length() - 1 for _, denominator in ratios), default=0)
    scaled = [numerator * 2**exponent // denominator for numerator, denominator in ratios]
    integers = np.empty(len(scaled), dtype=object)
    integers[:] = scaled
    return integers.reshape(np.shape(values)), exponent


def exact_sandwich(
    coefficients: NDArray[np.floating], signature: Signature
) -> tuple[Fraction, ...]:
    """The matrix of x -> R x ~R, row by row, exactly, for given float coefficients of R."""
    partner, sign = sandwich_tables(signature)
    integers, exponent = as_integers(coefficients)
    sums = (sign * integers * integers[partner]).sum(axis=-1)
    return tuple(Fraction(int(entry), 4**exponent) for entry in sums.ravel())


def exact_norm_defect(
    coefficients: NDArray[np.floating], signature: Signature
) -> tuple[Fraction, ...]:
    """R ~R - 1 exactly, coefficients in even blade order, for given float coefficients of R."""
    masks = even_blades(signature.n)
    position = {mask: k for k, mask in enumerate(masks)}
    integers, exponent = as_integers(coefficients)
    defect = []
    for target in masks:
        if target.bit_count() % 4:  # R ~R equals its reverse: no grade 2, 6, ..
            defect.append(Fraction(0))
            continue
        partner = np.array([position[mask ^ target] for mask in masks])
        sums = (_norm_signs(signature, target) * integers * integers[partner]).sum()
        defect.append(Fraction(int(sums), 4**exponent) - (target == 0))
    return tuple(defect)


@cache
def _norm_signs(signature: Signature, target: int) -> NDArray[np.int64]:
    """s_S with (R ~R)_target = sum_S s_S R_S R_(S xor target)."""
    return np.array(
        [
            (-1 if (mask ^ target).bit_count() % 4 >= 2 else 1)
            * product_sign(mask, mask ^ target, signature)
            for mask in even_blades(signature.n)
        ]
    )


def as_ball(value: arb | Fraction) -> arb:
    """The value as an arb at the working precision."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return value


def errors(
    computed: NDArray[np.floating],
    exact: Sequence[arb] | Sequence[Fraction],
    degrees: Sequence[int] | None = None,
) -> dict[int, float]:
    """max |computed - exact| / (eps size) for each degree, eps that of the dtype of `computed`.

    The unit never falls below the smallest positive number of the dtype; NaN and infinity count as
    an infinite error.
    """
    floats = np.ravel(computed)
    degrees = [0] * len(floats) if degrees is None else degrees
    epsilon = float(np.finfo(floats.dtype).eps)
    smallest = float(np.finfo(floats.dtype).smallest_subnormal)
    with working_precision(BITS):
        balls = [as_ball(value) for value in exact]
        size = sizes(balls, degrees)
        worst = dict.fromkeys(degrees, 0.0)
        for value, ball, degree in zip(floats.tolist(), balls, degrees, strict=True):
            gap = float((arb(value) - ball).abs_upper()) if np.isfinite(value) else np.inf
            ratio = gap / max(epsilon * size[degree], smallest)
            worst[degree] = max(worst[degree], min(ratio, LARGEST) if gap < np.inf else np.inf)
    return worst


def error(
    computed: NDArray[np.floating],
    exact: Sequence[arb] | Sequence[Fraction],
    degrees: Sequence[int] | None = None,
) -> float:
    """The largest of `errors` over the degrees."""
    return max(errors(computed, exact, degrees).values())
