"""What `soak` calls, and what must hold of each answer: defining equations and their bounds.

The bounds follow from rounding of the inputs and of the products that test the equation; they are
wide enough for every condition number, and far below any wrong branch, plane or sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..algebra import Algebra
from ..errors import (
    GeomlinError,
    NoRealLogarithm,
    NotInImage,
    NotInvertible,
    NotOrthogonal,
    RapidityOverflow,
)
from ..multivector import Multivector
from ..ops.bivectors import antisymmetric
from ..ops.cayley import cayley
from ..ops.decomposition import invariant_decomposition
from ..ops.exponential import exp
from ..ops.interpolation import slerp, sqrt
from ..ops.inverse import inverse
from ..ops.lift import rotor_from_matrix
from ..ops.logarithm import log
from ..ops.matrices import rotor_to_matrix
from ..ops.rotor_between import rotor_between
from ..verification.residuals import Parts, projector_size

EPS = 2.0**-52
SMALLEST = 2.0**-1074
ROUNDINGS = 256 * EPS
VERIFIED = 2.0**-30  # to which log reproduces rotors of indefinite metrics
WIDEST = 300.0  # non-null |b_ij| of the rotors that are tested in indefinite metrics
LONGEST = 1e8  # null |b_ij| of these rotors

PAIRED = 1e6  # max |R0| max |R1| up to which ~R0 R1 keeps digits

Floats = np.ndarray[Any, np.dtype[np.float64]]
Arguments = tuple[Any, ...]


class Operation(NamedTuple):
    """A function, the errors that it documents, its arguments from bivectors, and its test.

    arguments(algebra, b, rng): batched arguments, none of them if no element is fit.
    excess(algebra, result, arguments): (batch,) error over bound, at most 1 where all is well.
    marks: whether on_error="nan" makes the elements NaN that raise when they come alone.
    """

    call: Callable[..., Any]
    documented: tuple[type[GeomlinError], ...]
    arguments: Callable[[Algebra, Floats, np.random.Generator], Arguments]
    excess: Callable[[Algebra, Any, Arguments], Floats]
    marks: bool = True


def _upper(b: Floats) -> Floats:
    """The coefficients e12, e13, .. of antisymmetric matrices."""
    rows, columns = np.triu_indices(b.shape[-1], 1)
    return np.asarray(b[..., rows, columns])


def _bivector(algebra: Algebra, b: Floats, _: np.random.Generator) -> Arguments:
    """The bivectors themselves."""
    return (algebra.bivector(_upper(b)),)


def _fit(algebra: Algebra, b: Floats) -> Floats:
    """The bivectors whose rotors have digits."""
    m = algebra.n - algebra.signature.r
    inner = np.abs(b[:, :m, :m]).max(axis=(1, 2), initial=0.0)
    limit = 1e8 if algebra.signature.is_definite else WIDEST
    outer = np.abs(b).max(axis=(1, 2), initial=0.0)
    return np.asarray(b[(inner < limit) & (outer <= max(limit, LONGEST))])


def _rotor(algebra: Algebra, b: Floats, rng: np.random.Generator) -> Arguments:
    """Rotors of both signs."""
    fit = _fit(algebra, b)
    signs = rng.choice([-1.0, 1.0], size=(len(fit), 1))
    return (algebra.even(exp(algebra.bivector(_upper(fit))).coeffs * signs),)


def _rotor_pair(algebra: Algebra, b: Floats, rng: np.random.Generator) -> Arguments:
    """Rotors R0 near and far from R1."""
    chosen = _fit(algebra, b)
    (second,) = _rotor(algebra, chosen, rng)
    planes = np.roll(chosen, 1, axis=0) / (1.0 + np.abs(chosen).max(initial=0.0))
    first = algebra.even((second * exp(algebra.bivector(_upper(planes)))).coeffs)
    fit = _size(first) * _size(second) < PAIRED
    return first[fit], second[fit], 1.0


def _matrix(algebra: Algebra, b: Floats, rng: np.random.Generator) -> Arguments:
    """Matrices of rotors; those that keep a digit of the rotor."""
    (rotor,) = _rotor(algebra, b, rng)
    m = algebra.n - algebra.signature.r
    matrices = np.asarray(rotor_to_matrix(rotor))
    fit = np.abs(matrices[:, :m, :m]).max(axis=(1, 2), initial=0.0) < 1e6
    return matrices[fit], algebra


def _vectors(algebra: Algebra, b: Floats, rng: np.random.Generator) -> Arguments:
    """Pairs of vectors: independent, nearly parallel and nearly opposite, of all sizes."""
    shape = (len(b), algebra.n)
    first = rng.normal(size=shape)
    near = rng.choice([-1.0, 1.0], size=(len(b), 1)) * first
    near = near + rng.normal(size=shape) * 10.0 ** rng.uniform(-18, 1, size=(len(b), 1))
    size = 10.0 ** rng.uniform(-150, 150, size=(len(b), 1))
    return algebra.vector(first * size), algebra.vector(near)


def _elements(algebra: Algebra, b: Floats, rng: np.random.Generator) -> Arguments:
    """Sums of a scalar and bivectors, versors, and elements on all blades."""
    size = 1 << algebra.n
    generic = rng.normal(size=(len(b), size))
    versor = algebra.scalar(rng.normal(size=len(b))) + algebra.bivector(_upper(np.clip(b, -9, 9)))
    chosen = rng.random(size=(len(b), 1)) < 0.5
    return (algebra.multivector(np.where(chosen, generic, versor.to_dense())),)


def _size(a: Multivector) -> Floats:
    """max |a_S|."""
    return np.asarray(np.abs(a.coeffs).max(axis=-1, initial=0.0))


def _weight(a: Multivector) -> Floats:
    """sum_S a_S^2."""
    return np.asarray((a.coeffs**2).sum(axis=-1))


def _ratio(error: Floats, bound: Floats) -> Floats:
    """error / bound; infinite for NaN, zero where the bound has overflowed."""
    with np.errstate(all="ignore"):
        ratio = np.where(np.isposinf(bound), 0.0, error / np.maximum(bound, SMALLEST))
    return np.where(np.isnan(ratio), np.inf, ratio)


def _exp_excess(algebra: Algebra, rotor: Multivector, arguments: Arguments) -> Floats:
    """R ~R = 1 and exp(B/2)^2 = R."""
    (b,) = arguments
    half = exp(0.5 * b)
    turned = 1.0 + np.abs(b.coeffs).sum(axis=-1)
    bound = ROUNDINGS * turned * (1.0 + _weight(half) + _weight(exp(0.25 * b))) ** 2
    allowed = ROUNDINGS * (1.0 + _weight(rotor))
    if not algebra.signature.is_definite:
        allowed = allowed + bound
    norm = _ratio(_size(rotor * ~rotor - 1.0), allowed)
    return np.maximum(norm, _ratio(_size(half * half - rotor), bound))


def _matrix_excess(algebra: Algebra, matrix: Any, arguments: Arguments) -> Floats:
    """Column j is R e_j ~R."""
    (rotor,) = arguments
    found, weight = np.asarray(matrix), 1.0 + _weight(rotor)
    worst = np.zeros(len(found))
    for j in range(algebra.n):
        image = (rotor * algebra.basis_vectors[j] * ~rotor).grade(1).coeffs
        error = np.abs(image - found[:, :, j]).max(axis=1)
        worst = np.maximum(worst, _ratio(error, ROUNDINGS * weight))
    return worst


def _lift_excess(algebra: Algebra, rotor: Multivector, arguments: Arguments) -> Floats:
    """The matrix of the lift is the matrix, as far as 4 eps max|M| max|R| in R change it and the
    matrix, itself rounded, preserves the metric."""
    matrices, metric = arguments[0], np.diag(np.array(algebra.metric, dtype=float))
    violation = np.abs(matrices.transpose(0, 2, 1) @ metric @ matrices - metric).max(axis=(1, 2))
    change = np.sqrt(2.0 ** (algebra.n - 1) * _weight(rotor)) * _size(rotor)
    error = np.abs(np.asarray(rotor_to_matrix(rotor)) - matrices).max(axis=(1, 2), initial=0.0)
    size = np.abs(matrices).max(axis=(1, 2), initial=1.0)
    rounding = ROUNDINGS * size * np.maximum(size, change)
    return _ratio(error, rounding + algebra.n * violation * size)


def _decomposition_excess(algebra: Algebra, found: Any, arguments: Arguments) -> Floats:
    """The parts add up to B, within the squared size of the spectral projectors.

    With several null vectors parts larger than B cancel, as in screws of small angle.
    """
    (b,) = arguments
    parts, n = np.asarray(found.parts.coeffs), algebra.n
    error = np.abs(parts.sum(axis=-2) - b.coeffs).max(axis=-1, initial=0.0)
    size = _size(b)
    if algebra.signature.r > 1:
        size = np.maximum(size, np.abs(parts).max(axis=(-1, -2), initial=0.0))
    bound = ROUNDINGS * size + n * SMALLEST
    for index in np.flatnonzero(~(error <= bound)):
        part = Parts(antisymmetric(parts[index], n), found.squares[index], found.kinds[index])
        bound[index] *= projector_size(part, algebra.signature) ** 2
    return _ratio(error, bound)


def _reproduced(algebra: Algebra) -> float:
    """What log may leave between exp(log R) and R, over (1 + |B|^2) max |R|."""
    return ROUNDINGS if algebra.signature.is_definite else VERIFIED


def _log_excess(algebra: Algebra, b: Multivector, arguments: Arguments) -> Floats:
    """exp(log R) = R."""
    (rotor,) = arguments
    bound = _reproduced(algebra) * (1.0 + _weight(b)) * _size(rotor)
    return _ratio(_size(exp(b) - rotor), bound)


def _sqrt_excess(algebra: Algebra, root: Multivector, arguments: Arguments) -> Floats:
    """sqrt(R)^2 = R; angles of a principal B are at most pi, what is larger shows in the root."""
    (rotor,) = arguments
    turned = 1.0 + algebra.n * np.pi**2
    bound = _reproduced(algebra) * turned * (_size(rotor) + _weight(root))
    return _ratio(_size(root * root - rotor), bound)


def _slerp_excess(algebra: Algebra, end: Multivector, arguments: Arguments) -> Floats:
    """slerp(R0, R1, 1) = +-R1."""
    first, second, _ = arguments
    error = np.minimum(_size(end - second), _size(end + second))
    bound = _reproduced(algebra) * (1.0 + _weight(first)) * (1.0 + _weight(second)) ** 1.5
    return _ratio(error, bound)


def _between_excess(algebra: Algebra, rotor: Multivector, arguments: Arguments) -> Floats:
    """R a ~R |b| = |a| b, each length with its own conditioning."""
    a, b = arguments
    metric = np.array(algebra.metric, dtype=float)
    units, conditions = [], []
    for vector in (a, b):
        scaled = vector.coeffs / _size(vector)[:, None]
        square = np.abs((metric * scaled**2).sum(axis=1))
        units.append(scaled / np.sqrt(square)[:, None])
        conditions.append((scaled**2).sum(axis=1) / square)
    image = (rotor * algebra.vector(units[0]) * ~rotor).grade(1).coeffs
    error = np.abs(image - units[1]).max(axis=1)
    bound = ROUNDINGS * (1.0 + _weight(rotor)) * (conditions[0] + conditions[1]) ** 1.5
    return _ratio(error, bound)


def _cayley_excess(algebra: Algebra, rotor: Multivector, arguments: Arguments) -> Floats:
    """<R>_2 = R_0 B, and R ~R = 1."""
    (b,) = arguments
    scalar = np.asarray(rotor["1"])[:, None]
    planes = rotor.grade(2).coeffs if algebra.n >= 2 else b.coeffs
    with np.errstate(all="ignore"):
        wanted = scalar * b.coeffs
        error = np.abs(planes - wanted).max(axis=1, initial=0.0)
        underflow = SMALLEST * _size(b)
        read_off = _ratio(error, ROUNDINGS * np.abs(wanted).max(axis=1, initial=0.0) + underflow)
        norm = _ratio(
            _size(rotor * ~rotor - 1.0), ROUNDINGS * (1.0 + _weight(rotor)) * 2**algebra.n
        )
    return np.maximum(read_off, norm)


def _inverse_excess(algebra: Algebra, found: Multivector, arguments: Arguments) -> Floats:
    """A inverse(A) = 1, within the square of the condition number."""
    (a,) = arguments
    condition = np.sqrt(_weight(a) * _weight(found)) * 2.0 ** (algebra.n / 2)
    return _ratio(_size(a * found - 1.0), ROUNDINGS * 2.0**algebra.n * (1.0 + condition) ** 2)


def _blocks(b: Multivector) -> Any:
    """invariant_decomposition(B, blocks=True)."""
    return invariant_decomposition(b, blocks=True)


_NO_LOG = (NoRealLogarithm,)
OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "exp": Operation(exp, (RapidityOverflow,), _bivector, _exp_excess),
        "rotor_to_matrix": Operation(rotor_to_matrix, (), _rotor, _matrix_excess, marks=False),
        "rotor_from_matrix": Operation(
            rotor_from_matrix, (NotOrthogonal, NotInImage), _matrix, _lift_excess
        ),
        "invariant_decomposition": Operation(
            _blocks, (), _bivector, _decomposition_excess, marks=False
        ),
        "log": Operation(log, _NO_LOG, _rotor, _log_excess),
        "sqrt": Operation(sqrt, _NO_LOG, _rotor, _sqrt_excess),
        "slerp": Operation(slerp, _NO_LOG, _rotor_pair, _slerp_excess),
        "rotor_between": Operation(
            rotor_between, (NotInvertible, NotInImage), _vectors, _between_excess
        ),
        "cayley": Operation(
            cayley, (NotInvertible, NotInImage, RapidityOverflow), _bivector, _cayley_excess
        ),
        "inverse": Operation(inverse, (NotInvertible,), _elements, _inverse_excess),
    }
)
