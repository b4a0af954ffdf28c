"""Pictures of the explorer."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ops.exponential import exp
from ..ops.matrices import rotor_to_matrix
from ..ops.products import geometric_product
from ..plot import BLUE, GREEN, ORANGE, PURPLE, figure

if TYPE_CHECKING:
    from ..multivector import Multivector

Floats = NDArray[np.float64]
STEPS = 121


def cube_edges(n: int) -> Floats:
    """The edges of the cube [-1, 1]^n as one polyline, (points, n), broken by rows of NaN."""
    corners = [np.array(corner) for corner in product((-1.0, 1.0), repeat=n)]
    gap = np.full(n, np.nan)
    rows = [
        row
        for a, b in combinations(corners, 2)
        if np.count_nonzero(a != b) == 1
        for row in (a, b, gap)
    ]
    return np.array(rows)


def seen(points: Floats) -> Floats:
    """Three coordinates of points in n: padded below three, in perspective from afar above."""
    n = points.shape[1]
    if n < 3:
        return np.pad(points, ((0, 0), (0, 3 - n)))
    result = points[:, :3]
    for k in range(3, n):
        result = result * (4.0 / (4.0 - np.clip(points[:, k : k + 1], -3.0, 3.0)))
    return result


def action(B: Multivector, azimuth: float = -60.0) -> Any:
    """A cube and its image under x -> R x ~R, seen from `azimuth` degrees."""
    n = B.algebra.n
    edges = cube_edges(n)
    turned = edges @ rotor_to_matrix(exp(B)).T
    picture, axes = figure(1, width=5.0, height=4.4, projection="3d")
    for points, colour, name in ((edges, BLUE, "x"), (turned, ORANGE, "R x ~R")):
        axes.plot(*seen(points).T, color=colour, linewidth=1.5, label=name)
    labels = [f"e{k + 1}" if k < n else "" for k in range(3)]
    axes.set(xlabel=labels[0], ylabel=labels[1], zlabel=labels[2])
    axes.set_title("a cube and its image" + (", in perspective" if n > 3 else ""))
    axes.view_init(elev=25.0, azim=azimuth)
    axes.set_aspect("equal")
    axes.legend(loc="upper left")
    return picture


def double_cover(B: Multivector) -> Any:
    """Scalar parts of both lifts of t -> exp(tB), t from 0 to 1, and the trace of the rotation."""
    t = np.linspace(0.0, 1.0, STEPS)
    rotors = exp(B.algebra.bivector(t[:, None] * B.coeffs))
    trace = np.trace(rotor_to_matrix(rotors), axis1=1, axis2=2) / B.algebra.n
    picture, axes = figure(1, width=5.5, height=3.4)
    for values, colour, name, style in (
        (rotors["1"], BLUE, "scalar part of R", "-"),
        (-rotors["1"], ORANGE, "scalar part of −R", "--"),
        (trace, GREEN, "trace of the matrix / n", ":"),
    ):
        axes.plot(t, values, color=colour, linestyle=style, label=name)
    axes.set(xlabel="t in exp(tB)", title="one path of rotations, two of rotors")
    axes.legend(fontsize=8)
    return picture


def layer(B: Multivector, blade: str, share: float) -> Any:
    """Coefficients of x and of r x ~s, r = exp(B), s = exp(share B)."""
    x = B.algebra.blade(blade)
    r, s = exp(B), exp(share * B)
    y = geometric_product(geometric_product(r, x), ~s)
    names = B.algebra.blades
    place = np.arange(len(names))
    picture, axes = figure(1, width=6.5, height=3.4)
    axes.bar(place - 0.2, x.to_dense(), 0.4, color=BLUE, label="x")
    axes.bar(place + 0.2, y.to_dense(), 0.4, color=PURPLE, label="r x ~s")
    axes.set_xticks(place, names, rotation=90, fontsize=7)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set(ylabel="coefficient", title="what the layer does to one blade")
    axes.legend(fontsize=8)
    return picture
