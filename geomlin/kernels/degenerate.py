"""Invariant parts of bivectors in metrics with null basis vectors.

Which bivectors split.  Let U be the image of b, and M = b G, which maps U to itself.

    B = sum_i b_i with commuting simple b_i, b_i b_j = b_i ^ b_j
        if and only if M^2 is diagonalisable over the reals on U.

Only if: parts that share a null vector add up to one part; after that b_i G b_j = 0 for i != j, so
M^2 b = sum_i b_i^2 b_i and p(M^2) b = 0 for the polynomial p with the simple real roots b_i^2.
If: b is the inverse of a symplectic form on U, and M, being b times a symmetric form, is in its Lie
algebra sp(U).  M^2 diagonalisable leaves blocks of M of size 1 (in pairs) and 2 at the eigenvalue
0, and semisimple ones elsewhere.  Each is a symplectic plane, and planes in U orthogonal for both
forms are commuting parts.

So B fails to split only by a complex square, by a Jordan block of M^2 at a square other than 0, or,
at the square 0, where M^2 b = b G b G b is not zero.  A block of M at 0 of size 3 (a pair of them)
needs two vectors of each sign in U, one of size 4 needs two of one sign and one of the other.
Hence a real split always exists for q = 0 or p = 0 with any r, for p = q = 1 with any r, and for
r = 0 with p = 1 or q = 1; Cl(2,2), Cl(2,1,1) and Cl(1,2,1) are the smallest where it may not.

The parts.  With null vectors f_k last, b = [[a, c], [-c^T, d]].  The metric part a has parts a_i,
and for a nonzero square metric projectors P_i.  With a_i z = P_i c,

    b_i = [[a_i, P_i c], [-(P_i c)^T, z^T a_i z]]

is a_i translated by the isometry u -> u + sum_k (u . z_k) f_k.  What remains has the square 0 and
splits as above: parts (M y) ^ y / (y . y) for columns y of b, until all y . y = 0; then symplectic
planes of the totally null rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..plane_kind import PlaneKind
from .canonical import TIE, euclidean_parts, without_null_blocks
from .definite import FloatArray, rotation_frame
from .indefinite import LARGEST_PROJECTOR, Block, listed
from .ordering import Parts

SQUARE_ZERO = (PlaneKind.ZERO, PlaneKind.NULL)
RANGE = 500  # exponents of null-null coefficients beside the others stay below


def degenerate_parts(metric: Parts, b: FloatArray, g: FloatArray) -> Parts:
    """Parts of a flat batch (batch, n, n) from those of its metric part; null vectors last.

    metric : parts of a 2^-x, with 2^x just above the largest coefficient of a.
    """
    batch, n = b.shape[:2]
    found = Parts(
        np.zeros((batch, n // 2, n, n)),
        np.zeros((batch, n // 2), dtype=np.complex128),
        np.full((batch, n // 2), PlaneKind.ZERO, dtype=np.int8),
    )
    for index in range(batch):
        scaling = _Scaling(b[index], int((g != 0).sum()))
        inner = listed(Parts(*(values[index] for values in metric)))
        slot = 0
        for block in _blocks(inner, scaling, g):
            whole = scaling.restored(block)
            found.parts[index, slot] = whole.part
            found.squares[index, slot] = whole.square
            found.kinds[index, slot] = block.kind
            slot += _slots(block)
    return found


class _Scaling:
    """B in units where its coefficients of each null-degree are about 1, if that can be.

    Scaling the null vectors is an isometry, so only a common factor changes the squares.
    """

    def __init__(self, b: FloatArray, m: int) -> None:
        self.m = m
        blocks = (b[:m, :m], b[:m, m:], b[m:, m:])
        sizes = [float(np.abs(x).max(initial=0.0)) for x in blocks]
        metric, mixed, null = (int(np.frexp(x)[1]) for x in sizes)
        self.common = metric if sizes[0] else mixed
        self.null = self.common - mixed if sizes[1] else (self.common - null) // 2
        if sizes[2]:
            self.null = min(self.null, (self.common - null + RANGE) // 2)
        degree = np.array([0] * m + [1] * (len(b) - m))
        self.exponents = self.null * (degree[:, None] + degree) - self.common
        self.b = np.ldexp(b, self.exponents)

    def restored(self, block: Block) -> Block:
        """A block in the units of B."""
        with np.errstate(over="ignore", under="ignore"):
            square = np.ldexp([block.square.real, block.square.imag], 2 * self.common)
            part = np.ldexp(block.part, -self.exponents)
        return Block(part, block.kind, complex(*square))


class _Rounding(NamedTuple):
    """What counts as zero among the coefficients of null-degree 0, 1 and 2."""

    metric: float
    mixed: float
    null: float


def _blocks(inner: list[Block], scaling: _Scaling, g: FloatArray) -> list[Block]:
    """Blocks of one bivector, those of nonzero square in the order of the metric parts."""
    m, rest = scaling.m, scaling.b.copy()
    rest[:m, :m] = 0.0
    coupled = bool(rest[:m, m:].any())
    earlier: list[FloatArray] = []
    result, stretch, null = [], 1.0, _largest(rest[m:, m:])
    for block in inner:
        part, size = block.part, np.inf
        if block.kind not in SQUARE_ZERO:
            size = _projector_norm(part, g[:m])
        if size > LARGEST_PROJECTOR and (coupled or block.kind in SQUARE_ZERO):
            if np.isfinite(size) and _planes(scaling.b) == 1:  # B is simple: nothing to split
                return [block._replace(part=scaling.b)]
            rest[:m, :m] += part
            continue
        basis = _apart(_image(part), earlier, g[:m])
        earlier.append(basis)
        lifted = _translated(part, basis, rest[:m, m:], g[:m])
        rest[:, m:] -= lifted[:, m:]
        rest[m:, :m] = -rest[:m, m:].T
        stretch = max(stretch, min(size, LARGEST_PROJECTOR))
        null = max(null, _null_size(lifted, m))
        result.append(block._replace(part=lifted))
    tau = _Rounding(0.0, TIE * float(np.linalg.norm(scaling.b[:m, m:])), TIE * null)
    if np.all(g >= 0) or np.all(g <= 0):
        nulls = [Block(part, PlaneKind.NULL) for part in _null_planes(rest, m, tau)]
    else:
        # Projecting and orthogonalising cost the norm of the projector each.
        whole = stretch**2 * TIE * float(_angles(_without_null_null(scaling.b, m)).max())
        tau = tau._replace(metric=whole, mixed=stretch**2 * tau.mixed)
        nulls = _null_blocks(rest, g, whole, tau)
    slots = len(g) // 2 - sum(_slots(block) for block in result)
    return [*result, *_most(nulls, slots)]


def _most(nulls: list[Block], slots: int) -> list[Block]:
    """The largest blocks if there are more than slots: the rank of B makes the others rounding."""
    sizes = sorted((_largest(block.part) for block in nulls), reverse=True)
    return [block for block in nulls if _largest(block.part) >= sizes[:slots][-1]] if slots else []


def _angles(b: FloatArray) -> FloatArray:
    """Euclidean angles, descending."""
    return rotation_frame(b)[0]


def _slots(block: Block) -> int:
    """How many planes a block stands for."""
    return 1 if block.kind <= PlaneKind.ZERO else _planes(block.part)


def _planes(part: FloatArray) -> int:
    """Half of the rank, at least 1."""
    angles = _angles(part / (np.abs(part).max() or 1.0))
    return max(1, int((angles > TIE * angles[0]).sum()))


def _image(part: FloatArray) -> FloatArray:
    """Orthonormal basis V of the image."""
    angles, frame = rotation_frame(part)
    order = np.argsort(-np.repeat(angles, 2), kind="stable")
    return np.asarray(frame[:, order[: 2 * _planes(part)]])


def _projector_norm(part: FloatArray, g: FloatArray) -> float:
    """Norm of the metric projector V (V^T G V)^-1 V^T G on the image."""
    basis = _image(part)
    smallest = float(np.abs(np.linalg.eigvalsh(basis.T @ (g[:, None] * basis))).min())
    return 1 / smallest if smallest > 1e-300 else np.inf


def _apart(basis: FloatArray, earlier: list[FloatArray], g: FloatArray) -> FloatArray:
    """The same subspace made orthogonal, for the metric, to those of larger parts.

    Rounding turns the plane of a small part by eps |B| / |b_i|, most of it into the larger planes.
    """
    for other in earlier:
        basis = basis - other @ _coordinates(other, basis, g)
    return np.asarray(np.linalg.qr(basis).Q)


def _coordinates(basis: FloatArray, c: FloatArray, g: FloatArray) -> FloatArray:
    """Coordinates x of the metric projection P c = V x, x = (V^T G V)^-1 V^T G c."""
    return np.asarray(np.linalg.solve(basis.T @ (g[:, None] * basis), (basis.T * g) @ c))


def _translated(part: FloatArray, basis: FloatArray, c: FloatArray, g: FloatArray) -> FloatArray:
    """[[a, P c], [-(P c)^T, z^T a z]] with a z = P c, P the metric projector on the image of a."""
    moved = _coordinates(basis, c, g)
    z = np.linalg.solve(basis.T @ part @ basis, moved)
    null = z.T @ moved
    moved = basis @ moved
    return np.block([[part, moved], [-moved.T, (null - null.T) / 2]])


def _null_planes(b: FloatArray, m: int, tau: _Rounding) -> list[FloatArray]:
    """Simple parts of a bivector with totally null image, or without metric part beside a definite
    metric.

    Symplectic planes of the image commute, whatever they are: Euclidean planes of the metric part
    translated, orthogonal columns of the couplings, and planes of the null-null part, so that each
    null-degree is computed from its own size.
    """
    euclidean = np.array([1.0] * m + [0.0] * (len(b) - m))
    parts, rest = [], b.copy()
    for part in _planes_above(tau.metric, b[:m, :m]):
        parts.append(_translated(part, _image(part), rest[:m, m:], euclidean[:m]))
        rest -= parts[-1]
    rest[:m, :m] = 0.0
    columns, rest = without_null_blocks(rest, euclidean, tau.mixed**2)
    null = max(tau.null, *(TIE * _null_size(part, m) for part in (b, *parts, *columns)))
    for plane in _planes_above(null, rest[m:, m:]):
        columns.append(np.zeros_like(b))
        columns[-1][m:, m:] = plane
    return parts + columns


def _without_null_null(b: FloatArray, m: int) -> FloatArray:
    """The same bivector without its null-null coefficients."""
    result = b.copy()
    result[m:, m:] = 0.0
    return result


def _largest(x: FloatArray) -> float:
    """max |x|."""
    return float(np.abs(x).max(initial=0.0))


def _null_size(part: FloatArray, m: int) -> float:
    """Size of the terms that make up the null-null coefficients of a part."""
    metric, mixed = _largest(part[:m, :m]), _largest(part[:m, m:])
    return max(_largest(part[m:, m:]), mixed * mixed / metric if metric else 0.0)


def _planes_above(tau: float, b: FloatArray) -> list[FloatArray]:
    """Euclidean planes larger than tau."""
    if _largest(b) <= tau:
        return []
    return [part for part in euclidean_parts(b) if _largest(part) > tau]


def _null_blocks(b: FloatArray, g: FloatArray, whole: float, tau: _Rounding) -> list[Block]:
    """Null parts of what has the square 0, or all of it as a defective block.

    whole : rounding of the coefficients that decide, all but the null-null ones; tau : of each
    null-degree.
    """
    m, count = b * g, int((g != 0).sum())
    size = _largest(_without_null_null(b, count))
    if np.abs(m @ m @ b).max() <= 8 * whole * size**2:
        parts, rest = without_null_blocks(b, g, 8 * whole * size)
        null = max([tau.null, *(TIE * _null_size(part, count) for part in parts)])
        parts += _null_planes(rest, count, tau._replace(null=null))
        return [Block(part, PlaneKind.NULL) for part in parts]
    square = np.trace(m @ m) / (2 * _planes(b))
    return [Block(b, PlaneKind.DEFECTIVE, complex(square))]
