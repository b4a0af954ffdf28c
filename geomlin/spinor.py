"""Spinor representations: multivectors as block-diagonal matrices.

A faithful algebra homomorphism rho: products of multivectors become products of matrices, so
linear algebra (inverse, exponential, singular values) answers questions about multivectors by a
route that shares nothing with the blade tables.  In every signature by complex matrices; for
positive metrics also by pairs of matrices over R, C or H of half the size or less, which is how
rotors act fast.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .algebra import Algebra
from .errors import DtypeError, LayoutError, NotSupported
from .kernels.monomial import (
    block_shape,
    blocks_from_coefficients,
    coefficients_from_blocks,
    embed_null_vectors,
    embedded_metric,
    restrict_to_null_vectors,
)
from .layout import full_layout
from .masked import as_numpy
from .multivector import Multivector
from .operation import leaf, operation
from .ops.bivectors import require_floats
from .ops.exponential import exp
from .ops.failures import check_finite
from .spinor_halves import even_representation as even_representation
from .spinor_halves import from_even_blocks as from_even_blocks
from .spinor_halves import to_even_blocks as to_even_blocks

__all__ = [
    "Representation",
    "even_representation",
    "from_blocks",
    "from_even_blocks",
    "representation",
    "rotor_blocks",
    "to_blocks",
    "to_even_blocks",
]

_FRAMEWORKS = ("torch", "jax")
_REAL_TYPES = {0: "R", 1: "R+R", 2: "R", 3: "C", 4: "H", 5: "H+H", 6: "H", 7: "C"}


class Representation(NamedTuple):
    """The representation of one algebra.

    real_type : the ring over which Cl(p,q) is a matrix algebra, by (p - q) mod 8 [1]; for r > 0
        that of Cl(p + r, q + r), in which it is embedded.
    blocks : number of diagonal blocks; size : rows of each.
    metric : squares of the generators that are represented; e_0 -> e_+ + e_- for null vectors.
    generators : complex array (n, blocks, size, size), the matrices of e1..en.
    """

    real_type: str
    blocks: int
    size: int
    metric: tuple[int, ...]
    generators: Any


def representation(algebra: Algebra) -> Representation:
    """The spinor representation of an algebra: faithful, complex, monomial in every blade.

    rho(A B) = rho(A) rho(B); even n one block of size 2^(n/2), odd n two of size 2^((n-1)/2).

    Parameters
    ----------
    algebra : Algebra with float coefficients.

    Returns
    -------
    Representation(real_type, blocks, size, metric, generators).

    Error bound: exact, entries are powers of i.  Gradient: none.

    References
    ----------
    [1] P. Lounesto, "Clifford Algebras and Spinors", 2nd ed. (2001), section 16.4, table 1.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import representation
    >>> representation(Algebra(1, 3)).real_type, representation(Algebra(3, 1)).real_type
    ('H', 'R')
    """
    metric = embedded_metric(algebra.metric)
    count, size = block_shape(metric)
    generators = np.stack([to_blocks(e) for e in algebra.basis_vectors])
    return Representation(_REAL_TYPES[sum(metric) % 8], count, size, metric, generators)


@operation
def to_blocks(A: Multivector) -> Any:
    """Matrix blocks of a multivector.

    rho(A) = sum_S A_S rho(e_S).

    Parameters
    ----------
    A : multivector, coeffs (..., size).

    Returns
    -------
    Complex array (..., blocks, N, N) of the backend, with blocks and N as in
    representation(A.algebra).

    Raises
    ------
    NotSupported on exact backends.

    Error bound: n eps |A|_1 / 2 for each entry.  Gradient: linear; on torch and jax.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import to_blocks
    >>> e1, e2 = Algebra(2).basis_vectors
    >>> bool((to_blocks(e1 * e2) == to_blocks(e1) @ to_blocks(e2)).all())
    True
    """
    metric = A.algebra.metric
    if A.algebra.backend in _FRAMEWORKS:
        from .frameworks import spinors, support

        values = support.opened(A)
        how = spinors.plan(metric, A.layout, even=False)
        return _complex(spinors.blocks(support.backend_of(A), values, how))
    require_floats(A, "to_blocks")
    by_mask = np.zeros((*A.shape, 1 << A.algebra.n))
    by_mask[..., A.layout.mask_array] = A.coeffs
    if A.algebra.signature.r:
        by_mask = embed_null_vectors(by_mask, metric)
    return blocks_from_coefficients(by_mask, embedded_metric(metric))


@leaf
def from_blocks(X: Any, algebra: Algebra) -> Multivector:
    """The multivector with given matrix blocks.

    A_S = Re tr(rho(e_S)^-1 X) / N, averaged over the blocks.

    Parameters
    ----------
    X : array (..., blocks, N, N) of the backend, in the image of to_blocks.
    algebra : the Algebra of the result.

    Returns
    -------
    Multivector on all 2^n blades.

    Raises
    ------
    LayoutError if the block shape does not fit; NonFiniteInput; DtypeError; NotSupported on exact
    backends.  Blocks outside the image are projected onto it.

    Error bound: n eps max |X|.  Gradient: linear; on torch and jax.

    Examples
    --------
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import from_blocks, to_blocks
    >>> pga = Algebra(2, 0, 1)
    >>> from_blocks(to_blocks(pga.blade("e13")), pga) == pga.blade("e13")
    True
    """
    if getattr(algebra, "backend", None) in _FRAMEWORKS:
        return _from_framework_blocks(X, algebra)
    if not hasattr(algebra, "signature") or algebra.backend != "numpy":
        raise NotSupported(f"expected an Algebra with float coefficients, got {algebra!r}")
    blocks = as_numpy(X)
    if blocks.dtype.kind not in "fc":
        raise DtypeError(f"expected an array of floats or complex numbers, got {blocks.dtype}")
    check_finite(blocks, "blocks", axes=3)
    metric = embedded_metric(algebra.metric)
    count, size = block_shape(metric)
    if blocks.shape[-3:] != (count, size, size):
        raise LayoutError(
            f"expected blocks (..., {count}, {size}, {size}) for {algebra}, got {blocks.shape}"
        )
    by_mask = coefficients_from_blocks(blocks, metric)
    if algebra.signature.r:
        by_mask = restrict_to_null_vectors(by_mask, algebra.metric)
    layout = full_layout(algebra.n)
    return Multivector(algebra, layout, by_mask[..., layout.mask_array])


def _from_framework_blocks(X: Any, algebra: Algebra) -> Multivector:
    """The same for arrays of torch and jax; numbers that are known have to be finite."""
    from .frameworks import spinors

    xp: Any = algebra.backend_object
    kind = xp.kind(X.dtype) if xp.is_array(X) else "other"
    if kind not in ("f", "c"):
        raise DtypeError(
            f"expected blocks of {algebra.backend}, of floats or complex numbers, got "
            f"{type(X).__name__} of {getattr(X, 'dtype', 'no dtype')}: convert them first"
        )
    count, size = block_shape(embedded_metric(algebra.metric))
    if tuple(X.shape[-3:]) != (count, size, size):
        raise LayoutError(
            f"expected blocks (..., {count}, {size}, {size}) for {algebra}, got {tuple(X.shape)}"
        )
    real, imaginary = (X.real, X.imag) if kind == "c" else (X, xp.lib.zeros_like(X))
    xp.check_finite(real)
    xp.check_finite(imaginary)
    layout = full_layout(algebra.n)
    whole = xp.concatenate([real, imaginary], -2)
    how = spinors.plan(algebra.metric, layout, even=False)
    return Multivector(algebra, layout, spinors.coefficients(xp, whole, how))


def _complex(blocks: Any) -> Any:
    """P + i Q from [[P, -Q], [Q, P]]."""
    size = blocks.shape[-1] // 2
    return blocks[..., :size, :size] + 1j * blocks[..., size:, :size]


@operation
def rotor_blocks(B: Multivector) -> Any:
    """Matrix blocks of the rotor of a bivector.

    rho(exp(B)) = expm(rho(B)), from the rotor, which is accurate at every size of B.

    Parameters
    ----------
    B : bivector, coeffs (..., n(n-1)/2).

    Returns
    -------
    Complex array (..., blocks, N, N) of the backend.

    Units: half-angles, as in exp.

    Raises
    ------
    RapidityOverflow as exp does.

    Error bound: that of exp, plus n eps |exp B|_1.  Gradient: that of exp, linearly; finite and
    exact at equal angles, on torch and jax.

    Examples
    --------
    >>> import numpy as np
    >>> from geomlin import Algebra
    >>> from geomlin.spinor import rotor_blocks
    >>> R = rotor_blocks(Algebra(3).bivector([0.3, -0.4, 1.2]))
    >>> bool(np.allclose(R @ R.conj().swapaxes(-1, -2), np.eye(2)))     # unitary in Euclid
    True
    """
    return to_blocks(exp(B))
