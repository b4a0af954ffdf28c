"""Kinds of the parts of an invariant decomposition."""

from enum import IntEnum


class PlaneKind(IntEnum):
    """What a commuting part of a bivector generates, by the sign of its square."""

    ROTATION = 0
    BOOST = 1
    NULL = 2
    ZERO = 3
    COMPLEX_PAIR = 4
    DEFECTIVE = 5
