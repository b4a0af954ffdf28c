"""How far even elements are from rotors."""

from __future__ import annotations

import numpy as np

from .bits import Floats, Metric, even_masks, negative_mask, non_null, parity_signs
from .log_definite import cayley_of
from .log_null import null_exponents, scaled_rotor
from .pfaffian import assemble

LARGEST_FREE = 3  # up to this dimension every even element with R ~R != 0 is a rotor times a number


def norm_square(element: Floats, g: Metric) -> Floats:
    """<R ~R>_0 of even elements (batch, 2^(n-1)) in compact order."""
    m = len(non_null(g))
    if m == 0:
        return np.asarray(element[:, 0] ** 2)
    inner = element[:, : 1 << m >> 1]
    squares = parity_signs(m)[even_masks(m) & negative_mask(g)]  # E_S ~E_S
    return np.asarray((inner * inner) @ squares)


def versor_defect(element: Floats, g: Metric) -> Floats:
    """max |R - R_P outer_exponential(t) E_P| / max |R|, (batch,), zero exactly for versors.

    P is the null-free blade with the largest coefficient, t the quotients of two coefficients; null
    vectors are scaled down where their coefficients are larger than the others.  Infinite if
    there is no null-free coefficient.
    """
    n = len(g)
    inner = element[:, : max(1, 1 << len(non_null(g)) >> 1)]
    missing = np.abs(inner).max(axis=1, initial=0.0) == 0.0
    if n <= LARGEST_FREE or not len(element):
        return np.where(missing, np.inf, 0.0)
    element = np.where(missing[:, None], np.eye(1, element.shape[1]), element)
    scaled = scaled_rotor(element, np.maximum(null_exponents(element, g), 0), g)
    scaled = scaled / np.abs(scaled).max(axis=1)[:, None]
    pivot, t = cayley_of(scaled, g)
    leading = np.take_along_axis(scaled, (pivot >> 1)[:, None], axis=1)[:, 0]
    found = assemble(pivot, t, g, np.ones(len(element)))
    own = np.take_along_axis(found, (pivot >> 1)[:, None], axis=1)[:, 0]
    defect = np.abs(scaled - found * (leading / own)[:, None]).max(axis=1)
    return np.where(missing, np.inf, defect)
