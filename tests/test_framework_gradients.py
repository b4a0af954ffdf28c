"""Derivatives of torch and jax against geomlin.derivatives, and second derivatives against algebra.

The table: zero, one plane, isoclinic, rotated isoclinic, gaps 1e-7 and 1e-4, null, half turn, for
n = 3, 4, 6, 8, 10; relative error at most 1e-12, no NaN.  Rotors are compared along tangents only.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from framework_tools import (
    FRAMEWORKS,
    TORCH_JIT,
    algebra_on,
    array,
    both,
    double_precision,
    hessian,
    jvp,
    numbers,
    vjp,
)

from geomlin import (
    Algebra,
    Multivector,
    even,
    exp,
    invariant_decomposition,
    log,
    power,
    rotor_from_matrix,
    rotor_to_matrix,
)
from geomlin import derivatives as d

pytestmark = pytest.mark.filterwarnings(TORCH_JIT)
frameworks = pytest.mark.parametrize("name", FRAMEWORKS)
dimensions = pytest.mark.parametrize("n", [3, 4, 6, 8, 10])

BOUND = 1e-12
CASES = ("zero", "one plane", "isoclinic", "rotated isoclinic", "gap 1e-7", "gap 1e-4", "half turn")


def some(**cases: Any) -> Any:
    """Parametrises by framework and its own cases: jax takes seconds to compile each."""
    pairs = [(name, case) for name, values in cases.items() for case in values]
    return pytest.mark.parametrize(("name", "case"), pairs, ids=str)


@pytest.fixture(autouse=True)
def _double() -> Any:
    with double_precision():
        yield


def _planes(n: int, angles: Any, frame: Any) -> Any:
    """Coefficients of sum_k angle_k u_k ^ v_k, u_k and v_k columns of the frame."""
    b = np.zeros((n, n))
    for k, angle in enumerate(angles[: n // 2]):
        u, v = frame[:, 2 * k], frame[:, 2 * k + 1]
        b += angle * (np.outer(u, v) - np.outer(v, u))
    return b[np.triu_indices(n, 1)]


def table(n: int) -> Multivector:
    """The bivectors of CASES, in that order; the half turn is in one plane, beside 0.3."""
    axes = np.eye(n)
    frame = np.linalg.qr(np.random.default_rng(n).normal(size=(n, n)))[0]
    k = n // 2
    steps = np.arange(k)
    rows = [
        _planes(n, np.zeros(k), axes),
        _planes(n, [0.7] + [0.0] * (k - 1), frame),
        _planes(n, np.full(k, 0.7), axes),
        _planes(n, np.full(k, 0.7), frame),
        _planes(n, 0.7 + 1e-7 * steps, frame),
        _planes(n, 0.7 + 1e-4 * steps, frame),
        _planes(n, [np.pi / 2] + [0.3] * (k - 1), frame),
    ]
    return Algebra(n).bivector(np.array(rows))


def null_bivectors(n: int) -> Multivector:
    """e_0 ^ w and a multiple, exactly null in Cl(n-1, 1)."""
    alg = Algebra(n - 1, 1)
    light = alg.blade("e1") + alg.basis_vectors[-1]
    plane = light ^ alg.basis_vectors[1]
    return alg.bivector(np.stack([plane.grade(2).coeffs, 0.25 * plane.grade(2).coeffs]))


def worst(found: Any, wanted: Any) -> float:
    """Largest error, each row relative to its largest number; infinite for NaN."""
    found, wanted = numbers(found), numbers(wanted)
    size = np.abs(wanted).max(axis=-1, keepdims=True)
    error = np.abs(found - wanted) / np.where(size > 0, size, 1.0)
    return float(np.where(np.isnan(error), np.inf, error).max())


def along_tangents(R: Multivector, cotangent: Any) -> Any:
    """<R_bar, e_ij R> for all ij: the components that mean something, (batch, pairs)."""
    pairs = (R.algebra.blade(name) for name in R.algebra.bivector_blades)
    tangents = np.stack([even(pair * R).coeffs for pair in pairs], axis=-2)
    return (tangents * cotangent[..., None, :]).sum(axis=-1)


@frameworks
@dimensions
def test_gradient_table_of_exp(name: str, n: int, rng: np.random.Generator) -> None:
    for B in (table(n), null_bivectors(n)):
        algebra = algebra_on(name, tuple(B.algebra.signature))
        cotangent = B.algebra.even(rng.normal(size=(len(B), 1 << n >> 1)))

        def function(c: Any, algebra: Any = algebra) -> Any:
            return exp(algebra.bivector(c)).coeffs

        direction = B.algebra.bivector(rng.normal(size=B.coeffs.shape))
        _, tangent, pulled = both(name, function, B.coeffs, direction.coeffs, cotangent.coeffs)
        assert worst(pulled, d.exp_vjp(B, cotangent)) <= BOUND
        assert worst(tangent, d.exp_jvp(B, direction)) <= BOUND


@frameworks
@dimensions
def test_gradient_table_of_log(name: str, n: int, rng: np.random.Generator) -> None:
    for B in (table(n), null_bivectors(n)):
        R, algebra = exp(B), algebra_on(name, tuple(B.algebra.signature))
        direction = B.algebra.bivector(rng.normal(size=B.coeffs.shape))
        cotangent = B.algebra.bivector(rng.normal(size=B.coeffs.shape))
        tangent = d.exp_jvp(B, direction)

        def function(c: Any, algebra: Any = algebra) -> Any:
            return log(algebra.even(c)).coeffs

        arguments = R.coeffs, tangent.coeffs, cotangent.coeffs
        value, found, pulled = both(name, function, *arguments)
        assert worst(value, log(R)) <= BOUND
        assert worst(found, d.log_jvp(R, tangent)) <= BOUND
        assert worst(found, direction) <= 1e-11  # log inverts exp
        wanted = along_tangents(R, d.log_vjp(R, cotangent).coeffs)
        assert worst(along_tangents(R, pulled), wanted) <= BOUND


@some(torch=[3, 4, 6], jax=[3, 4])
def test_gradients_of_the_cover(name: str, case: int, rng: np.random.Generator) -> None:
    n = case
    B = table(n)
    R, algebra = exp(B), algebra_on(name, (n,))
    tangent = d.exp_jvp(B, B.algebra.bivector(rng.normal(size=B.coeffs.shape)))
    matrices = rotor_to_matrix(R)
    _, found = jvp(name, lambda c: rotor_to_matrix(algebra.even(c)), R.coeffs, tangent.coeffs)
    wanted = d.rotor_to_matrix_jvp(R, tangent)
    assert worst(found.reshape(len(B), -1), np.asarray(wanted).reshape(len(B), -1)) <= BOUND
    cotangent = rng.normal(size=R.coeffs.shape)
    lifted, moved, pulled = both(
        name, lambda m: rotor_from_matrix(m, algebra).coeffs, matrices, wanted, cotangent
    )
    signs = np.sign((lifted * R.coeffs).sum(axis=-1))[:, None]
    assert worst(signs * lifted, R) <= BOUND
    assert worst(signs * moved, tangent) <= BOUND
    along = (pulled * np.asarray(wanted)).sum(axis=(-1, -2))
    assert np.abs(along - (cotangent * moved).sum(axis=-1)).max() <= 1e-11


@frameworks
def test_gradients_of_the_decomposition(name: str, rng: np.random.Generator) -> None:
    """Generic bivectors, and screws of PGA; the parts add up to B."""
    for signature in ((4, 0, 0), (3, 0, 1), (6, 0, 0)):
        alg, algebra = Algebra(*signature), algebra_on(name, signature)
        B, direction = alg.random.bivector(rng), alg.random.bivector(rng)

        def function(c: Any, algebra: Any = algebra) -> Any:
            return invariant_decomposition(algebra.bivector(c)).parts.coeffs

        cotangent = rng.normal(size=(alg.n // 2, len(alg.bivector_blades)))
        _, found, pulled = both(name, function, B.coeffs, direction.coeffs, cotangent)
        assert worst(found, d.decomposition_jvp(B, direction)[0]) <= 1e-10
        assert worst(found.sum(axis=0), direction) <= 1e-12
        assert abs((pulled * direction.coeffs).sum() - (cotangent * found).sum()) <= 1e-10


@frameworks
def test_decompositions_have_no_gradient_at_equal_angles(name: str) -> None:
    algebra = algebra_on(name, (4,))
    B = Algebra(4).bivector({"e12": 1.0, "e34": 1.0})

    def function(c: Any) -> Any:
        return invariant_decomposition(algebra.bivector(c)).parts.coeffs

    value, tangent = jvp(name, function, B.coeffs, np.arange(6.0))
    assert np.isfinite(value).all()
    assert np.isnan(tangent).any()


# --- second derivatives --------------------------------------------------------------------------


@some(torch=CASES[:-1], jax=["zero", "isoclinic"])
def test_second_derivative_along_b_is_b_squared_exp_b(name: str, case: str) -> None:
    """d^2/dt^2 exp((1 + t) B) = B^2 exp(B)."""
    n = 4
    B = table(n)[CASES.index(case)]
    algebra = algebra_on(name, (n,))
    wanted = (B * B * exp(B)).coeffs
    weights = array(name, np.arange(1.0, 9.0))

    def function(t: Any) -> Any:
        return (exp(algebra.bivector(array(name, B.coeffs) * (1.0 + t[0]))).coeffs * weights).sum()

    found = hessian(name, function, [0.0])[0, 0]
    assert abs(found - wanted @ np.arange(1.0, 9.0)) <= 10 * BOUND


@frameworks
@pytest.mark.parametrize("n", [3, 6])
def test_second_derivatives_of_exp_at_zero_are_products(name: str, n: int) -> None:
    """exp(B)_S to second order is <B^2>_S / 2, so its Hessian is that of the product."""
    algebra, alg = algebra_on(name, (n,)), Algebra(n)
    pairs = len(alg.bivector_blades)
    weights = np.arange(1.0, (1 << n >> 1) + 1)

    def function(c: Any) -> Any:
        return (exp(algebra.bivector(c)).coeffs * array(name, weights)).sum()

    units = [alg.bivector(row) for row in np.eye(pairs)]
    wanted = np.zeros((pairs, pairs))
    for i, a in enumerate(units):
        for j, b in enumerate(units):
            wanted[i, j] = ((a * b + b * a) / 2 + alg.even({"1": 0})).coeffs @ weights
    found = hessian(name, function, np.zeros(pairs))
    assert np.abs(found - wanted).max() <= BOUND * np.abs(wanted).max()


@some(torch=[(4,), (3, 1), (3, 0, 1)], jax=[(4,), (3, 1)])
def test_second_derivatives_of_log_undo_those_of_exp(
    name: str, case: tuple[int, ...], rng: np.random.Generator
) -> None:
    """|log exp B|^2 = |B|^2 has the Hessian 2, and <C, M(exp log R)> that of M alone."""
    algebra = algebra_on(name, case)
    B = Algebra(*case).random.bivector(rng, scale=0.3).coeffs

    def function(c: Any) -> Any:
        return (log(exp(algebra.bivector(c))).coeffs ** 2).sum()

    found = hessian(name, function, B)
    assert np.abs(found - 2 * np.eye(len(B))).max() <= 1e-11


@frameworks
def test_second_derivatives_of_lifts(name: str, rng: np.random.Generator) -> None:
    """R(M(exp B)) = exp B for small B, so both have one Hessian."""
    algebra = algebra_on(name, (4,))
    B = Algebra(4).random.bivector(rng, scale=0.3).coeffs
    weights = array(name, rng.normal(size=8))

    def lifted(c: Any) -> Any:
        matrix = rotor_to_matrix(exp(algebra.bivector(c)))
        return (rotor_from_matrix(matrix, algebra).coeffs * weights).sum()

    def direct(c: Any) -> Any:
        return (exp(algebra.bivector(c)).coeffs * weights).sum()

    assert np.abs(hessian(name, lifted, B) - hessian(name, direct, B)).max() <= 1e-11


def test_powers_differentiate_in_the_exponent_too() -> None:
    """d/dt R^t = log(R) R^t."""
    alg = algebra_on("torch", (4,))
    R = exp(alg.bivector(array("torch", [0.3, -0.2, 0.1, 0.5, 0.4, -0.6])))
    _, found = jvp("torch", lambda t: power(R, t).coeffs, 0.4, 1.0)
    assert worst(found[None], (log(R) * power(R, 0.4)).coeffs[None]) <= BOUND


def test_jax_differentiates_functions_of_multivectors() -> None:
    alg = algebra_on("jax", (3,))
    B = alg.bivector([0.3, -0.2, 0.5])
    found = jax.grad(lambda a: (a.coeffs**2).sum())(B)
    assert isinstance(found, Multivector)
    assert found == 2 * B


# --- a wrong derivative is seen ------------------------------------------------------------------


def test_the_bound_refutes_the_gradient_of_half_angles(rng: np.random.Generator) -> None:
    B = table(4)
    algebra = algebra_on("torch", (4,))
    cotangent = B.algebra.even(rng.normal(size=(len(B), 8)))
    found = vjp("torch", lambda c: exp(algebra.bivector(c / 2)).coeffs, B.coeffs, cotangent.coeffs)
    assert worst(found, d.exp_vjp(B, cotangent)) > 0.1
    assert worst(np.full((1, 2), np.nan), np.ones((1, 2))) == np.inf


@pytest.mark.parametrize("signature", [(2, 0, 0), (1, 1, 0), (1, 0, 1)], ids=str)
def test_the_gradient_of_log_exp_is_one_in_two_dimensions(signature: tuple[int, ...]) -> None:
    """Nothing to commute with: the tables of the adjoint are empty there."""
    on_torch, on_jax = (algebra_on(name, signature) for name in ("torch", "jax"))
    b = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    log(exp(on_torch.bivector(b))).coeffs.sum().backward()
    assert b.grad is not None
    assert abs(float(b.grad[0]) - 1.0) < 1e-14
    found = jax.grad(lambda c: log(exp(on_jax.bivector(c))).coeffs.sum())(jnp.array([0.3]))
    assert abs(float(found[0]) - 1.0) < 1e-6
