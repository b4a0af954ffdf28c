"""The numbers geomlin promises, each stated once: tests, `verify` and `bench` read them from here.

Accuracy is counted in units of eps * kappa, where eps is the spacing of the result's dtype at 1 and
kappa the componentwise condition number of `condition.py`; float64 and float32 have the same
budgets.  Budgets are claims made before the measurement, never fitted to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..signature import Signature


@dataclass(frozen=True)
class Budget:
    """A promised bound: the measured quantity, in `unit`, does not exceed (or reach) `limit`."""

    limit: float
    unit: str
    statement: str


ACCURACY: Mapping[str, Budget] = MappingProxyType(
    {
        "exp": Budget(
            4.0, "eps kappa", "exp(B) with no negative and at most one null basis vector"
        ),
        "exp, indefinite": Budget(
            10.0, "eps kappa", "exp(B) with negative or several null basis vectors"
        ),
        "exp, unit norm": Budget(
            4.0, "eps", "|R ~R - 1| of R = exp(B), at any size of B, for definite metrics"
        ),
        "to_matrix": Budget(4.0, "eps kappa", "the matrix of x -> R x ~R"),
        "from_matrix": Budget(
            4.0, "eps", "the rotor of a matrix, up to sign, without negative basis vectors"
        ),
        "from_matrix, indefinite": Budget(
            4.0, "eps max|O|", "the rotor of a matrix O, up to sign, with negative basis vectors"
        ),
        "log": Budget(
            12.0, "eps kappa", "the logarithm of the rounded exp(B), at most one boost > 2"
        ),
        "log, several boosts": Budget(
            12.0,
            "eps kappa",
            "the same with two or more boosts beta > 2, where kappa grows like e^(2 sum beta)",
        ),
        "log, several boosts, rapidities": Budget(
            1.0,
            "eps e^(2 s)",
            "the same relative to |B|, s the sum of all boosts but the largest: 0.49 was measured",
        ),
        "power": Budget(
            12.0,
            "eps kappa max(1, |t|)",
            "sqrt and powers exp(t log R) of the rounded exp(B), where log is judged",
        ),
        "decomposition": Budget(
            32.0,
            "eps size max|projector|^2",
            "sum, simplicity and commutation of the parts of B, beside the ties",
        ),
        "decomposition, ties": Budget(
            8.0, "eps max beta", "width of a tie: planes with closer magnitudes form one cluster"
        ),
        "exp derivative": Budget(
            1e-13, "max(1, kappa)", "relative error of the derivatives of exp, everywhere"
        ),
        "decomposition derivative": Budget(
            32.0, "eps max beta / gap", "derivatives of the parts where their squares are distinct"
        ),
    }
)

SPEED: Mapping[str, Budget] = MappingProxyType(
    {
        "exp batch / clifra, n=4": Budget(1.0, "x", "1000 exponentials against clifra, at least"),
        "exp batch / clifra, n=6": Budget(15.0, "x", "1000 exponentials against clifra, at least"),
        "exp batch / clifra, n=8": Budget(30.0, "x", "1000 exponentials against clifra, at least"),
        "exp batch / clifford, n=4": Budget(20.0, "x", "a batch against a loop of clifford's exp"),
        "exp batch / clifford, n=8": Budget(60.0, "x", "a batch against a loop of clifford's exp"),
        "exp single / clifford": Budget(1.0, "x", "one exponential is never slower, at any n"),
        "exp single in scipy expm, n<=5": Budget(
            5.0, "x", "one exponential takes at most this many expm of the n x n matrix"
        ),
        "exp single in scipy expm, n<=8": Budget(
            15.0, "x", "one exponential takes at most this many expm of the n x n matrix"
        ),
        "rotor_to_matrix single / clifford": Budget(1.0, "x", "one call is never slower"),
        "rotor_from_matrix single / clifford": Budget(1.0, "x", "one call is never slower"),
        "import geomlin beyond numpy": Budget(0.05, "s", "`import geomlin` after `import numpy`"),
    }
)


def exp_budget(signature: Signature) -> Budget:
    """The accuracy promised for exp: the tighter one when q = 0 and r <= 1."""
    tight = signature.q == 0 and signature.r <= 1
    return ACCURACY["exp" if tight else "exp, indefinite"]


def lift_budget(signature: Signature) -> Budget:
    """The accuracy promised for rotor_from_matrix: times max|O| when q > 0."""
    return ACCURACY["from_matrix, indefinite" if signature.q else "from_matrix"]
