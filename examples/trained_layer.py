"""
The planes of a trained layer
=============================

A rotor layer is two rotors, so what it has learned can be looked at. This one has six parameters
and learns a map of eight features from samples with noise. Its planes start anywhere; training
turns them into those of the map (dotted), and the wedges, half-angles, open until they fit.
"""

import numpy as np
import torch

from geomlin import Algebra, dual
from geomlin.nn import RotorLinear
from geomlin.plot import BLACK, BLUE, ORANGE, figure

noise = torch.Generator().manual_seed(5)
space = Algebra(3)
teacher, layer = RotorLinear(8, 8), RotorLinear(8, 8)
with torch.no_grad():
    teacher.bivectors.copy_(torch.tensor([[0.9, 0.2, -0.3], [0.3, -0.6, -0.2]]).view(2, 1, 1, 3))
    layer.bivectors.copy_(torch.tensor([[0.1, -0.4, 0.2], [0.1, 0.1, 0.3]]).view(2, 1, 1, 3))


def angles_and_planes(module):
    """Half-angles and unit bivectors of r and of s."""
    angles, planes = module.planes()
    return angles.flatten().tolist(), planes.reshape(2, 3).tolist()


x = torch.randn(400, 8, generator=noise)
y = teacher(x).detach() + 0.1 * torch.randn(400, 8, generator=noise)
optimizer = torch.optim.Adam(layer.parameters(), lr=0.03)
before, history = angles_and_planes(layer), []
for _ in range(120):
    history.append(angles_and_planes(layer)[0])
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(layer(x), y).backward()
    optimizer.step()
after, target = angles_and_planes(layer), angles_and_planes(teacher)
assert np.abs(np.subtract(after[0], target[0])).max() < 0.02


def circle(bivector, angles):
    """Points on the unit circle of a plane, from the direction nearest to e1."""
    normal = dual(space.bivector(bivector)).grade(1).coeffs
    first = np.eye(3)[0] - normal[0] * normal
    first /= np.linalg.norm(first)
    return np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * np.cross(normal, first)


def draw(ax, rotors, title):
    """The plane of each rotor as a disc with a wedge, and the plane it should have as a line."""
    for angle, plane, wanted, colour in zip(*rotors, target[1], (BLUE, ORANGE), strict=True):
        ring = circle(plane, np.linspace(0, 2 * np.pi, 73))
        ax.plot(*ring.T, color=colour, linewidth=1)
        wedge = np.vstack([np.zeros(3), circle(plane, np.linspace(0, angle, 20))])
        sides = [[0, k, k + 1] for k in range(1, 20)]
        ax.plot_trisurf(*wedge.T, triangles=sides, color=colour, shade=False, alpha=0.8)
        ax.plot(*circle(wanted, np.linspace(0, 2 * np.pi, 73)).T, color=BLACK, linestyle=":")
    ax.set(title=title, xlabel="e1", ylabel="e2", zlabel="e3")
    ax.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_ticks((-1, 0, 1))
    ax.set_aspect("equal")


picture, (first, second, right) = figure(3, width=4.0, height=3.8)
for place, old, rotors, title in (
    (1, first, before, "before: planes of r and s"),
    (2, second, after, "after 120 steps"),
):
    old.remove()
    draw(picture.add_subplot(1, 3, place, projection="3d"), rotors, title)
for k, (colour, name) in enumerate(((BLUE, "r"), (ORANGE, "s"))):
    right.plot([step[k] for step in history], color=colour, label=f"half-angle of {name}")
    right.axhline(target[0][k], color=BLACK, linestyle=":", label=None if k else "of the map")
right.set(title="angles during training", xlabel="step", ylabel="radians")
right.legend(fontsize=8)
