"""The rotor nearest to an even element of a definite Cl(5)."""

from __future__ import annotations

from functools import cache

import numpy as np

from .bits import Floats, Integers, even_masks, product_signs, reverse_signs


@cache
def _tables() -> tuple[Integers, Floats, Floats]:
    """For each grade-4 blade Q and even mask S: the position of T = S xor Q, and the signs of
    E_S ~E_T and of E_Q E_T."""
    masks = even_masks(5)
    quads = np.array([[mask] for mask in masks.tolist() if mask.bit_count() == 4])
    partner = masks ^ quads
    metric = (1,) * 5  # rotors of Cl(0,5) have the coefficients of rotors of Cl(5)
    pairing = product_signs(masks, partner, metric) * reverse_signs(5)[partner >> 1]
    action = product_signs(quads, partner, metric)
    return partner >> 1, pairing[..., None], action[..., None]


def nearest_rotor(rotor: Floats) -> Floats:
    """(R ~R)^(-1/2) R for coefficients (16, batch) of even R near a rotor.

    R ~R = 1 + x + V with V of grade 4, V^2 = nu^2 a number; on its eigenspaces R ~R is
    1 + x + nu and 1 + x - nu.  The result is R minus a small multiple, so no digits are lost.
    """
    partner, pairing, action = _tables()
    others = rotor[partner]
    excess = (rotor * rotor).sum(axis=0) - 1.0
    four_vector = (rotor * others * pairing).sum(axis=1)
    nu = np.sqrt((four_vector * four_vector).sum(axis=0))
    high, low = np.sqrt(1.0 + (excess + nu)), np.sqrt(1.0 + (excess - nu))
    change = (excess + nu) / (high * (1.0 + high)) + (excess - nu) / (low * (1.0 + low))
    turned = (four_vector[:, None] * others * action).sum(axis=0)
    result: Floats = rotor - (0.5 * change * rotor + turned / (high * low * (high + low)))
    return result
