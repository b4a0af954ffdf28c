"""Layouts: which blades a multivector stores, always in blade order (grade, then lexicographic)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from .blades import all_blades, blade_mask, blade_name, blades_of_grade, grade_of, indices_of
from .errors import LayoutError


class Layout:
    """An ordered set of blades of one dimension; equal layouts are the same object."""

    __slots__ = ("__dict__", "__weakref__", "masks", "n")

    def __init__(self, n: int, masks: tuple[int, ...]) -> None:
        self.n = n
        self.masks = masks

    @property
    def size(self) -> int:
        """Number of blades."""
        return len(self.masks)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Blade names, in order."""
        return tuple(blade_name(mask, self.n) for mask in self.masks)

    @cached_property
    def position(self) -> dict[int, int]:
        """Where the coefficient of each mask sits."""
        return {mask: i for i, mask in enumerate(self.masks)}

    @cached_property
    def grades(self) -> tuple[int, ...]:
        """Grades that occur, ascending."""
        return tuple(sorted({grade_of(mask) for mask in self.masks}))

    @cached_property
    def mask_array(self) -> NDArray[np.int64]:
        """The masks as an integer array."""
        return np.array(self.masks, dtype=np.int64)

    @cached_property
    def grade_array(self) -> NDArray[np.int64]:
        """The grade of each blade as an integer array."""
        return np.array([grade_of(mask) for mask in self.masks], dtype=np.int64)

    @cached_property
    def kind(self) -> str:
        """The constructor that fills this layout: scalar, vector, bivector, even or multivector."""
        standard = {
            "scalar": grade_layout(self.n, 0),
            "vector": grade_layout(self.n, 1),
            "bivector": grade_layout(self.n, 2) if self.n >= 2 else None,
            "even": even_layout(self.n),
            "multivector": full_layout(self.n),
        }
        return next((name for name, layout in standard.items() if layout is self), "explicit")

    def __or__(self, other: Layout) -> Layout:
        """Union of two layouts."""
        if self is other:
            return self
        return layout_of(self.n, set(self.masks) | set(other.masks))

    def __contains__(self, mask: int) -> bool:
        return mask in self.position

    def __len__(self) -> int:
        return len(self.masks)

    def __repr__(self) -> str:
        return f"Layout(n={self.n}, blades={self.names})"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash((self.n, self.masks))

    def __reduce__(self) -> tuple[object, tuple[int, tuple[int, ...]]]:
        return layout_of, (self.n, self.masks)

    def __fx_repr__(self) -> tuple[str, dict[str, object]]:
        """Code for torch.compile, which keeps layouts as constants of its graphs."""
        return f"layout_of({self.n}, {self.masks})", {"layout_of": layout_of}


@cache
def _interned(n: int, masks: tuple[int, ...]) -> Layout:
    return Layout(n, masks)


def layout_of(n: int, masks: Iterable[int]) -> Layout:
    """The layout of a set of masks, sorted into blade order."""
    ordered = tuple(sorted(set(masks), key=lambda mask: (grade_of(mask), indices_of(mask))))
    return _interned(n, ordered)


@cache
def full_layout(n: int) -> Layout:
    """All 2^n blades."""
    return _interned(n, all_blades(n))


@cache
def even_layout(n: int) -> Layout:
    """The 2^(n-1) blades of even grade."""
    return _interned(n, tuple(m for m in all_blades(n) if grade_of(m) % 2 == 0))


@cache
def grade_layout(n: int, k: int) -> Layout:
    """All blades of grade k; empty when k > n."""
    return _interned(n, blades_of_grade(n, k))


def named_layout(n: int, names: Iterable[str]) -> Layout:
    """The layout of explicitly named blades; repeated names raise LayoutError."""
    masks = [blade_mask(name, n) for name in names]
    if len(set(masks)) != len(masks):
        raise LayoutError(f"a layout names each blade once, got {tuple(names)}")
    return layout_of(n, masks)
