"""High-precision derivatives that share nothing with the kernels: balls and rationals.

The derivative of exp is read off the exponential of a block-triangular matrix in the reference's
own representation; that of log is the inverse of a ball matrix of phi(ad_B); that of the
decomposition is a central difference of Lagrange polynomials of M^2, in exact steps.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat

from geomlin.signature import Signature
from geomlin.verification.reference import (
    as_ball,
    exact_exp,
    null_degrees,
    product_sign,
    until_tight,
    working_precision,
)
from geomlin.verification.representation import even_blades, representation


def corner_of_exp(x, e):
    """The upper right block of exp ((X, E), (0, X))."""
    size = x.nrows()
    block = type(x)(2 * size, 2 * size)
    for i in range(size):
        for j in range(size):
            block[i, j] = block[size + i, size + j] = x[i, j]
            block[i, size + j] = e[i, j]
    found = block.exp()
    corner = type(x)(size, size)
    for i in range(size):
        for j in range(size):
            corner[i, j] = found[i, size + j]
    return corner


def exact_exp_derivative(b: np.ndarray, db: np.ndarray, signature: Signature) -> tuple[arb, ...]:
    """D exp(B) dB, coefficients in even blade order."""
    basis = representation(signature)
    bits = 256 + max(0, int(np.frexp(np.abs(b).max(initial=0.0))[1]))

    def compute() -> tuple[arb, ...]:
        pairs = zip(basis.blocks(b), basis.blocks(db), strict=True)
        return basis.coefficients([corner_of_exp(acb_mat(x), acb_mat(e)) for x, e in pairs])

    return until_tight(compute, null_degrees(signature), bits)


def exact_matrix_derivative(b: np.ndarray, db: np.ndarray, signature: Signature) -> np.ndarray:
    """The derivative of the matrix exp(2 b G) along db, rounded to floats."""
    n, g = signature.n, np.array(signature.metric)
    with working_precision(320):
        x = arb_mat(n, n, [2 * arb(v) for v in (b * g).ravel().tolist()])
        e = arb_mat(n, n, [2 * arb(v) for v in (db * g).ravel().tolist()])
        return rounded(corner_of_exp(x, e).entries()).reshape(n, n)


def rounded(values) -> np.ndarray:
    """The nearest floats."""
    return np.array([float(as_ball(value).mid()) for value in values])


def bivector_degrees(signature: Signature) -> np.ndarray:
    """Number of null vectors in each e_i e_j, i < j."""
    null = [g == 0 for g in signature.metric]
    return np.array([null[i] + null[j] for i, j in combinations(range(signature.n), 2)], dtype=int)


def tangent_units(
    tangent: np.ndarray, rotor: np.ndarray, db: np.ndarray, signature: Signature
) -> np.ndarray:
    """The unit of the errors of dR in each coefficient.

    It is the largest coefficient of the same null-degree.  With null vectors a degree of dR may
    vanish (e_0 ^ v at a full turn) while the terms e^(sB) dB e^((1-s)B) that it is the integral of
    do not: there it is at least the largest product of a degree of dB and one of R.
    """
    degrees, pairs = np.array(null_degrees(signature)), bivector_degrees(signature)
    units = np.zeros(len(tangent))
    for d in set(degrees):
        products = [
            np.abs(db[pairs == a]).max(initial=0.0) * np.abs(rotor[degrees == d - a]).max(initial=0)
            for a in set(pairs.tolist())
        ]
        own = np.abs(tangent[degrees == d]).max()
        units[degrees == d] = max(own, *products) if signature.r else own
    return units


def phi_of_adjoint(b: np.ndarray, signature: Signature, bits: int = 400) -> arb_mat:
    """phi(ad_B) on bivectors, from the upper right block of exp ((ad_B, 1), (0, 0))."""
    n, g = signature.n, np.array(signature.metric, dtype=float)
    pairs = list(combinations(range(n), 2))
    size = len(pairs)
    with working_precision(bits):
        augmented = arb_mat(2 * size, 2 * size)
        for column, (i, j) in enumerate(pairs):
            y = np.zeros((n, n))
            y[i, j], y[j, i] = 1.0, -1.0
            commutator = (b * g) @ y - (y * g) @ b  # exact: one product per entry
            for row, pair in enumerate(pairs):
                augmented[row, column] = 2 * arb(float(commutator[pair]))
            augmented[column, size + column] = arb(1)
        found = augmented.exp()
        return arb_mat([[found[i, size + j] for j in range(size)] for i in range(size)])


def log_condition(
    b: np.ndarray, db: np.ndarray, tangent: np.ndarray, rotor: np.ndarray, signature: Signature
) -> np.ndarray | None:
    """Relative condition number of (B, R, dR) -> dB in each null-degree; None where singular.

    |phi^-1| (|<dR ~R>_2| + |phi| |dB|), each product summed with absolute values, times |ad_B|.
    """
    phi = phi_of_adjoint(b, signature)
    size = phi.nrows()
    with working_precision(400):
        try:
            inverse = rounded(phi.inv().entries()).reshape(size, size)
        except ZeroDivisionError:
            return None
    masks = even_blades(signature.n)
    position = {mask: k for k, mask in enumerate(masks)}
    pairs = [1 << i | 1 << j for i, j in combinations(range(signature.n), 2)]
    products = np.array(
        [
            sum(
                abs(tangent[position[mask ^ pair]] * rotor[k])
                for k, mask in enumerate(masks)
                if product_sign(mask ^ pair, mask, signature)
            )
            for pair in pairs
        ]
    )
    sizes = np.abs(rounded(phi.entries()).reshape(size, size))
    amplified = np.abs(inverse) @ (products + sizes @ np.abs(db))
    degrees = bivector_degrees(signature)
    kappa = np.ones(size)
    for d in set(degrees.tolist()):
        members = degrees == d
        kappa[members] = amplified[members].max() / np.abs(db[members]).max()
    return np.maximum(1.0, kappa * max(1.0, 2 * np.abs(b).max(initial=0.0)))


def has_lost_digits(b: np.ndarray, signature: Signature, share: float) -> bool:
    """Whether phi(ad_B) has a singular value below `share`, absolutely or of the largest one.

    It is taken on each null-degree alone, which it maps to itself up to higher ones.
    """
    phi = phi_of_adjoint(b, signature)
    size, degrees = phi.nrows(), bivector_degrees(signature)
    values = rounded(phi.entries()).reshape(size, size)
    for d in set(degrees.tolist()):
        members = degrees == d
        found = np.linalg.svd(values[members][:, members], compute_uv=False)
        if found[-1] <= share * max(1.0, found[0]):
            return True
    return False


def exact_parts_derivative(
    b: np.ndarray, db: np.ndarray, squares: np.ndarray, metric: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Central differences of the parts with distinct squares, in the order of `squares`; and of
    the squares themselves."""
    n = len(b)
    step = fmpq(1, 10**30)
    middle, direction = _rational(b), _rational(db)
    with working_precision(2000):
        plus, minus = (
            _lagrange_parts(middle + sign * step * direction, squares, metric) for sign in (1, -1)
        )
        scale = arb(10**30) / 2
        parts = [
            rounded(((p - m) * scale).entries()) for p, m in zip(plus[0], minus[0], strict=True)
        ]
        changes = rounded([(p - m) * scale for p, m in zip(plus[1], minus[1], strict=True)])
        return np.array(parts).reshape(-1, n, n), changes


