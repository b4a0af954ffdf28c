"""Whatever comes in, the right value or a named error comes out: quickly, and the input stays.

A named error is a GeomlinError and the fitting builtin; its message says what was expected, what
came, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from alarm import nothing_hangs_for
from numpy.typing import NDArray

from geomlin import (
    Algebra,
    DtypeError,
    GeomlinError,
    LayoutError,
    Multivector,
    NonFiniteInput,
    NotARotor,
    NotDecomposable,
    NotInImage,
    NotInvertible,
    NotOrthogonal,
    NotSupported,
    RapidityOverflow,
    SignatureMismatch,
    UnknownBlade,
    dual,
    exp,
    geometric_product,
    invariant_decomposition,
    inverse,
    norm,
    normalize,
    outer_exp,
    project,
    rotor_from_matrix,
    rotor_from_plane,
    rotor_in_plane,
    rotor_to_matrix,
    sandwich,
    versor_action,
)

PGA = Algebra(3, 0, 1)
EUCLID = Algebra(4)


nothing_hangs = nothing_hangs_for(5)  # seconds


# --- arrays of every memory layout --------------------------------------------------------------

Array = NDArray[np.float64]
Function = Callable[[Array], Any]


def rotations(values: Array) -> Array:
    """An orthogonal matrix for each row of bivector coefficients."""
    found: Array = rotor_to_matrix(exp(EUCLID.bivector(values)))
    return found


FUNCTIONS: dict[str, Function] = {
    "vector": lambda x: EUCLID.vector(x[..., :4]).coeffs,
    "exp": lambda x: exp(EUCLID.bivector(x)).coeffs,
    "exp, null": lambda x: exp(PGA.bivector(x)).coeffs,
    "exp, n = 6": lambda x: exp(Algebra(6).bivector({"e12": x[..., 0], "e36": x[..., 1]})).coeffs,
    "outer_exp": lambda x: outer_exp(EUCLID.bivector(x)).coeffs,
    "decomposition": lambda x: invariant_decomposition(EUCLID.bivector(x)).parts.coeffs,
    "product": lambda x: (EUCLID.bivector(x) * EUCLID.bivector(x)).coeffs,
    "scalars": lambda x: (EUCLID.blade("e1") * x).coeffs,
    "inverse": lambda x: inverse(2 + EUCLID.bivector(x)).coeffs,
    "norm": lambda x: norm(EUCLID.bivector(x)).coeffs,
    "angle": lambda x: rotor_in_plane(*EUCLID.basis_vectors[:2], x[..., 0]).coeffs,
}


def transposed(x: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, -1, 0)).transpose(1, 2, 0)


def reversed_twice(x: Array) -> Array:
    return np.ascontiguousarray(x[::-1, :, ::-1])[::-1, :, ::-1]


def read_only(x: Array) -> Array:
    found = x.copy()
    found.flags.writeable = False
    return found


def every_other(x: Array) -> Array:
    wide = np.zeros((x.shape[0], 2 * x.shape[1], 3 * x.shape[2]))
    wide[:, ::2, ::3] = x
    return wide[:, ::2, ::3]


MEMORY: dict[str, Callable[[Array], Any]] = {
    "transposed": transposed,
    "negative strides": reversed_twice,
    "read-only": read_only,
    "Fortran order": np.asfortranarray,
    "strided view": every_other,
    "list of lists": lambda x: x.tolist(),
    "tuple of arrays": tuple,
    "big-endian": lambda x: x.astype(">f8"),
}


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_memory_layout_changes_nothing(name: str, memory: str, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, size=(5, 3, 6))
    arranged = MEMORY[memory](values)
    if memory in ("list of lists", "tuple of arrays") and name in ("scalars", "angle"):
        arranged = np.asarray(arranged)  # a list is no batch of scalars
    if memory in ("list of lists", "tuple of arrays") and name in ("vector", "exp, n = 6"):
        arranged = np.asarray(arranged)  # these functions slice their argument
    kept = np.array(arranged, copy=True)
    found = FUNCTIONS[name](arranged)
    assert (found == FUNCTIONS[name](values)).all()
    assert (np.asarray(arranged) == kept).all()


@pytest.mark.parametrize("memory", MEMORY)
def test_memory_layout_of_matrices(memory: str, rng: np.random.Generator) -> None:
    matrices = rotations(rng.uniform(-1, 1, size=(5, 6)))
    arranged = MEMORY[memory](matrices)
    kept = np.array(arranged, copy=True)
    found = rotor_from_matrix(arranged, EUCLID)
    assert found == rotor_from_matrix(matrices, EUCLID)
    assert found.dtype == np.dtype("=f8")
    assert (np.asarray(arranged) == kept).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_broadcast_arrays_of_stride_zero(name: str, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, size=6)
    spread = np.broadcast_to(values, (4, 6))
    assert spread.strides[0] == 0
    found = FUNCTIONS[name](spread)
    assert (found == FUNCTIONS[name](np.ascontiguousarray(spread))).all()


def test_noisy_matrices_are_not_projected_in_place(rng: np.random.Generator) -> None:
    noisy = rotations(rng.uniform(-1, 1, size=(5, 6))) + 1e-6 * rng.normal(size=(5, 4, 4))
    kept = noisy.copy()
    rotor_from_matrix(noisy, EUCLID)
    rotor_from_matrix(noisy, EUCLID, on_error="nan", tolerance=1e-9)
    assert (noisy == kept).all()


def test_multivectors_are_not_changed_by_any_function(rng: np.random.Generator) -> None:
    b = EUCLID.random.bivector(rng, (3,))
    r = exp(b)
    kept = b.coeffs.copy(), r.coeffs.copy()
    for function in (exp, outer_exp, inverse, norm, normalize, dual, invariant_decomposition):
        function(b)
    for function in (rotor_to_matrix, inverse):
        function(r)
    sandwich(r, b)
    assert (b.coeffs == kept[0]).all()
    assert (r.coeffs == kept[1]).all()


# --- integers and empty batches -----------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.int64, np.int8, bool])
def test_integers_are_their_floats(name: str, dtype: Any) -> None:
    values = np.array([[1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]], dtype=dtype)
    found = FUNCTIONS[name](values)
    assert found.dtype == np.float64
    assert (found == FUNCTIONS[name](values.astype(float))).all()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 2)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_empty_batches_are_empty(name: str, shape: tuple[int, ...]) -> None:
    found = FUNCTIONS[name](np.zeros((*shape, 6)))
    assert found.size == 0
    assert found.shape[: len(shape)] == shape


# --- the table of refusals ----------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")

# Each row: what is wrong, the call, the error, the builtin it also is, and words of its message:
# what was expected, what came, what to do.
REFUSALS: list[tuple[str, Callable[[], Any], type[GeomlinError], type[Exception], list[str]]] = [
    (
        "too few coefficients",
        lambda: PGA.bivector([1, 2, 3]),
        LayoutError,
        ValueError,
        ["bivector has 6 coefficients", "e12, e13, e14", "got shape (3,)"],
    ),
    (
        "blade axis first",
        lambda: PGA.vector(np.ones((4, 7))),
        LayoutError,
        ValueError,
        ["4 coefficients on the last axis", "got shape (4, 7)"],
    ),
    (
        "no blade axis",
        lambda: PGA.vector(3.0),
        LayoutError,
        ValueError,
        ["4 coefficients", "got shape ()"],
    ),
    (
        "two algebras",
        lambda: PGA.blade("e1") * EUCLID.blade("e1"),
        SignatureMismatch,
        ValueError,
        ["one algebra", "Cl(3,0,1)", "Cl(4)"],
    ),
    (
        "two backends",
        lambda: geometric_product(EUCLID.blade("e1"), Algebra(4, backend="flint").blade("e1")),
        SignatureMismatch,
        ValueError,
        ["Cl(4) and Cl(4) over flint", "A.to(backend='flint')"],
    ),
    (
        "unknown blade",
        lambda: EUCLID.blade("e15"),
        UnknownBlade,
        ValueError,
        ["'e15' names no blade in dimension 4", "indices from 1 to 4", "e12"],
    ),
    (
        "NaN coefficient",
        lambda: EUCLID.bivector([1, NAN, 0, 0, NAN, 0]),
        NonFiniteInput,
        ValueError,
        ["finite coefficients", "got 2", "remove or mask"],
    ),
    (
        "infinite coefficient",
        lambda: EUCLID.bivector([1, INF, 0, 0, 0, 0]),
        NonFiniteInput,
        ValueError,
        ["finite coefficients", "got 1", "remove or mask"],
    ),
    (
        "NaN matrix",
        lambda: rotor_from_matrix(np.full((4, 4), NAN), EUCLID),
        NonFiniteInput,
        ValueError,
        ["finite coefficients", "got 16", "remove or mask"],
    ),
    (
        "NaN angle",
        lambda: rotor_from_plane(EUCLID.blade("e12"), NAN),
        NonFiniteInput,
        ValueError,
        ["finite coefficients", "got 1"],
    ),
    (
        "complex coefficients",
        lambda: EUCLID.vector([1j, 0, 0, 0]),
        DtypeError,
        TypeError,
        ["real coefficients", "complex128", "real and imaginary parts"],
    ),
    (
        "complex matrix",
        lambda: rotor_from_matrix(np.eye(4) * 1j, EUCLID),
        DtypeError,
        TypeError,
        ["real coefficients", "complex128", "real and imaginary parts"],
    ),
    (
        "matrix of strings",
        lambda: rotor_from_matrix([["1", "0"], ["0", "1"]], Algebra(2)),
        DtypeError,
        TypeError,
        ["float64, float32, float16 or integers", "<U1", "numpy.asarray"],
    ),
    (
        "ragged matrix",
        lambda: rotor_from_matrix([[1, 0], [0]], Algebra(2)),
        LayoutError,
        ValueError,
        ["a rectangular array", "lists of unequal length"],
    ),
    (
        "matrix of another size",
        lambda: rotor_from_matrix(np.eye(3), EUCLID),
        LayoutError,
        ValueError,
        ["matrices (..., 4, 4) for Cl(4)", "got shape (3, 3)"],
    ),
    (
        "a vector for a matrix",
        lambda: rotor_from_matrix(np.ones(4), EUCLID),
        LayoutError,
        ValueError,
        ["matrices (..., 4, 4)", "got shape (4,)"],
    ),
    (
        "matrix that is not square",
        lambda: rotor_from_matrix(np.ones((4, 3)), EUCLID),
        LayoutError,
        ValueError,
        ["matrices (..., 4, 4)", "got shape (4, 3)"],
    ),
    (
        "matrix and algebra exchanged",
        lambda: rotor_from_matrix(EUCLID, np.eye(4)),
        LayoutError,
        ValueError,
        ["an Algebra", "ndarray", "rotor_from_matrix(M, algebra)"],
    ),
    (
        "matrix that is not orthogonal",
        lambda: rotor_from_matrix(2 * np.eye(4), EUCLID),
        NotOrthogonal,
        ValueError,
        ["M^T G M - G| <= 0.0001", "got a defect of 0.75", "project the matrix first"],
    ),
    (
        "orthogonal, for another metric",
        lambda: rotor_from_matrix([[0.6, -0.8], [0.8, 0.6]], Algebra(1, 1)),
        NotOrthogonal,
        ValueError,
        ["M^T G M - G", "got a defect", "tolerance"],
    ),
    (
        "determinant -1",
        lambda: rotor_from_matrix(np.diag([-1.0, 1, 1, 1]), EUCLID),
        NotInImage,
        ValueError,
        ["determinant +1", "got -1", "compose with one reflection"],
    ),
    (
        "wrong component",
        lambda: rotor_from_matrix(-np.eye(2), Algebra(1, 1)),
        NotInImage,
        ValueError,
        ["identity component", "reverses both", "R ~R = -1"],
    ),
    (
        "moved null vector",
        lambda: rotor_from_matrix(np.diag([1.0, 1, 1, 2]), PGA),
        NotInImage,
        ValueError,
        ["null basis vector to be fixed", "got a matrix that moves one"],
    ),
    (
        "zero has no inverse",
        lambda: inverse(EUCLID.scalar(0)),
        NotInvertible,
        ValueError,
        ["invertible multivector", "got 1", "zero divisor", "tolerance"],
    ),
    (
        "zero divisor",
        lambda: inverse(1 + EUCLID.blade("e1")),
        NotInvertible,
        ValueError,
        ["invertible multivector", "reciprocal condition", "zero divisor"],
    ),
    (
        "null vector as a mirror",
        lambda: versor_action(PGA.blade("e4"), PGA.blade("e1")),
        NotInvertible,
        ValueError,
        ["invertible multivector", "null"],
    ),
    (
        "projection onto a null blade",
        lambda: project(PGA.blade("e1"), PGA.blade("e14")),
        NotInvertible,
        ValueError,
        ["invertible multivector", "null"],
    ),
    (
        "dual in a degenerate metric",
        lambda: dual(PGA.blade("e1")),
        NotInvertible,
        ValueError,
        ["invertible pseudoscalar", "I^2 = 0 in Cl(3,0,1)", "complement(A)"],
    ),
    (
        "no unit multiple",
        lambda: normalize(PGA.blade("e4")),
        NotInvertible,
        ValueError,
        ["<A ~A>_0 != 0", "got 1", "no unit multiple"],
    ),
    (
        "rotor that is none",
        lambda: rotor_to_matrix(2 * EUCLID.scalar(1)),
        NotARotor,
        ValueError,
        ["even versor with R ~R = 1", "got 1", "normalize(R)"],
    ),
    (
        "decomposition that does not exist",
        lambda: invariant_decomposition(
            Algebra(2, 2).bivector({"e12": 1, "e34": 1, "e13": 1, "e24": -1})
        ),
        NotDecomposable,
        ValueError,
        ["commuting real simple bivectors", "got 1", "blocks=True"],
    ),
    (
        "vector for a bivector",
        lambda: invariant_decomposition(EUCLID.blade("e1")),
        LayoutError,
        ValueError,
        ["expected a bivector", "got grades (1,)", "A.grade(2)"],
    ),
    (
        "rapidity beyond float64",
        lambda: exp(Algebra(1, 1).bivector([1000.0])),
        RapidityOverflow,
        OverflowError,
        ["range of float64", "1e+03"],
    ),
    (
        "dimension 13",
        lambda: Algebra(13),
        LayoutError,
        ValueError,
        ["dimension 13", "1 <= p + q + r <= 12"],
    ),
    (
        "unknown backend",
        lambda: Algebra(3, backend="cupy"),
        NotSupported,
        NotImplementedError,
        ["'cupy'", "numpy"],
    ),
    (
        "multivector for coefficients",
        lambda: EUCLID.vector(EUCLID.blade("e1")),
        LayoutError,
        ValueError,
        ["expected coefficients", "got a Multivector", "A.grade(2)"],
    ),
]


@pytest.mark.parametrize(
    ("what", "call", "error", "builtin", "words"), REFUSALS, ids=[row[0] for row in REFUSALS]
)
def test_refusals(
    what: str,
    call: Callable[[], Any],
    error: type[GeomlinError],
    builtin: type[Exception],
    words: list[str],
) -> None:
    with pytest.raises(GeomlinError) as raised:
        call()
    assert type(raised.value) is error, what
    assert isinstance(raised.value, builtin)
    message = str(raised.value)
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} not in {message!r}"
    assert (
        "expected" in message
        or "names no blade" in message
        or what
        in (
            "too few coefficients",
            "blade axis first",
            "no blade axis",
            "dual in a degenerate metric",
            "dimension 13",
            "rapidity beyond float64",
        )
    )


# --- NaN that our own functions made ------------------------------------------------------------


def failed_elements() -> list[Multivector]:
    """Results of on_error="nan": the only NaN that geomlin hands out."""
    zero = EUCLID.even(np.zeros((2, 8)))
    return [
        inverse(zero, on_error="nan"),
        rotor_from_matrix(np.zeros((2, 4, 4)), EUCLID, on_error="nan"),
        invariant_decomposition(
            Algebra(2, 2).bivector({"e12": 1, "e34": 1, "e13": 1, "e24": -1}), on_error="nan"
        ).parts,
    ]


@pytest.mark.parametrize("nan", failed_elements(), ids=["inverse", "lift", "decomposition"])
def test_nan_results_are_refused_by_the_next_function(nan: Multivector) -> None:
    assert np.isnan(nan.coeffs).all()
    for function in (exp, inverse, norm, normalize, rotor_to_matrix):
        with pytest.raises(NonFiniteInput, match="finite"):
            function(nan)
    assert nan != nan
    assert np.isnan((nan + 1)["e12"]).all()  # arithmetic passes it on


@pytest.mark.parametrize("backend", ["fractions", "flint", "sympy"])
def test_exact_backends_name_what_they_cannot_do(backend: str) -> None:
    algebra = Algebra(3, backend=backend)
    b = algebra.bivector([1, 2, 3])
    calls: list[Callable[[], Any]] = [lambda: rotor_from_plane(b, 1)]
    if backend != "sympy":
        calls += [
            lambda: invariant_decomposition(b),
            lambda: rotor_from_matrix(np.eye(3), algebra),
            lambda: exp(b),
            lambda: norm(b),
        ]
    for call in calls:
        with pytest.raises(NotSupported, match="numpy"):
            call()
