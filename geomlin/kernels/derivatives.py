"""Derivatives of exp and log between bivectors and rotors, and their transposes, batched.

    d exp(B) = (phi(ad_B) dB) exp(B),        d log(R) = phi(ad_B)^-1 <dR ~R>_2,   B = log R,

phi(z) = (e^z - 1) / z.  Bivectors are antisymmetric matrices (batch, n, n), even elements are
compact (batch, 2^(n-1)); transposes are those of the coefficient product.
"""

from __future__ import annotations

import numpy as np

from .bits import Booleans, Floats, Metric, non_null
from .derivatives_average import average, inverse_average
from .derivatives_products import (
    bivector_quotient,
    bivector_quotient_transposed,
    left_pairing,
    left_product,
)
from .derivatives_spinor import exp_jvp_by_spinors, exp_vjp_by_spinors
from .exponential import exponential
from .log_defect import norm_square


def exp_jvp(b: Floats, db: Floats, g: Metric) -> Floats:
    """D exp(B) dB."""
    if _is_indefinite(g):
        with np.errstate(all="ignore"):
            return exp_jvp_by_spinors(b, db, g)
    return left_product(average(b, db, g), exponential(b, g), g)


def exp_vjp(b: Floats, cotangent: Floats, g: Metric) -> Floats:
    """The transpose of D exp(B), applied to a cotangent of exp(B)."""
    if _is_indefinite(g):
        with np.errstate(all="ignore"):
            return exp_vjp_by_spinors(b, cotangent, g)
    return average(b, left_pairing(cotangent, exponential(b, g), g), g, transposed=True)


def log_jvp(
    b: Floats, rotor: Floats, tangent: Floats, g: Metric, *, homogeneous: bool
) -> tuple[Floats, Booleans]:
    """D log(R) dR, B = log R, and where it is singular; of log(R / |R|) if homogeneous."""
    return inverse_average(b, bivector_quotient(tangent, _dual(rotor, g, homogeneous), g), g)


def log_vjp(
    b: Floats, rotor: Floats, cotangent: Floats, g: Metric, *, homogeneous: bool
) -> tuple[Floats, Booleans]:
    """The transpose of `log_jvp`, applied to a cotangent of log R."""
    quotient, singular = inverse_average(b, cotangent, g, transposed=True)
    return bivector_quotient_transposed(quotient, _dual(rotor, g, homogeneous), g), singular


def _dual(rotor: Floats, g: Metric, homogeneous: bool) -> Floats:
    """X with ~X = R^-1: R / <R ~R>_0 if homogeneous, else R itself."""
    if not homogeneous:
        return rotor
    size = np.abs(rotor).max(axis=1, keepdims=True)
    unit = rotor / size
    dual: Floats = unit / norm_square(unit, g)[:, None] / size
    return dual


def _is_indefinite(g: Metric) -> bool:
    return len(set(non_null(g))) > 1
