"""log of a rotor in a definite metric, any n.

R turns its invariant planes by 2 beta_k.  From the pivoted form R ~ outer_exponential(t) E_P the
rotation is O = (I + tG) (I - tG)^-1 D.  With P = 0, tan beta_k are the sizes of t, which keeps
small angles to full relative accuracy; otherwise the real Schur form of O gives the planes.  This
leaves A0 with all beta_k <= pi/2 and exp(A0) = +-R; if it is -R, the plane of the largest angle
goes over to beta_1 - pi.
"""

from __future__ import annotations

import numpy as np

from .bits import (
    Booleans,
    Floats,
    Integers,
    Metric,
    bivector_positions,
    even_masks,
    non_null,
    times_blade,
)
from .definite import FloatArray, rotation_frame, rotation_parts, wedge
from .derivatives_average import inverse_average
from .derivatives_products import bivector_quotient
from .eigenvalues import real_schur
from .exponential import exponential
from .log_closed import as_matrix, closed_logarithm, definite_closed
from .log_refine import has_several_wide_planes, refined
from .pfaffian import signs_of
from .planes import decompose

HALF_TURN = (
    64 * 2.0**-52
)  # distance to the eigenvalue -1 within which a plane counts as half-turned
AT_HALF_TURN = 8 * 2.0**-52  # the same within which rounding chose the sign of a single plane
PIVOT_SLACK = 1e-6  # axes this close to the best one count as equal: the first is taken
SMALL_TANGENT = 2.0**-32  # entries of t below which atan(t) = t to rounding, n <= 12
ROUNDING = 4 * 2.0**-52  # |R - exp(B)| that is nothing but rounding of exp
LARGEST_CLOSED = 5  # dimension up to which a closed form answers


def cayley_of(rotor: Floats, g: Metric) -> tuple[Integers, Floats]:
    """Pivot P, the mask of the largest coefficient, and t with R ~ outer_exponential(t) E_P.

    rotor (batch, 2^(n-1)); the pivot contains no null vector; t_ij is a quotient of two
    coefficients.
    """
    n = len(g)
    positions = bivector_positions(n)[2]
    inner = rotor[:, : max(1, 1 << len(non_null(g)) >> 1)]
    pivot = even_masks(n)[np.argmax(np.abs(inner), axis=1)]
    turned = times_blade(rotor, pivot, g)
    return pivot, as_matrix(turned[:, positions] / turned[:, :1], n)


def definite_logarithm(
    rotor: Floats, g: Metric, *, up_to_sign: bool = False
) -> tuple[Floats, Booleans]:
    """b with exp(B) = R (or +-R) for normalised R, and which elements have one.

    Only R = -1 for n = 1 has none; R = -1 gives pi e_12.
    """
    n = len(g)
    if up_to_sign:
        rotor = np.where(rotor[:, :1] < 0, -rotor, rotor)
    if n < 2:
        return np.zeros((len(rotor), n, n)), rotor[:, 0] > 0
    everything = np.ones(len(rotor), dtype=bool)
    if n > LARGEST_CLOSED:
        return _by_planes(rotor, g, up_to_sign), everything
    if n == LARGEST_CLOSED:
        b, sharp, _ = closed_logarithm(rotor, g)
    else:
        b, sharp = definite_closed(rotor, g)
    if up_to_sign:  # half turns are told by their planes
        sharp &= rotor[:, 0] > HALF_TURN * np.abs(rotor).max(axis=1)
    if not sharp.all():
        b[~sharp] = _by_planes(rotor[~sharp], g, up_to_sign)
    return b, everything


def _by_planes(rotor: Floats, g: Metric, up_to_sign: bool) -> Floats:
    """A0, and the largest plane turned back where exp(A0) = -R."""
    b = np.empty((len(rotor), len(g), len(g)))
    pivot, t = cayley_of(rotor, g)
    central = pivot == 0
    conditioned = central.copy()  # small angles, well away from the cut
    b[central] = principal_from_tangent(t[central])
    for index in np.flatnonzero(~central):
        b[index] = _principal_from_action(int(pivot[index]), t[index], g)
    if not up_to_sign:
        opposite = (exponential(b, g) * rotor).sum(axis=1) < 0
        if opposite.any():
            b[opposite] = turned_back(b[opposite], g)
            conditioned &= ~opposite
    for index in np.flatnonzero(has_several_wide_planes(b, g)):
        same = float((exponential(b[index, None], g)[0] * rotor[index]).sum()) >= 0
        b[index] = refined(b[index], rotor[index] if same else -rotor[index], g)
    b[~conditioned] = _corrected(b[~conditioned], rotor[~conditioned], g)
    return b


