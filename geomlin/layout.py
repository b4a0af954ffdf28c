"""Layouts: which blades a multivector stores, always in blade order (grade, then lexicographic)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from .blades import all_blades, blade_mask, blade_name, blades_of_grade, grade_of, indices_of
from .errors import LayoutError


class Layout:
    """An ordered set of blades of one dimension; equal layouts are the same object."""

    __slots__ = ("__dict__", "__weakref__", "_hash", "masks", "n")

    def __init__(self, n: int, masks: tuple[int, ...]) -> None:
        self.n = n
        self.masks = masks
        self._hash = hash((n, masks))  # layouts are keys of tables: up to 4096 masks each time

    @cached_property
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
        return self if self is other else _union(self, other)

    def __and__(self, other: Layout) -> Layout:
        """Intersection of two layouts."""
        return self if self is other else _intersection(self, other)

    def __contains__(self, mask: int) -> bool:
        return mask in self.position

    def __len__(self) -> int:
        return len(self.masks)

    def __repr__(self) -> str:
        return f"Layout(n={self.n}, blades={self.names})"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, tuple[int, tuple[int, ...]]]:
        return layout_of, (self.n, self.masks)

    def __fx_repr__(self) -> tuple[str, dict[str, object]]:
        """Code for torch.compile, which keeps layouts as constants of its graphs."""
        return f"layout_of({self.n}, {self.masks})", {"layout_of": layout_of}


@cache
def _interned(n: int, masks: tuple[int, ...]) -> Layout:
    return Layout(n, masks)


@lru_cache(maxsize=4096)
def _union(a: Layout, b: Layout) -> Layout:
    return layout_of(a.n, {*a.masks, *b.masks})


@lru_cache(maxsize=4096)
def _intersection(a: Layout, b: Layout) -> Layout:
    return layout_of(a.n, set(a.masks) & set(b.masks))


@lru_cache(maxsize=4096)
def common_places(
    source: Layout, target: Layout
) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
    """Places of their common blades in the target, and in the source; None there if all are."""
    here = source.position
    places = [(k, here[mask]) for k, mask in enumerate(target.masks) if mask in here]
    to, of = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return to, None if len(of) == source.size else of


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
def odd_layout(n: int) -> Layout:
    """The 2^(n-1) blades of odd grade."""
    return _interned(n, tuple(m for m in all_blades(n) if grade_of(m) % 2 == 1))


def parity_layout(layout: Layout) -> Layout:
    """All blades of the parities that occur: an even or odd layout, or the full one."""
    odd = {k % 2 for k in layout.grades}
    if len(odd) == 2:
        return full_layout(layout.n)
    return odd_layout(layout.n) if 1 in odd else even_layout(layout.n)


@cache
def free_of_null(n: int, m: int) -> Layout:
    """All blades of the first m basis vectors, which in an algebra with p + q = m are not null."""
    return layout_of(n, range(1 << m))


@cache
def grades_layout(n: int, grades: tuple[int, ...]) -> Layout:
    """All blades of several grades."""
    return _interned(n, tuple(m for m in all_blades(n) if grade_of(m) in grades))


@cache
def grade_layout(n: int, k: int) -> Layout:
    """All blades of grade k; empty when k > n."""
    return _interned(n, blades_of_grade(n, k))


def named_layout(n: int, names: Iterable[str]) -> Layout:
    """The layout of explicitly named blades; repeated names raise LayoutError."""
    try:
        masks = [blade_mask(name, n) for name in names]
    except TypeError as error:
        raise LayoutError(
            f"expected a sequence of blade names, got {type(names).__name__}: write ['1', 'e12']"
        ) from error
    if len(set(masks)) != len(masks):
        raise LayoutError(f"a layout names each blade once, got {tuple(names)}")
    return layout_of(n, masks)
