"""The rotor action r x ~s on arrays of jax, as one pure function: jit, grad and vmap apply."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import BackendMissing, LayoutError
from .layout import even_layout, full_layout, grade_layout
from .spinor_even import CONJUGATION, UNIT_SIGNS, even_tables
from .spinor_transforms import odd_right_factor


def rotor_action(x: Any, left: Any, right: Any) -> Any:
    """The map of a rotor layer without its matrix, on jax arrays.

        y = r x ~s,   r = exp(left),   s = exp(right),

    through the blocks of Cl0(n): O(d^1.5) for each x of d = 2^n coefficients.

    Parameters
    ----------
    x : array (..., 2^n), multivectors of Cl(n) in blade order.
    left, right : arrays (n(n-1)/2,), bivectors e12, e13, ..; half-angles.

    Returns
    -------
    Array (..., 2^n) in the dtype of x.

    Raises: LayoutError if the sizes do not fit; BackendMissing without jax.

    Error bound: n eps |left| in the dtype of the bivectors: float32 unless jax_enable_x64 is on.
    Gradient: any order, finite and exact at equal angles; through the matrix exponential.

    Examples
    --------
    >>> from geomlin.spinor_jax import rotor_action
    >>> import numpy as np
    >>> x, b = np.eye(4)[1], np.array([np.pi / 4])            # e1, a quarter turn of e12
    >>> rotor_action(x, b, b).round(3) + 0.0                   # to -e2
    Array([ 0.,  0., -1.,  0.], dtype=float32)
    """
    jnp = _jax().numpy
    x, left, right = (jnp.asarray(v) for v in (x, left, right))
    n = x.shape[-1].bit_length() - 1 if x.ndim else 0
    count = n * (n - 1) // 2
    if n < 2 or x.shape[-1] != 1 << n or left.shape != (count,) or right.shape != (count,):
        raise LayoutError(
            "expected x (..., 2^n) and two bivectors (n(n-1)/2,), got shapes "
            f"{x.shape}, {left.shape} and {right.shape}"
        )
    return _act(x, _exponential(left, n).astype(x.dtype), _exponential(right, n).astype(x.dtype), n)


def even_action(x: Any, r: Any, s: Any) -> Any:
    """The same map for given even elements, rotors or not:

        y = r x ~s.

    Parameters
    ----------
    x : array (..., 2^n), multivectors of Cl(n) in blade order.
    r, s : arrays (2^(n-1),), even elements 1, e12, e13, .., e1234, ..

    Returns
    -------
    Array (..., 2^n) in the dtype of x.

    Raises: LayoutError if the sizes do not fit; BackendMissing without jax.

    Error bound: 4 n eps |r| |s| |x|; exact on small integers.  Gradient: any order.

    Examples
    --------
    >>> from geomlin.spinor_jax import even_action
    >>> import numpy as np
    >>> one, e12 = np.eye(2)                                   # of Cl(2)
    >>> even_action(np.eye(4)[1], e12, one) + 0.0              # e12 e1 = -e2
    Array([ 0.,  0., -1.,  0.], dtype=float32)
    """
    jnp = _jax().numpy
    x, r, s = (jnp.asarray(v) for v in (x, r, s))
    n = x.shape[-1].bit_length() - 1 if x.ndim else 0
    if n < 2 or x.shape[-1] != 1 << n or r.shape != (1 << n - 1,) or s.shape != r.shape:
        raise LayoutError(
            "expected x (..., 2^n) and two even elements (2^(n-1),), got shapes "
            f"{x.shape}, {r.shape} and {s.shape}"
        )
    masks = even_layout(n).masks
    left, right = (_blocks_of(v.astype(x.dtype), masks, n) for v in (r, s))
    return _act(x, left, right, n)


def _act(x: Any, a: Any, b: Any, n: int) -> Any:
    """r x ~s from the blocks (tau, kappa, N, N) of r and of s."""
    jnp, tables = _jax().numpy, even_tables(n)
    cube = jnp.asarray(_unit_products()[: tables.kappa, : tables.kappa, : tables.kappa], x.dtype)
    right = _both_halves(jnp, _adjoint(jnp, b), n)
    product = jnp.einsum("pqr,tpab,...ctqbd->...ctrad", cube, a, _transform(jnp, x, n))
    product = jnp.einsum("pqr,...ctpab,ctqbd->...ctrad", cube, product, right)
    return _transform_back(jnp, product, n)


def _blocks_of(values: Any, masks: tuple[int, ...], n: int) -> Any:
    """Blocks (tau, kappa, N, N) of an even element that is given on some blades."""
    position = full_layout(n).position
    places = np.array([position[mask] for mask in masks], dtype=np.int32)
    jnp = _jax().numpy
    return _transform(jnp, jnp.zeros(1 << n, values.dtype).at[places].set(values), n)[0]


def _jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise BackendMissing(
            "this needs jax, which is not installed: pip install 'geomlin[jax]'", extra="jax"
        ) from error
    return jax


@cache
def _unit_products() -> NDArray[np.float64]:
    """unit_p unit_q = sum_r cube[p, q, r] unit_r."""
    cube = np.zeros((4, 4, 4))
    for p in range(4):
        for q in range(4):
            cube[p, q, p ^ q] = UNIT_SIGNS[p, q]
    return cube


def _hadamard(size: int) -> NDArray[np.float64]:
    rows = np.arange(size)
    return np.where(np.bitwise_count(rows[:, None] & rows) % 2 == 1, -1.0, 1.0)


def _transform(jnp: Any, x: Any, n: int) -> Any:
    """Blocks (..., 2, tau, kappa, N, N) of coefficients (..., 2^n)."""
    # Indices are int32: jax remembers the int64 of the mode in which it first met an array.
    tables = even_tables(n)
    words = x[..., tables.source.astype(np.int32)] * jnp.asarray(tables.sign, x.dtype)
    return _skewed(_walsh(jnp, words, n), n)


def _transform_back(jnp: Any, blocks: Any, n: int) -> Any:
    """Inverse of _transform."""
    tables = even_tables(n)
    words = _walsh(jnp, _skewed(blocks, n), n) * jnp.asarray(tables.sign, blocks.dtype)
    target = np.empty(1 << n, dtype=np.int32)
    target[tables.source.reshape(-1)] = np.arange(1 << n)
    flat = words.reshape(*blocks.shape[:-5], 1 << n)[..., target]
    return flat / (tables.tau * tables.size)


def _walsh(jnp: Any, words: Any, n: int) -> Any:
    """Walsh-Hadamard transform over the last axis and over the blocks."""
    tables = even_tables(n)
    columns = jnp.asarray(_hadamard(tables.size), words.dtype)
    blocks = jnp.asarray(_hadamard(tables.tau), words.dtype)
    return jnp.einsum("...wquv,tw,vj->...tquj", words, blocks, columns)


def _skewed(values: Any, n: int) -> Any:
    """Row i xor j of column j in the place of row i."""
    rows = np.arange(even_tables(n).size, dtype=np.int32)
    return values[..., rows[:, None] ^ rows, rows]


def _exponential(b: Any, n: int) -> Any:
    """Blocks (tau, kappa, N, N) of exp(b): the first block column of the real matrices."""
    jax = _jax()
    jnp, tables = jax.numpy, even_tables(n)
    tau, kappa, size = tables.tau, tables.kappa, tables.size
    blocks = _blocks_of(b, grade_layout(n, 2).masks, n)
    cube = jnp.asarray(_unit_products()[:kappa, :kappa, :kappa], b.dtype)
    matrices = jnp.einsum("prq,tpik->tqirk", cube, blocks).reshape(tau, kappa * size, kappa * size)
    column = jax.scipy.linalg.expm(matrices)[:, :, :size]
    return column.reshape(tau, kappa, size, size)


def _adjoint(jnp: Any, blocks: Any) -> Any:
    """Conjugate transpose of blocks (tau, kappa, N, N)."""
    signs = jnp.asarray(CONJUGATION[: blocks.shape[1]], blocks.dtype)
    return blocks.swapaxes(-1, -2) * signs[:, None, None]


def _both_halves(jnp: Any, s: Any, n: int) -> Any:
    """Right factors (2, tau, kappa, N, N): that of the odd half is a signed permutation."""
    places = np.arange(1, s.size + 1).reshape(s.shape)
    moved = odd_right_factor(places, n)
    odd = s.reshape(-1)[np.abs(moved) - 1] * jnp.asarray(np.sign(moved), s.dtype)
    return jnp.stack([s, odd])