def _rational(matrix: np.ndarray) -> fmpq_mat:
    """Floats as the rational numbers they are."""
    ratios = [value.as_integer_ratio() for value in matrix.ravel().tolist()]
    return fmpq_mat(*matrix.shape, [fmpq(*ratio) for ratio in ratios])


def _lagrange_parts(
    b: fmpq_mat, squares: np.ndarray, metric: tuple[int, ...]
) -> tuple[list[arb_mat], list[arb]]:
    """b_i = prod_(j != i) (M^2 - lambda_j) / (lambda_i - lambda_j) b, lambda the roots nearest to
    `squares` of the exact characteristic polynomial of M^2; the last from their sum tr M^2 / 2."""
    n = b.nrows()
    m = b * fmpq_mat(n, n, [g * (i == j) for i, g in enumerate(metric) for j in range(n)])
    square = m * m
    roots = [root.real for root, _ in square.charpoly().numer().complex_roots()]
    exact = [min(roots, key=lambda root: abs(float(root) - x)) for x in squares[:-1].tolist()]
    trace = sum((square[i, i] for i in range(n)), fmpq(0)) / 2
    exact.append(arb(trace) - sum(exact, arb(0)))
    balls = arb_mat(square)
    parts = []
    for i, here in enumerate(exact):
        part = arb_mat(b)
        for j, other in enumerate(exact):
            if j != i:
                shifted = balls - other * arb_mat(
                    n, n, [int(k % (n + 1) == 0) for k in range(n * n)]
                )
                part = shifted * part * (1 / (here - other))
        parts.append(part)
    return parts, exact


def exp_as_floats(b: np.ndarray, signature: Signature) -> np.ndarray:
    """exp(B) rounded to floats, in even blade order."""
    return rounded(exact_exp(b, signature))
