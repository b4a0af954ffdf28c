"""Blocks of rotors from bivectors, and gradients back, in float64.

    r = exp(b) = prod_m (cos theta_m + sin theta_m B_m),

with commuting unit planes B_m from the Hermitian eigenvectors of i b.  The gradient never passes
through eigenvectors, which are not differentiable at equal angles (autograd gives NaN there, or
silently a wrong answer); with dr = r w and h the gradient for w,

    grad b = phi(ad_b) h,   phi(z) = (e^z - 1) / z,

is smooth: phi is entire, and any orthonormal eigenvectors of b will do to evaluate it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import NonFiniteInput
from . import native_action
from .native_rotors import native_factors, native_pull_back
from .tables import RotorTables, gather, rotor_tables


class Spectrum(NamedTuple):
    """i b = U diag(values) U^H, values ascending; (..., n) and (..., n, n)."""

    values: Tensor
    vectors: Tensor


def antisymmetric(b: Tensor, tables: RotorTables) -> Tensor:
    """b_ij from the coefficients e12, e13, .., e23, .."""
    matrix = b.new_zeros((*b.shape[:-1], tables.n, tables.n))
    matrix[..., tables.rows, tables.columns] = b
    return matrix - matrix.mT


def spectrum(b: Tensor, tables: RotorTables) -> Spectrum:
    """Eigenvalues and eigenvectors of i b; NonFiniteInput for NaN or infinity."""
    if not bool(b.isfinite().all()):
        raise NonFiniteInput(
            "expected finite bivectors, got NaN or infinity: training has diverged, lower the "
            "learning rate or clip the gradients"
        )
    return Spectrum(*torch.linalg.eigh(1j * antisymmetric(b, tables)))


def planes(found: Spectrum, tables: RotorTables) -> tuple[Tensor, Tensor]:
    """Angles theta (..., n // 2), descending to zero, and unit planes (..., n // 2, P).

    b = sum_m theta_m B_m.  B = y ^ x for an eigenvector (x + i y) / sqrt 2 of theta > 0: x and y
    are orthonormal even at equal angles, because theta and -theta differ.
    """
    k = tables.n // 2
    theta = found.values[..., tables.n - k :].flip(-1)
    z = found.vectors[..., tables.n - k :].flip(-1).mT * math.sqrt(2.0)
    x, y = z.real, z.imag
    i, j = tables.rows, tables.columns
    return theta, y[..., i] * x[..., j] - y[..., j] * x[..., i]


def rotor_blocks(found: Spectrum, tables: RotorTables) -> Tensor:
    """Blocks of exp(b), (..., tau, kappa, N, N).

    The first N columns of a complex matrix of quaternions are (q_0 + i q_1, -q_2 + i q_3).
    """
    theta, unit = planes(found, tables)
    tau, kappa, size, _ = tables.shape
    width = size * max(1, kappa // 2)
    factors = unit @ tables.matrices
    if kappa > 1:
        factors = torch.view_as_complex(factors.view(*theta.shape, tau * width**2, 2))
    factors = factors.view(*theta.shape, tau, width, width)
    factors = factors * torch.sin(theta)[..., None, None, None]
    factors.diagonal(dim1=-2, dim2=-1).add_(torch.cos(theta)[..., None, None])
    product = factors[..., 0, :, :, :size]
    for m in range(1, tables.n // 2):
        product = factors[..., m, :, :, :] @ product
    if kappa == 1:
        return product.unsqueeze(-3)
    top = product[..., :size, :]
    if kappa == 2:
        return torch.stack([top.real, top.imag], dim=-3)
    bottom = product[..., size:, :]
    return torch.stack([top.real, top.imag, -bottom.real, bottom.imag], dim=-3)


def adjoint(blocks: Tensor, tables: RotorTables) -> Tensor:
    """Conjugate transpose of blocks (..., tau, kappa, N, N): the blocks of the reverse."""
    return gather(blocks, tables.conjugate, 4).view(blocks.shape)


def right_factors(blocks: Tensor, tables: RotorTables) -> Tensor:
    """(..., 2, tau, kappa, N, N): right factors of both halves from the blocks of the even one."""
    odd = blocks if tables.odd is None else gather(blocks, tables.odd, 4).view(blocks.shape)
    return torch.stack([blocks, odd], dim=-5)


def factors(bivectors: Tensor, n: int) -> tuple[Tensor, Tensor, Spectrum]:
    """Left and right factors A, S of x -> r x ~s, r = exp(b_0), s = exp(b_last), in float64.

    bivectors (sides, ..., P), sides 1 (s = r) or 2.
    """
    tables = rotor_tables(n, bivectors.device)
    found = spectrum(bivectors.to(torch.float64), tables)
    native = _native(n, bivectors.device)
    if native is not None:
        return (*native_factors(native, found.values, found.vectors), found)
    blocks = rotor_blocks(found, tables)
    return blocks[0], right_factors(adjoint(blocks[-1], tables), tables), found


def _native(n: int, device: torch.device) -> native_action.NativeAction | None:
    """The kernel, if there is one for this dimension and device."""
    found = native_action.implementation()
    return found if found is not None and found.accepts(n, torch.float64, device) else None


def pull_back(moment_r: Tensor, moment_s: Tensor, found: Spectrum, n: int) -> Tensor:
    """Gradient of the bivectors, (sides, ..., P) in float64, from the moments of an action.

    h_ij = sum_t <M_t, rho_t(e_i e_j)>,   grad b_r = phi(ad) h_r,   grad b_s = -phi(ad) h_s.
    """
    native = _native(n, moment_r.device)
    if native is not None:
        return native_pull_back(native, moment_r, moment_s, found.values, found.vectors)
    tables = rotor_tables(n, moment_r.device)
    left = moment_r.to(torch.float64).flatten(-4) @ tables.generators.T
    right = moment_s.to(torch.float64).flatten(-4) @ tables.generators.T
    right = -(right[..., 0, :] + tables.hat * right[..., 1, :])
    sides = found.values.shape[0]
    h = torch.stack([left, right]) if sides == 2 else (left + right)[None]
    return phi_of_ad(h, found, tables)


def phi_of_ad(h: Tensor, found: Spectrum, tables: RotorTables) -> Tensor:
    """phi(ad_b) h: entry (j, k) in the eigenvectors times phi of the difference of eigenvalues."""
    values, u = found
    half = values[..., None, :] - values[..., :, None]
    factor = torch.polar(torch.sinc(half / math.pi), half)
    inner = u.mH @ antisymmetric(h, tables).to(u.dtype) @ u
    matrix = (u @ (factor * inner) @ u.mH).real
    return matrix[..., tables.rows, tables.columns]
