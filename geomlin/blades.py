"""Basis blades as bit masks: bit i stands for the basis vector e_(i+1).

E_S is the product of the vectors of S in ascending order; the empty mask is the scalar 1.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from .errors import UnknownBlade


def grade_of(mask: int) -> int:
    """Number of basis vectors in the blade."""
    return mask.bit_count()


def indices_of(mask: int) -> tuple[int, ...]:
    """One-based indices of the basis vectors in the blade, ascending."""
    return tuple(i + 1 for i in range(mask.bit_length()) if mask >> i & 1)


def mask_of(indices: tuple[int, ...]) -> int:
    """Bit mask of a set of one-based indices."""
    return sum(1 << (i - 1) for i in indices)


def reorder_sign(left: int, right: int) -> int:
    """Sign of sorting E_left E_right: (-1)^(number of pairs i in left, j in right with i > j)."""
    swaps = 0
    left >>= 1
    while left:
        swaps += (left & right).bit_count()
        left >>= 1
    return -1 if swaps & 1 else 1


@cache
def blades_of_grade(n: int, k: int) -> tuple[int, ...]:
    """Masks of grade k in lexicographic order of their indices."""
    return tuple(mask_of(c) for c in combinations(range(1, n + 1), k))


@cache
def all_blades(n: int) -> tuple[int, ...]:
    """All 2^n masks, by grade and then lexicographically: the blade order of geomlin."""
    return tuple(mask for k in range(n + 1) for mask in blades_of_grade(n, k))


def blade_name(mask: int, n: int) -> str:
    """Name of a blade: 1, e1, e12; with n >= 10 every blade of grade >= 2 is separated: e1_12."""
    if mask == 0:
        return "1"
    return "e" + ("_" if n >= 10 else "").join(str(i) for i in indices_of(mask))


@cache
def _masks_by_name(n: int) -> dict[str, int]:
    return {blade_name(mask, n): mask for mask in all_blades(n)}


def blade_mask(name: str, n: int) -> int:
    """Mask of a blade name; unknown, badly ordered and badly separated names raise UnknownBlade."""
    try:
        return _masks_by_name(n)[name]
    except (KeyError, TypeError, ValueError):  # ValueError: what cannot be hashed, as some buffers
        example = "e1_2 (separated, since n >= 10)" if n >= 10 else "e12"
        raise UnknownBlade(
            f"{name!r} names no blade in dimension {n}: expected '1' or 'e' with ascending, "
            f"distinct indices from 1 to {n}, for example {example}; "
            "for a reversed order change the sign yourself"
        ) from None
