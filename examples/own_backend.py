"""
Checking your own backend
=========================

Thirty lines make a Clifford algebra of any signature. Are they right? The conformance kit asks
questions whose answers are certified, and names a mistake where it knows it. Beside the backend
runs a twin with one line changed: the factor −1/2 that many books put into the exponential. The kit
finds the twin out, and one screw with a translation of 1e8 on which the backend itself fails: a
matrix exponential that scales such a matrix down loses digits of the angle.
"""

import numpy as np
from scipy.linalg import expm

from geomlin import Algebra
from geomlin.conformance import OPERATIONS, run
from geomlin.plot import BLUE, ORANGE, figure


class LeftProducts:
    """An element is the matrix of its product from the left."""

    name = "left products"

    def masks(self, signature):
        """Each blade as a set of bits, in the order of the kit."""
        names = (name[1:] for name in Algebra(*signature).blades)
        words = (name.split("_") if sum(signature) > 9 else name for name in names)
        return np.array([sum(1 << (int(k) - 1) for k in word) for word in words])

    def left(self, signature, a):
        """The matrix of x -> a x; its entry (i, j) is a coefficient of a, the one of e_i e_j."""
        (p, q, _), n, blades = signature, sum(signature), self.masks(signature)
        factor, common = blades[:, None] ^ blades, ~blades[:, None] & blades
        swaps = sum(np.bitwise_count((factor >> k) & blades) for k in range(1, n))
        sign = (-1.0) ** (swaps + np.bitwise_count(common >> p)) * (common >> (p + q) == 0)
        return sign * a[..., np.argsort(blades)[factor]]

    def geometric_product(self, signature, a, b):
        return (self.left(signature, a) @ b[..., None])[..., 0]

    def reverse(self, signature, a):
        grade = np.bitwise_count(self.masks(signature))
        return a * (-1.0) ** (grade // 2)

    def sandwich(self, signature, v, x):
        right = self.reverse(signature, v)
        return self.geometric_product(signature, self.geometric_product(signature, v, x), right)

    def exp(self, signature, b):
        if not np.isfinite(b).all() or sum(signature) > 8:
            raise NotImplementedError("finite numbers, at most eight dimensions")
        grade = np.bitwise_count(self.masks(signature))
        B = np.zeros((*b.shape[:-1], len(grade)))
        B[..., grade == 2] = b
        return expm(self.left(signature, B))[..., grade % 2 == 0, 0]


class HalfAngles(LeftProducts):
    """The same, and exp(-b/2) in the place of exp(b)."""

    name = "the twin, with exp(−b/2)"

    def exp(self, signature, b):
        return super().exp(signature, -b / 2)


def tally(report):
    """For each group: how many passed, failed, were not run."""
    counts = {operation.group: [0, 0, 0] for operation in OPERATIONS.values()}
    for outcome in report.outcomes:
        column = 1 if outcome.failed else 2 * (outcome.status == "NOT_RUN")
        counts[OPERATIONS[outcome.operation].group][column] += 1
    return counts


reports = [run(backend()) for backend in (LeftProducts, HalfAngles)]
for report in reports:
    print(report.summary_line(), *report.mistakes())
assert list(reports[1].mistakes()) == ["HALF_ANGLE"]
assert 20 * len(reports[0].failures) < len(reports[1].failures)

picture, axes = figure(2, width=4.8)
for ax, report in zip(axes, reports, strict=True):
    counts = tally(report)
    start = np.zeros(len(counts))
    for column, (label, colour, hatch) in enumerate(
        (("pass", BLUE, ""), ("fail", ORANGE, "///"), ("not run", "#DDDDDD", ""))
    ):
        length = np.array([row[column] for row in counts.values()])
        ax.barh(list(counts), length, left=start, color=colour, hatch=hatch, label=label)
        start += length
    ax.invert_yaxis()
    ax.set(title=report.backend, xlabel="questions of the kit")
axes[1].legend(fontsize=8)