def _corrected(b: Floats, rotor: Floats, g: Metric) -> Floats:
    """b and one step of Newton, phi(ad_B)^-1 <(R - exp B) ~R>_2, unless it leads away from +-R."""
    value = exponential(b, g)
    signs = np.where((value * rotor).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    missing = signs * rotor - value
    step, _ = inverse_average(b, bivector_quotient(missing, signs * rotor, g), g)
    moved = b + step
    after = np.abs(signs * rotor - exponential(moved, g)).max(axis=1)
    near = after <= np.maximum(np.abs(missing).max(axis=1), ROUNDING)
    return np.where(near[:, None, None], moved, b)


def principal_from_tangent(t: FloatArray) -> FloatArray:
    """sum_k atan(tau_k) u_k ^ v_k from t = sum_k tau_k u_k ^ v_k; t itself where t^3 is lost."""
    tangents, frame = rotation_frame(t)
    parts = rotation_parts(np.arctan(tangents), frame).sum(axis=-3)
    small = np.abs(t).max(axis=(-1, -2), initial=0.0) < SMALL_TANGENT
    return np.where(small[..., None, None], t, parts)


def _principal_from_action(pivot: int, t: FloatArray, g: Metric) -> FloatArray:
    """A0 from the real Schur form of O = (I + tG) (I - tG)^-1 D."""
    identity = np.eye(len(g))
    matrix = t * np.array(g, dtype=float)
    signs = signs_of(np.array([pivot]), len(g))[0]
    action = np.linalg.solve((identity - matrix).T, (identity + matrix).T).T * signs
    return principal_rotation(action, float(g[0]))


def principal_rotation(action: FloatArray, sign: float) -> FloatArray:
    """Antisymmetric b with exp(2 sign b) = O, angles at most pi/2, for orthogonal O (n, n), det 1.

    A space of half turns gets b = +pi/2 in its canonical planes, one plane within rounding of a
    half turn the angle near +pi/2.
    """
    triangular, vectors = real_schur(action)
    n, k = len(action), 0
    total = np.zeros((n, n))
    half_turned: list[int] = []  # columns
    single = None
    while k < n:
        if k + 1 < n and triangular[k + 1, k] != 0:
            sine = 0.5 * (triangular[k, k + 1] - triangular[k + 1, k])
            cosine = 0.5 * (triangular[k, k] + triangular[k + 1, k + 1])
            beta = 0.5 * np.arctan2(sine, cosine)
            part = sign * beta * wedge(vectors[:, k], vectors[:, k + 1])
            if np.pi / 2 - abs(beta) <= HALF_TURN:
                half_turned += [k, k + 1]
                single = part
            else:
                total += part
            k += 2
        else:
            if triangular[k, k] < 0:
                half_turned.append(k)
            k += 1
    pairs = [wedge(u, v) for u, v in canonical_pairs(vectors[:, half_turned])]
    if len(half_turned) == 2 and single is not None:
        if np.sum(single * pairs[0]) < 0 and _angle_of(single) >= np.pi / 2 - AT_HALF_TURN:
            single = single * (1 - np.pi / _angle_of(single))
        return np.asarray(total + single)
    return np.asarray(sum((np.pi / 2 * pair for pair in pairs), start=total))


def _angle_of(plane: FloatArray) -> float:
    """beta of the simple beta u ^ v."""
    return float(np.sqrt(0.5 * np.sum(plane * plane)))


def canonical_pairs(basis: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Orthonormal pairs u, v spanning the span of the orthonormal columns, pivoted on the axes.

    Each vector is the projection of the first axis whose projection is largest up to PIVOT_SLACK,
    orthogonal to the earlier ones; u comes from the lower axis, so the pair is e_i, e_j, i < j,
    for an axis plane.  A vector left over by an odd dimension is dropped.
    """
    projector = basis @ basis.T
    found: list[tuple[int, FloatArray]] = []
    for _ in range(basis.shape[1]):
        lengths = np.sqrt(np.maximum(np.diag(projector), 0.0))
        axis = int(np.argmax(lengths >= (1 - PIVOT_SLACK) * lengths.max()))
        vector = projector[:, axis] / lengths[axis]
        for _, earlier in found:
            vector = vector - earlier * (earlier @ vector)
        vector = vector / np.linalg.norm(vector)
        projector = projector - np.outer(vector, vector)
        found.append((axis, vector))
    pairs = zip(found[0::2], found[1::2], strict=False)
    ordered = [sorted(pair, key=lambda entry: entry[0]) for pair in pairs]
    return [(first[1], second[1]) for first, second in ordered]


def turned_back(b: Floats, g: Metric) -> Floats:
    """A0 - pi b_1 / |b_1| with b_1 the first canonical part of the largest angle; pi e_12 for 0."""
    first = decompose(b, g).parts[..., 0, :, :]
    return b - np.pi * unit_plane(first, -1.0)


def unit_plane(part: Floats, default: float) -> Floats:
    """u ^ v of the simple Euclidean beta u ^ v, batched; `default` times e_12 where it is zero."""
    size = np.abs(part).max(axis=(-1, -2), initial=0.0)[..., None, None]
    scaled = part / np.where(size > 0, size, 1.0)
    length = np.sqrt(0.5 * (scaled**2).sum(axis=(-1, -2)))[..., None, None]
    plane = scaled / np.where(length > 0, length, 1.0)
    fallback = np.zeros(part.shape[-2:])
    fallback[0, 1], fallback[1, 0] = default, -default
    return np.where(size > 0, plane, fallback)
